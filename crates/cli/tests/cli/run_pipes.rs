//! Pipes of kernels in `spv run`.

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
