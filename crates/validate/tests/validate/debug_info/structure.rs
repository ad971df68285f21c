//! What the three sets have in common, in the words of `DebugInfo` and of
//! `OpenCL.DebugInfo.100`.

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
    checked(&module("DebugInfo", &format!("{FIRST}{global}"), body))
}

fn opencl(global: &str, body: &str) -> [Vec<&'static str>; 2] {
    let global = format!("{OPENCL}{global}");
    checked(&module("OpenCL.DebugInfo.100", &global, body))
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
    checked(&module("NonSemantic.Shader.DebugInfo.100", &global, body))
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
    // The successors leave it open.
    let body = "%s = Debug(Scope %of_other)";
    assert_eq!(opencl("", body), FINE);
    let defined = format!("%d = Debug(FunctionDefinition %of_main %main)\n{body}");
    assert_eq!(shader("", &defined), FINE);
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
    // The successors leave it open.
    let known = "%block = Debug(LexicalBlock %source 1 1 %of_main)
%in_other = Debug(LocalVariable %name %float %source 1 1 %of_other None)";
    assert_eq!(opencl(known, value), FINE);
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
    assert_eq!(with(&member.replace("%c", "%none")), FINE);
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
        assert_eq!(checked(&module("DebugInfo", &gone, "")), FINE, "{id}");
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
    assert_eq!(shader(&global, ""), warning("debug-info.scope-circle"));
}
