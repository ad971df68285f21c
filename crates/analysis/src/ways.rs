//! What happens on the ways through functions, and the calls on them: does a shader write an output
//! on each of them, or before each vertex?
//!
//! A question is a small machine with the states from 0 to 3. Each way through a function takes it
//! along; instructions change its state. [`states_at_end`] tells in which states it may return.
//!
//! Every branch may go to each of its targets. Ways that end otherwise than by a return, or never,
//! don't count.
//!
//! ```
//! use spirvkit_analysis::ModuleIndex;
//! use spirvkit_analysis::ways::{Step, states_at_end};
//! use spirvkit_grammar::Op;
//!
//! let text = "
//!     %void = OpTypeVoid
//!     %function = OpTypeFunction %void
//!     %bool = OpTypeBool
//!     %true = OpConstantTrue %bool
//!     %main = OpFunction %void None %function
//!     %entry = OpLabel
//!     OpSelectionMerge %merge None
//!     OpBranchConditional %true %then %merge
//!     %then = OpLabel
//!     OpEmitVertex
//!     OpBranch %merge
//!     %merge = OpLabel
//!     OpReturn
//!     OpFunctionEnd";
//! let assembled = spirvkit_text::assemble(text, &Default::default()).unwrap();
//! let index = ModuleIndex::new(&assembled.words)?;
//! const EMITTED: Step = [1; 4];
//! let main = index.functions[0].id;
//! let ends = states_at_end(&index, main, |inst| (inst.op() == Op::EmitVertex).then_some(EMITTED));
//! assert!(ends.is_some_and(|ends| ends.contains(0) && ends.contains(1)));
//! # Ok::<(), spirvkit_binary::Error>(())
//! ```

use alloc::vec;
use alloc::vec::Vec;

use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, Decoration, Op};

use crate::index::{Decorated, Inst};
use crate::{Lookup, ModuleIndex, NONE, Type};

/// How many states there are.
const STATES: usize = 4;

/// What an instruction does: for each state, the one behind it.
pub type Step = [u8; STATES];

/// Some states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct States(u8);

impl States {
    /// Whether a state is among them.
    pub fn contains(self, state: u8) -> bool {
        u32::from(state) < u8::BITS && self.0 >> state & 1 != 0
    }
}

/// The states that each state may become.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Change([States; STATES]);

impl Change {
    /// That each stays as it is.
    const NOTHING: Self = Self([States(1), States(2), States(4), States(8)]);

    fn of(step: Step) -> Self {
        Self(step.map(|state| States(1 << (state as usize % STATES))))
    }

    /// This, and then another.
    fn then(self, next: Self) -> Self {
        Self(self.0.map(|states| {
            let reached = (0..STATES).filter(|&state| states.contains(state as u8));
            States(reached.fold(0, |all, state| all | next.0[state].0))
        }))
    }

    /// This or another.
    fn or(self, other: Self) -> Self {
        let mut both = self;
        for (own, other) in both.0.iter_mut().zip(other.0) {
            own.0 |= other.0;
        }
        both
    }
}

/// In which states ways through a function return that begin in state 0, if `step` says what
/// instructions do. Nothing is known if functions call themselves, or one that isn't there.
///
/// Takes time in proportion to the functions that are reached.
pub fn states_at_end(
    m: &ModuleIndex<'_>,
    function: Id,
    step: impl Fn(Inst<'_>) -> Option<Step>,
) -> Option<States> {
    let root = m.function_index(function)?;
    let mut changes: Vec<Option<Change>> = vec![None; m.functions.len()];
    let mut is_open = vec![false; m.functions.len()];
    let mut todo = vec![root];
    // Callees come before what calls them.
    while let Some(&function) = todo.last() {
        let place = function as usize;
        if changes[place].is_some() {
            todo.pop();
            continue;
        }
        if core::mem::replace(&mut is_open[place], true) {
            changes[place] = Some(through(m, function, &changes, &step)?);
            todo.pop();
            continue;
        }
        for callee in m.called_functions(function) {
            match changes[callee as usize] {
                None if is_open[callee as usize] => return None,
                None => todo.push(callee),
                Some(_) => {}
            }
        }
    }
    changes[root as usize].map(|change| change.0[0])
}

/// What a function does from its beginning to its returns.
fn through(
    m: &ModuleIndex<'_>,
    function: u32,
    changes: &[Option<Change>],
    step: &impl Fn(Inst<'_>) -> Option<Step>,
) -> Option<Change> {
    let flow = m.control_flow(function)?;
    let graph = flow.graph();
    let mut own = vec![Change::NOTHING; graph.len() as usize];
    let mut ends = vec![false; graph.len() as usize];
    let mut node = NONE;
    for inst in m.instructions(m.functions[function as usize].range.clone()) {
        if inst.op() == Op::Label {
            node = inst.result().and_then(|label| flow.node(label))?;
            continue;
        }
        let change = match inst.op() {
            Op::FunctionCall => {
                let callee = m.function_index(inst.id(0))?;
                (*changes.get(callee as usize)?)?
            }
            _ => match step(inst) {
                Some(step) => Change::of(step),
                None => Change::NOTHING,
            },
        };
        // What stands outside of blocks is passed over.
        if let Some(own) = own.get_mut(node as usize) {
            *own = own.then(change);
            ends[node as usize] |= matches!(inst.op(), Op::Return | Op::ReturnValue);
        }
    }
    let mut before = vec![Change::default(); own.len()];
    let mut all = Change::default();
    let mut todo = Vec::new();
    if let Some(entry) = before.first_mut() {
        *entry = Change::NOTHING;
        todo.push(0);
    }
    // Each block's grows no more often than there are pairs of states.
    while let Some(node) = todo.pop() {
        let after = before[node as usize].then(own[node as usize]);
        if ends[node as usize] {
            all = all.or(after);
        }
        for &next in graph.successors(node) {
            let known = before[next as usize];
            let more = known.or(after);
            if more != known {
                before[next as usize] = more;
                todo.push(next);
            }
        }
    }
    Some(all)
}

/// The offsets of the instructions that write a built-in, or what it is a member of, through a
/// variable that is it or has it as a member; in their order. Nothing is known if the variable
/// has an initial value, or pointers to the built-in go where they aren't followed.
pub fn writes_of(m: &ModuleIndex<'_>, variable: Id, built_in: BuiltIn) -> Option<Vec<u32>> {
    let def = m.def(variable).filter(|def| def.op() == Op::Variable)?;
    if def.optional(1).is_some() {
        return None;
    }
    let is_it =
        |decorated: Option<Decorated<'_>>| decorated.is_some_and(|it| it.param(0) == built_in.0);
    let is_whole = is_it(m.decoration(variable, Decoration::BuiltIn));
    let mut found = Vec::new();
    // Pointers, and what they lead to if the member is still to be chosen.
    let pointee = m.pointee(def.result_type()?)?;
    let mut todo = vec![(variable, (!is_whole).then_some(pointee))];
    while let Some((pointer, place)) = todo.pop() {
        for inst in m.uses(pointer).iter().filter_map(|&at| m.inst(at)) {
            // Before the functions, it is only named and decorated.
            if m.is_remark(inst) || inst.offset() < m.functions_start {
                continue;
            }
            match inst.op() {
                Op::Load | Op::ArrayLength => {}
                Op::Store | Op::CopyMemory | Op::CopyMemorySized => {
                    if inst.id(0) == pointer {
                        found.push(inst.offset());
                    } else if inst.op() == Op::Store {
                        return None;
                    }
                }
                Op::CopyObject => todo.push((inst.result()?, place)),
                Op::AccessChain | Op::InBoundsAccessChain if inst.id(0) == pointer => {
                    let mut place = place;
                    let mut is_other = false;
                    for &index in inst.args().iter().skip(1) {
                        let Some(ty) = place else { break };
                        match m.ty(ty) {
                            Type::Array { element, .. } => place = Some(element),
                            Type::Struct { .. } => {
                                let member = m.constant_u64(Id(index))?;
                                let member = u32::try_from(member).ok()?;
                                let own = m.member_decoration(ty, member, Decoration::BuiltIn);
                                is_other = !is_it(own);
                                place = None;
                            }
                            _ => return None,
                        }
                    }
                    if !is_other {
                        todo.push((inst.result()?, place));
                    }
                }
                _ => return None,
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}
