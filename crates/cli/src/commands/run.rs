//! `spv run`: running compute shaders.

mod arguments;

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use serde_json::{Value, json};
use spirvkit::Diagnostic;
use spirvkit::diagnostics::{Severity, Source, render};
use spirvkit::interp::{MAX_STEPS, Outcome, Run};
use spirvkit::ir::Module;
use spirvkit::transform::spec_constants;

use crate::arguments::{ColorWhen, Single};
use crate::change::constants::{bad_value, bits, find, setting};
use crate::exit::{Ending, UsageError};
use crate::look::{Looked, look};
use crate::report::{Format, Messages, Reporter, read_error, stream};
use arguments::{Binding, Contents, Numbers, Print};

/// Run a compute shader, without a GPU, and report what goes wrong
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Single,

    /// The entry point [default: the only one]
    #[arg(long, value_name = "NAME")]
    entry_point: Option<String>,

    /// How many workgroups to run, in each dimension
    #[arg(long, value_name = "X[,Y[,Z]]", default_value = "1", value_parser = arguments::groups)]
    dispatch: [u32; 3],

    /// Bind a buffer: CONTENTS is zeros:BYTES, numbers as f32:1,2.5, or a file
    #[arg(long, value_name = "SET:BINDING=CONTENTS", value_parser = arguments::binding)]
    bind: Vec<(Binding, Contents)>,

    /// Append numbers to the push constants
    #[arg(long, value_name = "TYPE:NUMBERS", value_parser = arguments::numbers)]
    push: Vec<Numbers>,

    /// Set a specialization constant: CONSTANT is a SpecId or a name; VALUE is a number
    /// as in assembly text, true or false
    #[arg(long, value_name = "CONSTANT=VALUE", value_parser = setting)]
    spec: Vec<(String, String)>,

    /// Show numbers of a buffer after the run, such as 0:1:f32 or 0:1:u32[0..8]
    #[arg(long, value_name = "SET:BINDING:TYPE[RANGE]", value_parser = arguments::print)]
    print: Vec<Print>,

    /// The number of invocations in a subgroup: 4, 8, 16, 32 or 64
    #[arg(long, value_name = "N", default_value = "32")]
    subgroup_size: u32,

    /// End the run after this many instructions of subgroups
    #[arg(long, value_name = "N", default_value_t = MAX_STEPS)]
    max_steps: u64,

    /// The format of the output and of findings
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    /// When to colour findings
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,
}

const AFTER_HELP: &str = "\
The types of numbers are u8, i8, u16, i16, u32, i32, u64, i64, f16, f32 and f64.
They are given as in assembly text (0x10, 1.5), or as inf, -inf or NaN. Files are
taken as they are, byte by byte.

Accesses out of bounds, divisions by zero, barriers that not all invocations reach
and the like are reported with the instruction and the invocation; `spv explain`
explains each. What can't be run yet is refused before anything is run.

Examples:
  spv run double.spvasm --bind 0:0=f32:1,2,3,4 --print 0:0:f32
  spv run saxpy.spv --bind 0:0=x.bin --bind 0:1=zeros:4096 --push f32:2.0 \\
      --dispatch 16 --print 0:1:f32[0..8]

Exit codes:
  0  success, perhaps with warnings
  1  the input has errors, could not be read or run, or running it shows an error
  2  the command line is wrong";

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let reporter = Reporter::new(arguments.format, arguments.color.on_stderr());
    look(
        arguments.input.input.as_ref(),
        reporter,
        |looked, messages| {
            let Some(run) = prepared(arguments, looked, messages) else {
                return Ok(());
            };
            let (findings, outcome) = match run.dispatch(arguments.dispatch) {
                Ok(outcome) => (outcome.findings.clone(), Some(outcome)),
                Err(errors) => (errors.into_vec(), None),
            };
            let findings = in_place(looked, findings);
            let text = looked.text.map_or("", |text| text.0.as_str());
            let source = Source::new(looked.name, text);
            match arguments.format {
                Format::Human => {
                    findings
                        .iter()
                        .for_each(|found| messages.add(found, &source));
                    if let Some(outcome) = &outcome {
                        let shown = shown(arguments, outcome);
                        stream(messages, |out| out.write_all(shown.as_bytes()));
                    }
                }
                Format::Json => {
                    let document = document(arguments, looked, &findings, outcome.as_ref());
                    stream(messages, |out| writeln!(out, "{document}"));
                    let has_error = findings
                        .iter()
                        .any(|found| found.severity() == Severity::Error);
                    if has_error {
                        messages.fail();
                    }
                }
            }
            Ok(())
        },
    )
}

/// The run that the arguments describe, or what is wrong with them.
fn prepared<'a>(
    arguments: &Arguments,
    looked: &'a Looked<'_>,
    messages: &mut Messages,
) -> Option<Run<'a>> {
    let mut run = Run::new(looked.module.words())
        .subgroup_size(arguments.subgroup_size)
        .max_steps(arguments.max_steps);
    if let Some(name) = &arguments.entry_point {
        run = run.entry(name);
    }
    for (spec_id, bits) in constants(arguments, looked, messages)? {
        run = run.spec(spec_id, bits);
    }
    let mut buffers: BTreeMap<Binding, Vec<u8>> = BTreeMap::new();
    for (binding, contents) in &arguments.bind {
        let bytes = match contents {
            Contents::Zeros(bytes) => {
                let mut zeros = Vec::new();
                if zeros.try_reserve_exact(*bytes).is_err() {
                    let error = std::io::Error::from(std::io::ErrorKind::OutOfMemory);
                    messages.add_of(&format!("zeros:{bytes}"), &read_error(&error));
                    return None;
                }
                zeros.resize(*bytes, 0);
                zeros
            }
            Contents::Numbers(numbers) => numbers.bytes.clone(),
            Contents::File(path) => match read(path) {
                Ok(bytes) => bytes,
                Err(error) => {
                    messages.add_of(&path.to_string_lossy(), &error);
                    return None;
                }
            },
        };
        buffers.insert(*binding, bytes);
    }
    for (binding, bytes) in buffers {
        run = run.storage(binding.set, binding.binding, &bytes);
    }
    let push: Vec<u8> = arguments
        .push
        .iter()
        .flat_map(|numbers| &numbers.bytes)
        .copied()
        .collect();
    Some(run.push(&push))
}

/// The specialization constants that are to be set, by their SpecIds, and the bits of their
/// values; nothing if one can't be.
fn constants(
    arguments: &Arguments,
    looked: &Looked<'_>,
    messages: &mut Messages,
) -> Option<Vec<(u32, u64)>> {
    if arguments.spec.is_empty() {
        return Some(Vec::new());
    }
    let module = Module::load(looked.module.words());
    let module = module.map_err(|error| messages.add_binary_error(looked.name, &error));
    let module = module.ok()?;
    let known = spec_constants(&module);
    let mut wanted = Vec::new();
    let mut wrong = Vec::new();
    for (constant, value) in &arguments.spec {
        for found in find(&module, &known, constant, &mut wrong) {
            match (found.spec_id, bits(&module, found, value)) {
                (Some(spec_id), Ok(bits)) => wanted.push((spec_id, bits)),
                (None, _) => wrong.push(bad_value(constant, "it has no SpecId")),
                (_, Err(message)) => wrong.push(bad_value(constant, &message)),
            }
        }
    }
    messages.add_all(looked.name, &wrong);
    wrong.is_empty().then_some(wanted)
}

fn read(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    std::fs::read(path).map_err(|error| read_error(&error))
}

/// The findings with their places in the text, if the module was given as one.
fn in_place(looked: &Looked<'_>, findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    match looked.text {
        Some((text, origins)) => spirvkit::located(text, origins, findings),
        None => spirvkit::quoted(looked.module.words(), findings),
    }
}

/// What is to be printed of the buffers, a line each.
fn shown(arguments: &Arguments, outcome: &Outcome) -> String {
    let mut shown = String::new();
    for print in &arguments.print {
        let numbers = print.numbers(outcome);
        shown.push_str(&format!("{}: {}\n", print.binding, numbers.join(" ")));
    }
    shown
}

fn document(
    arguments: &Arguments,
    looked: &Looked<'_>,
    findings: &[Diagnostic],
    outcome: Option<&Outcome>,
) -> Value {
    let text = looked.text.map(|text| Source::new(looked.name, &text.0));
    let has_run = outcome.is_some();
    let report = render::report(looked.name, has_run, findings, text.as_ref());
    let report: Value = serde_json::from_str(&report).unwrap_or_default();
    let printed = outcome.map(|outcome| {
        let prints = arguments.print.iter();
        let all: Vec<Value> = prints
            .map(|print| {
                json!({
                    "set": print.binding.set,
                    "binding": print.binding.binding,
                    "type": print.ty.name,
                    "numbers": print.values(outcome),
                })
            })
            .collect();
        all
    });
    json!({
        "file": report["file"],
        "ran": has_run,
        "steps": outcome.map(|outcome| outcome.steps),
        "findings": report["diagnostics"],
        "printed": printed,
    })
}
