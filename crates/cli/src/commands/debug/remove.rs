//! `spv debug remove`: modules without some debugging instructions.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use spirvkit::Diagnostic;
use spirvkit::binary::{Budget, Id};
use spirvkit::debuginfo::{Kind, Removed, remove_each};
use spirvkit::ir::Module;
use spirvkit::text::IdNames;

use crate::arguments::{Changing, Files, RawIds, Reporting, Telling};
use crate::exit::{Ending, UsageError};
use crate::look::limit::{Limit, List};
use crate::look::places::find_id;
use crate::look::view::write_document;
use crate::report::{Format, kinds, stream};

/// Remove single debugging instructions, and what depends on them
///
/// References to them become references to DebugInfoNone. In DebugInfo, the oldest set,
/// that is possible everywhere; in the others, what was in a removed block, module or
/// composite moves to the enclosing scope, and what depends on the instruction is
/// removed, too.
///
/// `spv strip --debug-info` removes all debug information.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// The module's file, or `-` for standard input
    #[arg(value_name = "MODULE")]
    module: PathBuf,

    /// The ids of the instructions, as numbers or names: %12, %name, name
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,

    /// Only list what would be removed
    #[arg(long, conflicts_with = "output")]
    list: bool,

    /// Write to this file; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    #[command(flatten)]
    reporting: Reporting,

    #[command(flatten)]
    raw: RawIds,
}

const AFTER_HELP: &str = "\
The input is a binary module, a module as hexadecimal text, or assembly text; the
output is a binary module in the byte order of the input. If there is an error,
nothing is written.

Examples:
  spv debug remove shader.spv %57 -o shader.spv
  spv debug remove --list shader.spv %57 %58

Exit codes:
  0  success
  1  the module has errors, an id is not found, or a file could not be read or
     written
  2  the command line is wrong";

pub(super) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let changing = Changing {
        files: Files {
            inputs: vec![arguments.module.clone()],
            output: arguments.output.clone(),
            in_place: false,
            jobs: None,
            format: arguments.reporting.format,
        },
        color: arguments.reporting.color,
    };
    if arguments.list {
        return changing.single(|mut loaded, messages| {
            let words = loaded.module.store();
            let names = arguments.raw.names(&words, || IdNames::new(&words));
            let mut diagnostics = Vec::new();
            let removed = remove(&mut loaded.module, &arguments.ids, &mut diagnostics);
            messages.add_all(&loaded.name, &diagnostics);
            if let Some(removed) = removed {
                let all = removed.instructions.iter();
                let limit = Limit::new(Budget::for_words(words.len()));
                stream(messages, |out| {
                    let out = &mut limit.counting(out);
                    if arguments.reporting.format == Format::Json {
                        let json =
                            |(id, kind): &(Id, Kind)| json!({"id": id.0, "kind": kind.name()});
                        let removed = List(|| limit.each(all.clone()).map(json));
                        return write_document(out, BTreeMap::from([("removed", removed)]), &limit);
                    }
                    for (id, kind) in limit.each(all) {
                        writeln!(out, "{} {}", names.show(*id), kind.name())?;
                    }
                    limit.tell(out)
                });
            }
        });
    }
    changing.each(&Telling::default(), |module, diagnostics| {
        remove(module, &arguments.ids, diagnostics);
    })
}

/// Removes what ids mean, or tells why that can't be.
fn remove(
    module: &mut Module,
    ids: &[String],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Removed> {
    let words = module.store();
    let names = IdNames::new(&words);
    let mut found = Vec::new();
    for text in ids {
        match find_id(&names, text) {
            Ok((id, warning)) => {
                found.push(id);
                diagnostics.extend(warning.map(|it| it.diagnostic()));
            }
            Err(trouble) => diagnostics.push(trouble.diagnostic()),
        }
    }
    if found.len() < ids.len() {
        return None;
    }
    let error = |message: String| kinds::NOT_FOUND.error(names.show_in(&message));
    let removed = remove_each(module, &found);
    removed
        .map_err(|it| diagnostics.push(error(it.to_string())))
        .ok()
}
