//! Debugging information in the three sets: which operands are taken where.

use spirvkit_text::{AssembleOptions, assemble};
use spirvkit_validate::{Options, validate};

/// The rules that a module breaks, in order.
fn broken_rules(text: &str, options: &Options) -> Vec<&'static str> {
    let assembled = assemble(text, &AssembleOptions::default());
    let module = assembled.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let report = validate(&module.words, options);
    let diagnostics = report.diagnostics().iter();
    diagnostics.map(|diagnostic| diagnostic.rule()).collect()
}

fn options() -> Options {
    Options::for_env("spv1.6".parse().unwrap())
}

/// A module that imports the set as `%set`, with debugging instructions before
/// the functions and in one.
fn module(set: &str, global: &str, body: &str) -> String {
    let expand = |lines: &str| -> String {
        let lines = lines.lines().filter(|line| !line.trim().is_empty());
        lines
            .map(|line| {
                line.replace("Debug(", "OpExtInst %void %set Debug")
                    .replace(')', "")
                    + "\n"
            })
            .collect()
    };
    format!(
        "OpCapability Shader
OpExtension \"SPV_KHR_non_semantic_info\"
OpExtension \"SPV_KHR_relaxed_extended_instruction\"
%set = OpExtInstImport \"{set}\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%name = OpString \"name\"
%text = OpString \"one
three
\"
%more = OpString \"and
more\"
%counted = OpString \"#line 100\"
%void = OpTypeVoid
%main_type = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%ptr_Private_f32 = OpTypePointer Private %f32
%ptr_Function_f32 = OpTypePointer Function %f32
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%u2 = OpConstant %u32 2
%u3 = OpConstant %u32 3
%u4 = OpConstant %u32 4
%u5 = OpConstant %u32 5
%u6 = OpConstant %u32 6
%u7 = OpConstant %u32 7
%bits = OpConstant %u32 32
%f1 = OpConstant %f32 1
%private = OpVariable %ptr_Private_f32 Private
{}%main = OpFunction %void None %main_type
%entry = OpLabel
%variable = OpVariable %ptr_Function_f32 Function
{}OpReturn
OpFunctionEnd
",
        expand(global),
        expand(body)
    )
}

mod first_set {
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
%composite = Debug(TypeComposite %name Structure %text 1 1 %unit %bits None %member)
%member = Debug(TypeMember %name %float %text 1 1 %composite %u0 %bits None)
%base = Debug(TypeInheritance %composite %composite %u0 %bits None)
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
                "%bits None %member",
                "%bits None %float",
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
}

mod opencl_set {
    use super::*;

    const EVERYTHING: &str = "
%none = Debug(InfoNone)
%source = Debug(Source %name %text)
%unit = Debug(CompilationUnit 1 4 %source OpenCL_C)
%float = Debug(TypeBasic %name %bits Float)
%uint = Debug(TypeBasic %name %bits Unsigned)
%vector = Debug(TypeVector %float 16)
%composite = Debug(TypeComposite %name Structure %source 1 1 %unit %name %none None %member)
%member = Debug(TypeMember %name %vector %source 1 1 %composite %u0 %bits None)
%union = Debug(TypeComposite %name Union %source 1 1 %unit %name %none None)
%base = Debug(TypeInheritance %composite %composite %u0 %bits None)
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
            (
                "%composite %composite",
                "%composite %union",
                "debug-info.kind",
            ),
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
}

mod shader_set {
    use super::*;

    const SOURCE: &str = "%source = Debug(Source %name %text)";

    fn rules(global: &str, body: &str) -> Vec<&'static str> {
        let text = module("NonSemantic.Shader.DebugInfo.100", global, body);
        broken_rules(&text, &options())
    }

    fn line(place: &str) -> Vec<&'static str> {
        rules(SOURCE, &format!("%line = Debug(Line %source {place})"))
    }

    #[test]
    fn lines_are_within_the_source() {
        assert_eq!(line("%u1 %u1 %u1 %u4"), [""; 0]);
        assert_eq!(line("%u1 %u2 %u4 %u1"), [""; 0]);
        assert_eq!(line("%u2 %u2 %u6 %u6"), [""; 0]);
        assert_eq!(line("%u1 %u1 %u5 %u5"), ["debug-info.place"]);
        assert_eq!(line("%u2 %u2 %u1 %u7"), ["debug-info.place"]);
        assert_eq!(line("%u1 %u5 %u1 %u1"), ["debug-info.place"]);
        assert_eq!(line("%u0 %u1 %u1 %u1"), ["debug-info.range"]);
        assert_eq!(line("%u2 %u1 %u1 %u1"), ["debug-info.range"]);
        assert_eq!(line("%u1 %u1 %u2 %u1"), ["debug-info.range"]);
        assert_eq!(line("%f1 %u1 %u1 %u1"), ["debug-info.uint"]);
    }

    #[test]
    fn sources_continue() {
        let global = "%source = Debug(Source %name %text)
%continued = Debug(SourceContinued %more)";
        let at = |place: &str| rules(global, &format!("%line = Debug(Line %source {place})"));
        assert_eq!(at("%u3 %u4 %u4 %u5"), [""; 0]);
        assert_eq!(at("%u3 %u5 %u1 %u1"), ["debug-info.place"]);
    }

    #[test]
    fn sources_may_count_their_own_lines() {
        let global = "%source = Debug(Source %name %counted)";
        let body = "%line = Debug(Line %source %bits %bits %u1 %u1)";
        assert_eq!(rules(global, body), [""; 0]);
        assert_eq!(rules("%source = Debug(Source %name)", body), [""; 0]);
    }

    #[test]
    fn later_versions_may_have_more() {
        let text = module(
            "NonSemantic.Shader.DebugInfo.200",
            "%source = Debug(Source %name %text %u1)
%new = OpExtInst %void %set 1000 %name",
            "",
        );
        assert_eq!(broken_rules(&text, &options()), [""; 0]);
    }

    #[test]
    fn nothing_has_a_result() {
        let global = "%new = OpExtInst %u32 %set 1000 %name";
        assert_eq!(rules(global, ""), ["debug-info.void-result"]);
        let global = "%source = OpExtInst %u32 %set DebugSource %name";
        assert_eq!(rules(global, ""), ["debug-info.void-result"]);
    }

    #[test]
    fn matrices_of_all_kinds() {
        let global = "%float = Debug(TypeBasic %name %bits %u3 %u0)
%vector = Debug(TypeVector %float %u4)
%matrix = Debug(TypeMatrix %vector %u4 %u1)
%cooperative = OpExtInst %void %set 110 %float %u3 %u4 %u4 %u0";
        let new = module("NonSemantic.Shader.DebugInfo.101", global, "");
        assert_eq!(broken_rules(&new, &options()), [""; 0]);
        assert_eq!(rules(global, ""), ["debug-info.version"]);
        let scalar = new.replace("%set 110 %float", "%set 110 %vector");
        assert_eq!(broken_rules(&scalar, &options()), ["debug-info.kind"]);
    }

    #[test]
    fn composites_refer_forward() {
        let global = "%source = Debug(Source %name %text)
%unit = Debug(CompilationUnit %u1 %u4 %source %u5)
%float = Debug(TypeBasic %name %bits %u3 %u0)
%composite = OpExtInstWithForwardRefsKHR %void %set DebugTypeComposite %name %u1 %source %u1 %u1 %unit %name %bits %u3 %member
%member = Debug(TypeMember %name %float %source %u1 %u1 %u0 %bits %u3)";
        assert_eq!(rules(global, ""), [""; 0]);
        let global =
            global.replace("%u3 %member\n", "%u3 %later\n") + "\n%later = Debug(Expression)";
        assert_eq!(rules(&global, ""), ["debug-info.kind"]);
    }

    #[test]
    fn other_sets_are_no_kin() {
        let global = "%source = Debug(Source %name %text)
%unit = OpExtInst %void %set DebugCompilationUnit %u1 %u4 %source %u5";
        let text = module("NonSemantic.Shader.DebugInfo.100", global, "");
        let text = text.replace(
            "OpMemoryModel",
            "%other = OpExtInstImport \"NonSemantic.Other\"\nOpMemoryModel",
        );
        assert_eq!(broken_rules(&text, &options()), [""; 0]);
        let foreign = text.replace(
            "%source = OpExtInst %void %set DebugSource %name %text",
            "%source = OpExtInst %void %other 35 %name %text",
        );
        assert_ne!(foreign, text);
        assert_eq!(broken_rules(&foreign, &options()), ["debug-info.kind"]);
    }
}
