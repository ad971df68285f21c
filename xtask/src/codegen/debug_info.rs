//! Writing the schema of debugging instructions for `crates/grammar`: which fields
//! each has in each of the three sets, and where.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::emit::{Output, sealed, words_of};
use super::registry::{Grammar, Instruction, Operand, Registry};

/// Where the schema is committed, from the root of the repository.
pub(super) const SCHEMA: &str = "crates/grammar/src/debug_info/generated.rs";

/// The sets in the order of `Set`, the newest last. Of the last one, every older
/// version is a part.
const SETS: [&str; 3] = ["DebugInfo", "OpenClDebugInfo100", "ShaderDebugInfo"];

/// What the sets' grammars call the same thing by different names, or different
/// things by the same: instruction (or all), name there, name here.
const RENAMED: &[(&str, &str, &str)] = &[
    ("", "Literal Flags", "Flags"),
    ("", "Paramter Types", "Parameter Types"),
    ("", "Inlined", "Inlined At"),
    ("", "Value, Name, Value, Name, ...", "Enumerators"),
    ("DebugLexicalBlockDiscriminator", "Scope", "Source"),
    ("DebugInlinedVariable", "Variable", "Local Variable"),
    ("DebugExpression", "Operands ...", "Operations"),
    ("DebugBuildIdentifier", "Flags", "Identifier Flags"),
    ("DebugTypeInheritance", "Parent", "Base Class"),
    ("DebugTypePtrToMember", "Parent", "Class"),
    ("DebugFunctionDefinition", "Function", "Debug Function"),
    (
        "DebugTypeVectorIdEXT",
        "Component Count",
        "Component Count Id",
    ),
];

/// An operand that the grammar of the first set has lost: the specification's
/// section 4.7 has it.
const LOST: (&str, &str, &str) = ("DebugInfo", "DebugValue", "Local Variable");

struct Slot<'r> {
    field: String,
    operand: &'r Operand,
}

impl Slot<'_> {
    fn is_literal(&self) -> bool {
        !matches!(self.operand.kind.as_str(), "IdRef" | "PairIdRefIdRef")
    }
}

/// The rows of all instructions by number, with one for each set.
type Rows<'r> = BTreeMap<u16, (&'r str, [Option<Vec<Slot<'r>>>; 3])>;

pub(super) fn file(registry: &Registry) -> Result<Output, String> {
    let mut rows = Rows::new();
    let mut grammars = Vec::new();
    for (index, ident) in SETS.into_iter().enumerate() {
        let grammar = registry.sets.iter().find(|(name, _)| name.ident == ident);
        let (_, grammar) = grammar.ok_or_else(|| format!("there is no set {ident}"))?;
        grammars.push(grammar);
        for instruction in &grammar.instructions {
            let row = rows
                .entry(instruction.opcode)
                .or_insert((&instruction.name, [None, None, None]));
            if row.0 != instruction.name {
                return Err(format!(
                    "{} and {} have the same number",
                    row.0, instruction.name
                ));
            }
            row.1[index] = Some(slots(ident, instruction));
        }
    }
    Ok((SCHEMA.to_owned(), sealed(&text(&rows, &grammars))))
}

fn slots<'r>(set: &str, instruction: &'r Instruction) -> Vec<Slot<'r>> {
    let mut slots = Vec::new();
    for operand in &instruction.operands {
        if slots.is_empty() && (set, instruction.name.as_str()) == (LOST.0, LOST.1) {
            // Its kind is that of any other operand of the instruction: an id.
            slots.push(Slot {
                field: camel(LOST.2),
                operand,
            });
        }
        let name = operand.name.trim_matches('\'').replace("', '", ", ");
        let renamed = RENAMED
            .iter()
            .find(|(of, from, _)| (of.is_empty() || *of == instruction.name) && *from == name);
        let name = renamed.map_or(name.as_str(), |(_, _, to)| to);
        slots.push(Slot {
            field: camel(name),
            operand,
        });
    }
    slots
}

/// `DWARF Version` as `DwarfVersion`.
fn camel(name: &str) -> String {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words = parts.flat_map(words_of);
    words
        .map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|c| c.to_ascii_uppercase());
            first
                .into_iter()
                .chain(letters.map(|c| c.to_ascii_lowercase()))
                .collect::<String>()
        })
        .collect()
}

/// The enumeration that names a field's values: said by the sets that write it as a
/// literal.
fn enumeration(row: &[Option<Vec<Slot<'_>>>; 3], field: &str) -> Option<String> {
    let mut slots = row.iter().flatten().flatten();
    let named = slots.find(|slot| {
        slot.field == field && slot.is_literal() && slot.operand.kind != "LiteralInteger"
    });
    named.map(|slot| slot.operand.kind.clone())
}

/// The name of the operand kind of an enumeration in a set, which may have its own.
fn kind_in(set: &str, grammar: &Grammar, kind: &str) -> String {
    match grammar.operand_kinds.iter().any(|own| own.kind == kind) {
        true => format!("{set}{kind}"),
        false => kind.to_owned(),
    }
}

fn text(rows: &Rows<'_>, grammars: &[&Grammar]) -> String {
    let mut out = String::from(
        "\nuse super::Slot;\nuse crate::OperandKind;\nuse crate::Quantifier::{Many, One, Optional};\n",
    );
    out.push_str("\n/// An instruction of the sets for debug information, whichever of them it is in.\n#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[non_exhaustive]\npub enum Kind {\n");
    for (name, _) in rows.values() {
        writeln!(out, "    /// `{name}`.\n    {},", kind_ident(name)).unwrap();
    }
    out.push_str("}\n\nimpl Kind {\n    /// All of them, by number.\n    pub const ALL: &'static [Self] = &[\n");
    for (name, _) in rows.values() {
        writeln!(out, "        Self::{},", kind_ident(name)).unwrap();
    }
    out.push_str("    ];\n}\n\n/// The number of each kind in the sets that have it.\npub(crate) const NUMBERS: &[u32] = &[\n");
    for number in rows.keys() {
        writeln!(out, "    {number},").unwrap();
    }
    out.push_str("];\n\n/// The name of each kind.\npub(crate) const NAMES: &[&str] = &[\n");
    for (name, _) in rows.values() {
        writeln!(out, "    \"{name}\",").unwrap();
    }
    out.push_str("];\n");

    let slots = || {
        rows.values()
            .flat_map(|(_, row)| row.iter().flatten().flatten())
    };
    let fields: BTreeSet<&str> = slots().map(|slot| slot.field.as_str()).collect();
    let numbers: BTreeSet<&str> = slots()
        .filter(|slot| slot.is_literal())
        .map(|slot| slot.field.as_str())
        .collect();
    out.push_str("\n/// What an operand of a debugging instruction is, whichever set it is in.\n#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[non_exhaustive]\npub enum Field {\n");
    for field in &fields {
        let words = words_of(field).join(" ").to_lowercase();
        writeln!(out, "    /// The {words}.\n    {field},").unwrap();
    }
    out.push_str("}\n\n/// The names of the fields.\npub(crate) const FIELD_NAMES: &[&str] = &[\n");
    for field in &fields {
        writeln!(out, "    \"{}\",", words_of(field).join(" ")).unwrap();
    }
    out.push_str("];\n\n/// Fields that some set writes as literals, so that others write them as constants.\npub(crate) const IS_NUMBER: &[bool] = &[\n");
    for field in &fields {
        writeln!(out, "    {},", numbers.contains(field)).unwrap();
    }
    out.push_str("];\n");

    for ((index, set), grammar) in SETS.into_iter().enumerate().zip(grammars) {
        writeln!(out, "\n/// The operands of each kind in `{set}`.\npub(crate) const {}: &[Option<&[Slot]>] = &[", words_of(set).join("_").to_uppercase()).unwrap();
        for (_, row) in rows.values() {
            match &row[index] {
                None => out.push_str("    None,\n"),
                Some(slots) => {
                    out.push_str("    Some(&[\n");
                    for slot in slots {
                        let literal = slot.is_literal();
                        let quantifier = match slot.operand.quantifier.as_deref() {
                            None => "One",
                            Some("?") => "Optional",
                            Some(_) => "Many",
                        };
                        let values = match enumeration(row, &slot.field) {
                            Some(kind) => {
                                format!("Some(OperandKind::{})", kind_in(set, grammar, &kind))
                            }
                            None => "None".to_owned(),
                        };
                        writeln!(
                            out,
                            "        Slot::new(Field::{}, {literal}, {quantifier}, {values}),",
                            slot.field
                        )
                        .unwrap();
                    }
                    out.push_str("    ]),\n");
                }
            }
        }
        out.push_str("];\n");
    }
    out
}

/// `DebugTypeBasic` as `TypeBasic`.
fn kind_ident(name: &str) -> &str {
    name.strip_prefix("Debug").unwrap_or(name)
}
