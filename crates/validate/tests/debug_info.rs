//! Debugging information in the three sets: which operands are taken where.

use spirvkit_diagnostics::Severity;
use spirvkit_text::{AssembleOptions, assemble};
use spirvkit_validate::{Options, validate};

/// The rules that a module breaks, in order: first those that make it invalid, then
/// those that are only worth a warning.
fn judged(text: &str) -> [Vec<&'static str>; 2] {
    let assembled = assemble(text, &AssembleOptions::default());
    let module = assembled.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let report = validate(&module.words, &options());
    let of = |severity: Severity| {
        let diagnostics = report.diagnostics().iter();
        let found = diagnostics.filter(|diagnostic| diagnostic.severity() == severity);
        found.map(|diagnostic| diagnostic.rule()).collect()
    };
    [of(Severity::Error), of(Severity::Warning)]
}

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
%at_sign = OpString \"@image\"
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
%bool = OpTypeBool
%true = OpConstantTrue %bool
%private = OpVariable %ptr_Private_f32 Private
{}%other = OpFunction %void None %main_type
%other_entry = OpLabel
OpReturn
OpFunctionEnd
%main = OpFunction %void None %main_type
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
%matrix = Debug(TypeMatrix %vector %u4 %true)
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
        let global = global.replace("%u3 %member\n", "%u3 %member %later\n")
            + "\n%later = Debug(Expression)";
        assert_eq!(rules(&global, ""), ["debug-info.kind"]);
    }

    #[test]
    fn other_sets_are_no_kin() {
        let global = "%source = Debug(Source %name %text)
%unit = OpExtInst %void %set DebugCompilationUnit %u1 %u4 %source %u5";
        let text = module("NonSemantic.Shader.DebugInfo.100", global, "");
        let text = text.replace(
            "OpMemoryModel",
            "%foreign = OpExtInstImport \"NonSemantic.Other\"\nOpMemoryModel",
        );
        assert_eq!(broken_rules(&text, &options()), [""; 0]);
        let foreign = text.replace(
            "%source = OpExtInst %void %set DebugSource %name %text",
            "%source = OpExtInst %void %foreign 35 %name %text",
        );
        assert_ne!(foreign, text);
        assert_eq!(broken_rules(&foreign, &options()), ["debug-info.kind"]);
    }
}

/// What the three sets have in common, in the words of `DebugInfo` and of
/// `OpenCL.DebugInfo.100`.
mod structure {
    use super::*;

    /// Two functions, of which `%main` and `%other` are the code.
    const FIRST: &str = "
%none = Debug(InfoNone)
%unit = Debug(CompilationUnit %text 1 4)
%float = Debug(TypeBasic %name %bits Float)
%type = Debug(TypeFunction %void %float)
%of_main = Debug(Function %name %type %text 1 1 %unit %name None 1 %main)
%of_other = Debug(Function %name %type %text 1 1 %unit %name None 1 %other)
%block = Debug(LexicalBlock %text 1 1 %of_main)
%class = Debug(TypeComposite %name Class %text 1 1 %block %bits None)
%method = Debug(Function %name %type %text 1 1 %class %name None 1 %none)
%in_main = Debug(LocalVariable %name %float %text 1 1 %block)
%in_other = Debug(LocalVariable %name %float %text 1 1 %of_other)
%called = Debug(InlinedAt 1 %of_main)
%called_twice = Debug(InlinedAt 1 %of_other %called)
%called_elsewhere = Debug(InlinedAt 1 %of_other)
%called_somewhere = Debug(InlinedAt 1 %of_other %none)
%expression = Debug(Expression)
";

    const OPENCL: &str = "
%none = Debug(InfoNone)
%source = Debug(Source %name %text)
%unit = Debug(CompilationUnit 1 4 %source OpenCL_C)
%float = Debug(TypeBasic %name %bits Float)
%type = Debug(TypeFunction None %void %float)
%of_main = Debug(Function %name %type %source 1 1 %unit %name None 1 %main)
%of_other = Debug(Function %name %type %source 1 1 %unit %name None 1 %other)
%expression = Debug(Expression)
";

    fn first(global: &str, body: &str) -> [Vec<&'static str>; 2] {
        judged(&module("DebugInfo", &format!("{FIRST}{global}"), body))
    }

    fn opencl(global: &str, body: &str) -> [Vec<&'static str>; 2] {
        let global = format!("{OPENCL}{global}");
        judged(&module("OpenCL.DebugInfo.100", &global, body))
    }

    fn shader(global: &str, body: &str) -> [Vec<&'static str>; 2] {
        let global = format!(
            "%none = Debug(InfoNone)
%source = Debug(Source %name %text)
%unit = Debug(CompilationUnit %u1 %u4 %source %u5)
%float = Debug(TypeBasic %name %bits %u3 %u0)
%type = Debug(TypeFunction %u0 %void %float)
%of_main = Debug(Function %name %type %source %u1 %u1 %unit %name %u0 %u1)
%of_other = Debug(Function %name %type %source %u1 %u1 %unit %name %u0 %u1)
{global}"
        );
        judged(&module("NonSemantic.Shader.DebugInfo.100", &global, body))
    }

    fn error(rule: &'static str) -> [Vec<&'static str>; 2] {
        [vec![rule], vec![]]
    }

    fn warning(rule: &'static str) -> [Vec<&'static str>; 2] {
        [vec![], vec![rule]]
    }

    const FINE: [Vec<&str>; 2] = [vec![], vec![]];

    #[test]
    fn scopes_are_of_their_function() {
        let fine = [
            "%s = Debug(Scope %of_main)",
            "%s = Debug(Scope %block)",
            "%s = Debug(Scope %unit)",
            "%s = Debug(Scope %none)",
            "%s = Debug(Scope %of_other %called)",
            "%s = Debug(Scope %method %called)",
            "%s = Debug(Scope %of_other %called_twice)",
            // Nobody knows where the code has ended up.
            "%s = Debug(Scope %of_other %called_somewhere)",
            "%s = Debug(Scope %of_other %none)",
        ];
        for body in fine {
            assert_eq!(first("", body), FINE, "{body}");
        }
        let wrong = [
            "%s = Debug(Scope %of_other)",
            "%s = Debug(Scope %method)",
            "%s = Debug(Scope %of_other %called_elsewhere)",
        ];
        for body in wrong {
            assert_eq!(
                first("", body),
                error("debug-info.scope-function"),
                "{body}"
            );
        }
        let body = "%s = Debug(Scope %of_other)";
        assert_eq!(opencl("", body), warning("debug-info.scope-function"));
        let defined = format!("%d = Debug(FunctionDefinition %of_main %main)\n{body}");
        assert_eq!(shader("", &defined), warning("debug-info.scope-function"));
        // Neither function is said to be any code.
        assert_eq!(shader("", body), FINE);
    }

    #[test]
    fn variables_are_of_the_function_whose_scope_holds() {
        let declare = |scope: &str, variable: &str| {
            first(
                "",
                &format!("{scope}\n%d = Debug(Declare {variable} %variable %expression)"),
            )
        };
        let fine = [
            ("%s = Debug(Scope %of_main)", "%in_main"),
            ("%s = Debug(Scope %of_other %called)", "%in_other"),
            ("%s = Debug(Scope %of_main)", "%none"),
            ("", "%in_other"),
            (
                "%s = Debug(Scope %of_main)\n%n = Debug(NoScope)",
                "%in_other",
            ),
            // A scope ends with its block.
            (
                "%s = Debug(Scope %of_main)\nOpBranch %next\n%next = OpLabel",
                "%in_other",
            ),
        ];
        for (scope, variable) in fine {
            assert_eq!(declare(scope, variable), FINE, "{scope} {variable}");
        }
        let wrong = error("debug-info.variable-scope");
        assert_eq!(declare("%s = Debug(Scope %block)", "%in_other"), wrong);
        let inlined = "%s = Debug(Scope %of_other %called)";
        assert_eq!(declare(inlined, "%in_main"), wrong);
        let value = "%s = Debug(Scope %block)\n%v = Debug(Value %in_other %f1 %expression)";
        assert_eq!(first("", value), wrong);
    }

    #[test]
    fn parameters_have_numbers_of_their_own() {
        let parameters = |first_number: &str, second: &str, holder: &str| {
            first(
                &format!(
                    "%p = Debug(LocalVariable %name %float %text 1 1 %of_main {first_number})
%q = Debug(LocalVariable %name %float %text 1 1 {holder} {second})"
                ),
                "",
            )
        };
        assert_eq!(parameters("1", "", "%of_main"), FINE);
        assert_eq!(parameters("1", "1", "%of_other"), FINE);
        assert_eq!(parameters("0", "0", "%of_main"), FINE);
        let wrong = error("debug-info.argument");
        assert_eq!(parameters("1", "1", "%of_main"), wrong);
        assert_eq!(parameters("1", "1", "%block"), wrong);
        assert_eq!(parameters("1", "2", "%of_main"), wrong);
        let twice = "%p = Debug(LocalVariable %name %float %source 1 1 %of_main None 1)
%q = Debug(LocalVariable %name %float %source 1 1 %of_main None 1)";
        assert_eq!(opencl(twice, ""), warning("debug-info.argument"));
    }

    #[test]
    fn functions_are_described_once() {
        let again = "%again = Debug(Function %name %type %text 1 1 %unit %name None 1 %main)";
        assert_eq!(first(again, ""), error("debug-info.described-twice"));
        let main = "%d = Debug(FunctionDefinition %of_main %main)";
        assert_eq!(shader("", main), FINE);
        let twice = format!("{main}\n%e = Debug(FunctionDefinition %of_other %main)");
        assert_eq!(shader("", &twice), warning("debug-info.described-twice"));
        let late = format!("OpBranch %next\n%next = OpLabel\n{main}");
        assert_eq!(shader("", &late), warning("debug-info.described-twice"));
    }

    #[test]
    fn opaque_types_have_neither_size_nor_members() {
        let composite = |name: &str, size: &str, members: &str| {
            let of_another = if members.is_empty() { "%m" } else { "" };
            first(
                &format!(
                    "%c = Debug(TypeComposite {name} Class %text 1 1 %unit {size} None {members})
%d = Debug(TypeComposite %name Class %text 1 1 %unit %bits None {of_another})
%m = Debug(TypeMember %name %float %text 1 1 {} %u0 %bits None)",
                    if members.is_empty() { "%d" } else { "%c" }
                ),
                "",
            )
        };
        assert_eq!(composite("%at_sign", "%none", ""), FINE);
        assert_eq!(composite("%name", "%bits", "%m"), FINE);
        let wrong = error("debug-info.opaque-type");
        assert_eq!(composite("%at_sign", "%bits", ""), wrong);
        assert_eq!(composite("%at_sign", "%none", "%m"), wrong);
        assert_eq!(composite("%name", "%none", ""), wrong);
        // Their names are nobody's business in the successors.
        let member = "%m = Debug(TypeMember %name %float %source %u1 %u1 %u0 %bits %u0)";
        let successor = "%c = Debug(TypeComposite %name %u1 %source %u1 %u1 %unit %name %none %u0";
        assert_eq!(shader(&format!("{successor})"), ""), FINE);
        assert_eq!(
            shader(&format!("{member}\n{successor} %m)"), ""),
            warning("debug-info.opaque-type")
        );
    }

    #[test]
    fn members_know_what_they_are_in() {
        let with = |member: &str| {
            let global = format!(
                "%strange = Debug(TypeComposite %name Class %source 1 1 %unit %name %bits None)
%c = Debug(TypeComposite %name Class %source 1 1 %unit %name %bits None %member)
%member = Debug({member})"
            );
            opencl(&global, "")
        };
        let wrong = warning("debug-info.member");
        let member = "TypeMember %name %float %source 1 1 %c %u0 %bits None";
        assert_eq!(with(member), FINE);
        assert_eq!(with(&member.replace("%c", "%strange")), wrong);
        let unknown = member.replace("%c", "%none");
        assert_eq!(with(&unknown), warning("debug-info.none"));
        let base = "TypeInheritance %c %strange %u0 %bits None";
        assert_eq!(with(base), FINE);
        assert_eq!(
            with("TypeInheritance %strange %strange %u0 %bits None"),
            wrong
        );
        let method = "Function %name %type %source 1 1 %c %name None 1 %none";
        assert_eq!(with(method), FINE);
        assert_eq!(with(&method.replace("%c", "%unit")), wrong);
    }

    #[test]
    fn operations_have_their_operands() {
        let cases = [
            ("Deref", 0),
            ("Plus", 0),
            ("Minus", 0),
            ("PlusUconst", 1),
            ("BitPiece", 2),
            ("Swap", 0),
            ("Xderef", 0),
            ("StackValue", 0),
            ("Constu", 1),
        ];
        for (name, count) in cases {
            let operation = format!("%o = Debug(Operation {name}{}", " 7".repeat(count));
            let surplus = format!("{operation} 7)");
            assert_eq!(first(&format!("{operation})"), ""), FINE, "{name}");
            assert_eq!(first(&surplus, ""), error("debug-info.operation"), "{name}");
            assert_eq!(
                opencl(&surplus, ""),
                warning("debug-info.operation"),
                "{name}"
            );
        }
        let fragment = "%o = Debug(Operation %nine %u1 %bits)";
        let global = format!("%nine = OpConstant %u32 9\n{fragment}");
        assert_eq!(shader(&global, ""), FINE);
        let short = global.replace(" %bits)", ")");
        assert_eq!(shader(&short, ""), warning("debug-info.operation"));
        let float = global.replace("%bits)", "%f1)");
        assert_eq!(shader(&float, ""), error("debug-info.uint"));
    }

    #[test]
    fn numbers_are_in_their_tables() {
        let wrong = [
            (
                "%x = Debug(TypeQualifier %float %u7)",
                "debug-info.enumerant",
            ),
            (
                "%x = Debug(TypePointer %float %bits %u0)",
                "debug-info.enumerant",
            ),
            ("%x = Debug(Operation %bits)", "debug-info.enumerant"),
            (
                "%x = Debug(TypeBasic %name %bits %bits %u0)",
                "debug-info.enumerant",
            ),
            (
                "%x = Debug(CompilationUnit %u1 %u4 %source %many)",
                "debug-info.enumerant",
            ),
            (
                "%x = Debug(ImportedEntity %name %u2 %source %unit %u1 %u1 %unit)",
                "debug-info.enumerant",
            ),
            (
                "%x = Debug(TypeComposite %name %u3 %source %u1 %u1 %unit %name %bits %u0)",
                "debug-info.enumerant",
            ),
            (
                "%x = Debug(TypeBasic %name %bits %u3 %many)",
                "debug-info.flags",
            ),
            (
                "%x = Debug(TypePointer %float %u4 %both)",
                "debug-info.flags-apart",
            ),
            (
                "%x = Debug(TypeBasic %name %f1 %u3 %u0)",
                "debug-info.constant",
            ),
            (
                "%x = Debug(FunctionDeclaration %name %type %source %u1 %u1 %unit %name %eight)",
                "debug-info.flag-place",
            ),
        ];
        for (line, rule) in wrong {
            let global = format!(
                "%many = OpConstant %u32 0x7fff0000
%both = OpConstant %u32 0x1800
%eight = OpConstant %u32 8
{line}"
            );
            assert_eq!(shader(&global, ""), warning(rule), "{line}");
        }
    }

    #[test]
    fn nothing_is_asked_of_what_was_taken_away() {
        // Every id of a debugging instruction, one at a time.
        let lines: Vec<&str> = FIRST.lines().filter(|line| line.contains('=')).collect();
        for line in &lines[1..] {
            let (id, _) = line.split_once(' ').unwrap();
            let gone: String = lines
                .iter()
                .filter(|other| !other.starts_with(&format!("{id} =")))
                .map(|other| {
                    let words = other.split(' ');
                    let words = words.map(|word| match word.trim_end_matches(')') == id {
                        true => word.replace(id, "%none"),
                        false => word.to_owned(),
                    });
                    words.collect::<Vec<_>>().join(" ") + "\n"
                })
                .collect();
            assert_eq!(judged(&module("DebugInfo", &gone, "")), FINE, "{id}");
        }
    }

    #[test]
    fn long_chains_take_no_longer_than_short_ones() {
        const LENGTH: usize = 100_000;
        let mut blocks = String::new();
        let mut calls = String::from("%c0 = Debug(InlinedAt 1 %of_main)\n");
        let mut types = String::from("%t0 = Debug(TypePointer %float Function None)\n");
        for at in 1..=LENGTH {
            let before = at - 1;
            let parent = match at {
                1 => "%of_main".to_owned(),
                _ => format!("%b{before}"),
            };
            blocks += &format!("%b{at} = Debug(LexicalBlock %text 1 1 {parent})\n");
            calls += &format!("%c{at} = Debug(InlinedAt 1 %of_other %c{before})\n");
            types += &format!("%t{at} = Debug(TypeQualifier %t{before} ConstType)\n");
        }
        let body = format!("%s = Debug(Scope %b{LENGTH})\n%t = Debug(Scope %of_other %c{LENGTH})");
        assert_eq!(first(&format!("{blocks}{calls}{types}"), &body), FINE);
    }

    #[test]
    fn long_circles_are_told_once() {
        const LENGTH: usize = 50_000;
        let forward = "OpExtInstWithForwardRefsKHR %void %set Debug";
        let mut global = format!("%b0 = {forward}LexicalBlock %source %u1 %u1 %b{LENGTH}\n");
        for at in 1..=LENGTH {
            let before = at - 1;
            global += &format!("%b{at} = Debug(LexicalBlock %source %u1 %u1 %b{before})\n");
        }
        assert_eq!(shader(&global, ""), error("debug-info.scope-circle"));
    }
}

/// Every rule in every set that it applies to, as tables: declarations, what stands in the
/// function, and what the module then breaks.
mod every_set {
    use super::*;

    /// What the tables' lines refer to, by the sets' names.
    const COMMON: [(&str, &str); 3] = [
        (
            "DebugInfo",
            "%none = Debug(InfoNone)
%unit = Debug(CompilationUnit %text 1 4)
%float = Debug(TypeBasic %name %bits Float)
%type = Debug(TypeFunction %void %float)
%of_main = Debug(Function %name %type %text 1 1 %unit %name None 1 %main)
%of_other = Debug(Function %name %type %text 1 1 %unit %name None 1 %other)
%class = Debug(TypeComposite %name Class %text 1 1 %unit %bits None)
%union = Debug(TypeComposite %name Union %text 1 1 %unit %bits None)
%local = Debug(LocalVariable %name %float %text 1 1 %of_main)
%call = Debug(InlinedAt 1 %of_main)
%parameter = Debug(TypeTemplateParameter %name %float %u1 %text 1 1)
%expression = Debug(Expression)
",
        ),
        (
            "OpenCL.DebugInfo.100",
            "%none = Debug(InfoNone)
%source = Debug(Source %name %text)
%unit = Debug(CompilationUnit 1 4 %source OpenCL_C)
%float = Debug(TypeBasic %name %bits Float)
%type = Debug(TypeFunction None %void %float)
%of_main = Debug(Function %name %type %source 1 1 %unit %name None 1 %main)
%of_other = Debug(Function %name %type %source 1 1 %unit %name None 1 %other)
%class = Debug(TypeComposite %name Class %source 1 1 %unit %name %bits None)
%union = Debug(TypeComposite %name Union %source 1 1 %unit %name %bits None)
%local = Debug(LocalVariable %name %float %source 1 1 %of_main None)
%call = Debug(InlinedAt 1 %of_main)
%parameter = Debug(TypeTemplateParameter %name %float %u1 %source 1 1)
%expression = Debug(Expression)
",
        ),
        (
            "NonSemantic.Shader.DebugInfo.100",
            "%none = Debug(InfoNone)
%source = Debug(Source %name %text)
%unit = Debug(CompilationUnit %u1 %u4 %source %u5)
%float = Debug(TypeBasic %name %bits %u3 %u0)
%type = Debug(TypeFunction %u0 %void %float)
%of_main = Debug(Function %name %type %source %u1 %u1 %unit %name %u0 %u1)
%of_other = Debug(Function %name %type %source %u1 %u1 %unit %name %u0 %u1)
%class = Debug(TypeComposite %name %u0 %source %u1 %u1 %unit %name %bits %u0)
%union = Debug(TypeComposite %name %u2 %source %u1 %u1 %unit %name %bits %u0)
%local = Debug(LocalVariable %name %float %source %u1 %u1 %of_main %u0)
%call = Debug(InlinedAt %u1 %of_main)
%parameter = Debug(TypeTemplateParameter %name %float %u1 %source %u1 %u1)
%expression = Debug(Expression)
",
        ),
    ];

    fn judge(set: usize, lines: &str, body: &str) -> [Vec<&'static str>; 2] {
        let (name, common) = COMMON[set];
        judged(&module(name, &format!("{common}{lines}"), body))
    }

    fn error(rule: &'static str) -> [Vec<&'static str>; 2] {
        [vec![rule], vec![]]
    }

    fn warning(rule: &'static str) -> [Vec<&'static str>; 2] {
        [vec![], vec![rule]]
    }

    const FINE: [Vec<&str>; 2] = [vec![], vec![]];
    const FIRST: usize = 0;
    const OPENCL: usize = 1;
    const SHADER: usize = 2;

    /// Runs a table of sets, lines, and rules whose breach is an error.
    fn refuses(table: &[(usize, &str, &'static str)]) {
        for &(set, line, rule) in table {
            assert_eq!(
                judge(set, line, ""),
                error(rule),
                "{} {line}",
                COMMON[set].0
            );
        }
    }

    /// The same of what is worth a warning.
    fn warns(table: &[(usize, &str, &'static str)]) {
        for &(set, line, rule) in table {
            assert_eq!(
                judge(set, line, ""),
                warning(rule),
                "{} {line}",
                COMMON[set].0
            );
        }
    }

    fn takes(table: &[(usize, &str)]) {
        for &(set, line) in table {
            assert_eq!(judge(set, line, ""), FINE, "{} {line}", COMMON[set].0);
        }
    }

    #[test]
    fn common_declarations_are_fine() {
        takes(&[(FIRST, ""), (OPENCL, ""), (SHADER, "")]);
    }

    #[test]
    fn operands_are_of_their_kinds() {
        refuses(&[
            (
                OPENCL,
                "%x = OpExtInst %u32 %set DebugInfoNone",
                "debug-info.void-result",
            ),
            (
                OPENCL,
                "%x = Debug(MacroDef %name 1 %u1)",
                "debug-info.text",
            ),
            (
                OPENCL,
                "%x = Debug(MacroDef %unit 1 %name)",
                "debug-info.text",
            ),
            (
                SHADER,
                "%x = Debug(MacroDef %unit %u1 %name)",
                "debug-info.text",
            ),
            (
                SHADER,
                "%x = Debug(EntryPoint %of_main %unit %u1 %name)",
                "debug-info.text",
            ),
            (SHADER, "%x = Debug(StoragePath %u1)", "debug-info.text"),
            (
                SHADER,
                "%x = Debug(MacroDef %name %f1 %name)",
                "debug-info.uint",
            ),
            (
                SHADER,
                "%x = Debug(TypeVector %float %f1)",
                "debug-info.uint",
            ),
            (
                SHADER,
                "%x = Debug(TypeVector %float %u5)",
                "debug-info.count",
            ),
            (
                SHADER,
                "%x = Debug(TypeVector %float %u0)",
                "debug-info.count",
            ),
            (
                OPENCL,
                "%x = Debug(TypeVector %float 0)",
                "debug-info.count",
            ),
            (
                OPENCL,
                "%x = Debug(TypeArray %float %f1)",
                "debug-info.array-length",
            ),
            (
                OPENCL,
                "%x = Debug(TypeArray %float %u0)",
                "debug-info.array-length",
            ),
            (
                OPENCL,
                "%x = Debug(TypeArray %float %none)",
                "debug-info.array-length",
            ),
            (
                SHADER,
                "%x = Debug(TypeArray %float %local)",
                "debug-info.array-length",
            ),
            (
                SHADER,
                "%x = Debug(TypeFunction %u0 %f32)",
                "debug-info.kind",
            ),
            (
                OPENCL,
                "%x = Debug(TypeFunction None %f32)",
                "debug-info.kind",
            ),
            (
                FIRST,
                "%x = Debug(TypeFunction %f32)",
                "original-debug-info.kind",
            ),
            (
                OPENCL,
                "%x = Debug(TypeTemplate %float %parameter)",
                "debug-info.kind",
            ),
            (
                OPENCL,
                "%x = Debug(TypeTemplate %class %float)",
                "debug-info.kind",
            ),
            (
                SHADER,
                "%x = Debug(TypeTemplate %float %parameter)",
                "debug-info.kind",
            ),
            (
                SHADER,
                "%x = Debug(TypeTemplate %class %float)",
                "debug-info.kind",
            ),
            (SHADER, "%x = Debug(Expression %float)", "debug-info.kind"),
            (
                SHADER,
                "%x = Debug(InlinedVariable %float %call)",
                "debug-info.kind",
            ),
            (
                SHADER,
                "%x = Debug(InlinedVariable %local %float)",
                "debug-info.kind",
            ),
            (
                FIRST,
                "%x = Debug(TypePtrToMember %float %union)",
                "original-debug-info.kind",
            ),
            (
                FIRST,
                "%x = Debug(InlinedVariable %float %call)",
                "original-debug-info.kind",
            ),
        ]);
        warns(&[
            (
                OPENCL,
                "%x = Debug(TypePtrToMember %unit %class)",
                "debug-info.kind",
            ),
            (
                OPENCL,
                "%x = Debug(TypePtrToMember %float %union)",
                "debug-info.kind",
            ),
            (
                SHADER,
                "%x = Debug(TypePtrToMember %unit %class)",
                "debug-info.kind",
            ),
            (
                SHADER,
                "%x = Debug(TypePtrToMember %float %union)",
                "debug-info.kind",
            ),
            (
                SHADER,
                "%v = Debug(TypeVector %float %u4)\n%x = Debug(TypeMatrix %v %u4 %u1)",
                "debug-info.constant",
            ),
            (
                SHADER,
                "%x = Debug(TypeBasic %name %f1 %u3 %u0)",
                "debug-info.constant",
            ),
            (
                OPENCL,
                "%x = Debug(TypeBasic %name %f1 Float)",
                "debug-info.constant",
            ),
            (
                SHADER,
                "%x = Debug(ImportedEntity %name %u0 %source %name %u1 %u1 %unit)",
                "debug-info.kind",
            ),
            (
                OPENCL,
                "%x = Debug(ImportedEntity %name ImportedModule %source %name 1 1 %unit)",
                "debug-info.kind",
            ),
            (
                OPENCL,
                "%p = Debug(TypeTemplateParameterPack %name %source 1 1 %parameter)\n%x = Debug(TypeTemplate %class %p)",
                "debug-info.kind",
            ),
        ]);
        takes(&[
            (FIRST, "%x = Debug(TypePtrToMember %float %class)"),
            (OPENCL, "%x = Debug(TypePtrToMember %float %class)"),
            (SHADER, "%x = Debug(TypePtrToMember %float %class)"),
            (
                FIRST,
                "%p = Debug(TypeTemplateParameterPack %name %text 1 1 %parameter)\n%x = Debug(TypeTemplate %class %p)",
            ),
            (OPENCL, "%x = Debug(TypeTemplate %class %parameter)"),
            (SHADER, "%x = Debug(TypeTemplate %of_main %parameter)"),
            (OPENCL, "%x = Debug(MacroDef %source 1 %name %name)"),
            (SHADER, "%x = Debug(MacroDef %source %u1 %name %name)"),
            (
                SHADER,
                "%v = Debug(TypeVector %float %u4)\n%x = Debug(TypeMatrix %v %u4 %true)",
            ),
            (SHADER, "%x = Debug(TypeArray %float %u0)"),
            (OPENCL, "%x = Debug(TypeArray %float %u1 %u2)"),
        ]);
    }

    #[test]
    fn sizes_are_constants() {
        let member = |size: &str| {
            let line = format!(
                "%spec = OpSpecConstant %u32 4
%null = OpConstantNull %f32
%m = Debug(TypeMember %name %float %source %u1 %u1 %u0 {size} %u0)
%c = Debug(TypeComposite %name %u1 %source %u1 %u1 %unit %name %bits %u0 %m)"
            );
            judge(SHADER, &line, "")
        };
        assert_eq!(member("%u4"), FINE);
        assert_eq!(member("%spec"), FINE);
        assert_eq!(member("%f1"), warning("debug-info.constant"));
        for wrong in ["%null", "%true", "%none", "%name"] {
            assert_eq!(member(wrong), error("debug-info.constant"), "{wrong}");
        }
    }

    #[test]
    fn none_stands_where_texts_name_it() {
        takes(&[
            (
                OPENCL,
                "%x = Debug(TypeEnum %name %none %source 1 1 %unit %bits None)",
            ),
            (
                SHADER,
                "%x = Debug(TypeEnum %name %none %source %u1 %u1 %unit %bits %u0)",
            ),
            (
                OPENCL,
                "%x = Debug(TypeComposite %name Class %source 1 1 %unit %name %none None)",
            ),
            (
                SHADER,
                "%x = Debug(TypeComposite %name %u0 %source %u1 %u1 %unit %name %none %u0)",
            ),
            (
                OPENCL,
                "%x = Debug(TypeTemplateParameter %name %float %none %source 1 1)",
            ),
            (
                SHADER,
                "%x = Debug(TypeTemplateParameter %name %float %none %source %u1 %u1)",
            ),
            (
                OPENCL,
                "%x = Debug(GlobalVariable %name %float %source 1 1 %unit %name %none None)",
            ),
            (
                SHADER,
                "%x = Debug(GlobalVariable %name %float %source %u1 %u1 %unit %name %none %u0)",
            ),
            (
                OPENCL,
                "%x = Debug(Function %name %type %source 1 1 %unit %name None 1 %none)",
            ),
            (SHADER, "%x = Debug(InlinedVariable %none %none)"),
            (FIRST, "%x = Debug(TypePointer %none Function None)"),
            (FIRST, "%x = Debug(Typedef %none %none %none 1 1 %none)"),
        ]);
        warns(&[
            (
                OPENCL,
                "%x = Debug(TypePointer %none Function None)",
                "debug-info.none",
            ),
            (
                SHADER,
                "%x = Debug(TypePointer %none %u7 %u0)",
                "debug-info.none",
            ),
            (
                OPENCL,
                "%x = Debug(TypeFunction None %none)",
                "debug-info.none",
            ),
            (
                SHADER,
                "%x = Debug(TypeFunction %u0 %void %none)",
                "debug-info.none",
            ),
            (
                SHADER,
                "%x = Debug(LexicalBlock %source %u1 %u1 %none)",
                "debug-info.none",
            ),
            (
                SHADER,
                "%x = Debug(CompilationUnit %u1 %u4 %none %u5)",
                "debug-info.none",
            ),
            (SHADER, "%x = Debug(Expression %none)", "debug-info.none"),
        ]);
        refuses(&[
            (
                OPENCL,
                "%x = Debug(TypeBasic %none %bits Float)",
                "debug-info.text",
            ),
            (
                SHADER,
                "%x = Debug(TypeBasic %none %bits %u3 %u0)",
                "debug-info.text",
            ),
            (
                OPENCL,
                "%x = Debug(TypeBasic %name %none Float)",
                "debug-info.constant",
            ),
            (
                SHADER,
                "%x = Debug(TypeBasic %name %none %u3 %u0)",
                "debug-info.constant",
            ),
            (SHADER, "%x = Debug(Source %name %none)", "debug-info.text"),
        ]);
    }

    #[test]
    fn discriminators_are_scopes_in_the_first_set() {
        takes(&[(
            FIRST,
            "%d = Debug(LexicalBlockDiscriminator %text 1 %of_main)\n%x = Debug(LexicalBlock %text 1 1 %d)",
        )]);
        refuses(&[
            (
                OPENCL,
                "%d = Debug(LexicalBlockDiscriminator %source 1 %of_main)\n%x = Debug(LexicalBlock %source 1 1 %d)",
                "debug-info.kind",
            ),
            (
                SHADER,
                "%d = Debug(LexicalBlockDiscriminator %source %u1 %of_main)\n%x = Debug(LexicalBlock %source %u1 %u1 %d)",
                "debug-info.kind",
            ),
        ]);
    }

    #[test]
    fn what_is_in_functions() {
        let cases = [
            (
                FIRST,
                "%x = Debug(Declare %local %float %expression)",
                error("original-debug-info.module-kind"),
            ),
            (
                OPENCL,
                "%x = Debug(Declare %local %float %expression)",
                error("debug-info.module-kind"),
            ),
            (
                SHADER,
                "%x = Debug(Declare %local %float %expression)",
                error("debug-info.module-kind"),
            ),
            (
                OPENCL,
                "%x = Debug(Declare %float %variable %expression)",
                error("debug-info.kind"),
            ),
            (
                OPENCL,
                "%x = Debug(Value %local %f1 %expression %f1)",
                error("debug-info.index"),
            ),
            (
                SHADER,
                "%x = Debug(Value %local %f1 %expression %true)",
                error("debug-info.index"),
            ),
            (
                SHADER,
                "%x = Debug(Declare %local %variable %expression %f1)",
                error("debug-info.index"),
            ),
            (
                OPENCL,
                "%x = Debug(Value %local %void %expression)",
                warning("debug-info.module-kind"),
            ),
            (
                SHADER,
                "%x = Debug(Value %local %unit %expression)",
                warning("debug-info.module-kind"),
            ),
            (FIRST, "%x = Debug(Value %local %f1 %expression %u1)", FINE),
            (
                OPENCL,
                "%x = Debug(Value %local %f1 %expression %u1 %u2)",
                FINE,
            ),
            (SHADER, "%x = Debug(Value %local %f1 %expression %u1)", FINE),
            (
                SHADER,
                "%x = Debug(Declare %local %variable %expression %u1)",
                FINE,
            ),
            (
                SHADER,
                "%x = Debug(FunctionDefinition %of_main %other)",
                error("debug-info.definition"),
            ),
            (
                SHADER,
                "%x = Debug(FunctionDefinition %of_main %main)",
                FINE,
            ),
            (
                OPENCL,
                "%x = Debug(Scope %of_other)",
                warning("debug-info.scope-function"),
            ),
            (OPENCL, "%x = Debug(Scope %of_other %call)", FINE),
        ];
        for (set, body, verdict) in cases {
            assert_eq!(judge(set, "", body), verdict, "{} {body}", COMMON[set].0);
        }
    }

    #[test]
    fn composites_do_not_contain_themselves() {
        // Directly, in an array, under another name; and by what is fine.
        let forward = "OpExtInstWithForwardRefsKHR %void %set Debug";
        let of = |set: usize, via: &str, flags: [&str; 3]| {
            let flags = flags[set];
            let lines = match set {
                FIRST => format!(
                    "%c = Debug(TypeComposite %name Structure %text 1 1 %unit %bits None %m)
{via}
%m = Debug(TypeMember %name %t %text 1 1 %c %u0 %bits {flags})"
                ),
                OPENCL => format!(
                    "%c = Debug(TypeComposite %name Structure %source 1 1 %unit %name %bits None %m)
{via}
%m = Debug(TypeMember %name %t %source 1 1 %c %u0 %bits {flags})"
                ),
                _ => format!(
                    "%static = OpConstant %u32 512
%c = {forward}TypeComposite %name %u1 %source %u1 %u1 %unit %name %bits %u0 %m
{via}
%m = Debug(TypeMember %name %t %source %u1 %u1 %u0 %bits {flags})"
                ),
            };
            judge(set, &lines, "")
        };
        let plain = ["None", "None", "%u0"];
        let statics = ["FlagStaticMember", "FlagStaticMember", "%static"];
        for set in [FIRST, OPENCL, SHADER] {
            let wrong = match set {
                FIRST => error("debug-info.size-circle"),
                _ => warning("debug-info.size-circle"),
            };
            let array = "%t = Debug(TypeArray %c %u4)";
            assert_eq!(of(set, array, plain), wrong, "{}", COMMON[set].0);
            assert_eq!(of(set, array, statics), FINE, "{}", COMMON[set].0);
            let pointer = match set {
                SHADER => "%t = Debug(TypePointer %c %u7 %u0)",
                _ => "%t = Debug(TypePointer %c Function None)",
            };
            assert_eq!(of(set, pointer, plain), FINE, "{}", COMMON[set].0);
        }
    }

    #[test]
    fn members_are_listed_once() {
        let twice = "%m = Debug(TypeMember %name %float %source %u1 %u1 %u0 %bits %u0)
%c = Debug(TypeComposite %name %u1 %source %u1 %u1 %unit %name %bits %u0 %m)
%d = Debug(TypeComposite %name %u1 %source %u1 %u1 %unit %name %bits %u0";
        takes(&[
            (SHADER, &format!("{twice})")),
            (
                SHADER,
                "%m = Debug(TypeMember %name %float %source %u1 %u1 %u0 %bits %u0)",
            ),
        ]);
        warns(&[
            (SHADER, &format!("{twice} %m)"), "debug-info.listed-once"),
            (
                OPENCL,
                "%m = Debug(TypeMember %name %float %source 1 1 %class %u0 %bits None)",
                "debug-info.listed-once",
            ),
            (
                OPENCL,
                "%c = Debug(TypeComposite %name Class %source 1 1 %unit %name %bits None %m %m)
%m = Debug(TypeMember %name %float %source 1 1 %c %u0 %bits None)",
                "debug-info.listed-once",
            ),
        ]);
    }

    #[test]
    fn flags_are_where_they_say_something() {
        warns(&[
            (
                FIRST,
                "%x = Debug(TypePointer %float Function FlagStaticMember)",
                "debug-info.flag-place",
            ),
            (
                FIRST,
                "%x = Debug(TypePointer %float Function FlagPrototyped)",
                "debug-info.flag-place",
            ),
            (
                OPENCL,
                "%x = Debug(TypePointer %float Function FlagTypePassByValue)",
                "debug-info.flag-place",
            ),
            (
                OPENCL,
                "%x = Debug(TypePointer %float Function FlagExplicit)",
                "debug-info.flag-place",
            ),
            (
                SHADER,
                "%f = OpConstant %u32 0x10000\n%x = Debug(TypePointer %float %u7 %f)",
                "debug-info.flag-place",
            ),
            (
                OPENCL,
                "%x = Debug(TypePointer %float Function FlagIsEnumClass)",
                "debug-info.flag-place",
            ),
            (
                OPENCL,
                "%x = Debug(FunctionDeclaration %name %type %source 1 1 %unit %name FlagIsDefinition)",
                "debug-info.flag-place",
            ),
            (
                OPENCL,
                "%x = Debug(TypePointer %float Function FlagLValueReference|FlagRValueReference)",
                "debug-info.flags-apart",
            ),
        ]);
        takes(&[
            (
                FIRST,
                "%x = Debug(FunctionDeclaration %name %type %text 1 1 %unit %name FlagPrototyped|FlagExplicit|FlagStaticMember)",
            ),
            (
                OPENCL,
                "%x = Debug(TypeComposite %name Class %source 1 1 %unit %name %bits FlagTypePassByValue)",
            ),
            (
                SHADER,
                "%f = OpConstant %u32 0x10000\n%x = Debug(TypeComposite %name %u0 %source %u1 %u1 %unit %name %bits %f)",
            ),
        ]);
    }

    #[test]
    fn types_and_scopes_of_the_successors() {
        warns(&[
            (
                OPENCL,
                "%x = Debug(TypeArray %float)",
                "debug-info.dimensions",
            ),
            (
                SHADER,
                "%x = Debug(TypeArray %float)",
                "debug-info.dimensions",
            ),
            (
                OPENCL,
                "%o = Debug(Operation Deref 1)",
                "debug-info.operation",
            ),
            (
                SHADER,
                "%p = Debug(LocalVariable %name %float %source %u1 %u1 %of_main %u0 %u2)",
                "debug-info.argument",
            ),
            (
                OPENCL,
                "%x = Debug(Function %name %type %source 1 1 %unit %name None 1 %main)",
                "debug-info.described-twice",
            ),
            (
                OPENCL,
                "%c = Debug(TypeComposite %name Class %source 1 1 %unit %name %bits None %b)
%b = Debug(TypeInheritance %c %c %u0 %bits None)",
                "debug-info.base-circle",
            ),
            (
                OPENCL,
                "%c = Debug(TypeComposite %name Class %source 1 1 %unit %name %none None %m)
%m = Debug(TypeMember %name %float %source 1 1 %c %u0 %bits None)",
                "debug-info.opaque-type",
            ),
            (
                SHADER,
                "%x = Debug(TypeBasic %name %bits %u4 %u0 %u0)",
                "debug-info.surplus",
            ),
            (
                SHADER,
                "%x = Debug(BuildIdentifier %name %u0)",
                "debug-info.build-identifier",
            ),
            (
                SHADER,
                "%x = Debug(SourceContinued %more)",
                "debug-info.source-continued",
            ),
        ]);
        refuses(&[
            (
                FIRST,
                "%x = Debug(TypeArray %float)",
                "debug-info.dimensions",
            ),
            (
                FIRST,
                "%c = Debug(TypeComposite %name Class %text 1 1 %unit %bits None %b)
%b = Debug(TypeInheritance %c %c %u0 %bits None)",
                "debug-info.base-circle",
            ),
        ]);
        takes(&[
            (OPENCL, "%x = Debug(TypeArray %float %u4)"),
            (SHADER, "%x = Debug(TypeArray %float %u4)"),
            (
                SHADER,
                "%p = Debug(LocalVariable %name %float %source %u1 %u1 %of_main %u0 %u1)",
            ),
        ]);
    }
}
