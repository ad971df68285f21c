//! The walk over a module that writes its text.

use std::fmt::Write as _;

use spirvkit_binary::{
    Definition, Definitions, ErrorKind, Id, Instruction, Module, Redefinition, WordOffset,
};
use spirvkit_diagnostics::Diagnostic;
use spirvkit_grammar::Op;

use crate::buffer::TextBuffer;
use crate::refusals::is_bad_float_type;

use super::annotate::Annotations;
use super::comments::Comments;
use super::names::Names;
use super::source::Sources;
use super::{DisassembleOptions, Disassembled, Indentation, blocks, diagnostic};

/// The column in which instructions start, when they do.
const COLUMN: usize = 15;

/// The colours of the text, as ANSI escapes.
#[derive(Clone, Copy)]
pub(super) enum Hue {
    Result,
    Id,
    Number,
    String,
    Comment,
}

impl Hue {
    const fn escape(self) -> &'static str {
        match self {
            Self::Result => "\x1b[34m",
            Self::Id => "\x1b[33m",
            Self::Number => "\x1b[31m",
            Self::String => "\x1b[32m",
            Self::Comment => "\x1b[90m",
        }
    }
}

const RESET: &str = "\x1b[0m";

pub(super) struct Printer<'a> {
    module: &'a Module<'a>,
    pub(super) options: &'a DisassembleOptions,
    pub(super) out: TextBuffer,
    pub(super) names: Names,
    pub(super) definitions: Definitions,
    /// For lenient text whose blocks are laid out: the definitions of everything
    /// read so far, while `definitions` are those of everything written.
    ahead: Option<Definitions>,
    pub(super) comments: Option<Box<Comments>>,
    pub(super) annotations: Option<Box<Annotations<'a>>>,
    pub(super) sources: Option<Box<Sources>>,
    /// How many bytes of the current line are escapes.
    pub(super) escapes: usize,
    /// The last instruction before words that are none, which the assembler
    /// would take for operands of that instruction if it may have more.
    before_tail: Option<WordOffset>,
    /// The highest id written.
    pub(super) highest: u32,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl<'a> Printer<'a> {
    pub(super) fn new(module: &'a Module<'a>, options: &'a DisassembleOptions) -> Self {
        let names = match options.friendly_names {
            true => Names::friendly(module),
            false => Names::Raw,
        };
        let annotations = options
            .annotate
            .then(|| Box::new(Annotations::new(module, options, &names)));
        let wants_comments =
            options.comments || options.annotate || options.source || options.offsets;
        let lays_out = options.lenient && (options.nested || options.reorder_blocks);
        Self {
            module,
            options,
            // A word takes some ten characters.
            out: TextBuffer::with_capacity(module.words().len() * 12 + 256),
            names,
            definitions: Definitions::for_module(module),
            ahead: lays_out.then(|| Definitions::for_module(module)),
            comments: wants_comments.then(|| Box::new(Comments::new(module, options))),
            annotations,
            sources: options.source.then(|| Box::new(Sources::new(module))),
            escapes: 0,
            before_tail: if options.lenient {
                before_tail(module)
            } else {
                None
            },
            highest: 0,
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> Result<Disassembled, Vec<Diagnostic>> {
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        Ok(Disassembled {
            text: self.out.into_string(),
            warnings: self.warnings,
        })
    }

    pub(super) fn module(&mut self) {
        let body = self.header();
        let defer = self.options.nested || self.options.reorder_blocks;
        let mut instructions = self.module.instructions();
        while let Some(instruction) = instructions.next() {
            match instruction {
                Ok(instruction) if defer && instruction.op() == Op::Function => {
                    self.function(instruction, &mut instructions);
                }
                Ok(instruction) => {
                    if let Some(ahead) = &mut self.ahead {
                        ahead.define(&instruction);
                    }
                    let redefinition = self.definitions.define(&instruction);
                    self.instruction(&instruction, redefinition, Place::default());
                }
                Err(error) if self.options.lenient => {
                    debug_assert!(matches!(
                        error.kind(),
                        ErrorKind::ZeroWordCount | ErrorKind::PastEnd { .. }
                    ));
                    self.tail(instructions.offset().0);
                }
                Err(error) => self.errors.push(diagnostic(&error)),
            }
        }
        self.bound_of(body);
    }

    /// A whole function, whose blocks are nested or reordered.
    fn function(&mut self, first: Instruction<'a>, rest: &mut spirvkit_binary::Instructions<'a>) {
        let mut instructions = vec![first];
        let mut peek = rest.clone();
        while let Some(Ok(instruction)) = peek.next() {
            instructions.push(instruction);
            *rest = peek.clone();
            if instruction.op() == Op::FunctionEnd {
                break;
            }
        }
        // The text may be in another order than the module, so all ids of the
        // function are defined before the first line. Lenient text, though, must
        // be read back, and its reader knows an id only once it has come up.
        let ahead = self.ahead.as_mut().unwrap_or(&mut self.definitions);
        let redefinitions: Vec<_> = instructions
            .iter()
            .map(|instruction| ahead.define(instruction))
            .collect();
        let layout = blocks::Layout::of(&instructions, ahead, self.options.reorder_blocks);
        for line in layout.lines {
            let instruction = &instructions[line.index];
            let redefinition = match self.ahead {
                Some(_) => self.definitions.define(instruction),
                None => redefinitions[line.index],
            };
            let place = match self.options.nested {
                true => Place {
                    depth: line.depth,
                    starts_block: line.starts_block,
                },
                false => Place::default(),
            };
            self.instruction(instruction, redefinition, place);
        }
    }

    /// Writes the header. Returns where its bound stands.
    fn header(&mut self) -> usize {
        if !self.options.header {
            return 0;
        }
        let header = self.module.header();
        self.begin(Hue::Comment);
        let _ = write!(
            self.out,
            "; SPIR-V\n; Version: {}\n; Generator: {}\n; Bound: ",
            header.version, header.generator
        );
        let bound = self.out.len();
        let _ = write!(self.out, "{}\n; Schema: {}", header.bound, header.schema);
        self.end_hue();
        self.out.push('\n');
        self.escapes = 0;
        bound
    }

    /// Marks a bound that is not above all ids, so that assembling the text
    /// does not mend it. Only lenient text wants that.
    fn bound_of(&mut self, position: usize) {
        if self.options.lenient && position > 0 && self.module.header().bound <= self.highest {
            self.out.insert(position, '!');
        }
    }

    /// Writes an instruction on a line of its own, or notes why it can't.
    fn instruction(
        &mut self,
        instruction: &Instruction<'a>,
        redefinition: Option<Redefinition>,
        place: Place,
    ) {
        let before = self.out.len();
        let heading = self.section_heading(instruction, place);
        self.source_line(instruction, place);
        let start = self.out.len();
        self.escapes = 0;
        let written = match redefinition {
            // Only what others depend on must be unambiguous to be read back.
            Some(Redefinition { id, earlier })
                if !self.options.lenient || earlier != Definition::Other =>
            {
                let word = 1 + usize::from(instruction.result_type().is_some());
                Err(instruction.error(ErrorKind::Redefined { id }, word))
            }
            _ if self.before_tail == Some(instruction.offset()) => {
                Err(instruction.error(ErrorKind::SurplusWords { count: 1 }, 0))
            }
            _ if self.options.lenient && is_bad_float_type(instruction) => {
                let id = instruction.result().unwrap_or(Id(0));
                Err(instruction.error(ErrorKind::NotANumberType { id }, 1))
            }
            _ => self.line(instruction, place),
        };
        if let Err(error) = written {
            self.out.truncate(start);
            self.escapes = 0;
            if !self.undecodable(instruction, place, error.kind()) {
                self.errors.push(diagnostic(&error));
                self.out.truncate(before);
                self.undo_heading(heading);
                return;
            }
        }
        self.trailing_comment(instruction, start);
        self.out.push('\n');
    }

    /// Does something that both reads the definitions and writes text.
    #[inline]
    pub(super) fn with_definitions<T>(
        &mut self,
        work: impl FnOnce(&mut Self, &Definitions) -> T,
    ) -> T {
        let definitions = std::mem::take(&mut self.definitions);
        let result = work(self, &definitions);
        self.definitions = definitions;
        result
    }

    /// Writes what stands before the opcode's name.
    #[inline]
    pub(super) fn margin(&mut self, result: Option<Id>, place: Place) {
        let column = match self.options.indentation {
            Indentation::Column => COLUMN,
            Indentation::None => 0,
        };
        match result {
            None => self.out.push_spaces(column),
            Some(id) => {
                self.highest = self.highest.max(id.0);
                self.begin(Hue::Result);
                // Room for the `%` and ` = `.
                if column > 0 {
                    let width = self.names.width(id);
                    self.out.push_spaces((column - 4).saturating_sub(width));
                }
                self.names.write(&mut self.out, "%", id);
                self.end_hue();
                self.out.push_str(" = ");
            }
        }
        if place.depth > 0 {
            self.out.push_spaces(place.depth);
        }
    }

    /// Starts a colour, if the text is to have any.
    #[inline]
    pub(super) fn begin(&mut self, hue: Hue) {
        if self.options.color {
            self.out.push_str(hue.escape());
            self.escapes += hue.escape().len();
        }
    }

    /// Ends a colour.
    #[inline]
    pub(super) fn end_hue(&mut self) {
        if self.options.color {
            self.out.push_str(RESET);
            self.escapes += RESET.len();
        }
    }

    /// The bytes that the current line, which starts at `start`, shows.
    pub(super) fn visible(&self, start: usize) -> usize {
        self.out.len() - start - self.escapes
    }

    /// Pads the current line, which starts at `start`, to a width.
    pub(super) fn pad_to(&mut self, start: usize, width: usize) {
        self.out
            .push_spaces(width.saturating_sub(self.visible(start)));
    }

    pub(super) fn words(&self) -> &'a [u32] {
        self.module.words()
    }

    pub(super) fn warn(&mut self, error: spirvkit_binary::Error) {
        let (rule, class) = super::rule(error.kind());
        let warning =
            Diagnostic::warning(rule, class, super::message(&error)).at_word(error.offset().0);
        self.warnings.push(warning);
    }
}

/// The last instruction of a module that ends in words that are none.
fn before_tail(module: &Module<'_>) -> Option<WordOffset> {
    let mut last = None;
    for instruction in module.instructions() {
        match instruction {
            Ok(instruction) => last = Some(instruction.offset()),
            Err(_) => return last,
        }
    }
    None
}

/// Where in structured control flow a line stands.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    /// By how many columns it is indented.
    pub(super) depth: usize,
    /// Whether it is the first of a block, which an empty line precedes.
    pub(super) starts_block: bool,
}
