//! What the commands that look into one module share: reading its words in any form.

use std::path::PathBuf;

use clap::Args;
use spirvkit::binary::Module;
use spirvkit::text::IdNames;

use crate::change::{FromText, add_error, load_with_text};
use crate::exit::{Ending, UsageError};
use crate::inputs::Inputs;
use crate::output::Content;
use crate::report::{Messages, Reporter};

/// What commands that look at one module take.
#[derive(Debug, Args)]
pub(crate) struct Single {
    /// The module, or `-` for standard input [default: standard input]
    #[arg(value_name = "MODULE")]
    pub(crate) input: Option<PathBuf>,
}

/// What was read.
pub(crate) struct Looked<'a> {
    /// How messages call the file.
    pub(crate) name: &'a str,
    /// The module, which has a header. Its instructions need not be right.
    pub(crate) module: Module<'a>,
    /// The assembly text that it was given as, if it was.
    pub(crate) text: Option<&'a FromText>,
    /// What its ids are called: as in that text, or as the disassembler calls them.
    pub(crate) ids: IdNames<'a>,
}

/// Reads the module at a path, by default standard input, and calls `work` with it,
/// unless it has errors. Tells all that was added to the messages.
///
/// # Errors
///
/// If the path is a directory, and those of `work`.
pub(crate) fn look(
    path: Option<&PathBuf>,
    reporter: Reporter,
    work: impl FnOnce(&Looked<'_>, &mut Messages) -> Result<(), UsageError>,
) -> Result<Ending, UsageError> {
    let extensions = [Content::Module.extension(), Content::Text.extension()];
    let inputs = Inputs::find(
        path.map(std::slice::from_ref).unwrap_or_default(),
        &extensions,
    )?;
    let input = match inputs.list.as_slice() {
        [input] if !inputs.many => input,
        _ => {
            return Err(UsageError(
                "this command takes only one input, not a directory".into(),
            ));
        }
    };
    let mut messages = Messages::new(reporter);
    let words = match input.read() {
        Ok(bytes) => load_with_text(&input.name, bytes, true, &mut messages),
        Err(error) => {
            messages.add_read_error(&input.name, &error);
            None
        }
    };
    let done = match words.as_ref().map(|(words, ..)| Module::new(words)) {
        None => Ok(()),
        Some(Err(error)) => {
            add_error(&input.name, &error, &mut messages);
            Ok(())
        }
        Some(Ok(module)) => {
            let name = &input.name;
            let text = words.as_ref().and_then(|(.., text)| text.as_ref());
            let ids = match text {
                Some((_, origins)) => IdNames::of_text(module.words(), origins),
                None => IdNames::new(module.words()),
            };
            let looked = Looked {
                name,
                module,
                text,
                ids,
            };
            work(&looked, &mut messages)
        }
    };
    messages.print();
    done.map(|()| Ending::unless(messages.failed()))
}
