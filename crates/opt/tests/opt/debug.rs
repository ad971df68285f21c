//! What becomes of debug information, and that nothing else depends on it.

use std::collections::HashMap;

use spirvkit_binary::Module;
use spirvkit_debuginfo::{DebugInfo, Location};
use spirvkit_ir::Module as Changed;
use spirvkit_opt::{Options, optimize};
use spirvkit_testing::{text, words};
use spirvkit_transform::{Strip, compact_ids, strip};

use super::frame::optimized;

/// A fragment shader with an input `%in`, outputs `%out` and `%more_out` (int) and a `Private` variable `%own`;
/// `%x` and `%y` are variables of its source, and `%call` is a function that it may call, with a
/// parameter `%n`.
fn shader(declarations: &str, call: &str, body: &str) -> String {
    format!(
        "; Version: 1.3
OpCapability Shader
OpExtension \"SPV_KHR_non_semantic_info\"
%set = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %in %out %more_out
OpExecutionMode %main OriginUpperLeft
%file = OpString \"shade.frag\"
%name = OpString \"name\"
OpName %main \"main\"
OpName %in \"in\"
OpName %out \"out\"
OpName %x \"x\"
OpName %y \"y\"
OpName %n \"n\"
OpName %expression \"expression\"
OpDecorate %in Location 0
OpDecorate %in Flat
OpDecorate %out Location 0
OpDecorate %more_out Location 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%pair = OpTypeStruct %int %int
%unary = OpTypeFunction %int %int
%in_int = OpTypePointer Input %int
%out_int = OpTypePointer Output %int
%own_int = OpTypePointer Private %int
%to_int = OpTypePointer Function %int
%to_pair = OpTypePointer Function %pair
%0 = OpConstant %int 0
%1 = OpConstant %int 1
%2 = OpConstant %int 2
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u4 = OpConstant %uint 4
%u7 = OpConstant %uint 7
%u9 = OpConstant %uint 9
%u32 = OpConstant %uint 32
%in = OpVariable %in_int Input
%out = OpVariable %out_int Output
%more_out = OpVariable %out_int Output
%own = OpVariable %own_int Private
%source = OpExtInst %void %set DebugSource %file
%unit = OpExtInst %void %set DebugCompilationUnit %u1 %u4 %source %u2
%t_int = OpExtInst %void %set DebugTypeBasic %name %u32 %u4 %u0
%t_fn = OpExtInst %void %set DebugTypeFunction %u0 %void
%d_main = OpExtInst %void %set DebugFunction %name %t_fn %source %u1 %u1 %unit %name %u0 %u1
%d_call = OpExtInst %void %set DebugFunction %name %t_fn %source %u7 %u1 %unit %name %u0 %u7
%x = OpExtInst %void %set DebugLocalVariable %name %t_int %source %u2 %u1 %d_main %u0
%y = OpExtInst %void %set DebugLocalVariable %name %t_int %source %u2 %u1 %d_main %u0
%n = OpExtInst %void %set DebugLocalVariable %name %t_int %source %u7 %u1 %d_call %u0
%expression = OpExtInst %void %set DebugExpression
{declarations}
{call}
%main = OpFunction %void None %fn
%entry = OpLabel
{body}
OpReturn
OpFunctionEnd
"
    )
}

/// The function that is called: `n + 1`, with its own lines and its parameter in a variable.
const CALL: &str = "%call = OpFunction %int None %unary
%parameter = OpFunctionParameter %int
%start = OpLabel
%copy = OpVariable %to_int Function
%d1 = OpExtInst %void %set DebugFunctionDefinition %d_call %call
%s1 = OpExtInst %void %set DebugScope %d_call
%l1 = OpExtInst %void %set DebugLine %source %u9 %u9 %u1 %u1
%d2 = OpExtInst %void %set DebugDeclare %n %copy %expression
OpStore %copy %parameter
%read = OpLoad %int %copy
%sum = OpIAdd %int %read %1
OpReturnValue %sum
OpFunctionEnd";

/// Optimizes a module, and checks that its code is what it would be without debug information.
#[track_caller]
fn described(module: &str) -> Vec<u32> {
    let after = optimized(module);
    let bare = stripped(&words(module));
    let bare = optimize(&bare, &Options::default()).unwrap().words;
    assert_eq!(
        text(&stripped(&after)),
        text(&stripped(&bare)),
        "{}",
        text(&after)
    );
    after
}

fn stripped(words: &[u32]) -> Vec<u32> {
    let mut module = Changed::load(words).unwrap();
    strip(&mut module, &Strip::DEBUG.unused(true));
    compact_ids(&mut module).unwrap();
    module.store()
}

/// What is said of variables, in order: the variable, the part, and the opcode or constant that it
/// is from there on.
fn said(words: &[u32]) -> Vec<String> {
    let text = text(words);
    let defined = |line: &str| {
        let (id, rest) = line.split_once(" = ")?;
        let op = rest.split(' ').next()?.to_owned();
        Some((id.to_owned(), op))
    };
    let ops: HashMap<String, String> = text.lines().filter_map(defined).collect();
    let spelled = |id: &str| match &*ops[id] {
        "OpConstant" => id.to_owned(),
        op => op.to_owned(),
    };
    let mut said = Vec::new();
    for line in text.lines() {
        let parts: Vec<&str> = line.split(' ').collect();
        if let [
            _,
            _,
            "OpExtInst",
            _,
            _,
            kind @ ("DebugValue" | "DebugDeclare"),
            rest @ ..,
        ] = &*parts
        {
            let part: String = rest[3..].iter().map(|it| format!("[{it}]")).collect();
            let is = if *kind == "DebugValue" { "=" } else { "in" };
            said.push(format!("{}{part} {is} {}", rest[0], spelled(rest[1])));
        }
    }
    said
}

/// How often an opcode or instruction of a set is there.
fn count(words: &[u32], what: &str) -> usize {
    let text = text(words);
    let words = text.split([' ', '\n']);
    words.filter(|word| *word == what).count()
}

#[test]
fn a_declared_variable_that_becomes_values_is_described_where_it_is_stored() {
    let body = "%var = OpVariable %to_int Function
%d = OpExtInst %void %set DebugDeclare %x %var %expression
OpStore %var %1
%a = OpLoad %int %in
OpStore %more_out %a
OpStore %var %a
%b = OpLoad %int %var
%sum = OpIAdd %int %b %1
OpStore %out %sum";
    let after = described(&shader("", "", body));
    assert_eq!(said(&after), ["%x = %int_1", "%x = OpLoad"]);
}

#[test]
fn a_declared_variable_is_described_where_ways_meet() {
    let body = "%var = OpVariable %to_int Function
%d = OpExtInst %void %set DebugDeclare %x %var %expression
%a = OpLoad %int %in
OpStore %var %a
%c = OpSLessThan %bool %a %1
OpSelectionMerge %merge None
OpBranchConditional %c %then %merge
%then = OpLabel
OpStore %out %2
OpStore %var %2
OpBranch %merge
%merge = OpLabel
%b = OpLoad %int %var
OpStore %out %b";
    let after = described(&shader("", "", body));
    assert_eq!(said(&after), ["%x = OpLoad", "%x = %int_2", "%x = OpPhi"]);
}

#[test]
fn nothing_takes_a_value_for_one_that_is_not_known_any_more() {
    // Nothing reads the variable behind, so that there is no phi.
    let body = "%var = OpVariable %to_int Function
%d = OpExtInst %void %set DebugDeclare %x %var %expression
%a = OpLoad %int %in
OpStore %var %a
%c = OpSLessThan %bool %a %1
OpSelectionMerge %merge None
OpBranchConditional %c %then %merge
%then = OpLabel
OpStore %out %2
OpStore %var %2
OpBranch %merge
%merge = OpLabel
OpStore %out %1";
    let after = described(&shader("", "", body));
    assert_eq!(said(&after), ["%x = OpLoad", "%x = %int_2", "%x = OpUndef"]);
}

#[test]
fn a_value_that_only_debug_information_needs_is_not_kept() {
    let body = "%var = OpVariable %to_int Function
%d = OpExtInst %void %set DebugDeclare %x %var %expression
%a = OpLoad %int %in
%b = OpIMul %int %a %a
OpStore %var %b
OpStore %out %1";
    let after = described(&shader("", "", body));
    assert_eq!(said(&after), ["%x = OpUndef"]);
    assert_eq!([count(&after, "OpIMul"), count(&after, "OpLoad")], [0, 0]);
}

#[test]
fn parts_of_a_variable_are_described_by_themselves() {
    let body = "%var = OpVariable %to_pair Function
%d = OpExtInst %void %set DebugDeclare %x %var %expression
%a = OpLoad %int %in
%first = OpAccessChain %to_int %var %0
%second = OpAccessChain %to_int %var %1
OpStore %second %a
OpStore %more_out %a
OpStore %first %2
%b = OpLoad %int %first
%c = OpLoad %int %second
%sum = OpIAdd %int %b %c
OpStore %out %sum";
    let after = described(&shader("", "", body));
    assert_eq!(
        said(&after),
        ["%x[%uint_1] = OpLoad", "%x[%uint_0] = %int_2"]
    );
}

/// The array is still in memory, the number beside it isn't.
#[test]
fn parts_of_a_variable_that_is_divided_are_described_by_themselves() {
    let declarations = "%row = OpTypeArray %int %u4
%mixed = OpTypeStruct %row %int
%to_mixed = OpTypePointer Function %mixed
";
    let body = "%var = OpVariable %to_mixed Function
%d = OpExtInst %void %set DebugDeclare %x %var %expression
%a = OpLoad %int %in
%to = OpAccessChain %to_int %var %0 %a
OpStore %to %2
%from = OpAccessChain %to_int %var %0 %1
%b = OpLoad %int %from
%beside = OpAccessChain %to_int %var %1
OpStore %beside %a
%c = OpLoad %int %beside
%sum = OpIAdd %int %b %c
OpStore %out %sum";
    let after = described(&shader(declarations, "", body));
    assert_eq!(
        said(&after),
        ["%x[%uint_0] in OpVariable", "%x[%uint_1] = OpLoad"]
    );
}

#[test]
fn a_value_that_comes_later_is_described_once_it_is_there() {
    // The sum is computed only where it is needed, behind the store to `out`.
    let body = "%var = OpVariable %to_int Function
%d = OpExtInst %void %set DebugDeclare %x %var %expression
%a = OpLoad %int %in
OpStore %var %1
OpStore %out %1
%sum = OpIAdd %int %a %2
OpStore %var %sum
OpStore %more_out %2
OpStore %own %1
%b = OpLoad %int %var
%product = OpIMul %int %b %b
OpStore %more_out %product";
    let after = described(&shader("", "", body));
    let expected = ["%x = %int_1", "%x = OpUndef", "%x = OpIAdd"];
    assert_eq!(said(&after), expected);
}

#[test]
fn inlined_instructions_say_where_they_were_called() {
    let body = "%d = OpExtInst %void %set DebugFunctionDefinition %d_main %main
%s = OpExtInst %void %set DebugScope %d_main
%l = OpExtInst %void %set DebugLine %source %u4 %u4 %u1 %u1
%a = OpLoad %int %in
%called = OpFunctionCall %int %call %a
OpStore %out %called";
    let after = described(&shader("", CALL, body));
    assert_eq!(count(&after, "OpFunction"), 1);
    assert_eq!(count(&after, "DebugFunctionDefinition"), 1);
    let info = DebugInfo::read(&after).unwrap();
    let module = Module::new(&after).unwrap();
    let mut insts = module.instructions().map(Result::unwrap);
    let sum = insts.find(|it| it.op().name() == Some("OpIAdd")).unwrap();
    let frames = info.frames(sum.offset());
    let lines: Vec<Option<u32>> = frames.map(|it| it.position.map(|it| it.line)).collect();
    assert_eq!(lines, [Some(9), Some(4)], "{}", text(&after));
    // Its parameter is what the caller has given.
    let mut variables = info.variables(sum.offset());
    let n = variables.find(|it| it.frame == 0).unwrap();
    assert!(matches!(n.location, Location::Value(_)), "{:?}", n.location);
    // The caller's own instructions are its own again.
    let store = insts.find(|it| it.op().name() == Some("OpStore")).unwrap();
    assert_eq!(info.frames(store.offset()).count(), 1, "{}", text(&after));
    assert_eq!(info.position(store.offset()).map(|it| it.line), Some(4));
}

#[test]
fn calls_within_calls_are_told() {
    let outer = "%outer = OpFunction %int None %unary
%m = OpFunctionParameter %int
%begin = OpLabel
%d3 = OpExtInst %void %set DebugFunctionDefinition %d_outer %outer
%s3 = OpExtInst %void %set DebugScope %d_outer
%l3 = OpExtInst %void %set DebugLine %source %u7 %u7 %u1 %u1
%inner = OpFunctionCall %int %call %m
%more = OpIMul %int %inner %inner
OpReturnValue %more
OpFunctionEnd";
    let declarations = "%d_outer = OpExtInst %void %set DebugFunction %name %t_fn %source %u7 %u1 %unit %name %u0 %u7";
    let body = "%d = OpExtInst %void %set DebugFunctionDefinition %d_main %main
%s = OpExtInst %void %set DebugScope %d_main
%l = OpExtInst %void %set DebugLine %source %u4 %u4 %u1 %u1
%a = OpLoad %int %in
%called = OpFunctionCall %int %outer %a
OpStore %out %called";
    let after = described(&shader(declarations, &format!("{CALL}\n{outer}"), body));
    let info = DebugInfo::read(&after).unwrap();
    let module = Module::new(&after).unwrap();
    let mut insts = module.instructions().map(Result::unwrap);
    let sum = insts.find(|it| it.op().name() == Some("OpIAdd")).unwrap();
    let frames = info.frames(sum.offset());
    let lines: Vec<Option<u32>> = frames.map(|it| it.position.map(|it| it.line)).collect();
    assert_eq!(lines, [Some(9), Some(7), Some(4)], "{}", text(&after));
}

#[test]
fn what_a_description_names_may_go() {
    let declarations = "%g = OpExtInst %void %set DebugGlobalVariable %name %t_int %source %u2 %u1 %unit %name %own %u0";
    let body = "%a = OpLoad %int %in
OpStore %own %a
%b = OpLoad %int %own
OpStore %out %b";
    let after = described(&shader(declarations, "", body));
    assert_eq!(count(&after, "Private"), 0);
    let text = text(&after);
    let global = text
        .lines()
        .find(|it| it.contains("DebugGlobalVariable"))
        .unwrap();
    let held = global.split(' ').nth(13).unwrap();
    let none = format!("{held} = OpExtInst %void");
    let found = text.lines().find(|it| it.starts_with(&none));
    assert!(
        found.is_some_and(|it| it.contains("DebugInfoNone")),
        "{text}"
    );
}

#[test]
fn variables_that_stay_in_memory_stay_declared() {
    let declarations = "%ints = OpTypeArray %int %u4\n%to_ints = OpTypePointer Function %ints";
    let body = "%var = OpVariable %to_ints Function
%d = OpExtInst %void %set DebugDeclare %x %var %expression
%a = OpLoad %int %in
%place = OpAccessChain %to_int %var %a
OpStore %place %1
%other = OpAccessChain %to_int %var %1
%b = OpLoad %int %other
OpStore %out %b";
    let after = described(&shader(declarations, "", body));
    assert_eq!(said(&after), ["%x in OpVariable"]);
}

#[test]
fn selections_that_become_choices_forget_what_variables_had_in_them() {
    let body = "%a = OpLoad %int %in
%c = OpSLessThan %bool %a %1
OpSelectionMerge %merge None
OpBranchConditional %c %then %merge
%then = OpLabel
%b = OpIAdd %int %a %2
%d = OpExtInst %void %set DebugValue %x %b %expression
OpBranch %merge
%merge = OpLabel
%p = OpPhi %int %a %entry %b %then
OpStore %out %p";
    let after = described(&shader("", "", body));
    assert_eq!(count(&after, "OpSelect"), 1);
    assert_eq!(said(&after), ["%x = OpUndef"]);
}

/// A kernel whose debug information is of an older set, in which functions are named, and lines
/// are numbers.
#[test]
fn older_sets_say_the_same() {
    let module = "; Version: 1.0
OpCapability Addresses
OpCapability Kernel
%set = OpExtInstImport \"OpenCL.DebugInfo.100\"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main \"main\"
%file = OpString \"kernel.cl\"
%name = OpString \"name\"
OpName %n \"n\"
%void = OpTypeVoid
%int = OpTypeInt 32 0
%one = OpConstant %int 1
%global = OpTypePointer CrossWorkgroup %int
%fn = OpTypeFunction %void %global
%unary = OpTypeFunction %int %int
%source = OpExtInst %void %set DebugSource %file
%unit = OpExtInst %void %set DebugCompilationUnit 65536 4 %source OpenCL_C
%t_int = OpExtInst %void %set DebugTypeBasic %name %size Signed
%t_fn = OpExtInst %void %set DebugTypeFunction None %void
%d_main = OpExtInst %void %set DebugFunction %name %t_fn %source 1 1 %unit %name None 1 %main
%d_call = OpExtInst %void %set DebugFunction %name %t_fn %source 7 1 %unit %name None 7 %call
%n = OpExtInst %void %set DebugLocalVariable %name %t_int %source 7 1 %d_call None
%expression = OpExtInst %void %set DebugExpression
%call = OpFunction %int None %unary
%p = OpFunctionParameter %int
%start = OpLabel
%s1 = OpExtInst %void %set DebugScope %d_call
OpLine %file 9 1
%v = OpExtInst %void %set DebugValue %n %p %expression
%sum = OpIAdd %int %p %one
OpReturnValue %sum
OpFunctionEnd
%main = OpFunction %void None %fn
%to = OpFunctionParameter %global
%entry = OpLabel
%s2 = OpExtInst %void %set DebugScope %d_main
OpLine %file 4 1
%a = OpLoad %int %to Aligned 4
%b = OpFunctionCall %int %call %a
OpStore %to %b Aligned 4
OpReturn
OpFunctionEnd
"
    .replace("%size", "%one");
    let after = described(&module);
    assert_eq!(said(&after), ["%n = OpLoad"]);
    let shown = text(&after);
    let inlined = shown
        .lines()
        .find(|it| it.contains("DebugInlinedAt"))
        .unwrap();
    assert!(inlined.contains("DebugInlinedAt 4 "), "{shown}");
    // The function that was called is gone, its description is not.
    assert_eq!(count(&after, "OpFunction"), 1);
    assert_eq!(count(&after, "DebugFunction"), 2);
    assert_eq!(count(&after, "DebugInfoNone"), 1);
}

#[test]
fn constants_that_only_debug_information_has_are_not_used() {
    // To return early takes a switch, whose selector is any constant that there is.
    let call = "%call = OpFunction %int None %unary
%parameter = OpFunctionParameter %int
%start = OpLabel
%less = OpSLessThan %bool %parameter %1
OpSelectionMerge %later None
OpBranchConditional %less %now %later
%now = OpLabel
OpStore %out %parameter
OpReturnValue %1
%later = OpLabel
OpStore %out %2
OpReturnValue %2
OpFunctionEnd";
    let body = "%a = OpLoad %int %in
%called = OpFunctionCall %int %call %a
OpStore %out %called";
    let after = described(&shader("", call, body));
    assert_eq!(count(&after, "OpFunction"), 1);
}

#[test]
fn lines_stand_before_merge_instructions() {
    let body = "%d = OpExtInst %void %set DebugFunctionDefinition %d_main %main
%s = OpExtInst %void %set DebugScope %d_main
%l = OpExtInst %void %set DebugLine %source %u4 %u4 %u1 %u1
%a = OpLoad %int %in
OpBranch %loop
%loop = OpLabel
%s2 = OpExtInst %void %set DebugScope %d_main
%l2 = OpExtInst %void %set DebugLine %source %u7 %u7 %u1 %u1
OpLoopMerge %merge %next None
OpBranch %test
%test = OpLabel
%s3 = OpExtInst %void %set DebugScope %d_main
%l3 = OpExtInst %void %set DebugLine %source %u9 %u9 %u1 %u1
%b = OpLoad %int %out
%c = OpSLessThan %bool %b %a
OpBranchConditional %c %again %merge
%again = OpLabel
%more = OpIAdd %int %b %1
OpStore %out %more
OpBranch %next
%next = OpLabel
OpBranch %loop
%merge = OpLabel";
    // That the result is valid is what is tested.
    described(&shader("", "", body));
}

#[test]
fn whole_values_of_composites_are_described_as_such() {
    let body = "%var = OpVariable %to_pair Function
%d = OpExtInst %void %set DebugDeclare %x %var %expression
%a = OpLoad %int %in
%both = OpCompositeConstruct %pair %a %2
OpStore %var %both
%all = OpLoad %pair %var
%own_pair = OpFunctionCall %int %call %all
OpStore %out %own_pair";
    let call = "%call = OpFunction %int DontInline %of_pair
%parameter = OpFunctionParameter %pair
%start = OpLabel
%first = OpCompositeExtract %int %parameter 0
%second = OpCompositeExtract %int %parameter 1
%sum = OpIMul %int %first %second
OpReturnValue %sum
OpFunctionEnd";
    let declarations = "%of_pair = OpTypeFunction %int %pair";
    let after = described(&shader(declarations, call, body));
    assert_eq!(said(&after), ["%x = OpCompositeConstruct"]);
}

#[test]
fn parameters_that_are_parts_of_other_variables_are_followed() {
    let call = "%call = OpFunction %int None %by_pointer
%parameter = OpFunctionParameter %to_image
%start = OpLabel
%s1 = OpExtInst %void %set DebugScope %d_call
%d2 = OpExtInst %void %set DebugDeclare %n %parameter %expression
%read = OpLoad %image %parameter
%texel = OpImageRead %ivec4 %read %place
%first = OpCompositeExtract %int %texel 0
OpReturnValue %first
OpFunctionEnd";
    let declarations = "%image = OpTypeImage %int 2D 0 0 0 2 R32i
%images = OpTypeArray %image %u4
%ivec2 = OpTypeVector %int 2
%ivec4 = OpTypeVector %int 4
%place = OpConstantComposite %ivec2 %1 %1
%to_images = OpTypePointer UniformConstant %images
%to_image = OpTypePointer UniformConstant %image
%by_pointer = OpTypeFunction %int %to_image
%all = OpVariable %to_images UniformConstant";
    let body = "%part = OpAccessChain %to_image %all %1
%called = OpFunctionCall %int %call %part
OpStore %out %called";
    let module = shader(declarations, call, body);
    let bindings = "OpDecorate %all DescriptorSet 0\nOpDecorate %all Binding 0\nOpDecorate %out";
    let after = described(&module.replacen("OpDecorate %out", bindings, 1));
    assert_eq!(said(&after), ["%n = OpAccessChain"]);
    assert_eq!(count(&after, "DebugOperation"), 1, "{}", text(&after));
}

#[test]
fn the_lengths_of_described_arrays_stay() {
    let declarations = "%length = OpSpecConstant %uint 4
%t_array = OpExtInst %void %set DebugTypeArray %t_int %length";
    let module = shader(declarations, "", "OpStore %out %1");
    let module = module.replace(
        "OpDecorate %out",
        "OpDecorate %length SpecId 3\nOpDecorate %out",
    );
    let after = described(&module);
    let counts = ["OpSpecConstant", "SpecId", "DebugInfoNone"].map(|it| count(&after, it));
    assert_eq!(counts, [1, 1, 0]);
}

#[test]
fn the_lengths_of_types_stay_whose_values_are_described() {
    let declarations = "%length = OpSpecConstant %uint 4
%array = OpTypeArray %int %length
%null = OpConstantNull %array
%to_array = OpTypePointer Function %array";
    let body = "%v = OpVariable %to_array Function
%declared = OpExtInst %void %set DebugDeclare %x %v %expression
OpStore %v %null
OpStore %out %1";
    let module = shader(declarations, "", body).replace(
        "OpDecorate %out",
        "OpDecorate %length SpecId 3\nOpDecorate %out",
    );
    let after = described(&module);
    let counts = ["OpSpecConstant", "SpecId", "OpTypeArray"].map(|it| count(&after, it));
    assert_eq!(counts, [1, 1, 1], "{}", text(&after));
}

#[test]
fn specialization_constants_go_that_are_only_described() {
    let declarations = "%constant = OpSpecConstant %int 4
%g = OpExtInst %void %set DebugGlobalVariable %name %t_int %source %u2 %u1 %unit %name %constant %u0";
    let module = shader(declarations, "", "OpStore %out %1");
    let module = module.replace(
        "OpDecorate %out",
        "OpDecorate %constant SpecId 3\nOpDecorate %out",
    );
    let after = described(&module);
    assert_eq!(count(&after, "OpSpecConstant"), 0);
    assert_eq!(count(&after, "DebugInfoNone"), 1);
}

#[test]
fn what_stands_behind_the_last_block_is_no_matter() {
    let module = shader("", "", "OpStore %out %1").replace(
        "OpReturn\nOpFunctionEnd",
        "OpReturn\n%behind = OpExtInst %void %set DebugNoScope\nOpFunctionEnd",
    );
    let before = words(&module);
    let after = optimize(&before, &Options::default()).unwrap().words;
    assert!(after.len() < before.len());
    assert_eq!(count(&after, "Private"), 0);
}

#[test]
fn a_value_that_has_lost_a_member_is_not_described() {
    let body = "%var = OpVariable %to_pair Function
%d = OpExtInst %void %set DebugDeclare %x %var %expression
%a = OpLoad %int %in
%both = OpCompositeConstruct %pair %a %2
OpStore %var %both
%all = OpLoad %pair %var
%own_pair = OpFunctionCall %int %call %all
OpStore %out %own_pair";
    let call = "%call = OpFunction %int DontInline %of_pair
%parameter = OpFunctionParameter %pair
%start = OpLabel
%first = OpCompositeExtract %int %parameter 0
OpReturnValue %first
OpFunctionEnd";
    let declarations = "%of_pair = OpTypeFunction %int %pair";
    let after = described(&shader(declarations, call, body));
    assert_eq!(said(&after), ["%x = OpUndef"]);
}
