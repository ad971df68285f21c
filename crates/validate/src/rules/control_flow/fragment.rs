//! Instructions that end or change the life of a fragment's invocation.

use spirvkit_grammar::{ExecutionModel, Op};

use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Models};
use crate::rules::generated::fragment;

pub(super) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let op = at.inst.op();
    if let Some(others) = at.models_outside(Models::of(&[ExecutionModel::Fragment])) {
        let message = format!("{op} can be used only in Fragment, but is reached from {others}");
        return Err(at.finding(&fragment::MODEL, message));
    }
    if op == Op::IsHelperInvocationEXT && !m.is_bool_scalar(at.result_type()) {
        let message = format!(
            "the result type of {op} must be a boolean scalar, but is {}",
            m.show_type(at.result_type())
        );
        let finding = at.finding(&fragment::HELPER, message);
        return Err(finding.about(m, at.result_type(), "the result type is declared here"));
    }
    Ok(())
}
