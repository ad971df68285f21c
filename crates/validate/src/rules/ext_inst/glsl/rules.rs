//! The rules of the set for graphics, `GLSL.std.450`.

use spirvkit_diagnostics::ErrorClass::{InvalidCapability, InvalidData, InvalidId};

use crate::rule::{Example, Frame, Rule};

/// A piece of an example: the import of the set, and lines that use it.
macro_rules! glsl {
    ($lines:literal) => {
        concat!("%glsl = OpExtInstImport \"GLSL.std.450\"\n", $lines)
    };
}

pub(in crate::rules::ext_inst) const RULES: &[&Rule] = &[
    &FLOAT_RESULT,
    &NARROW_FLOAT_RESULT,
    &SAME_TYPE,
    &NUMBER_FORMAT,
    &INT_RESULT,
    &INT_OPERAND,
    &MSB_WIDTH,
    &SQUARE_MATRIX,
    &DETERMINANT,
    &INVERSE,
    &OUT_POINTER,
    &MODF_POINTEE,
    &MODF_STRUCT,
    &FREXP_EXPONENT,
    &FREXP_STRUCT,
    &LDEXP_EXPONENT,
    &PACK_RESULT,
    &PACK_OPERAND,
    &UNPACK_RESULT,
    &UNPACK_OPERAND,
    &LENGTH_RESULT,
    &LENGTH_OPERAND,
    &DISTANCE_SIZES,
    &CROSS_RESULT,
    &REFRACT_ETA,
    &INTERPOLATE_CAPABILITY,
    &INTERPOLATE_STAGE,
    &INTERPOLATE_RESULT,
    &INTERPOLANT,
    &INTERPOLATE_SAMPLE,
    &INTERPOLATE_OFFSET,
    &NOT_SUPPORTED,
];

pub(super) static FLOAT_RESULT: Rule = Rule {
    id: "glsl.float-result",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The result of a floating-point instruction is a floating-point scalar or vector.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %u32 %glsl FAbs %u32_1"),
        keeps: glsl!("%r = OpExtInst %f32 %glsl FAbs %f32_1"),
    },
};

pub(super) static NARROW_FLOAT_RESULT: Rule = Rule {
    id: "glsl.narrow-float-result",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The result of an angle, trigonometric or exponential instruction is a floating-point scalar or \
           vector with components of 16 or 32 bits.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %f64 %glsl Sin %f64_0"),
        keeps: glsl!("%r = OpExtInst %f32 %glsl Sin %f32_0"),
    },
};

pub(super) static SAME_TYPE: Rule = Rule {
    id: "glsl.same-type",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The floating-point operands of most instructions have the result type.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %f32 %glsl FMax %f32_0 %f64_0"),
        keeps: glsl!("%r = OpExtInst %f32 %glsl FMax %f32_0 %f32_1"),
    },
};

pub(super) static NUMBER_FORMAT: Rule = Rule {
    id: "glsl.number-format",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The instructions of the set work on numbers in the formats of IEEE 754, not on those for machine \
           learning (bfloat16 and 8-bit formats).",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!(
            "OpCapability BFloat16TypeKHR
OpExtension \"SPV_KHR_bfloat16\"
%bf16 = OpTypeFloat 16 BFloat16KHR
%bf16_1 = OpConstant %bf16 1
%r = OpExtInst %bf16 %glsl FAbs %bf16_1"
        ),
        keeps: glsl!("%r = OpExtInst %f16 %glsl FAbs %f16_0"),
    },
};

pub(super) static INT_RESULT: Rule = Rule {
    id: "glsl.int-result",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The result of an integer instruction is an integer scalar or vector.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %f32 %glsl UMin %u32_0 %u32_1"),
        keeps: glsl!("%r = OpExtInst %u32 %glsl UMin %u32_0 %u32_1"),
    },
};

pub(super) static INT_OPERAND: Rule = Rule {
    id: "glsl.int-operand",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The operands of an integer instruction are integer scalars or vectors with as many components as the \
           result, of the same width. Signedness may differ.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %u32 %glsl UMin %u32_0 %f32_0"),
        keeps: glsl!("%r = OpExtInst %u32 %glsl UMin %u32_0 %i32_1"),
    },
};

pub(super) static MSB_WIDTH: Rule = Rule {
    id: "glsl.msb-width",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "FindUMsb and FindSMsb work only on 32-bit components.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %u64 %glsl FindUMsb %u64_1"),
        keeps: glsl!("%r = OpExtInst %u32 %glsl FindUMsb %u32_1"),
    },
};

pub(super) static SQUARE_MATRIX: Rule = Rule {
    id: "glsl.square-matrix",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The operand of Determinant and MatrixInverse is a square matrix of floating-point numbers.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %f32 %glsl Determinant %v4f32_0"),
        keeps: glsl!("%r = OpExtInst %f32 %glsl Determinant %mat4_0"),
    },
};

pub(super) static DETERMINANT: Rule = Rule {
    id: "glsl.determinant",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "A determinant is a floating-point scalar of the matrix's component type.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %f64 %glsl Determinant %mat4_0"),
        keeps: glsl!("%r = OpExtInst %f32 %glsl Determinant %mat4_0"),
    },
};

pub(super) static INVERSE: Rule = Rule {
    id: "glsl.inverse",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The inverse of a matrix has the type of the matrix.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %mat3 %glsl MatrixInverse %mat4_0"),
        keeps: glsl!("%r = OpExtInst %mat4 %glsl MatrixInverse %mat4_0"),
    },
};

pub(super) static OUT_POINTER: Rule = Rule {
    id: "glsl.out-pointer",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The last operand of Modf and Frexp is a pointer, through which the second result is returned.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %f32 %glsl Modf %f32_1 %f32_0"),
        keeps: glsl!("%r = OpExtInst %f32 %glsl Modf %f32_1 %private_f32"),
    },
};

pub(super) static MODF_POINTEE: Rule = Rule {
    id: "glsl.modf-pointee",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The pointer through which Modf returns the whole part points to the result type.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %f32 %glsl Modf %f32_1 %private_u32"),
        keeps: glsl!("%r = OpExtInst %f32 %glsl Modf %f32_1 %private_f32"),
    },
};

pub(super) static MODF_STRUCT: Rule = Rule {
    id: "glsl.modf-struct",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The result of ModfStruct is a structure of two members of the operand's type, a floating-point scalar or \
           vector.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!(
            "%pair = OpTypeStruct %f32 %u32
%r = OpExtInst %pair %glsl ModfStruct %f32_1"
        ),
        keeps: glsl!(
            "%pair = OpTypeStruct %f32 %f32
%r = OpExtInst %pair %glsl ModfStruct %f32_1"
        ),
    },
};

pub(super) static FREXP_EXPONENT: Rule = Rule {
    id: "glsl.frexp-exponent",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The pointer through which Frexp returns the exponent points to as many 32-bit integers as the result has \
           components.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %f32 %glsl Frexp %f32_1 %private_f32"),
        keeps: glsl!("%r = OpExtInst %f32 %glsl Frexp %f32_1 %private_u32"),
    },
};

pub(super) static FREXP_STRUCT: Rule = Rule {
    id: "glsl.frexp-struct",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The result of FrexpStruct is a structure of the significand, which has the type of the operand, and the \
           exponent, which is as many 32-bit integers as the significand has components.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!(
            "%pair = OpTypeStruct %f32 %f32
%r = OpExtInst %pair %glsl FrexpStruct %f32_1"
        ),
        keeps: glsl!(
            "%pair = OpTypeStruct %f32 %i32
%r = OpExtInst %pair %glsl FrexpStruct %f32_1"
        ),
    },
};

pub(super) static LDEXP_EXPONENT: Rule = Rule {
    id: "glsl.ldexp-exponent",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The exponent of Ldexp is an integer scalar or vector with as many components as the result.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %f32 %glsl Ldexp %f32_1 %f32_0"),
        keeps: glsl!("%r = OpExtInst %f32 %glsl Ldexp %f32_1 %i32_2"),
    },
};

pub(super) static PACK_RESULT: Rule = Rule {
    id: "glsl.pack-result",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The result of packing is a 32-bit integer, or for PackDouble2x32 a 64-bit floating-point number.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %f32 %glsl PackHalf2x16 %v2f32_0"),
        keeps: glsl!("%r = OpExtInst %u32 %glsl PackHalf2x16 %v2f32_0"),
    },
};

pub(super) static PACK_OPERAND: Rule = Rule {
    id: "glsl.pack-operand",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The operand of packing is a vector of 2 or 4 32-bit floating-point numbers, as the instruction's name \
           says, or for PackDouble2x32 of two 32-bit integers.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %u32 %glsl PackHalf2x16 %v4f32_0"),
        keeps: glsl!("%r = OpExtInst %u32 %glsl PackHalf2x16 %v2f32_0"),
    },
};

pub(super) static UNPACK_RESULT: Rule = Rule {
    id: "glsl.unpack-result",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The result of unpacking is a vector of 2 or 4 32-bit floating-point numbers, as the instruction's name \
           says, or for UnpackDouble2x32 of two 32-bit integers.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %v4f32 %glsl UnpackHalf2x16 %u32_1"),
        keeps: glsl!("%r = OpExtInst %v2f32 %glsl UnpackHalf2x16 %u32_1"),
    },
};

pub(super) static UNPACK_OPERAND: Rule = Rule {
    id: "glsl.unpack-operand",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The operand of unpacking is a 32-bit integer, or for UnpackDouble2x32 a 64-bit floating-point number.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %v2f32 %glsl UnpackHalf2x16 %f32_1"),
        keeps: glsl!("%r = OpExtInst %v2f32 %glsl UnpackHalf2x16 %u32_1"),
    },
};

pub(super) static LENGTH_RESULT: Rule = Rule {
    id: "glsl.length-result",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The result of Length and Distance is a floating-point scalar.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %v2f32 %glsl Length %v2f32_0"),
        keeps: glsl!("%r = OpExtInst %f32 %glsl Length %v2f32_0"),
    },
};

pub(super) static LENGTH_OPERAND: Rule = Rule {
    id: "glsl.length-operand",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The operands of Length and Distance are floating-point scalars or vectors with components of the result \
           type.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %f32 %glsl Length %v2u32_0"),
        keeps: glsl!("%r = OpExtInst %f32 %glsl Length %v2f32_0"),
    },
};

pub(super) static DISTANCE_SIZES: Rule = Rule {
    id: "glsl.distance-sizes",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The points of Distance have the same number of components.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %f32 %glsl Distance %v2f32_0 %v3f32_0"),
        keeps: glsl!("%r = OpExtInst %f32 %glsl Distance %v3f32_0 %v3f32_0"),
    },
};

pub(super) static CROSS_RESULT: Rule = Rule {
    id: "glsl.cross-result",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The operands and the result of Cross are vectors of three floating-point numbers.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %v2f32 %glsl Cross %v2f32_0 %v2f32_0"),
        keeps: glsl!("%r = OpExtInst %v3f32 %glsl Cross %v3f32_0 %v3f32_0"),
    },
};

pub(super) static REFRACT_ETA: Rule = Rule {
    id: "glsl.refract-eta",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The ratio of indices of refraction, an operand of Refract, is a floating-point scalar.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %v2f32 %glsl Refract %v2f32_0 %v2f32_0 %v2f32_0"),
        keeps: glsl!("%r = OpExtInst %v2f32 %glsl Refract %v2f32_0 %v2f32_0 %f32_1"),
    },
};

pub(super) static INTERPOLATE_CAPABILITY: Rule = Rule {
    id: "glsl.interpolate-capability",
    class: InvalidCapability,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The interpolation instructions need the capability `InterpolationFunction`.",
    example: Example {
        frame: Frame::Fragment,
        breaks: glsl!(
            "OpEntryPoint Fragment %main \"main\" %in
%ptr_Input_f32 = OpTypePointer Input %f32
%in = OpVariable %ptr_Input_f32 Input
%r = OpExtInst %f32 %glsl InterpolateAtCentroid %in"
        ),
        keeps: glsl!(
            "OpCapability InterpolationFunction
OpEntryPoint Fragment %main \"main\" %in
%ptr_Input_f32 = OpTypePointer Input %f32
%in = OpVariable %ptr_Input_f32 Input
%r = OpExtInst %f32 %glsl InterpolateAtCentroid %in"
        ),
    },
};

pub(super) static INTERPOLATE_STAGE: Rule = Rule {
    id: "glsl.interpolate-stage",
    class: InvalidId,
    section: "GLSL.std.450",
    vuids: &[],
    text: "Only fragment shaders use the interpolation instructions, because only their inputs are interpolated.",
    example: Example {
        frame: Frame::Fragment,
        breaks: glsl!(
            "OpCapability InterpolationFunction
OpEntryPoint GLCompute %main \"main\" %in
OpExecutionMode %main LocalSize 1 1 1
%ptr_Input_f32 = OpTypePointer Input %f32
%in = OpVariable %ptr_Input_f32 Input
%r = OpExtInst %f32 %glsl InterpolateAtCentroid %in"
        ),
        keeps: glsl!(
            "OpCapability InterpolationFunction
OpEntryPoint Fragment %main \"main\" %in
%ptr_Input_f32 = OpTypePointer Input %f32
%in = OpVariable %ptr_Input_f32 Input
%r = OpExtInst %f32 %glsl InterpolateAtCentroid %in"
        ),
    },
};

pub(super) static INTERPOLATE_RESULT: Rule = Rule {
    id: "glsl.interpolate-result",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The result of interpolation is a scalar or vector of 32-bit floating-point numbers, or of 16-bit ones with \
           SPV_AMD_gpu_shader_half_float.",
    example: Example {
        frame: Frame::Fragment,
        breaks: glsl!(
            "OpCapability InterpolationFunction
OpEntryPoint Fragment %main \"main\" %in
%ptr_Input_f32 = OpTypePointer Input %f32
%in = OpVariable %ptr_Input_f32 Input
%r = OpExtInst %u32 %glsl InterpolateAtCentroid %in"
        ),
        keeps: glsl!(
            "OpCapability InterpolationFunction
OpEntryPoint Fragment %main \"main\" %in
%ptr_Input_f32 = OpTypePointer Input %f32
%in = OpVariable %ptr_Input_f32 Input
%r = OpExtInst %f32 %glsl InterpolateAtCentroid %in"
        ),
    },
};

pub(super) static INTERPOLANT: Rule = Rule {
    id: "glsl.interpolant",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The interpolant is a pointer into the `Input` storage class to the result type: the variable or a \
           component of it, not a value that was loaded from it.",
    example: Example {
        frame: Frame::Fragment,
        breaks: glsl!(
            "OpCapability InterpolationFunction
%ptr_Input_f32 = OpTypePointer Input %f32
%in = OpVariable %ptr_Input_f32 Input
%r = OpExtInst %f32 %glsl InterpolateAtCentroid %private_f32"
        ),
        keeps: glsl!(
            "OpCapability InterpolationFunction
%ptr_Input_f32 = OpTypePointer Input %f32
%in = OpVariable %ptr_Input_f32 Input
%r = OpExtInst %f32 %glsl InterpolateAtCentroid %in"
        ),
    },
};

pub(super) static INTERPOLATE_SAMPLE: Rule = Rule {
    id: "glsl.interpolate-sample",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The sample of InterpolateAtSample is a 32-bit integer.",
    example: Example {
        frame: Frame::Fragment,
        breaks: glsl!(
            "OpCapability InterpolationFunction
OpEntryPoint Fragment %main \"main\" %in
%ptr_Input_f32 = OpTypePointer Input %f32
%in = OpVariable %ptr_Input_f32 Input
%r = OpExtInst %f32 %glsl InterpolateAtSample %in %f32_0"
        ),
        keeps: glsl!(
            "OpCapability InterpolationFunction
OpEntryPoint Fragment %main \"main\" %in
%ptr_Input_f32 = OpTypePointer Input %f32
%in = OpVariable %ptr_Input_f32 Input
%r = OpExtInst %f32 %glsl InterpolateAtSample %in %u32_1"
        ),
    },
};

pub(super) static INTERPOLATE_OFFSET: Rule = Rule {
    id: "glsl.interpolate-offset",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "The offset of InterpolateAtOffset is a vector of two 32-bit floating-point numbers.",
    example: Example {
        frame: Frame::Fragment,
        breaks: glsl!(
            "OpCapability InterpolationFunction
OpEntryPoint Fragment %main \"main\" %in
%ptr_Input_f32 = OpTypePointer Input %f32
%in = OpVariable %ptr_Input_f32 Input
%r = OpExtInst %f32 %glsl InterpolateAtOffset %in %v3f32_0"
        ),
        keeps: glsl!(
            "OpCapability InterpolationFunction
OpEntryPoint Fragment %main \"main\" %in
%ptr_Input_f32 = OpTypePointer Input %f32
%in = OpVariable %ptr_Input_f32 Input
%r = OpExtInst %f32 %glsl InterpolateAtOffset %in %v2f32_0"
        ),
    },
};

pub(super) static NOT_SUPPORTED: Rule = Rule {
    id: "glsl.not-supported",
    class: InvalidData,
    section: "GLSL.std.450",
    vuids: &[],
    text: "IMix, the integer form of mix, was removed from the set; its number stays reserved.",
    example: Example {
        frame: Frame::Shader,
        breaks: glsl!("%r = OpExtInst %u32 %glsl IMix %u32_0 %u32_1 %u32_1"),
        keeps: glsl!("%r = OpExtInst %f32 %glsl FMix %f32_0 %f32_1 %f32_1"),
    },
};
