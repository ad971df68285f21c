//! Stages that fit together or don't, beyond the rules' examples.

use spirvkit_binary::Id;
use spirvkit_testing::words;
use spirvkit_validate::{Example, Options, Pipeline, PipelineReport, Stage};
use spirvkit_vulkan::{Device, Feature};

use crate::common;

fn options(env: &str) -> Options {
    Options::for_env(env.parse().unwrap())
}

/// The rules that stages break, given as a piece in the frame `pipeline`.
#[track_caller]
fn broken(piece: &str) -> Vec<&'static str> {
    let example = Example::framed("pipeline, vulkan1.3", piece, "").unwrap();
    let report = common::example_report(&example, &example.breaking());
    report.diagnostics().iter().map(|it| it.rule()).collect()
}

/// A vertex and a fragment shader with these declarations of `%out` and `%in`.
#[track_caller]
fn passed(declarations: &str) -> Vec<&'static str> {
    broken(&format!(
        "OpEntryPoint Vertex %vertex \"main\" %out
OpEntryPoint Fragment %fragment \"main\" %in
OpExecutionMode %fragment OriginUpperLeft
{declarations}"
    ))
}

const AT_0: &str = "OpDecorate %out Location 0\nOpDecorate %in Location 0\n";

#[test]
fn what_may_differ_does() {
    // Interpolation, precision, a component of 0, and which of its components are read.
    let may = "OpDecorate %in Flat
OpDecorate %out RelaxedPrecision
OpDecorate %in Component 0
%out = OpVariable %out_vec4 Output
%in = OpVariable %in_vec3 Input";
    assert_eq!(passed(&format!("{AT_0}{may}")), [""; 0]);
}

#[test]
fn types_are_compared_component_by_component() {
    let cases: &[(&str, &str, &[&str])] = &[
        // Signedness and width count.
        ("%u32", "%i32", &["pipeline.type"]),
        ("%f64", "%vec2", &["pipeline.type"]),
        ("%f64", "%f64", &[]),
        // More than is written.
        ("%vec2", "%vec3", &["pipeline.no-output"]),
        // Less, but not as vectors.
        ("%vec2", "%f32", &["pipeline.shape"]),
        ("%two", "%three", &["pipeline.no-output"]),
        ("%three", "%two", &["pipeline.shape"]),
        ("%three", "%three", &[]),
        ("%matrix", "%matrix", &[]),
        ("%matrix", "%two", &["pipeline.shape"]),
        ("%pair", "%pair", &[]),
        ("%pair", "%same_pair", &[]),
        ("%pair", "%other_pair", &["pipeline.type"]),
    ];
    for (output, input, wanted) in cases {
        let declarations = format!(
            "OpCapability Float64
{AT_0}OpDecorate %in Flat
%f64 = OpTypeFloat 64
%two = OpTypeArray %vec4 %u32_2
%three = OpTypeArray %vec4 %u32_3
%matrix = OpTypeMatrix %vec4 2
%pair = OpTypeStruct %vec4 %f32
%same_pair = OpTypeStruct %vec4 %f32
%other_pair = OpTypeStruct %vec4 %i32
%to_out = OpTypePointer Output {output}
%to_in = OpTypePointer Input {input}
%out = OpVariable %to_out Output
%in = OpVariable %to_in Input"
        );
        assert_eq!(passed(&declarations), *wanted, "{output} {input}");
    }
}

#[test]
fn members_of_blocks_match_one_by_one() {
    let block = |members: &str| {
        format!(
            "OpDecorate %written Block
OpDecorate %read Block
OpMemberDecorate %written 0 Location 3
OpMemberDecorate %written 1 Location 1
{members}
%written = OpTypeStruct %vec4 %vec2
%read = OpTypeStruct %vec2 %vec4
%to_out = OpTypePointer Output %written
%to_in = OpTypePointer Input %read
%out = OpVariable %to_out Output
%in = OpVariable %to_in Input"
        )
    };
    let fits = "OpMemberDecorate %read 0 Location 1\nOpMemberDecorate %read 1 Location 3";
    assert_eq!(passed(&block(fits)), [""; 0]);
    let other = "OpMemberDecorate %read 0 Location 2\nOpMemberDecorate %read 1 Location 1";
    assert_eq!(
        passed(&block(other)),
        ["pipeline.no-output", "pipeline.no-output"]
    );
    // A block against a variable is only odd.
    let loose = "OpDecorate %written Block
OpMemberDecorate %written 0 Location 0
OpDecorate %in Location 0
%written = OpTypeStruct %vec4
%to_out = OpTypePointer Output %written
%out = OpVariable %to_out Output
%in = OpVariable %in_vec4 Input";
    assert_eq!(passed(loose), ["pipeline.shape"]);
}

#[test]
fn the_array_of_vertices_is_no_part_of_the_type() {
    let stages = |out: &str, in_: &str| {
        broken(&format!(
            "OpCapability Geometry
OpEntryPoint Vertex %vertex \"main\" %out
OpEntryPoint Geometry %geometry \"main\" %in
OpExecutionMode %geometry Triangles
OpExecutionMode %geometry OutputPoints
OpExecutionMode %geometry OutputVertices 1
OpExecutionMode %geometry Invocations 1
{AT_0}
%vec4s = OpTypeArray %vec4 %u32_3
%pairs = OpTypeArray %vec4s %u32_3
%to_out = OpTypePointer Output {out}
%to_in = OpTypePointer Input {in_}
%out = OpVariable %to_out Output
%in = OpVariable %to_in Input"
        ))
    };
    assert_eq!(stages("%vec4", "%vec4s"), [""; 0]);
    assert_eq!(stages("%vec4s", "%pairs"), [""; 0]);
    assert_eq!(stages("%vec4", "%pairs"), ["pipeline.no-output"]);
}

#[test]
fn streams_have_locations_of_their_own() {
    let stages = |stream: u32| {
        broken(&format!(
            "OpCapability Geometry
OpCapability GeometryStreams
OpEntryPoint Vertex %vertex \"main\"
OpEntryPoint Geometry %geometry \"main\" %out %other
OpEntryPoint Fragment %fragment \"main\" %in
OpExecutionMode %geometry InputPoints
OpExecutionMode %geometry OutputPoints
OpExecutionMode %geometry OutputVertices 1
OpExecutionMode %geometry Invocations 1
OpExecutionMode %fragment OriginUpperLeft
{AT_0}OpDecorate %other Location 0
OpDecorate %out Stream {stream}
OpDecorate %other Stream {}
%out_i32 = OpTypePointer Output %i32
%out = OpVariable %out_vec4 Output
%other = OpVariable %out_i32 Output
%in = OpVariable %in_vec4 Input",
            1 - stream
        ))
    };
    assert_eq!(stages(0), [""; 0]);
    assert_eq!(stages(1), ["pipeline.type"]);
}

#[test]
fn mesh_and_fragment_shaders_agree_about_primitives() {
    let stages = |decorations: &str| {
        broken(&format!(
            "OpCapability MeshShadingEXT
OpExtension \"SPV_EXT_mesh_shader\"
OpEntryPoint MeshEXT %mesh \"main\" %out
OpEntryPoint Fragment %fragment \"main\" %in
OpExecutionMode %fragment OriginUpperLeft
OpExecutionMode %mesh LocalSize 1 1 1
OpExecutionMode %mesh OutputTrianglesEXT
OpExecutionMode %mesh OutputVertices 3
OpExecutionMode %mesh OutputPrimitivesEXT 3
{AT_0}OpDecorate %out PerPrimitiveEXT
{decorations}
%vec4s = OpTypeArray %vec4 %u32_3
%to_out = OpTypePointer Output %vec4s
%out = OpVariable %to_out Output
%in = OpVariable %in_vec4 Input
%mesh = OpFunction %void None %signature
%mesh_entry = OpLabel
OpReturn
OpFunctionEnd"
        ))
    };
    assert_eq!(stages("OpDecorate %in PerPrimitiveEXT"), [""; 0]);
    assert_eq!(stages(""), ["pipeline.decoration"]);
}

#[test]
fn both_extensions_for_meshes_do_not_mix() {
    let module = |model: &str, capability: &str, extension: &str| {
        words(&format!(
            "OpCapability {capability}
OpExtension \"{extension}\"
OpMemoryModel Logical GLSL450
OpEntryPoint {model} %main \"main\"
%void = OpTypeVoid
%signature = OpTypeFunction %void
%main = OpFunction %void None %signature
%entry = OpLabel
OpReturn
OpFunctionEnd"
        ))
    };
    let task = module("TaskNV", "MeshShadingNV", "SPV_NV_mesh_shader");
    let mesh = module("MeshEXT", "MeshShadingEXT", "SPV_EXT_mesh_shader");
    let report = Pipeline::new([Stage::new(&mesh), Stage::new(&task)]).check(&options("vulkan1.3"));
    let [found] = report.diagnostics() else {
        panic!("{report:?}");
    };
    assert_eq!(
        found.diagnostic.vuid(),
        Some("VUID-VkGraphicsPipelineCreateInfo-TaskNV-07063")
    );
    assert_eq!((found.stage, found.notes[0].stage), (0, 1));
}

/// A shader with one variable, which takes `%count` vectors from location 0 on.
fn array(model: &str, class: &str, length: u32) -> Vec<u32> {
    words(&format!(
        "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint {model} %main \"main\" %variable
OpDecorate %variable Location 0
OpDecorate %count SpecId 0
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%one = OpConstant %u32 1
%count = OpSpecConstant %u32 {length}
%more = OpSpecConstantOp %u32 IAdd %count %one
%f32 = OpTypeFloat 32
%array = OpTypeArray %f32 %more
%pointer = OpTypePointer {class} %array
%variable = OpVariable %pointer {class}
%signature = OpTypeFunction %void
%main = OpFunction %void None %signature
%entry = OpLabel
OpReturn
OpFunctionEnd"
    ))
}

fn rules(report: &PipelineReport) -> Vec<&'static str> {
    let all = report.diagnostics().iter();
    all.map(|it| it.diagnostic.rule()).collect()
}

#[test]
fn specialization_decides_the_length_of_arrays() {
    let (vertex, fragment) = (array("Vertex", "Output", 2), array("Fragment", "Input", 3));
    // The ids of the constants stand in the order of their first use.
    let more = |words: &[u32]| {
        let index = spirvkit_analysis::ModuleIndex::new(words).unwrap();
        let mut all = index.all_instructions();
        let found = all.find(|it| it.op() == spirvkit_grammar::Op::SpecConstantOp);
        found.unwrap().result().unwrap()
    };
    let check = |values: &[(Id, u64)]| {
        let written = Stage::new(&vertex).constants(values.iter().copied());
        Pipeline::new([written, Stage::new(&fragment)]).check(&options("vulkan1.3"))
    };
    assert_eq!(rules(&check(&[])), ["pipeline.no-output"]);
    let id = more(&vertex);
    assert_eq!(rules(&check(&[(id, 4)])), [""; 0]);
    assert_eq!(rules(&check(&[(id, 5)])), ["pipeline.shape"]);
}

#[test]
fn longer_outputs_take_a_feature_of_the_device() {
    let piece =
        format!("{AT_0}%out = OpVariable %out_vec4 Output\n%in = OpVariable %in_vec2 Input");
    let text = format!(
        "OpEntryPoint Vertex %vertex \"main\" %out
OpEntryPoint Fragment %fragment \"main\" %in
OpExecutionMode %fragment OriginUpperLeft
{piece}"
    );
    let example = Example::framed("pipeline, vulkan1.3", &text, "").unwrap();
    let module = words(&example.breaking());
    let mut options = options("vulkan1.3");
    let check = |options: &Options| rules(&Pipeline::new([Stage::new(&module)]).check(options));
    assert_eq!(check(&options), [""; 0]);
    options.devices.push(Device::new("one", (1, 3)));
    assert_eq!(check(&options), ["pipeline.vector-size"]);
    options.devices[0].set_feature(Feature::named("maintenance4").unwrap());
    assert_eq!(check(&options), [""; 0]);
}

#[test]
fn stages_are_in_the_order_of_the_pipeline_and_found_by_name() {
    let (vertex, fragment) = (array("Vertex", "Output", 3), array("Fragment", "Input", 2));
    let options = options("vulkan1.3");
    // The length that is written is another one, whichever comes first.
    let stages = [Stage::new(&fragment), Stage::new(&vertex)];
    let report = Pipeline::new(stages).check(&options);
    assert_eq!(rules(&report), ["pipeline.shape"]);
    assert_eq!(report.diagnostics()[0].stage, 0);
    let note = &report.diagnostics()[0].notes[0];
    assert_eq!(note.stage, 1);
    let at = spirvkit_analysis::ModuleIndex::new(&vertex).unwrap();
    assert_eq!(note.word, at.globals[0] as usize);
    let wrong = Pipeline::new([Stage::new(&vertex).entry_point("mian")]).check(&options);
    assert_eq!(rules(&wrong), ["pipeline.entry-point"]);
    assert_eq!(
        wrong.diagnostics()[0].diagnostic.help(),
        Some("did you mean \"main\"?")
    );
    let none = Pipeline::new([Stage::new(&[1, 2, 3])]).check(&options);
    assert_eq!(rules(&none), ["binary.truncated"]);
}

#[test]
fn a_sampler_and_an_image_may_be_one_descriptor() {
    let stages = |second: &str, third: &str| {
        broken(&format!(
            "OpEntryPoint Vertex %reads \"main\" %one %two %three
OpDecorate %one DescriptorSet 0
OpDecorate %one Binding 0
OpDecorate %two DescriptorSet 0
OpDecorate %two Binding 0
OpDecorate %three DescriptorSet 0
OpDecorate %three Binding 0
%sampler = OpTypeSampler
%sampled = OpTypeImage %f32 2D 0 0 0 1 Unknown
%storage = OpTypeImage %f32 2D 0 0 0 2 R32f
%combined = OpTypeSampledImage %sampled
%to_one = OpTypePointer UniformConstant %sampler
%to_two = OpTypePointer UniformConstant {second}
%to_three = OpTypePointer UniformConstant {third}
%one = OpVariable %to_one UniformConstant
%two = OpVariable %to_two UniformConstant
%three = OpVariable %to_three UniformConstant
%reads = OpFunction %void None %signature
%reads_entry = OpLabel
%a = OpLoad %sampler %one
%b = OpLoad {second} %two
%c = OpLoad {third} %three
OpReturn
OpFunctionEnd"
        ))
    };
    assert_eq!(stages("%sampled", "%combined"), [""; 0]);
    assert_eq!(stages("%sampled", "%storage"), ["pipeline.binding-twice"]);
}

/// Very many of what is compared with each other, and what is wrong in all of them.
#[test]
fn much_that_is_wrong_takes_no_long() {
    let count = 3000;
    let module = |model: &str, class: &str, ty: &str| {
        let each = |piece: &dyn Fn(usize) -> String| (0..count).map(piece).collect::<String>();
        let (names, places, variables) = (
            each(&|n| format!(" %v{n}")),
            each(&|n| format!("OpDecorate %v{n} Location {n}\n")),
            each(&|n| format!("%v{n} = OpVariable %pointer {class}\n")),
        );
        words(&format!(
            "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint {model} %main \"main\"{names}
{places}
%void = OpTypeVoid
%f32 = OpTypeFloat 32
%i32 = OpTypeInt 32 1
%u32 = OpTypeInt 32 0
%long = OpConstant %u32 3000
%array = OpTypeArray {ty} %long
%pointer = OpTypePointer {class} %array
{variables}
%signature = OpTypeFunction %void
%main = OpFunction %void None %signature
%entry = OpLabel
OpReturn
OpFunctionEnd"
        ))
    };
    let vertex = module("Vertex", "Output", "%f32");
    let fragment = module("Fragment", "Input", "%i32");
    let mut options = options("vulkan1.3");
    options.max_errors = 0;
    let stages = [Stage::new(&vertex), Stage::new(&fragment)];
    let report = Pipeline::new(stages).check(&options);
    assert!(!report.is_valid());
    options.max_errors = 2;
    let stages = [Stage::new(&vertex), Stage::new(&fragment)];
    let report = Pipeline::new(stages).check(&options);
    assert!(report.is_cut() && report.diagnostics().len() == 2);
}

/// A name as long as a module, in each of many errors.
#[test]
fn long_names_are_not_repeated_in_full() {
    let stage = |number: usize| {
        words(&format!(
            "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"{}{number}\"
%void = OpTypeVoid
%signature = OpTypeFunction %void
%main = OpFunction %void None %signature
%entry = OpLabel
OpReturn
OpFunctionEnd",
            "x".repeat(100_000)
        ))
    };
    let all: Vec<Vec<u32>> = (0..20).map(stage).collect();
    let mut options = options("vulkan1.3");
    options.max_errors = 0;
    let stages = all.iter().map(|words| Stage::new(words));
    let report = Pipeline::new(stages).check(&options);
    assert_eq!(report.diagnostics().len(), 19);
    let lengths = report.diagnostics().iter();
    assert!(
        lengths
            .clone()
            .all(|it| it.diagnostic.message().len() < 1000)
    );
    assert!(
        lengths
            .flat_map(|it| &it.notes)
            .all(|it| it.message.len() < 1000)
    );
}

#[test]
fn geometry_shaders_number_primitives_on_all_ways() {
    let found = |model: &str, body: &str| {
        let mesh = match model {
            "MeshEXT" => "OpExecutionMode %draws OutputPrimitivesEXT 1",
            _ => "OpExecutionMode %draws InputPoints",
        };
        let piece = format!(
            "OpCapability Geometry
OpCapability MeshShadingEXT
OpExtension \"SPV_EXT_mesh_shader\"
OpEntryPoint {model} %draws \"main\" %out
OpEntryPoint Fragment %fragment \"main\" %in
{mesh}
OpExecutionMode %draws OutputPoints
OpExecutionMode %draws OutputVertices 1
OpExecutionMode %fragment OriginUpperLeft
OpDecorate %out BuiltIn PrimitiveId
OpDecorate %in BuiltIn PrimitiveId
OpDecorate %in Flat
%bool = OpTypeBool
%true = OpConstantTrue %bool
%in_u32 = OpTypePointer Input %u32
%in = OpVariable %in_u32 Input
%out_u32 = OpTypePointer Output %u32
%out = OpVariable %out_u32 Output
%draws = OpFunction %void None %signature
%draws_entry = OpLabel
{body}
OpReturn
OpFunctionEnd"
        );
        let example = Example::framed("pipeline, vulkan1.3", &piece, "").unwrap();
        let words = common::assembled(&example.breaking(), &example.options()).words;
        let report = Pipeline::new([Stage::new(&words)]).check(&example.options());
        let all = report.diagnostics().iter();
        let own = all.filter(|it| it.diagnostic.rule() == "pipeline.primitive-id");
        own.map(|it| it.diagnostic.vuid().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    let write = "OpStore %out %u32_1\n";
    let emit = "OpEmitVertex\n";
    let perhaps = |code: &str| {
        format!(
            "OpSelectionMerge %merge None
OpBranchConditional %true %then %merge
%then = OpLabel
{code}
OpBranch %merge
%merge = OpLabel\n"
        )
    };
    let of = |parts: &[&str]| found("Geometry", &parts.concat());
    let wrong = ["VUID-PrimitiveId-Fragment-04331"];
    assert_eq!(of(&[write, emit, emit]), [""; 0]);
    assert_eq!(of(&[&perhaps(&[write, emit].concat())]), [""; 0]);
    assert_eq!(of(&[&perhaps(write), emit]), wrong);
    assert_eq!(of(&[emit]), wrong);
    let wrong = ["VUID-PrimitiveId-Fragment-04332"];
    assert_eq!(found("MeshEXT", ""), wrong);
    assert_eq!(found("MeshEXT", &perhaps(write)), [""; 0]);
}
