//! Kernels that enqueue others (section 3.32.22), queues and events.
//!
//! What can be enqueued is lowered with the kernel, as functions of one program: so addresses in
//! parameters stay what they are. Each has a short function of its own that calls it with its
//! parameters.

use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_analysis::{Lookup, Type};
use spirvkit_binary::Id;
use spirvkit_eval::ScalarType;
use spirvkit_grammar::{Op, StorageClass};

use super::types::U32;
use super::variables::declared_workgroup_size;
use super::{Lowering, Result, arguments};
use crate::program::{Cell, Inst, Leaf, Object, ObjectKind, Pc, Reg, Root, pair};
use crate::special::{EnqueueOp, EnqueueUse, Special};

/// The number of the queue that there is; 0 is none.
pub(super) const QUEUE: u32 = 1;

/// How many invocations a workgroup of what is enqueued may have.
pub(crate) const MAX_ENQUEUED_WORKGROUP: u32 = 1024;

/// Which operand of `OpEnqueueKernel` is the function.
const INVOKE: usize = 6;

impl<'a> Lowering<'_, 'a> {
    /// The functions that an entry point calls or enqueues, directly or not, in the order of the
    /// module; and those of them that are enqueued.
    pub(super) fn reached(&mut self, entry: Id) -> Result<(Vec<u32>, Vec<u32>)> {
        let mut called = self.m.call_tree(entry);
        let mut enqueued: Vec<u32> = Vec::new();
        let mut seen = hashbrown::HashSet::new();
        seen.extend(called.iter().copied());
        let mut next = 0;
        while let Some(&function) = called.get(next) {
            next += 1;
            let range = self.m.functions[function as usize].range.clone();
            for inst in self.m.instructions(range) {
                if inst.op() != Op::EnqueueKernel {
                    continue;
                }
                self.here = inst.offset();
                let invoked = inst.id(INVOKE);
                let Some(index) = self.m.function_index(invoked) else {
                    return Err(self.broken("what is enqueued is no function"));
                };
                if invoked == self.entry {
                    return Err(self.unsupported("an entry point that enqueues itself"));
                }
                if !enqueued.contains(&index) {
                    enqueued.push(index);
                    let tree = self.m.call_tree(invoked);
                    called.extend(tree.into_iter().filter(|&it| seen.insert(it)));
                }
            }
        }
        called.sort_unstable();
        Ok((called, enqueued))
    }

    /// Makes the objects that enqueued functions get for their parameters.
    pub(super) fn enqueued_objects(&mut self, enqueued: &[u32]) -> Result<()> {
        if enqueued.is_empty() {
            return Ok(());
        }
        let name = "the parameters of the enqueued kernel".into();
        self.program.parameters = self.new_object(&name, ObjectKind::Parameters)?;
        for &function in enqueued {
            let id = self.m.functions[function as usize].id;
            let mut locals = Vec::new();
            for inst in self.parameters(function).into_iter().skip(1) {
                self.here = inst.offset();
                let ty = inst.result_type().unwrap_or(Id(0));
                let class = self.m.pointer_class(ty);
                if class != Some(StorageClass::Workgroup) {
                    let what = "an enqueued function has a parameter that is no local memory";
                    return Err(self.broken(what));
                }
                // How much of it there is, is known when it is enqueued.
                let kind = ObjectKind::Workgroup { start: 0, size: 0 };
                let name = self.name(inst.result().unwrap_or(Id(0)));
                locals.push(self.new_object(&name, kind)?);
            }
            let declared = declared_workgroup_size(self.m, id);
            let root = Root {
                name: self.name(id),
                function: 0,
                locals,
                declared: declared.map(|it| it.map(|side| u32::try_from(side).unwrap_or(u32::MAX))),
            };
            self.roots.insert(id.0, self.program.roots.len() as u32);
            self.program.roots.push(root);
        }
        Ok(())
    }

    /// What begins with each function that can be enqueued.
    pub(super) fn begin_enqueued(&mut self, enqueued: &[u32]) -> Result<()> {
        for (index, &function) in enqueued.iter().enumerate() {
            let function = &self.m.functions[function as usize];
            self.here = function.range.start;
            let id = function.id;
            let start = self.program.code.len() as Pc;
            self.program.functions.push(start);
            let number = self.program.functions.len() as u32 - 1;
            self.initialize_globals()?;
            let root = &mut self.program.roots[index];
            root.function = number;
            let locals = root.locals.clone();
            let objects = [self.program.parameters].into_iter().chain(locals);
            let given: Vec<Vec<Reg>> = objects
                .map(|object| vec![self.word(0), self.word(object)])
                .collect();
            self.invoke(id, &given)?;
            self.emit(Inst::Return);
        }
        Ok(())
    }

    /// An instruction on a queue, an event or what can be enqueued.
    pub(super) fn enqueue(&mut self, inst: Instruction<'a>) -> Result<()> {
        let lanes = self.surroundings.lanes;
        let constant = |this: &mut Self, number: u32| {
            this.computed(inst, |this, _| Ok(vec![this.word(number)]))
        };
        match inst.op() {
            Op::EnqueueKernel => self.enqueue_kernel(inst),
            Op::EnqueueMarker => {
                let mut using = EnqueueUse::new(EnqueueOp::Marker);
                using.queue = self.scalar(inst.id(0))?;
                self.waiting(inst, 1, &mut using)?;
                self.making(inst, using, 3)
            }
            Op::GetKernelNDrangeSubGroupCount => {
                let mut using = EnqueueUse::new(EnqueueOp::Subgroups);
                self.range(inst.id(0), &mut using)?;
                self.giving(inst, using)
            }
            // All kernels have subgroups of the size of the run.
            Op::GetKernelNDrangeMaxSubGroupSize | Op::GetKernelPreferredWorkGroupSizeMultiple => {
                constant(self, lanes)
            }
            Op::GetKernelWorkGroupSize => constant(self, MAX_ENQUEUED_WORKGROUP),
            Op::GetKernelMaxNumSubgroups => constant(self, MAX_ENQUEUED_WORKGROUP / lanes.max(1)),
            Op::GetKernelLocalSizeForSubgroupCount => self.local_size_for(inst),
            Op::RetainEvent => self.on_event(inst, EnqueueOp::Retain),
            Op::ReleaseEvent => self.on_event(inst, EnqueueOp::Release),
            Op::SetUserEventStatus => self.on_event(inst, EnqueueOp::SetStatus),
            Op::CaptureEventProfilingInfo => self.on_event(inst, EnqueueOp::Capture),
            Op::IsValidEvent => {
                let mut using = EnqueueUse::new(EnqueueOp::IsValid);
                using.event = self.scalar(inst.id(0))?;
                self.giving(inst, using)
            }
            Op::CreateUserEvent => {
                let mut using = EnqueueUse::new(EnqueueOp::UserEvent);
                let made = self.column()?;
                using.made = made;
                self.special(Special::Enqueue(Box::new(using)));
                self.computed(inst, |this, _| Ok(this.handle_in(made)))
            }
            Op::GetDefaultQueue => self.computed(inst, |this, _| Ok(this.handle(QUEUE))),
            Op::BuildNDRange => self.computed(inst, Self::built_range),
            op => Err(self.unsupported(op.to_string())),
        }
    }

    /// An instruction with a number or a Boolean as its result.
    fn giving(&mut self, inst: Instruction<'a>, mut using: EnqueueUse) -> Result<()> {
        using.to = self.column()?;
        let to = using.to;
        self.special(Special::Enqueue(Box::new(using)));
        self.computed(inst, |_, _| Ok(vec![to]))
    }

    /// An instruction that may make an event, which goes where an operand says.
    fn making(&mut self, inst: Instruction<'a>, mut using: EnqueueUse, to: usize) -> Result<()> {
        let place = self.pointer(inst.id(to))?.address;
        using.event_to = Some(place);
        let (made, is_made) = (self.column()?, self.column()?);
        (using.made, using.is_made) = (made, is_made);
        self.giving(inst, using)?;
        if place.object == Object::Known(0) {
            return Ok(());
        }
        let leaf = self.event_leaf();
        self.when(is_made, |this| {
            let from = pair(&this.handle_in(made));
            let address = place;
            this.emit(Inst::Store {
                from,
                cell: Cell { leaf, address },
            });
            Ok(())
        })
    }

    /// How an event lies in memory.
    fn event_leaf(&self) -> Leaf {
        Leaf::Scalar(match self.has_narrow_addresses() {
            true => U32,
            false => ScalarType::Integer { width: 64 },
        })
    }

    /// What is waited for: how many events, and where they are.
    fn waiting(
        &mut self,
        inst: Instruction<'a>,
        first: usize,
        using: &mut EnqueueUse,
    ) -> Result<()> {
        using.waits = self.scalar(inst.id(first))?;
        using.wait_list = Some(self.pointer(inst.id(first + 1))?.address);
        using.stride = self.event_leaf().bytes();
        Ok(())
    }

    fn enqueue_kernel(&mut self, inst: Instruction<'a>) -> Result<()> {
        let Some(&root) = self.roots.get(&inst.arg(INVOKE)) else {
            return Err(self.broken("what is enqueued is no function"));
        };
        let mut using = EnqueueUse::new(EnqueueOp::Kernel(root));
        using.queue = self.scalar(inst.id(0))?;
        using.flags = self.scalar(inst.id(1))?;
        self.range(inst.id(2), &mut using)?;
        self.waiting(inst, 3, &mut using)?;
        using.memory = Some(self.pointer(inst.id(INVOKE + 1))?.address);
        using.size = self.scalar(inst.id(INVOKE + 2))?;
        for &size in arguments(inst, INVOKE + 4) {
            let size = self.at_or_of(Id(size))?;
            using.locals.push(pair(&size));
        }
        if using.locals.len() != self.program.roots[root as usize].locals.len() {
            let what = "not as many sizes of local memory as the enqueued function takes";
            return Err(self.broken(what));
        }
        self.making(inst, using, 5)
    }

    fn on_event(&mut self, inst: Instruction<'a>, op: EnqueueOp) -> Result<()> {
        let mut using = EnqueueUse::new(op);
        using.event = self.scalar(inst.id(0))?;
        if matches!(op, EnqueueOp::SetStatus | EnqueueOp::Capture) {
            using.status = self.scalar(inst.id(1))?;
        }
        if op == EnqueueOp::Capture {
            using.memory = Some(self.pointer(inst.id(2))?.address);
        }
        self.special(Special::Enqueue(Box::new(using)));
        Ok(())
    }

    /// As large as that many subgroups, or nothing if that is too large.
    fn local_size_for(&mut self, inst: Instruction<'a>) -> Result<()> {
        use crate::program::Binary;
        let lanes = self.surroundings.lanes.max(1);
        let count = self.scalar(inst.id(0))?;
        let (lanes, most, zero) = (
            self.word(lanes),
            self.word(MAX_ENQUEUED_WORKGROUP / lanes),
            self.word(0),
        );
        self.computed(inst, |this, _| {
            let size = this.binary(Binary::IMul, count, lanes)?;
            let is_less = this.binary(Binary::ULessEqual, count, most)?;
            let to = this.column()?;
            this.emit(Inst::Select {
                to,
                condition: is_less,
                a: size,
                b: zero,
            });
            Ok(vec![to])
        })
    }

    /// `OpBuildNDRange`: the number of dimensions, the offset, the global and the local size. What
    /// is not said is 0 in the offset and the local size, which then is the run's to choose.
    fn built_range(&mut self, inst: Instruction<'a>) -> Result<Vec<Reg>> {
        let (zero, one) = (self.word(0), self.word(1));
        let ty = self.type_of(inst.id(0))?;
        let dimensions = match self.m.ty(ty) {
            Type::Array { length, .. } => self.m.constant_u64(length).unwrap_or(0) as u32,
            _ => 1,
        };
        let words = if self.has_narrow_addresses() { 1 } else { 2 };
        let mut columns = vec![self.word(dimensions)];
        for (operand, missing) in [(2, zero), (0, one), (1, zero)] {
            let mut sizes = self.value(inst.id(operand))?;
            while sizes.len() < 3 * words {
                let is_low = sizes.len().is_multiple_of(words);
                sizes.push(if is_low { missing } else { zero });
            }
            sizes.truncate(3 * words);
            columns.extend(sizes);
        }
        Ok(columns)
    }

    /// A value, or what a pointer to one points to: compilers give addresses where the
    /// specification has values.
    fn at_or_of(&mut self, id: Id) -> Result<Vec<Reg>> {
        let ty = self.type_of(id)?;
        if !self.m.is_pointer(ty) {
            return self.value(id);
        }
        let (pointer, pointee) = (self.pointer(id)?, self.pointee(id)?);
        self.load_at(pointer, pointee)
    }

    /// The columns of a range.
    fn range(&mut self, range: Id, using: &mut EnqueueUse) -> Result<()> {
        let words = if self.has_narrow_addresses() { 1 } else { 2 };
        let columns = self.at_or_of(range)?;
        if columns.len() != 1 + 9 * words {
            return Err(self.broken("a range has a number and three arrays of three sizes"));
        }
        using.dimensions = columns[0];
        using.range = columns[1..].chunks(words).map(pair).collect();
        Ok(())
    }
}
