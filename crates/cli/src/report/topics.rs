//! The errors and warnings that there are, by their ids.

use std::collections::BTreeMap;

use spirvkit::Rule;
use spirvkit::diagnostics::Kind;

use crate::report::kinds::KINDS;

/// What there is to explain.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Topic {
    /// A rule of the validator.
    Rule(&'static Rule),
    /// What else may be wrong.
    Kind(&'static Kind),
}

/// All there is to explain, by id. Of what a rule says, the rule says more.
pub(crate) fn all() -> BTreeMap<&'static str, Topic> {
    let kinds = spirvkit::kinds().into_iter().chain(KINDS.iter().copied());
    let kinds = kinds.map(|kind| (kind.id, Topic::Kind(kind)));
    let rules = spirvkit::rules().iter().copied();
    let rules = rules.map(|rule| (rule.id, Topic::Rule(rule)));
    kinds.chain(rules).collect()
}

/// The family that an id belongs to.
pub(crate) fn family(id: &str) -> &str {
    id.split_once('.').map_or(id, |(family, _)| family)
}
