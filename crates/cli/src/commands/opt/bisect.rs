//! Which pass breaks a program.

use std::path::Path;
use std::process::{Command, Stdio};

use spirvkit::bytes_from_words;
use spirvkit::opt::{Bisection, Options, Recipe, bisect};
use spirvkit::transform::{Strip, strip};

use super::{Arguments, DebugInfo};
use crate::exit::{Ending, UsageError};
use crate::input::load::load_all;
use crate::output::Temporary;
use crate::report::{Messages, kinds};

/// Runs a command with intermediate results until it is known which pass is the first after which
/// it fails.
pub(super) fn run(
    arguments: &Arguments,
    command: &str,
    recipe: &Recipe,
    options: &Options,
) -> Result<Ending, UsageError> {
    let words = words(command).map_err(UsageError)?;
    let Some((program, fixed)) = words.split_first() else {
        return Err(UsageError("`--bisect` needs a command".into()));
    };
    let inputs = arguments.changing.inputs()?;
    if inputs.list.len() != 1 {
        return Err(UsageError("`--bisect` takes one input".into()));
    }
    let mut messages = Messages::new(arguments.changing.reporter());
    let Some(loaded) = load_all(&inputs, &mut messages).pop() else {
        messages.print();
        return Ok(Ending::Failure);
    };
    let name = loaded.name.clone();
    let mut failure = None;
    let mut succeeds = |words: &[u32]| match attempt(program, fixed, words) {
        Ok(succeeds) => succeeds,
        Err(error) => {
            failure.get_or_insert(error);
            false
        }
    };
    let mut module = loaded.module;
    if arguments.debug_info == DebugInfo::Drop {
        strip(&mut module, &Strip::DEBUG);
    }
    let found = bisect(recipe, &module.store(), options, &mut succeeds);
    if let Some(error) = failure {
        messages.add_of(
            &name,
            &kinds::OPT_BISECT.error(format!("`{program}`: {error}")),
        );
        messages.print();
        return Ok(Ending::Failure);
    }
    let (text, words) = match found {
        Err(error) => {
            messages.add_of(&name, &kinds::OPT_PASS.error(error.to_string()));
            messages.print();
            return Ok(Ending::Failure);
        }
        Ok(Bisection::FailsBefore) => ("the command fails for the input already".to_owned(), None),
        Ok(Bisection::NeverFails) => ("the command succeeds after all passes".to_owned(), None),
        Ok(Bisection::Found(culprit)) => {
            let place = format!("pass {} of {}", culprit.number + 1, recipe.len());
            let mut text = format!("the command first fails after `{}`, {place}", culprit.pass);
            if let Some(change) = culprit.change {
                text += &format!(", with change {change} to a function");
            }
            (text, Some(culprit.after))
        }
        Ok(_) => ("nothing is known".to_owned(), None),
    };
    let is_found = words.is_some();
    messages.add_line(&format!("{name}: {text}"));
    if let (Some(words), Some(path)) = (words, &arguments.changing.files.output) {
        let bytes = bytes_from_words(&words, Default::default());
        let path = crate::output::Destination::File(path.clone());
        crate::report::write(&path, &bytes, &mut messages);
    }
    messages.print();
    Ok(Ending::unless(messages.failed() || !is_found))
}

/// The words of a command, with spaces between them. What is between quotes, simple or double, is
/// one word, or a part of one.
fn words(command: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in command.chars() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match quote {
        Some(quote) => Err(format!("`--bisect`: there is no second {quote}")),
        None => Ok(words),
    }
}

/// Whether a command succeeds with a module in a file, whose path is its last argument.
fn attempt(program: &str, fixed: &[String], words: &[u32]) -> std::io::Result<bool> {
    let bytes = bytes_from_words(words, Default::default());
    let folder = std::env::temp_dir();
    let (file, status) = Temporary::make(&folder.join("spv-opt.spv"), |path: &Path| {
        std::fs::write(path, &bytes)?;
        let mut command = Command::new(program);
        command.args(fixed).arg(path);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.status()
    })?;
    drop(file);
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn commands_are_words_between_spaces() {
        let words = |command| words(command).map(|words| words.join("|"));
        assert_eq!(
            words("run a,b #1  'x \"y' \"\" z\" \"z"),
            Ok("run|a,b|#1|x \"y||z z".to_owned())
        );
        assert_eq!(words("  "), Ok(String::new()));
        assert!(words("a 'b").is_err());
    }
}
