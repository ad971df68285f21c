//! Instructions that follow each other become steps of one, and two steps one where only the
//! second needs what the first gives.
//!
//! Nothing looks at columns any more once this is done.

use super::columns::Role;
use super::{NONE, relocate, visit};
use crate::program::{Binary, FrameKind, Inst, Pc, Program, Reg, Step, StepOp};

/// Packs instructions into steps.
pub(crate) fn pack(program: &mut Program) {
    if program.columns > u32::from(u16::MAX) {
        return;
    }
    let uses = uses(program);
    let targets = targets(program);
    let mut limits = Limits::new(program);
    // Behind which instruction a column was last written, and 0 before the first.
    let mut written = vec![0; program.columns as usize];
    let mut packed = Packed::default();
    for (pc, &is_target) in targets.iter().enumerate() {
        if is_target {
            packed.flush(program, pc);
        }
        match step(&program.code[pc], &limits) {
            Some(step) => {
                let step = packed.merged(program, &uses, &written, step);
                packed.starts.push(packed.code.len() as Pc);
                packed.steps.push(Some(step));
            }
            None => {
                packed.flush(program, pc);
                packed.starts.push(packed.code.len() as Pc);
                packed.keep(program, pc);
            }
        }
        limits.pass(program, pc);
        visit(program, pc, &mut |column, role| {
            if role != Role::Read {
                written[*column as usize] = pc as Pc + 1;
            }
        });
    }
    packed.flush(program, program.code.len());
    packed.starts.push(packed.code.len() as Pc);
    program.code = packed.code;
    program.places = packed.places;
    relocate(program, &packed.starts);
}

/// What instructions become.
#[derive(Default)]
struct Packed {
    code: Vec<Inst>,
    places: Vec<u32>,
    /// Which instruction each has become.
    starts: Vec<Pc>,
    /// Those of the last instructions that are steps. Nothing is left of some that others do,
    /// too.
    steps: Vec<Option<Step>>,
}

impl Packed {
    fn keep(&mut self, program: &Program, pc: usize) {
        self.code.push(program.code[pc]);
        self.places.push(program.places[pc]);
    }

    /// Ends the steps before an instruction.
    fn flush(&mut self, program: &mut Program, end: usize) {
        let count = self.steps.len();
        let first = end - count;
        match count {
            0 => {}
            1 => self.keep(program, first),
            _ => {
                let start = program.steps.len() as u32;
                program.steps.extend(self.steps.iter().flatten());
                self.code.push(Inst::Steps {
                    start,
                    end: program.steps.len() as u32,
                    count: count as u32,
                });
                self.places.push(program.places[first]);
            }
        }
        self.steps.clear();
    }

    /// A step that does what one before does, too, if only it needs the result.
    fn merged(&mut self, program: &mut Program, uses: &[u32], written: &[Pc], step: Step) -> Step {
        let next = self.starts.len();
        let begin = next - self.steps.len();
        for (from, other, is_left) in [(step.a, step.b, true), (step.b, step.a, false)] {
            let from = u32::from(from);
            let Some(at) = written.get(from as usize).and_then(|at| at.checked_sub(1)) else {
                continue;
            };
            let at = at as usize;
            if from >= program.temporaries || at < begin || uses[at] != 1 {
                continue;
            }
            let Some(first) = self.steps[at - begin] else {
                continue;
            };
            let Some(op) = first.op.with(step.op, is_left) else {
                continue;
            };
            let mut is_same = true;
            visit(program, at, &mut |column, role| {
                is_same &= role != Role::Read || written[*column as usize] as usize <= at;
            });
            if is_same {
                self.steps[at - begin] = None;
                return Step {
                    op,
                    to: step.to,
                    a: first.a,
                    b: first.b,
                    c: other,
                };
            }
        }
        step
    }
}

/// For each instruction how often what it writes to temporary columns is read.
fn uses(program: &mut Program) -> Vec<u32> {
    let temporaries = program.temporaries as usize;
    let mut uses = vec![0; program.code.len()];
    // What follows undefined values reads columns, too.
    if program.undefined.is_some() {
        return uses;
    }
    let mut written = vec![NONE; temporaries];
    for pc in 0..program.code.len() {
        visit(program, pc, &mut |column, role| {
            let Some(at) = written.get_mut(*column as usize) else {
                return;
            };
            match role {
                Role::Write => *at = pc as u32,
                _ if *at == NONE => {}
                _ => uses[*at as usize] += 1,
            }
        });
    }
    uses
}

/// For each instruction whether others lead to it than the one before.
fn targets(program: &Program) -> Vec<bool> {
    let mut is_target = vec![false; program.code.len()];
    let mut mark = |pc: Pc| {
        if let Some(is) = is_target.get_mut(pc as usize) {
            *is = true;
        }
    };
    for inst in &program.code {
        match *inst {
            Inst::Jump(edge) => mark(edge.target),
            Inst::Branch {
                then, otherwise, ..
            } => [then, otherwise].iter().for_each(|edge| mark(edge.target)),
            Inst::Enter { frame } => match frame {
                FrameKind::Selection { merge } => mark(merge),
                FrameKind::Loop {
                    header,
                    merge,
                    continue_target,
                } => {
                    // Behind its first instruction, lanes go on that are back.
                    for pc in [header, header + 1, merge, continue_target] {
                        mark(pc);
                    }
                }
                FrameKind::Call { back } => mark(back),
            },
            _ => {}
        }
    }
    for switch in &program.switches {
        for edge in switch.cases.iter().map(|case| &case.1) {
            mark(edge.target);
        }
        mark(switch.default.target);
    }
    program.functions.iter().for_each(|&pc| mark(pc));
    is_target
}

/// The step that an instruction is, if it can be one.
fn step(inst: &Inst, limits: &Limits) -> Option<Step> {
    let (op, columns) = match *inst {
        Inst::Copy { to, from } => (StepOp::Copy, [to, from, 0, 0]),
        Inst::Unary { op, to, a } => (op.into(), [to, a, 0, 0]),
        Inst::Shift {
            op, to, a, bits, ..
        } => (StepOp::shift(op), [to, a, bits, 0]),
        Inst::Binary { op, to, a, b } => {
            let is_defined = !op.may_be_undefined() || limits.of(b) < 32;
            (StepOp::binary(op).filter(|_| is_defined)?, [to, a, b, 0])
        }
        Inst::Select {
            to,
            condition,
            a,
            b,
        } => (StepOp::Select, [to, condition, a, b]),
        _ => return None,
    };
    let [to, a, b, c] = columns.map(|column| column as u16);
    Some(Step { op, to, a, b, c })
}

/// How large the words in columns are at most.
struct Limits {
    constants: Vec<Option<u32>>,
    /// In the stretch that begins there.
    others: Vec<(u32, usize)>,
    stretch: usize,
}

impl Limits {
    fn new(program: &Program) -> Self {
        let columns = program.columns as usize;
        let mut constants = vec![None; columns];
        for &(column, word) in &program.constants {
            constants[column as usize] = Some(word);
        }
        // What has no value has some word, too, but is none.
        for value in &program.undefined_values {
            constants[value.column as usize] = None;
        }
        Self {
            constants,
            others: vec![(u32::MAX, usize::MAX); columns],
            stretch: 0,
        }
    }

    fn of(&self, column: Reg) -> u32 {
        let column = column as usize;
        match (self.constants[column], self.others[column]) {
            (Some(word), _) => word,
            (None, (limit, stretch)) if stretch == self.stretch => limit,
            _ => u32::MAX,
        }
    }

    /// Notes what an instruction writes.
    fn pass(&mut self, program: &mut Program, pc: usize) {
        let limit = self.result(&program.code[pc]);
        let stretch = self.stretch;
        visit(program, pc, &mut |column, role| {
            if role != Role::Read {
                self.others[*column as usize] = (limit, stretch);
            }
        });
        if !program.code[pc].is_straight() {
            self.stretch = pc + 1;
        }
    }

    fn result(&self, inst: &Inst) -> u32 {
        match *inst {
            Inst::Copy { from, .. } => self.of(from),
            Inst::Select { a, b, .. } => self.of(a).max(self.of(b)),
            Inst::Shift {
                op: Binary::ShiftRight,
                a,
                bits,
                ..
            } => self.of(a) >> (bits & 31),
            Inst::Binary { op, a, b, .. } => {
                let [a, b] = [self.of(a), self.of(b)];
                match op {
                    Binary::And => a.min(b),
                    Binary::Or | Binary::Xor => {
                        u32::MAX.checked_shr((a | b).leading_zeros()).unwrap_or(0)
                    }
                    Binary::IAdd => a.saturating_add(b),
                    Binary::UMod => a.min(b.saturating_sub(1)),
                    _ => u32::MAX,
                }
            }
            _ => u32::MAX,
        }
    }
}
