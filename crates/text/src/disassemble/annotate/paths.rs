//! Where access chains lead, as `lights[3].color`.

use std::fmt::Write as _;

use spirvkit_binary::{Id, Instruction};
use spirvkit_grammar::Op;

use super::{Annotations, COMMENT};
use crate::disassemble::names::Names;

/// Where an instruction that goes into a composite has its operands.
struct Shape {
    /// The word of the type that is gone into, if the base's type doesn't say.
    base_type: Option<usize>,
    base: usize,
    /// The word of the index that moves the base itself.
    element: Option<usize>,
    /// The word of the first index.
    indices: usize,
    /// Whether the indices are literals, and the base no pointer.
    is_literal: bool,
}

fn shape(op: Op) -> Option<Shape> {
    let typed = Shape {
        base_type: None,
        base: 3,
        element: None,
        indices: 4,
        is_literal: false,
    };
    let untyped = Shape {
        base_type: Some(3),
        base: 4,
        element: None,
        indices: 5,
        is_literal: false,
    };
    Some(match op {
        Op::AccessChain | Op::InBoundsAccessChain => typed,
        Op::PtrAccessChain | Op::InBoundsPtrAccessChain => Shape {
            element: Some(4),
            indices: 5,
            ..typed
        },
        Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => untyped,
        Op::UntypedPtrAccessChainKHR | Op::UntypedInBoundsPtrAccessChainKHR => Shape {
            element: Some(5),
            indices: 6,
            ..untyped
        },
        Op::CompositeExtract => Shape {
            is_literal: true,
            ..typed
        },
        _ => return None,
    })
}

/// Whether the label of a result is a path.
pub(super) fn takes_path(op: Op) -> bool {
    shape(op).is_some()
}

/// An index as the module gives it.
#[derive(Clone, Copy)]
enum Index {
    Literal(u32),
    Value(Id),
}

impl Annotations<'_> {
    /// Writes where an access chain leads.
    pub(super) fn path(&self, out: &mut String, instruction: &Instruction<'_>, names: &Names) {
        let words = instruction.words();
        let Some(shape) = shape(instruction.op()) else {
            return;
        };
        let word = |index: usize| words.get(index).copied().map(Id);
        let Some(base) = word(shape.base) else { return };
        self.mention(out, base, names);
        if let Some(element) = shape.element.and_then(word) {
            self.bracket(out, Index::Value(element), names);
        }
        let of_base = || {
            let ty = self.definitions.type_of(base)?;
            if shape.is_literal {
                Some(ty)
            } else {
                self.pointee(ty)
            }
        };
        let mut ty = shape.base_type.and_then(word).or_else(of_base);
        for index in words.get(shape.indices..).unwrap_or_default() {
            if out.len() > COMMENT {
                return;
            }
            let index = match shape.is_literal {
                true => Index::Literal(*index),
                false => Index::Value(Id(*index)),
            };
            ty = self.step(out, ty, index, names);
        }
    }

    /// The type that a pointer of this type points to.
    pub(super) fn pointee(&self, pointer: Id) -> Option<Id> {
        let declaration = self.declaration(pointer)?;
        match *declaration.words() {
            [_, _, _, pointee] if declaration.op() == Op::TypePointer => Some(Id(pointee)),
            _ => None,
        }
    }

    /// Writes a step into a composite of this type. Returns the type it leads to.
    fn step(&self, out: &mut String, ty: Option<Id>, index: Index, names: &Names) -> Option<Id> {
        let number = match index {
            Index::Literal(number) => Some(number),
            Index::Value(id) => self.constant(id),
        };
        let declaration = ty.and_then(|ty| self.declaration(ty));
        let op = declaration.map(|declaration| declaration.op());
        let words = declaration.map_or(&[][..], |declaration| declaration.words());
        let component = number.and_then(|number| "xyzw".get(number as usize..)?.chars().next());
        match (op, number, component) {
            (Some(Op::TypeStruct), Some(number), _) => {
                self.push_member(out, ty?, number);
                return words.get(2..)?.get(number as usize).copied().map(Id);
            }
            (Some(Op::TypeVector), _, Some(component)) => {
                let _ = write!(out, ".{component}");
            }
            _ => self.bracket(out, index, names),
        }
        match op? {
            Op::TypeArray | Op::TypeRuntimeArray | Op::TypeVector | Op::TypeMatrix => {
                words.get(2).copied().map(Id)
            }
            _ => None,
        }
    }

    fn bracket(&self, out: &mut String, index: Index, names: &Names) {
        out.push('[');
        match index {
            Index::Literal(number) => {
                let _ = write!(out, "{number}");
            }
            Index::Value(id) => self.length(out, id, names),
        }
        out.push(']');
    }
}
