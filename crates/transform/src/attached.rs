//! What is said of an id elsewhere, and goes when the id goes: names, decorations,
//! execution modes.

use spirvkit_grammar::{Class, Op};
use spirvkit_ir::{Inst, Module, Use};

/// How an instruction is about ids that others define.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// Its first operand is what it is about.
    One,
    /// It lets a group of decorations hold for ids that follow, each with so many
    /// words.
    Group(usize),
}

impl About {
    pub(crate) fn of(op: Op) -> Option<Self> {
        match op {
            Op::GroupDecorate => Some(Self::Group(1)),
            Op::GroupMemberDecorate => Some(Self::Group(2)),
            Op::Name
            | Op::MemberName
            | Op::ExecutionMode
            | Op::ExecutionModeId
            | Op::TypeForwardPointer => Some(Self::One),
            _ => {
                let info = op.info()?;
                let is_about = info.class() == Class::Annotation && !info.has_result();
                is_about.then_some(Self::One)
            }
        }
    }

    /// Whether this word of such an instruction is what it is about.
    pub(crate) fn has_target_at(self, word: usize) -> bool {
        match self {
            Self::One => word == 1,
            Self::Group(_) => word > 1,
        }
    }
}

/// Whether a use only says something of the id.
pub(crate) fn is_about(module: &Module, found: Use) -> bool {
    About::of(module.op(found.inst)).is_some_and(|about| about.has_target_at(found.word))
}

/// Takes the targets of a group of decorations out that aren't wanted; the whole
/// instruction, if none is left.
pub(crate) fn retain_targets(
    module: &mut Module,
    inst: Inst,
    is_wanted: impl Fn(&Module, spirvkit_binary::Id) -> bool,
) {
    let op = module.op(inst);
    let (Some(About::Group(size)), Some((&group, targets))) = (
        About::of(op),
        module.get(inst).operand_words().split_first(),
    ) else {
        return;
    };
    let wanted = |target: &&[u32]| is_wanted(module, spirvkit_binary::Id(target[0]));
    let kept: Vec<u32> = targets
        .chunks(size)
        .filter(wanted)
        .flatten()
        .copied()
        .collect();
    if kept.len() == targets.len() {
        return;
    }
    let operands: Vec<u32> = std::iter::once(group).chain(kept).collect();
    // Neither can fail for an instruction that is there and gets shorter.
    let _ = match operands.len() {
        1 => module.remove(inst),
        _ => module.replace(inst, op, &operands),
    };
}
