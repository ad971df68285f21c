//! Working on many things at once, with results in order.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

/// How much to do at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) threads: usize,
    /// Results wait until those before them are finished: nothing is begun that
    /// is this far or farther ahead of the first that is not.
    pub(crate) window: usize,
}

/// Calls `work` for each number below `count` on several threads, and `finish`
/// on this one with the results in the order of the numbers, until it breaks.
pub(crate) fn in_order<T: Send>(
    count: usize,
    limits: Limits,
    work: impl Fn(usize) -> T + Sync,
    mut finish: impl FnMut(T) -> ControlFlow<()>,
) {
    let (jobs, queue) = mpsc::channel();
    let (done, results) = mpsc::channel();
    let queue = Mutex::new(queue);
    let worker = |done: mpsc::Sender<_>| {
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        while let Ok(number) = next() {
            // A panic goes on in the thread that waits for this.
            let result = panic::catch_unwind(AssertUnwindSafe(|| work(number)));
            if done.send((number, result)).is_err() {
                return;
            }
        }
    };
    let worker = &worker;
    thread::scope(|scope| {
        // Once these are gone, however that comes, the workers stop.
        let (jobs, results) = (jobs, results);
        let start = |_: &usize| {
            let done = done.clone();
            let thread = thread::Builder::new().spawn_scoped(scope, move || worker(done));
            thread.is_ok()
        };
        let threads = match limits.threads.min(count) {
            // One thing must not wait for threads to start.
            0 | 1 => 0,
            threads => (0..threads).filter(start).count(),
        };
        if threads == 0 {
            // Where threads can't be had, one after the other is fine.
            let _ = (0..count).try_for_each(|number| finish(work(number)));
            return;
        }
        let mut waiting: VecDeque<Option<T>> = VecDeque::new();
        let mut begun = 0;
        for first in 0..count {
            while begun < count && begun - first < limits.window.max(1) {
                let _ = jobs.send(begun);
                waiting.push_back(None);
                begun += 1;
            }
            while let Some(None) = waiting.front() {
                match results.recv() {
                    Ok((number, Ok(result))) => waiting[number - first] = Some(result),
                    Ok((_, Err(panic))) => panic::resume_unwind(panic),
                    // Not while `done` is here to be cloned.
                    Err(_) => return,
                }
            }
            if let Some(Some(result)) = waiting.pop_front()
                && finish(result).is_break()
            {
                return;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    fn limits(threads: usize, window: usize) -> Limits {
        Limits { threads, window }
    }

    fn go_on(_: usize) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    #[test]
    fn results_come_in_order() {
        for (threads, window) in [(0, 1), (1, 1), (2, 1), (2, 3), (8, 100), (200, 1000)] {
            for count in [0, 1, 2, 100] {
                let mut results = Vec::new();
                let work = |number| {
                    thread::sleep(Duration::from_micros((number * 7919 % 100) as u64));
                    number
                };
                in_order(count, limits(threads, window), work, |number| {
                    results.push(number);
                    ControlFlow::Continue(())
                });
                assert!(
                    results.into_iter().eq(0..count),
                    "{threads} {window} {count}"
                );
            }
        }
    }

    #[test]
    fn a_slow_one_does_not_hold_up_those_in_the_window() {
        // The first is through only after the ninth has begun.
        let barrier = Barrier::new(2);
        let work = |number| {
            if number == 0 || number == 8 {
                barrier.wait();
            }
            number
        };
        in_order(20, limits(2, 9), work, go_on);
    }

    #[test]
    fn no_more_than_the_window_is_begun_ahead() {
        let finished = AtomicUsize::new(0);
        let work = |number| {
            assert!(number < finished.load(Ordering::SeqCst) + 5);
            number
        };
        in_order(200, limits(4, 5), work, |number| {
            finished.store(number + 1, Ordering::SeqCst);
            ControlFlow::Continue(())
        });
    }

    #[test]
    fn breaking_stops_the_work() {
        let begun = AtomicUsize::new(0);
        let work = |number| {
            begun.fetch_add(1, Ordering::SeqCst);
            number
        };
        in_order(10_000, limits(2, 10), work, |number| match number {
            3 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
        assert!(begun.load(Ordering::SeqCst) <= 13);
    }

    #[test]
    #[should_panic(expected = "of its own")]
    fn a_panic_is_passed_on() {
        let work = |number| match number {
            7 => panic!("of its own"),
            _ => number,
        };
        in_order(100, limits(3, 4), work, go_on);
    }
}
