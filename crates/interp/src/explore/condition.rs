//! Conditions on the contents of buffers: `0:0[0] == 1 && 0:1:i32[2] != -1`.

use std::str::FromStr;

use super::Final;

/// A condition on what buffers hold in the end.
///
/// It compares elements of buffers, written `SET:BINDING[INDEX]` or `SET:BINDING:TYPE[INDEX]`
/// with an integer type from `u8` to `i64` (`u32` if none is given), with each other or with
/// numbers by `==`, `!=`, `<`, `<=`, `>` and `>=`, and connects this by `&&`, `||`, `!` and
/// parentheses.
///
/// ```
/// use spirvkit_interp::Condition;
///
/// let condition: Condition = "0:0[0] == 1 && !(0:1:i32[2] < 0)".parse()?;
/// # let _ = condition;
/// assert!("0:0[0] = 1".parse::<Condition>().is_err());
/// # Ok::<(), spirvkit_interp::ConditionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// In the order in which they are evaluated on a stack of truths.
    steps: Vec<Step>,
}

/// Why a text is no condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionError(String);

impl std::fmt::Display for ConditionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConditionError {}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Compare(Term, Sign, Term),
    Not,
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Term {
    Number(i128),
    Element {
        set: u32,
        binding: u32,
        bytes: usize,
        is_signed: bool,
        index: usize,
    },
}

/// What waits for its right-hand side, in the order of how strongly it binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Waiting {
    Open,
    Or,
    And,
    Not,
}

impl Waiting {
    fn step(self) -> Option<Step> {
        match self {
            Self::Open => None,
            Self::Or => Some(Step::Or),
            Self::And => Some(Step::And),
            Self::Not => Some(Step::Not),
        }
    }
}

const SIGNS: [(&str, Sign); 6] = [
    ("==", Sign::Equal),
    ("!=", Sign::NotEqual),
    ("<=", Sign::LessEqual),
    (">=", Sign::GreaterEqual),
    ("<", Sign::Less),
    (">", Sign::Greater),
];

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let mut steps = Vec::new();
        let mut waiting: Vec<Waiting> = Vec::new();
        let mut rest = text.trim_start();
        loop {
            // Before a comparison.
            if let Some(behind) = rest.strip_prefix('(') {
                waiting.push(Waiting::Open);
                rest = behind.trim_start();
                continue;
            }
            if let Some(behind) = rest.strip_prefix('!') {
                waiting.push(Waiting::Not);
                rest = behind.trim_start();
                continue;
            }
            let (left, behind) = term(rest)?;
            let sign = SIGNS.iter().find(|sign| behind.starts_with(sign.0));
            let Some(&(written, sign)) = sign else {
                return Err(expected("a comparison", behind));
            };
            let (right, behind) = term(behind[written.len()..].trim_start())?;
            steps.push(Step::Compare(left, sign, right));
            rest = behind;
            // Behind one.
            while let Some(behind) = rest.strip_prefix(')') {
                finish(&mut waiting, &mut steps, Waiting::Or);
                if waiting.pop().is_none() {
                    return Err(expected("the end", rest));
                }
                rest = behind.trim_start();
            }
            let connective = [("&&", Waiting::And), ("||", Waiting::Or)];
            let found = connective.iter().find(|it| rest.starts_with(it.0));
            let Some(&(written, connective)) = found else {
                break;
            };
            finish(&mut waiting, &mut steps, connective);
            waiting.push(connective);
            rest = rest[written.len()..].trim_start();
        }
        finish(&mut waiting, &mut steps, Waiting::Or);
        match (rest, waiting.is_empty()) {
            ("", true) => Ok(Self { steps }),
            ("", false) => Err(expected("`)`", rest)),
            _ => Err(expected("`&&`, `||` or the end", rest)),
        }
    }
}

/// Ends all that binds as strongly as this, up to an open parenthesis.
fn finish(waiting: &mut Vec<Waiting>, steps: &mut Vec<Step>, strength: Waiting) {
    while let Some(step) = waiting
        .last()
        .filter(|last| **last >= strength)
        .and_then(|last| last.step())
    {
        steps.push(step);
        waiting.pop();
    }
}

fn expected(what: &str, found: &str) -> ConditionError {
    let found: String = found.chars().take(20).collect();
    ConditionError(match found.is_empty() {
        true => format!("{what} is expected at the end"),
        false => format!("{what} is expected at `{found}`"),
    })
}

/// A number or an element at the beginning of a text, and what is behind it.
fn term(text: &str) -> Result<(Term, &str), ConditionError> {
    let wrong = || expected("a number, or an element such as `0:1[2]`", text);
    let is_sign = |c: char| "()&|=!<>".contains(c) || c.is_whitespace();
    let (word, rest) = text.split_at(text.find(is_sign).unwrap_or(text.len()));
    let rest = rest.trim_start();
    if let Some((place, index)) = word.strip_suffix(']').and_then(|it| it.split_once('[')) {
        let mut parts = place.split(':');
        let mut number = || parts.next().and_then(|part| part.parse::<u32>().ok());
        let (set, binding) = (number(), number());
        let (Some(set), Some(binding), Ok(index)) = (set, binding, index.parse()) else {
            return Err(wrong());
        };
        let (bytes, is_signed) = match (parts.next(), parts.next()) {
            (None, _) => (4, false),
            (Some(ty), None) => element_type(ty).ok_or_else(wrong)?,
            _ => return Err(wrong()),
        };
        let element = Term::Element {
            set,
            binding,
            bytes,
            is_signed,
            index,
        };
        return Ok((element, rest));
    }
    let number = match word.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    };
    number.map(|it| (Term::Number(it), rest)).ok_or_else(wrong)
}

/// How many bytes a type has, and whether it is signed.
fn element_type(name: &str) -> Option<(usize, bool)> {
    let bytes = match name.get(1..)? {
        "8" => 1,
        "16" => 2,
        "32" => 4,
        "64" => 8,
        _ => return None,
    };
    match name.get(..1)? {
        "u" => Some((bytes, false)),
        "i" => Some((bytes, true)),
        _ => None,
    }
}

impl Condition {
    /// Whether it holds. A comparison with an element that isn't there doesn't hold.
    pub fn holds(&self, outcome: Final<'_>) -> bool {
        let mut truths: Vec<bool> = Vec::new();
        for step in &self.steps {
            let truth = match step {
                Step::Compare(left, sign, right) => {
                    let values = left.value(outcome).zip(right.value(outcome));
                    values.is_some_and(|(a, b)| match sign {
                        Sign::Equal => a == b,
                        Sign::NotEqual => a != b,
                        Sign::Less => a < b,
                        Sign::LessEqual => a <= b,
                        Sign::Greater => a > b,
                        Sign::GreaterEqual => a >= b,
                    })
                }
                Step::Not => !truths.pop().unwrap_or(false),
                Step::And | Step::Or => {
                    let b = truths.pop().unwrap_or(false);
                    let a = truths.pop().unwrap_or(false);
                    if *step == Step::And { a && b } else { a || b }
                }
            };
            truths.push(truth);
        }
        truths.pop().unwrap_or(false)
    }
}

impl Term {
    fn value(self, outcome: Final<'_>) -> Option<i128> {
        let (set, binding, bytes, is_signed, index) = match self {
            Self::Number(number) => return Some(number),
            Self::Element {
                set,
                binding,
                bytes,
                is_signed,
                index,
            } => (set, binding, bytes, is_signed, index),
        };
        let all = outcome.bytes(set, binding);
        let start = index.checked_mul(bytes)?;
        let element = all.get(start..start.checked_add(bytes)?)?;
        let number = element
            .iter()
            .rev()
            .fold(0i128, |all, &byte| all << 8 | i128::from(byte));
        let unused = 128 - 8 * bytes as u32;
        Some(match is_signed {
            true => number << unused >> unused,
            false => number,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::Spaces;
    use super::{Condition, Final};

    fn holds(text: &str) -> bool {
        let spaces = Spaces {
            bindings: BTreeMap::from([((0, 0, 0), 0), ((0, 1, 0), 1)]),
            ..Spaces::default()
        };
        let memory = [vec![1, 0, 0, 0, 2, 0, 0, 0], vec![255, 255, 255, 255]];
        let condition: Condition = text.parse().unwrap();
        condition.holds(Final {
            spaces: &spaces,
            memory: &memory,
        })
    }

    #[test]
    fn comparisons() {
        assert!(holds("0:0[0] == 1"));
        assert!(!holds("0:0[1] == 1"));
        assert!(holds("0:0[1] != 1"));
        assert!(holds("0:0[0] < 0:0[1]") && holds("2 >= 0:0[1]") && holds("0:0[1] <= 2"));
        assert!(!holds("0:0[0] > 0:0[1]"));
        assert!(holds("0:1:i32[0] == -1"));
        assert!(holds("0:1[0] == 0xffffffff"));
        assert!(holds("0:1:u8[3] == 255 && 0:1:i16[1] == -1"));
        // There is no such element.
        assert!(!holds("0:0[2] == 0") && !holds("0:2[0] != 0"));
    }

    #[test]
    fn connectives() {
        assert!(holds("0:0[0] == 1 && 0:0[1] == 2"));
        // `&&` binds stronger than `||`.
        assert!(holds("0:0[0] == 1 || 0:0[0] == 2 && 0:0[0] == 3"));
        assert!(!holds("(0:0[0] == 1 || 0:0[0] == 2) && 0:0[0] == 3"));
        assert!(holds("!0:0[0] == 2 && !!0:0[0] == 1"));
        assert!(holds("!(0:0[0] == 2 && 0:0[0] == 1)"));
        assert!(holds("((0:0[0]==1))"));
    }

    #[test]
    fn what_is_no_condition() {
        for text in [
            "",
            "0:0[0]",
            "0:0[0] = 1",
            "0:0[0] == ",
            "(0:0[0] == 1",
            "0:0[0] == 1)",
            "0:0[0] == 1 0:0[0] == 1",
            "0[0] == 1",
            "0:0:f32[0] == 1",
            "0:0[x] == 1",
            "a == 1",
            "0:0[0] == 1 &&",
        ] {
            assert!(text.parse::<Condition>().is_err(), "{text}");
        }
        // Nothing recurses.
        assert!("(".repeat(100_000).parse::<Condition>().is_err());
    }
}
