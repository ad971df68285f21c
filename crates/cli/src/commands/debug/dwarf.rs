//! `spv debug dwarf`: an object with a module and its debug information as DWARF.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use spirvkit::debuginfo::DebugInfo;
use spirvkit::debuginfo::dwarf::{self, Options, Version};

use crate::arguments::{RawIds, Reading, help::look_help};
use crate::exit::{Ending, UsageError};
use crate::look::ids::Trouble;
use crate::look::view::Found;
use crate::output::naming::check_output;
use crate::output::{STDOUT_NAME, write_file, write_stdout};
use crate::report::Format;
use crate::report::kinds;

/// Write an ELF object with DWARF, for debuggers and other tools that read DWARF
///
/// The module takes the place of the code: the address of an instruction is its byte
/// offset in the module.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(flatten)]
    reading: Reading,

    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// The version of DWARF
    #[arg(long, value_name = "VERSION", default_value = "5", value_parser = ["4", "5"])]
    dwarf: String,

    /// The directory to which relative names of source files refer
    #[arg(long, value_name = "DIR")]
    directory: Option<String>,

    /// Also write the texts of source files to the line table: LLVM's tools show them,
    /// but GNU binutils reject such a line table (DWARF 5 only)
    #[arg(long)]
    embed_sources: bool,
}

const AFTER_HELP: &str = look_help!(
    "  spv debug dwarf shader.spv -o shader.o && addr2line -fi -e shader.o 0x5a4
  spv debug dwarf --dwarf 4 kernel.spv -o kernel.o && gdb -ex 'info types' kernel.o"
);

pub(super) fn run(arguments: &Arguments) -> Result<Ending, UsageError> {
    check_output(&arguments.output, "o", arguments.reading.path())?;
    let version = match arguments.dwarf.as_str() {
        "4" => Version::V4,
        _ => Version::V5,
    };
    let options = Options::default()
        .version(version)
        .directory(arguments.directory.clone())
        .embed_sources(arguments.embed_sources);
    arguments.reading.show(RawIds::default(), |view, out| {
        let written = write_object(view.info, &options, arguments)?;
        // What is on standard output already must not be followed by something else.
        if view.format == Format::Json && written.name != STDOUT_NAME {
            let found = json!({"written_to": written.name, "bytes": written.bytes});
            view.write_json(out, found)?;
        }
        Ok(Found::default())
    })
}

/// Where an object went, and how large it is.
struct Written {
    name: String,
    bytes: usize,
}

fn write_object(
    info: &DebugInfo<'_>,
    options: &Options,
    arguments: &Arguments,
) -> Result<Written, Trouble> {
    let object = dwarf::object(info, options)
        .map_err(|error| Trouble::new(&kinds::NO_DWARF, error.to_string()))?;
    let path = &arguments.output;
    let (name, written) = match path.as_os_str() == "-" {
        true => (STDOUT_NAME.to_owned(), write_stdout(&object)),
        false => (path.display().to_string(), write_file(path, &object)),
    };
    written.map_err(|error| Trouble::unwritten(&name, &error))?;
    Ok(Written {
        name,
        bytes: object.len(),
    })
}
