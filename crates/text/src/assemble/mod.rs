//! From text to words.

mod errors;
mod header;
mod ids;
mod operand_spans;
mod operands;
mod origins;
mod reported;
mod strings;
mod undefined;

use hashbrown::HashSet;
use spirvkit_binary::{
    Definition, Definitions, Encoder, Endianness, HEADER_WORDS, Header, Id, Instruction,
    WordOffset, bytes_from_words,
};
use spirvkit_diagnostics::{Diagnostic, Errors, Span};
use spirvkit_grammar::{FPEncoding, Generator, InstructionInfo, Op, Version};

use crate::foreign::text_looks_like;
use crate::lexer::{Lexer, Token, TokenKind, is_opcode_name};
use crate::unsupported::is_bad_float_type;
use errors::Look;
use header::{Bound, HeaderComments};
pub use ids::IdNumbering;
use ids::Ids;
pub(crate) use operand_spans::operand_span;
pub use origins::Origins;
use reported::Reported;

spirvkit_binary::options! {
    /// How to assemble.
    #[derive(Clone, Debug)]
    pub struct AssembleOptions {
        /// How ids get their numbers.
        pub numbering: IdNumbering = IdNumbering::Preserve,
        /// The version of the language to assemble for, whatever the header comments say;
        /// instructions that it doesn't have are errors.
        pub target: Option<Version> = None,
        /// The version of the language to assemble for if neither the
        /// [target](Self::target) nor a header comment says which.
        pub default_version: Version = Version::V1_6,
        /// The generator in the header, whatever the header comments say.
        pub generator: Option<Generator> = None,
        /// Whether the comments at the top of the text, such as `; Version: 1.3` or
        /// `; Bound: 10`, set the header.
        pub header_comments: bool = true,
        /// The number of errors after which to give up, which one more error reports; 0 means
        /// no limit, except that the report stays in proportion to the text, and one more
        /// error gives the number of those left out. The limit also applies to warnings of
        /// undefined ids.
        pub max_errors: usize = 1000,
        /// Whether to warn of ids that nothing defines, which the validator reports as well.
        pub undefined_ids: bool = true,
        /// Whether to keep [where in the text each instruction comes
        /// from](Assembled::origins).
        pub origins: bool = false,
    }
}

/// An assembled module.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Assembled {
    /// The module's words, header included, in host order.
    pub words: Vec<u32>,
    /// Warnings: a header comment that can't be read, and so has no effect; an id that
    /// nothing defines.
    pub warnings: Vec<Diagnostic>,
    /// Where in the text each instruction comes from; empty unless
    /// [requested](AssembleOptions::origins).
    pub origins: Origins,
}

impl Assembled {
    /// The module as the bytes of a file.
    pub fn to_bytes(&self, endianness: Endianness) -> Vec<u8> {
        bytes_from_words(&self.words, endianness)
    }
}

/// Assembles a module.
///
/// The text is only parsed and encoded; the validator checks whether the result is a valid
/// module.
///
/// # Errors
///
/// All errors of the text, in its order, up to [`max_errors`](AssembleOptions::max_errors).
/// Locations are [spans](spirvkit_diagnostics::Location::Span) of the text. A text that is
/// most likely in another language has [one error](crate::looks_like) that says which.
pub fn assemble(text: &str, options: &AssembleOptions) -> Result<Assembled, Errors> {
    assemble_once(text, options).map_err(|errors| {
        if let Some(error) = text_looks_like(text) {
            return error.into();
        }
        let errors = match strings::close(text) {
            Some(closed) => {
                drop(errors);
                closed.errors(options)
            }
            None => errors,
        };
        match Errors::new(errors.into_vec(errors::more_errors)) {
            Some(errors) => errors,
            None => unreachable!("the first error of a text always has room"),
        }
    })
}

/// Assembles a text as it is.
fn assemble_once(text: &str, options: &AssembleOptions) -> Result<Assembled, Reported> {
    let mut assembler = Assembler::new(text, options);
    while assembler.instruction() {
        if options.max_errors > 0 && assembler.errors.len() >= options.max_errors {
            assembler.give_up();
            break;
        }
    }
    assembler.finish()
}

/// Stands for an error that has been reported already.
#[derive(Clone, Copy, Debug)]
struct Errored;

/// What happened to an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parsed {
    /// It was read as what it should be.
    Typed,
    /// A `!` word stood in its place, so what follows is read without knowing
    /// what it should be.
    Raw,
}

/// The instruction being assembled.
#[derive(Clone, Copy)]
struct Current {
    info: &'static InstructionInfo,
    op: Op,
    opcode: Token,
    /// Where its words start.
    start: usize,
    result: Option<Token>,
}

struct Assembler<'a> {
    lexer: Lexer<'a>,
    ids: Ids<'a>,
    encoder: Encoder,
    definitions: Definitions,
    options: &'a AssembleOptions,
    header: HeaderComments,
    errors: Reported,
    /// Results of instructions that could not be assembled: what follows from
    /// their absence is not reported.
    lost_results: HashSet<u32>,
    /// Whether there are instructions of which only the words are known, so that they
    /// may define any id.
    has_raw_instructions: bool,
    /// The instruction before, for messages.
    previous: Option<errors::Name>,
    origins: Origins,
}

impl<'a> Assembler<'a> {
    fn new(text: &'a str, options: &'a AssembleOptions) -> Self {
        let header = match options.header_comments {
            true => HeaderComments::read(text),
            false => HeaderComments::default(),
        };
        Self {
            lexer: Lexer::new(text),
            ids: Ids::new(text, options.numbering),
            // Text takes some five bytes for a byte of the module.
            encoder: Encoder::with_capacity(text.len() / 16),
            definitions: Definitions::with_word_limit(text.len() / 2),
            options,
            header,
            errors: Reported::new(text.len()),
            lost_results: HashSet::new(),
            has_raw_instructions: false,
            previous: None,
            origins: Origins::default(),
        }
    }

    fn finish(mut self) -> Result<Assembled, Reported> {
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        if self.options.origins {
            self.origins.name(self.ids.named());
            self.origins.end(self.encoder.words().len());
        }
        let needed = self.ids.bound();
        let header = Header {
            version: self
                .options
                .target
                .or(self.header.version)
                .unwrap_or(self.options.default_version),
            generator: self
                .options
                .generator
                .or(self.header.generator)
                .unwrap_or(Generator(0)),
            bound: match self.header.bound {
                Some(Bound::Exactly(bound)) => bound,
                Some(Bound::AtLeast(bound)) => bound.max(needed),
                None => needed,
            },
            schema: self.header.schema.unwrap_or(0),
        };
        let mut warnings = std::mem::take(&mut self.header.warnings);
        if self.options.undefined_ids {
            self.warn_of_undefined_ids(&mut warnings);
        }
        Ok(Assembled {
            words: self.encoder.finish(&header),
            warnings,
            origins: self.origins,
        })
    }

    #[cold]
    fn note(&mut self, diagnostic: Diagnostic, span: Span) -> Errored {
        self.errors.push(diagnostic, span);
        Errored
    }

    #[cold]
    fn error(&mut self, diagnostic: Diagnostic, token: Token) -> Errored {
        match token.kind {
            // Whatever else it should have been, it is all the rest of the text.
            TokenKind::OpenString => self.note(errors::open_string(), token.first_byte()),
            _ => self.note(diagnostic, token.span()),
        }
    }

    /// Whether it is still worth to look for names like unknown ones.
    fn look(&self) -> Look {
        const MAX_LOOKS: usize = 1000;
        Look(self.errors.len() < MAX_LOOKS)
    }

    /// Says that the rest of the text is not looked at, if there is any.
    fn give_up(&mut self) {
        let next = self.lexer.peek();
        if next.kind != TokenKind::End {
            let error = errors::too_many_errors(self.errors.len());
            self.errors.end(error.at_span(next.span()));
        }
    }

    /// Assembles the next instruction; `false` at the end of the text.
    fn instruction(&mut self) -> bool {
        let start = self.encoder.words().len();
        let errors = self.errors.len();
        let token = self.lexer.next();
        let mut result = None;
        let outcome = match token.kind {
            TokenKind::End => return false,
            TokenKind::Id if self.lexer.at_equals() => {
                result = Some(token);
                self.lexer.next();
                let opcode = self.lexer.next();
                self.named(opcode, result)
            }
            TokenKind::Word if is_opcode_name(self.lexer.text(token)) => self.named(token, None),
            TokenKind::Immediate => self.raw_instruction(token),
            TokenKind::Id => {
                // Most likely the `=` was forgotten, so what follows is this
                // instruction's own.
                result = Some(token);
                let reported = self.misplaced(token);
                if is_opcode_name(self.lexer.text(self.lexer.peek())) {
                    self.lexer.next();
                }
                Err(reported)
            }
            _ => Err(self.misplaced(token)),
        };
        if outcome.is_err() {
            debug_assert!(self.errors.len() > errors);
            self.encoder.truncate(start.max(HEADER_WORDS));
            self.previous = None;
            if let Some(result) = result {
                let id = self.ids.resolve(result, self.lexer.id_name(result));
                self.lost_results.insert(id);
            }
            self.lexer.skip_instruction();
        } else if self.options.origins {
            let span = Span {
                start: token.start,
                end: self.lexer.previous_end(),
            };
            self.origins.add(start, span);
        }
        true
    }

    /// Says what is wrong with a token where an instruction should start.
    fn misplaced(&mut self, token: Token) -> Errored {
        let found = self.lexer.text(token);
        let diagnostic = match (token.kind, self.previous) {
            (TokenKind::BadId, _) => errors::bad_id(found),
            (TokenKind::Equals, _) => errors::stray_equals(),
            (_, Some(previous)) => errors::surplus_operand(found, previous),
            (TokenKind::Id, None) => errors::dangling_id(found),
            _ => errors::expected_instruction(found),
        };
        self.error(diagnostic, token)
    }

    /// An instruction with an opcode name.
    fn named(&mut self, opcode: Token, result: Option<Token>) -> Result<(), Errored> {
        let name = self.lexer.text(opcode);
        if opcode.kind != TokenKind::Word || !is_opcode_name(name) {
            if opcode.kind == TokenKind::Id && self.lexer.at_equals() {
                self.lexer.back_to(opcode);
            }
            return Err(self.error(errors::expected_opcode(name), opcode));
        }
        if name == "OpUnknown" {
            return self.unknown(opcode, result);
        }
        let Some(op) = Op::from_name(name) else {
            return Err(self.error(errors::unknown_opcode(name, self.look()), opcode));
        };
        let Some(info) = op.info() else {
            return Err(self.error(errors::unknown_opcode(name, self.look()), opcode));
        };
        if let Some(target) = self.options.target
            && !info.availability().allows(target)
        {
            return Err(self.error(errors::wrong_version(info, target), opcode));
        }
        match (info.has_result(), result) {
            (true, None) => return Err(self.error(errors::missing_result(info.name()), opcode)),
            (false, Some(id)) => return Err(self.error(errors::unwanted_result(info.name()), id)),
            _ => {}
        }
        let start = self.encoder.begin(op);
        self.operands(&Current {
            info,
            op,
            opcode,
            start,
            result,
        })?;
        self.end(start, opcode, result)?;
        self.previous = Some(info.name());
        Ok(())
    }

    /// Fills in the word count and notes what the instruction defines.
    #[inline]
    fn end(&mut self, start: usize, opcode: Token, result: Option<Token>) -> Result<(), Errored> {
        if let Err(error) = self.encoder.end(start) {
            return Err(self.error(errors::too_long(error), opcode));
        }
        let words = &self.encoder.words()[start..];
        let Some(instruction) = Instruction::from_words(words, WordOffset(start)) else {
            return Ok(());
        };
        if result.is_some() && is_bad_float_type(&instruction) {
            let diagnostic = errors::bad_float_type(words[2], FPEncoding(words[3]));
            return Err(self.error(diagnostic, opcode));
        }
        match (self.definitions.define(&instruction), result) {
            (Some(redefinition), Some(result)) if redefinition.earlier != Definition::Other => {
                let name = self.lexer.text(result);
                let earlier = self.definition_of(name, result);
                Err(self.error(errors::redefinition(name, earlier), result))
            }
            _ => Ok(()),
        }
    }

    /// Where a name is the result of an instruction before `later`. It takes
    /// another look at the text, which not every error of a hostile text is
    /// worth.
    #[cold]
    fn definition_of(&self, name: &str, later: Token) -> Option<Span> {
        const WORTH_A_LOOK: usize = 20;
        if self.errors.len() >= WORTH_A_LOOK {
            return None;
        }
        let mut lexer = self.lexer.restarted();
        loop {
            let token = lexer.next();
            if token.kind == TokenKind::End || token.start >= later.start {
                return None;
            }
            if token.kind == TokenKind::Id && lexer.at_equals() && lexer.text(token) == name {
                return Some(token.span());
            }
        }
    }

    /// `OpUnknown(opcode, word count)` and its operands.
    fn unknown(&mut self, opcode: Token, result: Option<Token>) -> Result<(), Errored> {
        if let Some(result) = result {
            return Err(self.error(errors::unwanted_result("OpUnknown"), result));
        }
        self.punctuation("(")?;
        let number = self.unknown_number("an opcode below 65536", 0)?;
        self.punctuation(",")?;
        let count = self.unknown_number("a word count from 1 to 65535", 1)?;
        self.punctuation(")")?;
        self.has_raw_instructions = true;
        let start = self.encoder.begin(Op(number));
        while self.encoder.words().len() - start < usize::from(count) {
            let Some(token) = self.lexer.operand() else {
                break;
            };
            self.raw_operand(token)?;
        }
        let found = self.encoder.words().len() - start;
        if found != usize::from(count) {
            return Err(self.error(errors::unknown_count(count.into(), found), opcode));
        }
        self.end(start, opcode, None)?;
        self.previous = Some("OpUnknown");
        Ok(())
    }

    fn punctuation(&mut self, wanted: &str) -> Result<(), Errored> {
        let token = self.lexer.next();
        let found = self.lexer.text(token);
        if found == wanted {
            return Ok(());
        }
        Err(self.error(errors::unknown_syntax(&format!("`{wanted}`"), found), token))
    }

    fn unknown_number(&mut self, wanted: &str, least: u16) -> Result<u16, Errored> {
        let token = self.lexer.next();
        let found = self.lexer.text(token);
        let number = crate::number::parse_u32(found).ok();
        match number.and_then(|number| u16::try_from(number).ok()) {
            Some(number) if number >= least => Ok(number),
            _ => Err(self.error(errors::unknown_syntax(wanted, found), token)),
        }
    }

    /// An instruction that starts with a `!` word: the words are emitted as they
    /// come, up to the next instruction.
    fn raw_instruction(&mut self, first: Token) -> Result<(), Errored> {
        let start = self.encoder.words().len();
        self.has_raw_instructions = true;
        self.immediate(first)?;
        self.raw_operands()?;
        // If the words happen to be whole instructions, later literals may
        // depend on them.
        let mut rest = &self.encoder.words()[start..];
        while let Some(&word) = rest.first() {
            let count = (word >> 16) as usize;
            let Some((words, tail)) = rest.split_at_checked(count) else {
                break;
            };
            let Some(instruction) = Instruction::from_words(words, WordOffset(start)) else {
                break;
            };
            self.definitions.define(&instruction);
            rest = tail;
        }
        self.previous = None;
        Ok(())
    }

    /// Whether an id is the result of an instruction that has been reported.
    fn is_lost(&self, id: u32) -> bool {
        self.lost_results.contains(&id)
    }

    /// Whether literals of this type can't be read because the type's own
    /// instruction has been reported.
    fn is_lost_type(&self, value: Id) -> bool {
        self.is_lost(value.0)
            || self
                .definitions
                .type_of(value)
                .is_some_and(|ty| self.is_lost(ty.0))
    }
}
