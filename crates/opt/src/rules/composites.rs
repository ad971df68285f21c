//! Rules about composites and their parts.
//!
//! None makes more words of less: what is made has at most the words of the operation that it
//! stands for, and of those that are of no more use after it.

use smallvec::{SmallVec, smallvec};
use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::{Values, vectors};

/// Indices that lead from a composite to a part.
type Path = SmallVec<[u32; 8]>;

/// How far parts are looked for through operations on composites, so that long chains of
/// insertions don't take quadratic time.
pub(super) const MAX_STEPS: usize = 64;

/// What is simpler than an operation on composites, vectors or their parts: a value that there
/// is already or that [`make`](Values::make) makes. `None` if no rule knows anything simpler.
///
/// The types of an operation's operands must be such that it is valid.
pub fn simplify_composite<V: Values>(
    values: &mut V,
    op: Op,
    ty: Id,
    operands: &[u32],
) -> Option<Id> {
    match (op, operands) {
        (Op::CopyObject, &[value]) => Some(Id(value)),
        (Op::CopyLogical, &[value]) => copy_logical(values, ty, Id(value)),
        (Op::Bitcast, &[value]) => bit_cast(values, ty, Id(value)),
        (Op::Transpose, &[value]) => {
            let &[inner] = operands_if(values, Id(value), Op::Transpose)? else {
                return None;
            };
            (values.ty(Id(inner)) == ty).then_some(Id(inner))
        }
        (Op::CompositeExtract, [composite, path @ ..]) => extract(values, ty, Id(*composite), path),
        (Op::CompositeInsert, [part, composite, path @ ..]) => {
            insert(values, ty, Id(*part), Id(*composite), path)
        }
        (Op::CompositeConstruct, parts) => {
            whole(values, ty, parts).or_else(|| vectors::construct(values, ty, parts))
        }
        (Op::VectorShuffle, [a, b, lanes @ ..]) => {
            vectors::shuffle(values, ty, Id(*a), Id(*b), lanes)
        }
        (Op::VectorExtractDynamic, &[vector, index]) => {
            let index = index_in(values, Id(vector), Id(index))?;
            Some(values.make(Op::CompositeExtract, ty, &[vector, index]))
        }
        (Op::VectorInsertDynamic, &[vector, part, index]) => {
            let index = index_in(values, Id(vector), Id(index))?;
            Some(values.make(Op::CompositeInsert, ty, &[part, vector, index]))
        }
        (Op::FMul, &[a, b]) => vectors::scaling(values, ty, Id(a), Id(b)),
        _ => None,
    }
}

/// The operands of the operation that makes a value, if it is this one.
pub(super) fn operands_if<V: Values>(values: &V, value: Id, op: Op) -> Option<&[u32]> {
    (values.op(value) == op).then(|| values.operands(value))
}

fn copy_logical<V: Values>(values: &mut V, ty: Id, value: Id) -> Option<Id> {
    if values.ty(value) == ty {
        return Some(value);
    }
    let &[inner] = operands_if(values, value, Op::CopyLogical)? else {
        return None;
    };
    Some(match values.ty(Id(inner)) == ty {
        true => Id(inner),
        false => values.make(Op::CopyLogical, ty, &[inner]),
    })
}

/// Bits are the same however often they are taken for something else. Pointers are left alone, and
/// so is what becomes more or fewer components of another kind: translators to other languages know
/// a function for each of the two steps, but not always for both.
fn bit_cast<V: Values>(values: &mut V, ty: Id, value: Id) -> Option<Id> {
    if values.ty(value) == ty {
        return Some(value);
    }
    let &[inner] = operands_if(values, value, Op::Bitcast)? else {
        return None;
    };
    let own = values.ty(Id(inner));
    if own == ty {
        return Some(Id(inner));
    }
    let shapes = [own, values.ty(value), ty].map(|ty| values.shape(ty));
    let [Some((_, before)), Some(_), Some((_, after))] = shapes else {
        return None;
    };
    (before == after).then(|| values.make(Op::Bitcast, ty, &[inner]))
}

/// A constant index of a component that the vector has.
fn index_in<V: Values>(values: &V, vector: Id, index: Id) -> Option<u32> {
    let (_, count) = values.shape(values.ty(vector))?;
    let index = u32::try_from(values.bits(index)?).ok()?;
    (index < count).then_some(index)
}

/// The part of a value that a path leads to.
fn extract<V: Values>(values: &mut V, ty: Id, composite: Id, path: &[u32]) -> Option<Id> {
    let (found, rest) = follow(values, composite, path.into());
    if rest.is_empty() {
        return (values.ty(found) == ty).then_some(found);
    }
    match values.op(found) {
        Op::Undef => return Some(values.make(Op::Undef, ty, &[])),
        Op::ConstantNull if values.shape(ty).is_some() => return Some(values.constant(ty, 0)),
        Op::VectorShuffle => {
            let lane = values
                .operands(found)
                .get(2..)?
                .get(*rest.first()? as usize);
            if lane == Some(&u32::MAX) {
                return Some(values.make(Op::Undef, ty, &[]));
            }
        }
        // One path instead of two, if nothing else goes the first half of the way.
        Op::CompositeExtract if found == composite && values.is_used_once(found) => {
            let mut operands = Path::from(values.operands(found));
            operands.extend(rest);
            return Some(values.make(Op::CompositeExtract, ty, &operands));
        }
        _ => {}
    }
    let is_new = found != composite || rest.as_slice() != path;
    (is_new && rest.len() <= path.len() && leads_to(values, found, &rest) == Some(ty)).then(|| {
        let operands: Path = [found.0].into_iter().chain(rest).collect();
        values.make(Op::CompositeExtract, ty, &operands)
    })
}

/// The type of the part that a path leads to.
fn leads_to<V: Values>(values: &V, composite: Id, path: &[u32]) -> Option<Id> {
    let whole = values.ty(composite);
    path.iter()
        .try_fold(whole, |ty, &index| values.part(ty, index))
}

/// Follows a path into what a composite is made of, as far as that is known.
fn follow<V: Values>(values: &V, composite: Id, path: Path) -> (Id, Path) {
    let (mut value, mut path) = (composite, path);
    // What it was before paths became longer than that.
    let mut shortest = (value, path.clone());
    for _ in 0..MAX_STEPS {
        if path.is_empty() {
            break;
        }
        let Some((next, rest)) = step(values, value, &path) else {
            break;
        };
        (value, path) = (next, rest);
        if path.len() <= shortest.1.len() {
            shortest = (value, path.clone());
        }
    }
    // A longer path is only a detour, and undefined and null values are known from any.
    match values.op(value) {
        Op::Undef | Op::ConstantNull => (value, path),
        _ => shortest,
    }
}

/// What a part of a value is a part of, if the value was made of others.
fn step<V: Values>(values: &V, value: Id, path: &[u32]) -> Option<(Id, Path)> {
    let operands = values.operands(value);
    let (&first, rest) = path.split_first()?;
    match (values.op(value), operands) {
        (Op::CompositeConstruct, parts) if values.shape(values.ty(value)).is_some() => {
            let (part, lane) = vectors::component(values, parts, first)?;
            Some((part, lane.into_iter().collect()))
        }
        (Op::CompositeConstruct | Op::ConstantComposite | Op::SpecConstantComposite, parts) => {
            // Some composites are made of one value for all parts.
            let count = values.count(values.ty(value))?;
            let part = *parts.get(first as usize)?;
            (usize::try_from(count) == Ok(parts.len())).then(|| (Id(part), rest.into()))
        }
        (Op::CompositeInsert, [part, composite, place @ ..]) => {
            if let Some(below) = path.strip_prefix(place) {
                return Some((Id(*part), below.into()));
            }
            (!place.starts_with(path)).then(|| (Id(*composite), path.into()))
        }
        (Op::VectorShuffle, [a, b, lanes @ ..]) => {
            let (_, count) = values.shape(values.ty(Id(*a)))?;
            let lane = *lanes.get(first as usize)?;
            match lane {
                u32::MAX => None,
                _ if lane < count => Some((Id(*a), smallvec![lane])),
                _ => Some((Id(*b), smallvec![lane - count])),
            }
        }
        (Op::CompositeExtract, [composite, before @ ..]) => {
            let whole = before.iter().chain(path).copied().collect();
            Some((Id(*composite), whole))
        }
        (Op::CopyLogical, &[inner]) => Some((Id(inner), path.into())),
        _ => None,
    }
}

/// A composite that differs in one part.
fn insert<V: Values>(values: &mut V, ty: Id, part: Id, composite: Id, path: &[u32]) -> Option<Id> {
    // An undefined part may be what was there before, and what was there before is no news.
    if values.op(part) == Op::Undef {
        return Some(composite);
    }
    if let Some([whole, place @ ..]) = operands_if(values, part, Op::CompositeExtract)
        && Id(*whole) == composite
        && place == path
    {
        return Some(composite);
    }
    if let Some([_, below, place @ ..]) = operands_if(values, composite, Op::CompositeInsert)
        && place.starts_with(path)
    {
        let operands: Vec<u32> = [part.0, *below].iter().chain(path).copied().collect();
        return Some(values.make(Op::CompositeInsert, ty, &operands));
    }
    let &[index] = path else {
        return None;
    };
    constructed(values, ty, part, composite, index)
}

/// Insertions that leave no part as it was, or go into what was made of parts.
fn constructed<V: Values>(
    values: &mut V,
    ty: Id,
    part: Id,
    composite: Id,
    index: u32,
) -> Option<Id> {
    let count = values.count(ty)? as usize;
    if count > MAX_STEPS {
        return None;
    }
    let mut parts: Vec<Option<u32>> = vec![None; count];
    *parts.get_mut(index as usize)? = Some(part.0);
    // The words of what goes.
    let mut words = 6;
    let mut is_gone = true;
    let mut below = composite;
    for _ in 0..MAX_STEPS {
        if parts.iter().all(Option::is_some) {
            break;
        }
        is_gone &= values.is_used_once(below);
        match (values.op(below), values.operands(below)) {
            (Op::CompositeInsert, &[part, whole, index]) => {
                let slot = parts.get_mut(index as usize)?;
                *slot = slot.or(Some(part));
                words += if is_gone { 6 } else { 0 };
                below = Id(whole);
            }
            (Op::CompositeConstruct, all) if all.len() == count => {
                for (slot, &part) in parts.iter_mut().zip(all) {
                    *slot = slot.or(Some(part));
                }
                words += if is_gone { 3 + count } else { 0 };
            }
            (Op::ConstantComposite, all) if all.len() == count => {
                for (slot, &part) in parts.iter_mut().zip(all) {
                    *slot = slot.or(Some(part));
                }
            }
            _ => return None,
        }
    }
    let parts: Option<Vec<u32>> = parts.into_iter().collect();
    let parts = parts?;
    (3 + count <= words).then(|| values.make(Op::CompositeConstruct, ty, &parts))
}

/// What is taken apart and put together again.
fn whole<V: Values>(values: &mut V, ty: Id, parts: &[u32]) -> Option<Id> {
    if values.count(ty)? as usize != parts.len() {
        return None;
    }
    let (composite, before) = match operands_if(values, Id(*parts.first()?), Op::CompositeExtract)?
    {
        [composite, before @ .., 0] => (Id(*composite), before.to_vec()),
        _ => return None,
    };
    for (index, &part) in parts.iter().enumerate() {
        let [own, path @ .., last] = operands_if(values, Id(part), Op::CompositeExtract)? else {
            return None;
        };
        if Id(*own) != composite || path != before || *last as usize != index {
            return None;
        }
    }
    if leads_to(values, composite, &before) != Some(ty) {
        return None;
    }
    if before.is_empty() {
        return Some(composite);
    }
    (4 + before.len() <= 3 + parts.len()).then(|| {
        let operands: Vec<u32> = [composite.0].into_iter().chain(before).collect();
        values.make(Op::CompositeExtract, ty, &operands)
    })
}
