//! Which bits of a result are undefined where some of its operands' are.

use spirvkit_grammar::Op;

/// An operand: its bits, which of them are undefined, and how many there are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Operand {
    pub(crate) bits: u64,
    pub(crate) undefined: u64,
    pub(crate) width: u32,
}

/// As many bits as something has.
fn all(width: u32) -> u64 {
    match width {
        0 => 0,
        width => u64::MAX >> (64 - width.min(64)),
    }
}

/// The bits from the lowest undefined one on.
fn upwards(undefined: u64) -> u64 {
    match undefined {
        0 => 0,
        undefined => u64::MAX << undefined.trailing_zeros(),
    }
}

/// Bits with the sign at a width repeated above.
fn signed(bits: u64, width: u32) -> u64 {
    let unused = 64 - width.clamp(1, 64);
    ((bits << unused) as i64 >> unused) as u64
}

/// Which bits of the result of an operation on integers or Booleans are undefined. Whatever
/// isn't known to be defined counts as undefined.
pub(crate) fn undefined_bits(op: Option<Op>, operands: &[Operand], width: u32) -> u64 {
    let whole = all(width);
    let anything = operands.iter().fold(0, |all, it| all | it.undefined);
    if anything == 0 {
        return 0;
    }
    let Some(op) = op else { return whole };
    let none = Operand::default();
    let at = |index: usize| operands.get(index).copied().unwrap_or(none);
    let [a, b] = [at(0), at(1)];
    let bits = match op {
        Op::BitwiseAnd | Op::LogicalAnd => {
            a.undefined & b.undefined | a.undefined & b.bits | b.undefined & a.bits
        }
        Op::BitwiseOr | Op::LogicalOr => {
            a.undefined & b.undefined | a.undefined & !b.bits | b.undefined & !a.bits
        }
        Op::BitwiseXor | Op::Not | Op::LogicalNot | Op::Bitcast | Op::UConvert => anything,
        Op::SConvert => signed(a.undefined, a.width),
        Op::IMul if [a, b].iter().any(|it| it.undefined == 0 && it.bits == 0) => 0,
        Op::IAdd | Op::ISub | Op::IMul | Op::SNegate => upwards(anything),
        Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic
            if b.undefined == 0 =>
        {
            let by = b.bits.min(63) as u32;
            match op {
                // What is shifted too far is reported there.
                _ if b.bits >= u64::from(width) => 0,
                Op::ShiftLeftLogical => a.undefined << by,
                Op::ShiftRightLogical => a.undefined >> by,
                _ => (signed(a.undefined, a.width) as i64 >> by) as u64,
            }
        }
        // They differ in what is defined.
        Op::IEqual | Op::INotEqual if (a.bits ^ b.bits) & !anything != 0 => 0,
        Op::BitFieldInsert if at(2).undefined | at(3).undefined == 0 => {
            let offset = at(2).bits.min(63) as u32;
            let mask = all(at(3).bits.min(64) as u32) << offset;
            a.undefined & !mask | b.undefined << offset & mask
        }
        Op::BitFieldUExtract | Op::BitFieldSExtract if b.undefined | at(2).undefined == 0 => {
            let offset = b.bits.min(63) as u32;
            let count = at(2).bits.min(64) as u32;
            let part = a.undefined >> offset & all(count);
            match op {
                Op::BitFieldSExtract if count > 0 => signed(part, count),
                _ => part,
            }
        }
        Op::BitReverse => a.undefined.reverse_bits() >> (64 - a.width.clamp(1, 64)),
        _ => whole,
    };
    bits & whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(bits: u64, undefined: u64) -> Operand {
        Operand {
            bits,
            undefined,
            width: 32,
        }
    }

    #[test]
    fn what_absorbs_is_defined() {
        let unknown = word(0, u64::from(u32::MAX));
        let of = |op, a, b| undefined_bits(Some(op), &[a, b], 32);
        assert_eq!(of(Op::BitwiseAnd, unknown, word(0, 0)), 0);
        assert_eq!(of(Op::BitwiseAnd, unknown, word(0xf0, 0)), 0xf0);
        assert_eq!(of(Op::BitwiseOr, word(0xf, 0), unknown), 0xffff_fff0);
        assert_eq!(of(Op::IMul, unknown, word(0, 0)), 0);
        assert_eq!(of(Op::IMul, unknown, word(1, 0)), 0xffff_ffff);
        assert_eq!(of(Op::IEqual, word(0, 0xff), word(0x100, 0)), 0);
        assert_ne!(of(Op::IEqual, word(0, 0xff), word(1, 0)), 0);
    }

    #[test]
    fn bits_stay_apart() {
        let of = |op, operands: &[Operand]| undefined_bits(Some(op), operands, 32);
        let low = word(0, 0xff);
        assert_eq!(of(Op::IAdd, &[low, word(1, 0)]), 0xffff_ffff);
        assert_eq!(of(Op::IAdd, &[word(0, 0x100), word(1, 0)]), 0xffff_ff00);
        assert_eq!(of(Op::ShiftLeftLogical, &[low, word(8, 0)]), 0xff00);
        assert_eq!(of(Op::ShiftRightLogical, &[low, word(8, 0)]), 0);
        let sign = word(0, 0x8000_0000);
        assert_eq!(
            of(Op::ShiftRightArithmetic, &[sign, word(4, 0)]),
            0xf800_0000
        );
        let unknown = word(0, u64::from(u32::MAX));
        let insert = [unknown, word(5, 0), word(8, 0), word(16, 0)];
        assert_eq!(of(Op::BitFieldInsert, &insert), 0xff00_00ff);
        let extract = [word(0, 0xff00_00ff), word(8, 0), word(16, 0)];
        assert_eq!(of(Op::BitFieldUExtract, &extract), 0);
        let extract = [word(0, 0x8000), word(8, 0), word(8, 0)];
        assert_eq!(of(Op::BitFieldSExtract, &extract), 0xffff_ff80);
        assert_eq!(of(Op::BitReverse, &[low]), 0xff00_0000);
        assert_eq!(undefined_bits(None, &[low], 1), 1);
    }
}
