//! The established tools' flags, and taking a command line apart as those tools
//! do.
//!
//! Switches may be followed by `=true` or `=false`. Values are the next
//! argument or, of flags with two dashes, follow `=`. After `--` all arguments
//! are files. No flag may be given twice.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};

use spirvkit::ValidateOptions;

use crate::arguments::environments;
use crate::exit::UsageError;
use crate::tool::Tool;

/// A flag of either tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    Output,
    PreserveNumericIds,
    TargetEnv,
    Color,
    NoColor,
    NoIndent,
    NoHeader,
    RawId,
    NestedIndent,
    ReorderBlocks,
    Offsets,
    Comment,
    HandleUnknownOpcodes,
    WithIdMap,
    IgnoreSetBinding,
    IgnoreLocation,
    CreateLibrary,
    AllowPartialLinkage,
    UseHighestVersion,
    AllowPointerMismatch,
    VerifyIds,
    /// One of the validator's options, by its name there.
    Setting(&'static str),
    ShortHelp,
    Help,
    Version,
}

/// What there is to know about a flag.
#[derive(Clone)]
struct Row {
    flag: Flag,
    name: Cow<'static, str>,
    /// What help calls its value, if it takes one.
    value: Option<&'static str>,
    tools: &'static [Tool],
    help: Cow<'static, str>,
}

const AS: &[Tool] = &[Tool::As];
const DIFF: &[Tool] = &[Tool::Diff];
const DIS: &[Tool] = &[Tool::Dis];
const LINK: &[Tool] = &[Tool::Link];
const VAL: &[Tool] = &[Tool::Val];
/// What shows instructions.
const SHOWING: &[Tool] = &[Tool::Dis, Tool::Diff];
const ALL: &[Tool] = &Tool::ALL;

/// A flag, its name, what help calls its value if it takes one, the tools that have it, and
/// its help.
macro_rules! flags {
    ($($flag:ident $name:literal $($value:literal)?, $tools:ident: $help:literal;)*) => {
        &[$(Row {
            flag: Flag::$flag,
            name: Cow::Borrowed($name),
            value: [$(Some($value),)? None][0],
            tools: $tools,
            help: Cow::Borrowed($help),
        }),*]
    };
}

/// All flags, in the order of the help texts.
static FLAGS: &[Row] = flags! {
    Output "-o" "FILE", AS: "Write to FILE instead of out.spv; `-` is standard output";
    Output "-o" "FILE", DIS: "Write to FILE instead of standard output, which is `-`";
    PreserveNumericIds "--preserve-numeric-ids", AS: "Keep the numbers of ids such as %10";
    TargetEnv "--target-env" "ENV", AS: "Assemble for one of the environments below";
    Color "--color", SHOWING: "Colour the text; by default only on a terminal";
    NoColor "--no-color", SHOWING: "Don't colour the text, even with --color";
    NoIndent "--no-indent", SHOWING: "Don't indent instructions";
    NoHeader "--no-header", SHOWING: "Leave out the header";
    WithIdMap "--with-id-map", DIFF: "Also show which ids correspond";
    IgnoreSetBinding "--ignore-set-binding", DIFF: "Don't match variables by set and binding";
    IgnoreLocation "--ignore-location", DIFF: "Don't match variables by location";
    RawId "--raw-id", DIS: "Show the numbers of ids instead of names";
    NestedIndent "--nested-indent", DIS: "Indent blocks by structured control flow";
    ReorderBlocks "--reorder-blocks", DIS: "Order blocks by structured control flow";
    Offsets "--offsets", DIS: "Show the byte offset of each instruction";
    Comment "--comment", DIS: "Add comments";
    HandleUnknownOpcodes "--handle-unknown-opcodes", DIS: "Write OpUnknown for unknown instructions";
    TargetEnv "--target-env" "ENV", VAL: "Check for one of the environments below";
    Output "-o" "FILE", LINK: "Write to FILE instead of out.spv; `-` is standard output";
    CreateLibrary "--create-library", LINK: "Keep the exports";
    AllowPartialLinkage "--allow-partial-linkage", LINK: "Leave imports that no module exports";
    UseHighestVersion "--use-highest-version", LINK: "Use the highest version of the inputs";
    AllowPointerMismatch "--allow-pointer-mismatch", LINK: "Convert pointers in calls if their types differ";
    VerifyIds "--verify-ids", LINK: "No effect: ids are always unique";
    TargetEnv "--target-env" "ENV", LINK: "No effect: the inputs give the version";
    ShortHelp "-h", ALL: "Print this help";
    Help "--help", ALL: "Print this help";
    Version "--version", ALL: "Print the version";
};

/// The flags of a tool. Those of the validator's own options come last.
fn rows(tool: Tool) -> impl Iterator<Item = Row> {
    let settings = match tool {
        Tool::Val => ValidateOptions::settings(),
        Tool::As | Tool::Diff | Tool::Dis | Tool::Link | Tool::Opt => &[],
    };
    let settings = settings.iter().map(|setting| Row {
        flag: Flag::Setting(setting.name),
        name: Cow::Owned(format!("--{}", setting.name)),
        value: setting.value(),
        tools: VAL,
        help: Cow::Owned(setting.help_text()),
    });
    let own = FLAGS.iter().filter(move |row| row.tools.contains(&tool));
    own.cloned().chain(settings)
}

/// A command line taken apart.
#[derive(Debug, Default)]
pub(super) struct CommandLine {
    /// The flags that were given, with their values if they take one, and
    /// whether they are on.
    flags: Vec<(Flag, Option<OsString>, bool)>,
    pub(super) files: Vec<OsString>,
}

impl CommandLine {
    pub(super) fn parse(
        tool: Tool,
        mut arguments: impl Iterator<Item = OsString>,
    ) -> Result<Self, UsageError> {
        let mut line = Self::default();
        while let Some(argument) = arguments.next() {
            if argument == "--" {
                line.files.extend(arguments);
                break;
            }
            if argument == "-" || !argument.as_encoded_bytes().starts_with(b"-") {
                line.files.push(argument);
                continue;
            }
            let text = argument.to_string_lossy();
            let (name, attached) = match text.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value)),
                _ => (&*text, None),
            };
            let Some(row) = rows(tool).find(|row| row.name == name) else {
                let message = format!("there is no option `{name}`; `--help` lists all options");
                return Err(UsageError(message));
            };
            if line.flags.iter().any(|(flag, ..)| *flag == row.flag) {
                return Err(UsageError(format!("`{name}` is given more than once")));
            }
            let (value, on) = match (row.value, attached) {
                (None, None | Some("true")) => (None, true),
                (None, Some("false")) => (None, false),
                (None, Some(_)) => {
                    let message = format!("the option `{name}` accepts only `true` or `false`");
                    return Err(UsageError(message));
                }
                (Some(_), Some(value)) => (Some(value.into()), true),
                (Some(_), None) => match arguments.next() {
                    Some(value) => (Some(value), true),
                    None => return Err(UsageError(format!("the option `{name}` needs a value"))),
                },
            };
            line.flags.push((row.flag, value, on));
        }
        Ok(line)
    }

    /// The validator's options that were given, and their values if they take one.
    /// Switches that are off are left out.
    pub(super) fn settings(&self) -> impl Iterator<Item = (&'static str, Option<&OsStr>)> {
        let on = self.flags.iter().filter(|(.., on)| *on);
        on.filter_map(|(flag, value, _)| match flag {
            Flag::Setting(name) => Some((*name, value.as_deref())),
            _ => None,
        })
    }

    /// Whether a switch is on.
    pub(super) fn has(&self, flag: Flag) -> bool {
        self.flags
            .iter()
            .any(|(given, _, on)| *given == flag && *on)
    }

    /// The value of a flag. An empty one counts for none.
    pub(super) fn value(&self, flag: Flag) -> Option<&OsStr> {
        let (_, value, _) = self.flags.iter().find(|(given, ..)| *given == flag)?;
        value.as_deref().filter(|value| !value.is_empty())
    }
}

/// The help text of a tool.
pub(super) fn help(tool: Tool) -> String {
    let about = match tool {
        Tool::As => "assembles text to a SPIR-V module (spirvkit's `spv as`)",
        Tool::Diff => "compares two SPIR-V modules (spirvkit's `spv diff`)",
        Tool::Dis => "disassembles a SPIR-V module to text (spirvkit's `spv dis`)",
        Tool::Link => "links SPIR-V modules into one (spirvkit's `spv link`)",
        Tool::Opt => "optimizes a SPIR-V module (spirvkit's `spv opt`)",
        Tool::Val => "checks SPIR-V modules (spirvkit's `spv val`)",
    };
    let input = match tool {
        Tool::As => "",
        Tool::Diff => "",
        Tool::Dis => " The module may also\nbe hexadecimal text, in words or bytes.",
        Tool::Link | Tool::Opt => "",
        Tool::Val => " A directory\nmeans the modules in it and below.",
    };
    let name = tool.name();
    let (files, reads) = match tool {
        Tool::Diff => ("FILE FILE", "Reads both files; `-` is standard input."),
        Tool::Link => ("FILE…", "Reads each FILE; `-` is standard input."),
        _ => ("[FILE]", "Reads FILE; `-`, or no FILE, is standard input."),
    };
    let mut text = format!(
        "{name}: {about}\n\nUsage: {name} [options] {files}\n\n{reads}{input}\n\nOptions:\n"
    );
    let width = if tool == Tool::Val { 36 } else { 25 };
    for row in rows(tool) {
        let value = row.value.map(|value| format!(" {value}"));
        let flag = format!("{}{}", row.name, value.unwrap_or_default());
        text += &format!("  {flag:<width$} {}\n", wrapped(&row.help, 2 + width + 1));
    }
    if rows(tool).any(|row| row.flag == Flag::TargetEnv) {
        text += &format!("\nEnvironments:\n{}\n", environments::list("  "));
    }
    text
}

/// A sentence on lines that are no longer than help texts have them, of which all but
/// the first are indented.
fn wrapped(sentence: &str, indent: usize) -> String {
    let mut text = String::new();
    let mut column = indent;
    for word in sentence.split(' ') {
        if column > indent && column + 1 + word.len() > environments::WIDTH {
            text += &format!("\n{:indent$}", "");
            column = indent;
        } else if column > indent {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += word.len();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(tool: Tool, arguments: &str) -> Result<CommandLine, String> {
        let arguments = arguments.split_whitespace().map(OsString::from);
        CommandLine::parse(tool, arguments).map_err(|error| error.0)
    }

    #[test]
    fn each_tool_has_a_flag_once_and_lists_it() {
        for tool in Tool::ALL.into_iter().filter(|&tool| tool != Tool::Opt) {
            let help = help(tool);
            for row in rows(tool) {
                let same =
                    rows(tool).filter(|other| other.name == row.name || other.flag == row.flag);
                assert_eq!(same.count(), 1, "{}", row.name);
                let line = help
                    .lines()
                    .find(|line| line.split_whitespace().next() == Some(&*row.name));
                let start = row.help.split(' ').next().unwrap_or_default();
                assert!(line.is_some_and(|line| line.contains(start)), "{help}");
                let words: Vec<&str> = help.split_whitespace().collect();
                assert!(words.join(" ").contains(&*row.help), "{help}");
            }
            assert!(
                help.lines().all(|line| line.len() <= environments::WIDTH),
                "{help}"
            );
        }
        assert!(help(Tool::As).contains("opencl2.2embedded"));
        assert!(!help(Tool::Dis).contains("opencl"));
    }

    #[test]
    fn switches_take_true_and_false() {
        let on = |arguments: &str| parse(Tool::Dis, arguments).map(|line| line.has(Flag::RawId));
        assert_eq!(on("--raw-id"), Ok(true));
        assert_eq!(on("--raw-id=true"), Ok(true));
        assert_eq!(on("--raw-id=false"), Ok(false));
        assert_eq!(on("a"), Ok(false));
        for value in ["", "1", "True", "yes"] {
            let error = on(&format!("--raw-id={value}")).expect_err("it's no boolean");
            assert!(error.contains("`--raw-id`"), "{error}");
        }
        assert!(on("-h=true").is_err());
    }

    #[test]
    fn values_follow_or_are_attached_to_two_dashes() {
        let value = |arguments: &str, flag| {
            let line = parse(Tool::As, arguments).expect("it's right");
            line.value(flag).map(OsStr::to_owned)
        };
        assert_eq!(
            value("--target-env=spv1.0", Flag::TargetEnv),
            Some("spv1.0".into())
        );
        assert_eq!(
            value("--target-env spv1.0", Flag::TargetEnv),
            Some("spv1.0".into())
        );
        assert_eq!(value("--target-env=", Flag::TargetEnv), None);
        assert_eq!(value("-o --", Flag::Output), Some("--".into()));
        for wrong in ["-o=x", "-ox", "--o x", "a -o", "--target-env"] {
            assert!(parse(Tool::As, wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn no_flag_is_given_twice() {
        for twice in [
            "--raw-id --raw-id",
            "-h -h",
            "--raw-id=false --raw-id",
            "-o a -o b",
        ] {
            let error = parse(Tool::Dis, twice).expect_err("it's given twice");
            assert!(error.contains("more than once"), "{error}");
        }
        assert!(parse(Tool::Dis, "-h --help").is_ok());
    }

    #[test]
    fn all_are_files_after_two_dashes() {
        let files = |arguments: &str| parse(Tool::Dis, arguments).map(|line| line.files);
        assert_eq!(
            files("a -- --raw-id -- -o"),
            Ok(["a", "--raw-id", "--", "-o"].map(OsString::from).into())
        );
        assert_eq!(files("a --"), Ok(vec!["a".into()]));
        assert_eq!(files("-"), Ok(vec!["-".into()]));
    }
}
