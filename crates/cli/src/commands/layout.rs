//! `spv layout`: how structures lie in memory.

mod find;
mod json;
mod table;

use std::collections::BTreeSet;

use clap::{Args, ValueEnum};
use spirvkit::analysis::ModuleIndex;
use spirvkit::analysis::layout::{Comparison, Layouts, Rules, Types};
use spirvkit::binary::{Budget, Id};

use crate::arguments::{ColorWhen, RawIds, Single};
use crate::exit::{Ending, UsageError};
use crate::look::look;
use crate::report::{Format, Reporter, stdout_width, stream};

/// Show how structures are laid out in memory: by std140, std430, scalar, and as declared
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Single,

    /// The structure: its name or id, or that of a variable, a pointer or an array of it
    /// [default: all blocks and other structures with offsets, except blocks of
    /// built-ins]
    #[arg(value_name = "NAME|%ID")]
    structure: Option<String>,

    /// Show the layouts by these rules, separated by commas
    #[arg(
        long,
        value_name = "RULES",
        value_delimiter = ',',
        default_value = "declared,std140,std430,scalar"
    )]
    rules: Vec<RulesName>,

    /// Also show blocks of built-ins, such as gl_PerVertex
    #[arg(long)]
    built_ins: bool,

    /// The format of the output and of errors; the JSON has the layouts by all rules
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    /// When to colour the output and errors
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,

    #[command(flatten)]
    raw: RawIds,
}

/// Rules by which structures are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RulesName {
    /// What the module's decorations say
    Declared,
    Std140,
    Std430,
    Scalar,
}

impl From<RulesName> for Rules {
    fn from(name: RulesName) -> Self {
        match name {
            RulesName::Declared => Self::Explicit,
            RulesName::Std140 => Self::Std140,
            RulesName::Std430 => Self::Std430,
            RulesName::Scalar => Self::Scalar,
        }
    }
}

const AFTER_HELP: &str = "\
The input is a binary module, a module as hexadecimal text, or assembly text.
All numbers are bytes. The members of nested structures follow their structure,
with offsets from the start of the outermost one; of arrays, only the first
element is shown. Tables are as wide as the terminal, as COLUMNS says, or 80
columns; rules that don't fit side by side are shown below each other.

Examples:
  spv layout shader.spv
  spv layout shader.spv Lights
  spv layout --rules std430,scalar shader.spv %Lights
  spv layout --format json shader.spv %12

Exit codes:
  0  success
  1  the input has errors, or could not be read, or there is no such structure
  2  the command line is wrong";

/// What is shown of a structure.
struct Shown {
    id: Id,
    is_block: bool,
}

/// The types of all members of these structures and of the structures in them.
fn member_types(layouts: &Layouts, shown: &[Shown]) -> Vec<Id> {
    let mut found = BTreeSet::new();
    let mut seen: BTreeSet<Id> = shown.iter().map(|it| it.id).collect();
    let mut waiting: Vec<Id> = seen.iter().copied().collect();
    while let Some(structure) = waiting.pop() {
        for member in layouts.members(structure) {
            if found.insert(member.ty) {
                let inner = layouts.structure_in(member.ty);
                waiting.extend(inner.filter(|&inner| seen.insert(inner)));
            }
        }
    }
    // The end of a structure is a row of its own.
    found.extend(seen);
    found.into_iter().collect()
}

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let reporter = Reporter::new(arguments.format, arguments.color.on_stderr());
    look(
        arguments.input.input.as_ref(),
        reporter,
        |looked, messages| {
            let module = &looked.module;
            if let Some(error) = module.instructions().find_map(Result::err) {
                messages.add_binary_error(looked.name, &error);
                return Ok(());
            }
            let index = ModuleIndex::with_header(module.words(), *module.header());
            let types = Types::of(&index);
            let layouts = types.lay_out_all();
            let declared = &layouts[Rules::Explicit as usize];
            let found = match &arguments.structure {
                Some(name) => find::named(&index, declared, &looked.ids, name),
                None => Ok(find::laid_out(
                    &types,
                    declared,
                    &index,
                    arguments.built_ins,
                )),
            };
            let wanted = match found {
                Ok(wanted) => wanted,
                Err(trouble) => {
                    messages.add_of(looked.name, &trouble.diagnostic());
                    return Ok(());
                }
            };
            let shown: Vec<Shown> = wanted
                .into_iter()
                .map(|id| Shown {
                    id,
                    is_block: index.is_block(id),
                })
                .collect();
            let members = member_types(declared, &shown);
            let texts = spirvkit::text::descriptions(module.words(), &members);
            let texts = members.into_iter().zip(texts).collect();
            let comparison = Comparison::new(&types, &layouts);
            let mut budget = Budget::for_words(module.words().len());
            match arguments.format {
                Format::Human => {
                    let look = table::Look {
                        comparison: &comparison,
                        rules: arguments.rules.iter().map(|&it| it.into()).collect(),
                        index: &index,
                        texts: &texts,
                        ids: looked.shown(arguments.raw),
                        color: arguments.color.on_stdout(),
                        width: stdout_width(),
                    };
                    stream(messages, |out| look.write(out, &shown, &mut budget));
                }
                Format::Json => {
                    let document = json::Document {
                        comparison: &comparison,
                        index: &index,
                        texts: &texts,
                    };
                    stream(messages, |out| document.write(out, &shown, &mut budget));
                }
            }
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
