//! Which passes a command line names.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Write as _;

use spirvkit::opt::Recipe;
use spirvkit::opt::classic::{self, ROWS, State};

use super::Arguments;
use crate::exit::UsageError;
use crate::report::{Messages, Reporter};

/// Arguments of `spv` in which all that names passes of `opt` is one option, so that their order is
/// that of the command line.
pub(crate) fn with_passes(all: Vec<OsString>) -> Vec<OsString> {
    let Some(command) = command(&all).filter(|&place| all[place] == "opt") else {
        return all;
    };
    let mut result = all[..=command].to_vec();
    let mut rest = all.into_iter().skip(command + 1);
    while let Some(argument) = rest.next() {
        if argument == "--" {
            result.push(argument);
            break;
        }
        if argument == "--passes" {
            // What follows is a list, even if it looks like an option.
            result.push(argument);
            result.extend(rest.next());
            continue;
        }
        let list = argument.to_str().and_then(|text| match text {
            "-O0" => Some("none".to_owned()),
            "-O" | "-Os" | "--legalize-hlsl" => Some(text.to_owned()),
            _ => match text.strip_prefix("-Oconfig=") {
                Some(file) => Some(format!("@{file}")),
                None => named(text).map(|needs| match needs {
                    // Quotes keep what is behind spaces together.
                    true => {
                        let value = rest.next().unwrap_or_default();
                        format!("\"{text}={}\"", value.to_string_lossy())
                    }
                    false => format!("\"{text}\""),
                }),
            },
        });
        match list {
            Some(list) => result.push(format!("--passes={list}").into()),
            None => result.push(argument),
        }
    }
    result.extend(rest);
    result
}

/// Where the command is: behind the options that all commands have, and their values.
fn command(all: &[OsString]) -> Option<usize> {
    let mut place = 0;
    loop {
        let argument = all.get(place)?.as_encoded_bytes();
        place += match argument {
            b"--max-input" => 2,
            _ if argument.starts_with(b"-") => 1,
            _ => return Some(place),
        };
    }
}

/// Whether an option is a pass, and if so, whether its argument is the next one.
fn named(text: &str) -> Option<bool> {
    let name = text.strip_prefix("--")?;
    let (name, is_given) = match name.split_once('=') {
        Some((name, _)) => (name, true),
        None => (name, false),
    };
    let row = classic::find(name)?;
    Some(row.argument.is_some() && !row.argument_is_optional() && !is_given)
}

/// The passes that are to be done.
pub(super) fn recipe(arguments: &Arguments) -> Result<Recipe, UsageError> {
    let mut recipe = Recipe::new();
    for list in arguments.passes.iter().filter(|&list| list != "none") {
        recipe.extend(&of_list(list)?);
    }
    if arguments.performance {
        recipe.extend(&Recipe::performance());
    }
    if arguments.legalize_hlsl {
        recipe.extend(&Recipe::legalize_hlsl());
    }
    // A list without passes asks for none.
    if arguments.size || recipe.is_empty() && arguments.passes.is_empty() {
        recipe.extend(&Recipe::size());
    }
    Ok(recipe)
}

/// The passes of a list, or of the file behind an `@`.
pub(crate) fn of_list(list: &str) -> Result<Recipe, UsageError> {
    let Some(file) = list.strip_prefix('@') else {
        return parse(list);
    };
    let text = std::fs::read_to_string(file)
        .map_err(|error| UsageError(format!("can't read `{file}`: {error}")))?;
    parse(&text).map_err(|error| UsageError(format!("`{file}`: {}", error.0)))
}

fn parse(text: &str) -> Result<Recipe, UsageError> {
    Recipe::parse(text).map_err(|error| UsageError(error.to_string()))
}

/// Tells which passes of a recipe change nothing, whatever they are given.
pub(crate) fn tell_idle(recipe: &Recipe, reporter: Reporter) {
    let mut messages = Messages::new(reporter);
    let mut told = BTreeSet::new();
    for pass in recipe.passes() {
        let row = classic::find(pass.name()).filter(|row| row.state() == State::Nothing);
        if row.is_some() && told.insert(pass.name()) {
            messages.add_note(&format!("note: `--{}` changes nothing here", pass.name()));
        }
    }
    messages.print();
}

/// All passes, with what they do.
pub(super) fn list() -> String {
    let mut text = String::new();
    let name = |row: &classic::Row| match row.argument {
        Some(argument) if row.argument_is_optional() => {
            let inner = argument.trim_matches(['[', ']']);
            format!("{}[={inner}]", row.name)
        }
        Some(argument) => format!("{}={argument}", row.name),
        None => row.name.to_owned(),
    };
    for row in ROWS {
        let _ = writeln!(text, "{}\n    {}", name(row), row.about);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(line: &str) -> String {
        let all = line.split(' ').map(OsString::from).collect();
        let changed = with_passes(all);
        let changed: Vec<String> = (changed.iter())
            .map(|it| it.to_string_lossy().into_owned())
            .collect();
        changed.join(" ")
    }

    #[test]
    fn what_names_passes_becomes_one_option_in_order() {
        assert_eq!(
            changed("opt -O --merge-blocks a.spv -Os -Oconfig=list -O0 -o b.spv"),
            "opt --passes=-O --passes=\"--merge-blocks\" a.spv --passes=-Os --passes=@list \
             --passes=none -o b.spv"
        );
        assert_eq!(
            changed("opt --switch-descriptorset 0:1 --reduce-load-size x"),
            "opt --passes=\"--switch-descriptorset=0:1\" --passes=\"--reduce-load-size\" x"
        );
        assert_eq!(
            changed("--max-input 1K opt --passes -O -O"),
            "--max-input 1K opt --passes -O --passes=-O"
        );
        for same in [
            "opt --report -s a.spv",
            "val --merge-blocks",
            "opt -- --merge-blocks",
        ] {
            assert_eq!(changed(same), same);
        }
    }

    #[test]
    fn all_passes_are_listed() {
        let list = list();
        assert!(list.contains("scalar-replacement[=N]\n"), "{list}");
        assert!(list.contains("switch-descriptorset=FROM:TO\n"), "{list}");
    }
}
