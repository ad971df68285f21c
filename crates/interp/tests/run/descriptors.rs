//! Arrays of descriptors, whichever way a pointer to them takes.

use spirvkit_interp::{Outcome, Run};
use spirvkit_text::{AssembleOptions, assemble};

use crate::shader::SIZES;

/// A shader of one invocation. Of four buffers in `%four`, of six in `%six`, which is an array
/// of two arrays, and of those in `%any`, as many as there are, each begins with its own number;
/// `%value` is what is at `%u1` of the output, and the body makes `%result`, which goes to its
/// beginning.
fn shader(body: &str, functions: &str) -> Vec<u32> {
    let text = format!(
        "OpCapability Shader
OpCapability RuntimeDescriptorArray
OpCapability VariablePointersStorageBuffer
OpExtension \"SPV_EXT_descriptor_indexing\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %four DescriptorSet 0
OpDecorate %four Binding 0
OpDecorate %six DescriptorSet 0
OpDecorate %six Binding 1
OpDecorate %any DescriptorSet 0
OpDecorate %any Binding 2
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 3
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %array ArrayStride 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%u2 = OpConstant %u32 2
%u3 = OpConstant %u32 3
%u4 = OpConstant %u32 4
%array = OpTypeRuntimeArray %u32
%block = OpTypeStruct %array
%of_four = OpTypeArray %block %u4
%of_three = OpTypeArray %block %u3
%of_six = OpTypeArray %of_three %u2
%of_any = OpTypeRuntimeArray %block
%ptr = OpTypePointer StorageBuffer %u32
%ptr_block = OpTypePointer StorageBuffer %block
%ptr_four = OpTypePointer StorageBuffer %of_four
%ptr_three = OpTypePointer StorageBuffer %of_three
%ptr_six = OpTypePointer StorageBuffer %of_six
%ptr_any = OpTypePointer StorageBuffer %of_any
%of_ptr = OpTypeFunction %u32 %ptr_four
%of_ptr_three = OpTypeFunction %u32 %ptr_three
%of_ptr_any = OpTypeFunction %u32 %ptr_any
%four = OpVariable %ptr_four StorageBuffer
%six = OpVariable %ptr_six StorageBuffer
%any = OpVariable %ptr_any StorageBuffer
%out = OpVariable %ptr_block StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%value_at = OpAccessChain %ptr %out %u0 %u1
%value = OpLoad %u32 %value_at
{body}
%out_at = OpAccessChain %ptr %out %u0 %u0
OpStore %out_at %result
OpReturn
OpFunctionEnd
{functions}"
    );
    let assembled = assemble(&text, &AssembleOptions::default());
    assembled
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"))
        .words
}

fn run(words: &[u32], size: u32, value: u32) -> Outcome {
    let mut run = Run::new(words)
        .subgroup_size(size)
        .storage(0, 3, &[0, value]);
    for element in 0..6u32 {
        if element < 4 {
            run = run.element(0, 0, element, &[40 + element, 0, 0]);
        }
        run = run.element(0, 1, element, &[60 + element]);
        if element < 5 {
            run = run.element(0, 2, element, &[50 + element]);
        }
    }
    run.dispatch([1, 1, 1]).unwrap()
}

#[track_caller]
fn gives(body: &str, functions: &str, value: u32, expected: u32) {
    let words = shader(body, functions);
    for size in SIZES {
        let out = run(&words, size, value);
        out.assert_clean();
        assert_eq!(out.read::<u32>(0, 3)[0], expected, "subgroups of {size}");
    }
}

/// A function that reads the first number of an element that is given to it.
const FIRST_OF: &str = "%first_of = OpFunction %u32 None %of_ptr
%parameter = OpFunctionParameter %ptr_four
%begin = OpLabel
%own_at = OpAccessChain %ptr %out %u0 %u1
%own = OpLoad %u32 %own_at
%chain = OpAccessChain %ptr %parameter %own %u0 %u0
%first = OpLoad %u32 %chain
OpReturnValue %first
OpFunctionEnd";

#[test]
fn elements_of_a_variable() {
    for (index, expected) in [("%u2", 42), ("%value", 43)] {
        let body = format!(
            "%at = OpAccessChain %ptr %four {index} %u0 %u0
%result = OpLoad %u32 %at"
        );
        gives(&body, "", 3, expected);
    }
}

#[test]
fn elements_of_a_copied_pointer() {
    for (index, expected) in [("%u2", 42), ("%value", 43)] {
        let body = format!(
            "%copy = OpCopyObject %ptr_four %four
%at = OpAccessChain %ptr %copy {index} %u0 %u0
%result = OpLoad %u32 %at"
        );
        gives(&body, "", 3, expected);
    }
    let body = "%copy = OpCopyObject %ptr_any %any
%same = OpAccessChain %ptr_any %copy
%at = OpAccessChain %ptr %same %value %u0 %u0
%result = OpLoad %u32 %at";
    gives(body, "", 4, 54);
}

#[test]
fn elements_of_a_parameter() {
    let body = "%result = OpFunctionCall %u32 %first_of %four";
    gives(body, FIRST_OF, 2, 42);
    gives(body, FIRST_OF, 0, 40);
}

#[test]
fn elements_of_a_chosen_pointer() {
    let body = "%is_two = OpIEqual %bool %value %u2
%none = OpUndef %ptr_four
%chosen = OpSelect %ptr_four %is_two %four %none
%at = OpAccessChain %ptr %chosen %value %u0 %u0
%result = OpLoad %u32 %at";
    gives(body, "", 2, 42);
}

#[test]
fn arrays_of_arrays() {
    for (indexes, expected) in [
        ("%u1 %u2", 65),
        ("%u1 %value", 64),
        ("%value %u0", 63),
        ("%value %value", 64),
        ("%u0 %u1", 61),
    ] {
        let body = format!(
            "%at = OpAccessChain %ptr %six {indexes} %u0 %u0
%result = OpLoad %u32 %at"
        );
        gives(&body, "", 1, expected);
    }
    // The inner array as a pointer, and as one that is given to a function.
    let body = "%inner = OpAccessChain %ptr_three %six %value
%at = OpAccessChain %ptr %inner %u2 %u0 %u0
%result = OpLoad %u32 %at";
    gives(body, "", 1, 65);
    let function = "%second_of = OpFunction %u32 None %of_ptr_three
%parameter = OpFunctionParameter %ptr_three
%begin = OpLabel
%chain = OpAccessChain %ptr %parameter %u1 %u0 %u0
%second = OpLoad %u32 %chain
OpReturnValue %second
OpFunctionEnd";
    let body = "%inner = OpAccessChain %ptr_three %six %value
%result = OpFunctionCall %u32 %second_of %inner";
    gives(body, function, 1, 64);
}

#[test]
fn the_length_of_an_array_in_an_element() {
    let body = "%at = OpAccessChain %ptr_block %four %value
%result = OpArrayLength %u32 %at 0";
    gives(body, "", 1, 3);
}

#[test]
fn elements_beyond_the_last() {
    // The objects behind are others, which are not to be read.
    for (chain, value) in [
        ("%four %value %u0 %u0", 4),
        ("%six %value %u0 %u0 %u0", 2),
        ("%six %u0 %value %u0 %u0", 3),
        ("%six %value %u1 %u0 %u0", 0xffff_ffff),
        ("%any %value %u0 %u0", 5),
    ] {
        let body = format!(
            "%at = OpAccessChain %ptr {chain}
%result = OpLoad %u32 %at"
        );
        let words = shader(&body, "");
        for size in SIZES {
            let out = run(&words, size, value);
            let ids: Vec<&str> = out.findings.iter().map(|found| found.rule()).collect();
            assert!(ids.contains(&"run.index"), "{chain}: {ids:?}");
            assert_eq!(out.read::<u32>(0, 3)[0], 0, "{chain}");
        }
    }
}

/// An array may be bound in part; the elements that are left out are only not to be used.
#[test]
fn elements_to_which_nothing_is_bound() {
    let read = "%at = OpAccessChain %ptr %four %value %u0 %u0
%result = OpLoad %u32 %at";
    let write = "%at = OpAccessChain %ptr %four %value %u0 %u0
OpStore %at %u1
%result = OpCopyObject %u32 %u1";
    let length = "%at = OpAccessChain %ptr_block %four %value
%result = OpArrayLength %u32 %at 0";
    for (body, there, what) in [
        (read, 43, "reads 4 bytes of element 1 of "),
        (write, 1, "writes 4 bytes of element 1 of "),
        (length, 3, "uses element 1 of "),
    ] {
        let words = shader(body, "");
        for (size, is_robust) in SIZES.iter().zip([false, true].into_iter().cycle()) {
            let run = |value: u32| {
                let run = Run::new(&words)
                    .subgroup_size(*size)
                    .robust(is_robust)
                    .element(0, 0, 0, &[40u32, 0, 0])
                    .element(0, 0, 3, &[43u32, 0, 0])
                    .storage(0, 3, &[0, value]);
                run.dispatch([1, 1, 1]).unwrap()
            };
            let out = run(3);
            out.assert_clean();
            assert_eq!(out.read::<u32>(0, 3)[0], there);
            let out = run(1);
            let [finding] = &out.findings[..] else {
                panic!("{body}: {:?}", out.findings);
            };
            assert_eq!(finding.rule(), "run.null");
            let message = finding.message();
            assert!(message.starts_with(what), "{message}");
            assert!(message.contains("at set 0, binding 0, to which nothing is bound"));
            assert_eq!(out.element(0, 0, 1), None);
        }
    }
}

#[test]
fn an_array_of_which_no_element_is_bound_is_refused_once() {
    let words = shader(
        "%at = OpAccessChain %ptr %four %value %u0 %u0
%result = OpLoad %u32 %at",
        "",
    );
    let errors = Run::new(&words).dispatch([1, 1, 1]).unwrap_err();
    let errors: Vec<&str> = errors.iter().map(|error| error.message()).collect();
    let [first, second] = errors[..] else {
        panic!("{errors:?}");
    };
    assert!(first.ends_with("at set 0, binding 0 has no buffer"));
    assert!(second.ends_with("at set 0, binding 3 has no buffer"));
}

#[test]
fn a_parameter_whose_size_only_the_run_knows_is_refused() {
    let function = FIRST_OF
        .replace("%of_ptr", "%of_ptr_any")
        .replace("%ptr_four", "%ptr_any");
    let words = shader("%result = OpFunctionCall %u32 %first_of %any", &function);
    let errors = Run::new(&words)
        .storage(0, 3, &[0u32, 0])
        .dispatch([1, 1, 1])
        .unwrap_err();
    let text = errors.to_string();
    assert!(text.contains("runtime array of descriptors"), "{text}");
}
