//! The contents of buffers while a script is run.

use spirvkit_diagnostics::Span;

use super::{Host, RunOptions, Stop};
use crate::command::Values;
use crate::contents::{contents, write};
use crate::kinds;
use crate::pipeline::{ArgumentValue, Resource};
use crate::reader::quoted;
use crate::script::{Buffer, Handle, Script, Size};

/// A part of a buffer, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Part {
    pub(super) buffer: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The buffers of a script; each is filled when it is first used.
pub(super) struct Memory<'s> {
    script: &'s Script,
    host: &'s dyn Host,
    bytes: Vec<Option<Vec<u8>>>,
    /// For each buffer the size of the framebuffer that it may take.
    framebuffers: Vec<[u32; 2]>,
    /// How many bytes may still be made.
    room: u64,
}

impl<'s> Memory<'s> {
    pub(super) fn new(script: &'s Script, options: &RunOptions, host: &'s dyn Host) -> Self {
        Self {
            script,
            host,
            bytes: vec![None; script.buffers.len()],
            framebuffers: framebuffers(script),
            room: options.max_memory,
        }
    }

    /// The size of the framebuffer that a buffer takes if it has none of its own.
    pub(super) fn framebuffer(&self, buffer: Handle<Buffer>) -> [u32; 2] {
        self.framebuffers[buffer.index()]
    }

    /// The width and height of an image.
    pub(super) fn extent(&self, buffer: Handle<Buffer>) -> [u32; 2] {
        match self.script[buffer].size {
            Size::Image { width, height, .. } => [width, height],
            Size::Framebuffer => self.framebuffer(buffer),
            Size::Elements(count) => [u32::try_from(count).unwrap_or(u32::MAX), 1],
        }
    }

    /// The bytes of a buffer.
    pub(super) fn bytes(&mut self, handle: Handle<Buffer>) -> Result<&mut Vec<u8>, Stop> {
        if self.bytes[handle.index()].is_none() {
            let (script, host) = (self.script, self.host);
            let buffer = &script[handle];
            let framebuffer = self.framebuffer(handle);
            let count = buffer.element_count(framebuffer);
            let size = count.saturating_mul(buffer.ty.stride(script, buffer.layout));
            self.take_room(handle, size)?;
            let mut is_missing = false;
            let read_file = |format, path: &str| {
                let file = host.read_file(format, path);
                is_missing = file.is_err();
                file
            };
            let filled = contents(script, buffer, framebuffer, read_file);
            let filled = filled.map_err(|errors| match is_missing {
                true => Stop::skip(Some(buffer.span), errors[0].message()),
                false => errors.into(),
            })?;
            self.bytes[handle.index()] = Some(filled);
        }
        Ok(self.bytes[handle.index()].get_or_insert_default())
    }

    /// Fills a buffer, and adds zeros up to this number of bytes: an image's contents are only
    /// those of its first level of detail and first sample.
    pub(super) fn extend(&mut self, handle: Handle<Buffer>, size: u64) -> Result<(), Stop> {
        let missing = size.saturating_sub(self.bytes(handle)?.len() as u64);
        self.take_room(handle, missing)?;
        let length = self.bytes(handle)?.len() as u64 + missing;
        self.bytes(handle)?.resize(length as usize, 0);
        Ok(())
    }

    /// Writes back what parts of buffers, in their order, have become. Where parts overlap, what
    /// was changed in any of them counts.
    pub(super) fn update(&mut self, results: &[(Part, &[u8])]) {
        let pairs = results.iter().zip(results.iter().skip(1));
        let overlap =
            |((a, _), (b, _)): (&(Part, _), &(Part, _))| a.buffer == b.buffer && b.start < a.end;
        let before = match pairs.clone().any(overlap) {
            true => self.bytes.clone(),
            false => Vec::new(),
        };
        for (part, bytes) in results {
            let target = self.bytes[part.buffer].get_or_insert_default();
            let Some(target) = target.get_mut(part.start..part.end) else {
                continue;
            };
            let old = before.get(part.buffer).and_then(Option::as_ref);
            match old.and_then(|old| old.get(part.start..part.end)) {
                None => target
                    .iter_mut()
                    .zip(*bytes)
                    .for_each(|(to, from)| *to = *from),
                Some(old) => {
                    let changed = target.iter_mut().zip(*bytes).zip(old);
                    let changed = changed.filter(|((_, new), old)| new != old);
                    changed.for_each(|((to, new), _)| *to = *new);
                }
            }
        }
    }

    /// Counts bytes that a buffer takes.
    fn take_room(&mut self, handle: Handle<Buffer>, size: u64) -> Result<(), Stop> {
        let Some(room) = self.room.checked_sub(size) else {
            let message = "the buffers take more memory than allowed";
            return Err(Stop::skip(Some(self.script[handle].span), message));
        };
        self.room = room;
        Ok(())
    }

    /// The bytes of a buffer that was used before; else nothing.
    pub(super) fn filled(&self, handle: Handle<Buffer>) -> &[u8] {
        self.bytes[handle.index()].as_deref().unwrap_or_default()
    }

    pub(super) fn copy(
        &mut self,
        from: Handle<Buffer>,
        to: Handle<Buffer>,
        span: Span,
    ) -> Result<(), Stop> {
        let script = self.script;
        let bytes = self.bytes(from)?.clone();
        let target = self.bytes(to)?;
        if target.len() == bytes.len() {
            *target = bytes;
            return Ok(());
        }
        let message = format!(
            "`{}` has {} bytes, and `{}` {}",
            quoted(&script[from].name),
            bytes.len(),
            quoted(&script[to].name),
            target.len()
        );
        Err(Stop::fail(kinds::WRITE.error(message).at_span(span)))
    }

    pub(super) fn write(&mut self, values: &Values, span: Span) -> Result<(), Stop> {
        let script = self.script;
        let bytes = self.bytes(values.buffer)?;
        write(script, bytes, values).map_err(|needed| {
            let message = format!(
                "`{}` has {} bytes, but this takes {needed}",
                quoted(&script[values.buffer].name),
                bytes.len()
            );
            Stop::fail(kinds::WRITE.error(message).at_span(span))
        })
    }
}

/// The size of the framebuffer of the pipeline that each buffer belongs to.
fn framebuffers(script: &Script) -> Vec<[u32; 2]> {
    let mut sizes = vec![None; script.buffers.len()];
    for pipeline in &script.pipelines {
        let bound = pipeline.bindings.iter().flat_map(|binding| {
            let buffers: &[_] = match &binding.resource {
                Resource::Buffers { buffers, .. } => buffers,
                _ => &[],
            };
            buffers.iter().map(|bound| bound.buffer)
        });
        let arguments = pipeline
            .arguments
            .iter()
            .filter_map(|argument| match argument.value {
                ArgumentValue::Buffer { buffer, .. } => Some(buffer),
                _ => None,
            });
        let attached = pipeline.color_attachments.iter().map(|color| color.buffer);
        let attached = attached.chain(pipeline.depth_stencil);
        let attached = attached.chain(pipeline.resolve_targets.iter().copied());
        for buffer in bound.chain(arguments).chain(attached) {
            sizes[buffer.index()].get_or_insert(pipeline.framebuffer_size);
        }
    }
    sizes
        .into_iter()
        .map(|size| size.unwrap_or([250; 2]))
        .collect()
}
