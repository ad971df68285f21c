//! `spv info`: what modules ask of an API, and what they are made of.

mod requires;
mod table;
mod tree;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;
use spirvkit::Reflection;
use spirvkit::binary::Budget;
use spirvkit::reflect::reflect_within;

use crate::arguments::{ColorWhen, RawIds, jobs};
use crate::exit::{Ending, UsageError};
use crate::input::Inputs;
use crate::input::load::{load_with_text, names};
use crate::output::Destination;
use crate::report::{self, Reporter};
use crate::run::Run;

/// Show a module's entry points, interfaces, resources, layouts and statistics
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP, args_override_self = true)]
pub(crate) struct Arguments {
    /// Modules: binary, hexadecimal text or assembly text; directories, which are
    /// searched for modules; or `-` for standard input [default: standard input]
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// The format of the output; with json, errors are JSON, too
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    /// Process this many inputs in parallel [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    jobs: Option<NonZeroUsize>,

    /// When to colour tables, errors and warnings
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,

    #[command(flatten)]
    raw: RawIds,

    /// Show what a Vulkan device must have instead: the least version, features, extensions and
    /// limits, and which profiles have them
    #[arg(long)]
    requires: bool,
}

const AFTER_HELP: &str = "\
The module need not be valid. What it doesn't say is shown as `-` or `unknown`.
A number that depends on specialization constants is followed by `*`. Offsets and
sizes are in bytes.

Examples:
  spv info shader.spv
  spv info --format json shader.spvasm | jq '.descriptors[] | [.set, .binding, .kind]'
  spv info --format json shaders/ > shaders.jsonl
  spv info --requires --format json shader.spv

Exit codes:
  0  success
  1  an input has errors, or could not be read
  2  the command line is wrong";

/// How to show what there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for people
    #[default]
    #[value(alias = "table", alias = "text")]
    Human,
    /// One line with a JSON object for each input
    Json,
    /// One YAML document for each input
    Yaml,
}

/// What there is to tell of a file.
#[derive(Serialize)]
struct Document<'a> {
    /// Its name.
    file: &'a str,
    #[serde(flatten)]
    reflection: &'a Reflection,
}

/// A YAML document, without the end of its last line. The document's type is erased, so that the
/// writer of YAML, which is large, is compiled once and not for each type in the document.
fn yaml(document: &dyn erased_serde::Serialize) -> Result<String, serde_saphyr::ser_error::Error> {
    let mut text = String::from("---\n");
    serde_saphyr::to_fmt_writer(&mut text, &document)?;
    text.truncate(text.trim_end().len());
    Ok(text)
}

pub(crate) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    let inputs = Inputs::modules(&arguments.inputs)?;
    let errors = match arguments.format {
        Format::Json => report::Format::Json,
        Format::Human | Format::Yaml => report::Format::Human,
    };
    let run = Run {
        inputs: &inputs,
        destination: &Destination::Stdout,
        reporter: Reporter::new(errors, arguments.color.on_stderr()),
        jobs: arguments.jobs,
    };
    let color = arguments.format == Format::Human && arguments.color.on_stdout();
    Ok(run.convert(&|name, bytes, messages| {
        let (words, _, text) = load_with_text(name, bytes, true, messages)?;
        if arguments.requires {
            let text = match requires::Document::new(name, &words) {
                Ok(document) => document.show(arguments.format),
                Err(error) => {
                    messages.add_binary_error(name, &error);
                    return None;
                }
            };
            return text
                .map(|text| (text + "\n").into_bytes())
                .map_err(|error| messages.add_write_error(name, &std::io::Error::other(error)))
                .ok();
        }
        // What is found is held together with what is written of it.
        let budget = Budget::for_words(words.len()).part(2);
        let reflection = reflect_within(&words, budget)
            .map_err(|error| messages.add_binary_error(name, &error))
            .ok()?;
        let document = Document {
            file: name,
            reflection: &reflection,
        };
        let text = match arguments.format {
            Format::Human => {
                let names = || names(&words, text.as_ref());
                let ids = arguments.raw.names(&words, names);
                Ok(table::tables(name, &reflection, &ids, color))
            }
            Format::Json => serde_json::to_string(&document).map_err(|error| error.to_string()),
            Format::Yaml => yaml(&document).map_err(|error| error.to_string()),
        };
        match text {
            Ok(mut text) => {
                text.push('\n');
                Some(text.into_bytes())
            }
            Err(error) => {
                messages.add_write_error(name, &std::io::Error::other(error));
                None
            }
        }
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::yaml;

    #[test]
    fn every_value_is_the_same_in_yaml() {
        let json = r#"{
            "none": null, "yes": true, "no": false, "integers": [0, -1, 18446744073709551615],
            "floats": [0.5, -1e300, 1.0], "texts": ["", "a", "no", "1", "é \u001b\n\"': #", "- a"],
            "nested": {"empty": {}, "list": [[], [[1, {"a": [2]}]]], "~": "~"}
        }"#;
        let expected: Value = serde_json::from_str(json).unwrap();
        let yaml = yaml(&expected).unwrap();
        assert!(yaml.starts_with("---\n") && !yaml.ends_with('\n'));
        let read: Value = yaml_serde::from_str(&yaml).unwrap();
        assert_eq!(read, expected, "{yaml}");
    }
}
