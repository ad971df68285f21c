//! What each instruction does with undefined values.
//!
//! Everything is taken apart by name here, so that whatever is new has to be thought of.

use std::ops::Range;

use super::{Rule, Use};
use crate::image::ImageOp;
use crate::program::{Address, Binary, GroupOp, Inst, NO_REG, Object, Pair, Program, Reg, Unary};
use crate::special::{Collective, Special};

/// Stands for all invocations, where others are those that a special instruction says.
pub(crate) const EVERYONE: u32 = u32::MAX;

/// One thing that an instruction does.
#[derive(Clone, Debug)]
pub(super) struct Effect {
    pub(super) rule: Rule,
    reads: Range<usize>,
    writes: Range<usize>,
}

/// What an instruction does, in order.
#[derive(Default)]
pub(super) struct Effects {
    all: Vec<Effect>,
    columns: Vec<Reg>,
    /// Whether storing undefined values to buffers is reported, too.
    reports_stores: bool,
}

/// Whether an operation on a group may give what an invocation has that takes no part.
pub(super) fn may_be_inactive(op: GroupOp) -> bool {
    matches!(
        op,
        GroupOp::Broadcast
            | GroupOp::Shuffle
            | GroupOp::ShuffleXor
            | GroupOp::ShuffleUp
            | GroupOp::ShuffleDown
            | GroupOp::Rotate
            | GroupOp::Window { .. }
            | GroupOp::QuadSwap
            | GroupOp::QuadBroadcast
            | GroupOp::QuadLane { .. }
    )
}

/// The columns of an address.
fn of_address(address: &Address) -> [Reg; 2] {
    let object = match address.object {
        Object::Known(_) => NO_REG,
        Object::Column(column) => column,
    };
    [object, address.offset]
}

/// The columns of a scalar that takes so many.
fn scalar(to: Reg, columns: usize) -> Pair {
    match columns {
        _ if to == NO_REG => [NO_REG; 2],
        1 => [to, NO_REG],
        _ => [to, to + 1],
    }
}

impl Effects {
    pub(super) fn new(reports_stores: bool) -> Self {
        Self {
            reports_stores,
            ..Self::default()
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Rule, &[Reg], &[Reg])> {
        let columns = |range: &Range<usize>| &self.columns[range.clone()];
        let all = self.all.iter();
        all.map(move |it| (it.rule, columns(&it.reads), columns(&it.writes)))
    }

    fn push(&mut self, columns: impl IntoIterator<Item = Reg>) -> Range<usize> {
        let start = self.columns.len();
        let columns = columns.into_iter().filter(|&column| column != NO_REG);
        self.columns.extend(columns);
        start..self.columns.len()
    }

    fn add(
        &mut self,
        rule: Rule,
        reads: impl IntoIterator<Item = Reg>,
        writes: impl IntoIterator<Item = Reg>,
    ) {
        let reads = self.push(reads);
        let writes = self.push(writes);
        self.all.push(Effect {
            rule,
            reads,
            writes,
        });
    }

    fn check(&mut self, what: Use, reads: impl IntoIterator<Item = Reg>) {
        let start = self.columns.len();
        self.add(Rule::Check(what), reads, []);
        if self.columns.len() == start {
            self.all.pop();
        }
    }

    /// Finds out what an instruction does.
    pub(super) fn of(&mut self, program: &Program, inst: &Inst) {
        self.all.clear();
        self.columns.clear();
        self.of_inst(program, inst, EVERYONE);
    }

    fn of_inst(&mut self, program: &Program, inst: &Inst, only: u32) {
        match *inst {
            Inst::Copy { to, from } => self.add(Rule::Same, [from], [to]),
            Inst::Unary { op, to, a } => match op {
                Unary::Freeze => self.add(Rule::Clear, [], [to]),
                Unary::FNegate | Unary::Not | Unary::LogicalNot => self.add(Rule::Same, [a], [to]),
                Unary::FAbs
                | Unary::SNegate
                | Unary::ConvertSToF
                | Unary::ConvertUToF
                | Unary::Sqrt
                | Unary::Floor => self.add(Rule::Any, [a], [to]),
            },
            Inst::Binary { op, to, a, b } => {
                let rule = match op {
                    _ if op.on_integers().is_some() => Rule::Binary(op),
                    _ => Rule::Any,
                };
                self.add(rule, [a, b], [to]);
            }
            Inst::Shift { op, to, a, by, .. } => self.add(Rule::Binary(op), [a, by], [to]),
            Inst::Select {
                to,
                condition,
                a,
                b,
            } => self.add(Rule::Select, [condition, a, b], [to]),
            Inst::Offset {
                to, base, index, ..
            } => self.add(Rule::Any, [base, index[0], index[1]], [to]),
            Inst::Load { to, ref cell } => {
                self.check(Use::Address, of_address(&cell.address));
                let to = scalar(to, cell.leaf.columns());
                self.add(Rule::Load(*cell, only), [], to);
            }
            Inst::Store { from, ref cell } => {
                self.check(Use::Address, of_address(&cell.address));
                if self.reports_stores && !is_own(program, &cell.address) {
                    self.check(Use::Stored, from);
                }
                self.add(Rule::Store(*cell, only), from, []);
            }
            Inst::ClassOf { to, object } => self.add(Rule::Any, [object], [to]),
            Inst::ArrayLength { to, address, .. } => {
                self.check(Use::Address, of_address(&address));
                self.add(Rule::Clear, [], [to]);
            }
            Inst::General(index) => {
                let general = &program.general[index as usize];
                let operands = general.operands.iter().flat_map(|operand| operand.1);
                let to = scalar(general.to, general.result.width().div_ceil(32) as usize);
                self.add(Rule::General(index), operands, to);
            }
            Inst::Vector(index) => {
                let vector = &program.vectors[index as usize];
                let operands = vector.operands.iter().flatten().flat_map(|it| it.1);
                self.add(Rule::Any, operands, vector.to.iter().copied());
            }
            Inst::Atomic(index) => {
                let atomic = &program.atomics[index as usize];
                self.check(Use::Address, of_address(&atomic.address));
                let operands = atomic.value.into_iter().chain(atomic.comparator);
                self.check(Use::AtomicOperand, operands);
                let to = scalar(atomic.to, atomic.ty.width().div_ceil(32) as usize);
                self.add(Rule::Atomic(index), atomic.value, to);
            }
            Inst::Group(index) => {
                let group = &program.groups[index as usize];
                let reads = group.value.iter().chain([&group.second]);
                let reads = reads.chain(&group.partition).copied();
                self.add(Rule::Group(index), reads, group.to.iter().copied());
            }
            Inst::Image(index) => self.of_image(program, index),
            Inst::Special(index) => self.of_special(program, index),
            Inst::Branch { condition, .. } => self.check(Use::Condition, [condition]),
            Inst::Switch(index) => {
                let switch = &program.switches[index as usize];
                self.check(Use::Selector, [switch.low, switch.high]);
            }
            // Only values that are known count here.
            Inst::CheckIndex { .. } | Inst::CheckAlignment { .. } | Inst::Print(_) => {}
            Inst::Barrier { .. }
            | Inst::Fence(_)
            | Inst::Call { .. }
            | Inst::Jump(_)
            | Inst::Return
            | Inst::Terminate
            | Inst::Unreachable
            | Inst::Watch(_)
            | Inst::Undefined { .. }
            | Inst::Steps { .. }
            | Inst::Enter { .. } => {}
        }
    }

    fn of_image(&mut self, program: &Program, index: u32) {
        let access = &program.accesses[index as usize];
        self.check(Use::Address, [access.image, access.sampler]);
        let operands: Vec<Reg> = access.operands().flat_map(|it| it.1).collect();
        let results = access.to.iter().chain([&access.residency]).copied();
        let is_address = matches!(access.op, ImageOp::Read | ImageOp::Write);
        if is_address {
            let at = access.at.axes.iter().chain(&access.at.layer);
            let at = at.chain(&access.sample).flat_map(|it| it.1);
            self.check(Use::Address, at);
        }
        if self.reports_stores && matches!(access.op, ImageOp::Write) {
            let texel = access.texel.iter().flat_map(|it| it.1);
            self.check(Use::Stored, texel);
        }
        self.add(Rule::Any, operands, results);
    }

    fn of_special(&mut self, program: &Program, index: u32) {
        match &program.specials[index as usize] {
            Special::Part { inst, .. } => self.of_inst(program, inst, index),
            Special::Copies(copies) => {
                let addresses = [copies.to, copies.from];
                let columns = addresses.iter().flat_map(of_address);
                let columns = columns.chain(copies.count);
                let columns = columns.chain(copies.strides.into_iter().flatten());
                self.check(Use::Address, columns);
            }
            Special::Pipe(it) => {
                self.check(Use::Pipe, [it.pipe, it.size, it.second, it.index]);
                self.add(Rule::Clear, [], it.at.into_iter().chain([it.to]));
            }
            Special::Enqueue(it) => {
                let addresses = [&it.wait_list, &it.memory, &it.event_to];
                let addresses = addresses.into_iter().flatten().flat_map(of_address);
                let words = [
                    it.queue,
                    it.flags,
                    it.waits,
                    it.size,
                    it.event,
                    it.status,
                    it.dimensions,
                ];
                let pairs = it.range.iter().chain(&it.locals).flatten().copied();
                let reads = words.into_iter().chain(pairs).chain(addresses);
                self.check(Use::Enqueue, reads);
                self.add(Rule::Clear, [], it.results());
            }
            Special::Collective { what, .. } => match what {
                Collective::Multiply(it) => {
                    let reads = [&it.a, &it.b, &it.c].map(|matrix| matrix.slots.clone());
                    self.add(Rule::Hook, reads.concat(), it.to.slots.clone());
                }
                Collective::Gather { from, to, .. } => {
                    self.add(Rule::Hook, from.slots.clone(), to.slots.clone());
                }
                Collective::Scan { to, value, .. } => self.add(Rule::Hook, *value, *to),
                Collective::Vote { to, value, .. } => self.add(Rule::Hook, [*value], [*to]),
                Collective::Broadcast {
                    to,
                    value,
                    position,
                } => {
                    let reads = value.iter().chain(position).copied();
                    self.add(Rule::Hook, reads, to.iter().copied());
                }
            },
            Special::Dot(dot) => {
                let operands = dot.first.iter().chain(&dot.second).chain(&dot.accumulator);
                let reads = operands.flat_map(|operand| operand.1);
                let to = scalar(dot.to, dot.result.width().div_ceil(32) as usize);
                self.add(Rule::Any, reads, to);
            }
            Special::Place(place) => {
                let view = place.view.iter().flat_map(|view| &view.0);
                let reads = place.layout.iter().chain(view);
                let reads = reads.chain([&place.row, &place.column]);
                let to = &place.to;
                let writes = to.block.iter().chain(&to.within);
                let writes = writes.chain([&to.is_kept, &to.is_there, &to.index]);
                self.add(Rule::Any, reads.copied(), writes.copied());
            }
            Special::Clock { to } => self.add(Rule::Clear, [], *to),
            Special::NamedBarrier { barrier, .. } => {
                self.check(Use::Barrier, [barrier.count, barrier.maker]);
            }
            Special::Assume { condition } => self.check(Use::Assumption, [*condition]),
            Special::Abort => {}
        }
    }
}

/// Whether an address is one of memory of a lane or a workgroup, as far as can be seen.
fn is_own(program: &Program, address: &Address) -> bool {
    use crate::program::ObjectKind::{Lane, Workgroup};
    match address.object {
        Object::Known(object) => {
            let info = program.objects.get(object as usize);
            info.is_some_and(|it| matches!(it.kind, Lane { .. } | Workgroup { .. }))
        }
        Object::Column(_) => false,
    }
}

impl Binary {
    /// The opcode, if single bits of the result may be defined while others are not.
    pub(crate) fn on_integers(self) -> Option<spirvkit_grammar::Op> {
        use spirvkit_grammar::Op;
        match self {
            Self::IAdd => Some(Op::IAdd),
            Self::ISub => Some(Op::ISub),
            Self::IMul => Some(Op::IMul),
            Self::And => Some(Op::BitwiseAnd),
            Self::Or => Some(Op::BitwiseOr),
            Self::Xor => Some(Op::BitwiseXor),
            Self::ShiftLeft => Some(Op::ShiftLeftLogical),
            Self::ShiftRight => Some(Op::ShiftRightLogical),
            Self::ShiftRightArithmetic => Some(Op::ShiftRightArithmetic),
            Self::IEqual => Some(Op::IEqual),
            Self::INotEqual => Some(Op::INotEqual),
            _ => None,
        }
    }
}
