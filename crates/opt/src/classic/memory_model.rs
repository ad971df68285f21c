//! The Vulkan memory model: what decorations said of memory is said at each access.

use hashbrown::HashMap;
use spirvkit_analysis::Type;
use spirvkit_binary::{Id, IdMap};
use spirvkit_grammar::{
    AddressingModel, Capability, Class, Decoration, ExecutionModel, GlslStd450, ImageOperands,
    MemoryAccess, MemoryModel, MemorySemantics, Op, OperandKind, Scope, StorageClass, Version,
};
use spirvkit_ir::builder::Builder;
use spirvkit_ir::{Inst, Lookup, Module, Place};

use super::interface::entry_points;
use super::{built, decorations, glsl, in_functions, of_op};
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
pub(super) struct Decorated {
    whole: HashMap<Id, Sharing>,
    members: HashMap<(Id, u32), Sharing>,
    /// What is said of any variable of a class.
    of_class: HashMap<StorageClass, Sharing>,
    /// What is said of any variable.
    of_any: Sharing,
    /// What is said of any member.
    of_members: Sharing,
    /// What is said of members within each type.
    within: IdMap<Sharing>,
    /// What is said of what pointers lead through, as far as it is known.
    through: HashMap<Id, Sharing>,
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

/// The decorations, and the instructions that they are. Those of groups are not among them.
pub(super) fn read_decorations(module: &Module) -> (Decorated, Vec<Inst>) {
    let mut decorated = Decorated {
        whole: HashMap::new(),
        members: HashMap::new(),
        of_class: HashMap::new(),
        of_any: Sharing::default(),
        of_members: Sharing::default(),
        within: module.id_table(Sharing::default()),
        through: HashMap::new(),
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
    for (&id, &whole) in &decorated.whole {
        decorated.of_any.add(whole);
        if let Some((class, _)) = pointer(module, id) {
            decorated.of_class.entry(class).or_default().add(whole);
        }
    }
    let members = decorated.members.values();
    members.for_each(|&it| decorated.of_members.add(it));
    for inst in module.globals() {
        if let Some(ty) = module.result(inst).filter(|_| module.op(inst).is_type()) {
            let within = within(module, &decorated, ty);
            *decorated.within.slot(ty) = within;
        }
    }
    (decorated, insts)
}

/// What is said of members within a type, which comes after what it is made of.
fn within(module: &Module, decorated: &Decorated, ty: Id) -> Sharing {
    let mut result = Sharing::default();
    match module.ty(ty) {
        Type::Struct { members } => {
            for (index, &member) in (0..).zip(members) {
                if let Some(&it) = decorated.members.get(&(ty, index)) {
                    result.add(it);
                }
                result.add(decorated.within.get(Id(member)));
            }
        }
        Type::Array { element, .. } | Type::RuntimeArray { element } => {
            result = decorated.within.get(element);
        }
        _ => {}
    }
    result
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
    let (mut decorated, insts) = read_decorations(module);
    let accesses = in_functions(module, |inst| is_access(module.op(inst)));
    refuse_others(module, &mut decorated)?;
    let stores = in_functions(module, |inst| in_two_steps(module, inst).is_some());
    let synchronizing = in_functions(module, |inst| scopes(module.op(inst)).is_some());
    let has_patches = entry_points(module)
        .iter()
        .any(|entry| entry.model == ExecutionModel::TessellationControl.0);
    built(module.edit(|b| {
        for inst in stores {
            split(b, &mut decorated, inst)?;
        }
        for inst in accesses {
            change_access(b, &mut decorated, inst)?;
        }
        for inst in synchronizing {
            change_scopes(b, &mut decorated, inst, has_patches)?;
        }
        for inst in insts {
            b.module_mut().remove(inst)?;
        }
        let words = [AddressingModel::Logical.0, MemoryModel::Vulkan.0];
        b.module_mut().replace(model, Op::MemoryModel, &words)?;
        b.capability(Capability::VulkanMemoryModel);
        if b.module().header().version < Version::V1_5 {
            b.extension("SPV_KHR_vulkan_memory_model");
        }
        Ok::<(), PassError>(())
    }))??;
    Ok(Changed::Yes)
}

/// Whether it can be said of an operation here what must hold for its access.
fn is_access(op: Op) -> bool {
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
}

/// Refuses accesses to shared memory of which nothing can be said here, such as those of matrices of
/// groups.
fn refuse_others(module: &Module, decorated: &mut Decorated) -> Result<(), PassError> {
    let has_mask = |op: Op| {
        let operands = op.info().map(|info| info.operands()).unwrap_or_default();
        operands
            .iter()
            .any(|it| it.kind() == OperandKind::MemoryAccess)
    };
    for inst in in_functions(module, |inst| {
        let op = module.op(inst);
        !is_access(op) && has_mask(op)
    }) {
        let mut used = Vec::new();
        module.each_use(inst, |_, id| used.push(id));
        for id in used {
            if sharing(module, decorated, id) != Sharing::default() {
                return Err(PassError::new(format!(
                    "{} uses {id}, which leads to coherent or volatile memory; that can't be said of it here",
                    module.op(inst)
                )));
            }
        }
    }
    Ok(())
}

/// The storage class of a pointer, and the type of what it leads to, if the pointer says so.
fn pointer(module: &Module, id: Id) -> Option<(StorageClass, Option<Id>)> {
    match module.ty(module.type_of(id)?) {
        Type::Pointer { class, pointee } => Some((class, Some(pointee))),
        Type::UntypedPointer { class } => Some((class, None)),
        _ => None,
    }
}

/// Whether other invocations may get at memory of a class in a shader, or at what it leads to: of no
/// other can it be said who sees what is written, only that it is volatile.
fn is_shared(class: StorageClass) -> bool {
    matches!(
        class,
        StorageClass::Uniform
            | StorageClass::UniformConstant
            | StorageClass::Workgroup
            | StorageClass::TaskPayloadWorkgroupEXT
            | StorageClass::Image
            | StorageClass::StorageBuffer
    )
}

/// For what gives a part of its result through a pointer, which no access can be said of: what gives
/// both parts as a structure.
fn in_two_steps(module: &Module, inst: Inst) -> Option<GlslStd450> {
    match glsl(module, inst)? {
        GlslStd450::Modf => Some(GlslStd450::ModfStruct),
        GlslStd450::Frexp => Some(GlslStd450::FrexpStruct),
        _ => None,
    }
}

/// Lets an instruction that gives a part of its result through a pointer to shared memory give a
/// structure, of which that part is stored.
fn split(b: &mut Builder, decorated: &mut Decorated, inst: Inst) -> Result<(), PassError> {
    let module = b.module();
    let &[ty, result, set, _, value, pointer] = module.get(inst).operand_words() else {
        return Ok(());
    };
    let sharing = sharing(module, decorated, Id(pointer));
    let to = module.type_of(Id(pointer)).map(|ty| module.ty(ty));
    let (Some(function), Some(Type::Pointer { pointee, .. })) = (in_two_steps(module, inst), to)
    else {
        return Ok(());
    };
    if sharing == Sharing::default() {
        return Ok(());
    }
    let both = b.type_struct_shared(&[Id(ty), pointee]);
    b.insert_at(Place::Before(inst));
    let parts = b.module_mut().fresh_id();
    let operands = [both.0, parts.0, set, function.0, value];
    let module = b.module_mut();
    module.insert(Place::Before(inst), Op::ExtInst, &operands)?;
    module.replace(inst, Op::CompositeExtract, &[ty, result, parts.0, 0])?;
    let other = module.fresh_id();
    let operands = [pointee.0, other.0, parts.0, 1];
    let last = module.insert(Place::After(inst), Op::CompositeExtract, &operands)?;
    let store = module.insert(Place::After(last), Op::Store, &[pointer, other.0])?;
    change_access(b, decorated, store)
}

/// What must hold for what a pointer leads to.
fn sharing(module: &Module, decorated: &mut Decorated, id: Id) -> Sharing {
    let mut result = Sharing::default();
    let Some((class, pointee)) = pointer(module, id) else {
        return result;
    };
    if class == StorageClass::Workgroup {
        result.scope = Some(Scope::Workgroup.0);
    }
    if matches!(class, StorageClass::Function | StorageClass::Private) {
        return result;
    }
    result.add(match pointee {
        Some(pointee) => decorated.within.get(pointee),
        None => decorated.of_members,
    });
    result.add(through(module, decorated, id, class));
    if !is_shared(class) {
        result.scope = None;
    }
    result
}

/// Whether a pointer leads to memory that is volatile.
pub(super) fn is_volatile(module: &Module, decorated: &mut Decorated, pointer: Id) -> bool {
    sharing(module, decorated, pointer).volatile
}

/// What is said of what a pointer leads through.
fn through(
    module: &Module,
    decorated: &mut Decorated,
    pointer: Id,
    class: StorageClass,
) -> Sharing {
    let mut way = Vec::new();
    let mut at = Some(pointer);
    let mut result = Sharing::default();
    while let Some(id) = at {
        if let Some(&known) = decorated.through.get(&id) {
            result = known;
            break;
        }
        let mut own = decorated.whole.get(&id).copied().unwrap_or_default();
        at = None;
        if let Some(inst) = module.definition(id) {
            match module.op(inst) {
                op if op.is_access_chain() => {
                    along(module, decorated, inst, &mut own);
                    at = module.operand_id(inst, usize::from(op.is_untyped_access_chain()));
                }
                Op::CopyObject | Op::ImageTexelPointer => at = module.operand_id(inst, 0),
                op if op.is_variable() => {}
                // It may lead to any variable of its class.
                _ => {
                    own.add(decorated.of_class.get(&class).copied().unwrap_or_default());
                    own.add(decorated.of_members);
                }
            }
        }
        // A broken module may lead in circles.
        decorated.through.insert(id, own);
        way.push((id, own));
    }
    for (id, own) in way.into_iter().rev() {
        result.add(own);
        decorated.through.insert(id, result);
    }
    result
}

/// What is said of the members that a chain goes through.
fn along(module: &Module, decorated: &Decorated, chain: Inst, result: &mut Sharing) {
    let words = module.get(chain).operand_words();
    let op = module.op(chain);
    let base = words.get(2).map(|&base| Id(base));
    let ty = match op.is_untyped_access_chain() {
        true => base,
        false => base.and_then(|base| pointer(module, base)?.1),
    };
    let Some(mut ty) = ty else {
        return;
    };
    // Before the indices into what the base leads to, one may count from the base on.
    let others = usize::from(op.is_untyped_access_chain()) + usize::from(op.is_ptr_access_chain());
    for &index in words.iter().skip(3 + others) {
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

/// The same for an image, by the variable that it is loaded from.
fn image_sharing(module: &Module, decorated: &mut Decorated, image: Id) -> Sharing {
    let load = module.definition(image);
    let pointer = load
        .filter(|&load| module.op(load) == Op::Load)
        .and_then(|load| module.operand_id(load, 0));
    match pointer {
        Some(pointer) => sharing(module, decorated, pointer),
        None => decorated.of_any,
    }
}

/// Whether a pointer leads to what stands for a resource.
fn is_handle(module: &Module, pointer: Id) -> bool {
    let ty = module.type_of(pointer).map(|ty| module.ty(ty));
    matches!(ty, Some(Type::Pointer { class, .. }) if class == StorageClass::UniformConstant)
}

/// Says at an access what must hold for it.
fn change_access(b: &mut Builder, decorated: &mut Decorated, inst: Inst) -> Result<(), PassError> {
    let module = b.module();
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
    let mut of = |id: Option<Id>| match id {
        None => Sharing::default(),
        Some(id) if is_image => image_sharing(module, decorated, id),
        // What leads to an image isn't shared, even if the image is.
        Some(id) if is_handle(module, id) => Sharing::default(),
        Some(id) => sharing(module, decorated, id),
    };
    let (to, from) = (of(written), of(read));
    // With too few operands, it isn't valid.
    if to == Sharing::default() && from == Sharing::default() || words.len() < place {
        return Ok(());
    }
    let (operands, masks) = words.split_at(place);
    let bits = if is_image { &TEXEL } else { &POINTER };
    let (written, read) = ((bits.available, to), (bits.visible, from));
    let new = match op.is_copy_memory() {
        false => said(b, masks, bits, &[written, read]),
        true if !has_two_masks(b.module(), inst) => {
            return copy_in_two_steps(b, inst, masks, (to, from));
        }
        // A mask for each side; what a single one says holds for both.
        true => {
            let (first, second) = masks.split_at(first_mask(masks));
            let second = if second.is_empty() { first } else { second };
            let mut both = said(b, first, bits, &[written]);
            both.extend(said(b, second, bits, &[read]));
            both
        }
    };
    let new = [operands, &new].concat();
    b.module_mut().replace(inst, op, &new)?;
    Ok(())
}

/// Bits of a mask of operands of an access.
struct Bits {
    available: u32,
    visible: u32,
    non_private: u32,
    volatile: u32,
}

const TEXEL: Bits = Bits {
    available: ImageOperands::MakeTexelAvailable.0,
    visible: ImageOperands::MakeTexelVisible.0,
    non_private: ImageOperands::NonPrivateTexel.0,
    volatile: ImageOperands::VolatileTexel.0,
};

const POINTER: Bits = Bits {
    available: MemoryAccess::MakePointerAvailable.0,
    visible: MemoryAccess::MakePointerVisible.0,
    non_private: MemoryAccess::NonPrivatePointer.0,
    volatile: MemoryAccess::Volatile.0,
};

/// A mask, if there is one, and its operands with what must hold for accesses, each of which is made
/// available or visible by a bit.
fn said(b: &mut Builder, mask: &[u32], bits: &Bits, accesses: &[(u32, Sharing)]) -> Vec<u32> {
    let mut new = match mask {
        [] => vec![0],
        mask => mask.to_vec(),
    };
    for &(bit, sharing) in accesses {
        if let Some(scope) = sharing.scope {
            new[0] |= bit | bits.non_private;
            new.push(b.constant_u32(scope).0);
        }
        if sharing.volatile {
            new[0] |= bits.volatile;
        }
    }
    new
}

/// How many words the first mask of a copy of memory and its operands have.
pub(super) fn first_mask(masks: &[u32]) -> usize {
    let mask = MemoryAccess(masks.first().copied().unwrap_or(0));
    let words = 1 + usize::from(mask.contains(MemoryAccess::Aligned));
    words.min(masks.len())
}

/// Whether of a copy of memory it can be said for each side what holds for its access: from version
/// 1.4 on, if both are memory that others may get at, or the copy doesn't tell what is there.
fn has_two_masks(module: &Module, copy: Inst) -> bool {
    let is_shared = |side: usize| {
        let side = module
            .operand_id(copy, side)
            .and_then(|id| pointer(module, id));
        side.is_some_and(|(class, _)| is_shared(class))
    };
    let is_known = module.op(copy) == Op::CopyMemory;
    module.header().version >= Version::V1_4 && (!is_known || is_shared(0) && is_shared(1))
}

/// Makes a load and a store of a copy of memory.
fn copy_in_two_steps(
    b: &mut Builder,
    inst: Inst,
    mask: &[u32],
    (to, from): (Sharing, Sharing),
) -> Result<(), PassError> {
    let module = b.module();
    let (Some(target), Some(source)) = (module.operand_id(inst, 0), module.operand_id(inst, 1))
    else {
        return Ok(());
    };
    let Some((_, Some(ty))) = pointer(module, source).filter(|_| module.op(inst) == Op::CopyMemory)
    else {
        return Err(PassError::new(format!(
            "of {}, it can't be said before version 1.4 that what it copies is coherent or volatile",
            module.op(inst)
        )));
    };
    let (first, second) = mask.split_at(first_mask(mask));
    let second = if second.is_empty() { first } else { second };
    let written = said(b, first, &POINTER, &[(POINTER.available, to)]);
    let read = said(b, second, &POINTER, &[(POINTER.visible, from)]);
    let module = b.module_mut();
    let value = module.fresh_id();
    let load = [&[ty.0, value.0, source.0][..], &read].concat();
    let load = module.insert(Place::Before(inst), Op::Load, &load)?;
    module.copy_place(inst, load);
    let store = [&[target.0, value.0][..], &written].concat();
    Ok(module.replace(inst, Op::Store, &store)?)
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
    b: &mut Builder,
    decorated: &mut Decorated,
    inst: Inst,
    has_patches: bool,
) -> Result<(), PassError> {
    let module = b.module();
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
        let scope = b.constant_u32(Scope::QueueFamily.0);
        b.module_mut().set_word(inst, scope_at + 1, scope.0)?;
    }
    // The outputs of a patch, which all may see behind a barrier, are those of a workgroup.
    let of_patch = has_patches && op == Op::ControlBarrier;
    if of_patch && constant(b.module(), scope_at) == Some(Scope::Invocation.0) {
        let scope = b.constant_u32(Scope::Workgroup.0);
        b.module_mut().set_word(inst, scope_at + 1, scope.0)?;
    }
    let is_barrier = matches!(op, Op::ControlBarrier | Op::MemoryBarrier);
    let is_volatile = !is_barrier && {
        let pointer = words.get(usize::from(scope_at == 3) * 2).copied();
        sharing(b.module(), decorated, Id(pointer.unwrap_or(0))).volatile
    };
    for &index in semantics_at {
        let Some(bits) = constant(b.module(), index) else {
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
        if of_patch {
            new |= MemorySemantics::OutputMemory.0;
            if bits & ORDERS == 0 {
                new |= MemorySemantics::AcquireRelease.0;
            }
        }
        if new != bits {
            let semantics = b.constant_u32(new);
            b.module_mut().set_word(inst, index + 1, semantics.0)?;
        }
    }
    Ok(())
}

/// What says in which order things happen.
const ORDERS: u32 = MemorySemantics::Acquire.0
    | MemorySemantics::Release.0
    | MemorySemantics::AcquireRelease.0
    | MemorySemantics::SequentiallyConsistent.0;
