//! What must not be simplified, although it looks as if it could.

use std::fmt::Write as _;

use spirvkit_testing::{numbered_words, text};
use spirvkit_validate::validate;

use super::frame;
use super::memory::JOINED;

/// The text of what becomes of a module, which is valid before and after.
#[track_caller]
fn optimized(module: &str) -> String {
    text(&frame::optimized(module))
}

#[track_caller]
fn counts(module: &str, op: &str, wanted: usize) {
    let text = optimized(module);
    let found = text.lines().filter(|line| line.contains(op)).count();
    assert_eq!(found, wanted, "{op} in\n{text}");
}

/// A compute shader with a buffer `%b` of two integers and memory of the workgroup.
fn compute(decorations: &str, body: &str) -> String {
    format!(
        "; Version: 1.0
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 64 1 1
OpMemberDecorate %B 0 Offset 0
OpMemberDecorate %B 1 Offset 4
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
{decorations}
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%v2 = OpTypeVector %uint 2
%B = OpTypeStruct %uint %uint
%pB = OpTypePointer Uniform %B
%pf = OpTypePointer Uniform %uint
%pw = OpTypePointer Workgroup %v2
%pwf = OpTypePointer Workgroup %uint
%b = OpVariable %pB Uniform
%w = OpVariable %pw Workgroup
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u264 = OpConstant %uint 264
%main = OpFunction %void None %fn
%l = OpLabel
%first = OpAccessChain %pf %b %u0
%second = OpAccessChain %pf %b %u1
{body}
OpReturn
OpFunctionEnd"
    )
}

#[test]
fn a_part_of_what_was_stored_before_a_barrier() {
    let body = "%x = OpLoad %uint %first
%both = OpCompositeConstruct %v2 %x %u1
OpStore %w %both
OpControlBarrier %u2 %u2 %u264
%part = OpAccessChain %pwf %w %u0
%y = OpLoad %uint %part
OpStore %second %y";
    counts(&compute("OpDecorate %B BufferBlock", body), "OpLoad", 2);
}

#[test]
fn accesses_to_volatile_members() {
    let body = "%x = OpLoad %uint %first
%y = OpLoad %uint %first
%s = OpISub %uint %x %y
OpStore %second %s
OpStore %first %u1
OpStore %first %u2";
    let decorations = "OpDecorate %B BufferBlock\nOpMemberDecorate %B 0 Volatile";
    let module = compute(decorations, body);
    counts(&module, "OpLoad", 2);
    counts(&module, "OpStore", 3);
}

#[test]
fn stores_to_what_a_group_of_decorations_makes_a_buffer() {
    let decorations = "OpDecorate %g BufferBlock\n%g = OpDecorationGroup\nOpGroupDecorate %g %B";
    let body = "%x = OpLoad %uint %first
OpStore %first %u1
%y = OpLoad %uint %first
%s = OpIAdd %uint %x %y
OpStore %second %s";
    let text = optimized(&compute(decorations, body));
    let mut lines = text.lines().filter(|line| line.contains("OpIAdd"));
    assert!(lines.all(|line| line.ends_with("%uint_1")), "{text}");
    counts(&compute(decorations, body), "OpStore", 2);
}

#[test]
fn the_size_of_workgroups_although_another_constant_equals_it() {
    let decorations = "OpDecorate %B BufferBlock\nOpDecorate %size BuiltIn WorkgroupSize";
    let body = "%x = OpCompositeExtract %uint %same 2
OpStore %first %x";
    let module = compute(decorations, body);
    let constants = "%v3 = OpTypeVector %uint 3
%same = OpConstantComposite %v3 %u2 %u1 %u1
%size = OpConstantComposite %v3 %u2 %u1 %u1
%main =";
    counts(
        &module.replace("%main =", constants),
        "BuiltIn WorkgroupSize",
        1,
    );
}

#[test]
fn what_an_exported_variable_holds() {
    let module = "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
OpDecorate %f LinkageAttributes \"f\" Export
OpDecorate %v LinkageAttributes \"v\" Export
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%pv = OpTypePointer Private %uint
%fn = OpTypeFunction %void
%v = OpVariable %pv Private
%u1 = OpConstant %uint 1
%f = OpFunction %void None %fn
%l = OpLabel
OpStore %v %u1
OpReturn
OpFunctionEnd";
    counts(module, "OpStore", 1);
}

/// A kernel with an argument `%out`.
fn kernel(declarations: &str, body: &str) -> String {
    format!(
        "; Version: 1.0
OpCapability Kernel
OpCapability Addresses
OpCapability GenericPointer
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %main \"main\"
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u272 = OpConstant %uint 272
%po = OpTypePointer CrossWorkgroup %uint
%pg = OpTypePointer Generic %uint
%pf = OpTypePointer Function %uint
%pw = OpTypePointer Workgroup %uint
%arr = OpTypeArray %uint %u2
%pa = OpTypePointer Workgroup %arr
%fn = OpTypeFunction %void %po %uint
{declarations}
%main = OpFunction %void None %fn
%out = OpFunctionParameter %po
%n = OpFunctionParameter %uint
%l = OpLabel
{body}
OpReturn
OpFunctionEnd"
    )
}

#[test]
fn stores_to_what_a_constant_address_leads_to() {
    let declarations = "%w = OpVariable %pa Workgroup
%address = OpSpecConstantOp %pw InBoundsPtrAccessChain %w %u0 %u1";
    let body = "%q = OpInBoundsPtrAccessChain %pw %w %u0 %u1
OpStore %q %u2
OpControlBarrier %u2 %u2 %u272
%r = OpLoad %uint %address
OpStore %out %r";
    counts(&kernel(declarations, body), "OpStore", 2);
}

#[test]
fn loads_through_generic_pointers() {
    let body = "%v = OpVariable %pf Function
%g = OpPtrCastToGeneric %pg %v
OpStore %g %u1
OpStore %v %u2
%r = OpLoad %uint %g
OpStore %out %r";
    counts(&kernel("", body), "OpLoad", 1);
}

#[test]
fn stores_through_pointers_that_turn_out_to_be_known() {
    let body = "%v = OpVariable %pf Function
OpStore %v %u1
%c = OpULessThan %bool %n %u2
OpBranchConditional %c %yes %join
%yes = OpLabel
%there = OpConvertPtrToU %uint %v
%q = OpBitcast %po %out
%p = OpBitcast %pf %v
OpStore %p %u2
OpStore %q %there
OpBranch %join
%join = OpLabel
%r = OpLoad %uint %v
OpStore %out %r";
    let text = optimized(&kernel("", body));
    let stores = text.lines().filter(|line| line.contains("OpStore")).count();
    let is_choice = text.contains("OpPhi") || stores == 4;
    assert!(is_choice, "{text}");
}

/// A fragment shader with an input `%in` and an output `%o`.
fn fragment(body: &str) -> String {
    format!(
        "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %o %in
OpExecutionMode %main OriginUpperLeft
OpDecorate %o Location 0
OpDecorate %in Location 0
OpDecorate %in Flat
%void = OpTypeVoid
%bool = OpTypeBool
%true = OpConstantTrue %bool
%uint = OpTypeInt 32 0
%po = OpTypePointer Output %uint
%pi = OpTypePointer Input %uint
%fn = OpTypeFunction %void
%o = OpVariable %po Output
%in = OpVariable %pi Input
%u0 = OpConstant %uint 0
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %uint %in
%c = OpIEqual %bool %x %u0
OpSelectionMerge %m None
{body}
%m = OpLabel
OpReturn
OpFunctionEnd"
    )
}

#[test]
fn selections_that_something_leaves_by_a_condition_of_its_own() {
    let rest = "%d = OpLabel
OpStore %o %u0
OpBranchConditional %c %m %n
%n = OpLabel
OpStore %o %x
OpBranch %m";
    for first in ["OpSwitch %u0 %d", "OpBranchConditional %true %d %m"] {
        // That it is valid is what is tested.
        counts(
            &fragment(&format!("{first}\n{rest}")),
            "OpSelectionMerge",
            1,
        );
    }
}

#[test]
fn what_may_be_computed_with_less_precision_still_may_where_ways_meet() {
    let module = frame::module("OpDecorate %x RelaxedPrecision\n", "", JOINED);
    counts(&module, "OpPhi %float", 1);
    counts(&module, " RelaxedPrecision", 1);
}

/// A shader with ids in numbers, whose switch has so many cases with the first of them as literals.
fn switching(cases: u32, width: u32, selector: &str) -> String {
    let mut text = format!(
        "OpCapability Shader
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 \"main\" %2
OpExecutionMode %1 LocalSize 1 1 1
OpDecorate %3 Block
OpMemberDecorate %3 0 Offset 0
OpDecorate %2 DescriptorSet 0
OpDecorate %2 Binding 0
%4 = OpTypeVoid
%5 = OpTypeFunction %4
%6 = OpTypeInt 32 0
%16 = OpTypeInt {width} 1
%3 = OpTypeStruct %6
%7 = OpTypePointer StorageBuffer %3
%8 = OpTypePointer StorageBuffer %6
%2 = OpVariable %7 StorageBuffer
%9 = OpConstant %6 0
%10 = OpConstant %6 1
%1 = OpFunction %4 None %5
%11 = OpLabel
%12 = OpAccessChain %8 %2 %9
%13 = OpLoad %6 %12
%14 = OpIAdd %6 %13 %10
%40 = OpIAdd %6 %13 %10
%41 = OpIAdd %6 %14 %40
OpStore %12 %41
{selector}
OpSelectionMerge %99 None
OpSwitch %15 %99"
    );
    for case in 1..=cases {
        let _ = write!(text, " {case} %{}", case + 100);
    }
    text.push('\n');
    for case in 101..=100 + cases {
        let (product, sum) = (case + cases, case + 2 * cases);
        let _ = writeln!(
            text,
            "%{case} = OpLabel\n%{product} = OpIMul %6 %13 %{case}1\n%{sum} = OpIAdd %6 %{product} %41\nOpStore %12 %{sum}\nOpBranch %99"
        );
    }
    // A factor of its own for each, so that no block is as another.
    let mut factors = String::new();
    for case in 101..=100 + cases {
        let _ = writeln!(factors, "%{case}1 = OpConstant %6 {case}");
    }
    text.push_str("%99 = OpLabel\nOpReturn\nOpFunctionEnd\n");
    text.replace("%1 = OpFunction", &(factors + "%1 = OpFunction"))
}

#[test]
fn the_literals_of_a_switch_with_many_cases_are_no_ids() {
    // The sums `%14` and `%40` are one, which no literal 14 or 40 may become.
    for (width, selector) in [
        (32, "%15 = OpBitcast %16 %13"),
        (64, "%15 = OpSConvert %16 %13"),
    ] {
        let before = numbered_words(&switching(75, width, selector));
        let after = spirvkit_opt::optimize(&before, &Default::default()).unwrap();
        for words in [&before, &after.words] {
            assert_eq!(validate(words, &Default::default()).diagnostics(), []);
        }
        let text = text(&after.words);
        let switch = text.lines().find(|line| line.contains("OpSwitch")).unwrap();
        let cases = switch.split_whitespace().skip(3).step_by(2);
        let wanted: Vec<String> = (1..=75).map(|case| case.to_string()).collect();
        assert_eq!(cases.collect::<Vec<_>>(), wanted, "{text}");
        assert!(after.words.len() < before.len());
    }
}
