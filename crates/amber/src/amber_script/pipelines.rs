//! `PIPELINE`: shaders, and what is bound.

use hashbrown::{HashMap, HashSet};
use spirvkit_diagnostics::Span;

use crate::kinds;
use crate::pipeline::{
    Argument, ArgumentKey, ArgumentValue, Attachment, Binding, BoundBuffer, ColorAttachment,
    Pipeline, Resource, Specialization, Subgroup, SubgroupSize, VertexData,
};
use crate::reader::{Named, Parsed, Reader, quoted, scalar};
use crate::script::{Buffer, Handle, Sampler, Shader, TopLevel};
use crate::types::Scalar;
use crate::words::{DescriptorKind, PipelineKind, Rate, Stage};

/// What may be in a pipeline.
const COMMANDS: &[&str] = &[
    "ALPHA_TO_COVERAGE",
    "ATTACH",
    "BIND",
    "BLEND",
    "COMPILE_OPTIONS",
    "DEPTH",
    "END",
    "FLAGS",
    "FRAMEBUFFER_SIZE",
    "INDEX_DATA",
    "MAX_RAY_HIT_ATTRIBUTE_SIZE",
    "MAX_RAY_PAYLOAD_SIZE",
    "MAX_RAY_RECURSION_DEPTH",
    "PATCH_CONTROL_POINTS",
    "POLYGON_MODE",
    "SET",
    "SHADER_BINDING_TABLE",
    "SHADER_GROUP",
    "SHADER_OPTIMIZATION",
    "STENCIL",
    "SUBGROUP",
    "USE_LIBRARY",
    "VERTEX_DATA",
    "VIEWPORT",
];

/// A pipeline that is being read, with what finds things in it.
pub(super) struct Draft {
    pub(super) pipeline: Pipeline,
    /// The places of bindings in its list.
    bound: HashMap<(u32, u32), usize>,
    pub(super) groups: HashSet<String>,
    pub(super) tables: HashMap<String, usize>,
    /// Whether all that was read of it was right, so that what it doesn't have is missing.
    pub(super) is_whole: bool,
}

impl Draft {
    fn new(pipeline: Pipeline) -> Self {
        let bindings = pipeline.bindings.iter().enumerate();
        let groups = pipeline.ray_tracing.groups.iter();
        let tables = pipeline.ray_tracing.tables.iter().enumerate();
        Self {
            bound: bindings
                .map(|(at, it)| ((it.set, it.binding), at))
                .collect(),
            groups: groups.map(|it| it.name.clone()).collect(),
            tables: tables.map(|(at, it)| (it.name.clone(), at)).collect(),
            is_whole: true,
            pipeline,
        }
    }
}

impl Reader<'_> {
    pub(super) fn pipeline(&mut self, span: Span) -> Parsed<()> {
        let start = self.kind_and_name("pipeline");
        let start = self.block_start(start);
        let is_named = start.is_some();
        let (kind, name, place) = start.unwrap_or((PipelineKind::Graphics, String::new(), span));
        let pipeline = (Pipeline::new(name, kind), true);
        self.pipeline_body("PIPELINE", span, pipeline, is_named.then_some(place))
    }

    pub(super) fn derived_pipeline(&mut self, span: Span) -> Parsed<()> {
        let start = self.derived_start();
        let start = self.block_start(start);
        let (pipeline, place) = match start {
            Some((pipeline, place)) => (pipeline, Some(place)),
            None => {
                let unknown = Pipeline::new(String::new(), PipelineKind::Graphics);
                ((unknown, false), None)
            }
        };
        self.pipeline_body("DERIVE_PIPELINE", span, pipeline, place)
    }

    fn derived_start(&mut self) -> Parsed<((Pipeline, bool), Span)> {
        let (name, place) = self.declared_name("pipeline")?;
        self.expect("FROM")?;
        let parent: Handle<Pipeline> = self.find()?;
        self.take_room(self.script[parent].part_count(), place)?;
        let mut pipeline = self.script[parent].clone();
        pipeline.name = name;
        let is_whole = !self.not_whole.contains(&parent);
        Ok(((pipeline, is_whole), place))
    }

    /// Reads what a pipeline has, and declares it if its first line was right.
    fn pipeline_body(
        &mut self,
        command: &str,
        span: Span,
        (pipeline, is_whole): (Pipeline, bool),
        place: Option<Span>,
    ) -> Parsed<()> {
        let mut draft = Draft::new(pipeline);
        draft.is_whole = is_whole;
        self.block(command, span, |reader, word, start| {
            let parsed = reader.pipeline_line(&mut draft, word, start, place.is_some());
            draft.is_whole &= parsed.is_ok();
            parsed
        });
        let Some(place) = place else {
            return Ok(());
        };
        if draft.is_whole {
            self.check_shaders(&draft.pipeline, place);
        }
        let handle = self.declare(draft.pipeline, place)?;
        if !draft.is_whole {
            self.not_whole.insert(handle);
        }
        self.groups.insert(handle, draft.groups);
        self.tables.insert(handle, draft.tables);
        Ok(())
    }

    /// Whether a pipeline has the shaders that its kind needs.
    fn check_shaders(&mut self, pipeline: &Pipeline, place: Span) {
        let has = |stage| pipeline.shaders.iter().any(|it| it.stage == stage);
        let missing = match pipeline.kind {
            PipelineKind::Compute if !has(Stage::Compute) => "compute",
            PipelineKind::Graphics if !has(Stage::Vertex) => "vertex",
            _ => return,
        };
        let message = format!(
            "the pipeline `{}` has no {missing} shader",
            quoted(&pipeline.name)
        );
        self.error(&kinds::INCOMPLETE, place, message);
    }

    fn pipeline_line(
        &mut self,
        draft: &mut Draft,
        word: &str,
        span: Span,
        is_known: bool,
    ) -> Parsed<()> {
        let pipeline = &mut draft.pipeline;
        match word {
            "ATTACH" => self.attach(pipeline, span, is_known)?,
            "BIND" => self.bind(draft, span)?,
            "VERTEX_DATA" => {
                let data = self.vertex_data()?;
                if pipeline.vertex_data.len() >= MAX_VERTEX_DATA {
                    let message = format!("there are more than {MAX_VERTEX_DATA} vertex inputs");
                    return Err(self.error(&kinds::LIMIT, span, message));
                }
                if pipeline
                    .vertex_data
                    .iter()
                    .any(|it| it.location == data.location)
                {
                    let message = format!("there are two inputs at location {}", data.location);
                    return Err(self.error(&kinds::DUPLICATE, span, message));
                }
                pipeline.vertex_data.push(data);
            }
            "INDEX_DATA" => pipeline.index_data = Some(self.find()?),
            "FRAMEBUFFER_SIZE" => pipeline.framebuffer_size = self.u32s("a number of pixels")?,
            "SHADER_OPTIMIZATION" | "COMPILE_OPTIONS" => {
                return self.shader_words(pipeline, word, span);
            }
            "SUBGROUP" => return self.subgroup(pipeline, span),
            "SET" => self.kernel_number(pipeline)?,
            "SHADER_GROUP" => self.shader_group(draft, is_known)?,
            "SHADER_BINDING_TABLE" => return self.binding_table(draft, span),
            "FLAGS" => self.pipeline_flags(pipeline)?,
            "USE_LIBRARY" => self.libraries(pipeline)?,
            "MAX_RAY_PAYLOAD_SIZE" => {
                pipeline.ray_tracing.max_payload_size = self.u32("a size in bytes")?;
            }
            "MAX_RAY_HIT_ATTRIBUTE_SIZE" => {
                pipeline.ray_tracing.max_hit_attribute_size = self.u32("a size in bytes")?;
            }
            "MAX_RAY_RECURSION_DEPTH" => {
                pipeline.ray_tracing.max_recursion_depth = self.u32("a depth")?;
            }
            _ => return self.graphics_line(&mut pipeline.state, word, span, COMMANDS),
        }
        self.end_of_line()
    }

    fn attach(&mut self, pipeline: &mut Pipeline, span: Span, is_known: bool) -> Parsed<()> {
        let handle: Handle<Shader> = self.find()?;
        let shader = &self.script[handle];
        let (name, mut stage) = (shader.name.clone(), shader.stage);
        let is_multi = stage == Stage::Multi;
        if self.accept("TYPE") {
            let given: Stage = self.choice()?;
            if !is_multi && given != stage || given == Stage::Multi {
                let message = format!("`{name}` is no {} shader", given.name());
                return Err(self.error(&kinds::MISMATCH, span, message));
            }
            stage = given;
        } else if is_multi {
            return Err(self.expected("`TYPE`, because the shader is of several stages"));
        }
        let mut entry_point = "main".to_owned();
        if self.accept("ENTRY_POINT") {
            entry_point = self.text("the name of an entry point")?;
        } else if is_multi {
            return Err(self.expected("`ENTRY_POINT`, because the shader is of several stages"));
        }
        let mut specialization = Vec::new();
        while self.accept("SPECIALIZE") {
            let id = self.u32("the id of a specialization constant")?;
            self.expect("AS")?;
            let ty = self.scalar()?;
            if ty.bits != 32 {
                let message = format!("a specialization constant has 32 bits, `{ty}` has not");
                return Err(self.error(&kinds::MISMATCH, span, message));
            }
            let value = self.number_of(ty)?;
            specialization.push(Specialization { id, ty, value });
        }
        if is_known && !belongs(stage, pipeline.kind) {
            let message = format!(
                "`{name}` is a {} shader, which is none for {} pipelines",
                stage.name(),
                pipeline.kind.name()
            );
            return Err(self.error(&kinds::MISMATCH, span, message));
        }
        if pipeline.shaders.iter().any(|it| it.stage == stage) {
            let message = format!("there are two {} shaders", stage.name());
            return Err(self.error(&kinds::DUPLICATE, span, message));
        }
        pipeline.shaders.push(Attachment {
            shader: handle,
            stage,
            entry_point,
            specialization,
            optimizations: Vec::new(),
            compile_options: Vec::new(),
            subgroup: Subgroup::default(),
        });
        Ok(())
    }

    fn scalar(&mut self) -> Parsed<Scalar> {
        let (word, span) = self.word("a type of numbers")?;
        match scalar(word) {
            Some(scalar) => Ok(scalar),
            None => {
                let known = ["int32", "uint32", "float"].into_iter();
                Err(self.unknown_word(word, span, "type of numbers", known))
            }
        }
    }

    /// A shader that the pipeline has.
    fn attachment<'p>(&mut self, pipeline: &'p mut Pipeline) -> Parsed<&'p mut Attachment> {
        let span = self.peek().span;
        let handle: Handle<Shader> = self.find()?;
        match pipeline.shaders.iter_mut().find(|it| it.shader == handle) {
            Some(attachment) => Ok(attachment),
            None => {
                let name = &self.script[handle].name;
                let message = format!("the shader `{name}` isn't attached to this pipeline");
                Err(self.error(&kinds::MISMATCH, span, message))
            }
        }
    }

    /// `SHADER_OPTIMIZATION` and `COMPILE_OPTIONS`: words up to `END`.
    fn shader_words(&mut self, pipeline: &mut Pipeline, word: &str, span: Span) -> Parsed<()> {
        let attachment = self.attachment(pipeline);
        let attachment = self.block_start(attachment);
        let mut options = Vec::new();
        self.block(word, span, |reader, first, _| {
            options.push(first.to_owned());
            while !reader.is_end_of_line() {
                options.push(reader.text("an option")?);
            }
            reader.end_of_line()
        });
        if let Some(attachment) = attachment {
            match word {
                "SHADER_OPTIMIZATION" => attachment.optimizations = options,
                _ => attachment.compile_options = options,
            }
        }
        Ok(())
    }

    fn subgroup(&mut self, pipeline: &mut Pipeline, span: Span) -> Parsed<()> {
        let attachment = self.attachment(pipeline);
        let attachment = self.block_start(attachment);
        let mut subgroup = Subgroup::default();
        self.block("SUBGROUP", span, |reader, word, start| {
            match word {
                "FULLY_POPULATED" => subgroup.is_full = reader.switch()?,
                "VARYING_SIZE" => subgroup.is_varying = reader.switch()?,
                "REQUIRED_SIZE" => subgroup.size = Some(reader.subgroup_size()?),
                _ => {
                    let known = &["FULLY_POPULATED", "VARYING_SIZE", "REQUIRED_SIZE", "END"];
                    return Err(reader.unknown_command(word, start, "of `SUBGROUP`", known));
                }
            }
            reader.end_of_line()
        });
        if let Some(attachment) = attachment {
            attachment.subgroup = subgroup;
        }
        Ok(())
    }

    fn subgroup_size(&mut self) -> Parsed<SubgroupSize> {
        if self.accept("MIN") {
            return Ok(SubgroupSize::Min);
        }
        if self.accept("MAX") {
            return Ok(SubgroupSize::Max);
        }
        let span = self.peek().span;
        let size = self.u32("a number of invocations, `MIN` or `MAX`")?;
        if !size.is_power_of_two() {
            let message = format!("the size of a subgroup is a power of two, not {size}");
            return Err(self.error(&kinds::OUT_OF_RANGE, span, message));
        }
        Ok(SubgroupSize::Exact(size))
    }

    fn vertex_data(&mut self) -> Parsed<VertexData> {
        let buffer = self.find()?;
        self.expect("LOCATION")?;
        let mut data = VertexData {
            buffer,
            location: self.u32("a location")?,
            rate: Rate::Vertex,
            format: None,
            offset: 0,
            stride: None,
        };
        while !self.is_end_of_line() {
            if self.accept("RATE") {
                data.rate = self.choice()?;
            } else if self.accept("FORMAT") {
                data.format = Some(self.format()?);
            } else if self.accept("OFFSET") {
                data.offset = self.u32("an offset in bytes")?;
            } else if self.accept("STRIDE") {
                data.stride = Some(self.u32("a stride in bytes")?);
            } else {
                return Err(self.expected("`RATE`, `FORMAT`, `OFFSET` or `STRIDE`"));
            }
        }
        Ok(data)
    }

    fn bind(&mut self, draft: &mut Draft, span: Span) -> Parsed<()> {
        let (word, place) = self.word("what to bind")?;
        let is_array = word.ends_with("_ARRAY");
        match word {
            "BUFFER" | "BUFFER_ARRAY" => self.bind_buffer(draft, is_array, span),
            "SAMPLER" | "SAMPLER_ARRAY" => {
                let samplers: Vec<Handle<Sampler>> = self.handles(is_array)?;
                if let (Some(key), [sampler]) = (self.kernel_argument()?, &samplers[..]) {
                    let value = ArgumentValue::Sampler(*sampler);
                    draft.pipeline.arguments.push(Argument { key, value });
                    return Ok(());
                }
                let (set, binding) = self.set_and_binding()?;
                let resource = Resource::Samplers(samplers);
                self.add_binding(draft, set, binding, resource);
                Ok(())
            }
            "ACCELERATION_STRUCTURE" => {
                let top_level: Handle<TopLevel> = self.find()?;
                let (set, binding) = self.set_and_binding()?;
                let resource = Resource::AccelerationStructure(top_level);
                self.add_binding(draft, set, binding, resource);
                Ok(())
            }
            _ => {
                let known = [
                    "BUFFER",
                    "BUFFER_ARRAY",
                    "SAMPLER",
                    "SAMPLER_ARRAY",
                    "ACCELERATION_STRUCTURE",
                ];
                Err(self.unknown_word(word, place, "kind of thing to bind", known.into_iter()))
            }
        }
    }

    /// What is bound later at the same place replaces what was: pipelines may be derived for
    /// that.
    fn add_binding(&mut self, draft: &mut Draft, set: u32, binding: u32, resource: Resource) {
        let bindings = &mut draft.pipeline.bindings;
        let new = Binding {
            set,
            binding,
            resource,
        };
        match draft.bound.get(&(set, binding)) {
            Some(&at) => bindings[at] = new,
            None => {
                draft.bound.insert((set, binding), bindings.len());
                bindings.push(new);
            }
        }
    }

    /// One name, or those up to a keyword.
    fn handles<T: Named>(&mut self, is_array: bool) -> Parsed<Vec<Handle<T>>> {
        let mut handles = vec![self.find()?];
        if !is_array {
            return Ok(handles);
        }
        while let Some(word) = self.peek_word() {
            let is_keyword = matches!(word, "AS" | "DESCRIPTOR_SET" | "KERNEL");
            if is_keyword && !self.is_declared::<T>(word) {
                break;
            }
            handles.push(self.find()?);
        }
        Ok(handles)
    }

    fn set_and_binding(&mut self) -> Parsed<(u32, u32)> {
        self.expect("DESCRIPTOR_SET")?;
        let set = self.u32("a descriptor set")?;
        self.expect("BINDING")?;
        Ok((set, self.u32("a binding")?))
    }

    fn base_mip_level(&mut self) -> Parsed<u32> {
        match self.accept("BASE_MIP_LEVEL") {
            true => self.u32("a level of detail"),
            false => Ok(0),
        }
    }

    /// `KERNEL` with which argument is meant, if that is next.
    fn kernel_argument(&mut self) -> Parsed<Option<ArgumentKey>> {
        if !self.accept("KERNEL") {
            return Ok(None);
        }
        if self.accept("ARG_NAME") {
            let name = self.text("the name of an argument")?;
            return Ok(Some(ArgumentKey::Name(name)));
        }
        self.expect("ARG_NUMBER")?;
        let number = self.u32("the number of an argument")?;
        Ok(Some(ArgumentKey::Number(number)))
    }

    /// `SET KERNEL`.
    fn kernel_number(&mut self, pipeline: &mut Pipeline) -> Parsed<()> {
        let Some(key) = self.kernel_argument()? else {
            return Err(self.expected("`KERNEL`"));
        };
        self.expect("AS")?;
        let ty = self.scalar()?;
        let value = ArgumentValue::Number {
            ty,
            value: self.number_of(ty)?,
        };
        pipeline.arguments.push(Argument { key, value });
        Ok(())
    }

    fn bind_buffer(&mut self, draft: &mut Draft, is_array: bool, span: Span) -> Parsed<()> {
        let handles: Vec<Handle<Buffer>> = self.handles(is_array)?;
        let pipeline = &mut draft.pipeline;
        let first = handles[0];
        if let Some(key) = self.kernel_argument()? {
            let value = ArgumentValue::Buffer {
                buffer: first,
                kind: None,
            };
            pipeline.arguments.push(Argument { key, value });
            return Ok(());
        }
        self.expect("AS")?;
        if !is_array {
            if self.accept("color") {
                return self.bind_color(pipeline, first, span);
            }
            let place = match self.peek_word() {
                Some("depth_stencil") => &mut pipeline.depth_stencil,
                Some("push_constant") => &mut pipeline.push_constants,
                Some("resolve") => {
                    pipeline.resolve_targets.push(first);
                    self.next();
                    return Ok(());
                }
                _ => return self.bind_descriptor(draft, &handles),
            };
            *place = Some(first);
            self.next();
            return Ok(());
        }
        self.bind_descriptor(draft, &handles)
    }

    fn bind_color(
        &mut self,
        pipeline: &mut Pipeline,
        buffer: Handle<Buffer>,
        span: Span,
    ) -> Parsed<()> {
        self.expect("LOCATION")?;
        let location = self.up_to(MAX_COLOR_ATTACHMENTS - 1, "a location")? as u32;
        let base_mip_level = self.base_mip_level()?;
        let colors = &mut pipeline.color_attachments;
        let new = ColorAttachment {
            buffer,
            location,
            base_mip_level,
        };
        match colors.iter_mut().find(|it| it.location == location) {
            Some(old) if old.buffer == buffer => *old = new,
            Some(_) => {
                let message = format!("there are two images at location {location}");
                return Err(self.error(&kinds::DUPLICATE, span, message));
            }
            None => colors.push(new),
        }
        Ok(())
    }

    /// What shaders find by set and binding.
    fn bind_descriptor(&mut self, draft: &mut Draft, handles: &[Handle<Buffer>]) -> Parsed<()> {
        let kind: DescriptorKind = self.choice()?;
        if let Some(key) = self.kernel_argument()? {
            let value = ArgumentValue::Buffer {
                buffer: handles[0],
                kind: Some(kind),
            };
            draft.pipeline.arguments.push(Argument { key, value });
            return Ok(());
        }
        let sampler = match kind {
            DescriptorKind::CombinedImageSampler => {
                self.expect("SAMPLER")?;
                Some(self.find()?)
            }
            _ => None,
        };
        let (set, binding) = self.set_and_binding()?;
        let mut buffers: Vec<BoundBuffer> = handles
            .iter()
            .map(|buffer| BoundBuffer {
                buffer: *buffer,
                dynamic_offset: 0,
                offset: 0,
                range: None,
            })
            .collect();
        let is_dynamic = matches!(
            kind,
            DescriptorKind::UniformDynamic | DescriptorKind::StorageDynamic
        );
        if is_dynamic {
            self.expect("OFFSET")?;
            self.offsets(&mut buffers, |it, offset| it.dynamic_offset = offset)?;
        }
        let mut base_mip_level = 0;
        while !self.is_end_of_line() {
            if self.accept("DESCRIPTOR_OFFSET") {
                self.offsets(&mut buffers, |it, offset| it.offset = offset)?;
            } else if self.accept("DESCRIPTOR_RANGE") {
                self.ranges(&mut buffers)?;
            } else if self.peek_word() == Some("BASE_MIP_LEVEL") {
                base_mip_level = self.base_mip_level()?;
            } else {
                let known = "`DESCRIPTOR_OFFSET`, `DESCRIPTOR_RANGE`, `BASE_MIP_LEVEL` or the end of the line";
                return Err(self.expected(known));
            }
        }
        let resource = Resource::Buffers {
            kind,
            buffers,
            sampler,
            base_mip_level,
        };
        self.add_binding(draft, set, binding, resource);
        Ok(())
    }

    /// A number for each buffer; fewer are for the first ones.
    fn offsets(
        &mut self,
        buffers: &mut [BoundBuffer],
        set: impl Fn(&mut BoundBuffer, u64),
    ) -> Parsed<()> {
        for (number, buffer) in buffers.iter_mut().enumerate() {
            if number > 0 && !self.is_number() {
                break;
            }
            set(buffer, self.up_to(u32::MAX.into(), "an offset in bytes")?);
        }
        Ok(())
    }

    /// The same of ranges, of which −1 is all that follows.
    fn ranges(&mut self, buffers: &mut [BoundBuffer]) -> Parsed<()> {
        for (number, buffer) in buffers.iter_mut().enumerate() {
            if number > 0 && !self.is_number() {
                break;
            }
            buffer.range = match self.accept("-1") {
                true => None,
                false => Some(self.up_to(u32::MAX.into(), "a size in bytes")?),
            };
        }
        Ok(())
    }
}

/// How many images fragment shaders may write to.
const MAX_COLOR_ATTACHMENTS: u64 = 64;

/// How many inputs vertex shaders may have.
const MAX_VERTEX_DATA: usize = 64;

/// Whether pipelines of a kind have a stage.
fn belongs(stage: Stage, kind: PipelineKind) -> bool {
    let of_stage = match stage {
        Stage::Compute => PipelineKind::Compute,
        Stage::Vertex
        | Stage::TessellationControl
        | Stage::TessellationEvaluation
        | Stage::Geometry
        | Stage::Fragment => PipelineKind::Graphics,
        _ => PipelineKind::RayTracing,
    };
    of_stage == kind && kind != PipelineKind::RayTracing
}
