//! `OpPhi`.

use spirvkit_analysis::Node;
use spirvkit_binary::{Definition, Id, Import};
use spirvkit_diagnostics::counted;
use spirvkit_grammar::{AddressingModel, Capability, ExtInstSet, Op};

use crate::finding::{CheckResult, Finding, Reporter, all, expect};
use crate::flow::Flow;
use crate::inst_ctx::InstCtx;
use crate::module::{Inst, Lookup, Type};
use crate::rule::Rule;
use crate::rules::generated::phi;

/// Checks the result and the values.
pub(super) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let result = at.result_type();
    let finding = |rule, what: &str| {
        let message = format!("the result type of OpPhi can't be {what}");
        Err(at
            .finding(rule, message)
            .about(m, result, "the result type is declared here"))
    };
    let is_shader = m.has(Capability::Shader);
    match m.ty(result) {
        Type::Void => return finding(&phi::VOID, "void"),
        _ if m.options.before_hlsl_legalization || m.has(Capability::BindlessTextureNV) => {}
        Type::SampledImage { .. } => return finding(&phi::RESULT, "a sampled image"),
        Type::Image(_) if is_shader => return finding(&phi::RESULT, "an image in a shader"),
        Type::Sampler if is_shader => return finding(&phi::RESULT, "a sampler in a shader"),
        _ => {}
    }
    let is_chosen = m.is_pointer(result)
        && m.addressing == AddressingModel::Logical
        && !m.has(Capability::VariablePointersStorageBuffer);
    let pointers = expect(!is_chosen, || {
        let message = format!(
            "the result type of OpPhi is {}, but under logical addressing, choosing between pointers needs the \
             capability `VariablePointers` or `VariablePointersStorageBuffer`",
            m.show_type(result)
        );
        at.finding(&phi::POINTER, message).word(1)
    });
    let values = all(at.inst.args().chunks_exact(2).map(|pair| {
        let value = Id(pair[0]);
        if m.def(value).is_some() && m.type_of(value) != Some(result) {
            let message = format!(
                "the values of OpPhi must have its result type, {}, but one is {}",
                m.show_type(result),
                m.show_value(value)
            );
            let finding = at.finding(&phi::VALUE, message);
            return Err(finding.about(m, value, "the value is defined here"));
        }
        Ok(())
    }));
    all([pointers, values])
}

/// Checks where the phis of a function stand and their parents.
pub(super) fn check_parents(flow: &Flow<'_, '_>, reporter: &mut Reporter) {
    let range = &flow.function.range;
    let phis = &flow.m.interesting.phis;
    let mut phis = &phis[phis.partition_point(|&phi| phi < range.start)..];
    if phis.first().is_none_or(|&phi| phi >= range.end) {
        return;
    }
    // For each block the last place, of a block or of a phi, at which it was met.
    let mut met_as_predecessor = vec![0; flow.len() as usize];
    let mut met_in_phi = vec![0; flow.len() as usize];
    for node in 0..flow.len() {
        let mut predecessors = None;
        let mut is_start = node != 0;
        let label = flow.block(node).start;
        let end = flow.end(node);
        let own = phis.iter().take_while(|&&phi| phi < end).count();
        let (own, later) = phis.split_at(own);
        phis = later;
        let Some(&last) = own.last() else {
            continue;
        };
        for inst in flow.m.instructions(label..last + 1).skip(1) {
            if inst.op() != Op::Phi {
                is_start &= may_precede(flow, inst);
                continue;
            }
            if reporter.is_full() {
                return;
            }
            if !is_start {
                reporter.add(misplaced(flow, node, inst));
                continue;
            }
            if !flow.is_whole {
                continue;
            }
            let predecessors = *predecessors.get_or_insert_with(|| {
                let mut count = 0;
                for &predecessor in flow.graph.predecessors(node) {
                    let met = &mut met_as_predecessor[predecessor as usize];
                    count += usize::from(std::mem::replace(met, label) != label);
                }
                count
            });
            let mut parents = Parents {
                flow,
                phi: inst,
                label,
                met_as_predecessor: &met_as_predecessor,
                met_in_phi: &mut met_in_phi,
            };
            reporter.note(parents.check(predecessors));
        }
    }
}

/// Whether an instruction may be before a phi.
fn may_precede(flow: &Flow<'_, '_>, inst: Inst<'_>) -> bool {
    match inst.op() {
        Op::Line | Op::NoLine => true,
        Op::ExtInst => matches!(
            flow.m.definitions.get(inst.id(0)),
            Definition::Import(Import::Known(
                ExtInstSet::DebugInfo | ExtInstSet::OpenClDebugInfo100 | ExtInstSet::GraphDebugInfo
            ))
        ),
        _ => false,
    }
}

fn misplaced(flow: &Flow<'_, '_>, node: Node, phi: Inst<'_>) -> Finding {
    let message = match node {
        0 => "OpPhi can't be in the first block of a function, which has no predecessors",
        _ => {
            "OpPhi must come before all other instructions of its block except other OpPhi and line information"
        }
    };
    let finding = Finding::new(&phi::PLACE, phi.offset(), message);
    finding.at(flow.block(node).start, "the block begins here")
}

struct Parents<'f, 'm, 'a> {
    flow: &'f Flow<'m, 'a>,
    phi: Inst<'a>,
    label: u32,
    met_as_predecessor: &'f [u32],
    met_in_phi: &'f mut [u32],
}

impl Parents<'_, '_, '_> {
    fn check(&mut self, predecessors: usize) -> CheckResult {
        let operands = self.phi.args();
        let pairs = operands.chunks_exact(2);
        all(pairs.map(|pair| self.check_parent(Id(pair[1]))))?;
        // All parents are distinct predecessors.
        if operands.len() / 2 != predecessors {
            let message = format!(
                "OpPhi has {}, but its block has {}",
                counted(operands.len() / 2, "parent"),
                counted(predecessors, "predecessor")
            );
            return Err(self.finding(&phi::PARENTS, message));
        }
        Ok(())
    }

    fn check_parent(&mut self, label: Id) -> CheckResult {
        let m = self.flow.m;
        let node = self.flow.node(label);
        let met = |table: &[u32]| node.map(|node| table[node as usize]);
        let problem = if met(self.met_as_predecessor) != Some(self.label) {
            match m.op_of(label) {
                Op::Nop => return Ok(()),
                Op::Label => "doesn't branch to this block",
                _ => "is not a block",
            }
        } else if met(self.met_in_phi) == Some(self.phi.offset()) {
            "is already a parent"
        } else {
            if let Some(node) = node {
                self.met_in_phi[node as usize] = self.phi.offset();
            }
            return Ok(());
        };
        let message = format!("OpPhi has the parent {}, which {problem}", m.name(label));
        Err(self
            .finding(&phi::PARENT, message)
            .about(m, label, "the parent is defined here"))
    }

    fn finding(&self, rule: &'static Rule, message: String) -> Finding {
        Finding::new(rule, self.phi.offset(), message)
    }
}
