//! Reasons for differences that are known, from a file.

use std::error::Error;
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::compare::{Compared, Difference};

/// A reason for differences, or for crashes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Known {
    /// Parts of the names of scripts and modules that differ for it.
    pub(crate) inputs: Vec<String>,
    /// What kind of reason it is.
    pub(crate) kind: Kind,
    /// What is different.
    pub(crate) what: String,
    /// Why, with the clause that says so.
    pub(crate) why: String,
    /// How wide the numbers are, in bits.
    #[serde(default)]
    pub(crate) bits: u32,
    /// By how many units of the last place they may be apart.
    pub(crate) ulps: Option<u64>,
    /// By how much they may be apart.
    pub(crate) absolute: Option<f64>,
}

/// A kind of reason.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Both are as exact as the specification asks.
    Precision,
    /// Denormal numbers may be flushed to zero.
    Denormals,
    /// The specification leaves it open, or the behaviour is undefined.
    Open,
    /// A bug of the driver.
    Driver,
    /// A bug of the driver that makes it crash.
    Crash,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Precision => "precision",
            Self::Denormals => "denormal numbers",
            Self::Open => "left open",
            Self::Driver => "bug of the driver",
            Self::Crash => "crash of the driver",
        }
    }
}

/// The reasons in a file.
pub(crate) fn read(file: Option<&Path>) -> Result<Vec<Known>, Box<dyn Error>> {
    let default = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/known.json"));
    let file = file.unwrap_or(default);
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?)
}

impl Known {
    fn is_of(&self, name: &str) -> bool {
        self.inputs.iter().any(|it| name.contains(it.as_str()))
    }

    /// Whether a crash is explained.
    pub(crate) fn explains_crash(&self, name: &str) -> bool {
        self.kind == Kind::Crash && self.is_of(name)
    }

    /// Whether a difference is explained.
    pub(crate) fn explains(&self, name: &str, difference: &Difference) -> bool {
        if self.kind == Kind::Crash || !self.is_of(name) {
            return false;
        }
        let index = match self.bits {
            16 => 0,
            64 => 2,
            _ => 1,
        };
        let is_near = match (self.ulps, self.absolute) {
            (None, None) => false,
            (ulps, absolute) => {
                let ulps_there = difference.ulps[index];
                let is_within = ulps.zip(ulps_there).is_some_and(|(most, it)| it <= most);
                is_within || absolute.is_some_and(|most| difference.absolute[index] <= most)
            }
        };
        match self.kind {
            Kind::Precision => is_near,
            Kind::Denormals => difference.flushed[index],
            _ => true,
        }
    }
}

/// Which reasons explain what came of an input; `None` if a difference has none.
pub(crate) fn reasons(known: &[Known], name: &str, compared: &Compared) -> Option<Vec<usize>> {
    let mut reasons = Vec::new();
    for difference in &compared.differences {
        let reason = known.iter().position(|it| it.explains(name, difference))?;
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    Some(reasons)
}

#[cfg(test)]
mod tests {
    use super::{Known, read, reasons};
    use crate::compare::{Compared, difference};

    fn compared(ours: u32, theirs: u32) -> Compared {
        let found = difference(String::new(), &ours.to_le_bytes(), &theirs.to_le_bytes());
        Compared {
            differences: found.into_iter().collect(),
            ..Compared::default()
        }
    }

    fn known(text: &str) -> Vec<Known> {
        serde_json::from_str(text).expect("reasons")
    }

    #[test]
    fn the_reasons_can_be_read() {
        assert!(!read(None).expect("reasons").is_empty());
    }

    #[test]
    fn precision_has_a_bound() {
        let known = known(
            r#"[{"inputs": ["sin"], "kind": "precision", "what": "", "why": "", "bits": 32, "ulps": 2}]"#,
        );
        let near = compared(0x3f80_0000, 0x3f80_0002);
        let far = compared(0x3f80_0000, 0x3f80_0003);
        assert_eq!(reasons(&known, "a/sin.amber", &near), Some(vec![0]));
        assert_eq!(reasons(&known, "a/sin.amber", &far), None);
        assert_eq!(reasons(&known, "a/cos.amber", &near), None);
    }

    #[test]
    fn a_reason_for_a_crash_explains_no_difference() {
        let known = known(r#"[{"inputs": [""], "kind": "crash", "what": "", "why": ""}]"#);
        assert!(known[0].explains_crash("a"));
        assert_eq!(reasons(&known, "a", &compared(0, 1)), None);
        assert_eq!(reasons(&known, "a", &compared(1, 1)), Some(vec![]));
    }
}
