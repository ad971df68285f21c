//! Going through the inputs: in parallel, with results in order.

mod progress;
mod queue;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use crate::exit::Ending;
use crate::input::{Input, Inputs, load};
use crate::output::Destination;
use crate::report::{Format, Messages, Reporter, deliver, summary};
use queue::{Limits, in_order, in_stages};

pub(crate) use progress::Progress;

/// Turns the bytes of an input of some name into an output, or adds an error to the
/// messages. (One type for all commands, so that what runs them is compiled once.)
pub(crate) type Convert<'a> = &'a (dyn Fn(&str, Vec<u8>, &mut Messages) -> Option<Vec<u8>> + Sync);

/// What to do with which inputs.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    pub(crate) inputs: &'a Inputs,
    pub(crate) destination: &'a Destination,
    pub(crate) reporter: Reporter,
    /// How many inputs to work on at once; `None` for one per core.
    pub(crate) jobs: Option<NonZeroUsize>,
}

/// What was made of an input.
struct Made {
    output: Option<Vec<u8>>,
    messages: Messages,
}

/// What came of an input, after its file was written.
struct Outcome {
    /// What is for standard output.
    text: Vec<u8>,
    messages: Messages,
}

/// Calls `work` for each number below `count`, on so many threads (`None` for one
/// per core), each of which gets at most so far `ahead` of the results taken;
/// `finish` gets the results in order, until it breaks.
pub(crate) fn each<T: Send>(
    count: usize,
    jobs: Option<NonZeroUsize>,
    ahead: usize,
    work: impl Fn(usize) -> T + Sync,
    finish: impl FnMut(T) -> ControlFlow<()> + Send,
) {
    let threads = jobs
        .or_else(|| std::thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get);
    let limits = Limits {
        threads,
        window: threads.saturating_mul(ahead),
    };
    in_order(count, limits, work, finish);
}

impl Run<'_> {
    /// Turns each input into an output.
    pub(crate) fn convert(&self, convert: Convert<'_>) -> Ending {
        let list = &self.inputs.list;
        let to_files = *self.destination != Destination::Stdout;
        let progress = Progress::new(
            list.len(),
            to_files && self.reporter.format == Format::Human,
        );
        let make = |number: usize| (number, self.make(&list[number], convert));
        let store = |(number, made): (usize, Made)| {
            let stored = self.store(&list[number], made);
            progress.tick();
            stored
        };
        let mut failed = 0;
        let mut tell = |outcome: Outcome| {
            failed += usize::from(outcome.messages.failed());
            progress.suspend(|| deliver(&outcome.text, &outcome.messages, &mut failed))
        };
        let is_one_job = self.jobs == Some(NonZeroUsize::MIN);
        if to_files && is_one_job && list.len() > 1 {
            // One input is worked on at a time, but not only when the disk is done
            // with the output before.
            in_stages(list.len(), 16, make, |made| tell(store(made)));
        } else {
            // Outputs wait in memory until those before them are printed; files are
            // written at once.
            let ahead = if to_files { 64 } else { 16 };
            let work = |number| store(make(number));
            each(list.len(), self.jobs, ahead, work, tell);
        }
        progress.finish();
        summary(self.reporter, failed, list.len());
        Ending::unless(failed > 0)
    }

    /// Reads an input and converts it.
    fn make(&self, input: &Input, convert: Convert<'_>) -> Made {
        let mut messages = Messages::new(self.reporter);
        let output = load::read(input, &mut messages)
            .and_then(|bytes| convert(&input.name, bytes, &mut messages));
        Made { output, messages }
    }

    /// Writes an output to its file, if it is for one.
    fn store(&self, input: &Input, made: Made) -> Outcome {
        let Made {
            output,
            mut messages,
        } = made;
        let mut text = Vec::new();
        match (output, self.destination.target(input)) {
            (None, _) => {}
            (Some(output), None) => text = output,
            (Some(output), Some(path)) => {
                if let Err(error) = self.destination.write(&path, &output) {
                    messages.add_write_error(&path.display().to_string(), &error);
                }
            }
        }
        Outcome { text, messages }
    }
}
