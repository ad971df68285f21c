//! Proofs of the rules, by evaluating both sides of each; and of the matcher that is made of
//! them, by letting it rewrite what the rules' patterns stand for.

mod arena;
mod composites;
mod matcher;
mod proofs;
mod terms;
mod values;

#[path = "../../../rules/syntax.rs"]
mod syntax;
#[path = "../../../rules/typing.rs"]
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

#[test]
fn terms_whose_types_only_the_replacement_joins_are_known() {
    let merged = |text| {
        let rule = rule(text);
        typing::typed(&rule).unwrap().merged
    };
    assert_eq!(merged("(IAdd x 0) => x"), []);
    assert_eq!(merged("(Select c x y) if (same-width x y) => x"), []);
    assert_eq!(merged("(UConvert (UConvert x)) => x"), [(0, 2)]);
}
