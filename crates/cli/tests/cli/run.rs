//! `spv run`.

use serde_json::{Value, json};

use crate::common::{Dir, Ran};

/// Each invocation adds its index, times a factor, to a number of a buffer.
const SHADER: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %id
OpEntryPoint GLCompute %other \"other\"
OpExecutionMode %main LocalSize 4 1 1
OpExecutionMode %other LocalSize 1 1 1
OpName %numbers \"numbers\"
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %factor SpecId 5
OpDecorate %numbers DescriptorSet 1
OpDecorate %numbers Binding 2
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %array ArrayStride 4
OpDecorate %given Block
OpMemberDecorate %given 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%v3u32 = OpTypeVector %u32 3
%array = OpTypeRuntimeArray %u32
%block = OpTypeStruct %array
%given = OpTypeStruct %u32
%ptr_block = OpTypePointer StorageBuffer %block
%ptr_element = OpTypePointer StorageBuffer %u32
%ptr_given = OpTypePointer PushConstant %given
%ptr_offset = OpTypePointer PushConstant %u32
%ptr_v3u32 = OpTypePointer Input %v3u32
%zero = OpConstant %u32 0
%factor = OpSpecConstant %u32 1
%id = OpVariable %ptr_v3u32 Input
%numbers = OpVariable %ptr_block StorageBuffer
%push = OpVariable %ptr_given PushConstant
%main = OpFunction %void None %fn
%entry = OpLabel
%three = OpLoad %v3u32 %id
%index = OpCompositeExtract %u32 %three 0
%at = OpAccessChain %ptr_element %numbers %zero %index
%value = OpLoad %u32 %at
%scaled = OpIMul %u32 %index %factor
%offset_at = OpAccessChain %ptr_offset %push %zero
%offset = OpLoad %u32 %offset_at
%moved = OpIAdd %u32 %scaled %offset
%sum = OpIAdd %u32 %value %moved
OpStore %at %sum
OpReturn
OpFunctionEnd
%other = OpFunction %void None %fn
%start = OpLabel
OpReturn
OpFunctionEnd
";

fn dir() -> Dir {
    let dir = Dir::new();
    dir.write("a.spvasm", SHADER);
    dir
}

/// The arguments of a run of eight invocations.
const RUN: &[&str] = &[
    "run",
    "a.spvasm",
    "--entry-point",
    "main",
    "--dispatch",
    "2",
    "--push",
    "u32:100",
];

#[test]
fn buffers_constants_and_workgroups_are_what_the_options_say() {
    let dir = dir();
    let with = |rest: &[&str]| dir.spv(&[RUN, rest].concat()).text().to_owned();
    let zeros = ["--bind", "1:2=zeros:32", "--print", "1:2:u32"];
    assert_eq!(with(&zeros), "1:2: 100 101 102 103 104 105 106 107\n");
    let numbers = [
        "--bind",
        "1:2=u32:1,0x10,1,1,1,1,1,1",
        "--print",
        "1:2:u32[0..3]",
    ];
    assert_eq!(with(&numbers), "1:2: 101 117 103\n");
    let scaled = [&zeros[..], &["--spec", "5=10", "--print", "1:2:u16[2..6]"]].concat();
    let lines = "1:2: 100 110 120 130 140 150 160 170\n1:2: 110 0 120 0\n";
    assert_eq!(with(&scaled), lines);
    dir.write("numbers.bin", [7u8; 32]);
    let file = [
        "--bind",
        "1:2=numbers.bin",
        "--print",
        "1:2:u8[..4]",
        "--subgroup-size",
        "8",
    ];
    assert_eq!(with(&file), "1:2: 107 7 7 7\n");
}

#[test]
fn findings_have_their_place_in_the_text_and_the_binary() {
    let dir = dir();
    let short = ["--bind", "1:2=zeros:28", "--print", "1:2:u32[6..]"];
    let ran = dir.spv(&[RUN, &short].concat());
    let output = |ran: &Ran| String::from_utf8(ran.stdout.clone()).unwrap();
    assert_eq!((ran.code, &*output(&ran)), (1, "1:2: 106\n"));
    let load = "%value = OpLoad %u32 %at";
    let line = 1 + SHADER.lines().position(|line| line == load).unwrap();
    let message = format!(
        "error[run.bounds]: reads 4 bytes at offset 28 of `numbers`, which has 28 bytes; \
         executed by invocation (3, 0, 0) of workgroup (1, 0, 0)\n  --> a.spvasm:{line}:1\n"
    );
    assert!(ran.stderr.contains(&message), "{}", ran.stderr);
    assert!(ran.stderr.contains(load));
    dir.spv(&["as", "a.spvasm", "-o", "a.spv"]);
    let binary: Vec<&str> = RUN
        .iter()
        .map(|it| if *it == "a.spvasm" { "a.spv" } else { it })
        .collect();
    let ran = dir.spv(&[&binary[..], &short, &["--format", "json"]].concat());
    assert_eq!(ran.code, 1);
    let document: Value = serde_json::from_str(&output(&ran)).unwrap();
    assert_eq!(document["ran"], true);
    assert_eq!(document["findings"][0]["rule"], "run.bounds");
    let instruction = document["findings"][0]["instruction"].to_string();
    assert!(instruction.contains("OpLoad %uint"), "{instruction}");
    assert_eq!(
        document["printed"],
        json!([{"set": 1, "binding": 2, "type": "u32", "numbers": [106]}])
    );
}

#[test]
fn numbers_are_read_as_in_assembly_text_and_written_short() {
    let dir = dir();
    // Nothing is added to the bits.
    let run = [&RUN[..RUN.len() - 1], &["u32:0", "--spec", "5=0"]].concat();
    let with = |bind: &str, print: &str| {
        let ran = dir.spv(&[&run[..], &["--bind", bind, "--print", print]].concat());
        ran.text().to_owned()
    };
    let floats = "1:2=f32:0.1,-2,1e30,inf,-inf,NaN,0x1p-3,3";
    assert_eq!(
        with(floats, "1:2:f32"),
        "1:2: 0.1 -2 1e30 inf -inf NaN 0.125 3\n"
    );
    let halves = "1:2=f16:1.5,inf,0,0,0,0,0,0,0,0,0,0,0,0,0,0";
    assert_eq!(with(halves, "1:2:f16[..2]"), "1:2: 1.5 inf\n");
    assert_eq!(with(halves, "1:2:u16[..2]"), "1:2: 15872 31744\n");
    let wide = "1:2=i64:-2,0x10,9223372036854775807,0";
    assert_eq!(with(wide, "1:2:i64"), "1:2: -2 16 9223372036854775807 0\n");
    let json = dir.spv(
        &[
            &run[..],
            &["--bind", floats, "--print", "1:2:f32", "--format", "json"],
        ]
        .concat(),
    );
    let document: Value = serde_json::from_str(json.text()).unwrap();
    let numbers = json!([0.1, -2, 1e30, "inf", "-inf", "NaN", 0.125, 3]);
    assert_eq!(document["printed"][0]["numbers"], numbers);
}

#[test]
fn constants_are_set_by_name_and_as_their_type_says() {
    let dir = Dir::new();
    let shader = SHADER
        .replace("OpName %numbers", "OpName %factor \"factor\"\nOpName %numbers")
        .replace("%factor = OpSpecConstant %u32 1", "%f64 = OpTypeFloat 64\n%exact = OpSpecConstant %f64 1\n%factor = OpSpecConstantOp %u32 ConvertFToU %exact")
        .replace("OpDecorate %factor SpecId 5", "OpDecorate %exact SpecId 5\nOpName %exact \"exact\"");
    dir.write("a.spvasm", shader);
    for name in ["5=3.5", "exact=3.5"] {
        let options = [
            "--bind",
            "1:2=zeros:32",
            "--print",
            "1:2:u32[..3]",
            "--spec",
            name,
        ];
        let ran = dir.spv(&[RUN, &options].concat());
        assert_eq!(ran.text(), "1:2: 100 103 106\n");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let dir = dir();
    let fails = |rest: &[&str], code, message: &str| {
        dir.spv(&[RUN, rest].concat()).fails(code, message);
    };
    fails(&[], 1, "`numbers` at set 1, binding 2 has no buffer");
    fails(&["--bind", "1:2=missing.bin"], 1, "missing.bin");
    let endless = "1:2=zeros:18446744073709551615";
    fails(&["--bind", endless], 1, "18446744073709551615 bytes");
    fails(&["--spec", "6=1"], 1, "no specialization constant `6`");
    fails(&["--bind", "1:2"], 2, "WHERE=CONTENTS");
    fails(
        &["--bind", "1=zeros:4"],
        1,
        "there is no `1`, but `numbers` (1:2)",
    );
    fails(
        &["--bind", "1:x=zeros:4"],
        2,
        "`x` is not the number of a set or binding",
    );
    fails(
        &["--bind", "1:2=zeros:many"],
        2,
        "`many` is not a number of bytes",
    );
    fails(
        &["--bind", "1:2=u8:256"],
        2,
        "`256` is not a number of the type u8",
    );
    fails(&["--push", "f8:1"], 2, "`f8` is not a type of numbers");
    fails(&["--print", "7:2"], 1, "of what type it is");
    fails(&["--print", "1:2:u32[a..]"], 2, "`a` is not an index");
    fails(&["--spec", "5=x"], 1, "`x` can't be its value");
    fails(&["--spec", "5"], 2, "CONSTANT=VALUE");
    fails(&["--dispatch", "1,2,3,4"], 2, "at most three");
    fails(&["--dispatch", "x"], 2, "`x` is not a number of workgroups");
    let zeros = ["--bind", "1:2=zeros:32"];
    fails(
        &[&zeros[..], &["--subgroup-size", "65"]].concat(),
        1,
        "subgroups of 65 invocations",
    );
    fails(
        &[&zeros[..], &["--max-steps", "10"]].concat(),
        1,
        "run.steps",
    );
    dir.spv(&["run", "a.spvasm"]).fails(
        1,
        "the module has several entry points, of which one must be chosen: `main`, `other`",
    );
}
