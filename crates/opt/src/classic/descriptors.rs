//! Descriptor sets and bindings.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use spirvkit_analysis::Type;
use spirvkit_binary::{Id, IdMap, Section};
use spirvkit_grammar::{Decoration, Op, StorageClass};
use spirvkit_ir::builder::Builder;
use spirvkit_ir::{Inst, Lookup, Module, Place};

use super::interface::list_instead;
use super::{
    Growth, built, decorations, descriptions, is_decoration, of_op, said_of, say_of, shown,
};
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

/// The variables with bindings. Groups of decorations are not looked into.
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
    context: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let flattened = decorations::flatten(module, context)?;
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
    Ok(flattened.or(Changed::if_any(count)))
}

#[derive(Clone, Copy, PartialEq)]
enum Kinds {
    Arrays,
    Structs,
    Both,
}

pub(super) fn replace_arrays(
    module: &mut Module,
    context: &mut Context<'_>,
) -> Result<Changed, PassError> {
    replace(module, Kinds::Arrays, context)
}

pub(super) fn replace_structs(
    module: &mut Module,
    context: &mut Context<'_>,
) -> Result<Changed, PassError> {
    replace(module, Kinds::Structs, context)
}

pub(super) fn replace_both(
    module: &mut Module,
    context: &mut Context<'_>,
) -> Result<Changed, PassError> {
    replace(module, Kinds::Both, context)
}

/// So many variables at most are made of one.
const MAX_PARTS: u64 = 1 << 12;

/// What there is to know of types of descriptors.
pub(super) struct Descriptors {
    /// How many bindings something takes if all its parts have their own: nothing of what is no
    /// descriptor.
    bindings: IdMap<u32>,
    /// For each structure that is not memory behind one descriptor, where the bindings of its members
    /// begin, counted from its own.
    starts: HashMap<Id, Vec<u32>>,
}

impl Descriptors {
    /// Of all types, each of which comes after what it is made of.
    pub(super) fn of(module: &Module) -> Self {
        let is_block = |word: u32| {
            matches!(
                Decoration(word),
                Decoration::Block | Decoration::BufferBlock
            )
        };
        let mut blocks = module.id_table(false);
        for inst in of_op(module, Op::Decorate) {
            if let [target, decoration] = *module.get(inst).operand_words()
                && is_block(decoration)
            {
                *blocks.slot(Id(target)) = true;
            }
        }
        let mut this = Self {
            bindings: module.id_table(0),
            starts: HashMap::new(),
        };
        for inst in module.globals() {
            if let Some(id) = module.result(inst).filter(|_| module.op(inst).is_type())
                && let Some(bindings) = this.count(module, id, blocks.get(id))
            {
                *this.bindings.slot(id) = bindings;
            }
        }
        this
    }

    fn count(&mut self, module: &Module, ty: Id, is_block: bool) -> Option<u32> {
        match module.ty(ty) {
            Type::Image(_) | Type::Sampler | Type::SampledImage { .. } => Some(1),
            Type::Other(Op::TypeAccelerationStructureKHR) => Some(1),
            Type::Array { element, length } => {
                let count: u32 = module.constant_u64(length)?.try_into().ok()?;
                self.bindings.get(element).checked_mul(count)
            }
            Type::Struct { .. } if is_block => Some(1),
            Type::Struct { members } => {
                let mut sum = 0u32;
                let mut starts = Vec::with_capacity(members.len());
                for &member in members {
                    let bindings = self.bindings.get(Id(member));
                    starts.push(sum);
                    sum = sum.checked_add(bindings).filter(|_| bindings > 0)?;
                }
                self.starts.insert(ty, starts);
                Some(sum)
            }
            _ => None,
        }
    }

    /// Whether a type is that of one descriptor.
    pub(super) fn is_one(&self, ty: Id) -> bool {
        self.bindings.get(ty) == 1 && !self.starts.contains_key(&ty)
    }

    /// How many parts a composite of descriptors has that are to be variables; or why they can't be.
    fn parts(&self, module: &Module, ty: Id, kinds: Kinds) -> Result<Option<usize>, &'static str> {
        let count = match module.ty(ty) {
            Type::Array { length, .. } if kinds != Kinds::Structs => {
                let mut innermost = ty;
                while let Type::Array { element, .. } = module.ty(innermost) {
                    innermost = element;
                }
                if self.bindings.get(innermost) == 0 {
                    return Ok(None);
                }
                if self.bindings.get(ty) == 0 {
                    return Err("has a length that isn't known yet");
                }
                let known = module.constant_u64(length);
                let known = known.filter(|&length| length <= MAX_PARTS);
                known.ok_or("has too many elements")? as usize
            }
            Type::Struct { .. } if kinds != Kinds::Arrays => {
                self.starts.get(&ty).map_or(0, Vec::len)
            }
            _ => return Ok(None),
        };
        Ok((count > 0 && self.bindings.get(ty) > 0).then_some(count))
    }

    /// The type of a part, and where its bindings begin, counted from those of the whole.
    fn part(&self, module: &Module, ty: Id, part: usize) -> Option<(Id, u32)> {
        match module.ty(ty) {
            Type::Array { element, .. } => {
                let start = self.bindings.get(element).checked_mul(part as u32);
                Some((element, start?))
            }
            Type::Struct { members } => {
                let start = *self.starts.get(&ty)?.get(part)?;
                Some((Id(*members.get(part)?), start))
            }
            _ => None,
        }
    }
}

fn replace(
    module: &mut Module,
    kinds: Kinds,
    context: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let flattened = decorations::flatten(module, context)?;
    let descriptors = Descriptors::of(module);
    let mut growth = Growth::of(module);
    // What became of variables: the others that are there instead.
    let mut instead: HashMap<Id, Vec<Id>> = HashMap::new();
    // What is made may have parts itself.
    let mut work: Vec<Resource> = resources(module);
    work.reverse();
    built(module.edit(|b| {
        while let Some(resource) = work.pop() {
            if let Some(mut made) = replace_one(b, &resource, (&descriptors, kinds), &mut growth)? {
                instead.insert(resource.id, made.iter().map(|it| it.id).collect());
                made.reverse();
                work.extend(made);
            }
        }
        Ok::<(), PassError>(())
    }))??;
    if instead.is_empty() {
        return Ok(flattened);
    }
    list_instead(module, &instead, &mut growth)?;
    Ok(Changed::Yes)
}

/// Makes variables of the parts of one that are used, all of whose uses have to name a part. Entry
/// points are left to be done.
fn replace_one(
    b: &mut Builder,
    it: &Resource,
    (descriptors, kinds): (&Descriptors, Kinds),
    growth: &mut Growth,
) -> Result<Option<Vec<Resource>>, PassError> {
    let module = b.module();
    let refused =
        |why: &str| PassError::new(format!("{}, a composite of descriptors, {why}", it.id));
    let parts = descriptors.parts(module, it.ty, kinds);
    let Some(count) = parts.map_err(refused)? else {
        return Ok(None);
    };
    let described = descriptions(module, it.variable);
    let mut chains = Vec::new();
    let mut loads = Vec::new();
    for found in module.uses(it.id) {
        let op = module.op(found.inst);
        if module.is_about(found) {
            continue;
        }
        if matches!(op, Op::AccessChain | Op::InBoundsAccessChain) && found.word == 3 {
            let index = module.operand_id(found.inst, 1);
            let part = index.and_then(|index| module.constant_u64(index));
            match part.filter(|&part| part < count as u64) {
                Some(part) => chains.push((found.inst, part as usize)),
                None => return Err(refused("has a part that is chosen while the shader runs")),
            }
        } else if let Some(extracts) = extracts(module, found.inst, count) {
            loads.push((found.inst, extracts));
        } else if op != Op::EntryPoint && !described.contains(&found.inst) {
            return Err(refused(&format!("is used by {op} as a whole")));
        }
    }
    if (it.binding.checked_add(descriptors.bindings.get(it.ty))).is_none() {
        return Err(PassError::new("there is no binding left"));
    }
    let of_loads = loads.iter().flat_map(|(_, extracts)| extracts);
    let of_loads = of_loads.map(|&(_, part)| part);
    let of_chains = chains.iter().map(|&(_, part)| part);
    let used: BTreeSet<usize> = of_chains.chain(of_loads).collect();
    let mut said = said_of(module, it.id);
    said.retain(|it| it.0 != Op::Name && !is_decoration(it, Decoration::Binding));
    growth.add(used.len() * 8)?;
    let mut made: Vec<Resource> = Vec::new();
    let mut of_part: HashMap<usize, Id> = HashMap::new();
    for &part in &used {
        let Some((ty, start)) = descriptors.part(b.module(), it.ty, part) else {
            continue;
        };
        let binding = it.binding + start;
        let pointer = b.type_pointer(it.class, ty);
        let id = b.variable(pointer, it.class, None);
        of_part.insert(part, id);
        let operands = [id.0, Decoration::Binding.0, binding];
        let place = Place::Section(Section::Annotations);
        let decoration = b.module_mut().insert(place, Op::Decorate, &operands)?;
        say_of(b, &said, id, "", growth)?;
        if let Some(variable) = b.module().definition(id) {
            made.push(Resource {
                variable,
                id,
                ty,
                binding,
                decoration,
                ..*it
            });
        }
    }
    for &(chain, part) in &chains {
        let Some(variable) = of_part.get(&part) else {
            continue;
        };
        let words = b.module().get(chain).operand_words().to_vec();
        if words.len() == 4 {
            b.replace_with(chain, *variable);
        } else {
            let op = b.module().op(chain);
            let operands = [&words[..2], &[variable.0], &words[4..]].concat();
            b.module_mut().replace(chain, op, &operands)?;
        }
    }
    for (load, extracts) in loads {
        load_parts(b, load, &extracts, &of_part, growth)?;
    }
    // No single variable is what was described any more.
    for inst in described {
        b.module_mut().erase(inst)?;
    }
    b.module_mut().erase(it.variable)?;
    Ok(Some(made))
}

/// What is taken out of a composite that is loaded, and of which part, if nothing else is done with it.
fn extracts(module: &Module, load: Inst, count: usize) -> Option<Vec<(Inst, usize)>> {
    if module.op(load) != Op::Load {
        return None;
    }
    let uses = module
        .uses_of(load)
        .filter(|&found| !module.is_about(found));
    uses.map(|found| {
        let is_extract = module.op(found.inst) == Op::CompositeExtract && found.word == 3;
        let part = module.operand_word(found.inst, 1).filter(|_| is_extract)? as usize;
        (part < count).then_some((found.inst, part))
    })
    .collect()
}

/// Loads the variables of the parts that are taken out of a load.
fn load_parts(
    b: &mut Builder,
    load: Inst,
    extracts: &[(Inst, usize)],
    of_part: &HashMap<usize, Id>,
    growth: &mut Growth,
) -> Result<(), PassError> {
    let said = b
        .module()
        .get(load)
        .operand_words()
        .get(3..)
        .unwrap_or_default()
        .to_vec();
    let mut loaded: HashMap<usize, Id> = HashMap::new();
    for &(extract, part) in extracts {
        let module = b.module();
        let (Some(&variable), Some(extracted)) = (of_part.get(&part), module.result(extract))
        else {
            continue;
        };
        let ty = module.type_of(variable).map(|ty| module.ty(ty));
        let Some(Type::Pointer { pointee, .. }) = ty else {
            continue;
        };
        let value = match loaded.get(&part) {
            Some(&value) => value,
            None => {
                let module = b.module_mut();
                let value = module.fresh_id();
                let words = [&[pointee.0, value.0, variable.0][..], &said].concat();
                growth.add(words.len() + 1)?;
                let made = module.insert(Place::Before(load), Op::Load, &words)?;
                module.copy_place(load, made);
                loaded.insert(part, value);
                value
            }
        };
        let words = b.module().get(extract).operand_words().to_vec();
        match words.get(4..).unwrap_or_default() {
            [] => b.replace_with(extract, value),
            rest => {
                let words = [&[words[0], extracted.0, value.0][..], rest].concat();
                b.module_mut()
                    .replace(extract, Op::CompositeExtract, &words)?;
            }
        }
    }
    Ok(b.module_mut().erase(load)?)
}
