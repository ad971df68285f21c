//! Which inputs and outputs of stages are arrays in Vulkan.

use spirvkit_grammar::{Decoration, ExecutionModel, StorageClass};

use super::listed::Listed;
use crate::finding::{CheckResult, Finding, all, expect};
use crate::module::{EntryPoint, Lookup, Module, Type};
use crate::rules::generated::interface;

/// Checks an input or an output that an entry point lists.
pub(super) fn check(m: &Module<'_>, entry: &EntryPoint<'_>, listed: &Listed<'_>) -> CheckResult {
    all([
        check_per_vertex(m, entry, listed),
        check_component(m, entry, listed),
    ])
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
    use ExecutionModel as E;
    let is_input = listed.class == StorageClass::Input;
    let is_arrayed = match entry.model {
        E::TessellationControl | E::MeshNV | E::MeshEXT => true,
        E::TessellationEvaluation | E::Geometry => is_input,
        E::Fragment => is_input && m.is_decorated(listed.id, Decoration::PerVertexKHR),
        _ => false,
    };
    if is_arrayed || !m.is_decorated(listed.id, Decoration::Component) {
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
