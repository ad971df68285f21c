//! Indices that stay within what they go into.

use hashbrown::HashMap;
use spirvkit_analysis::Type;
use spirvkit_binary::Id;
use spirvkit_grammar::{AddressingModel, Capability, Decoration, GlslStd450, Op};
use spirvkit_ir::builder::Builder;
use spirvkit_ir::{Inst, Lookup, Module, Place};

use super::{built, decorated, in_functions, of_op};
use crate::pass::{Changed, Context, PassError};

/// How many parts something has into which an index goes.
#[derive(Clone, Copy)]
enum Count {
    Known(u64),
    /// As many as a specialization constant says.
    Given(Id),
    /// As many as `OpArrayLength` says of a member of what leads to them.
    Runtime,
    /// Nothing here tells how many.
    Unknown,
}

/// An index that may be out of bounds.
struct Loose {
    chain: Inst,
    /// Its place among the indices.
    place: usize,
    count: Count,
}

/// Clamps the indices of pointers in shaders, so that each leads to a part that there is.
///
/// Coordinates in images stay, those of `OpImageTexelPointer` among them: where Vulkan checks them, an
/// atomic operation outside of an image changes nothing ("Robust Image Access"), and clamped it would.
pub(super) fn clamp(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let is_logical = of_op(module, Op::MemoryModel)
        .into_iter()
        .all(|inst| module.operand_word(inst, 0) == Some(AddressingModel::Logical.0));
    let has = |wanted: Capability| {
        let all = of_op(module, Op::Capability).into_iter();
        all.filter_map(|inst| module.operand_word(inst, 0))
            .any(|word| word == wanted.0)
    };
    if !is_logical || !has(Capability::Shader) {
        return Err(PassError::new(
            "only shaders with logical addresses can be made robust",
        ));
    }
    for capability in [
        Capability::VariablePointers,
        Capability::VariablePointersStorageBuffer,
        Capability::RuntimeDescriptorArray,
        Capability::UntypedPointersKHR,
        Capability::RawAccessChainsNV,
    ] {
        if has(capability) {
            let message = format!("modules with {capability} can't be made robust");
            return Err(PassError::new(message));
        }
    }
    let chains = in_functions(module, |inst| {
        matches!(module.op(inst), Op::AccessChain | Op::InBoundsAccessChain)
    });
    let loose: Vec<Loose> = chains
        .into_iter()
        .flat_map(|chain| loose(module, chain))
        .collect();
    let count = loose.len();
    let mut homes = Homes {
        known: HashMap::new(),
        non_uniform: decorated(module, Decoration::NonUniform),
    };
    built(module.edit(|b| loose.iter().try_for_each(|it| tighten(b, it, &mut homes))))??;
    Ok(Changed::if_any(count))
}

/// The indices of a chain that may be out of bounds.
fn loose(module: &Module, chain: Inst) -> Vec<Loose> {
    let mut found = Vec::new();
    let words = module.get(chain).operand_words();
    let base = Lookup::type_of(&module, Id(words.get(2).copied().unwrap_or(0)));
    let Some(Type::Pointer { pointee, .. }) = base.map(|ty| module.ty(ty)) else {
        return found;
    };
    let mut ty = pointee;
    for (place, &index) in words.iter().skip(3).enumerate() {
        let known = module.constant_u64(Id(index));
        let (count, part) = match module.ty(ty) {
            Type::Vector { component, count } => (Count::Known(count.into()), component),
            Type::Matrix { column, count } => (Count::Known(count.into()), column),
            Type::Array { element, length }
            | Type::LongVector {
                component: element,
                count: length,
            } => match module.constant_u64(length) {
                Some(length) => (Count::Known(length), element),
                None => (Count::Given(length), element),
            },
            Type::CooperativeMatrix(it) | Type::CooperativeMatrixNv(it) => {
                (Count::Unknown, it.component)
            }
            Type::RuntimeArray { element } => (Count::Runtime, element),
            Type::Struct { members } => {
                let member = known.and_then(|index| members.get(index as usize));
                let Some(&member) = member else {
                    return found;
                };
                ty = Id(member);
                continue;
            }
            _ => return found,
        };
        let is_within = match (known, count) {
            (Some(index), Count::Known(count)) => index < count,
            // Each length that is given is at least 1.
            (Some(index), Count::Given(_)) => index == 0,
            _ => false,
        };
        if !is_within && !matches!(count, Count::Known(0)) {
            found.push(Loose {
                chain,
                place,
                count,
            });
        }
        ty = part;
    }
    found
}

fn tighten(b: &mut Builder, it: &Loose, homes: &mut Homes) -> Result<(), PassError> {
    let words = b.module().get(it.chain).operand_words().to_vec();
    let index = Id(words[3 + it.place]);
    let Some(index_ty) = b.module().type_of(index) else {
        return Ok(());
    };
    let Type::Int { width, signed } = b.module().ty(index_ty) else {
        return Ok(());
    };
    // There are no integers that are wider, but a module may declare them.
    let unused = 64u32.saturating_sub(width) + u32::from(signed);
    let limit = u64::MAX.checked_shr(unused).unwrap_or(0);
    let known = b.module().constant_u64(index);
    b.insert_at(Place::Before(it.chain));
    let within = match (it.count, known) {
        (Count::Known(count), Some(_)) => b.constant(index_ty, (count - 1).min(limit)),
        (Count::Known(count), None) => {
            let last = b.constant(index_ty, (count - 1).min(limit));
            clamped(b, index_ty, signed, index, last)
        }
        (Count::Given(length), _) => {
            let Some(last) = before_length(b, length) else {
                return Err(unknown(b, it.chain));
            };
            clamped_to(b, (index_ty, width, signed), index, last)
        }
        (Count::Runtime, _) => {
            let Some(last) = last_of_array(b, it.chain, it.place, homes) else {
                return Err(unknown(b, it.chain));
            };
            clamped_to(b, (index_ty, width, signed), index, last)
        }
        (Count::Unknown, _) => return Err(unknown(b, it.chain)),
    };
    // A word that is there.
    let _ = b.module_mut().set_word(it.chain, 4 + it.place, within.0);
    Ok(())
}

/// Why an index can't be kept within an array.
fn unknown(b: &Builder, chain: Inst) -> PassError {
    let id = b.module().result(chain).unwrap_or(Id(0));
    PassError::new(format!(
        "{id} goes into something whose length can't be found out, so it can't be made robust"
    ))
}

/// An index as an unsigned number of 32 bits that is at most another one.
fn clamped_to(b: &mut Builder, (ty, width, signed): (Id, u32, bool), index: Id, last: Id) -> Id {
    let uint = b.type_int(32, 0);
    // A negative index would be a great one.
    let index = match signed {
        true => {
            let zero = b.constant(ty, 0);
            b.glsl(ty, GlslStd450::SMax, &[index, zero])
        }
        false => index,
    };
    let index = unsigned(b, uint, index, (width, signed));
    b.glsl(uint, GlslStd450::UMin, &[index, last])
}

/// A number that isn't negative as one of another type.
fn unsigned(b: &mut Builder, uint: Id, number: Id, (width, signed): (u32, bool)) -> Id {
    match width {
        32 if signed => b.bitcast(uint, number),
        32 => number,
        _ => b.u_convert(uint, number),
    }
}

/// One less than a length that isn't known yet.
fn before_length(b: &mut Builder, length: Id) -> Option<Id> {
    let ty = b.module().type_of(length)?;
    let Type::Int { width, signed } = b.module().ty(ty) else {
        return None;
    };
    let uint = b.type_int(32, 0);
    let one = b.constant(uint, 1);
    let length = unsigned(b, uint, length, (width, signed));
    Some(b.i_sub(uint, length, one))
}

fn clamped(b: &mut Builder, ty: Id, signed: bool, index: Id, last: Id) -> Id {
    match signed {
        true => {
            let zero = b.constant(ty, 0);
            b.glsl(ty, GlslStd450::SClamp, &[index, zero, last])
        }
        false => b.glsl(ty, GlslStd450::UMin, &[index, last]),
    }
}

/// For pointers to arrays at the ends of blocks, where chains without indices lead to them, the chain
/// that ends with the index of the member.
struct Homes {
    known: HashMap<Id, Inst>,
    /// What is decorated so.
    non_uniform: HashMap<Id, u32>,
}

impl Homes {
    fn of(&mut self, module: &Module, pointer: Id) -> Option<Inst> {
        let mut way = Vec::new();
        let mut at = pointer;
        let home = loop {
            if let Some(&home) = self.known.get(&at) {
                break home;
            }
            let chain = module.definition(at)?;
            // No path is longer than the module, however broken.
            if !module.op(chain).is_access_chain() && module.op(chain) != Op::CopyObject
                || way.len() > module.inst_count()
            {
                return None;
            }
            if module.get(chain).operand_words().len() > 3 {
                break chain;
            }
            way.push(at);
            at = module.operand_id(chain, 0)?;
        };
        self.known.extend(way.into_iter().map(|id| (id, home)));
        Some(home)
    }
}

/// The last index into the array at the end of a block, into which an index of a chain goes.
fn last_of_array(b: &mut Builder, chain: Inst, place: usize, homes: &mut Homes) -> Option<Id> {
    let words = b.module().get(chain).operand_words();
    let base = Id(*words.get(2)?);
    // The indices before, here or where the pointer to the array comes from.
    let words = match place {
        0 => {
            let home = homes.of(b.module(), base)?;
            b.module().get(home).operand_words().to_vec()
        }
        _ => words[..3 + place].to_vec(),
    };
    let is_non_uniform = homes.non_uniform.contains_key(&Id(words[1]));
    let (base, before) = (Id(words[2]), &words[3..]);
    let (&member, path) = before.split_last()?;
    let member = b.module().constant_u64(Id(member))?;
    let Type::Pointer { class, pointee } = b.module().ty(b.module().type_of(base)?) else {
        return None;
    };
    let mut ty = pointee;
    for &index in path {
        ty = match b.module().ty(ty) {
            Type::Struct { members } => {
                let index = b.module().constant_u64(Id(index))?;
                Id(*members.get(index as usize)?)
            }
            Type::Array { element, .. } | Type::RuntimeArray { element } => element,
            _ => return None,
        };
    }
    if !matches!(b.module().ty(ty), Type::Struct { .. }) {
        return None;
    }
    let uint = b.type_int(32, 0);
    let one = b.constant(uint, 1);
    let pointer = b.type_pointer(class, ty);
    b.insert_at(Place::Before(chain));
    let block = match path.is_empty() {
        true => base,
        false => {
            let indices: Vec<Id> = path.iter().map(|&index| Id(index)).collect();
            let block = b.access_chain(pointer, base, &indices);
            if is_non_uniform {
                b.decorate(block, Decoration::NonUniform, &[]);
            }
            block
        }
    };
    let length = b.array_length(uint, block, member as u32);
    Some(b.i_sub(uint, length, one))
}
