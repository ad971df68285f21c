//! What becomes of each instruction in each of the other sets, shown as a table in
//! docs/debuginfo.md.

use crate::common::document;

use std::fmt::Write as _;

use crate::common::{SAMPLES, Sample};
use spirvkit_debuginfo::convert::{Conversion, Effect, Options, convert};
use spirvkit_debuginfo::{Kind, Set};
use spirvkit_ir::Module;

/// What became of the instructions of a kind.
fn outcome(conversion: &Conversion, kind: Kind) -> &'static str {
    let of_kind = || {
        conversion
            .losses
            .iter()
            .filter(|loss| loss.instruction == kind.name())
    };
    let whole = |effect| of_kind().any(|loss| loss.field.is_none() && loss.effect == effect);
    match () {
        () if whole(Effect::Lost) => "lost",
        () if whole(Effect::Approximated) => "otherwise",
        () if of_kind().next().is_some() => "in part",
        () => "whole",
    }
}

fn table() -> String {
    let samples = SAMPLES.map(|(set, text)| (set, Sample::new(text)));
    let mut directions = Vec::new();
    let mut out = String::from("| instruction |");
    for (from, sample) in &samples {
        for to in Set::ALL.into_iter().filter(|to| to != from) {
            let mut module = Module::load(&sample.words).expect("a module");
            let conversion = convert(&mut module, to, &Options::default()).expect("it fits");
            assert_eq!(conversion.from, [*from]);
            let report = spirvkit_validate::validate(&module.store(), &Default::default());
            assert!(
                report.is_valid(),
                "{from} to {to}: {:?}",
                report.diagnostics()
            );
            directions.push((*from, conversion));
            let _ = write!(out, " {} to {} |", short(*from), short(to));
        }
    }
    let _ = writeln!(out, "\n|---|{}", "---|".repeat(directions.len()));
    for &kind in Kind::ALL {
        let _ = write!(out, "| {} |", kind.name());
        for (from, conversion) in &directions {
            let cell = match from.fields(kind) {
                Some(_) => outcome(conversion, kind),
                None => "–",
            };
            let _ = write!(out, " {cell} |");
        }
        out.push('\n');
    }
    out
}

fn short(set: Set) -> &'static str {
    match set {
        Set::DebugInfo => "first",
        Set::OpenCl100 => "OpenCL",
        Set::Shader => "Shader",
    }
}

#[test]
fn the_documents_table_is_right() {
    document::check("table of conversions", &table());
}
