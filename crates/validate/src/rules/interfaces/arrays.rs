//! Which inputs and outputs of stages are arrays in Vulkan.

use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, ExecutionModel, StorageClass};

use super::listed::Listed;
use crate::finding::{CheckResult, Finding, all, expect};
use crate::module::{Contents, EntryPoint, Lookup, Module, Type};
use crate::rules::generated::{interface, variable};

/// Checks an input or an output that an entry point lists.
pub(super) fn check(m: &Module<'_>, entry: &EntryPoint<'_>, listed: &Listed<'_>) -> CheckResult {
    all([
        check_per_vertex(m, entry, listed),
        check_component(m, entry, listed),
        check_specialized(m, entry, listed),
    ])
}

/// Whether inputs or outputs of a stage are arrays with an element for each vertex or primitive.
pub(super) fn is_arrayed(
    model: ExecutionModel,
    is_output: bool,
    is_patch: bool,
    is_per_vertex: bool,
) -> bool {
    match model {
        ExecutionModel::TessellationControl => !is_patch,
        ExecutionModel::TessellationEvaluation => !is_output && !is_patch,
        ExecutionModel::Geometry => !is_output,
        ExecutionModel::MeshNV | ExecutionModel::MeshEXT => is_output,
        ExecutionModel::Fragment => !is_output && is_per_vertex,
        _ => false,
    }
}

/// Whether an input or an output is such an array.
fn has_vertices(m: &Module<'_>, entry: &EntryPoint<'_>, listed: &Listed<'_>) -> bool {
    let has = |decoration: Decoration| m.is_decorated(listed.id, decoration);
    let is_output = listed.class == StorageClass::Output;
    let (is_patch, is_per_vertex) = (has(Decoration::Patch), has(Decoration::PerVertexKHR));
    is_arrayed(entry.model, is_output, is_patch, is_per_vertex)
}

/// Checks what is read for each vertex of a primitive.
fn check_per_vertex(m: &Module<'_>, entry: &EntryPoint<'_>, listed: &Listed<'_>) -> CheckResult {
    let is_per_vertex = m.is_decorated(listed.id, Decoration::PerVertexKHR);
    if listed.class != StorageClass::Input || !is_per_vertex {
        return Ok(());
    }
    let rule = &interface::VULKAN_PER_VERTEX;
    if entry.model != ExecutionModel::Fragment {
        let message = format!(
            "{} is decorated with `PerVertexKHR`, but is an input of the `{}` entry point \"{}\"",
            m.name(listed.id),
            entry.model,
            entry.name()
        );
        let finding = Finding::new(rule, listed.inst.offset(), message).vuid(rule.vuids[0]);
        return Err(finding.at(entry.inst.offset(), "it is listed here"));
    }
    let ty = listed.ty.map(|ty| m.ty(ty));
    let is_array = matches!(
        ty,
        Some(Type::Array { .. } | Type::RuntimeArray { .. }) | None
    );
    expect(is_array, || {
        let message = format!(
            "{} has a value for each vertex (`PerVertexKHR`), so it must be an array",
            m.name(listed.id)
        );
        let finding = Finding::new(rule, listed.inst.offset(), message).vuid(rule.vuids[1]);
        finding.at(
            entry.inst.offset(),
            "it is an input of this fragment shader",
        )
    })
}

/// Checks that what begins within a location is no array of arrays, unless the outer one is that
/// of vertices.
fn check_component(m: &Module<'_>, entry: &EntryPoint<'_>, listed: &Listed<'_>) -> CheckResult {
    let is_input = listed.class == StorageClass::Input;
    if !m.is_decorated(listed.id, Decoration::Component) || has_vertices(m, entry, listed) {
        return Ok(());
    }
    let Some(Type::Array { element, .. }) = listed.ty.map(|ty| m.ty(ty)) else {
        return Ok(());
    };
    let is_nested = matches!(m.ty(element), Type::Array { .. });
    expect(!is_nested, || {
        let message = format!(
            "{} has a `Component`, so in this stage it can't be an array of arrays",
            m.name(listed.id)
        );
        let rule = &interface::VULKAN_COMPONENT_ARRAYS;
        let finding = Finding::new(rule, listed.inst.offset(), message);
        let finding = finding.vuid(rule.vuids[usize::from(!is_input)]);
        finding.at(entry.inst.offset(), "it is listed here")
    })
}

/// Checks that an array whose length is a specialization constant is a variable of its own, where
/// there is no array of vertices around it. What is within such arrays is checked where the
/// variable is declared.
fn check_specialized(m: &Module<'_>, entry: &EntryPoint<'_>, listed: &Listed<'_>) -> CheckResult {
    let element = |ty: Id| match m.ty(ty) {
        Type::Array { element, .. } => Some(element),
        _ => None,
    };
    let Some(inner) = listed.ty.and_then(element) else {
        return Ok(());
    };
    let is_specialized = |ty: Id| m.contents(ty).has(Contents::SPECIALIZED_ARRAY);
    let is_fine = !is_specialized(inner)
        || is_specialized(element(inner).unwrap_or(inner))
        || m.structure_facts(m.without_arrays(inner)).has_built_ins
        || has_vertices(m, entry, listed);
    expect(is_fine, || {
        let message = format!(
            "{} holds arrays whose length is a specialization constant, but in this stage it has no element for each \
             vertex",
            m.name(listed.id)
        );
        let rule = &variable::SPECIALIZED_ARRAY;
        let finding = Finding::new(rule, listed.inst.offset(), message).warning();
        finding.at(entry.inst.offset(), "it is listed here")
    })
}
