//! Values of properties.

use std::fmt;

/// The value of a limit or another property.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// Whether something is there.
    Bool(bool),
    /// A number. All that devices report are exact in 53 bits, or mean "no limit".
    Number(f64),
    /// A number for each dimension, or the ends of a range.
    Each(Vec<f64>),
    /// One of the values of an enumeration, or several of a mask, such as
    /// `VK_SUBGROUP_FEATURE_VOTE_BIT`.
    Names(Vec<String>),
}

impl Value {
    /// The value that a text says: `true`, numbers or names, with commas between them.
    pub fn parse(text: &str) -> Option<Self> {
        let all: Vec<&str> = text.split(',').collect();
        let numbers: Result<Vec<f64>, _> = all.iter().map(|it| it.parse()).collect();
        match (all.as_slice(), numbers) {
            (["true"], _) => Some(Self::Bool(true)),
            (["false"], _) => Some(Self::Bool(false)),
            (_, Ok(numbers)) => match numbers.as_slice() {
                [number] => Some(Self::Number(*number)),
                _ => Some(Self::Each(numbers)),
            },
            (names, Err(_)) if names.iter().all(|it| it.starts_with("VK_")) => Some(Self::Names(
                names.iter().map(|&name| name.to_owned()).collect(),
            )),
            _ => None,
        }
    }

    /// The number, or that of a dimension.
    pub fn number(&self, dimension: usize) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Each(all) => all.get(dimension).copied(),
            Self::Bool(_) | Self::Names(_) => None,
        }
    }

    /// Whether it is true, or has this value of a mask.
    pub fn contains(&self, name: &str) -> bool {
        match self {
            Self::Bool(is) => *is && name == "VK_TRUE" || !*is && name == "VK_FALSE",
            Self::Names(all) => all.iter().any(|it| it == name),
            Self::Number(_) | Self::Each(_) => false,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(is) => write!(f, "{is}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Each(all) => {
                let all: Vec<String> = all.iter().map(f64::to_string).collect();
                write!(f, "{}", all.join(" × "))
            }
            Self::Names(all) => write!(f, "{}", all.join(", ")),
        }
    }
}
