//! What built-in variables say, also in the last workgroups, which may be smaller.

use spirvkit_interp::Run;
use spirvkit_text::{AssembleOptions, assemble};

use super::kernel;

#[test]
fn built_in_values_tell_where_an_invocation_is() {
    // Each is written by its name, with what the invocation (1, 2, 0) of the workgroup
    // (1, 0, 0) of 2 × 1 has; workgroups have 2 × 3 invocations.
    let cases = [
        ("GlobalSize", "%v3size", [4, 3, 1]),
        ("GlobalOffset", "%v3size", [10, 20, 0]),
        ("GlobalInvocationId", "%v3size", [13, 22, 0]),
        ("WorkgroupSize", "%v3size", [2, 3, 1]),
        ("EnqueuedWorkgroupSize", "%v3size", [2, 3, 1]),
        ("NumWorkgroups", "%v3size", [2, 1, 1]),
        ("WorkgroupId", "%v3size", [1, 0, 0]),
        ("LocalInvocationId", "%v3size", [1, 2, 0]),
        ("GlobalLinearId", "%size", [11, 0, 0]),
        ("LocalInvocationIndex", "%size", [5, 0, 0]),
        ("WorkDim", "%u32", [2, 0, 0]),
        ("NumSubgroups", "%u32", [2, 0, 0]),
        ("SubgroupId", "%u32", [1, 0, 0]),
        ("SubgroupMaxSize", "%u32", [4, 0, 0]),
        ("SubgroupSize", "%u32", [2, 0, 0]),
        ("SubgroupLocalInvocationId", "%u32", [1, 0, 0]),
    ];
    for bits in [32, 64] {
        for (name, ty, expected) in cases {
            let globals = format!(
                "OpDecorate %value BuiltIn {name}
%ptr_value = OpTypePointer Input {ty}
%global_value = OpTypePointer CrossWorkgroup {ty}
%value = OpVariable %ptr_value Input"
            );
            let body = format!(
                "%it = OpLoad {ty} %value
OpStore %to %it
%result = OpCopyObject %u32 %index"
            );
            let words = kernel(bits, &globals, &[("to", "%global_value")], &body);
            let run = Run::new(&words).subgroup_size(4).local_size([2, 3, 1]);
            let run = run.global_offset([10, 20, 0]).argument("to", &[0u8; 32]);
            let out = run
                .argument("out", &[0u32; 32])
                .dispatch([2, 1, 1])
                .unwrap();
            out.assert_clean();
            let is_wide = bits == 64 && ty.ends_with("size");
            let found: Vec<u64> = match is_wide {
                true => out.argument::<u64>("to"),
                false => out
                    .argument::<u32>("to")
                    .into_iter()
                    .map(u64::from)
                    .collect(),
            };
            assert_eq!(found[..3], expected, "{name} with {bits} bits");
        }
    }
}

/// A kernel that says of each invocation what `value` makes of built-in variables: `%it` is a
/// vector of three numbers of 64 bits.
fn of_built_in(built_in: &str, body: &str) -> Vec<u32> {
    let text = format!(
        "OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpCapability SubgroupDispatch
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main \"main\" %id %built_in
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %built_in BuiltIn {built_in}
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%v3 = OpTypeVector %u64 3
%p_input = OpTypePointer Input %v3
%p_scalar = OpTypePointer Input %u32
%p_out = OpTypePointer CrossWorkgroup %u32
%fn = OpTypeFunction %void %p_out
%u7 = OpConstant %u64 7
%u100 = OpConstant %u64 100
%id = OpVariable %p_input Input
%built_in = OpVariable %{} Input
%main = OpFunction %void None %fn
%out = OpFunctionParameter %p_out
%entry = OpLabel
%at = OpLoad %v3 %id
%x = OpCompositeExtract %u64 %at 0
%y = OpCompositeExtract %u64 %at 1
%rows = OpIMul %u64 %y %u7
%index = OpIAdd %u64 %rows %x
%to = OpInBoundsPtrAccessChain %p_out %out %index
{body}
OpStore %to %result Aligned 4
OpReturn
OpFunctionEnd",
        if body.contains("%scalar") {
            "p_scalar"
        } else {
            "p_input"
        }
    );
    let options = AssembleOptions::default();
    let module = assemble(&text, &options).unwrap_or_else(|errors| panic!("{errors}"));
    module.words
}

#[test]
fn the_last_workgroups_may_be_smaller() {
    // Seven by five invocations in workgroups of four by three.
    let vector = "%it = OpLoad %v3 %built_in
%a = OpCompositeExtract %u64 %it 0
%b = OpCompositeExtract %u64 %it 1
%hundreds = OpIMul %u64 %b %u100
%both = OpIAdd %u64 %hundreds %a
%result = OpUConvert %u32 %both";
    let scalar = "%scalar = OpLoad %u32 %built_in
%result = OpCopyObject %u32 %scalar";
    let sides = |x: u32, y: u32| (if x < 4 { 4 } else { 3 }, if y < 3 { 3 } else { 2 });
    type Expected = Box<dyn Fn(u32, u32, u32) -> u32>;
    let cases: [(&str, &str, Expected); 9] = [
        (
            "LocalInvocationId",
            vector,
            Box::new(|x, y, _| x % 4 + y % 3 * 100),
        ),
        (
            "WorkgroupId",
            vector,
            Box::new(|x, y, _| x / 4 + y / 3 * 100),
        ),
        (
            "WorkgroupSize",
            vector,
            Box::new(move |x, y, _| sides(x, y).0 + sides(x, y).1 * 100),
        ),
        ("EnqueuedWorkgroupSize", vector, Box::new(|_, _, _| 304)),
        ("GlobalSize", vector, Box::new(|_, _, _| 507)),
        ("NumWorkgroups", vector, Box::new(|_, _, _| 202)),
        (
            "NumSubgroups",
            scalar,
            Box::new(move |x, y, size| (sides(x, y).0 * sides(x, y).1).div_ceil(size)),
        ),
        (
            "NumEnqueuedSubgroups",
            scalar,
            Box::new(|_, _, size| 12u32.div_ceil(size)),
        ),
        (
            "SubgroupId",
            scalar,
            Box::new(move |x, y, size| (x % 4 + y % 3 * sides(x, y).0) / size),
        ),
    ];
    for (built_in, body, expected) in &cases {
        let words = of_built_in(built_in, body);
        for size in [4, 8, 32] {
            let run = Run::new(&words).subgroup_size(size).local_size([4, 3, 1]);
            let run = run.global_size([7, 5, 1]).argument(0, &[0u32; 36]);
            let out = run.dispatch([1, 1, 1]).unwrap();
            assert!(out.findings.is_empty(), "{:?}", out.findings);
            let all: Vec<u32> = (0..35).map(|at| expected(at % 7, at / 7, size)).collect();
            assert_eq!(out.argument::<u32>(0)[..35], all, "{built_in}, {size}");
            // Nobody writes beyond.
            assert_eq!(out.argument::<u32>(0)[35], 0);
        }
    }
}

#[test]
fn shaders_have_no_global_size() {
    let words = crate::shader::shader("", "%result = OpIAdd %u32 %value %u1");
    let run = Run::new(&words)
        .storage(0, 0, &[0u32; 64])
        .zeroed(0, 1, 256);
    let error = run.global_size([3, 1, 1]).dispatch([1, 1, 1]).unwrap_err();
    assert!(error.to_string().contains("only kernels"), "{error}");
}

#[test]
fn the_host_may_say_how_many_dimensions_there_are() {
    let globals = "OpDecorate %value BuiltIn WorkDim
%ptr_value = OpTypePointer Input %u32
%value = OpVariable %ptr_value Input";
    let words = kernel(64, globals, &[], "%result = OpLoad %u32 %value");
    let run = || Run::new(&words).argument("out", &[0u32; 4]);
    let of = |run: Run<'_>, groups| run.dispatch(groups).unwrap().argument::<u32>("out")[0];
    assert_eq!(of(run(), [4, 1, 1]), 1);
    assert_eq!(of(run(), [2, 2, 1]), 2);
    assert_eq!(of(run().work_dim(3), [4, 1, 1]), 3);
}
