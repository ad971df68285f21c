//! Every option changes what a module comes to, and what reports promise.

use spirvkit_binary::Id;
use spirvkit_diagnostics::Severity;
use spirvkit_grammar::TargetEnv;
use spirvkit_text::{AssembleOptions, assemble};
use spirvkit_validate::{Level, Options, find_rule, validate, validate_bytes, validate_named};

type Change = fn(&mut Options);

fn env(name: &str) -> TargetEnv {
    name.parse().unwrap()
}

fn words(text: &str, env: TargetEnv) -> Vec<u32> {
    let options = AssembleOptions::default().target(env.version());
    assemble(text, &options).unwrap().words
}

fn broken(text: &str, options: &Options) -> Vec<&'static str> {
    let report = validate(&words(text, options.env), options);
    report.diagnostics().iter().map(|d| d.rule()).collect()
}

/// Expects that the module breaks the rule, and none with the change.
#[track_caller]
fn is_changed(text: &str, options: Options, rule: &str, change: Change) {
    assert_eq!(broken(text, &options), [rule]);
    let mut options = options;
    change(&mut options);
    assert_eq!(broken(text, &options), [""; 0]);
}

/// The same for the piece that breaks the rule in its own example.
#[track_caller]
fn frees(rule: &str, change: Change) {
    let example = find_rule(rule).unwrap().example();
    is_changed(&example.breaking(), example.options(), rule, change);
}

/// Expects that a module is valid, but breaks the rule with the change.
#[track_caller]
fn is_limited(text: &str, rule: &str, change: Change) {
    is_limited_in(Options::default(), text, rule, change);
}

#[track_caller]
fn is_limited_in(mut options: Options, text: &str, rule: &str, change: Change) {
    assert_eq!(broken(text, &options), [""; 0]);
    change(&mut options);
    assert_eq!(broken(text, &options), [rule]);
}

/// A shader for the lines of a function's body.
fn shader(globals: &str, body: &str) -> String {
    format!(
        "OpCapability Shader
OpCapability Linkage
OpMemoryModel Logical GLSL450
{globals}
%void = OpTypeVoid
%bool = OpTypeBool
%true = OpConstantTrue %bool
%uint = OpTypeInt 32 0
%uint_0 = OpConstant %uint 0
%type = OpTypeFunction %void
%function = OpFunction %void None %type
%entry = OpLabel
{body}
OpReturn
OpFunctionEnd
"
    )
}

/// A block of a float and a vector behind it, at this offset.
fn block(class: &str, decoration: &str, offset: u32) -> String {
    format!(
        "OpCapability Shader
OpExtension \"SPV_KHR_storage_buffer_storage_class\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block {decoration}
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset {offset}
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%type = OpTypeFunction %void
%float = OpTypeFloat 32
%vector = OpTypeVector %float 3
%block = OpTypeStruct %float %vector
%pointer = OpTypePointer {class} %block
%buffer = OpVariable %pointer {class}
%main = OpFunction %void None %type
%entry = OpLabel
OpReturn
OpFunctionEnd
"
    )
}

#[test]
fn relaxed_logical_pointers_are_returned_and_stored() {
    frees("return.pointer", |o| o.relax_logical_pointer = true);
    frees("variable.logical-pointers", |o| {
        o.relax_logical_pointer = true;
    });
}

#[test]
fn relaxed_stores_take_structures_of_the_same_layout() {
    let text = shader(
        "OpMemberDecorate %one 0 Offset 0
OpMemberDecorate %other 0 Offset 0
%float = OpTypeFloat 32
%one = OpTypeStruct %float
%other = OpTypeStruct %float
%pointer = OpTypePointer Function %one
%null = OpConstantNull %other",
        "%variable = OpVariable %pointer Function\nOpStore %variable %null",
    );
    is_changed(&text, Options::default(), "memory.store-type", |o| {
        o.relax_struct_store = true;
    });
}

#[test]
fn relaxed_blocks_align_vectors_to_their_components() {
    let options = Options::for_env(env("vulkan1.0"));
    let text = block("StorageBuffer", "Block", 4);
    let relax: Change = |o| o.relax_block_layout = true;
    is_changed(&text, options, "layout.alignment", relax);
    // Vulkan 1.1 has made this its own rule.
    let text = text.replace("OpExtension \"SPV_KHR_storage_buffer_storage_class\"\n", "");
    let options = Options::for_env(env("vulkan1.1"));
    assert_eq!(broken(&text, &options), [""; 0]);
}

#[test]
fn scalar_blocks_let_vectors_straddle() {
    let options = Options::for_env(env("vulkan1.1"));
    let text = block("StorageBuffer", "Block", 12);
    is_changed(&text, options, "layout.straddle", |o| {
        o.scalar_block_layout = true;
    });
}

#[test]
fn standard_uniform_buffers_are_laid_out_like_storage_buffers() {
    let text = block("Uniform", "Block", 16).replace(
        "%vector = OpTypeVector %float 3",
        "%uint = OpTypeInt 32 0\n%two = OpConstant %uint 2\n%vector = OpTypeArray %float %two",
    );
    let text = text.replace(
        "OpDecorate %block Block",
        "OpDecorate %block Block\nOpDecorate %vector ArrayStride 4",
    );
    let options = Options::for_env(env("vulkan1.1"));
    is_changed(&text, options, "layout.array-stride", |o| {
        o.uniform_buffer_standard_layout = true;
    });
}

#[test]
fn scalar_workgroup_blocks_let_vectors_straddle() {
    let text = block("Workgroup", "Block", 12)
        .replace(
            "OpCapability Shader\n",
            "OpCapability Shader\nOpCapability WorkgroupMemoryExplicitLayoutKHR\n\
             OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"\n",
        )
        .replace("OpDecorate %buffer DescriptorSet 0\n", "")
        .replace("OpDecorate %buffer Binding 0\n", "")
        .replace("\"main\"", "\"main\" %buffer");
    let options = Options::for_env(env("vulkan1.2"));
    is_changed(&text, options, "layout.straddle", |o| {
        o.workgroup_scalar_block_layout = true;
    });
}

#[test]
fn blocks_may_be_left_unchecked() {
    for rule in ["layout.alignment", "layout.overlap", "layout.straddle"] {
        frees(rule, |o| o.skip_block_layout = true);
    }
}

#[test]
fn what_maintenance_features_of_vulkan_allow_is_an_option() {
    frees("mode-setting.vulkan-local-size-id", |o| {
        o.allow_local_size_id = true;
    });
    frees("image.vulkan-offset", |o| {
        o.allow_offset_texture_operand = true;
    });
    frees("bits.base-width", |o| o.allow_vulkan_32_bit_bitwise = true);
}

#[test]
fn front_ends_for_hlsl_leave_some_to_legalization() {
    for rule in [
        "phi.result",
        "image.sampled-image-block",
        "logical-pointer.use",
    ] {
        frees(rule, |o| o.before_hlsl_legalization = true);
    }
}

#[test]
fn the_first_debug_information_may_be_left_unchecked() {
    frees("original-debug-info.kind", |o| o.skip_debug_info = true);
}

/// An array with a descriptor every 16 bytes.
fn heap(descriptor: &str) -> String {
    format!(
        "OpCapability Shader
OpCapability DescriptorHeapEXT
OpCapability UntypedPointersKHR
OpExtension \"SPV_KHR_untyped_pointers\"
OpExtension \"SPV_EXT_descriptor_heap\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %heap
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %heap BuiltIn ResourceHeapEXT
OpDecorate %array ArrayStride 16
%void = OpTypeVoid
%type = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%uint_0 = OpConstant %uint 0
%uint_2 = OpConstant %uint 2
{descriptor}
%array = OpTypeArray %descriptor %uint_2
%pointer = OpTypeUntypedPointerKHR UniformConstant
%heap = OpUntypedVariableKHR %pointer UniformConstant
%main = OpFunction %void None %type
%entry = OpLabel
%place = OpUntypedAccessChainKHR %pointer %array %heap %uint_0
OpReturn
OpFunctionEnd
"
    )
}

#[test]
fn descriptors_have_the_sizes_and_alignments_that_are_given() {
    #[track_caller]
    fn check(text: &str, change: Change) {
        let options = Options::for_env(env("vulkan1.4"));
        is_limited_in(options, text, "layout.array-stride", change);
    }
    let sampler = heap("%descriptor = OpTypeSampler");
    let sampler = sampler.replace("ResourceHeapEXT", "SamplerHeapEXT");
    check(&sampler, |o| o.sampler_descriptor.size = 32);
    check(&sampler, |o| o.sampler_descriptor.alignment = 32);
    let image = heap("%descriptor = OpTypeImage %float 2D 0 0 0 1 Unknown");
    check(&image, |o| o.image_descriptor.size = 32);
    check(&image, |o| o.image_descriptor.alignment = 32);
    let buffer = heap("%descriptor = OpTypeBufferEXT StorageBuffer");
    check(&buffer, |o| o.buffer_descriptor.size = 32);
    check(&buffer, |o| o.buffer_descriptor.alignment = 32);
}

#[test]
fn limits_are_options() {
    let float = "%float = OpTypeFloat 32";
    let members = shader(&format!("{float}\n%s = OpTypeStruct %float %float"), "");
    is_limited(&members, "limit.struct-members", |o| {
        o.limits.struct_members = 1;
    });
    let depth = format!("{float}\n%in = OpTypeStruct %float\n%out = OpTypeStruct %in");
    is_limited(&shader(&depth, ""), "limit.struct-depth", |o| {
        o.limits.struct_depth = 1;
    });
    let pointer = "%float = OpTypeFloat 32\n%pointer = OpTypePointer Function %float";
    let locals = "%a = OpVariable %pointer Function\n%b = OpVariable %pointer Function";
    is_limited(&shader(pointer, locals), "limit.local-variables", |o| {
        o.limits.local_variables = 1;
    });
    let globals = "%float = OpTypeFloat 32\n%pointer = OpTypePointer Private %float
%a = OpVariable %pointer Private\n%b = OpVariable %pointer Private";
    is_limited(&shader(globals, ""), "limit.global-variables", |o| {
        o.limits.global_variables = 1;
    });
    let switch = "OpSelectionMerge %end None\nOpSwitch %uint_0 %end 1 %end 2 %end\n%end = OpLabel";
    is_limited(&shader("", switch), "limit.switch-branches", |o| {
        o.limits.switch_branches = 1;
    });
    let arguments = format!("{float}\n%two = OpTypeFunction %float %float %float");
    is_limited(&shader(&arguments, ""), "limit.function-arguments", |o| {
        o.limits.function_args = 1;
    });
    let nested = "OpSelectionMerge %end None
OpBranchConditional %true %then %end
%then = OpLabel
OpSelectionMerge %inner_end None
OpBranchConditional %true %inner %inner_end
%inner = OpLabel
OpBranch %inner_end
%inner_end = OpLabel
OpBranch %end
%end = OpLabel";
    is_limited(&shader("", nested), "structured.nesting-depth", |o| {
        o.limits.control_flow_nesting_depth = 1;
    });
    let chain = "%float = OpTypeFloat 32\n%vector = OpTypeVector %float 2
%in = OpTypeStruct %vector\n%null = OpConstantNull %in";
    let extract = "%x = OpCompositeExtract %float %null 0 0";
    is_limited(&shader(chain, extract), "composite.too-many-indexes", |o| {
        o.limits.access_chain_indexes = 1;
    });
    is_limited(&shader("", ""), "limit.id-bound", |o| o.limits.id_bound = 2);
}

/// Three errors.
const ERRORS: &str = "%float = OpTypeFloat 32
%a = OpTypeVector %float 5
%b = OpTypeVector %float 6
%c = OpTypeVector %float 7";

#[test]
fn a_report_is_cut_only_if_there_is_more() {
    let text = shader(ERRORS, "");
    for (most, reported, is_cut) in [(1, 1, true), (2, 2, true), (3, 3, false), (0, 3, false)] {
        let mut options = Options::default();
        options.max_errors = most;
        let report = validate(&words(&text, options.env), &options);
        assert_eq!(report.diagnostics().len(), reported);
        assert_eq!(report.is_cut(), is_cut, "with at most {most}");
    }
}

#[test]
fn diagnostics_come_in_module_order() {
    let text = shader(
        ERRORS,
        "%d = OpNot %void %uint_0\n%e = OpIAdd %uint %uint_0 %nowhere",
    );
    let options = Options::default();
    let report = validate(&words(&text, options.env), &options);
    let places: Vec<_> = report
        .diagnostics()
        .iter()
        .map(|d| d.word_offset())
        .collect();
    assert_eq!(places.len(), 5);
    assert!(places.is_sorted());
}

#[test]
fn warnings_leave_a_module_valid_and_do_not_count() {
    let text = shader("", "").replace(
        "OpMemoryModel",
        "OpExtension \"SPV_A\"\nOpExtension \"SPV_B\"\nOpMemoryModel",
    );
    let mut options = Options::default();
    options.max_errors = 1;
    let report = validate(&words(&text, options.env), &options);
    assert!(report.is_valid() && !report.is_cut());
    let severities: Vec<_> = report.diagnostics().iter().map(|d| d.severity()).collect();
    assert_eq!(severities, [Severity::Warning, Severity::Warning]);
}

#[test]
fn vulkans_identifiers_are_given_in_vulkan_only() {
    let text = shader("%float = OpTypeFloat 32\n%a = OpTypeVector %float 5", "")
        .replace("OpCapability Linkage\n", "");
    for (name, vuid) in [
        ("vulkan1.3", Some("VUID-StandaloneSpirv-None-12295")),
        ("spv1.6", None),
    ] {
        let options = Options::for_env(env(name));
        let report = validate(&words(&text, options.env), &options);
        let first = &report.diagnostics()[0];
        assert_eq!((first.rule(), first.vuid()), ("type.vector-size", vuid));
    }
}

#[test]
fn messages_use_the_names_of_the_text() {
    let text = shader(
        "%alpha = OpTypeFloat 32",
        "%beta = OpIAdd %uint %uint_0 %alpha",
    );
    let options = Options::default();
    let module = assemble(&text, &AssembleOptions::default()).unwrap();
    let number = module.words.len() as u32;
    let report = validate(&module.words, &options);
    assert!(!report.diagnostics()[0].message().contains("%alpha"));
    let id = (1..number)
        .find(|id| {
            report.diagnostics()[0]
                .message()
                .contains(&format!("`%{id}`"))
        })
        .unwrap();
    let names = |asked: Id| (asked.0 == id).then(|| "alpha".to_owned());
    let report = validate_named(&module.words, &options, &names);
    let message = report.diagnostics()[0].message();
    assert!(message.contains("`%alpha`"), "{message}");
    let mut raw = options.clone();
    raw.raw_ids = true;
    let report = validate_named(&module.words, &raw, &names);
    assert!(!report.diagnostics()[0].message().contains("%alpha"));
}

#[test]
fn bytes_of_either_order_are_judged() {
    let words = words(&shader("", ""), Options::default().env);
    for swap in [false, true] {
        let bytes: Vec<u8> = words
            .iter()
            .flat_map(|word| {
                if swap {
                    word.to_be_bytes()
                } else {
                    word.to_le_bytes()
                }
            })
            .collect();
        assert!(validate_bytes(&bytes, &Options::default()).is_valid());
        let cut = validate_bytes(&bytes[..bytes.len() - 1], &Options::default());
        assert_eq!(cut.diagnostics()[0].rule(), "binary.truncated");
    }
}

/// Nothing defines `%nothing`; the sum of its kind is wrong by itself.
fn two_findings() -> Vec<u32> {
    let body = "%first = OpIAdd %uint %uint_0 %nothing
%second = OpFAdd %uint %uint_0 %uint_0";
    words(&shader("", body), Options::default().env)
}

fn reported(words: &[u32], options: &Options) -> Vec<(Severity, &'static str)> {
    let report = validate(words, options);
    let all = report.diagnostics().iter();
    all.map(|each| (each.severity(), each.rule())).collect()
}

#[test]
fn rules_are_told_at_the_levels_that_are_set() {
    let words = two_findings();
    let mut options = Options::default();
    let undefined = (Severity::Error, "id.undefined");
    let wrong = (Severity::Error, "arithmetic.float-result");
    assert_eq!(reported(&words, &options), [undefined, wrong]);
    options.levels.set("arithmetic.*", Level::Warn);
    let warned = (Severity::Warning, wrong.1);
    assert_eq!(reported(&words, &options), [undefined, warned]);
    options.levels.set("arithmetic.float-result", Level::Allow);
    assert_eq!(reported(&words, &options), [undefined]);
    assert!(!validate(&words, &options).is_valid());
    // What is allowed hides nothing: now the sum itself is looked at.
    options.levels.set("id", Level::Allow);
    let other = reported(&words, &options);
    assert!(
        other
            .iter()
            .all(|(_, rule)| *rule == "arithmetic.integer-operand"),
        "{other:?}"
    );
}

#[test]
fn warnings_can_be_errors_and_errors_are_counted_as_told() {
    let words = words(
        &shader("", "").replacen(
            "OpMemoryModel",
            "OpExtension \"SPV_NOBODY_knows\"\nOpMemoryModel",
            1,
        ),
        Options::default().env,
    );
    let mut options = Options::default();
    assert_eq!(
        reported(&words, &options),
        [(Severity::Warning, "extension.unknown")]
    );
    assert!(validate(&words, &options).is_valid());
    options.levels.set("extension.unknown", Level::Deny);
    assert_eq!(
        reported(&words, &options),
        [(Severity::Error, "extension.unknown")]
    );
    assert!(!validate(&words, &options).is_valid());

    let words = two_findings();
    let mut options = Options::default();
    options.max_errors = 1;
    let report = validate(&words, &options);
    assert!(report.is_cut() && report.diagnostics().len() == 1);
    options.levels.set("id.undefined", Level::Warn);
    let report = validate(&words, &options);
    assert!(!report.is_cut(), "{report:?}");
}

#[test]
fn what_can_not_be_read_is_always_an_error() {
    let mut options = Options::default();
    options.levels.set("*", Level::Allow);
    options.levels.set("binary.malformed", Level::Allow);
    assert!(!validate(&[1, 2, 3], &options).is_valid());
    let mut words = two_findings();
    words.push(0);
    assert!(!validate(&words, &options).is_valid());
    words.pop();
    assert!(validate(&words, &options).is_valid());
}

#[test]
fn descriptors_may_be_as_large_as_numbers_go() {
    let structure = heap("%sampler = OpTypeSampler\n%descriptor = OpTypeStruct %sampler %sampler");
    let structure = structure.replace(
        "OpDecorate %array",
        "OpMemberDecorate %descriptor 0 Offset 0
OpMemberDecorate %descriptor 1 Offset 4294967295
OpDecorate %array",
    );
    let structure = structure.replace("OpConstant %uint 2", "OpConstant %uint 4294967295");
    let plain = heap("%descriptor = OpTypeSampler");
    for text in [plain, structure] {
        let module = assemble(&text, &AssembleOptions::default()).unwrap();
        for size in [0, 1, u32::MAX] {
            for alignment in [0, 1, u32::MAX] {
                let mut options = Options::for_env(env("vulkan1.4"));
                options.sampler_descriptor.size = size;
                options.sampler_descriptor.alignment = alignment;
                let report = validate(&module.words, &options);
                let strides = report.diagnostics().iter();
                let strides = strides.filter(|each| each.rule() == "layout.array-stride");
                // An array's stride of 16 bytes is too small for what is so large.
                let is_large = size == u32::MAX || alignment == u32::MAX;
                assert_eq!(strides.count() > 0, is_large || text.contains("4294967295"));
            }
        }
    }
}
