//! Descriptor sets and bindings.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use spirvkit_analysis::Type;
use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, Op, StorageClass};
use spirvkit_ir::{Inst, Lookup, Module, Place};

use super::{built, of_op, shown};
use crate::pass::{Changed, Context, PassError};

fn sets(argument: &str) -> Result<(u32, u32), String> {
    let pair = argument.split_once(':').and_then(|(from, to)| {
        let (from, to) = (from.parse().ok()?, to.parse().ok()?);
        Some((from, to))
    });
    pair.ok_or_else(|| format!("`{argument}` is not of the form FROM:TO"))
}

pub(super) fn check_sets(argument: &str) -> Result<(), String> {
    sets(argument).map(drop)
}

pub(super) fn switch_set(
    module: &mut Module,
    argument: &str,
    _: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let (from, to) = sets(argument).map_err(PassError::new)?;
    let mut count = 0;
    for inst in of_op(module, Op::Decorate) {
        let words = module.get(inst).operand_words();
        if words.get(1..) == Some(&[Decoration::DescriptorSet.0, from]) && from != to {
            module.set_word(inst, 3, to)?;
            count += 1;
        }
    }
    Ok(Changed::if_any(count))
}

/// A variable with a binding.
#[derive(Clone, Copy)]
pub(super) struct Resource {
    pub(super) variable: Inst,
    pub(super) id: Id,
    pub(super) class: StorageClass,
    pub(super) ty: Id,
    pub(super) set: u32,
    pub(super) binding: u32,
    /// The instruction that gives the binding.
    decoration: Inst,
}

pub(super) fn resources(module: &Module) -> Vec<Resource> {
    let mut set_of: HashMap<Id, u32> = HashMap::new();
    let mut binding_of: HashMap<Id, (u32, Inst)> = HashMap::new();
    for inst in of_op(module, Op::Decorate) {
        if let [target, decoration, value] = *module.get(inst).operand_words() {
            match Decoration(decoration) {
                Decoration::DescriptorSet => drop(set_of.insert(Id(target), value)),
                Decoration::Binding => drop(binding_of.insert(Id(target), (value, inst))),
                _ => {}
            }
        }
    }
    let resource = |variable: Inst| {
        let id = module.result(variable)?;
        let Type::Pointer { class, pointee } = module.ty(module.result_type(variable)?) else {
            return None;
        };
        let &(binding, decoration) = binding_of.get(&id)?;
        Some(Resource {
            variable,
            id,
            class,
            ty: pointee,
            set: *set_of.get(&id)?,
            binding,
            decoration,
        })
    };
    let variables = of_op(module, Op::Variable).into_iter();
    variables.filter_map(resource).collect()
}

/// Lets samplers that share a binding with an image have the next one, and whatever has that the
/// next one, and so on.
pub(super) fn resolve_conflicts(
    module: &mut Module,
    _: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let mut groups: BTreeMap<(u32, u32), Vec<Resource>> = BTreeMap::new();
    for it in resources(module) {
        groups.entry((it.set, it.binding)).or_default().push(it);
    }
    let mut count = 0;
    let mut free = (0, 0);
    for ((set, binding), group) in groups {
        let first = match free.0 == set {
            true => binding.max(free.1),
            false => binding,
        };
        let is_sampler = |it: &Resource| {
            let ty = match shown(module, it.ty) {
                Type::Array { element, .. } | Type::RuntimeArray { element } => element,
                _ => it.ty,
            };
            shown(module, ty) == Type::Sampler
        };
        let (samplers, others): (Vec<Resource>, Vec<Resource>) =
            group.into_iter().partition(is_sampler);
        let collides = !samplers.is_empty() && !others.is_empty();
        let overflow = || PassError::new("there is no binding left");
        let second = first
            .checked_add(u32::from(collides))
            .ok_or_else(overflow)?;
        free = (set, second.checked_add(1).ok_or_else(overflow)?);
        let all = others.into_iter().map(|it| (it, first));
        for (it, binding) in all.chain(samplers.into_iter().map(|it| (it, second))) {
            if it.binding != binding {
                module.set_word(it.decoration, 3, binding)?;
                count += 1;
            }
        }
    }
    Ok(Changed::if_any(count))
}

#[derive(Clone, Copy, PartialEq)]
enum Kinds {
    Arrays,
    Structs,
    Both,
}

pub(super) fn replace_arrays(
    module: &mut Module,
    _: &mut Context<'_>,
) -> Result<Changed, PassError> {
    replace(module, Kinds::Arrays)
}

pub(super) fn replace_structs(
    module: &mut Module,
    _: &mut Context<'_>,
) -> Result<Changed, PassError> {
    replace(module, Kinds::Structs)
}

pub(super) fn replace_both(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    replace(module, Kinds::Both)
}

/// So many variables at most are made of one.
const MAX_PARTS: u64 = 1 << 12;

fn replace(module: &mut Module, kinds: Kinds) -> Result<Changed, PassError> {
    let mut count = 0;
    // What is made may have parts itself; types are only so deep.
    loop {
        let mut changed = false;
        for resource in resources(module) {
            changed |= replace_one(module, &resource, kinds)?;
        }
        if !changed {
            return Ok(Changed::if_any(count));
        }
        count += 1;
    }
}

/// The type of each part of a composite of descriptors, if it is one.
fn parts(module: &Module, ty: Id, kinds: Kinds) -> Option<Vec<Id>> {
    let parts = match module.ty(ty) {
        Type::Array { element, length } if kinds != Kinds::Structs => {
            let length = module.constant_u64(length)?;
            if length > MAX_PARTS {
                return None;
            }
            vec![element; length as usize]
        }
        Type::Struct { members } if kinds != Kinds::Arrays && !is_block(module, ty) => {
            members.iter().map(|&member| Id(member)).collect()
        }
        _ => return None,
    };
    let all = parts.iter().all(|&part| bindings(module, part).is_some());
    (all && !parts.is_empty()).then_some(parts)
}

/// Whether a structure is memory behind one descriptor.
fn is_block(module: &Module, ty: Id) -> bool {
    let Some(inst) = module.definition(ty) else {
        return false;
    };
    module.uses_of(inst).any(|found| {
        module.op(found.inst) == Op::Decorate
            && matches!(
                module.operand_word(found.inst, 1).map(Decoration),
                Some(Decoration::Block | Decoration::BufferBlock)
            )
    })
}

/// How many bindings something takes if all its parts have their own; `None` if it is no descriptor.
fn bindings(module: &Module, ty: Id) -> Option<u32> {
    match module.ty(ty) {
        Type::Image(_) | Type::Sampler | Type::SampledImage { .. } => Some(1),
        Type::Other(Op::TypeAccelerationStructureKHR) => Some(1),
        Type::Array { element, length } => {
            let count: u32 = module.constant_u64(length)?.try_into().ok()?;
            bindings(module, element)?.checked_mul(count)
        }
        Type::Struct { .. } if is_block(module, ty) => Some(1),
        Type::Struct { members } => {
            let mut sum = 0u32;
            for &member in members {
                sum = sum.checked_add(bindings(module, Id(member))?)?;
            }
            Some(sum)
        }
        _ => None,
    }
}

fn replace_one(module: &mut Module, it: &Resource, kinds: Kinds) -> Result<bool, PassError> {
    let Some(parts) = parts(module, it.ty, kinds) else {
        return Ok(false);
    };
    let mut chains = Vec::new();
    let mut entries = Vec::new();
    let mut about = Vec::new();
    for found in module.uses(it.id) {
        let op = module.op(found.inst);
        if module.is_about(found) {
            about.push(found.inst);
        } else if op == Op::EntryPoint {
            entries.push(found.inst);
        } else if matches!(op, Op::AccessChain | Op::InBoundsAccessChain) && found.word == 3 {
            let read: &Module = module;
            let index = read.operand_id(found.inst, 1);
            let part = index.and_then(|index| read.constant_u64(index));
            match part.filter(|&part| part < parts.len() as u64) {
                Some(part) => chains.push((found.inst, part as usize)),
                None => return Ok(false),
            }
        } else {
            return Ok(false);
        }
    }
    let mut starts = vec![it.binding];
    for &part in &parts {
        let last = starts.last().copied().unwrap_or(0);
        let next = last.checked_add(bindings(module, part).unwrap_or(1));
        starts.push(next.ok_or_else(|| PassError::new("there is no binding left"))?);
    }
    let used: BTreeSet<usize> = chains.iter().map(|&(_, part)| part).collect();
    let said: Vec<(Op, Vec<u32>)> = (about.iter())
        .filter(|&&inst| module.op(inst).is_decorate() && inst != it.decoration)
        .map(|&inst| (module.op(inst), module.get(inst).operand_words().to_vec()))
        .collect();
    let mut made: HashMap<usize, Id> = HashMap::new();
    let class = it.class;
    built(module.edit(|b| {
        for &part in &used {
            let pointer = b.type_pointer(class, parts[part]);
            let variable = b.variable(pointer, class, None);
            b.decorate(variable, Decoration::Binding, &[starts[part]]);
            made.insert(part, variable);
        }
        for &(chain, part) in &chains {
            let variable = made[&part];
            let words = b.module().get(chain).operand_words().to_vec();
            if words.len() == 4 {
                b.replace_with(chain, variable);
            } else {
                let op = b.module().op(chain);
                let operands = [&words[..2], &[variable.0], &words[4..]].concat();
                // It gets shorter, so it can't fail.
                let _ = b.module_mut().replace(chain, op, &operands);
            }
        }
    }))?;
    let mut new: Vec<Id> = made.into_values().collect();
    new.sort_unstable();
    for (op, words) in said {
        for &variable in &new {
            let mut operands = words.clone();
            operands[0] = variable.0;
            module.insert(
                Place::Section(spirvkit_binary::Section::Annotations),
                op,
                &operands,
            )?;
        }
    }
    let mut seen = HashSet::new();
    for entry in entries.into_iter().filter(|&entry| seen.insert(entry)) {
        let mut words = module.get(entry).operand_words().to_vec();
        let named = spirvkit_binary::LiteralString::at_start_of(&words[2..])
            .map_or(words.len(), |name| 2 + name.words().len());
        if let Some(place) = words[named..].iter().position(|&id| id == it.id.0) {
            words.splice(named + place..named + place + 1, new.iter().map(|id| id.0));
            module.replace(entry, Op::EntryPoint, &words)?;
        }
    }
    module.erase(it.variable)?;
    Ok(true)
}
