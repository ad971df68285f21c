//! Each class of errors.

use super::*;

/// A module that exports or imports a function of these types under the name `f`.
fn function(types: &str, linkage: &str) -> Module {
    let body = match linkage {
        "Import" => "",
        _ => "%label = OpLabel\nOpUnreachable\n",
    };
    kernel(&format!(
        "OpDecorate %f LinkageAttributes \"f\" {linkage}
%void = OpTypeVoid
{types}
%f = OpFunction %void None %type
%p = OpFunctionParameter %parameter
{body}OpFunctionEnd
"
    ))
}

/// A module with a variable `f`.
fn variable(class: &str, ty: &str, linkage: &str) -> Module {
    let decoration = "OpDecorate %f LinkageAttributes \"f\"";
    kernel(&format!(
        "{decoration} {linkage}\n{ty}\n%pointer = OpTypePointer {class} %type\n%f = OpVariable %pointer {class}\n"
    ))
}

const UINT: &str = "%parameter = OpTypeInt 32 0\n%type = OpTypeFunction %void %parameter";

#[test]
fn nothing_is_no_module() {
    error(&[], LinkErrorKind::NoInput);
}

#[test]
fn unresolved_symbols_are_all_reported_with_their_modules() {
    let two = kernel(
        "OpDecorate %f LinkageAttributes \"square\" Import
OpDecorate %g LinkageAttributes \"other\" Import
%void = OpTypeVoid
%float = OpTypeFloat 32
%one = OpTypeFunction %float %float
%none = OpTypeFunction %void
%f = OpFunction %float None %one
%x = OpFunctionParameter %float
OpFunctionEnd
%g = OpFunction %void None %none
OpFunctionEnd
",
    );
    let errors = errors(&[&user(), &two]);
    let reported: Vec<_> = (errors.iter())
        .map(|error| {
            (
                error.kind(),
                error.symbol().unwrap(),
                error.modules().join(" "),
            )
        })
        .collect();
    let unresolved = LinkErrorKind::Unresolved;
    assert_eq!(
        reported,
        [
            (unresolved, "square", "a b".to_owned()),
            (unresolved, "other", "b".to_owned())
        ]
    );
    assert!(errors[0].to_string().contains("`a` and `b`"));
}

#[test]
fn a_symbol_is_exported_once() {
    let error_of = |modules: &[&Module]| error(modules, LinkErrorKind::Duplicate);
    let duplicate = error_of(&[&user(), &library(), &library(), &library()]);
    assert_eq!(duplicate.symbol(), Some("square"));
    assert_eq!(duplicate.modules(), ["b", "c", "d"]);
    let twice = kernel(
        "OpDecorate %f LinkageAttributes \"same\" Export
OpDecorate %g LinkageAttributes \"same\" Export
%void = OpTypeVoid
%type = OpTypeFunction %void
%f = OpFunction %void None %type
%1 = OpLabel
OpReturn
OpFunctionEnd
%g = OpFunction %void None %type
%2 = OpLabel
OpReturn
OpFunctionEnd
",
    );
    assert_eq!(error_of(&[&twice]).modules(), ["a"]);
}

#[test]
fn a_function_is_no_variable() {
    let variable = variable("CrossWorkgroup", "%type = OpTypeInt 32 0", "Export");
    let error = error(&[&function(UINT, "Import"), &variable], LinkErrorKind::Kind);
    assert_eq!(error.symbol(), Some("f"));
    assert_eq!(error.modules(), ["a", "b"]);
}

#[test]
fn storage_classes_are_the_same() {
    let uint = "%type = OpTypeInt 32 0";
    let error = error(
        &[
            &variable("CrossWorkgroup", uint, "Import"),
            &variable("UniformConstant", uint, "Export"),
        ],
        LinkErrorKind::StorageClass,
    );
    let message = error.to_string();
    assert!(message.contains("CrossWorkgroup in `a`"), "{message}");
    assert!(message.contains("UniformConstant in `b`"), "{message}");
}

/// The message about these differing types of a function's parameter.
#[track_caller]
fn type_error(a: &str, b: &str) -> String {
    let types = |text: &str| format!("{text}\n%type = OpTypeFunction %void %parameter");
    let modules = [function(&types(a), "Import"), function(&types(b), "Export")];
    let error = error(&[&modules[0], &modules[1]], LinkErrorKind::Type);
    assert_eq!(error.symbol(), Some("f"));
    error.to_string()
}

#[test]
fn types_differ_at_a_place() {
    for (a, b, place, first, second) in [
        (
            "%parameter = OpTypeInt 32 0",
            "%parameter = OpTypeFloat 32",
            "parameter 1",
            "uint",
            "float",
        ),
        (
            "%e = OpTypeFloat 32\n%parameter = OpTypeVector %e 4",
            "%e = OpTypeFloat 32\n%parameter = OpTypeVector %e 2",
            "parameter 1",
            "vec4",
            "vec2",
        ),
        (
            "%e = OpTypeInt 8 0\n%parameter = OpTypePointer CrossWorkgroup %e",
            "%e = OpTypeInt 8 0\n%parameter = OpTypePointer Workgroup %e",
            "parameter 1",
            "ptr<CrossWorkgroup, uint8>",
            "ptr<Workgroup, uint8>",
        ),
        (
            "%u = OpTypeInt 32 0\n%s = OpTypeStruct %u %u\n%parameter = OpTypePointer Function %s",
            "%u = OpTypeInt 32 0\n%h = OpTypeInt 16 0\n%s = OpTypeStruct %u %h\n%parameter = OpTypePointer Function %s",
            "member 1 of the pointee of parameter 1",
            "uint",
            "uint16",
        ),
        (
            "%u = OpTypeInt 32 0\n%n = OpConstant %u 4\n%parameter = OpTypeArray %u %n",
            "%u = OpTypeInt 32 0\n%n = OpConstant %u 5\n%parameter = OpTypeArray %u %n",
            "the length of parameter 1",
            "OpConstant 4",
            "OpConstant 5",
        ),
    ] {
        let message = type_error(a, b);
        let expected = format!("{place} is {first} in `a`, but {second} in `b`");
        assert!(message.ends_with(&expected), "{message}\n{expected}");
    }
}

#[test]
fn types_with_other_decorations_are_others() {
    let types = |packed: &str| {
        kernel(&format!(
            "OpDecorate %f LinkageAttributes \"f\" {packed}
%u = OpTypeInt 32 0
%s = OpTypeStruct %u
%p = OpTypePointer CrossWorkgroup %s
%f = OpVariable %p CrossWorkgroup
"
        ))
    };
    let modules = [types("Import"), types("Export\nOpDecorate %s CPacked")];
    let error = error(&[&modules[0], &modules[1]], LinkErrorKind::Type);
    let message = error.to_string();
    assert!(message.contains("with no decoration in `a`"), "{message}");
    assert!(message.contains("with CPacked in `b`"), "{message}");
}

#[test]
fn types_that_contain_themselves_are_compared() {
    let list = |element: &str, linkage: &str| {
        kernel(&format!(
            "OpDecorate %f LinkageAttributes \"f\" {linkage}
OpTypeForwardPointer %next CrossWorkgroup
%e = {element}
%node = OpTypeStruct %next %e
%next = OpTypePointer CrossWorkgroup %node
%p = OpTypePointer CrossWorkgroup %next
%f = OpVariable %p CrossWorkgroup
"
        ))
    };
    let import = list("OpTypeFloat 32", "Import");
    let error = error(
        &[&import, &list("OpTypeInt 32 0", "Export")],
        LinkErrorKind::Type,
    );
    let message = error.to_string();
    assert!(
        message.ends_with("is float in `a`, but uint in `b`"),
        "{message}"
    );
    let text = linked(&[&import, &list("OpTypeFloat 32", "Export")]);
    assert_eq!(count(&text, "OpTypeStruct"), 1, "{text}");
    assert_eq!(count(&text, "OpTypeForwardPointer"), 1, "{text}");
}

#[test]
fn broken_symbols_are_reported_by_themselves() {
    let frame = |linkage: &str, rest: &str| {
        kernel(&format!(
            "OpDecorate %f LinkageAttributes \"f\" {linkage}
%void = OpTypeVoid
%u = OpTypeInt 32 0
%one = OpConstant %u 1
%pointer = OpTypePointer CrossWorkgroup %u
%type = OpTypeFunction %void
{rest}
"
        ))
    };
    let with_body = "%f = OpFunction %void None %type\n%l = OpLabel\nOpReturn\nOpFunctionEnd";
    let without = "%f = OpFunction %void None %type\nOpFunctionEnd";
    let initialized = "%f = OpVariable %pointer CrossWorkgroup %one";
    for (linkage, rest, kind) in [
        ("Import", with_body, LinkErrorKind::ImportWithBody),
        ("Export", without, LinkErrorKind::ExportWithoutBody),
        ("LinkOnceODR", without, LinkErrorKind::ExportWithoutBody),
        ("Import", initialized, LinkErrorKind::ImportWithInitializer),
        ("Export", "%f = OpTypeEvent", LinkErrorKind::NotLinkable),
        ("Export", "", LinkErrorKind::NotLinkable),
    ] {
        let module = frame(linkage, rest);
        let library = Options::default().allow_partial_linkage(true);
        let errors = try_link(&[&module], &library).unwrap_err();
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!(
            (errors[0].kind(), errors[0].modules()),
            (kind, &["a".to_owned()][..])
        );
        assert_eq!(errors[0].symbol(), Some("f"));
    }
}

#[test]
fn linkage_is_of_a_known_type_and_given_once() {
    let mut module = user();
    let decoration = module
        .instructions()
        .find(|&inst| module.op(inst) == spirvkit_grammar::Op::Decorate)
        .unwrap();
    let last = module.get(decoration).words().len() - 1;
    module.set_word(decoration, last, 77).unwrap();
    error(&[&module], LinkErrorKind::UnknownLinkage);
    let twice = kernel(
        "OpDecorate %f LinkageAttributes \"f\" Export
OpDecorate %f LinkageAttributes \"g\" Export
%void = OpTypeVoid
%type = OpTypeFunction %void
%f = OpFunction %void None %type
%l = OpLabel
OpReturn
OpFunctionEnd
",
    );
    error(&[&twice], LinkErrorKind::RepeatedLinkage);
}

#[test]
fn modules_agree_on_models() {
    let models = |models: &str| {
        let text = "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\nOpCapability Shader\n";
        module(&format!("{text}OpMemoryModel {models}\n"))
    };
    let a = models("Physical64 OpenCL");
    let addressing = error(
        &[&a, &models("Physical32 OpenCL")],
        LinkErrorKind::AddressingModel,
    );
    let message = addressing.to_string();
    assert!(message.contains("Physical64 in `a`"), "{message}");
    assert!(message.contains("Physical32 in `b`"), "{message}");
    let memory = error(
        &[&a, &a, &models("Physical64 GLSL450")],
        LinkErrorKind::MemoryModel,
    );
    let message = memory.to_string();
    assert!(message.contains("OpenCL in `a` and `b`"), "{message}");
    assert!(message.contains("GLSL450 in `c`"), "{message}");
}

#[test]
fn versions_agree_unless_the_highest_is_wanted() {
    let newer = module(&format!("; Version: 1.3\n{KERNEL}"));
    let message = error(&[&kernel(""), &newer], LinkErrorKind::Version).to_string();
    assert!(message.contains("1.2 in `a`"), "{message}");
    assert!(message.contains("1.3 in `b`"), "{message}");
    let options = Options::default().use_highest_version(true);
    let linked = try_link(&[&kernel(""), &newer], &options).unwrap();
    assert_eq!(linked.header().version, spirvkit_grammar::Version::V1_3);
}

#[test]
fn entry_points_of_a_model_have_different_names() {
    let a = user();
    let errors = errors(&[&library(), &a, &a]);
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].kind(), LinkErrorKind::EntryPoint);
    assert_eq!(errors[0].symbol(), Some("main"));
    assert_eq!(errors[0].modules(), ["b", "c"]);
}

#[test]
fn initializers_have_no_cycles() {
    let half = |own: &str, other: &str| {
        kernel(&format!(
            "OpDecorate %own LinkageAttributes \"{own}\" Export
OpDecorate %other LinkageAttributes \"{other}\" Import
OpTypeForwardPointer %pointer CrossWorkgroup
%node = OpTypeStruct %pointer
%pointer = OpTypePointer CrossWorkgroup %node
%other = OpVariable %pointer CrossWorkgroup
%value = OpConstantComposite %node %other
%own = OpVariable %pointer CrossWorkgroup %value
"
        ))
    };
    let error = error(&[&half("x", "y"), &half("y", "x")], LinkErrorKind::Circle);
    assert_eq!(error.modules(), ["a", "b"]);
}

#[test]
fn what_can_not_be_decoded_is_not_linked() {
    let mut words = kernel("").store();
    words.extend([2 << 16 | 0xfffe, 1]);
    let module = Module::load(&words).unwrap();
    let error = error(&[&kernel(""), &module], LinkErrorKind::Opaque);
    assert_eq!(error.modules(), ["b"]);
}

#[test]
fn decorations_do_not_contradict_each_other() {
    let part = |linkage: &str, decorations: &str| {
        kernel(&format!(
            "OpDecorate %f LinkageAttributes \"f\" {linkage}
{decorations}
%uint = OpTypeInt 32 0
%p = OpTypePointer CrossWorkgroup %uint
%f = OpVariable %p CrossWorkgroup
"
        ))
    };
    let link = |import: &str, export: &str| {
        let modules = [part("Import", import), part("Export", export)];
        try_link(&[&modules[0], &modules[1]], &Options::default())
    };
    let four = "OpDecorate %f Alignment 4";
    let eight = "OpDecorate %f Alignment 8";
    let constant = "OpDecorate %f Constant";
    for (import, export) in [
        ("", four),
        (four, ""),
        (four, four),
        (four, eight),
        (constant, ""),
    ] {
        let linked = link(import, export).unwrap();
        let decorations = text(&linked.store());
        assert_eq!(
            count(&decorations, "OpDecorate"),
            usize::from(!export.is_empty())
        );
    }
    // Who relies on more than there is.
    let errors = link(eight, four).unwrap_err();
    assert_eq!(errors[0].kind(), LinkErrorKind::Decoration);
    let message = errors[0].to_string();
    assert!(
        message.ends_with("Alignment 8 in `a`, but Alignment 4 in `b`"),
        "{message}"
    );
    let errors = link(
        "OpDecorate %f BuiltIn WorkDim",
        "OpDecorate %f BuiltIn GlobalSize",
    );
    let message = errors.unwrap_err()[0].to_string();
    assert!(
        message.ends_with("BuiltIn WorkDim in `a`, but BuiltIn GlobalSize in `b`"),
        "{message}"
    );
}

#[test]
fn what_a_newer_version_no_longer_has_stays_behind() {
    let head = "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n";
    let old = module(&format!(
        "; Version: 1.3\n{head}OpDecorate %s BufferBlock\n%f = OpTypeFloat 32\n%s = OpTypeStruct %f\n"
    ));
    let options = Options::default().use_highest_version(true);
    assert!(try_link(&[&old], &options).is_ok());
    let new = module(&format!("; Version: 1.4\n{head}"));
    let errors = try_link(&[&old, &new], &options).unwrap_err();
    assert_eq!(
        (errors.len(), errors[0].kind()),
        (1, LinkErrorKind::Removed)
    );
    assert_eq!(errors[0].modules(), ["a", "b"]);
    assert!(errors[0].to_string().contains("BufferBlock"));
}
