//! Annotation instructions (specification, section 3.32.3): what each may
//! decorate, checked by the instruction and its target alone. What decorations
//! mean for whole objects stands in `decorations`.

mod aliasing;
mod groups;
mod heaps;
mod targets;
mod vulkan;

pub(super) use aliasing::check_list as check_alias_list;
use spirvkit_binary::Id;
use spirvkit_diagnostics::counted;
use spirvkit_grammar::{Decoration, Op, OperandKind};

use super::{Family, function_variants};
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Contents, Decorated, Inst, Lookup, Module};
use crate::rules::generated::annotation;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::Decorate,
        Op::MemberDecorate,
        Op::DecorationGroup,
        Op::GroupDecorate,
        Op::GroupMemberDecorate,
        Op::DecorateId,
        Op::DecorateString,
        Op::MemberDecorateString,
        Op::MemberDecorateIdEXT,
        Op::AliasDomainDeclINTEL,
        Op::AliasScopeDeclINTEL,
        Op::AliasScopeListDeclINTEL,
    ],
    check,
    check_module: None,
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::DecorationGroup => groups::check_uses(at),
        Op::GroupDecorate => groups::check_targets(at),
        Op::GroupMemberDecorate => groups::check_members(at),
        Op::AliasDomainDeclINTEL | Op::AliasScopeDeclINTEL | Op::AliasScopeListDeclINTEL => {
            aliasing::check_declaration(at)
        }
        _ => check_decoration(at),
    }
}

/// Whether ids are among a decoration's operands.
fn takes_ids(decoration: Decoration) -> bool {
    let info = OperandKind::Decoration.enumerant(decoration.0);
    let mut parameters = info.into_iter().flat_map(|info| info.parameters());
    parameters.any(|parameter| parameter.is_id())
}

/// Vendors' decorations that have ids for operands but predate `OpDecorateId`'s
/// being asked for.
fn may_have_either_form(decoration: Decoration) -> bool {
    matches!(
        decoration,
        Decoration::AliasScopeINTEL | Decoration::NoAliasINTEL | Decoration::ConditionalINTEL
    )
}

fn check_decoration(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let Some(decorated) = Decorated::new(at.inst) else {
        return Ok(());
    };
    let target = at.id(0);
    let Some(def) = m.def(target) else {
        return Ok(());
    };
    if let Some(member) = decorated.member {
        if at.inst.op() == Op::MemberDecorateIdEXT {
            heaps::check_form(at, &decorated)?;
        }
        let exists = check_member(at, target, member);
        let offset = match decorated.decoration {
            Decoration::OffsetIdEXT if exists.is_ok() => {
                heaps::check_offset(at, &decorated, target)
            }
            _ => Ok(()),
        };
        return all([exists, targets::check_member(at, &decorated), offset]);
    }
    let packing = vulkan::check_packing(at, &decorated);
    let has_id_form = at.inst.op() == Op::DecorateId;
    if takes_ids(decorated.decoration) != has_id_form && !may_have_either_form(decorated.decoration)
    {
        let message = match has_id_form {
            true => format!(
                "the operands of `{}` are not ids, so it can't be given with OpDecorateId",
                decorated.decoration
            ),
            false => format!(
                "the operands of `{}` are ids, so it must be given with OpDecorateId",
                decorated.decoration
            ),
        };
        return all([packing, Err(at.finding(&annotation::ID_FORM, message))]);
    }
    if def.op() == Op::DecorationGroup {
        return packing;
    }
    let stride = match decorated.decoration {
        Decoration::ArrayStrideIdEXT => heaps::check_stride(at, &decorated, target),
        _ => Ok(()),
    };
    let order = match has_id_form {
        true => check_parameter_order(at, &decorated, def.offset()),
        false => Ok(()),
    };
    all([
        packing,
        check_target(at, &decorated, def),
        aliasing::check_decoration(at, &decorated),
        function_variants::check_decoration(at, &decorated),
        stride,
        order,
    ])
}

/// Checks that a decoration suits what it decorates.
fn check_target(at: &InstCtx<'_, '_>, decorated: &Decorated<'_>, target: Inst<'_>) -> CheckResult {
    targets::check(at, decorated, target)?;
    match at.m.env.is_vulkan() {
        true => vulkan::check(at, decorated, target),
        false => Ok(()),
    }
}

/// Checks that a decoration names a member of a structure.
fn check_member(at: &InstCtx<'_, '_>, target: Id, member: u32) -> CheckResult {
    let m = at.m;
    if m.def(target).is_none() {
        return Ok(());
    }
    if !m.is_struct(target) {
        let message = format!(
            "{} decorates a member of {}, which is not a structure",
            at.inst.op(),
            m.name(target)
        );
        return Err(at.finding(&annotation::MEMBER_TARGET, message).about(
            m,
            target,
            "the target is defined here",
        ));
    }
    let count = m.members(target).len();
    if member as usize >= count {
        let message = format!(
            "{} decorates member {member} of {}, which has {}",
            at.inst.op(),
            m.name(target),
            counted(count, "member")
        );
        return Err(at
            .finding(&annotation::MEMBER_INDEX, message)
            .arg(at, 1)
            .about(m, target, "the structure is declared here"));
    }
    Ok(())
}

/// Checks that a decoration's operands are defined before its target.
fn check_parameter_order(
    at: &InstCtx<'_, '_>,
    decorated: &Decorated<'_>,
    target: u32,
) -> CheckResult {
    let m = at.m;
    let ids = decorated.params.iter().map(|&id| Id(id));
    let late = ids.filter(|&id| m.def_offset(id) >= target);
    all(late.map(|id| {
        let message = format!(
            "{}, an operand of `{}`, must be defined before the target of the decoration",
            m.name(id),
            decorated.decoration
        );
        Err(at
            .finding(&annotation::PARAMETER_ORDER, message)
            .about(m, id, "the operand is defined here")
            .at(target, "the target is defined here"))
    }))
}

/// Whether the type is or holds a descriptor: an image, a sampler, an
/// acceleration structure, a buffer's descriptor and the like.
fn holds_descriptor(m: &Module<'_>, ty: Id) -> bool {
    m.contents(ty).has(Contents::DESCRIPTOR)
}
