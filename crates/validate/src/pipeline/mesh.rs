//! What a task shader and a mesh shader pass and share.

use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, ExecutionModel as E, Op, StorageClass as S};

use super::built_ins::BuiltIns;
use super::matching::are_equivalent;
use super::part::Part;
use super::problems::{Problems, note_about, note_entry};
use super::resources::Uses;
use crate::finding::Finding;
use crate::rules::generated::pipeline;
use crate::rules::interfaces::listed;
use crate::rules::interfaces::places::Budget;

/// Checks the mesh shader, if there is one.
pub(super) fn check(
    parts: &[Part<'_, '_>],
    uses: &[Uses<'_, '_, '_>],
    problems: &mut Problems<'_>,
) {
    let find = |model: E| parts.iter().find(|it| it.model() == model);
    let Some(mesh) = find(E::MeshEXT) else {
        return;
    };
    let task = find(E::TaskEXT);
    if let Some(task) = task {
        check_draw_index(task, mesh, problems);
    }
    let used = uses.iter().find(|it| it.part.model() == E::MeshEXT);
    let payload = used.and_then(|it| {
        it.others
            .iter()
            .find(|it| it.class == S::TaskPayloadWorkgroupEXT)
    });
    if let Some(payload) = payload {
        check_payload(task, mesh, payload, problems);
    }
}

/// Checks that the number of a draw isn't read where task shaders start meshes.
fn check_draw_index(task: &Part<'_, '_>, mesh: &Part<'_, '_>, problems: &mut Problems<'_>) {
    let mut budget = Budget::of(mesh.m);
    let inputs = BuiltIns::of(mesh, S::Input, &mut budget);
    if let Some((variable, _)) = inputs.find(BuiltIn::DrawIndex) {
        let message = format!(
            "{} is the built-in `DrawIndex` of the {}, which has none behind a {}",
            mesh.m.name(variable),
            mesh.kind(),
            task.kind()
        );
        let finding = Finding::new(&pipeline::DRAW_INDEX, mesh.m.def_offset(variable), message);
        problems.add(mesh, finding, vec![note_entry(task)]);
    }
}

/// Checks that what a mesh shader reads is what the task shader passes.
fn check_payload(
    task: Option<&Part<'_, '_>>,
    mesh: &Part<'_, '_>,
    payload: &listed::Listed<'_>,
    problems: &mut Problems<'_>,
) {
    let rule = &pipeline::TASK_PAYLOAD;
    let (name, offset) = (mesh.m.name(payload.id), payload.inst.offset());
    let Some(task) = task else {
        let message = format!(
            "{name} is the payload of a task shader that the {} uses, but there is no task shader",
            mesh.kind()
        );
        problems.add(mesh, Finding::new(rule, offset, message), Vec::new());
        return;
    };
    let mut passed: Vec<Id> = Vec::new();
    for function in task.m.call_tree(task.entry.function) {
        let range = task.m.functions[function as usize].range.clone();
        let emits = task.m.instructions(range);
        let emits = emits.filter(|it| it.op() == Op::EmitMeshTasksEXT);
        passed.extend(emits.filter_map(|it| it.optional(3)).map(Id));
    }
    let Some(&one) = passed.first() else {
        let message = format!(
            "{name} is the payload that the {} uses, but the {} passes none to `OpEmitMeshTasksEXT`",
            mesh.kind(),
            task.kind()
        );
        problems.add(
            mesh,
            Finding::new(rule, offset, message),
            vec![note_entry(task)],
        );
        return;
    };
    let mut budget = Budget::of(mesh.m);
    let written = listed::variable(task.m, one).and_then(|it| it.ty);
    if let (Some(written), Some(read)) = (written, payload.ty)
        && !are_equivalent(task, written, mesh, read, &mut budget)
    {
        let message = format!(
            "{name} is the payload that the {} uses as {}, but the {} passes {}",
            mesh.kind(),
            mesh.m.show_type(read),
            task.kind(),
            task.m.show_type(written)
        );
        let note = note_about(task, one, format!("what the {} passes", task.kind()));
        problems.add(mesh, Finding::new(rule, offset, message), vec![note]);
    }
}
