//! Levels at which users want findings reported.

use spirvkit_diagnostics::{Diagnostic, Severity};

/// How breaking a rule is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Not at all.
    Allow,
    /// As a warning.
    Warn,
    /// As an error.
    Deny,
}

/// The rules that are reported at another [`Level`] than their own.
///
/// Rules are named by their ids (`layout.overlap`), families by `layout.*` or `layout`, and
/// all rules by `*`. A rule's own name takes precedence over that of its family, and the
/// later of two equal names over the earlier.
///
/// ```
/// use spirvkit_validate::{Level, Levels};
///
/// let mut levels = Levels::default();
/// levels.set("debug-info.place", Level::Deny);
/// levels.set("debug-info.*", Level::Allow);
/// assert_eq!(levels.of("debug-info.place"), Some(Level::Deny));
/// assert_eq!(levels.of("debug-info.range"), Some(Level::Allow));
/// assert_eq!(levels.of("layout.overlap"), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels(Vec<(Pattern, Level)>);

impl Levels {
    /// Sets the level of the rules with this name. A name that no rule has does nothing:
    /// [`is_called`](Self::is_called) says which rules a name means.
    pub fn set(&mut self, name: &str, level: Level) {
        self.0.push((Pattern::new(name), level));
    }

    /// The level that was set for the rule with this id; `None` for the rule's own.
    ///
    /// A module that can't be decoded (`binary.malformed`) is always an error, because
    /// nothing else can be checked.
    pub fn of(&self, id: &str) -> Option<Level> {
        let fitting = self.0.iter().filter(|(pattern, _)| pattern.fits(id));
        let best = fitting.max_by_key(|(pattern, _)| pattern.weight());
        best.map(|(_, level)| *level).filter(|_| can_be_set(id))
    }

    /// Whether a name, as [`set`](Self::set) takes it, is that of the rule with this id
    /// or of its family.
    pub fn is_called(name: &str, id: &str) -> bool {
        can_be_set(id) && Pattern::new(name).fits(id)
    }

    /// The diagnostic at the level of its rule; `None` if it is not reported.
    pub fn apply(&self, diagnostic: Diagnostic) -> Option<Diagnostic> {
        match self.of(diagnostic.rule()) {
            None => Some(diagnostic),
            Some(Level::Allow) => None,
            Some(Level::Warn) => Some(diagnostic.with_severity(Severity::Warning)),
            Some(Level::Deny) => Some(diagnostic.with_severity(Severity::Error)),
        }
    }
}

fn can_be_set(id: &str) -> bool {
    !id.starts_with("binary.")
}

/// The name of a rule, or what the names of a family begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    text: String,
    is_rule: bool,
}

impl Pattern {
    fn new(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let family = match name.strip_suffix('*') {
            Some(family) => family.to_owned(),
            // Every id has a family before its point.
            None if !name.contains('.') => name.clone() + ".",
            None => {
                return Self {
                    text: name,
                    is_rule: true,
                };
            }
        };
        Self {
            text: family,
            is_rule: false,
        }
    }

    fn fits(&self, id: &str) -> bool {
        match self.is_rule {
            true => self.text == id,
            // Half a word is no family.
            false => {
                id.starts_with(&self.text) && (self.text.is_empty() || self.text.ends_with('.'))
            }
        }
    }

    fn weight(&self) -> (bool, usize) {
        (self.is_rule, self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_decides_and_of_equals_the_later() {
        let mut levels = Levels::default();
        levels.set("id.undefined", Level::Warn);
        levels.set("*", Level::Allow);
        levels.set("id", Level::Deny);
        levels.set("layout.*", Level::Deny);
        levels.set("LAYOUT.*", Level::Warn);
        assert_eq!(levels.of("id.undefined"), Some(Level::Warn));
        assert_eq!(levels.of("id.zero"), Some(Level::Deny));
        assert_eq!(levels.of("layout.overlap"), Some(Level::Warn));
        assert_eq!(levels.of("phi.place"), Some(Level::Allow));
        assert_eq!(levels.of("binary.malformed"), None);
    }

    #[test]
    fn names_are_those_of_rules_and_whole_families() {
        for name in ["id.undefined", "id.*", "id", "*", "Id.Undefined"] {
            assert!(Levels::is_called(name, "id.undefined"), "{name}");
        }
        for name in ["id.undef", "id.undef*", "i*", "i", "id.", "", "identity"] {
            assert!(!Levels::is_called(name, "id.undefined"), "{name}");
        }
        assert!(!Levels::is_called("binary.*", "binary.malformed"));
    }
}
