//! Writing operands.

use spirvkit_binary::{ErrorKind, FloatFormat, Id, LiteralString, NumberType, Operand, Value};
use spirvkit_diagnostics::visible_lines;
use spirvkit_grammar::{ExtInstSet, OperandKind};

use super::writer::{Hue, Writer};
use crate::number::write_number;

impl Writer {
    /// Writes ids, each behind a blank; says at which index one is zero.
    #[inline]
    pub(super) fn ids(&mut self, ids: &[u32]) -> Result<(), usize> {
        for (index, &id) in ids.iter().enumerate() {
            if id == 0 {
                return Err(index);
            }
            self.out.push(' ');
            self.id(Id(id));
        }
        Ok(())
    }

    /// Writes an operand, or says why it has no name.
    #[inline]
    pub(super) fn operand(&mut self, operand: &Operand<'_>) -> Result<(), ErrorKind> {
        let kind = operand.kind;
        match operand.value {
            Value::Id(id) => {
                if id.0 == 0 {
                    return Err(ErrorKind::ZeroId { kind });
                }
                self.id(id);
            }
            Value::Integer(value) => {
                self.begin(Hue::Number);
                self.out.push_number(value);
                self.end_hue();
            }
            Value::Number { ty, bits } => self.number(ty, bits),
            Value::Float(bits) => self.number(NumberType::Float(FloatFormat::Single), bits.into()),
            Value::String(string) => self.string(string)?,
            Value::Enumerant {
                info: Some(info), ..
            } => self.out.push_str(info.name()),
            Value::Enumerant { value, info: None } => {
                return Err(ErrorKind::UnknownEnumerant { kind, value });
            }
            Value::Mask(bits) => self.mask(kind, bits)?,
            Value::ExtInst {
                set: Some(set),
                info: Some(info),
                ..
            } if !is_shown_by_number(set) => {
                self.begin(Hue::Number);
                self.out.push_str(info.name());
                self.end_hue();
            }
            // Sets that nobody knows, and sets that may grow, have numbers only.
            Value::ExtInst { set, number, .. } => match set {
                Some(set) if !set.is_non_semantic() => {
                    return Err(ErrorKind::UnknownExtInst {
                        set: set.import_name(),
                        number,
                    });
                }
                _ => self.number(NumberType::U32, number.into()),
            },
            Value::SpecConstantOp(op) => match op.name() {
                Some(name) => {
                    self.begin(Hue::Number);
                    self.out.push_str(name.strip_prefix("Op").unwrap_or(name));
                    self.end_hue();
                }
                None => {
                    return Err(ErrorKind::UnknownSpecConstantOp {
                        opcode: op.0.into(),
                    });
                }
            },
            Value::Opaque(opcode) => return Err(ErrorKind::UnknownSpecConstantOp { opcode }),
            _ => return Err(ErrorKind::SurplusWords { count: 1 }),
        }
        Ok(())
    }

    #[inline]
    fn id(&mut self, id: Id) {
        self.highest = self.highest.max(id.0);
        self.begin(Hue::Id);
        self.out.push('%');
        self.names.write(&mut self.out, id);
        self.end_hue();
    }

    fn number(&mut self, ty: NumberType, bits: u64) {
        self.begin(Hue::Number);
        write_number(&mut self.out, ty, bits);
        self.end_hue();
    }

    fn mask(&mut self, kind: OperandKind, bits: u32) -> Result<(), ErrorKind> {
        if bits == 0 {
            // `None`, under whatever name; an enumeration may lack it.
            let name = kind.enumerant(0).map_or("None", |info| info.name());
            self.out.push_str(name);
            return match kind.enumerant_by_name(name) {
                Some(_) => Ok(()),
                None => Err(ErrorKind::UnknownEnumerant { kind, value: 0 }),
            };
        }
        let mut rest = bits;
        while rest != 0 {
            let bit = rest & rest.wrapping_neg();
            let info = kind
                .enumerant(bit)
                .ok_or(ErrorKind::UnknownBit { kind, bit })?;
            if rest != bits {
                self.out.push('|');
            }
            self.out.push_str(info.name());
            rest &= !bit;
        }
        Ok(())
    }

    fn string(&mut self, string: LiteralString<'_>) -> Result<(), ErrorKind> {
        let text = string.to_text()?;
        self.out.push('"');
        self.begin(Hue::String);
        let mut rest = text.as_str();
        while let Some(at) = rest.find(['"', '\\']) {
            self.text(&rest[..at]);
            self.out.push('\\');
            self.out.push_str(&rest[at..=at]);
            rest = &rest[at + 1..];
        }
        self.text(rest);
        self.end_hue();
        self.out.push('"');
        Ok(())
    }

    /// A piece of a string. A text in colour is for a terminal, which is to show strings
    /// rather than do what they say.
    fn text(&mut self, text: &str) {
        match self.color {
            true => self.out.push_str(&visible_lines(text)),
            false => self.out.push_str(text),
        }
    }
}

/// What an operand has that its text doesn't show.
#[inline]
pub(super) fn loses(operand: &Operand<'_>) -> Option<ErrorKind> {
    match operand.value {
        Value::String(string) if !string.is_padded_with_zeros() => Some(ErrorKind::StringPadding),
        Value::Number { ty, bits } if ty.extend(bits) != bits => Some(ErrorKind::NumberPadding),
        _ => None,
    }
}

/// Sets whose instructions the established tools don't know by name. Text that
/// names them would be of no use to those tools.
pub(super) fn is_shown_by_number(set: ExtInstSet) -> bool {
    matches!(set, ExtInstSet::DebugBreak | ExtInstSet::DebugPrintf)
}
