//! The walk over a module that writes its text.

use std::fmt::Write as _;
use std::mem::replace;

use spirvkit_binary::{
    Definition, Definitions, Error, ErrorKind, Id, Instruction, Module, Redefinition, WordOffset,
};
use spirvkit_diagnostics::{Diagnostic, Errors};
use spirvkit_grammar::{Op, OperandInfo, OperandKind};

use crate::unsupported::is_bad_float_type;

use super::annotate::Annotations;
use super::comments::Comments;
use super::names::Names;
use super::operands::loses;
use super::source::Sources;
use super::writer::{Hue, Place, Writer};
use super::{
    DisassembleOptions, Disassembled, binary_error, blocks, left_out_names, too_many_errors,
    warning,
};

/// The most bytes of the names in an excerpt.
const MAX_NAMES: usize = 1 << 20;

pub(super) struct Printer<'a> {
    module: &'a Module<'a>,
    pub(super) options: &'a DisassembleOptions,
    pub(super) writer: Writer,
    pub(super) definitions: Definitions,
    /// For lenient text whose blocks are laid out: the definitions of everything
    /// read so far, while `definitions` are those of everything written.
    ahead: Option<Definitions>,
    pub(super) comments: Option<Box<Comments>>,
    pub(super) annotations: Option<Box<Annotations<'a>>>,
    pub(super) sources: Option<Box<Sources<'a>>>,
    /// The last instruction before words that are none, which the assembler
    /// would take for operands of that instruction if it may have more.
    before_tail: Option<WordOffset>,
    /// Whether anything was written word by word, so that its ids have numbers
    /// while those of other instructions may have names.
    pub(super) has_raw_words: bool,
    /// Whether lines are all there is to write: no headings, comments or colours.
    is_plain: bool,
    errors: Vec<Diagnostic>,
    /// Whether there are as many errors as wanted.
    gave_up: bool,
    warnings: Vec<Diagnostic>,
}

/// What is in the way of writing an instruction.
pub(super) enum Obstacle {
    /// It can't be decoded.
    Undecodable(Error),
    /// Its result is an earlier instruction's already.
    Redefined(Error),
    /// It stands before words that are no instruction.
    BeforeTail,
    /// It is a floating-point type that the assembler refuses.
    BadFloatType,
}

impl<'a> Printer<'a> {
    pub(super) fn new(module: &'a Module<'a>, options: &'a DisassembleOptions) -> Self {
        let names = match options.friendly_names {
            true => Names::friendly(module),
            false => Names::Raw,
        };
        Self::with_names(module, options, names)
    }

    /// The same with names that are there already.
    pub(super) fn with_names(
        module: &'a Module<'a>,
        options: &'a DisassembleOptions,
        names: Names,
    ) -> Self {
        let annotations = options
            .annotate
            .then(|| Box::new(Annotations::new(module, options, &names)));
        let wants_comments = options.comments || options.annotate || options.offsets;
        let is_plain = !(wants_comments
            || options.source
            || options.nested_indentation
            || options.lenient
            || options.color);
        let lays_out = options.lenient && (options.nested_indentation || options.reorder_blocks);
        Self {
            module,
            options,
            writer: Writer::new(module.words().len(), names, options),
            definitions: Definitions::for_module(module),
            ahead: lays_out.then(|| Definitions::for_module(module)),
            comments: wants_comments.then(|| Box::new(Comments::new())),
            annotations,
            sources: options.source.then(|| Box::new(Sources::new(module))),
            before_tail: if options.lenient {
                before_tail(module)
            } else {
                None
            },
            has_raw_words: false,
            is_plain,
            errors: Vec::new(),
            gave_up: false,
            warnings: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> Result<Disassembled, Errors> {
        if let Some(errors) = Errors::new(self.errors) {
            return Err(errors);
        }
        let mut warnings = self.warnings;
        match self.writer.names.left_out() {
            0 => {}
            ids => warnings.push(left_out_names(ids)),
        }
        Ok(Disassembled {
            text: self.writer.out.into_string(),
            warnings,
        })
    }

    pub(super) fn module(&mut self) {
        let bound = self.header();
        let defer = self.options.nested_indentation || self.options.reorder_blocks;
        let mut instructions = self.module.instructions();
        while let Some(instruction) = instructions.next()
            && !self.gave_up
        {
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
                Err(error) => self.note(&error),
            }
        }
        if self.gave_up && !instructions.rest().is_empty() {
            let next = instructions.offset();
            self.errors.push(too_many_errors(self.errors.len(), next));
        }
        self.check_bound(bound);
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
            if self.gave_up {
                break;
            }
            let instruction = &instructions[line.index];
            let redefinition = match self.ahead {
                Some(_) => self.definitions.define(instruction),
                None => redefinitions[line.index],
            };
            let place = match self.options.nested_indentation {
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
        self.writer.begin(Hue::Comment);
        let _ = write!(
            self.writer.out,
            "; SPIR-V\n; Version: {}\n; Generator: {}\n; Bound: ",
            header.version, header.generator
        );
        let bound = self.writer.out.len();
        let _ = write!(
            self.writer.out,
            "{}\n; Schema: {}",
            header.bound, header.schema
        );
        self.writer.end_hue();
        self.writer.out.push('\n');
        self.writer.escapes = 0;
        bound
    }

    /// Sees to it that a bound that is not above all ids does not go unnoticed:
    /// the assembler would fix it, so lenient text marks it as one to keep.
    fn check_bound(&mut self, position: usize) {
        let bound = self.module.header().bound;
        if bound > self.writer.highest {
            return;
        }
        if !self.options.lenient {
            let highest = Id(self.writer.highest);
            let kind = match bound {
                0 => ErrorKind::BadBound {
                    bound,
                    limit: u32::MAX,
                },
                _ => ErrorKind::LowBound { bound, highest },
            };
            self.warnings.push(warning(&Error::at(kind, WordOffset(3))));
        } else if position > 0 {
            self.writer.out.insert(position, '!');
        }
    }

    /// Writes an instruction on a line of its own, or notes why it can't.
    #[inline(always)]
    fn instruction(
        &mut self,
        instruction: &Instruction<'a>,
        redefinition: Option<Redefinition>,
        place: Place,
    ) {
        let is_done = self.is_plain
            && redefinition.is_none()
            && self
                .writer
                .quick_line(instruction, &self.definitions)
                .is_some();
        if !is_done {
            self.any_instruction(instruction, redefinition, place);
        }
    }

    fn any_instruction(
        &mut self,
        instruction: &Instruction<'a>,
        redefinition: Option<Redefinition>,
        place: Place,
    ) {
        if self.is_plain && redefinition.is_none() {
            let (start, warnings) = (self.writer.out.len(), self.warnings.len());
            if self.line(instruction, place).is_ok() {
                self.writer.out.push('\n');
                return;
            }
            self.writer.out.truncate(start);
            self.warnings.truncate(warnings);
        }
        let before = self.writer.out.len();
        let heading = self.section_heading(instruction, place);
        self.source_line(instruction, place);
        let start = self.writer.out.len();
        self.writer.escapes = 0;
        let written = match self.obstacle_of(instruction, redefinition) {
            Some(obstacle) => Err(obstacle),
            None => self.line(instruction, place).map_err(Obstacle::Undecodable),
        };
        if let Err(obstacle) = written {
            self.writer.out.truncate(start);
            self.writer.escapes = 0;
            if !self.undecodable(instruction, place, obstacle) {
                self.writer.out.truncate(before);
                self.undo_heading(heading);
                return;
            }
        }
        self.trailing_comment(instruction, start);
        self.writer.out.push('\n');
    }

    /// The text of one instruction, which must not have been defined yet. With names it
    /// may be too long for anybody to read, and then it has numbers.
    pub(super) fn excerpt(&mut self, instruction: &Instruction<'a>) -> String {
        let start = self.writer.out.len();
        let width = |&word: &u32| self.writer.names.width(Id(word));
        let width: usize = instruction.words().iter().map(width).sum();
        let names = (width > MAX_NAMES).then(|| replace(&mut self.writer.names, Names::Raw));
        self.any_instruction(instruction, None, Place::default());
        if let Some(names) = names {
            self.writer.names = names;
        }
        let mut text = self.writer.out.split_off(start);
        text.truncate(text.trim_end().len());
        text
    }

    /// Why an instruction must not be written as it is although it may decode.
    #[inline]
    fn obstacle_of(
        &self,
        instruction: &Instruction<'a>,
        redefinition: Option<Redefinition>,
    ) -> Option<Obstacle> {
        if let Some(Redefinition { id, earlier, .. }) = redefinition {
            // Lenient text must be read back, to which it matters only what other
            // instructions depend on.
            if !self.options.lenient || earlier != Definition::Other {
                let word = 1 + usize::from(instruction.result_type().is_some());
                let error = instruction.error(ErrorKind::Redefined { id }, word);
                return Some(Obstacle::Redefined(error));
            }
        }
        if !self.options.lenient {
            return None;
        }
        if self.before_tail == Some(instruction.offset()) {
            return Some(Obstacle::BeforeTail);
        }
        is_bad_float_type(instruction).then_some(Obstacle::BadFloatType)
    }

    /// Notes an error.
    pub(super) fn note(&mut self, error: &Error) {
        self.errors.push(binary_error(error));
        self.gave_up |= self.errors.len() == self.options.max_errors;
    }

    /// Writes an instruction that can be decoded, without the end of its line.
    #[inline]
    fn line(&mut self, instruction: &Instruction<'a>, place: Place) -> Result<(), Error> {
        let Some(info) = instruction.info() else {
            let opcode = instruction.op().0;
            return Err(instruction.error(ErrorKind::UnknownOpcode { opcode }, 0));
        };
        let zero = |kind: OperandKind, word| instruction.error(ErrorKind::ZeroId { kind }, word);
        let result = instruction.result();
        let result_word = 1 + usize::from(info.has_result_type());
        if result == Some(Id(0)) {
            return Err(zero(OperandKind::IdResult, result_word));
        }
        self.writer.margin(result, place);
        self.writer.out.push_name(info.name());

        let ids = instruction.leading_ids();
        // The result is among them, but stands to the left.
        let (before, after) = match result {
            Some(_) => (result_word - 1, result_word),
            None => (0, 0),
        };
        let (types, uses) = (ids.get(..before), ids.get(after..));
        let written = self.writer.ids(types.unwrap_or_default()).and_then(|()| {
            let written = self.writer.ids(uses.unwrap_or_default());
            written.map_err(|index| index + after)
        });
        if let Err(index) = written {
            let kind = info.operands().get(index).or(info.operands().last());
            return Err(zero(
                kind.map_or(OperandKind::IdRef, OperandInfo::kind),
                index + 1,
            ));
        }
        // Most instructions have nothing but ids.
        if info.rest_is_optional()
            && ids.len() == instruction.operand_words().len()
            && ids.len() >= info.leading_ids()
        {
            return Ok(());
        }
        let mut operands = instruction.operands(&self.definitions);
        operands.skip_leading_ids();
        for operand in operands {
            let operand = operand?;
            if operand.kind == OperandKind::IdResult {
                continue;
            }
            self.writer.out.push(' ');
            if let Err(kind) = self.writer.operand(&operand) {
                return Err(instruction.error(kind, operand.word));
            }
            let Some(kind) = loses(&operand) else {
                continue;
            };
            // Lenient text shows such an operand word by word; other text says
            // that it doesn't.
            let error = instruction.error(kind, operand.word);
            if self.options.lenient {
                return Err(error);
            }
            self.warnings.push(warning(&error));
        }
        Ok(())
    }

    pub(super) fn words(&self) -> &'a [u32] {
        self.module.words()
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
