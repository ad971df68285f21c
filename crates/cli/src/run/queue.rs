//! Working on many things at once, with results in order.

use std::any::Any;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::sync_channel;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// How much to do at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) threads: usize,
    /// Results wait until those before them are finished: nothing is begun that
    /// is this far or farther ahead of the first that is not.
    pub(crate) window: usize,
}

/// Calls `work` for each number below `count` on several threads, this one among
/// them, and `finish` with the results in the order of the numbers, until it
/// breaks. Whichever thread has the next result calls `finish`, one at a time, so
/// that none has to be woken for it.
pub(crate) fn in_order<T: Send>(
    count: usize,
    limits: Limits,
    work: impl Fn(usize) -> T + Sync,
    mut finish: impl FnMut(T) -> ControlFlow<()> + Send,
) {
    if limits.threads.min(count) <= 1 {
        let _ = (0..count).try_for_each(|number| finish(work(number)));
        return;
    }
    let queue = Queue {
        count,
        window: limits.window.max(1),
        state: Mutex::new(State {
            begun: 0,
            waiting: VecDeque::new(),
            finish: Some(finish),
            stopped: false,
            panic: None,
        }),
        moved: Condvar::new(),
    };
    thread::scope(|scope| {
        // Where threads can't be had, this one does it all.
        for _ in 1..limits.threads.min(count) {
            let _ = thread::Builder::new().spawn_scoped(scope, || queue.run(&work));
        }
        queue.run(&work);
    });
    let panic = queue.lock().panic.take();
    if let Some(panic) = panic {
        panic::resume_unwind(panic);
    }
}

/// Calls `work` for each number below `count` on this thread, and `finish` with the
/// results in order on another one, until it breaks. At most so many results wait
/// for it.
pub(crate) fn in_stages<T: Send>(
    count: usize,
    waiting: usize,
    work: impl Fn(usize) -> T,
    finish: impl FnMut(T) -> ControlFlow<()> + Send,
) {
    let finish = Mutex::new(finish);
    let finish = || finish.lock().unwrap_or_else(PoisonError::into_inner);
    thread::scope(|scope| {
        let (sender, results) = sync_channel(waiting);
        let finish_all = move || results.into_iter().try_for_each(&mut *finish());
        let mut numbers = 0..count;
        match thread::Builder::new().spawn_scoped(scope, finish_all) {
            // Sending fails when nobody receives any more.
            Ok(_) => drop(numbers.all(|number| sender.send(work(number)).is_ok())),
            // Where a thread can't be had, this one does it all.
            Err(_) => drop(numbers.try_for_each(|number| finish()(work(number)))),
        }
    });
}

/// What the threads share.
struct Queue<T, F> {
    count: usize,
    window: usize,
    state: Mutex<State<T, F>>,
    /// Told when there may be something to begin again, or nothing ever.
    moved: Condvar,
}

struct State<T, F> {
    /// How many were begun.
    begun: usize,
    /// The results of the last ones begun, as far as they are there. All before
    /// are finished.
    waiting: VecDeque<Option<T>>,
    /// What finishes a result; a thread that does so takes it meanwhile.
    finish: Option<F>,
    /// Whether to begin no more.
    stopped: bool,
    /// A panic on its way to the caller.
    panic: Option<Box<dyn Any + Send>>,
}

impl<T, F> State<T, F> {
    /// How many were begun and are not finished; one that is being finished isn't.
    fn ahead(&self) -> usize {
        self.waiting.len() + usize::from(self.finish.is_none())
    }
}

impl<T, F: FnMut(T) -> ControlFlow<()>> Queue<T, F> {
    fn lock(&self) -> MutexGuard<'_, State<T, F>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works until there is nothing left to begin.
    fn run(&self, work: &impl Fn(usize) -> T) {
        let each = || {
            while let Some(number) = self.next() {
                self.done(number, work(number));
            }
        };
        if let Err(panic) = panic::catch_unwind(AssertUnwindSafe(each)) {
            let mut state = self.lock();
            state.stopped = true;
            state.panic.get_or_insert(panic);
            self.moved.notify_all();
        }
    }

    /// Begins the next, as soon as the window allows.
    fn next(&self) -> Option<usize> {
        let mut state = self.lock();
        while !state.stopped && state.begun < self.count {
            if state.ahead() < self.window {
                state.waiting.push_back(None);
                state.begun += 1;
                return Some(state.begun - 1);
            }
            let woken = self.moved.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    /// Takes a result, and finishes what can be, unless another thread is at it.
    fn done(&self, number: usize, result: T) {
        let mut state = self.lock();
        let first = state.begun - state.waiting.len();
        state.waiting[number - first] = Some(result);
        let Some(mut finish) = state.finish.take() else {
            return;
        };
        while !state.stopped
            && let Some(Some(_)) = state.waiting.front()
            && let Some(result) = state.waiting.pop_front().flatten()
        {
            drop(state);
            let flow = finish(result);
            state = self.lock();
            state.stopped |= flow.is_break();
            if state.ahead() + 1 == self.window {
                self.moved.notify_all();
            }
        }
        state.finish = Some(finish);
        if state.stopped || state.ahead() + 1 == self.window {
            self.moved.notify_all();
        }
    }
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
    fn stages_keep_the_order() {
        for (waiting, count) in [(0, 0), (0, 1), (0, 10), (3, 100), (100, 10)] {
            let mut results = Vec::new();
            in_stages(
                count,
                waiting,
                |number| number,
                |number| {
                    results.push(number);
                    ControlFlow::Continue(())
                },
            );
            assert!(results.into_iter().eq(0..count), "{waiting} {count}");
        }
    }

    #[test]
    fn a_stage_is_not_far_ahead_of_the_next() {
        let finished = AtomicUsize::new(0);
        let work = |number| {
            // Three wait, one is being finished, and one is on its way.
            assert!(number <= finished.load(Ordering::SeqCst) + 5);
            number
        };
        in_stages(200, 3, work, |number| {
            finished.store(number + 1, Ordering::SeqCst);
            ControlFlow::Continue(())
        });
    }

    #[test]
    fn breaking_stops_the_stages() {
        let begun = AtomicUsize::new(0);
        let work = |number| {
            begun.fetch_add(1, Ordering::SeqCst);
            number
        };
        in_stages(10_000, 10, work, |number| match number {
            3 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
        assert!(begun.load(Ordering::SeqCst) <= 16);
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

    #[test]
    #[should_panic(expected = "of the last")]
    fn a_panic_while_finishing_is_passed_on() {
        in_order(
            100,
            limits(3, 4),
            |number| number,
            |number| match number {
                5 => panic!("of the last"),
                _ => ControlFlow::Continue(()),
            },
        );
    }

    #[test]
    fn one_result_is_finished_at_a_time() {
        let at_once = AtomicUsize::new(0);
        let finish = |_| {
            assert_eq!(at_once.fetch_add(1, Ordering::SeqCst), 0);
            thread::sleep(Duration::from_micros(50));
            at_once.fetch_sub(1, Ordering::SeqCst);
            ControlFlow::Continue(())
        };
        in_order(200, limits(4, 8), |number| number, finish);
    }
}
