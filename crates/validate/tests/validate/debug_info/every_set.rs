//! Every rule in every set that it applies to, as tables: declarations, what stands in the
//! function, and what the module then breaks.

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

fn check(set: usize, lines: &str, body: &str) -> [Vec<&'static str>; 2] {
    let (name, common) = COMMON[set];
    checked(&module(name, &format!("{common}{lines}"), body))
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
            check(set, line, ""),
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
            check(set, line, ""),
            warning(rule),
            "{} {line}",
            COMMON[set].0
        );
    }
}

fn takes(table: &[(usize, &str)]) {
    for &(set, line) in table {
        assert_eq!(check(set, line, ""), FINE, "{} {line}", COMMON[set].0);
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
        check(SHADER, &line, "")
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
    // All sets' texts let it stand for what was removed.
    takes(&[
        (OPENCL, "%x = Debug(TypePointer %none Function None)"),
        (SHADER, "%x = Debug(TypePointer %none %u7 %u0)"),
        (OPENCL, "%x = Debug(TypeFunction None %none)"),
        (SHADER, "%x = Debug(TypeFunction %u0 %void %none)"),
        (SHADER, "%x = Debug(LexicalBlock %source %u1 %u1 %none)"),
        (SHADER, "%x = Debug(CompilationUnit %u1 %u4 %none %u5)"),
        (SHADER, "%x = Debug(Expression %none)"),
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
        (OPENCL, "%x = Debug(Scope %of_other)", FINE),
        (OPENCL, "%x = Debug(Scope %of_other %call)", FINE),
    ];
    for (set, body, result) in cases {
        assert_eq!(check(set, "", body), result, "{} {body}", COMMON[set].0);
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
        check(set, &lines, "")
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
fn flags_do_not_contradict_what_has_them() {
    warns(&[
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
    // What else goes with what, no text says.
    takes(&[
        (
            FIRST,
            "%x = Debug(FunctionDeclaration %name %type %text 1 1 %unit %name FlagPrototyped|FlagExplicit|FlagStaticMember)",
        ),
        (
            OPENCL,
            "%x = Debug(LocalVariable %name %float %source 1 1 %of_main FlagExplicit)",
        ),
        (
            SHADER,
            "%f = OpConstant %u32 0x10000\n%x = Debug(TypePointer %float %u7 %f)",
        ),
    ]);
}

#[test]
fn types_and_scopes_of_the_successors() {
    warns(&[
        (
            SHADER,
            "%x = Debug(GlobalVariable %name %float %source %u1 %u1 %unit %name %private %name)",
            "debug-info.uint",
        ),
        (
            SHADER,
            "%one = OpExtInstWithForwardRefsKHR %void %set DebugLexicalBlock %source %u1 %u1 %two
%two = Debug(LexicalBlock %source %u1 %u1 %one)",
            "debug-info.scope-circle",
        ),
        (
            SHADER,
            "%one = OpExtInstWithForwardRefsKHR %void %set DebugTypePointer %two %u7 %u0
%two = Debug(TypeQualifier %one %u0)",
            "debug-info.type-circle",
        ),
        (
            SHADER,
            "%one = OpExtInstWithForwardRefsKHR %void %set DebugInlinedAt %u1 %unit %two
%two = Debug(InlinedAt %u1 %unit %one)",
            "debug-info.inlined-circle",
        ),
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
