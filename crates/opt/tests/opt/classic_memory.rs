//! The passes that say of accesses what holds for them, and what has to be left alone because of that.

use crate::classic::{after, compute, count, has, lacks};
use crate::classic_edges::refusal;

/// The body of a shader with a coherent block, one with a volatile member, and a variable of its own.
fn copies(version: &str, body: &str) -> String {
    compute(
        "OpDecorate %S Block\nOpMemberDecorate %S 0 Offset 0\nOpDecorate %T Block
OpMemberDecorate %T 0 Offset 0\nOpMemberDecorate %T 0 Volatile\nOpDecorate %s Coherent
OpDecorate %s DescriptorSet 0\nOpDecorate %s Binding 0\nOpDecorate %t DescriptorSet 0
OpDecorate %t Binding 1",
        "%S = OpTypeStruct %uint\n%T = OpTypeStruct %uint\n%to_S = OpTypePointer StorageBuffer %S
%to_T = OpTypePointer StorageBuffer %T\n%to_uint = OpTypePointer StorageBuffer %uint
%to_own = OpTypePointer Private %uint\n%s = OpVariable %to_S StorageBuffer
%t = OpVariable %to_T StorageBuffer\n%own = OpVariable %to_own Private",
        &format!(
            "%a = OpAccessChain %to_uint %s %0\n%b = OpAccessChain %to_uint %t %0\n{body}\nOpReturn"
        ),
    )
    .replace("Version: 1.3", version)
    .replace(
        "\"main\"",
        if version == "Version: 1.3" {
            "\"main\""
        } else {
            "\"main\" %s %t %own"
        },
    )
}

#[test]
fn each_side_of_a_copy_has_what_holds_for_it() {
    // The first mask is that of the target, the second that of the source (section 3.49.8).
    let module = copies("Version: 1.4", "OpCopyMemory %a %b Aligned 4 Aligned 8");
    has(
        &after("upgrade-memory-model", &module),
        &[
            "Aligned|MakePointerAvailable|NonPrivatePointer 4 %uint_5 Volatile|Aligned|MakePointerVisible|NonPrivatePointer 8 %uint_5",
        ],
    );
    // A single one counts for both.
    let module = copies("Version: 1.4", "OpCopyMemory %b %a Aligned 4");
    has(
        &after("upgrade-memory-model", &module),
        &[
            "Volatile|Aligned|MakePointerAvailable|NonPrivatePointer 4 %uint_5 Aligned|MakePointerVisible|NonPrivatePointer 4 %uint_5",
        ],
    );
    // There was only one for both before.
    let module = copies("Version: 1.3", "OpCopyMemory %a %b Aligned 4");
    let text = after("upgrade-memory-model", &module);
    lacks(&text, &["OpCopyMemory"]);
    has(
        &text,
        &[
            " Volatile|Aligned|MakePointerVisible|NonPrivatePointer 4 %uint_5",
            " Aligned|MakePointerAvailable|NonPrivatePointer 4 %uint_5",
        ],
    );
}

#[test]
fn what_is_an_invocations_own_is_private() {
    for version in ["Version: 1.3", "Version: 1.4"] {
        let text = after(
            "upgrade-memory-model",
            &copies(version, "OpCopyMemory %own %a"),
        );
        lacks(&text, &["OpCopyMemory"]);
        assert_eq!(count(&text, "NonPrivatePointer"), 1, "{text}");
    }
}

#[test]
fn built_ins_that_are_volatile_are_only_that() {
    let module = "; Version: 1.5
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %helper
OpExecutionMode %main OriginUpperLeft
OpDecorate %helper BuiltIn HelperInvocation
OpDecorate %helper Volatile
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%to_bool = OpTypePointer Input %bool
%helper = OpVariable %to_bool Input
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpLoad %bool %helper
OpReturn
OpFunctionEnd
";
    let text = after("upgrade-memory-model", module);
    has(&text, &[" Volatile\n"]);
    lacks(
        &text,
        &[
            "NonPrivatePointer",
            "OpDecorate %gl_HelperInvocation Volatile",
        ],
    );
}

#[test]
fn copies_of_built_ins_are_volatile() {
    let module = "; Version: 1.4
OpCapability RayTracingKHR
OpCapability GroupNonUniform
OpCapability VulkanMemoryModel
OpExtension \"SPV_KHR_ray_tracing\"
OpExtension \"SPV_KHR_vulkan_memory_model\"
OpMemoryModel Logical Vulkan
OpEntryPoint RayGenerationKHR %main \"main\" %size
OpDecorate %size BuiltIn SubgroupSize
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%to_in = OpTypePointer Input %uint
%to_own = OpTypePointer Function %uint
%size = OpVariable %to_in Input
%main = OpFunction %void None %fn
%entry = OpLabel
%own = OpVariable %to_own Function
OpCopyMemory %own %size MASK
OpReturn
OpFunctionEnd
";
    let spread = |mask: &str| after("spread-volatile-semantics", &module.replace("MASK", mask));
    has(&spread(""), &[" None Volatile\n"]);
    has(&spread("Aligned 4"), &[" Aligned 4 Volatile|Aligned 4\n"]);
    has(&spread("Aligned 4 None"), &[" Aligned 4 Volatile\n"]);
    has(&spread("None Volatile"), &[" None Volatile\n"]);
}

/// A shader with a block behind an untyped pointer.
fn untyped(decoration: &str, body: &str) -> String {
    format!(
        "; Version: 1.4
OpCapability Shader
OpCapability UntypedPointersKHR
OpExtension \"SPV_KHR_untyped_pointers\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %buf
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
OpDecorate %four ArrayStride 4
OpDecorate %S Block
OpMemberDecorate %S 0 Offset 0
OpMemberDecorate %S 1 Offset 16
{decoration}
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%0 = OpConstant %uint 0
%1 = OpConstant %uint 1
%4 = OpConstant %uint 4
%four = OpTypeArray %uint %4
%S = OpTypeStruct %four %uint
%to = OpTypeUntypedPointerKHR StorageBuffer
%buf = OpUntypedVariableKHR %to StorageBuffer %S
%main = OpFunction %void None %fn
%entry = OpLabel
%p = OpUntypedAccessChainKHR %to %S %buf %0 %0
%q = OpUntypedAccessChainKHR %to %S %buf %1
{body}
OpReturn
OpFunctionEnd
"
    )
}

const UNTYPED_BODY: &str = "%x = OpLoad %uint %p\n%y = OpLoad %uint %p\n%z = OpISub %uint %x %y
OpStore %q %z\nOpStore %q %1";

#[test]
fn untyped_pointers_lead_to_what_is_coherent() {
    let module = untyped("OpDecorate %buf Coherent", UNTYPED_BODY);
    let text = after("upgrade-memory-model", &module);
    assert_eq!(
        count(&text, "MakePointerVisible|NonPrivatePointer"),
        2,
        "{text}"
    );
    assert_eq!(
        count(&text, "MakePointerAvailable|NonPrivatePointer"),
        2,
        "{text}"
    );
}

#[test]
fn untyped_accesses_that_are_volatile_stay() {
    for decoration in [
        "OpDecorate %buf Volatile",
        "OpMemberDecorate %S 0 Volatile\nOpMemberDecorate %S 1 Volatile",
        "OpDecorate %group Volatile\n%group = OpDecorationGroup\nOpGroupMemberDecorate %group %S 0 %S 1",
    ] {
        let text = after("-Os", &untyped(decoration, UNTYPED_BODY));
        assert_eq!(count(&text, "OpLoad"), 2, "{decoration}\n{text}");
        assert_eq!(count(&text, "OpStore"), 2, "{decoration}\n{text}");
    }
    // Without, both are known to be the same.
    let text = after("-Os", &untyped("", UNTYPED_BODY));
    assert_eq!(count(&text, "OpLoad"), 0, "{text}");
}

#[test]
fn of_what_is_volatile_all_is_loaded() {
    let module = |decoration: &str| {
        compute(
            &format!(
                "OpDecorate %S Block\nOpMemberDecorate %S 0 Offset 0\nOpMemberDecorate %S 1 Offset 4
OpDecorate %s DescriptorSet 0\nOpDecorate %s Binding 0\n{decoration}"
            ),
            "%S = OpTypeStruct %uint %uint\n%to_S = OpTypePointer StorageBuffer %S
%to_uint = OpTypePointer StorageBuffer %uint\n%s = OpVariable %to_S StorageBuffer",
            "%x = OpLoad %S %s\n%y = OpCompositeExtract %uint %x 1
%a = OpAccessChain %to_uint %s %0\nOpStore %a %y\nOpReturn",
        )
    };
    lacks(
        &after("reduce-load-size", &module("")),
        &["OpCompositeExtract"],
    );
    for decoration in [
        "OpDecorate %s Volatile",
        "OpMemberDecorate %S 0 Volatile",
        "OpDecorate %g Volatile\n%g = OpDecorationGroup\nOpGroupDecorate %g %s",
    ] {
        has(
            &after("reduce-load-size", &module(decoration)),
            &["OpCompositeExtract"],
        );
    }
}

#[test]
fn accesses_that_can_not_say_what_holds_are_refused() {
    let module = |decoration: &str| {
        compute(
            &format!(
                "OpDecorate %S Block\nOpMemberDecorate %S 0 Offset 0\nOpDecorate %many ArrayStride 4
OpDecorate %s DescriptorSet 0\nOpDecorate %s Binding 0\n{decoration}"
            ),
            "%many = OpTypeRuntimeArray %float\n%S = OpTypeStruct %many
%to_S = OpTypePointer StorageBuffer %S\n%to_float = OpTypePointer StorageBuffer %float
%s = OpVariable %to_S StorageBuffer\n%8 = OpConstant %uint 8
%matrix = OpTypeCooperativeMatrixNV %float %3 %8 %8\n%rows = OpConstantFalse %bool",
            "%a = OpAccessChain %to_float %s %0 %0
%m = OpCooperativeMatrixLoadNV %matrix %a %8 %rows\nOpReturn",
        )
        .replace("Version: 1.3", "Version: 1.6")
        .replace("\"main\"", "\"main\" %s")
        .replace(
            "OpCapability Shader\n",
            "OpCapability Shader\nOpCapability CooperativeMatrixNV
OpExtension \"SPV_NV_cooperative_matrix\"\n",
        )
    };
    has(
        &after("upgrade-memory-model", &module("")),
        &["Logical Vulkan"],
    );
    let why = refusal("upgrade-memory-model", &module("OpDecorate %s Coherent"));
    has(&why, &["OpCooperativeMatrixLoadNV", "coherent"]);
}
