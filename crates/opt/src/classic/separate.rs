//! Sampled images that become an image and a sampler.

use hashbrown::{HashMap, HashSet};
use spirvkit_analysis::Type;
use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, Op};
use spirvkit_ir::builder::Builder;
use spirvkit_ir::{Inst, Lookup, Module, Place};

use super::interface::list_instead;
use super::{Growth, built, decorated, decorations, descriptions, said_of, say_of};
use crate::pass::{Changed, Context, PassError};

/// What is there instead of a sampled image, or of what leads to one.
#[derive(Clone, Copy)]
struct Parts {
    image: Id,
    sampler: Id,
}

impl Parts {
    fn each(self) -> [Id; 2] {
        [self.image, self.sampler]
    }
}

/// Makes an image and a sampler with the same binding of each variable of sampled images, and of each
/// parameter. They are brought together where they are used.
pub(super) fn split(module: &mut Module, context: &mut Context<'_>) -> Result<Changed, PassError> {
    let types: Vec<Id> = combined(module);
    if types.is_empty() {
        return Ok(Changed::No);
    }
    let known: HashSet<Id> = types.iter().copied().collect();
    refuse_within(module, &known)?;
    let is_split = |inst: Inst| {
        let ty = module.result_type(inst);
        matches!(module.op(inst), Op::Variable | Op::FunctionParameter)
            && ty.is_some_and(|ty| known.contains(&ty))
    };
    if !module.instructions().any(is_split) {
        return Ok(Changed::No);
    }
    decorations::flatten(module, context)?;
    let mut splitting = Splitting {
        types: HashMap::new(),
        parts: HashMap::new(),
        gone: Vec::new(),
        functions: Vec::new(),
        non_uniform: decorated(module, Decoration::NonUniform),
        growth: Growth::of(module),
    };
    built(module.edit(|b| splitting.run(b, &types)))??;
    let instead = splitting
        .parts
        .iter()
        .map(|(&id, parts)| (id, parts.each().to_vec()));
    let instead: HashMap<Id, Vec<Id>> = instead.collect();
    list_instead(module, &instead, &mut splitting.growth)?;
    for inst in splitting.gone.iter().rev() {
        module.erase(*inst)?;
    }
    for ty in splitting.functions.iter().chain(types.iter().rev()) {
        let inst = module.definition(*ty);
        if let Some(inst) = inst
            && module.uses_of(inst).all(|found| module.is_about(found))
        {
            module.erase(inst)?;
        }
    }
    Ok(Changed::Yes)
}

/// The types of sampled images, and of arrays of and pointers to them, each behind what it is made of.
fn combined(module: &Module) -> Vec<Id> {
    let mut is_combined = module.id_table(false);
    let mut found = Vec::new();
    for inst in module.globals() {
        let Some(id) = module.result(inst).filter(|_| module.op(inst).is_type()) else {
            continue;
        };
        let is_one = match module.ty(id) {
            Type::SampledImage { .. } => true,
            Type::Array { element, .. } | Type::RuntimeArray { element } => {
                is_combined.get(element)
            }
            Type::Pointer { pointee, .. } => is_combined.get(pointee),
            _ => false,
        };
        if is_one {
            *is_combined.slot(id) = true;
            found.push(id);
        }
    }
    found
}

/// Refuses structures that have sampled images as members, and functions that return such.
fn refuse_within(module: &Module, types: &HashSet<Id>) -> Result<(), PassError> {
    for inst in module.globals() {
        let Some(id) = module.result(inst).filter(|_| module.op(inst).is_type()) else {
            continue;
        };
        let what = match module.ty(id) {
            Type::Struct { members } if members.iter().any(|&it| types.contains(&Id(it))) => {
                "is a structure with sampled images as members"
            }
            Type::Function { result, .. } if types.contains(&result) => {
                "is the type of functions that return sampled images"
            }
            _ => continue,
        };
        return Err(PassError::new(format!("{id} {what}, which can't be split")));
    }
    Ok(())
}

struct Splitting {
    /// Types of the parts, by the type of both.
    types: HashMap<Id, Parts>,
    /// What there is instead of ids.
    parts: HashMap<Id, Parts>,
    /// What is to be removed.
    gone: Vec<Inst>,
    /// Types of functions that others take the place of.
    functions: Vec<Id>,
    /// What is decorated so.
    non_uniform: HashMap<Id, u32>,
    growth: Growth,
}

impl Splitting {
    fn run(&mut self, b: &mut Builder, types: &[Id]) -> Result<(), PassError> {
        for &ty in types {
            let each = |this: &Self, inner: Id| this.types.get(&inner).copied();
            let parts = match b.module().ty(ty) {
                Type::SampledImage { image } => Some(Parts {
                    image,
                    sampler: b.type_sampler(),
                }),
                Type::Array { element, length } => each(self, element).map(|it| Parts {
                    image: b.type_array(it.image, length),
                    sampler: b.type_array(it.sampler, length),
                }),
                Type::RuntimeArray { element } => each(self, element).map(|it| Parts {
                    image: b.type_runtime_array(it.image),
                    sampler: b.type_runtime_array(it.sampler),
                }),
                Type::Pointer { class, pointee } => each(self, pointee).map(|it| Parts {
                    image: b.type_pointer(class, it.image),
                    sampler: b.type_pointer(class, it.sampler),
                }),
                _ => None,
            };
            if let Some(parts) = parts {
                self.types.insert(ty, parts);
            }
        }
        let module = b.module();
        let all: Vec<Inst> = module.instructions().collect();
        for inst in all {
            let module = b.module();
            match module.op(inst) {
                Op::Variable => self.variable(b, inst)?,
                Op::Function => self.function(b, inst)?,
                Op::FunctionParameter => self.parameter(b, inst)?,
                _ if module.block_of(inst).is_some() => self.instruction(b, inst)?,
                _ => {}
            }
        }
        // What describes a variable describes its image.
        let mut split: Vec<(Id, Parts)> = self.parts.iter().map(|(&id, &it)| (id, it)).collect();
        split.sort_unstable_by_key(|(id, _)| *id);
        for (id, parts) in split {
            let module = b.module_mut();
            let uses: Vec<_> = module.uses(id).collect();
            for found in uses {
                if module.op(found.inst).is_ext_inst() {
                    module.set_word(found.inst, found.word, parts.image.0)?;
                }
            }
            if let Some(image) = module.definition(parts.image) {
                for described in descriptions(module, image) {
                    module.move_to(described, Place::After(image))?;
                }
            }
        }
        Ok(())
    }

    fn parts_of_type(&self, module: &Module, inst: Inst) -> Option<Parts> {
        let ty = module.result_type(inst)?;
        self.types.get(&ty).copied()
    }

    /// Notes what there is instead of a result, with its decorations and its name.
    fn instead(&mut self, b: &mut Builder, inst: Inst, parts: Parts) -> Result<(), PassError> {
        let module = b.module();
        let Some(id) = module.result(inst) else {
            return Ok(());
        };
        let said = said_of(module, id);
        for (part, end) in parts.each().into_iter().zip(["_image", "_sampler"]) {
            say_of(b, &said, part, end, &mut self.growth)?;
        }
        self.parts.insert(id, parts);
        self.gone.push(inst);
        Ok(())
    }

    fn variable(&mut self, b: &mut Builder, inst: Inst) -> Result<(), PassError> {
        let Some(types) = self.parts_of_type(b.module(), inst) else {
            return Ok(());
        };
        let class = b.module().operand_word(inst, 0).unwrap_or_default();
        let class = spirvkit_grammar::StorageClass(class);
        let parts = Parts {
            image: b.variable(types.image, class, None),
            sampler: b.variable(types.sampler, class, None),
        };
        self.instead(b, inst, parts)
    }

    /// Gives a function whose parameters change another type.
    fn function(&mut self, b: &mut Builder, inst: Inst) -> Result<(), PassError> {
        let module = b.module();
        let (Some(ty), Some(result)) = (module.operand_id(inst, 1), module.result_type(inst))
        else {
            return Ok(());
        };
        let Some(declared) = module.definition(ty) else {
            return Ok(());
        };
        let parameters = module
            .get(declared)
            .operand_words()
            .get(2..)
            .unwrap_or_default();
        let mut new = Vec::new();
        for &parameter in parameters {
            match self.types.get(&Id(parameter)) {
                Some(parts) => new.extend(parts.each()),
                None => new.push(Id(parameter)),
            }
        }
        if new.len() > parameters.len() {
            self.functions.push(ty);
            let new = b.type_function(result, &new);
            b.module_mut().set_word(inst, 4, new.0)?;
        }
        Ok(())
    }

    fn parameter(&mut self, b: &mut Builder, inst: Inst) -> Result<(), PassError> {
        let Some(types) = self.parts_of_type(b.module(), inst) else {
            return Ok(());
        };
        let module = b.module_mut();
        let parts = Parts {
            image: module.fresh_id(),
            sampler: module.fresh_id(),
        };
        let mut last = inst;
        for (ty, id) in types.each().into_iter().zip(parts.each()) {
            last = module.insert(Place::After(last), Op::FunctionParameter, &[ty.0, id.0])?;
        }
        self.instead(b, inst, parts)
    }

    fn instruction(&mut self, b: &mut Builder, inst: Inst) -> Result<(), PassError> {
        let module = b.module();
        let mut used: Vec<(usize, Parts)> = Vec::new();
        module.each_use(inst, |word, id| {
            used.extend(self.parts.get(&id).map(|&parts| (word, parts)));
        });
        let Some(&(first, parts)) = used.first() else {
            return Ok(());
        };
        let op = module.op(inst);
        let words = module.get(inst).operand_words().to_vec();
        match op {
            Op::Image => {
                b.replace_with(inst, parts.image);
                Ok(())
            }
            Op::FunctionCall => {
                let mut new = Vec::new();
                for &word in &words {
                    match self.parts.get(&Id(word)) {
                        Some(parts) => new.extend(parts.each().map(|id| id.0)),
                        None => new.push(word),
                    }
                }
                self.growth.add(new.len() - words.len())?;
                Ok(b.module_mut().replace(inst, op, &new)?)
            }
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::Load
            | Op::CopyObject
            | Op::CompositeExtract
                if first == 3 =>
            {
                let Some(types) = self.parts_of_type(module, inst) else {
                    return Err(wrong(op));
                };
                let module = b.module_mut();
                let mut made = [Id(0); 2];
                let both = types.each().into_iter().zip(parts.each());
                for (slot, (ty, base)) in made.iter_mut().zip(both) {
                    *slot = module.fresh_id();
                    let mut words = words.clone();
                    words[..3].copy_from_slice(&[ty.0, slot.0, base.0]);
                    self.growth.add(words.len() + 1)?;
                    let made = module.insert(Place::Before(inst), op, &words)?;
                    module.copy_place(inst, made);
                }
                let [image, sampler] = made;
                self.instead(b, inst, Parts { image, sampler })
            }
            _ if op.is_ext_inst() => Ok(()),
            Op::Phi | Op::Select | Op::Store | Op::CompositeConstruct | Op::CompositeInsert => {
                Err(wrong(op))
            }
            _ => {
                let mut joined: HashSet<usize> = HashSet::new();
                for (word, parts) in used {
                    if joined.insert(word) {
                        let both = self.join(b, inst, words[word - 1], parts)?;
                        b.module_mut().set_word(inst, word, both.0)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Brings both parts of a value together before an instruction that uses it.
    fn join(
        &mut self,
        b: &mut Builder,
        inst: Inst,
        value: u32,
        parts: Parts,
    ) -> Result<Id, PassError> {
        let module = b.module();
        let ty = module.type_of(Id(value));
        let ty = ty.filter(|&ty| matches!(module.ty(ty), Type::SampledImage { .. }));
        let Some(ty) = ty else {
            return Err(wrong(module.op(inst)));
        };
        self.growth.add(5)?;
        let module = b.module_mut();
        let both = module.fresh_id();
        let words = [ty.0, both.0, parts.image.0, parts.sampler.0];
        module.insert(Place::Before(inst), Op::SampledImage, &words)?;
        if self.non_uniform.contains_key(&Id(value)) {
            b.decorate(both, Decoration::NonUniform, &[]);
        }
        Ok(both)
    }
}

fn wrong(op: Op) -> PassError {
    PassError::new(format!(
        "a sampled image is used by {op}, so it can't be split"
    ))
}
