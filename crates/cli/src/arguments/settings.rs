//! The validator's options, on the command lines of whatever validates.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use spirvkit::ValidateOptions;

use crate::exit::UsageError;

/// The validator's own options, under the names it has for them.
#[derive(Debug, Default)]
pub(crate) struct Settings(Vec<(&'static str, String)>);

impl Args for Settings {
    fn augment_args(command: Command) -> Command {
        command.args(ValidateOptions::settings().iter().map(|setting| {
            let argument = Arg::new(setting.name)
                .long(setting.name)
                .help(setting.help_text());
            let argument = match setting.value() {
                None => argument.action(ArgAction::SetTrue),
                Some(value) => argument.value_name(value),
            };
            argument.help_heading(match setting.is_limit() {
                true => "Limits",
                false => "Relaxations and layouts",
            })
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Settings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut settings = Self::default();
        settings.update_from_arg_matches(matches)?;
        Ok(settings)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for setting in ValidateOptions::settings() {
            let value = match setting.value() {
                None => matches.get_flag(setting.name).then(|| "true".to_owned()),
                Some(_) => matches.get_one::<String>(setting.name).cloned(),
            };
            self.0.extend(value.map(|value| (setting.name, value)));
        }
        Ok(())
    }
}

impl Settings {
    /// Sets what was given.
    pub(crate) fn apply(&self, options: &mut ValidateOptions) -> Result<(), UsageError> {
        for (name, value) in &self.0 {
            let set = options.set(name, value);
            set.map_err(|error| UsageError(format!("`--{name}`: {error}")))?;
        }
        Ok(())
    }

    /// What was given for one of them.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().rev().find(|(given, _)| *given == name);
        found.map(|(_, value)| value.as_str())
    }
}
