//! `spv dis`: from modules to text.

use clap::Args;
use spirvkit::binary::Module;
use spirvkit::diagnostics::{Source, visible};
use spirvkit::text::looks_like;
use spirvkit::{Diagnostic, DisassembleOptions, Indentation, words_from_bytes};

use crate::arguments::{ColorWhen, Files};
use crate::exit::{Ending, UsageError};
use crate::input::form::Form;
use crate::input::{Content, Inputs};
use crate::output::Destination;
use crate::report::{Messages, Reporter};
use crate::run::Run;

/// Disassemble binary modules to text
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    files: Files,

    /// Show ids as numbers instead of names
    #[arg(long)]
    raw_id: bool,

    /// Leave out the comments at the top that show the module's header
    #[arg(long)]
    no_header: bool,

    /// Don't indent instructions
    #[arg(long)]
    no_indent: bool,

    /// Indent blocks by their nesting in structured control flow
    #[arg(long)]
    nested_indent: bool,

    /// Order blocks by structured control flow
    #[arg(long)]
    reorder_blocks: bool,

    /// Show the byte offset of each instruction
    #[arg(long)]
    offsets: bool,

    /// Add comments: section headings, and decorations where ids are defined
    #[arg(long)]
    comment: bool,

    /// Write `OpUnknown` for instructions that are not known
    #[arg(long)]
    handle_unknown_opcodes: bool,

    /// Write whatever can't be decoded as numbers, so that it assembles to
    /// the same words
    #[arg(long)]
    lenient: bool,

    /// Explain operands after each instruction: types, values of constants,
    /// decorations
    #[arg(long)]
    annotate: bool,

    /// Show the shader's source lines, if the module contains them
    #[arg(long)]
    source: bool,

    /// Give up on an input after this many errors; 0 means no limit
    #[arg(long, value_name = "N", default_value_t = 1000)]
    max_errors: usize,

    /// When to colour the text, errors and warnings
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        overrides_with_all = ["color", "no_color"],
    )]
    color: ColorWhen,

    /// The same as `--color never`
    #[arg(long, hide = true, overrides_with_all = ["color", "no_color"])]
    no_color: bool,
}

const AFTER_HELP: &str = "\
An input may also be a module written as digits: words (`0x07230203, 0x00010000`),
bytes (`03 02 23 07`), the output of xxd, hexdump and od, or an array in C, Rust
and similar languages, as from `xxd -i` and `glslangValidator --vn`. The magic
number at the start shows which it is. All commands that read modules accept
these.

The module may be in either byte order. The text doesn't say which: `spv as`
writes little-endian modules unless --big-endian is given.

Directories are searched for .spv files; each output has the same relative path in
the directory that -o names.

Examples:
  spv dis shader.spv
  spv dis --raw-id --no-header shader.spv -o shader.spvasm
  spv dis --lenient damaged.spv
  spv dis shaders/ -o text/

Exit codes:
  0  all inputs were disassembled
  1  an input can't be decoded, or a file could not be read or written
  2  the command line is wrong";

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let files = &arguments.files;
    let inputs = Inputs::find(&files.inputs, &[Content::Module])?;
    let destination = files.destination(&inputs, Content::Text)?;
    let color = match (arguments.no_color, arguments.color) {
        (true, _) => ColorWhen::Never,
        (false, when) => when,
    };
    let color_text = match (color, &destination) {
        // What the terminal takes says nothing about a file.
        (ColorWhen::Auto, destination) if *destination != Destination::Stdout => false,
        _ => color.on_stdout(),
    };
    let options = options(arguments).color(color_text);
    let run = Run {
        inputs: &inputs,
        destination: &destination,
        reporter: Reporter::new(files.format, color.on_stderr()),
        jobs: files.jobs,
    };
    let is_headed = inputs.many && destination == Destination::Stdout;
    Ok(run.convert(&|name, bytes, messages| {
        let text = disassemble(name, bytes, &options, messages)?;
        Some(match is_headed {
            true => [heading(name).as_bytes(), &text].concat(),
            false => text,
        })
    }))
}

/// A comment that tells which of several texts follows.
fn heading(name: &str) -> String {
    format!("; {}\n", visible(name))
}

fn options(arguments: &Arguments) -> DisassembleOptions {
    DisassembleOptions::default()
        .friendly_names(!arguments.raw_id)
        .header(!arguments.no_header)
        .indentation(match arguments.no_indent {
            true => Indentation::None,
            false => Indentation::Column,
        })
        .nested_indentation(arguments.nested_indent)
        .reorder_blocks(arguments.reorder_blocks)
        .offsets(arguments.offsets)
        .comments(arguments.comment)
        .handle_unknown_opcodes(arguments.handle_unknown_opcodes)
        .lenient(arguments.lenient)
        .annotate(arguments.annotate)
        .source(arguments.source)
        .max_errors(arguments.max_errors)
}

/// Disassembles a module, given in binary form or as hexadecimal text, or adds
/// its errors to the messages.
pub(crate) fn disassemble(
    name: &str,
    bytes: Vec<u8>,
    options: &DisassembleOptions,
    messages: &mut Messages,
) -> Option<Vec<u8>> {
    let bytes = binary(name, bytes, messages)?;
    match spirvkit::disassemble_bytes(&bytes, options) {
        Ok(disassembled) => {
            messages.add_all(name, &disassembled.warnings);
            Some(disassembled.text.into_bytes())
        }
        Err(errors) => {
            let mut errors = errors.into_vec();
            if let Some(last) = errors.pop() {
                errors.push(with_advice(last, &bytes));
            }
            messages.add_all(name, &errors);
            None
        }
    }
}

/// The module in binary form, or whatever else the bytes are.
fn binary(name: &str, bytes: Vec<u8>, messages: &mut Messages) -> Option<Vec<u8>> {
    match Form::of(bytes) {
        Ok(Form::Binary(bytes)) => Some(bytes),
        Ok(Form::Text(text)) => match looks_like(text.as_bytes()) {
            Some(error) => {
                messages.add(&error, &Source::new(name, &text));
                None
            }
            None => Some(text.into_bytes()),
        },
        Err((error, text)) => {
            messages.add(&error, &Source::new(name, &text));
            None
        }
    }
}

/// Whether `--lenient` prints a module that has errors: there is a header to go by.
fn lenience_helps(bytes: &[u8]) -> bool {
    words_from_bytes(bytes).is_ok_and(|(words, _)| Module::new(&words).is_ok())
}

/// Adds to a module's last error what helps with it.
fn with_advice(error: Diagnostic, bytes: &[u8]) -> Diagnostic {
    let is_text = |text: &str| !text.trim().is_empty() && !text.contains('\0');
    if error.help().is_some() {
        error
    } else if lenience_helps(bytes) {
        error.with_help("`spv dis --lenient` prints everything, even what can't be decoded")
    } else if std::str::from_utf8(bytes).is_ok_and(is_text) {
        error.with_help("if this is assembly text, `spv as` converts it to a module")
    } else {
        error
    }
}
