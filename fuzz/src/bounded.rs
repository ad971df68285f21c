//! What running a target may take.

use std::time::Duration;

use peak_alloc::PeakAlloc;
use rustix::time::{ClockId, clock_gettime};

/// Bytes that may be allocated at once: so many for each of the input, and so many more.
/// The targets hold what they check several times over, and now and then use a shape of
/// some ten thousand bytes instead of their input, so this is generous to them; it is still
/// little beside what a product of two parts of the input is.
const MEMORY: (usize, usize) = (512, 128 << 20);

/// Processor time for each kilobyte of the input, and more.
const TIME: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(4));

/// What the process took: the program may work in several threads. How long it had to wait for
/// the processor doesn't count.
fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Does some work, and tells how much memory it took at once, which is only seen if
/// [`PeakAlloc`] is the allocator.
pub(crate) fn measured<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = PeakAlloc.current_usage();
    PeakAlloc.reset_peak_usage();
    let done = work();
    (done, PeakAlloc.peak_usage().saturating_sub(before))
}

/// Runs a target with an input and panics if that takes memory or time out of proportion.
pub fn bounded(input: &[u8], target: impl FnOnce(&[u8])) {
    let start = processor_time();
    let ((), memory) = measured(|| target(input));
    let time = processor_time() - start;
    let most = input.len() * MEMORY.0 + MEMORY.1;
    assert!(
        memory <= most,
        "{memory} bytes for an input of {}",
        input.len()
    );
    let kilobytes = input.len().div_ceil(1024) as u32;
    let most = TIME.0 * kilobytes + TIME.1;
    assert!(
        time <= most,
        "{time:?} for an input of {} bytes",
        input.len()
    );
}
