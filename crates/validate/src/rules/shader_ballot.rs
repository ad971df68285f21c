//! Operations on the numbers of a group in control flow that isn't uniform (SPV_AMD_shader_ballot).

use spirvkit_grammar::{Op, Scope};

use super::{Family, scopes};
use crate::finding::{CheckResult, all};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::pattern::{FLOAT, INT, Pattern};
use crate::rules::generated::shader_ballot;

pub(crate) const FAMILY: Family = Family {
    ops: &[
        Op::GroupIAddNonUniformAMD,
        Op::GroupFAddNonUniformAMD,
        Op::GroupFMinNonUniformAMD,
        Op::GroupUMinNonUniformAMD,
        Op::GroupSMinNonUniformAMD,
        Op::GroupFMaxNonUniformAMD,
        Op::GroupUMaxNonUniformAMD,
        Op::GroupSMaxNonUniformAMD,
    ],
    check,
    check_module: None,
};

/// With SPV_AMD_gpu_shader_int16, integers may be short, too.
const WIDTHS: &[u32] = &[16, 32, 64];

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let value = at
        .expect_result(&shader_ballot::RESULT, combined_by(at.inst.op()))
        .and_then(|()| check_value(at));
    all([check_scope(at), value])
}

fn combined_by(op: Op) -> Pattern {
    match op {
        Op::GroupFAddNonUniformAMD | Op::GroupFMinNonUniformAMD | Op::GroupFMaxNonUniformAMD => {
            FLOAT.widths(WIDTHS)
        }
        _ => INT.widths(WIDTHS),
    }
}

fn check_scope(at: &InstCtx<'_, '_>) -> CheckResult {
    match scopes::check(at, at.id(0))? {
        None | Some(Scope::Workgroup | Scope::Subgroup) => Ok(()),
        Some(scope) => {
            let message = format!(
                "the scope of {} must be `Workgroup` or `Subgroup`, but is `{scope}`",
                at.inst.op()
            );
            let finding = at.finding(&shader_ballot::SCOPE, message);
            Err(finding.about(at.m, at.id(0), "the scope is defined here"))
        }
    }
}

/// Checks what is combined. Whether integers are said to have a sign makes no difference: the opcode
/// says it again, and modules in use leave it to that.
fn check_value(at: &InstCtx<'_, '_>) -> CheckResult {
    let width = |ty| match at.m.ty(ty) {
        Type::Int { width, .. } => Some(width),
        _ => None,
    };
    let width_of_value = width(at.type_of_arg(2));
    match width_of_value.is_some() && width_of_value == width(at.result_type()) {
        true => Ok(()),
        false => at.expect_result_type(&shader_ballot::VALUE, 2),
    }
}
