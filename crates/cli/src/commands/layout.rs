//! `spv layout`: how structures lie in memory.

mod find;
mod json;
mod table;

use clap::{Args, ValueEnum};
use spirvkit::analysis::layout::{Comparison, Rules, Types};
use spirvkit::binary::Id;

use crate::change::{add_error, write};
use crate::cli::ColorWhen;
use crate::exit::{Ending, UsageError};
use crate::look::{Single, look};
use crate::output::Destination;
use crate::report::{self, Reporter};
use find::Names;

/// Show how structures lie in memory, by std140, std430, scalar, and as declared
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Single,

    /// The structure: its name or its id, or those of a variable, a pointer or an array
    /// of it [default: all blocks, and what else has offsets]
    #[arg(value_name = "NAME|%ID")]
    structure: Option<String>,

    /// What to write
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Form,

    /// When to colour
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people
    Table,
    /// For programs, as docs/layout-json.md describes it
    Json,
}

const AFTER_HELP: &str = "\
The input is a binary module, a module as hexadecimal text, or assembly text.
All numbers are bytes. Members of structures within the structure follow it, with
offsets from the start of the whole; of arrays, the first element stands for all.

Examples:
  spv layout shader.spv
  spv layout shader.spv Lights
  spv layout --format json shader.spv %12

Exit codes:
  0  success
  1  the input has errors, or could not be read
  2  the command line is wrong, or there is no such structure";

/// What is shown of a structure.
struct Shown {
    id: Id,
    is_block: bool,
    comparison: Comparison,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let reporter = Reporter {
        format: report::Format::Human,
        color: arguments.color.on_stderr(),
    };
    look(
        arguments.input.input.as_ref(),
        reporter,
        |looked, messages| {
            let module = &looked.module;
            if let Some(error) = module.instructions().find_map(Result::err) {
                add_error(looked.name, &error, messages);
                return Ok(());
            }
            let instructions = || module.instructions().map_while(Result::ok);
            let types = Types::of(instructions());
            let layouts = types.lay_out_all();
            let names = Names::of(instructions());
            let wanted = match &arguments.structure {
                Some(name) => names.find(&types, name).map_err(UsageError)?,
                None => find::laid_out(&types, &layouts, &names),
            };
            let shown: Vec<Shown> = wanted
                .into_iter()
                .map(|id| Shown {
                    id,
                    is_block: names.is_block(id),
                    comparison: Comparison::of(&types, &layouts, id),
                })
                .collect();
            let rows = shown.iter().flat_map(|it| &it.comparison.rows);
            let ids: Vec<Id> = rows.map(|row| row.ty).collect();
            let texts = spirvkit::text::descriptions(module.words(), &ids);
            let texts = ids.into_iter().zip(texts).collect();
            let text = match arguments.format {
                Form::Table => table::write(&shown, &names, &texts, arguments.color.on_stdout()),
                Form::Json => json::write(&shown, &names, &texts),
            };
            write(&Destination::Stdout, text.as_bytes(), messages);
            Ok(())
        },
    )
}

/// What to call rules.
fn name_of(rules: Rules) -> String {
    match rules {
        Rules::Explicit => "declared".into(),
        rules => rules.to_string(),
    }
}
