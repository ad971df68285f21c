//! What is checked of a built-in by the object alone.

use spirvkit_grammar::{BuiltIn, Capability, Decoration, OperandKind};

use super::Seed;
use super::table::ALL;
use crate::finding::{CheckResult, Finding, all};
use crate::module::{Lookup, Module};
use crate::rules::generated::builtin;

/// Built-ins that decorate no members in Vulkan.
const NO_MEMBERS: &[BuiltIn] = &[
    BuiltIn::NumSubgroups,
    BuiltIn::SubgroupId,
    BuiltIn::SubgroupLocalInvocationId,
    BuiltIn::SubgroupSize,
    BuiltIn::SubgroupEqMask,
    BuiltIn::SubgroupGeMask,
    BuiltIn::SubgroupGtMask,
    BuiltIn::SubgroupLeMask,
    BuiltIn::SubgroupLtMask,
    BuiltIn::SamplerHeapEXT,
    BuiltIn::ResourceHeapEXT,
];

/// Checks what the object by itself shows.
pub(super) fn check(m: &Module<'_>, seed: &Seed) -> CheckResult {
    check_target(m, seed)?;
    if !m.env.is_vulkan() {
        return Ok(());
    }
    let is_heap = matches!(
        seed.built_in,
        BuiltIn::SamplerHeapEXT | BuiltIn::ResourceHeapEXT
    );
    if seed.row.is_none() && !is_heap && is_of_language(seed.built_in) {
        let message = format!("Vulkan has no built-in `{}`", seed.built_in);
        let finding = Finding::new(&builtin::NOT_IN_VULKAN, seed.offset, message);
        return Err(match seed.built_in {
            BuiltIn::VertexId => finding
                .help("use `VertexIndex`, whose values start at the first vertex of the draw"),
            _ => finding,
        });
    }
    if seed.member.is_some() && NO_MEMBERS.contains(&seed.built_in) {
        let message = format!(
            "`{}` decorates {}, but in Vulkan it must decorate a variable",
            seed.built_in,
            seed.show(m)
        );
        let structure = m.def_offset(seed.target);
        return Err(Finding::new(&builtin::NO_MEMBER, structure, message)
            .at(seed.offset, "the decoration is here"));
    }
    all([check_type(m, seed), check_use(m, seed)])
}

/// Whether the language itself has a built-in. What only an extension has may be for one of Vulkan
/// that isn't in its specification (yet, or any more).
fn is_of_language(built_in: BuiltIn) -> bool {
    let info = OperandKind::BuiltIn.enumerant(built_in.0);
    info.is_none_or(|info| info.availability().since().is_some())
}

/// Checks what some built-ins ask of what they decorate.
fn check_use(m: &Module<'_>, seed: &Seed) -> CheckResult {
    if seed.member.is_some() && seed.built_in == BuiltIn::WorkgroupSize {
        let message = format!(
            "`WorkgroupSize` decorates {}, but it must decorate a constant",
            seed.show(m)
        );
        let structure = m.def_offset(seed.target);
        return Err(
            Finding::new(&builtin::WORKGROUP_SIZE_MEMBER, structure, message)
                .at(seed.offset, "the decoration is here"),
        );
    }
    let is_level = matches!(
        seed.built_in,
        BuiltIn::TessLevelOuter | BuiltIn::TessLevelInner
    );
    if is_level && !m.has_decoration_anywhere(seed.target, Decoration::Patch) {
        let message = format!(
            "{} is decorated with `{}`, but not with `Patch`",
            seed.show(m),
            seed.built_in
        );
        return Err(
            Finding::new(&builtin::PATCH, m.def_offset(seed.target), message)
                .at(seed.offset, "the built-in is given here"),
        );
    }
    Ok(())
}

/// What `BuiltIn` decorates: in every environment.
fn check_target(m: &Module<'_>, seed: &Seed) -> CheckResult {
    if seed.member.is_some() {
        return Ok(());
    }
    let op = m.op_of(seed.target);
    let is_variable = op.is_variable();
    let is_constant = op.is_constant();
    if !is_variable && !is_constant {
        let message = format!(
            "`{}` must decorate a variable, a constant or a member of a structure, but {} is an {op}",
            seed.built_in,
            m.name(seed.target)
        );
        return Err(Finding::new(&builtin::TARGET, seed.offset, message).about(
            m,
            seed.target,
            "the target is defined here",
        ));
    }
    // In kernels it is a variable like the others.
    let wants_constant = seed.built_in == BuiltIn::WorkgroupSize && m.has(Capability::Shader);
    if is_constant != wants_constant {
        let (found, wanted) = match wants_constant {
            true => ("a variable", "a constant"),
            false => ("a constant", "a variable"),
        };
        let message = format!(
            "`{}` must decorate {wanted}, but {} is {found}",
            seed.built_in,
            m.name(seed.target)
        );
        return Err(
            Finding::new(&builtin::CONSTANT, seed.offset, message).about(
                m,
                seed.target,
                "the target is defined here",
            ),
        );
    }
    Ok(())
}

/// The type, as far as it doesn't depend on the stage: what belongs to vertices
/// is checked where it is used, and so is what some stage takes.
fn check_type(m: &Module<'_>, seed: &Seed) -> CheckResult {
    let Some(row) = seed.row else {
        return Ok(());
    };
    let misfits = row.shape.misfits(m, seed);
    let is_for_some = row.shape.is_for_vertices() || !ALL.without(misfits).is_empty();
    if misfits.is_empty() || row.shape.varies() && is_for_some {
        return Ok(());
    }
    let vuid = seed.row.map_or("", |row| row.shape_vuid);
    Err(type_finding(m, seed, m.def_offset(seed.target), vuid))
}

/// The finding of a type that the built-in doesn't have.
pub(super) fn type_finding(
    m: &Module<'_>,
    seed: &Seed,
    offset: u32,
    vuid: &'static str,
) -> Finding {
    let wanted = seed.row.map_or(String::new(), |row| row.shape.to_string());
    let message = format!(
        "`{}` must be {wanted}, but {} is of type {}",
        seed.built_in,
        seed.show(m),
        m.show_type(seed.ty)
    );
    let finding =
        Finding::new(&builtin::TYPE, offset, message).at(seed.offset, "the built-in is given here");
    match vuid {
        "" => finding,
        vuid => finding.vuid(vuid),
    }
}
