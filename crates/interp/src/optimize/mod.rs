//! Makes a program faster without changing what it does: copies are saved, and values that are
//! needed in one stretch of code only share a few columns, which stay in the processor's cache.
//!
//! A *stretch* runs without a stop: from behind an instruction that lanes may part or wait at
//! to the next. All that is in it is executed by the same lanes, one instruction after the
//! other. So a value that is written and read within one stretch may be written for lanes
//! that are not active, too (what was there, none of them reads again), and its column may be
//! any other's before and after. That is why a gang that is stopped within a stretch has to go
//! on with the same path.
//!
//! Whoever adds a place for columns to an instruction adds it to [`columns`], too.

mod columns;
mod constants;
mod steps;

use spirvkit_grammar::Op;

use crate::program::{Edge, FrameKind, GeneralOp, Inst, Pc, Program, Reg};
use columns::{Role, in_program};
pub(crate) use steps::pack;

/// No instruction.
const NONE: u32 = u32::MAX;

/// Optimizes a program.
pub(crate) fn optimize(program: &mut Program) {
    edges_as_copies(program);
    constants::simplify(program);
    let mut local = local_columns(program);
    propagate_copies(program, &local);
    write_at_once(program, &mut local);
    remove(program, &local);
    share_columns(program, &local);
}

/// Calls a function with each column of an instruction.
fn visit(program: &mut Program, pc: usize, see: &mut impl FnMut(&mut Reg, Role)) {
    let mut inst = program.code[pc];
    columns::in_inst(&mut inst, program, see);
    program.code[pc] = inst;
}

/// Lets phis get their values by copies where there is but one way on.
fn edges_as_copies(program: &mut Program) {
    if !program.code.iter().any(has_moves) {
        return;
    }
    let code = std::mem::take(&mut program.code);
    let places = std::mem::take(&mut program.places);
    let mut starts = Vec::with_capacity(code.len() + 1);
    for (mut inst, place) in code.into_iter().zip(places) {
        starts.push(program.code.len() as Pc);
        if let Inst::Jump(edge) = &mut inst {
            for index in edge.moves.0..edge.moves.1 {
                let (to, from) = program.moves[index as usize];
                program.code.push(Inst::Copy { to, from });
                program.places.push(place);
            }
            edge.moves = (0, 0);
        }
        program.code.push(inst);
        program.places.push(place);
    }
    starts.push(program.code.len() as Pc);
    relocate(program, &starts);
}

fn has_moves(inst: &Inst) -> bool {
    matches!(inst, Inst::Jump(edge) if edge.moves.0 != edge.moves.1)
}

/// Puts the places of instructions where others are named: instruction `n` has become that at
/// `starts[n]`.
pub(crate) fn relocate(program: &mut Program, starts: &[Pc]) {
    let at = |pc: &mut Pc| {
        if let Some(&start) = starts.get(*pc as usize) {
            *pc = start;
        }
    };
    let edge = |edge: &mut Edge| at(&mut edge.target);
    for inst in &mut program.code {
        match inst {
            Inst::Jump(to) => edge(to),
            Inst::Branch {
                then, otherwise, ..
            } => {
                edge(then);
                edge(otherwise);
            }
            Inst::Enter { frame } => match frame {
                FrameKind::Selection { merge } => at(merge),
                FrameKind::Loop {
                    header,
                    merge,
                    continue_target,
                } => [header, merge, continue_target].into_iter().for_each(at),
                FrameKind::Call { back } => at(back),
            },
            _ => {}
        }
    }
    for switch in &mut program.switches {
        switch.cases.iter_mut().for_each(|case| edge(&mut case.1));
        edge(&mut switch.default);
    }
    program.functions.iter_mut().for_each(at);
}

/// For each column whether it is written once and read only behind that, in one stretch.
fn local_columns(program: &mut Program) -> Vec<bool> {
    #[derive(Clone, Copy)]
    enum State {
        Unseen,
        /// Written, in the stretch that begins there.
        Written(u32),
        Other,
    }
    let mut states = vec![State::Unseen; program.columns as usize];
    in_program(program, &mut |column| {
        states[*column as usize] = State::Other
    });
    let mut stretch = 0;
    for pc in 0..program.code.len() {
        visit(program, pc, &mut |column, role| {
            let state = &mut states[*column as usize];
            *state = match (role, *state) {
                (Role::Write, State::Unseen) => State::Written(stretch),
                (Role::Read, State::Written(written)) if written == stretch => *state,
                _ => State::Other,
            };
        });
        if !program.code[pc].is_straight() {
            stretch = pc as u32 + 1;
        }
    }
    let is_local = |state| matches!(state, State::Written(_));
    states.into_iter().map(is_local).collect()
}

/// Lets instructions read what was copied instead of the copy.
fn propagate_copies(program: &mut Program, local: &[bool]) {
    // What a column is a copy of, and how often that had been written.
    let mut copies: Vec<(Reg, u32)> = vec![(NONE, 0); local.len()];
    let mut written = vec![0u32; local.len()];
    for pc in 0..program.code.len() {
        visit(program, pc, &mut |column, role| {
            if role != Role::Read {
                return;
            }
            let (from, version) = copies[*column as usize];
            if from != NONE && written[from as usize] == version {
                *column = from;
            }
        });
        visit(program, pc, &mut |column, role| {
            if role != Role::Read {
                written[*column as usize] += 1;
            }
        });
        if let Inst::Copy { to, from } = program.code[pc]
            && local[to as usize]
        {
            copies[to as usize] = (from, written[from as usize]);
        }
    }
}

/// Lets instructions write to where their results are copied to.
fn write_at_once(program: &mut Program, local: &mut [bool]) {
    let mut reads = vec![0u32; local.len()];
    for pc in 0..program.code.len() {
        visit(program, pc, &mut |column, role| {
            reads[*column as usize] += u32::from(role == Role::Read);
        });
    }
    // Where a column was written and last accessed.
    let mut written = vec![NONE; local.len()];
    let mut accessed = vec![NONE; local.len()];
    for pc in 0..program.code.len() {
        if let Inst::Copy { to, from } = program.code[pc]
            && local[from as usize]
            && reads[from as usize] == 1
            && !local[to as usize]
        {
            let at = written[from as usize];
            let is_free = accessed[to as usize] == NONE || accessed[to as usize] <= at;
            if at != NONE && is_free && is_simple(&program.code[at as usize]) {
                visit(program, at as usize, &mut |column, role| {
                    if role == Role::Write {
                        *column = to;
                    }
                });
                // What is left copies a column to itself.
                program.code[pc] = Inst::Copy { to, from: to };
                local[from as usize] = false;
            }
        }
        visit(program, pc, &mut |column, role| {
            accessed[*column as usize] = pc as u32;
            if role == Role::Write {
                written[*column as usize] = pc as u32;
            }
        });
    }
}

/// Whether an instruction writes one column, after it has read all that it reads.
fn is_simple(inst: &Inst) -> bool {
    matches!(
        inst,
        Inst::Copy { .. }
            | Inst::Unary { .. }
            | Inst::Binary { .. }
            | Inst::Shift { .. }
            | Inst::Select { .. }
            | Inst::Offset { .. }
            | Inst::Load { .. }
            | Inst::General(_)
    )
}

/// Whether an instruction does nothing but write columns.
fn is_pure(program: &Program, inst: &Inst) -> bool {
    match *inst {
        Inst::Copy { .. }
        | Inst::Unary { .. }
        | Inst::Shift { .. }
        | Inst::Select { .. }
        | Inst::Offset { .. } => true,
        Inst::Binary { op, .. } => !op.may_be_undefined(),
        Inst::General(index) => {
            let general = &program.general[index as usize];
            let is_conversion = matches!(
                general.op,
                GeneralOp::Core(Op::UConvert | Op::SConvert | Op::FConvert)
            );
            is_conversion && general.fast.is_some()
        }
        _ => false,
    }
}

/// Removes what does nothing that anyone sees.
fn remove(program: &mut Program, local: &[bool]) {
    let mut reads = vec![0u32; local.len()];
    for pc in 0..program.code.len() {
        visit(program, pc, &mut |column, role| {
            reads[*column as usize] += u32::from(role == Role::Read);
        });
    }
    let mut is_kept = vec![true; program.code.len()];
    // Backwards, so that what only removed ones read goes, too.
    for pc in (0..program.code.len()).rev() {
        let inst = program.code[pc];
        let is_needless = match inst {
            Inst::Copy { to, from } if to == from => true,
            _ => {
                let mut is_read = false;
                visit(program, pc, &mut |column, role| match role {
                    Role::Read => {}
                    _ => is_read |= !local[*column as usize] || reads[*column as usize] > 0,
                });
                !is_read && is_pure(program, &inst)
            }
        };
        if is_needless {
            is_kept[pc] = false;
            visit(program, pc, &mut |column, role| {
                if role == Role::Read {
                    reads[*column as usize] -= 1;
                }
            });
        }
    }
    retain(program, &is_kept);
}

/// Removes all instructions but some.
fn retain(program: &mut Program, is_kept: &[bool]) {
    let mut starts = Vec::with_capacity(is_kept.len() + 1);
    let mut count = 0;
    for &kept in is_kept {
        starts.push(count);
        count += u32::from(kept);
    }
    starts.push(count);
    let mut kept = is_kept.iter();
    program
        .code
        .retain(|_| kept.next().is_some_and(|&kept| kept));
    let mut kept = is_kept.iter();
    program
        .places
        .retain(|_| kept.next().is_some_and(|&kept| kept));
    relocate(program, &starts);
}

/// Gives local columns numbers from 0 on, as few as there can be, and all others that are used
/// those behind them.
fn share_columns(program: &mut Program, local: &[bool]) {
    let mut last = vec![NONE; local.len()];
    let mut is_used = vec![false; local.len()];
    in_program(program, &mut |column| is_used[*column as usize] = true);
    for pc in 0..program.code.len() {
        visit(program, pc, &mut |column, _| {
            last[*column as usize] = pc as u32;
            is_used[*column as usize] = true;
        });
    }
    let mut names = vec![NONE; local.len()];
    let mut free: Vec<Reg> = Vec::new();
    let mut count = 0;
    let mut ended: Vec<Reg> = Vec::new();
    for pc in 0..program.code.len() {
        visit(program, pc, &mut |column, role| {
            let column = *column as usize;
            if !local[column] {
                return;
            }
            if role == Role::Write {
                names[column] = free.pop().unwrap_or_else(|| {
                    count += 1;
                    count - 1
                });
            }
            // Only now, so that no instruction writes to what it reads.
            if last[column] == pc as u32 && !ended.contains(&names[column]) {
                ended.push(names[column]);
            }
        });
        free.append(&mut ended);
    }
    program.temporaries = count;
    for (column, name) in names.iter_mut().enumerate() {
        if !local[column] && is_used[column] {
            *name = count;
            count += 1;
        }
    }
    let mut rename = |column: &mut Reg| *column = names[*column as usize];
    in_program(program, &mut rename);
    for pc in 0..program.code.len() {
        visit(program, pc, &mut |column, _| rename(column));
    }
    for (to, from) in &mut program.moves {
        // Some may have become copies.
        [*to, *from] = [*to, *from].map(|column| match names[column as usize] {
            NONE => 0,
            name => name,
        });
    }
    program.columns = count;
    debug_assert!(program.is_complete());
}
