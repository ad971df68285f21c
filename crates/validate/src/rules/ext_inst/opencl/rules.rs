//! The rules of the set for kernels, `OpenCL.std`.

use spirvkit_diagnostics::ErrorClass::InvalidData;

use crate::rule::{Example, Frame, Rule};

/// A piece of an example: the import of the set, and lines that use it.
macro_rules! opencl {
    ($lines:literal) => {
        concat!("%cl = OpExtInstImport \"OpenCL.std\"\n", $lines)
    };
}

pub(in crate::rules::ext_inst) const RULES: &[&Rule] = &[
    &FLOAT_RESULT,
    &SAME_TYPE,
    &INT_RESULT,
    &INT32_RESULT,
    &ILOGB_OPERAND,
    &EXPONENT,
    &NAN_CODE,
    &OUT_POINTER,
    &OUT_CLASS,
    &OUT_POINTEE,
    &GEOMETRY_RESULT,
    &GEOMETRY_OPERAND,
    &UPSAMPLE,
    &SELECT_RESULT,
    &SELECTOR,
    &SHUFFLE_VECTOR,
    &SHUFFLE_MASK,
    &PHYSICAL,
    &SIZE,
    &LOAD_RESULT,
    &LOAD_COUNT,
    &LOAD_POINTER,
    &STORE_POINTER,
    &ELEMENT,
    &VOID_RESULT,
    &STORE_DATA,
    &PRINTF_RESULT,
    &PRINTF_FORMAT,
    &PREFETCH_POINTER,
];

pub(super) static FLOAT_RESULT: Rule = Rule {
    id: "opencl-std.float-result",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The result of a floating-point function is a floating-point scalar or vector.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!("%r = OpExtInst %u32 %cl fabs %u32_1"),
        keeps: opencl!("%r = OpExtInst %f32 %cl fabs %f32_1"),
    },
};

pub(super) static SAME_TYPE: Rule = Rule {
    id: "opencl-std.same-type",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The operands of most functions have the result type.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!("%r = OpExtInst %f32 %cl fmax %f32_0 %f64_0"),
        keeps: opencl!("%r = OpExtInst %f32 %cl fmax %f32_0 %f32_1"),
    },
};

pub(super) static INT_RESULT: Rule = Rule {
    id: "opencl-std.int-result",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The result of an integer function is an integer scalar or vector.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!("%r = OpExtInst %f32 %cl s_max %f32_0 %f32_1"),
        keeps: opencl!("%r = OpExtInst %u32 %cl s_max %u32_0 %u32_1"),
    },
};

pub(super) static INT32_RESULT: Rule = Rule {
    id: "opencl-std.int32-result",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The result of mad24, mul24 and ilogb is a scalar or vector of 32-bit integers.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!("%r = OpExtInst %u64 %cl u_mul24 %u64_0 %u64_1"),
        keeps: opencl!("%r = OpExtInst %u32 %cl u_mul24 %u32_0 %u32_1"),
    },
};

pub(super) static ILOGB_OPERAND: Rule = Rule {
    id: "opencl-std.ilogb-operand",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The operand of ilogb is a floating-point scalar or vector with as many components as the result.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!("%r = OpExtInst %u32 %cl ilogb %u32_1"),
        keeps: opencl!("%r = OpExtInst %u32 %cl ilogb %f32_1"),
    },
};

pub(super) static EXPONENT: Rule = Rule {
    id: "opencl-std.exponent",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The exponent of ldexp, pown and rootn is a scalar or vector of 32-bit integers, with as many components as \
           the result.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!("%r = OpExtInst %f32 %cl ldexp %f32_1 %u64_1"),
        keeps: opencl!("%r = OpExtInst %f32 %cl ldexp %f32_1 %u32_1"),
    },
};

pub(super) static NAN_CODE: Rule = Rule {
    id: "opencl-std.nan-code",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The code of nan is an integer scalar or vector, with components as wide and as many as those of the \
           result.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!("%r = OpExtInst %f32 %cl nan %u64_1"),
        keeps: opencl!("%r = OpExtInst %f32 %cl nan %u32_1"),
    },
};

pub(super) static OUT_POINTER: Rule = Rule {
    id: "opencl-std.out-pointer",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The last operand of fract, modf, sincos, frexp, lgamma_r and remquo, through which the second result \
           is returned, is a pointer.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!("%r = OpExtInst %f32 %cl fract %f32_1 %f32_0"),
        keeps: opencl!(
            "%p = OpVariable %ptr_Function_f32 Function
%r = OpExtInst %f32 %cl fract %f32_1 %p"
        ),
    },
};

pub(super) static OUT_CLASS: Rule = Rule {
    id: "opencl-std.out-class",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "Second results are written through pointers into `Function`, `Workgroup`, `CrossWorkgroup` or `Generic` \
           memory.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!(
            "%ptr_UniformConstant_f32 = OpTypePointer UniformConstant %f32
%p = OpConstantNull %ptr_UniformConstant_f32
%r = OpExtInst %f32 %cl fract %f32_1 %p"
        ),
        keeps: opencl!(
            "%p = OpVariable %ptr_Function_f32 Function
%r = OpExtInst %f32 %cl fract %f32_1 %p"
        ),
    },
};

pub(super) static OUT_POINTEE: Rule = Rule {
    id: "opencl-std.out-pointee",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The second result of fract, modf and sincos has the type of the first; that of frexp, lgamma_r and remquo \
           is as many 32-bit integers as the first has components.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!(
            "%p = OpVariable %ptr_Function_u32 Function
%r = OpExtInst %f32 %cl fract %f32_1 %p"
        ),
        keeps: opencl!(
            "%p = OpVariable %ptr_Function_f32 Function
%r = OpExtInst %f32 %cl fract %f32_1 %p"
        ),
    },
};

pub(super) static GEOMETRY_RESULT: Rule = Rule {
    id: "opencl-std.geometry-result",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "A length or a distance is a floating-point scalar; a cross product is a vector of 3 or 4 floating-point \
           numbers; a normalized vector has at most 4 components.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!("%r = OpExtInst %v2f32 %cl cross %v2f32_0 %v2f32_0"),
        keeps: opencl!("%r = OpExtInst %v4f32 %cl cross %v4f32_0 %v4f32_0"),
    },
};

pub(super) static GEOMETRY_OPERAND: Rule = Rule {
    id: "opencl-std.geometry-operand",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The operands of length and distance are floating-point scalars or vectors of at most 4 components of the \
           result type; both operands of distance have the same type.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!("%r = OpExtInst %f32 %cl distance %v2f32_0 %v4f32_0"),
        keeps: opencl!("%r = OpExtInst %f32 %cl distance %v4f32_0 %v4f32_0"),
    },
};

pub(super) static UPSAMPLE: Rule = Rule {
    id: "opencl-std.upsample",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The halves that upsample joins have the same type, an integer scalar or vector with as many components as \
           the result, half as wide.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!("%r = OpExtInst %u64 %cl u_upsample %u32_0 %u64_1"),
        keeps: opencl!("%r = OpExtInst %u64 %cl u_upsample %u32_0 %u32_1"),
    },
};

pub(super) static SELECT_RESULT: Rule = Rule {
    id: "opencl-std.select-result",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The result of bitselect and select is a scalar or vector of integers or floating-point numbers.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!("%r = OpExtInst %bool %cl bitselect %true %false %true"),
        keeps: opencl!("%r = OpExtInst %u32 %cl bitselect %u32_0 %u32_1 %u32_1"),
    },
};

pub(super) static SELECTOR: Rule = Rule {
    id: "opencl-std.selector",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The operand that select chooses by is an integer scalar or vector, with components as wide and as many as \
           those of the result.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!("%r = OpExtInst %f32 %cl select %f32_0 %f32_1 %f32_1"),
        keeps: opencl!("%r = OpExtInst %f32 %cl select %f32_0 %f32_1 %u32_1"),
    },
};

pub(super) static SHUFFLE_VECTOR: Rule = Rule {
    id: "opencl-std.shuffle-vector",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The result and the operands of shuffle and shuffle2 are vectors of 2, 4, 8 or 16 integers or \
           floating-point numbers, all with the same component type; the two operands of shuffle2 have the same type.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!("%r = OpExtInst %v2f32 %cl shuffle %v2u32_0 %v2u32_0"),
        keeps: opencl!("%r = OpExtInst %v2f32 %cl shuffle %v4f32_0 %v2u32_0"),
    },
};

pub(super) static SHUFFLE_MASK: Rule = Rule {
    id: "opencl-std.shuffle-mask",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The mask of a shuffle is a vector of integers as wide and as many as the components of the result.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!("%r = OpExtInst %v2f32 %cl shuffle %v4f32_0 %v4u32_0"),
        keeps: opencl!("%r = OpExtInst %v2f32 %cl shuffle %v4f32_0 %v2u32_0"),
    },
};

pub(super) static PHYSICAL: Rule = Rule {
    id: "opencl-std.physical",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "prefetch, and loads and stores with an offset, need a physical addressing model.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!(
            "OpCapability Shader
OpMemoryModel Logical OpenCL
%p = OpVariable %ptr_Workgroup_f32 Workgroup
%r = OpExtInst %v2f32 %cl vloadn %u32_0 %p 2"
        ),
        keeps: opencl!(
            "%p = OpVariable %ptr_Workgroup_f32 Workgroup
%r = OpExtInst %v2f32 %cl vloadn %u64_0 %p 2"
        ),
    },
};

pub(super) static SIZE: Rule = Rule {
    id: "opencl-std.size",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "An offset or number of elements has the type size_t: an integer as wide as addresses.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!(
            "%p = OpVariable %ptr_Workgroup_f32 Workgroup
%r = OpExtInst %v2f32 %cl vloadn %u32_0 %p 2"
        ),
        keeps: opencl!(
            "%p = OpVariable %ptr_Workgroup_f32 Workgroup
%r = OpExtInst %v2f32 %cl vloadn %u64_0 %p 2"
        ),
    },
};

pub(super) static LOAD_RESULT: Rule = Rule {
    id: "opencl-std.load-result",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The result of vloadn is a vector of integers or floating-point numbers, that of vload_half a \
           floating-point scalar and that of vload_halfn a floating-point vector.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!(
            "%ptr_Workgroup_f16 = OpTypePointer Workgroup %f16
%p = OpVariable %ptr_Workgroup_f16 Workgroup
%r = OpExtInst %v2f32 %cl vload_half %u64_0 %p"
        ),
        keeps: opencl!(
            "%ptr_Workgroup_f16 = OpTypePointer Workgroup %f16
%p = OpVariable %ptr_Workgroup_f16 Workgroup
%r = OpExtInst %f32 %cl vload_half %u64_0 %p"
        ),
    },
};

pub(super) static LOAD_COUNT: Rule = Rule {
    id: "opencl-std.load-count",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The number of components that a load names is that of its result.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!(
            "%p = OpVariable %ptr_Workgroup_f32 Workgroup
%r = OpExtInst %v2f32 %cl vloadn %u64_0 %p 4"
        ),
        keeps: opencl!(
            "%p = OpVariable %ptr_Workgroup_f32 Workgroup
%r = OpExtInst %v2f32 %cl vloadn %u64_0 %p 2"
        ),
    },
};

pub(super) static LOAD_POINTER: Rule = Rule {
    id: "opencl-std.load-pointer",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "Loads go through a pointer into any memory of a kernel: `Function`, `Workgroup`, `CrossWorkgroup`, \
           `Generic` or `UniformConstant`.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!("%r = OpExtInst %v2f32 %cl vloadn %u64_0 %f32_0 2"),
        keeps: opencl!(
            "%p = OpVariable %ptr_Workgroup_f32 Workgroup
%r = OpExtInst %v2f32 %cl vloadn %u64_0 %p 2"
        ),
    },
};

pub(super) static STORE_POINTER: Rule = Rule {
    id: "opencl-std.store-pointer",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "Stores go through a pointer into `Generic`, `CrossWorkgroup`, `Workgroup` or `Function` memory.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!(
            "%ptr_UniformConstant_f32 = OpTypePointer UniformConstant %f32
%p = OpConstantNull %ptr_UniformConstant_f32
%r = OpExtInst %void %cl vstoren %v2f32_0 %u64_0 %p"
        ),
        keeps: opencl!(
            "%p = OpVariable %ptr_Workgroup_f32 Workgroup
%r = OpExtInst %void %cl vstoren %v2f32_0 %u64_0 %p"
        ),
    },
};

pub(super) static ELEMENT: Rule = Rule {
    id: "opencl-std.element",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The pointer of a load or store points to the component type, or to a 16-bit floating-point number for the \
           functions on halves.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!(
            "%p = OpVariable %ptr_Workgroup_f32 Workgroup
%r = OpExtInst %v2u32 %cl vloadn %u64_0 %p 2"
        ),
        keeps: opencl!(
            "%p = OpVariable %ptr_Workgroup_f32 Workgroup
%r = OpExtInst %v2f32 %cl vloadn %u64_0 %p 2"
        ),
    },
};

pub(super) static VOID_RESULT: Rule = Rule {
    id: "opencl-std.void-result",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "Stores and prefetch have no result value: their result type is void.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!(
            "%p = OpVariable %ptr_Workgroup_f32 Workgroup
%r = OpExtInst %f32 %cl vstoren %v2f32_0 %u64_0 %p"
        ),
        keeps: opencl!(
            "%p = OpVariable %ptr_Workgroup_f32 Workgroup
%r = OpExtInst %void %cl vstoren %v2f32_0 %u64_0 %p"
        ),
    },
};

pub(super) static STORE_DATA: Rule = Rule {
    id: "opencl-std.store-data",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "vstoren stores a vector of integers or floating-point numbers, vstore_half a 32-bit or 64-bit \
           floating-point scalar and vstore_halfn a vector of such numbers.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!(
            "%p = OpVariable %ptr_Workgroup_f32 Workgroup
%r = OpExtInst %void %cl vstoren %f32_0 %u64_0 %p"
        ),
        keeps: opencl!(
            "%p = OpVariable %ptr_Workgroup_f32 Workgroup
%r = OpExtInst %void %cl vstoren %v2f32_0 %u64_0 %p"
        ),
    },
};

pub(super) static PRINTF_RESULT: Rule = Rule {
    id: "opencl-std.printf-result",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The result of printf is a 32-bit integer.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!(
            "%ptr_UniformConstant_u8 = OpTypePointer UniformConstant %u8
%p = OpConstantNull %ptr_UniformConstant_u8
%r = OpExtInst %u64 %cl printf %p"
        ),
        keeps: opencl!(
            "%ptr_UniformConstant_u8 = OpTypePointer UniformConstant %u8
%p = OpConstantNull %ptr_UniformConstant_u8
%r = OpExtInst %u32 %cl printf %p"
        ),
    },
};

pub(super) static PRINTF_FORMAT: Rule = Rule {
    id: "opencl-std.printf-format",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "The format of printf is a pointer to characters, 8-bit integers, in `UniformConstant` memory, or with \
           SPV_EXT_relaxed_printf_string_address_space in any memory of a kernel.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!(
            "%ptr_Workgroup_u8 = OpTypePointer Workgroup %u8
%p = OpVariable %ptr_Workgroup_u8 Workgroup
%r = OpExtInst %u32 %cl printf %p"
        ),
        keeps: opencl!(
            "%ptr_UniformConstant_u8 = OpTypePointer UniformConstant %u8
%p = OpConstantNull %ptr_UniformConstant_u8
%r = OpExtInst %u32 %cl printf %p"
        ),
    },
};

pub(super) static PREFETCH_POINTER: Rule = Rule {
    id: "opencl-std.prefetch-pointer",
    class: InvalidData,
    section: "OpenCL.std",
    vuids: &[],
    text: "prefetch reads scalars or vectors of integers or floating-point numbers in `CrossWorkgroup` memory.",
    example: Example {
        frame: Frame::Kernel,
        breaks: opencl!(
            "%p = OpVariable %ptr_Workgroup_f32 Workgroup
%r = OpExtInst %void %cl prefetch %p %u64_1"
        ),
        keeps: opencl!(
            "%p = OpConstantNull %ptr_CrossWorkgroup_f32
%r = OpExtInst %void %cl prefetch %p %u64_1"
        ),
    },
};
