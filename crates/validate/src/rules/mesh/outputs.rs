//! How many outputs mesh shaders have, and that they say so first; and that task shaders start any.

use hashbrown::HashSet;
use spirvkit_grammar::{Capability, ExecutionMode, ExecutionModel, Op, StorageClass};

use crate::finding::{CheckResult, Finding, Reporter, all, expect};
use crate::module::{EntryPoint, Inst, Lookup, Module};
use crate::rules::generated::mesh;

/// Checks all task and mesh shaders, as Vulkan asks.
pub(super) fn check(m: &Module<'_>, reporter: &mut Reporter) {
    // Many entry points may share one large tree of calls, whose rest is left unchecked then.
    let mut left = m.words.len().saturating_mul(4) + (1 << 16);
    let mut seen = HashSet::new();
    let mut effects = None;
    for entry in &m.entry_points {
        let is_task = entry.model == ExecutionModel::TaskEXT;
        let has_rules = is_task || entry.model == ExecutionModel::MeshEXT;
        if !has_rules || !seen.insert(entry.function) || reporter.is_full() {
            continue;
        }
        let tree = m.call_tree(entry.function);
        let functions = tree
            .iter()
            .filter_map(|&index| m.functions.get(index as usize));
        let words = functions.clone().map(|function| function.range.len());
        left = left.saturating_sub(words.sum::<usize>() + tree.len());
        if left == 0 {
            return;
        }
        if is_task {
            let mut all = functions.flat_map(|function| m.instructions(function.range.clone()));
            let emits = all.any(|inst| inst.op() == Op::EmitMeshTasksEXT);
            reporter.note(expect(emits, || no_tasks(entry)));
            continue;
        }
        let mut sets = Vec::new();
        let mut write = None;
        for function in functions {
            for inst in m.instructions(function.range.clone()) {
                if inst.op() == Op::SetMeshOutputsEXT {
                    sets.push(inst);
                } else if write.is_none() && writes_output(m, inst) {
                    write = Some(inst);
                }
            }
        }
        reporter.note(check_counts(m, entry, &sets));
        let early = match sets.is_empty() {
            true => write,
            false => early_write(m, tree[0], effects.get_or_insert_with(|| effects_of(m))),
        };
        reporter.note(check_order(m, entry, early));
    }
}

fn no_tasks(entry: &EntryPoint<'_>) -> Finding {
    let message = format!(
        "the task shader \"{}\" starts no mesh shaders: it has no OpEmitMeshTasksEXT",
        entry.name()
    );
    Finding::new(&mesh::NO_TASKS, entry.inst.offset(), message).warning()
}

/// Checks that counts that are constants are no larger than what the modes say.
fn check_counts(m: &Module<'_>, entry: &EntryPoint<'_>, sets: &[Inst<'_>]) -> CheckResult {
    let mode = |wanted: ExecutionMode| {
        let mut modes = m.execution_modes(entry.function);
        modes.find(|inst| ExecutionMode(inst.arg(1)) == wanted)
    };
    let limits = [
        (ExecutionMode::OutputVertices, 0),
        (ExecutionMode::OutputPrimitivesEXT, 1),
    ];
    all(limits.into_iter().flat_map(|(wanted, index)| {
        let limit = mode(wanted);
        sets.iter().map(move |set| {
            let (Some(limit), Some(count)) = (limit, m.constant_u64(set.id(index))) else {
                return Ok(());
            };
            let most = limit.arg(2);
            if count <= u64::from(most) {
                return Ok(());
            }
            let message = format!(
                "OpSetMeshOutputsEXT sets a count of {count}, but `{wanted}` of \"{}\" is {most}",
                entry.name()
            );
            let rule = &mesh::COUNT_LIMIT;
            let finding = Finding::new(rule, set.offset(), message).vuid(rule.vuids[index]);
            let finding = finding.operand(m, set.id(index));
            Err(finding.at(limit.offset(), "the limit is declared here"))
        })
    }))
}

/// Whether an instruction writes an output.
fn writes_output(m: &Module<'_>, inst: Inst<'_>) -> bool {
    let writes = matches!(inst.op(), Op::Store | Op::CopyMemory | Op::CopyMemorySized);
    writes && m.type_of(inst.id(0)).and_then(|ty| m.pointer_class(ty)) == Some(StorageClass::Output)
}

/// What a function does, itself or by what it calls: sets how many outputs there are, or writes
/// some.
#[derive(Clone, Copy, Default)]
struct Effects {
    sets: bool,
    writes: bool,
}

/// The effects of all functions of mesh shaders, by their indexes.
fn effects_of(m: &Module<'_>) -> Vec<Effects> {
    let mut effects = vec![Effects::default(); m.functions.len()];
    let mut callers: Vec<(u32, u32)> = Vec::new();
    let mut todo = Vec::new();
    for (index, function) in m.functions.iter().enumerate() {
        if !function.models.contains(ExecutionModel::MeshEXT) {
            continue;
        }
        let own = &mut effects[index];
        for inst in m.instructions(function.range.clone()) {
            own.sets |= inst.op() == Op::SetMeshOutputsEXT;
            own.writes |= writes_output(m, inst);
        }
        let called = m.called_functions(index as u32);
        callers.extend(called.map(|callee| (callee, index as u32)));
        todo.push(index as u32);
    }
    callers.sort_unstable();
    while let Some(callee) = todo.pop() {
        let Some(&Effects { sets, writes }) = effects.get(callee as usize) else {
            continue;
        };
        let start = callers.partition_point(|call| call.0 < callee);
        let calls = callers[start..].iter().take_while(|call| call.0 == callee);
        for &(_, caller) in calls {
            let Some(known) = effects.get_mut(caller as usize) else {
                continue;
            };
            // Each changes twice at most.
            if sets && !known.sets || writes && !known.writes {
                known.sets |= sets;
                known.writes |= writes;
                todo.push(caller);
            }
        }
    }
    effects
}

/// A write in a function before which nothing can have set the number of outputs.
fn early_write<'a>(m: &Module<'a>, function: u32, effects: &[Effects]) -> Option<Inst<'a>> {
    let (range, blocks) = {
        let function = m.functions.get(function as usize)?;
        (function.range.clone(), function.blocks.clone())
    };
    let blocks = m.blocks.get(blocks.start as usize..blocks.end as usize)?;
    let called = |inst: Inst<'_>| {
        let callee = m.function_index(inst.id(0));
        let callee = callee.filter(|_| inst.op() == Op::FunctionCall);
        callee
            .and_then(|callee| effects.get(callee as usize))
            .copied()
    };
    let may_set = |inst: Inst<'_>| {
        inst.op() == Op::SetMeshOutputsEXT || called(inst).is_some_and(|callee| callee.sets)
    };
    // In which order a function that is called does both, is not followed.
    let writes = |inst: Inst<'_>| {
        writes_output(m, inst) || called(inst).is_some_and(|callee| callee.writes && !callee.sets)
    };
    let first = m.instructions(range.clone()).find(|&inst| may_set(inst))?;
    let candidate = m
        .instructions(range.start..first.offset())
        .find(|&inst| writes(inst))?;
    // In a loop, even what stands further down comes before.
    let flow = m.control_flow(function)?;
    let node_at = |offset: u32| {
        let index = blocks
            .partition_point(|block| block.start <= offset)
            .checked_sub(1)?;
        flow.node(blocks[index].id)
    };
    let target = node_at(candidate.offset())?;
    let mut todo: Vec<_> = m
        .instructions(range)
        .filter(|&inst| may_set(inst))
        .filter_map(|inst| node_at(inst.offset()))
        .collect();
    let mut seen: HashSet<_> = HashSet::new();
    while let Some(node) = todo.pop() {
        for &next in flow.targets(node) {
            if next == target {
                return None;
            }
            if seen.insert(next) {
                todo.push(next);
            }
        }
    }
    Some(candidate)
}

fn check_order(m: &Module<'_>, entry: &EntryPoint<'_>, early: Option<Inst<'_>>) -> CheckResult {
    let Some(inst) = early else {
        return Ok(());
    };
    let (writer, label) = match inst.op() {
        Op::FunctionCall => (m.name(inst.id(0)), "the function begins here"),
        op => (op.to_string(), "the output is chosen here"),
    };
    let message = format!(
        "{writer} writes an output of \"{}\" before OpSetMeshOutputsEXT sets how many there are",
        entry.name()
    );
    let finding = Finding::new(&mesh::OUTPUTS_FIRST, inst.offset(), message).warning();
    Err(finding.about(m, inst.id(0), label))
}

/// Checks that a module doesn't have entry points of both extensions.
pub(super) fn check_extensions(m: &Module<'_>) -> CheckResult {
    let find = |models: [ExecutionModel; 2]| {
        let mut entries = m.entry_points.iter();
        entries.find(|entry| models.contains(&entry.model))
    };
    if !m.has(Capability::MeshShadingNV) || !m.has(Capability::MeshShadingEXT) {
        return Ok(());
    }
    let new = find([ExecutionModel::TaskEXT, ExecutionModel::MeshEXT]);
    let old = find([ExecutionModel::TaskNV, ExecutionModel::MeshNV]);
    let (Some(new), Some(old)) = (new, old) else {
        return Ok(());
    };
    let message = format!(
        "a module can't have entry points for both `{}` and `{}`",
        new.model, old.model
    );
    let finding = Finding::new(&mesh::EXTENSIONS, old.inst.offset(), message);
    Err(finding.at(new.inst.offset(), "the other entry point is declared here"))
}
