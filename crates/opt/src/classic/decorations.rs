//! Decorations.

use hashbrown::HashSet;
use spirvkit_analysis::index::Type;
use spirvkit_binary::{Id, Section};
use spirvkit_grammar::{Capability, Class, Decoration, GlslStd450, Op};
use spirvkit_ir::{Inst, Lookup, Module, Place};

use super::{Growth, decorated, glsl, of_op};
use crate::pass::{Changed, Context, PassError};

/// Writes out groups of decorations.
pub(super) fn flatten(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let groups = of_op(module, Op::DecorationGroup);
    if groups.is_empty() {
        return Ok(Changed::No);
    }
    let mut growth = Growth::of(module);
    // What is said already isn't said again.
    let all = module
        .globals()
        .filter(|&inst| module.op(inst).is_decoration());
    let mut known: HashSet<(Op, Vec<u32>)> = all
        .map(|inst| (module.op(inst), module.get(inst).operand_words().to_vec()))
        .collect();
    let mut gone = Vec::new();
    for &group in &groups {
        let uses = module.uses_of(group).map(|found| found.inst);
        let (decorations, targets): (Vec<Inst>, Vec<Inst>) =
            uses.partition(|&inst| module.op(inst).is_decorate());
        let said: Vec<(Op, Vec<u32>)> = (decorations.iter())
            .map(|&inst| {
                (
                    module.op(inst),
                    module.get(inst).operand_words()[1..].to_vec(),
                )
            })
            .collect();
        for inst in targets {
            let size = match module.op(inst) {
                Op::GroupDecorate => 1,
                Op::GroupMemberDecorate => 2,
                _ => continue,
            };
            let words = module.get(inst).operand_words().to_vec();
            for target in words[1..].chunks_exact(size) {
                for (op, what) in &said {
                    let Some(op) = decorating(*op, size == 2) else {
                        continue;
                    };
                    growth.add(what.len() + size + 1)?;
                    let place = Place::Section(Section::Annotations);
                    let operands = [target, what].concat();
                    if !known.contains(&(op, operands.clone())) {
                        module.insert(place, op, &operands)?;
                        known.insert((op, operands));
                    }
                }
            }
            gone.push(inst);
        }
        gone.extend(decorations);
        gone.push(group);
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
    let relaxed = decorated(module, Decoration::RelaxedPrecision);
    let wanted: Vec<Id> = (module.functions())
        .flat_map(|function| module.function_instructions(function))
        .filter(|&inst| is_relaxable(module, inst))
        .filter_map(|inst| module.result(inst))
        .filter(|id| !relaxed.contains_key(id))
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
