//! Making one module of several.

use std::path::Path;

use spirvkit::diagnostics::Errors;
use spirvkit::ir::Module;
use spirvkit::transform::link::{Input, LinkError};
use spirvkit::{Diagnostic, Endianness, bytes_from_words};

use crate::exit::{Ending, UsageError};
use crate::input::load::{Loaded, load_all};
use crate::input::{Content, Inputs};
use crate::output::Destination;
use crate::output::naming::check_inputs;
use crate::report::{Messages, Reporter, write};

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

/// Makes one module of those that were read, or adds what is wrong with them, as `tell`
/// says it, to the messages.
pub(crate) fn combine(
    loaded: &[Loaded],
    messages: &mut Messages,
    combine: impl FnOnce(&[Input<'_>]) -> Result<Module, Errors<LinkError>>,
    tell: impl Fn(&LinkError) -> Diagnostic,
) -> Option<Module> {
    let inputs = loaded.iter().map(|loaded| Input {
        name: &loaded.name,
        module: &loaded.module,
    });
    let inputs: Vec<Input<'_>> = inputs.collect();
    let combined = combine(&inputs).map_err(|errors| {
        for error in &errors {
            let first = error.modules().first().map_or("", String::as_str);
            messages.add_of(first, &tell(error));
        }
    });
    combined.ok()
}
