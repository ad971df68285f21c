//! Arrays of blocks.

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::InvalidId;

use crate::finding::{CheckResult, Finding};
use crate::module::{Decorated, Module};
use crate::rule::{Example, Frame, Rule};

pub(super) static BLOCK_ARRAY_STRIDE: Rule = Rule {
    id: "decoration.block-array-stride",
    class: InvalidId,
    section: "2.16.2",
    vuids: &[],
    text: "An array of blocks is an array of resources, not of memory, so it has no stride.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %array ArrayStride 16
%block = OpTypeStruct %f32
%array = OpTypeArray %block %u32_4",
        keeps: "OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%block = OpTypeStruct %f32
%array = OpTypeArray %block %u32_4",
    },
};

/// Checks an `ArrayStride` or `ArrayStrideIdEXT`.
pub(super) fn check_stride(m: &Module<'_>, target: Id, decorated: &Decorated<'_>) -> CheckResult {
    let ty = m.without_arrays(target);
    if ty == target || !m.is_block(ty) {
        return Ok(());
    }
    let message = format!(
        "{} is an array of blocks, so it can't have a stride",
        m.name(target)
    );
    let offset = decorated.inst.offset();
    Err(Finding::new(&BLOCK_ARRAY_STRIDE, offset, message).about(m, target, "the array"))
}
