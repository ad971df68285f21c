//! What VkScript says, in the data model.

use spirvkit_amber::{
    Action, Area, BlendFactor, Buffer, Comparator, CompareOp, CullMode, DescriptorKind, Expect,
    Handle, Language, Layout, LogicOp, Number, Pipeline, PipelineKind, Resource, Script, Shape,
    Size, Stage, StencilOp, Tolerance, Topology, Unit, Work, parse,
};

use super::read;

const SHADERS: &str = "\
[vertex shader passthrough]
[fragment shader]
#version 430
void main() {}
[compute shader spirv]
OpCapability Shader
[vertex data]
0/R32G32_SFLOAT 1/ubyte/vec3
-1 0.5  255 0 1
 1 0.5  1 2 3  # the last
[indices]
0 1
1
[test]
";

fn script(test: &str) -> Script {
    read(&format!("{SHADERS}{test}"))
}

fn actions(test: &str) -> Vec<Action> {
    script(test)
        .commands
        .into_iter()
        .map(|it| it.action)
        .collect()
}

fn action(test: &str) -> Action {
    let [action] = <[Action; 1]>::try_from(actions(test)).expect("one command");
    action
}

fn graphics(test: &str) -> Pipeline {
    let script = script(&format!("{test}\ndraw rect 0 0 1 1\n"));
    let mut pipelines = script.pipelines.into_iter();
    pipelines
        .find(|it| it.kind == PipelineKind::Graphics)
        .unwrap()
}

/// Cases, one in each line: lines of a script, with `⏎` between them, and of the one error that
/// they have the rule without its family and the message.
fn check(cases: &str, script: impl Fn(&str) -> String) {
    for case in cases.lines() {
        let mut columns = case.splitn(3, " | ");
        let mut column = || {
            let column = columns.next().expect("three columns");
            column.replace("⏎ ", "\n").replace('⏎', "\n")
        };
        let [lines, rule, message] = [(); 3].map(|()| column());
        let errors = parse(&script(&lines)).expect_err(case);
        let found: Vec<[&str; 2]> = errors.iter().map(|it| [it.rule(), it.message()]).collect();
        let rule = format!("amber.{rule}");
        assert_eq!(found, [[&*rule, &*message]], "{case}");
    }
}

#[test]
fn requirements() {
    let script = read(
        "# comment\n[require]\nshaderInt64\nVariablePointerFeatures.variablePointers\nVK_KHR_a\nframebuffer R8_UINT\ndepthstencil D16_UNORM\nfbsize 3 4\nfence_timeout 9\n[vertex shader passthrough]\n[comment]\nanything [at] all\n[test]\ndraw rect -1 -1 2 2\n",
    );
    let features = ["shaderInt64", "VariablePointerFeatures.variablePointers"];
    assert_eq!(script.requirements.features, features);
    assert_eq!(script.requirements.device_extensions, ["VK_KHR_a"]);
    assert_eq!(script.fence_timeout, Some(9));
    let pipeline = &script.pipelines[0];
    assert_eq!(pipeline.framebuffer_size, [3, 4]);
    let format = |handle: Handle<Buffer>| match script[handle].ty.shape {
        Shape::Format(format) => format.name(),
        other => panic!("{other:?}"),
    };
    assert_eq!(format(pipeline.color_attachments[0].buffer), "R8_UINT");
    assert_eq!(pipeline.depth_stencil.map(format), Some("D16_UNORM"));
}

#[test]
fn shaders() {
    let script = script("");
    let shaders: Vec<_> = script
        .shaders
        .iter()
        .map(|it| (it.stage, it.language))
        .collect();
    let expected = [
        (Stage::Vertex, Language::Passthrough),
        (Stage::Fragment, Language::Glsl),
        (Stage::Compute, Language::SpirvAssembly),
    ];
    assert_eq!(shaders, expected);
    let others = read(
        "[tessellation control shader spirv hex]\n[tessellation evaluation shader]\n[geometry shader]\n[[not a section]]\n",
    );
    let stages: Vec<Stage> = others.shaders.iter().map(|it| it.stage).collect();
    use Stage::{Geometry, TessellationControl, TessellationEvaluation};
    assert_eq!(
        stages,
        [TessellationControl, TessellationEvaluation, Geometry]
    );
    let spirvkit_amber::ShaderSource::Text { text, .. } = &others.shaders[2].source else {
        panic!("text");
    };
    assert_eq!(text, "[[not a section]]\n");
}

#[test]
fn vertices_and_indices() {
    let script = script("draw arrays indexed instanced TRIANGLE_LIST 1 3 2\n");
    let pipeline = &script.pipelines[0];
    let [first, second] = &pipeline.vertex_data[..] else {
        panic!("two columns");
    };
    assert_eq!((first.location, second.location), (0, 1));
    let numbers = |handle: Handle<Buffer>| match &script[handle].contents {
        spirvkit_amber::Contents::Values(values) => values.iter().map(|it| it.to_f64()).collect(),
        other => panic!("{other:?}"),
    };
    let columns: [Vec<f64>; 2] = [first.buffer, second.buffer].map(numbers);
    assert_eq!(columns[0], [-1.0, 0.5, 1.0, 0.5]);
    assert_eq!(columns[1], [255.0, 0.0, 1.0, 1.0, 2.0, 3.0]);
    assert_eq!(script[second.buffer].size, Size::Elements(2));
    assert_eq!(
        pipeline.index_data.map(|it| script[it].size),
        Some(Size::Elements(3))
    );
    let Action::Run(run) = &script.commands[0].action else {
        panic!("a draw");
    };
    let expected = Work::Array {
        topology: Topology::TriangleList,
        is_indexed: true,
        first: 1,
        count: Some(3),
        first_instance: 0,
        instances: 2,
    };
    assert_eq!(run.work, expected);
}

#[test]
fn draws_and_runs() {
    let work = |test| match action(test) {
        Action::Run(run) => run.work,
        other => panic!("{other:?}"),
    };
    let rectangle = |unit, is_patch| Work::Rectangle {
        area: Area {
            unit,
            position: [-1.0, 0.0],
            size: [2.0, 0.5],
        },
        is_patch,
    };
    assert_eq!(work("draw rect -1 0 2 0.5\n"), rectangle(Unit::Clip, false));
    assert_eq!(
        work("draw rect ortho patch -1 0 2 0.5"),
        rectangle(Unit::Pixel, true)
    );
    assert_eq!(work("compute 1 2 \\\n 3"), Work::Compute([1, 2, 3]));
    let Work::Array {
        topology,
        is_indexed,
        instances,
        ..
    } = work("draw arrays GL_LINES 0 2")
    else {
        panic!("a draw");
    };
    assert_eq!(
        (topology, is_indexed, instances),
        (Topology::LineList, false, 1)
    );
}

#[test]
fn buffers() {
    let script = script(
        "ssbo 3 8\nssbo 1:2 subdata ivec2 8 1 2 3 4\nuniform ubo 5 mat2x3 0 1 2 3 4 5 6\nuniform float 4 1.5\ncompute 1 1 1\nssbo 3 4\n",
    );
    let named = |name: &str| script.buffers.iter().find(|it| it.name == name).unwrap();
    assert_eq!(named("storage 0:3").size, Size::Elements(8));
    assert_eq!(named("storage 1:2").size, Size::Elements(3), "from 0 on");
    assert_eq!(named("uniform 0:5").layout, Layout::Std140);
    assert_eq!(named("push constants").size, Size::Elements(2));

    let pipeline = &script.pipelines[0];
    assert_eq!(
        pipeline.push_constants.map(|it| script[it].name.as_str()),
        Some("push constants")
    );
    let kinds: Vec<_> = pipeline
        .bindings
        .iter()
        .map(|it| match &it.resource {
            Resource::Buffers { kind, .. } => (it.set, it.binding, *kind),
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        (0, 3, DescriptorKind::Storage),
        (1, 2, DescriptorKind::Storage),
        (0, 5, DescriptorKind::Uniform),
    ];
    assert_eq!(kinds, expected);
    let Action::Write(values) = &script.commands[0].action else {
        panic!("{:?}", script.commands[0]);
    };
    assert_eq!(
        (values.offset, values.numbers.len(), values.layout),
        (8, 4, Layout::Std430)
    );
}

#[test]
fn probes() {
    let color = |test| match action(test) {
        Action::Expect(Expect::Color { area, color, .. }) => (area, color),
        other => panic!("{other:?}"),
    };
    assert_eq!(color("probe all rgb 1 0.5 0"), (None, vec![1.0, 0.5, 0.0]));
    let area = |unit, size| {
        let position = [0.5, 0.25];
        Some(Area {
            unit,
            position,
            size,
        })
    };
    let (found, components) = color("relative probe rect rgba (0.5, 0.25, 1, 0.75) (1, 2, 3, 4)");
    assert_eq!(
        (found, components.len()),
        (area(Unit::Share, [1.0, 0.75]), 4)
    );
    let (found, _) = color("relative probe rgb (0.5, 0.25) (1, 2, 3)");
    assert_eq!(found, area(Unit::Share, [0.0, 0.0]));
    let (found, _) = color("probe rgb (0.5, 0.25) (1, 2, 3)");
    assert_eq!(found, area(Unit::Pixel, [1.0, 1.0]));

    for (word, comparator) in [
        ("==", Comparator::Equal),
        ("!=", Comparator::NotEqual),
        ("<", Comparator::Less),
        ("<=", Comparator::LessOrEqual),
        (">", Comparator::Greater),
        (">=", Comparator::GreaterOrEqual),
        ("~=", Comparator::Equal),
    ] {
        let text = format!("ssbo 0 64\ntolerance 1 2%\nprobe ssbo vec2 0:0 8 {word} 1 2\n");
        let Action::Expect(Expect::Values {
            values,
            comparator: is,
            tolerances,
        }) = action(&text)
        else {
            panic!("values");
        };
        assert_eq!((is, values.offset), (comparator, 8));
        assert_eq!(values.numbers[1], Number::from(2));
        let expected = match word {
            "~=" => vec![Tolerance::Absolute(1.0), Tolerance::Percent(2.0)],
            _ => Vec::new(),
        };
        assert_eq!(tolerances, expected);
    }
}

/// Each state in which something is drawn is a pipeline.
#[test]
fn states_are_pipelines() {
    let script = script(
        "draw rect 0 0 1 1\ndraw rect 0 0 1 1\ndepthTestEnable true\nlineWidth 2\ndraw rect 0 0 1 1\nvertex entrypoint other\ndraw rect 0 0 1 1\ncompute 1 1 1\ncompute entrypoint third\ncompute 1 1 1\n",
    );
    let used: Vec<usize> = script
        .commands
        .iter()
        .map(|it| match &it.action {
            Action::Run(run) => run.pipeline.index(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(used, [0, 0, 1, 2, 3, 4]);
    let pipelines = &script.pipelines;
    assert!(!pipelines[0].state.depth.test && pipelines[1].state.depth.test);
    assert_eq!(pipelines[1].state.line_width, 2.0);
    let entry_points = [1, 2, 3, 4].map(|at: usize| pipelines[at].shaders[0].entry_point.as_str());
    assert_eq!(entry_points, ["main", "other", "main", "third"]);
}

#[test]
fn clears() {
    let all = actions("clear color 1 0.5 0 1\nclear depth 0.25\nclear stencil 3\nclear\n");
    let [
        Action::ClearColor(_, color),
        Action::ClearDepth(_, depth),
        Action::ClearStencil(_, stencil),
        Action::Clear(_),
    ] = &all[..]
    else {
        panic!("{all:?}");
    };
    assert_eq!((color, depth, stencil), (&[1.0, 0.5, 0.0, 1.0], &0.25, &3));
    assert!(matches!(&actions("clear\n")[..], [Action::Clear(_)]));
}

#[test]
fn states() {
    let pipeline = graphics(
        "primitiveRestartEnable true\ndepthClampEnable 1\nrasterizerDiscardEnable false\ndepthBiasEnable true\nlogicOpEnable true\nblendEnable true\ndepthTestEnable true\ndepthWriteEnable true\ndepthBoundsTestEnable true\nstencilTestEnable true\ntopology VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP\npolygonMode VK_POLYGON_MODE_LINE\nlogicOp VK_LOGIC_OP_AND_REVERSE\nfrontFace VK_FRONT_FACE_CLOCKWISE\ncullMode VK_CULL_MODE_BACK_BIT\ndepthBiasConstantFactor 1\ndepthBiasClamp 2\ndepthBiasSlopeFactor 3\nminDepthBounds 0.25\nmaxDepthBounds 0.5\nsrcColorBlendFactor VK_BLEND_FACTOR_SRC_ALPHA\ndstColorBlendFactor VK_BLEND_FACTOR_ONE\nsrcAlphaBlendFactor VK_BLEND_FACTOR_ONE\ndstAlphaBlendFactor VK_BLEND_FACTOR_ZERO\ncolorBlendOp VK_BLEND_OP_SUBTRACT\nalphaBlendOp VK_BLEND_OP_XOR_EXT\ndepthCompareOp VK_COMPARE_OP_GREATER\nfront.compareOp VK_COMPARE_OP_NEVER\nback.failOp VK_STENCIL_OP_INVERT\nback.passOp VK_STENCIL_OP_ZERO\nback.depthFailOp VK_STENCIL_OP_KEEP\nfront.reference 7\ncolorWriteMask VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_A_BIT\npatch parameter vertices 5",
    );
    let state = &pipeline.state;
    assert!(state.primitive_restart && state.depth.clamp && !state.rasterizer_discard);
    assert!(state.depth.test && state.depth.write && state.stencil_test);
    assert_eq!(state.topology, Some(Topology::TriangleStrip));
    assert_eq!(state.logic_op, Some(LogicOp::AndReverse));
    assert_eq!(state.cull_mode, CullMode::Back);
    let bias = state.depth.bias.unwrap();
    assert_eq!((bias.constant, bias.clamp, bias.slope), (1.0, 2.0, 3.0));
    assert_eq!(state.depth.bounds, Some([0.25, 0.5]));
    assert_eq!(state.blend.unwrap().src_color, BlendFactor::SrcAlpha);
    assert_eq!(state.depth.compare, CompareOp::Greater);
    assert_eq!(
        (state.stencil_front.compare, state.stencil_front.reference),
        (CompareOp::Never, 7)
    );
    assert_eq!(
        (state.stencil_back.fail, state.stencil_back.pass),
        (StencilOp::Invert, StencilOp::Zero)
    );
    assert_eq!(state.color_write, [true, false, false, true]);
    assert_eq!(state.patch_control_points, 5);
    // Factors without what turns them on change nothing.
    let plain = graphics("depthBiasClamp 2\nminDepthBounds 0.5\nlogicOp VK_LOGIC_OP_SET");
    assert_eq!(plain.state, Pipeline::clone(&graphics("")).state);
}

#[test]
fn mistakes() {
    check("\
draws rect | unknown-command | `draws` is not a command of VkScript
draw circle | unexpected-token | expected `arrays`, found `circle`
draw arrays SQUARES 0 1 | unknown-word | `SQUARES` is not a topology
compute 1 1 | unexpected-token | expected a number of workgroups, found the end of the line
compute 1 1 1 1 | unexpected-token | expected the end of the line, found `1`
tessellation entrypoint main | unknown-word | `entrypoint` is not a stage
vertex main | unexpected-token | expected `entrypoint`, found `main`
probe all rgba 1 2 3 | unexpected-token | expected a color component, found the end of the line
probe rect rgb (1, 2) (1, 2, 3) | bad-number | expected a coordinate, found `)`
probe all hsv 1 2 3 | unknown-word | `hsv` is not a kind of color
probe ssbo float 0 0 EQ 1 | unknown-word | `EQ` is not a comparator
probe ssbo vec2 0 0 == 1 | wrong-count | there are 1 values, but each element takes 2
probe ssbo vec7 0 0 == 1 | unknown-word | `vec7` is not a data type
ssbo a 4 | bad-number | expected a binding, such as `0` or `0:1`, found `a`
ssbo 0 subdata int 2 1 | out-of-range | the offset is not a multiple of the element's 4 bytes
ssbo 0 subdata int 0 1 ⏎ ssbo 0 subdata uint 0 1 | mismatch | all that is written to a buffer must be of one type
ssbo 0 4 ⏎ uniform ubo 0 int 0 1 | mismatch | what is bound at 0:0 is not a uniform buffer
tolerance | unexpected-token | expected a tolerance, found the end of the line
depthTestEnable maybe | unexpected-token | expected `true` or `false`, found `maybe`
depthCompareOp LESS | unknown-word | `LESS` is not a compare operation
colorWriteMask R | unknown-word | `R` is not a bit of a color component
patch vertices 3 | unexpected-token | expected `parameter`, found `vertices`
", |test| format!("{SHADERS}{test}\n"));
}

#[test]
fn mistakes_in_sections() {
    check("\
x ⏎ [test] ⏎ | unexpected-token | `x` comes before the first section
[tests] ⏎ | unknown-word | `tests` is not a section
[vertx shader] ⏎ | unknown-word | `vertx shader` is not a section of a shader
[fragment shader] ⏎ [fragment shader] ⏎ | duplicate | there are two fragment shaders
[require] ⏎ framebuffer R9 ⏎ | unknown-word | `R9` is not an image format
[require] ⏎ a-b ⏎ | unexpected-token | `a-b` is not a name of Vulkan
[require] ⏎ fbsize 1 ⏎ | unexpected-token | expected a number of pixels, found the end of the line
[indices] ⏎ 1 x ⏎ | bad-number | expected a uint32, found `x`
[vertex data] ⏎ 0/float/mat2 ⏎ | unexpected-token | expected a location with a format, such as `0/R32G32_SFLOAT`, found `0/float/mat2`
[vertex data] ⏎ 0/R8_UNORM 0/R8_UNORM ⏎ | duplicate | there can't be another input at location 0
[vertex data] ⏎ 0/R8G8_UNORM ⏎ 1 2 ⏎ 1 ⏎ | unexpected-token | expected a uint8, found the end of the line
[vertex data] ⏎ 0/R8G8_UNORM ⏎ 1 2 3 ⏎ | unexpected-token | expected the end of the line, found `3`
[test] ⏎ compute 1 1 1 ⏎ | incomplete | the script has no compute shader
[test] ⏎ draw rect 0 0 1 1 ⏎ | incomplete | the script has no vertex shader
[vertex shader] ⏎ [vertex data] ⏎ 0/R9 ⏎ 1 ⏎ [test] ⏎ draw arrays POINT_LIST 0 1 ⏎ | unexpected-token | expected a location with a format, such as `0/R32G32_SFLOAT`, found `0/R9`
[vertx shader] ⏎ [test] ⏎ draw rect 0 0 1 1 ⏎ | unknown-word | `vertx shader` is not a section of a shader
[vertex shader] ⏎ [test] ⏎ draw arrays POINT_LIST 0 1 ⏎ | incomplete | there is no section `[vertex data]` to draw
[vertex shader] ⏎ [vertex data] ⏎ 0/R8_UNORM ⏎ 1 ⏎ [test] ⏎ draw arrays indexed POINT_LIST 0 1 ⏎ | incomplete | there is no section `[indices]` to draw
", str::to_owned);
    assert!(
        parse("[test]\nclear\nprobe all rgb 0 0 0\n").is_ok(),
        "no shader clears"
    );
}
