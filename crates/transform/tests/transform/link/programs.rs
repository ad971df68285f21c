//! Programs out of libraries.

use super::*;

/// The line with this in it.
#[track_caller]
fn line<'t>(text: &'t str, part: &str) -> &'t str {
    let mut lines = text.lines().filter(|line| line.contains(part));
    lines.next().unwrap_or_else(|| panic!("{part}\n{text}"))
}

#[test]
fn a_call_goes_to_the_definition() {
    for modules in [[user(), library()], [library(), user()]] {
        let text = linked(&[&modules[0], &modules[1]]);
        let call = line(&text, "OpFunctionCall");
        let callee = call.split(' ').nth(4).unwrap();
        let definition = line(&text, &format!("{callee} = OpFunction "));
        // Control, names and attributes are the definition's.
        assert!(definition.contains(" Pure "), "{text}");
        assert_eq!(
            count(&text, &format!("OpName {callee} \"square\"")),
            1,
            "{text}"
        );
        assert_eq!(count(&text, "\"imported\""), 0, "{text}");
        assert_eq!(count(&text, "OpName"), 2, "{text}");
        assert_eq!(count(&text, "FuncParamAttr"), 0, "{text}");
        assert_eq!(count(&text, "OpFunctionParameter"), 2, "{text}");
    }
}

#[test]
fn a_name_of_the_import_is_better_than_none() {
    let bare = text(&library().store())
        .lines()
        .filter(|line| !line.starts_with("OpName"))
        .fold("; Version: 1.2\n".to_owned(), |text, line| {
            text + line + "\n"
        });
    let text = linked(&[&user(), &module(&bare)]);
    assert_eq!(count(&text, "\"imported\""), 1, "{text}");
}

#[test]
fn variables_are_resolved_to_where_they_are_initialized() {
    let user = kernel(
        "OpEntryPoint Kernel %main \"main\"
OpDecorate %table LinkageAttributes \"table\" Import
OpDecorate %table Constant
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%p = OpTypePointer UniformConstant %uint
%pp = OpTypePointer UniformConstant %p
%type = OpTypeFunction %void
%table = OpVariable %p UniformConstant
%indirect = OpVariable %pp UniformConstant %table
%main = OpFunction %void None %type
%l = OpLabel
%x = OpLoad %uint %table Aligned 4
OpReturn
OpFunctionEnd
",
    );
    let library = kernel(
        "OpDecorate %table LinkageAttributes \"table\" Export
OpDecorate %table Constant
OpDecorate %table Alignment 4
%ulong = OpTypeInt 64 0
%uint = OpTypeInt 32 0
%p = OpTypePointer UniformConstant %uint
%seven = OpConstant %uint 7
%table = OpVariable %p UniformConstant %seven
",
    );
    let text = linked(&[&user, &library]);
    assert_eq!(count(&text, "OpVariable"), 2, "{text}");
    assert_eq!(count(&text, "Alignment 4"), 1, "{text}");
    assert_eq!(count(&text, " Constant"), 1, "{text}");
    // What the first module needs comes before it, from the second.
    let table = line(&text, "OpVariable").split(' ').next().unwrap();
    let load = line(&text, "OpLoad");
    assert!(load.contains(&format!("{table} Aligned")), "{text}");
}

#[test]
fn interfaces_list_what_the_linked_functions_use() {
    let library = kernel(
        "OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %f LinkageAttributes \"f\" Export
%void = OpTypeVoid
%ulong = OpTypeInt 64 0
%v = OpTypeVector %ulong 3
%p = OpTypePointer Input %v
%type = OpTypeFunction %void
%id = OpVariable %p Input
%f = OpFunction %void None %type
%l = OpLabel
%x = OpFunctionCall %void %g
OpReturn
OpFunctionEnd
%g = OpFunction %void None %type
%m = OpLabel
%y = OpLoad %v %id
OpReturn
OpFunctionEnd
",
    );
    let user = kernel(
        "OpEntryPoint Kernel %main \"main\"
OpEntryPoint Kernel %other \"other\"
OpDecorate %f LinkageAttributes \"f\" Import
%void = OpTypeVoid
%type = OpTypeFunction %void
%f = OpFunction %void None %type
OpFunctionEnd
%main = OpFunction %void None %type
%l = OpLabel
%x = OpFunctionCall %void %f
OpReturn
OpFunctionEnd
%other = OpFunction %void None %type
%m = OpLabel
OpReturn
OpFunctionEnd
",
    );
    let text = linked(&[&user, &library]);
    let id = line(&text, "BuiltIn").split(' ').nth(1).unwrap();
    assert!(line(&text, "\"main\"").ends_with(id), "{text}");
    assert!(line(&text, "\"other\"").ends_with("\"other\""), "{text}");
}

/// A shader whose entry point uses a private variable, in a version.
fn shader(version: &str, interface: &str) -> Module {
    module(&format!(
        "; Version: {version}
OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" {interface}
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%float = OpTypeFloat 32
%p = OpTypePointer Private %float
%type = OpTypeFunction %void
%v = OpVariable %p Private
%main = OpFunction %void None %type
%l = OpLabel
%x = OpLoad %float %v
OpReturn
OpFunctionEnd
"
    ))
}

#[test]
fn newer_versions_want_all_variables_in_interfaces() {
    let options = Options::default().use_highest_version(true);
    let newer = module(
        "; Version: 1.5\nOpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n",
    );
    for (first, listed) in [(shader("1.3", ""), 1), (shader("1.4", "%v %v"), 1)] {
        let text = linked_with(&[&first, &newer], &options, "vulkan1.2");
        let interface = line(&text, "\"main\"").split("\"main\"").nth(1).unwrap();
        assert_eq!(interface.split_whitespace().count(), listed, "{text}");
    }
    let text = linked_with(&[&shader("1.3", "")], &options, "vulkan1.1");
    assert!(line(&text, "\"main\"").ends_with("\"main\""), "{text}");
}

/// A function `f` that returns a number, to be linked once.
fn shared(number: u32, linkage: &str) -> Module {
    let extensions = match linkage {
        "LinkOnceODR" => "OpExtension \"SPV_KHR_linkonce_odr\"\n",
        _ => "",
    };
    let head = KERNEL.replace("OpMemoryModel", &format!("{extensions}OpMemoryModel"));
    module(&format!(
        "{head}OpName %local \"local\"
OpDecorate %f LinkageAttributes \"f\" {linkage}
%uint = OpTypeInt 32 0
%number = OpConstant %uint {number}
%type = OpTypeFunction %uint
%f = OpFunction %uint None %type
%local = OpLabel
%sum = OpIAdd %uint %number %number
OpReturnValue %sum
OpFunctionEnd
"
    ))
}

#[test]
fn of_many_equal_definitions_one_is_taken() {
    let odr = "LinkOnceODR";
    let text = linked(&[&shared(1, odr), &shared(2, odr), &shared(3, odr)]);
    assert_eq!(count(&text, "OpFunction "), 1, "{text}");
    assert_eq!(count(&text, "OpName"), 1, "{text}");
    let number = line(&text, "OpConstant %2 1");
    let number = number.split(' ').next().unwrap();
    assert!(
        line(&text, "OpIAdd").ends_with(&format!("{number} {number}")),
        "{text}"
    );
    // An export goes before them.
    let text = linked(&[&shared(1, odr), &shared(2, "Export")]);
    let number = line(&text, "OpConstant %2 2").split(' ').next().unwrap();
    assert!(
        line(&text, "OpIAdd").ends_with(&format!("{number} {number}")),
        "{text}"
    );
    let options = Options::default().create_library(true);
    let text = linked_with(&[&shared(1, odr), &shared(2, odr)], &options, "opencl2.2");
    assert_eq!(
        count(&text, "LinkageAttributes \"f\" LinkOnceODR"),
        1,
        "{text}"
    );
}

#[test]
fn equal_definitions_have_equal_types() {
    let other = text(&shared(1, "LinkOnceODR").store()).replace("OpTypeInt 32 0", "OpTypeInt 16 0");
    let other = other.replace(
        "OpCapability Int64",
        "OpCapability Int64\nOpCapability Int16",
    );
    let other = module(&format!("; Version: 1.2\n{other}"));
    error(&[&shared(1, "LinkOnceODR"), &other], LinkErrorKind::Type);
}

#[test]
fn one_module_is_linked_with_itself() {
    // A module may import what it exports.
    let both = kernel(
        "OpDecorate %f LinkageAttributes \"f\" Import
OpDecorate %g LinkageAttributes \"f\" Export
%void = OpTypeVoid
%type = OpTypeFunction %void
%f = OpFunction %void None %type
OpFunctionEnd
%g = OpFunction %void None %type
%l = OpLabel
%x = OpFunctionCall %void %f
OpReturn
OpFunctionEnd
",
    );
    let text = linked(&[&both]);
    assert_eq!(count(&text, "OpFunction "), 1, "{text}");
}

#[test]
fn linking_a_linked_module_changes_nothing() {
    let first = try_link(&[&user(), &library()], &Options::default()).unwrap();
    let second = try_link(&[&first], &Options::default()).unwrap();
    assert_eq!(text(&first.store()), text(&second.store()));
    assert_eq!(first.store(), second.store());
}
