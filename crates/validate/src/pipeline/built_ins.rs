//! Built-ins that stages pass to each other.

use hashbrown::HashSet;
use spirvkit_analysis::ModuleIndex;
use spirvkit_analysis::ways::{Step, states_at_end, writes_of};
use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn as B, ExecutionModel as E, Op, StorageClass};

use super::matching::are_equivalent;
use super::part::Part;
use super::problems::{Problems, note_about, note_entry};
use crate::finding::Finding;
use crate::module::Lookup;
use crate::rules::generated::pipeline;
use crate::rules::interfaces::listed;
use crate::rules::interfaces::places::{self, Budget, Place};

/// A built-in that a stage reads or writes.
struct Member {
    built_in: B,
    variable: Id,
    /// What it holds, without the array of vertices.
    ty: Id,
    /// Whether it is a member of a block.
    is_member: bool,
}

/// The built-ins of a stage in a storage class.
#[derive(Default)]
pub(super) struct BuiltIns {
    all: Vec<Member>,
    /// The block of them, if there is one: its variable and how many of the members, of which it
    /// has the first, are its.
    block: Option<(Id, Vec<B>)>,
}

impl BuiltIns {
    pub(super) fn of(part: &Part<'_, '_>, class: StorageClass, budget: &mut Budget) -> Self {
        let m = part.m;
        let mut found = Self::default();
        for listed in listed::variables(m, &part.entry).filter(|it| it.class == class) {
            let Some(mut ty) = listed.ty else { continue };
            let place = Place::of(m, listed.id);
            if place.is_arrayed(part.model(), class) {
                ty = part.element(ty);
            }
            if let Some(built_in) = place.built_in {
                found.all.push(Member {
                    built_in,
                    variable: listed.id,
                    ty,
                    is_member: false,
                });
                continue;
            }
            let facts = m.structure_facts(ty);
            let members = m.members(ty);
            if !facts.is_block || !facts.has_built_ins || !budget.spend(4 * members.len()) {
                continue;
            }
            let places = place.of_members(m, ty).into_iter().zip(members);
            let own = places.filter_map(|(place, &member)| {
                Some(Member {
                    built_in: place.built_in?,
                    variable: listed.id,
                    ty: Id(member),
                    is_member: true,
                })
            });
            let own: Vec<Member> = own.collect();
            let names = own.iter().map(|it| it.built_in).collect();
            found.block.get_or_insert((listed.id, names));
            found.all.extend(own);
        }
        found
    }

    /// The variable with a built-in, and its type.
    pub(super) fn find(&self, built_in: B) -> Option<(Id, Id)> {
        let found = self.get(built_in)?;
        Some((found.variable, found.ty))
    }

    /// Whether a built-in is a member of a block.
    pub(super) fn is_member(&self, built_in: B) -> bool {
        self.get(built_in).is_some_and(|it| it.is_member)
    }

    /// How many components they have together.
    pub(super) fn components(&self, part: &Part<'_, '_>, budget: &mut Budget) -> u64 {
        let length = |ty| part.length(ty).unwrap_or(1);
        let mut pieces = Vec::new();
        for member in &self.all {
            // What has no place is an error of the module.
            let _ = places::flatten(part.m, member.ty, length, |_| {}, &mut pieces, budget);
        }
        pieces.iter().map(|it| u64::from(it.components)).sum()
    }

    fn get(&self, built_in: B) -> Option<&Member> {
        self.all.iter().find(|it| it.built_in == built_in)
    }
}

/// Whether a stage gets a built-in from the one before.
fn is_passed(built_in: B, consumer: E) -> bool {
    match built_in {
        B::Position | B::PointSize | B::PositionPerViewNV | B::SecondaryPositionNV => true,
        B::ClipDistance | B::CullDistance => true,
        B::TessLevelInner | B::TessLevelOuter => consumer == E::TessellationEvaluation,
        _ => false,
    }
}

/// Checks the built-ins that a stage reads against those that the one before has.
pub(super) fn check(producer: &Part<'_, '_>, consumer: &Part<'_, '_>, problems: &mut Problems<'_>) {
    let mut budget = Budget::of(producer.m);
    let outputs = BuiltIns::of(producer, StorageClass::Output, &mut budget);
    let mut budget = Budget::of(consumer.m);
    let inputs = BuiltIns::of(consumer, StorageClass::Input, &mut budget);
    if consumer.model() == E::Fragment {
        check_primitive_id(producer, &outputs, consumer, &inputs, problems);
    }
    let has_block_error = consumer.model() != E::Fragment
        && check_block(producer, &outputs, consumer, &inputs, problems);
    for input in &inputs.all {
        if has_block_error || !is_passed(input.built_in, consumer.model()) {
            continue;
        }
        let (name, offset) = (
            consumer.m.name(input.variable),
            consumer.m.def_offset(input.variable),
        );
        let Some(output) = outputs.get(input.built_in) else {
            // A fragment shader reads something all the same.
            if consumer.model() != E::Fragment {
                let message = format!(
                    "{name} is the built-in `{}` that the {} reads, but the {} doesn't have it",
                    input.built_in,
                    consumer.kind(),
                    producer.kind()
                );
                let finding = Finding::new(&pipeline::BUILT_IN_MISSING, offset, message);
                // Compilers declare whole blocks, whatever is used of them.
                let finding = match input.is_member {
                    true => finding.warning(),
                    false => finding,
                };
                problems.add(consumer, finding, vec![note_entry(producer)]);
            }
            continue;
        };
        if !are_equivalent(producer, output.ty, consumer, input.ty, &mut budget) {
            let message = format!(
                "{name} has the built-in `{}` as {} in the {}, but the {} has it as {}",
                input.built_in,
                consumer.m.show_type(input.ty),
                consumer.kind(),
                producer.kind(),
                producer.m.show_type(output.ty)
            );
            let finding = Finding::new(&pipeline::BUILT_IN_TYPE, offset, message);
            let message = format!("it is an output of the {} here", producer.kind());
            let note = note_about(producer, output.variable, message);
            problems.add(consumer, finding, vec![note]);
        }
    }
}

/// Checks that blocks of built-ins have the same members. Returns whether they don't.
fn check_block(
    producer: &Part<'_, '_>,
    outputs: &BuiltIns,
    consumer: &Part<'_, '_>,
    inputs: &BuiltIns,
    problems: &mut Problems<'_>,
) -> bool {
    let (Some((output, written)), Some((input, read))) = (&outputs.block, &inputs.block) else {
        return false;
    };
    if written == read {
        return false;
    }
    let list = |all: &[B]| {
        let names = all.iter().take(8).map(|it| format!("`{it}`"));
        names.collect::<Vec<_>>().join(", ")
    };
    let message = format!(
        "{}, the block of built-ins that the {} reads, has {}, but that of the {} has {}",
        consumer.m.name(*input),
        consumer.kind(),
        list(read),
        producer.kind(),
        list(written)
    );
    let rule = &pipeline::BUILT_IN_BLOCK;
    let finding = Finding::new(rule, consumer.m.def_offset(*input), message);
    let message = format!("the block of built-ins of the {}", producer.kind());
    problems.add(
        consumer,
        finding,
        vec![note_about(producer, *output, message)],
    );
    true
}

/// Checks that a primitive's number that a fragment shader reads is written.
fn check_primitive_id(
    producer: &Part<'_, '_>,
    outputs: &BuiltIns,
    consumer: &Part<'_, '_>,
    inputs: &BuiltIns,
    problems: &mut Problems<'_>,
) {
    let rule = &pipeline::PRIMITIVE_ID;
    let vuid = match producer.model() {
        E::Geometry => rule.vuids[0],
        E::MeshEXT | E::MeshNV => rule.vuids[1],
        // Between these two, nothing could write it.
        _ => return,
    };
    let Some(input) = inputs.get(B::PrimitiveId) else {
        return;
    };
    let output = outputs.get(B::PrimitiveId).map(|it| it.variable);
    let (doesnt, note) = match output.map(|it| (it, written(producer, it, B::PrimitiveId))) {
        None => ("doesn't write it", note_entry(producer)),
        Some((_, Written::Always)) => return,
        Some((output, Written::Never)) => (
            "declares it and doesn't write it",
            note_about(producer, output, "it is declared here"),
        ),
        Some((output, Written::Sometimes)) => (
            "emits vertices without having written it",
            note_about(producer, output, "it is not written on all ways"),
        ),
    };
    let message = format!(
        "{} is the built-in `PrimitiveId` that the {} reads, but the {} {doesnt}",
        consumer.m.name(input.variable),
        consumer.kind(),
        producer.kind()
    );
    let finding = Finding::new(rule, consumer.m.def_offset(input.variable), message).vuid(vuid);
    problems.add(consumer, finding, vec![note]);
}

/// On how many ways to what is drawn a shader writes an output.
pub(super) enum Written {
    Never,
    Sometimes,
    /// Or nobody knows.
    Always,
}

/// On how many ways a stage writes a built-in, whether or not it is among its outputs, and the first
/// instruction that does.
pub(super) fn written_built_in(part: &Part<'_, '_>, built_in: B) -> (Written, Option<u32>) {
    let mut budget = Budget::of(part.m);
    let outputs = BuiltIns::of(part, StorageClass::Output, &mut budget);
    let writes = match outputs.get(built_in) {
        None => Some(Vec::new()),
        Some(output) => writes_of(part.m, output.variable, built_in),
    };
    match writes {
        None => (Written::Always, None),
        Some(writes) => (ways_of(part, &writes), first_reached(part, &writes)),
    }
}

/// How a stage writes an output.
fn written(part: &Part<'_, '_>, output: Id, built_in: B) -> Written {
    let writes = writes_of(part.m, output, built_in);
    writes.map_or(Written::Always, |writes| ways_of(part, &writes))
}

/// The first of these instructions that a stage reaches.
fn first_reached(part: &Part<'_, '_>, writes: &[u32]) -> Option<u32> {
    let reached: HashSet<u32> = part.m.call_tree(part.entry.function).into_iter().collect();
    let function_at = |at: u32| part.m.function_at(at);
    let mut all = writes.iter().copied();
    all.find(|&at| function_at(at).is_some_and(|function| reached.contains(&function)))
}

/// On how many ways a stage reaches one of these instructions: a geometry shader before the first vertex
/// that it emits, others anywhere. Which invocations of a mesh shader write which primitives is not
/// followed.
fn ways_of(part: &Part<'_, '_>, writes: &[u32]) -> Written {
    const WRITE: Step = [1, 1, 2, 2];
    const EMIT: Step = [2, 1, 2, 2];
    let m: &ModuleIndex<'_> = part.m;
    let has_any = first_reached(part, writes).is_some();
    let is_late = part.model() == E::Geometry && {
        let ends = states_at_end(m, part.entry.function, |inst| match inst.op() {
            Op::EmitVertex | Op::EmitStreamVertex => Some(EMIT),
            _ => writes.binary_search(&inst.offset()).ok().map(|_| WRITE),
        });
        ends.is_some_and(|ends| ends.contains(2))
    };
    match (part.model(), has_any) {
        (E::Geometry, _) if !is_late => Written::Always,
        (E::Geometry, true) => Written::Sometimes,
        (_, true) => Written::Always,
        (_, false) => Written::Never,
    }
}
