//! The values of integer and boolean constants, as far as lengths and offsets need
//! them.

use alloc::vec::Vec;
use core::ops::Range;

use spirvkit_binary::{Id, IdMap, Instruction, NumberType};
use spirvkit_grammar::Op;

use super::Bytes;

/// Booleans are numbers of one bit.
const BOOLEAN: NumberType = NumberType::Integer {
    width: 1,
    signed: false,
};

/// An integer constant, or a boolean one as 0 or 1, or the default of one that specialization may change.
#[derive(Clone, Copy, Debug)]
struct Constant {
    /// Sign-extended if the type is signed, zero-extended if not.
    bits: u64,
    /// Of the type, in bits.
    width: u8,
    is_specialized: bool,
}

/// The integer and boolean constants of a module. An `OpSpecConstantOp` on scalars
/// is worked out, and so is one that extracts a part of a composite; what computes
/// composites, and what takes floats or pointers, is unknown.
#[derive(Clone, Debug)]
pub(super) struct Constants {
    types: IdMap<Option<NumberType>>,
    /// One more than the index of a constant's value; 0 stands for none.
    places: IdMap<u32>,
    values: Vec<Constant>,
    /// One more than the index of a composite; 0 stands for none.
    composites: IdMap<u32>,
    /// Where the constituents of each composite stand in the list of all.
    ranges: Vec<Range<usize>>,
    constituents: Vec<Id>,
}

impl Constants {
    /// No constants yet, of a module of this many words, whose ids are likely below a
    /// bound.
    pub(super) fn new(words: usize, bound: u32) -> Self {
        Self {
            types: IdMap::new(None, words),
            places: IdMap::with_bound(0, words, bound),
            values: Vec::new(),
            composites: IdMap::new(0, words),
            ranges: Vec::new(),
            constituents: Vec::new(),
        }
    }

    /// A constant as a number; the bits of a negative one make a very large
    /// number, which is no length of anything.
    pub(super) fn get(&self, id: Id) -> Option<Bytes> {
        let constant = self.value(id)?;
        Some(match constant.is_specialized {
            true => Bytes::Default(constant.bits),
            false => Bytes::Fixed(constant.bits),
        })
    }

    fn value(&self, id: Id) -> Option<Constant> {
        let place = self.places.get(id).checked_sub(1)?;
        self.values.get(place as usize).copied()
    }

    /// Notes a type or a constant. They come in the module's order.
    pub(super) fn note(&mut self, instruction: &Instruction<'_>) {
        let Some(result) = instruction.result() else {
            return;
        };
        let declared = match (instruction.op(), instruction.words()) {
            (Op::TypeInt, &[_, _, width, signedness]) => NumberType::integer(width, signedness),
            (Op::TypeBool, _) => Some(BOOLEAN),
            _ => None,
        };
        if declared.is_some() {
            self.types.replace(result, declared);
            return;
        }
        if let (Op::ConstantComposite | Op::SpecConstantComposite, Some(parts)) =
            (instruction.op(), instruction.words().get(3..))
        {
            let start = self.constituents.len();
            self.constituents.extend(parts.iter().map(|&part| Id(part)));
            self.ranges.push(start..self.constituents.len());
            // There are fewer composites than words, and fewer words than 2³².
            self.composites.replace(result, self.ranges.len() as u32);
            return;
        }
        let ty = instruction.result_type().and_then(|ty| self.types.get(ty));
        let Some(NumberType::Integer { width, signed }) = ty else {
            return;
        };
        let operands = instruction.words().get(3..).unwrap_or_default();
        let (bits, is_specialized) = match instruction.op() {
            Op::Constant => (literal(operands), false),
            Op::SpecConstant => (literal(operands), true),
            Op::ConstantNull | Op::ConstantFalse => (Some(0), false),
            Op::ConstantTrue => (Some(1), false),
            Op::SpecConstantFalse => (Some(0), true),
            Op::SpecConstantTrue => (Some(1), true),
            Op::SpecConstantOp => (self.operation(operands), true),
            _ => (None, false),
        };
        self.values.extend(bits.map(|bits| Constant {
            bits: extend(bits, width, signed),
            width,
            is_specialized,
        }));
        // There are fewer constants than words, and fewer words than 2³².
        let place = bits.map_or(0, |_| self.values.len() as u32);
        self.places.replace(result, place);
    }

    /// The part of a composite to which indexes lead.
    fn extract(&self, operands: &[u32]) -> Option<u64> {
        let (&composite, indexes) = operands.split_first()?;
        let mut part = Id(composite);
        for &index in indexes {
            let place = self.composites.get(part).checked_sub(1)?;
            let range = self.ranges.get(place as usize)?;
            let constituents = self.constituents.get(range.clone())?;
            part = *constituents.get(index as usize)?;
        }
        Some(self.value(part)?.bits)
    }

    /// The result of an operation: its opcode and the ids of its operands.
    fn operation(&self, words: &[u32]) -> Option<u64> {
        let (&op, operands) = words.split_first()?;
        let op = Op(u16::try_from(op).ok()?);
        if op == Op::CompositeExtract {
            return self.extract(operands);
        }
        let operand = |index: usize| self.value(Id(*operands.get(index)?));
        let Constant {
            bits: one, width, ..
        } = operand(0)?;
        match op {
            Op::UConvert => return Some(extend(one, width, false)),
            Op::SConvert => return Some(extend(one, width, true)),
            Op::SNegate => return Some(one.wrapping_neg()),
            Op::Not | Op::LogicalNot => return Some(!one),
            Op::Select if one != 0 => return Some(operand(1)?.bits),
            Op::Select => return Some(operand(2)?.bits),
            _ => {}
        }
        let two = operand(1)?.bits;
        // Operands may be of either signedness, whatever the operation takes them
        // for. They have the same width, but for shifts.
        let unsigned = |bits: u64| extend(bits, width, false);
        let signed = |bits: u64| extend(bits, width, true) as i64;
        let shift = u32::try_from(two)
            .ok()
            .filter(|&shift| shift < u32::from(width));
        Some(match op {
            Op::IAdd => one.wrapping_add(two),
            Op::ISub => one.wrapping_sub(two),
            Op::IMul => one.wrapping_mul(two),
            Op::UDiv => unsigned(one).checked_div(unsigned(two))?,
            Op::UMod => unsigned(one).checked_rem(unsigned(two))?,
            Op::SDiv => signed(one).checked_div(signed(two))? as u64,
            Op::SRem => signed(one).checked_rem(signed(two))? as u64,
            Op::SMod => {
                let (one, two) = (signed(one), signed(two));
                let rest = one.checked_rem(two)?;
                match rest != 0 && (rest < 0) != (two < 0) {
                    true => rest.wrapping_add(two) as u64,
                    false => rest as u64,
                }
            }
            Op::ShiftLeftLogical => one << shift?,
            Op::ShiftRightLogical => unsigned(one) >> shift?,
            Op::ShiftRightArithmetic => (signed(one) >> shift?) as u64,
            Op::BitwiseAnd | Op::LogicalAnd => one & two,
            Op::BitwiseOr | Op::LogicalOr => one | two,
            Op::BitwiseXor => one ^ two,
            Op::IEqual | Op::LogicalEqual => (unsigned(one) == unsigned(two)).into(),
            Op::INotEqual | Op::LogicalNotEqual => (unsigned(one) != unsigned(two)).into(),
            Op::ULessThan => (unsigned(one) < unsigned(two)).into(),
            Op::ULessThanEqual => (unsigned(one) <= unsigned(two)).into(),
            Op::UGreaterThan => (unsigned(one) > unsigned(two)).into(),
            Op::UGreaterThanEqual => (unsigned(one) >= unsigned(two)).into(),
            Op::SLessThan => (signed(one) < signed(two)).into(),
            Op::SLessThanEqual => (signed(one) <= signed(two)).into(),
            Op::SGreaterThan => (signed(one) > signed(two)).into(),
            Op::SGreaterThanEqual => (signed(one) >= signed(two)).into(),
            _ => return None,
        })
    }
}

/// A literal of at most 64 bits, the low word first.
fn literal(words: &[u32]) -> Option<u64> {
    let (&low, high) = words.split_first()?;
    let high = high.first().copied().unwrap_or(0);
    Some(u64::from(high) << 32 | u64::from(low))
}

/// The low `width` bits, extended to 64.
fn extend(bits: u64, width: u8, signed: bool) -> u64 {
    let unused = 64 - u32::from(width.clamp(1, 64));
    match signed {
        true => ((bits << unused) as i64 >> unused) as u64,
        false => bits << unused >> unused,
    }
}
