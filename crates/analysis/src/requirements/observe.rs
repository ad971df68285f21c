//! Sees in a module what the tables beside this file are about.

use spirvkit_binary::{Definitions, Id, IdMap, Instruction, Value};
use spirvkit_grammar::{
    BuiltIn, Capability as C, Decoration, Dim, ImageFormat, Op, OperandKind, StorageClass,
};

use super::tables::*;
use super::{Collector, Subject};
use crate::Capabilities;

/// What is recorded of types: what they are or hold.
mod flag {
    pub(super) const INT8: u16 = 1;
    pub(super) const INT16: u16 = 2;
    pub(super) const FLOAT16: u16 = 4;
    /// Numbers that may only be stored, unless a capability says more.
    pub(super) const SMALL: u16 = INT8 | INT16 | FLOAT16;
    /// What composites have if their parts have it.
    pub(super) const PASSED_ON: u16 = SMALL | RESOURCE | STRUCTURE | VARIABLE_POINTER;
    /// An image, a sampler, or the like.
    pub(super) const RESOURCE: u16 = 8;
    pub(super) const STRUCTURE: u16 = 16;
    /// A pointer that may be a variable pointer.
    pub(super) const VARIABLE_POINTER: u16 = 32;
    pub(super) const POINTER: u16 = 64;
}

/// Sees what the tables don't.
pub(super) struct Observer {
    /// [Flags](flag) of types.
    types: IdMap<u16>,
    /// The values of constants, which may be scopes.
    constants: IdMap<Option<u32>>,
    /// Whether a capability is declared that a scope may rest on.
    has_scope_rule: bool,
    is_shader: bool,
    has_small: bool,
    has_int64: bool,
    has_unformatted: bool,
    has_entry_point: bool,
}

impl Observer {
    pub(super) fn new(words: usize, declared: &Capabilities) -> Self {
        let mut scope_rules = SCOPES.iter().flat_map(|row| row.1);
        Self {
            types: IdMap::new(0, words),
            constants: IdMap::new(None, words),
            has_scope_rule: scope_rules.any(|&each| declared.contains(each)),
            is_shader: declared.contains(C::Shader),
            has_small: false,
            has_int64: false,
            has_unformatted: false,
            has_entry_point: false,
        }
    }

    /// Looks at an instruction that the definitions know.
    pub(super) fn instruction(
        &mut self,
        instruction: &Instruction<'_>,
        definitions: &Definitions,
        to: &mut Collector,
    ) {
        let op = instruction.op();
        match (op, instruction.words()) {
            (op, _) if op.is_entry_point() => self.has_entry_point = true,
            (Op::Decorate, &[_, _, decoration, value, ..])
            | (Op::MemberDecorate, &[_, _, _, decoration, value, ..]) => {
                match Decoration(decoration) {
                    Decoration::FPRoundingMode => to.hold(ROUNDED_STORES),
                    Decoration::BuiltIn if BuiltIn(value) == BuiltIn::PointSize => {
                        to.hold(POINT_SIZES);
                    }
                    _ => {}
                }
            }
            (Op::Constant, &[_, _, result, value, ..]) => {
                self.constants.replace(Id(result), Some(value));
            }
            (Op::ImageRead | Op::ImageSparseRead, _) if self.has_unformatted => {
                to.hold(UNFORMATTED_READS);
            }
            (Op::ImageWrite, _) if self.has_unformatted => to.hold(UNFORMATTED_WRITES),
            // A vector of one component is made of one.
            (Op::CompositeConstruct, &[_, _, _, _]) => to.hold(ODD_VECTORS),
            (Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff, _) => to.hold(VARIABLE_POINTERS),
            (Op::AtomicFAddEXT | Op::AtomicFMinEXT | Op::AtomicFMaxEXT, _) => {
                let ty = instruction.result_type();
                let number = ty.and_then(|ty| definitions.number_type(ty));
                let row = number
                    .and_then(|number| ATOMIC_FLOATS.iter().find(|row| row.0 == number.width()));
                to.hold(row.map_or(ATOMIC_FLOAT_VECTORS, |row| row.1));
            }
            _ => {}
        }
        match op {
            _ if op.is_type() => self.declaration(instruction, to),
            _ if op.is_atomic() && self.has_int64 => to.hold(ATOMIC_INTEGERS),
            _ => {}
        }
        if let Some(row) = INSTRUCTIONS.iter().find(|row| row.0.contains(&op)) {
            to.hold(row.1);
        }
        if let Some(ty) = instruction.result_type()
            && self.types.get(ty) & flag::VARIABLE_POINTER != 0
            && !is_plain_pointer(op)
        {
            to.hold(VARIABLE_POINTERS);
        }
        if self.has_small && !only_stores(op) {
            self.small_values(instruction, definitions, to);
        }
        if self.has_scope_rule {
            self.scopes(instruction, definitions, to);
        }
    }

    /// Holds what the scopes of an instruction may rest on.
    fn scopes(&self, instruction: &Instruction<'_>, definitions: &Definitions, to: &mut Collector) {
        let operands = instruction.operands(definitions).map_while(Result::ok);
        for operand in operands.filter(|operand| operand.kind == OperandKind::IdScope) {
            let Value::Id(id) = operand.value else {
                continue;
            };
            let value = self.constants.get(id);
            let rows = SCOPES.iter();
            // What is specialized may be any.
            for row in rows.filter(|row| value.is_none_or(|value| value == row.0.0)) {
                to.hold(row.1);
            }
        }
    }

    /// What is known only at the end.
    pub(super) fn finish(&self, to: &mut Collector) {
        if !self.has_entry_point {
            to.need(Subject::Library, &[C::Linkage, C::GraphARM], &[]);
        }
    }

    fn declaration(&mut self, instruction: &Instruction<'_>, to: &mut Collector) {
        let op = instruction.op();
        let Some(result) = instruction.result() else {
            return;
        };
        let operands = instruction.words().get(2..).unwrap_or_default();
        let flags = match (op, operands) {
            (Op::TypeInt, &[bits, _]) | (Op::TypeFloat, &[bits]) => self.number(op, bits, to),
            (Op::TypeVector, &[component, count]) => self.vector(Id(component), count, to),
            (Op::TypeArray | Op::TypeRuntimeArray, &[element, ..]) => {
                let flags = self.types.get(Id(element)) & flag::PASSED_ON;
                if flags & flag::STRUCTURE != 0 {
                    to.hold(INDEXED_BLOCKS);
                }
                if flags & flag::RESOURCE != 0 {
                    to.hold(INDEXED_RESOURCES);
                }
                if op == Op::TypeRuntimeArray && flags & (flag::STRUCTURE | flag::RESOURCE) != 0 {
                    to.hold(UNSIZED_RESOURCES);
                }
                flags
            }
            (Op::TypeStruct, members) => {
                let flags = members.iter().map(|&member| self.types.get(Id(member)));
                flags.fold(flag::STRUCTURE, |all, flags| all | flags & flag::PASSED_ON)
            }
            (Op::TypePointer, &[class, pointee]) => {
                self.pointer(StorageClass(class), self.types.get(Id(pointee)), to)
            }
            (Op::TypeUntypedPointerKHR, &[class]) => {
                self.pointer(StorageClass(class), flag::SMALL, to)
            }
            (Op::TypeImage, &[_, dim, _, arrayed, multisampled, sampled, format, ..]) => {
                let is_stored = match sampled {
                    1 => Some(false),
                    2 => Some(true),
                    _ => None,
                };
                if ImageFormat(format) == ImageFormat::Unknown
                    && sampled != 1
                    && Dim(dim) != Dim::SubpassData
                {
                    self.has_unformatted = true;
                }
                for row in IMAGES {
                    let fits = row.dim.is_none_or(|wanted| wanted == Dim(dim))
                        && row.arrayed.is_none_or(|wanted| wanted == (arrayed != 0))
                        && row
                            .multisampled
                            .is_none_or(|wanted| wanted == (multisampled != 0))
                        && (row.stored.is_none() || is_stored.is_none() || row.stored == is_stored);
                    if fits {
                        to.hold(row.capabilities);
                    }
                }
                flag::RESOURCE
            }
            (
                Op::TypeSampler
                | Op::TypeSampledImage
                | Op::TypeAccelerationStructureKHR
                | Op::TypeTensorARM
                | Op::TypeBufferEXT,
                _,
            ) => flag::RESOURCE,
            // Matrices, cooperative matrices, and whatever else has parts.
            (_, &[part, ..]) => self.types.get(Id(part)) & flag::SMALL,
            _ => 0,
        };
        self.types.replace(result, flags);
    }

    fn number(&mut self, op: Op, bits: u32, to: &mut Collector) -> u16 {
        let what = match op {
            Op::TypeInt => Subject::IntegerWidth(bits),
            _ => Subject::FloatWidth(bits),
        };
        let row = WIDTHS.iter().find(|row| row.op == op && row.bits == bits);
        let first = bits != 32 && to.is_first(what);
        match row {
            Some(row) if first => to.need(what, row.capabilities, row.freed_by),
            None if first && op == Op::TypeInt => {
                to.need(what, &[C::ArbitraryPrecisionIntegersALTERA], &[]);
            }
            _ => {}
        }
        let flags = match (op, bits) {
            (Op::TypeInt, 8) => flag::INT8,
            (Op::TypeInt, 16) => flag::INT16,
            (Op::TypeFloat, 16) => flag::FLOAT16,
            _ => 0,
        };
        self.has_int64 |= (op, bits) == (Op::TypeInt, 64);
        self.has_small |= flags != 0;
        // Only shaders distinguish storing from calculating.
        if !self.is_shader {
            hold_calculation(flags, to);
        }
        flags
    }

    fn vector(&self, component: Id, count: u32, to: &mut Collector) -> u16 {
        let what = Subject::VectorSize(count);
        let capabilities = match count {
            2..=4 => &[],
            8 | 16 => WIDE_VECTORS,
            _ => ODD_VECTORS,
        };
        if !capabilities.is_empty() && to.is_first(what) {
            to.need(what, capabilities, &[]);
        }
        let flags = self.types.get(component);
        if flags & flag::POINTER != 0 {
            to.hold(POINTER_VECTORS);
        }
        flags & flag::SMALL
    }

    /// A type of pointers to something with these flags.
    fn pointer(&self, class: StorageClass, pointee: u16, to: &mut Collector) -> u16 {
        let may_vary = matches!(class, StorageClass::StorageBuffer | StorageClass::Workgroup);
        if class == StorageClass::Workgroup {
            to.hold(SHARED_BLOCKS);
        }
        if pointee & flag::VARIABLE_POINTER != 0 {
            to.hold(VARIABLE_POINTERS);
        }
        let mut is_listed = false;
        for (_, bits, capabilities) in STORAGE.iter().filter(|row| row.0 == class) {
            is_listed = true;
            let held = match bits {
                8 => flag::INT8,
                _ => flag::INT16 | flag::FLOAT16,
            };
            if pointee & held != 0 {
                to.hold(capabilities);
            }
        }
        if !is_listed {
            hold_calculation(pointee, to);
        }
        flag::POINTER | if may_vary { flag::VARIABLE_POINTER } else { 0 }
    }

    /// Values of 8 and 16 bits that aren't only stored.
    fn small_values(
        &self,
        instruction: &Instruction<'_>,
        definitions: &Definitions,
        to: &mut Collector,
    ) {
        if instruction.op().is_copy_memory() {
            return hold_calculation(flag::SMALL, to);
        }
        let made = instruction.result_type();
        let mut flags = made.map_or(0, |ty| self.types.get(ty));
        for operand in instruction.operands(definitions).map_while(Result::ok) {
            if let Value::Id(id) = operand.value
                && let Some(ty) = definitions.type_of(id)
            {
                flags |= self.types.get(ty);
            }
        }
        hold_calculation(flags, to);
    }
}

fn hold_calculation(flags: u16, to: &mut Collector) {
    let kinds = [
        (flag::INT8, &[C::Int8][..]),
        (flag::INT16, &[C::Int16]),
        (flag::FLOAT16, &[C::Float16, C::Float16Buffer]),
    ];
    for (kind, capabilities) in kinds {
        if flags & kind != 0 {
            to.hold(capabilities);
        }
    }
}

/// What the capabilities for 8- and 16-bit storage alone let be done with such
/// values, as an instruction, or says nothing about values.
fn only_stores(op: Op) -> bool {
    matches!(
        op,
        Op::Load
            | Op::Store
            | Op::CopyObject
            | Op::FConvert
            | Op::SConvert
            | Op::UConvert
            | Op::Name
            | Op::Decorate
            | Op::DecorateId
            | Op::DecorateString
            | Op::GroupDecorate
            | Op::EntryPoint
    )
}

/// Whether a pointer that the instruction makes points to a part of what its base
/// points to, or is a variable.
fn is_plain_pointer(op: Op) -> bool {
    matches!(
        op,
        Op::Variable
            | Op::UntypedVariableKHR
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::CopyObject
    )
}
