//! What is there once, and what stays apart.

use super::*;

#[test]
fn what_modules_have_in_common_is_there_once() {
    let part = |name: &str| {
        module(&format!(
            "OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpExtension \"SPV_KHR_no_integer_wrap_decoration\"
%cl = OpExtInstImport \"OpenCL.std\"
OpMemoryModel Physical64 OpenCL
%file = OpString \"common.cl\"
OpSource OpenCL_C 200000 %file \"int common;\"
OpSourceContinued \"int more;\"
OpModuleProcessed \"by hand\"
OpDecorate %f LinkageAttributes \"{name}\" Export
%uint = OpTypeInt 32 0
%four = OpConstant %uint 4
%array = OpTypeArray %uint %four
%null = OpConstantNull %array
%some = OpConstantComposite %array %four %four %four %four
%pointer = OpTypePointer CrossWorkgroup %array
%type = OpTypeFunction %uint
%v = OpVariable %pointer CrossWorkgroup %some
%w = OpVariable %pointer CrossWorkgroup %null
%f = OpFunction %uint None %type
%label = OpLabel
%max = OpExtInst %uint %cl u_max %four %four
OpReturnValue %max
OpFunctionEnd
"
        ))
    };
    let text = linked(&[&part("f"), &part("g"), &part("h")]);
    for (what, wanted) in [
        ("OpCapability Kernel", 1),
        ("OpExtension", 1),
        ("OpExtInstImport", 1),
        ("OpMemoryModel", 1),
        ("OpString", 1),
        ("OpSource ", 1),
        ("OpSourceContinued", 1),
        ("OpModuleProcessed", 1),
        ("OpTypeInt", 1),
        ("OpTypeArray", 1),
        ("OpTypePointer", 1),
        ("OpTypeFunction", 1),
        ("OpConstant ", 1),
        ("OpConstantNull", 1),
        ("OpConstantComposite", 1),
        ("OpVariable", 6),
        ("OpFunctionEnd", 3),
    ] {
        assert_eq!(count(&text, what), wanted, "{what}\n{text}");
    }
}

#[test]
fn capabilities_and_extensions_are_those_of_all() {
    let a = module(
        "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\nOpCapability Int64\n\
         OpMemoryModel Physical64 OpenCL\n%t = OpTypeInt 64 0\n",
    );
    let b = module(
        "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\nOpCapability Float64\n\
         OpMemoryModel Physical64 OpenCL\n%t = OpTypeFloat 64\n",
    );
    let text = linked(&[&a, &b]);
    for capability in ["Kernel", "Addresses", "Linkage", "Int64", "Float64"] {
        assert_eq!(count(&text, &format!("OpCapability {capability}")), 1);
    }
}

#[test]
fn sources_of_different_texts_both_stay() {
    let source = |text: &str| {
        kernel(&format!(
            "%file = OpString \"{text}.cl\"\nOpSource OpenCL_C 200000 %file \"same\"\nOpSourceContinued \"{text}\"\n"
        ))
    };
    let text = linked(&[&source("a"), &source("b"), &source("a")]);
    assert_eq!(count(&text, "OpSource "), 2, "{text}");
    let at = |part: &str| text.find(part).unwrap();
    assert!(
        at("OpSourceContinued \"a\"") < at("OpSourceContinued \"b\""),
        "{text}"
    );
}

/// A library of a variable whose type is a structure.
fn structure(name: &str, decorations: &str) -> Module {
    kernel(&format!(
        "{decorations}
OpDecorate %v LinkageAttributes \"{name}\" Export
%float = OpTypeFloat 32
%s = OpTypeStruct %float %float
%p = OpTypePointer CrossWorkgroup %s
%v = OpVariable %p CrossWorkgroup
"
    ))
}

#[test]
fn structures_are_one_with_equal_names_and_decorations_only() {
    let plain = "";
    let named = "OpName %s \"Complex\"\nOpMemberName %s 0 \"re\"\nOpMemberName %s 1 \"im\"";
    let other = "OpName %s \"Point\"\nOpMemberName %s 0 \"x\"\nOpMemberName %s 1 \"y\"";
    let packed = "OpDecorate %s CPacked";
    let grouped = "OpDecorate %g CPacked\n%g = OpDecorationGroup\nOpGroupDecorate %g %s";
    for (a, b, structures) in [
        (plain, plain, 1),
        (named, named, 1),
        (packed, packed, 1),
        (grouped, grouped, 1),
        (named, other, 2),
        (plain, packed, 2),
    ] {
        let text = linked(&[&structure("v", a), &structure("w", b)]);
        assert_eq!(count(&text, "OpTypeStruct"), structures, "{a}\n{b}\n{text}");
        assert_eq!(count(&text, "OpTypePointer"), structures, "{text}");
        assert_eq!(count(&text, "OpTypeFloat"), 1, "{text}");
    }
}

#[test]
fn names_do_not_keep_linked_types_apart() {
    let import = structure("v", "OpName %s \"Here\"");
    let text = text(&import.store()).replace("Export", "Import");
    let import = module(&format!("; Version: 1.2\n{text}"));
    let there = structure("v", "OpName %s \"There\"\nOpMemberName %s 0 \"x\"");
    let text = linked(&[&import, &there]);
    assert_eq!(count(&text, "OpTypeStruct"), 1, "{text}");
    assert_eq!(count(&text, "OpVariable"), 1, "{text}");
    assert_eq!(count(&text, "OpName"), 1, "{text}");
    assert!(text.contains("\"Here\""), "{text}");
}

#[test]
fn decorations_of_what_is_one_are_there_once() {
    let packed = "OpDecorate %s CPacked\nOpMemberDecorate %s 1 Volatile";
    let text = linked(&[&structure("v", packed), &structure("w", packed)]);
    assert_eq!(count(&text, "CPacked"), 1, "{text}");
    assert_eq!(count(&text, "Volatile"), 1, "{text}");
}

#[test]
fn specialization_constants_are_one_if_they_are_set_as_one() {
    let part = |id: u32, name: &str| {
        kernel(&format!(
            "OpDecorate %c SpecId {id}
OpDecorate %v LinkageAttributes \"{name}\" Export
%uint = OpTypeInt 32 0
%p = OpTypePointer CrossWorkgroup %uint
%c = OpSpecConstant %uint 7
%v = OpVariable %p CrossWorkgroup %c
"
        ))
    };
    for (other, constants) in [(1, 1), (2, 2)] {
        let text = linked(&[&part(1, "v"), &part(other, "w")]);
        assert_eq!(count(&text, "OpSpecConstant"), constants, "{text}");
        assert_eq!(count(&text, "SpecId"), constants, "{text}");
    }
}

#[test]
fn conversions_between_what_became_one_are_copies() {
    // Two types of the same structure are two types within a module.
    let text = "; Version: 1.4
OpCapability Kernel
OpCapability Addresses
OpCapability Linkage
OpMemoryModel Physical64 OpenCL
OpDecorate %f LinkageAttributes \"f\" Export
%uint = OpTypeInt 32 0
%s = OpTypeStruct %uint
%t = OpTypeStruct %uint
%type = OpTypeFunction %t %s
%f = OpFunction %t None %type
%x = OpFunctionParameter %s
%l = OpLabel
%y = OpCopyLogical %t %x
OpReturnValue %y
OpFunctionEnd
";
    let text = linked_with(&[&module(text)], &Options::default(), "spv1.4");
    assert_eq!(count(&text, "OpCopyObject"), 1, "{text}");
    assert_eq!(count(&text, "OpTypeStruct"), 1, "{text}");
}

#[test]
fn built_in_variables_are_shared() {
    let part = |name: &str, linkage: &str| {
        kernel(&format!(
            "OpDecorate %id BuiltIn GlobalInvocationId
{linkage}
OpDecorate %f LinkageAttributes \"{name}\" Export
%ulong = OpTypeInt 64 0
%v = OpTypeVector %ulong 3
%p = OpTypePointer Input %v
%type = OpTypeFunction %v
%id = OpVariable %p Input
%f = OpFunction %v None %type
%l = OpLabel
%x = OpLoad %v %id
OpReturnValue %x
OpFunctionEnd
"
        ))
    };
    let import = "OpDecorate %id LinkageAttributes \"__spirv_BuiltInGlobalInvocationId\" Import";
    for linkage in ["", import] {
        let text = linked(&[&part("f", linkage), &part("g", linkage)]);
        assert_eq!(count(&text, "OpVariable"), 1, "{text}");
        assert_eq!(count(&text, "BuiltIn"), 1, "{text}");
        assert_eq!(count(&text, "LinkageAttributes"), 0, "{text}");
    }
}

#[test]
fn decoration_groups_keep_the_targets_that_are_left() {
    let part = |name: &str, linkage: &str, body: &str| {
        kernel(&format!(
            "OpDecorate %f LinkageAttributes \"{name}\" {linkage}
OpDecorate %g FuncParamAttr NoCapture
%g = OpDecorationGroup
OpGroupDecorate %g %x
%void = OpTypeVoid
%float = OpTypeFloat 32
%p = OpTypePointer CrossWorkgroup %float
%type = OpTypeFunction %void %p
%f = OpFunction %void None %type
%x = OpFunctionParameter %p
{body}OpFunctionEnd
"
        ))
    };
    let body = "%l = OpLabel\nOpReturn\n";
    let text = linked(&[&part("f", "Import", ""), &part("f", "Export", body)]);
    assert_eq!(count(&text, "OpDecorationGroup"), 1, "{text}");
    assert_eq!(count(&text, "OpGroupDecorate"), 1, "{text}");
}

#[test]
fn arrays_of_declared_pointers_stay_before_what_they_are_part_of() {
    let part = |name: &str| {
        kernel(&format!(
            "OpDecorate %v LinkageAttributes \"{name}\" Export
OpTypeForwardPointer %p CrossWorkgroup
%uint = OpTypeInt 32 0
%two = OpConstant %uint 2
%children = OpTypeArray %p %two
%tree = OpTypeStruct %children %p
%p = OpTypePointer CrossWorkgroup %tree
%v = OpVariable %p CrossWorkgroup
"
        ))
    };
    let text = linked(&[&part("v"), &part("w")]);
    assert_eq!(count(&text, "OpTypeArray"), 1, "{text}");
    assert_eq!(count(&text, "OpTypeForwardPointer"), 1, "{text}");
}
