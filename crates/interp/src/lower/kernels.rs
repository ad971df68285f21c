//! Kernels: their arguments, and what is shared by all that run them.

use std::sync::Arc;

use hashbrown::HashMap;

use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_analysis::{Lookup, ModuleIndex, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::{Op, StorageClass};

use super::enqueue::QUEUE;
use super::{Lowering, Pointer, Result, Value};
use crate::kinds;
use crate::program::{Address, NO_REG, Object, ObjectKind, Reg};

/// What is given for an argument of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Given {
    /// Nothing.
    #[default]
    Nothing,
    /// So many bytes: a buffer, or a value.
    Bytes(usize),
    /// So many bytes of memory of each workgroup.
    Local(u32),
    /// An address.
    Address(u64),
    /// An image or a sampler.
    Resource,
    /// A pipe for so many packets of so many bytes, some of which are there.
    Pipe {
        packet: u32,
        capacity: u32,
        count: u32,
    },
}

/// An argument that is a value: what is loaded from an object when the kernel begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueArgument {
    id: Id,
    ty: Id,
    object: u32,
    /// Whether the parameter is a pointer to a copy of the value.
    is_copy: bool,
}

/// To how many bytes values of kernels are padded at most, as those with vectors of 16 numbers are.
const MAX_PADDED: u32 = 128;

impl<'a> Lowering<'_, 'a> {
    /// The parameters of a function.
    pub(super) fn parameters(&self, function: u32) -> Vec<Instruction<'a>> {
        let range = self.m.functions[function as usize].range.clone();
        let all = self.m.instructions(range);
        all.skip(1)
            .take_while(|inst| matches!(inst.op(), Op::FunctionParameter | Op::Line | Op::NoLine))
            .filter(|inst| inst.op() == Op::FunctionParameter)
            .collect()
    }

    /// Gives the arguments of the entry point their objects.
    pub(super) fn arguments(&mut self, function: u32) -> Result<()> {
        for (index, inst) in self.parameters(function).into_iter().enumerate() {
            self.here = inst.offset();
            let (Some(id), Some(ty)) = (inst.result(), inst.result_type()) else {
                continue;
            };
            let given = self.surroundings.arguments.get(index);
            let given = given.copied().unwrap_or_default();
            let index = index as u32;
            match self.m.ty(ty) {
                // That it is an image or a sampler is seen where it is bound.
                _ if self.is_resource(ty) => self.resource_argument(id, index, ty)?,
                // There is one queue.
                _ if self.m.op_of(ty) == Op::TypeQueue => {
                    let queue = self.handle(QUEUE);
                    self.values.insert(id.0, Value::Columns(queue));
                }
                _ if self.m.op_of(ty) == Op::TypePipe => self.pipe_argument(id, index, given)?,
                Type::Pointer { class, pointee } if class != StorageClass::Function => {
                    self.pointer_argument(id, index, class, pointee, given)?;
                }
                Type::UntypedPointer { class } if class != StorageClass::Function => {
                    self.pointer_argument(id, index, class, ty, given)?;
                }
                Type::UntypedPointer { .. } => {
                    return Err(
                        self.unsupported("an argument that is an untyped pointer to a copy")
                    );
                }
                Type::Pointer { pointee, .. } => {
                    self.of_lanes(id, pointee)?;
                    self.value_argument(id, index, pointee, given)?.is_copy = true;
                }
                _ => {
                    self.value_argument(id, index, ty, given)?;
                }
            }
        }
        Ok(())
    }

    /// Notes what is wrong with an argument.
    pub(super) fn object_to(&mut self, id: Id, index: u32, what: &str) {
        let name = self.argument_name(id);
        let message = format!("argument {index}, `{name}`, {what}");
        // One name may be that of many, and as long as the module.
        if self.objections_room.take(message.len() as u64) {
            self.objections.push(kinds::INTERFACE.error(message));
        }
    }

    fn pointer_argument(
        &mut self,
        id: Id,
        index: u32,
        class: StorageClass,
        pointee: Id,
        given: Given,
    ) -> Result<()> {
        let name = self.argument_name(id);
        match (class, given) {
            (StorageClass::CrossWorkgroup | StorageClass::UniformConstant, Given::Address(it)) => {
                let columns = vec![self.word(it as u32), self.word((it >> 32) as u32)];
                self.values.insert(id.0, Value::Columns(columns));
            }
            (StorageClass::CrossWorkgroup | StorageClass::UniformConstant, _) => {
                if !matches!(given, Given::Bytes(_)) {
                    self.object_to(id, index, "is a pointer, which needs a buffer");
                }
                let writable = class == StorageClass::CrossWorkgroup;
                self.object(id, &name, ObjectKind::Argument { index, writable })?;
            }
            (StorageClass::Workgroup, Given::Local(size)) => {
                self.workgroup_object(id, size)?;
                self.without_value(id, None);
            }
            (StorageClass::Workgroup, _) => {
                let what = "is a pointer to memory of the workgroup, which needs a size";
                self.object_to(id, index, what);
                self.workgroup_object(id, 0)?;
            }
            (class, _) => {
                let what = format!(
                    "an argument that points to {class} {}",
                    self.m.op_of(pointee)
                );
                return Err(self.unsupported(what));
            }
        }
        Ok(())
    }

    /// An argument that is a value, or a pointer to a copy of one.
    fn value_argument(
        &mut self,
        id: Id,
        index: u32,
        ty: Id,
        given: Given,
    ) -> Result<&mut ValueArgument> {
        let size = self.types.size(ty).map_err(|why| self.no_extent(why))?;
        // Structures and vectors may have padding behind them.
        let padding = size.clamp(1, MAX_PADDED).next_power_of_two();
        let largest = u64::from(size).next_multiple_of(padding.into());
        match given {
            Given::Bytes(bytes) if (u64::from(size)..=largest).contains(&(bytes as u64)) => {}
            Given::Bytes(bytes) => {
                let what = format!("takes {size} bytes, but {bytes} are given");
                self.object_to(id, index, &what);
            }
            _ => self.object_to(id, index, &format!("needs a value of {size} bytes")),
        }
        let name = self.argument_name(id);
        let kind = ObjectKind::Argument {
            index,
            writable: false,
        };
        let object = self.new_object(&name, kind)?;
        self.value_arguments.push(ValueArgument {
            id,
            ty,
            object,
            is_copy: false,
        });
        let last = self.value_arguments.len() - 1;
        Ok(&mut self.value_arguments[last])
    }

    /// Makes the values of arguments, at the beginning of the entry point.
    pub(super) fn load_arguments(&mut self) -> Result<()> {
        for argument in std::mem::take(&mut self.value_arguments) {
            let address = Address {
                object: Object::Known(argument.object),
                offset: NO_REG,
                constant: 0,
            };
            let columns = self.load_at(Pointer::plain(address), argument.ty)?;
            match argument.is_copy {
                true => self.initialize(argument.id, argument.ty, &columns)?,
                false => {
                    let id = argument.id.0;
                    self.values.insert(id, Value::Columns(columns));
                }
            }
        }
        Ok(())
    }

    /// A variable of the module that all invocations share, with its initial contents.
    pub(super) fn global(&mut self, inst: Instruction<'a>, pointee: Id) -> Result<()> {
        let id = inst.result().unwrap_or(Id(0));
        let class = StorageClass(inst.arg(0));
        let size = self.room(pointee)?;
        self.global_bytes += u64::from(size);
        if self.global_bytes > self.surroundings.max_memory {
            let message = format!(
                "the variables that all invocations share take {} bytes of memory, more than allowed",
                self.global_bytes
            );
            return Err(Box::new(kinds::UNSUPPORTED.error(message)));
        }
        let kind = ObjectKind::Global {
            size,
            writable: class == StorageClass::CrossWorkgroup,
        };
        let name = self.argument_name(id);
        self.object(id, &name, kind)?;
        Ok(())
    }

    /// The contents that the variables of the module begin with.
    pub(super) fn initial_contents(&mut self) -> Result<()> {
        let mut known = HashMap::new();
        for offset in self.m.globals.clone() {
            let Some(inst) = self.m.inst(offset) else {
                continue;
            };
            let Some((id, initial)) = inst.result().zip(self.initializer(inst)) else {
                continue;
            };
            let Some(&Value::Pointer(Pointer { address, .. })) = self.values.get(&id.0) else {
                continue;
            };
            let Object::Known(object) = address.object else {
                continue;
            };
            let ObjectKind::Global { size, .. } = self.program.objects[object as usize].kind else {
                continue;
            };
            self.here = offset;
            let pointee = self.type_of(initial)?;
            let columns = self.value(initial)?;
            // Others may have become known with these.
            let further = self.program.constants.get(known.len()..);
            known.extend(further.into_iter().flatten().copied());
            let bytes = self.constant_bytes(pointee, &columns, size, &known)?;
            self.program.initial.push((object, bytes));
        }
        Ok(())
    }

    /// The bytes of a value whose columns have words that are known.
    fn constant_bytes(
        &mut self,
        ty: Id,
        columns: &[Reg],
        size: u32,
        words: &HashMap<Reg, u32>,
    ) -> Result<Vec<u8>> {
        let placed = super::types::Placed::plain(ty);
        let leaves = self.types.leaves(placed);
        let leaves = leaves.map_err(|why| self.no_extent(why))?;
        let mut bytes = vec![0; size as usize];
        let mut next = 0;
        for (leaf, offset) in leaves {
            let of_leaf = columns.get(next..next + leaf.columns()).unwrap_or_default();
            next += leaf.columns();
            let known: Option<Vec<u32>> = of_leaf
                .iter()
                .map(|column| words.get(column).copied())
                .collect();
            let Some(known) = known else {
                return Err(self.unsupported("a variable of the module with this initializer"));
            };
            let word = known.iter().rev();
            let word = word.fold(0, |all, &word| all << 32 | u64::from(word));
            let (word, count) = match leaf == crate::program::Leaf::Pointer {
                true if self.has_narrow_addresses() => (self.narrowed_word(word), 4),
                _ => (word, leaf.bytes()),
            };
            let end = bytes.get_mut(offset as usize..);
            let room = end.and_then(|rest| rest.get_mut(..count as usize));
            if let Some(room) = room {
                room.copy_from_slice(&word.to_le_bytes()[..count as usize]);
            }
        }
        Ok(bytes)
    }
}

impl Lowering<'_, '_> {
    /// What an argument of a kernel is called.
    pub(super) fn argument_name(&mut self, parameter: Id) -> Arc<str> {
        if let Some(name) = self.argument_names.get(&parameter.0) {
            return name.clone();
        }
        let name = match parameter_name(self.m, parameter) {
            Some(name) => name.into(),
            None => self.name(parameter),
        };
        self.argument_names.insert(parameter.0, name.clone());
        name
    }
}

/// The name of a kernel's parameter; where it has none, that of the parameter of the only function
/// that it is passed on to, because `llvm-spirv` makes each kernel a function of its own that calls
/// the one with names.
pub(crate) fn parameter_name(m: &ModuleIndex<'_>, parameter: Id) -> Option<String> {
    let named = |id| {
        let name = m.name_of(id)?.to_text_lossy();
        Some(name).filter(|name| !name.is_empty())
    };
    if let Some(name) = named(parameter) {
        return Some(name);
    }
    let users = m.uses(parameter).iter().filter_map(|&user| m.inst(user));
    let mut calls = users.filter(|inst| inst.op() == Op::FunctionCall);
    let (Some(call), None) = (calls.next(), calls.next()) else {
        return None;
    };
    let passed = call.args().get(1..)?;
    let position = passed.iter().position(|&it| it == parameter.0)?;
    let function = &m.functions[m.function_index(call.id(0))? as usize];
    let parameters = m.instructions(function.range.clone());
    let mut parameters = parameters
        .take_while(|inst| inst.op() != Op::Label)
        .filter(|inst| inst.op() == Op::FunctionParameter);
    named(parameters.nth(position)?.result()?)
}
