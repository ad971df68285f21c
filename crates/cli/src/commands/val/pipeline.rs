//! `spv val --pipeline`: stages that are to fit together.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use spirvkit::analysis::ModuleIndex;
use spirvkit::binary::Id;
use spirvkit::diagnostics::{counted, render};
use spirvkit::ir::Module;
use spirvkit::transform::spec_constants;
use spirvkit::vulkan::{PipelineLayout, ShaderStages};
use spirvkit::{
    Diagnostic, PipelineStage, Report, TargetEnv, ValidateOptions, validate_pipeline, words,
};

use super::matrix::{self, Row};
use super::{Arguments, Check, Format, sarif_start};
use crate::change::constants::{bad_value, bits, find, setting};
use crate::exit::{Ending, UsageError};
use crate::input::form::Form;
use crate::input::{Input, Inputs};
use crate::report::{deliver, read_error};

/// What makes a pipeline of the inputs.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Pipelines")]
pub(super) struct PipelineArguments {
    /// Check as well whether the inputs fit together as the stages of one Vulkan pipeline;
    /// INPUT may be FILE:ENTRY for one entry point of a module, else all are stages
    #[arg(long)]
    pipeline: bool,

    /// The pipeline's layout, as JSON: docs/val-json.md describes it
    #[arg(long, value_name = "FILE", requires = "pipeline")]
    layout: Option<PathBuf>,

    /// Set a specialization constant of the stages that have it, or of one stage: CONSTANT is
    /// a SpecId or a name, STAGE a kind such as `vertex`, or an input as it is given
    #[arg(long, value_name = "[STAGE:]CONSTANT=VALUE", value_parser = setting, requires = "pipeline")]
    spec: Vec<(String, String)>,
}

impl PipelineArguments {
    pub(super) fn is_on(&self) -> bool {
        self.pipeline
    }
}

/// The environment to check for: one that is given, or the newest version of Vulkan.
pub(super) fn environment(given: Option<TargetEnv>) -> Result<TargetEnv, UsageError> {
    let is_vulkan = |env: &TargetEnv| env.name().starts_with("vulkan");
    match given {
        Some(env) if !is_vulkan(&env) => Err(UsageError(format!(
            "pipelines are of Vulkan, and `{env}` is another environment"
        ))),
        Some(env) => Ok(env),
        None => {
            let newest =
                TargetEnv::all().filter(|env| is_vulkan(env) && !env.name().contains("spv"));
            Ok(newest.last().unwrap_or_default())
        }
    }
}

/// An input as it is given, and what it means.
struct Given {
    /// As it is given.
    text: String,
    /// The number of the file among those to read.
    file: usize,
    entry_point: Option<String>,
}

/// A file that was read.
struct Read {
    name: String,
    report: Report,
    text: String,
    /// The module, if it is one.
    stage: Option<PipelineStage>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let layout = arguments
        .pipeline
        .layout
        .as_deref()
        .map(layout)
        .transpose()?;
    let (inputs, given) = inputs(&arguments.inputs)?;
    let check = Check {
        inputs: &Inputs {
            list: inputs,
            many: true,
        },
        options: arguments.options()?,
        format: arguments.format,
        color: arguments.color.on_stderr(),
        deny_warnings: arguments.deny_warnings,
        quiet: arguments.quiet,
        jobs: arguments.jobs,
    };
    let list = check.inputs.list.iter();
    // What is asked of devices depends on the values of constants.
    let alone = match arguments.pipeline.spec.is_empty() {
        true => check.options.clone(),
        false => check.options.without_devices(),
    };
    let mut files: Vec<Read> = list.map(|input| read(input, &alone)).collect();
    let mut stages = Vec::new();
    let mut of_stage = Vec::new();
    for it in &given {
        if let Some(stage) = files[it.file].stage.clone() {
            stages.push(match &it.entry_point {
                Some(name) => stage.entry_point(name),
                None => stage,
            });
            of_stage.push((it, it.file));
        }
    }
    let errors = specialize(&arguments.pipeline.spec, &of_stage, &mut stages)?;
    for (file, error) in errors {
        files[file].report.append(vec![error]);
    }
    // What can't be read can't be compared.
    let mut is_cut = false;
    if stages.len() == given.len() {
        let report = validate_pipeline(&stages, layout.as_ref(), &check.options);
        is_cut = report.is_cut();
        for found in report.into_diagnostics() {
            let file = of_stage.get(found.stage).map_or(0, |it| it.1);
            files[file].report.append(vec![found.diagnostic]);
        }
    }
    let rows = (0..files.len()).map(|file| {
        let own = stages.iter().zip(&of_stage).filter(|it| it.1.1 == file);
        matrix::of_stages(own.map(|it| it.0), check.compared())
    });
    let rows: Vec<Vec<Row>> = rows.collect();
    Ok(tell(&check, &files, &rows, is_cut))
}

/// Tells what was found, file by file, with the devices that take each.
fn tell(check: &Check<'_>, files: &[Read], rows: &[Vec<Row>], is_cut: bool) -> Ending {
    let mut before = match check.format {
        Format::Sarif => sarif_start(&check.options.levels),
        Format::Human | Format::Json => String::new(),
    };
    let mut separator = "";
    let mut failed = 0;
    for (file, rows) in files.iter().zip(rows) {
        let outcome = check.outcome(&file.name, &file.report, &file.text, rows);
        failed += usize::from(outcome.fails);
        if !outcome.output.is_empty() {
            before += separator;
            if check.format == Format::Sarif {
                separator = ",";
            }
        }
        let output = std::mem::take(&mut before) + &outcome.output;
        if deliver(output.as_bytes(), &outcome.messages, &mut failed).is_break() {
            break;
        }
    }
    let mut messages = check.messages();
    match check.format {
        Format::Sarif => {
            let end = format!("{before}{}\n", render::sarif_end());
            let _ = deliver(end.as_bytes(), &messages, &mut failed);
        }
        Format::Human if !check.quiet => {
            if is_cut {
                messages.add_note("there are more errors between the stages than are shown");
            }
            if failed == 0 {
                let valid = counted(files.len(), "input");
                messages.add_note(&format!("{valid}: valid, and the stages fit together"));
            }
            messages.print();
        }
        Format::Human | Format::Json => {}
    }
    Ending::unless(failed > 0)
}

/// The files to read, each once, and the stages that are of them.
fn inputs(paths: &[PathBuf]) -> Result<(Vec<Input>, Vec<Given>), UsageError> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut given = Vec::new();
    let stdin = [PathBuf::from("-")];
    for path in if paths.is_empty() { &stdin } else { paths } {
        let (file, entry_point) = split(path);
        if file.is_dir() {
            let message = format!("`{}` is a directory, and no stage", file.display());
            return Err(UsageError(message));
        }
        let known = files.iter().position(|it| *it == file);
        let number = known.unwrap_or(files.len());
        if known.is_none() {
            files.push(file);
        }
        given.push(Given {
            text: path.display().to_string(),
            file: number,
            entry_point,
        });
    }
    let inputs = files.iter().map(|file| match file.as_os_str() == "-" {
        true => Input::stdin(),
        false => Input::file(file),
    });
    Ok((inputs.collect(), given))
}

/// `FILE:ENTRY`, unless there is a file of this name.
fn split(path: &Path) -> (PathBuf, Option<String>) {
    let parts = path.to_str().and_then(|text| text.rsplit_once(':'));
    match parts {
        Some((file, entry)) if !path.exists() && (file == "-" || Path::new(file).exists()) => {
            (file.into(), Some(entry.to_owned()))
        }
        _ => (path.to_owned(), None),
    }
}

fn layout(path: &Path) -> Result<PipelineLayout, UsageError> {
    let failure =
        |error: &dyn std::fmt::Display| UsageError(format!("{}: {error}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| failure(&error))?;
    PipelineLayout::from_json(&text).map_err(|error| failure(&error))
}

/// Reads a file, and validates what is in it.
fn read(input: &Input, options: &ValidateOptions) -> Read {
    let mut read = Read {
        name: input.name.clone(),
        report: Report::default(),
        text: String::new(),
        stage: None,
    };
    let form = match input.read().map(Form::of) {
        Ok(Ok(form)) => form,
        Ok(Err((error, text))) => {
            read.report = Report::new(vec![error]);
            read.text = text;
            return read;
        }
        Err(error) => {
            read.report = Report::new(vec![read_error(&error)]);
            return read;
        }
    };
    match form {
        Form::Binary(bytes) => {
            read.report = spirvkit::validate_bytes(&bytes, options);
            let words = words(&bytes).ok();
            read.stage = words.map(|words| PipelineStage::new(&input.name, words));
        }
        Form::Text(text) => {
            read.report = spirvkit::validate_text(&text, options);
            read.stage = PipelineStage::from_text(&input.name, &text, options).ok();
            read.text = text;
        }
    }
    read
}

/// Gives the stages the values of their specialization constants. Returns errors, with their files.
fn specialize(
    settings: &[(String, String)],
    given: &[(&Given, usize)],
    stages: &mut Vec<PipelineStage>,
) -> Result<Vec<(usize, Diagnostic)>, UsageError> {
    let mut errors = Vec::new();
    if settings.is_empty() {
        return Ok(errors);
    }
    let mut is_found = vec![false; settings.len()];
    let mut done = Vec::new();
    for (stage, &(given, file)) in std::mem::take(stages).into_iter().zip(given) {
        let mut values: Vec<(Id, u64)> = Vec::new();
        if let Ok(module) = Module::load(stage.words()) {
            let known = spec_constants(&module);
            for (index, (constant, value)) in settings.iter().enumerate() {
                let Some(constant) = meant(constant, &stage, given) else {
                    continue;
                };
                for found in find(&module, &known, constant, &mut Vec::new()) {
                    is_found[index] = true;
                    match bits(&module, found, value) {
                        Ok(bits) => values.push((found.id, bits)),
                        Err(message) => errors.push((file, bad_value(constant, &message))),
                    }
                }
            }
        }
        done.push(match stage.clone().specialize(&values) {
            Ok(stage) => stage,
            // The module is broken, which is said already.
            Err(_) => stage,
        });
    }
    *stages = done;
    match is_found.iter().position(|is_found| !is_found) {
        Some(index) if stages.len() == given.len() => Err(UsageError(format!(
            "no stage has a specialization constant `{}`",
            settings[index].0
        ))),
        _ => Ok(errors),
    }
}

/// The constant that a setting names, if it is one for this stage.
fn meant<'c>(constant: &'c str, stage: &PipelineStage, given: &Given) -> Option<&'c str> {
    let Some((of, name)) = constant.rsplit_once(':') else {
        return Some(constant);
    };
    if of == given.text {
        return Some(name);
    }
    let kind = ShaderStages::named(of)?;
    let index = ModuleIndex::new(stage.words()).ok()?;
    let mut all = index.entry_points.iter();
    all.any(|entry| kind.contains(entry.model)).then_some(name)
}
