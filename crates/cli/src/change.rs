//! What the commands that change modules share: changing each of many, or making one of
//! several.

pub(crate) mod combine;
pub(crate) mod constants;
mod telling;

use spirvkit::ir::Module;
use spirvkit::{Diagnostic, bytes_from_words};

use crate::arguments::{Changing, Telling};
use crate::exit::{Ending, UsageError};
use crate::input::load::{Loaded, load, load_all, load_words};
use crate::input::{Content, Inputs};
use crate::output::Destination;
use crate::report::{Format, Messages, Reporter, write};
use crate::run::Run;

/// Makes words of the words of an input of some name, or adds to the messages why not.
type ChangeWords<'a> = &'a (dyn Fn(&str, &[u32], &mut Messages) -> Option<Vec<u32>> + Sync);

impl Changing {
    /// How to tell things.
    pub(crate) fn reporter(&self) -> Reporter {
        Reporter::new(self.files.format, self.color.on_stderr())
    }

    /// The inputs.
    pub(crate) fn inputs(&self) -> Result<Inputs, UsageError> {
        Inputs::modules(&self.files.inputs)
    }

    /// Changes each input by itself, writes it, and tells what became of it, if that is
    /// wanted. `change` adds what there is to say to the list; if there is an error among
    /// it, nothing is written.
    pub(crate) fn each(
        &self,
        telling: &Telling,
        change: impl Fn(&mut Module, &mut Vec<Diagnostic>) + Sync,
    ) -> Result<Ending, UsageError> {
        self.each_of(&self.inputs()?, telling, change)
    }

    /// The same with inputs that were found before.
    pub(crate) fn each_of(
        &self,
        inputs: &Inputs,
        telling: &Telling,
        change: impl Fn(&mut Module, &mut Vec<Diagnostic>) + Sync,
    ) -> Result<Ending, UsageError> {
        let run = Run {
            inputs,
            destination: &self.destination(inputs, telling.dry_run)?,
            reporter: self.reporter(),
            jobs: self.files.jobs,
        };
        Ok(run.convert(&|name, bytes, messages| {
            let mut loaded = load(name, bytes, messages)?;
            let mut diagnostics = Vec::new();
            let before = telling.is_wanted().then(|| loaded.module.store());
            change(&mut loaded.module, &mut diagnostics);
            messages.add_all(name, &diagnostics);
            if let Some(before) = before.filter(|_| !messages.failed()) {
                telling.tell(name, &before, &loaded.module.store(), messages);
            }
            (!messages.failed() && !telling.dry_run).then(|| loaded.to_bytes())
        }))
    }

    /// Changes the words of each input; in a dry run, nothing is written.
    pub(crate) fn each_as_words(
        &self,
        inputs: &Inputs,
        dry_run: bool,
        change: ChangeWords<'_>,
    ) -> Result<Ending, UsageError> {
        let run = Run {
            inputs,
            destination: &self.destination(inputs, dry_run)?,
            reporter: self.reporter(),
            jobs: self.files.jobs,
        };
        Ok(run.convert(&|name, bytes, messages| {
            let (words, endianness) = load_words(name, bytes, messages)?;
            let changed = change(name, &words, messages)?;
            (!messages.failed() && !dry_run).then(|| bytes_from_words(&changed, endianness))
        }))
    }

    /// Where the modules go that these inputs become.
    fn destination(&self, inputs: &Inputs, dry_run: bool) -> Result<Destination, UsageError> {
        match dry_run {
            true => Ok(Destination::Stdout),
            false => self.files.destination(inputs, Content::Module),
        }
    }

    /// Shows what `describe` says of each input on standard output, under its name if
    /// there are several.
    /// In JSON, that is for `describe` to tell.
    pub(crate) fn show(
        &self,
        describe: impl Fn(&Loaded, Format) -> String,
    ) -> Result<Ending, UsageError> {
        let inputs = self.inputs()?;
        let mut messages = Messages::new(self.reporter());
        let mut text = String::new();
        for loaded in load_all(&inputs, &mut messages) {
            if inputs.many && self.files.format == Format::Human {
                text.push_str(&loaded.name);
                text.push('\n');
            }
            text.push_str(&describe(&loaded, self.files.format));
        }
        write(&Destination::Stdout, text.as_bytes(), &mut messages);
        messages.print();
        Ok(Ending::unless(messages.failed()))
    }

    /// Reads the one input there is, and calls `work` with it.
    pub(crate) fn single(
        &self,
        work: impl FnOnce(Loaded, &mut Messages),
    ) -> Result<Ending, UsageError> {
        let inputs = self.inputs()?;
        if inputs.list.len() != 1 {
            return Err(UsageError("this command takes only one input".into()));
        }
        let mut messages = Messages::new(self.reporter());
        if let Some(loaded) = load_all(&inputs, &mut messages).pop() {
            work(loaded, &mut messages);
        }
        messages.print();
        Ok(Ending::unless(messages.failed()))
    }
}
