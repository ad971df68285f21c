//! The assembler and the disassembler against recorded runs of the reference
//! tools: JSON lines, one case a line, compressed with zstd or not.

use std::io::BufRead;
use std::path::Path;

use serde::Deserialize;
use spirvkit::{
    AssembleOptions, DisassembleOptions, Endianness, IdNumbering, Indentation, TargetEnv, assemble,
    bytes_from_words, disassemble_bytes,
};

use super::records::{open, words};
use crate::Outcome;

/// A recorded run of the assembler (`as`) or the disassembler (`dis`).
#[derive(Deserialize)]
struct Case {
    kind: String,
    test: String,
    env: String,
    options: u32,
    result: String,
    text: String,
    words: String,
}

// The bits of a case's options.
const PRESERVE_NUMERIC_IDS: u32 = 2;
const COLOR: u32 = 4;
const INDENT: u32 = 8;
const OFFSETS: u32 = 16;
const NO_HEADER: u32 = 32;
const FRIENDLY_NAMES: u32 = 64;
const COMMENT: u32 = 128;
const NESTED_INDENT: u32 = 256;
const REORDER_BLOCKS: u32 = 512;
const HANDLE_UNKNOWN_OPCODES: u32 = 1024;

/// Runs all cases and shows the first `show` that differ.
pub(super) fn run(records: &Path, show: usize) -> Outcome {
    let (mut passed, mut failed) = (0, 0);
    for line in open(records)?.lines() {
        let case: Case = serde_json::from_str(&line?)?;
        match check(&case) {
            Ok(()) => passed += 1,
            Err(difference) => {
                failed += 1;
                if failed <= show {
                    println!(
                        "{} {} (options {}): {difference}\n",
                        case.kind, case.test, case.options
                    );
                }
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    match failed {
        0 => Ok(()),
        _ => Err(format!("{failed} cases differ from the record").into()),
    }
}

fn check(case: &Case) -> Result<(), String> {
    match case.kind.as_str() {
        "as" => check_assembler(case),
        "dis" => check_disassembler(case),
        other => Err(format!("kind {other} is not known")),
    }
}

fn check_assembler(case: &Case) -> Result<(), String> {
    let env: TargetEnv = case
        .env
        .parse()
        .map_err(|_| format!("environment {} is not known", case.env))?;
    let numbering = match case.options & PRESERVE_NUMERIC_IDS {
        0 => IdNumbering::Renumber,
        _ => IdNumbering::Preserve,
    };
    // The recorded runs took the version from the environment alone.
    let options = AssembleOptions::default()
        .numbering(numbering)
        .target(Some(env.version()))
        .header_comments(false);
    match (assemble(&case.text, &options), case.result == "success") {
        (Err(_), false) => Ok(()),
        (Ok(_), false) => Err(format!(
            "assembles, but the record says {}\n{}",
            case.result, case.text
        )),
        (Err(errors), true) => {
            let messages: Vec<&str> = errors.iter().map(|error| error.message()).collect();
            Err(format!("{}\n{}", messages.join("\n"), case.text))
        }
        (Ok(module), true) => {
            let (mut ours, mut theirs) = (module.words, words(&case.words)?);
            for words in [&mut ours, &mut theirs] {
                // The generator is the tool's own.
                if let Some(generator) = words.get_mut(2) {
                    *generator = 0;
                }
            }
            // Some records hold the instructions only.
            if ours == theirs || ours.get(5..) == Some(&theirs) {
                return Ok(());
            }
            Err(format!(
                "{}\nours   {ours:08x?}\ntheirs {theirs:08x?}",
                case.text
            ))
        }
    }
}

fn check_disassembler(case: &Case) -> Result<(), String> {
    let has = |bit: u32| case.options & bit != 0;
    let indentation = if has(INDENT) {
        Indentation::Column
    } else {
        Indentation::None
    };
    let options = DisassembleOptions::default()
        .header(!has(NO_HEADER))
        .friendly_names(has(FRIENDLY_NAMES))
        .indentation(indentation)
        .color(has(COLOR))
        .offsets(has(OFFSETS))
        .comments(has(COMMENT))
        .nested_indentation(has(NESTED_INDENT))
        .reorder_blocks(has(REORDER_BLOCKS))
        .handle_unknown_opcodes(has(HANDLE_UNKNOWN_OPCODES));
    // Some records hold modules of the other byte order.
    let bytes = bytes_from_words(&words(&case.words)?, Endianness::Little);
    match (
        disassemble_bytes(&bytes, &options),
        case.result == "success",
    ) {
        (Err(_), false) => Ok(()),
        (Ok(_), false) => Err(format!(
            "disassembles, but the record says {}\n{}",
            case.result, case.words
        )),
        (Err(errors), true) => {
            let messages: Vec<&str> = errors.iter().map(|error| error.message()).collect();
            Err(format!("{}\n{}", messages.join("\n"), case.text))
        }
        (Ok(ours), true) if ours.text == case.text => Ok(()),
        (Ok(ours), true) => Err(format!("ours\n{}\ntheirs\n{}", ours.text, case.text)),
    }
}
