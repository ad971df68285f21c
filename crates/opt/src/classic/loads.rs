//! Loads of composites of which only parts are used.

use std::collections::BTreeMap;

use spirvkit_analysis::index::Type;
use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, Op, StorageClass};
use spirvkit_ir::{Inst, Lookup, Module, Place};

use super::memory_model::{Decorated, is_volatile, read_decorations};
use super::{built, decorated, decorations};
use crate::pass::{Changed, Context, PassError};

/// How much of a composite may be used, if nothing else is said.
const RATIO: f64 = 0.9;

fn ratio(argument: &str) -> Result<f64, String> {
    let ratio = argument.parse::<f64>().ok().filter(|it| *it >= 0.0);
    ratio.ok_or_else(|| format!("`{argument}` is no ratio"))
}

pub(super) fn check_ratio(argument: &str) -> Result<(), String> {
    ratio(argument).map(drop)
}

/// A load, and the extractions of parts of it, by the part.
struct Wide {
    load: Inst,
    class: StorageClass,
    parts: BTreeMap<u32, Vec<Inst>>,
}

/// Replaces loads by loads of the parts that are used, if these are few enough.
pub(super) fn reduce(
    module: &mut Module,
    argument: &str,
    context: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let ratio = match argument {
        "" => RATIO,
        argument => ratio(argument).map_err(PassError::new)?,
    };
    let flattened = decorations::flatten(module, context)?;
    let (mut volatile, _) = read_decorations(module);
    let loads: Vec<Inst> = module
        .instructions()
        .filter(|&inst| module.op(inst) == Op::Load)
        .collect();
    let wide: Vec<Wide> = loads
        .into_iter()
        .filter_map(|load| wide(module, load, ratio, &mut volatile))
        .collect();
    let count = wide.len();
    let non_uniform = decorated(module, Decoration::NonUniform);
    built(module.edit(|b| {
        for it in wide {
            let module = b.module();
            let (Some(pointer), Some(ty)) =
                (module.operand_id(it.load, 0), module.result_type(it.load))
            else {
                continue;
            };
            let is_non_uniform =
                |id: Option<Id>| id.is_some_and(|id| non_uniform.contains_key(&id));
            let all_differ =
                is_non_uniform(Some(pointer)) || is_non_uniform(module.result(it.load));
            for (&part, extracts) in &it.parts {
                let Some(part_ty) = part_type(b.module(), ty, part) else {
                    continue;
                };
                let pointer_ty = b.type_pointer(it.class, part_ty);
                let index = b.constant_u32(part);
                b.insert_at(Place::Before(it.load));
                let chain = b.access_chain(pointer_ty, pointer, &[index]);
                let loaded = b.load(part_ty, chain, None);
                let this_differs = extracts
                    .iter()
                    .any(|&extract| is_non_uniform(b.module().result(extract)));
                if all_differ || this_differs {
                    b.decorate(chain, Decoration::NonUniform, &[]);
                    b.decorate(loaded, Decoration::NonUniform, &[]);
                }
                for &extract in extracts {
                    let words = b.module().get(extract).operand_words().to_vec();
                    if words.len() == 4 {
                        b.replace_with(extract, loaded);
                        continue;
                    }
                    let operands = [&words[..2], &[loaded.0], &words[4..]].concat();
                    // It gets shorter, so it can't fail.
                    let _ = b
                        .module_mut()
                        .replace(extract, Op::CompositeExtract, &operands);
                }
            }
            b.erase(it.load);
        }
    }))?;
    Ok(flattened.or(Changed::if_any(count)))
}

/// A load of a structure or an array of which only parts are taken out.
fn wide(module: &Module, load: Inst, ratio: f64, volatile: &mut Decorated) -> Option<Wide> {
    // With the mask of a memory access, parts would need others.
    if module.get(load).operand_words().len() != 3 {
        return None;
    }
    let ty = module.result_type(load)?;
    let count = match module.ty(ty) {
        Type::Struct { .. } => module.get(module.definition(ty)?).operand_words().len() as u64 - 1,
        Type::Array { length, .. } => module.constant_u64(length)?,
        _ => return None,
    };
    let pointer = module.operand_id(load, 0)?;
    let pointer_ty = module.type_of(pointer)?;
    let Type::Pointer { class, .. } = module.ty(pointer_ty) else {
        return None;
    };
    if matches!(
        class,
        StorageClass::PhysicalStorageBuffer | StorageClass::Generic | StorageClass::CrossWorkgroup
    ) {
        return None;
    }
    let mut it = Wide {
        load,
        class,
        parts: BTreeMap::new(),
    };
    for found in module.uses_of(load) {
        let is_extract = module.op(found.inst) == Op::CompositeExtract && found.word == 3;
        let words = module.get(found.inst).operand_words();
        match words.get(3) {
            Some(&part) if is_extract => {
                it.parts.entry(part).or_default().push(found.inst);
            }
            _ if module.op(found.inst) == Op::Name => {}
            _ => return None,
        }
    }
    let few = (it.parts.len() as f64) < ratio * count as f64;
    // Of what is volatile, all that is read is.
    (few && !it.parts.is_empty() && !is_volatile(module, volatile, pointer)).then_some(it)
}

fn part_type(module: &Module, ty: Id, part: u32) -> Option<Id> {
    match module.ty(ty) {
        Type::Array { element, .. } => Some(element),
        Type::Struct { .. } => {
            let words = module.get(module.definition(ty)?).operand_words();
            words.get(part as usize + 1).map(|&id| Id(id))
        }
        _ => None,
    }
}
