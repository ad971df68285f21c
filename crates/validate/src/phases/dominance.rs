//! Static single assignment: definitions dominate uses (specification, section
//! 2.16.1).

use std::cell::OnceCell;

use spirvkit_analysis::DominatorTree;
use spirvkit_binary::{Id, Instruction, Value, WordOffset};
use spirvkit_grammar::{Op, OperandKind, Quantifier};

use crate::finding::{Finding, Reporter};
use crate::flow::Flow;
use crate::module::{Inst, Lookup};
use crate::rules::control_flow::Structure;
use crate::rules::generated::dominance;

/// Checks a function, whose structure may be known.
pub(super) fn check(flow: &Flow<'_, '_>, structure: Option<Structure>, reporter: &mut Reporter) {
    let first_function = flow.m.functions.first();
    let body = Body {
        structure,
        dominators: OnceCell::new(),
        first_function: first_function.map_or(0, |first| first.range.start),
        flow,
    };
    body.check_order(reporter);
    body.check(reporter);
}

struct Body<'f, 'm, 'a> {
    flow: &'f Flow<'m, 'a>,
    /// What dominates structurally, dominates: there are only more paths along the
    /// structure.
    structure: Option<Structure>,
    /// Made when the other doesn't say.
    dominators: OnceCell<DominatorTree>,
    /// Before this word, everything is outside of functions.
    first_function: u32,
}

impl<'f, 'm, 'a> Body<'f, 'm, 'a> {
    fn dominators(&self) -> &DominatorTree {
        self.dominators.get_or_init(|| match &self.structure {
            Some(structure) => DominatorTree::from_wider(&self.flow.graph, &structure.order),
            None => DominatorTree::new(&self.flow.graph),
        })
    }

    fn dominates(&self, above: u32, below: u32) -> bool {
        let structure = self.structure.as_ref();
        structure.is_some_and(|structure| structure.dominators.dominates(above, below))
            || self.dominators().dominates(above, below)
    }

    fn check(&self, reporter: &mut Reporter) {
        let m = self.flow.m;
        // Within a block, other rules see to the order.
        let crossing = &m.interesting.crossing;
        let start = self.flow.function.range.start;
        let mut crossing = &crossing[crossing.partition_point(|&offset| offset < start)..];
        let blocks = &self.flow.function.blocks;
        let uses = &m.interesting.block_uses;
        let mut uses = &uses[uses.partition_point(|pair| pair.0 < blocks.start)..];
        for node in 0..self.flow.len() {
            if reporter.is_full() {
                return;
            }
            let mut is_fine = true;
            while let Some((&(user, defining), rest)) = uses.split_first()
                && user == blocks.start + node
            {
                uses = rest;
                is_fine &=
                    blocks.contains(&defining) && self.dominates(defining - blocks.start, node);
            }
            let block = self.flow.block(node);
            let end = match block.terminator {
                0 if node + 1 < self.flow.len() => self.flow.block(node + 1).start,
                0 => self.flow.function.range.end,
                terminator => terminator + 1,
            };
            if !is_fine {
                for inst in m.instructions(block.start..end).skip(1) {
                    self.check_instruction(inst, node, reporter);
                }
            }
            while let Some((&offset, rest)) = crossing.split_first()
                && offset < end
            {
                crossing = rest;
                if let Some(inst) = m.inst(offset).filter(|_| is_fine && offset > block.start) {
                    self.check_instruction(inst, node, reporter);
                }
            }
        }
    }

    /// Checks that blocks stand behind what dominates them.
    fn check_order(&self, reporter: &mut Reporter) {
        if self.is_in_order() {
            return;
        }
        for node in 0..self.flow.len() {
            if let Some(above) = self.dominators().immediate(node)
                && above > node
            {
                self.stands_before(node, above, reporter);
            }
        }
    }

    /// Whether to every block that can be reached there is a path on which each block
    /// comes after the one before: what dominates the block is on it.
    fn is_in_order(&self) -> bool {
        let graph = &self.flow.graph;
        let mut is_met = vec![false; graph.len() as usize];
        if let Some(entry) = is_met.first_mut() {
            *entry = true;
        }
        (0..graph.len()).all(|node| {
            if is_met[node as usize] {
                let next = graph.successors(node).iter();
                next.for_each(|&next| is_met[next as usize] |= next > node);
            }
            is_met[node as usize] || graph.predecessors(node).is_empty()
        })
    }

    #[cold]
    fn stands_before(&self, node: u32, above: u32, reporter: &mut Reporter) {
        let message = format!(
            "the block {} comes before the block {}, which dominates it",
            self.flow.name(node),
            self.flow.name(above)
        );
        let finding = Finding::new(
            &dominance::BLOCK_ORDER,
            self.flow.block(node).start,
            message,
        );
        reporter.add(finding.at(self.flow.block(above).start, "the dominator begins here"));
    }

    fn check_instruction(&self, inst: Inst<'a>, node: u32, reporter: &mut Reporter) {
        if inst.op() == Op::Phi {
            for pair in inst.args().chunks_exact(2) {
                let (value, parent) = (Id(pair[0]), Id(pair[1]));
                if !self.is_own(value) {
                    reporter.add(self.other_function(inst, value));
                }
                self.check_phi(inst, node, value, parent, reporter);
            }
            return;
        }
        let Some(info) = inst.info() else {
            return;
        };
        // Result type and result come first, and most instructions have nothing
        // but ids.
        let words = inst.words();
        let first = inst.first_argument();
        let end = match info.only_ids_follow() {
            true => words.len(),
            false => (1 + info.leading_ids()).clamp(first, words.len().max(first)),
        };
        for &id in words.get(first..end).unwrap_or_default() {
            self.check_id(inst, node, Id(id), reporter);
        }
        if end < words.len() {
            self.check_rest(inst, node, end, reporter);
        }
    }

    /// Checks the ids from a word on.
    fn check_rest(&self, inst: Inst<'a>, node: u32, start: usize, reporter: &mut Reporter) {
        let check = |id| self.check_id(inst, node, id, reporter);
        let Err(unread) = plain_ids(inst, start, check) else {
            return;
        };
        let m = self.flow.m;
        let offset = WordOffset(inst.offset() as usize);
        let Some(instruction) = Instruction::from_words(inst.words(), offset) else {
            return;
        };
        for operand in instruction.operands(&m.definitions).map_while(Result::ok) {
            if let Value::Id(id) = operand.value
                && operand.word >= unread
            {
                self.check_id(inst, node, id, reporter);
            }
        }
    }

    #[inline]
    fn check_id(&self, inst: Inst<'a>, node: u32, id: Id, reporter: &mut Reporter) {
        let def = self.flow.m.whereabouts(id);
        // Outside of functions, or in the same block, where other rules see to the
        // order.
        let block = self.flow.function.blocks.start + node;
        if def.offset() < self.first_function || def.block() == block {
            return;
        }
        if self.is_own(id) {
            self.check_use(inst, node, id, reporter);
        } else {
            reporter.add(self.other_function(inst, id));
        }
    }

    /// Whether an id may be used in this function: whether it is defined here or
    /// outside of functions, or is one that other rules are about.
    fn is_own(&self, id: Id) -> bool {
        let m = self.flow.m;
        let def = m.def_offset(id);
        def < self.first_function
            || self.flow.function.range.contains(&def)
            || matches!(m.op_of(id), Op::Function | Op::Label)
    }

    /// The number of the block of this function that an id is defined in; none
    /// for parameters.
    fn defining_block(&self, id: Id) -> Option<u32> {
        let block = self.flow.m.block_of(id)?;
        let blocks = &self.flow.function.blocks;
        blocks.contains(&block).then(|| block - blocks.start)
    }

    fn check_use(&self, inst: Inst<'a>, node: u32, id: Id, reporter: &mut Reporter) {
        let m = self.flow.m;
        let Some(defining) = self.defining_block(id) else {
            return;
        };
        if self.dominates(defining, node) || m.op_of(id) == Op::Label {
            // Whether it comes first in the text is another rule's.
            return;
        }
        let message = format!(
            "{} in the block {} uses {}, which is defined in the block {}, but that block doesn't dominate it",
            inst.op(),
            self.flow.name(node),
            m.name(id),
            self.flow.name(defining)
        );
        let finding = Finding::new(&dominance::USE, inst.offset(), message);
        reporter.add(finding.about(m, id, "the definition is here"));
    }

    fn check_phi(&self, inst: Inst<'a>, node: u32, value: Id, parent: Id, reporter: &mut Reporter) {
        let m = self.flow.m;
        let (Some(defining), Some(parent)) = (self.defining_block(value), self.flow.node(parent))
        else {
            return;
        };
        if m.op_of(value) == Op::Label
            || self.dominates(defining, parent)
            || !self.dominators().is_reachable(node)
        {
            return;
        }
        let message = format!(
            "OpPhi takes {} when control comes from the block {}, but the block {}, where it is defined, doesn't \
             dominate that block",
            m.name(value),
            self.flow.name(parent),
            self.flow.name(defining)
        );
        let finding = Finding::new(&dominance::PHI, inst.offset(), message);
        reporter.add(finding.about(m, value, "the definition is here"));
    }

    fn other_function(&self, inst: Inst<'a>, id: Id) -> Finding {
        let m = self.flow.m;
        let message = format!(
            "{} in the function {} uses {}, which belongs to another function",
            inst.op(),
            m.name(self.flow.function.id),
            m.name(id)
        );
        let finding = Finding::new(&dominance::OTHER_FUNCTION, inst.offset(), message);
        finding.about(m, id, "the definition is here")
    }
}

/// Gives the ids that an instruction uses from a word on, before which every
/// operand is an id, as long as the operands are ids and single words only. If
/// there are others, returns the index of their first word.
#[inline]
fn plain_ids(inst: Inst<'_>, start: usize, mut use_id: impl FnMut(Id)) -> Result<(), usize> {
    let words = inst.words();
    let operands = inst.info().ok_or(start)?.operands();
    for (next, operand) in (start..).zip(operands.get(start - 1..).unwrap_or_default()) {
        let Some(&word) = words.get(next) else {
            return Ok(());
        };
        match (operand.kind(), operand.quantifier()) {
            (OperandKind::IdResult | OperandKind::IdResultType, _) => {}
            (OperandKind::LiteralInteger, Quantifier::Many) => return Ok(()),
            (OperandKind::LiteralInteger, _) => {}
            (_, Quantifier::Many) if operand.is_id() => {
                words[next..].iter().for_each(|&word| use_id(Id(word)));
                return Ok(());
            }
            _ if operand.is_id() => use_id(Id(word)),
            _ => return Err(next),
        }
    }
    Ok(())
}
