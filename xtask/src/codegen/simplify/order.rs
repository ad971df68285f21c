//! Whether a rule makes less of something, so that rewriting ends.
//!
//! What is less is decided by the words of all operations, each counted as often as it stands
//! there; then by the operations themselves, greater ones ([`RANKS`]) counting first; then by
//! how deep constants are in a sum. No rule may use a value more often than its pattern has
//! it, so that what counts for a rule counts for all that values stand for.

use std::collections::BTreeMap;

use super::syntax::{Head, Rule, Term};

/// Operations, those that come first being the greater; all others are the least.
const RANKS: &[&str] = &[
    "FUnordNotEqual",
    "Unordered",
    "ULessThan",
    "ULessThanEqual",
    "UGreaterThan",
    "UGreaterThanEqual",
    "UMod",
    "FDiv",
    "Not",
    "FAdd",
    "IAdd",
    "LogicalNot",
    "BitwiseXor",
];

/// The words of an operation.
pub(super) fn words(head: &Head, operands: usize) -> usize {
    match head {
        Head::Core(_) => 3 + operands,
        Head::Glsl(_) => 5 + operands,
    }
}

#[derive(Default)]
struct Measure<'t> {
    words: usize,
    variables: BTreeMap<&'t str, usize>,
    ranks: BTreeMap<usize, usize>,
}

impl<'t> Measure<'t> {
    fn add(&mut self, term: &'t Term, names: &BTreeMap<&'t str, &'t Term>) {
        if term.is_constant() {
            return;
        }
        match term {
            Term::Variable(name) => match names.get(name.as_str()) {
                // The name of an operation in the pattern.
                Some(named) if *named != term => self.add(named, names),
                _ => *self.variables.entry(name).or_default() += 1,
            },
            Term::Operation { head, operands, .. } => {
                self.words += words(head, operands.len());
                let rank = RANKS.iter().position(|name| *name == head.to_string());
                *self.ranks.entry(rank.unwrap_or(RANKS.len())).or_default() += 1;
                for operand in operands {
                    self.add(operand, names);
                }
            }
            _ => {}
        }
    }
}

fn measure<'t>(term: &'t Term, names: &BTreeMap<&'t str, &'t Term>) -> Measure<'t> {
    let mut measure = Measure::default();
    measure.add(term, names);
    measure
}

pub(super) fn check(rule: &Rule) -> Result<(), String> {
    let mut names = BTreeMap::new();
    for term in super::terms(&rule.pattern) {
        if let Some(name) = term.name() {
            names.entry(name).or_insert(term);
        }
    }
    let (left, right) = (
        measure(&rule.pattern, &names),
        measure(&rule.replacement, &names),
    );
    for (name, count) in &right.variables {
        if left.variables.get(name).unwrap_or(&0) < count {
            return Err(format!("the replacement has `{name}` more often"));
        }
    }
    if right.words < left.words {
        return Ok(());
    }
    if right.words > left.words {
        return Err("the replacement is longer".to_owned());
    }
    for rank in 0..=RANKS.len() {
        let count = |measure: &Measure<'_>| measure.ranks.get(&rank).copied().unwrap_or(0);
        let (left, right) = (count(&left), count(&right));
        if left != right {
            return match right < left {
                true => Ok(()),
                false => Err("the replacement has greater operations".to_owned()),
            };
        }
    }
    match moves_outward(rule) {
        true => Ok(()),
        false => Err("the replacement is not less in any way".to_owned()),
    }
}

/// Whether it is `(f (f x C) y) => (f (f x y) C)`. Operations of which the second operand is
/// a constant then have fewer others above them in their sum, and those in `x` and `y` as
/// many as before.
fn moves_outward(rule: &Rule) -> bool {
    let parts = |term: &Term| match term {
        Term::Operation { head, operands, .. } => match &operands[..] {
            [
                Term::Operation {
                    head: inner,
                    operands: below,
                    ..
                },
                last,
            ] if head == inner && below.len() == 2 => Some((
                head.clone(),
                below[0].clone(),
                below[1].clone(),
                last.clone(),
            )),
            _ => None,
        },
        _ => None,
    };
    let (Some(left), Some(right)) = (parts(&rule.pattern), parts(&rule.replacement)) else {
        return false;
    };
    matches!((&left.2, &left.3), (Term::Constant(_), Term::Variable(_)))
        && (left.0, left.1, left.3, left.2) == right
}
