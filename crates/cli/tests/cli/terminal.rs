//! What is different on a terminal.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::process::Stdio;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::common::{Dir, FAULTY, TEXT};

/// Runs `spv` on a terminal, with nothing on standard input.
fn on_terminal<A: AsRef<OsStr>>(
    dir: &Dir,
    arguments: &[A],
    variables: &[(&str, &str)],
) -> (i32, String) {
    on_terminal_with_input(dir, arguments, variables, || "")
}

/// Runs `spv` with standard output and error on a terminal; gives the exit code
/// and what the terminal got.
fn on_terminal_with_input<A: AsRef<OsStr>>(
    dir: &Dir,
    arguments: &[A],
    variables: &[(&str, &str)],
    input: impl FnOnce() -> &'static str,
) -> (i32, String) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new())
        .unwrap()
        .into_string()
        .unwrap();
    let other_side = File::options().read(true).write(true).open(name).unwrap();
    let mut child = dir
        .command(env!("CARGO_BIN_EXE_spv"))
        .args(arguments)
        .env("TERM", "xterm")
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(other_side.try_clone().unwrap())
        .stderr(other_side)
        .spawn()
        .unwrap();
    let reader = std::thread::spawn(move || {
        let mut output = Vec::new();
        // A terminal that nobody writes to any longer ends in an error.
        let _ = File::from(terminal).read_to_end(&mut output);
        String::from_utf8(output).unwrap()
    });
    let mut stdin = child.stdin.take().unwrap();
    // A program that has no use for its input may be gone already.
    let _ = stdin.write_all(input().as_bytes());
    drop(stdin);
    let code = child.wait().unwrap().code().unwrap();
    (code, reader.join().unwrap())
}

#[test]
fn a_module_never_goes_to_a_terminal() {
    let dir = Dir::new();
    dir.write("a.spvasm", TEXT);
    for arguments in [&["as", "a.spvasm"][..], &["as", "a.spvasm", "-o", "-"]] {
        let (code, output) = on_terminal(&dir, arguments, &[]);
        assert_eq!(code, 2);
        assert!(output.contains("-o FILE"), "{output}");
    }
    assert_eq!(
        on_terminal(&dir, &["as", "a.spvasm", "-o", "a.spv"], &[]),
        (0, String::new())
    );
}

#[test]
fn text_and_errors_are_coloured() {
    let dir = Dir::new();
    dir.module("a.spv", TEXT);
    dir.write("bad.spvasm", FAULTY);
    for (arguments, code) in [
        (&["dis", "a.spv"][..], 0),
        (&["as", "bad.spvasm", "-o", "x"], 1),
    ] {
        let (found, output) = on_terminal(&dir, arguments, &[]);
        assert!(found == code && output.contains("\x1b["), "{output}");
        for variable in [("NO_COLOR", "1"), ("CLICOLOR", "0")] {
            let (found, output) = on_terminal(&dir, arguments, &[variable]);
            assert!(found == code && !output.contains("\x1b["), "{output}");
        }
    }
    let (_, output) = on_terminal(&dir, &["dis", "--no-color", "a.spv"], &[]);
    assert!(!output.contains("\x1b["), "{output}");
    let (_, output) = on_terminal(&dir, &["dis", "a.spv", "-o", "a.spvasm"], &[]);
    assert_eq!(output, "");
    assert!(!dir.read_text("a.spvasm").contains('\x1b'));
}

#[test]
fn a_run_that_takes_long_shows_its_progress() {
    let dir = Dir::new();
    dir.write("a.spvasm", TEXT);
    let run = |options: &[&str], delay| {
        let arguments = [&["as", "-", "a.spvasm", "-o", "out"], options].concat();
        let slow = move || {
            std::thread::sleep(delay);
            TEXT
        };
        let (code, output) = on_terminal_with_input(&dir, &arguments, &[], slow);
        assert_eq!(code, 0, "{output}");
        output
    };
    let long = Duration::from_millis(1200);
    let output = run(&["--jobs=1"], long);
    assert!(output.contains("1/2"), "{output}");
    assert_eq!(run(&["--jobs=1", "--format=json"], long), "");
    assert_eq!(run(&[], Duration::ZERO), "");
}

/// What must not reach a terminal: each kind of control character, and what turns the
/// direction of text.
const HOSTILE: &str = "\u{1b}[31m\u{1b}]0;owned\u{7}\u{8}\u{7f}\u{9b}2J\u{202e}\u{2066}\rx";

/// A module with names, strings, sources and debug information of this kind throughout.
fn hostile_text() -> String {
    let h = HOSTILE;
    format!(
        "OpCapability Shader
OpCapability Linkage
OpExtension \"SPV_KHR_non_semantic_info\"
%set = OpExtInstImport \"NonSemantic.{h}\"
%debug = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main{h}\" %buffer
OpExecutionMode %main LocalSize 1 1 1
%file = OpString \"file{h}\"
%source = OpString \"source{h}\nline 2{h}\n\"
OpSource GLSL 450 %file \"void{h}\n\"
OpSourceExtension \"ext{h}\"
OpName %main \"main{h}\"
OpName %spec \"spec{h}\"
OpName %buffer \"buffer{h}\"
OpName %block \"block{h}\"
OpMemberName %block 0 \"member{h}\"
OpModuleProcessed \"tool{h}\"
OpDecorate %spec SpecId 3
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
OpDecorate %main LinkageAttributes \"export{h}\" Export
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%hundred = OpConstant %uint 100
%spec = OpSpecConstant %uint 5
%block = OpTypeStruct %uint
%pointer = OpTypePointer Uniform %block
%buffer = OpVariable %pointer Uniform
%text = OpExtInst %void %debug DebugSource %file %source
%unit = OpExtInst %void %debug DebugCompilationUnit %hundred %hundred %text %hundred
%basic = OpExtInst %void %debug DebugTypeBasic %file %hundred %one %zero
%main = OpFunction %void None %function
%label = OpLabel
OpLine %file 1 2
%1 = OpExtInst %void %set 7
OpReturn
OpFunctionEnd
"
    )
}

/// Whether a terminal may get this: text and, if it is to be coloured, colours.
#[track_caller]
fn assert_harmless(output: &str, color: bool, command: &[impl std::fmt::Debug]) {
    let mut rest = output.replace("\r\n", "\n");
    if color {
        while let Some(start) = rest.find("\x1b[") {
            let length = rest[start..].find('m').expect("a colour");
            let codes = &rest[start + 2..start + length];
            assert!(
                codes
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || byte == b';'),
                "{command:?} {output:?}"
            );
            rest.replace_range(start..=start + length, "");
        }
    }
    let is_harmful = |c: char| {
        c.is_control() && c != '\n' && c != '\t'
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!rest.contains(is_harmful), "{command:?} {output:?}");
}

#[test]
fn nothing_of_a_module_acts_on_a_terminal() {
    let dir = Dir::new();
    // Line ends and tabs in strings are text.
    let text = hostile_text();
    dir.module("a.spv", &text);
    dir.module(
        "b.spv",
        &text
            .replace("SpecId 3", "SpecId 4")
            .replace("main\x1b", "other\x1b"),
    );
    dir.write("a.spvasm", &text);
    let bad = text
        .replace("OpLabel", "OpLabl")
        .replace("DebugSource %file", "DebugSource %fil");
    dir.write(
        "bad.spvasm",
        format!("{bad}{HOSTILE}\nOp{HOSTILE}\n%a{HOSTILE} = OpNop\n"),
    );
    dir.write(
        "invalid.spvasm",
        text.replace(
            "OpDecorate %block Block",
            "OpDecorate %block BufferBlock\nOpDecorate %block Block",
        ),
    );
    // Strings that are no UTF-8: the bytes are control characters in other encodings.
    let mut broken = dir.read("a.spv");
    for at in 0..broken.len() - 3 {
        if broken[at..].starts_with(b"\x1b]0;") {
            broken[at..at + 3].copy_from_slice(b"\x9b\xff\x1b");
        }
    }
    dir.write("broken.spv", broken);
    let missing = format!("missing{HOSTILE}.spv");
    let main = format!("main{HOSTILE}");
    let commands: &[&[&str]] = &[
        &["as", "bad.spvasm", "-o", "x"],
        &["as", "bad.spvasm", "-o", "x", "--format=json"],
        &["as", &missing, "-o", "x"],
        &["as", &missing, "--format=json", "-o", "x"],
        &["as", "a.spvasm", "-o", &missing],
        &["as", "a.spvasm", "a.spvasm", "-o", &main],
        &["dis", "a.spv"],
        &[
            "dis",
            "--raw-id",
            "--annotate",
            "--source",
            "--comment",
            "a.spv",
        ],
        &["dis", "--lenient", "--offsets", "--nested-indent", "a.spv"],
        &["dis", "a.spv", &missing],
        &["dis", "a.spv", "-o", "/dev/tty"],
        &["val", "a.spv", "--target-env=vulkan1.3"],
        &["val", "invalid.spvasm", "--target-env=vulkan1.3"],
        &["val", "invalid.spvasm", "--format=json"],
        &["val", "invalid.spvasm", "--format=sarif"],
        &["val", "--format=json", &missing],
        &["val", "bad.spvasm"],
        &["diff", "a.spv", "b.spv"],
        &["diff", "--format=json", "a.spv", "b.spv"],
        &["diff", "a.spv", &missing],
        &["explain", &main],
        &["layout", "a.spv"],
        &["layout", "--format=json", "a.spv"],
        &["layout", "a.spv", &main],
        &["cfg", "a.spv"],
        &["cfg", "--format=json", "a.spv"],
        &["cfg", "--format=html", "a.spv"],
        &["cfg", "a.spv", "--function", &main],
        &["info", "a.spv"],
        &["info", "--format=json", "a.spv"],
        &["info", "--format=yaml", "a.spv"],
        &["info", &missing],
        &["specialize", "--list", "a.spv"],
        &["specialize", "a.spv", "--set", &main, "-o", "x"],
        &[
            "specialize",
            "a.spv",
            "--set",
            &format!("{main}=1"),
            "-o",
            "x",
        ],
        &["strip", "-v", "--debug-info", "a.spv", "-o", "x"],
        &["strip", "--dry-run", "a.spv"],
        &["strip", "bad.spvasm", "-o", "x"],
        &["trim-capabilities", "-v", "a.spv", "-o", "x"],
        &["compact-ids", &missing, "-o", "x"],
        &["link", "a.spv", "b.spv", "-o", "x"],
        &["link", "a.spv", "a.spv", "-o", "x"],
        &["merge", "a.spv", "a.spv", "-o", "x"],
        &["merge", "a.spv", "b.spv", "-o", "x"],
        &["split", "--list", "a.spv"],
        &["split", "a.spv", "--entry-point", &missing, "-o", "x"],
        &["split", "-v", "a.spv", "--entry-point", &main, "-o", "x"],
        &["debug", "dump", "a.spv"],
        &["debug", "dump", "--format=json", "a.spv"],
        &["debug", "sources", "a.spv"],
        &["debug", "sources", "--format=json", "a.spv"],
        &["debug", "sources", "a.spv", "--extract", "sources"],
        &[
            "debug",
            "sources",
            "a.spv",
            "--print",
            &format!("file{HOSTILE}"),
        ],
        &["debug", "lookup", "a.spv", "1"],
        &["debug", "lookup", "a.spv", &main],
        &["debug", "lookup", "a.spv", "%main"],
        &["debug", "lookup", "--format=json", "a.spv", "%label"],
        &["debug", "lookup", "a.spv", &format!("file{HOSTILE}:1")],
        &["debug", "scopes", "a.spv"],
        &["debug", "vars", "a.spv", &main],
        &["debug", "vars", "a.spv"],
        &["debug", "scopes", "--format=json", "a.spv"],
        &["split", "--all", "parts", "a.spv"],
        &["diff", "--full", "--with-id-map", "a.spv", "b.spv"],
        &["diff", "--raw-id", "--no-indent", "a.spv", "broken.spv"],
        &["split", "--list", "--format=json", "a.spv"],
        &["split", "--list", "broken.spv"],
        &["specialize", "--list", "--format=json", "a.spv"],
        &["specialize", "--list", "broken.spv"],
        &["layout", "--built-ins", "broken.spv"],
        &["info", "broken.spv"],
        &["info", "a.spv", "broken.spv", &missing],
        &["cfg", "broken.spv"],
        &["cfg", "--format=html", "a.spv", "-o", "/dev/tty"],
        &["dis", "broken.spv"],
        &["dis", "--lenient", "--annotate", "broken.spv"],
        &["val", "broken.spv", "--max-errors=0"],
        &["val", "broken.spv", "--max-errors=0", "--format=sarif"],
        &["link", "a.spv", "broken.spv", "-o", "x"],
        &["merge", "a.spv", "broken.spv", "-o", "x"],
        &["debug", "dump", "broken.spv"],
        &["debug", "sources", "broken.spv"],
        &["debug", "lookup", "a.spv", "0x14..0xffff"],
        &["debug", "lookup", "broken.spv", "0x14..0xffff"],
        &["debug", "remove", "--list", "a.spv", "%1"],
        &["debug", "remove", "--list", "a.spv", &main],
        &["debug", "convert", "--to=opencl", "a.spv", "-o", "x"],
        &[
            "debug",
            "convert",
            "--to=opencl",
            "--every-loss",
            "a.spv",
            "-o",
            "x",
        ],
        &["debug", "remove", "a.spv", &main, "-o", "x"],
        &["debug", "dwarf", "a.spv", "-o", "x"],
        &["drop-in", &format!("nowhere/{main}")],
        &["man", "--dir", &format!("a.spv/{main}")],
        &["completions", &main],
        &[&main],
        &["dis", &format!("--{main}")],
        &["dis", &format!("--max-errors={main}")],
    ];
    for command in commands {
        for (color, variables) in [(true, &[][..]), (false, &[("NO_COLOR", "1")])] {
            let (_, output) = on_terminal(&dir, command, variables);
            assert_harmless(&output, color, command);
            assert!(
                !output.contains("\x1b[31mx") && !output.contains("\x1b[31m\x1b]"),
                "{command:?}"
            );
        }
    }
    // Elsewhere the text is what it is.
    let ran = dir.spv(&["dis", "a.spv"]);
    assert!(ran.text().contains(HOSTILE));
    let sources = dir.spv(&["debug", "sources", "a.spv"]);
    assert!(String::from_utf8_lossy(&sources.stdout).contains(HOSTILE));
}

#[test]
fn escapes_show_what_is_there() {
    let dir = Dir::new();
    dir.module(
        "a.spv",
        "OpName %1 \"a\u{1b}[2J\\\\b\"\n%1 = OpString \"one\ntwo\u{202e}\"\n",
    );
    for variables in [&[][..], &[("NO_COLOR", "1")]] {
        let (_, output) = on_terminal(&dir, &["dis", "--raw-id", "a.spv"], variables);
        assert!(output.contains(r"a\u001b[2J\\b"), "{output}");
        assert!(output.contains("one\r\ntwo\\u202e"), "{output}");
    }
    // JSON means the same as before.
    let (_, output) = on_terminal(&dir, &["val", "--format=json", "missing\u{202e}.spv"], &[]);
    let report: serde_json::Value = serde_json::from_str(output.trim()).unwrap();
    assert_eq!(report["file"], "missing\u{202e}.spv");
}

fn without_colors(shown: &str) -> String {
    let mut text = shown.to_owned();
    while let Some(start) = text.find("\x1b[") {
        let length = text[start..].find('m').expect("a colour");
        text.replace_range(start..=start + length, "");
    }
    text
}

#[test]
fn what_a_terminal_shows_of_a_module_assembles_to_it() {
    let dir = Dir::new();
    let module = dir.module("a.spv", &hostile_text().replace('\n', " "));
    for variables in [&[][..], &[("NO_COLOR", "1")]] {
        let (code, shown) = on_terminal(&dir, &["dis", "--raw-id", "a.spv"], variables);
        assert_eq!(code, 0);
        let text = without_colors(&shown.replace("\r\n", "\n"));
        assert!(text.contains("main\\u001b[31m"), "{text}");
        let again = dir.spv_with_input(&["as", "-o", "-"], text.as_bytes());
        assert_eq!(again.bytes(), module, "{text}");
    }
}

#[test]
fn nothing_of_a_file_name_acts_on_a_terminal() {
    let dir = Dir::new();
    // Bytes that are no UTF-8, controls of both kinds, line ends, and what turns text.
    let mut name = b"n\xff\x9b2J".to_vec();
    name.extend(HOSTILE.as_bytes());
    name.extend(b"\r\n\xf0\x28");
    let named = |end: &str| {
        let mut name = name.clone();
        name.extend(end.as_bytes());
        OsString::from_vec(name)
    };
    let text = hostile_text();
    let module = dir.module("module", &text);
    let at = |name: &OsStr| dir.path("").join(name);
    for (file, content) in [
        (named(".spv"), &*module),
        (named(".spvasm"), text.as_bytes()),
        (named(".txt"), b"OpLabl\n"),
    ] {
        std::fs::write(at(&file), content).unwrap();
    }
    std::fs::create_dir(at(&named(".d"))).unwrap();
    std::fs::copy(at(&named(".spv")), at(&named(".d")).join(named(".spv"))).unwrap();
    std::fs::copy(at(&named(".txt")), at(&named(".d")).join(named(".spvasm"))).unwrap();
    // What the name stands for comes behind the `@`.
    let commands: &[&[&str]] = &[
        &["as", "@.txt", "-o", "x"],
        &["as", "@.spv", "-o", "x"],
        &["as", "@.d", "-o", "@.spv"],
        &["as", "@.spvasm", "-o", "@.missing/x"],
        &["as", "@.spvasm", "-o", "@.spvasm"],
        &["as", "@.d", "-o", "@.out.d", "--format=json"],
        &["dis", "@.spv"],
        &["dis", "@.d"],
        &["dis", "@.txt", "--format=json"],
        &["dis", "@.missing"],
        &["val", "@.d"],
        &["val", "@.d", "--format=json"],
        &["val", "@.d", "--format=sarif"],
        &["val", "@.spvasm", "--max-errors=1"],
        &["val", "@.missing", "--max-errors=@"],
        &["diff", "@.spv", "@.spvasm"],
        &["diff", "@.d", "@.d"],
        &["diff", "@.spv", "@.txt"],
        &["layout", "@.spv"],
        &["layout", "@.spv", "@.spvasm"],
        &["layout", "@.d", "--format=json"],
        &["cfg", "@.spv"],
        &["cfg", "@.d"],
        &["cfg", "@.spv", "-o", "@.svg"],
        &["cfg", "@.spv", "-o", "@.spv"],
        &["cfg", "@.spv", "--format=html"],
        &["info", "@.d"],
        &["info", "@.spv", "--format=json"],
        &["info", "@.txt", "--format=yaml"],
        &["specialize", "--list", "@.d"],
        &["specialize", "@.d", "--all-defaults", "-o", "@.out.d"],
        &["strip", "-v", "--debug-info", "@.d", "-o", "@.out.d"],
        &["strip", "--dry-run", "@.spv"],
        &["strip", "@.txt", "-o", "x"],
        &["trim-capabilities", "-v", "@.spv", "-o", "x"],
        &["compact-ids", "@.missing", "-o", "x"],
        &["link", "@.spv", "@.spvasm", "-o", "@.d"],
        &["merge", "@.spv", "@.missing", "-o", "x"],
        &["split", "--list", "@.spv"],
        &["split", "--all", "@.parts.d", "@.spv"],
        &["split", "--all", "@.spv", "@.spv"],
        &["debug", "dump", "@.spv"],
        &["debug", "sources", "@.spv", "--extract", "@.sources"],
        &["debug", "sources", "@.spv", "--extract", "@.sources"],
        &["debug", "sources", "@.spv", "--print", "@"],
        &["debug", "lookup", "@.spv", "@:1"],
        &["debug", "scopes", "@.txt"],
        &["debug", "vars", "@.spv", "%@"],
        &[
            "debug",
            "convert",
            "--to=opencl",
            "@.spv",
            "-o",
            "@.missing/x",
        ],
        &["debug", "remove", "--list", "@.spv", "%1"],
        &["debug", "dwarf", "@.spv", "-o", "@.missing/x"],
        &["explain", "@"],
        &["drop-in", "@.d"],
        &["drop-in", "@.spv/x"],
        &["man", "--dir", "@.spv/x"],
        &["completions", "@"],
        &["@"],
        &["dis", "--@"],
    ];
    for command in commands {
        let arguments: Vec<OsString> = command
            .iter()
            .map(|argument| match argument.split_once('@') {
                None => argument.into(),
                Some((before, end)) => {
                    let mut argument = OsString::from(before);
                    argument.push(named(end));
                    argument
                }
            })
            .collect();
        for (color, variables) in [(true, &[][..]), (false, &[("NO_COLOR", "1")])] {
            let (code, output) = on_terminal(&dir, &arguments, variables);
            assert!(code <= 2, "{command:?}");
            assert_harmless(&output, color, command);
        }
    }
}

#[test]
fn line_ends_of_other_systems_are_shown_and_kept() {
    let dir = Dir::new();
    let text = "%1 = OpString \"one\r\ntwo\r\n\"\nOpSource GLSL 450 %1 \"void\r\n\r\n\"\n";
    let module = dir.module("a.spv", text);
    let ran = dir.spv(&["dis", "--raw-id", "a.spv"]);
    assert!(ran.text().contains("\"one\r\ntwo\r\n\"\n"));
    assert!(ran.text().ends_with("\"void\r\n\r\n\"\n"));
    for (color, variables) in [(true, &[][..]), (false, &[("NO_COLOR", "1")])] {
        for source in [&[][..], &["--source"]] {
            let command = [&["dis", "--raw-id", "a.spv"], source].concat();
            let (_, shown) = on_terminal(&dir, &command, variables);
            assert_harmless(&shown, color, &command);
            assert!(shown.contains("one\\u000d\r\ntwo\\u000d\r\n"), "{shown}");
            let shown = without_colors(&shown.replace("\r\n", "\n"));
            let again = dir.spv_with_input(&["as", "-o", "-"], shown.as_bytes());
            assert_eq!(again.bytes(), module, "{shown}");
        }
    }
    // A source is shown as lines, and written as it is.
    let command = ["debug", "sources", "--print", "one\r\ntwo\r\n", "a.spv"];
    let (_, shown) = on_terminal(&dir, &command, &[]);
    assert_eq!(shown, "void\r\n\r\n");
    assert_eq!(dir.spv(&command).text(), "void\r\n\r\n");
    // Messages quote what they are about.
    dir.write(
        "bad.spvasm",
        "OpName %1 x\r\nOpName \"a\r\nb\" \"\"\r\nOpLine \"\r\n\r\n",
    );
    for command in [&["as", "bad.spvasm", "-o", "x"][..], &["val", "bad.spvasm"]] {
        for (color, variables) in [(true, &[][..]), (false, &[("NO_COLOR", "1")])] {
            let (code, shown) = on_terminal(&dir, command, variables);
            assert_eq!(code, 1);
            assert_harmless(&shown, color, command);
        }
    }
}
