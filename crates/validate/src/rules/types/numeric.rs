//! Integers, floats, vectors and matrices.

use spirvkit_diagnostics::ErrorClass::{InvalidBinary, InvalidData, InvalidId, InvalidValue};
use spirvkit_grammar::{Capability, FPEncoding};

use crate::finding::CheckResult;
use crate::inst_ctx::InstCtx;
use crate::module::{Module, Type};
use crate::rule::{Example, Frame, Rule};

pub(super) static INT_WIDTH: Rule = Rule {
    id: "type.int-width",
    class: InvalidData,
    section: "3.32.6",
    vuids: &[],
    text: "An integer is 32 bits wide; 8, 16 and 64 bits, and other widths, need a capability or an extension that \
           adds them. The capabilities for 8- and 16-bit storage are enough to declare the type.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%odd = OpTypeInt 12 0",
        keeps: "%array = OpTypeArray %u8 %u32_4",
    },
};

pub(super) static INT_SIGNEDNESS: Rule = Rule {
    id: "type.int-signedness",
    class: InvalidValue,
    section: "3.32.6",
    vuids: &[],
    text: "The signedness of an integer type is 0 (unsigned, or no signedness) or 1 (signed).",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%u32 = OpTypeInt 32 2
",
        keeps: "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
%i32 = OpTypeInt 32 1
",
    },
};

pub(super) static INT_IN_KERNEL: Rule = Rule {
    id: "type.int-in-kernel",
    class: InvalidBinary,
    section: "2.16.3",
    vuids: &[],
    text: "In modules with the `Kernel` capability, 32-bit integer types have signedness 0: there, the instructions \
           say whether they treat integers as signed.",
    example: Example {
        frame: Frame::Kernel,
        breaks: "%i32 = OpTypeInt 32 1",
        keeps: "%array = OpTypeArray %u32 %u32_4",
    },
};

pub(super) static FLOAT_WIDTH: Rule = Rule {
    id: "type.float-width",
    class: InvalidData,
    section: "3.32.6",
    vuids: &[],
    text: "A float is 32 bits wide; 16 and 64 bits need a capability or an extension that adds them. A float with an \
           encoding has the width of the encoding.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%odd = OpTypeFloat 24",
        keeps: "%array = OpTypeArray %f16 %u32_4",
    },
};

pub(super) static FLOAT_ENCODING: Rule = Rule {
    id: "type.float-encoding",
    class: InvalidData,
    section: "3.32.6",
    vuids: &[],
    text: "Only floats of at most 16 bits have an encoding other than that of IEEE 754.",
    example: Example {
        frame: Frame::Whole,
        breaks: "OpCapability Shader
OpCapability Linkage
OpCapability BFloat16TypeKHR
OpExtension \"SPV_KHR_bfloat16\"
OpMemoryModel Logical GLSL450
!262166 %bf16 !32 !0
",
        keeps: "OpCapability Shader
OpCapability Linkage
OpCapability BFloat16TypeKHR
OpExtension \"SPV_KHR_bfloat16\"
OpMemoryModel Logical GLSL450
%bf16 = OpTypeFloat 16 BFloat16KHR
",
    },
};

pub(super) static VECTOR_COMPONENT: Rule = Rule {
    id: "type.vector-component",
    class: InvalidId,
    section: "3.32.6",
    vuids: &[],
    text: "The components of a vector are scalars: booleans, integers or floats. Vectors whose size is an id hold \
           numbers only.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%vector = OpTypeVector %mat2 2",
        keeps: "%vector = OpTypeVector %u64 2",
    },
};

pub(super) static VECTOR_SIZE: Rule = Rule {
    id: "type.vector-size",
    class: InvalidData,
    section: "2.16.1",
    vuids: &["VUID-StandaloneSpirv-None-12295"],
    text: "A vector has 2, 3 or 4 components, with `Vector16` also 8 or 16, and with `LongVectorEXT` any number \
           greater than 0.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%v5u32 = OpTypeVector %u32 5",
        keeps: "%v4u64 = OpTypeVector %u64 4",
    },
};

pub(super) static VECTOR_LENGTH_ID: Rule = Rule {
    id: "type.vector-length-id",
    class: InvalidId,
    section: "SPV_EXT_long_vector",
    vuids: &[],
    text: "The number of components of a vector whose size is an id is a constant 32-bit integer greater than 0.",
    example: Example {
        frame: Frame::Shader,
        breaks: "OpCapability LongVectorEXT
OpExtension \"SPV_EXT_long_vector\"
%long = OpTypeVectorIdEXT %f32 %f32_1",
        keeps: "OpCapability LongVectorEXT
OpExtension \"SPV_EXT_long_vector\"
%long = OpTypeVectorIdEXT %f32 %u32_16",
    },
};

pub(super) static MATRIX_COLUMN: Rule = Rule {
    id: "type.matrix-column",
    class: InvalidId,
    section: "3.32.6",
    vuids: &[],
    text: "The columns of a matrix are vectors.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%matrix = OpTypeMatrix %f32 3",
        keeps: "%matrix = OpTypeMatrix %v3f32 2",
    },
};

pub(super) static MATRIX_COMPONENT: Rule = Rule {
    id: "type.matrix-component",
    class: InvalidData,
    section: "2.16.1",
    vuids: &[],
    text: "The components of a matrix are floats.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%matrix = OpTypeMatrix %v2i32 2",
        keeps: "%matrix = OpTypeMatrix %v2f32 4",
    },
};

pub(super) static MATRIX_SIZE: Rule = Rule {
    id: "type.matrix-size",
    class: InvalidData,
    section: "2.16.1",
    vuids: &[],
    text: "A matrix has 2, 3 or 4 columns.",
    example: Example {
        frame: Frame::Shader,
        breaks: "%matrix = OpTypeMatrix %v2f32 5",
        keeps: "%matrix = OpTypeMatrix %v2f32 4",
    },
};

/// What lets a width be declared.
struct Enabler {
    width: u32,
    capabilities: &'static [Capability],
    extensions: &'static [&'static str],
}

static INTS: &[Enabler] = &[
    Enabler {
        width: 8,
        capabilities: &[
            Capability::Int8,
            Capability::StorageBuffer8BitAccess,
            Capability::UniformAndStorageBuffer8BitAccess,
            Capability::StoragePushConstant8,
            Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR,
        ],
        extensions: &[],
    },
    Enabler {
        width: 16,
        capabilities: &[
            Capability::Int16,
            Capability::StorageBuffer16BitAccess,
            Capability::UniformAndStorageBuffer16BitAccess,
            Capability::StoragePushConstant16,
            Capability::StorageInputOutput16,
            Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR,
        ],
        extensions: &["SPV_AMD_gpu_shader_int16"],
    },
    Enabler {
        width: 64,
        capabilities: &[Capability::Int64],
        extensions: &[],
    },
    Enabler {
        width: 4,
        capabilities: &[Capability::Int4TypeINTEL],
        extensions: &[],
    },
];

static FLOATS: &[Enabler] = &[
    Enabler {
        width: 16,
        capabilities: &[
            Capability::Float16,
            Capability::Float16Buffer,
            Capability::StorageBuffer16BitAccess,
            Capability::UniformAndStorageBuffer16BitAccess,
            Capability::StoragePushConstant16,
            Capability::StorageInputOutput16,
            Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR,
        ],
        extensions: &[
            "SPV_AMD_gpu_shader_half_float",
            "SPV_AMD_gpu_shader_half_float_fetch",
        ],
    },
    Enabler {
        width: 64,
        capabilities: &[Capability::Float64],
        extensions: &[],
    },
];

static ENCODINGS: &[(FPEncoding, u32)] = &[
    (FPEncoding::BFloat16KHR, 16),
    (FPEncoding::Float8E4M3EXT, 8),
    (FPEncoding::Float8E5M2EXT, 8),
    (FPEncoding::Float6E2M3EXT, 6),
    (FPEncoding::Float6E3M2EXT, 6),
    (FPEncoding::Float4E2M1EXT, 4),
    (FPEncoding::Float8UnsignedE8M0EXT, 8),
    (FPEncoding::MXInt8EXT, 8),
];

/// What is wrong with a width, if anything.
fn judge_width(m: &Module<'_>, width: u32, enablers: &[Enabler], kind: &str) -> Option<String> {
    if width == 32 {
        return None;
    }
    let Some(enabler) = enablers.iter().find(|enabler| enabler.width == width) else {
        return Some(format!("there are no {kind} types of {width} bits"));
    };
    let enabled = enabler.capabilities.iter().any(|&c| m.has(c))
        || enabler.extensions.iter().any(|name| m.has_extension(name));
    if enabled {
        return None;
    }
    let needed = enabler.capabilities.first()?;
    Some(format!(
        "{kind} types of {width} bits need a capability such as `{needed}`"
    ))
}

pub(super) fn int(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let (width, signedness) = (at.inst.arg(0), at.inst.arg(1));
    // With this capability, any width above 0 goes.
    let any = m.has(Capability::ArbitraryPrecisionIntegersALTERA);
    let wrong = match any {
        true if width > 0 => None,
        true => Some("an integer type must have at least 1 bit".to_owned()),
        false => judge_width(m, width, INTS, "integer"),
    };
    if let Some(message) = wrong {
        return Err(at.finding(&INT_WIDTH, message).arg(at, 0));
    }
    if signedness > 1 {
        let message = format!("the signedness of OpTypeInt must be 0 or 1, but is {signedness}");
        return Err(at.finding(&INT_SIGNEDNESS, message).arg(at, 1));
    }
    // Integers of other widths have always been let through with either
    // signedness, and there are modules that rely on it.
    if signedness == 1 && width == 32 && m.has(Capability::Kernel) {
        let message =
            "an OpTypeInt in a module with the `Kernel` capability must have signedness 0";
        return Err(at
            .finding(&INT_IN_KERNEL, message)
            .arg(at, 1)
            .help("declare it with signedness 0"));
    }
    Ok(())
}

pub(super) fn float(at: &InstCtx<'_, '_>) -> CheckResult {
    let width = at.inst.arg(0);
    let encoding = at.inst.optional(1).map(FPEncoding);
    let Some(encoding) = encoding else {
        return match judge_width(at.m, width, FLOATS, "float") {
            Some(message) => Err(at.finding(&FLOAT_WIDTH, message).arg(at, 0)),
            None => Ok(()),
        };
    };
    if matches!(width, 32 | 64) {
        let message =
            format!("a float of {width} bits can't have an encoding, but has `{encoding}`");
        return Err(at.finding(&FLOAT_ENCODING, message).arg(at, 1));
    }
    match ENCODINGS.iter().find(|known| known.0 == encoding) {
        Some(&(_, wanted)) if wanted != width => {
            let message = format!(
                "a float with the encoding `{encoding}` must have {wanted} bits, but has {width}"
            );
            Err(at.finding(&FLOAT_WIDTH, message).arg(at, 0))
        }
        _ => Ok(()),
    }
}

pub(super) fn vector(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let component = at.id(0);
    let is_pointer_vector = m.is_pointer(component) && m.has(Capability::MaskedGatherScatterINTEL);
    if !m.is_scalar(component) && !is_pointer_vector {
        return Err(component_finding(at));
    }
    let count = at.inst.arg(1);
    let fine = match count {
        2..=4 => true,
        8 | 16 if m.has(Capability::Vector16) => true,
        2.. if m.has(Capability::VectorAnyINTEL) => true,
        1.. => m.has(Capability::LongVectorEXT),
        0 => false,
    };
    if fine {
        return Ok(());
    }
    let needs = match count {
        0 => "",
        8 | 16 => "; 8 and 16 need `Vector16` or `LongVectorEXT`",
        _ => "; sizes other than 2, 3 and 4 need `LongVectorEXT`",
    };
    let message = format!("a vector must have 2, 3 or 4 components, but has {count}{needs}");
    Err(at.finding(&VECTOR_SIZE, message).arg(at, 1))
}

fn component_finding(at: &InstCtx<'_, '_>) -> crate::finding::Finding {
    let m = at.m;
    let component = at.id(0);
    let message = format!(
        "the components of {} must be scalars, but are {}",
        at.inst.op(),
        m.show_type(component)
    );
    at.finding(&VECTOR_COMPONENT, message).about(
        m,
        component,
        "the component type is declared here",
    )
}

/// `OpTypeVectorIdEXT`, the same instruction as `OpTypeCooperativeVectorNV`.
pub(super) fn long_vector(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let component = at.id(0);
    let is_number = matches!(m.ty(component), Type::Int { .. } | Type::Float { .. });
    // Cooperative vectors hold numbers; long vectors take booleans, too.
    let is_bool = m.is_bool_scalar(component) && m.has(Capability::LongVectorEXT);
    if !is_number && !is_bool {
        return Err(component_finding(at));
    }
    let count = at.id(1);
    let is_constant = m.is_constant(count) && m.is_int_scalar_of(at.type_of_arg(1), 32);
    if !is_constant || m.default_u64(count) == Some(0) {
        let message = format!(
            "the number of components must be a constant 32-bit integer greater than 0, but is {}",
            m.show_value(count)
        );
        let finding = at.finding(&VECTOR_LENGTH_ID, message);
        return Err(finding.about(m, count, "the number is defined here"));
    }
    Ok(())
}

pub(super) fn matrix(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let column = at.id(0);
    let Type::Vector { component, .. } = m.ty(column) else {
        let message = format!(
            "the columns of a matrix must be vectors, but the column type is {}",
            m.show_type(column)
        );
        let finding = at.finding(&MATRIX_COLUMN, message);
        return Err(finding.about(m, column, "the column type is declared here"));
    };
    if !m.is_float_scalar(component) {
        let message = format!(
            "the components of a matrix must be floats, but its columns are {}",
            m.show_type(column)
        );
        let finding = at.finding(&MATRIX_COMPONENT, message);
        return Err(finding.about(m, column, "the column type is declared here"));
    }
    let count = at.inst.arg(1);
    if !(2..=4).contains(&count) {
        let message = format!("a matrix must have 2, 3 or 4 columns, but has {count}");
        return Err(at.finding(&MATRIX_SIZE, message).arg(at, 1));
    }
    Ok(())
}
