use super::*;

const EVERYTHING: &str = "
%none = Debug(InfoNone)
%unit = Debug(CompilationUnit %text 1 4)
%float = Debug(TypeBasic %name %bits Float)
%pointer = Debug(TypePointer %float Function None)
%const = Debug(TypeQualifier %float ConstType)
%array = Debug(TypeArray %float %u4)
%vector = Debug(TypeVector %float 4)
%alias = Debug(Typedef %name %float %text 1 1 %unit)
%function_type = Debug(TypeFunction %void %float)
%enum = Debug(TypeEnum %name %none %text 1 1 %unit %bits None %u1 %name)
%parent = Debug(TypeComposite %name Class %text 1 1 %unit %bits None)
%composite = Debug(TypeComposite %name Structure %text 1 1 %unit %bits None %member %base)
%member = Debug(TypeMember %name %float %text 1 1 %composite %u0 %bits None)
%base = Debug(TypeInheritance %composite %parent %u0 %bits None)
%to_member = Debug(TypePtrToMember %float %composite)
%parameter = Debug(TypeTemplateParameter %name %float %u1 %text 1 1)
%template = Debug(TypeTemplate %composite %parameter)
%global = Debug(GlobalVariable %name %float %text 1 1 %unit %name %private None)
%declaration = Debug(FunctionDeclaration %name %function_type %text 1 1 %unit %name None)
%function = Debug(Function %name %function_type %text 1 1 %unit %name None 1 %main %declaration)
%block = Debug(LexicalBlock %text 1 1 %function %name)
%inlined_at = Debug(InlinedAt 1 %function)
%local = Debug(LocalVariable %name %float %text 1 1 %function)
%operation = Debug(Operation Deref)
%expression = Debug(Expression %operation)
%macro = Debug(MacroDef %text 1 %name %name)
%end = Debug(MacroUndef %text 1 %macro)
";

const BODY: &str = "
%scope = Debug(Scope %block %inlined_at)
%declare = Debug(Declare %local %variable %expression)
%value = Debug(Value %local %f1 %expression %u1)
%no_scope = Debug(NoScope)
";

#[test]
fn takes_what_the_specification_says() {
    let text = module("DebugInfo", EVERYTHING, BODY);
    assert_eq!(broken_rules(&text, &options()), [""; 0]);
}

#[test]
fn takes_none_for_any_debugging_instruction() {
    let global = EVERYTHING
        .replace(
            "ConstType",
            "ConstType\n%gone = Debug(TypePointer %none Function None",
        )
        .replace("%composite %parameter", "%none %none")
        .replace("%main %declaration", "%none %none");
    let body = "%declare = Debug(Declare %none %none %none)";
    let text = module("DebugInfo", &global, body);
    assert_eq!(broken_rules(&text, &options()), [""; 0]);
}

#[test]
fn refuses_other_ids() {
    let cases = [
        ("Pointer %float", "Pointer %f32", "original-debug-info.kind"),
        (
            "Array %float %u4",
            "Array %float %name",
            "original-debug-info.constant",
        ),
        ("Typedef %name", "Typedef %u1", "original-debug-info.text"),
        ("1 %main", "1 %private", "original-debug-info.module-kind"),
        (
            "InlinedAt 1 %function)",
            "InlinedAt 1 %float)",
            "original-debug-info.kind",
        ),
        (
            "%member %base",
            "%member %base %float",
            "original-debug-info.kind",
        ),
    ];
    for (right, wrong, rule) in cases {
        let global = EVERYTHING.replace(right, wrong);
        assert_ne!(global, EVERYTHING, "{right}");
        let text = module("DebugInfo", &global, BODY);
        assert_eq!(broken_rules(&text, &options()), [rule], "{wrong}");
    }
}

#[test]
fn is_not_checked_on_request() {
    let mut options = options();
    options.skip_debug_info = true;
    let text = module(
        "DebugInfo",
        "%pointer = Debug(TypePointer %f32 Function None)",
        "",
    );
    assert_eq!(broken_rules(&text, &options), [""; 0]);
}
