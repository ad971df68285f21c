//! VkScript: sections of what is required, shaders, vertices, indices and commands.
//!
//! Its commands change one pipeline, so each state in which something is drawn or computed
//! becomes a pipeline of its own; what is bound is bound to all of them.

mod commands;
mod probes;
mod sections;
mod state;

pub(crate) use sections::has_section;

use hashbrown::HashMap;
use spirvkit_diagnostics::Span;

use crate::command::Tolerance;
use crate::kinds;
use crate::pipeline::{
    Attachment, Binding, BoundBuffer, ColorAttachment, Pipeline, Resource, Subgroup, VertexData,
};
use crate::reader::{Parsed, Reader, Reported};
use crate::script::{Buffer, Handle, Shader, Size};
use crate::types::{DataType, Shape};
use crate::words::{DescriptorKind, PipelineKind, Stage};
use state::State;

/// Reads a script of VkScript.
pub(crate) struct VkReader<'t> {
    reader: Reader<'t>,
    text: &'t str,
    /// The image that is drawn to, and its size.
    framebuffer: Option<Handle<Buffer>>,
    framebuffer_size: [u32; 2],
    depth_stencil: Option<Handle<Buffer>>,
    /// Whether all sections before the commands were right, so that what there isn't is missing.
    is_whole: bool,
    /// The shaders and their entry points.
    shaders: Vec<(Handle<Shader>, Stage, String)>,
    vertex_data: Vec<VertexData>,
    index_data: Option<Handle<Buffer>>,
    /// How it draws now.
    state: State,
    /// The pipelines of graphics and of compute in the state of now, if there are.
    current: [Option<Handle<Pipeline>>; 2],
    /// What is bound, and as what each buffer is, with its place in `memory`.
    bindings: Vec<Binding>,
    bound: HashMap<(u32, u32), (DescriptorKind, usize)>,
    push_constants: Option<usize>,
    memory: Vec<Memory>,
    /// The place of the buffer that the command of now is about.
    subject: usize,
    tolerances: Vec<Tolerance>,
}

/// A buffer that grows with what is written to it.
struct Memory {
    buffer: Handle<Buffer>,
    /// What its elements are, once something has been written.
    ty: Option<DataType>,
    /// Its size in bytes.
    size: u64,
}

impl<'t> VkReader<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            reader: Reader::new(text, 0),
            text,
            framebuffer: None,
            framebuffer_size: [250; 2],
            depth_stencil: None,
            is_whole: true,
            shaders: Vec::new(),
            vertex_data: Vec::new(),
            index_data: None,
            state: State::default(),
            current: [None; 2],
            bindings: Vec::new(),
            bound: HashMap::new(),
            push_constants: None,
            memory: Vec::new(),
            subject: 0,
            tolerances: Vec::new(),
        }
    }

    /// What was read.
    pub(crate) fn finish(mut self) -> Reader<'t> {
        self.bind_all();
        for memory in &self.memory {
            let ty = memory.ty.unwrap_or(BYTES);
            let buffer = &self.reader.script.buffers[memory.buffer.index()];
            let stride = ty.stride(&self.reader.script, buffer.layout).max(1);
            let buffer = &mut self.reader.script.buffers[memory.buffer.index()];
            buffer.ty = ty;
            buffer.size = Size::Elements(memory.size.div_ceil(stride));
        }
        self.reader
    }

    /// Gives every pipeline what was bound anywhere.
    fn bind_all(&mut self) {
        let parts: usize = self.bindings.iter().map(Binding::part_count).sum();
        let others = self.reader.script.pipelines.len().saturating_sub(1);
        let parts = parts.saturating_mul(others);
        let everything = Span {
            start: 0,
            end: self.text.len(),
        };
        if self.reader.take_room(parts, everything).is_err() {
            return;
        }
        let push_constants = self.push_constants.map(|at| self.memory[at].buffer);
        for pipeline in &mut self.reader.script.pipelines {
            pipeline.bindings.clone_from(&self.bindings);
            pipeline.push_constants = push_constants;
        }
    }

    /// Makes something by a name that is free.
    fn add_buffer(&mut self, name: &str, span: Span, ty: DataType) -> Handle<Buffer> {
        let buffers = &mut self.reader.script.buffers;
        buffers.push(Buffer::new(name.to_owned(), span, ty));
        Handle::new(buffers.len() - 1)
    }

    /// The image that is drawn to.
    fn framebuffer(&mut self) -> Handle<Buffer> {
        if let Some(buffer) = self.framebuffer {
            return buffer;
        }
        let format = crate::Format::named("B8G8R8A8_UNORM");
        let ty = format.map_or(BYTES, |it| Shape::Format(it).into());
        let buffer = self.add_image("framebuffer", Span { start: 0, end: 0 }, ty);
        self.framebuffer = Some(buffer);
        buffer
    }

    fn add_image(&mut self, name: &str, span: Span, ty: DataType) -> Handle<Buffer> {
        let handle = self.add_buffer(name, span, ty);
        self.reader.script.buffers[handle.index()].size = Size::Framebuffer;
        handle
    }

    /// The pipeline for a kind of work in the state of now. To draw or compute takes shaders;
    /// to clear does not.
    fn pipeline(
        &mut self,
        kind: PipelineKind,
        needs_shaders: bool,
        span: Span,
    ) -> Parsed<Handle<Pipeline>> {
        let needed = match kind {
            PipelineKind::Compute => Stage::Compute,
            _ => Stage::Vertex,
        };
        let has_shader = self.shaders.iter().any(|(_, stage, _)| *stage == needed);
        if needs_shaders && !has_shader {
            if !self.is_whole {
                return Err(Reported);
            }
            let message = format!("the script has no {} shader", needed.name());
            return Err(self.reader.error(&kinds::INCOMPLETE, span, message));
        }
        let place = usize::from(kind == PipelineKind::Compute);
        if let Some(pipeline) = self.current[place] {
            return Ok(pipeline);
        }
        let pipeline = self.new_pipeline(kind);
        self.reader.take_room(pipeline.part_count(), span)?;
        let pipelines = &mut self.reader.script.pipelines;
        let handle = Handle::new(pipelines.len());
        pipelines.push(pipeline);
        self.current[place] = Some(handle);
        Ok(handle)
    }

    fn new_pipeline(&mut self, kind: PipelineKind) -> Pipeline {
        let number = self.reader.script.pipelines.len();
        let mut pipeline = Pipeline::new(format!("{} {number}", kind.name()), kind);
        let is_compute = kind == PipelineKind::Compute;
        let shaders = self.shaders.iter();
        let shaders = shaders.filter(|(_, stage, _)| (*stage == Stage::Compute) == is_compute);
        pipeline.shaders = shaders
            .map(|(shader, stage, entry_point)| Attachment {
                shader: *shader,
                stage: *stage,
                entry_point: entry_point.clone(),
                specialization: Vec::new(),
                optimizations: Vec::new(),
                compile_options: Vec::new(),
                subgroup: Subgroup::default(),
            })
            .collect();
        if is_compute {
            return pipeline;
        }
        pipeline.framebuffer_size = self.framebuffer_size;
        pipeline.color_attachments.push(ColorAttachment {
            buffer: self.framebuffer(),
            location: 0,
            base_mip_level: 0,
        });
        pipeline.depth_stencil = self.depth_stencil;
        pipeline.vertex_data.clone_from(&self.vertex_data);
        pipeline.index_data = self.index_data;
        pipeline.state = self.state.resolved();
        pipeline
    }

    /// The place of the buffer at a set and binding, which is made if there is none.
    fn memory_at(
        &mut self,
        (set, binding): (u32, u32),
        kind: DescriptorKind,
        span: Span,
    ) -> Parsed<usize> {
        match self.bound.get(&(set, binding)) {
            Some(&(is, at)) if is == kind => return Ok(at),
            Some(_) => {
                let kind = kind.name();
                let message = format!("what is bound at {set}:{binding} is not a {kind} buffer");
                return Err(self.reader.error(&kinds::MISMATCH, span, message));
            }
            None => {}
        }
        let name = format!("{} {set}:{binding}", kind.name());
        let at = self.add_memory(&name, span);
        self.bound.insert((set, binding), (kind, at));
        self.bindings.push(Binding {
            set,
            binding,
            resource: Resource::Buffers {
                kind,
                buffers: vec![BoundBuffer {
                    buffer: self.memory[at].buffer,
                    dynamic_offset: 0,
                    offset: 0,
                    range: None,
                }],
                sampler: None,
                base_mip_level: 0,
            },
        });
        Ok(at)
    }

    fn add_memory(&mut self, name: &str, span: Span) -> usize {
        let buffer = self.add_buffer(name, span, BYTES);
        self.memory.push(Memory {
            buffer,
            ty: None,
            size: 0,
        });
        self.memory.len() - 1
    }
}

/// What buffers hold until something is written to them.
const BYTES: DataType = DataType {
    shape: Shape::Scalar(crate::reader::BYTE),
    is_array: false,
};
