//! The established tools' command lines.
//!
//! Under the name `spirv-as` or `spirv-dis` the program takes the options of
//! the tool of that name and has its defaults, which differ from those of
//! `spv`: the assembler renumbers ids, writes `out.spv`, names itself as the
//! generator, and takes nothing but the version from the comments at the top.

mod flags;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use spirvkit::grammar::{GRAMMAR_REVISION, Generator};
use spirvkit::{
    AssembleOptions, DisassembleOptions, Endianness, IdNumbering, Indentation, TargetEnv, Version,
};

use crate::cli::ColorWhen;
use crate::commands::{as_, dis};
use crate::exit::{Ending, UsageError};
use crate::inputs::{Input, Inputs};
use crate::output::Destination;
use crate::report::{self, Format, Reporter};
use crate::run::Run;
use flags::{Flags, Item};

/// The assembler of SPIRV-Tools in the registry of generators. Scripts compare
/// modules byte for byte, so this is part of the tool's behaviour.
const GENERATOR: Generator = Generator::new(7, 0);

/// An established tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    As,
    Dis,
}

impl Tool {
    pub(crate) const ALL: [Self; 2] = [Self::As, Self::Dis];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::As => "spirv-as",
            Self::Dis => "spirv-dis",
        }
    }

    /// The tool as which the program was started, given its name on the command
    /// line.
    pub(crate) fn from_program(program: &OsStr) -> Option<Self> {
        let name = Path::new(program).file_name()?.to_str()?;
        let name = name.strip_suffix(".exe").unwrap_or(name);
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }
}

/// Runs the program as an established tool.
pub(crate) fn run(tool: Tool, arguments: impl Iterator<Item = OsString>) -> Ending {
    let mut flags = Flags::new(arguments);
    let ending = match tool {
        Tool::As => run_as(&mut flags),
        Tool::Dis => run_dis(&mut flags),
    };
    ending.unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "error: {}", error.0);
        // Unlike `spv`, the established tools don't tell bad usage from other
        // failures.
        Ending::Failure
    })
}

fn run_as(flags: &mut Flags<'_>) -> Result<Ending, UsageError> {
    let mut common = Common::default();
    let mut numbering = IdNumbering::Renumber;
    let mut target = None;
    while let Some(item) = flags.next(&["--target-env"])? {
        match item {
            Item::Flag("--preserve-numeric-ids", _) => numbering = IdNumbering::Preserve,
            Item::Flag("--target-env", Some(name)) => target = Some(environment(&name)?),
            Item::Flag("-h" | "--help", _) => return Ok(report::print(HELP_AS.as_bytes())),
            Item::Flag("--version", _) => return Ok(print_version()),
            item => common.take(item)?,
        }
    }
    let inputs = common.inputs();
    let destination = common.destination(Destination::File("out.spv".into()));
    let options = AssembleOptions::default()
        .numbering(numbering)
        .header_comments(false)
        .generator(GENERATOR);
    Ok(
        run_tool(&inputs, &destination, ColorWhen::Auto).convert(|name, bytes, messages| {
            let text = as_::text(name, bytes, messages)?;
            let version = target
                .map(TargetEnv::version)
                .or_else(|| version_comment(&text));
            let options = options.clone().target(version.unwrap_or(Version::V1_6));
            let module = as_::assemble(name, &text, &options, messages)?;
            Some(module.to_bytes(Endianness::Little))
        }),
    )
}

fn run_dis(flags: &mut Flags<'_>) -> Result<Ending, UsageError> {
    let mut common = Common::default();
    let mut color = ColorWhen::Auto;
    let mut options = DisassembleOptions::default();
    while let Some(item) = flags.next(&[])? {
        options = match item {
            Item::Flag("--no-indent", _) => options.indentation(Indentation::None),
            Item::Flag("--no-header", _) => options.header(false),
            Item::Flag("--raw-id", _) => options.friendly_names(false),
            Item::Flag("--nested-indent", _) => options.nested_indentation(true),
            Item::Flag("--reorder-blocks", _) => options.reorder_blocks(true),
            Item::Flag("--offsets", _) => options.offsets(true),
            Item::Flag("--comment", _) => options.comments(true),
            Item::Flag("--handle-unknown-opcodes", _) => options.handle_unknown_opcodes(true),
            Item::Flag("--color", _) => {
                color = ColorWhen::Always;
                options
            }
            Item::Flag("--no-color", _) => {
                color = ColorWhen::Never;
                options
            }
            Item::Flag("-h" | "--help", _) => return Ok(report::print(HELP_DIS.as_bytes())),
            Item::Flag("--version", _) => return Ok(print_version()),
            item => {
                common.take(item)?;
                options
            }
        };
    }
    let inputs = common.inputs();
    let destination = common.destination(Destination::Stdout);
    // Files are never coloured, whatever the options say.
    let options = options.color(destination == Destination::Stdout && color.on_stdout());
    Ok(run_tool(&inputs, &destination, color)
        .convert(|name, bytes, messages| dis::disassemble(name, bytes, &options, messages)))
}

fn run_tool<'a>(inputs: &'a Inputs, destination: &'a Destination, color: ColorWhen) -> Run<'a> {
    let reporter = Reporter {
        format: Format::Human,
        color: color.on_stderr(),
    };
    Run {
        inputs,
        destination,
        reporter,
        jobs: None,
    }
}

/// What both tools take.
#[derive(Debug, Default)]
struct Common {
    input: Option<PathBuf>,
    output: Option<PathBuf>,
}

impl Common {
    fn take(&mut self, item: Item) -> Result<(), UsageError> {
        let (slot, value, complaint) = match item {
            Item::Flag("-o", Some(path)) => (&mut self.output, path, "`-o` is given twice"),
            Item::Input(path) => (&mut self.input, path, "there is more than one input file"),
            Item::Flag(name, _) => return Err(flags::unknown(name)),
        };
        if slot.replace(value.into()).is_some() {
            return Err(UsageError(complaint.into()));
        }
        Ok(())
    }

    fn inputs(&self) -> Inputs {
        let input = match &self.input {
            Some(path) if path.as_os_str() != "-" => Input::file(path),
            _ => Input::stdin(),
        };
        Inputs {
            list: vec![input],
            many: false,
        }
    }

    fn destination(&self, default: Destination) -> Destination {
        match &self.output {
            None => default,
            Some(path) if path.as_os_str() == "-" => Destination::Stdout,
            Some(path) => Destination::File(path.clone()),
        }
    }
}

fn environment(name: &OsStr) -> Result<TargetEnv, UsageError> {
    let name = name.to_string_lossy();
    name.parse()
        .map_err(|error| UsageError(format!("`--target-env {name}`: {error}")))
}

/// The version that a comment before the first instruction gives. The tool is
/// strict about the comment's form, and passes over versions it doesn't know.
fn version_comment(text: &str) -> Option<Version> {
    let lines = text
        .lines()
        .map(str::trim)
        .take_while(|line| line.is_empty() || line.starts_with(';'));
    let value = lines
        .filter_map(|line| line.strip_prefix("; Version: "))
        .next()?;
    let minor = value.strip_prefix("1.")?.bytes().next()?.wrapping_sub(b'0');
    (minor <= Version::V1_6.minor).then_some(Version::new(1, minor))
}

fn print_version() -> Ending {
    let version = env!("CARGO_PKG_VERSION");
    let text = format!("spirvkit v{version}\nTarget: SPIR-V 1.6\nGrammar: {GRAMMAR_REVISION}\n");
    report::print(text.as_bytes())
}

const HELP_AS: &str = "\
spirv-as: assembles text to a SPIR-V module (spirvkit's `spv as`)

Usage: spirv-as [options] [FILE]

Reads FILE, or standard input without one or if it is `-`.

Options:
  -o FILE                 Write to FILE instead of out.spv; `-` is standard output
  --preserve-numeric-ids  Keep the numbers of ids such as %10
  --target-env ENV        Assemble for an environment: spv1.0 to spv1.6,
                          vulkan1.0 to vulkan1.4, vulkan1.1spv1.4, opencl1.2,
                          opencl2.0 to opencl2.2 (each also with `embedded`
                          behind), opengl4.0 to opengl4.3, opengl4.5
  -h, --help              Print this
  --version               Print the version
";

const HELP_DIS: &str = "\
spirv-dis: disassembles a SPIR-V module to text (spirvkit's `spv dis`)

Usage: spirv-dis [options] [FILE]

Reads FILE, or standard input without one or if it is `-`. The module may also
be hexadecimal text, in words or bytes.

Options:
  -o FILE                   Write to FILE; without this or with `-`, to standard
                            output
  --color, --no-color       Colour the text, or don't; by default only on a
                            terminal. The later one counts
  --no-indent               Start all instructions at the start of the line
  --no-header               Leave out the header
  --raw-id                  Show the numbers of ids instead of names
  --nested-indent           Indent blocks by structured control flow
  --reorder-blocks          Order blocks by structured control flow
  --offsets                 Show the offset of each instruction in bytes
  --comment                 Add comments
  --handle-unknown-opcodes  Write OpUnknown for unknown instructions
  -h, --help                Print this
  --version                 Print the version
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_told_by_the_name_of_the_program() {
        let tool = |name: &str| Tool::from_program(OsStr::new(name));
        assert_eq!(tool("spirv-as"), Some(Tool::As));
        assert_eq!(tool("/usr/bin/spirv-dis"), Some(Tool::Dis));
        assert_eq!(tool("tools/spirv-as.exe"), Some(Tool::As));
        assert_eq!(tool("spv"), None);
        assert_eq!(tool("spirv-asm"), None);
    }

    #[test]
    fn version_comments_count_in_the_exact_form_only() {
        let version = |text: &str| version_comment(text).map(|version| version.minor);
        assert_eq!(version("; SPIR-V\n; Version: 1.2\n; Bound: 3\n"), Some(2));
        assert_eq!(version("\n ; other\r\n\n; Version: 1.4\r\n"), Some(4));
        assert_eq!(version(";Version: 1.2\n"), None);
        assert_eq!(version(";  Version: 1.2\n"), None);
        assert_eq!(version("; Version:1.2\n"), None);
        assert_eq!(version("; Version: 1.9\n"), None);
        assert_eq!(version("; Version: 2.0\n"), None);
        assert_eq!(version("OpNop\n; Version: 1.2\n"), None);
    }
}
