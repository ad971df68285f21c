//! Integers, floats, vectors and matrices.

use spirvkit_grammar::{Capability, FPEncoding, Op};

use crate::finding::{CheckResult, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Module};
use crate::pattern::{DATA, FLOAT, INT, NUMBER, POINTER, Pattern, VECTOR};
use crate::rules::generated::type_;

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
fn check_width(m: &Module<'_>, width: u32, enablers: &[Enabler], kind: &str) -> Option<String> {
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
        false => check_width(m, width, INTS, "integer"),
    };
    if let Some(message) = wrong {
        return Err(at.finding(&type_::INT_WIDTH, message).arg(at, 0));
    }
    if signedness > 1 {
        let message = format!("the signedness of OpTypeInt must be 0 or 1, but is {signedness}");
        return Err(at.finding(&type_::INT_SIGNEDNESS, message).arg(at, 1));
    }
    // Integers of other widths have always been let through with either
    // signedness, and there are modules that rely on it.
    if signedness == 1 && width == 32 && m.has(Capability::Kernel) {
        let message =
            "an OpTypeInt in a module with the `Kernel` capability must have signedness 0";
        return Err(at
            .finding(&type_::INT_IN_KERNEL, message)
            .arg(at, 1)
            .help("declare it with signedness 0"));
    }
    Ok(())
}

pub(super) fn float(at: &InstCtx<'_, '_>) -> CheckResult {
    let width = at.inst.arg(0);
    let encoding = at.inst.optional(1).map(FPEncoding);
    let Some(encoding) = encoding else {
        return match check_width(at.m, width, FLOATS, "float") {
            Some(message) => Err(at.finding(&type_::FLOAT_WIDTH, message).arg(at, 0)),
            None => Ok(()),
        };
    };
    if matches!(width, 32 | 64) {
        let message =
            format!("a float of {width} bits can't have an encoding, but has `{encoding}`");
        return Err(at.finding(&type_::FLOAT_ENCODING, message).arg(at, 1));
    }
    match ENCODINGS.iter().find(|known| known.0 == encoding) {
        Some(&(_, wanted)) if wanted != width => {
            let message = format!(
                "a float with the encoding `{encoding}` must have {wanted} bits, but has {width}"
            );
            Err(at.finding(&type_::FLOAT_WIDTH, message).arg(at, 0))
        }
        _ => Ok(()),
    }
}

pub(super) fn vector(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let components = match m.has(Capability::MaskedGatherScatterINTEL) {
        true => Pattern::either(&[DATA, POINTER]),
        false => DATA,
    };
    at.expect_type(&type_::VECTOR_COMPONENT, 0, components)?;
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
    Err(at.finding(&type_::VECTOR_SIZE, message).arg(at, 1))
}

/// `OpTypeVectorIdEXT`, the same instruction as `OpTypeCooperativeVectorNV`.
pub(super) fn long_vector(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    // Cooperative vectors hold numbers; long vectors take booleans, too.
    let components = match m.has(Capability::LongVectorEXT) {
        true => DATA,
        false => NUMBER,
    };
    at.expect_type(&type_::VECTOR_COMPONENT, 0, components)?;
    at.expect_operand(&type_::VECTOR_LENGTH_ID, 1, INT.constant().widths(&[32]))?;
    let count = at.id(1);
    expect(m.default_u64(count) != Some(0), || {
        let message = "a vector must have at least 1 component, but has 0";
        let finding = at.finding(&type_::VECTOR_LENGTH_ID, message);
        finding.about(m, count, "the number is defined here")
    })
}

/// What declares the vectors that columns can be: it has a number of components that
/// nothing changes.
const COLUMN: Pattern = Pattern::declared_by(Op::TypeVector, "a vector whose length is a literal");

pub(super) fn matrix(at: &InstCtx<'_, '_>) -> CheckResult {
    at.expect_type(&type_::MATRIX_COLUMN, 0, COLUMN)?;
    at.expect_type(&type_::MATRIX_COMPONENT, 0, FLOAT.vector())?;
    // Other lengths are new with long vectors, and matrices haven't changed.
    if at.m.has(Capability::LongVectorEXT) {
        at.expect_type(&type_::MATRIX_SIZE, 0, VECTOR.vector_of(&[2, 3, 4]))?;
    }
    let count = at.inst.arg(1);
    if !(2..=4).contains(&count) {
        let message = format!("a matrix must have 2, 3 or 4 columns, but has {count}");
        return Err(at.finding(&type_::MATRIX_SIZE, message).arg(at, 1));
    }
    Ok(())
}
