//! The universal limits (specification, section 2.17).
//!
//! They are counted while the instructions pass by for the first time, not
//! opcode by opcode: see `phases/operands.rs`. How deep constructs are nested
//! is for the family of control flow to say.

use hashbrown::HashMap;

use spirvkit_grammar::{Op, StorageClass};

use super::Family;
use crate::finding::{CheckResult, Finding, all};
use crate::module::{Inst, Lookup, Module, first_index};
use crate::options::Limits;
use crate::rule::Rule;
use crate::rules::generated::limit;

pub(crate) const FAMILY: Family = Family {
    ops: &[],
    check: |_| Ok(()),
    check_module: None,
};

/// Whether something about the opcode's instructions has a limit.
pub(crate) fn is_limited(op: Op) -> bool {
    takes_indexes(op)
        || matches!(
            op,
            Op::Switch
                | Op::Variable
                | Op::UntypedVariableKHR
                | Op::Function
                | Op::TypeStruct
                | Op::TypeFunction
        )
}

fn takes_indexes(op: Op) -> bool {
    op.is_access_chain()
}

/// Counts what has a limit.
pub(crate) struct Counter<'m, 'a> {
    m: &'m Module<'a>,
    limits: &'m Limits,
    locals: u32,
    globals: u32,
    /// The depth of structures that hold structures; others have depth 1.
    depths: HashMap<u32, u32>,
}

impl<'m, 'a> Counter<'m, 'a> {
    pub(crate) fn new(m: &'m Module<'a>) -> Self {
        Self {
            m,
            limits: &m.options.limits,
            locals: 0,
            globals: 0,
            depths: HashMap::new(),
        }
    }

    /// Takes the next instruction; those of which nothing [is limited](is_limited) may
    /// be left out.
    pub(crate) fn count(&mut self, inst: Inst<'_>) -> CheckResult {
        match inst.op() {
            op if takes_indexes(op) => self.indexes(inst),
            Op::Switch => self.switch(inst),
            Op::Variable | Op::UntypedVariableKHR => self.variable(inst),
            Op::Function => {
                self.locals = 0;
                Ok(())
            }
            Op::TypeStruct => self.structure(inst),
            Op::TypeFunction => self.function_type(inst),
            _ => Ok(()),
        }
    }

    fn indexes(&self, inst: Inst<'_>) -> CheckResult {
        let count = inst.args().len().saturating_sub(first_index(inst.op()));
        let limit = self.limits.access_chain_indexes;
        match count <= limit as usize {
            true => Ok(()),
            false => exceeded(&limit::INDEXES, inst, "indexes", count, limit),
        }
    }

    fn variable(&mut self, inst: Inst<'_>) -> CheckResult {
        let is_local = StorageClass(inst.arg(0)) == StorageClass::Function;
        let (rule, what, count, limit) = match is_local {
            true => (
                &limit::LOCAL_VARIABLES,
                "variables in a function",
                &mut self.locals,
                self.limits.local_variables,
            ),
            false => (
                &limit::GLOBAL_VARIABLES,
                "variables outside of functions",
                &mut self.globals,
                self.limits.global_variables,
            ),
        };
        *count += 1;
        // Said of the first one too many.
        match *count == limit.saturating_add(1) {
            false => Ok(()),
            true => exceeded(rule, inst, what, *count as usize, limit),
        }
    }

    fn switch(&self, inst: Inst<'_>) -> CheckResult {
        let literal = self
            .m
            .definitions
            .selector_type(inst.id(0))
            .map_or(1, |ty| ty.words());
        let count = inst.args().len().saturating_sub(2) / (literal + 1);
        let limit = self.limits.switch_branches;
        match count <= limit as usize {
            true => Ok(()),
            false => exceeded(&limit::SWITCH_BRANCHES, inst, "cases", count, limit),
        }
    }

    fn structure(&mut self, inst: Inst<'_>) -> CheckResult {
        let members = inst.args();
        let limit = self.limits.struct_members;
        let count = match members.len() <= limit as usize {
            true => Ok(()),
            false => exceeded(
                &limit::STRUCT_MEMBERS,
                inst,
                "members",
                members.len(),
                limit,
            ),
        };
        // Structures within arrays and behind pointers don't count.
        let mut inner = 0;
        for &member in members {
            if self.m.op_of(spirvkit_binary::Id(member)) == Op::TypeStruct {
                inner = inner.max(self.depths.get(&member).copied().unwrap_or(1));
            }
        }
        let depth = inner + 1;
        if inner > 0 {
            self.depths.insert(inst.word(1), depth);
        }
        let limit = self.limits.struct_depth;
        let what = "levels of nested structures";
        let nesting = match depth <= limit {
            true => Ok(()),
            false => exceeded(&limit::STRUCT_DEPTH, inst, what, depth as usize, limit),
        };
        all([count, nesting])
    }

    fn function_type(&self, inst: Inst<'_>) -> CheckResult {
        let count = inst.args().len().saturating_sub(1);
        let limit = self.limits.function_args;
        match count <= limit as usize {
            true => Ok(()),
            false => {
                let result = exceeded(&limit::FUNCTION_ARGUMENTS, inst, "parameters", count, limit);
                // Behind the type that is returned.
                result.map_err(|finding| finding.word(3 + limit as usize))
            }
        }
    }
}

#[cold]
fn exceeded(
    rule: &'static Rule,
    inst: Inst<'_>,
    what: &str,
    count: usize,
    limit: u32,
) -> CheckResult {
    let message = format!(
        "{}: there are {count} {what}, but the limit is {limit}",
        inst.op()
    );
    Err(Finding::new(rule, inst.offset(), message))
}
