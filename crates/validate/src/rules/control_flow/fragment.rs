//! Instructions that end or change the life of a fragment's invocation.

use spirvkit_grammar::{ExecutionModel, Op};

use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::Models;
use crate::pattern::BOOL;
use crate::rules::generated::fragment;

pub(super) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let op = at.inst.op();
    if let Some(others) = at.models_outside(Models::of(&[ExecutionModel::Fragment])) {
        let message = format!("{op} can be used only in `Fragment`, but is reached from {others}");
        return Err(at.finding(&fragment::MODEL, message));
    }
    match op {
        Op::IsHelperInvocationEXT => at.expect_result(&fragment::HELPER, BOOL),
        _ => Ok(()),
    }
}
