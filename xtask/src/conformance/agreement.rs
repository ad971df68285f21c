//! The table of agreement by family of rules.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::val::{Tally, percent};
use crate::Outcome;

const START: &str = "<!-- validator: start of the generated table -->";
const END: &str = "<!-- validator: end of the generated table -->";

/// What the names of tests say about the rules they are for; the first that
/// fits counts.
const FAMILIES: &[(&str, &str)] = &[
    (
        "Capability",
        "capabilities, extensions and versions of features",
    ),
    (
        "KnownExtensions",
        "capabilities, extensions and versions of features",
    ),
    (
        "UnknownExtensions",
        "capabilities, extensions and versions of features",
    ),
    (
        "ExtIntoCore",
        "capabilities, extensions and versions of features",
    ),
    (
        "ValidateVersion",
        "capabilities, extensions and versions of features",
    ),
    ("BuiltIn", "built-ins"),
    (
        "ClspvReflection",
        "extended instruction sets: reflection of clspv",
    ),
    ("DebugInfo", "extended instruction sets: debug information"),
    ("Glsl", "extended instruction sets: GLSL.std.450"),
    ("OpenCLStd", "extended instruction sets: OpenCL.std"),
    ("ExtInst", "extended instruction sets"),
    ("NonSemantic", "extended instruction sets"),
    ("MemorySemantics", "memory model: scopes and semantics"),
    ("Barriers", "memory model: scopes and semantics"),
    ("Atomics", "atomics"),
    ("GroupNonUniform", "groups"),
    ("ValidateGroup", "groups"),
    ("Subgroup", "groups"),
    ("Layout", "layout of modules and blocks"),
    ("Adjacency", "layout of modules and blocks"),
    ("Mode", "entry points and execution modes"),
    ("EntryPoint", "entry points and execution modes"),
    ("CFG", "control flow"),
    ("SSA", "ids and dominance"),
    ("ValidateId", "ids and dominance"),
    ("Decoration", "decorations"),
    ("Interface", "interfaces"),
    ("Location", "interfaces"),
    ("ConstantOp", "constants"),
    ("Constant", "constants"),
    ("Image", "images"),
    ("Sampling", "images"),
    ("RayQuery", "ray tracing"),
    ("RayTracing", "ray tracing"),
    ("Mesh", "mesh shading and primitives"),
    ("Primitives", "mesh shading and primitives"),
    ("Pointer", "memory and pointers"),
    ("Memory", "memory and pointers"),
    ("Storage", "memory and pointers"),
    ("AccessChain", "memory and pointers"),
    ("Variable", "memory and pointers"),
    ("Function", "functions"),
    ("Type", "types"),
    ("Data", "types"),
    ("Small", "small types"),
    (
        "Arithmetic",
        "arithmetic, bits, comparisons, conversions, composites",
    ),
    (
        "Bit",
        "arithmetic, bits, comparisons, conversions, composites",
    ),
    (
        "Logicals",
        "arithmetic, bits, comparisons, conversions, composites",
    ),
    (
        "Conversion",
        "arithmetic, bits, comparisons, conversions, composites",
    ),
    (
        "Composite",
        "arithmetic, bits, comparisons, conversions, composites",
    ),
    (
        "Derivative",
        "arithmetic, bits, comparisons, conversions, composites",
    ),
    (
        "Dot",
        "arithmetic, bits, comparisons, conversions, composites",
    ),
    ("Limits", "universal limits"),
    ("Tensor", "tensors and graphs"),
    ("Graph", "tensors and graphs"),
];

/// Puts the table into a file, in the place of the one before.
pub(super) fn write(file: &Path, tests: &BTreeMap<String, Tally>, total: &Tally) -> Outcome {
    let text = fs::read_to_string(file)?;
    let parts = text
        .split_once(START)
        .and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = parts.ok_or("the file doesn't say where the table goes")?;
    let table = table(tests, total);
    fs::write(file, format!("{before}{START}\n{table}{END}{after}"))?;
    Ok(())
}

fn table(tests: &BTreeMap<String, Tally>, total: &Tally) -> String {
    let mut families: BTreeMap<&str, Tally> = BTreeMap::new();
    for (test, tally) in tests {
        families.entry(family(test)).or_default().add(tally);
    }
    let mut out = "\n| rules | cases | verdicts right | missed | false alarms | classes right |\n\
                   |---|---:|---:|---:|---:|---:|\n"
        .to_owned();
    let rows = families.iter().map(|(name, tally)| (*name, tally));
    for (name, tally) in rows.chain([("all", total)]) {
        let _ = writeln!(
            out,
            "| {name} | {} | {:.2} % | {} | {} | {:.2} % |",
            tally.cases,
            percent(tally.right(), tally.cases),
            tally.missed,
            tally.false_alarms,
            percent(tally.right_classes(), tally.invalid),
        );
    }
    out.push('\n');
    out
}

fn family(test: &str) -> &'static str {
    let known = FAMILIES.iter().find(|(part, _)| test.contains(part));
    known.map_or("other", |(_, family)| family)
}
