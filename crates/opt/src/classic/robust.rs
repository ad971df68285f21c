//! Indices that stay within what they go into.

use spirvkit_analysis::Type;
use spirvkit_binary::Id;
use spirvkit_grammar::{AddressingModel, Capability, GlslStd450, Op};
use spirvkit_ir::builder::Builder;
use spirvkit_ir::{Inst, Lookup, Module, Place};

use super::{built, in_functions, of_op};
use crate::pass::{Changed, Context, PassError};

/// How many parts something has into which an index goes.
#[derive(Clone, Copy)]
enum Count {
    Known(u64),
    /// As many as `OpArrayLength` says of this member of what the indices before lead to.
    Runtime,
}

/// An index that may be out of bounds.
struct Loose {
    chain: Inst,
    /// Its place among the indices.
    place: usize,
    count: Count,
}

/// Clamps the indices of pointers in shaders, so that each leads to a part that there is.
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
    if has(Capability::VariablePointers) || has(Capability::RuntimeDescriptorArray) {
        return Err(PassError::new(
            "modules with VariablePointers or RuntimeDescriptorArray can't be made robust",
        ));
    }
    let chains = in_functions(module, |inst| {
        matches!(module.op(inst), Op::AccessChain | Op::InBoundsAccessChain)
    });
    let loose: Vec<Loose> = chains
        .into_iter()
        .flat_map(|chain| loose(module, chain))
        .collect();
    let count = loose.len();
    built(module.edit(|b| {
        for it in &loose {
            tighten(b, it);
        }
    }))?;
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
            Type::Array { element, length } => match module.constant_u64(length) {
                Some(length) => (Count::Known(length), element),
                // What a specialization constant says isn't known yet.
                None => {
                    ty = element;
                    continue;
                }
            },
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
            _ => false,
        };
        let can = match count {
            Count::Known(count) => count > 0,
            Count::Runtime => place > 0,
        };
        if !is_within && can {
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

fn tighten(b: &mut Builder, it: &Loose) {
    let words = b.module().get(it.chain).operand_words().to_vec();
    let index = Id(words[3 + it.place]);
    let Some(index_ty) = b.module().type_of(index) else {
        return;
    };
    let Type::Int { width, signed } = b.module().ty(index_ty) else {
        return;
    };
    let limit = u64::MAX >> (64 - width + u32::from(signed));
    let known = b.module().constant_u64(index);
    b.insert_at(Place::Before(it.chain));
    let within = match (it.count, known) {
        (Count::Known(count), Some(_)) => b.constant(index_ty, (count - 1).min(limit)),
        (Count::Known(count), None) => {
            let last = b.constant(index_ty, (count - 1).min(limit));
            clamped(b, index_ty, signed, index, last)
        }
        (Count::Runtime, _) => {
            let Some(last) = last_of_array(b, it.chain, &words, it.place) else {
                return;
            };
            let uint = b.type_int(32, 0);
            // A negative index would be a great one.
            let index = match signed {
                true => {
                    let zero = b.constant(index_ty, 0);
                    b.glsl(index_ty, GlslStd450::SMax, &[index, zero])
                }
                false => index,
            };
            let index = match width {
                32 if signed => b.bitcast(uint, index),
                32 => index,
                _ => b.u_convert(uint, index),
            };
            b.glsl(uint, GlslStd450::UMin, &[index, last])
        }
    };
    // A word that is there.
    let _ = b.module_mut().set_word(it.chain, 4 + it.place, within.0);
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

/// The last index into the array at the end of a block, to which the indices before one lead.
fn last_of_array(b: &mut Builder, chain: Inst, words: &[u32], place: usize) -> Option<Id> {
    let base = Id(words[2]);
    let before = &words[3..3 + place];
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
    let uint = b.type_int(32, 0);
    let one = b.constant(uint, 1);
    let pointer = b.type_pointer(class, ty);
    b.insert_at(Place::Before(chain));
    let block = match path.is_empty() {
        true => base,
        false => {
            let indices: Vec<Id> = path.iter().map(|&index| Id(index)).collect();
            b.access_chain(pointer, base, &indices)
        }
    };
    let length = b.array_length(uint, block, member as u32);
    Some(b.i_sub(uint, length, one))
}
