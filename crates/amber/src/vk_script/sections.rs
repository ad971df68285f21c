//! The sections before the commands.

use spirvkit_diagnostics::Span;

use super::VkReader;
use crate::kinds;
use crate::lex::Lexer;
use crate::number::Number;
use crate::pipeline::VertexData;
use crate::reader::{Parsed, quoted, scalar};
use crate::script::{Buffer, Contents, Handle, Shader, ShaderSource, Size};
use crate::types::{DataType, Layout, Scalar, Shape};
use crate::words::{Language, Rate, Stage};

/// What may be in brackets, besides shaders.
const SECTIONS: &[&str] = &["require", "vertex data", "indices", "test", "comment"];

/// A section: what is in brackets, and the text behind that line.
#[derive(Clone, Copy)]
struct Section<'t> {
    header: &'t str,
    span: Span,
    start: usize,
    end: usize,
}

/// Whether a text has a section, so that it may be VkScript.
pub(crate) fn has_section(text: &str) -> bool {
    text.lines().any(|line| header(line).is_some())
}

/// What is in brackets on a line of its own. Shaders may have other lines that start with
/// one, so only words of letters count.
fn header(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('[')?;
    let (inner, behind) = inner.split_once(']')?;
    let behind = behind.trim_start();
    let is_plain = |c: char| c.is_ascii_lowercase() || c == ' ';
    let is_header = !inner.is_empty() && inner.chars().all(is_plain);
    (is_header && (behind.is_empty() || behind.starts_with('#'))).then_some(inner)
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(header) = header(line) {
            if let Some(last) = sections.last_mut() {
                last.end = at;
            }
            sections.push(Section {
                header,
                span: Span {
                    start: at,
                    end: at + header.len() + 2,
                },
                start: at + line.len(),
                end: text.len(),
            });
        }
        at += line.len();
    }
    sections
}

impl<'t> VkReader<'t> {
    pub(crate) fn script(&mut self) {
        let sections = sections(self.text);
        let first = sections.first().map_or(self.text.len(), |it| it.span.start);
        self.reader.restart(Lexer::new(&self.text[..first], 0));
        if let Some((word, span)) = self.reader.line_start() {
            let message = format!("`{}` comes before the first section", quoted(word));
            self.reader.error(&kinds::UNEXPECTED, span, message);
        }
        for section in sections {
            let text = &self.text[..section.end];
            self.reader.restart(Lexer::new(text, section.start));
            self.section(section);
        }
    }

    fn section(&mut self, section: Section<'t>) {
        match section.header {
            "comment" => {}
            "require" => self.lines(Self::requirement),
            "vertex data" => self.is_whole &= self.vertices(section.span).is_ok(),
            "indices" => self.is_whole &= self.indices(section.span).is_ok(),
            "test" => self.lines(Self::test_command),
            header if header.contains("shader") => self.is_whole &= self.shader(section).is_ok(),
            header => {
                let known = SECTIONS.iter().copied();
                self.reader
                    .unknown_word(header, section.span, "section", known);
                self.is_whole = false;
            }
        }
    }

    /// Reads line by line, and goes on behind a line that is wrong.
    fn lines(&mut self, mut line: impl FnMut(&mut Self, &'t str, Span) -> Parsed<()>) {
        while let Some((word, span)) = self.reader.line_start() {
            let parsed = line(self, word, span).and_then(|()| self.reader.end_of_line());
            if parsed.is_err() {
                self.reader.skip_line();
            }
        }
    }

    fn shader(&mut self, section: Section<'t>) -> Parsed<()> {
        let Section { header, span, .. } = section;
        let Some((stage, language)) = shader_header(header) else {
            let known = ["vertex shader", "fragment shader", "compute shader"].into_iter();
            return Err(self
                .reader
                .unknown_word(header, span, "section of a shader", known));
        };
        if self.shaders.iter().any(|(_, it, _)| *it == stage) {
            let message = format!("there are two {} shaders", stage.name());
            return Err(self.reader.error(&kinds::DUPLICATE, span, message));
        }
        let source = match language {
            Language::Passthrough => ShaderSource::None,
            _ => ShaderSource::Text {
                text: self.text[section.start..section.end].to_owned(),
                start: section.start,
            },
        };
        let shader = Shader {
            name: stage.name().to_owned(),
            stage,
            language,
            target_env: None,
            source,
        };
        let handle = self.reader.declare(shader, span)?;
        self.shaders.push((handle, stage, "main".to_owned()));
        Ok(())
    }

    fn requirement(&mut self, word: &'t str, span: Span) -> Parsed<()> {
        match word {
            "framebuffer" | "depthstencil" => {
                let format = self.reader.format()?;
                let image = self.add_image(word, span, Shape::Format(format).into());
                match word {
                    "framebuffer" => self.framebuffer = Some(image),
                    _ => self.depth_stencil = Some(image),
                }
            }
            "fbsize" => self.framebuffer_size = self.reader.u32s("a number of pixels")?,
            "fence_timeout" => {
                let timeout = self.reader.u32("a time in milliseconds")?;
                self.reader.script.fence_timeout = Some(timeout);
            }
            _ => {
                let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
                if !word.chars().all(is_plain) {
                    let message = format!("`{}` is not a name of Vulkan", quoted(word));
                    return Err(self.reader.error(&kinds::UNEXPECTED, span, message));
                }
                let requirements = &mut self.reader.script.requirements;
                let list = match word.starts_with("VK_") {
                    true => &mut requirements.device_extensions,
                    false => &mut requirements.features,
                };
                list.push(word.to_owned());
            }
        }
        Ok(())
    }

    fn indices(&mut self, span: Span) -> Parsed<()> {
        let ty = Shape::Scalar(UINT).into();
        let indices = self.reader.numbers(ty, Some(""))?;
        let buffer = self.add_buffer("indices", span, ty);
        let count = indices.len();
        self.fill(buffer, indices, count);
        self.index_data = Some(buffer);
        Ok(())
    }

    /// A line that says what the columns are, and lines of numbers.
    fn vertices(&mut self, span: Span) -> Parsed<()> {
        let Some((word, start)) = self.reader.line_start() else {
            return Ok(());
        };
        let columns = self.columns(word, start)?;
        let script = &self.reader.script;
        let scalars = |ty: DataType| ty.element_layout(script, Layout::Std430).slots;
        let scalars: Vec<Vec<Scalar>> = columns
            .iter()
            .map(|(_, ty)| scalars(*ty).iter().map(|slot| slot.scalar).collect())
            .collect();
        let mut values: Vec<Vec<Number>> = vec![Vec::new(); columns.len()];
        let mut rows = 0;
        self.lines(|vk, word, start| {
            vk.vertex(word, start, &scalars, &mut values)?;
            rows += 1;
            Ok(())
        });
        for ((location, ty), values) in columns.into_iter().zip(values) {
            let buffer = self.add_buffer(&format!("vertex data {location}"), span, ty);
            self.fill(buffer, values, rows);
            self.vertex_data.push(VertexData {
                buffer,
                location,
                rate: Rate::Vertex,
                format: None,
                offset: 0,
                stride: None,
            });
        }
        Ok(())
    }

    fn fill(&mut self, buffer: Handle<Buffer>, values: Vec<Number>, count: usize) {
        let buffer = &mut self.reader.script.buffers[buffer.index()];
        buffer.size = Size::Elements(count as u64);
        buffer.contents = Contents::Values(values);
    }

    /// The numbers of a line, of which the first has been read.
    fn vertex(
        &mut self,
        word: &str,
        start: Span,
        scalars: &[Vec<Scalar>],
        values: &mut [Vec<Number>],
    ) -> Parsed<()> {
        let mut first = Some((word, start));
        for (scalars, values) in scalars.iter().zip(values) {
            for scalar in scalars {
                let number = match first.take() {
                    Some((word, span)) => self.reader.read_number(*scalar, word, span)?,
                    None => self.reader.number_of(*scalar)?,
                };
                values.push(number);
            }
        }
        Ok(())
    }

    /// What the columns of vertices are, each such as `0/R32G32_SFLOAT` or `0/float/vec2`.
    fn columns(&mut self, word: &'t str, start: Span) -> Parsed<Vec<(u32, DataType)>> {
        let mut columns: Vec<(u32, DataType)> = Vec::new();
        let mut next = Some((word, start));
        while let Some((word, span)) = next {
            let Some((location, ty)) = column(word) else {
                let message = format!(
                    "expected a location with a format, such as `0/R32G32_SFLOAT`, found `{}`",
                    quoted(word)
                );
                return Err(self.reader.error(&kinds::UNEXPECTED, span, message));
            };
            if columns.len() == MAX_COLUMNS || columns.iter().any(|it| it.0 == location) {
                let message = format!("there can't be another input at location {location}");
                return Err(self.reader.error(&kinds::DUPLICATE, span, message));
            }
            columns.push((location, ty));
            next = match self.reader.is_end_of_line() {
                true => None,
                false => Some(self.reader.word("a location with a format")?),
            };
        }
        self.reader.end_of_line()?;
        Ok(columns)
    }
}

/// How many inputs vertices may have.
const MAX_COLUMNS: usize = 64;

const UINT: Scalar = Scalar {
    kind: crate::types::ScalarKind::Unsigned,
    bits: 32,
};

/// `0/R32G32_SFLOAT`, or `0/float/vec2` with the type of the numbers and that of the shader.
fn column(word: &str) -> Option<(u32, DataType)> {
    let mut parts = word.split('/');
    let location = parts.next()?.parse().ok()?;
    let first = parts.next()?;
    let Some(glsl) = parts.next() else {
        let format = crate::Format::named(first)?;
        return Some((location, Shape::Format(format).into()));
    };
    let scalar = scalar(match first {
        "byte" => "int8",
        "ubyte" => "uint8",
        "short" => "int16",
        "ushort" => "uint16",
        "int" => "int32",
        "uint" => "uint32",
        "half" => "float16",
        "float" => "float",
        "double" => "double",
        _ => return None,
    })?;
    let digits = glsl.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let shape = match (&glsl[..glsl.len() - digits.len()], digits) {
        ("int" | "uint" | "float" | "double" | "vec" | "dvec" | "uvec" | "ivec", "") => {
            Shape::Scalar(scalar)
        }
        ("vec" | "dvec" | "uvec" | "ivec", "2" | "3" | "4") => Shape::Vector {
            scalar,
            size: digits.parse().ok()?,
        },
        _ => return None,
    };
    parts.next().is_none().then_some((location, shape.into()))
}

/// The stage and the language of a shader.
fn shader_header(header: &str) -> Option<(Stage, Language)> {
    let words: Vec<&str> = header.split(' ').filter(|it| !it.is_empty()).collect();
    let at = words.iter().position(|word| *word == "shader")?;
    let stage = stage(&words[..at])?;
    let language = match words[at + 1..] {
        [] => Language::Glsl,
        ["spirv"] => Language::SpirvAssembly,
        ["spirv", "hex"] => Language::SpirvHexadecimal,
        ["passthrough"] if stage == Stage::Vertex => Language::Passthrough,
        _ => return None,
    };
    Some((stage, language))
}

/// A stage by its words.
pub(super) fn stage(words: &[&str]) -> Option<Stage> {
    Some(match words {
        ["vertex"] => Stage::Vertex,
        ["tessellation", "control"] => Stage::TessellationControl,
        ["tessellation", "evaluation"] => Stage::TessellationEvaluation,
        ["geometry"] => Stage::Geometry,
        ["fragment"] => Stage::Fragment,
        ["compute"] => Stage::Compute,
        _ => return None,
    })
}
