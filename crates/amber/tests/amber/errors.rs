//! What is wrong with a script is reported once, at its place, and nothing else is.

use spirvkit_amber::{KINDS, MAX_DERIVED, MAX_ERRORS, MAX_PARTS, MAX_REPEAT_DEPTH, parse};
use spirvkit_diagnostics::{Location, Severity};

use super::PIPELINES;

/// The rule, the text it points at and the message of every error.
fn errors(text: &str) -> Vec<(&'static str, String, String)> {
    let Err(errors) = parse(text) else {
        return Vec::new();
    };
    let errors = errors.into_iter().map(|error| {
        let Location::Span(span) = error.location() else {
            panic!("{error}");
        };
        let place = text[span.start..span.end].to_owned();
        (error.rule(), place, error.message().to_owned())
    });
    errors.collect()
}

/// Cases, one in each line: lines of a script, with `⏎` between them, and of the one error that
/// they have the rule without its family, the text that it points at and the message.
fn check_in(cases: &str, script: impl Fn(&str) -> String) {
    for case in cases.lines() {
        let mut columns = case.splitn(4, " | ");
        let mut column = || columns.next().expect("four columns").replace('⏎', "\n");
        let [lines, rule, place, message] = [(); 4].map(|()| column());
        let found = errors(&script(&lines));
        let found: Vec<[&str; 3]> = found.iter().map(|it| [it.0, &it.1, &it.2]).collect();
        let rule = format!("amber.{rule}");
        assert_eq!(found, [[&*rule, &*place, &*message]], "{case}");
    }
}

/// The lines stand behind declarations of all they may name.
fn check(cases: &str) {
    check_in(cases, |lines| format!("#!amber\n{PIPELINES}{lines}\n"));
}

/// The same within a graphics pipeline that is otherwise right.
fn check_pipeline(cases: &str) {
    let script = |lines: &str| {
        format!("#!amber\n{PIPELINES}PIPELINE graphics p\nATTACH v\nATTACH f\n{lines}\nEND\n")
    };
    check_in(cases, script);
}

/// What `spv explain` would show of a kind shows just that.
#[test]
fn examples_of_kinds_have_one_error() {
    for kind in KINDS.iter().filter(|kind| !kind.example.is_empty()) {
        let found = errors(kind.example);
        let rules: Vec<&str> = found.iter().map(|it| it.0).collect();
        assert_eq!(rules, [kind.id], "{}", kind.example);
    }
    let without: Vec<&str> = KINDS
        .iter()
        .filter(|kind| kind.example.is_empty())
        .map(|kind| kind.id)
        .collect();
    // The others come of running.
    let of_running = ["expectation", "negated", "shader", "skipped", "write"];
    let is_of_running = |id: &&&str| {
        let name = id.strip_prefix("amber.").unwrap();
        of_running.contains(&name)
    };
    assert_eq!(
        without.iter().filter(is_of_running).count(),
        of_running.len()
    );
    let rest: Vec<&&str> = without.iter().filter(|id| !is_of_running(id)).collect();
    assert_eq!(rest, [&"amber.limit", &"amber.bad-file"]);
}

#[test]
fn texts_that_are_no_scripts() {
    for text in [
        "",
        "SHADER vertex v PASSTHROUGH\n",
        "# [test]\n",
        "[[test]]\n",
    ] {
        let found = errors(text);
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(found[0].0, "amber.not-a-script");
    }
    assert!(
        parse("\u{feff}#!amber\r\n").is_ok(),
        "as some editors write it"
    );
}

#[test]
fn what_names_and_words_are_not() {
    check("\
RUNN compute 1 1 1 | unknown-command | RUNN | `RUNN` is not a command of AmberScript
END | unknown-command | END | `END` is not a command of AmberScript
\"RUN\" compute | unexpected-token | \"RUN\" | expected a command, found a string
CLEAR nothing | unknown-name | nothing | there is no pipeline `nothing` here
CLEAR | unexpected-token | ⏎ | expected the name of a pipeline, found the end of the line
SHADER vertexx x GLSL ⏎ END | unknown-word | vertexx | `vertexx` is not a shader type
SHADER vertex x GLSLL ⏎ RUN nothing ⏎ END | unknown-word | GLSLL | `GLSLL` is not a shader format
SHADER fragment x PASSTHROUGH | mismatch | PASSTHROUGH | only a vertex shader can be `PASSTHROUGH`
SHADER multi x GLSL ⏎ END | mismatch | GLSL | a `multi` shader can't be `GLSL`
SHADER vertex x GLSL VIRTUAL_FILE a | unknown-name | a | there is no virtual file `a` here
SHADER vertex x SPIRV-BIN | unexpected-token | ⏎ | expected `FILE`, found the end of the line
SHADER vertex x GLSL ⏎ APPENDED ⏎ END | unexpected-token | ENDED | the text ends here, at the letters `END`
VIRTUAL_FILE a ⏎ END ⏎ VIRTUAL_FILE a ⏎ END | duplicate | a | there is already a virtual file `a`
SAMPLER numbers ⏎ SAMPLER numbers | duplicate | numbers | there is already a sampler `numbers`
DEVICE_FEATURE a b | unexpected-token | b | expected the end of the line, found `b`
SET ENGINE_DATA fence_timeout_ms x | bad-number | x | expected a time in milliseconds, found `x`
SET ENGINE_DATA fence_timeout_ms 1.0 | bad-number | 1.0 | expected a time in milliseconds, found `1.0`, which is not an integer
SET ENGINE_DATA fence_timeout_ms -1 | out-of-range | -1 | expected a time in milliseconds from 0 to 4294967295, found -1
");
}

#[test]
fn wrong_buffers() {
    check("\
BUFFER b SIZE 4 | unexpected-token | SIZE | expected `DATA_TYPE` or `FORMAT`, found `SIZE`
BUFFER b DATA_TYPE int33 DATA ⏎ 1 2 x ⏎ END | unknown-word | int33 | `int33` is not a data type
BUFFER b DATA_TYPE vec5<float> SIZE 1 FILL 0 | unknown-word | vec5<float> | `vec5<float>` is not a data type
BUFFER b DATA_TYPE R8_UNORM[] SIZE 1 FILL 0 | unknown-word | R8_UNORM[] | `R8_UNORM[]` is not a data type
BUFFER b FORMAT R9_UNORM | unknown-word | R9_UNORM | `R9_UNORM` is not an image format
BUFFER b DATA_TYPE int32 FILL 0 | incomplete | b | the size of the buffer `b` isn't given
BUFFER b DATA_TYPE int32 SIZE 1 FILLED 0 | unexpected-token | FILLED | expected `DATA`, `FILL`, `SERIES_FROM` or `FILE`, found `FILLED`
BUFFER b DATA_TYPE int32 DATA 1 x 2 END | bad-number | x | expected an int32, found `x`
BUFFER b DATA_TYPE vec2<int8> DATA ⏎ 1 1.5 ⏎ END | bad-number | 1.5 | expected an int8, found 1.5
BUFFER b DATA_TYPE vec2<int8> DATA 1 2 3 END | wrong-count | b DATA_TYPE vec2<int8> DATA 1 2 3 END | the buffer `b` has 3 values, but each of its elements takes 2
BUFFER b DATA_TYPE int8 SIZE 2 DATA 1 END | wrong-count | b DATA_TYPE int8 SIZE 2 DATA 1 END | the buffer `b` has 2 elements, but values for 1
BUFFER b DATA_TYPE int8 DATA 1 | open-block |  | the values have no `END`
BUFFER b DATA_TYPE int8 SIZE 1 FILL 0.5 | bad-number | 0.5 | expected an int8, found 0.5
BUFFER b DATA_TYPE vec2<int8> SIZE 1 SERIES_FROM 0 INC_BY 1 | mismatch | 0 | a series consists of scalars, not of vectors, matrices or structures
BUFFER b DATA_TYPE int8 SIZE 1 SERIES_FROM 0 BY 1 | unexpected-token | BY | expected `INC_BY`, found `BY`
BUFFER b DATA_TYPE int8 SIZE 1 FILE a.txt | unexpected-token | a.txt | expected `PNG`, `BINARY` or `TEXT`, found `a.txt`
BUFFER b FORMAT R8_UNORM SAMPLES 3 | out-of-range | 3 | there can't be 3 samples
BUFFER numbers DATA_TYPE int8 SIZE 1 FILL 0 | duplicate | numbers | there is already a buffer `numbers`
IMAGE i FORMAT R8_UNORM WIDTH 1 | unexpected-token | ⏎ | expected `DIM_1D`, `DIM_2D` or `DIM_3D`, found the end of the line
IMAGE i FORMAT R8_UNORM DIM_2D WIDTH 1 | incomplete | i | the image `i` has no `HEIGHT`
IMAGE i DATA_TYPE int8 DIM_1D WIDTH 2 DATA 1 END | wrong-count | i DATA_TYPE int8 DIM_1D WIDTH 2 DATA 1 END | the buffer `i` has 2 elements, but values for 1
SAMPLER s FILTER linear | unknown-word | FILTER | `FILTER` is not a property of samplers
SAMPLER s MAG_FILTER cubic | unknown-word | cubic | `cubic` is not a filter
SAMPLER s COMPARE yes | unexpected-token | yes | expected `on` or `off`, found `yes`
");
}

#[test]
fn wrong_structures() {
    check("\
STRUCT s ⏎ END | incomplete | s | the structure `s` has no members
STRUCT s ⏎ int32 a ⏎ float a ⏎ END | duplicate | float | there are two members `a`
STRUCT s ⏎ s a ⏎ END | unknown-word | s | `s` is not a data type
STRUCT s ⏎ int32 ⏎ END | unexpected-token | ⏎ | expected the name of the member, found the end of the line
STRUCT s ⏎ int32[] a ⏎ END | unknown-word | int32[] | `int32[]` is not a data type
STRUCT s ⏎ int32 a ALIGN 4 ⏎ END | unexpected-token | ALIGN | expected `OFFSET`, `MATRIX_STRIDE` or `ARRAY_STRIDE`, found `ALIGN`
STRUCT s ⏎ int32 a | open-block | STRUCT | `STRUCT` has no `END`
STRUCT s ⏎ int33 a ⏎ END ⏎ BUFFER b DATA_TYPE s SIZE 1 FILL 0 ⏎ EXPECT b IDX 0 EQ 0 | unknown-word | int33 | `int33` is not a data type
STRUCT s STRIDE x ⏎ int8 a ⏎ END ⏎ BUFFER b DATA_TYPE s SIZE 1 FILL 0 | bad-number | x | expected a stride in bytes, found `x`
");
}

#[test]
fn wrong_pipelines() {
    check("\
PIPELINE compute p ⏎ END | incomplete | p | the pipeline `p` has no compute shader
PIPELINE graphics p ⏎ ATTACH f ⏎ END | incomplete | p | the pipeline `p` has no vertex shader
PIPELINE graphic p ⏎ ATTACH v ⏎ END ⏎ CLEAR p | unknown-word | graphic | `graphic` is not a pipeline type
PIPELINE compute p ⏎ ATTACH v ⏎ END | mismatch | ATTACH | `v` is a vertex shader, which is none for compute pipelines
PIPELINE compute p ⏎ ATTACH x ⏎ END ⏎ RUN p 1 1 1 | unknown-name | x | there is no shader `x` here
PIPELINE graphics p ⏎ ATTACH v ⏎ VERTEX_DATA x LOCATION 0 ⏎ END ⏎ DERIVE_PIPELINE q FROM p ⏎ END ⏎ RUN q DRAW_ARRAY AS POINT_LIST | unknown-name | x | there is no buffer `x` here
PIPELINE compute p ⏎ ATTACH c | open-block | PIPELINE | `PIPELINE` has no `END`
DERIVE_PIPELINE p FROM q ⏎ ATTACH v ⏎ END ⏎ CLEAR p | unknown-name | q | there is no pipeline `q` here
DERIVE_PIPELINE p graphics ⏎ END ⏎ CLEAR p | unexpected-token | graphics | expected `FROM`, found `graphics`
");
    check_pipeline("\
ATACH v | unknown-command | ATACH | `ATACH` is not a command of pipelines
ATTACH v | duplicate | ATTACH | there are two vertex shaders
ATTACH f TYPE geometry | mismatch | ATTACH | `f` is no geometry shader
ATTACH f SPECIALIZE 1 AS int64 1 | mismatch | ATTACH | a specialization constant has 32 bits, `int64` has not
SHADER_OPTIMIZATION c ⏎ -O ⏎ END | mismatch | c | the shader `c` isn't attached to this pipeline
SUBGROUP v ⏎ REQUIRED_SIZE 3 ⏎ END | out-of-range | 3 | the size of a subgroup is a power of two, not 3
SUBGROUP v ⏎ SIZE 3 ⏎ END | unknown-command | SIZE | `SIZE` is not a command of `SUBGROUP`
BIND BUFFERS image AS color LOCATION 1 | unknown-word | BUFFERS | `BUFFERS` is not a kind of thing to bind
BIND BUFFER image AS colour LOCATION 1 | unknown-word | colour | `colour` is not a buffer type
BIND BUFFER image AS color LOCATION 64 | out-of-range | 64 | expected a location from 0 to 63, found 64
BIND BUFFER image AS color LOCATION 1 ⏎ BIND BUFFER reference AS color LOCATION 1 | duplicate | BIND | there are two images at location 1
BIND BUFFER numbers AS uniform BINDING 0 | unexpected-token | BINDING | expected `DESCRIPTOR_SET`, found `BINDING`
BIND BUFFER numbers AS uniform_dynamic DESCRIPTOR_SET 0 BINDING 0 | unexpected-token | ⏎ | expected `OFFSET`, found the end of the line
BIND BUFFER image AS combined_image_sampler DESCRIPTOR_SET 0 BINDING 0 | unexpected-token | DESCRIPTOR_SET | expected `SAMPLER`, found `DESCRIPTOR_SET`
BIND SAMPLER numbers DESCRIPTOR_SET 0 BINDING 0 | unknown-name | numbers | there is no sampler `numbers` here
BIND BUFFER numbers KERNEL NAME a | unexpected-token | NAME | expected `ARG_NUMBER`, found `NAME`
VERTEX_DATA vertices AT 0 | unexpected-token | AT | expected `LOCATION`, found `AT`
VERTEX_DATA vertices LOCATION 0 ⏎ VERTEX_DATA vertices LOCATION 0 | duplicate | VERTEX_DATA | there are two inputs at location 0
VIEWPORT 0 0 30 30 | unexpected-token | 30 | expected `SIZE`, found `30`
POLYGON_MODE lines | unknown-word | lines | `lines` is not a polygon mode
DEPTH ⏎ BOUNDS 0 1 ⏎ END | unexpected-token | 0 | expected `min`, found `0`
DEPTH ⏎ TESTS on ⏎ END | unknown-command | TESTS | `TESTS` is not a command of `DEPTH`
STENCIL left ⏎ TEST on ⏎ END | unknown-word | left | `left` is not a face
STENCIL front ⏎ REFERENCE 256 ⏎ END | out-of-range | 256 | expected a number from 0 to 255, found 256
BLEND ⏎ COLOR_OP mix ⏎ END | unknown-word | mix | `mix` is not a blend operation
SHADER_GROUP g v | mismatch | g | only a ray tracing pipeline has groups of shaders
FLAGS LIB | unexpected-token | LIB | expected `LIBRARY`, found `LIB`
USE_LIBRARY graphics | mismatch | graphics | the pipeline `graphics` is not a library
SET KERNEL ARG_NAME a AS vec2<float> 1 | unknown-word | vec2<float> | `vec2<float>` is not a type of numbers
");
}

#[test]
fn wrong_ray_tracing() {
    const SHADERS: &str = "SHADER miss m GLSL\nEND\nSHADER any_hit a GLSL\nEND\nACCELERATION_STRUCTURE BOTTOM_LEVEL b\n  GEOMETRY AABBS\n    0 0 0 1 1 1\n  END\nEND\n";
    let script = |lines: &str| format!("#!amber\n{PIPELINES}{SHADERS}{lines}\n");
    check_in("\
ACCELERATION_STRUCTURE MIDDLE x | unknown-word | MIDDLE | `MIDDLE` is not a level
ACCELERATION_STRUCTURE BOTTOM_LEVEL x ⏎ GEOMETRY BOXES ⏎ END | unknown-word | BOXES | `BOXES` is not a kind of geometry
ACCELERATION_STRUCTURE BOTTOM_LEVEL x ⏎ GEOMETRY TRIANGLES ⏎ 1 2 3 ⏎ END ⏎ END | wrong-count | GEOMETRY | there are 3 coordinates; each of `TRIANGLES` takes 9
ACCELERATION_STRUCTURE BOTTOM_LEVEL x ⏎ GEOMETRY AABBS ⏎ 1 2 3 4 5 6 ⏎ END ⏎ GEOMETRY TRIANGLES ⏎ 1 2 3 4 5 6 7 8 9 ⏎ END ⏎ END | mismatch | GEOMETRY | triangles and boxes can't be in one structure
ACCELERATION_STRUCTURE BOTTOM_LEVEL x ⏎ GEOMETRY AABBS ⏎ 1 x 3 4 5 6 ⏎ 1 2 3 4 5 ⏎ END ⏎ END | bad-number | x | expected a coordinate, found `x`
ACCELERATION_STRUCTURE TOP_LEVEL x ⏎ BOTTOM_LEVEL_INSTANCE c ⏎ INDEX 1 ⏎ END ⏎ END | unknown-name | c | there is no bottom-level acceleration structure `c` here
ACCELERATION_STRUCTURE TOP_LEVEL x ⏎ BOTTOM_LEVEL_INSTANCE b ⏎ INDEX 16777216 ⏎ END ⏎ END | out-of-range | 16777216 | expected an index from 0 to 16777215, found 16777216
ACCELERATION_STRUCTURE TOP_LEVEL x ⏎ BOTTOM_LEVEL_INSTANCE b ⏎ FLAGS OPAQUE ⏎ END ⏎ END | unknown-word | OPAQUE | `OPAQUE` is not an instance flag
ACCELERATION_STRUCTURE TOP_LEVEL x ⏎ BOTTOM_LEVEL_INSTANCE b ⏎ TRANSFORM ⏎ 1 2 ⏎ END ⏎ END ⏎ END | wrong-count | TRANSFORM | a transformation has 12 numbers, not 2
PIPELINE raytracing r ⏎ SHADER_GROUP g m a ⏎ END | mismatch | g | `m`, a miss shader, can't be in this group
PIPELINE raytracing r ⏎ SHADER_GROUP g m ⏎ SHADER_GROUP g m ⏎ END | duplicate | g | there is already a group `g`
PIPELINE raytracing r ⏎ SHADER_BINDING_TABLE t ⏎ g ⏎ END ⏎ END | unknown-name | g | there is no group `g` here
PIPELINE raytracing r ⏎ SHADER_BINDING_TABLE t ⏎ END ⏎ SHADER_BINDING_TABLE t ⏎ END ⏎ END | duplicate | t | there is already a table `t`
PIPELINE raytracing r ⏎ END ⏎ RUN r RAYGEN t 1 1 1 | unknown-name | t | the pipeline has no table `t`
PIPELINE raytracing r ⏎ END ⏎ RUN r | unexpected-token | ⏎ | expected `RAYGEN`, found the end of the line
", script);
}

#[test]
fn wrong_commands() {
    check("\
RUN compute 1 1 | unexpected-token | ⏎ | expected a number of workgroups, found the end of the line
RUN compute 1 1 1 1 | unexpected-token | 1 | expected the end of the line, found `1`
RUN graphics 1 1 1 | mismatch | graphics | `graphics` is a graphics pipeline, and this takes a compute one
RUN compute DRAW_RECT POS 0 0 SIZE 1 1 | mismatch | compute | `compute` is a compute pipeline, and this takes a graphics one
RUN compute RAYGEN t 1 1 1 | mismatch | compute | `compute` is a compute pipeline, and this takes a raytracing one
RUN graphics | unexpected-token | ⏎ | expected `DRAW_RECT`, `DRAW_GRID` or `DRAW_ARRAY`, found the end of the line
RUN graphics DRAW_RECT 0 0 | unexpected-token | 0 | expected `POS`, found `0`
RUN graphics DRAW_ARRAY AS squares | unknown-word | squares | `squares` is not a topology
RUN graphics DRAW_ARRAY AS POINT_LIST FROM 1 | unexpected-token | FROM | expected `START_IDX`, `COUNT`, `START_INSTANCE` or `INSTANCE_COUNT`, found `FROM`
PIPELINE graphics q ⏎ ATTACH v ⏎ END ⏎ RUN q DRAW_ARRAY AS POINT_LIST | incomplete | q | the pipeline `q` has no vertex data to draw
PIPELINE graphics q ⏎ ATTACH v ⏎ VERTEX_DATA vertices LOCATION 0 ⏎ END ⏎ RUN q DRAW_ARRAY AS POINT_LIST INDEXED | incomplete | q | the pipeline `q` has no index data to draw
CLEAR compute | mismatch | compute | `compute` is a compute pipeline, and this takes a graphics one
CLEAR_COLOR graphics 1 2 3 256 | out-of-range | 256 | expected a color component from 0 to 255, found 256
CLEAR_STENCIL graphics 256 | out-of-range | 256 | expected a stencil value from 0 to 255, found 256
COPY numbers others | unexpected-token | others | expected `TO`, found `others`
COPY numbers TO numbers | mismatch | numbers | a buffer can't be copied to itself
COPY numbers TO vertices | mismatch | numbers | the buffers have different types
REPEAT 2 ⏎ BUFFER b DATA_TYPE int8 SIZE 1 FILL 0 ⏎ END | unexpected-token | BUFFER | `BUFFER` can't be repeated
REPEAT 2 ⏎ CLEAR graphics | open-block | REPEAT | `REPEAT` has no `END`
REPEAT x ⏎ CLEAR graphics ⏎ END | bad-number | x | expected how often to repeat, found `x`
REPEAT 0 ⏎ CLEAR graphics ⏎ END | out-of-range | 0 | a block is repeated at least once
DEBUG compute 1 1 1 ⏎ THREADS ⏎ END | unknown-command | THREADS | `THREADS` is not a command of `DEBUG`
DEBUG compute 1 1 1 ⏎ THREAD INDEX 1 ⏎ END ⏎ END | unexpected-token | INDEX | expected `GLOBAL_INVOCATION_ID`, `VERTEX_INDEX` or `FRAGMENT_WINDOW_SPACE_POSITION`, found `INDEX`
DEBUG compute 1 1 1 ⏎ THREAD VERTEX_INDEX 1 ⏎ STEP ⏎ END ⏎ END | unknown-command | STEP | `STEP` is not a command of `THREAD`
DEBUG compute 1 1 1 ⏎ THREAD VERTEX_INDEX 1 ⏎ EXPECT x ⏎ END ⏎ END | unexpected-token | x | expected `LOCATION`, `LOCAL` or `CALLSTACK`, found `x`
");
}

#[test]
fn wrong_expectations() {
    check("\
EXPECT nothing IDX 0 EQ 1 | unknown-name | nothing | there is no buffer `nothing` here
EXPECT numbers EQ 1 | unexpected-token | EQ | expected `IDX`, `EQ_BUFFER`, `RMSE_BUFFER` or `EQ_HISTOGRAM_EMD_BUFFER`, found `EQ`
EXPECT numbers IDX EQ 1 | bad-number | EQ | expected an offset in bytes, or a coordinate, found `EQ`
EXPECT numbers IDX 0 EQ | unexpected-token | ⏎ | expected a number, found the end of the line
EXPECT numbers IDX 0 == 1 | unknown-word | == | `==` is not a comparator
EXPECT numbers IDX 0 EQ x | bad-number | x | expected a float, found `x`
EXPECT numbers IDX 0 TOLERANCE EQ 1 | unexpected-token | EQ | expected a tolerance, found `EQ`
EXPECT numbers IDX 0 TOLERANCE 1 2 3 4 5 EQ 1 | wrong-count | 5 | there are at most four tolerances
EXPECT numbers IDX 0 TOLERANCE 1 LT 1 | unexpected-token | LT | `LT` takes no tolerance
EXPECT image IDX 0 EQ_RGBA 1 2 3 4 | incomplete | EQ_RGBA | `EQ_RGBA` takes two coordinates behind `IDX`, and `SIZE`
EXPECT image IDX 0 0 EQ_RGB 1 2 3 | unexpected-token | EQ_RGB | expected `SIZE`, found `EQ_RGB`
EXPECT image IDX 0 0 SIZE 1 1 EQ 1 | unexpected-token | EQ | expected `EQ_RGB` or `EQ_RGBA`, found `EQ`
EXPECT image IDX 0 0 SIZE 1 1 EQ_RGBA 1 2 3 | unexpected-token | ⏎ | expected a color component, found the end of the line
EXPECT image IDX 0 0 SIZE 1 1 EQ_RGB 1 2 3 4 | unexpected-token | 4 | expected the end of the line, found `4`
EXPECT numbers IDX 0 0 SIZE 1 1 EQ_RGB 1 2 3 | mismatch | 0 | the buffer `numbers` has no format, so it has no colors
EXPECT numbers EQ_BUFFER vertices | mismatch | vertices | one buffer has 32 bytes, and the other 24
EXPECT image EQ_BUFFER image | mismatch | image | a buffer is always like itself
EXPECT image RMSE_BUFFER reference | unexpected-token | ⏎ | expected `TOLERANCE`, found the end of the line
EXPECT image RMSE_BUFFER numbers TOLERANCE 1 | mismatch | numbers | the buffers have different types
");
}

/// Several mistakes are several errors, in the order of the text.
#[test]
fn all_mistakes_are_reported_at_once() {
    let found = errors(
        "#!amber\nSAMPLER\nBUFFER b DATA_TYPE int8 DATA\n x 1 y\nEND\nPIPELINE graphics p\n  ATTACH v\n  DEPTH\n    TEST maybe\n  END\n  BLEND\nEND\n",
    );
    let places: Vec<&str> = found.iter().map(|it| it.1.as_str()).collect();
    assert_eq!(places, ["\n", "x", "y", "PIPELINE", "v", "maybe"]);
}

#[test]
fn what_is_likely_meant_is_suggested() {
    let error = |text: &str| parse(text).unwrap_err()[0].help().map(str::to_owned);
    let help = error("#!amber\nBUFFER b FORMAT R8G8B8A8_UNROM\n");
    assert_eq!(help.as_deref(), Some("did you mean `R8G8B8A8_UNORM`?"));
    let help = error("#!amber\nSAMPLER first\nSAMPLER first\n");
    assert_eq!(help, None);
    let errors = parse("#!amber\nSAMPLER first\nSAMPLER first\n").unwrap_err();
    assert_eq!(errors[0].labels()[0].message, "the other one");
}

/// A value that doesn't fit is no error, since scripts rely on the lowest bits.
#[test]
fn values_that_do_not_fit_are_warned_of() {
    let script = parse("#!amber\nBUFFER b DATA_TYPE uint8 DATA 272 END\n").unwrap();
    let [warning] = &script.warnings[..] else {
        panic!("one warning");
    };
    assert_eq!(
        (warning.severity(), warning.rule()),
        (Severity::Warning, "amber.out-of-range")
    );
    assert_eq!(warning.message(), "272 is not a number of type uint8");
}

#[test]
fn limits() {
    let many = "x\n".repeat(2 * MAX_ERRORS);
    assert_eq!(errors(&format!("#!amber\n{many}")).len(), MAX_ERRORS);

    let nested = |depth: usize| {
        format!(
            "#!amber\n{}{}",
            "REPEAT 2\n".repeat(depth),
            "END\n".repeat(depth)
        )
    };
    assert!(parse(&nested(MAX_REPEAT_DEPTH)).is_ok());
    let found = errors(&nested(100_000));
    assert_eq!((found.len(), found[0].0), (1, "amber.limit"));

    // Each structure has twice what the one before has.
    let mut doubled = "#!amber\nSTRUCT s0\n  vec4<float> a\nEND\n".to_owned();
    for number in 1..64 {
        let before = number - 1;
        doubled += &format!("STRUCT s{number}\n  s{before} a\n  s{before} b\nEND\n");
    }
    doubled += "BUFFER b DATA_TYPE s63 SIZE 1 FILL 0\n";
    let found = errors(&doubled);
    let message = format!("the structure has more than {MAX_PARTS} numbers");
    assert!(
        !found.is_empty() && found.iter().all(|it| it.2 == message),
        "{found:?}"
    );

    // A long chain of structures is as deep as it may be, and no deeper.
    let mut chain = "#!amber\nSTRUCT s0\n  float a\nEND\n".to_owned();
    for number in 1..MAX_PARTS + 2 {
        chain += &format!("STRUCT s{number}\n  s{} a\nEND\n", number - 1);
    }
    assert!(errors(&chain).iter().all(|it| it.0 == "amber.limit"));

    // Pipelines that are derived from one with much to copy.
    let arguments = "  SET KERNEL ARG_NUMBER 1 AS int32 1\n".repeat(10_000);
    let derived: String = (0..MAX_DERIVED / 10_000 + 1)
        .map(|number| format!("DERIVE_PIPELINE p{number} FROM p\nEND\n"))
        .collect();
    let text = format!(
        "#!amber\nSHADER compute c GLSL\nEND\nPIPELINE compute p\n  ATTACH c\n{arguments}END\n{derived}"
    );
    let found = errors(&text);
    assert_eq!((found.len(), found[0].0), (1, "amber.limit"));
}
