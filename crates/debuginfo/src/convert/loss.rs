//! What a conversion could not keep.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use spirvkit_binary::Id;

use crate::{Field, Set};

/// What became of something that the target can't say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Effect {
    /// It is gone.
    Lost,
    /// It is said in another way, which says less or not quite the same.
    Approximated,
}

/// Something that the target can't say as the module did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// The instruction, as the module called it before; none for an `OpLine` or
    /// `OpSource`, which have no id.
    pub id: Option<Id>,
    /// The instruction's name before, such as `DebugTypeMatrix`.
    pub instruction: &'static str,
    /// Which of its fields it is about; none if it is about all of it.
    pub field: Option<Field>,
    /// What became of it.
    pub effect: Effect,
    /// Why, in words for people.
    pub why: Cow<'static, str>,
}

impl Loss {
    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.instruction)?;
        if let Some(field) = self.field {
            write!(f, ": {}", field.name())?;
        }
        match self.effect {
            Effect::Lost => write!(f, " is lost: {}", self.why),
            Effect::Approximated => write!(f, " is approximated: {}", self.why),
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(id) = self.id {
            write!(f, "{id} ")?;
        }
        self.describe(f)
    }
}

/// Losses of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Losses {
    /// The first of them.
    pub first: Loss,
    /// How many there are.
    pub count: usize,
}

impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first.describe(f)?;
        match self.count {
            1 => Ok(()),
            count => write!(f, " ({count} times)"),
        }
    }
}

/// What a conversion did: see [`convert`](crate::convert::convert).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conversion {
    /// The sets that were converted, in the order of the module's imports; empty if there
    /// was nothing to do.
    pub from: Vec<Set>,
    /// How many debugging instructions of them there were.
    pub instructions: usize,
    /// What the target can't say, in the module's order as far as it is about
    /// instructions of one sort.
    pub losses: Vec<Loss>,
}

impl Conversion {
    /// The losses by instruction, field, effect and reason, each kind with its number,
    /// in the order in which they occur first.
    pub fn summary(&self) -> Vec<Losses> {
        let mut places = HashMap::new();
        let mut summary: Vec<Losses> = Vec::new();
        for loss in &self.losses {
            let key = (loss.instruction, loss.field, loss.effect, &loss.why);
            let place = *places.entry(key).or_insert(summary.len());
            match summary.get_mut(place) {
                Some(losses) => losses.count += 1,
                None => summary.push(Losses {
                    first: loss.clone(),
                    count: 1,
                }),
            }
        }
        summary
    }
}
