//! Decoding the operands of an instruction.

use spirvkit_grammar::{
    Category, EnumerantInfo, ExtInstSet, InstructionInfo, Op, OperandInfo, OperandKind, Quantifier,
};

use crate::definitions::{Definition, Definitions, Import};
use crate::error::{Error, ErrorKind};
use crate::id::Id;
use crate::instruction::Instruction;
use crate::number::NumberType;
use crate::string::LiteralString;

/// A decoded operand.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Operand<'a> {
    /// What the grammar says the operand is.
    pub kind: OperandKind,
    /// The index of the operand's first word in the instruction, from 1 up.
    pub word: usize,
    /// What the operand holds.
    pub value: Value<'a>,
}

impl Operand<'_> {
    /// How many words the operand takes.
    pub fn word_count(&self) -> usize {
        match self.value {
            Value::String(string) => string.words().len(),
            Value::Number { ty, .. } => ty.words(),
            _ => 1,
        }
    }
}

/// What an operand holds.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Value<'a> {
    /// An id.
    Id(Id),
    /// An unsigned 32-bit literal.
    Integer(u32),
    /// The bits of a 32-bit floating-point literal.
    Float(u32),
    /// A literal whose type another instruction gives.
    Number {
        /// The type.
        ty: NumberType,
        /// The literal's words joined, the low word first.
        bits: u64,
    },
    /// A literal string.
    String(LiteralString<'a>),
    /// A value of an enumeration.
    Enumerant {
        /// The value.
        value: u32,
        /// What the grammar says about it, if it is known.
        info: Option<&'static EnumerantInfo>,
    },
    /// A mask of a bit enumeration.
    Mask(u32),
    /// The number of an extended instruction.
    ExtInst {
        /// The set, if it is known.
        set: Option<ExtInstSet>,
        /// The number.
        number: u32,
        /// What the grammar says about it, if it is known.
        info: Option<&'static InstructionInfo>,
    },
    /// The opcode inside an `OpSpecConstantOp`.
    SpecConstantOp(Op),
    /// A word whose meaning is unknown, because it follows an unknown
    /// enumerant, bit or opcode.
    Opaque(u32),
}

/// The operands of an instruction, decoded one by one.
///
/// After an error the iterator ends. Values that the grammar doesn't know are
/// no errors here; [`Value`] says so, and the words after such a value come out
/// as [`Value::Opaque`], because their meaning depends on it.
#[derive(Clone, Debug)]
pub struct Operands<'a, 'd> {
    instruction: Instruction<'a>,
    definitions: &'d Definitions,
    /// The index of the next word.
    next: usize,
    /// What follows after everything else below.
    main: &'static [OperandInfo],
    /// The parameters of an enumerant or bit that has just been read.
    parameters: &'static [OperandInfo],
    /// The enumeration and those of a mask's bits whose parameters follow.
    mask: (OperandKind, u32),
    /// The rest of a composite operand.
    composite: &'static [OperandKind],
    /// Whether the meaning of the remaining words is unknown.
    opaque: bool,
    done: bool,
    /// Whether anything but `main` decides what comes next.
    pending: bool,
}

/// The operands that an extended instruction has when nothing more is known.
static ANY_IDS: &[OperandKind] = &[OperandKind::IdRef];

impl<'a, 'd> Operands<'a, 'd> {
    #[inline]
    pub(crate) fn new(instruction: Instruction<'a>, definitions: &'d Definitions) -> Self {
        let main = instruction
            .info()
            .map_or(&[][..], InstructionInfo::operands);
        let opaque = instruction.info().is_none();
        Self {
            instruction,
            definitions,
            next: 1,
            main,
            parameters: &[],
            mask: (OperandKind::IdRef, 0),
            composite: &[],
            opaque,
            done: false,
            pending: opaque,
        }
    }

    /// The kind of the next operand; `None` at the end.
    #[inline]
    fn next_kind(&mut self) -> Result<Option<OperandKind>, ErrorKind> {
        if let Some((&kind, rest)) = self.composite.split_first() {
            self.composite = rest;
            return Ok(Some(kind));
        }
        let at_end = self.next >= self.instruction.words().len();
        loop {
            // A mask's parameters come before what follows the mask.
            if self.parameters.is_empty() && self.mask.1 != 0 {
                self.next_bit();
                continue;
            }
            let list = match self.parameters {
                [] => &mut self.main,
                _ => &mut self.parameters,
            };
            let Some(operand) = list.first() else {
                return Ok(None);
            };
            match operand.quantifier() {
                Quantifier::One => *list = &list[1..],
                Quantifier::Optional => {
                    *list = &list[1..];
                    if at_end {
                        continue;
                    }
                }
                Quantifier::Many if at_end => {
                    *list = &list[1..];
                    continue;
                }
                Quantifier::Many => {}
            }
            let kind = operand.kind();
            if kind.category() != Category::Composite {
                return Ok(Some(kind));
            }
            let Some((&first, rest)) = kind.bases().split_first() else {
                return Err(ErrorKind::MissingOperand { kind });
            };
            self.composite = rest;
            return Ok(Some(first));
        }
    }

    /// Puts the parameters of a mask's lowest remaining bit in line.
    fn next_bit(&mut self) {
        let (kind, bits) = self.mask;
        let bit = bits & bits.wrapping_neg();
        self.mask.1 = bits & !bit;
        match kind.enumerant(bit) {
            Some(info) => self.parameters = info.parameters(),
            None => {
                self.opaque = true;
                self.mask.1 = 0;
            }
        }
    }

    fn word(&mut self, kind: OperandKind) -> Result<u32, ErrorKind> {
        let word = self.instruction.words().get(self.next);
        self.next += 1;
        word.copied().ok_or(ErrorKind::MissingOperand { kind })
    }

    fn number(&mut self, ty: NumberType, kind: OperandKind) -> Result<Value<'a>, ErrorKind> {
        let end = self.next + ty.words();
        let words = self.instruction.words().get(self.next..end);
        let words = words.ok_or(ErrorKind::MissingOperand { kind })?;
        self.next = end;
        Ok(Value::Number {
            ty,
            bits: NumberType::join(words),
        })
    }

    /// The type of the literal of an instruction with a result type.
    fn literal_type(&self) -> Result<NumberType, ErrorKind> {
        let id = self.instruction.result_type().unwrap_or(Id(0));
        match self.definitions.get(id) {
            Definition::Number(ty) => Ok(ty),
            Definition::Undefined => Err(ErrorKind::UndefinedType { id }),
            _ => Err(ErrorKind::NotANumberType { id }),
        }
    }

    /// The type of the literals of a switch.
    fn case_type(&self) -> Result<NumberType, ErrorKind> {
        let selector = Id(self.instruction.words().get(1).copied().unwrap_or(0));
        self.definitions
            .selector_type(selector)
            .ok_or(ErrorKind::BadSelector { id: selector })
    }

    fn ext_inst(&mut self, kind: OperandKind) -> Result<Value<'a>, ErrorKind> {
        let set = Id(self
            .instruction
            .words()
            .get(self.next - 1)
            .copied()
            .unwrap_or(0));
        let Definition::Import(import) = self.definitions.get(set) else {
            return Err(ErrorKind::NotAnImport { id: set });
        };
        let number = self.word(kind)?;
        let set = match import {
            Import::Known(set) => Some(set),
            Import::Unknown => None,
        };
        let info = set.and_then(|set| set.instruction(number));
        if let Some(info) = info {
            self.main = info.operands();
        }
        Ok(Value::ExtInst { set, number, info })
    }

    fn spec_constant_op(&mut self, kind: OperandKind) -> Result<Value<'a>, ErrorKind> {
        let number = self.word(kind)?;
        // It can't stand within itself.
        let op = u16::try_from(number)
            .map(Op)
            .ok()
            .filter(|op| *op != Op::SpecConstantOp);
        match op.and_then(Op::info) {
            Some(info) => {
                let results = usize::from(info.has_result_type()) + usize::from(info.has_result());
                self.main = info.operands().get(results..).unwrap_or_default();
            }
            None => self.opaque = true,
        }
        match op {
            Some(op) => Ok(Value::SpecConstantOp(op)),
            None => Ok(Value::Opaque(number)),
        }
    }

    #[inline]
    fn read(&mut self, kind: OperandKind) -> Result<Value<'a>, ErrorKind> {
        use OperandKind as K;
        match kind.category() {
            Category::Id => Ok(Value::Id(Id(self.word(kind)?))),
            Category::ValueEnum => {
                let value = self.word(kind)?;
                let info = kind.enumerant(value);
                match info {
                    // An enumerant that is itself a parameter has none of its own,
                    // so those that are still to come stay in line.
                    Some(info) if !info.parameters().is_empty() => {
                        self.parameters = info.parameters();
                    }
                    Some(_) => {}
                    None => self.opaque = true,
                }
                Ok(Value::Enumerant { value, info })
            }
            Category::BitEnum => {
                let bits = self.word(kind)?;
                self.mask = (kind, bits);
                Ok(Value::Mask(bits))
            }
            _ => match kind {
                K::LiteralInteger if self.instruction.op() == Op::Switch => {
                    let ty = self.case_type()?;
                    self.number(ty, kind)
                }
                K::LiteralInteger => Ok(Value::Integer(self.word(kind)?)),
                K::LiteralString => {
                    let words = self
                        .instruction
                        .words()
                        .get(self.next..)
                        .unwrap_or_default();
                    if words.is_empty() {
                        return Err(ErrorKind::MissingOperand { kind });
                    }
                    let string =
                        LiteralString::at_start_of(words).ok_or(ErrorKind::UnterminatedString)?;
                    self.next += string.words().len();
                    Ok(Value::String(string))
                }
                K::LiteralContextDependentNumber => {
                    let ty = self.literal_type()?;
                    self.number(ty, kind)
                }
                K::LiteralFloat => Ok(Value::Float(self.word(kind)?)),
                K::LiteralExtInstInteger => self.ext_inst(kind),
                K::LiteralSpecConstantOpInteger => self.spec_constant_op(kind),
                _ => {
                    self.opaque = true;
                    Ok(Value::Opaque(self.word(kind)?))
                }
            },
        }
    }

    /// Whether words after the last operand are further ids: a newer version of
    /// a non-semantic set may add operands to an instruction
    /// (`SPV_KHR_non_semantic_info`).
    fn may_have_more_ids(&self) -> bool {
        if !self.instruction.op().is_ext_inst() {
            return false;
        }
        let set = Id(self.instruction.words().get(3).copied().unwrap_or(0));
        match self.definitions.get(set) {
            Definition::Import(Import::Known(set)) => set.is_non_semantic(),
            _ => false,
        }
    }

    fn step(&mut self) -> Result<Option<Operand<'a>>, ErrorKind> {
        let length = self.instruction.words().len();
        if self.opaque {
            if self.next >= length {
                return Ok(None);
            }
            let word = self.next;
            let value = Value::Opaque(self.word(OperandKind::LiteralInteger)?);
            return Ok(Some(Operand {
                kind: OperandKind::LiteralInteger,
                word,
                value,
            }));
        }
        let Some(kind) = self.next_kind()? else {
            if self.next >= length {
                return Ok(None);
            }
            if self.opaque {
                return self.step();
            }
            if self.may_have_more_ids() {
                self.composite = ANY_IDS;
                return self.step();
            }
            return Err(ErrorKind::SurplusWords {
                count: length - self.next,
            });
        };
        if self.opaque {
            return self.step();
        }
        let word = self.next;
        let value = self.read(kind)?;
        Ok(Some(Operand { kind, word, value }))
    }
}

impl<'a> Operands<'a, '_> {
    /// Passes over the instruction's [leading ids](Instruction::leading_ids).
    /// Only for a fresh iterator; later it does nothing.
    #[inline]
    pub fn skip_leading_ids(&mut self) {
        let Some(info) = self.instruction.info() else {
            return;
        };
        if self.next == 1 {
            let ids = self.instruction.leading_ids().len();
            let operands = match info.only_ids_follow() && ids >= info.leading_ids() {
                true => info.operands().len(),
                false => ids,
            };
            self.main = info.operands().get(operands..).unwrap_or_default();
            self.next += ids;
        }
    }

    fn next_of_any_kind(&mut self) -> Option<Result<Operand<'a>, Error>> {
        if self.done {
            return None;
        }
        let start = self.next;
        let step = self.step();
        self.pending = self.opaque
            || self.mask.1 != 0
            || !self.parameters.is_empty()
            || !self.composite.is_empty();
        match step {
            Ok(operand) => operand.map(Ok),
            Err(kind) => {
                self.done = true;
                self.pending = true;
                Some(Err(self.instruction.error(kind, start)))
            }
        }
    }
}

impl<'a> Iterator for Operands<'a, '_> {
    type Item = Result<Operand<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.pending {
            return self.next_of_any_kind();
        }
        match (self.main, self.instruction.words().get(self.next)) {
            // Most operands by far are ids.
            ([operand, rest @ ..], Some(&id)) if operand.is_id() => {
                if operand.quantifier() != Quantifier::Many {
                    self.main = rest;
                }
                let word = self.next;
                self.next += 1;
                Some(Ok(Operand {
                    kind: operand.kind(),
                    word,
                    value: Value::Id(Id(id)),
                }))
            }
            // What may be missing is followed only by what may be missing.
            ([operand, ..], None) if operand.quantifier() != Quantifier::One => None,
            ([], None) => None,
            _ => self.next_of_any_kind(),
        }
    }
}
