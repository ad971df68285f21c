//! The Vulkan memory model: what decorations said of memory is said at each access.

use std::cmp::Ordering;

use hashbrown::{HashMap, HashSet};
use spirvkit_analysis::Type;
use spirvkit_binary::Id;
use spirvkit_grammar::{
    AddressingModel, Capability, Class, Decoration, ExecutionModel, ImageOperands, MemoryAccess,
    MemoryModel, MemorySemantics, Op, Scope, StorageClass, Version,
};
use spirvkit_ir::{Inst, Lookup, Module};

use super::interface::entry_points;
use super::{built, decorations, in_functions, of_op};
use crate::pass::{Changed, Context, PassError};

/// What must hold for accesses to some memory.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Sharing {
    /// Whether others see what is written, and who.
    scope: Option<u32>,
    volatile: bool,
}

impl Sharing {
    fn add(&mut self, other: Self) {
        self.scope = match (self.scope, other.scope) {
            // The queue family is the wider of the two.
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        self.volatile |= other.volatile;
    }
}

/// What decorations say.
struct Decorated {
    whole: HashMap<Id, Sharing>,
    members: HashMap<(Id, u32), Sharing>,
}

fn sharing_of(decoration: u32) -> Option<Sharing> {
    match Decoration(decoration) {
        Decoration::Coherent => Some(Sharing {
            scope: Some(Scope::QueueFamily.0),
            volatile: false,
        }),
        // What is volatile is coherent.
        Decoration::Volatile => Some(Sharing {
            scope: Some(Scope::QueueFamily.0),
            volatile: true,
        }),
        _ => None,
    }
}

/// The decorations, and the instructions that they are.
fn read_decorations(module: &Module) -> (Decorated, Vec<Inst>) {
    let mut decorated = Decorated {
        whole: HashMap::new(),
        members: HashMap::new(),
    };
    let mut insts = Vec::new();
    for inst in module.globals() {
        let words = module.get(inst).operand_words();
        match (module.op(inst), words) {
            (Op::Decorate, &[target, decoration]) => {
                if let Some(sharing) = sharing_of(decoration) {
                    decorated.whole.entry(Id(target)).or_default().add(sharing);
                    insts.push(inst);
                }
            }
            (Op::MemberDecorate, &[target, member, decoration]) => {
                if let Some(sharing) = sharing_of(decoration) {
                    let slot = decorated.members.entry((Id(target), member)).or_default();
                    slot.add(sharing);
                    insts.push(inst);
                }
            }
            _ => {}
        }
    }
    (decorated, insts)
}

pub(super) fn upgrade(
    module: &mut Module,
    context: &mut Context<'_>,
) -> Result<Changed, PassError> {
    let Some(&model) = of_op(module, Op::MemoryModel).first() else {
        return Ok(Changed::No);
    };
    if module.operand_word(model, 1) != Some(MemoryModel::GLSL450.0) {
        return Ok(Changed::No);
    }
    if module.operand_word(model, 0) != Some(AddressingModel::Logical.0) {
        return Err(PassError::new(
            "only modules with logical addresses can be upgraded",
        ));
    }
    if module.header().version < Version::V1_3 {
        return Err(PassError::new(
            "the Vulkan memory model needs version 1.3 of SPIR-V",
        ));
    }
    decorations::flatten(module, context)?;
    let (decorated, insts) = read_decorations(module);
    let accesses = in_functions(module, |inst| {
        let op = module.op(inst);
        matches!(
            op,
            Op::Load
                | Op::Store
                | Op::CopyMemory
                | Op::CopyMemorySized
                | Op::ImageRead
                | Op::ImageSparseRead
                | Op::ImageWrite
        )
    });
    let synchronizing = in_functions(module, |inst| scopes(module.op(inst)).is_some());
    let has_patches = entry_points(module)
        .iter()
        .any(|entry| entry.model == ExecutionModel::TessellationControl.0);
    let mut constants = Constants::default();
    for inst in accesses {
        change_access(module, &decorated, &mut constants, inst)?;
    }
    for inst in synchronizing {
        change_scopes(module, &decorated, &mut constants, inst, has_patches)?;
    }
    for inst in insts {
        module.remove(inst)?;
    }
    let words = [AddressingModel::Logical.0, MemoryModel::Vulkan.0];
    module.replace(model, Op::MemoryModel, &words)?;
    let is_old = module.header().version < Version::V1_5;
    built(module.edit(|b| {
        b.capability(Capability::VulkanMemoryModel);
        if is_old {
            b.extension("SPV_KHR_vulkan_memory_model");
        }
    }))?;
    Ok(Changed::Yes)
}

/// Constants that are made once.
#[derive(Default)]
struct Constants(HashMap<u32, Id>);

impl Constants {
    fn get(&mut self, module: &mut Module, bits: u32) -> Result<u32, PassError> {
        if let Some(&id) = self.0.get(&bits) {
            return Ok(id.0);
        }
        let id = built(module.edit(|b| b.constant_u32(bits)))?;
        self.0.insert(bits, id);
        Ok(id.0)
    }
}

/// What must hold for what a pointer leads to.
fn sharing(module: &Module, decorated: &Decorated, pointer: Id) -> Sharing {
    let mut result = Sharing::default();
    let Some(ty) = module.type_of(pointer) else {
        return result;
    };
    let Type::Pointer { class, pointee } = module.ty(ty) else {
        return result;
    };
    if class == StorageClass::Workgroup {
        result.scope = Some(Scope::Workgroup.0);
    }
    if matches!(class, StorageClass::Function | StorageClass::Private) {
        return result;
    }
    within(module, decorated, pointee, &mut result, &mut HashSet::new());
    let mut at = pointer;
    let mut seen = HashSet::new();
    while seen.insert(at) {
        if let Some(&whole) = decorated.whole.get(&at) {
            result.add(whole);
        }
        let Some(inst) = module.definition(at) else {
            break;
        };
        match module.op(inst) {
            op if op.is_access_chain() => {
                along(module, decorated, inst, &mut result);
                let Some(base) = module.operand_id(inst, 0) else {
                    break;
                };
                at = base;
            }
            Op::CopyObject | Op::ImageTexelPointer => {
                let Some(base) = module.operand_id(inst, 0) else {
                    break;
                };
                at = base;
            }
            Op::Variable => break,
            // It may lead to any variable of its class.
            _ => {
                for (&id, &whole) in &decorated.whole {
                    let ty = module.type_of(id).map(|ty| module.ty(ty));
                    if matches!(ty, Some(Type::Pointer { class: other, .. }) if other == class) {
                        result.add(whole);
                    }
                }
                decorated.members.values().for_each(|&it| result.add(it));
                break;
            }
        }
    }
    result
}

/// What is said of the members that a chain goes through.
fn along(module: &Module, decorated: &Decorated, chain: Inst, result: &mut Sharing) {
    let words = module.get(chain).operand_words();
    let base = words.get(2).and_then(|&base| module.type_of(Id(base)));
    let Some(Type::Pointer { pointee, .. }) = base.map(|ty| module.ty(ty)) else {
        return;
    };
    let mut ty = pointee;
    for &index in words.iter().skip(3) {
        ty = match module.ty(ty) {
            Type::Struct { members } => {
                let Some(index) = module.constant_u64(Id(index)) else {
                    return;
                };
                if let Some(&member) = decorated.members.get(&(ty, index as u32)) {
                    result.add(member);
                }
                match members.get(index as usize) {
                    Some(&member) => Id(member),
                    None => return,
                }
            }
            Type::Array { element, .. } | Type::RuntimeArray { element } => element,
            Type::Matrix { column, .. } => column,
            _ => return,
        };
    }
}

/// What is said of members within a type.
fn within(
    module: &Module,
    decorated: &Decorated,
    ty: Id,
    result: &mut Sharing,
    seen: &mut HashSet<Id>,
) {
    let mut work = vec![ty];
    while let Some(ty) = work.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match module.ty(ty) {
            Type::Struct { members } => {
                for (index, &member) in (0..).zip(members) {
                    if let Some(&it) = decorated.members.get(&(ty, index)) {
                        result.add(it);
                    }
                    work.push(Id(member));
                }
            }
            Type::Array { element, .. } | Type::RuntimeArray { element } => work.push(element),
            _ => {}
        }
    }
}

/// The same for an image, by the variable that it is loaded from.
fn image_sharing(module: &Module, decorated: &Decorated, image: Id) -> Sharing {
    let load = module.definition(image);
    let pointer = load
        .filter(|&load| module.op(load) == Op::Load)
        .and_then(|load| module.operand_id(load, 0));
    match pointer {
        Some(pointer) => sharing(module, decorated, pointer),
        None => {
            let mut any = Sharing::default();
            decorated.whole.values().for_each(|&it| any.add(it));
            any
        }
    }
}

/// Says at an access what must hold for it.
fn change_access(
    module: &mut Module,
    decorated: &Decorated,
    constants: &mut Constants,
    inst: Inst,
) -> Result<(), PassError> {
    let op = module.op(inst);
    let words = module.get(inst).operand_words().to_vec();
    let id = |index: usize| Id(words.get(index).copied().unwrap_or(0));
    // Where the mask is, what is written and what is read.
    let (place, written, read, is_image) = match op {
        Op::Load => (3, None, Some(id(2)), false),
        Op::Store => (2, Some(id(0)), None, false),
        Op::CopyMemory => (2, Some(id(0)), Some(id(1)), false),
        Op::CopyMemorySized => (3, Some(id(0)), Some(id(1)), false),
        Op::ImageRead | Op::ImageSparseRead => (4, None, Some(id(2)), true),
        _ => (3, Some(id(0)), None, true),
    };
    let of = |module: &Module, id: Option<Id>| match id {
        None => Sharing::default(),
        Some(id) if is_image => image_sharing(module, decorated, id),
        Some(id) => sharing(module, decorated, id),
    };
    let (to, from) = (of(module, written), of(module, read));
    if to == Sharing::default() && from == Sharing::default() {
        return Ok(());
    }
    let bits = match is_image {
        true => [
            ImageOperands::MakeTexelAvailable.0,
            ImageOperands::MakeTexelVisible.0,
            ImageOperands::NonPrivateTexel.0,
            ImageOperands::VolatileTexel.0,
        ],
        false => [
            MemoryAccess::MakePointerAvailable.0,
            MemoryAccess::MakePointerVisible.0,
            MemoryAccess::NonPrivatePointer.0,
            MemoryAccess::Volatile.0,
        ],
    };
    let [available, visible, non_private, volatile] = bits;
    let mut operands = words;
    match operands.len().cmp(&place) {
        // It has too few operands, so it isn't valid.
        Ordering::Less => return Ok(()),
        Ordering::Equal => operands.push(0),
        Ordering::Greater => {}
    }
    // A copy may have a mask for each side.
    let has_two = op == Op::CopyMemory
        && second_mask(&operands, place).is_some_and(|second| second < operands.len());
    if has_two {
        return Err(PassError::new(
            "a copy of memory has two masks, which is not known here",
        ));
    }
    let mut mask = operands[place];
    for (bit, sharing) in [(available, to), (visible, from)] {
        if let Some(scope) = sharing.scope {
            mask |= bit | non_private;
            let scope = constants.get(module, scope)?;
            operands.push(scope);
        }
        if sharing.volatile {
            mask |= volatile;
        }
    }
    operands[place] = mask;
    module.replace(inst, op, &operands)?;
    Ok(())
}

/// Where a second mask would be.
fn second_mask(operands: &[u32], place: usize) -> Option<usize> {
    let mask = MemoryAccess(*operands.get(place)?);
    Some(place + 1 + usize::from(mask.contains(MemoryAccess::Aligned)))
}

/// Where an operation has scopes of memory, and semantics, among its operand words.
fn scopes(op: Op) -> Option<(usize, &'static [usize])> {
    match op {
        Op::ControlBarrier => Some((1, &[2])),
        Op::MemoryBarrier => Some((0, &[1])),
        Op::AtomicStore | Op::AtomicFlagClear => Some((1, &[2])),
        Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => Some((3, &[4, 5])),
        _ => {
            let is_atomic = op.info().map(|info| info.class()) == Some(Class::Atomic);
            is_atomic.then_some((3, &[4]))
        }
    }
}

/// Narrows the scope of a device, for which there is a capability of its own, and replaces
/// sequential consistency, which isn't there.
fn change_scopes(
    module: &mut Module,
    decorated: &Decorated,
    constants: &mut Constants,
    inst: Inst,
    has_patches: bool,
) -> Result<(), PassError> {
    let op = module.op(inst);
    let Some((scope_at, semantics_at)) = scopes(op) else {
        return Ok(());
    };
    let words = module.get(inst).operand_words().to_vec();
    let constant = |module: &Module, index: usize| {
        let id = Id(words.get(index).copied().unwrap_or(0));
        module.constant_u64(id).map(|bits| bits as u32)
    };
    if constant(module, scope_at) == Some(Scope::Device.0) {
        let scope = constants.get(module, Scope::QueueFamily.0)?;
        module.set_word(inst, scope_at + 1, scope)?;
    }
    let is_barrier = matches!(op, Op::ControlBarrier | Op::MemoryBarrier);
    let is_volatile = !is_barrier && {
        let pointer = words.get(usize::from(scope_at == 3) * 2).copied();
        sharing(module, decorated, Id(pointer.unwrap_or(0))).volatile
    };
    for &index in semantics_at {
        let Some(bits) = constant(module, index) else {
            continue;
        };
        let mut new = bits;
        if bits & MemorySemantics::SequentiallyConsistent.0 != 0 {
            new &= !MemorySemantics::SequentiallyConsistent.0;
            let is_read = op == Op::AtomicLoad || index == 5;
            new |= match op {
                _ if is_read => MemorySemantics::Acquire.0,
                Op::AtomicStore | Op::AtomicFlagClear => MemorySemantics::Release.0,
                _ => MemorySemantics::AcquireRelease.0,
            };
        }
        if is_volatile {
            new |= MemorySemantics::Volatile.0;
        }
        if has_patches && op == Op::ControlBarrier {
            new |= MemorySemantics::OutputMemory.0;
            if bits & ORDERS == 0 {
                new |= MemorySemantics::AcquireRelease.0;
            }
        }
        if new != bits {
            let semantics = constants.get(module, new)?;
            module.set_word(inst, index + 1, semantics)?;
        }
    }
    Ok(())
}

/// What says in which order things happen.
const ORDERS: u32 = MemorySemantics::Acquire.0
    | MemorySemantics::Release.0
    | MemorySemantics::AcquireRelease.0
    | MemorySemantics::SequentiallyConsistent.0;
