//! Proofs of the rules, by evaluating both sides of each; and of the matcher that is made of
//! them, by letting it rewrite what the rules' patterns stand for.

mod arena;
mod composites;
mod matcher;
mod proofs;
mod terms;
mod values;

#[path = "../../../rules/syntax.rs"]
#[allow(dead_code)]
mod syntax;
#[path = "../../../rules/typing.rs"]
#[allow(dead_code)]
mod typing;

use syntax::Rule;

/// All rules, in the order in which they are numbered.
fn all() -> Vec<Rule> {
    let files = [
        ("integer", include_str!("../../../rules/integer.rules")),
        ("boolean", include_str!("../../../rules/boolean.rules")),
        ("float", include_str!("../../../rules/float.rules")),
        ("api", include_str!("../../../rules/api.rules")),
    ];
    let rules = files.map(|(class, text)| syntax::rules(class, text).unwrap());
    rules.concat()
}

/// A rule that is in no file.
fn rule(text: &str) -> Rule {
    syntax::rules("own", text).unwrap().remove(0)
}
