//! The established optimizer's command line.
//!
//! Flags that name passes count in their order, and as often as they are given; all others hold for
//! the whole run. Values follow `=`, but for those of `-o` and `--set-spec-const-default-value`.

use std::ffi::OsString;
use std::fmt::Write as _;

use spirvkit::diagnostics::Severity;
use spirvkit::opt::classic::{self, ROWS};
use spirvkit::opt::{Options, Recipe, flags};
use spirvkit::{TargetEnv, ValidateOptions, bytes_from_words, validate};

use super::environment;
use crate::arguments::{ColorWhen, environments};
use crate::commands::opt::{Watching, follow, tell_idle};
use crate::exit::{Ending, UsageError};
use crate::input::load::load_words;
use crate::output::Destination;
use crate::report::{self, Messages, Reporter, kinds};

/// What ids may be at most, if nothing else is said: what every implementation takes.
const MAX_ID_BOUND: u32 = 0x3f_ffff;

/// A flag that is no pass.
struct Setting {
    name: &'static str,
    /// What help calls its value, if it takes one.
    value: Option<&'static str>,
    help: &'static str,
    set: fn(&mut Line, &str) -> Result<(), String>,
}

/// What a command line says.
#[derive(Default)]
struct Line {
    recipe: Recipe,
    options: Options,
    watching: Watching,
    env: Option<TargetEnv>,
    /// Options of the validator that are on.
    relaxations: Vec<&'static str>,
    skips_validation: bool,
    validates_after_all: bool,
    output: Option<OsString>,
    input: Option<OsString>,
    shows: Option<Shown>,
}

#[derive(Clone, Copy)]
enum Shown {
    Help,
    Version,
}

/// Flags that are the validator's, by their names there.
macro_rules! forwarded {
    ($($name:literal $help:literal;)*) => {
        [$(Setting {
            name: concat!("--", $name),
            value: None,
            help: $help,
            set: |line, _| {
                line.relaxations.push($name);
                Ok(())
            },
        }),*]
    };
}

/// The switches and values of the optimizer itself.
static SETTINGS: [Setting; 12] = [
    Setting {
        name: "--print-all",
        value: None,
        help: "Print the module before each pass and after the last",
        set: |line, _| {
            line.watching.prints = true;
            Ok(())
        },
    },
    Setting {
        name: "--time-report",
        value: None,
        help: "Print how long each pass takes",
        set: |line, _| {
            line.watching.times = true;
            Ok(())
        },
    },
    Setting {
        name: "--validate-after-all",
        value: None,
        help: "Validate after each pass",
        set: |line, _| {
            line.validates_after_all = true;
            Ok(())
        },
    },
    Setting {
        name: "--skip-validation",
        value: None,
        help: "Don't validate the module before",
        set: |line, _| {
            line.skips_validation = true;
            Ok(())
        },
    },
    Setting {
        name: "--preserve-bindings",
        value: None,
        help: "Keep variables with bindings",
        set: |line, _| {
            line.options.preserve_bindings = true;
            Ok(())
        },
    },
    Setting {
        name: "--preserve-interface",
        value: None,
        help: "Keep the variables that entry points list",
        set: |line, _| {
            line.options.preserve_interface = true;
            Ok(())
        },
    },
    Setting {
        name: "--preserve-spec-constants",
        value: None,
        help: "Keep specialization constants",
        set: |line, _| {
            line.options.preserve_spec_constants = true;
            Ok(())
        },
    },
    Setting {
        name: "--max-id-bound",
        value: Some("N"),
        help: "Fail if ids get higher",
        set: |line, value| {
            let mut limits = ValidateOptions::default();
            let set = limits.set("max-id-bound", value);
            set.map_err(|error| error.to_string())?;
            line.watching.max_id_bound = Some(limits.limits.id_bound);
            Ok(())
        },
    },
    Setting {
        name: "--target-env",
        value: Some("ENV"),
        help: "Validate for one of the environments below",
        set: |line, value| {
            line.env = Some(environment(value.as_ref()).map_err(|error| error.0)?);
            Ok(())
        },
    },
    Setting {
        name: "-Oconfig",
        value: Some("FILE"),
        help: "Do what the flags in FILE say; # begins a comment",
        set: |line, value| {
            let text = std::fs::read_to_string(value).map_err(|error| error.to_string())?;
            let flags = flags(&text);
            // It might name itself.
            if flags.iter().any(|flag| flag.starts_with("-Oconfig")) {
                return Err("a file of flags can't name another".to_owned());
            }
            flags.iter().try_for_each(|flag| line.flag(flag, None))
        },
    },
    Setting {
        name: "--help",
        value: None,
        help: "Print this help",
        set: |line, _| {
            line.shows.get_or_insert(Shown::Help);
            Ok(())
        },
    },
    Setting {
        name: "--version",
        value: None,
        help: "Print the version",
        set: |line, _| {
            line.shows.get_or_insert(Shown::Version);
            Ok(())
        },
    },
];

static FORWARDED: [Setting; 7] = forwarded! {
    "before-hlsl-legalization" "Validate what is still to be legalized";
    "relax-block-layout" "Validate with relaxed layouts of blocks";
    "relax-logical-pointer" "Validate with more freedom for pointers";
    "relax-struct-store" "Validate with stores of similar structures";
    "scalar-block-layout" "Validate with scalar layouts";
    "skip-block-layout" "Don't validate layouts of blocks";
    "workgroup-scalar-block-layout" "Validate with scalar layouts of workgroup memory";
};

fn settings() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().chain(&FORWARDED)
}

impl Line {
    /// Takes a flag, whose value may be the next argument.
    fn flag(
        &mut self,
        flag: &str,
        next: Option<&mut dyn Iterator<Item = OsString>>,
    ) -> Result<(), String> {
        let (name, value) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (flag, None),
        };
        let name = if name == "-h" { "--help" } else { name };
        if let Some(setting) = settings().find(|setting| setting.name == name) {
            return match (setting.value, value) {
                (None, Some(_)) => Err(format!("`{name}` takes no value")),
                (Some(_), None) => Err(format!("`{name}` needs a value: `{name}=…`")),
                (_, value) => (setting.set)(self, value.unwrap_or_default())
                    .map_err(|error| format!("`{flag}`: {error}")),
            };
        }
        if flag == "--legalize-hlsl" {
            self.relaxations.push("relax-logical-pointer");
            self.relaxations.push("before-hlsl-legalization");
        } else if !matches!(flag, "-O" | "-Os") {
            let row = name.strip_prefix("--").and_then(classic::find);
            if row.is_none() {
                return Err(format!(
                    "there is no option `{flag}`; `--help` lists all options"
                ));
            }
            if name == "--set-spec-const-default-value" && value.is_none() {
                let value = next.and_then(|next| next.next()).unwrap_or_default();
                let flag = format!("{name}={}", value.to_string_lossy());
                return self.recipe.add(&flag).map_err(|error| error.to_string());
            }
        }
        self.recipe.add(flag).map_err(|error| error.to_string())
    }

    fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let mut line = Self::default();
        line.watching.max_id_bound = Some(MAX_ID_BOUND);
        while let Some(argument) = arguments.next() {
            if argument == "-o" {
                let output = arguments.next().ok_or("`-o` needs a value")?;
                if line.output.replace(output).is_some() {
                    return Err("`-o` is given more than once".into());
                }
            } else if argument == "-" || !argument.as_encoded_bytes().starts_with(b"-") {
                if line.input.replace(argument).is_some() {
                    return Err("more than one input file is given".into());
                }
            } else {
                line.flag(&argument.to_string_lossy(), Some(&mut arguments))?;
            }
        }
        Ok(line)
    }

    fn validation(&self) -> Result<ValidateOptions, UsageError> {
        let mut options = match self.env {
            Some(env) => ValidateOptions::for_env(env),
            None => ValidateOptions::default(),
        };
        for name in &self.relaxations {
            let set = options.set(name, "true");
            set.map_err(|error| UsageError(format!("`--{name}`: {error}")))?;
        }
        options.skip_debug_info = true;
        Ok(options)
    }
}

pub(super) fn run(arguments: impl Iterator<Item = OsString>) -> Result<Ending, UsageError> {
    let mut line = Line::parse(arguments).map_err(UsageError)?;
    match line.shows {
        Some(Shown::Help) => return Ok(report::print(help().as_bytes())),
        Some(Shown::Version) => return Ok(super::print_version()),
        None => {}
    }
    let Some(output) = &line.output else {
        return Err(UsageError(
            "`-o` is missing: where should the result go?".into(),
        ));
    };
    let destination = match output == "-" {
        true => Destination::Stdout,
        false => Destination::File(output.into()),
    };
    let validation = line.validation()?;
    if line.validates_after_all {
        line.watching.validation = Some(validation.clone());
    }
    let inputs = super::input(line.input.as_deref());
    tell_idle(&line.recipe, Reporter::plain());
    Ok(
        super::run_tool(&inputs, &destination, ColorWhen::Auto).convert(
            &|name, bytes, messages| {
                let (words, endianness) = load_words(name, bytes, messages)?;
                if !line.skips_validation {
                    check(name, &words, &validation, messages)?;
                }
                let done = follow(
                    name,
                    &words,
                    &line.recipe,
                    &line.options,
                    &line.watching,
                    messages,
                )?;
                Some(bytes_from_words(&done, endianness))
            },
        ),
    )
}

/// Reports why a module isn't valid.
fn check(
    name: &str,
    words: &[u32],
    options: &ValidateOptions,
    messages: &mut Messages,
) -> Option<()> {
    let report = validate(words, options);
    if report.is_valid() {
        return Some(());
    }
    let mut findings = report.diagnostics().iter();
    let first = findings.find(|it| it.severity() == Severity::Error);
    match first {
        Some(first) => messages.add_of(name, first),
        None => messages.add_of(name, &kinds::OPT_INVALID.error("the module is invalid")),
    }
    None
}

fn help() -> String {
    let mut text = "\
spirv-opt: optimizes a SPIR-V module (spirvkit's `spv opt`)

Usage: spirv-opt [options] [FILE] -o FILE

Reads FILE; `-`, or no FILE, is standard input. -o - is standard output.

Options:
"
    .to_owned();
    let mut row = |flag: &str, help: &str| {
        let _ = writeln!(text, "  {flag}\n      {help}");
    };
    row("-o FILE", "Write to FILE");
    row("-O", "Prefer fewer executed instructions");
    row("-Os", "Prefer fewer words");
    row("--legalize-hlsl", "Make what an HLSL compiler writes valid");
    for setting in settings() {
        let value = setting
            .value
            .map_or_else(String::new, |it| format!("={it}"));
        row(&format!("{}{value}", setting.name), setting.help);
    }
    text += "\nPasses, which are done in the order in which they are given:\n";
    for row in ROWS {
        let value = match row.argument {
            Some(value) if row.argument_is_optional() => {
                format!("[={}]", value.trim_matches(['[', ']']))
            }
            Some(value) => format!("={value}"),
            None => String::new(),
        };
        let _ = writeln!(text, "  --{}{value}\n      {}", row.name, row.about);
    }
    text += &format!("\nEnvironments:\n{}\n", environments::list("  "));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Line, String> {
        Line::parse(line.split_whitespace().map(OsString::from))
    }

    fn passes(line: &str) -> Vec<String> {
        let line = parse(line).expect("it's right");
        let names = line.recipe.passes().map(|pass| pass.name().to_owned());
        names.collect()
    }

    #[test]
    fn passes_are_done_in_order_and_as_often_as_given() {
        assert_eq!(
            passes("--merge-blocks -O --merge-blocks a.spv -Os -o b.spv"),
            ["merge-blocks", "performance", "merge-blocks", "size"]
        );
        assert_eq!(
            passes("--set-spec-const-default-value 1:2 --scalar-replacement=0"),
            ["set-spec-const-default-value", "scalar-replacement"]
        );
    }

    #[test]
    fn what_is_unknown_or_not_there_fails() {
        for (line, why) in [
            ("--no-such-pass", "no option `--no-such-pass`"),
            ("-O2", "no option `-O2`"),
            ("--merge-blocks=1", "takes no argument"),
            ("--target-env", "needs a value"),
            ("--target-env=spv9", "spv9"),
            ("--print-all=true", "takes no value"),
            ("a b", "more than one input"),
            ("-o", "needs a value"),
            ("--switch-descriptorset=x", "FROM:TO"),
        ] {
            let error = parse(line).err().unwrap_or_else(|| panic!("{line}"));
            assert!(error.contains(why), "{line}: {error}");
        }
    }

    #[test]
    fn all_that_is_no_pass_holds_for_the_whole_run() {
        let line =
            parse("--legalize-hlsl --preserve-interface --loop-peeling --max-id-bound=0x10 -");
        let line = line.expect("it's right");
        assert!(line.options.preserve_interface);
        assert_eq!(line.recipe.len(), Recipe::legalize_hlsl().len() + 1);
        assert_eq!(line.watching.max_id_bound, Some(16));
        assert!(line.relaxations.contains(&"relax-logical-pointer"));
        assert_eq!(line.input, Some("-".into()));
    }
}
