//! Lines and debug information.

use super::*;

/// A library with OpenCL.DebugInfo.100 of a function.
pub(super) fn described(file: &str, name: &str) -> Module {
    let head = KERNEL.replace(
        "OpMemoryModel",
        "%d = OpExtInstImport \"OpenCL.DebugInfo.100\"\nOpMemoryModel",
    );
    module(&format!(
        "{head}%file = OpString \"{file}\"
%name = OpString \"{name}\"
%empty = OpString \"\"
OpDecorate %f LinkageAttributes \"{name}\" Export
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%type = OpTypeFunction %void
%source = OpExtInst %void %d DebugSource %file
%unit = OpExtInst %void %d DebugCompilationUnit 1 4 %source OpenCL_C
%dt = OpExtInst %void %d DebugTypeFunction None %void
%df = OpExtInst %void %d DebugFunction %name %dt %source 1 1 %unit %empty FlagIsPublic 1 %f
%f = OpFunction %void None %type
%l = OpLabel
%scope = OpExtInst %void %d DebugScope %df
OpLine %file 7 3
OpReturn
OpFunctionEnd
"
    ))
}

#[test]
fn compilation_units_of_all_modules_stay() {
    let text = linked(&[
        &described("a.cl", "f"),
        &described("b.cl", "g"),
        &described("a.cl", "h"),
    ]);
    for (what, wanted) in [
        ("OpExtInstImport", 1),
        ("OpString \"a.cl\"", 1),
        ("OpString \"\"", 1),
        ("DebugCompilationUnit", 3),
        ("DebugFunction ", 3),
        ("DebugScope", 3),
        ("OpLine", 3),
    ] {
        assert_eq!(count(&text, what), wanted, "{what}\n{text}");
    }
}

#[test]
fn lines_stay_with_what_they_are_of() {
    let part = |name: &str, line: u32, linkage: &str| {
        let body = match linkage {
            "Import" => String::new(),
            _ => format!("%l = OpLabel\nOpLine %file {} 1\nOpReturn\n", line + 1),
        };
        kernel(&format!(
            "%file = OpString \"{name}.cl\"
OpDecorate %f LinkageAttributes \"f\" {linkage}
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%p = OpTypePointer CrossWorkgroup %uint
OpLine %file {line} 0
%v = OpVariable %p CrossWorkgroup
OpNoLine
%w = OpVariable %p CrossWorkgroup
%type = OpTypeFunction %void
OpLine %file {line} 5
%f = OpFunction %void None %type
{body}OpFunctionEnd
"
        ))
    };
    let text = linked(&[&part("a", 10, "Import"), &part("b", 20, "Export")]);
    let module = module(&format!("; Version: 1.2\n{text}"));
    let lines: Vec<(String, Option<u32>)> = (module.instructions())
        .filter(|&inst| !module.is_place(inst))
        .map(|inst| {
            let line = module.line(inst).map(|line| module.get(line).words()[2]);
            (module.op(inst).to_string(), line)
        })
        .filter(|(op, _)| {
            ["OpVariable", "OpFunction", "OpReturn", "OpTypeVoid"].contains(&op.as_str())
        })
        .collect();
    let expected = [
        ("OpTypeVoid", None),
        ("OpVariable", Some(10)),
        ("OpVariable", None),
        ("OpVariable", Some(20)),
        ("OpVariable", None),
        ("OpFunction", Some(20)),
        ("OpReturn", Some(21)),
    ];
    let expected: Vec<_> = expected.map(|(op, line)| (op.to_owned(), line)).into();
    assert_eq!(lines, expected, "{text}");
    assert_eq!(count(&text, "OpString"), 2, "{text}");
}

#[test]
fn names_of_what_is_gone_are_gone() {
    let text = linked(&[&user(), &library()]);
    assert_eq!(count(&text, "\"x\""), 0, "{text}");
    assert_eq!(count(&text, "\"y\""), 1, "{text}");
}
