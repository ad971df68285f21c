//! Writing what can't be decoded, in forms that assemble to the same words.

use std::fmt::Write as _;

use spirvkit_binary::{ErrorKind, Instruction};
use spirvkit_grammar::OperandKind;

use crate::unsupported::is_bad_float_type;

use super::operands::loses;
use super::printer::{Obstacle, Printer};
use super::writer::{Hue, Place};

/// The remark that the established tools put behind an unknown instruction.
const BOUND_REMARK: &str = "  ; note: ID bound may be incorrect after reassembly";

impl Printer<'_> {
    /// Writes an instruction that can't be written as it is, if the options want
    /// that, or notes the error. Returns whether it wrote.
    #[cold]
    pub(super) fn undecodable(
        &mut self,
        instruction: &Instruction<'_>,
        place: Place,
        obstacle: Obstacle,
    ) -> bool {
        if self.options.lenient {
            self.has_raw_words = true;
            let start = self.writer.out.len();
            if !can_stand_raw(instruction, &obstacle) || !self.partly_raw(instruction, place) {
                self.writer.out.truncate(start);
                self.unknown(instruction, place);
            }
            return true;
        }
        let (Obstacle::Undecodable(error) | Obstacle::Redefined(error)) = obstacle else {
            return false;
        };
        let is_unknown = matches!(
            error.kind(),
            ErrorKind::UnknownOpcode { .. }
                | ErrorKind::UnknownEnumerant { .. }
                | ErrorKind::UnknownBit { .. }
                | ErrorKind::UnknownExtInst { .. }
        );
        if !self.options.handle_unknown_opcodes || !is_unknown {
            self.note(&error);
            return false;
        }
        self.unknown(instruction, place);
        self.writer.out.push_str(BOUND_REMARK);
        true
    }

    /// `OpUnknown(opcode, word count)` and the words.
    fn unknown(&mut self, instruction: &Instruction<'_>, place: Place) {
        self.writer.margin(None, place);
        let count = instruction.words().len();
        let _ = write!(
            self.writer.out,
            "OpUnknown({}, {count})",
            instruction.op().0
        );
        for word in instruction.operand_words() {
            self.writer.out.push(' ');
            self.writer.begin(Hue::Number);
            let _ = write!(self.writer.out, "{word}");
            self.writer.end_hue();
        }
    }

    /// The instruction with `!` words from the first operand on that can't be
    /// read or written. `false` if it has none.
    fn partly_raw(&mut self, instruction: &Instruction<'_>, place: Place) -> bool {
        let Some(info) = instruction.info() else {
            return false;
        };
        if instruction.result().is_some_and(|id| id.0 == 0) {
            return false;
        }
        self.writer.margin(instruction.result(), place);
        self.writer.out.push_str(info.name());
        let writer = &mut self.writer;
        let mut written = 1;
        // The result stands to the left, whatever becomes of its type.
        for operand in instruction
            .operands(&self.definitions)
            .map_while(Result::ok)
        {
            if operand.kind != OperandKind::IdResult {
                let start = writer.out.len();
                writer.out.push(' ');
                if loses(&operand).is_some() || writer.operand(&operand).is_err() {
                    writer.out.truncate(start);
                    break;
                }
            }
            written = operand.word + operand.word_count();
        }
        let words = instruction.words();
        let result = usize::from(info.has_result_type()) + usize::from(info.has_result());
        for (index, &word) in words.iter().enumerate().skip(written) {
            if !info.has_result() || index != result {
                self.raw_word(word);
            }
        }
        written < words.len()
    }

    fn raw_word(&mut self, word: u32) {
        self.writer.out.push_str(" !");
        self.writer.begin(Hue::Number);
        let _ = write!(self.writer.out, "0x{word:08x}");
        self.writer.end_hue();
    }

    /// The words from `start` on, which are not an instruction.
    pub(super) fn tail(&mut self, start: usize) {
        for line in self.words()[start..].chunks(8) {
            // The first word brings a space along.
            self.writer.margin(None, Place::default());
            for &word in line {
                self.raw_word(word);
            }
            self.writer.out.push('\n');
        }
    }
}

/// Whether an instruction with this obstacle can keep its opcode's name: the
/// assembler takes a `!` word for any operand, but checks the number of operands
/// if there is none, and wants one definition for each id.
fn can_stand_raw(instruction: &Instruction<'_>, obstacle: &Obstacle) -> bool {
    let Obstacle::Undecodable(error) = obstacle else {
        return false;
    };
    let wrong_count = matches!(
        error.kind(),
        ErrorKind::MissingOperand { .. } | ErrorKind::SurplusWords { .. }
    );
    let has_result = instruction.info().is_some_and(|info| info.has_result());
    !wrong_count
        && !is_bad_float_type(instruction)
        && (!has_result || instruction.result().is_some())
}
