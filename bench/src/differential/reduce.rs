//! Making modules smaller.

use std::error::Error;
use std::time::{Duration, Instant};

use spirvkit::binary::{HEADER_WORDS, Module};

/// How long to look for a smaller module.
const PATIENCE: Duration = Duration::from_secs(20);

/// Leaves out instructions, first many at once, then single ones, for as long as
/// the module stays what it is to be. What uses an id stands behind what defines
/// it, so it goes from the end to the start.
pub(crate) fn reduce(
    words: &[u32],
    mut is_kept: impl FnMut(&[u32]) -> Result<bool, Box<dyn Error>>,
) -> Result<Vec<u32>, Box<dyn Error>> {
    let Ok(module) = Module::new(words) else {
        return Ok(words.to_vec());
    };
    let header = &words[..HEADER_WORDS];
    let instructions = module.instructions().map_while(Result::ok);
    let mut kept: Vec<&[u32]> = instructions
        .map(|instruction| instruction.words())
        .collect();
    let joined = |kept: &[&[u32]]| [header, &kept.concat()].concat();
    if !is_kept(&joined(&kept))? {
        return Ok(words.to_vec());
    }
    let end = Instant::now() + PATIENCE;
    let mut size = kept.len().div_ceil(2);
    loop {
        let before = kept.len();
        let mut stop = kept.len();
        while stop > 0 && Instant::now() < end {
            let start = stop.saturating_sub(size);
            let mut fewer = kept.clone();
            fewer.drain(start..stop);
            if is_kept(&joined(&fewer))? {
                kept = fewer;
            }
            stop = start;
        }
        if Instant::now() >= end || size == 1 && kept.len() == before {
            return Ok(joined(&kept));
        }
        size = size.div_ceil(2);
    }
}

#[cfg(test)]
mod tests {
    use super::reduce;
    use spirvkit::binary::HEADER_WORDS;

    #[test]
    fn what_is_needed_is_left() {
        let header = [0x0723_0203, 0x0001_0000, 0, 1, 0];
        let instructions: Vec<u32> = (0..100).map(|opcode| 1 << 16 | opcode).collect();
        let words = [&header[..], &instructions].concat();
        let needed = [1 << 16 | 7, 1 << 16 | 93];
        let reduced = reduce(&words, |words| {
            Ok(needed.iter().all(|word| words.contains(word)))
        });
        assert_eq!(reduced.unwrap()[HEADER_WORDS..], needed);
    }
}
