//! Decorations.

use spirvkit_analysis::index::Type;
use spirvkit_binary::{Id, Section};
use spirvkit_grammar::{Capability, Class, Decoration, GlslStd450, Op};
use spirvkit_ir::{Inst, Lookup, Module, Place};

use super::{glsl, of_op};
use crate::pass::{Changed, Context, PassError};

/// Writes out groups of decorations.
pub(super) fn flatten(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let of = |op: Op| -> Vec<Inst> {
        let globals = module.globals();
        globals.filter(|&inst| module.op(inst) == op).collect()
    };
    let groups = of(Op::DecorationGroup);
    if groups.is_empty() {
        return Ok(Changed::No);
    }
    let mut made: Vec<(Op, Vec<u32>)> = Vec::new();
    let mut gone = Vec::new();
    for &group in &groups {
        let uses: Vec<_> = module.uses_of(group).collect();
        let decorations: Vec<Inst> = uses
            .iter()
            .filter(|found| module.op(found.inst).is_decorate())
            .map(|found| found.inst)
            .collect();
        for found in &uses {
            let words = module.get(found.inst).operand_words();
            let Some((_, targets)) = words.split_first() else {
                continue;
            };
            let size = match module.op(found.inst) {
                Op::GroupDecorate => 1,
                Op::GroupMemberDecorate => 2,
                _ => continue,
            };
            for target in targets.chunks_exact(size) {
                for &decoration in &decorations {
                    let Some(op) = decorating(module.op(decoration), size == 2) else {
                        continue;
                    };
                    let what = &module.get(decoration).operand_words()[1..];
                    made.push((op, [target, what].concat()));
                }
            }
            gone.push(found.inst);
        }
        gone.extend(decorations);
        gone.push(group);
    }
    for (op, operands) in made {
        module.insert(Place::Section(Section::Annotations), op, &operands)?;
    }
    for inst in gone {
        module.erase(inst)?;
    }
    Ok(Changed::Yes)
}

/// What decorates a target itself, or a member, as an instruction decorates a group.
fn decorating(op: Op, is_member: bool) -> Option<Op> {
    match (op, is_member) {
        (op, false) => Some(op),
        (Op::Decorate, true) => Some(Op::MemberDecorate),
        (Op::DecorateString, true) => Some(Op::MemberDecorateString),
        // There is none for members.
        _ => None,
    }
}

/// Decorates operations on 32-bit floating-point numbers with `RelaxedPrecision`.
pub(super) fn relax(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let is_shader = |&inst: &Inst| {
        let has = module.operand_word(inst, 0).map(Capability);
        has == Some(Capability::Shader)
    };
    if !of_op(module, Op::Capability).iter().any(is_shader) {
        return Ok(Changed::No);
    }
    let mut relaxed = module.id_table(false);
    for inst in module.globals() {
        if let [target, decoration] = *module.get(inst).operand_words()
            && module.op(inst) == Op::Decorate
            && Decoration(decoration) == Decoration::RelaxedPrecision
        {
            *relaxed.slot(Id(target)) = true;
        }
    }
    let wanted: Vec<Id> = (module.functions())
        .flat_map(|function| module.function_instructions(function))
        .filter(|&inst| is_relaxable(module, inst))
        .filter_map(|inst| module.result(inst))
        .filter(|&id| !relaxed.get(id))
        .collect();
    for id in &wanted {
        let operands = [id.0, Decoration::RelaxedPrecision.0];
        module.insert(
            Place::Section(Section::Annotations),
            Op::Decorate,
            &operands,
        )?;
    }
    Ok(Changed::if_any(wanted.len()))
}

fn is_relaxable(module: &Module, inst: Inst) -> bool {
    let op = module.op(inst);
    let class = op.info().map(|info| info.class());
    let is_operation = match class {
        Some(Class::Arithmetic | Class::Derivative) => true,
        Some(Class::Image) => op.name().is_some_and(|name| {
            name.contains("Sample") && !name.contains("Sparse") || name.ends_with("Gather")
        }),
        _ => false,
    };
    let is_function = glsl(module, inst).is_some_and(|it| it != GlslStd450::Modf);
    (is_operation || is_function)
        && module.result_type(inst).is_some_and(|ty| {
            let component = module.component_type(ty);
            matches!(module.ty(component), Type::Float { width: 32, .. })
        })
}
