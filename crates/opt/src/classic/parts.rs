//! Parts of inputs that nothing uses.

use hashbrown::HashSet;
use spirvkit_analysis::Type;
use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, ExecutionModel, Op, StorageClass};
use spirvkit_ir::{Inst, Lookup, Module};

use super::interface::entry_points;
use super::{Order, built, decorated, descriptions, of_op};
use crate::pass::{Changed, Context, PassError};

/// Variables of which a stage has one for each vertex, so that their outermost array has another
/// meaning than those within.
pub(super) fn of_vertices(module: &Module) -> HashSet<Id> {
    let patches = decorated(module, Decoration::Patch);
    let per_vertex = decorated(module, Decoration::PerVertexKHR);
    let mut found: HashSet<Id> = per_vertex.into_keys().collect();
    for entry in entry_points(module) {
        let model = ExecutionModel(entry.model);
        let has_vertices = |class: StorageClass| match model {
            ExecutionModel::TessellationControl => true,
            ExecutionModel::TessellationEvaluation | ExecutionModel::Geometry => {
                class == StorageClass::Input
            }
            ExecutionModel::MeshEXT | ExecutionModel::MeshNV => class == StorageClass::Output,
            _ => false,
        };
        for &id in &module.get(entry.inst).operand_words()[entry.named..] {
            let variable = module.definition(Id(id));
            let class = variable.and_then(|variable| module.operand_word(variable, 0));
            if class.is_some_and(|class| has_vertices(StorageClass(class)))
                && !patches.contains_key(&Id(id))
            {
                found.insert(Id(id));
            }
        }
    }
    found
}

/// Lets inputs that are arrays end with the last element that is used.
pub(super) fn shorten(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let of_vertices = of_vertices(module);
    let built_ins = decorated(module, Decoration::BuiltIn);
    let mut found: Vec<(Inst, Id, u64)> = Vec::new();
    for variable in of_op(module, Op::Variable) {
        let class = module.operand_word(variable, 0);
        let Some(id) = (module.result(variable)).filter(|id| {
            class == Some(StorageClass::Input.0)
                && !of_vertices.contains(id)
                && !built_ins.contains_key(id)
        }) else {
            continue;
        };
        found.extend(needed(module, variable, id));
    }
    if found.is_empty() {
        return Ok(Changed::No);
    }
    let order = Order::of(module);
    built(module.edit(|b| {
        for &(variable, element, length) in &found {
            let length = b.constant_u32(length as u32);
            let array = b.type_array(element, length);
            let pointer = b.type_pointer(StorageClass::Input, array);
            let module = b.module_mut();
            module.set_word(variable, 1, pointer.0)?;
            order.put_behind(module, variable, pointer)?;
        }
        Ok::<(), PassError>(())
    }))??;
    Ok(Changed::Yes)
}

/// Of an array of which less is needed: its variable, its elements, and how many of them are needed.
fn needed(module: &Module, variable: Inst, id: Id) -> Option<(Inst, Id, u64)> {
    let Type::Pointer { pointee, .. } = module.ty(module.result_type(variable)?) else {
        return None;
    };
    let Type::Array { element, length } = module.ty(pointee) else {
        return None;
    };
    let length = module.constant_u64(length)?;
    let described = descriptions(module, variable);
    let mut most = 0;
    for found in module.uses(id) {
        let op = module.op(found.inst);
        if module.is_about(found) || op == Op::EntryPoint || described.contains(&found.inst) {
            continue;
        }
        let is_chain = matches!(op, Op::AccessChain | Op::InBoundsAccessChain) && found.word == 3;
        let index = module.operand_id(found.inst, 1).filter(|_| is_chain)?;
        most = most.max(module.constant_u64(index)?.checked_add(1)?);
    }
    (0 < most && most < length).then_some((variable, element, most))
}
