//! Descriptions of a module's own types.

use std::collections::HashMap;

use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, Op};
use spirvkit_ir::{Inst, Lookup, Module};

use super::Converter;
use super::minimal::Names;
use crate::build::{Draft, EncodeError, Operand, Target as _};
use crate::{Encoding, Field, Flags, Kind, Set, Tag};

/// The descriptions of types, by their ids.
#[derive(Debug, Default)]
pub(super) struct Types {
    described: HashMap<u32, Id>,
}

impl Types {
    pub(super) fn get(&self, ty: Id) -> Option<Id> {
        self.described.get(&ty.0).copied()
    }
}

/// How types are laid out in memory, in bits.
#[derive(Debug, Default)]
struct Layout {
    sizes: HashMap<u32, u64>,
    /// Offsets of members in bytes.
    offsets: HashMap<(u32, u32), u32>,
    /// The distance of elements in bytes.
    strides: HashMap<u32, u32>,
}

/// What a boolean and a pointer take, as there is no rule about it.
const BOOL_BITS: u64 = 32;
const POINTER_BITS: u64 = 64;

impl Layout {
    fn of(module: &Module) -> Self {
        let mut layout = Self::default();
        for inst in module.globals() {
            let op = module.op(inst);
            match *module.get(inst).words() {
                [_, ty, decoration, stride]
                    if op == Op::Decorate && decoration == Decoration::ArrayStride.0 =>
                {
                    layout.strides.insert(ty, stride);
                }
                [_, ty, member, decoration, offset]
                    if op == Op::MemberDecorate && decoration == Decoration::Offset.0 =>
                {
                    layout.offsets.insert((ty, member), offset);
                }
                _ if op.is_type() => layout.measure(module, inst),
                _ => {}
            }
        }
        layout
    }

    /// Finds the size of a type, whose parts come before it.
    fn measure(&mut self, module: &Module, inst: Inst) {
        let words = module.get(inst).words();
        let size = match (module.op(inst), words) {
            (Op::TypeBool, _) => BOOL_BITS,
            (Op::TypeInt | Op::TypeFloat, &[_, _, width, ..]) => u64::from(width),
            (Op::TypeVector | Op::TypeMatrix, &[_, _, part, count]) => {
                self.size(part).saturating_mul(u64::from(count))
            }
            (Op::TypeArray, &[_, id, element, length]) => {
                let stride = self.strides.get(&id).map(|&stride| u64::from(stride) * 8);
                let element = stride.unwrap_or_else(|| self.size(element));
                let length = module.default_u64(Id(length)).unwrap_or_default();
                element.saturating_mul(length)
            }
            (Op::TypePointer, _) => POINTER_BITS,
            (Op::TypeStruct, [_, id, members @ ..]) => {
                let ends = members.iter().zip(0..).scan(0, |next, (&member, index)| {
                    let start = self.offset(*id, index).unwrap_or(*next);
                    *next = start.saturating_add(self.size(member));
                    Some(*next)
                });
                ends.max().unwrap_or_default()
            }
            _ => 0,
        };
        if let Some(&id) = words.get(1) {
            self.sizes.insert(id, size);
        }
    }

    fn size(&self, ty: u32) -> u64 {
        self.sizes.get(&ty).copied().unwrap_or_default()
    }

    /// The offset of a member in bits, if it is said.
    fn offset(&self, ty: u32, member: u32) -> Option<u64> {
        let offset = self.offsets.get(&(ty, member))?;
        Some(u64::from(*offset) * 8)
    }
}

/// What a pointer type points to; another type itself.
pub(super) fn pointee(module: &Module, ty: Id) -> Id {
    module.pointee(ty).unwrap_or(ty)
}

/// The types that functions and variables are of, in the module's order, with what those
/// are made of.
fn wanted(module: &Module) -> Vec<Inst> {
    let mut is_wanted = module.id_table(false);
    let mut left = Vec::new();
    for inst in module.instructions() {
        let ty = match module.op(inst) {
            // A variable is described by what it holds.
            Op::Variable => module.result_type(inst).map(|ty| pointee(module, ty)),
            Op::FunctionParameter => module.result_type(inst),
            Op::Function => module.get(inst).words().get(4).map(|&ty| Id(ty)),
            _ => None,
        };
        left.extend(ty);
        while let Some(ty) = left.pop() {
            let Some(declaration) = module.definition(ty) else {
                continue;
            };
            let is_type = module.op(declaration).is_type();
            if is_type && !std::mem::replace(is_wanted.slot(ty), true) {
                module.each_use(declaration, |_, id| left.push(id));
            }
        }
    }
    let globals = module.globals();
    let types = globals.filter(|&inst| module.result(inst).is_some_and(|id| is_wanted.get(id)));
    types.collect()
}

impl Converter<'_, '_> {
    /// Describes the types of functions and variables.
    pub(super) fn describe_types(
        &mut self,
        names: &Names,
        source: Id,
        unit: Id,
    ) -> Result<Types, EncodeError> {
        let layout = Layout::of(self.module);
        let wanted = wanted(self.module);
        let mut types = Types::default();
        for &inst in &wanted {
            // A function without result has the type void itself.
            if self.module.op(inst) != Op::TypeVoid
                && let Some(ty) = self.module.result(inst)
            {
                types.described.insert(ty.0, self.module.fresh_id());
            }
        }
        for inst in wanted {
            let Some(ty) = self.module.result(inst) else {
                continue;
            };
            let Some(id) = types.get(ty) else { continue };
            let draft = self.describe_type(names, &layout, &types, inst)?;
            let declared = |draft: Draft| {
                draft
                    .with(Field::Source, source)
                    .with(Field::Parent, unit)
                    .with(Field::Flags, Flags::FlagIsPublic.0)
            };
            let draft = match draft {
                Some(draft) if draft.kind() == Kind::TypeComposite => {
                    let members = self.describe_members(names, &layout, &types, inst, source)?;
                    declared(draft).with(Field::Members, members.as_slice())
                }
                Some(draft) => draft,
                // What can't be looked into.
                None => {
                    let op = self.module.op(inst).to_string();
                    let name = op.strip_prefix("OpType").unwrap_or(&op).to_lowercase();
                    let none = self.none()?;
                    declared(Draft::new(Kind::TypeComposite))
                        .with(Field::Name, format!("@{name}").as_str())
                        .with(Field::Tag, Tag::Structure.0)
                        .with(Field::Size, none)
                }
            };
            self.encoder.add(self.module, Some(id), &draft)?;
        }
        Ok(types)
    }

    /// The description of a type, as far as it is no opaque one.
    fn describe_type(
        &mut self,
        names: &Names,
        layout: &Layout,
        types: &Types,
        inst: Inst,
    ) -> Result<Option<Draft>, EncodeError> {
        let words = self.module.get(inst).words().to_vec();
        let basic = |name: &str, encoding: Encoding, bits: u64| {
            Draft::new(Kind::TypeBasic)
                .with(Field::Name, name)
                .with(Field::Size, bits)
                .with(Field::Encoding, encoding.0)
        };
        let op = self.module.op(inst);
        Ok(Some(match (op, words.as_slice()) {
            (Op::TypeBool, _) => basic("bool", Encoding::Boolean, BOOL_BITS),
            (Op::TypeInt, &[_, _, width, sign]) => {
                let (name, encoding) = match (width, sign) {
                    (32, 0) => ("uint".to_owned(), Encoding::Unsigned),
                    (32, _) => ("int".to_owned(), Encoding::Signed),
                    (_, 0) => (format!("uint{width}_t"), Encoding::Unsigned),
                    _ => (format!("int{width}_t"), Encoding::Signed),
                };
                basic(&name, encoding, u64::from(width))
            }
            (Op::TypeFloat, &[_, _, width, ref format @ ..]) => {
                let name = match (width, format) {
                    (32, []) => "float".to_owned(),
                    (64, []) => "double".to_owned(),
                    (_, []) => format!("float{width}_t"),
                    (16, _) => "bfloat16_t".to_owned(),
                    _ => format!("minifloat{width}_t"),
                };
                basic(&name, Encoding::Float, u64::from(width))
            }
            (Op::TypeVector, &[_, _, component, count])
                if self.to.takes_components(u64::from(count)) =>
            {
                Draft::new(Kind::TypeVector)
                    .with(Field::BaseType, self.part(types, component)?)
                    .with(Field::ComponentCount, count)
            }
            (Op::TypeMatrix, &[_, _, column, count]) if self.to == Set::Shader => {
                let is_column_major = self.constant_true()?;
                Draft::new(Kind::TypeMatrix)
                    .with(Field::VectorType, self.part(types, column)?)
                    .with(Field::VectorCount, count)
                    .with(Field::ColumnMajor, is_column_major)
            }
            (Op::TypeVector | Op::TypeMatrix, &[_, _, part, count]) => {
                let part = self.part(types, part)?;
                array(part, self.number_id(count)?)
            }
            (Op::TypeArray, &[_, _, element, length]) => {
                let element = self.part(types, element)?;
                array(element, self.array_length(Id(length))?)
            }
            (Op::TypeRuntimeArray, &[_, _, element]) => {
                // 0 is a length that isn't known, but one set refuses it.
                let length = u32::from(self.to == Set::OpenCl100);
                let element = self.part(types, element)?;
                array(element, self.number_id(length)?)
            }
            (Op::TypeStruct, &[_, id, ..]) => Draft::new(Kind::TypeComposite)
                .with(Field::Name, names.get(Id(id)))
                .with(Field::LinkageName, names.get(Id(id)))
                .with(Field::Tag, Tag::Structure.0)
                .with(Field::Size, self.bits_id(layout.size(id))?),
            (Op::TypePointer, &[_, _, class, pointee]) => Draft::new(Kind::TypePointer)
                .with(Field::BaseType, self.part(types, pointee)?)
                .with(Field::StorageClass, class),
            (Op::TypeFunction, &[_, _, result, ref parameters @ ..]) => {
                let result = types.get(Id(result)).unwrap_or(Id(result));
                let mut all = Vec::new();
                for &parameter in parameters {
                    all.push(self.part(types, parameter)?);
                }
                Draft::new(Kind::TypeFunction)
                    .with(Field::ReturnType, result)
                    .with(Field::ParameterTypes, all.as_slice())
            }
            _ => return Ok(None),
        }))
    }

    /// The description of a part of a type.
    fn part(&mut self, types: &Types, ty: u32) -> Result<Id, EncodeError> {
        match types.get(Id(ty)) {
            Some(ty) => Ok(ty),
            None => self.void_type(),
        }
    }

    fn describe_members(
        &mut self,
        names: &Names,
        layout: &Layout,
        types: &Types,
        inst: Inst,
        source: Id,
    ) -> Result<Vec<Id>, EncodeError> {
        let words = self.module.get(inst).words().to_vec();
        let [_, id, ref members @ ..] = words[..] else {
            return Ok(Vec::new());
        };
        let composite = types.get(Id(id)).unwrap_or(Id(0));
        let mut described = Vec::new();
        let mut next = 0;
        for (&ty, index) in members.iter().zip(0..) {
            let offset = layout.offset(id, index).unwrap_or(next);
            let size = layout.size(ty);
            next = offset.saturating_add(size);
            let member = Draft::new(Kind::TypeMember)
                .with(Field::Name, names.member(Id(id), index))
                .with(Field::Type, self.part(types, ty)?)
                .with(Field::Source, source)
                .with(Field::Offset, self.bits_id(offset)?)
                .with(Field::Size, self.bits_id(size)?)
                .with(Field::Flags, Flags::FlagIsPublic.0);
            described.push(self.add(&match self.to {
                Set::Shader => member,
                _ => member.with(Field::Parent, composite),
            })?);
        }
        Ok(described)
    }

    /// A number of bits. What takes more than 32 bits is given as the most that
    /// doesn't.
    fn bits_id(&mut self, bits: u64) -> Result<Operand, EncodeError> {
        let bits = u32::try_from(bits).unwrap_or(u32::MAX);
        Ok(Operand::Id(self.number_id(bits)?))
    }

    /// The length of an array, as the target takes it.
    fn array_length(&mut self, length: Id) -> Result<Id, EncodeError> {
        let inst = self.module.definition(length);
        let is_constant = inst.map(|inst| self.module.op(inst)) == Some(Op::Constant);
        if is_constant || self.to == Set::Shader {
            return Ok(length);
        }
        let value = (&*self.module).default_u64(length).unwrap_or_default();
        self.number_id(u32::try_from(value).unwrap_or(u32::MAX).max(1))
    }

    /// `OpConstantTrue`, for matrices of columns.
    fn constant_true(&mut self) -> Result<Id, EncodeError> {
        if let Some(id) = self.stopgaps.constant_true {
            return Ok(id);
        }
        let first = |op: Op| {
            let mut globals = self.module.globals();
            let inst = globals.find(|&inst| self.module.op(inst) == op);
            inst.and_then(|inst| self.module.result(inst))
        };
        let (known, boolean) = (first(Op::ConstantTrue), first(Op::TypeBool));
        let id = match (known, boolean) {
            (Some(id), _) => id,
            (None, Some(ty)) => self.module.declare(None, Op::ConstantTrue, Some(ty), &[])?,
            (None, None) => {
                let ty = self.module.declare(None, Op::TypeBool, None, &[])?;
                self.module.declare(None, Op::ConstantTrue, Some(ty), &[])?
            }
        };
        Ok(*self.stopgaps.constant_true.insert(id))
    }
}

fn array(element: Id, length: Id) -> Draft {
    Draft::new(Kind::TypeArray)
        .with(Field::BaseType, element)
        .with(Field::ComponentCounts, [length].as_slice())
}
