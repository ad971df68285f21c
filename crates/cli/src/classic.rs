//! The established tools' command lines.
//!
//! Under the name `spirv-as`, `spirv-diff`, `spirv-dis`, `spirv-link`, `spirv-opt` or `spirv-val` the program takes the
//! options of the tool of that name and has its defaults, which differ from those of
//! `spv`: the assembler renumbers ids, writes `out.spv`, names itself as the
//! generator, and takes nothing but the version from the comments at the top.

mod flags;
mod opt;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use spirvkit::diagnostics::visible_lines;
use spirvkit::diff::{Options as DiffOptions, TextOptions};
use spirvkit::grammar::{GRAMMAR_REVISION, Generator};
use spirvkit::transform::link::Options as LinkOptions;
use spirvkit::{
    AssembleOptions, DisassembleOptions, Endianness, IdNumbering, Indentation, TargetEnv,
    ValidateOptions, Version,
};

use crate::arguments::ColorWhen;
use crate::change::combine::together;
use crate::commands::{diff, dis, link, val};
use crate::exit::{Ending, UsageError};
use crate::input::load::{assemble, text};
use crate::input::{Content, Input, Inputs};
use crate::output::Destination;
use crate::report::{self, Format, Reporter};
use crate::run::Run;
use crate::tool::Tool;
use flags::{CommandLine, Flag};

/// The assembler of SPIRV-Tools in the registry of generators. Scripts compare
/// modules byte for byte, so this is part of the tool's behaviour.
const GENERATOR: Generator = Generator::new(7, 0);

/// The linker of SPIRV-Tools in the registry of generators.
const LINK_GENERATOR: Generator = Generator::new(17, 0);

/// Runs the program as an established tool.
pub(crate) fn run(tool: Tool, arguments: impl Iterator<Item = OsString>) -> Ending {
    if tool == Tool::Opt {
        return told(opt::run(arguments));
    }
    let ending = CommandLine::parse(tool, arguments).and_then(|line| {
        if line.has(Flag::ShortHelp) || line.has(Flag::Help) {
            return Ok(report::print(flags::help(tool).as_bytes()));
        }
        if line.has(Flag::Version) {
            return Ok(print_version());
        }
        match tool {
            Tool::As => run_as(&line),
            Tool::Diff => run_diff(&line),
            Tool::Dis => run_dis(&line),
            Tool::Link => run_link(&line),
            Tool::Opt | Tool::Val => run_val(&line),
        }
    });
    told(ending)
}

/// How it ended, after what is wrong with the command line was told.
fn told(ending: Result<Ending, UsageError>) -> Ending {
    ending.unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "error: {}", visible_lines(&error.0));
        // Unlike `spv`, the established tools don't tell bad usage from other
        // failures.
        Ending::Failure
    })
}

fn run_as(line: &CommandLine) -> Result<Ending, UsageError> {
    let numbering = match line.has(Flag::PreserveNumericIds) {
        true => IdNumbering::Preserve,
        false => IdNumbering::Renumber,
    };
    let target = line.value(Flag::TargetEnv).map(environment).transpose()?;
    let inputs = inputs(line)?;
    let destination = destination(line, Destination::File("out.spv".into()));
    let options = AssembleOptions::default()
        .numbering(numbering)
        .header_comments(false)
        .undefined_ids(false)
        .generator(Some(GENERATOR));
    Ok(
        run_tool(&inputs, &destination, ColorWhen::Auto).convert(&|name, bytes, messages| {
            let text = text(name, bytes, messages)?;
            let version = target
                .map(TargetEnv::version)
                .or_else(|| version_comment(&text));
            let options = options
                .clone()
                .target(Some(version.unwrap_or(Version::V1_6)));
            let module = assemble(name, &text, &options, messages)?;
            Some(module.to_bytes(Endianness::Little))
        }),
    )
}

fn color(line: &CommandLine) -> ColorWhen {
    match (line.has(Flag::NoColor), line.has(Flag::Color)) {
        (true, _) => ColorWhen::Never,
        (false, true) => ColorWhen::Always,
        (false, false) => ColorWhen::Auto,
    }
}

fn run_diff(line: &CommandLine) -> Result<Ending, UsageError> {
    let [a, b] = &line.files[..] else {
        return Err(UsageError("two files must be given".into()));
    };
    let mut options = DiffOptions::default();
    options.match_set_binding = !line.has(Flag::IgnoreSetBinding);
    options.match_location = !line.has(Flag::IgnoreLocation);
    options.ignore.header = line.has(Flag::NoHeader);
    let Some((found, _)) = diff::compare(&[a.into(), b.into()], &options, Reporter::plain())?
    else {
        return Ok(Ending::Failure);
    };
    let options = TextOptions::default()
        .context(None)
        .places(false)
        .color(color(line).on_stdout())
        .indent(!line.has(Flag::NoIndent))
        .id_map(line.has(Flag::WithIdMap));
    Ok(report::print(found.to_text(&options).as_bytes()))
}

fn run_dis(line: &CommandLine) -> Result<Ending, UsageError> {
    let color = color(line);
    let inputs = inputs(line)?;
    let destination = destination(line, Destination::Stdout);
    let options = DisassembleOptions::default()
        .friendly_names(!line.has(Flag::RawId))
        .header(!line.has(Flag::NoHeader))
        .indentation(match line.has(Flag::NoIndent) {
            true => Indentation::None,
            false => Indentation::Column,
        })
        .nested_indentation(line.has(Flag::NestedIndent))
        .reorder_blocks(line.has(Flag::ReorderBlocks))
        .offsets(line.has(Flag::Offsets))
        .comments(line.has(Flag::Comment))
        .handle_unknown_opcodes(line.has(Flag::HandleUnknownOpcodes))
        // Files are never coloured, whatever the options say.
        .color(destination == Destination::Stdout && color.on_stdout());
    Ok(run_tool(&inputs, &destination, color)
        .convert(&|name, bytes, messages| dis::disassemble(name, bytes, &options, messages)))
}

fn run_link(line: &CommandLine) -> Result<Ending, UsageError> {
    line.value(Flag::TargetEnv).map(environment).transpose()?;
    if line.files.is_empty() {
        return Err(UsageError("no input file is given".into()));
    }
    let options = LinkOptions::default()
        .create_library(line.has(Flag::CreateLibrary))
        .allow_partial_linkage(line.has(Flag::AllowPartialLinkage))
        .use_highest_version(line.has(Flag::UseHighestVersion))
        .allow_pointer_mismatch(line.has(Flag::AllowPointerMismatch));
    let paths: Vec<PathBuf> = line.files.iter().map(PathBuf::from).collect();
    let inputs = Inputs::find(&paths, &[Content::Module])?;
    let destination = destination(line, Destination::File(link::DEFAULT_OUTPUT.into()));
    let reporter = Reporter::plain();
    Ok(together(
        &inputs,
        &destination,
        reporter,
        |loaded, messages| {
            let mut module = link::link_loaded(loaded, &options, messages)?;
            module.set_generator(LINK_GENERATOR);
            Some(module)
        },
    ))
}

fn run_val(line: &CommandLine) -> Result<Ending, UsageError> {
    let env = line.value(Flag::TargetEnv).map(environment).transpose()?;
    let mut options = match env {
        Some(env) => ValidateOptions::for_env(env),
        None => ValidateOptions::default(),
    };
    for (name, value) in line.settings() {
        let value = value.map_or_else(|| "true".into(), OsStr::to_string_lossy);
        let set = options.set(name, &value);
        set.map_err(|error| UsageError(format!("`--{name}`: {error}")))?;
    }
    // The established tool knows nothing of these.
    options.skip_debug_info = true;
    let paths: Vec<PathBuf> = line.files.iter().map(PathBuf::from).collect();
    if paths.len() > 1 {
        return Err(UsageError("there is more than one input file".into()));
    }
    let inputs = Inputs::find(&paths, &[Content::Module])?;
    Ok(val::run_classic(&inputs, options))
}

fn run_tool<'a>(inputs: &'a Inputs, destination: &'a Destination, color: ColorWhen) -> Run<'a> {
    Run {
        inputs,
        destination,
        reporter: Reporter::new(Format::Human, color.on_stderr()),
        jobs: None,
    }
}

fn inputs(line: &CommandLine) -> Result<Inputs, UsageError> {
    match &*line.files {
        [] => Ok(input(None)),
        [file] => Ok(input(Some(file))),
        _ => Err(UsageError("more than one input file is given".into())),
    }
}

/// The one input, which is standard input if none is named.
fn input(file: Option<&OsStr>) -> Inputs {
    let input = match file {
        Some(file) if !file.is_empty() && file != "-" => Input::file(Path::new(file)),
        _ => Input::stdin(),
    };
    Inputs {
        list: vec![input],
        many: false,
    }
}

fn destination(line: &CommandLine, default: Destination) -> Destination {
    match line.value(Flag::Output) {
        None => default,
        Some(path) if path == "-" => Destination::Stdout,
        Some(path) => Destination::File(path.into()),
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

#[cfg(test)]
mod tests {
    use super::*;

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
