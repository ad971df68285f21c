//! What only kernels have, in `spv run`: pipes, and kernels that enqueue others.

use crate::common::Dir;

/// A kernel that moves as many packets from a pipe to another as it has invocations.
const PIPES: &str = "OpCapability Kernel
OpCapability Addresses
OpCapability Pipes
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main \"main\"
OpExecutionMode %main LocalSize 3 1 1
OpName %from \"from\"
OpName %to \"to\"
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%u4 = OpConstant %u32 4
%in = OpTypePipe ReadOnly
%out = OpTypePipe WriteOnly
%own = OpTypePointer Function %u32
%fn = OpTypeFunction %void %in %out
%main = OpFunction %void None %fn
%from = OpFunctionParameter %in
%to = OpFunctionParameter %out
%entry = OpLabel
%packet = OpVariable %own Function
%read = OpReadPipe %u32 %from %packet %u4 %u4
%written = OpWritePipe %u32 %to %packet %u4 %u4
OpReturn
OpFunctionEnd";

#[test]
fn pipes() {
    let dir = Dir::new();
    dir.write("pipes.spvasm", PIPES);
    dir.write("in.bin", [1u8, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]);
    let of = |from: &str, rest: &[&str]| {
        let run = ["run", "pipes.spvasm", "--arg", from];
        dir.spv(&[&run[..], rest].concat())
    };
    let rest = [
        "--arg",
        "1=pipe:4,8",
        "--print",
        "to:u32",
        "--print",
        "0:u32",
    ];
    let ran = of("from=pipe:4,4:in.bin", &rest);
    assert_eq!(ran.text(), "to: 1 2 3\n0: 4\n");
    let ran = of(
        "from=pipe:4,9:u32:7,8,9",
        &[&rest[..], &["--out", "to=to.bin"]].concat(),
    );
    assert_eq!(ran.text(), "to: 7 8 9\n0: \n");
    assert_eq!(dir.read("to.bin"), [7, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0]);
    of("from=pipe:4,2:in.bin", &rest).fails(1, "4 packets are given, but there is room for 2");
    of("from=pipe:4", &rest).fails(2, "such as pipe:4,16");
    of("from=pipe:4,2:[1]", &rest).fails(2, "the packets of a pipe are numbers");
    of("from=pipe:4,4:none.bin", &rest).fails(1, "none.bin");
    let bound = ["--bind", "0:0=pipe:4,4"];
    of("from=pipe:4,4", &[&rest[..], &bound].concat()).fails(1, "only arguments of kernels");
}

/// A kernel that enqueues another one, which counts and enqueues itself.
const ENQUEUES: &str = "OpCapability Kernel
OpCapability Addresses
OpCapability DeviceEnqueue
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main \"main\"
OpName %out \"out\"
OpName %child \"child\"
%void = OpTypeVoid
%u8 = OpTypeInt 8 0
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%u8_ = OpConstant %u32 8
%n0 = OpConstant %u64 0
%n1 = OpConstant %u64 1
%n3 = OpConstant %u64 3
%sizes = OpTypeArray %u64 %n3
%range_type = OpTypeStruct %u32 %sizes %sizes %sizes
%queue_type = OpTypeQueue
%event_type = OpTypeDeviceEvent
%global = OpTypePointer CrossWorkgroup %u32
%own_global = OpTypePointer Function %global
%bytes = OpTypePointer Function %u8
%event = OpTypePointer Function %event_type
%none = OpConstantNull %event
%fn = OpTypeFunction %void %global
%child_type = OpTypeFunction %void %bytes
%main = OpFunction %void None %fn
%out = OpFunctionParameter %global
%entry = OpLabel
%kept = OpVariable %own_global Function
OpStore %kept %out
%block = OpBitcast %bytes %kept
%queue = OpGetDefaultQueue %queue_type
%range = OpBuildNDRange %range_type %n1 %n1 %n0
%code = OpEnqueueKernel %u32 %queue %u1 %range %u0 %none %none %child %block %u8_ %u8_
OpReturn
OpFunctionEnd
%child = OpFunction %void None %child_type
%given = OpFunctionParameter %bytes
%begin = OpLabel
%given_at = OpBitcast %own_global %given
%to = OpLoad %global %given_at
%old = OpLoad %u32 %to Aligned 4
%new = OpIAdd %u32 %old %u1
OpStore %to %new Aligned 4
%own_queue = OpGetDefaultQueue %queue_type
%again = OpBuildNDRange %range_type %n1 %n1 %n0
%own_code = OpEnqueueKernel %u32 %own_queue %u1 %again %u0 %none %none %child %given %u8_ %u8_
OpReturn
OpFunctionEnd";

#[test]
fn kernels_that_enqueue_others() {
    let dir = Dir::new();
    dir.write("a.spvasm", ENQUEUES);
    let of = |rest: &[&str]| {
        let run = [
            "run",
            "a.spvasm",
            "--arg",
            "out=u32:0",
            "--print",
            "out:u32",
        ];
        dir.spv(&[&run[..], rest].concat())
    };
    let ran = of(&["--max-enqueued", "5"]);
    assert_eq!((ran.code, &ran.stdout[..]), (0, &b"out: 5\n"[..]));
    let warning = "the limit of the run is reached; executed by invocation (0, 0, 0) of workgroup (0, 0, 0) of `child`";
    assert!(ran.stderr.contains(warning), "{}", ran.stderr);
    let traced = of(&["--max-enqueued", "3", "--trace", "--profile"]);
    let traced = String::from_utf8(traced.stdout).unwrap();
    assert_eq!(traced.matches("= OpIAdd").count(), 3 + 1, "{traced}");
}
