//! The commands of the section `test`, but for probes.

use spirvkit_diagnostics::Span;

use super::VkReader;
use super::sections::stage;
use crate::command::{Action, Area, Run, Unit, Values, Work};
use crate::kinds;
use crate::reader::{Parsed, Reported, quoted, scalar};
use crate::types::{DataType, Layout, Shape};
use crate::words::{DescriptorKind, PipelineKind, Stage, Topology};

/// What lines may start with.
const COMMANDS: &[&str] = &[
    "clear",
    "compute",
    "draw",
    "fragment",
    "geometry",
    "patch",
    "probe",
    "relative",
    "ssbo",
    "tessellation",
    "tolerance",
    "uniform",
    "vertex",
];

impl<'t> VkReader<'t> {
    /// A command, up to the end of its line.
    pub(super) fn test_command(&mut self, word: &'t str, span: Span) -> Parsed<()> {
        let action = match word {
            "vertex" | "fragment" | "geometry" | "tessellation" => {
                return self.entry_point(word);
            }
            "compute" if self.reader.peek_word() == Some("entrypoint") => {
                return self.entry_point(word);
            }
            "patch" => {
                self.reader.expect("parameter")?;
                self.reader.expect("vertices")?;
                let count = self.reader.u32("a number of vertices")?;
                self.state.graphics.patch_control_points = count;
                self.current[0] = None;
                return Ok(());
            }
            "tolerance" => {
                self.tolerances = self.reader.tolerance_list()?;
                return Ok(());
            }
            "ssbo" if !self.is_subdata()? => return Ok(()),
            "clear" => match self.clear(span)? {
                Some(action) => action,
                None => return Ok(()),
            },
            "compute" => {
                let pipeline = self.pipeline(PipelineKind::Compute, true, span)?;
                let groups = self.reader.u32s("a number of workgroups")?;
                Action::Run(Run {
                    pipeline,
                    is_timed: false,
                    work: Work::Compute(groups),
                })
            }
            "draw" => self.draw(span)?,
            "ssbo" => self.write(self.subject, Layout::Std430)?,
            "uniform" => self.uniform(span)?,
            "probe" => Action::Expect(self.probe(false)?),
            "relative" => {
                self.reader.expect("probe")?;
                Action::Expect(self.probe(true)?)
            }
            _ => {
                if self.state_line(word)? {
                    self.current[0] = None;
                    return Ok(());
                }
                let states = super::state::STATES.iter().copied();
                let known: Vec<&str> = COMMANDS.iter().copied().chain(states).collect();
                return Err(self
                    .reader
                    .unknown_command(word, span, "of VkScript", &known));
            }
        };
        self.reader.push(self.reader.span_from(span), action);
        Ok(())
    }

    /// Whether `subdata` comes after the binding of a storage buffer. If not, its size
    /// does, which is read.
    fn is_subdata(&mut self) -> Parsed<bool> {
        let span = self.reader.peek().span;
        let binding = self.binding()?;
        let at = self.memory_at(binding, DescriptorKind::Storage, span)?;
        self.subject = at;
        if self.reader.accept("subdata") {
            return Ok(true);
        }
        let size = self
            .reader
            .up_to(u32::MAX.into(), "a size in bytes, or `subdata`")?;
        let memory = &mut self.memory[at];
        memory.size = memory.size.max(size);
        Ok(false)
    }

    /// A set and a binding, or a binding of set 0.
    pub(super) fn binding(&mut self) -> Parsed<(u32, u32)> {
        let (word, span) = self.reader.word("a binding")?;
        let (set, binding) = word.split_once(':').unwrap_or(("0", word));
        match (set.parse(), binding.parse()) {
            (Ok(set), Ok(binding)) => Ok((set, binding)),
            _ => {
                let message = format!(
                    "expected a binding, such as `0` or `0:1`, found `{}`",
                    quoted(word)
                );
                Err(self.reader.error(&kinds::BAD_NUMBER, span, message))
            }
        }
    }

    fn entry_point(&mut self, word: &'t str) -> Parsed<()> {
        let stage = match word {
            "tessellation" => {
                let (part, span) = self.reader.word("`control` or `evaluation`")?;
                match stage(&[word, part]) {
                    Some(stage) => stage,
                    None => {
                        let known = ["control", "evaluation"].into_iter();
                        return Err(self.reader.unknown_word(part, span, "stage", known));
                    }
                }
            }
            _ => stage(&[word]).unwrap_or(Stage::Compute),
        };
        self.reader.expect("entrypoint")?;
        let name = self.reader.text("the name of an entry point")?;
        for (_, of, entry_point) in &mut self.shaders {
            if *of == stage {
                entry_point.clone_from(&name);
            }
        }
        self.current = [None; 2];
        Ok(())
    }

    fn clear(&mut self, span: Span) -> Parsed<Option<Action>> {
        if self.reader.accept("color") {
            self.state.clear_color = Some(self.reader.f32s("a color component")?);
            return Ok(None);
        }
        if self.reader.accept("depth") {
            self.state.clear_depth = Some(self.reader.f32("a depth")?);
            return Ok(None);
        }
        if self.reader.accept("stencil") {
            self.state.clear_stencil = Some(self.reader.u32("a stencil value")?);
            return Ok(None);
        }
        let pipeline = self.pipeline(PipelineKind::Graphics, false, span)?;
        let state = &self.state;
        let settings = [
            state.clear_color.map(|it| Action::ClearColor(pipeline, it)),
            state.clear_depth.map(|it| Action::ClearDepth(pipeline, it)),
            state
                .clear_stencil
                .map(|it| Action::ClearStencil(pipeline, it)),
        ];
        for setting in settings.into_iter().flatten() {
            self.reader.push(span, setting);
        }
        Ok(Some(Action::Clear(pipeline)))
    }

    fn draw(&mut self, span: Span) -> Parsed<Action> {
        let pipeline = self.pipeline(PipelineKind::Graphics, true, span)?;
        let work = if self.reader.accept("rect") {
            let unit = match self.reader.accept("ortho") {
                true => Unit::Pixel,
                false => Unit::Clip,
            };
            let is_patch = self.reader.accept("patch");
            let area = Area {
                unit,
                position: self.reader.f32s("a coordinate")?,
                size: self.reader.f32s("a size")?,
            };
            Work::Rectangle { area, is_patch }
        } else {
            self.reader.expect("arrays")?;
            let is_indexed = self.reader.accept("indexed");
            let is_instanced = self.reader.accept("instanced");
            let topology: Topology = self.reader.choice()?;
            let first = self.reader.u32("a vertex")?;
            let count = Some(self.reader.u32("a number of vertices")?);
            let instances = match is_instanced && !self.reader.is_end_of_line() {
                true => self.reader.u32("a number of instances")?,
                false => 1,
            };
            let missing = match (self.vertex_data.is_empty(), self.index_data) {
                (true, _) => Some("[vertex data]"),
                (_, None) if is_indexed => Some("[indices]"),
                _ => None,
            };
            if let Some(missing) = missing {
                if !self.is_whole {
                    return Err(Reported);
                }
                let message = format!("there is no section `{missing}` to draw");
                return Err(self.reader.error(&kinds::INCOMPLETE, span, message));
            }
            Work::Array {
                topology,
                is_indexed,
                first,
                count,
                first_instance: 0,
                instances,
            }
        };
        Ok(Action::Run(Run {
            pipeline,
            is_timed: false,
            work,
        }))
    }

    fn uniform(&mut self, span: Span) -> Parsed<Action> {
        if self.reader.accept("ubo") {
            let binding = self.binding()?;
            let at = self.memory_at(binding, DescriptorKind::Uniform, span)?;
            return self.write(at, Layout::Std140);
        }
        let at = match self.push_constants {
            Some(at) => at,
            None => self.add_memory("push constants", span),
        };
        self.push_constants = Some(at);
        self.write(at, Layout::Std430)
    }

    /// Writes numbers of a type from an offset on.
    fn write(&mut self, at: usize, layout: Layout) -> Parsed<Action> {
        let span = self.reader.peek().span;
        let ty = self.data_type()?;
        let offset_span = self.reader.peek().span;
        let offset = self.reader.up_to(u32::MAX.into(), "an offset in bytes")?;
        let numbers = self.element_numbers(ty)?;
        let stride = ty.stride(&self.reader.script, layout);
        let memory = &mut self.memory[at];
        let known = *memory.ty.get_or_insert(ty);
        let count = numbers.len() as u64 / u64::from(ty.shape.component_count(&self.reader.script));
        memory.size = memory.size.max(offset + count * stride);
        let buffer = memory.buffer;
        if known != ty {
            let message = "all that is written to a buffer must be of one type".to_owned();
            return Err(self.reader.error(&kinds::MISMATCH, span, message));
        }
        if offset % stride != 0 {
            let message = format!("the offset is not a multiple of the element's {stride} bytes");
            return Err(self
                .reader
                .error(&kinds::OUT_OF_RANGE, offset_span, message));
        }
        self.reader.script.buffers[buffer.index()].layout = layout;
        Ok(Action::Write(Values {
            buffer,
            offset,
            ty,
            layout,
            numbers,
        }))
    }

    /// Numbers of whole elements, at least one.
    pub(super) fn element_numbers(&mut self, ty: DataType) -> Parsed<Vec<crate::Number>> {
        let span = self.reader.peek().span;
        let numbers = self.reader.numbers(ty, None)?;
        let needed = ty.shape.component_count(&self.reader.script) as usize;
        if numbers.is_empty() || numbers.len() % needed != 0 {
            let message = format!(
                "there are {} values, but each element takes {needed}",
                numbers.len()
            );
            return Err(self.reader.error(&kinds::WRONG_COUNT, span, message));
        }
        Ok(numbers)
    }

    /// A type by its name in GLSL.
    pub(super) fn data_type(&mut self) -> Parsed<DataType> {
        let (word, span) = self.reader.word("a data type")?;
        match glsl_type(word) {
            Some(shape) => Ok(shape.into()),
            None => {
                let known = ["int", "uint", "float", "double", "vec2", "vec3", "vec4"];
                Err(self
                    .reader
                    .unknown_word(word, span, "data type", known.into_iter()))
            }
        }
    }
}

/// A scalar such as `int8_t`, a vector such as `ivec2` or a matrix such as `dmat2x3`.
fn glsl_type(word: &str) -> Option<Shape> {
    let of = |name| scalar(name);
    if let Some(prefix) = word.find("vec").map(|at| &word[..at]) {
        let scalar = of(match prefix {
            "" => "float",
            "d" => "double",
            "i" => "int32",
            "u" => "uint32",
            "i8" => "int8",
            "u8" => "uint8",
            "i16" => "int16",
            "u16" => "uint16",
            "i64" => "int64",
            "u64" => "uint64",
            "f16" => "float16",
            _ => return None,
        })?;
        let size = side(&word[prefix.len() + 3..])?;
        return Some(Shape::Vector { scalar, size });
    }
    if let Some((prefix, sides)) = word.split_once("mat") {
        let scalar = of(match prefix {
            "" => "float",
            "d" => "double",
            _ => return None,
        })?;
        let (columns, rows) = sides.split_once('x').unwrap_or((sides, sides));
        return Some(Shape::Matrix {
            scalar,
            columns: side(columns)?,
            rows: side(rows)?,
        });
    }
    let name = match word {
        "int" => "int32",
        "uint" => "uint32",
        "float" => "float",
        "double" => "double",
        _ => word.strip_suffix("_t")?,
    };
    of(name).map(Shape::Scalar)
}

/// A number from 2 to 4.
fn side(digits: &str) -> Option<u8> {
    digits.parse().ok().filter(|side| (2..=4).contains(side))
}
