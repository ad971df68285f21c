//! Rules about vectors that are made of parts of others.

use spirvkit_binary::Id;
use spirvkit_eval::ScalarType;
use spirvkit_grammar::Op;

use super::Values;
use super::composites::{MAX_STEPS, operands_if};

/// What a component of a vector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lane {
    Undefined,
    /// A component of a vector.
    Of(Id, u32),
}

/// The part of a vector's parts that a component is in, and which of its components it is,
/// unless it is a scalar: they stand one behind the other.
pub(super) fn component<V: Values>(
    values: &V,
    parts: &[u32],
    index: u32,
) -> Option<(Id, Option<u32>)> {
    let mut index = index;
    for &part in parts {
        let part = Id(part);
        let width = width(values, part)?;
        if index < width {
            return Some((part, is_vector(values, part).then_some(index)));
        }
        index -= width;
    }
    None
}

/// How many components a scalar or vector has.
fn width<V: Values>(values: &V, value: Id) -> Option<u32> {
    Some(values.shape(values.ty(value))?.1)
}

/// Whether a scalar or vector is a vector.
fn is_vector<V: Values>(values: &V, value: Id) -> bool {
    values.part(values.ty(value), 0).is_some()
}

/// Follows a component of a vector through what chooses among components.
fn origin<V: Values>(values: &V, vector: Id, lane: u32) -> Lane {
    let (mut vector, mut lane) = (vector, lane);
    for _ in 0..MAX_STEPS {
        match (values.op(vector), values.operands(vector)) {
            (Op::Undef, _) => return Lane::Undefined,
            (Op::VectorShuffle, [a, b, lanes @ ..]) => {
                let (Some(count), Some(&own)) = (width(values, Id(*a)), lanes.get(lane as usize))
                else {
                    break;
                };
                (vector, lane) = match own {
                    u32::MAX => return Lane::Undefined,
                    _ if own < count => (Id(*a), own),
                    _ => (Id(*b), own - count),
                };
            }
            (Op::CompositeInsert, &[_, whole, place]) if place != lane => vector = Id(whole),
            (Op::CompositeConstruct, parts) => match component(values, parts, lane) {
                Some((part, Some(own))) => (vector, lane) = (part, own),
                _ => break,
            },
            _ => break,
        }
    }
    Lane::Of(vector, lane)
}

/// The scalar that a component is, if there is one.
fn scalar<V: Values>(values: &V, vector: Id, lane: u32) -> Option<Id> {
    match (values.op(vector), values.operands(vector)) {
        (Op::CompositeConstruct, parts) => match component(values, parts, lane)? {
            (part, None) => Some(part),
            _ => None,
        },
        (Op::ConstantComposite | Op::SpecConstantComposite, parts) => {
            let count = width(values, vector)? as usize;
            (parts.len() == count).then(|| parts.get(lane as usize).map(|&part| Id(part)))?
        }
        (Op::CompositeInsert, &[part, _, place]) if place == lane => Some(Id(part)),
        _ => None,
    }
}

/// The vector of which these are the components in order, if there is one.
fn identity<V: Values>(values: &V, ty: Id, lanes: &[Lane]) -> Option<Id> {
    let vector = lanes.iter().find_map(|lane| match lane {
        Lane::Of(vector, _) => Some(*vector),
        Lane::Undefined => None,
    })?;
    let mut places = 0..;
    let is_in_place = lanes.iter().all(|lane| {
        let place = places.next();
        *lane == Lane::Undefined || place.map(|place| Lane::Of(vector, place)) == Some(*lane)
    });
    (is_in_place && values.ty(vector) == ty).then_some(vector)
}

/// The operands of a shuffle that has these components, if two vectors have them.
fn shuffled<V: Values>(values: &V, lanes: &[Lane]) -> Option<Vec<u32>> {
    let mut sources: Vec<Id> = Vec::new();
    for lane in lanes {
        if let Lane::Of(vector, _) = lane
            && !sources.contains(vector)
        {
            sources.push(*vector);
        }
    }
    let (&first, count) = (sources.first()?, sources.len());
    if count > 2 {
        return None;
    }
    let second = sources.get(1).copied().unwrap_or(first);
    let offset = width(values, first)?;
    let numbers = lanes.iter().map(|lane| match *lane {
        Lane::Undefined => u32::MAX,
        Lane::Of(vector, lane) if vector == first => lane,
        Lane::Of(_, lane) => lane.saturating_add(offset),
    });
    Some([first.0, second.0].into_iter().chain(numbers).collect())
}

pub(super) fn shuffle<V: Values>(
    values: &mut V,
    ty: Id,
    a: Id,
    b: Id,
    numbers: &[u32],
) -> Option<Id> {
    let count = width(values, a)?;
    let mut lanes = Vec::new();
    for &number in numbers {
        lanes.push(match number {
            u32::MAX => Lane::Undefined,
            _ if number < count => origin(values, a, number),
            _ => origin(values, b, number - count),
        });
    }
    if lanes.iter().all(|lane| *lane == Lane::Undefined) {
        return Some(values.make(Op::Undef, ty, &[]));
    }
    if let Some(vector) = identity(values, ty, &lanes) {
        return Some(vector);
    }
    // A vector that is made of scalars takes two words less.
    let scalars: Option<Vec<u32>> = lanes
        .iter()
        .map(|lane| match *lane {
            Lane::Of(vector, lane) => Some(scalar(values, vector, lane)?.0),
            Lane::Undefined => None,
        })
        .collect();
    if let Some(scalars) = scalars {
        return Some(values.make(Op::CompositeConstruct, ty, &scalars));
    }
    let operands = shuffled(values, &lanes)?;
    let is_new = operands[..2] != [a.0, b.0] || operands[2..] != *numbers;
    is_new.then(|| values.make(Op::VectorShuffle, ty, &operands))
}

/// A vector that is made of parts of one or two others, or of what was made of parts.
pub(super) fn construct<V: Values>(values: &mut V, ty: Id, parts: &[u32]) -> Option<Id> {
    let (_, count) = values.shape(ty)?;
    if count as usize > MAX_STEPS {
        return None;
    }
    // The words of what goes.
    let mut words = 3 + parts.len();
    let mut lanes = Vec::new();
    for &part in parts {
        let part = Id(part);
        if is_vector(values, part) {
            lanes.extend((0..width(values, part)?).map(|lane| origin(values, part, lane)));
            continue;
        }
        match (values.op(part), values.operands(part)) {
            (Op::Undef, _) => lanes.push(Lane::Undefined),
            (Op::CompositeExtract, &[vector, lane])
                if values.shape(values.ty(Id(vector))).is_some() =>
            {
                lanes.push(origin(values, Id(vector), lane));
                words += if values.is_used_once(part) { 5 } else { 0 };
            }
            _ => return flattened(values, ty, parts),
        }
    }
    if lanes.iter().all(|lane| *lane == Lane::Undefined) {
        return Some(values.make(Op::Undef, ty, &[]));
    }
    if let Some(vector) = identity(values, ty, &lanes) {
        return Some(vector);
    }
    match shuffled(values, &lanes) {
        Some(operands) if 3 + operands.len() <= words => {
            Some(values.make(Op::VectorShuffle, ty, &operands))
        }
        _ => flattened(values, ty, parts),
    }
}

/// A vector of vectors that are made of parts themselves, and for nothing else.
fn flattened<V: Values>(values: &mut V, ty: Id, parts: &[u32]) -> Option<Id> {
    let mut flat = Vec::new();
    let mut is_new = false;
    for &part in parts {
        match operands_if(values, Id(part), Op::CompositeConstruct) {
            Some(inner) if values.is_used_once(Id(part)) => {
                flat.extend_from_slice(inner);
                is_new = true;
            }
            _ => flat.push(part),
        }
    }
    is_new.then(|| values.make(Op::CompositeConstruct, ty, &flat))
}

/// A product with a vector of which all components are one scalar.
pub(super) fn scaling<V: Values>(values: &mut V, ty: Id, a: Id, b: Id) -> Option<Id> {
    let (ScalarType::Float(_), 2..) = values.shape(ty)? else {
        return None;
    };
    for (vector, splat) in [(a, b), (b, a)] {
        let Some([first, rest @ ..]) = operands_if(values, splat, Op::CompositeConstruct) else {
            continue;
        };
        let first = *first;
        let is_splat = rest.iter().all(|part| *part == first) && !is_vector(values, Id(first));
        if is_splat && values.ty(vector) == ty {
            return Some(values.make(Op::VectorTimesScalar, ty, &[vector.0, first]));
        }
    }
    None
}
