//! Instructions that end or change the life of a fragment's invocation.

use spirvkit_diagnostics::ErrorClass::{InvalidData, InvalidId};
use spirvkit_grammar::{ExecutionModel, Op};

use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::Models;
use crate::rule::{Example, Frame, Rule};

pub(super) static MODEL: Rule = Rule {
    id: "fragment.model",
    class: InvalidId,
    section: "3.32.17",
    vuids: &[],
    text: "`OpKill`, `OpTerminateInvocation`, `OpDemoteToHelperInvocation` and `OpIsHelperInvocationEXT` are used \
           only in what entry points of the `Fragment` execution model reach.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpKill",
        keeps: "OpUnreachable",
    },
};

pub(super) static HELPER: Rule = Rule {
    id: "fragment.helper",
    class: InvalidData,
    section: "SPV_EXT_demote_to_helper_invocation",
    vuids: &[],
    text: "The result of `OpIsHelperInvocationEXT` is a boolean scalar.",
    example: Example {
        frame: Frame::Fragment,
        breaks: "OpCapability DemoteToHelperInvocation
OpExtension \"SPV_EXT_demote_to_helper_invocation\"
%is_helper = OpIsHelperInvocationEXT %u32",
        keeps: "OpCapability DemoteToHelperInvocation
OpExtension \"SPV_EXT_demote_to_helper_invocation\"
%is_helper = OpIsHelperInvocationEXT %bool",
    },
};

pub(super) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let op = at.inst.op();
    if let Some(others) = at.models_outside(Models::of(&[ExecutionModel::Fragment])) {
        let message = format!("{op} can be used only in Fragment, but is reached from {others}");
        return Err(at.finding(&MODEL, message));
    }
    if op == Op::IsHelperInvocationEXT && !m.is_bool_scalar(at.result_type()) {
        let message = format!(
            "the result type of {op} must be a boolean scalar, but is {}",
            m.show_type(at.result_type())
        );
        let finding = at.finding(&HELPER, message);
        return Err(finding.about(m, at.result_type(), "the result type is declared here"));
    }
    Ok(())
}
