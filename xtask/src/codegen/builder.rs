//! Writing the typed calls of the builder in `crates/ir`: a method an opcode, and for
//! its tests a function that calls each of them with the operands of an instruction.

use std::fmt::Write as _;

use super::emit::{Output, availability_text, ident, sealed, words_of};
use super::registry::{Grammar, Instruction, Operand, OperandKind};

/// Where the methods are committed, from the root of the repository.
pub(super) const METHODS: &str = "crates/ir/src/builder/generated.rs";

/// Where the function for the tests is committed.
pub(super) const DISPATCH: &str = "crates/ir/tests/rebuild/generated.rs";

/// Opcodes whose methods are written by hand: they begin or end something, are there
/// once, or have operands whose form depends on other instructions.
const BY_HAND: &[&str] = &[
    "OpCapability",
    "OpConstant",
    "OpExtInst",
    "OpExtInstImport",
    "OpExtInstWithForwardRefsKHR",
    "OpExtension",
    "OpFunction",
    "OpFunctionEnd",
    "OpFunctionParameter",
    "OpLabel",
    "OpLine",
    "OpMemoryModel",
    "OpNoLine",
    "OpSpecConstant",
    "OpSpecConstantOp",
    "OpSwitch",
    "OpTypeStruct",
];

const KEYWORDS: &[&str] = &["return", "type", "const", "match", "ref", "use", "where"];

/// Both files.
pub(super) fn files(core: &Grammar) -> Result<[Output; 2], String> {
    let mut methods = String::from(
        "#![allow(clippy::too_many_arguments)]\n\nuse spirvkit_binary::Id;\nuse spirvkit_grammar::*;\n\nuse super::Builder;\nuse super::operand::Arg;\n\nimpl Builder {\n",
    );
    let mut dispatch = String::from(
        "use spirvkit_binary::Id;\nuse spirvkit_grammar::*;\nuse spirvkit_ir::builder::Builder;\n\nuse super::Arguments;\n\n/// Calls the method of an opcode with the operands of an instruction; `None` if there\n/// is no such method, `Some(None)` if it has no result.\npub(crate) fn call(b: &mut Builder, op: Op, a: &mut Arguments<'_>) -> Option<Option<Id>> {\n    match op {\n",
    );
    for instruction in &core.instructions {
        if BY_HAND.contains(&instruction.name.as_str()) {
            continue;
        }
        let method = Method::new(core, instruction)?;
        method.write(&mut methods, &heading(core, instruction));
        method.write_call(&mut dispatch);
    }
    methods.push_str("}\n");
    dispatch.push_str("        _ => None,\n    }\n}\n");
    Ok([
        (METHODS.to_owned(), sealed(&methods)),
        (DISPATCH.to_owned(), sealed(&dispatch)),
    ])
}

/// The heading of the section that an instruction is in.
fn heading(core: &Grammar, instruction: &Instruction) -> String {
    let class = core
        .instruction_printing_class
        .iter()
        .find(|class| Some(&class.tag) == instruction.class.as_ref());
    class
        .and_then(|class| class.heading.clone())
        .unwrap_or_else(|| "left out of the specification".to_owned())
}

/// How an operand is passed to a method, and made words of.
struct Parameter {
    name: String,
    /// The parameters in Rust: one, or two where an enumerant has its own.
    declaration: String,
    /// Its single word, if it is always that.
    word: Option<String>,
    /// The expression for an argument.
    arg: String,
    /// What the tests pass.
    call: String,
}

struct Method<'a> {
    instruction: &'a Instruction,
    name: String,
    parameters: Vec<Parameter>,
    has_type: bool,
    has_result: bool,
}

impl<'a> Method<'a> {
    fn new(core: &Grammar, instruction: &'a Instruction) -> Result<Self, String> {
        let kinds: Vec<&str> = instruction
            .operands
            .iter()
            .map(|operand| operand.kind.as_str())
            .collect();
        let has_type = kinds.first() == Some(&"IdResultType");
        let has_result = kinds.get(usize::from(has_type)) == Some(&"IdResult");
        let skipped = usize::from(has_type) + usize::from(has_result);
        let mut parameters: Vec<Parameter> = Vec::new();
        for operand in &instruction.operands[skipped..] {
            let mut name = parameter_name(operand);
            let mut number = 2;
            while parameters.iter().any(|other| other.name == name) {
                name = format!("{}_{number}", parameter_name(operand));
                number += 1;
            }
            let parameter = parameter(core, operand, name)
                .map_err(|error| format!("{}: {error}", instruction.name))?;
            parameters.push(parameter);
        }
        Ok(Self {
            instruction,
            name: identifier(instruction.name.trim_start_matches("Op")),
            parameters,
            has_type,
            has_result,
        })
    }

    fn write(&self, text: &mut String, heading: &str) {
        let name = &self.instruction.name;
        let available = availability_text(&self.instruction.availability);
        let colon = if available.is_empty() { "" } else { ": " };
        let bare = ident("Op", name.trim_start_matches("Op"));
        let mut declarations = String::new();
        if self.has_type {
            declarations.push_str(", result_type: Id");
        }
        for parameter in &self.parameters {
            write!(declarations, ", {}", parameter.declaration).unwrap();
        }
        let ty = match self.has_type {
            true => "Some(result_type)",
            false => "None",
        };
        let words: Option<Vec<&str>> = self
            .parameters
            .iter()
            .map(|parameter| parameter.word.as_deref())
            .collect();
        let call = match words {
            Some(words) => format!("self.emit_words(Op::{bare}, {ty}, &[{}])", words.join(", ")),
            None => {
                let args: Vec<&str> = self.parameters.iter().map(|each| &*each.arg).collect();
                format!("self.emit(Op::{bare}, {ty}, &[{}])", args.join(", "))
            }
        };
        writeln!(text, "    /// `{name}` ({heading}){colon}{available}.").unwrap();
        let (result, end) = match self.has_result {
            true => (" -> Id", ""),
            false => ("", ";"),
        };
        writeln!(
            text,
            "    pub fn {}(&mut self{declarations}){result} {{ {call}{end} }}\n",
            self.name
        )
        .unwrap();
    }

    fn write_call(&self, text: &mut String) {
        let bare = ident("Op", self.instruction.name.trim_start_matches("Op"));
        let mut calls: Vec<&str> = Vec::new();
        if self.has_type {
            calls.push("a.result_type()");
        }
        calls.extend(self.parameters.iter().map(|each| &*each.call));
        let call = format!("b.{}({})", self.name, calls.join(", "));
        let call = match self.has_result {
            true => format!("Some(Some({call}))"),
            false => format!("{{ {call}; Some(None) }}"),
        };
        writeln!(text, "        Op::{bare} => {call},").unwrap();
    }
}

/// The operand's name in the grammar, or its kind's, as an identifier.
fn parameter_name(operand: &Operand) -> String {
    let list = operand.quantifier.as_deref() == Some("*");
    match operand.kind.as_str() {
        "PairIdRefIdRef" => return "pairs".to_owned(),
        "PairIdRefLiteralInteger" => return "members".to_owned(),
        _ => {}
    }
    let name = match operand.name.split_once(',') {
        // "Operand 1, Operand 2, ..." are `operands`.
        Some((first, _)) if list => {
            let bare: String = first.chars().filter(|c| !c.is_ascii_digit()).collect();
            format!("{}s", bare.trim())
        }
        _ => operand.name.clone(),
    };
    let plain: String = name
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == ' ')
        .collect();
    let words: Vec<String> = plain
        .split_whitespace()
        .take(6)
        .map(|word| words_of(word).join("_").to_lowercase())
        .collect();
    match words.is_empty() {
        true => identifier(&operand.kind),
        false => escaped(words.join("_")),
    }
}

/// `FOrdLessThan` as `f_ord_less_than`.
fn identifier(name: &str) -> String {
    escaped(words_of(name).join("_").to_lowercase())
}

fn escaped(name: String) -> String {
    match KEYWORDS.contains(&name.as_str()) {
        true => format!("{name}_"),
        false => name,
    }
}

fn parameter(core: &Grammar, operand: &Operand, name: String) -> Result<Parameter, String> {
    let kind = find_kind(core, &operand.kind)?;
    let quantifier = operand.quantifier.as_deref().unwrap_or("");
    let one = |ty: &str, word: String, call: &str| Parameter {
        declaration: format!("{name}: {ty}"),
        arg: format!("Arg::Word({word})"),
        word: Some(word),
        call: call.to_owned(),
        name: name.clone(),
    };
    let other = |ty: &str, arg: &str, call: &str| Parameter {
        declaration: format!("{name}: {ty}"),
        arg: arg.replace('@', &name),
        word: None,
        call: call.to_owned(),
        name: name.clone(),
    };
    let enumerant = kind.kind.as_str();
    let has_parameters = kind
        .enumerants
        .iter()
        .any(|enumerant| !enumerant.parameters.is_empty());
    Ok(match (kind.category.as_str(), enumerant, quantifier) {
        ("Id", _, "") => one("Id", format!("{name}.0"), "a.id()"),
        ("Id", _, "?") => other("Option<Id>", "Arg::id(@)", "a.optional().map(Id)"),
        ("Id", _, "*") => other("&[Id]", "Arg::Ids(@)", "&a.ids()"),
        ("ValueEnum" | "BitEnum", _, "*") => other("&[u32]", "Arg::Words(@)", "a.words()"),
        ("ValueEnum" | "BitEnum", _, "") if has_parameters => Parameter {
            declaration: format!("{name}: {enumerant}, {name}_parameters: &[u32]"),
            arg: format!("Arg::WithParameters({name}.0, {name}_parameters)"),
            word: None,
            call: format!("{enumerant}(a.peek()), a.parameters(OperandKind::{enumerant})"),
            name,
        },
        ("ValueEnum" | "BitEnum", _, "") => one(
            enumerant,
            format!("{name}.0"),
            &format!("{enumerant}(a.word())"),
        ),
        ("ValueEnum" | "BitEnum", _, "?") if has_parameters => other(
            &format!("Option<({enumerant}, &[u32])>"),
            "Arg::with_parameters(@.map(|(value, parameters)| (value.0, parameters)))",
            &format!(
                "a.with_parameters(OperandKind::{enumerant}).map(|(value, parameters)| ({enumerant}(value), parameters))"
            ),
        ),
        ("ValueEnum" | "BitEnum", _, "?") => other(
            &format!("Option<{enumerant}>"),
            "Arg::optional(@.map(|value| value.0))",
            &format!("a.optional().map({enumerant})"),
        ),
        (_, "LiteralInteger", "") => one("u32", name.clone(), "a.word()"),
        (_, "LiteralInteger", "*") => other("&[u32]", "Arg::Words(@)", "a.words()"),
        (_, "LiteralString", "") => other("&str", "Arg::Text(@)", "&a.text()"),
        (_, "LiteralString", "?") => other(
            "Option<&str>",
            "@.map_or(Arg::Nothing, Arg::Text)",
            "a.optional_text().as_deref()",
        ),
        (_, "PairIdRefIdRef", "*") => other("&[(Id, Id)]", "Arg::Pairs(@)", "&a.pairs()"),
        (_, "PairIdRefLiteralInteger", "*") => {
            other("&[(Id, u32)]", "Arg::Members(@)", "&a.members()")
        }
        _ => return Err(format!("no parameter is known for {enumerant}{quantifier}")),
    })
}

fn find_kind<'a>(core: &'a Grammar, name: &str) -> Result<&'a OperandKind, String> {
    let found = core.operand_kinds.iter().find(|kind| kind.kind == name);
    found.ok_or_else(|| format!("operand kind {name} is not defined"))
}
