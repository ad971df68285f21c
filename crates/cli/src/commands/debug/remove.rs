//! `spv debug remove`: modules without some debugging instructions.

use std::path::PathBuf;

use clap::Args;
use spirvkit::Diagnostic;
use spirvkit::binary::{Id, Module as Read};
use spirvkit::debuginfo::{DebugInfo, Removed, remove_each};
use spirvkit::ir::Module;

use super::location::find_id;
use crate::change::{Changing, add_all, write};
use crate::change_help;
use crate::cli::{ColorWhen, Files};
use crate::exit::{Ending, UsageError};
use crate::kinds;
use crate::output::Destination;
use crate::report::Format;

/// Remove single debugging instructions, and what can't do without them
///
/// What refers to them refers to DebugInfoNone then. In DebugInfo, the first set, that is
/// possible everywhere; in the others, what was in a block, a module or a composite comes
/// to be in what is around that, and what can't do without the instruction goes, too.
///
/// `spv strip --debug-info` removes all there is.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// The module's file, or `-` for standard input
    #[arg(value_name = "MODULE")]
    module: PathBuf,

    /// The ids of the instructions: %12, or %name
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,

    /// List what goes, and write nothing
    #[arg(long, conflicts_with = "output")]
    list: bool,

    /// Write to this file; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    /// How to write errors and warnings: for people, or one JSON object a line
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    /// When to colour errors and warnings
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,
}

const AFTER_HELP: &str = change_help!(
    "  spv debug remove shader.spv %57 -o shader.spv
  spv debug remove --list shader.spv %57 %58"
);

pub(super) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let changing = Changing {
        files: Files {
            inputs: vec![arguments.module.clone()],
            output: arguments.output.clone(),
            in_place: false,
            jobs: None,
            format: arguments.format,
        },
        color: arguments.color,
    };
    if arguments.list {
        return changing.single(|mut loaded, messages| {
            match remove(&mut loaded.module, &arguments.ids) {
                Ok(removed) => {
                    let lines = removed.instructions.iter();
                    let lines = lines.map(|(id, kind)| format!("{id} {}\n", kind.name()));
                    let text: String = lines.collect();
                    write(&Destination::Stdout, text.as_bytes(), messages);
                }
                Err(error) => add_all(&[error], &loaded.name, messages),
            }
        });
    }
    changing.each(|module, diagnostics| {
        diagnostics.extend(remove(module, &arguments.ids).err());
    })
}

fn remove(module: &mut Module, names: &[String]) -> Result<Removed, Diagnostic> {
    let error = |message| kinds::NOT_FOUND.error(message);
    let ids = find(module, names).map_err(error)?;
    remove_each(module, &ids).map_err(|it| error(it.to_string()))
}

/// The ids that are meant.
fn find(module: &Module, names: &[String]) -> Result<Vec<Id>, String> {
    let words = module.store();
    let read = Read::new(&words).map_err(|error| error.to_string())?;
    let info = DebugInfo::read(&read);
    let names = names
        .iter()
        .map(|name| name.strip_prefix('%').unwrap_or(name));
    names.map(|name| find_id(&info, name)).collect()
}
