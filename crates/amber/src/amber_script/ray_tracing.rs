//! `ACCELERATION_STRUCTURE`, and what only ray tracing pipelines have.

use spirvkit_diagnostics::Span;

use super::pipelines::Draft;
use crate::kinds;
use crate::number::Number;
use crate::pipeline::{BindingTable, Pipeline, ShaderGroup};
use crate::reader::{Parsed, Reader, Reported, quoted};
use crate::script::{BottomLevel, Geometry, GeometryKind, Handle, Instance, Shader, TopLevel};
use crate::words::{InstanceFlag, PipelineKind, Stage, Words};

/// How many libraries a pipeline may use.
const MAX_LIBRARIES: usize = 64;

/// The largest number of 24 bits.
const MAX_24: u64 = (1 << 24) - 1;

/// A point without a transformation.
const IDENTITY: [f32; 12] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];

impl Reader<'_> {
    pub(super) fn acceleration_structure(&mut self, span: Span) -> Parsed<()> {
        let (level, place) = self.word("`BOTTOM_LEVEL` or `TOP_LEVEL`")?;
        match level {
            "BOTTOM_LEVEL" => self.bottom_level(span),
            "TOP_LEVEL" => self.top_level(span),
            _ => {
                let known = ["BOTTOM_LEVEL", "TOP_LEVEL"].into_iter();
                Err(self.unknown_word(level, place, "level", known))
            }
        }
    }

    fn bottom_level(&mut self, span: Span) -> Parsed<()> {
        let name = self.declared_name("acceleration structure");
        let name = self.block_start(name);
        let mut geometries: Vec<Geometry> = Vec::new();
        self.block("ACCELERATION_STRUCTURE", span, |reader, word, start| {
            if word != "GEOMETRY" {
                let known = &["GEOMETRY", "END"];
                return Err(reader.unknown_command(word, start, "of geometries", known));
            }
            let geometry = reader.geometry(start)?;
            let first = geometries.first().map_or(geometry.kind, |it| it.kind);
            if first != geometry.kind {
                let message = "triangles and boxes can't be in one structure".to_owned();
                return Err(reader.error(&kinds::MISMATCH, start, message));
            }
            geometries.push(geometry);
            Ok(())
        });
        let Some((name, place)) = name else {
            return Ok(());
        };
        self.declare(BottomLevel { name, geometries }, place)?;
        Ok(())
    }

    fn geometry(&mut self, span: Span) -> Parsed<Geometry> {
        let (word, place) = self.word("`TRIANGLES` or `AABBS`")?;
        let (kind, corners) = match word {
            "TRIANGLES" => (GeometryKind::Triangles, 3),
            "AABBS" => (GeometryKind::Aabbs, 2),
            _ => {
                let known = ["TRIANGLES", "AABBS"].into_iter();
                return Err(self.unknown_word(word, place, "kind of geometry", known));
            }
        };
        if self.end_of_line().is_err() {
            self.skip_line();
        }
        let mut flags = Vec::new();
        let mut coordinates: Vec<f32> = Vec::new();
        self.block("GEOMETRY", span, |reader, word, start| {
            if word == "FLAGS" {
                while !reader.is_end_of_line() {
                    flags.push(reader.choice()?);
                }
                return reader.end_of_line();
            }
            let Some(first) = Number::parse(word) else {
                let message = format!("expected a coordinate, found `{}`", quoted(word));
                return Err(reader.error(&kinds::BAD_NUMBER, start, message));
            };
            coordinates.push(first.to_f64() as f32);
            while !reader.is_end_of_line() {
                coordinates.push(reader.f32("a coordinate")?);
            }
            reader.end_of_line()
        });
        if coordinates.is_empty() || !coordinates.len().is_multiple_of(3 * corners) {
            let message = format!(
                "there are {} coordinates; each of `{}` takes {}",
                coordinates.len(),
                word,
                3 * corners
            );
            self.error(&kinds::WRONG_COUNT, span, message);
        }
        let points = coordinates.chunks_exact(3).map(|it| [it[0], it[1], it[2]]);
        Ok(Geometry {
            kind,
            flags,
            points: points.collect(),
        })
    }

    fn top_level(&mut self, span: Span) -> Parsed<()> {
        let name = self.declared_name("acceleration structure");
        let name = self.block_start(name);
        let mut instances = Vec::new();
        self.block("ACCELERATION_STRUCTURE", span, |reader, word, start| {
            match word {
                // All in one line.
                "BLAS_INSTANCE" => {
                    reader.expect("USE")?;
                    instances.push(instance(reader.find()?));
                    reader.end_of_line()
                }
                "BOTTOM_LEVEL_INSTANCE" => {
                    instances.extend(reader.instance(start));
                    Ok(())
                }
                _ => {
                    let known = &["BOTTOM_LEVEL_INSTANCE", "BLAS_INSTANCE", "END"];
                    Err(reader.unknown_command(word, start, "of instances", known))
                }
            }
        });
        let Some((name, place)) = name else {
            return Ok(());
        };
        self.declare(TopLevel { name, instances }, place)?;
        Ok(())
    }

    fn instance(&mut self, span: Span) -> Option<Instance> {
        let geometries: Parsed<Handle<BottomLevel>> = self.find();
        if geometries.is_ok() && self.accept("END") {
            self.block_start(Ok(()));
            return geometries.ok().map(instance);
        }
        let geometries = self.block_start(geometries);
        let mut made = instance(geometries.unwrap_or(Handle::new(0)));
        self.block("BOTTOM_LEVEL_INSTANCE", span, |reader, word, start| {
            match word {
                "INDEX" => made.custom_index = reader.up_to(MAX_24, "an index")? as u32,
                "OFFSET" => made.offset = reader.up_to(MAX_24, "an offset")? as u32,
                "MASK" => made.mask = reader.up_to(255, "a mask")? as u32,
                "FLAGS" => return reader.instance_flags(&mut made.flags, start),
                "TRANSFORM" => return reader.transform(&mut made.transform, start),
                _ => {
                    let known = &["INDEX", "OFFSET", "MASK", "FLAGS", "TRANSFORM", "END"];
                    return Err(reader.unknown_command(word, start, "of instances", known));
                }
            }
            reader.end_of_line()
        });
        geometries.map(|_| made)
    }

    /// Flags in the same line, or each in its own up to `END`.
    fn instance_flags(&mut self, flags: &mut u32, span: Span) -> Parsed<()> {
        if self.is_end_of_line() {
            self.end_of_line()?;
            self.block("FLAGS", span, |reader, word, start| {
                *flags |= reader.instance_flag(word, start)?;
                while !reader.is_end_of_line() {
                    let (word, start) = reader.word("a flag")?;
                    *flags |= reader.instance_flag(word, start)?;
                }
                reader.end_of_line()
            });
            return Ok(());
        }
        while !self.is_end_of_line() {
            let (word, start) = self.word("a flag")?;
            *flags |= self.instance_flag(word, start)?;
        }
        self.end_of_line()
    }

    /// A flag by its name, or bits as a number.
    fn instance_flag(&mut self, word: &str, span: Span) -> Parsed<u32> {
        let number = Number::parse(word).and_then(Number::to_integer);
        if let Some(bits) = number.and_then(|it| u32::try_from(it).ok()) {
            return Ok(bits);
        }
        let flag: InstanceFlag = self.choose(word, span, word)?;
        let place = InstanceFlag::ALL.iter().position(|(_, it)| *it == flag);
        Ok(1 << place.unwrap_or(0))
    }

    /// Twelve numbers up to `END`.
    fn transform(&mut self, transform: &mut [f32; 12], span: Span) -> Parsed<()> {
        let mut numbers = Vec::new();
        while !self.is_end_of_line() {
            numbers.push(self.f32("a number")?);
        }
        self.end_of_line()?;
        self.block("TRANSFORM", span, |reader, word, start| {
            let Some(first) = Number::parse(word) else {
                let message = format!("expected a number, found `{}`", quoted(word));
                return Err(reader.error(&kinds::BAD_NUMBER, start, message));
            };
            numbers.push(first.to_f64() as f32);
            while !reader.is_end_of_line() {
                numbers.push(reader.f32("a number")?);
            }
            reader.end_of_line()
        });
        match <[f32; 12]>::try_from(&numbers[..]) {
            Ok(numbers) => *transform = numbers,
            Err(_) => {
                let message = format!("a transformation has 12 numbers, not {}", numbers.len());
                self.error(&kinds::WRONG_COUNT, span, message);
            }
        }
        Ok(())
    }

    pub(super) fn shader_group(&mut self, draft: &mut Draft, is_known: bool) -> Parsed<()> {
        let (name, span) = self.word("the name of a group")?;
        let mut shaders: Vec<Handle<Shader>> = Vec::new();
        while !self.is_end_of_line() {
            shaders.push(self.find()?);
        }
        if shaders.is_empty() {
            return Err(self.expected("the name of a shader"));
        }
        if is_known && draft.pipeline.kind != PipelineKind::RayTracing {
            let message = "only a ray tracing pipeline has groups of shaders".to_owned();
            return Err(self.error(&kinds::MISMATCH, span, message));
        }
        self.check_group(&shaders, span)?;
        if !draft.groups.insert(name.to_owned()) {
            let message = format!("there is already a group `{}`", quoted(name));
            return Err(self.error(&kinds::DUPLICATE, span, message));
        }
        draft.pipeline.ray_tracing.groups.push(ShaderGroup {
            name: name.to_owned(),
            shaders,
        });
        Ok(())
    }

    /// A group is one shader of ray generation, a miss or a call, or up to three of a hit.
    fn check_group(&mut self, shaders: &[Handle<Shader>], span: Span) -> Parsed<()> {
        let mut stages = Vec::new();
        for shader in shaders {
            let Shader { name, stage, .. } = &self.script[*shader];
            let is_alone = matches!(stage, Stage::RayGeneration | Stage::Miss | Stage::Callable);
            let is_hit = matches!(
                stage,
                Stage::AnyHit | Stage::ClosestHit | Stage::Intersection
            );
            let fits = is_alone && shaders.len() == 1 || is_hit && !stages.contains(stage);
            if !fits {
                let message = format!(
                    "`{}`, a {} shader, can't be in this group",
                    quoted(name),
                    stage.name()
                );
                return Err(self.error(&kinds::MISMATCH, span, message));
            }
            stages.push(*stage);
        }
        Ok(())
    }

    pub(super) fn binding_table(&mut self, draft: &mut Draft, span: Span) -> Parsed<()> {
        let name = self.word("the name of a table");
        let name = self.block_start(name);
        let mut groups = Vec::new();
        self.block("SHADER_BINDING_TABLE", span, |reader, word, start| {
            reader.check_has_group(draft, word, start)?;
            groups.push(word.to_owned());
            reader.end_of_line()
        });
        let Some((name, place)) = name else {
            return Ok(());
        };
        let tables = &mut draft.pipeline.ray_tracing.tables;
        if draft.tables.insert(name.to_owned(), tables.len()).is_some() {
            let message = format!("there is already a table `{}`", quoted(name));
            self.error(&kinds::DUPLICATE, place, message);
        }
        tables.push(BindingTable {
            name: name.to_owned(),
            groups,
        });
        Ok(())
    }

    fn check_has_group(&mut self, draft: &Draft, name: &str, span: Span) -> Parsed<()> {
        let libraries = &draft.pipeline.ray_tracing.libraries;
        let mut of_libraries = libraries.iter().filter_map(|it| self.groups.get(it));
        if draft.groups.contains(name) || of_libraries.any(|groups| groups.contains(name)) {
            return Ok(());
        }
        if !draft.is_whole {
            return Err(Reported);
        }
        let message = format!("there is no group `{}` here", quoted(name));
        Err(self.error(&kinds::UNKNOWN_NAME, span, message))
    }

    /// `FLAGS LIBRARY`, in one line or as a block.
    pub(super) fn pipeline_flags(&mut self, pipeline: &mut Pipeline) -> Parsed<()> {
        let is_block = self.is_end_of_line();
        loop {
            if self.accept("LIBRARY") {
                pipeline.ray_tracing.is_library = true;
            } else if is_block && self.accept("END") || !is_block && self.is_end_of_line() {
                return Ok(());
            } else if is_block && self.is_end_of_line() && !self.is_end_of_text() {
                self.next();
            } else {
                return Err(self.expected("`LIBRARY`"));
            }
        }
    }

    pub(super) fn libraries(&mut self, pipeline: &mut Pipeline) -> Parsed<()> {
        while !self.is_end_of_line() {
            let span = self.peek().span;
            let library: Handle<Pipeline> = self.find()?;
            if !self.script[library].ray_tracing.is_library {
                let name = quoted(&self.script[library].name);
                let message = format!("the pipeline `{name}` is not a library");
                return Err(self.error(&kinds::MISMATCH, span, message));
            }
            if pipeline.ray_tracing.libraries.len() == MAX_LIBRARIES {
                let message = format!("a pipeline can't use more than {MAX_LIBRARIES} libraries");
                return Err(self.error(&kinds::LIMIT, span, message));
            }
            pipeline.ray_tracing.libraries.push(library);
        }
        Ok(())
    }
}

/// Geometries where they are.
fn instance(geometries: Handle<BottomLevel>) -> Instance {
    Instance {
        geometries,
        custom_index: 0,
        offset: 0,
        mask: 0xff,
        flags: 0,
        transform: IDENTITY,
    }
}
