//! Do the inputs of a stage match the outputs of the one before (Vulkan, "Interface Matching")?
//!
//! What the specification's rules say of each component of each location is an error to break.
//! Beyond that, the chapter matches whole variables; implementations go by components, so where
//! only that is broken, it is a warning.

use hashbrown::HashSet;
use spirvkit_binary::Id;
use spirvkit_grammar::StorageClass;
use spirvkit_vulkan::Feature;

use super::elements::{Element, Scalar, Side, Taken, scalar};
use super::part::Part;
use super::problems::{Problems, note_about, note_entry};
use crate::finding::Finding;
use crate::module::{Lookup, Type};
use crate::options::Env;
use crate::rules::generated::pipeline;
use crate::rules::interfaces::places::Budget;

/// A stage with what it passes.
#[derive(Clone, Copy)]
struct End<'p, 'm, 'a> {
    part: &'p Part<'m, 'a>,
    side: &'p Side,
}

impl End<'_, '_, '_> {
    fn element(&self, taken: &Taken) -> &Element {
        &self.side.elements[taken.element as usize]
    }
}

/// Checks the inputs of a stage against the outputs of the one before.
pub(super) fn check(producer: &Part<'_, '_>, consumer: &Part<'_, '_>, problems: &mut Problems<'_>) {
    let mut budget = Budget::of(producer.m);
    let outputs = Side::of(producer, StorageClass::Output, &mut budget);
    let from = End {
        part: producer,
        side: &outputs,
    };
    let mut budget = Budget::of(consumer.m);
    let inputs = Side::of(consumer, StorageClass::Input, &mut budget);
    let to = End {
        part: consumer,
        side: &inputs,
    };
    let slots = outputs.slots();
    let find = |taken: &Taken, is_patch: bool, component: usize| {
        let slot = slots.get(&(is_patch, taken.location))?;
        let number = slot[component].checked_sub(1)?;
        Some(&outputs.taken[number as usize])
    };
    let mut budget = Budget::of(consumer.m);
    for group in inputs.taken.chunk_by(|a, b| a.element == b.element) {
        let Some(input) = group.first().map(|taken| to.element(taken)) else {
            continue;
        };
        let mut sources: Vec<(&Taken, &Taken)> = Vec::new();
        let mut is_fine = true;
        for taken in group {
            for component in taken.components() {
                let Some(source) = find(taken, input.place.is_patch, component) else {
                    let other = find(taken, !input.place.is_patch, component);
                    let near = (0..4).find_map(|it| find(taken, input.place.is_patch, it));
                    missing(from, to, (taken, component), (other, near), problems);
                    is_fine = false;
                    break;
                };
                sources.push((taken, source));
            }
            if !is_fine {
                break;
            }
        }
        if is_fine && !group.is_empty() {
            compare(from, to, input, &sources, &mut budget, problems);
        }
    }
}

/// A component of a location in words.
fn place_of(taken: &Taken, component: usize) -> String {
    match component {
        0 => format!("location {}", taken.location),
        _ => format!("component {component} of location {}", taken.location),
    }
}

/// Says that nothing is written where an input reads. There may be something for each patch instead of
/// each vertex, or the other way round, or in other components of the location.
fn missing(
    from: End<'_, '_, '_>,
    to: End<'_, '_, '_>,
    (taken, component): (&Taken, usize),
    (other, near): (Option<&Taken>, Option<&Taken>),
    problems: &mut Problems<'_>,
) {
    let input = to.element(taken);
    let (name, at) = (input.name(to.part), place_of(taken, component));
    if let Some(other) = other {
        let output = from.element(other);
        let which = |element: &Element| match element.place.is_patch {
            true => "is for each patch (`Patch`)",
            false => "is for each vertex",
        };
        let message = format!(
            "{name}, an input of the {} at {at}, {}, but the output of the {} there {}",
            to.part.kind(),
            which(input),
            from.part.kind(),
            which(output)
        );
        let rule = &pipeline::DECORATION;
        let finding = Finding::new(rule, input.offset(to.part), message);
        problems.add(to.part, finding, vec![note_output(from, output)]);
        return;
    }
    let message = format!(
        "{name}, an input of the {}, reads {at}, where the {} has no output",
        to.part.kind(),
        from.part.kind()
    );
    let rule = &pipeline::NO_OUTPUT;
    let finding = Finding::new(rule, input.offset(to.part), message);
    let mut notes = vec![note_entry(from.part)];
    if let Some(near) = near {
        notes.push(note_output(from, from.element(near)));
    }
    problems.add(to.part, finding, notes);
}

fn note_output(from: End<'_, '_, '_>, output: &Element) -> super::StageNote {
    let message = match output.member {
        None => format!("the output of the {}", from.part.kind()),
        Some((_, member)) => format!(
            "member {member} of this block is the output of the {}",
            from.part.kind()
        ),
    };
    note_about(from.part, output.variable, message)
}

/// Compares an input with the outputs that are where it reads: one of each for each component.
fn compare(
    from: End<'_, '_, '_>,
    to: End<'_, '_, '_>,
    input: &Element,
    sources: &[(&Taken, &Taken)],
    budget: &mut Budget,
    problems: &mut Problems<'_>,
) {
    let Some(&(_, first)) = sources.first() else {
        return;
    };
    let name = input.name(to.part);
    let offset = input.offset(to.part);
    for &(taken, source) in sources {
        let own = scalar(to.part, taken.piece.ty);
        let other = scalar(from.part, source.piece.ty);
        if own != other {
            let output = from.element(source);
            let message = format!(
                "{name}, an input of the {} at location {}, is {}, but the output of the {} there is {}",
                to.part.kind(),
                taken.location,
                describe(to.part, taken.piece.ty, own),
                from.part.kind(),
                describe(from.part, source.piece.ty, other),
            );
            let finding = Finding::new(&pipeline::TYPE, offset, message);
            problems.add(to.part, finding, vec![note_output(from, output)]);
            return;
        }
    }
    for &(_, source) in sources {
        let output = from.element(source);
        if output.place.is_per_primitive != input.place.is_per_primitive {
            let (own, other) = match input.place.is_per_primitive {
                true => ("for each primitive (`PerPrimitiveEXT`)", "for each vertex"),
                false => ("for each vertex", "for each primitive (`PerPrimitiveEXT`)"),
            };
            let message = format!(
                "{name}, an input of the {} at location {}, is {own}, but the output of the {} there is {other}",
                to.part.kind(),
                source.location,
                from.part.kind(),
            );
            let finding = Finding::new(&pipeline::DECORATION, offset, message);
            problems.add(to.part, finding, vec![note_output(from, output)]);
            return;
        }
    }
    let output = from.element(first);
    let is_one = sources.iter().all(|(_, it)| it.element == first.element);
    let starts_alike =
        output.location == input.location && output.place.component == input.place.component;
    let is_same_sort = input.member.is_some() == output.member.is_some();
    if is_one && starts_alike && are_vectors(from.part, output.ty, to.part, input.ty) {
        let (has, reads) = (
            from.part.m.dimension(output.ty),
            to.part.m.dimension(input.ty),
        );
        if has > reads
            && let Some((lacks, vuid)) = lacks_longer_outputs(problems)
        {
            let message = format!(
                "{name}, an input of the {}, has {reads} components, but the output of the {} has {has}, {lacks}",
                to.part.kind(),
                from.part.kind(),
            );
            let finding = Finding::new(&pipeline::VECTOR_SIZE, offset, message).vuid(vuid);
            problems.add(to.part, finding, vec![note_output(from, output)]);
            return;
        }
        if is_same_sort {
            return;
        }
    }
    let is_same = is_one && starts_alike && is_same_sort;
    if is_same && are_equivalent(from.part, output.ty, to.part, input.ty, budget) {
        return;
    }
    let what = match (is_one, input.member, output.member) {
        (false, ..) => format!("takes parts of several outputs of the {}", from.part.kind()),
        (true, Some(_), None) => format!(
            "is part of a block, but the output of the {} is not",
            from.part.kind()
        ),
        (true, None, Some(_)) => format!(
            "is no part of a block, but the output of the {} is",
            from.part.kind()
        ),
        _ if !starts_alike => format!(
            "begins within the output of the {} that it reads",
            from.part.kind()
        ),
        _ => format!(
            "is {}, but the output of the {} is {}",
            to.part.m.show_type(input.ty),
            from.part.kind(),
            from.part.m.show_type(output.ty)
        ),
    };
    let message = format!("{name}, an input of the {}, {what}", to.part.kind());
    let finding = Finding::new(&pipeline::SHAPE, offset, message);
    problems.add(to.part, finding, vec![note_output(from, output)]);
}

/// A type, and what it is made of where that isn't in its name.
fn describe(part: &Part<'_, '_>, ty: Id, scalar: Scalar) -> String {
    let shown = part.m.show_type(ty);
    match scalar {
        Scalar::Address => "an address".to_owned(),
        _ => shown,
    }
}

fn are_vectors(producer: &Part<'_, '_>, output: Id, consumer: &Part<'_, '_>, input: Id) -> bool {
    producer.m.is_vector(output) && consumer.m.is_vector(input)
}

/// Why outputs can't have more components than the inputs that read them, if so, and by which rule.
fn lacks_longer_outputs(problems: &Problems<'_>) -> Option<(String, &'static str)> {
    let options = problems.options;
    if let Some(feature) = Feature::named("maintenance4") {
        let mut devices = options.devices.iter();
        if let Some(device) = devices.find(|device| !device.has(feature)) {
            let name = device.name();
            let lacks = format!("for which `{name}` would need the feature `maintenance4`");
            return Some((lacks, "VUID-RuntimeSpirv-maintenance4-06817"));
        }
    }
    let is_old = !Env::new(options.env).is_vulkan_since(1) && options.devices.is_empty();
    is_old.then(|| {
        let lacks = "which takes the feature `maintenance4` and Vulkan 1.1".to_owned();
        (lacks, "VUID-RuntimeSpirv-OpTypeVector-06816")
    })
}

/// Whether types of two modules are declared alike.
pub(super) fn are_equivalent(
    producer: &Part<'_, '_>,
    output: Id,
    consumer: &Part<'_, '_>,
    input: Id,
    budget: &mut Budget,
) -> bool {
    let mut todo = vec![(output, input)];
    let mut seen = HashSet::new();
    while let Some((output, input)) = todo.pop() {
        if !seen.insert((output, input)) {
            continue;
        }
        // Of what takes too long, nothing is said.
        if !budget.spend(1) {
            return true;
        }
        let (a, b) = (producer.m, consumer.m);
        let is_alike = match (a.ty(output), b.ty(input)) {
            (
                Type::Array {
                    element: one,
                    length: length_a,
                },
                Type::Array {
                    element: other,
                    length: length_b,
                },
            ) => {
                todo.push((one, other));
                let lengths = (producer.number(length_a), consumer.number(length_b));
                matches!(lengths, (None, _) | (_, None)) || lengths.0 == lengths.1
            }
            (Type::RuntimeArray { element: one }, Type::RuntimeArray { element: other }) => {
                todo.push((one, other));
                true
            }
            (Type::Struct { members: one }, Type::Struct { members: other }) => {
                if !budget.spend(one.len()) {
                    return true;
                }
                let pairs = one.iter().zip(other);
                todo.extend(pairs.map(|(&one, &other)| (Id(one), Id(other))));
                one.len() == other.len()
            }
            (
                Type::Matrix {
                    column: one,
                    count: count_a,
                },
                Type::Matrix {
                    column: other,
                    count: count_b,
                },
            ) => {
                todo.push((one, other));
                count_a == count_b
            }
            (Type::Vector { .. } | Type::LongVector { .. }, _)
            | (_, Type::Vector { .. } | Type::LongVector { .. }) => {
                let are_vectors = a.is_vector(output) && b.is_vector(input);
                are_vectors
                    && a.dimension(output) == b.dimension(input)
                    && scalar(producer, output) == scalar(consumer, input)
            }
            (Type::Int { .. } | Type::Float { .. }, Type::Int { .. } | Type::Float { .. }) => {
                scalar(producer, output) == scalar(consumer, input)
            }
            _ => a.op_of(output) == b.op_of(input),
        };
        if !is_alike {
            return false;
        }
    }
    true
}
