//! Types that are no aggregates, and what all types have in common.

use gimli::DwTag;
use gimli::constants::*;
use gimli::write::AttributeValue;
use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::nodes::DieNodeId;
use super::units::{Die, Writer};
use crate::{Encoding, Entry, Field, Flags, Kind, Qualifier};

/// The most steps from a type to what it is made of.
const MAX_STEPS: usize = 64;

impl<'w> Writer<'w> {
    /// Writes all that is declared.
    pub(super) fn declare(&mut self) {
        let (locals, others): (Vec<DieNodeId>, Vec<DieNodeId>) = (0..self.nodes.len())
            .filter(|&node| !self.nodes[node].is_alias)
            .partition(|&node| self.nodes[node].entry.kind() == Kind::LocalVariable);
        for node in others {
            self.declare_one(node);
        }
        self.declare_locals(locals);
        let info = self.info;
        for template in info.of_kind(Kind::TypeTemplate) {
            self.declare_template(template);
        }
    }

    /// Puts the DIE of a node where it belongs.
    pub(super) fn put(&mut self, node: DieNodeId, tag: DwTag) -> Die {
        let node = self.nodes[node];
        let parent = match node.parent {
            Some(parent) => self.nodes[parent].die,
            None => self.root(node.die.unit),
        };
        let unit = self.unit(node.die.unit);
        unit.add_reserved(node.die.entry, parent.entry, tag);
        node.die
    }

    fn declare_one(&mut self, node: DieNodeId) {
        let entry = self.nodes[node].entry;
        match entry.kind() {
            Kind::Function => {
                let die = self.put(node, DW_TAG_subprogram);
                self.declare_function(node, die);
            }
            Kind::FunctionDeclaration => {
                let die = self.put(node, DW_TAG_subprogram);
                self.declare_only(die, entry);
            }
            Kind::LexicalBlock => self.declare_block(node),
            Kind::ModuleINTEL => self.declare_module(node),
            Kind::ImportedEntity => self.declare_import(node),
            Kind::GlobalVariable => self.declare_global(node),
            Kind::TypeMember => self.declare_member(node),
            Kind::TypeInheritance => self.declare_base(node),
            Kind::TypeComposite => self.declare_composite(node),
            Kind::TypeEnum => self.declare_enumeration(node),
            _ => self.declare_type(node),
        }
    }

    fn declare_type(&mut self, node: DieNodeId) {
        let entry = self.nodes[node].entry;
        match entry.kind() {
            Kind::TypeBasic => self.declare_basic(node),
            Kind::TypePointer => {
                let flags = entry.flags();
                let tag = match () {
                    () if flags.contains(Flags::FlagLValueReference) => DW_TAG_reference_type,
                    () if flags.contains(Flags::FlagRValueReference) => {
                        DW_TAG_rvalue_reference_type
                    }
                    () => DW_TAG_pointer_type,
                };
                let die = self.put(node, tag);
                self.set_type(die, entry.base_type());
                self.set_number(die, DW_AT_byte_size, self.pointer_bytes());
                if let Some(class) = entry.storage_class() {
                    let class = DwAddr(class.0.into());
                    self.set(
                        die,
                        DW_AT_address_class,
                        AttributeValue::AddressClass(class),
                    );
                }
            }
            Kind::TypeQualifier => {
                let tag = match entry.qualifier() {
                    Some(Qualifier::VolatileType) => DW_TAG_volatile_type,
                    Some(Qualifier::RestrictType) => DW_TAG_restrict_type,
                    Some(Qualifier::AtomicType) if self.is_version_5() => DW_TAG_atomic_type,
                    _ => DW_TAG_const_type,
                };
                let die = self.put(node, tag);
                self.set_type(die, entry.base_type());
            }
            Kind::Typedef => {
                let die = self.put(node, DW_TAG_typedef);
                self.set_text(die, DW_AT_name, entry.id_of(Field::Name));
                self.set_declared(die, entry);
                self.set_type(die, entry.base_type());
            }
            Kind::TypeFunction => {
                let die = self.put(node, DW_TAG_subroutine_type);
                self.set_flag(die, DW_AT_prototyped);
                self.set_type(die, entry.entry(Field::ReturnType));
                self.add_parameters(die, Some(entry));
            }
            Kind::TypePtrToMember => {
                let die = self.put(node, DW_TAG_ptr_to_member_type);
                self.set_type(die, entry.base_type());
                let class = entry.entry(Field::Class);
                if let Some(class) = class.and_then(|class| self.type_die(class)) {
                    self.refer(die, DW_AT_containing_type, class);
                }
            }
            Kind::TypeCooperativeMatrixKHR => {
                // Where its elements are is not known.
                let die = self.put(node, DW_TAG_structure_type);
                let name = entry.type_text();
                self.set_string(die, DW_AT_name, &name);
                self.set_flag(die, DW_AT_declaration);
            }
            _ => self.declare_array(node),
        }
    }

    fn declare_basic(&mut self, node: DieNodeId) {
        let entry = self.nodes[node].entry;
        let size = entry.size_in_bits().unwrap_or(0);
        let encoding = entry.encoding();
        if size == 0 {
            let die = self.put(node, DW_TAG_unspecified_type);
            self.set_text(die, DW_AT_name, entry.id_of(Field::Name));
            return;
        }
        let die = self.put(node, DW_TAG_base_type);
        self.set_text(die, DW_AT_name, entry.id_of(Field::Name));
        let encoding = match encoding {
            Some(Encoding::Address) => DW_ATE_address,
            Some(Encoding::Boolean) => DW_ATE_boolean,
            Some(Encoding::Float) => DW_ATE_float,
            Some(Encoding::Signed) => DW_ATE_signed,
            Some(Encoding::SignedChar) => DW_ATE_signed_char,
            Some(Encoding::UnsignedChar) => DW_ATE_unsigned_char,
            _ => DW_ATE_unsigned,
        };
        self.set(die, DW_AT_encoding, AttributeValue::Encoding(encoding));
        self.set_number(die, DW_AT_byte_size, size.div_ceil(8));
        if !size.is_multiple_of(8) {
            self.set_number(die, DW_AT_bit_size, size);
        }
    }

    /// Whether DWARF of this version has a qualifier.
    pub(super) fn has_qualifier(&self, ty: Entry<'w>) -> bool {
        self.is_version_5() || ty.qualifier() != Some(Qualifier::AtomicType)
    }

    /// The DIE of a type; none of what is no type.
    pub(super) fn type_die(&self, ty: Entry<'w>) -> Option<Die> {
        let ty = self.resolve(ty);
        self.die_of(ty).filter(|_| ty.kind().is_type())
    }

    /// Tells the type of something; without an attribute it is void.
    pub(super) fn set_type(&mut self, die: Die, ty: Option<Entry<'w>>) {
        if let Some(ty) = ty.and_then(|ty| self.type_die(ty)) {
            self.refer(die, DW_AT_type, ty);
        }
    }

    pub(super) fn set_accessibility(&mut self, die: Die, flags: Flags) {
        // Public has the bits of both others.
        let accessibility = match flags.0 & Flags::FlagIsPublic.0 {
            0 => return,
            bits if bits == Flags::FlagIsProtected.0 => DW_ACCESS_protected,
            bits if bits == Flags::FlagIsPrivate.0 => DW_ACCESS_private,
            _ => DW_ACCESS_public,
        };
        let value = AttributeValue::Accessibility(accessibility);
        self.set(die, DW_AT_accessibility, value);
    }

    /// The type behind typedefs, qualifiers and templates.
    pub(super) fn strip(&self, ty: Entry<'w>) -> Entry<'w> {
        let mut ty = self.resolve(ty);
        for _ in 0..MAX_STEPS {
            let is_other_name = matches!(ty.kind(), Kind::Typedef | Kind::TypeQualifier);
            match ty.base_type().filter(|_| is_other_name) {
                Some(base) => ty = self.resolve(base),
                None => break,
            }
        }
        ty
    }

    /// The size of a type in bits, if it can be known.
    pub(super) fn size_of(&self, ty: Entry<'w>) -> Option<u64> {
        let mut ty = ty;
        let mut count = 1_u64;
        for _ in 0..MAX_STEPS {
            ty = self.strip(ty);
            let factor = match ty.kind() {
                Kind::TypePointer => return count.checked_mul(self.pointer_bytes() * 8),
                Kind::TypeArray => self.elements_of(ty)?,
                Kind::TypeVector | Kind::TypeVectorIdEXT | Kind::TypeMatrix => {
                    ty.component_count()?
                }
                _ => {
                    let size = self.own_size(ty)?;
                    return count.checked_mul(size);
                }
            };
            count = count.checked_mul(factor)?;
            ty = ty.base_type()?;
        }
        None
    }

    /// Whether the integers of a type have a sign; none of what is no integer.
    fn signedness(&self, ty: Option<Entry<'w>>) -> Option<bool> {
        let ty = self.strip(ty?);
        let ty = match ty.kind() {
            Kind::TypeEnum => self.strip(ty.base_type()?),
            _ => ty,
        };
        match ty.encoding()? {
            Encoding::Signed | Encoding::SignedChar => Some(true),
            Encoding::Unsigned | Encoding::UnsignedChar | Encoding::Boolean => Some(false),
            _ => None,
        }
    }

    /// The value of a constant of the module, as the value of something of a type.
    pub(super) fn constant_value(&self, id: Id, ty: Option<Entry<'w>>) -> Option<AttributeValue> {
        let constant = self.constant(id)?;
        let signed = self.signedness(ty);
        Some(match (constant.kind, signed) {
            (ConstantKind::Float, _) => AttributeValue::Block(constant.bytes()),
            (ConstantKind::Integer { .. }, Some(true)) => AttributeValue::Sdata(constant.signed()),
            // Without a type a constant is what its own type says, and as that has no
            // sign in many modules, what it looks like.
            (ConstantKind::Integer { .. }, None) => AttributeValue::Sdata(constant.signed()),
            _ => AttributeValue::Udata(constant.bits),
        })
    }

    /// A scalar constant of the module, of up to 64 bits.
    pub(super) fn constant(&self, id: Id) -> Option<Constant> {
        let instruction = self.info.definition(id)?;
        let &[_, ty, _, ..] = instruction.words() else {
            return None;
        };
        let ty = self.info.definition(Id(ty))?;
        let (kind, width) = match (ty.op(), ty.words()) {
            (Op::TypeInt, &[_, _, width, signed]) => {
                let is_signed = signed != 0;
                (ConstantKind::Integer { is_signed }, width)
            }
            (Op::TypeFloat, &[_, _, width, ..]) => (ConstantKind::Float, width),
            (Op::TypeBool, _) => (ConstantKind::Boolean, 8),
            _ => return None,
        };
        let bits = match instruction.op() {
            Op::ConstantTrue => 1,
            Op::ConstantFalse => 0,
            _ => self.info.constant(id)?,
        };
        if !(1..=64).contains(&width) {
            return None;
        }
        Some(Constant {
            kind,
            width,
            bits: bits & (u64::MAX >> (64 - width)),
        })
    }
}

/// What kind of scalar a constant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConstantKind {
    Integer { is_signed: bool },
    Float,
    Boolean,
}

/// A scalar constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Constant {
    pub(super) kind: ConstantKind,
    pub(super) width: u32,
    /// Its bits, without any above its width.
    pub(super) bits: u64,
}

impl Constant {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let count = self.width.div_ceil(8) as usize;
        self.bits.to_le_bytes().into_iter().take(count).collect()
    }

    /// The number that its bits are in two's complement.
    pub(super) fn signed(&self) -> i64 {
        let unused = 64 - self.width;
        ((self.bits << unused) as i64) >> unused
    }
}
