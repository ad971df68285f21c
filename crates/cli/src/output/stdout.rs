//! Standard output.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use spirvkit::diagnostics::visible_lines;

/// How messages call standard output.
pub(crate) const STDOUT_NAME: &str = "<stdout>";

/// Whether what goes to standard output has colours of our own.
static COLORED: AtomicBool = AtomicBool::new(false);

/// Makes known that what goes to standard output is coloured. Whoever colours a text sees
/// to it that nothing of a module in it can act on a terminal.
pub(crate) fn expect_color() {
    COLORED.store(true, Ordering::Relaxed);
}

/// The state in which the program starts.
pub(crate) fn expect_no_color() {
    COLORED.store(false, Ordering::Relaxed);
}

/// Writes to standard output. On a terminal, a text shows what could act on it as escapes.
pub(crate) fn write_stdout(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    if stdout.is_terminal() && !COLORED.load(Ordering::Relaxed) {
        write_visible(&mut stdout, bytes)?;
    } else {
        stdout.write_all(bytes)?;
    }
    stdout.flush()
}

/// Writes a text to standard output while it is made, so that it need not be in memory.
pub(crate) fn stream_stdout(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let stdout = io::stdout().lock();
    if stdout.is_terminal() {
        // Nobody reads more than is made of a large module, and it is looked at as a whole.
        let mut text = Vec::new();
        write(&mut text)?;
        drop(stdout);
        return write_stdout(&text);
    }
    let mut out = BufWriter::with_capacity(1 << 16, stdout);
    write(&mut out)?;
    out.flush()
}

/// Writes a text to a terminal.
pub(super) fn write_visible(terminal: &mut impl Write, text: &[u8]) -> io::Result<()> {
    let text = String::from_utf8_lossy(text);
    terminal.write_all(visible_lines(&text).as_bytes())
}
