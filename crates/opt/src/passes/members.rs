//! Removes members of structures that nothing reads or writes.
//!
//! Where structures have a layout, each member has an offset of its own, so that the others stay
//! where they are. But languages that modules are translated to derive offsets from the members
//! themselves, so of those only what stands last in a block goes. What others may see as a whole,
//! such as outputs and payloads, keeps all.

use hashbrown::{HashMap, HashSet};
use spirvkit_grammar::{Capability, Decoration, Op, StorageClass};
use spirvkit_ir::About;

use crate::body::parts;
use crate::unit::{Unit, Value, binding};

/// What has become of a module's structures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Removed {
    /// All are as they were.
    Nothing,
    /// Members that are only declared have gone.
    Declared,
    /// So have values that were put into them, which may be of no more use.
    Computed,
}

/// Which members of structures are needed.
struct Members<'u> {
    unit: &'u Unit,
    used: HashMap<Value, Vec<bool>>,
    whole: HashSet<Value>,
    /// Those with offsets.
    laid_out: HashSet<Value>,
    /// Those that lie in others, or in arrays with strides.
    inner: HashSet<Value>,
}

/// Removes members that no live function needs.
pub(crate) fn remove_unused(unit: &mut Unit, is_live: &[bool]) -> Removed {
    let links = unit.globals.iter().any(|&value| {
        unit.op(value) == Op::Capability && unit.operand(value, 0) == Capability::Linkage.0
    });
    let has_structures = unit.globals.iter().any(|&it| unit.op(it) == Op::TypeStruct);
    if !unit.is_shader || unit.has_opaque || links || !has_structures {
        return Removed::Nothing;
    }
    let mut members = Members {
        unit,
        used: HashMap::new(),
        whole: HashSet::new(),
        laid_out: HashSet::new(),
        inner: HashSet::new(),
    };
    for &value in &unit.globals {
        members.look_at_global(value);
    }
    for (function, _) in unit.functions.iter().zip(is_live).filter(|it| *it.1) {
        for &inst in function.blocks.iter().flat_map(|block| &block.insts) {
            members.look_at(inst);
        }
    }
    members.keep_layouts();
    let places = members.places();
    match places.is_empty() {
        true => Removed::Nothing,
        false => apply(unit, is_live, &places),
    }
}

impl Members<'_> {
    fn look_at_global(&mut self, value: Value) {
        let unit = self.unit;
        match unit.op(value) {
            Op::TypePointer => {
                let has_offsets_or_is_own = matches!(
                    StorageClass(unit.operand(value, 0)),
                    StorageClass::Uniform
                        | StorageClass::StorageBuffer
                        | StorageClass::PushConstant
                        | StorageClass::ShaderRecordBufferKHR
                        | StorageClass::PhysicalStorageBuffer
                        | StorageClass::Function
                        | StorageClass::Private
                        | StorageClass::Workgroup
                );
                if !has_offsets_or_is_own {
                    self.mark_whole(unit.operand(value, 1));
                }
            }
            Op::TypeStruct => self.inner.extend(unit.operands(value)),
            Op::TypeArray | Op::TypeRuntimeArray => {
                if unit.is_decorated(value, Decoration::ArrayStride) {
                    self.inner.insert(unit.operand(value, 0));
                }
            }
            Op::TypeFunction
            | Op::Variable
            | Op::ConstantComposite
            | Op::SpecConstantComposite
            | Op::ConstantNull
            | Op::Undef
            | Op::MemberName
            | Op::MemberDecorateString
            | Op::Name
            | Op::Decorate
            | Op::DecorateString
            | Op::DecorateId
            | Op::EntryPoint => {}
            Op::MemberDecorate => {
                let ty = unit.operand(value, 0);
                match Decoration(unit.operand(value, 2)) {
                    Decoration::BuiltIn | Decoration::Location | Decoration::Component => {
                        self.mark_whole(ty);
                    }
                    Decoration::Offset => {
                        self.laid_out.insert(ty);
                    }
                    _ => {}
                }
            }
            _ => self.mark_all(value),
        }
    }

    fn look_at(&mut self, inst: Value) {
        let unit = self.unit;
        match unit.op(inst) {
            Op::Load
            | Op::Phi
            | Op::Select
            | Op::CopyObject
            | Op::Undef
            | Op::Variable
            | Op::CompositeConstruct
            | Op::CompositeInsert
            | Op::FunctionCall
            | Op::ReturnValue => {}
            Op::Store | Op::CopyMemory => {
                // What others may look at, or somebody by another type.
                let [to, from] = [0, 1].map(|index| unit.operand(inst, index));
                let is_own = matches!(
                    unit.storage_class(to).map(StorageClass),
                    Some(StorageClass::Function | StorageClass::Private)
                );
                if !is_own || unit.pointee(to).is_none() {
                    self.mark_pointee(to);
                    self.mark_whole(unit.node(unit.find(from)).ty);
                    self.mark_pointee(from);
                }
            }
            op if op.is_access_chain() && !op.is_untyped_access_chain() => {
                for step in steps(unit, inst) {
                    self.mark(step.ty, step.member);
                }
            }
            Op::CompositeExtract | Op::ArrayLength => {
                for step in steps(unit, inst) {
                    self.mark(step.ty, step.member);
                }
            }
            _ => self.mark_all(inst),
        }
    }

    /// Marks all that an instruction may look at.
    fn mark_all(&mut self, inst: Value) {
        let unit = self.unit;
        // What only describes the source decides nothing.
        if unit.is_debug(inst) {
            return;
        }
        self.mark_whole(unit.node(inst).ty);
        for (_, id) in unit.ids(inst) {
            match unit.op(id).is_type() {
                true => self.mark_whole(id),
                false => self.mark_whole(unit.node(unit.find(id)).ty),
            }
            self.mark_pointee(id);
            // Who calls it, calls it with pointers into other memory.
            if unit.op(id) == Op::Function {
                self.mark_parameters(unit.operand(id, 1));
            }
        }
    }

    fn mark_pointee(&mut self, pointer: Value) {
        if let Some(ty) = self.unit.pointee(pointer) {
            self.mark_whole(ty);
        }
    }

    /// Marks what the parameters of functions of a type are, or lead to.
    fn mark_parameters(&mut self, function_type: Value) {
        let unit = self.unit;
        for &ty in unit.operands(function_type).iter().skip(1) {
            match unit.op(ty) {
                Op::TypePointer => self.mark_whole(unit.operand(ty, 1)),
                _ => self.mark_whole(ty),
            }
        }
    }

    fn mark_whole(&mut self, ty: Value) {
        let has_parts = matches!(
            self.unit.op(ty),
            Op::TypeStruct | Op::TypeArray | Op::TypeRuntimeArray
        );
        if !has_parts || self.whole.contains(&ty) {
            return;
        }
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            let inner: &[u32] = match self.unit.op(ty) {
                Op::TypeStruct => self.unit.operands(ty),
                Op::TypeArray | Op::TypeRuntimeArray => &self.unit.operands(ty)[..1],
                _ => continue,
            };
            if self.whole.insert(ty) {
                work.extend(inner);
            }
        }
    }

    fn mark(&mut self, ty: Value, member: u32) {
        let count = self.unit.operands(ty).len();
        let used = self.used.entry(ty).or_insert_with(|| vec![false; count]);
        if let Some(slot) = used.get_mut(member as usize) {
            *slot = true;
        }
    }

    /// Keeps what gives others their places in a layout.
    fn keep_layouts(&mut self) {
        let laid_out = std::mem::take(&mut self.laid_out);
        for &ty in &laid_out {
            let Some(used) = self.used.get_mut(&ty) else {
                continue;
            };
            if self.inner.contains(&ty) {
                self.mark_whole(ty);
            } else if let Some(last) = used.iter().rposition(|&it| it) {
                used[..last].fill(true);
            }
        }
    }

    /// Where the members of structures that lose some will be.
    fn places(&self) -> HashMap<Value, Vec<Option<u32>>> {
        let some = (self.used.iter())
            .filter(|(ty, used)| !self.whole.contains(*ty) && used.contains(&false));
        let places = some.map(|(&ty, used)| {
            let mut next = 0;
            let places = used.iter().map(|&used| {
                used.then(|| {
                    next += 1;
                    next - 1
                })
            });
            (ty, places.collect())
        });
        places.collect()
    }
}

/// A step into a structure: which operand says so, and which member it leads to.
struct Step {
    operand: usize,
    ty: Value,
    member: u32,
}

/// The steps into structures of an access chain or an operation on a part.
fn steps(unit: &Unit, inst: Value) -> Vec<Step> {
    let op = unit.op(inst);
    let type_of = |value: Value| unit.node(unit.find(value)).ty;
    let pointee = |value: Value| match unit.op(type_of(value)) {
        Op::TypePointer => unit.operand(type_of(value), 1),
        _ => 0,
    };
    let operand = |index: usize| unit.operand(inst, index);
    let (mut ty, first) = match op {
        Op::PtrAccessChain | Op::InBoundsPtrAccessChain => (pointee(operand(0)), 2),
        Op::CompositeInsert => (type_of(operand(1)), 2),
        Op::CompositeExtract => (type_of(operand(0)), 1),
        _ => (pointee(operand(0)), 1),
    };
    let mut steps = Vec::new();
    for (index, &word) in unit.operands(inst).iter().enumerate().skip(first) {
        if unit.op(ty) == Op::TypeStruct {
            let member = match op.is_access_chain() {
                true => unit.integer(unit.find(word)).map(|it| it as u32),
                false => Some(word),
            };
            let Some((member, part)) =
                member.and_then(|it| Some((it, *unit.operands(ty).get(it as usize)?)))
            else {
                return steps;
            };
            steps.push(Step {
                operand: index,
                ty,
                member,
            });
            ty = part;
        } else if unit.op(ty) == Op::TypeRuntimeArray {
            ty = unit.operand(ty, 0);
        } else {
            match parts(unit, ty).1 {
                Some(part) => ty = part,
                None => return steps,
            }
        }
    }
    steps
}

type Places = HashMap<Value, Vec<Option<u32>>>;

/// Brings everything in line with where members are now.
fn apply(unit: &mut Unit, is_live: &[bool], places: &Places) -> Removed {
    let mut removed = Removed::Declared;
    for (index, _) in is_live.iter().enumerate().filter(|it| *it.1) {
        let blocks = std::mem::take(&mut unit.functions[index].blocks);
        for &inst in blocks.iter().flat_map(|block| &block.insts) {
            if change(unit, inst, places) {
                removed = Removed::Computed;
            }
        }
        unit.functions[index].blocks = blocks;
    }
    let globals = std::mem::take(&mut unit.globals);
    for &value in &globals {
        if matches!(
            unit.op(value),
            Op::ConstantComposite | Op::SpecConstantComposite
        ) {
            keep_parts(unit, value, unit.node(value).ty, places);
        }
    }
    let stays = |unit: &mut Unit, value: Value| {
        let is_of_member = matches!(
            unit.op(value),
            Op::MemberName | Op::MemberDecorate | Op::MemberDecorateString
        );
        debug_assert!(!is_of_member || About::of(unit.op(value)).is_some());
        let Some(places) = is_of_member
            .then(|| places.get(&unit.operand(value, 0)))
            .flatten()
        else {
            return true;
        };
        match places.get(unit.operand(value, 1) as usize) {
            Some(Some(place)) => unit.operands_mut(value)[1] = *place,
            Some(None) => return false,
            None => {}
        }
        true
    };
    let mut kept = Vec::with_capacity(globals.len());
    for value in globals {
        if stays(unit, value) {
            kept.push(value);
        }
    }
    // What was made meanwhile comes last.
    kept.append(&mut unit.globals);
    unit.globals = kept;
    for &ty in places.keys() {
        keep_parts(unit, ty, ty, places);
    }
    removed
}

/// Keeps the operands for members that are still there; whether any goes.
fn keep_parts(unit: &mut Unit, value: Value, ty: Value, places: &Places) -> bool {
    let Some(places) = places.get(&ty) else {
        return false;
    };
    let old = unit.operands(value).to_vec();
    if old.len() != places.len() {
        return false;
    }
    let kept = old.iter().zip(places).filter(|(_, place)| place.is_some());
    let kept: Vec<u32> = kept.map(|(&part, _)| part).collect();
    unit.set_operands(value, &kept);
    true
}

/// Changes what names members; whether it used a value that it doesn't any more.
fn change(unit: &mut Unit, inst: Value, places: &Places) -> bool {
    let op = unit.op(inst);
    if unit.is_debug(inst) {
        // The parts of a variable are not those of the value any more.
        let mut ty = unit.node(unit.find(unit.operand(inst, binding::VALUE))).ty;
        if unit.op(ty) == Op::TypePointer {
            ty = unit.operand(ty, 1);
        }
        if places.contains_key(&ty) {
            unit.forget_value(inst);
        }
        return false;
    }
    if op == Op::CompositeConstruct {
        return keep_parts(unit, inst, unit.node(inst).ty, places);
    }
    let is_path = op.is_access_chain() && !op.is_untyped_access_chain()
        || matches!(
            op,
            Op::CompositeExtract | Op::CompositeInsert | Op::ArrayLength
        );
    if !is_path {
        return false;
    }
    for step in steps(unit, inst) {
        let Some(places) = places.get(&step.ty) else {
            continue;
        };
        match places[step.member as usize] {
            Some(place) if place == step.member => {}
            Some(place) => {
                let word = match op.is_access_chain() {
                    true => {
                        let old = unit.find(unit.operand(inst, step.operand));
                        unit.index_like(old, place)
                    }
                    false => place,
                };
                unit.operands_mut(inst)[step.operand] = word;
            }
            // Only what nothing reads is gone, so this is an insertion.
            None => {
                let whole = unit.operand(inst, 1);
                unit.set_operands(inst, &[whole]);
                unit.nodes[inst as usize].op = Op::CopyObject;
                unit.nodes[inst as usize].ids = u64::MAX;
                return true;
            }
        }
    }
    false
}
