//! Data graph pipelines, and what the application says of their tensors.

use spirvkit_validate::{Example, Options, Pipeline, Stage};
use spirvkit_vulkan::{
    Binding, DataGraph, DescriptorType, GraphConstant, GraphResource, PipelineLayout,
    PushConstantRange, SetLayout, ShaderStages, TensorDescription,
};

use crate::common;

/// A module with a graph of tensors with these elements, shape and constant.
fn graph(declared: &str, element: &str, sizes: &[u32], value: &str) -> String {
    let rank = sizes.len();
    let parts: Vec<String> = sizes.iter().map(|size| format!("%u32_{size}")).collect();
    format!(
        "OpCapability VulkanMemoryModel
OpCapability Shader
OpCapability Int8
OpCapability TensorsARM
OpCapability GraphARM
OpExtension \"SPV_ARM_tensors\"
OpExtension \"SPV_ARM_graph\"
OpMemoryModel Logical Vulkan
OpDecorate %in DescriptorSet 1
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 1
OpDecorate %out Binding 1
%u32 = OpTypeInt 32 0
{declared}
%u32_0 = OpConstant %u32 0
%u32_1 = OpConstant %u32 1
%u32_2 = OpConstant %u32 2
%u32_3 = OpConstant %u32 3
%sizes = OpTypeArray %u32 %u32_{rank}
%shape = OpConstantComposite %sizes {}
%tensor = OpTypeTensorARM {element} %u32_{rank} %shape
%array = OpTypeArray %tensor %u32_2
%to_array = OpTypePointer UniformConstant %array
%to_tensor = OpTypePointer UniformConstant %tensor
%in = OpVariable %to_array UniformConstant
%out = OpVariable %to_tensor UniformConstant
%one = OpGraphConstantARM %tensor 7
%other = OpGraphConstantARM %tensor 8
%type = OpTypeGraphARM 1 %array %tensor
OpGraphEntryPointARM %graph \"main\" %in %out
%graph = OpGraphARM %type
%value = OpGraphInputARM %tensor %u32_0 %u32_1
OpGraphSetOutputARM {value} %u32_0
OpGraphEndARM",
        parts.join(" ")
    )
}

/// What a data graph pipeline breaks of which the application says that.
fn of_graph(text: &str, graph: Option<DataGraph>, more: &[&[u32]]) -> Vec<String> {
    let options = Options::for_env("vulkan1.3".parse().unwrap());
    let words = common::assembled(text, &options).words;
    let layout = PipelineLayout {
        graph,
        ..PipelineLayout::default()
    };
    let stages = [words.as_slice()].into_iter().chain(more.iter().copied());
    let pipeline = Pipeline::new(stages.map(Stage::new)).layout(&layout);
    let report = pipeline.check(&options);
    let all = report.diagnostics().iter();
    all.map(|it| it.diagnostic.rule().to_owned()).collect()
}

fn tensor(format: &str, dimensions: &[u64]) -> TensorDescription {
    TensorDescription {
        format: format.to_owned(),
        dimensions: dimensions.to_vec(),
    }
}

/// The variables of the graph above.
fn resources(tensor: &TensorDescription) -> Vec<GraphResource> {
    let resource = |binding| GraphResource {
        set: 1,
        binding,
        array_element: 0,
        tensor: tensor.clone(),
    };
    vec![resource(0), resource(1)]
}

#[test]
fn tensors_of_graphs_are_what_the_application_says() {
    let none: [String; 0] = [];
    let told = |constants: &[(u32, TensorDescription)], resources| {
        let constants = constants.iter().map(|(id, tensor)| GraphConstant {
            id: *id,
            tensor: tensor.clone(),
        });
        Some(DataGraph {
            constants: constants.collect(),
            resources,
        })
    };
    let fitting = tensor("R32_SINT", &[2, 3]);
    let text = graph("", "%u32", &[2, 3], "%value");
    assert_eq!(of_graph(&text, None, &[]), none);
    assert_eq!(of_graph(&text, told(&[], resources(&fitting)), &[]), none);
    let wrong = ["pipeline.graph-resource"; 2];
    for other in [
        tensor("R32_SFLOAT", &[2, 3]),
        tensor("R32_UINT", &[3, 2]),
        tensor("R32_UINT", &[2]),
    ] {
        assert_eq!(of_graph(&text, told(&[], resources(&other)), &[]), wrong);
    }
    let twice = [resources(&fitting), resources(&fitting)].concat();
    assert_eq!(of_graph(&text, told(&[], twice), &[]), wrong);
    let text = graph("", "%u32", &[2, 3], "%one");
    let seven = (7, fitting.clone());
    let constants =
        |all: &[(u32, TensorDescription)]| of_graph(&text, told(all, resources(&fitting)), &[]);
    assert_eq!(constants(std::slice::from_ref(&seven)), none);
    assert_eq!(constants(&[]), ["pipeline.graph-constant"]);
    let twice = [seven.clone(), seven];
    assert_eq!(constants(&twice), ["pipeline.graph-constant"]);
    let wrong = [(7, tensor("R32_UINT", &[2]))];
    assert_eq!(constants(&wrong), ["pipeline.graph-constant"]);
}

#[test]
fn elements_of_tensors_have_formats() {
    let types = [
        ("OpTypeBool", &["R8_BOOL_ARM"][..]),
        ("OpTypeFloat 32", &["R32_SFLOAT"]),
        ("OpTypeInt 8 0", &["R8_UINT", "R8_SINT"]),
        ("OpTypeInt 8 1", &["R8_SINT"]),
    ];
    let formats = [
        "R8_BOOL_ARM",
        "R32_SFLOAT",
        "R8_UINT",
        "R8_SINT",
        "R16_SFLOAT",
    ];
    for (ty, own) in types {
        let text = graph(&format!("%element = {ty}"), "%element", &[2], "%value");
        for format in formats {
            let told = DataGraph {
                constants: Vec::new(),
                resources: resources(&tensor(format, &[2])),
            };
            let fits = of_graph(&text, Some(told), &[]).is_empty();
            assert_eq!(fits, own.contains(&format), "{ty} {format}");
        }
    }
}

#[test]
fn layouts_have_tensors_for_graphs() {
    let options = Options::for_env("vulkan1.3".parse().unwrap());
    // The variables are two tensors and one.
    let text = graph("", "%u32", &[2], "%value");
    let words = common::assembled(&text, &options).words;
    let found = |bindings: Vec<Binding>, push_constants: Vec<PushConstantRange>| {
        let layout = PipelineLayout {
            sets: vec![SetLayout::default(), SetLayout { bindings }],
            push_constants,
            ..PipelineLayout::default()
        };
        let report = Pipeline::new([Stage::new(&words)]).layout(&layout);
        let all = report.check(&options).into_diagnostics();
        let number = |it: &str| it.rsplit_once('-').unwrap().1.to_owned();
        let all = all.iter().map(|it| &it.diagnostic);
        all.map(|it| number(it.vuid().unwrap())).collect::<Vec<_>>()
    };
    let none: [String; 0] = [];
    let tensors = |number, count| Binding {
        count,
        ..Binding::new(number, DescriptorType::TENSOR)
    };
    let image = Binding::new(1, DescriptorType::STORAGE_IMAGE);
    let mutable = Binding::new(2, DescriptorType::MUTABLE);
    let range = PushConstantRange {
        stages: ShaderStages::ALL,
        offset: 0,
        size: 4,
    };
    let fitting = vec![tensors(0, 2), tensors(1, 1)];
    assert_eq!(found(fitting.clone(), Vec::new()), none);
    assert_eq!(found(fitting.clone(), vec![range]), ["09767"]);
    assert_eq!(found(vec![tensors(0, 2), image], Vec::new()), ["09769"]);
    assert_eq!(found(vec![tensors(0, 2)], Vec::new()), ["09769"]);
    let few = vec![tensors(0, 1), tensors(1, 1)];
    assert_eq!(found(few, Vec::new()), ["09934"]);
    let more = fitting.into_iter().chain([mutable]).collect();
    assert_eq!(found(more, Vec::new()), ["09770"]);
}

#[test]
fn graphs_are_pipelines_of_their_own() {
    let text = graph("", "%u32", &[2], "%value");
    let piece = "OpEntryPoint Vertex %vertex \"main\"";
    let example = Example::framed("pipeline, vulkan1.3", piece, "").unwrap();
    let vertex = common::assembled(&example.breaking(), &example.options()).words;
    assert_eq!(of_graph(&text, None, &[&vertex]), ["pipeline.mixed"]);
    let options = example.options();
    let words = common::assembled(&text, &options).words;
    let named = |name: &str| {
        let pipeline = Pipeline::new([Stage::new(&words).entry_point(name)]);
        let all = pipeline.check(&options).into_diagnostics();
        let all = all.into_iter().map(|it| it.diagnostic);
        all.map(|it| (it.rule().to_owned(), it.vuid().map(str::to_owned)))
            .collect::<Vec<_>>()
    };
    assert_eq!(named("main"), []);
    let vuid = "VUID-VkDataGraphPipelineShaderModuleCreateInfoARM-pName-09872";
    let unknown = ("pipeline.entry-point".to_owned(), Some(vuid.to_owned()));
    assert_eq!(named("other"), [unknown]);
}
