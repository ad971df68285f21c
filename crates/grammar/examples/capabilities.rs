//! Lists what makes an instruction available, and what its operands are:
//!
//! ```text
//! cargo run -p spirvkit-grammar --example capabilities -- OpImageFetch OpCopyLogical
//! ```

use std::process::ExitCode;

use spirvkit_grammar::{InstructionInfo, Op, Quantifier};

fn main() -> ExitCode {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = vec!["OpImageFetch".to_owned(), "OpCopyLogical".to_owned()];
    }
    for name in names {
        // With or without the `Op`.
        let op = Op::from_name(&name).or_else(|| Op::from_bare_name(&name));
        let Some(info) = op.and_then(Op::info) else {
            eprintln!("{name}: no such instruction");
            return ExitCode::FAILURE;
        };
        describe(info);
    }
    ExitCode::SUCCESS
}

fn describe(info: &InstructionInfo) {
    println!("{} (opcode {})", info.name(), info.number());
    let availability = info.availability();
    match (availability.since(), availability.until()) {
        (Some(since), Some(until)) => println!("  versions: {since} to {until}"),
        (Some(since), None) => println!("  versions: {since} and later"),
        _ => println!("  versions: none; an extension adds it"),
    }
    for capability in availability.capabilities() {
        println!("  enabled by the capability {capability}");
    }
    for extension in availability.extensions() {
        println!("  added by the extension {extension}");
    }
    for operand in info.operands() {
        let times = match operand.quantifier() {
            Quantifier::One => "",
            Quantifier::Optional => " (optional)",
            Quantifier::Many => " (any number)",
        };
        println!(
            "  operand {}{times}: {}",
            operand.kind().name(),
            operand.name()
        );
    }
}
