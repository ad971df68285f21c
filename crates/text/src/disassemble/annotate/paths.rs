//! Where access chains lead, as `lights[3].color`.

use std::fmt::Write as _;

use spirvkit_analysis::index::Inst;
use spirvkit_analysis::{Lookup, Type};
use spirvkit_binary::Id;
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
    pub(super) fn path(&self, out: &mut String, inst: Inst<'_>, names: &Names) {
        let words = inst.words();
        let Some(shape) = shape(inst.op()) else {
            return;
        };
        let word = |index: usize| words.get(index).copied().map(Id);
        let Some(base) = word(shape.base) else { return };
        self.mention(out, base, names);
        if let Some(element) = shape.element.and_then(word) {
            self.bracket(out, Index::Value(element), names);
        }
        let of_base = || {
            let ty = self.index.type_of(base)?;
            match shape.is_literal {
                true => Some(ty),
                false => self.index.pointee(ty),
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

    /// Writes a step into a composite of this type. Returns the type it leads to.
    fn step(&self, out: &mut String, ty: Option<Id>, index: Index, names: &Names) -> Option<Id> {
        let number = match index {
            Index::Literal(number) => Some(number),
            Index::Value(id) => self.index.constant_u64(id).map(|bits| bits as u32),
        };
        let composite = ty.map_or(Type::None, |ty| self.index.ty(ty));
        let component = number.and_then(|number| "xyzw".get(number as usize..)?.chars().next());
        match (composite, number, component) {
            (Type::Struct { members }, Some(number), _) => {
                self.push_member(out, ty?, number);
                return members.get(number as usize).map(|&ty| Id(ty));
            }
            (Type::Vector { .. }, _, Some(component)) => {
                let _ = write!(out, ".{component}");
            }
            _ => self.bracket(out, index, names),
        }
        match composite {
            Type::Array { element, .. } | Type::RuntimeArray { element } => Some(element),
            Type::Vector { component, .. } => Some(component),
            Type::Matrix { column, .. } => Some(column),
            _ => None,
        }
    }

    fn bracket(&self, out: &mut String, index: Index, names: &Names) {
        out.push('[');
        match index {
            Index::Literal(number) => {
                let _ = write!(out, "{number}");
            }
            Index::Value(id) => self.count(out, id, names),
        }
        out.push(']');
    }
}
