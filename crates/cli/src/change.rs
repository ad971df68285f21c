//! What the commands that change modules share: reading a module in any form, and
//! writing it again.

use std::io::{self, Write};
use std::path::Path;

use clap::Args;
use spirvkit::diagnostics::Source;
use spirvkit::ir::Module;
use spirvkit::text::Origins;
use spirvkit::{AssembleOptions, Diagnostic, Endianness, bytes_from_words, words_from_bytes};

use crate::cli::{ColorWhen, Files};
use crate::commands::as_;
use crate::exit::{Ending, UsageError};
use crate::form::Form;
use crate::inputs::Inputs;
use crate::naming::check_inputs;
use crate::output::{Content, Destination, STDOUT_NAME, stream_stdout, write_stdout};
use crate::report::{Format, Messages, Reporter};
use crate::run::Run;
use crate::telling::Telling;

/// The end of the help of all these commands.
macro_rules! change_help {
    ($examples:literal) => {
        concat!(
            "\
Inputs are binary modules, modules as hexadecimal text, or assembly text; outputs
are binary modules in the byte order of the input. Directories are searched for
.spv and .spvasm files; each output has the same relative path in the directory
that -o names. Nothing is written for an input that has an error.

Examples:
",
            $examples,
            "

Exit codes:
  0  success
  1  an input has errors, or a file could not be read or written
  2  the command line is wrong"
        )
    };
}

pub(crate) use change_help;

/// What all commands that change modules take.
#[derive(Debug, Args)]
pub(crate) struct Changing {
    #[command(flatten)]
    pub(crate) files: Files,

    /// When to colour errors and warnings
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorWhen,
}

/// A module that was read.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    /// How messages call its file.
    pub(crate) name: String,
    pub(crate) module: Module,
    /// The byte order that it had, and is to have again.
    pub(crate) endianness: Endianness,
}

impl Loaded {
    /// The module as a file.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        bytes_from_words(&self.module.store(), self.endianness)
    }
}

/// Reads a module in any form, or adds what is wrong with it to the messages.
pub(crate) fn load(name: &str, bytes: Vec<u8>, messages: &mut Messages) -> Option<Loaded> {
    let (words, endianness) = load_words(name, bytes, messages)?;
    let module = Module::from_words(words).map_err(|error| add_error(name, &error, messages));
    Some(Loaded {
        name: name.to_owned(),
        module: module.ok()?,
        endianness,
    })
}

/// Reads the words of a module in any form, with the byte order that it had, or adds
/// what is wrong with it to the messages. Whether there is a module in the words is not
/// looked at.
pub(crate) fn load_words(
    name: &str,
    bytes: Vec<u8>,
    messages: &mut Messages,
) -> Option<(Vec<u32>, Endianness)> {
    let (words, endianness, _) = load_with_text(name, bytes, false, messages)?;
    Some((words, endianness))
}

/// The assembly text that a module was given as, and the way back to it.
pub(crate) type FromText = (String, Origins);

/// The same, with the text, if it is one and that is wanted.
pub(crate) fn load_with_text(
    name: &str,
    bytes: Vec<u8>,
    with_text: bool,
    messages: &mut Messages,
) -> Option<(Vec<u32>, Endianness, Option<FromText>)> {
    let form = Form::of(bytes);
    let form = form.map_err(|(error, text)| messages.add(&error, &Source::new(name, &text)));
    match form.ok()? {
        Form::Binary(bytes) => words_from_bytes(&bytes)
            .map(|(words, endianness)| (words, endianness, None))
            .map_err(|error| add_error(name, &error, messages))
            .ok(),
        Form::Text(text) => {
            let options = AssembleOptions::default().origins(with_text);
            let assembled = as_::assemble(name, &text, &options, messages)?;
            let text = with_text.then_some((text, assembled.origins));
            Some((assembled.words, Endianness::Little, text))
        }
    }
}

pub(crate) fn add_error(name: &str, error: &spirvkit::binary::Error, messages: &mut Messages) {
    let diagnostic = spirvkit::text::binary_error(error);
    messages.add(&diagnostic, &Source::new(name, ""));
}

impl Changing {
    /// How to tell things.
    pub(crate) fn reporter(&self) -> Reporter {
        Reporter {
            format: self.files.format,
            color: self.color.on_stderr(),
        }
    }

    /// The inputs.
    pub(crate) fn inputs(&self) -> Result<Inputs, UsageError> {
        let extensions = [Content::Module.extension(), Content::Text.extension()];
        Inputs::find(&self.files.inputs, &extensions)
    }

    /// Changes each input by itself, and writes it. `change` adds what there is to
    /// tell to the list; if there is an error among it, nothing is written.
    pub(crate) fn each(
        &self,
        change: impl Fn(&mut Module, &mut Vec<Diagnostic>) + Sync,
    ) -> Result<Ending, UsageError> {
        self.each_told(&Telling::default(), change)
    }

    /// The same, and tells what became of each module, if that is wanted.
    pub(crate) fn each_told(
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
        let destination = match telling.dry_run {
            true => Destination::Stdout,
            false => self.files.destination(inputs, Content::Module)?,
        };
        let run = Run {
            inputs,
            destination: &destination,
            reporter: self.reporter(),
            jobs: self.files.jobs,
        };
        Ok(run.convert(&|name, bytes, messages| {
            let mut loaded = load(name, bytes, messages)?;
            let mut diagnostics = Vec::new();
            let before = telling.is_wanted().then(|| loaded.module.store());
            change(&mut loaded.module, &mut diagnostics);
            add_all(&diagnostics, name, messages);
            if let Some(before) = before.filter(|_| !messages.failed()) {
                telling.tell(name, &before, &loaded.module.store(), messages);
            }
            (!messages.failed() && !telling.dry_run).then(|| loaded.to_bytes())
        }))
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

/// Where the one module that is made of these inputs goes.
///
/// # Errors
///
/// If that is a directory or a terminal, or text among the inputs would be replaced.
pub(crate) fn single_destination(
    output: Option<&Path>,
    inputs: &Inputs,
) -> Result<Destination, UsageError> {
    let one = Inputs {
        list: Vec::new(),
        many: false,
    };
    let destination = Destination::choose(output, &one, Content::Module)?;
    if let Destination::Directory(directory, _) = &destination {
        let directory = directory.display();
        let message = format!("`-o {directory}` must name a file, not a directory");
        return Err(UsageError(message));
    }
    check_inputs(&destination, inputs, Content::Module)?;
    Ok(destination)
}

/// Makes one module of all inputs, and writes it in the byte order of the first.
/// `combine` returns it, or adds errors to the messages.
pub(crate) fn together(
    inputs: &Inputs,
    destination: &Destination,
    reporter: Reporter,
    combine: impl FnOnce(&[Loaded], &mut Messages) -> Option<Module>,
) -> Ending {
    let mut messages = Messages::new(reporter);
    let loaded = load_all(inputs, &mut messages);
    let combined = match messages.failed() {
        true => None,
        false => combine(&loaded, &mut messages),
    };
    if let Some(module) = combined.filter(|_| !messages.failed()) {
        let endianness = loaded
            .first()
            .map_or_else(Endianness::default, |first| first.endianness);
        let bytes = bytes_from_words(&module.store(), endianness);
        write(destination, &bytes, &mut messages);
    }
    messages.print();
    Ending::unless(messages.failed())
}

/// Adds all diagnostics about an input.
pub(crate) fn add_all(diagnostics: &[Diagnostic], name: &str, messages: &mut Messages) {
    let source = Source::new(name, "");
    for diagnostic in diagnostics {
        messages.add(diagnostic, &source);
    }
}

/// Reads all inputs; adds what is wrong with any to the messages.
pub(crate) fn load_all(inputs: &Inputs, messages: &mut Messages) -> Vec<Loaded> {
    let load_one = |input: &crate::inputs::Input, messages: &mut Messages| match input.read() {
        Ok(bytes) => load(&input.name, bytes, messages),
        Err(error) => {
            messages.add_read_error(&input.name, &error);
            None
        }
    };
    let list = inputs.list.iter();
    list.filter_map(|input| load_one(input, messages)).collect()
}

/// Writes a text to standard output while it is made, or adds why that wasn't possible
/// to the messages.
pub(crate) fn stream(
    messages: &mut Messages,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) {
    if let Err(error) = stream_stdout(write)
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        messages.add_write_error(STDOUT_NAME, &error);
    }
}

/// Writes an output, or adds why that wasn't possible to the messages.
pub(crate) fn write(destination: &Destination, bytes: &[u8], messages: &mut Messages) {
    let (name, written) = match destination {
        Destination::Stdout => (STDOUT_NAME.to_owned(), write_stdout(bytes)),
        Destination::File(path) | Destination::Directory(path, _) => {
            (path.display().to_string(), destination.write(path, bytes))
        }
        // That is for commands with an output for each input: see `Run`.
        Destination::InPlace => return,
    };
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        messages.add_write_error(&name, &error);
    }
}
