//! Libraries, partial linkage, and pointers to other types.

use super::*;

#[test]
fn a_program_has_no_linkage_left() {
    let text = linked(&[&user(), &library()]);
    assert_eq!(count(&text, "Linkage"), 0, "{text}");
    assert_eq!(count(&text, "OpFunction "), 2, "{text}");
}

#[test]
fn without_an_entry_point_the_capability_stays() {
    let text = linked(&[&library()]);
    assert_eq!(count(&text, "OpCapability Linkage"), 1, "{text}");
    assert_eq!(count(&text, "LinkageAttributes"), 0, "{text}");
}

#[test]
fn a_library_keeps_its_exports() {
    let options = Options::default().create_library(true);
    let text = linked_with(&[&user(), &library()], &options, "opencl2.2");
    assert_eq!(
        count(&text, "LinkageAttributes \"square\" Export"),
        1,
        "{text}"
    );
    assert_eq!(count(&text, "Import"), 0, "{text}");
    assert_eq!(count(&text, "OpCapability Linkage"), 1, "{text}");
    // It can be linked again.
    let again = module(&format!("; Version: 1.2\n{text}"));
    error(&[&again, &library()], LinkErrorKind::Duplicate);
    linked(&[&again]);
}

#[test]
fn partial_linkage_leaves_one_import() {
    let other = module(
        &format!("; Version: 1.2\n{}", text(&user().store())).replace("\"main\"", "\"other\""),
    );
    let options = Options::default().allow_partial_linkage(true);
    let text = linked_with(&[&user(), &other], &options, "opencl2.2");
    assert_eq!(
        count(&text, "LinkageAttributes \"square\" Import"),
        1,
        "{text}"
    );
    assert_eq!(count(&text, "OpCapability Linkage"), 1, "{text}");
    assert_eq!(count(&text, "OpFunction "), 3, "{text}");
    // The declaration comes first.
    let at = |part: &str| text.find(part).unwrap();
    assert!(at("OpFunctionEnd") < at("OpLabel"), "{text}");
    // Later it is resolved.
    let rest = module(&format!("; Version: 1.2\n{text}"));
    let text = linked(&[&rest, &library()]);
    assert_eq!(count(&text, "Linkage"), 0, "{text}");
    assert_eq!(count(&text, "OpFunction "), 3, "{text}");
}

#[test]
fn partial_linkage_is_no_excuse_for_other_errors() {
    let options = Options::default().allow_partial_linkage(true);
    let errors = try_link(&[&library(), &library()], &options).unwrap_err();
    assert_eq!(errors[0].kind(), LinkErrorKind::Duplicate);
}

/// A function `f` from a pointer to such to the same pointer, or a caller of it.
fn pointers(pointee: &str, class: &str, is_caller: bool) -> Module {
    let types = format!(
        "%void = OpTypeVoid
%byte = {pointee}
%p = OpTypePointer {class} %byte
%type = OpTypeFunction %p %p
%main_type = OpTypeFunction %void %p
"
    );
    if is_caller {
        return kernel(&format!(
            "OpEntryPoint Kernel %main \"main\"
OpDecorate %f LinkageAttributes \"f\" Import
{types}%f = OpFunction %p None %type
%x = OpFunctionParameter %p
OpFunctionEnd
%main = OpFunction %void None %main_type
%y = OpFunctionParameter %p
%l = OpLabel
%z = OpFunctionCall %p %f %y
%w = OpFunctionCall %p %f %z
OpReturn
OpFunctionEnd
"
        ));
    }
    kernel(&format!(
        "OpDecorate %f LinkageAttributes \"f\" Export
{types}%f = OpFunction %p None %type
%x = OpFunctionParameter %p
%l = OpLabel
OpReturnValue %x
OpFunctionEnd
"
    ))
}

#[test]
fn pointers_to_other_types_are_converted_on_request() {
    let caller = pointers("OpTypeInt 32 0", "CrossWorkgroup", true);
    let callee = pointers("OpTypeFloat 32", "CrossWorkgroup", false);
    let options = Options::default().allow_pointer_mismatch(true);
    let text = linked_with(&[&caller, &callee], &options, "opencl2.2");
    assert_eq!(count(&text, "OpBitcast"), 4, "{text}");
    assert!(error(&[&caller, &callee], LinkErrorKind::Type).differs_by_pointers());
    // Pointers elsewhere are something else.
    let workgroup = pointers("OpTypeFloat 32", "Workgroup", false);
    let errors = try_link(&[&caller, &workgroup], &options).unwrap_err();
    assert_eq!(errors[0].kind(), LinkErrorKind::Type);
    assert!(!errors[0].differs_by_pointers());
}
