//! Arrays of blocks.

use spirvkit_binary::Id;

use crate::finding::{CheckResult, Finding};
use crate::module::{Decorated, Module};
use crate::rules::generated::decoration;

/// Checks an `ArrayStride` or `ArrayStrideIdEXT`.
pub(super) fn check_stride(m: &Module<'_>, target: Id, decorated: &Decorated<'_>) -> CheckResult {
    let ty = m.without_arrays(target);
    if ty == target || !m.is_block(ty) {
        return Ok(());
    }
    let message = format!(
        "{} is an array of blocks, so it can't have an `ArrayStride`",
        m.name(target)
    );
    let offset = decorated.inst.offset();
    Err(
        Finding::new(&decoration::BLOCK_ARRAY_STRIDE, offset, message).about(
            m,
            target,
            "the array",
        ),
    )
}
