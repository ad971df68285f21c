//! No type is declared twice (specification, section 2.8).

use hashbrown::HashMap;

use spirvkit_grammar::Op;

use crate::finding::{Finding, Reporter};
use crate::module::Module;
use crate::rules::generated::type_;

/// Switches the rule off.
const EXEMPTION: &str = "SPV_VALIDATOR_ignore_type_decl_unique";

fn may_repeat(op: Op) -> bool {
    matches!(
        op,
        Op::TypeArray
            | Op::TypeRuntimeArray
            | Op::TypeNodePayloadArrayAMDX
            | Op::TypeStruct
            | Op::TypePointer
            | Op::TypeUntypedPointerKHR
    )
}

pub(super) fn check(m: &Module<'_>, reporter: &mut Reporter) {
    if m.has_extension(EXEMPTION) {
        return;
    }
    let mut seen = HashMap::with_capacity(m.declared.len().min(56));
    for inst in m.declared.iter().filter_map(|&offset| m.inst(offset)) {
        let op = inst.op();
        if !op.is_type() || may_repeat(op) {
            continue;
        }
        if let Some(first) = seen.insert((op, inst.args()), inst.offset()) {
            let message = format!("this {op} repeats an earlier declaration");
            let finding = Finding::new(&type_::DUPLICATE, inst.offset(), message);
            reporter.add(finding.at(first, "the earlier declaration is here"));
        }
    }
}
