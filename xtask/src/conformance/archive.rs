//! The files of tar archives, compressed with zstd or not.

use std::io::{Error, Read};
use std::path::Path;

use super::records::open;

/// The size of the blocks that an archive is made of, in bytes.
const BLOCK: usize = 512;

/// The names and contents of files.
type Files = Vec<(String, Vec<u8>)>;

/// All files in an archive.
pub(super) fn files(path: &Path) -> Result<Files, Box<dyn std::error::Error>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    let broken = || Error::other(format!("{}: the archive is broken", path.display()));
    let mut files = Vec::new();
    let mut rest = &bytes[..];
    while let Some((header, behind)) = rest.split_at_checked(BLOCK) {
        if header.iter().all(|&byte| byte == 0) {
            break;
        }
        let digits = std::str::from_utf8(&header[124..136])?;
        let digits = digits.trim_matches(|c: char| c == '\0' || c == ' ');
        let size = usize::from_str_radix(digits, 8)?;
        let contents = behind.get(..size).ok_or_else(broken)?;
        // Regular files have the type 0, or none.
        if matches!(header[156], 0 | b'0') {
            files.push((text(&header[..100]), contents.to_vec()));
        }
        let end = size.checked_next_multiple_of(BLOCK).ok_or_else(broken)?;
        rest = behind.get(end..).unwrap_or_default();
    }
    Ok(files)
}

/// What stands before the first zero byte.
fn text(field: &[u8]) -> String {
    let end = field.iter().position(|&byte| byte == 0);
    String::from_utf8_lossy(&field[..end.unwrap_or(field.len())]).into_owned()
}
