//! `spv split`: one entry point of several.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use spirvkit::binary::Budget;
use spirvkit::grammar::{Enumeration, ExecutionModel, OperandKind};
use spirvkit::ir::Module;
use spirvkit::text::IdNames;
use spirvkit::transform::{
    EntryPoint, SplitError, entry_points, find_entry_point, keep_entry_point, split_all,
};
use spirvkit::{Diagnostic, bytes_from_words};

use crate::arguments::{Changing, Telling, help::change_help};
use crate::exit::{Ending, UsageError};
use crate::input::load::Loaded;
use crate::output::Destination;
use crate::output::naming::check_called_directory;
use crate::report::{Format, Messages, kinds, write};

/// Extract one entry point of a module, with everything it uses
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub(crate) struct Arguments {
    #[command(flatten)]
    changing: Changing,

    /// Extract the entry point with this name, or whose function has this name or id
    #[arg(long, value_name = "NAME", group = "what")]
    entry_point: Option<String>,

    /// Extract the entry point with this execution model, such as GLCompute, if several
    /// have the same name
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["all", "list"], value_parser = model)]
    model: Option<ExecutionModel>,

    /// Extract each entry point to a file in this directory, named by its name and its
    /// execution model
    #[arg(long, value_name = "DIR", group = "what", conflicts_with_all = ["output", "in_place"])]
    all: Option<PathBuf>,

    /// List the entry points: on each line the execution model, a tab, and the name
    #[arg(long, group = "what", conflicts_with_all = ["output", "in_place", "verbose", "dry_run"])]
    list: bool,

    #[command(flatten)]
    telling: Telling,
}

const AFTER_HELP: &str = change_help!(
    "  spv split --list library.spv
  spv split --entry-point main --model Fragment library.spv -o main.spv
  spv split --all shaders/ library.spv"
);

/// An execution model by its name.
fn model(name: &str) -> Result<ExecutionModel, String> {
    ExecutionModel::from_name(name).ok_or_else(|| {
        let names: Vec<_> = OperandKind::ExecutionModel.enumerant_names().collect();
        format!("the execution models are {}", names.join(", "))
    })
}

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    if let Some(directory) = &arguments.all {
        check_called_directory("--all", directory, "a file is written for each entry point")?;
        return arguments.changing.single(|loaded, messages| {
            write_parts(&loaded, directory, &arguments.telling, messages)
        });
    }
    let Some(name) = &arguments.entry_point else {
        return arguments.changing.single(|loaded, messages| {
            let text = list(&loaded, arguments.changing.files.format);
            write(&Destination::Stdout, text.as_bytes(), messages);
        });
    };
    let telling = &arguments.telling;
    arguments.changing.each(telling, |module, diagnostics| {
        match find(module, name, arguments.model) {
            Ok(found) => keep_entry_point(module, &found),
            Err(error) => diagnostics.push(diagnostic(&error)),
        }
    })
}

/// The entry points of a module, in the form that is wanted.
fn list(loaded: &Loaded, format: Format) -> String {
    let all = entry_points(&loaded.module);
    match format {
        Format::Human => {
            let lines = all.iter().map(|it| format!("{}\t{}\n", it.model, it.name));
            lines.collect()
        }
        Format::Json => {
            let object = |it: &EntryPoint| json!({"model": it.model.to_string(), "name": it.name, "function": it.function.0});
            let all: Vec<Value> = all.iter().map(object).collect();
            format!("{}\n", json!({"file": loaded.name, "entry_points": all}))
        }
    }
}

/// The entry point of a name, or else that of a function: its name or its id.
fn find(
    module: &Module,
    name: &str,
    model: Option<ExecutionModel>,
) -> Result<EntryPoint, SplitError> {
    let by_name = find_entry_point(module, name, model);
    if !matches!(by_name, Err(SplitError::NotFound { .. })) {
        return by_name;
    }
    let words = module.store();
    let mut all = entry_points(module);
    all.retain(|it| model.is_none_or(|model| it.model == model));
    let is_one = |id| all.iter().any(|it| it.function == id);
    let meant = IdNames::new(&words).find(name, is_one).one();
    let mut found: Vec<EntryPoint> = Vec::new();
    found.extend(all.into_iter().filter(|it| Some(it.function) == meant));
    match found.len() {
        0 => by_name,
        1 => Ok(found.remove(0)),
        _ => Err(SplitError::Ambiguous { found }),
    }
}

fn diagnostic(error: &SplitError) -> Diagnostic {
    let message = error.to_string();
    match error {
        SplitError::Ambiguous { .. } => kinds::AMBIGUOUS_NAME
            .error(message)
            .with_help("`--model` chooses one"),
        _ => kinds::NO_ENTRY_POINT.error(message),
    }
}

/// Writes each entry point into a file of its own.
fn write_parts(loaded: &Loaded, directory: &Path, telling: &Telling, messages: &mut Messages) {
    let before = loaded.module.store();
    let all = entry_points(&loaded.module);
    if all.is_empty() {
        let message = "the module has no entry points";
        let error = kinds::NO_ENTRY_POINT.error(message);
        messages.add_of(&loaded.name, &error);
    }
    // All are made before the first is written, so that it's all or none.
    let mut budget = Budget::for_words(before.len());
    let mut parts = Vec::new();
    let mut taken = HashMap::new();
    let mut described = Ok(());
    let made = split_all(&loaded.module, &mut budget.clone(), |number, words| {
        let Some(entry_point) = all.get(number) else {
            return;
        };
        let path = directory.join(file_name(entry_point, &mut taken));
        if telling.is_wanted() && described.is_ok() {
            // Each is compared with all that there was.
            described = budget.spend(before.len() as u64);
            if described.is_ok() {
                let name = path.display().to_string();
                telling.tell(&name, &before, &words, messages);
            }
        }
        if !telling.dry_run {
            parts.push((path, bytes_from_words(&words, loaded.endianness)));
        }
    });
    if let Err(error) = made.and(described) {
        let count = all.len();
        let message = format!("a module for each of the {count} entry points {error}");
        let error = kinds::SPLIT_TOO_LARGE.error(message);
        messages.add_of(&loaded.name, &error);
        return;
    }
    for (path, bytes) in parts {
        write(&Destination::Directory(path, "spv"), &bytes, messages);
        if messages.failed() {
            break;
        }
    }
}

/// The length that names of entry points are cut to in names of files, in characters.
const NAME_LENGTH: usize = 100;

/// A name for an entry point's file that no earlier one has, on any file system.
/// `taken` counts the names so far without their numbers.
fn file_name(entry_point: &EntryPoint, taken: &mut HashMap<String, usize>) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let name = entry_point.name.chars().take(NAME_LENGTH);
    let name: String = name.map(|c| if is_plain(c) { c } else { '_' }).collect();
    let stem = format!("{name}.{}", entry_point.model);
    let count = taken.entry(stem.to_ascii_lowercase()).or_default();
    *count += 1;
    match count {
        1 => format!("{stem}.spv"),
        count => format!("{stem}.{count}.spv"),
    }
}
