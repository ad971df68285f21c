//! Variables: what is kept in columns, and which objects there are.

use std::ops::Range;
use std::sync::Arc;

use hashbrown::HashSet;
use spirvkit_analysis::index::{Function, Inst as Instruction};
use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, Op, StorageClass,
};

use super::descriptors::Descriptors;
use super::{Lowering, Pointer, Result, Value};
use crate::kinds;
use crate::program::{
    Address, BuiltInValue, Input, NO_REG, Object, ObjectInfo, ObjectKind, Place, Reg,
};
use crate::undefined::{Home, Variable};

/// How many columns a variable may have that is kept in them.
pub(super) const MAX_COLUMNS_OF_VARIABLE: u32 = 1024;

/// How many buffers, and variables with an address, there may be.
const MAX_OBJECTS: u32 = 1 << 16;

/// How many bytes of memory the variables of a workgroup may have.
const MAX_WORKGROUP_BYTES: u32 = 1 << 26;

/// How many bytes of memory a lane may have of its own.
const MAX_LANE_BYTES: u32 = 1 << 20;

/// What is done with a variable.
pub(super) enum Use {
    /// Something that takes its address.
    Address,
    /// It, or a part of it that constants lead to, is only loaded and stored, or passed as it
    /// is.
    Accesses {
        /// Whether it is stored to, or passed.
        is_written: bool,
    },
}

impl<'a> Lowering<'_, 'a> {
    /// Gives all variables that these functions use their place.
    pub(super) fn variables(&mut self, functions: &[u32]) -> Result<()> {
        self.program.objects.push(ObjectInfo {
            name: "null".into(),
            kind: ObjectKind::Null,
        });
        // Their addresses are known before anything else is.
        for index in 0..self.surroundings.memories {
            let index = index as u32;
            if index >= MAX_OBJECTS {
                return Err(self.too_many_objects());
            }
            self.program.objects.push(ObjectInfo {
                name: format!("memory at 0x{:x}", u64::from(index + 1) << 32).into(),
                kind: ObjectKind::Memory { index },
            });
        }
        self.constant_objects()?;
        let mut used: Vec<u32> = self.m.globals.clone();
        used.retain(|&offset| self.is_used(offset, functions));
        for &function in functions {
            used.extend(self.locals(&self.m.functions[function as usize].range));
        }
        for offset in used {
            self.here = offset;
            if let Some(inst) = self.m.inst(offset) {
                self.variable(inst)?;
                self.note_without_value(inst, functions);
            }
        }
        Ok(())
    }

    /// Makes the objects of constants: how many objects there are has to be known before any
    /// address is.
    fn constant_objects(&mut self) -> Result<()> {
        for inst in self.m.all_instructions() {
            if inst.offset() >= self.m.functions_start {
                break;
            }
            let has_object = match inst.op() {
                Op::ConstantPipeStorage => true,
                Op::ConstantSampler => self.has_narrow_addresses(),
                _ => false,
            };
            if has_object {
                self.here = inst.offset();
                self.value(inst.result().unwrap_or(Id(0)))?;
            }
        }
        Ok(())
    }

    /// Whether one of these functions uses the variable at this offset.
    fn is_used(&self, offset: u32, functions: &[u32]) -> bool {
        let Some(id) = self.m.inst(offset).and_then(|inst| inst.result()) else {
            return false;
        };
        let mut users = self
            .m
            .uses(id)
            .iter()
            .filter_map(|&user| self.m.function_at(user));
        users.any(|function| functions.binary_search(&function).is_ok())
    }

    /// The offsets of the variables of a function.
    fn locals(&self, function: &Range<u32>) -> &[u32] {
        let locals = &self.m.locals;
        let start = locals.partition_point(|&offset| offset < function.start);
        let end = locals.partition_point(|&offset| offset < function.end);
        &locals[start..end]
    }

    /// Notes a variable of lanes or workgroups that has no initial value.
    fn note_without_value(&mut self, inst: Instruction<'a>, functions: &[u32]) {
        let function = match StorageClass(inst.arg(0)) {
            StorageClass::Function => {
                let function = self.m.function_at(inst.offset());
                function.and_then(|it| functions.binary_search(&it).ok())
            }
            StorageClass::Private | StorageClass::Workgroup => None,
            _ => return,
        };
        if let (None, Some(id)) = (self.initializer(inst), inst.result()) {
            self.without_value(id, function.map(|it| it as u32));
        }
    }

    /// Notes that a variable begins without a value.
    pub(super) fn without_value(&mut self, id: Id, function: Option<u32>) {
        let home = match self.values.get(&id.0) {
            Some(Value::Register(columns)) => Home::Columns(columns.clone()),
            Some(Value::Pointer(pointer)) => match pointer.address.object {
                Object::Known(object) => Home::Object(object),
                Object::Column(_) => return,
            },
            _ => return,
        };
        let name = self.name(id);
        self.program.variables.push(Variable {
            name,
            home,
            function,
        });
    }

    fn variable(&mut self, inst: Instruction<'a>) -> Result<()> {
        let Some((id, pointer)) = inst.result().zip(inst.result_type()) else {
            return Ok(());
        };
        let (class, pointee) = match self.m.ty(pointer) {
            Type::Pointer { class, pointee } => (class, pointee),
            Type::UntypedPointer { class } if inst.optional(1).is_some() => (class, inst.id(1)),
            _ => return Err(self.unsupported("a variable without a type")),
        };
        let built_in = self.m.decoration(id, Decoration::BuiltIn);
        match class {
            StorageClass::Private | StorageClass::Function | StorageClass::Input => {
                let place = self.of_lanes(id, pointee)?;
                if let Some(built_in) = built_in.filter(|_| class == StorageClass::Input) {
                    return self.input(BuiltIn(built_in.param(0)), pointee, place);
                }
                if class == StorageClass::Input {
                    return Err(self.unsupported("an input that is not built in"));
                }
                Ok(())
            }
            StorageClass::Workgroup => {
                let size = self.room(pointee)?;
                match self.m.is_decorated(pointee, Decoration::Block) {
                    true => self.workgroup_block(id, size),
                    false => self.workgroup_object(id, size),
                }
            }
            StorageClass::CrossWorkgroup => self.global(inst, pointee),
            StorageClass::UniformConstant if self.initializer(inst).is_some() => {
                self.global(inst, pointee)
            }
            StorageClass::PushConstant => {
                let size = self
                    .types
                    .size(pointee)
                    .map_err(|why| self.no_extent(why))?;
                let name = self.name(id);
                self.object(id, &name, ObjectKind::Push { size })?;
                Ok(())
            }
            StorageClass::StorageBuffer | StorageClass::Uniform => self.buffer(id, class, pointee),
            StorageClass::UniformConstant => self.resource(id, pointee),
            class => Err(self.unsupported(format!("a variable in the storage class {class}"))),
        }
    }

    /// The value that a variable begins with.
    pub(super) fn initializer(&self, variable: Instruction<'a>) -> Option<Id> {
        let index = match variable.op() {
            Op::UntypedVariableKHR => 2,
            _ => 1,
        };
        variable.optional(index).map(Id)
    }

    /// How many bytes a variable takes. Where addresses are numbers, padding belongs to it, too.
    pub(super) fn room(&mut self, ty: Id) -> Result<u32> {
        let size = match self.m.addressing {
            AddressingModel::Physical32 | AddressingModel::Physical64 => self.types.stride(ty),
            _ => self.types.size(ty),
        };
        size.map_err(|why| self.no_extent(why))
    }

    /// Memory of the workgroup.
    pub(super) fn workgroup_object(&mut self, id: Id, size: u32) -> Result<()> {
        let start = self.program.workgroup_bytes.next_multiple_of(8);
        self.workgroup_object_at(id, start, size)
    }

    /// All blocks begin at one place, by `SPV_KHR_workgroup_memory_explicit_layout`; if there
    /// are any, there is nothing else.
    fn workgroup_block(&mut self, id: Id, size: u32) -> Result<()> {
        self.workgroup_object_at(id, 0, size)
    }

    fn workgroup_object_at(&mut self, id: Id, start: u32, size: u32) -> Result<()> {
        let end = start.checked_add(size);
        let Some(end) = end.filter(|&end| end <= MAX_WORKGROUP_BYTES) else {
            return Err(self.unsupported("more than 64 MiB of memory for each workgroup"));
        };
        self.program.workgroup_bytes = self.program.workgroup_bytes.max(end);
        let name = self.name(id);
        self.object(id, &name, ObjectKind::Workgroup { start, size })?;
        Ok(())
    }

    pub(super) fn name(&self, id: Id) -> Arc<str> {
        // Front ends name variables of blocks without instance names with nothing, but the block.
        let named = |id| {
            let name = self.m.name_of(id).map(|name| name.to_text_lossy());
            name.filter(|name| !name.is_empty())
        };
        match named(id).or_else(|| named(self.block_of(id)?)) {
            Some(name) => name.into(),
            None => id.to_string().into(),
        }
    }

    /// The block that a variable is, or of which it is an array.
    fn block_of(&self, variable: Id) -> Option<Id> {
        let pointer = self.m.def(variable)?.result_type()?;
        let Type::Pointer { class, pointee } = self.m.ty(pointer) else {
            return None;
        };
        let has_blocks = matches!(
            class,
            StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::PushConstant
        );
        has_blocks.then(|| self.innermost(pointee))
    }

    fn too_many_objects(&self) -> Box<spirvkit_diagnostics::Diagnostic> {
        self.unsupported("more than 65,536 buffers and variables with an address")
    }

    /// A further object.
    pub(super) fn new_object(&mut self, name: &Arc<str>, kind: ObjectKind) -> Result<u32> {
        let object = self.program.objects.len() as u32;
        if object > MAX_OBJECTS {
            return Err(self.too_many_objects());
        }
        let name = name.clone();
        self.program.objects.push(ObjectInfo { name, kind });
        Ok(object)
    }

    /// A further object, to which an id is a pointer.
    pub(super) fn object(&mut self, id: Id, name: &Arc<str>, kind: ObjectKind) -> Result<u32> {
        let object = self.new_object(name, kind)?;
        let address = Address {
            object: Object::Known(object),
            offset: NO_REG,
            constant: 0,
        };
        let pointer = Value::Pointer(Pointer::plain(address));
        self.values.entry(id.0).or_insert(pointer);
        Ok(object)
    }

    fn buffer(&mut self, id: Id, class: StorageClass, pointee: Id) -> Result<()> {
        let number = |decoration| self.m.decoration(id, decoration).map(|it| it.param(0));
        let set = number(Decoration::DescriptorSet);
        let binding = number(Decoration::Binding);
        let Some((set, binding)) = set.zip(binding) else {
            return Err(self.broken("a resource has no set or binding"));
        };
        let Descriptors {
            ty: block,
            count,
            outer,
        } = self.descriptors(class, pointee, (set, binding))?;
        let is_storage = class == StorageClass::StorageBuffer
            || self.m.is_decorated(block, Decoration::BufferBlock);
        let writable = is_storage && !self.is_read_only(id, block);
        let name = self.name(id);
        for element in 0..count {
            let kind = ObjectKind::Buffer {
                set,
                binding,
                element,
                writable,
            };
            self.object(id, &name, kind)?;
        }
        self.note_descriptors(id, outer);
        Ok(())
    }

    /// Whether a variable or all members of its block are not writable.
    fn is_read_only(&self, id: Id, block: Id) -> bool {
        if self.m.is_decorated(id, Decoration::NonWritable) {
            return true;
        }
        let members = self.m.members(block).len() as u32;
        let is_read_only = |member| {
            let decoration = self
                .m
                .member_decoration(block, member, Decoration::NonWritable);
            decoration.is_some()
        };
        members > 0 && (0..members).all(is_read_only)
    }

    /// A place for a variable that each lane has for itself.
    pub(super) fn of_lanes(&mut self, id: Id, ty: Id) -> Result<Place> {
        let columns = self.types.columns(ty).map_err(|why| self.no_extent(why))?;
        if columns <= MAX_COLUMNS_OF_VARIABLE && self.needs_no_address(id) {
            let columns = self.columns_of(ty)?;
            self.program.zeroed.extend(&columns);
            self.values.insert(id.0, Value::Register(columns.clone()));
            return Ok(Place::Columns(columns));
        }
        let size = self.room(ty)?;
        let start = self.program.lane_bytes.next_multiple_of(8);
        match start.checked_add(size).filter(|&end| end <= MAX_LANE_BYTES) {
            Some(end) => self.program.lane_bytes = end,
            None => return Err(self.unsupported("more than 1 MiB of memory for each invocation")),
        }
        let name = self.name(id);
        let object = self.object(id, &name, ObjectKind::Lane { start, size })?;
        Ok(Place::Lane { object })
    }

    /// Whether a variable, or a part of it that constants lead to, is only loaded and
    /// stored.
    fn needs_no_address(&self, variable: Id) -> bool {
        let may_pass = self.passed.is_in_columns(variable);
        matches!(self.use_of(variable, may_pass), Use::Accesses { .. })
    }

    /// What is done with a variable, or with a parameter that points to one, and whether it
    /// may be passed to functions.
    pub(super) fn use_of(&self, variable: Id, may_pass: bool) -> Use {
        // Untyped ones may be read as anything.
        if self.m.op_of(variable) == Op::UntypedVariableKHR {
            return Use::Address;
        }
        let mut is_written = false;
        let mut todo = vec![variable];
        let mut seen = HashSet::new();
        while let Some(pointer) = todo.pop() {
            // A broken module's pointer may be made of itself.
            if !seen.insert(pointer) {
                continue;
            }
            for &user in self.m.uses(pointer) {
                let Some(inst) = self.m.inst(user) else {
                    return Use::Address;
                };
                let op = inst.op();
                is_written |= matches!(op, Op::Store | Op::CopyMemory | Op::FunctionCall);
                let is_fine = match op {
                    Op::Load | Op::LifetimeStart | Op::LifetimeStop => true,
                    // Casts that only tell for how long a variable is used.
                    Op::Bitcast => inst.result().is_some_and(|cast| self.is_only_told_of(cast)),
                    Op::Store => inst.arg(1) != pointer.0,
                    Op::CopyMemory => true,
                    Op::FunctionCall => may_pass && pointer == variable,
                    Op::AccessChain | Op::InBoundsAccessChain => {
                        todo.extend(inst.result());
                        let indexes = inst.args().get(1..).unwrap_or_default();
                        inst.arg(0) == pointer.0
                            && indexes.iter().all(|&index| self.is_known_index(Id(index)))
                    }
                    Op::ImageTexelPointer => false,
                    op if op.is_type() || op.is_variable() => false,
                    Op::ExtInst => self.m.is_remark(inst),
                    // Names, decorations, interfaces.
                    _ => inst.offset() < self.m.functions_start,
                };
                if !is_fine {
                    return Use::Address;
                }
            }
        }
        Use::Accesses { is_written }
    }

    fn is_only_told_of(&self, cast: Id) -> bool {
        let mut uses = self.m.uses(cast).iter();
        uses.all(|&user| {
            let op = self.m.inst(user).map(|inst| inst.op());
            matches!(op, Some(Op::LifetimeStart | Op::LifetimeStop | Op::Name))
        })
    }

    fn is_known_index(&self, index: Id) -> bool {
        self.m.constant_u64(index).is_some()
    }

    /// Writes the initial values of variables: in the entry point those of the module, too.
    pub(super) fn initialize_locals(&mut self, function: &Function, index: u32) -> Result<()> {
        let entry = self.m.function_index(self.entry);
        if entry == Some(index) {
            self.initialize_globals()?;
        }
        self.initialize_all(self.locals(&function.range).to_vec())
    }

    /// Writes the initial values of the variables of the module that invocations have of their
    /// own.
    pub(super) fn initialize_globals(&mut self) -> Result<()> {
        self.initialize_all(self.m.globals.clone())
    }

    fn initialize_all(&mut self, offsets: Vec<u32>) -> Result<()> {
        for offset in offsets {
            let Some((inst, initial)) = self
                .m
                .inst(offset)
                .and_then(|inst| Some((inst, self.initializer(inst)?)))
            else {
                continue;
            };
            let Some(id) = inst.result().filter(|id| self.values.contains_key(&id.0)) else {
                continue;
            };
            // Memory of workgroups begins with zeros anyway, and what all share is not written
            // by each.
            if !matches!(
                StorageClass(inst.arg(0)),
                StorageClass::Private | StorageClass::Function
            ) {
                continue;
            }
            self.here = offset;
            let value = self.value(initial)?;
            let ty = self.type_of(initial)?;
            self.initialize(id, ty, &value)?;
        }
        Ok(())
    }

    /// Writes the value that a variable of a type begins with.
    pub(super) fn initialize(&mut self, id: Id, pointee: Id, value: &[Reg]) -> Result<()> {
        match self.any_value(id)? {
            Value::Register(columns) => {
                self.copy(&columns, value);
                Ok(())
            }
            Value::Pointer(pointer) => self.store_at(pointer, pointee, value),
            Value::Columns(_) => Ok(()),
        }
    }

    fn input(&mut self, built_in: BuiltIn, ty: Id, to: Place) -> Result<()> {
        let is_kernel = self.m.has(Capability::Kernel);
        let built_in = match built_in {
            BuiltIn::GlobalInvocationId => BuiltInValue::GlobalInvocationId,
            BuiltIn::LocalInvocationId => BuiltInValue::LocalInvocationId,
            BuiltIn::LocalInvocationIndex => BuiltInValue::LocalInvocationIndex,
            BuiltIn::WorkgroupId => BuiltInValue::WorkgroupId,
            BuiltIn::NumWorkgroups => BuiltInValue::NumWorkgroups,
            BuiltIn::WorkgroupSize => BuiltInValue::WorkgroupSize,
            BuiltIn::EnqueuedWorkgroupSize => BuiltInValue::EnqueuedWorkgroupSize,
            BuiltIn::GlobalSize => BuiltInValue::GlobalSize,
            BuiltIn::GlobalOffset => BuiltInValue::GlobalOffset,
            BuiltIn::GlobalLinearId => BuiltInValue::GlobalLinearId,
            BuiltIn::WorkDim => BuiltInValue::WorkDim,
            // In kernels, the last of a workgroup may have fewer invocations.
            BuiltIn::SubgroupSize if is_kernel => BuiltInValue::SubgroupCount,
            BuiltIn::SubgroupSize | BuiltIn::SubgroupMaxSize => BuiltInValue::SubgroupSize,
            BuiltIn::SubgroupId => BuiltInValue::SubgroupId,
            BuiltIn::NumSubgroups => BuiltInValue::NumSubgroups,
            BuiltIn::NumEnqueuedSubgroups => BuiltInValue::NumEnqueuedSubgroups,
            BuiltIn::SubgroupLocalInvocationId => BuiltInValue::SubgroupLocalInvocationId,
            BuiltIn::SubgroupEqMask => BuiltInValue::SubgroupEqMask,
            BuiltIn::SubgroupGeMask => BuiltInValue::SubgroupGeMask,
            BuiltIn::SubgroupGtMask => BuiltInValue::SubgroupGtMask,
            BuiltIn::SubgroupLeMask => BuiltInValue::SubgroupLeMask,
            BuiltIn::SubgroupLtMask => BuiltInValue::SubgroupLtMask,
            BuiltIn::DeviceIndex => BuiltInValue::Zero,
            other => return Err(self.unsupported(format!("the built-in {other}"))),
        };
        let is_wide = self.m.bit_width(ty) == 64;
        self.program.inputs.push(Input {
            built_in,
            is_wide,
            to,
        });
        Ok(())
    }

    /// Notes the size of workgroups, which has to be one that there can be.
    pub(super) fn note_workgroup_size(&mut self, entry: Id) -> Result<()> {
        let size = declared_workgroup_size(self.m, entry);
        let given = self.surroundings.local_size.map(|it| it.map(u64::from));
        if let (Some(size), Some(given)) = (size, given)
            && size != given
        {
            let [x, y, z] = size;
            let message =
                format!("the module says that workgroups have {x} × {y} × {z} invocations");
            return Err(Box::new(kinds::INTERFACE.error(message)));
        }
        let size = size
            .or(given)
            .unwrap_or([1, 1, 1])
            .map(|it| u32::try_from(it).unwrap_or(u32::MAX));
        self.program.workgroup_size = size;
        match size.iter().try_fold(1u32, |all, &it| all.checked_mul(it)) {
            Some(1..=MAX_WORKGROUP) => Ok(()),
            _ => {
                let [x, y, z] = size;
                let message = format!(
                    "workgroups have {x} × {y} × {z} invocations, where there can be 1 to {MAX_WORKGROUP}"
                );
                Err(Box::new(kinds::INTERFACE.error(message)))
            }
        }
    }
}

/// How many invocations a workgroup may have.
const MAX_WORKGROUP: u32 = 1 << 16;

/// The size of workgroups: the built-in constant, or the execution mode.
pub(super) fn declared_workgroup_size(m: &ModuleIndex<'_>, entry: Id) -> Option<[u64; 3]> {
    let mut size = None;
    for mode in m.execution_modes(entry) {
        let literal = |index: usize| mode.arg(2 + index);
        let constant = |index: usize| m.constant_u64(Id(mode.arg(2 + index)));
        match ExecutionMode(mode.arg(1)) {
            ExecutionMode::LocalSize => {
                size = Some([literal(0), literal(1), literal(2)].map(u64::from));
            }
            ExecutionMode::LocalSizeId => {
                let [x, y, z] = [constant(0), constant(1), constant(2)];
                size = x.zip(y).zip(z).map(|((x, y), z)| [x, y, z]);
            }
            _ => {}
        }
    }
    for (target, decorated) in m.all_decorated_with(Decoration::BuiltIn) {
        let is_size = decorated.member.is_none() && decorated.param(0) == BuiltIn::WorkgroupSize.0;
        if !is_size || !m.is_constant(target) {
            continue;
        }
        let parts = m.def(target).map(|inst| inst.args());
        if let Some(&[x, y, z]) = parts {
            let [x, y, z] = [x, y, z].map(|part| m.constant_u64(Id(part)));
            size = x.zip(y).zip(z).map(|((x, y), z)| [x, y, z]).or(size);
        }
    }
    size
}
