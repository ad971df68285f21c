//! Writing results, and reporting failures to do so.

use std::io::{self, Write};
use std::ops::ControlFlow;

use super::{Messages, Reporter};
use crate::exit::Ending;
use crate::output::{Destination, STDOUT_NAME, stream_stdout, write_stdout};

/// Prints all that a command has to say to standard output.
pub(crate) fn print(bytes: &[u8]) -> Ending {
    print_as(bytes, Reporter::plain())
}

/// The same, with errors in the wanted form.
pub(crate) fn print_as(bytes: &[u8], reporter: Reporter) -> Ending {
    ending(write_stdout(bytes), reporter)
}

/// Reports how printing to standard output went, if it went wrong.
pub(crate) fn printed(result: io::Result<()>) -> Ending {
    ending(result, Reporter::plain())
}

fn ending(result: io::Result<()>, reporter: Reporter) -> Ending {
    match result {
        Ok(()) => Ending::Success,
        // The reader has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ending::Success,
        Err(error) => {
            let mut messages = Messages::new(reporter);
            messages.add_write_error(STDOUT_NAME, &error);
            messages.print();
            Ending::Failure
        }
    }
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

/// Prints what came of an input: its output, then its messages. Breaks when there
/// is no use in going on, and counts an output that could not be written as
/// failed.
pub(crate) fn deliver(output: &[u8], messages: &Messages, failed: &mut usize) -> ControlFlow<()> {
    let written = write_stdout(output);
    messages.print();
    match written {
        Ok(()) => ControlFlow::Continue(()),
        // The reader has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ControlFlow::Break(()),
        Err(error) => {
            let mut messages = Messages::new(messages.reporter());
            messages.add_write_error(STDOUT_NAME, &error);
            messages.print();
            *failed += 1;
            ControlFlow::Break(())
        }
    }
}
