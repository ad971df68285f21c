//! Variables that become values, loads and stores.

use spirvkit_testing::text;

use super::frame::{becomes, becomes_with, body, module, optimized};

#[test]
fn variables_become_values() {
    becomes(
        "%x = OpVariable %to_float Function
%a1 = OpLoad %float %a
OpStore %x %a1
%x1 = OpLoad %float %x
%b1 = OpLoad %float %b
%sum = OpFAdd %float %x1 %b1
OpStore %x %sum
%x2 = OpLoad %float %x
OpStore %o %x2
OpReturn",
        "%1 = OpLoad %float %a
%2 = OpLoad %float %b
%3 = OpFAdd %float %1 %2
OpStore %o %3
OpReturn",
    );
}

#[test]
fn structures_are_split() {
    becomes(
        "%x = OpVariable %to_pair Function
%first = OpAccessChain %to_float %x %0
%second = OpAccessChain %to_int %x %1
%a1 = OpLoad %float %a
OpStore %first %a1
OpStore %second %2
%x1 = OpLoad %pair %x
%x11 = OpCompositeExtract %float %x1 0
%x12 = OpCompositeExtract %int %x1 1
OpStore %o %x11
OpStore %k %x12
OpReturn",
        "%1 = OpLoad %float %a
OpStore %o %1
OpStore %k %int_2
OpReturn",
    );
}

/// A variable `%x` that is stored to before a selection and in it.
pub(super) const JOINED: &str = "%x = OpVariable %to_float Function
OpStore %x %f1
%i1 = OpLoad %int %i
%is = OpSLessThan %bool %i1 %1
OpSelectionMerge %join None
OpBranchConditional %is %then %join
%then = OpLabel
OpStore %k %2
%a1 = OpLoad %float %a
OpStore %x %a1
OpBranch %join
%join = OpLabel
%x1 = OpLoad %float %x
OpStore %o %x1
OpReturn";

#[test]
fn what_is_stored_in_branches_meets_in_a_phi() {
    becomes(
        JOINED,
        "%9 = OpLoad %int %i
%1 = OpSLessThan %bool %9 %int_1
OpSelectionMerge %2 None
OpBranchConditional %1 %3 %2
%3 = OpLabel
OpStore %k %int_2
%4 = OpLoad %float %a
OpBranch %2
%2 = OpLabel
%5 = OpPhi %float %float_1 %6 %4 %3
OpStore %o %5
OpReturn",
    );
}

#[test]
fn what_loops_count_is_a_phi() {
    becomes(
        "%x = OpVariable %to_int Function
OpStore %x %0
OpBranch %head
%head = OpLabel
OpLoopMerge %end %next None
OpBranch %test
%test = OpLabel
%x1 = OpLoad %int %x
%i1 = OpLoad %int %i
%is = OpSLessThan %bool %x1 %i1
OpBranchConditional %is %next %end
%next = OpLabel
%x2 = OpLoad %int %x
%x3 = OpIAdd %int %x2 %2
OpStore %x %x3
OpBranch %head
%end = OpLabel
%x4 = OpLoad %int %x
OpStore %k %x4
OpReturn",
        "%1 = OpLoad %int %i
OpBranch %2
%2 = OpLabel
%3 = OpPhi %int %int_0 %4 %5 %6
%9 = OpSLessThan %bool %3 %1
OpLoopMerge %7 %6 None
OpBranchConditional %9 %6 %7
%6 = OpLabel
%5 = OpIAdd %int %3 %int_2
OpBranch %2
%7 = OpLabel
OpStore %k %3
OpReturn",
    );
}

#[test]
fn what_was_stored_or_loaded_is_not_loaded_again() {
    becomes(
        "%a1 = OpLoad %float %a
OpStore %o %a1
%place = OpAccessChain %in_data %data %0 %1
%d1 = OpLoad %float %place
%d2 = OpLoad %float %place
%sum = OpFAdd %float %d1 %d2
OpStore %place %sum
%d3 = OpLoad %float %place
OpStore %o %d3
OpReturn",
        "%1 = OpAccessChain %_ptr_StorageBuffer_float %data %int_0 %int_1
%2 = OpLoad %float %1
%3 = OpFAdd %float %2 %2
OpStore %1 %3
OpStore %o %3
OpReturn",
    );
}

#[test]
fn a_store_elsewhere_does_not_matter_and_one_that_may_be_there_does() {
    // Members are apart, and elements with different constant indices.
    becomes(
        "%first = OpAccessChain %in_data %other %0
%second = OpAccessChain %in_data %other %1
%d1 = OpLoad %float %first
OpStore %second %d1
%d2 = OpLoad %float %first
OpStore %o %d2
OpReturn",
        "%1 = OpAccessChain %_ptr_StorageBuffer_float %other %int_0
%2 = OpLoad %float %1
%3 = OpAccessChain %_ptr_StorageBuffer_float %other %int_1
OpStore %3 %2
OpStore %o %2
OpReturn",
    );
    becomes(
        "%i1 = OpLoad %int %i
%first = OpAccessChain %in_data %data %0 %0
%second = OpAccessChain %in_data %data %0 %i1
%d1 = OpLoad %float %first
OpStore %second %f1
%d2 = OpLoad %float %first
%sum = OpFAdd %float %d1 %d2
OpStore %o %sum
OpReturn",
        "%1 = OpAccessChain %_ptr_StorageBuffer_float %data %int_0 %int_0
%2 = OpLoad %float %1
%3 = OpLoad %int %i
%4 = OpAccessChain %_ptr_StorageBuffer_float %data %int_0 %3
OpStore %4 %float_1
%5 = OpLoad %float %1
%6 = OpFAdd %float %2 %5
OpStore %o %6
OpReturn",
    );
}

#[test]
fn stores_that_nothing_sees_go() {
    // The last one counts.
    becomes(
        "OpStore %o %f1
OpStore %o %f2
OpReturn",
        "OpStore %o %float_2
OpReturn",
    );
    // What reads between sees the first.
    becomes(
        "%place = OpAccessChain %in_data %data %0 %1
OpStore %place %f1
%i1 = OpLoad %int %i
%there = OpAccessChain %in_data %data %0 %i1
%x = OpLoad %float %there
OpStore %place %f2
OpStore %o %x
OpReturn",
        "%1 = OpAccessChain %_ptr_StorageBuffer_float %data %int_0 %int_1
OpStore %1 %float_1
%2 = OpLoad %int %i
%3 = OpAccessChain %_ptr_StorageBuffer_float %data %int_0 %2
%4 = OpLoad %float %3
OpStore %1 %float_2
OpStore %o %4
OpReturn",
    );
    // Nothing loads what is in a variable of its own.
    becomes(
        "%x = OpVariable %to_pair Function
%i1 = OpLoad %int %i
%first = OpAccessChain %to_float %x %0
OpStore %first %f1
OpStore %p %f2
OpReturn",
        "OpReturn",
    );
}

#[test]
fn private_variables_become_values() {
    becomes(
        "%a1 = OpLoad %float %a
OpStore %p %a1
%p1 = OpLoad %float %p
%sum = OpFAdd %float %p1 %p1
OpStore %p %sum
%p2 = OpLoad %float %p
OpStore %o %p2
OpReturn",
        "%1 = OpLoad %float %a
%2 = OpFAdd %float %1 %1
OpStore %o %2
OpReturn",
    );
}

/// Constants that are negative are no indices under logical addressing.
#[test]
fn an_index_that_turns_out_to_be_negative_is_unsigned() {
    becomes(
        "%back = OpISub %int %0 %1
%place = OpAccessChain %in_data %data %0 %back
%x = OpLoad %float %place
OpStore %o %x
OpReturn",
        "%1 = OpAccessChain %_ptr_StorageBuffer_float %data %int_0 %uint_4294967295
%2 = OpLoad %float %1
OpStore %o %2
OpReturn",
    );
}

#[test]
fn divisions_do_not_look_at_what_is_overwritten() {
    becomes(
        "%place = OpAccessChain %in_count %count %0
%x = OpLoad %int %i
%y = OpLoad %int %j
OpStore %place %x
%z = OpSDiv %int %x %y
OpStore %place %z
OpReturn",
        "%1 = OpLoad %int %i
%2 = OpLoad %int %j
%3 = OpSDiv %int %1 %2
%4 = OpAccessChain %_ptr_StorageBuffer_int %count %int_0
OpStore %4 %3
OpReturn",
    );
}

#[test]
fn volatile_accesses_atomics_and_barriers_stay() {
    becomes(
        "%place = OpAccessChain %in_data %other %0
%x = OpLoad %float %place Volatile
%y = OpLoad %float %place Volatile
OpStore %place %f1 Volatile
OpStore %place %f1 Volatile
OpReturn",
        "%1 = OpAccessChain %_ptr_StorageBuffer_float %other %int_0
%2 = OpLoad %float %1 Volatile
%3 = OpLoad %float %1 Volatile
OpStore %1 %float_1 Volatile
OpStore %1 %float_1 Volatile
OpReturn",
    );
    // What others may have changed between is loaded again.
    becomes(
        "%place = OpAccessChain %in_count %count %0
%c1 = OpLoad %int %place
%old = OpAtomicIAdd %int %place %1 %0 %1
%c2 = OpLoad %int %place
%s1 = OpIAdd %int %c1 %c2
OpMemoryBarrier %1 %barrier
%c3 = OpLoad %int %place
%s2 = OpIAdd %int %s1 %c3
OpStore %k %s2
OpReturn",
        "%1 = OpAccessChain %_ptr_StorageBuffer_int %count %int_0
%2 = OpLoad %int %1
%3 = OpAtomicIAdd %int %1 %int_1 %int_0 %int_1
%4 = OpLoad %int %1
OpMemoryBarrier %int_1 %int_72
%5 = OpLoad %int %1
%6 = OpIAdd %int %2 %4
%7 = OpIAdd %int %6 %5
OpStore %k %7
OpReturn",
    );
}

#[test]
fn what_nothing_was_stored_to_has_what_it_began_with_in_all_places() {
    let declarations = "%four = OpConstant %int 4
%array = OpTypeArray %float %four
%row = OpTypeStruct %int %array
%zeros = OpConstantNull %row
%to_row = OpTypePointer Function %row
%ones = OpConstantComposite %array %f1 %f1 %f1 %f2
%to_array = OpTypePointer Function %array
";
    let at_index = |initial: &str| {
        format!(
            "%x = OpVariable %to_row Function {initial}
%i1 = OpLoad %int %i
%at = OpAccessChain %to_float %x %1 %i1
%x1 = OpLoad %float %at
OpStore %o %x1
OpReturn"
        )
    };
    let zero = "OpStore %o %float_0\nOpReturn";
    becomes_with("", declarations, &at_index("%zeros"), zero);
    becomes_with("", declarations, &at_index(""), "OpStore %o %1\nOpReturn");
    // What differs is read.
    let differs = "%x = OpVariable %to_array Function %ones
%i1 = OpLoad %int %i
%at = OpAccessChain %to_float %x %i1
%x1 = OpLoad %float %at
OpStore %o %x1
OpReturn";
    becomes_with(
        "",
        declarations,
        differs,
        "%1 = OpVariable %_ptr_Function__arr_float_int_4 Function %2
%3 = OpLoad %int %i
%4 = OpAccessChain %_ptr_Function_float %1 %3
%5 = OpLoad %float %4
OpStore %o %5
OpReturn",
    );
    // And so is what was stored, wherever that was.
    let stored = at_index("%zeros").replace(
        "%at =",
        "%first = OpAccessChain %to_float %x %1 %0
OpStore %first %f1
%at =",
    );
    let kept = body(&module("", declarations, &stored));
    assert_eq!(kept.matches("OpStore").count(), 2, "{kept}");
    assert_eq!(kept.matches("OpLoad %float").count(), 1, "{kept}");
}

/// Of what is stored to a variable that has no value because of an index, only what a load may see stays: it
/// has no constant index that differs.
#[test]
fn stores_to_parts_that_no_load_sees_go() {
    let declarations = "%two = OpConstant %int 2
%row = OpTypeArray %float %two
%rows = OpTypeArray %row %two
%to_rows = OpTypePointer Function %rows
";
    let stores = [
        ("%0 %0", "%f0"),
        ("%0 %1", "%f1"),
        ("%1 %0", "%f2"),
        ("%1 %j1", "%b1"),
        ("%i1 %0", "%a1"),
        ("%i1 %1", "%c1"),
    ];
    let of = |load: &str| {
        let mut text = "%rows_here = OpVariable %to_rows Function\n%i1 = OpLoad %int %i
%j1 = OpLoad %int %j\n%a1 = OpLoad %float %a\n%b1 = OpLoad %float %b\n%c1 = OpFAdd %float %a1 %b1\n"
            .to_owned();
        for (number, (indices, value)) in stores.iter().enumerate() {
            text += &format!(
                "%p{number} = OpAccessChain %to_float %rows_here {indices}\nOpStore %p{number} {value}\n"
            );
        }
        // What is stored is not what is loaded.
        text += "OpControlBarrier %2 %2 %barrier\n";
        text += &format!(
            "%from = OpAccessChain %to_float %rows_here {load}\n%loaded = OpLoad %float %from\nOpStore %o %loaded\nOpReturn"
        );
        let text = body(&module("", declarations, &text));
        let stores = text.lines().filter(|line| line.starts_with("OpStore"));
        stores.count() - 1
    };
    let all: Vec<usize> = ["%0 %0", "%0 %1", "%1 %0", "%1 %j1", "%j1 %0", "%j1 %i1"]
        .map(of)
        .to_vec();
    assert_eq!(all, [2, 2, 3, 4, 4, 6]);
}

const MIXED: &str = "%four = OpConstant %int 4
%row = OpTypeArray %float %four
%mixed = OpTypeStruct %row %float
%to_mixed = OpTypePointer Function %mixed
%to_row = OpTypePointer Function %row
%ones = OpConstantComposite %row %f1 %f1 %f1 %f2
%initial = OpConstantComposite %mixed %ones %f2
%no_mixed = OpConstantNull %mixed
";

/// An index that is computed keeps only the array in memory that it leads into.
#[test]
fn a_structure_with_an_array_in_memory_is_divided() {
    becomes_with(
        "",
        MIXED,
        "%x = OpVariable %to_mixed Function
%at = OpAccessChain %to_float %x %1
%a1 = OpLoad %float %a
OpStore %at %a1
%rows = OpAccessChain %to_row %x %0
%i1 = OpLoad %int %i
%j1 = OpLoad %int %j
%to = OpAccessChain %to_float %rows %i1
OpStore %to %f2
%from = OpAccessChain %to_float %x %0 %j1
%x1 = OpLoad %float %from
%x2 = OpLoad %float %at
%sum = OpFAdd %float %x1 %x2
OpStore %o %sum
OpReturn",
        "%1 = OpVariable %_ptr_Function__arr_float_int_4 Function
%2 = OpLoad %int %i
%3 = OpAccessChain %_ptr_Function_float %1 %2
OpStore %3 %float_2
%4 = OpLoad %int %j
%5 = OpAccessChain %_ptr_Function_float %1 %4
%6 = OpLoad %float %5
%7 = OpLoad %float %a
%8 = OpFAdd %float %7 %6
OpStore %o %8
OpReturn",
    );
}

/// The parts begin as the whole did.
#[test]
fn parts_of_a_structure_that_is_divided_have_its_values() {
    let used = |initial: &str| {
        format!(
            "%x = OpVariable %to_mixed Function {initial}
%i1 = OpLoad %int %i
%at = OpAccessChain %to_float %x %0 %i1
OpStore %at %f2
%there = OpAccessChain %to_float %x %1
%x1 = OpLoad %float %there
OpStore %o %x1
%j1 = OpLoad %int %j
%again = OpAccessChain %to_float %x %0 %j1
%x2 = OpLoad %float %again
%to = OpAccessChain %in_data %data %0 %0
OpStore %to %x2
OpReturn"
        )
    };
    let row = "OpVariable %_ptr_Function__arr_float_int_4 Function";
    for (initial, of_row, other) in [
        ("%initial", " %", "OpStore %o %float_2"),
        ("%no_mixed", " %", "OpStore %o %float_0"),
        ("", "\n", "OpUndef"),
    ] {
        let after = text(&optimized(&module("", MIXED, &used(initial))));
        assert!(after.contains(&[row, of_row].concat()), "{after}");
        assert!(after.contains(other), "{after}");
    }
}

/// Of a constant that names one part for all, each member has that.
#[test]
fn parts_of_a_structure_that_repeats_one_value_have_it() {
    let after = text(&optimized(
        "; Version: 1.6
OpCapability Shader
OpCapability ReplicatedCompositesEXT
OpExtension \"SPV_EXT_replicated_composites\"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %i %o
OpExecutionMode %main OriginUpperLeft
OpName %ones \"ones\"
OpDecorate %i Location 0
OpDecorate %i Flat
OpDecorate %o Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%0 = OpConstant %int 0
%1 = OpConstant %int 1
%2 = OpConstant %int 2
%row = OpTypeArray %int %2
%ones = OpConstantComposite %row %1 %0
%pair = OpTypeStruct %row %row
%both = OpConstantCompositeReplicateEXT %pair %ones
%to_pair = OpTypePointer Function %pair
%to_int = OpTypePointer Function %int
%in = OpTypePointer Input %int
%out = OpTypePointer Output %int
%i = OpVariable %in Input
%o = OpVariable %out Output
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpVariable %to_pair Function %both
%i1 = OpLoad %int %i
%at = OpAccessChain %to_int %x %1 %i1
%x1 = OpLoad %int %at
OpStore %o %x1
OpReturn
OpFunctionEnd",
    ));
    let part = "OpVariable %_ptr_Function__arr_int_int_2 Function %ones";
    assert!(after.contains(part), "{after}");
}

/// Who gets the whole, gets it as it is.
#[test]
fn a_structure_that_is_used_as_a_whole_is_not_divided() {
    let used = "%x = OpVariable %to_mixed Function
OpStore %x %initial
%i1 = OpLoad %int %i
%at = OpAccessChain %to_float %x %0 %i1
OpStore %at %f2
%x1 = OpLoad %mixed %x
%x2 = OpCompositeExtract %float %x1 0 1
OpStore %o %x2
OpReturn";
    let found = body(&module("", MIXED, used));
    assert!(
        found.contains("OpVariable %_ptr_Function__struct"),
        "{found}"
    );
}
