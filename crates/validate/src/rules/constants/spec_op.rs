//! Operations on specialization constants.

use spirvkit_grammar::{Capability, Op, Version};

use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::Inst;
use crate::rules::generated::{composite, constant};

/// Who may use an operation.
enum For {
    Everyone,
    Shaders,
    Kernels,
    /// `OpUConvert`: everyone since version 1.4.
    Convert,
}

fn is_for(op: Op) -> Option<For> {
    Some(match op {
        Op::SConvert
        | Op::FConvert
        | Op::SNegate
        | Op::Not
        | Op::IAdd
        | Op::ISub
        | Op::IMul
        | Op::UDiv
        | Op::SDiv
        | Op::UMod
        | Op::SRem
        | Op::SMod
        | Op::ShiftRightLogical
        | Op::ShiftRightArithmetic
        | Op::ShiftLeftLogical
        | Op::BitwiseOr
        | Op::BitwiseXor
        | Op::BitwiseAnd
        | Op::VectorShuffle
        | Op::CompositeExtract
        | Op::CompositeInsert
        | Op::LogicalOr
        | Op::LogicalAnd
        | Op::LogicalNot
        | Op::LogicalEqual
        | Op::LogicalNotEqual
        | Op::Select
        | Op::CooperativeMatrixLengthKHR
        | Op::CooperativeMatrixLengthNV => For::Everyone,
        _ if op.is_integer_comparison() => For::Everyone,
        Op::QuantizeToF16 => For::Shaders,
        Op::UConvert => For::Convert,
        Op::ConvertFToS
        | Op::ConvertSToF
        | Op::ConvertFToU
        | Op::ConvertUToF
        | Op::ConvertPtrToU
        | Op::ConvertUToPtr
        | Op::GenericCastToPtr
        | Op::PtrCastToGeneric
        | Op::Bitcast
        | Op::FNegate
        | Op::FAdd
        | Op::FSub
        | Op::FMul
        | Op::FDiv
        | Op::FRem
        | Op::FMod => For::Kernels,
        _ if op.is_access_chain() => For::Kernels,
        _ => return None,
    })
}

/// `OpSpecConstantOp`: first whether the operation may be used, then the
/// operation itself, by the rules of its own opcode.
pub(super) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let op = Op(at.inst.arg(0) as u16);
    let Some(users) = is_for(op) else {
        let message = format!("{op} can't be used as an operation of OpSpecConstantOp");
        return Err(at.finding(&constant::SPEC_OP_OPCODE, message));
    };
    let (allowed, needed) = match users {
        For::Everyone => (true, ""),
        For::Shaders => (m.has(Capability::Shader), "the capability `Shader`"),
        For::Kernels => (m.has(Capability::Kernel), "the capability `Kernel`"),
        For::Convert => (
            m.version >= Version::new(1, 4)
                || m.has(Capability::Kernel)
                || m.has_extension("SPV_AMD_gpu_shader_int16"),
            "SPIR-V 1.4, the capability `Kernel` or the extension `SPV_AMD_gpu_shader_int16`",
        ),
    };
    if !allowed {
        let message = format!("OpSpecConstantOp with {op} needs {needed}");
        return Err(at.finding(&constant::SPEC_OP_CAPABILITY, message));
    }
    // Where pointers are constants, access chains may reach what no instruction
    // would: their operands are left to the consumer.
    if op.is_access_chain() {
        return Ok(());
    }
    // The words that the operation would have as an instruction of its own.
    let [_, ty, result, _, operands @ ..] = at.inst.words() else {
        return Ok(());
    };
    let length = 3 + operands.len();
    let first = [(length as u32) << 16 | u32::from(op.0), *ty, *result];
    // Most are short.
    let mut short = [0; 8];
    let long;
    let words = match short.get_mut(..length) {
        Some(words) => {
            words[..3].copy_from_slice(&first);
            words[3..].copy_from_slice(operands);
            &*words
        }
        None => {
            long = [&first, operands].concat();
            &long
        }
    };
    let Some(inst) = Inst::standing_at(words, at.inst.offset()) else {
        return Ok(());
    };
    match crate::rules::check(&InstCtx { m, inst, ..*at }) {
        // What such an index selects is decided when the module is specialized,
        // and nobody need look at it.
        Err(finding) if finding.rule().id == composite::OUT_OF_BOUNDS.id => Ok(()),
        result => result,
    }
}
