//! What is wrong with debugging information never hides what is wrong with the program.

use super::*;

const COMMON: &str = "%none = Debug(InfoNone)
%source = Debug(Source %name %text)
%unit = Debug(CompilationUnit %u1 %u4 %source %u5)
%float = Debug(TypeBasic %name %bits %u3 %u0)
%local = Debug(LocalVariable %name %float %source %u1 %u1 %unit %u0)
%expression = Debug(Expression)
";

/// The rules that a module breaks, with what of it is in a function.
fn broken(global: &str, body: &str) -> Vec<&'static str> {
    let global = format!("{COMMON}{global}");
    let text = module("NonSemantic.Shader.DebugInfo.100", &global, body);
    broken_rules(&text, &options())
}

#[test]
fn of_an_undefined_id_both_uses_are_told() {
    let value = "%v = Debug(Value %local %nowhere %expression)";
    let store = "OpStore %variable %nowhere";
    let undefined = "id.undefined";
    assert_eq!(broken("", store), [undefined]);
    assert_eq!(broken("", value), [undefined]);
    let both = format!("{value}\n{store}\n{store}");
    assert_eq!(broken("", &both), [undefined, undefined]);
    // Of the program's own, the rest follows.
    let both = format!("{store}\n{value}\n{store}");
    assert_eq!(broken("", &both), [undefined]);
}

#[test]
fn what_uses_a_wrong_instruction_is_told() {
    let wrong = "%wrong = Debug(TypePointer %f1 %u7 %u0)";
    let kind = "debug-info.kind";
    assert_eq!(broken(wrong, ""), [kind]);
    let store = broken("", "OpStore %variable %none");
    assert_eq!(store.len(), 1, "{store:?}");
    let both = broken(wrong, "OpStore %variable %wrong");
    assert_eq!(both, [kind, store[0]]);
}

#[test]
fn broken_instructions_hide_no_undefined_ids() {
    // An instruction of 8 words of which 5 are left.
    let cut = |body: &str| {
        let global = format!("{COMMON}%cut = Debug(TypePointer %float %u7 %u0)");
        let text = module("NonSemantic.Shader.DebugInfo.100", &global, body);
        let mut words = assemble(&text, &AssembleOptions::default()).unwrap().words;
        let is_cut = |each: &[u32]| each[0] == 0x0008_000C && each[4] == 3;
        let at = words.windows(5).position(is_cut).unwrap();
        words[at] = 0x0005_000C;
        words.drain(at + 5..at + 8);
        let report = validate(&words, &options());
        let found = report.diagnostics().iter();
        found.map(|each| each.rule()).collect::<Vec<_>>()
    };
    assert_eq!(cut(""), ["binary.malformed"]);
    let store = "OpStore %variable %nowhere";
    assert_eq!(cut(store), ["binary.malformed", "id.undefined"]);
}

#[test]
fn misplaced_instructions_hide_no_wrong_control_flow() {
    let circle = "OpBranch %loop\n%loop = OpLabel\nOpBranch %loop";
    let wrong = broken("", &format!("{circle}\n%next = OpLabel"));
    assert_eq!(wrong.len(), 1, "{wrong:?}");
    let text = module(
        "NonSemantic.Example",
        "",
        &format!("{circle}\n%lost = OpExtInst %void %set 1\n%next = OpLabel"),
    );
    let both = broken_rules(&text, &options());
    assert_eq!(both, [wrong[0], "layout.outside-block"]);
}

#[test]
fn as_many_errors_as_are_told_are_those_of_the_program() {
    let wrong = |many: usize| -> String {
        let all = 0..many;
        all.map(|at| format!("%wrong{at} = Debug(TypePointer %f1 %u7 %u0)\n"))
            .collect()
    };
    let checked = |many: usize, most: usize, body: &str| {
        let global = format!("{COMMON}{}", wrong(many));
        let text = module("NonSemantic.Shader.DebugInfo.100", &global, body);
        let module = assemble(&text, &AssembleOptions::default()).unwrap();
        let mut options = options();
        options.max_errors = most;
        let report = validate(&module.words, &options);
        let found = report.diagnostics().iter();
        let proper = found.filter(|each| !each.rule().starts_with("debug-info"));
        (report.diagnostics().len(), proper.count(), report.is_cut())
    };
    let store = "OpStore %variable %u1\nOpStore %variable %u2";
    assert_eq!(checked(10, 5, store), (5, 2, true));
    assert_eq!(checked(10, 2, store), (2, 2, true));
    assert_eq!(checked(10, 1, store), (1, 1, true));
    assert_eq!(checked(10, 12, store), (12, 2, false));
    assert_eq!(checked(10, 0, store), (12, 2, false));
    assert_eq!(checked(10, 5, ""), (5, 0, true));
    assert_eq!(checked(0, 1, store), (1, 1, true));
}
