//! Arrays and structures.

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Decoration, Op};

use super::pointers::is_ray_object;
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Contents, Lookup, Module, Type};
use crate::pattern::{INT, NON_VOID, UNSIGNED};
use crate::rules::generated::type_;

/// `OpTypeArray` and `OpTypeRuntimeArray`.
pub(super) fn array(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let element = at.id(0);
    let holds_something = at.expect_type(&type_::ARRAY_ELEMENT, 0, NON_VOID);
    let is_nested = m.env.is_vulkan() && matches!(m.ty(element), Type::RuntimeArray { .. });
    let is_sized = expect(!is_nested, || {
        let message = "in Vulkan, the elements of an array can't be run-time arrays";
        let finding = at.finding(&type_::ARRAY_OF_RUNTIME_ARRAYS, message);
        finding.about(m, element, "the element type is declared here")
    });
    let length = match at.inst.op() {
        Op::TypeArray => length(at),
        _ => Ok(()),
    };
    all([holds_something, is_sized, length])
}

fn length(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let length = at.id(1);
    at.expect_operand(&type_::ARRAY_LENGTH, 1, INT.constant())?;
    let Some(value) = m.default_u64(length) else {
        return Ok(());
    };
    let is_signed = !UNSIGNED.matches(m, at.type_of_arg(1));
    expect(value > 0 && !(is_signed && (value as i64) < 0), || {
        let message = format!(
            "the length of an array must be at least 1, but is {}",
            value as i64
        );
        at.finding(&type_::ARRAY_LENGTH, message)
            .about(m, length, "the length is defined here")
    })
}

pub(super) fn structure(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let Some(result) = at.inst.result() else {
        return Ok(());
    };
    let members = at.inst.args();
    let is_vulkan = m.env.is_vulkan();
    let each = all(members.iter().enumerate().map(|(index, &member)| {
        let member = Id(member);
        match m.ty(member) {
            Type::None | Type::Void => {
                let message = format!(
                    "member {index} of the structure must be {NON_VOID}, but is {}",
                    m.show_type(member)
                );
                let finding = at.finding(&type_::STRUCT_MEMBER, message);
                return Err(finding.about(m, member, "it is defined here"));
            }
            Type::Struct { .. } => nested_struct(at, index, member)?,
            Type::RuntimeArray { .. } if is_vulkan && index + 1 < members.len() => {
                let message = format!(
                    "member {index} of the structure is a run-time array, but in Vulkan only the last member can be \
                     one"
                );
                let finding = at.finding(&type_::STRUCT_RUNTIME_ARRAY_LAST, message);
                return Err(finding.about(m, member, "the member's type is declared here"));
            }
            Type::RuntimeArray { .. } if is_vulkan && !m.is_block(result) => {
                let message = format!(
                    "member {index} of the structure is a run-time array, so in Vulkan the structure must be \
                     decorated with `Block` or `BufferBlock`"
                );
                let finding = at.finding(&type_::STRUCT_RUNTIME_ARRAY_BLOCK, message);
                return Err(finding.about(m, member, "the member's type is declared here"));
            }
            _ => {}
        }
        Ok(())
    }));
    let built_ins = built_in_members(m, result);
    let built_ins = expect(built_ins == 0 || built_ins == members.len(), || {
        let message = format!(
            "either all members of the structure must be built-ins or none, but {built_ins} of {} are",
            members.len()
        );
        at.finding(&type_::STRUCT_BUILT_IN_MEMBERS, message)
    });
    let opaque = match is_vulkan {
        true => opaque_members(at, members),
        false => Ok(()),
    };
    all([each, built_ins, block_in_block(at, result), opaque])
}

/// How many members are built-ins.
fn built_in_members(m: &Module<'_>, ty: Id) -> usize {
    if !m.structure_facts(ty).has_built_ins {
        return 0;
    }
    let built_ins = m.decorations(ty).filter(|decorated| {
        decorated.member.is_some() && decorated.decoration == Decoration::BuiltIn
    });
    built_ins.count()
}

fn nested_struct(at: &InstCtx<'_, '_>, index: usize, member: Id) -> CheckResult {
    let m = at.m;
    if !m.structure_facts(member).has_built_ins {
        return Ok(());
    }
    let message = format!(
        "member {index} of the structure is {}, whose members are built-ins",
        m.show_type(member)
    );
    let finding = at.finding(&type_::STRUCT_BUILT_IN_NESTED, message);
    Err(finding.about(m, member, "the member's type is declared here"))
}

/// Structures within structures, at any depth and through arrays.
fn block_in_block(at: &InstCtx<'_, '_>, result: Id) -> CheckResult {
    let m = at.m;
    let holds_block = |member: u32| m.contents(Id(member)).has(Contents::BLOCK);
    // Members often have the same type as the one before.
    let mut runs = m.members(result).chunk_by(|a, b| a == b);
    if !m.is_block(result) || !runs.any(|run| holds_block(run[0])) {
        return Ok(());
    }
    // Which one it is, is only for the message.
    let mut todo = vec![result];
    let mut seen = hashbrown::HashSet::new();
    while let Some(ty) = todo.pop() {
        for &member in m.members(ty) {
            let member = m.without_arrays(Id(member));
            if !m.is_struct(member) || !seen.insert(member) {
                continue;
            }
            if m.is_block(member) {
                let message = format!(
                    "the structure is a block, so it can't hold {}, which is also a block",
                    m.show_type(member)
                );
                let finding = at.finding(&type_::STRUCT_NESTED_BLOCK, message);
                return Err(finding.about(m, member, "the inner block is declared here"));
            }
            todo.push(member);
        }
    }
    Ok(())
}

/// Looks only at the members themselves, the elements of arrays and what a pointer
/// points to: what structures within hold has been looked at where they are
/// declared, and pointers to pointers are not for opaque types in Vulkan.
fn opaque_members(at: &InstCtx<'_, '_>, members: &[u32]) -> CheckResult {
    let m = at.m;
    all(members.iter().enumerate().map(|(index, &member)| {
        let held = m.without_arrays(Id(member));
        let pointee = m.pointee(held);
        let ty = pointee.map_or(held, |pointee| m.without_arrays(pointee));
        if is_opaque(m, ty) {
            let how = if pointee.is_some() {
                "points to"
            } else {
                "is or holds"
            };
            let has_heap = m.has(Capability::DescriptorHeapEXT);
            let other = if has_heap { " other than descriptors" } else { "" };
            let message = format!(
                "member {index} of the structure {how} {}, but in Vulkan structures can't hold opaque types{other}",
                m.show_type(ty)
            );
            let rule = &type_::STRUCT_OPAQUE_MEMBER;
            let finding = at.finding(rule, message).vuid(rule.vuids[usize::from(has_heap)]);
            return Err(finding.about(m, ty, "the opaque type is declared here"));
        }
        Ok(())
    }))
}

fn is_opaque(m: &Module<'_>, ty: Id) -> bool {
    match m.ty(ty) {
        // Bindless handles and descriptors in a heap are data.
        Type::Image(_) | Type::Sampler => {
            !m.has(Capability::BindlessTextureNV) && !m.has(Capability::DescriptorHeapEXT)
        }
        // What a heap holds are images and samplers by themselves.
        Type::SampledImage { .. } => !m.has(Capability::BindlessTextureNV),
        Type::Other(Op::TypeAccelerationStructureKHR) => !m.has(Capability::DescriptorHeapEXT),
        // With a shape, it is a composite.
        Type::Other(Op::TypeTensorARM) => {
            let has_shape = m.def(ty).is_some_and(|def| def.args().len() > 2);
            !has_shape && !m.has(Capability::DescriptorHeapEXT)
        }
        Type::Other(op) if is_ray_object(op) => true,
        Type::Other(op) => matches!(
            op,
            Op::TypeOpaque
                | Op::TypeEvent
                | Op::TypeDeviceEvent
                | Op::TypeReserveId
                | Op::TypeQueue
                | Op::TypePipe
                | Op::TypePipeStorage
                | Op::TypeNamedBarrier
        ),
        _ => false,
    }
}
