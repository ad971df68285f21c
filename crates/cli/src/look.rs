//! What the commands that look into one module share: reading its words in any form here;
//! finding what users mean in it, and showing as much as a budget allows, below.

pub(crate) mod ids;
pub(crate) mod limit;
pub(crate) mod places;
pub(crate) mod view;

use std::path::PathBuf;

use spirvkit::binary::Module;
use spirvkit::text::IdNames;

use crate::arguments::RawIds;
use crate::exit::{Ending, UsageError};
use crate::input::Inputs;
use crate::input::load::{self, FromText, load_with_text};
use crate::report::{Messages, Reporter};

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
    numbers: IdNames<'a>,
}

impl<'a> Looked<'a> {
    /// What its ids are called where they are shown.
    pub(crate) fn shown(&self, raw: RawIds) -> &IdNames<'a> {
        match raw.raw_id {
            true => &self.numbers,
            false => &self.ids,
        }
    }
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
    let inputs = Inputs::modules(path.map(std::slice::from_ref).unwrap_or_default())?;
    let input = match inputs.list.as_slice() {
        [input] if !inputs.many => input,
        _ => {
            return Err(UsageError(
                "this command takes only one input, not a directory".into(),
            ));
        }
    };
    let mut messages = Messages::new(reporter);
    let words = load::read(input, &mut messages)
        .and_then(|bytes| load_with_text(&input.name, bytes, true, &mut messages));
    let done = match words.as_ref().map(|(words, ..)| Module::new(words)) {
        None => Ok(()),
        Some(Err(error)) => {
            messages.add_binary_error(&input.name, &error);
            Ok(())
        }
        Some(Ok(module)) => {
            let name = &input.name;
            let text = words.as_ref().and_then(|(.., text)| text.as_ref());
            let ids = load::names(module.words(), text);
            let looked = Looked {
                name,
                module,
                text,
                ids,
                numbers: IdNames::numbers(module.words()),
            };
            work(&looked, &mut messages)
        }
    };
    messages.print();
    done.map(|()| Ending::unless(messages.failed()))
}
