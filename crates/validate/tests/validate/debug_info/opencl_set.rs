use super::*;

const EVERYTHING: &str = "
%none = Debug(InfoNone)
%source = Debug(Source %name %text)
%unit = Debug(CompilationUnit 1 4 %source OpenCL_C)
%float = Debug(TypeBasic %name %bits Float)
%uint = Debug(TypeBasic %name %bits Unsigned)
%vector = Debug(TypeVector %float 16)
%parent = Debug(TypeComposite %name Class %source 1 1 %unit %name %bits None)
%composite = Debug(TypeComposite %name Structure %source 1 1 %unit %name %bits None %member %base)
%member = Debug(TypeMember %name %vector %source 1 1 %composite %u0 %bits None)
%union = Debug(TypeComposite %name Union %source 1 1 %unit %name %none None)
%base = Debug(TypeInheritance %composite %parent %u0 %bits None)
%function_type = Debug(TypeFunction None %void %float)
%function = Debug(Function %name %function_type %source 1 1 %unit %name None 1 %main)
%length = Debug(LocalVariable %name %uint %source 1 1 %function None)
%array = Debug(TypeArray %float %length)
%expression = Debug(Expression)
";

#[test]
fn takes_what_the_specification_says() {
    let body = "%value = Debug(Value %length %f1 %expression %length %u1)";
    let text = module("OpenCL.DebugInfo.100", EVERYTHING, body);
    assert_eq!(broken_rules(&text, &options()), [""; 0]);
}

#[test]
fn refuses_other_operands() {
    let cases = [
        ("%float 16", "%float 5", "debug-info.count"),
        ("%float %length", "%float %u0", "debug-info.array-length"),
        ("%composite %parent", "%composite %union", "debug-info.kind"),
        ("1 4 %source", "1 4 %name", "debug-info.kind"),
        ("1 %main", "1 %u1", "debug-info.module-kind"),
        (
            "%name %bits Float",
            "%name %text Float",
            "debug-info.constant",
        ),
    ];
    for (right, wrong, rule) in cases {
        let global = EVERYTHING.replace(right, wrong);
        assert_ne!(global, EVERYTHING, "{right}");
        let text = module("OpenCL.DebugInfo.100", &global, "");
        assert_eq!(broken_rules(&text, &options()), [rule], "{wrong}");
    }
}
