//! Task and mesh shaders (SPV_EXT_mesh_shader, SPV_NV_mesh_shader).

mod outputs;
mod view_index;

use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, ExecutionModel, Op, StorageClass};

use super::Family;
use crate::finding::{CheckResult, Finding, Reporter, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Inst, Lookup, Models, Module, Type};
use crate::pattern::{INT, UNSIGNED};
use crate::rules::generated::mesh;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::SetMeshOutputsEXT,
        Op::EmitMeshTasksEXT,
        Op::WritePackedPrimitiveIndices4x8NV,
    ],
    check,
    check_module: Some(check_module),
};

const TASK: Models = Models::of(&[ExecutionModel::TaskEXT]);
const MESH: Models = Models::of(&[ExecutionModel::MeshEXT]);
const MESH_NV: Models = Models::of(&[ExecutionModel::MeshNV]);

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::SetMeshOutputsEXT => all([
            check_count(at, 0, true),
            check_count(at, 1, true),
            at.expect_models(&mesh::EXECUTION_MODEL, MESH),
        ]),
        Op::EmitMeshTasksEXT => all([
            all((0..3).map(|index| check_count(at, index, true))),
            check_payload(at),
            at.expect_models(&mesh::EXECUTION_MODEL, TASK),
        ]),
        _ => all([
            check_count(at, 0, false),
            check_count(at, 1, false),
            at.expect_models(&mesh::EXECUTION_MODEL, MESH_NV),
        ]),
    }
}

fn check_count(at: &InstCtx<'_, '_>, index: usize, unsigned: bool) -> CheckResult {
    let wanted = if unsigned { UNSIGNED } else { INT };
    at.expect_operand(&mesh::COUNT, index, wanted.widths(&[32]))
}

fn check_payload(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.optional(3) {
        Some(_) => {
            at.expect_variable_in(&mesh::PAYLOAD, 3, &[StorageClass::TaskPayloadWorkgroupEXT])
        }
        None => Ok(()),
    }
}

/// The storage class of a variable; `None` for anything else.
fn variable_class(m: &Module<'_>, id: Id) -> Option<StorageClass> {
    let def = m.def(id)?;
    def.op().is_variable().then(|| StorageClass(def.arg(0)))
}

fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    let (mut has_mesh, mut has_task) = (false, false);
    for entry in &m.entry_points {
        let is_mesh = entry.model == ExecutionModel::MeshEXT;
        let is_fragment = entry.model == ExecutionModel::Fragment;
        has_mesh |= is_mesh;
        let is_task = entry.model == ExecutionModel::TaskEXT;
        has_task |= is_task;
        if is_mesh || is_task {
            let payloads = entry.interface.iter().filter(|&&id| {
                variable_class(m, Id(id)) == Some(StorageClass::TaskPayloadWorkgroupEXT)
            });
            let count = payloads.count();
            if count > 1 {
                let message = format!(
                    "the entry point's interface has {count} variables in `TaskPayloadWorkgroupEXT`, but may have \
                     only one"
                );
                reporter.add(Finding::new(
                    &mesh::ONE_PAYLOAD,
                    entry.inst.offset(),
                    message,
                ));
            }
        }
        if is_mesh || is_fragment && m.has(spirvkit_grammar::Capability::MeshShadingEXT) {
            for &variable in entry.interface {
                if let Err(finding) = check_variable(m, Id(variable), is_mesh) {
                    reporter.add(finding);
                }
            }
        }
    }
    if m.env.is_vulkan() {
        reporter.note(outputs::check_extensions(m));
    }
    if (has_mesh || has_task) && m.env.is_vulkan() {
        outputs::check(m, reporter);
    }
    if has_mesh && m.env.is_vulkan() {
        check_reads(m, reporter);
        view_index::check(m, reporter);
    }
}

/// Checks a variable in the interface of a mesh or a fragment shader.
fn check_variable(m: &Module<'_>, variable: Id, is_mesh: bool) -> CheckResult {
    let Some(class) = variable_class(m, variable) else {
        return Ok(());
    };
    let (wanted, stage) = match is_mesh {
        true => (StorageClass::Output, "mesh"),
        false => (StorageClass::Input, "fragment"),
    };
    let offset = m.def_offset(variable);
    if class != wanted && m.is_decorated(variable, Decoration::PerPrimitiveEXT) {
        let message = format!(
            "`PerPrimitiveEXT` in a {stage} shader is for `{wanted}`, but {} is in `{class}`",
            m.name(variable)
        );
        return Err(Finding::new(&mesh::PER_PRIMITIVE, offset, message));
    }
    if !is_mesh || class != StorageClass::Output {
        return Ok(());
    }
    let Some(pointee) = m.type_of(variable).and_then(|ty| m.pointee(ty)) else {
        return Ok(());
    };
    // What built-ins need is said of each of them.
    let is_built_in = m.is_decorated(variable, Decoration::BuiltIn)
        || m.has_decoration_anywhere(pointee, Decoration::BuiltIn);
    if matches!(m.ty(pointee), Type::Array { .. }) || is_built_in {
        return Ok(());
    }
    let message = format!(
        "{} is an output of a mesh shader, so it must be an array, but is of type {}",
        m.name(variable),
        m.show_type(pointee)
    );
    Err(Finding::new(&mesh::OUTPUT_ARRAY, offset, message).about(
        m,
        pointee,
        "its type is declared here",
    ))
}

/// Looks for reads of outputs in mesh shaders.
fn check_reads(m: &Module<'_>, reporter: &mut Reporter) {
    for function in &m.functions {
        if !function.models.contains(ExecutionModel::MeshEXT) {
            continue;
        }
        let read = m
            .instructions(function.range.clone())
            .find(|inst| reads_output(m, inst));
        if let Some(inst) = read {
            let message = format!(
                "{} reads an output of a mesh shader, which is not allowed in Vulkan",
                inst.op()
            );
            reporter.add(Finding::new(&mesh::OUTPUT_READ, inst.offset(), message));
        }
    }
}

fn reads_output(m: &Module<'_>, inst: &Inst<'_>) -> bool {
    let source = match inst.op() {
        Op::Load => inst.id(0),
        Op::CopyMemory | Op::CopyMemorySized => inst.id(1),
        _ => return false,
    };
    let class = m.type_of(source).and_then(|ty| m.pointer_class(ty));
    class == Some(StorageClass::Output)
}
