//! Operations with constants are made others that take less.
//!
//! Within a stretch, which its lanes execute one instruction after the other, it is also known
//! what columns hold that constants are written to.

use hashbrown::{HashMap, HashSet};

use super::columns::Role;
use super::{retain, visit};
use crate::program::{Binary, Inst, NO_REG, Program, Reg};

/// What is known of a column.
#[derive(Clone, Copy)]
enum Known {
    Nothing,
    /// It is a constant.
    Always(u32),
    /// It is this in the stretch that begins there.
    Here(u32, u32),
}

/// What becomes of an operation.
enum Simpler {
    Word(u32),
    /// One of its operands.
    Operand(Reg),
    Shift(Binary, u32),
    /// Another operation, with this as second operand.
    With(Binary, u32),
}

/// The columns of constants by their words.
struct Constants(HashMap<u32, Reg>);

impl Constants {
    fn column(&mut self, program: &mut Program, word: u32) -> Reg {
        *self.0.entry(word).or_insert_with(|| {
            let column = program.columns;
            program.constants.push((column, word));
            program.columns += 1;
            column
        })
    }
}

/// Makes operations simpler, and removes checks that can't fail.
pub(super) fn simplify(program: &mut Program) {
    // What has no value has some word, too, but is none.
    let undefined = program.undefined_values.iter().map(|value| value.column);
    let undefined: HashSet<Reg> = undefined.collect();
    let mut constants = Constants(HashMap::new());
    let mut known = vec![Known::Nothing; program.columns as usize];
    for &(column, word) in &program.constants {
        if !undefined.contains(&column) {
            known[column as usize] = Known::Always(word);
            constants.0.insert(word, column);
        }
    }
    let mut is_kept = vec![true; program.code.len()];
    let mut stretch = 0;
    for (pc, is_kept) in is_kept.iter_mut().enumerate() {
        let word = |column: Reg| match known.get(column as usize) {
            Some(&Known::Always(word)) => Some(word),
            Some(&Known::Here(at, word)) if at == stretch => Some(word),
            _ => None,
        };
        let mut result = None;
        match program.code[pc] {
            Inst::Copy { from, .. } => result = word(from),
            Inst::Binary { op, to, a, b } => {
                if let Some(simpler) = simpler(op, [a, b], [word(a), word(b)]) {
                    if let Simpler::Word(word) = simpler {
                        result = Some(word);
                    }
                    program.code[pc] = match simpler {
                        Simpler::Word(word) => {
                            let from = constants.column(program, word);
                            Inst::Copy { to, from }
                        }
                        Simpler::Operand(from) => Inst::Copy { to, from },
                        Simpler::Shift(op, bits) => {
                            let by = constants.column(program, bits);
                            Inst::Shift {
                                op,
                                to,
                                a,
                                by,
                                bits,
                            }
                        }
                        Simpler::With(op, word) => {
                            let b = constants.column(program, word);
                            Inst::Binary { op, to, a, b }
                        }
                    };
                }
            }
            Inst::CheckIndex {
                index,
                high: NO_REG,
                limit,
            } => *is_kept = word(index).is_none_or(|index| index >= limit),
            _ => {}
        }
        known.resize(program.columns as usize, Known::Nothing);
        visit(program, pc, &mut |column, role| {
            if role != Role::Read {
                known[*column as usize] = match result {
                    Some(word) => Known::Here(stretch, word),
                    None => Known::Nothing,
                };
            }
        });
        if !program.code[pc].is_straight() {
            stretch = pc as u32 + 1;
        }
    }
    retain(program, &is_kept);
}

/// What an operation on two columns becomes, of which some may be known.
fn simpler(op: Binary, [a, b]: [Reg; 2], known: [Option<u32>; 2]) -> Option<Simpler> {
    use Simpler::{Operand, Shift, With, Word};
    if let [Some(a), Some(b)] = known
        && let Some(word) = folded(op, a, b)
    {
        return Some(Word(word));
    }
    match (op, known) {
        (Binary::IAdd | Binary::Or | Binary::Xor, [Some(0), _]) => Some(Operand(b)),
        (Binary::IMul | Binary::And, [Some(0), _]) => Some(Word(0)),
        (Binary::IMul, [Some(1), _]) => Some(Operand(b)),
        (_, [_, Some(b)]) => match (op, b) {
            (Binary::IAdd | Binary::ISub | Binary::Or | Binary::Xor, 0) => Some(Operand(a)),
            (Binary::IMul | Binary::And, 0) | (Binary::UMod, 1) => Some(Word(0)),
            (Binary::IMul | Binary::UDiv, 1) | (Binary::And, u32::MAX) => Some(Operand(a)),
            (Binary::IMul, _) if b.is_power_of_two() => {
                Some(Shift(Binary::ShiftLeft, b.trailing_zeros()))
            }
            (Binary::UDiv, _) if b.is_power_of_two() => {
                Some(Shift(Binary::ShiftRight, b.trailing_zeros()))
            }
            (Binary::UMod, _) if b.is_power_of_two() => Some(With(Binary::And, b - 1)),
            (Binary::ShiftLeft | Binary::ShiftRight | Binary::ShiftRightArithmetic, 0) => {
                Some(Operand(a))
            }
            (Binary::ShiftLeft | Binary::ShiftRight | Binary::ShiftRightArithmetic, 1..32) => {
                Some(Shift(op, b))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The result of an operation on integers, unless it is undefined.
fn folded(op: Binary, a: u32, b: u32) -> Option<u32> {
    Some(match op {
        Binary::IAdd => a.wrapping_add(b),
        Binary::ISub => a.wrapping_sub(b),
        Binary::IMul => a.wrapping_mul(b),
        Binary::UDiv => a.checked_div(b)?,
        Binary::UMod => a.checked_rem(b)?,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::ShiftLeft => a.checked_shl(b)?,
        Binary::ShiftRight => a.checked_shr(b)?,
        Binary::IEqual => u32::from(a == b),
        Binary::INotEqual => u32::from(a != b),
        Binary::ULess => u32::from(a < b),
        Binary::ULessEqual => u32::from(a <= b),
        Binary::SLess => u32::from((a as i32) < b as i32),
        Binary::SLessEqual => u32::from(a as i32 <= b as i32),
        _ => return None,
    })
}
