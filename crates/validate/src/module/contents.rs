//! What types hold, at any depth.

use hashbrown::HashMap;
use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, FPEncoding, Op, StorageClass};

use super::{Lookup, Module, Type};

/// What a type is or holds that some rule asks for; not behind pointers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    kinds: u32,
    /// The size of the largest number or pointer, in bytes.
    pub(crate) largest_scalar: u32,
}

impl Contents {
    pub(crate) const BOOLEAN: u32 = 1;
    pub(crate) const INT8: u32 = 1 << 1;
    pub(crate) const INT16: u32 = 1 << 2;
    pub(crate) const MATRIX: u32 = 1 << 3;
    /// IEEE 754 floats of 16 bits.
    pub(crate) const FLOAT16: u32 = 1 << 4;
    /// Floats of 4 or 6 bits.
    pub(crate) const TINY_FLOAT: u32 = 1 << 5;
    /// Floats of 8 bits or less that are encoded in other ways than IEEE 754's.
    pub(crate) const SMALL_ENCODED_FLOAT: u32 = 1 << 6;
    /// Cooperative matrices and vectors.
    pub(crate) const COOPERATIVE: u32 = 1 << 7;
    /// Vectors of more than four components, or of nobody knows how many.
    pub(crate) const LONG_VECTOR: u32 = 1 << 8;
    /// Vectors whose length specialization says.
    pub(crate) const SPECIALIZED_VECTOR: u32 = 1 << 9;
    pub(crate) const RUNTIME_ARRAY: u32 = 1 << 10;
    pub(crate) const STORAGE_POINTER: u32 = 1 << 11;
    pub(crate) const WORKGROUP_POINTER: u32 = 1 << 12;
    /// Typed pointers to physical storage buffers.
    pub(crate) const ADDRESS: u32 = 1 << 13;
    /// Pointers to anything else but physical storage buffers.
    pub(crate) const OTHER_POINTER: u32 = 1 << 14;
    /// Images, samplers, acceleration structures and tensors.
    pub(crate) const OPAQUE: u32 = 1 << 15;
    /// The same, and buffers' descriptors.
    pub(crate) const DESCRIPTOR: u32 = 1 << 16;
    /// What has no null value.
    pub(crate) const WITHOUT_NULL: u32 = 1 << 17;
    /// Structures that are decorated as blocks of either kind.
    pub(crate) const BLOCK: u32 = 1 << 18;
    /// Floats in the format bfloat16.
    pub(crate) const BFLOAT16: u32 = 1 << 19;
    /// Arrays whose length specialization says.
    pub(crate) const SPECIALIZED_ARRAY: u32 = 1 << 20;

    /// Whether there is any of these kinds.
    #[inline]
    pub(crate) fn has(self, kinds: u32) -> bool {
        self.kinds & kinds != 0
    }

    fn add(&mut self, other: Self) {
        self.kinds |= other.kinds;
        self.largest_scalar = self.largest_scalar.max(other.largest_scalar);
    }
}

/// What is known of types that are made of others.
#[derive(Default)]
pub(super) struct Known {
    contents: HashMap<u32, Contents>,
    /// The innermost elements of arrays in very many arrays.
    innermost: HashMap<u32, u32>,
    /// What pointers are derived from by very many steps.
    origins: HashMap<u32, u32>,
    /// Pairs of types that were compared, by what they were compared for.
    compared: HashMap<(Likeness, u32, u32), bool>,
}

/// What two types may have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Likeness {
    /// They match logically (specification, section 2.2.2).
    Logical,
    /// They differ in ids only, and in decorations that only the first has.
    Parameter,
    /// They are structures that differ in ids only.
    Layout,
}

/// Arrays of less dimensions are cheaper to look through than to remember.
const FEW: usize = 8;

impl<'a> Module<'a> {
    /// What the type is or holds. Every type is looked at once, however often it
    /// is asked for or held.
    pub(crate) fn contents(&self, ty: Id) -> Contents {
        match self.is_aggregate(ty) {
            true => self.contents_of_aggregate(ty),
            false => self.contents_of_simple(ty),
        }
    }

    fn contents_of_aggregate(&self, root: Id) -> Contents {
        let known = &mut self.known_types.borrow_mut().contents;
        if let Some(&contents) = known.get(&root.0) {
            return contents;
        }
        if known.is_empty() {
            known.reserve(28);
        }
        // Types are declared behind those that they hold, and asked for in that order.
        let of_parts = self.contents_of_parts(root, |part| known.get(&part.0).copied());
        if let Some(contents) = of_parts {
            known.insert(root.0, contents);
            return contents;
        }
        let mut todo = vec![(root, false)];
        while let Some((ty, parts_are_known)) = todo.pop() {
            if parts_are_known {
                let of_part = |part: Id| Some(known.get(&part.0).copied().unwrap_or_default());
                let contents = self.contents_of_parts(ty, of_part).unwrap_or_default();
                known.insert(ty.0, contents);
            } else if !known.contains_key(&ty.0) {
                // Stands for "being looked at": broken modules have types that
                // hold themselves.
                known.insert(ty.0, Contents::default());
                todo.push((ty, true));
                let parts = self.parts(ty).iter().map(|&part| Id(part));
                let unknown =
                    parts.filter(|part| self.is_aggregate(*part) && !known.contains_key(&part.0));
                todo.extend(unknown.map(|part| (part, false)));
            }
        }
        known.get(&root.0).copied().unwrap_or_default()
    }

    /// What an aggregate type holds, if `known` knows this of each aggregate within it.
    fn contents_of_parts(
        &self,
        ty: Id,
        known: impl Fn(Id) -> Option<Contents>,
    ) -> Option<Contents> {
        let mut contents = Contents::default();
        if self.op_of(ty) == Op::TypeRuntimeArray {
            contents.kinds = Contents::RUNTIME_ARRAY | Contents::WITHOUT_NULL;
        }
        if self.is_block(ty) {
            contents.kinds = Contents::BLOCK;
        }
        if let Type::Array { length, .. } = self.ty(ty)
            && self.is_spec_constant(length)
        {
            contents.kinds = Contents::SPECIALIZED_ARRAY;
        }
        let mut last = None;
        for &part in self.parts(ty) {
            // Members often have the same type as the one before.
            if last.replace(part) == Some(part) {
                continue;
            }
            contents.add(match self.is_aggregate(Id(part)) {
                true => known(Id(part))?,
                false => self.contents_of_simple(Id(part)),
            });
        }
        Some(contents)
    }

    /// Whether two types are alike. `compare` looks at two types themselves: it
    /// gives the pairs within them that must be alike, too, or nothing if the types
    /// aren't. Every pair is compared once, however often it is asked for.
    pub(crate) fn are_alike(
        &self,
        likeness: Likeness,
        root: (Id, Id),
        compare: impl Fn(Id, Id, &mut Vec<(Id, Id)>) -> Option<()>,
    ) -> bool {
        let key = |(a, b): (Id, Id)| (likeness, a.0, b.0);
        if root.0 == root.1 {
            return true;
        }
        if let Some(&known) = self.known_types.borrow().compared.get(&key(root)) {
            return known;
        }
        let mut todo = vec![root];
        let mut seen = hashbrown::HashSet::new();
        let mut are_alike = true;
        while let Some((a, b)) = todo.pop() {
            if a == b || !seen.insert((a, b)) {
                continue;
            }
            let known = self
                .known_types
                .borrow()
                .compared
                .get(&key((a, b)))
                .copied();
            let fits = match known {
                Some(known) => known,
                None => compare(a, b, &mut todo).is_some(),
            };
            if !fits {
                are_alike = false;
                break;
            }
        }
        let known = &mut self.known_types.borrow_mut().compared;
        match are_alike {
            true => known.extend(seen.into_iter().map(|pair| (key(pair), true))),
            false => drop(known.insert(key(root), false)),
        }
        are_alike
    }

    /// Whether the type is an array of either form or a structure.
    #[inline]
    pub(crate) fn is_aggregate(&self, ty: Id) -> bool {
        matches!(
            self.op_of(ty),
            Op::TypeStruct | Op::TypeArray | Op::TypeRuntimeArray
        )
    }

    /// The types that an array or a structure is made of.
    pub(crate) fn parts(&self, ty: Id) -> &'a [u32] {
        let words = self.words_of(ty).unwrap_or_default();
        let parts = match self.op_of(ty) {
            Op::TypeStruct => words.get(2..),
            Op::TypeArray | Op::TypeRuntimeArray => words.get(2..3),
            _ => None,
        };
        parts.unwrap_or_default()
    }

    fn contents_of_simple(&self, id: Id) -> Contents {
        let own = |kinds: u32| Contents {
            kinds,
            largest_scalar: 0,
        };
        let of_part = |part: Id, kinds: u32| {
            // A vector of vectors is an error of its own.
            let mut contents = match self.is_scalar(part) || self.is_vector_of_scalars(id, part) {
                true => self.contents_of_simple(part),
                false => Contents::default(),
            };
            contents.kinds = contents.kinds & !Contents::WITHOUT_NULL | kinds;
            contents
        };
        match self.ty(id) {
            Type::Bool => own(Contents::BOOLEAN),
            Type::Int { width, .. } => Contents {
                kinds: match width {
                    8 => Contents::INT8,
                    16 => Contents::INT16,
                    _ => 0,
                },
                largest_scalar: width.div_ceil(8),
            },
            Type::Float { width, encoding } => {
                let mut kinds = match width {
                    4 | 6 => Contents::TINY_FLOAT,
                    16 if encoding.is_none() => Contents::FLOAT16,
                    16 if encoding == Some(FPEncoding::BFloat16KHR) => Contents::BFLOAT16,
                    _ => 0,
                };
                if encoding.is_some() && width <= 8
                    || encoding == Some(FPEncoding::Float8E4M3EXT)
                    || encoding == Some(FPEncoding::Float8E5M2EXT)
                {
                    kinds |= Contents::SMALL_ENCODED_FLOAT;
                }
                Contents {
                    kinds,
                    largest_scalar: width.div_ceil(8),
                }
            }
            Type::Vector { component, count } => match count > 4 {
                true => of_part(component, Contents::LONG_VECTOR),
                false => of_part(component, 0),
            },
            Type::LongVector { component, count } => {
                let mut kinds = 0;
                if self.has(Capability::CooperativeVectorNV) && !self.has(Capability::LongVectorEXT)
                {
                    kinds |= Contents::COOPERATIVE;
                }
                if self.is_spec_constant(count) {
                    kinds |= Contents::SPECIALIZED_VECTOR;
                }
                if self.default_u64(count).is_none_or(|count| count > 4) {
                    kinds |= Contents::LONG_VECTOR;
                }
                of_part(component, kinds)
            }
            Type::Matrix { column, .. } => of_part(column, Contents::MATRIX),
            Type::CooperativeMatrix(matrix) | Type::CooperativeMatrixNv(matrix) => {
                of_part(matrix.component, Contents::COOPERATIVE)
            }
            Type::Image(_) | Type::Sampler | Type::SampledImage { .. } => {
                own(Contents::OPAQUE | Contents::DESCRIPTOR | Contents::WITHOUT_NULL)
            }
            Type::Pointer { class, .. } => Contents {
                kinds: match class {
                    StorageClass::PhysicalStorageBuffer => {
                        Contents::ADDRESS | Contents::WITHOUT_NULL
                    }
                    class => pointer_kind(class),
                },
                largest_scalar: 8,
            },
            Type::UntypedPointer { class } => Contents {
                kinds: match class {
                    StorageClass::PhysicalStorageBuffer => Contents::WITHOUT_NULL,
                    class => pointer_kind(class),
                },
                largest_scalar: 8,
            },
            Type::Other(Op::TypeAccelerationStructureKHR) => {
                own(Contents::OPAQUE | Contents::DESCRIPTOR | Contents::WITHOUT_NULL)
            }
            Type::Other(Op::TypeBufferEXT) => own(Contents::DESCRIPTOR | Contents::WITHOUT_NULL),
            Type::Other(Op::TypeTensorARM) => {
                let has_shape = self.def(id).is_some_and(|def| def.args().len() > 2);
                own(Contents::OPAQUE
                    | Contents::DESCRIPTOR
                    | match has_shape {
                        true => 0,
                        false => Contents::WITHOUT_NULL,
                    })
            }
            Type::Other(
                Op::TypeEvent | Op::TypeDeviceEvent | Op::TypeReserveId | Op::TypeQueue,
            ) => Contents::default(),
            _ => own(Contents::WITHOUT_NULL),
        }
    }

    /// Whether the column type of a matrix is a vector of numbers.
    fn is_vector_of_scalars(&self, matrix: Id, column: Id) -> bool {
        self.op_of(matrix) == Op::TypeMatrix
            && self.is_vector(column)
            && self.is_scalar(self.scalar_or_vector_component(column))
    }

    /// The type itself or the innermost element of arrays of either form.
    pub(crate) fn without_arrays(&self, mut ty: Id) -> Id {
        for _ in 0..FEW {
            match self.op_of(ty) {
                Op::TypeArray | Op::TypeRuntimeArray => ty = self.element(ty),
                _ => return ty,
            }
        }
        self.innermost(ty)
    }

    #[cold]
    fn innermost(&self, ty: Id) -> Id {
        let known = &mut self.known_types.borrow_mut().innermost;
        let element = |ty: Id| match self.op_of(ty) {
            Op::TypeArray | Op::TypeRuntimeArray => Some(self.element(ty)),
            _ => None,
        };
        end_of_chain(known, ty, self.words.len(), element)
    }

    /// The variable, parameter or other origin of a pointer, through access chains
    /// and copies.
    pub(crate) fn pointer_origin(&self, pointer: Id) -> Id {
        let mut origin = pointer;
        for _ in 0..FEW {
            match self.derived_from(origin) {
                Some(next) => origin = next,
                None => return origin,
            }
        }
        let known = &mut self.known_types.borrow_mut().origins;
        end_of_chain(known, origin, self.words.len(), |id| self.derived_from(id))
    }

    /// The pointer from which an access chain or a copy makes another.
    fn derived_from(&self, pointer: Id) -> Option<Id> {
        let def = self.def(pointer)?;
        match def.op() {
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::ImageTexelPointer
            | Op::RawAccessChainNV
            | Op::CopyObject => Some(def.id(0)),
            Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::UntypedPtrAccessChainKHR
            | Op::UntypedInBoundsPtrAccessChainKHR
            | Op::UntypedImageTexelPointerEXT => Some(def.id(1)),
            _ => None,
        }
    }

    #[inline]
    fn element(&self, array: Id) -> Id {
        Id(self.declaration(array).1.get(2).copied().unwrap_or(0))
    }
}

/// The end of a chain of ids, which is remembered for all of its links. Chains end,
/// because definitions refer to earlier ones; in broken modules they are left after
/// so many steps.
fn end_of_chain(
    known: &mut HashMap<u32, u32>,
    start: Id,
    most: usize,
    next: impl Fn(Id) -> Option<Id>,
) -> Id {
    let mut passed = Vec::new();
    let mut at = start;
    while passed.len() < most {
        if let Some(&end) = known.get(&at.0) {
            at = Id(end);
            break;
        }
        let Some(next) = next(at) else {
            break;
        };
        passed.push(at.0);
        at = next;
    }
    known.extend(passed.into_iter().map(|link| (link, at.0)));
    at
}

fn pointer_kind(class: StorageClass) -> u32 {
    match class {
        StorageClass::StorageBuffer => Contents::STORAGE_POINTER,
        StorageClass::Workgroup => Contents::WORKGROUP_POINTER,
        _ => Contents::OTHER_POINTER,
    }
}
