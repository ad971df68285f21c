//! Pointers as numbers, and memory that is reached by addresses.

use spirvkit_interp::{Outcome, Run};
use spirvkit_text::{AssembleOptions, assemble};

use crate::shader::SIZES;

/// A shader of 8 invocations with an address in the push constants, `%number`, of numbers
/// that are `%numbers` as a pointer. `%index` is that of the invocation.
fn addressed(globals: &str, body: &str) -> Vec<u32> {
    let text = format!(
        "OpCapability Shader
OpCapability Int64
OpCapability PhysicalStorageBufferAddresses
OpCapability Int64Atomics
OpExtension \"SPV_KHR_physical_storage_buffer\"
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %main \"main\" %local
OpExecutionMode %main LocalSize 8 1 1
OpDecorate %local BuiltIn LocalInvocationIndex
OpDecorate %push_block Block
OpMemberDecorate %push_block 0 Offset 0
OpDecorate %ptr_number ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 8
OpDecorate %array ArrayStride 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%i32 = OpTypeInt 32 1
%u64 = OpTypeInt 64 0
%i64 = OpTypeInt 64 1
%v2u32 = OpTypeVector %u32 2
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%u2 = OpConstant %u32 2
%u7 = OpConstant %u32 7
%i1 = OpConstant %i32 1
%n1 = OpConstant %i32 -1
%l4 = OpConstant %u64 4
%array = OpTypeRuntimeArray %u32
%push_block = OpTypeStruct %u64
OpTypeForwardPointer %ptr_block PhysicalStorageBuffer
%block = OpTypeStruct %ptr_block %array
%ptr_block = OpTypePointer PhysicalStorageBuffer %block
%ptr_ptr_block = OpTypePointer PhysicalStorageBuffer %ptr_block
%ptr_number = OpTypePointer PhysicalStorageBuffer %u32
%ptr_push = OpTypePointer PushConstant %push_block
%ptr_push_u64 = OpTypePointer PushConstant %u64
%ptr_input = OpTypePointer Input %u32
%local = OpVariable %ptr_input Input
%push = OpVariable %ptr_push PushConstant
{globals}
%main = OpFunction %void None %fn
%entry = OpLabel
%index = OpLoad %u32 %local
%push_at = OpAccessChain %ptr_push_u64 %push %u0
%number = OpLoad %u64 %push_at
%numbers = OpConvertUToPtr %ptr_number %number
{body}
OpReturn
OpFunctionEnd"
    );
    let options = AssembleOptions::default();
    assemble(&text, &options)
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"))
        .words
}

/// Runs a shader on these numbers with subgroups of all sizes.
fn run(words: &[u32], numbers: &[u32], check: impl Fn(&Outcome, &[u32])) {
    for size in SIZES {
        let mut run = Run::new(words).subgroup_size(size);
        let address = run.memory(numbers);
        let out = run.push(&[address]).dispatch([1, 1, 1]).unwrap();
        check(&out, &out.read_memory::<u32>(address));
    }
}

const COUNT: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

#[test]
fn memory_is_read_and_written_by_address() {
    let words = addressed(
        "",
        "%at = OpPtrAccessChain %ptr_number %numbers %index
%old = OpLoad %u32 %at Aligned 4
%new = OpIMul %u32 %old %u7
OpStore %at %new Aligned 4",
    );
    run(&words, &COUNT, |out, numbers| {
        out.assert_clean();
        assert_eq!(numbers, COUNT.map(|it| it * 7));
    });
}

#[test]
fn addresses_are_computed_as_numbers() {
    // The number behind each, by an address of 64 bits and one of two words.
    let words = addressed(
        "",
        "%wide = OpUConvert %u64 %index
%bytes = OpIMul %u64 %wide %l4
%next = OpIAdd %u64 %bytes %l4
%sum = OpIAdd %u64 %number %next
%from = OpConvertUToPtr %ptr_number %sum
%loaded = OpLoad %u32 %from Aligned 4
%back = OpISub %u64 %sum %l4
%two = OpBitcast %v2u32 %back
%to = OpBitcast %ptr_number %two
OpControlBarrier %u2 %u2 %u0
OpStore %to %loaded Aligned 4",
    );
    run(
        &words,
        &[10, 20, 30, 40, 50, 60, 70, 80, 90],
        |out, numbers| {
            out.assert_clean();
            assert_eq!(numbers, [20, 30, 40, 50, 60, 70, 80, 90, 90]);
        },
    );
}

#[test]
fn pointers_are_compared_and_subtracted() {
    let words = addressed(
        "",
        "%at = OpPtrAccessChain %ptr_number %numbers %index
%seventh = OpPtrAccessChain %ptr_number %numbers %u7
%from_seventh = OpPtrDiff %i64 %at %seventh
%back = OpPtrAccessChain %ptr_number %seventh %from_seventh
%is_equal = OpPtrEqual %bool %at %back
%is_seventh = OpPtrEqual %bool %at %seventh
%narrow = OpPtrDiff %i32 %seventh %at
%distance = OpBitcast %u32 %narrow
%one_more = OpIAdd %u32 %distance %u1
%told = OpSelect %u32 %is_seventh %u7 %one_more
%result = OpSelect %u32 %is_equal %told %u0
OpStore %at %result Aligned 4",
    );
    run(&words, &[0; 8], |out, numbers| {
        out.assert_clean();
        assert_eq!(numbers, [8, 7, 6, 5, 4, 3, 2, 7]);
    });
}

#[test]
fn a_pointer_may_go_below_an_object_and_back() {
    let words = addressed(
        "",
        "%below = OpPtrAccessChain %ptr_number %numbers %n1
%at = OpPtrAccessChain %ptr_number %below %index
%next = OpPtrAccessChain %ptr_number %at %i1
OpStore %next %index Aligned 4",
    );
    run(&words, &[9; 8], |out, numbers| {
        out.assert_clean();
        assert_eq!(numbers, COUNT);
    });
}

#[test]
fn atomics_go_by_address() {
    let words = addressed("", "%one = OpAtomicIAdd %u32 %numbers %u1 %u0 %u2");
    run(&words, &[5, 6], |out, numbers| {
        out.assert_clean();
        assert_eq!(numbers, [21, 6]);
    });
}

#[test]
fn pointers_lie_in_memory() {
    let words = addressed(
        "",
        "%first = OpConvertUToPtr %ptr_block %number
%next_at = OpAccessChain %ptr_ptr_block %first %u0
%next = OpLoad %ptr_block %next_at Aligned 8
%at = OpAccessChain %ptr_number %next %u1 %index
OpStore %at %index Aligned 4",
    );
    for size in SIZES {
        let mut run = Run::new(&words).subgroup_size(size);
        let second = run.memory(&[0u32; 10]);
        let first = run.memory(&[second]);
        let out = run.push(&[first]).dispatch([1, 1, 1]).unwrap();
        out.assert_clean();
        assert_eq!(
            out.read_memory::<u32>(second),
            [0, 0, 0, 1, 2, 3, 4, 5, 6, 7]
        );
        assert_eq!(out.read_memory::<u64>(first), [second]);
    }
}

/// What a shader reports that writes 1 to the address in the push constants, 8 bytes further
/// for each invocation.
fn reported(address: impl Fn(u64) -> u64) -> Vec<String> {
    let words = addressed(
        "",
        "%two = OpIMul %u32 %index %u2
%at = OpPtrAccessChain %ptr_number %numbers %two
OpStore %at %u1 Aligned 4",
    );
    let mut run = Run::new(&words);
    // As if each could be reached from the other.
    let first = run.memory(&[0u32; 16]);
    run.memory(&[0u32; 16]);
    let out = run.push(&[address(first)]).dispatch([1, 1, 1]).unwrap();
    let rules = out.findings.iter().map(|found| found.rule().to_string());
    rules.collect()
}

#[test]
fn wrong_addresses_are_reported() {
    let none: [&str; 0] = [];
    assert_eq!(reported(|first| first), none);
    assert_eq!(reported(|first| first + 8), ["run.bounds"]);
    assert_eq!(reported(|first| first - 4), ["run.bounds"]);
    assert_eq!(reported(|_| 0), ["run.null"]);
    assert_eq!(reported(|first| first + (7 << 32)), ["run.null"]);
    assert_eq!(reported(|first| first + 2), ["run.alignment"]);
}

/// A buffer at binding 2 with two matrices by rows, each of which takes 32 bytes, and one by
/// columns.
const MATRICES: &str = "OpDecorate %rows Block
OpMemberDecorate %rows 0 Offset 0
OpMemberDecorate %rows 0 RowMajor
OpMemberDecorate %rows 0 MatrixStride 16
OpMemberDecorate %rows 1 Offset 32
OpMemberDecorate %rows 1 RowMajor
OpMemberDecorate %rows 1 MatrixStride 16
OpMemberDecorate %rows 2 Offset 64
OpMemberDecorate %rows 2 ColMajor
OpMemberDecorate %rows 2 MatrixStride 8
OpDecorate %matrices DescriptorSet 0
OpDecorate %matrices Binding 2
%v2f32 = OpTypeVector %f32 2
%m22 = OpTypeMatrix %v2f32 2
%rows = OpTypeStruct %m22 %m22 %m22
%ptr_rows = OpTypePointer StorageBuffer %rows
%ptr_m22 = OpTypePointer StorageBuffer %m22
%ptr_column = OpTypePointer StorageBuffer %v2f32
%takes_matrix = OpTypeFunction %f32 %ptr_m22
%matrices = OpVariable %ptr_rows StorageBuffer";

/// What a shader gives for its first invocations that loads from these matrices, which hold 0,
/// 1, 2 and so on.
fn of_matrices(body: &str, functions: &str) -> Result<Vec<f32>, String> {
    let words = crate::shader::with_functions(MATRICES, body, functions);
    let numbers: Vec<f32> = (0..20u8).map(f32::from).collect();
    let run = Run::new(&words)
        .storage(0, 0, &[0u32; 64])
        .storage(0, 2, &numbers);
    match run.zeroed(0, 1, 256).dispatch([1, 1, 1]) {
        Ok(out) => {
            out.assert_clean();
            Ok(out.read::<f32>(0, 1)[..2].to_vec())
        }
        Err(errors) => Err(errors.into_vec()[0].message().to_owned()),
    }
}

#[test]
fn pointers_to_matrices_know_how_these_lie() {
    // The second column's first component: the second number of the first row.
    let body = "%odd = OpBitwiseAnd %u32 %index %u1
%is_odd = OpIEqual %bool %odd %u1
%a = OpAccessChain %ptr_m22 %matrices %u0
%b = OpAccessChain %ptr_m22 %matrices %u1
%either = OpSelect %ptr_m22 %is_odd %b %a";
    let loaded = "%loaded = OpLoad %m22 %either
%number = OpCompositeExtract %f32 %loaded 1 0
%result = OpBitcast %u32 %number";
    assert_eq!(
        of_matrices(&format!("{body}\n{loaded}"), ""),
        Ok(vec![1.0, 9.0])
    );
    // The same in a function, and by a pointer to a column.
    let called = "%number = OpFunctionCall %f32 %first %either
%result = OpBitcast %u32 %number";
    let function = "%first = OpFunction %f32 None %takes_matrix
%matrix = OpFunctionParameter %ptr_m22
%begin = OpLabel
%column_at = OpAccessChain %ptr_column %matrix %u1
%column = OpLoad %v2f32 %column_at
%component = OpCompositeExtract %f32 %column 1
OpReturnValue %component
OpFunctionEnd";
    assert_eq!(
        of_matrices(&format!("{body}\n{called}"), function),
        Ok(vec![5.0, 13.0])
    );
}

#[test]
fn pointers_to_matrices_that_lie_differently_are_refused() {
    let body = "%a = OpAccessChain %ptr_m22 %matrices %u0
%c = OpAccessChain %ptr_m22 %matrices %u2
%either = OpSelect %ptr_m22 %true %a %c
%loaded = OpLoad %m22 %either
%number = OpCompositeExtract %f32 %loaded 1 0
%result = OpBitcast %u32 %number";
    let message = of_matrices(body, "").unwrap_err();
    assert!(
        message.contains("matrices that lie differently"),
        "{message}"
    );
}
