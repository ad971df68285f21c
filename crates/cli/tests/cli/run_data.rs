//! What goes into buffers by name and by file, what comes out of them, and what is told of a run.

use serde_json::{Value, json};

use crate::common::Dir;

/// `out.sums[i] = scale * in.pairs[i].x + in.pairs[i].y`, with padding, a row-major matrix and a
/// vector in the block.
const SHADER: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %id
OpExecutionMode %main LocalSize 2 1 1
OpName %main \"main\"
OpName %given \"given\"
OpName %Given \"Given\"
OpMemberName %Given 0 \"count\"
OpMemberName %Given 1 \"matrix\"
OpMemberName %Given 2 \"pairs\"
OpName %pair \"Pair\"
OpMemberName %pair 0 \"x\"
OpMemberName %pair 1 \"y\"
OpName %result \"result\"
OpMemberName %Sums 0 \"sums\"
OpMemberName %Push 0 \"scale\"
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %given DescriptorSet 0
OpDecorate %given Binding 0
OpDecorate %result DescriptorSet 0
OpDecorate %result Binding 1
OpDecorate %Given Block
OpDecorate %Sums Block
OpDecorate %Push Block
OpMemberDecorate %Given 0 Offset 0
OpMemberDecorate %Given 1 Offset 16
OpMemberDecorate %Given 1 RowMajor
OpMemberDecorate %Given 1 MatrixStride 16
OpMemberDecorate %Given 2 Offset 48
OpMemberDecorate %pair 0 Offset 0
OpMemberDecorate %pair 1 Offset 4
OpDecorate %pairs ArrayStride 16
OpDecorate %floats ArrayStride 4
OpMemberDecorate %Sums 0 Offset 0
OpMemberDecorate %Push 0 Offset 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%i32 = OpTypeInt 32 1
%f32 = OpTypeFloat 32
%v2f32 = OpTypeVector %f32 2
%v3u32 = OpTypeVector %u32 3
%m3x2 = OpTypeMatrix %v2f32 3
%pair = OpTypeStruct %f32 %f32
%pairs = OpTypeRuntimeArray %pair
%floats = OpTypeRuntimeArray %f32
%Given = OpTypeStruct %i32 %m3x2 %pairs
%Sums = OpTypeStruct %floats
%Push = OpTypeStruct %f32
%ptr_given = OpTypePointer StorageBuffer %Given
%ptr_sums = OpTypePointer StorageBuffer %Sums
%ptr_push = OpTypePointer PushConstant %Push
%ptr_f32 = OpTypePointer StorageBuffer %f32
%ptr_scale = OpTypePointer PushConstant %f32
%ptr_id = OpTypePointer Input %v3u32
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%u2 = OpConstant %u32 2
%given = OpVariable %ptr_given StorageBuffer
%result = OpVariable %ptr_sums StorageBuffer
%push = OpVariable %ptr_push PushConstant
%id = OpVariable %ptr_id Input
%main = OpFunction %void None %fn
%entry = OpLabel
%three = OpLoad %v3u32 %id
%i = OpCompositeExtract %u32 %three 0
%x_at = OpAccessChain %ptr_f32 %given %u2 %i %u0
%x = OpLoad %f32 %x_at
%y_at = OpAccessChain %ptr_f32 %given %u2 %i %u1
%y = OpLoad %f32 %y_at
%scale_at = OpAccessChain %ptr_scale %push %u0
%scale = OpLoad %f32 %scale_at
%scaled = OpFMul %f32 %x %scale
%sum = OpFAdd %f32 %scaled %y
%to = OpAccessChain %ptr_f32 %result %u0 %i
OpStore %to %sum
OpReturn
OpFunctionEnd
";

const GIVEN: &str = r#"given={"count": -3, "matrix": [[1, 2], [3, 4], [5, 6]], "pairs": [{"x": 1.5, "y": 2}, {"y": 7}]}"#;

fn dir() -> Dir {
    let dir = Dir::new();
    dir.write("a.spvasm", SHADER);
    dir
}

const RUN: &[&str] = &[
    "run",
    "a.spvasm",
    "--bind",
    GIVEN,
    "--bind",
    "result=zeros:8",
    "--push",
    "f32:0,2",
];

fn text(dir: &Dir, rest: &[&str]) -> String {
    let run = [
        "run",
        "a.spvasm",
        "--bind",
        GIVEN,
        "--bind",
        "result=zeros:8",
    ];
    let push = ["--push", "scale=2"];
    dir.spv(&[&run[..], &push, rest].concat()).text().to_owned()
}

#[test]
fn buffers_are_given_and_shown_by_name() {
    let dir = dir();
    let prints = [
        "--print",
        "result",
        "--print",
        "sums[1..]",
        "--print",
        "0:1:f32",
        "--print",
        "given.count",
        "--print",
        "Given.pairs[1].y",
        "--print",
        "given.matrix[2]",
        "--print",
        "0:0.matrix",
        "--print",
        "0:0:f32[4..7]",
        "--print",
        "pairs",
    ];
    let expected = "result: {\"sums\":[5,7]}
sums: 7
0:1: 5 7
given.count: -3
Given.pairs[1].y: 7
given.matrix[2]: 5 6
0:0.matrix: [[1,2],[3,4],[5,6]]
0:0: 1 3 5
pairs: [{\"x\":1.5,\"y\":2},{\"x\":0,\"y\":7}]
";
    assert_eq!(text(&dir, &prints), expected);
    // Parts are written over what is there.
    let more = [
        "--bind",
        "given.pairs[1].x=10",
        "--bind",
        "pairs[0]={\"x\": 1}",
        "--print",
        "sums[0..2]",
    ];
    assert_eq!(text(&dir, &more), "sums: 4 27\n");
    let json = [&more[..], &["--format", "json"]].concat();
    let document: Value = serde_json::from_str(&text(&dir, &json)).unwrap();
    assert_eq!(
        document["printed"],
        json!([{"name": "sums", "value": [4, 27]}])
    );
}

#[test]
fn files_are_json_arrays_and_bytes() {
    let dir = dir();
    let outs = [
        "--out",
        "sums=sums.npy",
        "--out",
        "given=given.json",
        "--out",
        "given.matrix=matrix.npy",
        "--out",
        "0:1=raw.bin",
    ];
    assert_eq!(text(&dir, &outs), "");
    let npy = dir.read("sums.npy");
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
    assert_eq!(&npy[..10], b"\x93NUMPY\x01\x00\x76\x00");
    assert!(npy[10..].starts_with(header.as_bytes()));
    assert_eq!(npy.len(), 128 + 8);
    assert_eq!(npy[127], b'\n');
    let numbers: Vec<u8> = [5f32, 7.0].iter().flat_map(|it| it.to_le_bytes()).collect();
    assert_eq!(npy[128..], numbers);
    assert_eq!(dir.read("raw.bin"), numbers);
    let matrix = dir.read("matrix.npy");
    assert!(String::from_utf8_lossy(&matrix).contains("'shape': (3, 2)"));
    let given: Value = serde_json::from_slice(&dir.read("given.json")).unwrap();
    assert_eq!(given["matrix"], json!([[1, 2], [3, 4], [5, 6]]));
    // What was written can be read.
    let again = dir.spv(&[
        "run",
        "a.spvasm",
        "--push",
        "f32:0,3",
        "--bind",
        "0:0=given.json",
        "--bind",
        "sums=sums.npy",
        "--bind",
        "matrix=matrix.npy",
        "--print",
        "sums",
        "--print",
        "matrix",
    ]);
    assert_eq!(again.text(), "sums: 6.5 7\nmatrix: [[1,2],[3,4],[5,6]]\n");
    // Numbers of NumPy's other orders: the columns first, the high byte first.
    let mut other = b"\x93NUMPY\x01\x00\x4e\x00".to_vec();
    let header = "{'descr': '>f4', 'fortran_order': True, 'shape': (3, 2), }";
    other.extend(format!("{header:<77}\n").bytes());
    other.extend(
        [1f32, 3.0, 5.0, 2.0, 4.0, 6.0]
            .iter()
            .flat_map(|it| it.to_be_bytes()),
    );
    dir.write("other.npy", other);
    let bind = ["--bind", "matrix=other.npy", "--print", "matrix"];
    assert_eq!(text(&dir, &bind), "matrix: [[1,2],[3,4],[5,6]]\n");
}

#[test]
fn what_does_not_fit_is_refused() {
    let dir = dir();
    dir.write("wrong.npy", "no array");
    dir.write("wrong.json", "{");
    let fails = |rest: &[&str], code, message: &str| {
        dir.spv(&[RUN, rest].concat()).fails(code, message);
    };
    fails(
        &["--bind", "nothing=[1]"],
        1,
        "there is no `nothing`, but `given` (0:0), `result` (0:1)",
    );
    fails(
        &["--bind", "given.nothing=1"],
        1,
        "there is no member `nothing`",
    );
    fails(
        &["--bind", r#"given={"a": 1}"#],
        1,
        "there is no member `a`, but count, matrix, pairs",
    );
    fails(
        &["--bind", "given.matrix=[[1,2,3]]"],
        1,
        "[0]: 3 elements are given, but there are 2",
    );
    fails(&["--bind", "given.matrix[3]=[1,2]"], 1, "has no element 3");
    fails(
        &["--bind", "given.count=1.5"],
        1,
        "`1.5` is not a number of the type i32",
    );
    fails(&["--bind", "given.count=[1]"], 1, "a number is expected");
    fails(
        &["--bind", "pairs[99999999999]={\"x\":1}"],
        1,
        "more than 1073741824",
    );
    fails(&["--bind", "sums=wrong.npy"], 1, "not a NumPy array");
    fails(&["--bind", "given=wrong.json"], 1, "not JSON");
    fails(&["--bind", "given={"], 2, "not JSON");
    fails(&["--push", "factor=1"], 1, "there is no member `factor`");
    fails(&["--out", "given=x.npy"], 1, "write it as JSON");
    fails(&["--print", "sums[0..1][2]"], 2, "behind a range");
    fails(&["--print", "sums[x]"], 2, "`x` is not an index");
    fails(&["--trace=x"], 2, "is not an index of an invocation");
    // What can only be shown.
    fails(&["--bind", "given:f32=[1]"], 1, "not one that is named");
    fails(
        &["--bind", "sums[0..1]=[1]"],
        1,
        "can be shown, but not written",
    );
    fails(&["--push", "scale:f32=1"], 1, "not one that is named");
    // What is of another kind, or too much.
    fails(&["--bind", "given=sampler:linear"], 1, "takes no sampler");
    fails(&["--bind", "given=rgba8:1x1"], 1, "this is no image");
    fails(
        &["--bind", "given.count=u32:1,2"],
        1,
        "8 bytes are given, but it has 4",
    );
    fails(
        &["--bind", "matrix=zeros:41"],
        1,
        "41 bytes are given, but it has 28",
    );
    fails(&["--print", "given.count[0..1]"], 1, "has no elements");
    fails(&["--print", "given[0..1]"], 1, "has no elements");
}

/// Only what is named is written.
#[test]
fn ranges_and_types_hold_for_arrays_in_files() {
    let dir = dir();
    let outs = [
        ("pairs[1].y", "()", &[7.0][..]),
        ("sums[1..]", "(1,)", &[7.0]),
        ("matrix[1..3]", "(2, 2)", &[3.0, 4.0, 5.0, 6.0]),
        ("sums[5..9]", "(0,)", &[]),
        ("result:f32[1..2]", "(1,)", &[7.0]),
        ("given.pairs:f32[..2]", "(2,)", &[1.5, 2.0]),
    ];
    for (place, shape, numbers) in outs {
        let out = format!("{place}=x.npy");
        assert_eq!(text(&dir, &["--out", &out]), "");
        let file = dir.read("x.npy");
        let header = String::from_utf8_lossy(&file[10..128]).into_owned();
        assert!(header.contains(&format!("'shape': {shape}, ")), "{header}");
        let expected: Vec<u8> = numbers
            .iter()
            .flat_map(|&it: &f64| (it as f32).to_le_bytes())
            .collect();
        assert_eq!(file[128..], expected, "{place}");
    }
}

/// What is shown by its number can be given so, too.
#[test]
fn members_without_names_go_by_numbers() {
    let dir = Dir::new();
    let nameless = SHADER.replace("OpMemberName %Given 0 \"count\"\n", "");
    dir.write("a.spvasm", nameless);
    let with = |given: &str, rest: &[&str]| {
        let given = format!("given={given}");
        let run = ["run", "a.spvasm", "--push", "scale=2", "--bind", &given];
        dir.spv(&[&run[..], &["--bind", "result=zeros:8"], rest].concat())
    };
    let given = r#"{"0": 9, "pairs": [{}, {}]}"#;
    assert_eq!(with(given, &["--out", "given=x.json"]).text(), "");
    let again = with("x.json", &["--print", "given.0"]);
    assert_eq!(again.text(), "given.0: 9\n");
    with(r#"{"1": 9}"#, &[]).fails(1, "there is no member `1`");
}

#[test]
fn traces_profiles_and_coverage() {
    let dir = dir();
    let shown = text(&dir, &["--trace=1", "--print", "sums"]);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(
        lines[0],
        "(1, 0, 0)  %three = OpLoad %v3u32 %id  ; (1, 0, 0)"
    );
    assert_eq!(
        lines[1],
        "(1, 0, 0)  %i = OpCompositeExtract %u32 %three 0  ; 1"
    );
    let stored = "(1, 0, 0)  OpStore %to %sum  ; 7";
    assert!(lines.contains(&stored), "{shown}");
    assert_eq!(lines.last(), Some(&"sums: 5 7"));
    let short = text(&dir, &["--trace", "--max-trace", "1"]);
    assert_eq!(short.lines().count(), 2, "{short}");
    let profile = text(&dir, &["--profile"]);
    // Thirteen instructions, each once by both invocations.
    assert!(
        profile.contains("  7.7%           1            2  OpReturn"),
        "{profile}"
    );
    text(&dir, &["--coverage", "a.info"]);
    let coverage = String::from_utf8(dir.read("a.info")).unwrap();
    let line = 1 + SHADER.lines().position(|it| it == "OpReturn").unwrap();
    for expected in [
        "SF:a.spvasm",
        "FNDA:2,%main",
        &format!("DA:{line},2"),
        "LF:13",
        "LH:13",
    ] {
        assert!(
            coverage.lines().any(|it| it == expected),
            "{expected}\n{coverage}"
        );
    }
    // A module with the lines of its source.
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/saxpy.spv");
    let ran = dir.spv(&[
        "run",
        samples,
        "--bind",
        "x=[1,2]",
        "--bind",
        "y=[3,4]",
        "--push",
        "a=2",
        "--push",
        "count=2",
        "--coverage",
        "b.info",
        "--profile",
        "--trace",
        "--print",
        "y",
    ]);
    let shown = ran.text();
    let line = shown
        .lines()
        .find(|line| line.starts_with("saxpy.comp:10:"));
    assert!(
        line.is_some_and(|line| line.ends_with("y[i] = a * x[i] + y[i];")),
        "{shown}"
    );
    assert!(shown.contains("y: {\"y\":[5,8]}\n"), "{shown}");
    let coverage = String::from_utf8(dir.read("b.info")).unwrap();
    // Two of 64 invocations get past the condition.
    assert!(
        coverage.contains("SF:saxpy.comp\n") && coverage.contains("DA:10,2\n"),
        "{coverage}"
    );
}

/// Kernels get arguments instead of buffers.
#[test]
fn kernels() {
    let dir = dir();
    let kernel = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/count_bits.spv");
    let ran = dir.spv(&[
        "run",
        kernel,
        "--arg",
        "values=u32:1,3,255",
        "--arg",
        "1=zeros:12",
        "--dispatch",
        "3",
        "--print",
        "counts:u32",
        "--out",
        "counts:u32=counts.npy",
    ]);
    assert_eq!(ran.text(), "counts: 1 2 8\n");
    assert_eq!(dir.read("counts.npy").len(), 128 + 12);
    let of = |rest: &[&str]| {
        let run = ["run", kernel, "--arg", "values=u32:7", "--arg", "1=zeros:4"];
        dir.spv(&[&run[..], rest].concat())
    };
    // By its number, too.
    assert_eq!(of(&["--print", "1:u32"]).text(), "1: 3\n");
    of(&["--print", "counts"]).fails(1, "its type is unknown");
    of(&["--print", "nothing:u32"]).fails(1, "no argument with memory called `nothing`");
    of(&["--out", "nothing=x.bin"]).fails(1, "no argument with memory called `nothing`");
    of(&["--arg", "values:u32=[1]"]).fails(1, "not one that is named");
    assert!(!dir.files().contains(&"x.bin".to_owned()));
}

/// Findings don't keep files from being written; whatever is refused does.
#[test]
fn files_are_written_unless_something_is_refused() {
    let dir = Dir::new();
    dir.write("a.spvasm", SHADER);
    let outputs = ["--coverage", "a.info", "--out", "result=result.json"];
    let bound = |given| {
        [
            "run",
            "a.spvasm",
            "--push",
            "scale=2",
            "--bind",
            given,
            "--bind",
            "result=zeros:8",
        ]
    };
    let written = |given: &'static str, rest: &[&str], code| {
        let ran = dir.spv(&[&bound(given)[..], &outputs, rest].concat());
        assert_eq!(ran.code, code, "{}", ran.stderr);
        let files = dir.files();
        let written = files.iter().filter(|it| *it != "a.spvasm").count();
        for file in ["a.info", "result.json"] {
            _ = std::fs::remove_file(dir.path(file));
        }
        written
    };
    let whole = r#"given={"count":2,"pairs":[{"x":1},{"x":2}]}"#;
    assert_eq!(written(whole, &[], 0), 2);
    // The second invocation reads out of bounds.
    let short = r#"given={"count":2,"pairs":[{"x":1}]}"#;
    assert_eq!(written(short, &[], 1), 2);
    for refused in [
        &["--subgroup-size", "3"][..],
        &["--print", "nothing"],
        &["--bind", "given=missing.bin"],
        &["--out", "given=given.png"],
        &["--out", "given.pairs=pairs.bin"],
        &["--spec", "1=2"],
    ] {
        assert_eq!(written(whole, refused, 1), 0, "{refused:?}");
    }
    let usage = ["--dispatch", "1", "--global-size", "2"];
    assert_eq!(written(whole, &usage, 2), 0);
    assert_eq!(written(whole, &["--max-trace", "2"], 2), 0);
}

/// A list in memory that only addresses lead to: from the push constants from node to node.
const LIST: &str = "OpCapability Shader
OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %main \"main\" %push %out
OpExecutionMode %main LocalSize 1 1 1
OpName %Node \"Node\"
OpMemberName %Node 0 \"next\"
OpMemberName %Node 1 \"value\"
OpMemberName %Push 0 \"head\"
OpMemberName %Out 0 \"last\"
OpDecorate %Node Block
OpMemberDecorate %Node 0 Offset 0
OpMemberDecorate %Node 1 Offset 8
OpDecorate %Push Block
OpMemberDecorate %Push 0 Offset 0
OpDecorate %Out Block
OpMemberDecorate %Out 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpTypeForwardPointer %ptr_node PhysicalStorageBuffer
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%Node = OpTypeStruct %ptr_node %u32
%ptr_node = OpTypePointer PhysicalStorageBuffer %Node
%Push = OpTypeStruct %ptr_node
%Out = OpTypeStruct %u32
%ptr_push = OpTypePointer PushConstant %Push
%ptr_head = OpTypePointer PushConstant %ptr_node
%ptr_next = OpTypePointer PhysicalStorageBuffer %ptr_node
%ptr_value = OpTypePointer PhysicalStorageBuffer %u32
%ptr_out = OpTypePointer StorageBuffer %Out
%ptr_last = OpTypePointer StorageBuffer %u32
%push = OpVariable %ptr_push PushConstant
%out = OpVariable %ptr_out StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%head_at = OpAccessChain %ptr_head %push %u0
%head = OpLoad %ptr_node %head_at
%next_at = OpAccessChain %ptr_next %head %u0
%next = OpLoad %ptr_node %next_at Aligned 8
%value_at = OpAccessChain %ptr_value %next %u1
%value = OpLoad %u32 %value_at Aligned 4
%last_at = OpAccessChain %ptr_last %out %u0
OpStore %last_at %value
OpStore %value_at %u1 Aligned 4
OpReturn
OpFunctionEnd
";

#[test]
fn memory_is_reached_by_addresses() {
    let dir = Dir::new();
    dir.write("list.spvasm", LIST);
    let run = |rest: &[&str]| {
        let given = [
            "run",
            "list.spvasm",
            "--bind",
            "0:0=zeros:4",
            "--print",
            "last",
        ];
        dir.spv(&[&given[..], rest].concat())
    };
    let first = r#"first:Node={"next":"&second"}"#;
    let both = ["--memory", first, "--memory", r#"second:Node={"value":7}"#];
    let head = ["--push", "head=&first"];
    let shown = [
        "--print",
        "second",
        "--print",
        "second:u32[2..4]",
        "--print",
        "first.next",
    ];
    let ran = run(&[&both[..], &head, &shown].concat());
    let expected = "last: 7\nsecond: {\"next\":0,\"value\":1}\nsecond: 1\nfirst.next: 8589934592\n";
    assert_eq!(ran.text(), expected);
    // Without a type, and from within: what begins 8 bytes before the end of the memory.
    let raw = ["--memory", "second=u32:0,0,0,0,9", "--memory"];
    let within = r#"first:Node={"next":"&second+8"}"#;
    assert_eq!(
        run(&[&raw[..], &[within], &head].concat()).text(),
        "last: 9\n"
    );
    let fails = |rest: &[&str], code, message| run(rest).fails(code, message);
    fails(
        &["--memory", first, "--push", "head=&first"],
        1,
        "no memory `second`",
    );
    fails(&["--memory", "first:Nod=zeros:16"], 1, "no structure `Nod`");
    fails(
        &["--memory", "a=zeros:4", "--memory", "a=zeros:4"],
        1,
        "`a` twice",
    );
    fails(&["--memory", "a.b=zeros:4"], 2, "`a.b` is not a name");
    fails(&["--memory", "a=rgba8:1x1"], 1, "memory takes bytes");
    fails(&["--memory", "a=a.png"], 1, "memory takes bytes");
    fails(
        &["--push", "head=&first+x", "--memory", "first=zeros:16"],
        1,
        "`x`",
    );
}

/// What is asked for, but isn't there, is warned of where the run doesn't need it.
#[test]
fn what_nothing_uses_is_warned_of() {
    let dir = Dir::new();
    dir.write("a.spvasm", SHADER);
    let whole = r#"given={"count":2,"pairs":[{"x":1},{"x":2}]}"#;
    let run = |rest: &[&str]| {
        let given = ["run", "a.spvasm", "--push", "scale=2", "--bind", whole];
        let ran = dir.spv(&[&given[..], &["--bind", "result=zeros:8"], rest].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.stderr
    };
    assert_eq!(run(&["--trace=1"]), "");
    assert!(run(&["--bind", "3:4=zeros:4"]).contains("`3:4`: the module has nothing there"));
    let missed = "warning[run.data]: there is no invocation (2, 0, 0) to trace";
    assert!(run(&["--trace=2", "--trace=0"]).contains(missed));
    assert_eq!(run(&["--trace=0", "--trace=1", "--max-trace", "1"]), "");
}
