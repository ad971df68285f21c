//! Which bytes of buffers were read and written: whether what ran at the same time could have
//! noticed, and what of it is to be kept.

use super::access::Pattern;
use super::control::{Active, Gang};
use super::memory::Access;
use super::{Buffer, Shared};
use crate::image::ImageOp;
use crate::program::{Address, Inst, Object, ObjectKind, Program};
use crate::special::Special;

/// What a program does with each of the run's buffers, as far as that shows before it runs.
#[derive(Clone, Debug)]
pub(super) struct Traffic {
    reads: Vec<bool>,
    writes: Vec<bool>,
}

impl Traffic {
    /// The traffic of a program whose objects are these buffers.
    pub(super) fn of(program: &Program, homes: &[usize], buffers: usize) -> Self {
        let mut traffic = Self {
            reads: vec![false; buffers],
            writes: vec![false; buffers],
        };
        for inst in &program.code {
            traffic.add(program, homes, inst);
        }
        // Objects that are no buffers are the first.
        for marks in [&mut traffic.reads, &mut traffic.writes] {
            marks.iter_mut().take(1).for_each(|mark| *mark = false);
        }
        traffic
    }

    fn add(&mut self, program: &Program, homes: &[usize], inst: &Inst) {
        match inst {
            Inst::Load { cell, .. } => mark(&mut self.reads, cell.address, homes),
            Inst::Store { cell, .. } => mark(&mut self.writes, cell.address, homes),
            Inst::Atomic(index) => {
                let address = program.atomics[*index as usize].address;
                mark(&mut self.reads, address, homes);
                mark(&mut self.writes, address, homes);
            }
            // Which image it is, the lanes know.
            Inst::Image(index) => {
                let access = &program.accesses[*index as usize];
                let marks = match matches!(access.op, ImageOp::Write) {
                    true => &mut self.writes,
                    false => &mut self.reads,
                };
                for (object, &home) in program.objects.iter().zip(homes) {
                    marks[home] |= matches!(object.kind, ObjectKind::Resource { .. });
                }
            }
            Inst::Special(index) => match &program.specials[*index as usize] {
                Special::Part { inst, .. } => self.add(program, homes, inst),
                Special::Copies(copies) => {
                    mark(&mut self.reads, copies.from, homes);
                    mark(&mut self.writes, copies.to, homes);
                }
                // Whatever is done with a pipe, others can see.
                Special::Pipe(_) => {
                    for (object, &home) in program.objects.iter().zip(homes) {
                        let is_pipe = matches!(object.kind, ObjectKind::Pipe { .. });
                        self.reads[home] |= is_pipe;
                        self.writes[home] |= is_pipe;
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// How many bytes the buffers have that may be written.
    pub(super) fn written_bytes(&self, buffers: &[Buffer]) -> u64 {
        let written = self.writes.iter().zip(buffers).filter(|it| *it.0);
        written.map(|(_, buffer)| buffer.len() as u64).sum()
    }

    /// Whether no workgroup can see what another one does.
    pub(super) fn is_one_way(&self) -> bool {
        let mut buffers = self.reads.iter().zip(&self.writes);
        !buffers.any(|(reads, writes)| *reads && *writes)
    }
}

fn mark(marks: &mut [bool], address: Address, homes: &[usize]) {
    match address.object {
        Object::Known(object) => marks[homes[object as usize]] = true,
        Object::Column(_) => marks.fill(true),
    }
}

/// A bit for each byte of a buffer.
#[derive(Clone, Debug, Default)]
struct Marks(Vec<u64>);

impl Marks {
    fn new(bytes: usize) -> Self {
        Self(vec![0; bytes.div_ceil(64)])
    }

    /// Marks bytes; those that aren't there have no mark.
    #[inline]
    fn add(&mut self, start: usize, bytes: usize) {
        let end = start.saturating_add(bytes).min(self.0.len() * 64);
        let mut at = start;
        while at < end {
            let (word, first) = (at / 64, at % 64);
            let count = (64 - first).min(end - at);
            self.0[word] |= u64::MAX >> (64 - count) << first;
            at += count;
        }
    }

    fn meets(&self, other: &Self) -> bool {
        let mut words = self.0.iter().zip(&other.0);
        words.any(|(own, other)| own & other != 0)
    }

    /// Copies what is marked.
    fn copy(&self, to: &mut [u8], from: &[u8]) {
        let chunks = to.chunks_mut(64).zip(from.chunks(64));
        for (&marks, (to, from)) in self.0.iter().zip(chunks) {
            match marks {
                0 => {}
                u64::MAX => to.copy_from_slice(from),
                _ => {
                    let bytes = to.iter_mut().zip(from).enumerate();
                    for (index, (to, from)) in bytes {
                        if marks >> index & 1 != 0 {
                            *to = *from;
                        }
                    }
                }
            }
        }
    }
}

/// What was done with a buffer that may be written.
#[derive(Clone, Debug)]
struct Track {
    read: Marks,
    written: Marks,
}

/// What was done with all buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tracks {
    /// `None` for buffers that nothing writes.
    all: Vec<Option<Track>>,
}

impl Tracks {
    /// Nothing was done yet.
    pub(super) fn new(traffic: &Traffic, buffers: &[Buffer]) -> Self {
        let track = |(writes, buffer): (&bool, &Buffer)| {
            writes.then(|| Track {
                // What is never read can't be seen.
                read: Marks::new(buffer.len()),
                written: Marks::new(buffer.len()),
            })
        };
        Self {
            all: traffic.writes.iter().zip(buffers).map(track).collect(),
        }
    }

    /// Notes an access to a buffer.
    #[inline]
    pub(super) fn note(&mut self, buffer: usize, start: usize, bytes: usize, is_write: bool) {
        if let Some(Some(track)) = self.all.get_mut(buffer) {
            let marks = if is_write {
                &mut track.written
            } else {
                &mut track.read
            };
            marks.add(start, bytes);
        }
    }

    /// Whether one has written what the other has read or written.
    pub(super) fn conflict(&self, other: &Self) -> bool {
        let mut tracks = self.all.iter().flatten().zip(other.all.iter().flatten());
        tracks.any(|(own, other)| {
            own.written.meets(&other.written)
                || own.written.meets(&other.read)
                || own.read.meets(&other.written)
        })
    }

    /// Takes over all that was written.
    pub(super) fn keep(&self, to: &mut [Buffer], from: &[Buffer]) {
        for ((track, to), from) in self.all.iter().zip(to).zip(from) {
            if let Some(track) = track
                && track.written.0.iter().any(|&marks| marks != 0)
            {
                track.written.copy(to, from);
            }
        }
    }
}

impl Shared<'_> {
    /// Notes what an access may touch, lane by lane.
    pub(super) fn track(&mut self, access: Access) {
        if let Some(tracks) = &mut self.tracks
            && let Some(&home) = self.homes.get(access.object as usize)
        {
            let (start, bytes) = (access.offset as usize, access.bytes as usize);
            tracks.note(home, start, bytes, false);
            if access.is_write {
                tracks.note(home, start, bytes, true);
            }
        }
    }

    /// Notes that an image is read, at a texel or anywhere.
    pub(super) fn track_image(&mut self, object: usize, texel: Option<(usize, usize)>) {
        if let Some(tracks) = &mut self.tracks
            && let Some(&home) = self.homes.get(object)
        {
            let (start, bytes) = texel.unwrap_or((0, usize::MAX));
            tracks.note(home, start, bytes, false);
        }
    }
}

impl<const W: usize> Gang<W> {
    /// Notes that all active lanes access a buffer together.
    pub(super) fn track_together<const N: usize>(
        &self,
        tracks: &mut Tracks,
        active: &Active<W>,
        (buffer, address): (usize, Address),
        is_write: bool,
    ) {
        match self.pattern::<N>(active, address) {
            Pattern::Uniform(start) => tracks.note(buffer, start, N, is_write),
            Pattern::Consecutive(start) if active.is_full => {
                tracks.note(buffer, start, W * N, is_write);
            }
            _ => {
                for lane in active.lanes() {
                    tracks.note(buffer, self.offset_of(address, lane), N, is_write);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Marks;

    #[test]
    fn marks_across_words() {
        let mut marks = Marks::new(130);
        marks.add(60, 8);
        marks.add(129, 100);
        assert_eq!(marks.0, [0xf << 60, 0xf, 0xffff_ffff_ffff_fffe]);
        let (mut to, from) = ([0u8; 130], [1u8; 130]);
        marks.copy(&mut to, &from);
        let expected: Vec<u8> = (0..130)
            .map(|it| u8::from((60..68).contains(&it) || it == 129))
            .collect();
        assert_eq!(to[..], expected);
        marks.add(usize::MAX, usize::MAX);
        let mut other = Marks::new(130);
        other.add(0, 60);
        other.add(68, 61);
        assert!(!marks.meets(&other));
        other.add(67, 1);
        assert!(marks.meets(&other));
    }
}
