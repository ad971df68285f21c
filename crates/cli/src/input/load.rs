//! Reading modules in any form, and reporting what is wrong with them.

use spirvkit::diagnostics::Source;
use spirvkit::ir::Module;
use spirvkit::text::{IdNames, Origins};
use spirvkit::{
    AssembleOptions, Assembled, Diagnostic, Endianness, bytes_from_words, words_from_bytes,
};

use super::form::Form;
use super::{Input, Inputs, encoding, hex};
use crate::report::{Messages, kinds};

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
    let module = Module::from_words(words);
    let module = module.map_err(|error| messages.add_binary_error(name, &error));
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

/// What the ids of a module are called: as in its text, or as the disassembler calls them.
pub(crate) fn names<'w>(words: &'w [u32], text: Option<&FromText>) -> IdNames<'w> {
    match text {
        Some((_, origins)) => IdNames::of_text(words, origins),
        None => IdNames::new(words),
    }
}

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
            .map_err(|error| messages.add_binary_error(name, &error))
            .ok(),
        Form::Text(text) => {
            let options = AssembleOptions::default().origins(with_text);
            let assembled = assemble(name, &text, &options, messages)?;
            let text = with_text.then_some((text, assembled.origins));
            Some((assembled.words, Endianness::Little, text))
        }
    }
}

/// Reads the bytes of an input, or adds why that isn't possible to the messages.
pub(crate) fn read(input: &Input, messages: &mut Messages) -> Option<Vec<u8>> {
    let read = input.read();
    read.map_err(|error| messages.add_read_error(&input.name, &error))
        .ok()
}

/// Reads an input, or adds what is wrong with it to the messages.
pub(crate) fn load_input(input: &Input, messages: &mut Messages) -> Option<Loaded> {
    let bytes = read(input, messages)?;
    load(&input.name, bytes, messages)
}

/// Reads all inputs; adds what is wrong with any to the messages.
pub(crate) fn load_all(inputs: &Inputs, messages: &mut Messages) -> Vec<Loaded> {
    let list = inputs.list.iter();
    list.filter_map(|input| load_input(input, messages))
        .collect()
}

/// The bytes as the text that they should be.
pub(crate) fn text(name: &str, bytes: Vec<u8>, messages: &mut Messages) -> Option<String> {
    let text = checked_text(bytes);
    text.map_err(|(error, text)| messages.add(&error, &Source::new(name, &text)))
        .ok()
}

/// The bytes as text that is no module in another form; or what is wrong with them, and
/// the text to show it in.
fn checked_text(bytes: Vec<u8>) -> Result<String, (Diagnostic, String)> {
    if hex::is_binary_module(&bytes) {
        let message = "this is a binary module, not assembly text";
        return Err((not_text(message), String::new()));
    }
    let text = encoding::decode(bytes)?;
    match hex::read(&text) {
        Some(Ok(_)) => {
            let message = "this is a module in hexadecimal or decimal digits, not assembly text";
            Err((not_text(message), String::new()))
        }
        _ => Ok(text),
    }
}

fn not_text(message: &str) -> Diagnostic {
    let error = kinds::BINARY_MODULE.error(message);
    error.with_help("`spv dis` shows it as text")
}

/// Assembles a text; adds its errors or warnings to the messages.
pub(crate) fn assemble(
    name: &str,
    text: &str,
    options: &AssembleOptions,
    messages: &mut Messages,
) -> Option<Assembled> {
    let (module, diagnostics) = match spirvkit::assemble(text, options) {
        Ok(mut module) => {
            let warnings = std::mem::take(&mut module.warnings);
            (Some(module), warnings)
        }
        Err(errors) => (None, errors.into_vec()),
    };
    if !diagnostics.is_empty() {
        let source = Source::new(name, text);
        for diagnostic in &diagnostics {
            messages.add(diagnostic, &source);
        }
    }
    module
}
