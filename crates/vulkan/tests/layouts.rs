//! Pipeline layouts in JSON.
#![cfg(feature = "json")]

use spirvkit_grammar::ExecutionModel;
use spirvkit_vulkan::{DescriptorType, MappingSource, PipelineLayout, ShaderStages};

#[test]
fn a_layout_is_read() {
    let text = r#"{
        "sets": [null, {"bindings": [
            {"binding": 2, "type": "VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR", "count": 4,
             "stages": ["VK_SHADER_STAGE_RAYGEN_BIT_KHR", "callable"]},
            {"binding": 0, "type": "combined_image_sampler",
             "unnormalizedCoordinates": false,
             "mapping": "VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT"}
        ]}],
        "pushConstants": [{"stages": ["ALL_GRAPHICS"], "size": 8}],
        "flags": ["RAY_TRACING_SKIP_AABBS", "VK_PIPELINE_CREATE_2_64_BIT_INDEXING_BIT_EXT",
                  "VK_PIPELINE_CREATE_2_DISALLOW_OPACITY_MICROMAP_BIT_ARM",
                  "VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT"],
        "requiredSubgroupSize": 64,
        "graph": {"constants": [{"id": 3, "format": "VK_FORMAT_R8_SINT", "dimensions": [2, 4]}],
                  "resources": [{"set": 1, "binding": 2, "format": "R16_SFLOAT", "dimensions": []}]},
        "subpass": {"fragmentRegion": true, "viewMask": 5, "inputAttachmentAspects": [2, null]}
    }"#;
    let layout = PipelineLayout::from_json(text).unwrap();
    assert!(layout.sets[0].bindings.is_empty());
    let [one, other] = &layout.sets[1].bindings[..] else {
        panic!("{layout:?}");
    };
    assert_eq!(one.ty, DescriptorType::ACCELERATION_STRUCTURE);
    assert_eq!((one.binding, one.count), (2, 4));
    assert_eq!(one.stages.to_string(), "RAYGEN, CALLABLE");
    assert_eq!(other.ty, DescriptorType::COMBINED_IMAGE_SAMPLER);
    assert_eq!((other.count, other.stages), (1, ShaderStages::ALL));
    assert_eq!((one.mapping, one.is_unnormalized), (None, None));
    assert_eq!(other.is_unnormalized, Some(false));
    assert_eq!(other.mapping, Some(MappingSource::HEAP_WITH_PUSH_INDEX));
    assert_eq!(
        layout.flags.unwrap().to_string(),
        "RAY_TRACING_SKIP_AABBS, 64_BIT_INDEXING, DISALLOW_OPACITY_MICROMAP"
    );
    assert_eq!(layout.required_subgroup_size, Some(64));
    let graph = layout.graph.as_ref().unwrap();
    assert_eq!(graph.constants[0].id, 3);
    assert_eq!(graph.constants[0].tensor.format, "R8_SINT");
    assert_eq!(graph.constants[0].tensor.dimensions, [2, 4]);
    let resource = &graph.resources[0];
    assert_eq!(
        (resource.set, resource.binding, resource.array_element),
        (1, 2, 0)
    );
    let subpass = layout.subpass.as_ref().unwrap();
    assert!(subpass.is_fragment_region);
    assert_eq!(subpass.view_mask, Some(5));
    assert_eq!(subpass.input_attachment_aspects, [Some(2), None]);
    let [range] = layout.push_constants[..] else {
        panic!("{layout:?}");
    };
    assert_eq!((range.offset, range.size), (0, 8));
    assert!(range.stages.contains(ExecutionModel::Geometry));
    assert!(!range.stages.contains(ExecutionModel::MeshEXT));
}

#[test]
fn what_is_no_layout_says_where() {
    let cases = [
        ("[]", "the whole is no object"),
        (r#"{"set": []}"#, "`set`; known ones are sets"),
        (r#"{"sets": {}}"#, "`sets` of the whole is no array"),
        (
            r#"{"sets": [{"bindings": [{"binding": 0}]}]}"#,
            "sets[0].bindings[0] has no string `type`",
        ),
        (
            r#"{"sets": [{"bindings": [{"type": "SAMPLER"}]}]}"#,
            "sets[0].bindings[0] has no number `binding`",
        ),
        (
            r#"{"sets": [{"bindings": [{"binding": 0, "type": "BUFFER"}]}]}"#,
            "no type of descriptors `BUFFER`",
        ),
        (
            r#"{"sets": [{"bindings": [{"binding": 0, "type": "SAMPLER", "stages": ["PIXEL"]}]}]}"#,
            "there is no stage \"PIXEL\"",
        ),
        (
            r#"{"sets": [{"bindings": [{"binding": 1, "type": "SAMPLER"}, {"binding": 1, "type": "SAMPLER"}]}]}"#,
            "sets[0] has binding 1 twice",
        ),
        (
            r#"{"sets": [{"bindings": [{"binding": 1, "type": "SAMPLER", "ycbcr": 1}]}]}"#,
            "`ycbcr` of sets[0].bindings[0] is neither true nor false",
        ),
        (
            r#"{"sets": [{"bindings": [{"binding": 1, "type": "SAMPLER", "mapping": "PUSH"}]}]}"#,
            "sets[0].bindings[0]: there is no source of mappings \"PUSH\"; there are HEAP_WITH",
        ),
        (
            r#"{"flags": ["FAST"]}"#,
            "there is no flag \"FAST\" of pipelines",
        ),
        (
            r#"{"graph": {"constants": [{"id": 1, "dimensions": [1]}]}}"#,
            "graph.constants[0] has no string `format`",
        ),
        (
            r#"{"graph": {"resources": [{"set": 0, "binding": 1, "format": "R8_UINT", "dimensions": [-1]}]}}"#,
            "`dimensions` of graph.resources[0] has what is no number",
        ),
        (
            r#"{"subpass": {"viewMask": "all"}}"#,
            "subpass has no number `viewMask`",
        ),
        (
            r#"{"subpass": {"inputAttachmentAspects": ["COLOR"]}}"#,
            "`inputAttachmentAspects` has what is neither a number nor null",
        ),
        (
            r#"{"pushConstants": [{"size": -1}]}"#,
            "pushConstants[0] has no number `size`",
        ),
    ];
    for (text, wanted) in cases {
        let error = PipelineLayout::from_json(text).unwrap_err().to_string();
        assert!(error.contains(wanted), "{text}: {error}");
    }
}

#[test]
fn names_are_those_of_vulkan() {
    for ty in DescriptorType::all() {
        assert_eq!(DescriptorType::named(ty.name()), Some(ty));
        let long = format!("VK_DESCRIPTOR_TYPE_{}", ty.name());
        assert_eq!(DescriptorType::named(&long), Some(ty));
    }
    assert_eq!(DescriptorType::named("UNIFORM_BUFFER_KHR"), None);
    for source in MappingSource::all() {
        assert_eq!(MappingSource::named(source.name()), Some(source));
    }
}
