//! Inputs and outputs that become a variable for each part.

use hashbrown::HashMap;
use spirvkit_analysis::Type;
use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, Op, StorageClass};
use spirvkit_ir::builder::Builder;
use spirvkit_ir::{Inst, Lookup, Module, Place};

use super::interface::list_instead;
use super::parts::of_vertices;
use super::{Growth, built, decorations, descriptions, is_decoration, of_op, said_of, say_of};
use crate::pass::{Changed, Context, PassError};

/// Types may be so deep at most.
const MAX_DEPTH: usize = 8;

/// So many variables at most are made of one.
const MAX_LEAVES: usize = 1 << 10;

/// A type and its parts: none, if it is a number or a vector.
struct Tree {
    ty: Id,
    parts: Vec<Tree>,
    /// Of those that are variables, the number of the first within.
    first: usize,
}

/// What is to become of a variable.
struct Plan {
    variable: Inst,
    id: Id,
    class: StorageClass,
    /// The length of the array that has an element for each vertex.
    vertices: Option<Id>,
    tree: Tree,
    /// The types of the variables, and their locations, counted from that of the whole.
    leaves: Vec<(Id, u32)>,
    actions: Vec<(Inst, Action)>,
}

/// A pointer to a part: what leads to it in the tree, and which vertex it is of.
#[derive(Clone)]
struct Part {
    path: Vec<usize>,
    vertex: Option<Id>,
}

enum Action {
    /// A chain that leads to a variable, and into it by so many of its last indices.
    Reach(Part, usize),
    /// A chain to a part that has parts.
    Pass,
    Load(Part),
    Store(Part),
}

/// Makes a variable of each number and vector in inputs and outputs that are arrays or matrices with
/// a location.
pub(super) fn replace(
    module: &mut Module,
    context: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let flattened = decorations::flatten(module, context)?;
    let of_vertices = of_vertices(module);
    let locations = super::decorated(module, Decoration::Location);
    let mut growth = Growth::of(module);
    let mut plans: Vec<(Plan, u32)> = Vec::new();
    for variable in of_op(module, Op::Variable) {
        let id = module.result(variable);
        let location = id.and_then(|id| Some((id, *locations.get(&id)?)));
        if let Some((id, location)) = location
            && let Some(plan) = plan(module, variable, of_vertices.contains(&id))?
        {
            growth.add(plan.leaves.len() * 12)?;
            plans.push((plan, location));
        }
    }
    if plans.is_empty() {
        return Ok(flattened);
    }
    let mut instead: HashMap<Id, Vec<Id>> = HashMap::new();
    built(module.edit(|b| {
        for (plan, location) in &plans {
            let made = carry_out(b, plan, *location, &mut growth)?;
            instead.insert(plan.id, made);
        }
        Ok::<(), PassError>(())
    }))??;
    list_instead(module, &instead, &mut growth)?;
    for (plan, _) in &plans {
        for inst in descriptions(module, plan.variable) {
            module.erase(inst)?;
        }
        module.erase(plan.variable)?;
    }
    Ok(Changed::Yes)
}

/// The parts of a type; nothing, if it has others than arrays, matrices, vectors and numbers.
fn tree(module: &Module, ty: Id, depth: usize, leaves: &mut Vec<(Id, u32)>) -> Option<Tree> {
    if depth > MAX_DEPTH || leaves.len() > MAX_LEAVES {
        return None;
    }
    let first = leaves.len();
    let (part, count) = match module.ty(ty) {
        Type::Array { element, length } => (element, module.constant_u64(length)?),
        Type::Matrix { column, count } => (column, count.into()),
        Type::Vector { .. } | Type::Int { .. } | Type::Float { .. } => {
            let at = leaves
                .last()
                .map_or(0, |&(ty, at)| at + locations(module, ty));
            leaves.push((ty, at));
            return Some(Tree {
                ty,
                parts: Vec::new(),
                first,
            });
        }
        _ => return None,
    };
    let mut parts = Vec::new();
    for _ in 0..count {
        parts.push(tree(module, part, depth + 1, leaves)?);
    }
    Some(Tree { ty, parts, first })
}

/// How many locations a number or a vector takes.
fn locations(module: &Module, ty: Id) -> u32 {
    let Type::Vector { component, count } = module.ty(ty) else {
        return 1;
    };
    let width = match module.ty(component) {
        Type::Int { width, .. } | Type::Float { width, .. } => width,
        _ => 32,
    };
    1 + u32::from(width == 64 && count > 2)
}

/// Whether a type is an array or matrix, or an array of such, of numbers.
fn is_of_numbers(module: &Module, ty: Id) -> bool {
    let mut part = ty;
    loop {
        part = match module.ty(part) {
            Type::Array { element, .. } => element,
            Type::Matrix { .. } => return true,
            Type::Vector { .. } | Type::Int { .. } | Type::Float { .. } => return part != ty,
            _ => return false,
        };
    }
}

/// How many bytes a number or a vector takes where it is captured.
fn bytes(module: &Module, ty: Id) -> u32 {
    let count = match module.ty(ty) {
        Type::Vector { count, .. } => count,
        _ => 1,
    };
    let width = match module.ty(module.component_type(ty)) {
        Type::Int { width, .. } | Type::Float { width, .. } => width,
        _ => 32,
    };
    count.saturating_mul(width / 8)
}

/// What is to be done for a variable, if it has parts.
fn plan(module: &Module, variable: Inst, has_vertices: bool) -> Result<Option<Plan>, PassError> {
    let (Some(id), Some(class), Some(ty)) = (
        module.result(variable),
        module.operand_word(variable, 0).map(StorageClass),
        module.result_type(variable),
    ) else {
        return Ok(None);
    };
    let Type::Pointer { pointee, .. } = module.ty(ty) else {
        return Ok(None);
    };
    let (vertices, ty) = match module.ty(pointee) {
        Type::Array { element, length } if has_vertices => (Some(length), element),
        _ if has_vertices => return Ok(None),
        _ => (None, pointee),
    };
    let is_interface = matches!(class, StorageClass::Input | StorageClass::Output);
    if !is_interface || !is_of_numbers(module, ty) {
        return Ok(None);
    }
    let wrong = |why: &str| PassError::new(format!("{id} can't be told apart: {why}"));
    if module.get(variable).operand_words().len() > 3 {
        return Err(wrong("it has an initial value"));
    }
    let mut leaves = Vec::new();
    let tree = tree(module, ty, 0, &mut leaves)
        .ok_or_else(|| wrong("it has too many parts, or isn't known to have how many"))?;
    let mut plan = Plan {
        variable,
        id,
        class,
        vertices,
        tree,
        leaves,
        actions: Vec::new(),
    };
    plan.follow_all(module)
        .ok_or_else(|| wrong("not all that uses it names a part that is known"))?;
    Ok(Some(plan))
}

impl Plan {
    /// Finds out what is to be done with all that leads to the variable; nothing, if that can't be done.
    fn follow_all(&mut self, module: &Module) -> Option<()> {
        let (id, vertices) = (self.id, self.vertices);
        let whole = Part {
            path: Vec::new(),
            vertex: None,
        };
        let described = descriptions(module, self.variable);
        let mut pending = vec![(id, whole)];
        while let Some((pointer, part)) = pending.pop() {
            let is_whole = vertices.is_some() && part.vertex.is_none();
            for found in module.uses(pointer) {
                let op = module.op(found.inst);
                let words = module.get(found.inst).operand_words();
                match op {
                    _ if module.is_about(found) || op == Op::EntryPoint && pointer == id => {}
                    _ if pointer == id && described.contains(&found.inst) => {}
                    Op::Load if !is_whole && words.len() == 3 => {
                        self.actions.push((found.inst, Action::Load(part.clone())));
                    }
                    Op::Store if !is_whole && words.len() == 2 && found.word == 1 => {
                        self.actions.push((found.inst, Action::Store(part.clone())));
                    }
                    Op::AccessChain | Op::InBoundsAccessChain if found.word == 3 => {
                        let (part, rest) = self.follow(module, &part, &words[3..])?;
                        let is_leaf = self.at(&part.path)?.parts.is_empty();
                        if is_leaf && (vertices.is_none() || part.vertex.is_some()) {
                            self.actions.push((found.inst, Action::Reach(part, rest)));
                        } else {
                            self.actions.push((found.inst, Action::Pass));
                            pending.push((module.result(found.inst)?, part));
                        }
                    }
                    _ => return None,
                }
            }
        }
        Some(())
    }

    fn at(&self, path: &[usize]) -> Option<&Tree> {
        path.iter()
            .try_fold(&self.tree, |tree, &part| tree.parts.get(part))
    }

    /// Where indices lead, and how many of them are left there.
    fn follow(&self, module: &Module, from: &Part, indices: &[u32]) -> Option<(Part, usize)> {
        let mut part = from.clone();
        let mut left = indices;
        if self.vertices.is_some()
            && part.vertex.is_none()
            && let Some((&vertex, rest)) = left.split_first()
        {
            part.vertex = Some(Id(vertex));
            left = rest;
        }
        while let Some((&index, rest)) = left.split_first() {
            let tree = self.at(&part.path)?;
            if tree.parts.is_empty() {
                break;
            }
            let index = usize::try_from(module.constant_u64(Id(index))?).ok()?;
            tree.parts.get(index)?;
            part.path.push(index);
            left = rest;
        }
        Some((part, left.len()))
    }
}

/// Makes the variables, and lets everything use them. Entry points are left to be done.
fn carry_out(
    b: &mut Builder,
    plan: &Plan,
    location: u32,
    growth: &mut Growth,
) -> Result<Vec<Id>, PassError> {
    let module = b.module();
    let mut said = said_of(module, plan.id);
    said.retain(|it| !is_decoration(it, Decoration::Location));
    let mut made = Vec::new();
    // How many bytes of the whole come before a leaf, if they are captured one behind the other.
    let mut offset = 0u32;
    for (number, &(ty, at)) in plan.leaves.iter().enumerate() {
        let bytes = bytes(b.module(), ty);
        let ty = match plan.vertices {
            Some(length) => b.type_array(ty, length),
            None => ty,
        };
        let pointer = b.type_pointer(plan.class, ty);
        let variable = b.variable(pointer, plan.class, None);
        let location = location.checked_add(at);
        let location = location.ok_or_else(|| PassError::new("there is no location left"))?;
        b.decorate(variable, Decoration::Location, &[location]);
        let mut said = said.clone();
        let offsets = said
            .iter_mut()
            .filter(|it| is_decoration(it, Decoration::Offset));
        for number in offsets.filter_map(|(_, words)| words.get_mut(2)) {
            *number = number.saturating_add(offset);
        }
        say_of(b, &said, variable, &format!("_{number}"), growth)?;
        made.push(variable);
        offset = bytes.saturating_add(offset);
    }
    let mut passes = Vec::new();
    for (inst, action) in &plan.actions {
        let inst = *inst;
        match action {
            Action::Pass => passes.push(inst),
            Action::Reach(part, rest) => {
                let Some(&variable) = plan.at(&part.path).and_then(|tree| made.get(tree.first))
                else {
                    continue;
                };
                let words = b.module().get(inst).operand_words().to_vec();
                let left = &words[words.len() - rest..];
                if part.vertex.is_none() && left.is_empty() {
                    b.replace_with(inst, variable);
                    continue;
                }
                let vertex = part.vertex.map(|vertex| vertex.0);
                let new = words[..2].iter().copied().chain([variable.0]).chain(vertex);
                let new: Vec<u32> = new.chain(left.iter().copied()).collect();
                let op = b.module().op(inst);
                b.module_mut().replace(inst, op, &new)?;
            }
            Action::Load(part) => {
                let Some(tree) = plan.at(&part.path) else {
                    continue;
                };
                b.insert_at(Place::Before(inst));
                let value = load(b, plan, tree, part.vertex, &made, growth)?;
                b.replace_with(inst, value);
            }
            Action::Store(part) => {
                let object = b.module().operand_id(inst, 1);
                let (Some(tree), Some(object)) = (plan.at(&part.path), object) else {
                    continue;
                };
                b.insert_at(Place::Before(inst));
                let mut path = Vec::new();
                store(
                    b,
                    plan,
                    (tree, object),
                    part.vertex,
                    &made,
                    &mut path,
                    growth,
                )?;
                b.module_mut().remove(inst)?;
            }
        }
    }
    // Those that lead on come after what they lead on from.
    for inst in passes.into_iter().rev() {
        b.module_mut().erase(inst)?;
    }
    Ok(made)
}

/// A pointer to what a variable has for a vertex.
fn pointer(b: &mut Builder, plan: &Plan, ty: Id, variable: Id, vertex: Option<Id>) -> Id {
    match vertex {
        Some(vertex) => {
            let pointer = b.type_pointer(plan.class, ty);
            b.access_chain(pointer, variable, &[vertex])
        }
        None => variable,
    }
}

fn load(
    b: &mut Builder,
    plan: &Plan,
    tree: &Tree,
    vertex: Option<Id>,
    made: &[Id],
    growth: &mut Growth,
) -> Result<Id, PassError> {
    growth.add(10)?;
    if tree.parts.is_empty() {
        let variable = made.get(tree.first).copied().unwrap_or(plan.id);
        let pointer = pointer(b, plan, tree.ty, variable, vertex);
        return Ok(b.load(tree.ty, pointer, None));
    }
    let mut parts = Vec::new();
    for part in &tree.parts {
        parts.push(load(b, plan, part, vertex, made, growth)?);
    }
    Ok(b.composite_construct(tree.ty, &parts))
}

fn store(
    b: &mut Builder,
    plan: &Plan,
    (tree, object): (&Tree, Id),
    vertex: Option<Id>,
    made: &[Id],
    path: &mut Vec<u32>,
    growth: &mut Growth,
) -> Result<(), PassError> {
    growth.add(12 + path.len())?;
    if tree.parts.is_empty() {
        let variable = made.get(tree.first).copied().unwrap_or(plan.id);
        let value = match path.is_empty() {
            true => object,
            false => b.composite_extract(tree.ty, object, path),
        };
        let pointer = pointer(b, plan, tree.ty, variable, vertex);
        b.store(pointer, value, None);
        return Ok(());
    }
    for (number, part) in (0..).zip(&tree.parts) {
        path.push(number);
        store(b, plan, (part, object), vertex, made, path, growth)?;
        path.pop();
    }
    Ok(())
}
