//! The matcher of the optimizer's rules, `crates/opt/rules/*.rules`: a decision tree for each
//! opcode at the root of a pattern, and a function for what each rule asks and makes.

mod order;
mod rule;
mod tree;

#[path = "../../../../crates/opt/rules/syntax.rs"]
mod syntax;
#[path = "../../../../crates/opt/rules/typing.rs"]
mod typing;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::emit::{Output, sealed};

use syntax::{COMMUTATIVE, Head, Rule, Term};

/// A term and all below it.
fn terms(term: &Term) -> Vec<&Term> {
    let mut all = vec![term];
    if let Term::Operation { operands, .. } = term {
        all.extend(operands.iter().flat_map(terms));
    }
    all
}

/// Where the rules are, from the root of the repository; the order of the files is that in
/// which rules are tried.
const SOURCES: &str = "crates/opt/rules";
const CLASSES: [&str; 4] = ["integer", "boolean", "float", "api"];

/// Where the matcher is committed.
pub(super) const MATCHER: &str = "crates/opt/src/rules/generated.rs";

pub(super) fn file(root: &Path) -> Result<Output, String> {
    let mut rules = Vec::new();
    for class in CLASSES {
        let path = root.join(SOURCES).join(format!("{class}.rules"));
        let text = fs::read_to_string(&path);
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        rules.extend(syntax::rules(class, &text)?);
    }
    Ok((MATCHER.to_owned(), sealed(&matcher(&rules)?)))
}

fn matcher(rules: &[Rule]) -> Result<String, String> {
    let mut functions = String::new();
    let mut rows = Vec::new();
    let mut shapes = BTreeSet::new();
    for (index, rule) in rules.iter().enumerate() {
        let place = |error| format!("{}.rules:{}: {error}", rule.class, rule.line);
        if shapes.contains(&rule.text) {
            return Err(place("the rule is there twice".to_owned()));
        }
        shapes.insert(rule.text.clone());
        let typed = typing::typed(rule).map_err(place)?;
        order::check(rule).map_err(place)?;
        functions.push_str(&rule::function(index, rule, &typed).map_err(place)?);
        let variants = tree::rows(index, &rule.pattern);
        if variants.is_empty() {
            return Err(place("its constants are on the left".to_owned()));
        }
        rows.extend(variants);
    }
    let trees = tree::trees(&rows);
    let mut text = String::from(
        "#![allow(clippy::all, unused_variables, unused_parens)]\n\nuse spirvkit_binary::Id;\nuse spirvkit_grammar::{GlslStd450, Op};\n\nuse super::matching::*;\nuse super::{Modes, Values};\n\n",
    );
    writeln!(
        text,
        "/// How many rules there are.\npub const RULES: usize = {};\n",
        rules.len()
    )
    .unwrap();
    writeln!(
        text,
        "/// Whether the operands of an operation may change places.\npub(super) fn is_commutative(kind: u32) -> bool {{\n    matches!(kind, {})\n}}\n",
        COMMUTATIVE
            .iter()
            .map(|name| constant_name(&head_of(name)))
            .collect::<Vec<_>>()
            .join(" | ")
    )
    .unwrap();
    let mut heads: BTreeSet<Head> = COMMUTATIVE.iter().map(|name| head_of(name)).collect();
    for rule in rules {
        for term in terms(&rule.pattern) {
            if let syntax::Term::Operation { head, .. } = term {
                heads.insert(head.clone());
            }
        }
    }
    for head in &heads {
        let value = match head {
            Head::Core(name) => format!("Op::{name}.0 as u32"),
            Head::Glsl(name) => format!("GLSL + GlslStd450::{name}.0"),
        };
        writeln!(text, "const {}: u32 = {value};", constant_name(head)).unwrap();
    }
    text.push_str(&trees);
    text.push_str(&functions);
    Ok(text)
}

fn head_of(name: &str) -> Head {
    match name.strip_prefix("glsl.") {
        Some(name) => Head::Glsl(name.to_owned()),
        None => Head::Core(name.to_owned()),
    }
}

/// The name of the constant for a kind of operation.
fn constant_name(head: &Head) -> String {
    let (prefix, name) = match head {
        Head::Core(name) => ("", name),
        Head::Glsl(name) => ("GLSL_", name),
    };
    format!(
        "{prefix}{}",
        super::emit::words_of(name).join("_").to_uppercase()
    )
}
