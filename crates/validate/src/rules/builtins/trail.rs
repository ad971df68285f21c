//! Pointers to built-ins, followed from variables through access chains and copies. Inputs and
//! outputs can't be passed to functions.

use hashbrown::HashMap;
use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::Seed;
use crate::module::{Inst, Module, Step, base_operand};

/// How an instruction uses a built-in.
#[derive(Clone, Copy)]
pub(super) enum Use {
    /// It names a pointer to the built-in, or to a part of it.
    Pointer,
    /// It is an access chain, and this a step into the built-in.
    Step(Step),
}

/// The pointers to some built-ins.
pub(super) struct Trail<'m, 'a> {
    m: &'m Module<'a>,
    /// The seeds that pointers lead to, by their numbers.
    pointers: HashMap<Id, usize>,
    /// The seeds that members are.
    members: HashMap<(Id, u32), usize>,
}

impl<'m, 'a> Trail<'m, 'a> {
    /// A trail from the built-ins that are wanted; nothing if there are none.
    pub(super) fn new(
        m: &'m Module<'a>,
        seeds: &[Seed],
        is_wanted: impl Fn(&Seed) -> bool,
    ) -> Option<Self> {
        let mut trail = Self {
            m,
            pointers: HashMap::new(),
            members: HashMap::new(),
        };
        for (number, seed) in seeds.iter().enumerate().filter(|(_, it)| is_wanted(it)) {
            match seed.member {
                Some(member) => drop(trail.members.insert((seed.target, member), number)),
                None => drop(trail.pointers.insert(seed.target, number)),
            }
        }
        let has_any = !trail.pointers.is_empty() || !trail.members.is_empty();
        has_any.then_some(trail)
    }

    /// Follows the next instruction of a function, and says how it uses which built-ins.
    pub(super) fn follow(&mut self, inst: Inst<'a>, mut visit: impl FnMut(usize, Use)) {
        let named = match inst.op() {
            Op::Load | Op::Store | Op::CopyObject => 0..1,
            Op::CopyMemory | Op::CopyMemorySized => 0..2,
            op if op.is_access_chain() => {
                let base = base_operand(op);
                base..base + 1
            }
            _ => return,
        };
        let named = inst.args().get(named).unwrap_or_default().iter();
        let mut leads_to = None;
        for seed in named.filter_map(|&id| self.pointers.get(&Id(id))) {
            leads_to = Some(*seed);
            visit(*seed, Use::Pointer);
        }
        if let Some((_, steps)) = self.m.steps(inst) {
            for step in steps {
                if let Some(seed) = leads_to {
                    visit(seed, Use::Step(step));
                } else if let Some(member) = step.member
                    && let Some(&seed) = self.members.get(&(step.ty, member))
                {
                    leads_to = Some(seed);
                    visit(seed, Use::Pointer);
                }
            }
        } else if inst.op() != Op::CopyObject {
            return;
        }
        if let Some((seed, result)) = leads_to.zip(inst.result()) {
            self.pointers.insert(result, seed);
        }
    }
}
