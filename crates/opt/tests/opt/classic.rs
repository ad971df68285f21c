//! The passes that are no part of the engine.

use spirvkit_opt::{Options, Recipe};
use spirvkit_testing::{text, words};
use spirvkit_validate::validate;

use crate::frame::module;

#[track_caller]
pub(crate) fn valid(words: &[u32]) {
    let report = validate(words, &Default::default());
    assert!(
        report.is_valid(),
        "{:#?}\n{}",
        report.diagnostics(),
        text(words)
    );
}

#[track_caller]
pub(crate) fn run(flags: &str, module: &[u32]) -> Vec<u32> {
    let recipe = Recipe::parse(flags).unwrap();
    let done = recipe.run(module, &Options::default());
    done.unwrap_or_else(|error| panic!("{error}")).words
}

/// The text of what passes make of a module, which is valid then.
#[track_caller]
pub(crate) fn mended(flags: &str, module: &str) -> String {
    let done = run(flags, &words(module));
    valid(&done);
    text(&done)
}

/// The same of a module that is valid before, too.
#[track_caller]
pub(crate) fn after(flags: &str, module: &str) -> String {
    valid(&words(module));
    mended(flags, module)
}

/// Checks that passes do nothing once they are done.
#[track_caller]
pub(crate) fn is_final(flags: &str, module: &str) {
    let done = run(flags, &words(module));
    assert_eq!(text(&run(flags, &done)), text(&done));
}

#[track_caller]
pub(crate) fn has(text: &str, pieces: &[&str]) {
    for piece in pieces {
        assert!(text.contains(piece), "{piece}\n{text}");
    }
}

#[track_caller]
pub(crate) fn lacks(text: &str, pieces: &[&str]) {
    for piece in pieces {
        assert!(!text.contains(piece), "{piece}\n{text}");
    }
}

pub(crate) fn count(text: &str, piece: &str) -> usize {
    text.matches(piece).count()
}

/// A compute shader with these lines before the types, among them, and in `main`.
pub(crate) fn compute(decorations: &str, declarations: &str, body: &str) -> String {
    format!(
        "; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
{decorations}
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%0 = OpConstant %uint 0
%1 = OpConstant %uint 1
%2 = OpConstant %uint 2
%3 = OpConstant %uint 3
%f1 = OpConstant %float 1
{declarations}
%main = OpFunction %void None %fn
%entry = OpLabel
{body}
OpFunctionEnd
"
    )
}

pub(crate) const BUFFER: [&str; 2] = [
    "OpDecorate %B Block
OpMemberDecorate %B 0 Offset 0
OpMemberDecorate %B 1 Offset 16
OpDecorate %four ArrayStride 4
OpDecorate %many ArrayStride 4
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0",
    "%n4 = OpConstant %uint 4
%four = OpTypeArray %uint %n4
%many = OpTypeRuntimeArray %uint
%B = OpTypeStruct %four %many
%to_B = OpTypePointer StorageBuffer %B
%to_four = OpTypePointer StorageBuffer %four
%to_uint = OpTypePointer StorageBuffer %uint
%b = OpVariable %to_B StorageBuffer",
];

#[test]
fn what_describes_the_source_goes() {
    let described = compute(
        "%file = OpString \"a.comp\"\nOpSource GLSL 450 %file\nOpName %x \"x\"",
        "",
        "OpLine %file 1 1\n%x = OpIAdd %uint %1 %2\nOpReturn",
    );
    lacks(
        &after("strip-debug", &described),
        &["OpName", "OpLine", "OpString", "OpSource"],
    );
    let reflected = described.replace(
        "OpMemoryModel",
        "OpExtension \"SPV_GOOGLE_user_type\"\nOpExtension \"SPV_GOOGLE_decorate_string\"\nOpExtension \"SPV_KHR_non_semantic_info\"
%set = OpExtInstImport \"NonSemantic.Any\"
OpMemoryModel",
    );
    let reflected = reflected.replace(
        "%void = ",
        "OpDecorateString %x UserTypeGOOGLE \"uint\"\n%void = ",
    );
    let text = after("strip-nonsemantic", &reflected);
    lacks(&text, &["UserTypeGOOGLE", "OpExtension", "OpExtInstImport"]);
    has(&text, &["OpName", "OpLine"]);
    assert_eq!(after("strip-reflect", &reflected), text);
    let capable = compute("", "", "OpReturn").replace("Shader", "Shader\nOpCapability Float64");
    lacks(&after("trim-capabilities", &capable), &["Float64"]);
}

#[test]
fn ids_are_numbered_by_what_they_are() {
    let one = compute(
        "OpName %main \"main\"",
        "",
        "%x = OpIAdd %uint %1 %2\nOpReturn",
    );
    let other = compute(
        "OpName %main \"main\"\nOpName %y \"y\"",
        "%unused = OpTypeInt 16 0",
        "%x = OpIAdd %uint %1 %2\nOpReturn",
    )
    .replace("%unused = OpTypeInt 16 0", "%y = OpTypeVector %uint 3");
    let number = |module: &str, line: &str| {
        let options = spirvkit_text::DisassembleOptions::default().friendly_names(false);
        let done = Recipe::parse("canonicalize-ids").unwrap();
        let done = done.run(&words(module), &Options::default()).unwrap().words;
        valid(&done);
        let text = spirvkit_text::disassemble(&done, &options).unwrap().text;
        let line = text.lines().find(|it| it.contains(line)).unwrap();
        line.trim().split(' ').next().unwrap().to_owned()
    };
    for line in [
        "= OpTypeVoid",
        "= OpTypeInt 32 0",
        "= OpTypeFunction",
        "= OpFunction ",
    ] {
        assert_eq!(number(&one, line), number(&other, line), "{line}");
    }
    let bound = |module: &str| {
        let done = Recipe::parse("compact-ids").unwrap();
        done.run(&words(module), &Options::default()).unwrap().words[3]
    };
    let holed = one.replace("%x", "%700");
    assert_eq!(bound(&holed), bound(&one));
}

#[test]
fn specialization_constants_get_defaults_or_become_constants() {
    let special = compute(
        "OpDecorate %a SpecId 1\nOpDecorate %b SpecId 2",
        "%a = OpSpecConstant %uint 7\n%b = OpSpecConstantTrue %bool
%sum = OpSpecConstantOp %uint IAdd %1 %2
%later = OpSpecConstantOp %uint IAdd %a %2",
        "%x = OpIAdd %uint %sum %later\nOpReturn",
    );
    let set = after(
        "\"set-spec-const-default-value=1:0x10 2:false 9:1\"",
        &special,
    );
    has(&set, &["OpSpecConstant %uint 16", "OpSpecConstantFalse"]);
    let folded = after("fold-spec-const-op-composite", &special);
    assert_eq!(count(&folded, "OpSpecConstantOp"), 1);
    lacks(&after("freeze-spec-const", &special), &["OpSpec"]);
    let recipe = Recipe::parse("\"set-spec-const-default-value=1:x\"").unwrap();
    let error = recipe
        .run(&words(&special), &Options::default())
        .unwrap_err();
    assert!(error.to_string().contains("`x`"), "{error}");
}

#[test]
fn groups_of_decorations_are_written_out() {
    let grouped = compute(
        "OpDecorate %group NonWritable\n%group = OpDecorationGroup
OpGroupDecorate %group %b\nOpDecorate %B Block\nOpMemberDecorate %B 0 Offset 0
OpDecorate %b DescriptorSet 0\nOpDecorate %b Binding 0",
        "%B = OpTypeStruct %uint\n%to_B = OpTypePointer StorageBuffer %B\n%b = OpVariable %to_B StorageBuffer",
        "OpReturn",
    );
    let text = after("flatten-decorations", &grouped);
    lacks(&text, &["Group"]);
    has(&text, &["NonWritable"]);
}

#[test]
fn floats_are_relaxed_and_converted() {
    let floats = module(
        "OpDecorate %square RelaxedPrecision\n",
        "",
        "%x = OpLoad %float %a\n%square = OpFMul %float %x %x\n%sum = OpFAdd %float %square %f1
%less = OpFOrdLessThan %bool %sum %f2\nOpStore %o %sum\nOpReturn",
    );
    let relaxed = after("relax-float-ops", &floats);
    assert_eq!(count(&relaxed, "RelaxedPrecision"), 2, "{relaxed}");
    let half = after("convert-relaxed-to-half", &floats);
    has(
        &half,
        &["OpFMul %half", "OpFAdd %float", "OpCapability Float16"],
    );
    assert_eq!(count(&half, "OpFConvert"), 2, "{half}");
    lacks(&half, &["RelaxedPrecision"]);
    let all = after("relax-float-ops convert-relaxed-to-half", &floats);
    has(&all, &["OpFMul %half", "OpFAdd %half"]);
}

#[test]
fn entry_points_list_what_they_use() {
    let unused = module("", "", "%x = OpLoad %float %a\nOpStore %o %x\nOpReturn");
    let text = after("remove-unused-interface-variables", &unused);
    has(&text, &["OpEntryPoint Fragment %main \"main\" %a %o\n"]);
    let recipe = Recipe::parse("remove-unused-interface-variables").unwrap();
    let kept = recipe.run(
        &words(&unused),
        &Options::default().preserve_interface(true),
    );
    assert_eq!(kept.unwrap().words, words(&unused));
}

#[test]
fn execution_modes_and_controls_change() {
    let plain = compute("", "", "OpReturn");
    let added = after("modify-maximal-reconvergence=add", &plain);
    has(
        &added,
        &[" MaximallyReconvergesKHR", "SPV_KHR_maximal_reconvergence"],
    );
    is_final("modify-maximal-reconvergence=add", &plain);
    let both = "modify-maximal-reconvergence=add modify-maximal-reconvergence=remove";
    let removed = after(both, &plain);
    lacks(&removed, &["Maximally", "OpExtension"]);
    let stays = plain.replace("%void None %fn", "%void DontInline %fn");
    lacks(&after("remove-dont-inline", &stays), &["DontInline"]);
}

#[test]
fn only_parts_that_are_used_are_loaded() {
    let body = "%all = OpLoad %B %b\n%part = OpCompositeExtract %uint %all 0 2\nOpStore %out %part\nOpReturn";
    let [decorations, declarations] = BUFFER;
    let declarations = declarations.replace("%four %many", "%four %uint")
        + "\n%to_private = OpTypePointer Private %uint\n%out = OpVariable %to_private Private";
    let whole = compute(decorations, &declarations, body);
    let text = after("reduce-load-size", &whole);
    has(&text, &["OpLoad %_arr_uint_", "OpAccessChain"]);
    lacks(&text, &["OpLoad %_struct"]);
    has(&after("reduce-load-size=0.4", &whole), &["OpLoad %_struct"]);
}

#[test]
fn duplicates_go_but_not_what_is_named_otherwise() {
    let twice = compute(
        "OpName %named \"named\"",
        "%one = OpTypeStruct %uint\n%other = OpTypeStruct %uint\n%named = OpTypeStruct %uint
%to_one = OpTypePointer Private %one\n%to_other = OpTypePointer Private %other
%v1 = OpVariable %to_one Private\n%v2 = OpVariable %to_other Private",
        "%x = OpLoad %one %v1\nOpStore %v1 %x\nOpReturn",
    )
    .replace(
        "OpCapability Shader",
        "OpCapability Shader\nOpCapability Shader",
    );
    let text = after("remove-duplicates", &twice);
    assert_eq!(count(&text, "OpTypeStruct"), 2, "{text}");
    assert_eq!(count(&text, "OpTypePointer"), 1, "{text}");
    assert_eq!(count(&text, "OpCapability"), 1, "{text}");
}

#[test]
fn indices_are_clamped() {
    let [decorations, declarations] = BUFFER;
    let robust = compute(
        decorations,
        declarations,
        "%index_at = OpAccessChain %to_uint %b %0 %1\n%index = OpLoad %uint %index_at
%fixed = OpAccessChain %to_uint %b %0 %index\nOpStore %fixed %0
%open = OpAccessChain %to_uint %b %1 %index\nOpStore %open %0\nOpReturn",
    );
    let text = after("graphics-robust-access", &robust);
    assert_eq!(count(&text, "UMin"), 2, "{text}");
    has(
        &text,
        &[
            "UMin %9 %uint_3",
            "OpArrayLength %uint %4 1",
            "OpISub %uint",
        ]
        .map(|it| it.split(' ').next().unwrap()),
    );
    assert_eq!(count(&text, "OpArrayLength"), 1, "{text}");
    let kernel = "OpCapability Kernel\nOpCapability Addresses\nOpMemoryModel Physical64 OpenCL\n";
    let recipe = Recipe::parse("graphics-robust-access").unwrap();
    recipe.run(&words(kernel), &Options::default()).unwrap_err();
}

#[test]
fn a_function_returns_in_one_place() {
    let early = compute(
        "",
        "%takes = OpTypeFunction %uint %uint",
        "%x = OpFunctionCall %uint %f %1\nOpReturn
OpFunctionEnd
%f = OpFunction %uint None %takes
%p = OpFunctionParameter %uint
%first = OpLabel
%is = OpIEqual %bool %p %1
OpSelectionMerge %behind None
OpBranchConditional %is %then %behind
%then = OpLabel
OpReturnValue %2
%behind = OpLabel
OpReturnValue %3",
    );
    let text = after("merge-return", &early);
    assert_eq!(count(&text, "OpReturnValue"), 1, "{text}");
    has(&text, &["OpSwitch", "OpPhi %uint"]);
}

#[test]
fn arguments_become_variables() {
    let passes = compute(
        "",
        "%pair = OpTypeStruct %uint %uint\n%to_pair = OpTypePointer Function %pair
%to_local = OpTypePointer Function %uint\n%takes = OpTypeFunction %void %to_local",
        "%v = OpVariable %to_pair Function\n%at = OpAccessChain %to_local %v %1
%x = OpFunctionCall %void %f %at\nOpReturn
OpFunctionEnd
%f = OpFunction %void None %takes
%p = OpFunctionParameter %to_local
%first = OpLabel
OpStore %p %2
OpReturn",
    );
    let text = mended("fix-func-call-param", &passes);
    assert_eq!(count(&text, "OpVariable"), 2, "{text}");
    assert_eq!(
        (count(&text, "OpLoad"), count(&text, "OpStore")),
        (2, 3),
        "{text}"
    );
}

#[test]
fn extended_instructions_say_whether_they_look_ahead() {
    let ahead = "OpCapability Shader\nOpExtension \"SPV_KHR_non_semantic_info\"
OpExtension \"SPV_KHR_relaxed_extended_instruction\"
%set = OpExtInstImport \"NonSemantic.Any\"\nOpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid\n%fn = OpTypeFunction %void
%note = OpExtInst %void %set 1 %main
%main = OpFunction %void None %fn\n%entry = OpLabel\nOpReturn\nOpFunctionEnd\n";
    let text = text(&run("fix-opextinst-opcodes", &words(ahead)));
    has(&text, &["OpExtInstWithForwardRefsKHR"]);
    let back = ahead
        .replace("%set 1 %main", "%set 1 %void")
        .replace("OpExtInst ", "OpExtInstWithForwardRefsKHR ");
    let text = mended("opextinst-forward-ref-fixup", &back);
    has(&text, &["OpExtInst %void"]);
    lacks(&text, &["relaxed_extended"]);
}

#[test]
fn pointers_get_the_class_of_what_they_lead_to() {
    let wrong = compute(
        "",
        "%pair = OpTypeStruct %uint %uint\n%to_pair = OpTypePointer Private %pair
%to_private = OpTypePointer Private %uint\n%to_function = OpTypePointer Function %uint
%v = OpVariable %to_pair Private",
        "%at = OpAccessChain %to_function %v %1\nOpStore %at %2\nOpReturn",
    );
    let text = mended("fix-storage-class", &wrong);
    has(&text, &["OpAccessChain %_ptr_Private_uint"]);
}

#[test]
fn what_a_stage_can_not_do_is_replaced() {
    let wrong = compute(
        "",
        "%to_private = OpTypePointer Private %float\n%v = OpVariable %to_private Private",
        "%x = OpLoad %float %v\n%d = OpDPdx %float %x\nOpStore %v %d\nOpReturn",
    );
    let text = mended("replace-invalid-opcode", &wrong);
    lacks(&text, &["OpDPdx"]);
    has(&text, &["OpConstantNull %float"]);
}

#[test]
fn descriptors_are_told_apart_and_moved() {
    let decorations = "OpName %t \"t\"\nOpDecorate %t DescriptorSet 1\nOpDecorate %t Binding 4
OpDecorate %s DescriptorSet 1\nOpDecorate %s Binding 4\nOpDecorate %u DescriptorSet 1
OpDecorate %u Binding 5";
    let declarations = "%image = OpTypeImage %float 2D 0 0 0 1 Unknown\n%images = OpTypeArray %image %3
%sampler = OpTypeSampler\n%to_images = OpTypePointer UniformConstant %images
%to_image = OpTypePointer UniformConstant %image\n%to_sampler = OpTypePointer UniformConstant %sampler
%t = OpVariable %to_images UniformConstant\n%s = OpVariable %to_sampler UniformConstant
%u = OpVariable %to_image UniformConstant";
    let body = "%at = OpAccessChain %to_image %t %2\n%x = OpLoad %image %at\n%y = OpLoad %image %u\nOpReturn";
    let several = compute(decorations, declarations, body);
    let switched = after("switch-descriptorset=1:7", &several);
    assert_eq!(count(&switched, "DescriptorSet 7"), 3);
    let resolved = after("resolve-binding-conflicts", &several);
    has(&resolved, &["%t Binding 4", "Binding 5", "Binding 6"]);
    for flag in [
        "descriptor-scalar-replacement",
        "descriptor-array-scalar-replacement",
    ] {
        let told = after(flag, &several);
        has(&told, &["Binding 6"]);
        lacks(&told, &["OpAccessChain", "OpName %t"]);
    }
    let same = after("descriptor-composite-scalar-replacement", &several);
    has(&same, &["OpAccessChain"]);
}

#[test]
fn ends_of_invocations_are_called_where_loops_continue() {
    let kills = module(
        "",
        "%takes = OpTypeFunction %float\n",
        "OpBranch %header
%header = OpLabel
OpLoopMerge %behind %continue None
OpBranch %test
%test = OpLabel
%x = OpLoad %float %a
%goes = OpFOrdLessThan %bool %x %f1
OpBranchConditional %goes %continue %behind
%continue = OpLabel
%called = OpFunctionCall %float %f
OpBranch %header
%behind = OpLabel
OpReturn
OpFunctionEnd
%f = OpFunction %float None %takes
%first = OpLabel
OpKill",
    );
    let more = kills.replace("OpKill", "%loaded = OpLoad %float %b\nOpKill");
    let text = after("wrap-opkill", &more);
    assert_eq!(
        (count(&text, "OpKill"), count(&text, "OpFunctionCall")),
        (1, 2),
        "{text}"
    );
    is_final("wrap-opkill", &more);
    let unreachable = more.replace(
        "%continue %behind\n%continue",
        "%continue %never\n%never = OpLabel\nOpUnreachable\n%continue",
    );
    let text = after("workaround-1209", &unreachable);
    lacks(&text, &["OpUnreachable"]);
}

#[test]
fn built_ins_that_change_become_volatile() {
    let rays = "; Version: 1.4
OpCapability RayTracingKHR
OpCapability GroupNonUniform
OpExtension \"SPV_KHR_ray_tracing\"
OpMemoryModel Logical GLSL450
OpEntryPoint RayGenerationKHR %main \"main\" %size
OpDecorate %size BuiltIn SubgroupSize
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%to = OpTypePointer Input %uint
%size = OpVariable %to Input
%main = OpFunction %void None %fn
%entry = OpLabel
%x = OpLoad %uint %size
OpReturn
OpFunctionEnd
";
    has(
        &after("spread-volatile-semantics", rays),
        &["OpDecorate %size Volatile"].map(|_| " Volatile"),
    );
    let vulkan = rays
        .replace("Logical GLSL450", "Logical Vulkan")
        .replace(
            "OpCapability GroupNonUniform",
            "OpCapability GroupNonUniform\nOpCapability VulkanMemoryModel",
        )
        .replace(
            "SPV_KHR_ray_tracing\"",
            "SPV_KHR_ray_tracing\"\nOpExtension \"SPV_KHR_vulkan_memory_model\"",
        );
    let text = after("spread-volatile-semantics", &vulkan);
    let load = text.lines().find(|line| line.contains("OpLoad")).unwrap();
    assert!(load.ends_with("Volatile"), "{load}");
}

#[test]
fn the_memory_model_says_at_accesses_what_decorations_said() {
    let [decorations, declarations] = BUFFER;
    let decorations = format!("{decorations}\nOpDecorate %b Coherent");
    let declarations = format!(
        "{declarations}\n%to_shared = OpTypePointer Workgroup %uint\n%w = OpVariable %to_shared Workgroup
%semantics = OpConstant %uint 80"
    );
    let old = compute(
        &decorations,
        &declarations,
        "%at = OpAccessChain %to_uint %b %0 %1\n%x = OpLoad %uint %at\nOpStore %at %1
%y = OpLoad %uint %w\n%z = OpAtomicIAdd %uint %at %1 %semantics %1\nOpReturn",
    );
    let text = after("upgrade-memory-model", &old);
    lacks(&text, &["Coherent", "GLSL450"]);
    has(
        &text,
        &[
            "OpMemoryModel Logical Vulkan",
            "OpCapability VulkanMemoryModel",
            "SPV_KHR_vulkan_memory_model",
            "MakePointerVisible|NonPrivatePointer %uint_5",
            "MakePointerAvailable|NonPrivatePointer %uint_5",
            "MakePointerVisible|NonPrivatePointer %uint_2",
            "OpAtomicIAdd %uint",
        ],
    );
    is_final("upgrade-memory-model", &old);
}

#[test]
fn interpolation_names_the_input() {
    let loaded = module(
        "",
        "",
        "%x = OpLoad %float %a\n%at = OpExtInst %float %glsl InterpolateAtCentroid %x\nOpStore %o %at\nOpReturn",
    )
    .replace(
        "OpMemoryModel",
        "OpCapability InterpolationFunction\n%glsl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel",
    );
    let text = mended("interpolate-fixup", &loaded);
    has(&text, &["InterpolateAtCentroid %a"]);
}

/// The passes that others run, as they register or list them.
const RECORDED: &[(&str, &str)] = &[
    ("DXC", "--legalize-hlsl --replace-invalid-opcode --compact-ids --reduce-load-size=1.1
        --descriptor-scalar-replacement --spread-volatile-semantics --fix-func-call-param -O
        --spread-volatile-semantics --compact-ids --trim-capabilities --upgrade-memory-model --fix-opextinst-opcodes"),
    ("shaderc", "-O"),
    ("glslang", "--wrap-opkill --eliminate-dead-branches --merge-return --inline-entry-points-exhaustive
        --eliminate-dead-functions --scalar-replacement --convert-local-access-chains
        --eliminate-local-single-block --eliminate-local-single-store --simplify-instructions
        --eliminate-dead-code-aggressive --vector-dce --eliminate-dead-inserts
        --eliminate-dead-code-aggressive --eliminate-dead-branches --merge-blocks
        --eliminate-local-multi-store --if-conversion --simplify-instructions
        --eliminate-dead-code-aggressive --vector-dce --eliminate-dead-inserts
        --interpolate-fixup --redundancy-elimination --eliminate-dead-code-aggressive --cfg-cleanup"),
    ("Slang", "--merge-return --inline-entry-points-exhaustive --eliminate-dead-code-aggressive
        --private-to-local --scalar-replacement=100 --convert-local-access-chains --eliminate-dead-code-aggressive"),
    ("SwiftShader", "--wrap-opkill --eliminate-dead-branches --merge-return --inline-entry-points-exhaustive
        --eliminate-dead-code-aggressive --private-to-local --eliminate-local-single-block
        --eliminate-local-single-store --eliminate-dead-code-aggressive --scalar-replacement
        --convert-local-access-chains --eliminate-local-single-block --eliminate-local-single-store
        --eliminate-dead-code-aggressive --eliminate-local-multi-store --eliminate-dead-code-aggressive
        --ccp --eliminate-dead-code-aggressive --redundancy-elimination --simplify-instructions"),
    ("Unreal", "--strip-reflect -O"),
    ("Filament", "--eliminate-dead-branches --inline-entry-points-exhaustive --eliminate-dead-functions
        --private-to-local --scalar-replacement=0 --eliminate-local-multi-store --ccp --loop-unroll
        --simplify-instructions --eliminate-dead-code-aggressive --convert-relaxed-to-half
        --simplify-instructions --redundancy-elimination --eliminate-dead-code-aggressive --canonicalize-ids"),
    ("bgfx", "--legalize-hlsl -O"),
    ("Godot", "--set-spec-const-default-value=0:1"),
    ("Xenia", "-O -O --canonicalize-ids"),
    ("vkQuake", "-Os"),
    ("Panda3D", "--legalize-hlsl"),
    ("sokol", "--eliminate-dead-functions --strip-debug --ccp --ssa-rewrite --redundancy-elimination"),
];

#[test]
fn lists_that_others_use_are_followed() {
    let shader = module(
        "",
        "",
        "%x = OpLoad %float %a\n%v4 = OpLoad %vec4 %v\n%y = OpCompositeExtract %float %v4 1
%sum = OpFAdd %float %x %y\nOpStore %o %sum\nOpReturn",
    );
    for (who, flags) in RECORDED {
        let text = after(flags, &shader);
        assert!(text.contains("OpFAdd"), "{who}\n{text}");
    }
}

/// A loop of `i` from 0, as long as this holds, that sums up squares and stores the sum.
fn summing(control: &str, condition: &str, body: &str) -> String {
    let [decorations, declarations] = BUFFER;
    compute(
        decorations,
        declarations,
        &format!(
            "%out = OpAccessChain %to_uint %b %0 %0
%limit = OpLoad %uint %out
OpBranch %header
%header = OpLabel
%i = OpPhi %uint %0 %entry %next %continue
%sum = OpPhi %uint %0 %entry %more %continue
OpLoopMerge %behind %continue {control}
OpBranch %test
%test = OpLabel
%goes = {condition}
OpBranchConditional %goes %body %behind
%body = OpLabel
%square = OpIMul %uint %i %i
%more = OpIAdd %uint %sum %square
{body}
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %uint %i %1
OpBranch %header
%behind = OpLabel
OpStore %out %sum
OpReturn"
        ),
    )
}

#[test]
fn marked_loops_are_unrolled() {
    let three = summing("Unroll", "OpULessThan %bool %i %3", "");
    let text = after("loop-unroll", &three);
    lacks(&text, &["OpLoopMerge", "OpPhi", "OpBranchConditional"]);
    assert_eq!(count(&text, "OpIMul"), 3, "{text}");
    // 0 + 1 + 4.
    let text = after("loop-unroll -Os", &three);
    has(&text, &["OpConstant %uint 5\n", "OpStore"]);
    lacks(&text, &["OpIMul", "OpBranch"]);
    let none = after(
        "loop-unroll -Os",
        &summing("Unroll", "OpULessThan %bool %3 %i", ""),
    );
    lacks(&none, &["OpIMul", "OpLoopMerge"]);
    let within =
        "OpSelectionMerge %skip None\nOpBranchConditional %goes %then %skip\n%then = OpLabel
OpStore %out %more\nOpBranch %skip\n%skip = OpLabel";
    let text = after(
        "loop-unroll",
        &summing("Unroll", "OpULessThanEqual %bool %i %2", within),
    );
    assert_eq!(count(&text, "OpSelectionMerge"), 3, "{text}");
    let left =
        "OpSelectionMerge %skip None\nOpBranchConditional %goes %behind %skip\n%skip = OpLabel";
    for stays in [
        summing("None", "OpULessThan %bool %i %3", ""),
        summing("Unroll", "OpULessThan %bool %i %limit", ""),
        summing("Unroll", "OpUGreaterThanEqual %bool %i %0", ""),
        summing("Unroll", "OpULessThan %bool %i %3", left)
            .replace("OpStore %out %sum", "OpStore %out %1"),
    ] {
        let stays = stays.replace("OpStore %out %sum\n", "OpStore %out %1\n");
        has(&after("loop-unroll", &stays), &["OpLoopMerge"]);
    }
}

#[test]
fn images_and_samplers_are_joined() {
    let apart = compute(
        "OpDecorate %t DescriptorSet 0\nOpDecorate %t Binding 3\nOpDecorate %s DescriptorSet 0
OpDecorate %s Binding 3",
        "%image = OpTypeImage %float 2D 0 0 0 1 Unknown\n%sampler = OpTypeSampler
%v2 = OpTypeVector %float 2\n%iv2 = OpTypeVector %int 2
%to_image = OpTypePointer UniformConstant %image\n%to_sampler = OpTypePointer UniformConstant %sampler
%t = OpVariable %to_image UniformConstant\n%s = OpVariable %to_sampler UniformConstant
%sampled = OpTypeSampledImage %image\n%origin = OpConstantNull %v2\n%i0 = OpConstant %int 0
%texel = OpConstantNull %iv2",
        "%i = OpLoad %image %t\n%p = OpLoad %sampler %s\n%both = OpSampledImage %sampled %i %p
%x = OpImageSampleExplicitLod %vec4 %both %origin Lod %f1\n%y = OpImageFetch %vec4 %i %texel Lod %i0\nOpReturn",
    );
    let text = after("convert-to-sampled-image=0:3", &apart);
    assert_eq!(
        (count(&text, "OpVariable"), count(&text, "OpLoad")),
        (1, 1),
        "{text}"
    );
    lacks(&text, &["OpSampledImage"]);
    has(&text, &["= OpImage %"]);
    assert_eq!(
        after("\"convert-to-sampled-image=1:3 0:4\"", &apart),
        self::text(&words(&apart))
    );
}

#[test]
fn structures_are_packed_by_rules() {
    let [decorations, declarations] = BUFFER;
    let named = compute(
        &format!(
            "OpName %B \"B\"\nOpName %W \"W\"\nOpMemberDecorate %W 1 Offset 16\n{decorations}"
        ),
        &format!("{declarations}\n%W = OpTypeStruct %float %vec4"),
        "OpReturn",
    );
    let offsets = |rule: &str| {
        let text = after(&format!("struct-packing=W:{rule}"), &named);
        let of = |member: u32| {
            let start = format!("OpMemberDecorate %W {member} Offset ");
            let line = text.lines().find_map(|line| line.strip_prefix(&start));
            line.unwrap().parse::<u32>().unwrap()
        };
        [of(0), of(1)]
    };
    assert_eq!(offsets("scalar"), [0, 4]);
    assert_eq!(offsets("std430"), [0, 16]);
    let error = Recipe::parse("struct-packing=W:hlslCbuffer").unwrap_err();
    assert!(error.to_string().contains("hlslCbuffer"), "{error}");
}

#[test]
fn nothing_panics_at_instructions_that_are_cut_short() {
    let [decorations, declarations] = BUFFER;
    let whole = compute(
        &format!(
            "{decorations}\nOpDecorate %b Coherent\nOpDecorate %group NonWritable
%group = OpDecorationGroup\nOpGroupMemberDecorate %group %B 0"
        ),
        declarations,
        "%at = OpAccessChain %to_uint %b %0 %1\n%x = OpLoad %uint %at\nOpStore %at %1\nOpReturn",
    );
    let words = words(&whole);
    let mut at = 5;
    while at < words.len() {
        let count = (words[at] >> 16) as usize;
        for kept in 1..count {
            let mut cut = words[..at + kept].to_vec();
            cut[at] = (kept as u32) << 16 | words[at] & 0xffff;
            cut.extend(&words[at + count..]);
            for row in spirvkit_opt::classic::ROWS {
                if let Ok(recipe) = Recipe::parse(row.name) {
                    let _ = recipe.run(&cut, &Options::default());
                }
            }
        }
        at += count;
    }
}
