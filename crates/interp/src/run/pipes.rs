//! Pipes that kernels get.

use super::arguments::Argument;
use super::{Element, MAX_BUFFER, Name, Run, bytes_of};
use crate::lower::Given;

/// A pipe for a kernel: packets of one size, which kernels read in the order in which they were
/// written.
///
/// ```
/// use spirvkit_interp::{Pipe, Run};
///
/// # let words = [];
/// // Two packets of four bytes are there, and there is room for eight.
/// let pipe = Pipe::new(4, 8).packets(&[1u32, 2]);
/// let run = Run::new(&words).pipe_argument("in", pipe);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipe {
    packet: u32,
    capacity: u32,
    contents: Vec<u8>,
}

impl Pipe {
    /// An empty pipe for so many packets (`capacity`) of so many bytes (`packet_size`).
    pub fn new(packet_size: u32, capacity: u32) -> Self {
        Self {
            packet: packet_size,
            capacity,
            contents: Vec::new(),
        }
    }

    /// The packets that are there before the run, the first one first: as many numbers as whole
    /// packets take.
    #[must_use]
    pub fn packets<T: Element>(mut self, contents: &[T]) -> Self {
        self.contents = bytes_of(contents);
        self
    }

    /// What lowering must know of it, and the bytes; or what is wrong with it.
    pub(super) fn given(self) -> Result<(Given, Vec<u8>), String> {
        let Self {
            packet,
            capacity,
            contents,
        } = self;
        if packet == 0 || capacity == 0 {
            return Err(format!(
                "a pipe for {capacity} packets of {packet} bytes; there is at least one of each"
            ));
        }
        let room = u64::from(packet) * u64::from(capacity);
        if room > MAX_BUFFER {
            return Err(format!(
                "a pipe of {room} bytes, where one may have {MAX_BUFFER}"
            ));
        }
        let (bytes, size) = (contents.len(), packet as usize);
        if !bytes.is_multiple_of(size) {
            return Err(format!("{bytes} bytes are no whole packets of {packet}"));
        }
        match u32::try_from(bytes / size) {
            Ok(count) if count <= capacity => {
                let given = Given::Pipe {
                    packet,
                    capacity,
                    count,
                };
                Ok((given, contents))
            }
            _ => Err(format!(
                "{} packets are given, but there is room for {capacity}",
                bytes / size
            )),
        }
    }
}

impl Run<'_> {
    /// Gives an argument of a kernel a pipe. [`Outcome::argument`](super::Outcome::argument) then
    /// has the packets that are left in it.
    pub fn pipe_argument(self, name: impl Into<Name>, pipe: Pipe) -> Self {
        self.given(name.into(), Argument::Pipe(pipe))
    }
}
