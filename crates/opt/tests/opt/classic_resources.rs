//! The passes that give resources another form: what shaders do with them stays the same.

use spirvkit_interp::{Outcome, Run};
use spirvkit_testing::words;

use crate::classic::{after, compute, count, has, lacks, run};
use crate::classic_edges::refusal;

/// Three blocks, each an array of numbers, at binding 0, and one at binding 1.
const BLOCKS: [&str; 2] = [
    "OpDecorate %rt ArrayStride 4\nOpDecorate %S Block\nOpMemberDecorate %S 0 Offset 0
OpDecorate %bufs DescriptorSet 0\nOpDecorate %bufs Binding 0
OpDecorate %in DescriptorSet 0\nOpDecorate %in Binding 1",
    "%rt = OpTypeRuntimeArray %uint\n%S = OpTypeStruct %rt\n%Ss = OpTypeArray %S %3
%to_S = OpTypePointer StorageBuffer %S\n%to_Ss = OpTypePointer StorageBuffer %Ss
%to_uint = OpTypePointer StorageBuffer %uint
%bufs = OpVariable %to_Ss StorageBuffer\n%in = OpVariable %to_S StorageBuffer",
];

fn blocks(body: &str) -> String {
    compute(BLOCKS[0], BLOCKS[1], body).replace(
        "OpCapability Shader",
        "OpCapability Shader\nOpCapability StorageBufferArrayDynamicIndexing",
    )
}

/// What a shader leaves in the three blocks, of which each begins with its number.
#[track_caller]
fn left(words: &[u32], input: &[u32]) -> Vec<Vec<u32>> {
    let mut engine = Run::new(words).storage(0, 1, input);
    for element in 0..3 {
        engine = engine.element(0, 0, element, &[element, 0, 0, 0]);
    }
    let outcome: Outcome = engine.dispatch([1, 1, 1]).unwrap();
    outcome.assert_clean();
    let numbers = |bytes: &[u8]| -> Vec<u32> {
        let chunks = bytes.chunks_exact(4);
        chunks
            .map(|it| u32::from_le_bytes(it.try_into().unwrap()))
            .collect()
    };
    (0..3)
        .map(|element| numbers(outcome.element(0, 0, element).unwrap()))
        .collect()
}

/// Checks that a pass changes nothing of that, whatever the input is.
#[track_caller]
fn same(flags: &str, module: &str, inputs: &[&[u32]]) -> String {
    let done = after(flags, module);
    for input in inputs {
        let before = left(&words(module), input);
        assert_eq!(
            left(&words_of(flags, module), input),
            before,
            "{input:?}\n{done}"
        );
    }
    done
}

pub(crate) fn words_of(flags: &str, module: &str) -> Vec<u32> {
    run(flags, &words(module))
}

const VARIABLE: &str = "replace-desc-array-access-using-var-index";

#[test]
fn elements_that_are_chosen_become_cases() {
    let module = blocks(
        "%at = OpAccessChain %to_uint %in %0 %0\n%i = OpLoad %uint %at
%block = OpAccessChain %to_S %bufs %i\n%first = OpAccessChain %to_uint %block %0 %0
%x = OpLoad %uint %first\n%y = OpIAdd %uint %x %2\n%p = OpAccessChain %to_uint %bufs %i %0 %2
OpStore %p %y\n%n = OpArrayLength %uint %block 0\n%last = OpAccessChain %to_uint %block %0 %3
OpStore %last %n\nOpReturn",
    );
    let text = same(VARIABLE, &module, &[&[0], &[1], &[2]]);
    assert_eq!(count(&text, "OpSwitch"), 4, "{text}");
    assert_eq!(count(&text, "OpPhi"), 2, "{text}");
    // An index that is out of bounds is one of the last.
    assert_eq!(left(&words_of(VARIABLE, &module), &[7])[2], [2, 0, 4, 4]);
}

#[test]
fn elements_are_chosen_where_loops_begin_too() {
    let module = blocks(
        "%at = OpAccessChain %to_uint %in %0 %0\n%p = OpAccessChain %to_uint %in %0 %1
OpBranch %header\n%header = OpLabel\n%i = OpPhi %uint %0 %entry %next %body
%x = OpPhi %uint %1 %entry %sum %body\n%target = OpAccessChain %to_uint %bufs %i %0 %1
%old = OpLoad %uint %target\n%sum = OpIAdd %uint %old %x\nOpStore %target %sum
%next = OpIAdd %uint %i %1\n%limit = OpLoad %uint %at\n%more = OpULessThan %bool %next %limit
OpLoopMerge %end %body None\nOpBranchConditional %more %body %end\n%body = OpLabel
OpBranch %header\n%end = OpLabel\nOpStore %p %x\nOpReturn",
    );
    let text = same(VARIABLE, &module, &[&[1, 0], &[3, 0]]);
    assert_eq!(count(&text, "OpSwitch"), 2, "{text}");
}

#[test]
fn narrow_indices_choose_only_what_they_can() {
    let module = blocks(
        "%at = OpAccessChain %to_uint %in %0 %0\n%wide = OpLoad %uint %at
%i = OpUConvert %byte %wide\n%p = OpAccessChain %to_uint %bufs %i %0 %1\nOpStore %p %1\nOpReturn",
    )
    .replace(
        "OpCapability Shader\n",
        "OpCapability Shader\nOpCapability Int8\n",
    );
    for (byte, elements) in [("8 0", 256), ("8 1", 128)] {
        let narrow = module
            .replace("%Ss = OpTypeArray %S %3", &format!("%byte = OpTypeInt {byte}\n%many = OpConstant %uint 300\n%Ss = OpTypeArray %S %many"))
            .replace("OpUConvert", if byte == "8 0" { "OpUConvert" } else { "OpSConvert" });
        let text = after(VARIABLE, &narrow);
        assert_eq!(count(&text, "OpStore"), elements);
    }
}

#[test]
fn pointers_are_read_once_from_chosen_elements() {
    let module = "; Version: 1.5
OpCapability Shader
OpCapability PhysicalStorageBufferAddresses
OpCapability StorageBufferArrayDynamicIndexing
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %main \"main\" %bufs %in
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %bufs DescriptorSet 0
OpDecorate %bufs Binding 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 1
OpDecorate %S Block
OpMemberDecorate %S 0 Offset 0
OpDecorate %I Block
OpMemberDecorate %I 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%0 = OpConstant %uint 0
%1 = OpConstant %uint 1
%2 = OpConstant %uint 2
%to_far = OpTypePointer PhysicalStorageBuffer %uint
%S = OpTypeStruct %to_far
%I = OpTypeStruct %uint
%Ss = OpTypeArray %S %2
%to_Ss = OpTypePointer StorageBuffer %Ss
%to_I = OpTypePointer StorageBuffer %I
%to_uint = OpTypePointer StorageBuffer %uint
%to_pointer = OpTypePointer StorageBuffer %to_far
%bufs = OpVariable %to_Ss StorageBuffer
%in = OpVariable %to_I StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%at = OpAccessChain %to_uint %in %0
%i = OpLoad %uint %at
%first = OpAccessChain %to_pointer %bufs %0 %0
%chosen = OpAccessChain %to_pointer %bufs %i %0
%old = OpLoad %to_far %chosen
%other = OpLoad %to_far %first
OpStore %chosen %other
OpStore %old %1 Aligned 4
OpReturn
OpFunctionEnd
";
    let text = after(VARIABLE, module);
    has(&text, &["OpSwitch"]);
    let words = words_of(VARIABLE, module);
    let mut engine = Run::new(&words);
    let memories = [7u32, 8].map(|number| engine.memory(&[number]));
    let outcome = engine
        .element(0, 0, 0, &[memories[0]])
        .element(0, 0, 1, &[memories[1]])
        .storage(0, 1, &[1u32])
        .dispatch([1, 1, 1])
        .unwrap();
    outcome.assert_clean();
    // The pointer was read before it was replaced.
    let left = memories.map(|memory| outcome.read_memory::<u32>(memory));
    assert_eq!(left, [[7], [1]], "{text}");
}

/// A fragment shader that samples: decorations, declarations, what is sampled.
fn sampling(decorations: &str, declarations: &str, body: &str) -> String {
    format!(
        "; Version: 1.3
OpCapability Shader
OpCapability SampledImageArrayDynamicIndexing
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %in %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %in Location 0
OpDecorate %in Flat
OpDecorate %out Location 0
{decorations}
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%vec2 = OpTypeVector %float 2
%vec4 = OpTypeVector %float 4
%0 = OpConstant %uint 0
%1 = OpConstant %uint 1
%2 = OpConstant %uint 2
%f0 = OpConstant %float 0
%where = OpConstantComposite %vec2 %f0 %f0
%to_in = OpTypePointer Input %uint
%in = OpVariable %to_in Input
%to_out = OpTypePointer Output %vec4
%out = OpVariable %to_out Output
%Image = OpTypeImage %float 2D 0 0 0 1 Unknown
%Sampler = OpTypeSampler
%Both = OpTypeSampledImage %Image
{declarations}
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %in
{body}
OpReturn
OpFunctionEnd
"
    )
}

#[test]
fn images_and_samplers_are_chosen_both() {
    let module = sampling(
        "OpDecorate %images DescriptorSet 0\nOpDecorate %images Binding 0
OpDecorate %samplers DescriptorSet 0\nOpDecorate %samplers Binding 4",
        "%Images = OpTypeArray %Image %2\n%Samplers = OpTypeArray %Sampler %2
%to_images = OpTypePointer UniformConstant %Images\n%to_image = OpTypePointer UniformConstant %Image
%to_samplers = OpTypePointer UniformConstant %Samplers
%to_sampler = OpTypePointer UniformConstant %Sampler
%images = OpVariable %to_images UniformConstant\n%samplers = OpVariable %to_samplers UniformConstant",
        "%pi = OpAccessChain %to_image %images %i\n%ps = OpAccessChain %to_sampler %samplers %i
%image = OpLoad %Image %pi\n%sampler = OpLoad %Sampler %ps
%both = OpSampledImage %Both %image %sampler\n%x = OpImageSampleImplicitLod %vec4 %both %where
OpStore %out %x",
    );
    let text = after(VARIABLE, &module);
    // One of the images, and in each of its cases one of the samplers.
    assert_eq!(count(&text, "OpSwitch"), 3, "{text}");
    assert_eq!(count(&text, "OpImageSampleImplicitLod"), 4, "{text}");
    let chains = text.lines().filter(|line| line.contains("OpAccessChain"));
    for chain in chains {
        assert!(
            chain.ends_with("%uint_0") || chain.ends_with("%uint_1"),
            "{chain}"
        );
    }
    let flags = format!("{VARIABLE} descriptor-scalar-replacement");
    lacks(&after(&flags, &module), &["OpAccessChain"]);
}

#[test]
fn sampled_images_become_two() {
    let module = sampling(
        "OpDecorate %tex DescriptorSet 0\nOpDecorate %tex Binding 3
OpDecorate %many DescriptorSet 1\nOpDecorate %many Binding 4
OpDecorate %chosen NonUniform\nOpDecorate %b NonUniform",
        "%to_both = OpTypePointer UniformConstant %Both\n%Boths = OpTypeArray %Both %2
%to_boths = OpTypePointer UniformConstant %Boths\n%tex = OpVariable %to_both UniformConstant
%many = OpVariable %to_boths UniformConstant\n%sampling = OpTypeFunction %vec4 %to_both %uint
%ivec2 = OpTypeVector %uint 2",
        "%a = OpLoad %Both %tex\n%x = OpImageSampleImplicitLod %vec4 %a %where
%y = OpFunctionCall %vec4 %f %tex %0\n%chosen = OpAccessChain %to_both %many %i
%b = OpLoad %Both %chosen\n%z = OpImageSampleImplicitLod %vec4 %b %where
%image = OpImage %Image %b\n%size = OpImageQuerySizeLod %ivec2 %image %0
%sum = OpFAdd %vec4 %x %y\n%sum2 = OpFAdd %vec4 %sum %z\nOpStore %out %sum2\nOpReturn
OpFunctionEnd\n%f = OpFunction %vec4 None %sampling\n%p = OpFunctionParameter %to_both
%other = OpFunctionParameter %uint\n%first = OpLabel\n%l = OpLoad %Both %p\nOpBranch %second
%second = OpLabel\n%s = OpImageSampleImplicitLod %vec4 %l %where\nOpReturnValue %s
OpFunctionEnd\n%g = OpFunction %void None %fn\n%gl = OpLabel",
    )
    .replace(
        "OpMemoryModel",
        "OpCapability ImageQuery\nOpCapability ShaderNonUniform
OpCapability SampledImageArrayNonUniformIndexing
OpExtension \"SPV_EXT_descriptor_indexing\"\nOpMemoryModel",
    )
    .replace(
        "OpDecorate %in Location 0",
        "OpName %tex \"tex\"\nOpDecorate %in Location 0",
    );
    let text = after("split-combined-image-sampler", &module);
    assert_eq!(count(&text, "OpSampledImage"), 3, "{text}");
    assert_eq!(
        count(&text, "Binding 3") + count(&text, "Binding 4"),
        4,
        "{text}"
    );
    // Both chains, both loads, and what brings them together.
    assert_eq!(count(&text, "NonUniform\n"), 5 + 1, "{text}");
    has(&text, &["\"tex_image\"", "\"tex_sampler\""]);
    let lines = |what: &str| text.lines().filter(|line| line.contains(what)).count();
    assert_eq!(lines("OpFunctionParameter"), 3, "{text}");
    let pointers = text
        .lines()
        .filter(|line| line.contains("OpTypePointer UniformConstant"));
    assert_eq!(pointers.count(), 4, "{text}");
    let again = after(
        "split-combined-image-sampler split-combined-image-sampler",
        &module,
    );
    assert_eq!(again, text);
}

#[test]
fn sampled_images_in_structures_stay_together() {
    let module = sampling(
        "OpDecorate %t DescriptorSet 0\nOpDecorate %t Binding 3",
        "%R = OpTypeStruct %Both\n%to_R = OpTypePointer UniformConstant %R
%to_Both = OpTypePointer UniformConstant %Both\n%t = OpVariable %to_R UniformConstant",
        "%p = OpAccessChain %to_Both %t %0\n%both = OpLoad %Both %p",
    );
    let split = "split-combined-image-sampler";
    has(&refusal(split, &module), &["structure"]);
    // Once each is a variable, they can be.
    let text = after(
        &format!("descriptor-composite-scalar-replacement eliminate-dead-code-aggressive {split}"),
        &module,
    );
    lacks(&text, &["OpTypeStruct"]);
}

#[test]
fn arrays_of_arrays_become_flat() {
    let module = blocks(
        "%at = OpAccessChain %to_uint %in %0 %0\n%i = OpLoad %uint %at
%next = OpAccessChain %to_uint %in %0 %1\n%j = OpLoad %uint %next\n%k = OpBitcast %int %j
%row = OpAccessChain %to_row %rows %i\n%same = OpAccessChain %to_row %row
%x = OpAccessChain %to_uint %same %k %0 %1\nOpStore %x %3
%y = OpAccessChain %to_uint %rows %0 %2 %0 %2\nOpStore %y %2
%whole = OpAccessChain %to_S %rows %1 %j\n%z = OpAccessChain %to_uint %whole %0 %3
OpStore %z %1\nOpReturn",
    )
    .replace(
        "%in = OpVariable",
        "%row_type = OpTypeArray %S %3\n%table = OpTypeArray %row_type %2
%to_row = OpTypePointer StorageBuffer %row_type\n%to_table = OpTypePointer StorageBuffer %table
%rows = OpVariable %to_table StorageBuffer\n%in = OpVariable",
    )
    .replace("%bufs = OpVariable %to_Ss StorageBuffer\n", "")
    .replace("%bufs", "%rows");
    let done = words_of("legalize-multidim-array", &module);
    let text = after("legalize-multidim-array", &module);
    has(&text, &["OpTypeArray %_struct_"]);
    // At 1, 2 is the last of six.
    let mut engine = Run::new(&done).storage(0, 1, &[1, 2]);
    for element in 0..6 {
        engine = engine.element(0, 0, element, &[0, 0, 0, 0]);
    }
    let outcome = engine.dispatch([1, 1, 1]).unwrap();
    outcome.assert_clean();
    let at = |element: u32| outcome.element(0, 0, element).unwrap().to_vec();
    let numbers = |numbers: [u32; 4]| numbers.map(u32::to_le_bytes).concat();
    assert_eq!(at(5), numbers([0, 3, 0, 1]));
    assert_eq!(at(2), numbers([0, 0, 2, 0]));
    assert_eq!(at(0), numbers([0; 4]));
}

#[test]
fn arrays_whose_lengths_are_not_known_yet_are_refused() {
    let module = sampling(
        "OpDecorate %t DescriptorSet 0\nOpDecorate %t Binding 0\nOpDecorate %n SpecId 0",
        "%n = OpSpecConstant %uint 3\n%inner = OpTypeArray %Both %n\n%outer = OpTypeArray %inner %2
%to_outer = OpTypePointer UniformConstant %outer\n%to_both = OpTypePointer UniformConstant %Both
%t = OpVariable %to_outer UniformConstant",
        "%p = OpAccessChain %to_both %t %1 %1\n%x = OpLoad %Both %p",
    );
    for pass in [
        "legalize-multidim-array",
        "descriptor-scalar-replacement",
        "descriptor-array-scalar-replacement",
    ] {
        has(&refusal(pass, &module), &["isn't known yet"]);
    }
    let same = after("descriptor-composite-scalar-replacement", &module);
    has(&same, &["OpAccessChain"]);
}

#[test]
fn composites_of_descriptors_are_loaded_by_parts() {
    let module = |body: &str| {
        sampling(
            "OpDecorate %t DescriptorSet 0\nOpDecorate %t Binding 3",
            "%images = OpTypeArray %Image %2\n%R = OpTypeStruct %images %Sampler
%to_R = OpTypePointer UniformConstant %R\n%to_Image = OpTypePointer UniformConstant %Image
%t = OpVariable %to_R UniformConstant\n%to_own = OpTypePointer Function %R",
            body,
        )
    };
    let sampled = "%both = OpSampledImage %Both %image %sampler
%x = OpImageSampleExplicitLod %vec4 %both %where Lod %f0\nOpStore %out %x";
    let whole = module(&format!(
        "%all = OpLoad %R %t\n%image = OpCompositeExtract %Image %all 0 1
%sampler = OpCompositeExtract %Sampler %all 1\n{sampled}"
    ));
    // The images have the bindings 3 and 4, the sampler has 5.
    let text = after("descriptor-scalar-replacement", &whole);
    lacks(&text, &["OpCompositeExtract", "Binding 3"]);
    has(&text, &["Binding 4", "Binding 5"]);
    let text = after("descriptor-composite-scalar-replacement", &whole);
    has(&text, &["Binding 3", "Binding 5"]);
    assert_eq!(count(&text, "OpCompositeExtract"), 1, "{text}");
    let chosen = module("%p = OpAccessChain %to_Image %t %0 %i\n%image = OpLoad %Image %p");
    let why = refusal("descriptor-scalar-replacement", &chosen);
    has(&why, &["chosen while the shader runs"]);
    let stored = module("%all = OpLoad %R %t\n%copy = OpCopyObject %R %all");
    let why = refusal("descriptor-scalar-replacement", &stored);
    has(&why, &["as a whole"]);
}

#[test]
fn bindings_may_be_those_of_groups() {
    let module = sampling(
        "OpDecorate %g DescriptorSet 0\nOpDecorate %g Binding 3\n%g = OpDecorationGroup
OpGroupDecorate %g %t %s",
        "%to_Image = OpTypePointer UniformConstant %Image
%to_Sampler = OpTypePointer UniformConstant %Sampler
%t = OpVariable %to_Image UniformConstant\n%s = OpVariable %to_Sampler UniformConstant",
        "%image = OpLoad %Image %t\n%sampler = OpLoad %Sampler %s
%both = OpSampledImage %Both %image %sampler
%x = OpImageSampleExplicitLod %vec4 %both %where Lod %f0\nOpStore %out %x",
    );
    let text = after("resolve-binding-conflicts", &module);
    has(&text, &["Binding 3", "Binding 4"]);
    let text = after("convert-to-sampled-image=0:3", &module);
    lacks(&text, &["OpSampledImage"]);
    let array = sampling(
        "OpDecorate %g DescriptorSet 0\nOpDecorate %g Binding 3\n%g = OpDecorationGroup
OpGroupDecorate %g %t",
        "%arr = OpTypeArray %Image %2\n%to_arr = OpTypePointer UniformConstant %arr
%to_Image = OpTypePointer UniformConstant %Image\n%t = OpVariable %to_arr UniformConstant",
        "%p = OpAccessChain %to_Image %t %1\n%image = OpLoad %Image %p",
    );
    let text = after("descriptor-scalar-replacement", &array);
    has(&text, &["Binding 4"]);
    lacks(&text, &["OpAccessChain"]);
}

#[test]
fn inputs_end_with_what_is_used() {
    let module = |index: &str| {
        sampling(
            "OpDecorate %a Location 1\nOpDecorate %b Location 5",
            "%n4 = OpConstant %uint 4\n%four = OpTypeArray %float %n4\n%to_four = OpTypePointer Input %four
%a = OpVariable %to_four Input\n%b = OpVariable %to_four Input\n%to_one = OpTypePointer Input %float",
            &format!(
                "%p = OpAccessChain %to_one %a %0\n%q = OpAccessChain %to_one %a {index}
%r = OpAccessChain %to_one %b %1\n%x = OpLoad %float %p\n%y = OpLoad %float %q"
            ),
        )
        .replace("%in %out\n", "%in %a %b %out\n")
    };
    let text = after("eliminate-dead-input-components", &module("%1"));
    // Both have two elements now.
    assert_eq!(
        count(&text, "OpTypePointer Input %_arr_float_uint_2"),
        1,
        "{text}"
    );
    assert_eq!(
        count(&text, "OpVariable %_ptr_Input__arr_float_uint_2"),
        2,
        "{text}"
    );
    let text = after("eliminate-dead-input-components", &module("%i"));
    assert_eq!(
        count(&text, "OpVariable %_ptr_Input__arr_float_uint_2"),
        1,
        "{text}"
    );
}

#[test]
fn parts_of_inputs_and_outputs_become_variables() {
    let module = sampling(
        "OpDecorate %m Location 1\nOpDecorate %o Location 3\nOpDecorate %o Component 1",
        "%mat = OpTypeMatrix %vec2 2\n%mats = OpTypeArray %mat %2\n%to_mats = OpTypePointer Input %mats
%to_mat = OpTypePointer Input %mat\n%to_vec2 = OpTypePointer Input %vec2
%to_float = OpTypePointer Input %float\n%m = OpVariable %to_mats Input
%floats = OpTypeArray %float %2\n%to_floats = OpTypePointer Output %floats
%to_o = OpTypePointer Output %float\n%o = OpVariable %to_floats Output",
        "%x = OpAccessChain %to_float %m %1 %0 %i\n%first = OpLoad %float %x
%row = OpAccessChain %to_mat %m %1\n%column = OpAccessChain %to_vec2 %row %1
%second = OpLoad %vec2 %column\n%whole = OpLoad %mat %row\n%z = OpCompositeExtract %float %whole 0 1
%both = OpCompositeConstruct %floats %first %z\nOpStore %o %both
%last = OpAccessChain %to_o %o %1\nOpStore %last %first",
    )
    .replace("%in %out\n", "%in %m %out %o\n")
    .replace("OpCapability Shader\n", "OpCapability Shader\nOpCapability Matrix\n");
    let text = after("interface-variable-scalar-replacement", &module);
    for location in 1..=4 {
        has(&text, &[&format!("Location {location}\n")]);
    }
    assert_eq!(count(&text, "Component 1"), 2, "{text}");
    // Four columns, and two numbers, besides what was there; what is within a column stays a chain.
    assert_eq!(count(&text, " = OpVariable "), 2 + 4 + 2, "{text}");
    assert_eq!(count(&text, "OpAccessChain"), 1, "{text}");
    assert_eq!(count(&text, "OpStore"), 3, "{text}");
    let again = after(
        "interface-variable-scalar-replacement interface-variable-scalar-replacement",
        &module,
    );
    assert_eq!(again, text);
}

/// A vertex shader with an output of two vectors, of which it stores one.
fn outputs(capability: &str, decorations: &str, initial: &str, index: &str) -> String {
    format!(
        "; Version: 1.3
OpCapability Shader
{capability}
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %o %in
{decorations}
OpDecorate %o Location 1
OpDecorate %in Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%vec3 = OpTypeVector %float 3
%1 = OpConstant %uint 1
%2 = OpConstant %uint 2
%pair = OpTypeArray %vec3 %2
%null = OpConstantNull %pair
%zero = OpConstantNull %vec3
%to_pair = OpTypePointer Output %pair
%to_vec3 = OpTypePointer Output %vec3
%to_in = OpTypePointer Input %uint
%o = OpVariable %to_pair Output {initial}
%in = OpVariable %to_in Input
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %in
%p = OpAccessChain %to_vec3 %o {index}
OpStore %p %zero
OpReturn
OpFunctionEnd
"
    )
}

const SCALARS: &str = "interface-variable-scalar-replacement";

#[test]
fn captured_parts_stay_where_they_are_captured() {
    let module = outputs(
        "OpCapability TransformFeedback",
        "OpExecutionMode %main Xfb\nOpDecorate %o XfbBuffer 0\nOpDecorate %o XfbStride 32
OpDecorate %o Offset 8",
        "",
        "%1",
    );
    // The second of two vectors of 12 bytes lies behind the first.
    let text = after(SCALARS, &module);
    has(&text, &["Offset 8", "Offset 20"]);
    assert_eq!(count(&text, "XfbBuffer 0"), 2, "{text}");
}

#[test]
fn interfaces_that_can_not_be_told_apart_are_refused() {
    has(
        &refusal(SCALARS, &outputs("", "", "", "%i")),
        &["names a part"],
    );
    has(
        &refusal(SCALARS, &outputs("", "", "%null", "%1")),
        &["initial value"],
    );
}

#[test]
fn vertices_keep_their_arrays() {
    let module = "; Version: 1.3
OpCapability Geometry
OpMemoryModel Logical GLSL450
OpEntryPoint Geometry %main \"main\" %a
OpExecutionMode %main Triangles
OpExecutionMode %main OutputVertices 3
OpExecutionMode %main OutputTriangleStrip
OpExecutionMode %main Invocations 1
OpDecorate %a Location 2
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%2 = OpConstant %uint 2
%3 = OpConstant %uint 3
%1 = OpConstant %uint 1
%pair = OpTypeArray %float %2
%pairs = OpTypeArray %pair %3
%to_pairs = OpTypePointer Input %pairs
%to_pair = OpTypePointer Input %pair
%to_float = OpTypePointer Input %float
%a = OpVariable %to_pairs Input
%main = OpFunction %void None %fn
%entry = OpLabel
%p = OpAccessChain %to_float %a %1 %1
%x = OpLoad %float %p
%q = OpAccessChain %to_pair %a %1
%y = OpLoad %pair %q
OpReturn
OpFunctionEnd
";
    let text = after("interface-variable-scalar-replacement", module);
    assert_eq!(
        count(&text, " = OpVariable %_ptr_Input__arr_float_uint_3"),
        2,
        "{text}"
    );
    assert_eq!(count(&text, "OpAccessChain %_ptr_Input_float"), 3, "{text}");
    let same = run("eliminate-dead-input-components", &words(module));
    assert_eq!(same, words(module));
}

#[test]
fn variables_stay_behind_types_that_they_share() {
    let module = sampling(
        "OpDecorate %a DescriptorSet 0\nOpDecorate %a Binding 0\nOpDecorate %b DescriptorSet 0
OpDecorate %b Binding 1",
        "%to_image = OpTypePointer UniformConstant %Image\n%a = OpVariable %to_image UniformConstant
%b = OpVariable %to_image UniformConstant",
        "%x = OpLoad %Image %a\n%y = OpLoad %Image %b",
    )
    .replace("%Both = OpTypeSampledImage %Image\n", "");
    let text = after("\"convert-to-sampled-image=0:0 0:1\"", &module);
    assert_eq!(count(&text, "OpTypeSampledImage"), 1, "{text}");
}

#[test]
fn descriptions_of_variables_come_behind_them() {
    let module = sampling(
        "OpDecorate %tex DescriptorSet 0\nOpDecorate %tex Binding 0
OpDecorate %many DescriptorSet 0\nOpDecorate %many Binding 1",
        "%to_both = OpTypePointer UniformConstant %Both\n%tex = OpVariable %to_both UniformConstant
%t = OpExtInst %void %debug 1 %tex\n%Boths = OpTypeArray %Both %2
%to_boths = OpTypePointer UniformConstant %Boths\n%many = OpVariable %to_boths UniformConstant
%m = OpExtInst %void %debug 1 %many",
        "%x = OpLoad %Both %tex\n%at = OpAccessChain %to_both %many %1\n%y = OpLoad %Both %at",
    )
    .replace(
        "OpMemoryModel",
        "OpExtension \"SPV_KHR_non_semantic_info\"
%debug = OpExtInstImport \"NonSemantic.Any\"\nOpMemoryModel",
    );
    let text = after("split-combined-image-sampler", &module);
    assert_eq!(count(&text, "OpExtInst "), 2, "{text}");
    let text = after("descriptor-scalar-replacement", &module);
    assert_eq!(count(&text, "OpExtInst "), 1, "{text}");
}
