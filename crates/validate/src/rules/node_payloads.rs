//! Payloads that shaders enqueue for others (SPV_AMDX_shader_enqueue).

use spirvkit_grammar::{Op, Scope, StorageClass};

use super::{Family, scopes};
use crate::finding::{CheckResult, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::pattern::{BOOL, Pattern, U32};
use crate::rules::generated::node_payload;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::AllocateNodePayloadsAMDX,
        Op::EnqueueNodePayloadsAMDX,
        Op::FinishWritingNodePayloadAMDX,
        Op::NodePayloadArrayLengthAMDX,
        Op::IsNodePayloadValidAMDX,
    ],
    check,
    check_module: None,
};

const PAYLOADS: Pattern =
    Pattern::declared_by(Op::TypeNodePayloadArrayAMDX, "an array of node payloads");
/// Compilers keep allocated payloads in variables of other storage classes.
const PAYLOADS_POINTER: Pattern = Pattern::pointer_to(&PAYLOADS);
/// A variable in the document, but compilers write parameters of functions, too.
const INPUT: Pattern = Pattern::pointer_into(&[StorageClass::NodePayloadAMDX]);

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.inst.op() {
        Op::AllocateNodePayloadsAMDX => all([check_allocated(at), check_visibility(at)]),
        Op::EnqueueNodePayloadsAMDX => at.expect_operand(&node_payload::ARRAY, 0, PAYLOADS_POINTER),
        Op::NodePayloadArrayLengthAMDX => all([
            at.expect_result(&node_payload::RESULT, U32),
            at.expect_operand(&node_payload::ARRAY, 0, PAYLOADS_POINTER),
        ]),
        Op::IsNodePayloadValidAMDX => all([
            at.expect_result(&node_payload::RESULT, BOOL),
            check_type(at),
        ]),
        _ => all([
            at.expect_result(&node_payload::RESULT, BOOL),
            at.expect_operand(&node_payload::PAYLOAD, 0, INPUT),
        ]),
    }
}

fn check_allocated(at: &InstCtx<'_, '_>) -> CheckResult {
    let is_fine = matches!(
        at.m.ty(at.result_type()),
        Type::Pointer { class: StorageClass::NodePayloadAMDX, pointee } if PAYLOADS.matches(at.m, pointee)
    );
    let wanted = "a pointer to an array of node payloads in `NodePayloadAMDX`";
    at.expect_result_that(&node_payload::RESULT, is_fine, wanted)
}

fn check_visibility(at: &InstCtx<'_, '_>) -> CheckResult {
    match scopes::check(at, at.id(0))? {
        None | Some(Scope::Invocation | Scope::Workgroup) => Ok(()),
        Some(scope) => {
            let message = format!(
                "the visibility of {} must be `Invocation` or `Workgroup`, but is `{scope}`",
                at.inst.op()
            );
            let finding = at.finding(&node_payload::VISIBILITY, message);
            Err(finding.about(at.m, at.id(0), "the scope is defined here"))
        }
    }
}

/// Checks the type that is asked about. Compilers give a pointer to what is of this type instead.
fn check_type(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let asked = at.id(0);
    let found = m.op_of(asked);
    let ty = match found.is_type() {
        true => asked,
        false => at.type_of_arg(0),
    };
    // What nothing defines is reported elsewhere.
    let is_fine = found == Op::Nop || PAYLOADS.matches(m, m.pointee(ty).unwrap_or(ty));
    expect(is_fine, || {
        let wanted = "a type of arrays of node payloads";
        at.operand_finding(&node_payload::TYPE, 0, wanted)
    })
}
