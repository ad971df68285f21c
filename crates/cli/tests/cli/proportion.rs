//! What is made of a small module that names a large thing often stays in proportion.

use std::fmt::Write as _;

use crate::common::{Dir, word};

/// A module with an array of so many elements, of which half depend on a specialization
/// constant, in a structure.
fn with_array(elements: usize) -> String {
    let list: Vec<&str> = ["%one", "%spec"]
        .into_iter()
        .cycle()
        .take(elements)
        .collect();
    format!(
        "OpCapability Shader
OpMemoryModel Logical GLSL450
OpDecorate %spec SpecId 0
%void = OpTypeVoid
%type = OpTypeFunction %void
%uint = OpTypeInt 32 0
%one = OpConstant %uint 1
%count = OpConstant %uint {elements}
%spec = OpSpecConstant %uint 7
%array = OpTypeArray %uint %count
%struct = OpTypeStruct %uint %array
%list = OpSpecConstantComposite %array {}
%whole = OpSpecConstantComposite %struct %spec %list
",
        list.join(" ")
    )
}

/// So many lines with `{}` for the number of each.
fn lines(count: usize, line: &str) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "{}", line.replace("{}", &number.to_string()));
        text
    })
}

#[test]
fn composites_are_written_once_and_shared() {
    let dir = Dir::new();
    let uses = lines(
        300,
        "%x{} = OpSpecConstantOp %struct CompositeInsert %one %whole 0",
    );
    let module = dir.module("a.spv", &(with_array(400) + &uses));
    let special = dir.spv(&["specialize", "--all-defaults", "a.spv"]);
    let special = special.bytes();
    // The array is there as it was, and each structure names it.
    assert!(special.len() <= module.len(), "{}", special.len());
    let body = lines(300, "%x{} = OpCompositeInsert %struct %one %whole 0");
    let function =
        format!("%f = OpFunction %void None %type\n%l = OpLabel\n{body}OpReturn\nOpFunctionEnd\n");
    let module = dir.module("b.spv", &(with_array(400) + &function));
    let folded = dir.spv(&["specialize", "--all-defaults", "--fold", "b.spv"]);
    assert!(folded.bytes().len() <= module.len());
}

#[test]
fn values_are_shared_down_to_their_parts() {
    let dir = Dir::new();
    // Parts that nothing had before are there once, and later values use them.
    let text = with_array(2)
        + "%a = OpSpecConstantOp %uint IAdd %spec %one
%two = OpSpecConstantOp %uint IAdd %one %one
%vec = OpTypeVector %uint 2
%pair = OpSpecConstantComposite %vec %spec %one
%ones = OpConstantComposite %vec %one %one
%x = OpSpecConstantOp %vec IAdd %pair %ones
%y = OpSpecConstantOp %vec IAdd %x %pair
%z = OpSpecConstantOp %vec IMul %y %y
";
    dir.module("a.spv", &text);
    let ran = dir.spv(&["specialize", "--all-defaults", "a.spv", "-o", "b.spv"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let text = dir.spv(&["dis", "--raw-id", "b.spv"]);
    let count = |what: &str| text.text().matches(what).count();
    assert_eq!(count("OpSpecConstant"), 0, "{}", text.text());
    for value in ["8\n", "15\n", "3\n", "225\n", "9\n"] {
        let constants = text.text().lines().filter(|line| {
            line.contains("OpConstant %") && format!("{line}\n").ends_with(&format!(" {value}"))
        });
        assert_eq!(constants.count(), 1, "{value} in {}", text.text());
    }
}

#[test]
fn what_has_no_room_stays_a_specialization_constant() {
    let dir = Dir::new();
    let uses = lines(
        2000,
        "%x{} = OpSpecConstantOp %array CompositeInsert %one %list 3",
    );
    let module = dir.module("a.spv", &(with_array(4000) + &uses));
    let ran = dir.spv(&["specialize", "--all-defaults", "a.spv", "-o", "b.spv"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("stays as it is: its value would take more than")
    );
    assert!(dir.read("b.spv").len() < 16 * module.len() + (4 << 20));
    let body = lines(2000, "%x{} = OpCompositeInsert %array %one %list 3");
    let function =
        format!("%f = OpFunction %void None %type\n%l = OpLabel\n{body}OpReturn\nOpFunctionEnd\n");
    let module = dir.module("a.spv", &(with_array(4000) + &function));
    let arguments = [
        "specialize",
        "--all-defaults",
        "--fold",
        "a.spv",
        "-o",
        "b.spv",
    ];
    let ran = dir.spv(&arguments);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("were not all replaced"),
        "{}",
        ran.stderr
    );
    assert!(dir.read("b.spv").len() < 16 * module.len() + (4 << 20));
}

/// Entry points `e0`, `e1`, … of functions that call one that is large.
fn with_entry_points(count: usize, large: &str) -> String {
    let entries = lines(count, "OpEntryPoint GLCompute %f{} \"e{}\"");
    let functions = lines(
        count,
        "%f{} = OpFunction %void None %type\n%l{} = OpLabel\n%c{} = OpFunctionCall %void %all\nOpReturn\nOpFunctionEnd",
    );
    format!(
        "OpCapability Shader
OpMemoryModel Logical GLSL450
{entries}%void = OpTypeVoid
%type = OpTypeFunction %void
%uint = OpTypeInt 32 0
%one = OpConstant %uint 1
%pointer = OpTypePointer Input %uint
%v = OpVariable %pointer Input
VARIABLES
%all = OpFunction %void None %type
%l = OpLabel
{large}OpReturn
OpFunctionEnd
{functions}"
    )
}

#[test]
fn interfaces_have_an_end() {
    let dir = Dir::new();
    let loads = lines(1000, "%x{} = OpLoad %uint %v{}");
    let variables = lines(1000, "%v{} = OpVariable %pointer Input");
    let text = with_entry_points(1000, &loads).replace("VARIABLES\n", &variables);
    dir.module("a.spv", &text);
    let ran = dir.spv(&["link", "a.spv", "-o", "b.spv"]);
    ran.fails(1, "link.module-too-large");
    assert_eq!(dir.files(), ["a.spv"]);
}

#[test]
fn a_long_name_of_many_is_not_shown_for_each() {
    let dir = Dir::new();
    let name = "n".repeat(20_000);
    let targets: String = (0..5000).map(|number| format!(" %t{number}")).collect();
    let text = format!(
        "OpCapability Kernel\nOpCapability Linkage\nOpMemoryModel Physical64 OpenCL
OpDecorate %g LinkageAttributes \"{name}\" Export
%g = OpDecorationGroup
OpGroupDecorate %g{targets}
"
    );
    let module = dir.module("a.spv", &text);
    for format in ["human", "json"] {
        let ran = dir.spv(&["link", "--format", format, "a.spv", "-o", "b.spv"]);
        ran.fails(1, "link.more-errors");
        assert!(ran.stderr.len() < 64 * module.len() + (4 << 20));
        assert!(ran.stderr.contains("more errors are not shown"));
    }
}

#[test]
fn a_difference_of_wide_types_is_described_in_few_words() {
    let dir = Dir::new();
    let side = |members: usize, linkage: &str| {
        let mut types = format!("%t0 = OpTypeStruct{}\n", " %uint".repeat(members));
        for level in 0..6 {
            let _ = writeln!(
                types,
                "%t{} = OpTypeStruct{}",
                level + 1,
                format!(" %t{level}").repeat(8)
            );
        }
        format!(
            "OpCapability Kernel\nOpCapability Linkage\nOpMemoryModel Physical64 OpenCL
OpDecorate %v LinkageAttributes \"v\" {linkage}
%uint = OpTypeInt 32 0
{types}%p = OpTypePointer CrossWorkgroup %t6
%v = OpVariable %p CrossWorkgroup
"
        )
    };
    dir.module("a.spv", &side(3, "Import"));
    dir.module(
        "b.spv",
        &side(4, "Export").replace("%t6 = OpTypeStruct", "%t6 = OpTypeStruct %uint"),
    );
    let ran = dir.spv(&["link", "a.spv", "b.spv", "-o", "c.spv"]);
    ran.fails(1, "the types of `v` differ: the pointee is struct {");
    assert!(ran.stderr.len() < 5000, "{}", ran.stderr.len());
}

#[test]
fn entry_points_that_share_too_much_are_not_split() {
    let dir = Dir::new();
    let large = lines(1000, "%x{} = OpIAdd %uint %one %one");
    let text = with_entry_points(400, &large).replace("VARIABLES\n", "");
    dir.module("a.spv", &text);
    dir.spv(&["split", "--all", "parts", "a.spv"])
        .fails(1, "split.too-large");
    assert_eq!(dir.files(), ["a.spv"], "all or none");
    dir.spv(&["split", "--all", "parts", "--dry-run", "a.spv"])
        .fails(1, "split.too-large");
}

#[test]
fn many_entry_points_are_split_as_one_is() {
    let dir = Dir::new();
    // Of each three, two use the one before as well, and all use the last of all.
    let mut text = with_entry_points(37, "").replace("VARIABLES\n", "");
    for number in (1..37).filter(|number| number % 3 > 0) {
        let before = number - 1;
        text = text.replace(
            &format!("%l{number} = OpLabel\n"),
            &format!("%l{number} = OpLabel\n%d{number} = OpFunctionCall %void %f{before}\n"),
        );
    }
    let names = lines(37, "OpName %f{} \"function {}\"");
    let text = text.replace("%void = OpTypeVoid", &format!("{names}%void = OpTypeVoid"));
    dir.module("a.spv", &text);
    assert_eq!(dir.spv(&["split", "--all", "parts", "a.spv"]).code, 0);
    assert_eq!(dir.files().len(), 1 + 37);
    for number in 0..37 {
        let name = format!("e{number}");
        let one = dir.spv(&["split", "--entry-point", &name, "a.spv"]);
        let part = dir.read(&format!("parts/{name}.GLCompute.spv"));
        assert_eq!(part, one.bytes(), "{name}");
        assert_eq!(word(&part, 0), 0x0723_0203);
    }
}
