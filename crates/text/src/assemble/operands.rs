//! The operands of an instruction.

use spirvkit_binary::{Definition, Id, Import, NumberType};
use spirvkit_grammar::{Category, Op, OperandInfo, OperandKind, Quantifier};

use super::{Assembler, Current, Errored, Parsed, errors};
use crate::lexer::{Token, TokenKind, unescape};
use crate::number::{parse_number, parse_u32};

impl<'a> Assembler<'a> {
    /// All operands of an instruction.
    pub(super) fn operands(&mut self, current: &Current) -> Result<(), Errored> {
        self.list(current, current.info.operands()).map(drop)
    }

    /// A list of operands: an instruction's, or an enumerant's parameters.
    fn list(&mut self, current: &Current, list: &'static [OperandInfo]) -> Result<Parsed, Errored> {
        for (index, operand) in list.iter().enumerate() {
            let parsed = match operand.kind() {
                OperandKind::IdResult => {
                    self.result(current);
                    continue;
                }
                _ => self.repeated(current, operand)?,
            };
            if parsed == Parsed::Raw {
                // The result comes from the left of `=`, whatever else is raw.
                if list[index + 1..]
                    .iter()
                    .any(|rest| rest.kind() == OperandKind::IdResult)
                {
                    self.result(current);
                }
                self.raw_operands()?;
                return Ok(Parsed::Raw);
            }
        }
        Ok(Parsed::Typed)
    }

    fn result(&mut self, current: &Current) {
        if let Some(result) = current.result {
            let id = self.ids.resolve(result, self.lexer.id_name(result));
            self.encoder.word(id);
        }
    }

    /// An operand as often as its quantifier wants it.
    #[inline]
    fn repeated(
        &mut self,
        current: &Current,
        operand: &'static OperandInfo,
    ) -> Result<Parsed, Errored> {
        let kind = operand.kind();
        match operand.quantifier() {
            Quantifier::One => match self.lexer.operand() {
                Some(token) => self.single(current, operand, kind, token),
                None => Err(self.missing(current, operand)),
            },
            Quantifier::Optional => match self.lexer.operand() {
                Some(token) => self.single(current, operand, kind, token),
                None => Ok(Parsed::Typed),
            },
            Quantifier::Many => {
                while let Some(token) = self.lexer.operand() {
                    if self.single(current, operand, kind, token)? == Parsed::Raw {
                        return Ok(Parsed::Raw);
                    }
                }
                Ok(Parsed::Typed)
            }
        }
    }

    fn missing(&mut self, current: &Current, operand: &OperandInfo) -> Errored {
        let here = self.lexer.here();
        self.error(errors::missing_operand(current.info.name(), operand), here)
    }

    /// One operand, which starts with `token`.
    #[inline]
    fn single(
        &mut self,
        current: &Current,
        operand: &'static OperandInfo,
        kind: OperandKind,
        token: Token,
    ) -> Result<Parsed, Errored> {
        if token.kind == TokenKind::Immediate {
            self.immediate(token)?;
            return Ok(Parsed::Raw);
        }
        match kind.category() {
            Category::Id => self.id(current, kind, token),
            Category::ValueEnum => self.enumerant(current, kind, token),
            Category::BitEnum => self.mask(current, kind, token),
            Category::Composite => self.composite(current, operand, token),
            _ => self.literal(current, kind, token),
        }
    }

    #[inline]
    fn id(
        &mut self,
        current: &Current,
        kind: OperandKind,
        token: Token,
    ) -> Result<Parsed, Errored> {
        if token.kind != TokenKind::Id {
            let found = self.lexer.text(token);
            let diagnostic = match token.kind {
                TokenKind::BadId => errors::bad_id(found),
                _ => errors::expected_id(current.info.name(), kind, found),
            };
            return Err(self.error(diagnostic, token));
        }
        let id = self.ids.resolve(token, self.lexer.id_name(token));
        self.encoder.word(id);
        Ok(Parsed::Typed)
    }

    fn composite(
        &mut self,
        current: &Current,
        operand: &'static OperandInfo,
        first: Token,
    ) -> Result<Parsed, Errored> {
        let mut token = Some(first);
        for &base in operand.kind().bases() {
            let Some(part) = token.take().or_else(|| self.lexer.operand()) else {
                return Err(self.missing(current, operand));
            };
            if self.single(current, operand, base, part)? == Parsed::Raw {
                return Ok(Parsed::Raw);
            }
        }
        Ok(Parsed::Typed)
    }

    fn enumerant(
        &mut self,
        current: &Current,
        kind: OperandKind,
        token: Token,
    ) -> Result<Parsed, Errored> {
        let name = self.lexer.text(token);
        let Some(info) = kind.enumerant_by_name(name) else {
            return Err(self.error(errors::unknown_enumerant(kind, name, self.look()), token));
        };
        self.encoder.word(info.value());
        self.list(current, info.parameters())
    }

    /// A mask: names joined with `|`, then the parameters of its bits from the
    /// lowest bit up.
    fn mask(
        &mut self,
        current: &Current,
        kind: OperandKind,
        token: Token,
    ) -> Result<Parsed, Errored> {
        let text = self.lexer.text(token);
        let mut bits = 0;
        let mut start = token.start;
        for name in text.split('|') {
            let Some(info) = kind.enumerant_by_name(name) else {
                let part = Token {
                    start,
                    end: start + name.len(),
                    ..token
                };
                return Err(self.error(errors::unknown_enumerant(kind, name, self.look()), part));
            };
            bits |= info.value();
            start += name.len() + 1;
        }
        self.encoder.word(bits);
        while bits != 0 {
            let bit = bits & bits.wrapping_neg();
            bits &= !bit;
            let parameters = kind
                .enumerant(bit)
                .map_or(&[][..], |info| info.parameters());
            if self.list(current, parameters)? == Parsed::Raw {
                return Ok(Parsed::Raw);
            }
        }
        Ok(Parsed::Typed)
    }

    fn literal(
        &mut self,
        current: &Current,
        kind: OperandKind,
        token: Token,
    ) -> Result<Parsed, Errored> {
        use OperandKind as K;
        match kind {
            K::LiteralInteger if current.op == Op::Switch => {
                if let Some(ty) = self.case_type(current)? {
                    self.number(token, ty)?;
                }
            }
            K::LiteralInteger => match parse_u32(self.lexer.text(token)) {
                Ok(value) => self.encoder.word(value),
                Err(error) => {
                    let found = self.lexer.text(token);
                    return Err(
                        self.error(errors::bad_number(found, NumberType::U32, error), token)
                    );
                }
            },
            K::LiteralString => self.string(current, token)?,
            K::LiteralContextDependentNumber => {
                if let Some(ty) = self.literal_type(current)? {
                    self.number(token, ty)?;
                }
            }
            K::LiteralFloat => {
                self.number(
                    token,
                    NumberType::Float(spirvkit_binary::FloatFormat::Single),
                )?;
            }
            K::LiteralExtInstInteger => return self.ext_inst(current, token),
            K::LiteralSpecConstantOpInteger => return self.spec_constant_op(current, token),
            // A kind of literal that this version of the grammar doesn't have.
            _ => return self.raw_operand(token).map(|()| Parsed::Raw),
        }
        Ok(Parsed::Typed)
    }

    fn number(&mut self, token: Token, ty: NumberType) -> Result<(), Errored> {
        let text = self.lexer.text(token);
        match parse_number(text, ty) {
            Ok(bits) => {
                self.encoder.number(ty, bits);
                Ok(())
            }
            Err(error) => Err(self.error(errors::bad_number(text, ty, error), token)),
        }
    }

    fn string(&mut self, current: &Current, token: Token) -> Result<(), Errored> {
        match token.kind {
            TokenKind::String => self.encode_string(token),
            _ => {
                let found = self.lexer.text(token);
                Err(self.error(errors::expected_string(current.info.name(), found), token))
            }
        }
    }

    /// The word of the instruction with this index.
    fn word(&self, current: &Current, index: usize) -> u32 {
        self.encoder
            .words()
            .get(current.start + index)
            .copied()
            .unwrap_or(0)
    }

    /// The type of the literal of an instruction with a result type; `None` if
    /// the type's own instruction has been reported.
    fn literal_type(&mut self, current: &Current) -> Result<Option<NumberType>, Errored> {
        let ty = Id(self.word(current, 1));
        match self.definitions.number_type(ty) {
            Some(number) => Ok(Some(number)),
            None if self.is_lost(ty.0) => Ok(None),
            None => {
                let operand = self.operand_token(current, 0);
                let name = self.lexer.text(operand);
                if self.definitions.get(ty) == Definition::Undefined {
                    self.lost_results.insert(ty.0);
                }
                Err(self.error(errors::untyped_literal(current.info.name(), name), operand))
            }
        }
    }

    /// The type of the literals of a switch; `None` if the instruction that it
    /// hangs on has been reported.
    fn case_type(&mut self, current: &Current) -> Result<Option<NumberType>, Errored> {
        let selector = Id(self.word(current, 1));
        match self.definitions.selector_type(selector) {
            Some(number) => Ok(Some(number)),
            None if self.is_lost_type(selector) => Ok(None),
            None => {
                let operand = self.operand_token(current, 0);
                let name = self.lexer.text(operand);
                Err(self.error(errors::bad_selector(name), operand))
            }
        }
    }

    fn ext_inst(&mut self, current: &Current, token: Token) -> Result<Parsed, Errored> {
        let set = Id(self.encoder.words().last().copied().unwrap_or(0));
        let import = match self.definitions.get(set) {
            Definition::Import(import) => import,
            _ if self.is_lost(set.0) => {
                self.lexer.skip_instruction();
                return Ok(Parsed::Typed);
            }
            _ => {
                let operand = self.operand_token(current, 1);
                let name = self.lexer.text(operand);
                return Err(self.error(errors::not_an_import(name), operand));
            }
        };
        let text = self.lexer.text(token);
        let set = match import {
            Import::Known(set) => Some(set),
            Import::Unknown => None,
        };
        let by_name = set.and_then(|set| set.instruction_by_name(text));
        let number = match (by_name, parse_u32(text)) {
            (Some(info), _) => info.number(),
            (None, Ok(number)) => number,
            (None, Err(_)) => {
                return Err(self.error(errors::unknown_ext_inst(set, text, self.look()), token));
            }
        };
        self.encoder.word(number);
        let info = set.and_then(|set| set.instruction(number));
        let Some(info) = info else {
            // The grammar of OpExtInst has ids here.
            return Ok(Parsed::Typed);
        };
        let parsed = self.list(current, info.operands())?;
        // A newer version of a non-semantic set may add operands.
        if parsed == Parsed::Typed && !set.is_some_and(|set| set.is_non_semantic()) {
            return self.nothing_more(info.name());
        }
        Ok(parsed)
    }

    /// Sees to it that the operands of an extended instruction or of the
    /// instruction in an `OpSpecConstantOp` are all there are.
    fn nothing_more(&mut self, name: errors::Name) -> Result<Parsed, Errored> {
        match self.lexer.operand() {
            None => Ok(Parsed::Typed),
            Some(token) => {
                let found = self.lexer.text(token);
                Err(self.error(errors::surplus_operand(found, name), token))
            }
        }
    }

    /// The opcode of an `OpSpecConstantOp`, without its `Op`, and its operands.
    fn spec_constant_op(&mut self, current: &Current, first: Token) -> Result<Parsed, Errored> {
        let name = self.lexer.text(first);
        let Some(info) = Op::from_bare_name(name).and_then(Op::info) else {
            return Err(self.error(errors::unknown_spec_constant_op(name, self.look()), first));
        };
        // It can't stand within itself, or the two could nest without end.
        if info.number() == u32::from(Op::SpecConstantOp.0) {
            return Err(self.error(errors::nested_spec_constant_op(), first));
        }
        self.encoder.word(info.number());
        let results = usize::from(info.has_result_type()) + usize::from(info.has_result());
        let parsed = self.list(current, info.operands().get(results..).unwrap_or_default())?;
        match parsed {
            Parsed::Typed => self.nothing_more(info.name()),
            Parsed::Raw => Ok(Parsed::Raw),
        }
    }

    /// The token of the current instruction's operand with this index, not
    /// counting the result; found by going through the instruction again.
    fn operand_token(&self, current: &Current, index: usize) -> Token {
        let mut lexer = self.lexer.clone();
        lexer.back_to(current.opcode);
        lexer.next();
        (0..=index)
            .filter_map(|_| lexer.operand())
            .last()
            .unwrap_or(current.opcode)
    }

    /// A `!` word: `!` and an unsigned 32-bit integer.
    pub(super) fn immediate(&mut self, token: Token) -> Result<(), Errored> {
        let text = self.lexer.text(token);
        match parse_u32(&text[1..]) {
            Ok(word) => {
                self.encoder.word(word);
                Ok(())
            }
            Err(_) => Err(self.error(errors::bad_immediate(text), token)),
        }
    }

    /// The operands after a `!` word, up to the next instruction.
    pub(super) fn raw_operands(&mut self) -> Result<(), Errored> {
        while let Some(token) = self.lexer.operand() {
            self.raw_operand(token)?;
        }
        Ok(())
    }

    /// An operand of unknown type: a `!` word, a number of one word, a string or
    /// an id.
    pub(super) fn raw_operand(&mut self, token: Token) -> Result<(), Errored> {
        let text = self.lexer.text(token);
        match token.kind {
            TokenKind::Immediate => return self.immediate(token),
            TokenKind::Id => {
                let id = self.ids.resolve(token, self.lexer.id_name(token));
                self.encoder.word(id);
                return Ok(());
            }
            TokenKind::String => return self.encode_string(token),
            TokenKind::Equals => return Err(self.error(errors::stray_equals(), token)),
            _ => {}
        }
        let signed = NumberType::Integer {
            width: 32,
            signed: true,
        };
        let float = NumberType::Float(spirvkit_binary::FloatFormat::Single);
        let is_hex = text.contains(['x', 'X']);
        let is_float = text.contains(['.', 'p', 'P']) || !is_hex && text.contains(['e', 'E']);
        let ty = match text.starts_with('-') {
            _ if is_float => float,
            true => signed,
            false => NumberType::U32,
        };
        match parse_number(text, ty) {
            Ok(bits) => {
                self.encoder.number(ty, bits);
                Ok(())
            }
            Err(_) => Err(self.error(errors::bad_raw_operand(text), token)),
        }
    }

    /// Appends a string token, without its quotes and escapes.
    fn encode_string(&mut self, token: Token) -> Result<(), Errored> {
        let text = unescape(self.lexer.text(token));
        if text.contains('\0') {
            return Err(self.error(errors::nul_in_string(), token));
        }
        self.encoder.string(&text);
        Ok(())
    }
}
