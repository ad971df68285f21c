//! Kernels and their arguments.

use crate::reflect_text;

#[test]
fn kernels_tell_what_they_know_of_their_arguments() {
    let reflection = reflect_text(
        "OpCapability Addresses
        OpCapability Kernel
        OpCapability ImageBasic
        OpMemoryModel Physical64 OpenCL
        OpEntryPoint Kernel %f \"scale\"
        OpEntryPoint Kernel %g \"other\"
        %types = OpString \"kernel_arg_type.scale.float*,map<int,int>,image2d_t,\"
        %quals = OpString \"kernel_arg_type_qual.scale.const restrict,,,\"
        OpName %data \"data\"
        OpDecorate %data FuncParamAttr NoWrite
        %void = OpTypeVoid
        %float = OpTypeFloat 32
        %uint = OpTypeInt 32 0
        %image = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly
        %global = OpTypePointer CrossWorkgroup %float
        %type = OpTypeFunction %void %global %uint %image
        %f = OpFunction %void None %type
        %data = OpFunctionParameter %global
        %count = OpFunctionParameter %uint
        %target = OpFunctionParameter %image
        %entry = OpLabel
        OpReturn
        OpFunctionEnd
        %g = OpFunction %void None %type
        %g1 = OpFunctionParameter %global
        %g2 = OpFunctionParameter %uint
        %g3 = OpFunctionParameter %image
        %g_entry = OpLabel
        OpReturn
        OpFunctionEnd",
    );
    let [scale, other] = &reflection.kernels[..] else {
        panic!("{:?}", reflection.kernels);
    };
    let [data, count, target] = &scale.arguments[..] else {
        panic!("{scale:?}");
    };
    assert_eq!(data.name.as_deref(), Some("data"));
    assert_eq!(data.type_name.as_deref(), Some("float*"));
    assert_eq!(data.address_space, Some("global"));
    assert_eq!(data.attributes, ["NoWrite"]);
    let qualifiers = data.type_qualifiers.as_deref().unwrap();
    assert_eq!(qualifiers, ["const", "restrict"]);
    assert_eq!(count.type_name.as_deref(), Some("map<int,int>"));
    assert_eq!(
        (count.address_space, count.access),
        (Some("private"), Some("none"))
    );
    assert_eq!(target.access, Some("write_only"));
    // Nothing is guessed where the module doesn't tell.
    assert_eq!(other.arguments[0].type_name, None);
    assert_eq!(other.arguments[0].type_qualifiers, None);
    let json = serde_json::to_value(&other.arguments[0]).unwrap();
    assert_eq!(json["type_qualifiers"], "unknown");
    assert_eq!(json["name"], "unknown");
}

#[test]
fn reflection_of_clspv_tells_where_arguments_are() {
    let reflection = reflect_text(
        "OpCapability Shader
        OpExtension \"SPV_KHR_non_semantic_info\"
        %set = OpExtInstImport \"NonSemantic.ClspvReflection.5\"
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"add\"
        %name = OpString \"add\"
        %argument_name = OpString \"data\"
        %type_name = OpString \"float*\"
        %void = OpTypeVoid
        %uint = OpTypeInt 32 0
        %function = OpTypeFunction %void
        %zero = OpConstant %uint 0
        %one = OpConstant %uint 1
        %global = OpConstant %uint 0x119b
        %none = OpConstant %uint 0x11a3
        %bits = OpConstant %uint 5
        %main = OpFunction %void None %function
        %entry = OpLabel
        OpReturn
        OpFunctionEnd
        %kernel = OpExtInst %void %set Kernel %main %name
        %info = OpExtInst %void %set ArgumentInfo %argument_name %type_name %global %none %bits
        %1 = OpExtInst %void %set ArgumentStorageBuffer %kernel %zero %zero %one %info",
    );
    let [kernel] = &reflection.kernels[..] else {
        panic!("{:?}", reflection.kernels);
    };
    assert_eq!(kernel.name, "add");
    let argument = &kernel.arguments[0];
    assert_eq!(argument.name.as_deref(), Some("data"));
    assert_eq!(argument.address_space, Some("global"));
    let qualifiers = argument.type_qualifiers.as_deref().unwrap();
    assert_eq!(qualifiers, ["const", "volatile"]);
    let passing = argument.passing.as_ref().unwrap();
    assert_eq!(passing.kind, "ArgumentStorageBuffer");
    assert_eq!((passing.set, passing.binding), (Some(0), Some(1)));
}
