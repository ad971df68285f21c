//! What all commands tell in the same way: errors for programs, colour.

use serde_json::Value;

use crate::common::{Dir, FAULTY, Ran, run};

/// What is on standard error, which must be an object a line with the keys of
/// docs/errors-json.md.
#[track_caller]
fn errors(ran: &Ran) -> Vec<Value> {
    let parse = |line: &str| -> Value {
        let error: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{ran:?}"));
        let keys = [
            "file",
            "severity",
            "rule",
            "category",
            "spec",
            "vuid",
            "word_offset",
            "instruction",
            "operand",
            "message",
            "location",
            "source",
            "related",
            "help",
        ];
        let found: Vec<&str> = error
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        for key in keys {
            assert!(found.contains(&key), "no {key} in {line}");
        }
        error
    };
    ran.stderr.lines().map(parse).collect()
}

/// A command for each, with options that it needs, before its inputs.
const COMMANDS: [&[&str]; 22] = [
    &["as", "-o", "out/"],
    &["dis"],
    &["layout"],
    &["cfg"],
    &["info"],
    &["run"],
    &["specialize", "--list"],
    &["specialize", "--all-defaults", "-o", "out/"],
    &["opt", "-o", "out/"],
    &["strip", "--all", "-o", "out/"],
    &["trim-capabilities", "-o", "out/"],
    &["link", "-o", "out.spv"],
    &["merge", "-o", "out.spv"],
    &["compact-ids", "-o", "out/"],
    &["split", "--list"],
    &["debug", "dump"],
    &["debug", "sources"],
    &["debug", "scopes"],
    &["debug", "vars"],
    &["debug", "dwarf", "-o", "out.o"],
    &["debug", "convert", "--to", "shader", "-o", "out/"],
    &["diff", "bad.spvasm"],
];

#[test]
fn errors_have_one_form_for_programs_in_all_commands() {
    let dir = Dir::new();
    dir.write("bad.spvasm", FAULTY);
    for command in COMMANDS {
        let with = |rest: &[&str]| {
            let ran = dir.spv(&[command, &["--format", "json"], rest].concat());
            assert!(ran.code > 0, "{command:?} {rest:?}");
            assert!(ran.stdout.is_empty(), "{command:?} {rest:?}: {ran:?}");
            let reported = errors(&ran);
            let rules: Vec<String> = reported.iter().map(|it| it["rule"].to_string()).collect();
            (ran.code, rules.join(" "))
        };
        let (code, rules) = with(&["missing.spv"]);
        assert_eq!(code, 1, "{command:?}");
        assert!(rules.contains("io.read"), "{command:?}: {rules}");
        if command[0] != "dis" {
            let (code, rules) = with(&["bad.spvasm"]);
            assert_eq!(code, 1, "{command:?}");
            assert!(rules.contains("text.unknown-"), "{command:?}: {rules}");
        }
        let (code, rules) = with(&["--nonsense"]);
        assert_eq!((code, &*rules), (2, "\"cli.usage\""), "{command:?}");
    }
}

#[test]
fn wrong_usage_is_reported_to_programs_too() {
    let dir = Dir::new();
    let ran = dir.spv(&["diff", "--format=json", "-", "-"]);
    assert_eq!(ran.code, 2);
    assert_eq!(
        errors(&ran)[0]["message"],
        "standard input can be read only once"
    );
    let ran = dir.spv(&["layout", "--format", "json", "--rules", "std999"]);
    assert_eq!(ran.code, 2);
    let message = errors(&ran)[0]["message"].to_string();
    assert!(message.contains("std999"), "{message}");
}

#[test]
fn forms_are_called_the_same_everywhere() {
    let dir = Dir::new();
    dir.module("a.spv", crate::common::TEXT);
    for command in ["layout", "info"] {
        let human = dir.spv(&[command, "a.spv"]);
        for name in ["human", "text", "table"] {
            let named = dir.spv(&[command, "--format", name, "a.spv"]);
            assert_eq!(named.text(), human.text(), "{command} {name}");
        }
    }
    for name in ["human", "text"] {
        assert_eq!(
            dir.spv(&["diff", "--format", name, "a.spv", "a.spv"]).code,
            0
        );
        assert_eq!(dir.spv(&["dis", "--format", name, "a.spv"]).code, 0);
    }
}

#[test]
fn colour_is_as_the_environment_says() {
    let dir = Dir::new();
    dir.write("bad.spvasm", FAULTY);
    let colored = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = dir.command(env!("CARGO_BIN_EXE_spv"));
        command.args(arguments).envs(variables.iter().copied());
        run(&mut command, b"").stderr.contains('\x1b')
    };
    let commands: [&[&str]; 6] = [
        &["as", "bad.spvasm"],
        &["val", "bad.spvasm"],
        &["layout", "bad.spvasm"],
        &["info", "bad.spvasm"],
        &["debug", "dump", "bad.spvasm"],
        &["diff", "bad.spvasm", "bad.spvasm"],
    ];
    for command in commands {
        assert!(!colored(command, &[]), "{command:?}");
        assert!(colored(command, &[("CLICOLOR_FORCE", "1")]), "{command:?}");
        assert!(!colored(command, &[("CLICOLOR_FORCE", "0")]), "{command:?}");
        let both = [("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")];
        assert!(!colored(command, &both), "{command:?}");
        let with = |option: &'static str| [command, &[option]].concat();
        assert!(
            colored(&with("--color=always"), &[("NO_COLOR", "1")]),
            "{command:?}"
        );
        assert!(colored(&with("--color"), &[]), "{command:?}");
        let never = with("--color=never");
        assert!(!colored(&never, &[("CLICOLOR_FORCE", "1")]), "{command:?}");
    }
}

#[test]
fn lists_are_for_programs_too() {
    let dir = Dir::new();
    let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n\
                OpEntryPoint GLCompute %3 \"main\"\nOpExecutionMode %3 LocalSize 1 1 1\n\
                OpName %9 \"size\"\nOpDecorate %9 SpecId 4\n\
                %1 = OpTypeVoid\n%2 = OpTypeFunction %1\n%5 = OpTypeInt 16 0\n%9 = OpSpecConstant %5 7\n\
                %3 = OpFunction %1 None %2\n%4 = OpLabel\nOpReturn\nOpFunctionEnd\n";
    dir.write("a.spvasm", text);
    let list = |command: &str| -> Value {
        let ran = dir.spv(&[command, "--list", "--format", "json", "a.spvasm"]);
        serde_json::from_str(ran.text()).unwrap()
    };
    let constants = serde_json::json!([
        {"spec_id": 4, "id": 9, "name": "size", "type": "uint16", "default": "7"}
    ]);
    assert_eq!(list("specialize")["constants"], constants);
    let human = dir.spv(&["specialize", "--list", "a.spvasm"]);
    assert_eq!(human.text(), "4\t%size\tuint16\t7\tsize\n");
    let entry_points = serde_json::json!([{"model": "GLCompute", "name": "main", "function": 3}]);
    assert_eq!(list("split")["entry_points"], entry_points);
}

#[test]
fn what_is_not_found_ends_with_1_in_all_commands() {
    let dir = Dir::new();
    dir.module("a.spv", crate::common::TEXT);
    let commands: [&[&str]; 8] = [
        &["layout", "a.spv", "missing"],
        &["cfg", "--function", "missing", "a.spv"],
        &["split", "--entry-point", "missing", "a.spv"],
        &["specialize", "--freeze", "missing", "a.spv"],
        &["debug", "lookup", "a.spv", "missing"],
        &["debug", "vars", "a.spv", "%missing"],
        &["debug", "sources", "--print", "missing", "a.spv"],
        &["explain", "missing"],
    ];
    for command in commands {
        let ran = dir.spv(command);
        assert_eq!((ran.code, ran.stdout.len()), (1, 0), "{command:?}: {ran:?}");
        assert!(ran.stderr.starts_with("error["), "{command:?}: {ran:?}");
        let json = dir.spv(&[command, &["--format", "json"]].concat());
        assert_eq!(json.code, 1, "{command:?}");
        assert_eq!(errors(&json).len(), 1, "{command:?}");
    }
}

#[test]
fn a_dash_is_standard_output_in_all_commands() {
    let dir = Dir::new();
    let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n\
                OpEntryPoint GLCompute %3 \"main\"\nOpExecutionMode %3 LocalSize 1 1 1\n\
                %1 = OpTypeVoid\n%2 = OpTypeFunction %1\n\
                %3 = OpFunction %1 None %2\n%4 = OpLabel\nOpReturn\nOpFunctionEnd\n";
    dir.write("a.spvasm", text);
    let module = dir.module("a.spv", text);
    let commands: [&[&str]; 14] = [
        &["as", "a.spvasm"],
        &["dis", "a.spv"],
        &["cfg", "a.spv"],
        &["specialize", "--all-defaults", "a.spv"],
        &["opt", "a.spv"],
        &["strip", "--all", "a.spv"],
        &["trim-capabilities", "a.spv"],
        &["compact-ids", "a.spv"],
        &["link", "a.spv"],
        &["merge", "a.spv"],
        &["split", "--entry-point", "main", "a.spv"],
        &["debug", "convert", "--to", "shader", "a.spv"],
        &["debug", "dwarf", "a.spv"],
        &["debug", "remove", "debug.spv"],
    ];
    let converted = [
        "debug",
        "convert",
        "--to",
        "shader",
        "a.spv",
        "-o",
        "debug.spv",
    ];
    assert_eq!(dir.spv(&converted).code, 0);
    for command in commands {
        let mut arguments = command.to_vec();
        let dump;
        if command.last() == Some(&"debug.spv") {
            dump = dir
                .spv(&["debug", "dump", "--raw-id", "debug.spv"])
                .text()
                .to_owned();
            let line = dump.lines().find(|line| line.contains("function main"));
            let line = line.unwrap_or_else(|| panic!("no function in {dump}"));
            arguments.push(line.split_whitespace().next().unwrap());
        }
        arguments.extend(["-o", "-"]);
        let ran = dir.spv(&arguments);
        assert!(!ran.bytes().is_empty(), "{arguments:?}");
        assert!(!dir.path("-").exists(), "{arguments:?}");
        if ["as", "compact-ids"].contains(&command[0]) {
            assert_eq!(ran.bytes().len(), module.len());
        }
    }
}
