//! Arrays of descriptors: buffers, images and samplers that one variable stands for. They lie
//! in nothing: each is an object, and an index goes from one to another. Arrays of arrays are
//! numbered as if they were one.

use spirvkit_analysis::{Lookup, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::StorageClass;

use super::{Lowering, Result, Value};
use crate::program::{Address, Binary, Inst, NO_REG, Object, Reg};

/// How many descriptors a variable may stand for.
const MAX_DESCRIPTORS: u32 = 1 << 16;

/// How many arrays may be in each other.
const MAX_NESTED: u32 = 16;

/// The descriptors that a variable stands for.
pub(super) struct Descriptors {
    /// What is in each: a block, an image, a sampler.
    pub(super) ty: Id,
    /// How many there are.
    pub(super) count: u32,
    /// How many elements the array has, if only the run says it.
    pub(super) outer: Option<u32>,
}

impl Lowering<'_, '_> {
    /// Whether a type is an array of descriptors, where pointers have this storage class.
    pub(super) fn is_descriptors(&self, class: StorageClass, ty: Id) -> bool {
        if !self.is_array(ty) {
            return false;
        }
        let inner = self.innermost(ty);
        match class {
            StorageClass::StorageBuffer | StorageClass::Uniform => self.m.is_block(inner),
            StorageClass::UniformConstant => self.is_resource(inner),
            _ => false,
        }
    }

    /// What is in arrays of arrays.
    pub(super) fn innermost(&self, ty: Id) -> Id {
        let mut inner = ty;
        for _ in 0..MAX_NESTED {
            match self.m.ty(inner) {
                Type::Array { element, .. } | Type::RuntimeArray { element } => inner = element,
                _ => break,
            }
        }
        inner
    }

    /// The descriptors of a variable of this type, whose set and binding are given.
    pub(super) fn descriptors(
        &self,
        class: StorageClass,
        pointee: Id,
        place: (u32, u32),
    ) -> Result<Descriptors> {
        let ty = self.innermost(pointee);
        if self.is_array(ty) {
            return Err(self.unsupported("arrays in more than 16 others"));
        }
        if !self.is_descriptors(class, pointee) {
            return Ok(Descriptors {
                ty: pointee,
                count: 1,
                outer: None,
            });
        }
        let (count, outer) = match self.m.ty(pointee) {
            Type::RuntimeArray { element } => {
                let given = self.surroundings.descriptors.get(&place);
                let each = self.descriptors_in(element)?.max(1);
                let outer = given.copied().unwrap_or(1).div_ceil(each);
                (outer.saturating_mul(each), Some(outer))
            }
            _ => (self.descriptors_in(pointee)?, None),
        };
        match count <= MAX_DESCRIPTORS {
            true => Ok(Descriptors { ty, count, outer }),
            false => Err(self.unsupported("an array of more than 65,536 descriptors")),
        }
    }

    /// Notes how many elements a variable has that is sized by the run.
    pub(super) fn note_descriptors(&mut self, variable: Id, outer: Option<u32>) {
        if let Some(Value::Pointer(pointer)) = self.values.get_mut(&variable.0) {
            pointer.descriptors = outer;
        }
    }

    /// How many descriptors a type stands for: one, or all in arrays of arrays, of which there
    /// are few.
    fn descriptors_in(&self, ty: Id) -> Result<u32> {
        let (mut count, mut inner) = (1u32, ty);
        while let Type::Array { element, length } = self.m.ty(inner) {
            count = count.saturating_mul(self.length(length)?);
            inner = element;
            if count > MAX_DESCRIPTORS {
                break;
            }
        }
        match self.m.ty(inner) {
            Type::RuntimeArray { .. } => {
                Err(self.broken("an array of arrays whose sizes are not known"))
            }
            _ => Ok(count),
        }
    }

    fn length(&self, constant: Id) -> Result<u32> {
        match self.m.constant_u64(constant) {
            Some(length) => Ok(u32::try_from(length).unwrap_or(u32::MAX)),
            None => Err(self.unsupported("an array whose length is not a constant")),
        }
    }

    /// One index further into an array of descriptors, of which the run has sized so many: where
    /// that leads, and what is there. Beyond the last, it leads to no object.
    pub(super) fn descriptor(
        &mut self,
        from: Address,
        array: Id,
        sized: Option<u32>,
        index: Id,
    ) -> Result<(Address, Id)> {
        let (element, count) = match (self.m.ty(array), sized) {
            (Type::Array { element, length }, _) => (element, self.length(length)?),
            (Type::RuntimeArray { element }, Some(count)) => (element, count),
            _ => {
                let what = "a pointer to a runtime array of descriptors as a value";
                return Err(self.unsupported(what));
            }
        };
        let each = self.descriptors_in(element)?;
        let constant = self.m.constant_u64(index);
        let is_inside = constant.is_some_and(|index| index < count.into());
        if !is_inside {
            self.check_index(index, count.into())?;
        }
        let object = match (from.object, constant) {
            (Object::Known(0), _) => Object::Known(0),
            (_, Some(_)) if !is_inside => Object::Known(0),
            (Object::Known(first), Some(index)) => {
                Object::Known(first.saturating_add((index as u32).saturating_mul(each)))
            }
            (base, _) => Object::Column(self.further_object(base, index, count, each)?),
        };
        Ok((Address { object, ..from }, element))
    }

    /// The number of an object so many strides further; zero beyond the last.
    fn further_object(&mut self, from: Object, index: Id, count: u32, stride: u32) -> Result<Reg> {
        let index = self.sign_extended(index)?;
        let (zero, count) = (self.word(0), self.word(count));
        let mut is_inside = self.binary(Binary::ULess, index[0], count)?;
        if index[1] != NO_REG {
            let is_small = self.binary(Binary::IEqual, index[1], zero)?;
            is_inside = self.binary(Binary::And, is_inside, is_small)?;
        }
        let base = match from {
            Object::Known(first) => self.word(first),
            Object::Column(first) => {
                let is_any = self.binary(Binary::INotEqual, first, zero)?;
                is_inside = self.binary(Binary::And, is_inside, is_any)?;
                first
            }
        };
        let to = self.column()?;
        self.emit(Inst::Offset {
            to,
            base,
            index,
            stride,
        });
        self.chosen(is_inside, to, zero)
    }
}
