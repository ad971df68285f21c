//! The rules, by the specification's own groups of instructions.
//!
//! Each module here is a [`Family`]: the opcodes it owns, the function that
//! checks an instruction with one of them, and, for what can't be checked
//! instruction by instruction, a function that checks the whole module. What the
//! rules say stands in the Markdown file of the same name.

/// The opcodes of a family whose instructions are the rows of a table, and the field that they are in.
macro_rules! ops_of {
    ($rows:expr, $field:tt) => {{
        let mut ops = [spirvkit_grammar::Op::Nop; $rows.len()];
        let mut index = 0;
        while index < ops.len() {
            ops[index] = $rows[index].$field;
            index += 1;
        }
        ops
    }};
}

mod access_chains;
mod annotation;
mod arbitrary_precision;
mod arithmetic;
mod atomics;
mod barriers;
mod bits;
mod builtins;
mod composite;
mod constants;
pub(crate) mod control_flow;
mod conversion;
mod cooperative_matrix;
mod cooperative_vector;
mod debug;
mod decorations;
mod derivatives;
pub(crate) mod device;
mod device_enqueue;
mod dot_product;
mod entry_points;
mod ext_inst;
mod extension;
mod function_variants;
mod functions;
#[rustfmt::skip]
pub(crate) mod generated;
mod graphs;
mod groups;
mod hit_objects;
mod image;
mod inline_assembly;
mod intel_subgroups;
pub(crate) mod interfaces;
mod layouts;
pub(crate) mod limits;
mod logical_pointers;
mod memory;
mod mesh;
mod miscellaneous;
mod mode_setting;
mod motion_estimation;
mod node_payloads;
mod non_uniform;
mod operation;
mod pipes;
mod primitives;
mod ray_query;
mod ray_tracing;
mod ray_values;
mod relational;
mod scopes;
mod semantics;
mod shader_ballot;
mod small_types;
mod task_sequences;
mod tensors;
pub(crate) mod transform_feedback;
mod types;

pub(crate) use generated::{ALL, FRAMES};
pub(crate) use logical_pointers::may_handle_pointers;
pub(crate) use mode_setting::environment_knows;
use spirvkit_grammar::Op;

use crate::finding::{CheckResult, Reporter};
use crate::inst_ctx::InstCtx;
use crate::module::{Module, OPCODES};

/// A group of rules.
pub(crate) struct Family {
    /// The opcodes whose rules stand here; every opcode has one home.
    pub(crate) ops: &'static [Op],
    /// Checks an instruction with one of the opcodes.
    pub(crate) check: fn(&InstCtx<'_, '_>) -> CheckResult,
    /// Checks what concerns the module as a whole.
    pub(crate) check_module: Option<fn(&Module<'_>, &mut Reporter)>,
}

/// All families.
pub(crate) const FAMILIES: &[Family] = &[
    access_chains::FAMILY,
    annotation::FAMILY,
    arbitrary_precision::FAMILY,
    arithmetic::FAMILY,
    atomics::FAMILY,
    barriers::FAMILY,
    bits::FAMILY,
    builtins::FAMILY,
    composite::FAMILY,
    constants::FAMILY,
    control_flow::FAMILY,
    conversion::FAMILY,
    cooperative_matrix::FAMILY,
    cooperative_vector::FAMILY,
    debug::FAMILY,
    decorations::FAMILY,
    derivatives::FAMILY,
    device::FAMILY,
    device_enqueue::FAMILY,
    dot_product::FAMILY,
    entry_points::FAMILY,
    ext_inst::FAMILY,
    extension::FAMILY,
    function_variants::FAMILY,
    functions::FAMILY,
    graphs::FAMILY,
    groups::FAMILY,
    hit_objects::FAMILY,
    image::FAMILY,
    inline_assembly::FAMILY,
    intel_subgroups::FAMILY,
    interfaces::FAMILY,
    layouts::FAMILY,
    limits::FAMILY,
    logical_pointers::FAMILY,
    memory::FAMILY,
    mesh::FAMILY,
    miscellaneous::FAMILY,
    mode_setting::FAMILY,
    motion_estimation::FAMILY,
    node_payloads::FAMILY,
    non_uniform::FAMILY,
    pipes::FAMILY,
    primitives::FAMILY,
    ray_query::FAMILY,
    ray_tracing::FAMILY,
    relational::FAMILY,
    scopes::FAMILY,
    semantics::FAMILY,
    shader_ballot::FAMILY,
    small_types::FAMILY,
    task_sequences::FAMILY,
    tensors::FAMILY,
    transform_feedback::FAMILY,
    types::FAMILY,
];

/// Opcodes of which there is nothing to check but what the grammar's tables say.
const NO_RULES: &[Op] = &[Op::Nop];

/// No family.
const NOBODY: u8 = u8::MAX;

/// The family of each opcode. That no opcode has two is checked when this is
/// compiled.
static OWNERS: [u8; OPCODES] = owners();

const fn owners() -> [u8; OPCODES] {
    let mut owners = [NOBODY; OPCODES];
    let mut family = 0;
    while family < FAMILIES.len() {
        let ops = FAMILIES[family].ops;
        let mut index = 0;
        while index < ops.len() {
            let slot = &mut owners[ops[index].0 as usize];
            assert!(*slot == NOBODY, "an opcode has two homes");
            *slot = family as u8;
            index += 1;
        }
        family += 1;
    }
    let mut index = 0;
    while index < NO_RULES.len() {
        let owner = owners[NO_RULES[index].0 as usize];
        assert!(owner == NOBODY, "an opcode without rules has a home");
        index += 1;
    }
    owners
}

/// Checks an instruction by the rules of the family that owns its opcode.
#[inline]
pub(crate) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let owner = OWNERS.get(usize::from(at.inst.op().0));
    match owner.and_then(|&owner| FAMILIES.get(usize::from(owner))) {
        Some(family) => (family.check)(at),
        None => Ok(()),
    }
}

/// Checks what concerns the module as a whole.
pub(crate) fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    for check in FAMILIES.iter().filter_map(|family| family.check_module) {
        check(m, reporter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_opcode_has_a_home() {
        let mut homeless = Vec::new();
        for number in 0..u16::MAX {
            let op = Op(number);
            let owned = OWNERS
                .get(usize::from(number))
                .is_some_and(|&owner| owner != NOBODY);
            if op.info().is_some() && owned == NO_RULES.contains(&op) {
                homeless.push(op);
            }
        }
        assert_eq!(
            homeless,
            [],
            "opcodes with no home, or with a home and on the list of those without"
        );
    }
}
