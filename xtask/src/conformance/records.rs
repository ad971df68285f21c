//! Files of recorded cases: JSON lines, compressed with zstd or not.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Opens a file of records.
pub(super) fn open(path: &Path) -> Result<Box<dyn BufRead>, Box<dyn std::error::Error>> {
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    if path.extension().is_none_or(|extension| extension != "zst") {
        return Ok(Box::new(BufReader::new(file)));
    }
    let decoder: Box<dyn Read> = Box::new(ruzstd::decoding::StreamingDecoder::new(file)?);
    Ok(Box::new(BufReader::new(decoder)))
}

/// Words as eight hexadecimal digits each.
pub(super) fn words(text: &str) -> Result<Vec<u32>, String> {
    let digits = |chunk: &[u8]| u32::from_str_radix(std::str::from_utf8(chunk).ok()?, 16).ok();
    let words: Option<Vec<u32>> = text.as_bytes().chunks(8).map(digits).collect();
    words.ok_or_else(|| "the words are not hexadecimal".to_owned())
}
