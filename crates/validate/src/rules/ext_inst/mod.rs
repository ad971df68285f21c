//! Instructions of extended instruction sets (specification, section 3.32.4).

mod debug_info;
mod glsl;
mod graph_debug;
mod imports;
mod opencl;
mod reflection;
mod vendor;

use std::ops::Range;

use spirvkit_binary::{Definition, Id, Import};
use spirvkit_grammar::{ExtInstSet, InstructionInfo, Op};

use super::Family;
use crate::finding::{CheckResult, Finding, Reporter, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Module, set_title};
use crate::pattern::Pattern;
use crate::rule::Rule;
use crate::rules::generated::ext_inst;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::ExtInstImport,
        Op::ExtInst,
        Op::ExtInstWithForwardRefsKHR,
    ],
    check,
    check_module: Some(check_module),
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    if at.inst.op() == Op::ExtInstImport {
        return imports::check(at);
    }
    let m = at.m;
    let Definition::Import(import) = m.definitions.get(at.id(0)) else {
        return Ok(());
    };
    let call = Call {
        at,
        set: match import {
            Import::Known(set) => Some(set),
            Import::Unknown => None,
        },
        number: at.inst.arg(1),
    };
    if at.inst.op() == Op::ExtInstWithForwardRefsKHR {
        forward_references(&call)?;
    }
    let Some(set) = call.set else {
        return Ok(());
    };
    let is_known = match set {
        // By far the most frequent set needs no look into the grammar.
        ExtInstSet::GlslStd450 => glsl::is_known(call.number),
        _ => set.is_non_semantic() || set.instruction(call.number).is_some(),
    };
    if !is_known {
        let message = format!(
            "`{}` has no instruction number {}",
            set_title(set),
            call.number
        );
        return Err(at.finding(&ext_inst::UNKNOWN, message).arg(at, 1));
    }
    match set {
        ExtInstSet::GlslStd450 => glsl::check(&call),
        ExtInstSet::OpenClStd => opencl::check(&call),
        ExtInstSet::DebugInfo
        | ExtInstSet::OpenClDebugInfo100
        | ExtInstSet::ShaderDebugInfo
        | ExtInstSet::ShaderDebugInfo100 => debug_info::check(&call, set),
        ExtInstSet::ClspvReflection => reflection::check(&call),
        ExtInstSet::GraphDebugInfo => graph_debug::check(&call),
        ExtInstSet::AmdShaderTrinaryMinMax | ExtInstSet::DebugPrintf => vendor::check(&call, set),
        _ => Ok(()),
    }
}

/// Checks what is between instructions of a set.
fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    let imports = m
        .all_instructions()
        .take_while(|inst| inst.op() != Op::MemoryModel)
        .filter(|inst| inst.op() == Op::ExtInstImport)
        .filter_map(|inst| inst.result());
    let (mut debug_info, mut reflection) = (false, false);
    for import in imports {
        match m.known_set(import) {
            Some(ExtInstSet::ClspvReflection) => reflection = true,
            set => debug_info |= set.is_some_and(ExtInstSet::is_debug_info),
        }
    }
    if debug_info {
        debug_info::check_module(m, reporter);
    }
    if reflection {
        reflection::check_names(m, reporter);
    }
}

fn forward_references(call: &Call<'_, '_, '_>) -> CheckResult {
    let (m, at) = (call.m(), call.at);
    // A set that isn't known can be imported only if it has no effect.
    if call.set.is_some_and(|set| !set.is_non_semantic()) {
        let message = format!(
            "{} has an effect, so its operands can't be forward references",
            call.name()
        );
        return Err(at
            .finding(&ext_inst::FORWARD_SEMANTIC, message)
            .help("use OpExtInst"));
    }
    let own = at.inst.offset();
    let operands = at.inst.args().get(2..).unwrap_or_default();
    let is_later = |&id: &u32| match m.def_offset(Id(id)) {
        0 => true,
        offset => offset >= own,
    };
    if !operands.iter().any(is_later) {
        let message = format!(
            "all operands of {} are defined before it, so it has no forward references",
            call.name()
        );
        return Err(at
            .finding(&ext_inst::FORWARD_NEEDED, message)
            .help("use OpExtInst"));
    }
    Ok(())
}

/// An instruction of a set.
struct Call<'s, 'm, 'a> {
    at: &'s InstCtx<'m, 'a>,
    /// `None` for a set that the grammar doesn't have.
    set: Option<ExtInstSet>,
    number: u32,
}

impl<'m, 'a> Call<'_, 'm, 'a> {
    #[inline]
    fn m(&self) -> &'m Module<'a> {
        self.at.m
    }

    #[inline]
    fn result_type(&self) -> Id {
        self.at.result_type()
    }

    /// How many words the operands of the set's instruction take.
    #[inline]
    fn count(&self) -> usize {
        self.at.inst.args().len().saturating_sub(2)
    }

    /// A word of the operands of the set's instruction, counted from 0.
    #[inline]
    fn word(&self, index: usize) -> u32 {
        self.at.inst.arg(2 + index)
    }

    /// The same as an id.
    #[inline]
    fn id(&self, index: usize) -> Id {
        self.at.id(2 + index)
    }

    /// The type of the value that is this operand; id 0 if it is no value.
    #[inline]
    fn ty(&self, index: usize) -> Id {
        self.at.type_of_arg(2 + index)
    }

    /// What the grammar says of the instruction, if it has it.
    fn info(&self) -> Option<&'static InstructionInfo> {
        self.set?.instruction(self.number)
    }

    /// The instruction for a message.
    #[cold]
    fn name(&self) -> String {
        self.m().title_of(&self.at.inst)
    }

    /// Checks that the result type is so.
    #[inline]
    fn expect_result(&self, rule: &'static Rule, wanted: Pattern) -> CheckResult {
        self.at.expect_result(rule, wanted)
    }

    /// Checks what no pattern says of the result type, and says what it must be.
    #[inline]
    fn expect_result_that(&self, rule: &'static Rule, is_fine: bool, wanted: &str) -> CheckResult {
        self.at.expect_result_that(rule, is_fine, wanted)
    }

    /// Checks that an operand is a value that is so.
    #[inline]
    fn expect_operand(&self, rule: &'static Rule, index: usize, wanted: Pattern) -> CheckResult {
        self.at.expect_operand(rule, 2 + index, wanted)
    }

    /// Checks what no pattern says of an operand, and says what it must be.
    #[inline]
    fn expect_operand_that(
        &self,
        rule: &'static Rule,
        index: usize,
        is_fine: bool,
        wanted: &str,
    ) -> CheckResult {
        self.at
            .expect_operand_that(rule, 2 + index, is_fine, wanted)
    }

    /// Checks that these operands have the result type.
    #[inline]
    fn expect_result_types(&self, rule: &'static Rule, indexes: Range<usize>) -> CheckResult {
        all(indexes.map(|index| self.at.expect_result_type(rule, 2 + index)))
    }

    /// A finding of an operand, whatever it is.
    #[cold]
    fn operand_finding(&self, rule: &'static Rule, index: usize, wanted: &str) -> Finding {
        self.at.operand_finding(rule, 2 + index, wanted)
    }
}
