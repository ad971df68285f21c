//! Parts of row-major matrices, which are not contiguous in memory.

use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, Op};

use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Type};
use crate::rules::generated::access_chain;

/// Checks that a chain into a row-major matrix, whose indexes start at this operand, is used only
/// by loads and stores.
pub(super) fn check(at: &InstCtx<'_, '_>, first: usize) -> CheckResult {
    let m = at.m;
    let Some(result) = at.inst.result().filter(|_| enters_row_major(at, first)) else {
        return Ok(());
    };
    let uses = m.uses(result).iter().filter_map(|&offset| m.inst(offset));
    let wrong = uses
        .filter(|user| m.function_at(user.offset()).is_some())
        .find(|user| {
            let is_pointer = matches!(user.op(), Op::Load | Op::Store) && user.id(0) == result;
            let is_stored = user.op() == Op::Store && user.id(1) == result;
            !is_pointer && !m.is_remark(*user) || is_stored
        });
    let Some(user) = wrong else {
        return Ok(());
    };
    let message = format!(
        "{} leads into a row-major matrix, so in Vulkan only OpLoad and OpStore can use it, but {} does",
        m.name(result),
        user.op()
    );
    let finding = at.finding(&access_chain::ROW_MAJOR, message);
    Err(finding.at(user.offset(), "it is used here"))
}

/// Whether an access chain enters a matrix that is a member with `RowMajor`.
fn enters_row_major(at: &InstCtx<'_, '_>, first: usize) -> bool {
    let m = at.m;
    let mut ty = m.pointee(at.type_of_arg(0)).unwrap_or(Id(0));
    let mut is_row_major = false;
    for &index in at.inst.args().get(first..).unwrap_or_default() {
        ty = match m.ty(ty) {
            Type::Struct { members } => {
                let number = m
                    .constant_u64(Id(index))
                    .and_then(|it| u32::try_from(it).ok());
                let Some(&member) = number.and_then(|it| members.get(it as usize)) else {
                    return false;
                };
                let number = number.unwrap_or(0);
                is_row_major = m
                    .member_decoration(ty, number, Decoration::RowMajor)
                    .is_some();
                Id(member)
            }
            Type::Array { element, .. } | Type::RuntimeArray { element } => element,
            Type::Matrix { .. } => return is_row_major,
            _ => return false,
        };
    }
    false
}
