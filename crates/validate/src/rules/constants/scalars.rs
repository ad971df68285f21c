//! Scalars, nulls, samplers, sizes and data.

use spirvkit_binary::Id;
use spirvkit_diagnostics::ErrorClass::{InvalidData, InvalidId, InvalidValue};
use spirvkit_diagnostics::counted;
use spirvkit_grammar::{Capability, Op};

use crate::finding::{CheckResult, Finding};
use crate::inst_ctx::InstCtx;
use crate::module::{Contents, Module, Type};
use crate::rule::{Example, Frame, Rule};
use crate::rules::small_types;

pub(super) static BOOLEAN: Rule = Rule {
    id: "constant.boolean",
    class: InvalidId,
    section: "3.32.7",
    vuids: &[],
    text: "`OpConstantTrue`, `OpConstantFalse` and their specialization constants are of type bool.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%constant = OpConstantTrue %u32",
        keeps: "%constant = OpConstantTrue %bool",
    },
};

pub(super) static HIGH_BITS: Rule = Rule {
    id: "constant.high-bits",
    class: InvalidValue,
    section: "2.2.1",
    vuids: &[],
    text: "The bits of a literal's last word that its type doesn't use are 0, or copies of the sign bit if the type \
           is a signed integer.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%constant = OpConstant %u8 !256",
        keeps: "%constant = OpConstant %u8 255",
    },
};

pub(super) static SMALL: Rule = Rule {
    id: "constant.small",
    class: InvalidId,
    section: "3.31",
    vuids: &[],
    text: "The capabilities for 8- and 16-bit storage only allow such values to be loaded, stored and converted. \
           Constants of these types need `Int8`, `Int16` or `Float16`.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Linkage
OpCapability StorageBuffer16BitAccess
OpMemoryModel Logical GLSL450
%u16 = OpTypeInt 16 0
%constant = OpConstant %u16 1
",
        keeps: "OpCapability Shader
OpCapability Linkage
OpCapability StorageBuffer16BitAccess
OpCapability Int16
OpMemoryModel Logical GLSL450
%u16 = OpTypeInt 16 0
%constant = OpConstant %u16 1
",
    },
};

pub(super) static NULL: Rule = Rule {
    id: "constant.null",
    class: InvalidId,
    section: "3.32.7",
    vuids: &[],
    text: "Null constants exist for booleans, numbers, pointers other than physical ones, events, queues, reserve ids \
           and composites of these. Images, samplers, run-time arrays and other types have none.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%sampler = OpTypeSampler
%constant = OpConstantNull %sampler",
        keeps: "%array = OpTypeArray %mat2 %u32_4
%constant = OpConstantNull %array",
    },
};

pub(super) static SAMPLER: Rule = Rule {
    id: "constant.sampler",
    class: InvalidId,
    section: "3.32.7",
    vuids: &[],
    text: "The type of `OpConstantSampler` is a sampler type.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "OpCapability LiteralSampler
%constant = OpConstantSampler %f32 ClampToEdge 0 Nearest",
        keeps: "OpCapability LiteralSampler
%sampler = OpTypeSampler
%constant = OpConstantSampler %sampler ClampToEdge 0 Nearest",
    },
};

pub(super) static SIZE_OF: Rule = Rule {
    id: "constant.size-of",
    class: InvalidData,
    section: "SPV_EXT_descriptor_heap",
    vuids: &[],
    text: "The result of `OpConstantSizeOfEXT` is an integer, and its operand is the type of a descriptor: an image, \
           a sampler, an acceleration structure, a buffer or a tensor.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability UntypedPointersKHR
OpCapability DescriptorHeapEXT
OpExtension \"SPV_KHR_untyped_pointers\"
OpExtension \"SPV_EXT_descriptor_heap\"
%constant = OpConstantSizeOfEXT %u32 %f32",
        keeps: "OpCapability UntypedPointersKHR
OpCapability DescriptorHeapEXT
OpExtension \"SPV_KHR_untyped_pointers\"
OpExtension \"SPV_EXT_descriptor_heap\"
%buffer = OpTypeBufferEXT Uniform
%constant = OpConstantSizeOfEXT %u32 %buffer",
    },
};

pub(super) static DATA: Rule = Rule {
    id: "constant.data",
    class: InvalidId,
    section: "SPV_KHR_constant_data",
    vuids: &[],
    text: "The type of `OpConstantDataKHR` is an array of integers, packed one after the other into just as many \
           words as they need.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability ConstantDataKHR
OpExtension \"SPV_KHR_constant_data\"
%array = OpTypeArray %u32 %u32_2
%data = OpConstantDataKHR %array 1 2 3",
        keeps: "OpCapability ConstantDataKHR
OpExtension \"SPV_KHR_constant_data\"
%array = OpTypeArray %u32 %u32_2
%data = OpConstantDataKHR %array 1 2",
    },
};

#[cold]
pub(super) fn type_finding(at: &InstCtx<'_, '_>, rule: &'static Rule, wanted: &str) -> Finding {
    let result = at.result_type();
    let message = format!(
        "the type of {} must be {wanted}, but is {}",
        at.inst.op(),
        at.m.show_type(result)
    );
    at.finding(rule, message)
        .about(at.m, result, "the type is declared here")
}

pub(super) fn boolean(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.m.is_bool_scalar(at.result_type()) {
        true => Ok(()),
        false => Err(type_finding(at, &BOOLEAN, "a boolean")),
    }
}

/// `OpConstant` and `OpSpecConstant`. That the type is numeric is the decoder's
/// business, because it needs it to read the literal.
pub(super) fn number(at: &InstCtx<'_, '_>) -> CheckResult {
    let (width, signed) = match at.m.ty(at.result_type()) {
        Type::Int { width, signed } => (width, signed),
        Type::Float { width, .. } => (width, false),
        _ => return Ok(()),
    };
    let used = width % 32;
    let Some(&last) = at.inst.args().last() else {
        return Ok(());
    };
    if used == 0 {
        return Ok(());
    }
    let shift = 32 - used;
    let extended = match signed {
        true => ((last << shift) as i32 >> shift) as u32,
        false => last << shift >> shift,
    };
    if extended != last {
        let message = format!(
            "the literal's last word is {last:#x}, but only its low {used} bits belong to {}",
            at.m.show_type(at.result_type())
        );
        let help = match signed {
            true => "the other bits must repeat the sign bit",
            false => "the other bits must be 0",
        };
        return Err(at.finding(&HIGH_BITS, message).arg(at, 0).help(help));
    }
    Ok(())
}

/// Whether the type is one of numbers of 32 bits.
#[inline]
pub(super) fn is_32_bit_number(m: &Module<'_>, ty: Id) -> bool {
    let def = m.def(ty);
    def.is_some_and(|def| matches!(def.op(), Op::TypeInt | Op::TypeFloat) && def.word(2) == 32)
}

/// Constants of types that the module may only store.
pub(super) fn small(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let result = at.result_type();
    // Most constants.
    if is_32_bit_number(m, result) {
        return Ok(());
    }
    m.sound
        .once([at.inst.op().0.into(), result.0, 0, 0, 0], || {
            check_small(at, result)
        })
}

fn check_small(at: &InstCtx<'_, '_>, result: Id) -> CheckResult {
    let m = at.m;
    if !m.has(Capability::Shader) || m.is_pointer(result) || !small_types::is_limited(m, result) {
        return Ok(());
    }
    let message = format!(
        "{} makes a constant of {}, but the module can only load, store and convert such values",
        at.inst.op(),
        m.show_type(result)
    );
    let finding = at.finding(&SMALL, message).needs(small_types::CALCULATION);
    Err(finding.about(m, result, "the type is declared here"))
}

pub(super) fn null(at: &InstCtx<'_, '_>) -> CheckResult {
    match without_null(at.m, at.result_type()) {
        None => Ok(()),
        Some(ty) => {
            let whole = at.m.show_type(at.result_type());
            let message = match ty == at.result_type() {
                true => format!("the type {whole} has no null value"),
                false => format!(
                    "the type {whole} has no null value because of {}",
                    at.m.show_type(ty)
                ),
            };
            let finding = at.finding(&NULL, message);
            Err(finding.about(at.m, ty, "it is declared here"))
        }
    }
}

/// The first type within this type, or this type itself, that has no null.
fn without_null(m: &Module<'_>, ty: Id) -> Option<Id> {
    let is_without = |ty: Id| m.contents(ty).has(Contents::WITHOUT_NULL);
    if !is_without(ty) {
        return None;
    }
    // Only for the message: every step leads to an earlier type within.
    let mut culprit = ty;
    while m.op_of(culprit) != Op::TypeRuntimeArray {
        let mut parts = m.parts(culprit).iter().map(|&part| Id(part));
        let within = |part: &Id| m.def_offset(*part) < m.def_offset(culprit) && is_without(*part);
        match parts.find(within) {
            Some(part) => culprit = part,
            None => break,
        }
    }
    Some(culprit)
}

pub(super) fn sampler(at: &InstCtx<'_, '_>) -> CheckResult {
    match at.m.ty(at.result_type()) {
        Type::Sampler => Ok(()),
        _ => Err(type_finding(at, &SAMPLER, "a sampler")),
    }
}

pub(super) fn size_of(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    if !m.is_int_scalar(at.result_type()) {
        return Err(type_finding(at, &SIZE_OF, "an integer"));
    }
    let ty = at.id(0);
    if is_descriptor(m, ty) {
        return Ok(());
    }
    let message = format!(
        "OpConstantSizeOfEXT needs the type of a descriptor, but has {}",
        m.show_type(ty)
    );
    let finding = at.finding(&SIZE_OF, message);
    Err(finding.about(m, ty, "it is declared here"))
}

/// Whether the type's values are descriptors in a heap.
fn is_descriptor(m: &Module<'_>, ty: Id) -> bool {
    match m.ty(ty) {
        Type::Image(_) | Type::Sampler | Type::SampledImage { .. } => true,
        Type::Other(op) => matches!(
            op,
            Op::TypeBufferEXT | Op::TypeAccelerationStructureKHR | Op::TypeTensorARM
        ),
        _ => false,
    }
}

/// `OpConstantDataKHR` and `OpSpecConstantDataKHR`.
pub(super) fn data(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let Type::Array { element, length } = m.ty(at.result_type()) else {
        return Err(type_finding(at, &DATA, "an array"));
    };
    let Type::Int { width, .. } = m.ty(element) else {
        return Err(type_finding(at, &DATA, "an array of integers"));
    };
    let words = at.inst.args().len() as u64;
    if words == 0 {
        let message = format!("{} needs at least one word of data", at.inst.op());
        return Err(at.finding(&DATA, message));
    }
    let Some(length) = m.constant_u64(length) else {
        return Ok(());
    };
    let needed = length.saturating_mul(u64::from(width)).div_ceil(32);
    if needed != words {
        let message = format!(
            "{} has {} of data, but {} takes {needed}",
            at.inst.op(),
            counted(words as usize, "word"),
            m.show_type(at.result_type())
        );
        let finding = at.finding(&DATA, message);
        return Err(finding.about(m, at.result_type(), "the type is declared here"));
    }
    Ok(())
}
