//! Modules with very much of one thing, or with much of two things that meet: each
//! takes a moment if the work grows with the module, and minutes if it grows with
//! the product of two sizes.

use spirvkit_testing::words;
use spirvkit_validate::{Options, Report, validate};

const COUNT: usize = 3000;

/// For each number below `count` a piece of text.
fn each(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect()
}

fn check(env: &str, text: &str) -> Report {
    let mut options = Options::for_env(env.parse().unwrap());
    options.limits.struct_depth = u32::MAX;
    validate(&words(text), &options)
}

#[track_caller]
fn accept(text: &str) {
    for env in ["spv1.6", "vulkan1.3"] {
        let report = check(env, text);
        assert!(report.is_valid(), "{env}: {:?}", report.diagnostics());
    }
}

#[track_caller]
fn refuse(env: &str, text: &str, rule: &str, words: &str) {
    let report = check(env, text);
    let found = &report.diagnostics()[0];
    assert_eq!(found.rule(), rule, "{found:?}");
    assert!(found.message().contains(words), "{found:?}");
}

const TYPES: &str = "%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%zero = OpConstant %u32 0
%one = OpConstant %u32 1
";

/// A compute shader: what comes before the types, what comes after them, what its
/// entry point lists, and what its function does.
fn compute(before: &str, globals: &str, listed: &str, body: &str) -> String {
    format!(
        "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" {listed}
OpExecutionMode %main LocalSize 1 1 1
{before}{TYPES}{globals}
%main = OpFunction %void None %fn
%label = OpLabel
{body}OpReturn
OpFunctionEnd
"
    )
}

#[test]
fn groups_of_many_decorations_for_many_targets() {
    let before = each(COUNT, |index| {
        format!("OpDecorate %group UserSemantic \"{index}\"\n")
    }) + "%group = OpDecorationGroup\nOpGroupDecorate %group"
        + &each(COUNT, |index| format!(" %sum{index}"))
        + "\n";
    let body = each(COUNT, |index| {
        format!("%sum{index} = OpIAdd %u32 %zero %one\n")
    });
    let text = compute(&before, "", "", &body);
    accept(&text.replace(
        "OpMemoryModel",
        "OpExtension \"SPV_GOOGLE_hlsl_functionality1\"\nOpMemoryModel",
    ));
}

#[test]
fn groups_for_members_of_many_structures() {
    let before = "OpDecorate %group Offset 0
%group = OpDecorationGroup
OpGroupMemberDecorate %group"
        .to_owned()
        + &each(COUNT, |index| format!(" %block{index} 0"))
        + "\n"
        + &each(COUNT, |index| {
            format!(
                "OpDecorate %block{index} Block
OpDecorate %object{index} DescriptorSet 0
OpDecorate %object{index} Binding {index}
"
            )
        });
    let globals = each(COUNT, |index| {
        format!(
            "%block{index} = OpTypeStruct %f32
%pointer{index} = OpTypePointer StorageBuffer %block{index}
%object{index} = OpVariable %pointer{index} StorageBuffer
"
        )
    });
    accept(&compute(&before, &globals, "", ""));
    // The members of one structure need not stand together.
    let before = "OpDecorate %group RelaxedPrecision
%group = OpDecorationGroup
OpGroupMemberDecorate %group %a 0 %b 0 %a 1 %c 0
OpMemberDecorate %a 0 Offset 0
OpMemberDecorate %a 1 Offset 4
OpDecorate %a Block
OpDecorate %b Block
";
    let globals = "%a = OpTypeStruct %f32 %f32
%b = OpTypeStruct %f32
%c = OpTypeStruct %f32
%pointer = OpTypePointer PushConstant %a
%object = OpVariable %pointer PushConstant
";
    accept(&compute(before, globals, "", ""));
    let group = "OpDecorate %group Offset 0
%group = OpDecorationGroup
OpGroupMemberDecorate %group %a 0 %b 0 %a 1 %c 0
OpDecorate %a Block
";
    let text = compute(group, globals, "", "");
    refuse("vulkan1.3", &text, "layout.overlap", "member 1");
}

#[test]
fn large_structures_that_are_used_often() {
    let before = each(COUNT, |index| {
        format!("OpMemberDecorate %block {index} Offset {}\n", 4 * index)
    }) + "OpDecorate %block Block
OpDecorate %object DescriptorSet 0
OpDecorate %object Binding 0
";
    let members = " %f32".repeat(COUNT);
    let globals = format!(
        "%block = OpTypeStruct{members}
%copy = OpTypeStruct{members}
%pointer = OpTypePointer StorageBuffer %block
%object = OpVariable %pointer StorageBuffer
%to_copy = OpTypePointer Private %copy
%null = OpConstantNull %copy
"
    ) + &each(COUNT, |index| {
        format!("%private{index} = OpVariable %to_copy Private %null\n")
    });
    let body = each(COUNT, |index| {
        format!(
            "%value{index} = OpLoad %block %object
%other{index} = OpCopyLogical %copy %value{index}
OpStore %object %value{index}
"
        )
    });
    accept(&compute(&before, &globals, "%object", &body));
}

#[test]
fn structures_that_many_members_are_by_turns() {
    let decorations = |name: &str| {
        each(COUNT, |index| {
            format!("OpMemberDecorate %{name} {index} RelaxedPrecision\n")
        })
    };
    let before = decorations("first") + &decorations("second");
    let members = " %f32".repeat(COUNT);
    let globals = format!(
        "%first = OpTypeStruct{members}
%second = OpTypeStruct{members} %u32
%outer = OpTypeStruct{}
",
        " %first %second".repeat(COUNT)
    );
    accept(&compute(&before, &globals, "", ""));
}

#[test]
fn types_that_are_declared_very_often() {
    let check = |count| {
        let globals = each(count, |index| format!("%type{index} = OpTypeVoid\n"));
        let text = compute("", &globals, "", "");
        let words = words(&text);
        let mut options = Options::for_env("spv1.6".parse().unwrap());
        options.max_errors = 0;
        validate(&words, &options)
    };
    let report = check(5 * COUNT);
    assert_eq!(report.diagnostics().len(), 5 * COUNT);
    assert!(!report.is_over_budget());
    // Of still more, no more is reported than there is room for.
    let report = check(40 * COUNT);
    assert!((5 * COUNT..40 * COUNT).contains(&report.diagnostics().len()));
    assert!(report.is_over_budget());
}

#[test]
fn types_within_each_other_at_any_depth() {
    let globals = "%array0 = OpTypeArray %f32 %one\n%struct0 = OpTypeStruct %f32\n".to_owned()
        + &each(COUNT, |index| {
            let next = index + 1;
            format!(
                "%array{next} = OpTypeArray %array{index} %one
%struct{next} = OpTypeStruct %struct{index} %struct{index}
%to_array{index} = OpTypePointer Private %array{next}
%to_struct{index} = OpTypePointer Private %struct{next}
%no_array{index} = OpConstantNull %array{next}
%no_struct{index} = OpConstantNull %struct{next}
%an_array{index} = OpVariable %to_array{index} Private %no_array{index}
%a_struct{index} = OpVariable %to_struct{index} Private %no_struct{index}
"
            )
        });
    accept(&compute("", &globals, "", ""));
    let globals = globals.replace(
        "%array0 = OpTypeArray %f32 %one",
        "%sampler = OpTypeSampler\n%array0 = OpTypeArray %sampler %one",
    );
    let text = compute("", &globals, "", "");
    refuse("spv1.6", &text, "constant.null", "sampler");
}

/// Entry points that share a chain of functions. `listed` tells what the entry
/// point of a number lists, `uses` what the function of a number does.
fn entries(
    globals: &str,
    listed: impl Fn(usize) -> &'static str,
    uses: impl Fn(usize) -> &'static str,
) -> String {
    let count = 1000;
    "OpCapability Shader\nOpMemoryModel Logical GLSL450\n".to_owned()
        + &each(count, |index| {
            let listed = listed(index);
            format!("OpEntryPoint GLCompute %main{index} \"main{index}\" {listed}\n")
        })
        + &each(count, |index| {
            format!("OpExecutionMode %main{index} LocalSize 1 1 1\n")
        })
        + "OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
" + TYPES
        + globals
        + &each(count, |index| {
            format!(
                "%main{index} = OpFunction %void None %fn
%label{index} = OpLabel
%call{index} = OpFunctionCall %void %shared0
OpReturn
OpFunctionEnd
"
            )
        })
        + &each(count, |index| {
            let call = match index + 1 < count {
                true => format!("%next{index} = OpFunctionCall %void %shared{}\n", index + 1),
                false => String::new(),
            };
            let uses = uses(index).replace('#', &index.to_string());
            format!(
                "%shared{index} = OpFunction %void None %fn
%shared_label{index} = OpLabel
{call}{uses}OpReturn
OpFunctionEnd
"
            )
        })
}

const PUSH_CONSTANTS: &str = "%block = OpTypeStruct %u32
%to_block = OpTypePointer PushConstant %block
%one_block = OpVariable %to_block PushConstant
%other_block = OpVariable %to_block PushConstant
%to_u32 = OpTypePointer PushConstant %u32
";

const USES_ONE: &str = "%chain# = OpAccessChain %to_u32 %one_block %zero\n";
const USES_OTHER: &str = "%chain# = OpAccessChain %to_u32 %other_block %zero\n";

#[test]
fn entry_points_that_share_functions() {
    let text = entries(PUSH_CONSTANTS, |_| "%one_block", |_| USES_ONE);
    accept(&text);
    // The last that is looked at, not in the first lot.
    for wrong in [0, 127, 128, 999] {
        let listed = |index| match index == wrong {
            true => "",
            false => "%one_block",
        };
        let text = entries(PUSH_CONSTANTS, listed, |_| USES_ONE);
        let name = format!("\"main{wrong}\"");
        refuse("spv1.6", &text, "interface.not-listed", &name);
    }
    let uses = |index| match index {
        999 => USES_OTHER,
        _ => USES_ONE,
    };
    let text = entries(PUSH_CONSTANTS, |_| "%one_block %other_block", uses);
    let rule = "interface.vulkan-push-constants";
    refuse("vulkan1.3", &text, rule, "\"main0\"");
}

#[test]
fn functions_that_call_each_other_in_cycles() {
    let text = entries(PUSH_CONSTANTS, |_| "%one_block", |_| USES_ONE).replace(
        "%chain999 ",
        "%back = OpFunctionCall %void %shared500\n%chain999 ",
    );
    assert!(check("spv1.6", &text).is_valid());
    let listed = |index| match index {
        700 => "",
        _ => "%one_block",
    };
    let uses = |index| match index {
        0..600 => "",
        _ => USES_ONE,
    };
    let text = entries(PUSH_CONSTANTS, listed, uses).replace(
        "%chain999 ",
        "%back = OpFunctionCall %void %shared500\n%chain999 ",
    );
    refuse("spv1.6", &text, "interface.not-listed", "\"main700\"");
}

#[test]
fn entry_points_of_one_function_with_many_modes() {
    let entries = each(COUNT, |index| {
        format!("OpEntryPoint Fragment %main \"main{index}\" %in\n")
    });
    let modes = "OpExecutionMode %main OriginUpperLeft\n".repeat(COUNT);
    let text = format!(
        "OpCapability Shader
OpMemoryModel Logical GLSL450
{entries}{modes}OpDecorate %in Location 0
{TYPES}%length = OpConstant %u32 60000
%array = OpTypeArray %f32 %length
%pointer = OpTypePointer Input %array
%in = OpVariable %pointer Input
%main = OpFunction %void None %fn
%label = OpLabel
%derivative = OpDPdx %f32 %zero_f32
OpReturn
OpFunctionEnd
"
    )
    .replace("%length =", "%zero_f32 = OpConstant %f32 0\n%length =");
    let rule = "mode-setting.mode-repeated";
    refuse("vulkan1.3", &text, rule, "OriginUpperLeft");
}

#[test]
fn warnings_are_not_without_number() {
    let text = compute("", "", "", "").replace(
        "OpMemoryModel",
        &("OpExtension \"\"\n".repeat(COUNT) + "OpMemoryModel"),
    );
    let report = check("spv1.6", &text);
    assert!(report.is_valid());
    assert!(report.diagnostics().len() < COUNT);
}

#[test]
fn pointers_that_are_derived_in_many_steps() {
    let before = "OpDecorate %block BufferBlock
OpMemberDecorate %block 0 Offset 0
OpDecorate %object DescriptorSet 0
OpDecorate %object Binding 0
";
    let globals = "%block = OpTypeStruct %u32
%to_block = OpTypePointer Uniform %block
%to_u32 = OpTypePointer Uniform %u32
%object = OpVariable %to_block Uniform
";
    let body = "%chain0 = OpAccessChain %to_u32 %object %zero\n".to_owned()
        + &each(COUNT, |index| {
            format!(
                "%chain{} = OpAccessChain %to_u32 %chain{index}
OpStore %chain{index} %zero
",
                index + 1
            )
        });
    let text = "; Version: 1.3\n".to_owned() + &compute(before, globals, "", &body);
    accept(&text);
    let text = text.replace("BufferBlock", "Block");
    let rule = "memory.store-uniform-block";
    refuse("vulkan1.3", &text, rule, "uniform block");
}
