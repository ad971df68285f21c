//! Parts of row-major matrices, which are not contiguous in memory.

use hashbrown::{HashMap, HashSet};
use spirvkit_binary::{Id, Value};
use spirvkit_grammar::{AddressingModel, Decoration, Op};

use crate::finding::{Finding, Reporter};
use crate::module::{Inst, Lookup, Module};
use crate::rules::generated::access_chain;

/// Checks that chains into row-major matrices are used only by loads and stores. The first other
/// use of each is told.
pub(super) fn check(m: &Module<'_>, reporter: &mut Reporter) {
    if m.addressing != AddressingModel::PhysicalStorageBuffer64 {
        return;
    }
    let members = m.all_decorated_with(Decoration::RowMajor);
    let members: HashSet<_> = members
        .filter_map(|(structure, it)| Some((structure, it.member?)))
        .collect();
    if members.is_empty() {
        return;
    }
    let mut pointers = Pointers {
        m,
        members,
        whole: HashSet::new(),
        parts: HashMap::new(),
    };
    for inst in m.instructions(m.functions_start..m.words.len() as u32) {
        // Not all that looks like an id is one.
        if !pointers.parts.is_empty()
            && inst.args().iter().any(|&word| pointers.is_part(word))
            && let Some(part) = pointers.misused_by(inst)
            && let Some(chain) = pointers.parts.remove(&part)
        {
            reporter.add(finding(m, Id(part), chain, inst));
            if reporter.is_full() {
                return;
            }
        }
        pointers.follow(inst);
    }
}

/// Pointers that row-major matrices concern.
struct Pointers<'m, 'a> {
    m: &'m Module<'a>,
    /// The members of structures that are such matrices.
    members: HashSet<(Id, u32)>,
    /// Those to whole matrices, or arrays of them.
    whole: HashSet<u32>,
    /// Those to parts, with the offsets of what makes them.
    parts: HashMap<u32, u32>,
}

impl<'a> Pointers<'_, 'a> {
    fn is_part(&self, id: u32) -> bool {
        self.parts.contains_key(&id)
    }

    /// Notes what an instruction makes.
    fn follow(&mut self, inst: Inst<'a>) {
        let Some(result) = inst.result() else {
            return;
        };
        if inst.op() == Op::CopyObject && self.whole.contains(&inst.arg(0)) {
            self.whole.insert(result.0);
        }
        let Some((base, steps)) = self.m.steps(inst) else {
            return;
        };
        let mut is_whole = self.whole.contains(&base.0);
        for step in steps {
            if is_whole && self.m.op_of(step.ty) == Op::TypeMatrix {
                self.parts.insert(result.0, inst.offset());
                return;
            }
            if let Some(member) = step.member {
                is_whole = self.members.contains(&(step.ty, member));
            }
        }
        if is_whole {
            self.whole.insert(result.0);
        }
    }

    /// A pointer to a part that an instruction uses otherwise than to load or store.
    fn misused_by(&self, inst: Inst<'_>) -> Option<u32> {
        if self.m.is_remark(inst) {
            return None;
        }
        match inst.op() {
            Op::Load => None,
            Op::Store => Some(inst.arg(1)).filter(|&id| self.is_part(id)),
            _ => {
                let decoded = inst.decoded()?;
                let mut operands = decoded.operands(&self.m.definitions).flatten();
                operands.find_map(|operand| match operand.value {
                    Value::Id(id) => Some(id.0).filter(|&id| self.is_part(id)),
                    _ => None,
                })
            }
        }
    }
}

fn finding(m: &Module<'_>, part: Id, chain: u32, user: Inst<'_>) -> Finding {
    let message = format!(
        "{} leads into a row-major matrix, so in Vulkan only OpLoad and OpStore can use it, but {} does",
        m.name(part),
        user.op()
    );
    let finding = Finding::new(&access_chain::ROW_MAJOR, chain, message);
    finding.at(user.offset(), "it is used here")
}
