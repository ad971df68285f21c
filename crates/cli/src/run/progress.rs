//! A progress bar for runs that take long.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shorter runs show no bar.
const DELAY: Duration = Duration::from_secs(1);

/// Counts finished inputs and, once the run has taken a while, shows the count
/// on standard error.
pub(crate) struct Progress {
    total: u64,
    done: AtomicU64,
    start: Instant,
    shown: bool,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// Starts counting to `total`. Nothing is ever shown unless `wanted` and on
    /// a terminal.
    pub(crate) fn new(total: usize, wanted: bool) -> Self {
        Self {
            total: total as u64,
            done: AtomicU64::new(0),
            start: Instant::now(),
            shown: wanted && io::stderr().is_terminal(),
            bar: OnceLock::new(),
        }
    }

    /// Counts one input.
    pub(crate) fn tick(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if self.shown && self.start.elapsed() >= DELAY {
            self.bar.get_or_init(|| bar(self.total)).set_position(done);
        }
    }

    /// Runs something that writes to the terminal, with the bar out of its way.
    pub(crate) fn suspend<R>(&self, write: impl FnOnce() -> R) -> R {
        match self.bar.get() {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

fn bar(total: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template("[{wide_bar}] {pos}/{len} ({eta} left)") {
        Ok(style) => bar.with_style(style.progress_chars("=> ")),
        Err(_) => bar,
    }
}
