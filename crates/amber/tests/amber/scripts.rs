//! What AmberScript declares, in the data model.

use spirvkit_amber::{
    Action, AddressMode, ArgumentKey, ArgumentValue, Attachment, BlendFactor, BlendOp, BorderColor,
    Buffer, CompareOp, Contents, DescriptorKind, Dimension, FileFormat, Filter, GeometryFlag,
    GeometryKind, Handle, Language, Layout, Number, Pipeline, PipelineKind, PolygonMode, Rate,
    Resource, Script, ShaderSource, Shape, Size, Stage, StencilOp, SubgroupSize, Work,
};

use super::{PIPELINES, amber};

fn buffer(text: &str) -> Buffer {
    amber(text).buffers.remove(0)
}

/// A graphics pipeline with these lines, behind declarations.
fn graphics(declarations: &str, lines: &str) -> (Script, Pipeline) {
    let script = amber(&format!(
        "SHADER vertex v PASSTHROUGH\n{declarations}\nPIPELINE graphics p\n  ATTACH v\n{lines}\nEND\n"
    ));
    let pipeline = script.pipelines[0].clone();
    (script, pipeline)
}

fn integer(value: i128) -> Number {
    Number::from(value)
}

#[test]
fn shaders() {
    let script = amber(
        "\
VIRTUAL_FILE \"a b.hlsl\"
float x; # kept
END
SHADER vertex passthrough PASSTHROUGH
SHADER fragment inline GLSL TARGET_ENV vulkan1.1  # comment
#version 450
void main() {} END
SHADER multi several SPIRV-ASM FILE \"x y.spvasm\"
SHADER compute virtual HLSL VIRTUAL_FILE \"a b.hlsl\"
SHADER compute kernel OPENCL-C
END
SHADER compute hex SPIRV-HEX
0x07230203
END
SHADER compute bin SPIRV-BIN FILE x.spv
",
    );
    let languages: Vec<Language> = script.shaders.iter().map(|it| it.language).collect();
    use Language::{
        Glsl, Hlsl, OpenClC, Passthrough, SpirvAssembly, SpirvBinary, SpirvHexadecimal,
    };
    let expected = [
        Passthrough,
        Glsl,
        SpirvAssembly,
        Hlsl,
        OpenClC,
        SpirvHexadecimal,
        SpirvBinary,
    ];
    assert_eq!(languages, expected);
    assert_eq!(script.virtual_files[0].path, "a b.hlsl");
    assert_eq!(script.virtual_files[0].text, "float x; # kept\n");
    assert_eq!(script.shaders[0].source, ShaderSource::None);
    assert_eq!(script.shaders[1].target_env.as_deref(), Some("vulkan1.1"));
    let ShaderSource::Text { text, .. } = &script.shaders[1].source else {
        panic!("text in the script");
    };
    assert_eq!(text, "#version 450\nvoid main() {} ");
    assert_eq!(script.shaders[2].stage, Stage::Multi);
    let file = ShaderSource::File("x y.spvasm".to_owned());
    assert_eq!(script.shaders[2].source, file);
    let ShaderSource::VirtualFile(file) = script.shaders[3].source else {
        panic!("a file in the script");
    };
    assert_eq!(script[file].path, "a b.hlsl");
}

/// Who reports errors of a shader's text must find them in the script.
#[test]
fn the_text_of_a_shader_has_its_place() {
    let text = "#!amber\nSHADER compute c GLSL\nvoid main() {}\nEND\n";
    let script = super::read(text);
    let ShaderSource::Text { text: inner, start } = &script.shaders[0].source else {
        panic!("text in the script");
    };
    assert!(text[*start..].starts_with(inner.as_str()) && inner.starts_with("void"));
}

#[test]
fn requirements() {
    let script = amber(
        "\
DEVICE_FEATURE SubgroupSupportedOperations.vote
DEVICE_PROPERTY FloatControlsProperties.shaderDenormPreserveFloat16
DEVICE_EXTENSION VK_KHR_a
INSTANCE_EXTENSION VK_KHR_b
SET ENGINE_DATA fence_timeout_ms 250
",
    );
    let requirements = &script.requirements;
    assert_eq!(requirements.features, ["SubgroupSupportedOperations.vote"]);
    let property = "FloatControlsProperties.shaderDenormPreserveFloat16";
    assert_eq!(requirements.properties, [property]);
    assert_eq!(requirements.device_extensions, ["VK_KHR_a"]);
    assert_eq!(requirements.instance_extensions, ["VK_KHR_b"]);
    assert_eq!(script.fence_timeout, Some(250));
}

#[test]
fn buffers() {
    let plain = buffer("BUFFER b DATA_TYPE int8 DATA\n1 -2 # one\n\n0xff\nEND");
    assert_eq!(plain.size, Size::Elements(3));
    assert_eq!(plain.layout, Layout::Std430);
    let values = [integer(1), integer(-2), integer(255)];
    assert_eq!(plain.contents, Contents::Values(values.to_vec()));

    let filled = buffer("BUFFER b DATA_TYPE vec3<double>[] STD140 SIZE 4 FILL 0.5");
    assert!(filled.ty.is_array && filled.layout == Layout::Std140);
    assert!(matches!(filled.ty.shape, Shape::Vector { scalar, size: 3 } if scalar.bits == 64));
    assert_eq!(filled.contents, Contents::Fill(Number::Float(0.5)));

    let series = buffer("BUFFER b DATA_TYPE uint64 SIZE 3 SERIES_FROM 1 INC_BY 2");
    let (from, step) = (integer(1), integer(2));
    assert_eq!(series.contents, Contents::Series { from, step });

    let image = buffer("BUFFER b FORMAT D32_SFLOAT MIP_LEVELS 3 SAMPLES 4");
    assert_eq!(image.size, Size::Framebuffer);
    assert_eq!((image.mip_levels, image.samples), (3, 4));
    assert_eq!(image.element_count([5, 7]), 35);

    for (line, format) in [
        ("FORMAT R8_UNORM FILE PNG a.png", FileFormat::Png),
        (
            "DATA_TYPE int8 SIZE 1 FILE BINARY a.png",
            FileFormat::Binary,
        ),
        ("DATA_TYPE int8 SIZE 1 FILE TEXT a.png", FileFormat::Text),
    ] {
        let path = "a.png".to_owned();
        let contents = buffer(&format!("BUFFER b {line}")).contents;
        assert_eq!(contents, Contents::File { format, path });
    }
    let sides = buffer("BUFFER b DATA_TYPE int32 WIDTH 3 HEIGHT 5 FILL 1");
    assert_eq!(sides.size, Size::Elements(15));
    let matrix = buffer("BUFFER b DATA_TYPE mat2x3<float16> DATA 1 2 3 4 5 6 END");
    assert_eq!(matrix.size, Size::Elements(1));
    let packed = buffer("BUFFER b DATA_TYPE A2B10G10R10_UINT_PACK32 DATA 1 2 3 END");
    assert_eq!(packed.size, Size::Elements(3));
}

#[test]
fn images_and_samplers() {
    let image = buffer("IMAGE i FORMAT R32_UINT DIM_2D WIDTH 4 HEIGHT 2 SAMPLES 2");
    let size = Size::Image {
        dimension: Dimension::Two,
        width: 4,
        height: 2,
        depth: 1,
    };
    assert_eq!((image.size, image.samples), (size, 2));
    let image =
        buffer("IMAGE i DATA_TYPE float DIM_3D \\\n  WIDTH 1 HEIGHT 1 DEPTH 2 DATA 1 2 END");
    assert_eq!(image.element_count([0, 0]), 2);
    let image = buffer("IMAGE i FORMAT R8_SNORM MIP_LEVELS 2 DIM_1D WIDTH 9 FILL -128");
    assert_eq!((image.element_count([0, 0]), image.mip_levels), (9, 2));

    let script = amber(
        "\
SAMPLER plain
SAMPLER s MAG_FILTER linear MIN_FILTER linear ADDRESS_MODE_U clamp_to_edge ADDRESS_MODE_V \
mirrored_repeat ADDRESS_MODE_W clamp_to_border BORDER_COLOR int_opaque_white MIN_LOD 0.5 \
MAX_LOD 2 COMPARE on COMPARE_OP less_or_equal
SAMPLER texels MAX_LOD 3 UNNORMALIZED_COORDS COMPARE off COMPARE_OP less
",
    );
    let [plain, sampler, texels] = &script.samplers[..] else {
        panic!("three samplers");
    };
    assert_eq!(plain.mag_filter, Filter::Nearest);
    assert_eq!((plain.min_lod, plain.max_lod), (0.0, 1.0));
    assert_eq!(plain.compare, None);
    use AddressMode::{ClampToBorder, ClampToEdge, MirroredRepeat};
    let modes = [ClampToEdge, MirroredRepeat, ClampToBorder];
    assert_eq!(sampler.address_modes, modes);
    assert_eq!(sampler.border_color, BorderColor::IntOpaqueWhite);
    assert_eq!((sampler.min_lod, sampler.max_lod), (0.5, 2.0));
    assert_eq!(sampler.compare, Some(CompareOp::LessOrEqual));
    assert!(!texels.is_normalized && texels.compare.is_none());
    assert_eq!(texels.max_lod, 0.0, "texels have one level of detail");
}

#[test]
fn structures() {
    let script = amber(
        "\
STRUCT inner
  int32 a OFFSET 8
END
STRUCT outer STRIDE 64
  inner first
  mat2x2<float> second MATRIX_STRIDE 16 OFFSET 16
  uint8 third ARRAY_STRIDE 4
END
BUFFER b DATA_TYPE outer DATA 1  2 3 4 5  6 END
",
    );
    assert_eq!(script.structs[1].stride, Some(64));
    assert_eq!(script.structs[1].members[1].matrix_stride, Some(16));
    let layout = script.buffers[0].ty.element_layout(&script, Layout::Std430);
    let offsets: Vec<u64> = layout.slots.iter().map(|slot| slot.offset).collect();
    assert_eq!(offsets, [8, 16, 20, 32, 36, 48]);
    assert_eq!(layout.stride, 64);
}

#[test]
fn attached_shaders() {
    let script = amber(
        "\
SHADER multi m SPIRV-ASM
END
SHADER compute c SPIRV-ASM
END
PIPELINE graphics g
  ATTACH m TYPE vertex ENTRY_POINT one
  ATTACH m TYPE fragment ENTRY_POINT two
END
PIPELINE compute p
  ATTACH c ENTRY_POINT three SPECIALIZE 1 AS uint32 4 SPECIALIZE 2 AS float 1.5
  SHADER_OPTIMIZATION c
    --merge-return
    -O -Os
  END
  COMPILE_OPTIONS c
    -pod-ubo
  END
  SUBGROUP c
    FULLY_POPULATED on
    VARYING_SIZE off
    REQUIRED_SIZE 32
  END
END
",
    );
    let stages = |pipeline: &Pipeline| {
        let shaders = pipeline.shaders.iter();
        let stages = shaders.map(|it| (it.stage, it.entry_point.clone()));
        stages.collect::<Vec<_>>()
    };
    let expected = [
        (Stage::Vertex, "one".to_owned()),
        (Stage::Fragment, "two".to_owned()),
    ];
    assert_eq!(stages(&script.pipelines[0]), expected);
    let compute: &Attachment = &script.pipelines[1].shaders[0];
    assert_eq!(compute.entry_point, "three");
    let ids: Vec<u32> = compute.specialization.iter().map(|it| it.id).collect();
    assert_eq!(ids, [1, 2]);
    assert_eq!(compute.specialization[1].value, Number::Float(1.5));
    assert_eq!(compute.optimizations, ["--merge-return", "-O", "-Os"]);
    assert_eq!(compute.compile_options, ["-pod-ubo"]);
    assert!(compute.subgroup.is_full && !compute.subgroup.is_varying);
    assert_eq!(compute.subgroup.size, Some(SubgroupSize::Exact(32)));
    for (word, size) in [("MIN", SubgroupSize::Min), ("MAX", SubgroupSize::Max)] {
        let script = amber(&format!(
            "SHADER compute c SPIRV-ASM\nEND\nPIPELINE compute p\nATTACH c\nSUBGROUP c\nREQUIRED_SIZE {word}\nEND\nEND"
        ));
        assert_eq!(script.pipelines[0].shaders[0].subgroup.size, Some(size));
    }
}

#[test]
fn bindings() {
    let declarations = "\
BUFFER a DATA_TYPE int32 SIZE 4 FILL 0
BUFFER b DATA_TYPE int32 SIZE 4 FILL 0
IMAGE t FORMAT R8_UNORM DIM_2D WIDTH 1 HEIGHT 1
BUFFER depth FORMAT D16_UNORM
BUFFER resolved FORMAT R8_UNORM
SAMPLER s
SAMPLER r";
    let lines = "\
  BIND BUFFER t AS color LOCATION 1 BASE_MIP_LEVEL 2
  BIND BUFFER depth AS depth_stencil
  BIND BUFFER resolved AS resolve
  BIND BUFFER a AS push_constant
  BIND BUFFER a AS uniform DESCRIPTOR_SET 0 BINDING 0 DESCRIPTOR_OFFSET 8 DESCRIPTOR_RANGE 4
  BIND BUFFER_ARRAY a b AS storage_dynamic DESCRIPTOR_SET 0 BINDING 1 OFFSET 16 32 DESCRIPTOR_OFFSET 1 2 DESCRIPTOR_RANGE -1 3
  BIND BUFFER t AS combined_image_sampler SAMPLER s DESCRIPTOR_SET 1 BINDING 0 BASE_MIP_LEVEL 1
  BIND SAMPLER s DESCRIPTOR_SET 1 BINDING 1
  BIND SAMPLER_ARRAY s r DESCRIPTOR_SET 1 BINDING 2
  BIND BUFFER a AS storage DESCRIPTOR_SET 1 BINDING 1";
    let (script, pipeline) = graphics(declarations, lines);
    let name = |handle: Handle<Buffer>| script[handle].name.as_str();
    let color = pipeline.color_attachments[0];
    assert_eq!(
        (name(color.buffer), color.location, color.base_mip_level),
        ("t", 1, 2)
    );
    assert_eq!(pipeline.depth_stencil.map(name), Some("depth"));
    assert_eq!(pipeline.push_constants.map(name), Some("a"));
    assert_eq!(name(pipeline.resolve_targets[0]), "resolved");

    let at = |set, binding| {
        let mut found = pipeline.bindings.iter();
        &found
            .find(|it| (it.set, it.binding) == (set, binding))
            .unwrap()
            .resource
    };
    let Resource::Buffers { kind, buffers, .. } = at(0, 0) else {
        panic!("a buffer");
    };
    assert_eq!(
        (*kind, buffers[0].offset, buffers[0].range),
        (DescriptorKind::Uniform, 8, Some(4))
    );
    let Resource::Buffers { buffers, .. } = at(0, 1) else {
        panic!("buffers");
    };
    let parts: Vec<_> = buffers
        .iter()
        .map(|it| (name(it.buffer), it.dynamic_offset, it.offset, it.range))
        .collect();
    assert_eq!(parts, [("a", 16, 1, None), ("b", 32, 2, Some(3))]);
    let Resource::Buffers {
        sampler,
        base_mip_level,
        ..
    } = at(1, 0)
    else {
        panic!("an image");
    };
    assert_eq!(
        (sampler.map(|it| it.index()), *base_mip_level),
        (Some(0), 1)
    );
    assert!(matches!(at(1, 2), Resource::Samplers(all) if all.len() == 2));
    // What is bound last at a place counts.
    assert!(matches!(
        at(1, 1),
        Resource::Buffers {
            kind: DescriptorKind::Storage,
            ..
        }
    ));
}

#[test]
fn vertex_data_has_options() {
    let declarations = "BUFFER a DATA_TYPE float SIZE 4 FILL 0";
    let lines = "  VERTEX_DATA a LOCATION 2 RATE instance FORMAT R32_UINT OFFSET 4 STRIDE 8\n  INDEX_DATA a";
    let (_, pipeline) = graphics(declarations, lines);
    let data = pipeline.vertex_data[0];
    assert_eq!(
        (data.location, data.rate, data.offset, data.stride),
        (2, Rate::Instance, 4, Some(8))
    );
    assert_eq!(data.format.map(|it| it.name()), Some("R32_UINT"));
    assert_eq!(pipeline.index_data.map(|it| it.index()), Some(0));
}

#[test]
fn graphics_state() {
    let lines = "\
  FRAMEBUFFER_SIZE 64 32
  VIEWPORT 1.0 2 SIZE 30 40 MIN_DEPTH 0.25 MAX_DEPTH 0.5
  POLYGON_MODE line
  PATCH_CONTROL_POINTS 4
  ALPHA_TO_COVERAGE on
  DEPTH
    TEST on
    WRITE on
    COMPARE_OP greater
    CLAMP on
    BOUNDS min 0.1 max 0.9
    BIAS constant 1 clamp 2 slope 3
  END
  STENCIL front
    TEST on
    FAIL_OP replace
    REFERENCE 7
  END
  STENCIL back
    PASS_OP invert
    DEPTH_FAIL_OP increment_and_wrap
    COMPARE_OP never
    COMPARE_MASK 1
    WRITE_MASK 0x2
  END
  BLEND
    SRC_COLOR_FACTOR src_alpha
    DST_COLOR_FACTOR one_minus_src_alpha
    COLOR_OP substract
    SRC_ALPHA_FACTOR one
    DST_ALPHA_FACTOR zero
    ALPHA_OP max
  END";
    let (_, pipeline) = graphics("", lines);
    let state = &pipeline.state;
    assert_eq!(pipeline.framebuffer_size, [64, 32]);
    let viewport = state.viewport.unwrap();
    assert_eq!(
        (viewport.position, viewport.size),
        ([1.0, 2.0], [30.0, 40.0])
    );
    assert_eq!((viewport.min_depth, viewport.max_depth), (0.25, 0.5));
    assert_eq!(state.polygon_mode, PolygonMode::Line);
    assert_eq!(state.patch_control_points, 4);
    assert!(state.alpha_to_coverage && state.depth.test && state.depth.write && state.depth.clamp);
    assert_eq!(state.depth.compare, CompareOp::Greater);
    assert_eq!(state.depth.bounds, Some([0.1, 0.9]));
    let bias = state.depth.bias.unwrap();
    assert_eq!((bias.constant, bias.clamp, bias.slope), (1.0, 2.0, 3.0));
    assert!(state.stencil_test);
    assert_eq!(
        (state.stencil_front.fail, state.stencil_front.reference),
        (StencilOp::Replace, 7)
    );
    let back = state.stencil_back;
    assert_eq!((back.fail, back.pass), (StencilOp::Keep, StencilOp::Invert));
    assert_eq!(back.depth_fail, StencilOp::IncrementAndWrap);
    assert_eq!(
        (back.compare, back.compare_mask, back.write_mask),
        (CompareOp::Never, 1, 2)
    );
    let blend = state.blend.unwrap();
    assert_eq!(blend.dst_color, BlendFactor::OneMinusSrcAlpha);
    assert_eq!(
        (blend.color_op, blend.alpha_op),
        (BlendOp::Subtract, BlendOp::Max)
    );
}

#[test]
fn derived_pipelines() {
    let script = amber(&format!(
        "{PIPELINES}DERIVE_PIPELINE child FROM graphics\n  FRAMEBUFFER_SIZE 1 2\nEND\n"
    ));
    let [_, parent, child] = &script.pipelines[..] else {
        panic!("three pipelines");
    };
    assert_eq!(
        (parent.framebuffer_size, child.framebuffer_size),
        ([250, 250], [1, 2])
    );
    assert_eq!(parent.shaders, child.shaders);
    assert_eq!(child.name, "child");
}

#[test]
fn kernels() {
    let script = amber(
        "\
SHADER compute k OPENCL-C
END
BUFFER b DATA_TYPE int32 SIZE 1 FILL 0
SAMPLER s
PIPELINE compute p
  ATTACH k ENTRY_POINT line
  BIND BUFFER b KERNEL ARG_NAME in
  BIND BUFFER b AS storage KERNEL ARG_NUMBER 1
  BIND SAMPLER s KERNEL ARG_NAME smp
  SET KERNEL ARG_NAME m AS int32 -3
END
",
    );
    let arguments = &script.pipelines[0].arguments;
    let name = |name: &str| ArgumentKey::Name(name.to_owned());
    let keys: Vec<_> = arguments.iter().map(|it| it.key.clone()).collect();
    assert_eq!(
        keys,
        [name("in"), ArgumentKey::Number(1), name("smp"), name("m")]
    );
    assert!(matches!(
        arguments[0].value,
        ArgumentValue::Buffer { kind: None, .. }
    ));
    let storage = Some(DescriptorKind::Storage);
    assert!(matches!(arguments[1].value, ArgumentValue::Buffer { kind, .. } if kind == storage));
    assert!(matches!(arguments[2].value, ArgumentValue::Sampler(_)));
    assert!(
        matches!(arguments[3].value, ArgumentValue::Number { value, .. } if value == integer(-3))
    );
}

const RAYS: &str = "\
SHADER ray_generation generate GLSL
END
SHADER miss missed GLSL
END
SHADER any_hit any GLSL
END
SHADER closest_hit closest GLSL
END
SHADER intersection intersect GLSL
END
SHADER callable called GLSL
END
ACCELERATION_STRUCTURE BOTTOM_LEVEL triangles
  GEOMETRY TRIANGLES
    FLAGS OPAQUE NO_DUPLICATE_ANY_HIT
    0 0 0
    1 0 0  0 1 0.5
  END
END
ACCELERATION_STRUCTURE BOTTOM_LEVEL boxes
  GEOMETRY AABBS
    0 0 0 1 1 1
  END
END
ACCELERATION_STRUCTURE TOP_LEVEL scene
  BLAS_INSTANCE USE boxes
  BOTTOM_LEVEL_INSTANCE triangles END
  BOTTOM_LEVEL_INSTANCE triangles
    INDEX 5
    OFFSET 6
    MASK 0x0F
    FLAGS FORCE_OPAQUE 32
    TRANSFORM
      1 2 3 4
      5 6 7 8
      9 10 11 12
    END
  END
  BOTTOM_LEVEL_INSTANCE boxes
    FLAGS
      TRIANGLE_FACING_CULL_DISABLE
      TRIANGLE_FLIP_FACING
    END
  END
END
PIPELINE raytracing library
  SHADER_GROUP hits any closest intersect
  SHADER_GROUP calls called
  FLAGS LIBRARY
  MAX_RAY_PAYLOAD_SIZE 16
  MAX_RAY_HIT_ATTRIBUTE_SIZE 8
END
PIPELINE ray_tracing rays
  FLAGS
    LIBRARY
  END
  USE_LIBRARY library
  MAX_RAY_RECURSION_DEPTH 2
  BIND ACCELERATION_STRUCTURE scene DESCRIPTOR_SET 0 BINDING 3
  SHADER_GROUP start generate
  SHADER_GROUP misses missed
  SHADER_BINDING_TABLE first
    start
  END
  SHADER_BINDING_TABLE second
    misses
  END
  SHADER_BINDING_TABLE third
    hits
    calls
  END
END
RUN rays RAYGEN first MISS second HIT third CALL third 4 5 6
RUN rays RAYGEN first 1 1 1
";

#[test]
fn ray_tracing() {
    let script = amber(RAYS);
    let [triangles, boxes] = &script.bottom_levels[..] else {
        panic!("two bottom levels");
    };
    let geometry = &triangles.geometries[0];
    assert_eq!(
        (geometry.kind, geometry.points.len()),
        (GeometryKind::Triangles, 3)
    );
    assert_eq!(geometry.points[2], [0.0, 1.0, 0.5]);
    assert_eq!(
        geometry.flags,
        [GeometryFlag::Opaque, GeometryFlag::NoDuplicateAnyHit]
    );
    assert_eq!(boxes.geometries[0].points.len(), 2);

    let instances = &script.top_levels[0].instances;
    let of: Vec<&str> = instances
        .iter()
        .map(|it| script[it.geometries].name.as_str())
        .collect();
    assert_eq!(of, ["boxes", "triangles", "triangles", "boxes"]);
    assert_eq!((instances[1].mask, instances[1].flags), (255, 0));
    let third = &instances[2];
    assert_eq!(
        (third.custom_index, third.offset, third.mask, third.flags),
        (5, 6, 15, 4 | 32)
    );
    assert_eq!(third.transform[11], 12.0);
    assert_eq!(instances[3].flags, 1 | 2);

    let [library, rays] = &script.pipelines[..] else {
        panic!("two pipelines");
    };
    assert_eq!(rays.kind, PipelineKind::RayTracing);
    assert!(library.ray_tracing.is_library && rays.ray_tracing.is_library);
    assert_eq!(library.ray_tracing.groups[0].shaders.len(), 3);
    assert_eq!(library.ray_tracing.max_payload_size, 16);
    assert_eq!(library.ray_tracing.max_hit_attribute_size, 8);
    assert_eq!(rays.ray_tracing.libraries[0].index(), 0);
    assert_eq!(rays.ray_tracing.max_recursion_depth, 2);
    assert_eq!(rays.ray_tracing.tables[2].groups, ["hits", "calls"]);
    assert!(matches!(
        rays.bindings[0].resource,
        Resource::AccelerationStructure(_)
    ));
    let works: Vec<&Work> = script
        .commands
        .iter()
        .map(|it| match &it.action {
            Action::Run(run) => &run.work,
            other => panic!("{other:?}"),
        })
        .collect();
    let tables = [Some(0), Some(1), Some(2), Some(2)];
    let size = [4, 5, 6];
    assert_eq!(*works[0], Work::Rays { tables, size });
    let tables = [Some(0), None, None, None];
    let size = [1, 1, 1];
    assert_eq!(*works[1], Work::Rays { tables, size });
}
