//! Going through the inputs: in parallel, with results in order.

use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use rayon::ThreadPool;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::exit::Ending;
use crate::inputs::{Input, Inputs};
use crate::output::{Destination, STDOUT_NAME, write_stdout};
use crate::progress::Progress;
use crate::report::{Format, Messages, Reporter, summary};

/// What to do with which inputs.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    pub(crate) inputs: &'a Inputs,
    pub(crate) destination: &'a Destination,
    pub(crate) reporter: Reporter,
    /// How many inputs to work on at once; `None` for one per core.
    pub(crate) jobs: Option<NonZeroUsize>,
}

/// What came of an input.
struct Outcome {
    /// What is for standard output.
    text: Vec<u8>,
    messages: Messages,
}

impl Run<'_> {
    /// Turns each input into an output by `convert`, which gets the input's
    /// name and bytes, and returns the output or adds an error to the messages.
    pub(crate) fn convert(
        &self,
        convert: impl Fn(&str, Vec<u8>, &mut Messages) -> Option<Vec<u8>> + Sync,
    ) -> Ending {
        let list = &self.inputs.list;
        let to_files = *self.destination != Destination::Stdout;
        let progress = Progress::new(
            list.len(),
            to_files && self.reporter.format == Format::Human,
        );
        let work = |input: &Input| {
            let outcome = self.process(input, &convert);
            progress.tick();
            outcome
        };
        let mut failed = 0;
        let mut finish = |outcome: &Outcome| progress.suspend(|| self.finish(outcome, &mut failed));
        let _ = match self.pool() {
            None => list.iter().try_for_each(|input| finish(&work(input))),
            Some(pool) => {
                // Outputs wait in memory until those before them are printed,
                // so their number is limited; files are written at once.
                let window = pool.current_num_threads() * if to_files { 64 } else { 4 };
                list.chunks(window).try_for_each(|inputs| {
                    let outcomes: Vec<Outcome> =
                        pool.install(|| inputs.par_iter().map(work).collect());
                    outcomes.iter().try_for_each(&mut finish)
                })
            }
        };
        progress.finish();
        summary(self.reporter, failed, list.len());
        Ending::unless(failed > 0)
    }

    /// The threads to work with, unless this one is enough: a single input must
    /// not wait for threads to start.
    fn pool(&self) -> Option<ThreadPool> {
        let inputs = self.inputs.list.len();
        if inputs < 2 {
            return None;
        }
        let jobs = self
            .jobs
            .or_else(|| std::thread::available_parallelism().ok());
        let threads = jobs.map_or(1, NonZeroUsize::get).min(inputs);
        if threads < 2 {
            return None;
        }
        // Where threads can't be had, one after the other is fine.
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .ok()
    }

    fn process(
        &self,
        input: &Input,
        convert: impl Fn(&str, Vec<u8>, &mut Messages) -> Option<Vec<u8>>,
    ) -> Outcome {
        let mut messages = Messages::new(self.reporter);
        let output = match input.read() {
            Ok(bytes) => convert(&input.name, bytes, &mut messages),
            Err(error) => {
                messages.add_read_error(&input.name, &error);
                None
            }
        };
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

    /// Prints an outcome. Breaks when there is no use in going on.
    fn finish(&self, outcome: &Outcome, failed: &mut usize) -> ControlFlow<()> {
        *failed += usize::from(outcome.messages.failed());
        let written = write_stdout(&outcome.text);
        outcome.messages.print();
        match written {
            Ok(()) => ControlFlow::Continue(()),
            // The reader has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ControlFlow::Break(()),
            Err(error) => {
                let mut messages = Messages::new(self.reporter);
                messages.add_write_error(STDOUT_NAME, &error);
                messages.print();
                *failed += 1;
                ControlFlow::Break(())
            }
        }
    }
}
