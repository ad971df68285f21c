//! AmberScript: declarations and commands line by line, blocks up to `END`.

mod buffers;
mod commands;
mod debug;
mod graphics;
mod pipelines;
mod ray_tracing;
mod shaders;

use spirvkit_diagnostics::Span;

use crate::command::Action;
use crate::kinds;
use crate::reader::{OpenRepeat, Parsed, Reader, Reported};
use crate::types::{MAX_PARTS, Member, Struct};
use crate::words::Words;

/// How deep blocks of `REPEAT` may be in each other.
pub const MAX_REPEAT_DEPTH: usize = 16;

/// What lines may start with.
const COMMANDS: &[&str] = &[
    "ACCELERATION_STRUCTURE",
    "BUFFER",
    "CLEAR",
    "CLEAR_COLOR",
    "CLEAR_DEPTH",
    "CLEAR_STENCIL",
    "COPY",
    "DEBUG",
    "DERIVE_PIPELINE",
    "DEVICE_EXTENSION",
    "DEVICE_FEATURE",
    "DEVICE_PROPERTY",
    "EXPECT",
    "IMAGE",
    "INSTANCE_EXTENSION",
    "PIPELINE",
    "REPEAT",
    "RUN",
    "SAMPLER",
    "SET",
    "SHADER",
    "STRUCT",
    "VIRTUAL_FILE",
];

impl Reader<'_> {
    /// Reads a script behind its first line.
    pub(crate) fn amber_script(&mut self) {
        while let Some((word, span)) = self.line_start() {
            if self.command(word, span).is_err() {
                self.skip_line();
            }
        }
        while let Some(open) = self.repeats.pop() {
            self.open_block("REPEAT", open.span);
        }
    }

    fn command(&mut self, word: &str, span: Span) -> Parsed<()> {
        match word {
            "RUN" | "CLEAR" | "CLEAR_COLOR" | "CLEAR_DEPTH" | "CLEAR_STENCIL" | "COPY"
            | "EXPECT" => {
                let action = self.action(word)?;
                let span = self.span_from(span);
                self.end_of_line()?;
                self.push(span, action);
                Ok(())
            }
            "REPEAT" => self.repeat(span),
            "END" if !self.repeats.is_empty() => self.end_repeat(),
            _ if !self.repeats.is_empty() && COMMANDS.contains(&word) => {
                let message = format!("`{word}` can't be repeated");
                Err(self.error(&kinds::UNEXPECTED, span, message))
            }
            "DEBUG" => self.debug(span),
            "SHADER" => self.shader(span),
            "VIRTUAL_FILE" => self.virtual_file(span),
            "STRUCT" => self.structure(span),
            "BUFFER" => self.buffer().inspect_err(|_| self.skip_data()),
            "IMAGE" => self.image().inspect_err(|_| self.skip_data()),
            "SAMPLER" => self.sampler(),
            "ACCELERATION_STRUCTURE" => self.acceleration_structure(span),
            "PIPELINE" => self.pipeline(span),
            "DERIVE_PIPELINE" => self.derived_pipeline(span),
            "DEVICE_FEATURE" | "DEVICE_PROPERTY" | "DEVICE_EXTENSION" | "INSTANCE_EXTENSION" => {
                self.requirement(word)
            }
            "SET" => self.engine_data(),
            _ => Err(self.unknown_command(word, span, "of AmberScript", COMMANDS)),
        }
    }

    fn requirement(&mut self, word: &str) -> Parsed<()> {
        let name = self.word("a name of Vulkan")?.0.to_owned();
        let requirements = &mut self.script.requirements;
        let list = match word {
            "DEVICE_FEATURE" => &mut requirements.features,
            "DEVICE_PROPERTY" => &mut requirements.properties,
            "DEVICE_EXTENSION" => &mut requirements.device_extensions,
            _ => &mut requirements.instance_extensions,
        };
        list.push(name);
        self.end_of_line()
    }

    /// `SET ENGINE_DATA`.
    fn engine_data(&mut self) -> Parsed<()> {
        self.expect("ENGINE_DATA")?;
        self.expect("fence_timeout_ms")?;
        self.script.fence_timeout = Some(self.u32("a time in milliseconds")?);
        self.end_of_line()
    }

    fn repeat(&mut self, span: Span) -> Parsed<()> {
        // What the block holds is read whatever is wrong with its first line.
        let count = self.repeat_count();
        let count = self.block_start(count).unwrap_or(1);
        if self.repeats.len() == MAX_REPEAT_DEPTH {
            let message = format!("blocks of `REPEAT` are more than {MAX_REPEAT_DEPTH} deep");
            self.error(&kinds::LIMIT, span, message);
            // All further ones would be, too.
            self.repeats.clear();
            self.lexer().skip_all();
            return Ok(());
        }
        self.repeats.push(OpenRepeat {
            span,
            count,
            commands: Vec::new(),
        });
        Ok(())
    }

    fn repeat_count(&mut self) -> Parsed<u32> {
        let span = self.peek().span;
        match self.u32("how often to repeat")? {
            0 => {
                let message = "a block is repeated at least once".to_owned();
                Err(self.error(&kinds::OUT_OF_RANGE, span, message))
            }
            count => Ok(count),
        }
    }

    fn end_repeat(&mut self) -> Parsed<()> {
        if let Some(open) = self.repeats.pop() {
            self.push(
                open.span,
                Action::Repeat {
                    count: open.count,
                    commands: open.commands,
                },
            );
        }
        self.end_of_line()
    }

    /// A word and a name to declare, which is known if only the word is wrong.
    fn kind_and_name<T: Words>(&mut self, noun: &str) -> Parsed<(T, String, Span)> {
        let kind = self.choice();
        if kind.is_err() && self.is_end_of_line() {
            return Err(Reported);
        }
        let (name, place) = self.declared_name(noun)?;
        Ok((kind?, name, place))
    }

    /// A block whose `END` is missing.
    fn open_block(&mut self, command: &str, span: Span) {
        let message = format!("`{command}` has no `END`");
        self.error(&kinds::OPEN_BLOCK, span, message);
    }

    /// Reads the lines of a block up to its `END`, each with a function that gets its first
    /// word. What is wrong with one keeps none of the others from being read.
    fn block(
        &mut self,
        command: &str,
        span: Span,
        mut line: impl FnMut(&mut Self, &str, Span) -> Parsed<()>,
    ) {
        while let Some((word, start)) = self.line_start() {
            if word == "END" {
                if self.end_of_line().is_err() {
                    self.skip_line();
                }
                return;
            }
            if line(self, word, start).is_err() {
                self.skip_line();
            }
        }
        self.open_block(command, span);
    }

    /// Ends the first line of a block, unless something has been wrong with it. The block is
    /// read in any case.
    fn block_start<T>(&mut self, parsed: Parsed<T>) -> Option<T> {
        let parsed = parsed.and_then(|it| self.end_of_line().map(|()| it));
        if parsed.is_err() {
            self.skip_line();
        }
        parsed.ok()
    }

    fn structure(&mut self, span: Span) -> Parsed<()> {
        let start = self.structure_start();
        let start = self.block_start(start);
        let mut members: Vec<Member> = Vec::new();
        let mut names = hashbrown::HashSet::new();
        let mut is_whole = true;
        self.block("STRUCT", span, |reader, word, start| {
            let member = reader.member(word, start);
            match &member {
                Ok(member) if !names.insert(member.name.clone()) => {
                    let message = format!("there are two members `{}`", member.name);
                    return Err(reader.error(&kinds::DUPLICATE, start, message));
                }
                _ => is_whole &= member.is_ok(),
            }
            members.push(member?);
            Ok(())
        });
        let Some(((name, place), stride)) = start else {
            return Ok(());
        };
        if members.is_empty() && is_whole {
            let message = format!("the structure `{name}` has no members");
            self.error(&kinds::INCOMPLETE, place, message);
        }
        let structure = Struct::new(&self.script, name, stride, members);
        if structure.part_count() > MAX_PARTS {
            let message = format!("the structure has more than {MAX_PARTS} numbers");
            self.error(&kinds::LIMIT, place, message);
            // So that what uses it is no larger.
            let name = structure.name;
            let empty = Struct::new(&self.script, name, None, Vec::new());
            self.declare(empty, place).ok();
            return Ok(());
        }
        self.declare(structure, place).ok();
        Ok(())
    }

    fn structure_start(&mut self) -> Parsed<((String, Span), Option<u32>)> {
        let name = self.declared_name("structure")?;
        let stride = match self.accept("STRIDE") {
            true => Some(self.u32("a stride in bytes")?),
            false => None,
        };
        Ok((name, stride))
    }

    fn member(&mut self, word: &str, span: Span) -> Parsed<Member> {
        let shape = self.shape(word, span)?;
        let name = self.word("the name of the member")?.0.to_owned();
        let mut member = Member {
            name,
            shape,
            offset: None,
            matrix_stride: None,
        };
        while !self.is_end_of_line() {
            if self.accept("OFFSET") {
                member.offset = Some(self.u32("an offset in bytes")?);
            } else if self.accept("MATRIX_STRIDE") {
                member.matrix_stride = Some(self.u32("a stride in bytes")?);
            } else if self.accept("ARRAY_STRIDE") {
                // No member can be an array, so there is nothing that lies so far apart.
                self.u32("a stride in bytes")?;
            } else {
                return Err(self.expected("`OFFSET`, `MATRIX_STRIDE` or `ARRAY_STRIDE`"));
            }
        }
        self.end_of_line()?;
        Ok(member)
    }
}
