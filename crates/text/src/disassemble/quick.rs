//! The lines of most instructions, quickly: those whose operands are ids, numbers
//! and names, and fit a line of ordinary length.
//!
//! Whatever is out of the ordinary, and whatever is wrong, gives `None`, and the
//! general way writes the line or says why it can't. So this way may know less, but
//! never anything else.

use spirvkit_binary::{Definition, Definitions, Id, Import, Instruction, NumberType};
use spirvkit_grammar::{Category, Op, OperandInfo, OperandKind, Quantifier};

use super::names::{Friendly, Names};
use super::operands::is_shown_by_number;
use super::writer::Writer;
use crate::buffer::{Line, numbered_id};

/// How ids are written.
trait Ids {
    /// The text of an id that is not zero behind a blank, at the start of a block of
    /// bytes, the lowest first, and its length; `None` if it is longer.
    fn block(&self, id: u32) -> Option<(u128, usize)>;

    /// The text of an id that is longer.
    fn long(&self, id: u32) -> Option<&[u8]>;
}

/// By their numbers.
struct Numbers;

impl Ids for Numbers {
    #[inline(always)]
    fn block(&self, id: u32) -> Option<(u128, usize)> {
        let (text, length) = numbered_id(id).filter(|_| id > 0)?;
        Some((text.into(), length))
    }

    #[cold]
    fn long(&self, _: u32) -> Option<&[u8]> {
        None
    }
}

impl Ids for Friendly {
    #[inline(always)]
    fn block(&self, id: u32) -> Option<(u128, usize)> {
        Friendly::block(self, Id(id)).filter(|_| id > 0)
    }

    fn long(&self, id: u32) -> Option<&[u8]> {
        Friendly::long(self, Id(id)).filter(|_| id > 0)
    }
}

impl Writer {
    /// Writes an instruction with the end of its line, if that can be done quickly;
    /// else nothing, and gives `None`.
    #[inline(always)]
    pub(super) fn quick_line(
        &mut self,
        instruction: &Instruction<'_>,
        definitions: &Definitions,
    ) -> Option<()> {
        let Self {
            out,
            names,
            column,
            highest,
            ..
        } = self;
        let source = Source {
            instruction,
            definitions,
            column: *column,
        };
        let mut line = out.line()?;
        match names {
            Names::Raw => source.write(&mut line, &Numbers, highest)?,
            Names::Friendly(names) => source.write(&mut line, &*names, highest)?,
        }
        line.finish();
        Some(())
    }
}

/// What to write, and where.
struct Source<'s, 'a> {
    instruction: &'s Instruction<'a>,
    definitions: &'s Definitions,
    /// The column in which instructions start.
    column: usize,
}

impl Source<'_, '_> {
    #[inline(always)]
    fn write(&self, line: &mut Line<'_>, ids: &impl Ids, highest: &mut u32) -> Option<()> {
        let instruction = self.instruction;
        let info = instruction.info()?;
        let (name, length) = instruction.op().name_block()?;
        let leading = instruction.leading_ids();
        if leading.len() < info.leading_ids() {
            return None;
        }
        // The result is among the ids, but stands to the left.
        let (ty, result, uses) = match (info.has_result_type(), info.has_result(), leading) {
            (true, true, [ty, result, uses @ ..]) => (Some(*ty), Some(*result), uses),
            (false, true, [result, uses @ ..]) => (None, Some(*result), uses),
            (_, false, uses) => (None, None, uses),
            _ => return None,
        };
        let mut above = *highest;
        match result {
            Some(result) => {
                above = result.max(above);
                self.push_result(line, ids, result)?;
            }
            None => line.push_first(&[b' '; 16], self.column)?,
        }
        line.push_first(name, length)?;
        if let Some(ty) = ty {
            push_id(line, ids, ty, &mut above)?;
        }
        for &id in uses {
            push_id(line, ids, id, &mut above)?;
        }
        let rest = instruction.operand_words().get(leading.len()..)?;
        if !(rest.is_empty() && info.rest_is_optional()) {
            let operands = match info.only_ids_follow() {
                true => &[][..],
                false => info.operands().get(leading.len()..)?,
            };
            self.push_rest(line, operands, rest, ids, &mut above)?;
        }
        *highest = above;
        line.push_first(b"\n", 1)
    }

    /// Writes what is to the left of the opcode of an instruction with a result.
    #[inline(always)]
    fn push_result(&self, line: &mut Line<'_>, ids: &impl Ids, id: u32) -> Option<()> {
        const EQUALS: &[u8; 3] = b" = ";
        let Some((block, length)) = ids.block(id) else {
            line.push_bytes(ids.long(id)?.strip_prefix(b" ")?)?;
            return line.push_first(EQUALS, EQUALS.len());
        };
        match self.column.checked_sub(EQUALS.len() + length) {
            Some(spaces) => {
                line.push_first(&[b' '; 16], spaces)?;
                line.push_first(&block.to_le_bytes(), length)?;
            }
            // There is no place for the blank before the id.
            None => {
                line.push_first(&(block >> 8).to_le_bytes(), length - 1)?;
            }
        }
        line.push_first(EQUALS, EQUALS.len())
    }

    /// Writes the words behind the leading ids.
    #[inline(always)]
    fn push_rest(
        &self,
        line: &mut Line<'_>,
        operands: &'static [OperandInfo],
        words: &[u32],
        ids: &impl Ids,
        above: &mut u32,
    ) -> Option<()> {
        let mut operands = operands;
        // The parameters of an enumerant, which come before the operands that follow.
        let mut parameters: &[OperandInfo] = &[];
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            let list = match parameters {
                [] => &mut operands,
                _ => &mut parameters,
            };
            let (operand, others) = list.split_first()?;
            if operand.quantifier() != Quantifier::Many {
                *list = others;
            }
            if operand.is_id() {
                push_id(line, ids, word, above)?;
                continue;
            }
            let kind = operand.kind();
            match kind {
                OperandKind::PairIdRefIdRef => {
                    push_id(line, ids, word, above)?;
                    push_id(line, ids, *words.next()?, above)?;
                }
                OperandKind::LiteralInteger if self.instruction.op() != Op::Switch => {
                    push_number(line, word)?;
                }
                OperandKind::LiteralContextDependentNumber => self.push_literal(line, word)?,
                OperandKind::LiteralExtInstInteger => {
                    let (name, others) = self.ext_inst(word)?;
                    push_name(line, name)?;
                    operands = others;
                }
                OperandKind::LiteralSpecConstantOpInteger => {
                    let (name, others) = inner_opcode(word)?;
                    push_name(line, name)?;
                    operands = others;
                }
                _ => {
                    let info = match kind.category() {
                        Category::ValueEnum => kind.enumerant(word)?,
                        Category::BitEnum if word & word.wrapping_sub(1) == 0 => {
                            kind.enumerant(word)?
                        }
                        _ => return None,
                    };
                    if !info.parameters().is_empty() {
                        // Parameters that have parameters are rare.
                        parameters.is_empty().then_some(())?;
                        parameters = info.parameters();
                    }
                    push_name(line, info.name())?;
                }
            }
        }
        let is_missing = |list: &[OperandInfo]| {
            let first = list.first();
            first.is_some_and(|operand| operand.quantifier() == Quantifier::One)
        };
        (!is_missing(parameters) && !is_missing(operands)).then_some(())
    }

    /// Writes the literal of a constant, if it is a plain integer.
    #[inline(always)]
    fn push_literal(&self, line: &mut Line<'_>, word: u32) -> Option<()> {
        let ty = self.definitions.get(self.instruction.result_type()?);
        let Definition::Number(NumberType::Integer { width, signed }) = ty else {
            return None;
        };
        // Of one word, and not negative.
        let is_plain = width <= 32 && u64::from(word) < 1 << (width - u8::from(signed));
        is_plain.then(|| push_number(line, word))?
    }

    /// The name of an extended instruction, and its operands.
    fn ext_inst(&self, word: u32) -> Option<(&'static str, &'static [OperandInfo])> {
        let set = Id(*self.instruction.words().get(3)?);
        let Definition::Import(Import::Known(set)) = self.definitions.get(set) else {
            return None;
        };
        // What a newer version of such a set may add has a rule of its own.
        if set.is_non_semantic() || is_shown_by_number(set) {
            return None;
        }
        let info = set.instruction(word)?;
        Some((info.name(), info.operands()))
    }
}

/// Writes an id, and notes it if it is above all before.
#[inline(always)]
fn push_id(line: &mut Line<'_>, ids: &impl Ids, id: u32, above: &mut u32) -> Option<()> {
    *above = id.max(*above);
    match ids.block(id) {
        Some((block, length)) => line.push_first(&block.to_le_bytes(), length),
        None => line.push_bytes(ids.long(id)?),
    }
}

#[inline(always)]
fn push_number(line: &mut Line<'_>, number: u32) -> Option<()> {
    line.push_first(b" ", 1)?;
    line.push_number(number)
}

#[inline(always)]
fn push_name(line: &mut Line<'_>, name: &str) -> Option<()> {
    line.push_first(b" ", 1)?;
    line.push_bytes(name.as_bytes())
}

/// The name of the opcode in an `OpSpecConstantOp`, and its operands.
fn inner_opcode(word: u32) -> Option<(&'static str, &'static [OperandInfo])> {
    let op = u16::try_from(word).map(Op).ok()?;
    let info = op.info().filter(|_| op != Op::SpecConstantOp)?;
    let results = usize::from(info.has_result_type()) + usize::from(info.has_result());
    Some((
        info.name().strip_prefix("Op")?,
        info.operands().get(results..)?,
    ))
}
