//! Interruptions, such as by Ctrl-C, wait until no file is half written.

#[cfg(unix)]
use unix as system;

/// While one exists, the signals that ask the program to end are put off. When the
/// last one goes, the program ends by the signal that has come meanwhile, if any.
#[must_use]
pub(crate) struct Hold(());

impl Hold {
    pub(crate) fn begin() -> Self {
        system::begin();
        Self(())
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        system::end();
    }
}

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
    use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
    use std::thread;

    use signal_hook::consts::{
        SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
    };
    use signal_hook::{flag, low_level};

    /// What ends the program, if it isn't by force.
    const DEFERRED: [i32; 9] = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGVTALRM, SIGUSR1, SIGUSR2,
    ];

    /// How many holds there are. Signal handlers look at the two flags only, which
    /// change while this is locked.
    static HOLDS: Mutex<usize> = Mutex::new(0);
    /// Whether there is none.
    static FREE: AtomicBool = AtomicBool::new(true);
    /// The signal that has been put off, or 0.
    static PENDING: AtomicUsize = AtomicUsize::new(0);

    fn lock() -> MutexGuard<'static, usize> {
        HOLDS.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn begin() {
        static HANDLERS: Once = Once::new();
        HANDLERS.call_once(install_handlers);
        let mut holds = lock();
        FREE.store(false, SeqCst);
        if PENDING.load(SeqCst) == 0 {
            *holds += 1;
            return;
        }
        // Nothing is begun any more; who ends the last hold ends the program.
        end_if_free(*holds);
        drop(holds);
        loop {
            thread::park();
        }
    }

    pub(super) fn end() {
        let mut holds = lock();
        *holds -= 1;
        end_if_free(*holds);
    }

    fn end_if_free(holds: usize) {
        if holds > 0 {
            return;
        }
        FREE.store(true, SeqCst);
        let signal = PENDING.load(SeqCst) as i32;
        if signal != 0 {
            let _ = low_level::emulate_default_handler(signal);
        }
    }

    /// A program that writes no files never gets here, and is ended by the system.
    fn install_handlers() {
        let ignored = ignored_signals();
        // A file that would become larger than is allowed is an error like a full disk.
        let _ = flag::register(SIGXFSZ, Arc::default());
        for signal in DEFERRED {
            // Under `nohup`, or behind `&` in a script, it's to stay ignored.
            if ignored >> (signal - 1) & 1 == 1 {
                continue;
            }
            // Where this fails, the system goes on ending the program.
            let _ = flag::register_usize(signal, &PENDING, signal as usize)
                .and_then(|_| flag::register_conditional_default(signal, &FREE));
        }
    }

    /// The signals that the program was started to ignore, as Linux tells them: a bit
    /// for each, from 1 up.
    fn ignored_signals() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.map(|mask| u64::from_str_radix(mask.trim(), 16));
        mask.and_then(Result::ok).unwrap_or(0)
    }
}

#[cfg(not(unix))]
mod system {
    pub(super) fn begin() {}

    pub(super) fn end() {}
}
