//! Whatever a text is, it is read or has errors, and what is read can be used.

use proptest::prelude::*;
use spirvkit_amber::{
    Action, Command, Expect, RunOptions, Script, compare, contents, parse, run, write,
};
use spirvkit_diagnostics::{Location, Source};

use super::{PIPELINES, runs};

/// Text of both languages to start from.
const SEEDS: [&str; 3] = [
    "VIRTUAL_FILE f\nx\nEND\nSTRUCT s STRIDE 32\n  mat2x3<float> a OFFSET 8 MATRIX_STRIDE 16\n  uint8 b\nEND\nBUFFER b0 DATA_TYPE s[] STD140 SIZE 3 FILL 1\nBUFFER b1 DATA_TYPE vec3<int16> DATA\n  1 2 3 # x\n  -4 0x5 6\nEND\nIMAGE i0 FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 2 HEIGHT 2 FILL 3\nSAMPLER s0 MAG_FILTER linear MAX_LOD 2.5\nDERIVE_PIPELINE p FROM graphics\n  DEPTH\n    TEST on\n    BOUNDS min 0 max 1\n  END\n  BIND BUFFER_ARRAY b0 b1 AS storage DESCRIPTOR_SET 0 BINDING 1 DESCRIPTOR_OFFSET 0 256\n  SUBGROUP v\n    REQUIRED_SIZE 4\n  END\nEND\nREPEAT 2\n  RUN p DRAW_RECT POS 0 0 SIZE 1 1\n  EXPECT b0 IDX 0 TOLERANCE 1 2% EQ 1 2 3 4\nEND\nEXPECT i0 IDX 0 0 SIZE 2 2 EQ_RGBA 3 3 3 3 TOLERANCE 1\nEXPECT i0 EQ_HISTOGRAM_EMD_BUFFER image TOLERANCE 0.1\nDEBUG compute 1 1 1\n  THREAD VERTEX_INDEX 1\n    EXPECT LOCAL \"x\\\"y\" EQ 1\n  END\nEND\n",
    "SHADER ray_generation g GLSL\nEND\nACCELERATION_STRUCTURE BOTTOM_LEVEL b\n  GEOMETRY TRIANGLES\n    0 0 0 1 1 1 2 2 2\n  END\nEND\nACCELERATION_STRUCTURE TOP_LEVEL t\n  BOTTOM_LEVEL_INSTANCE b\n    FLAGS\n      FORCE_OPAQUE\n    END\n    TRANSFORM\n      1 0 0 0 0 1 0 0 0 0 1 0\n    END\n  END\nEND\nPIPELINE raytracing r\n  SHADER_GROUP x g\n  SHADER_BINDING_TABLE y\n    x\n  END\nEND\nRUN r RAYGEN y 1 1 1\n",
    "[require]\nframebuffer R8G8B8A8_UNORM\n[vertex shader passthrough]\n[fragment shader]\nvoid main() {}\n[compute shader spirv]\n; x\n[vertex data]\n0/R32G32_SFLOAT 1/float/vec3\n1 2 3 4 5\n[indices]\n0 1 2\n[test]\nssbo 0:1 subdata mat2x3 0 1 2 3 4 5 6\nuniform ubo 2 vec3 16 1 2 3\nuniform int 4 5\ndepthTestEnable true\nclear color 1 0 0 1\nclear\ndraw arrays indexed TRIANGLE_LIST 0 3\ncompute 1 1 1\ntolerance 1% 2\nprobe ssbo vec3 0:1 0 ~= 1 2 3\nrelative probe rect rgba (0, 0, 0.5, 1) (1, 0, 0, 1)\nprobe all rgb 1 2 3\n",
];

/// What is put into texts.
const PIECES: [&str; 20] = [
    "",
    " ",
    "\n",
    "END",
    "\"",
    "\\\n",
    "#",
    "4294967295",
    "-1",
    "1e400",
    "nan",
    "0x",
    "😀",
    "DATA",
    "[test]",
    "REPEAT 2\n",
    "s",
    "b0",
    "SIZE 4294967295",
    "OFFSET 4294967295",
];

fn seed() -> impl Strategy<Value = String> {
    (0..SEEDS.len() + 1).prop_map(|number| match number {
        2 => SEEDS[2].to_owned(),
        3 => runs::with_images("SAMPLER sampler", "200"),
        number => format!("#!amber\n{PIPELINES}{}", SEEDS[number]),
    })
}

/// A piece of a text is cut out, repeated or replaced.
fn mutated() -> impl Strategy<Value = String> {
    let change = (
        any::<prop::sample::Index>(),
        0..12_usize,
        0..PIECES.len(),
        0..3_u8,
    );
    (seed(), prop::collection::vec(change, 1..8)).prop_map(|(mut text, changes)| {
        for (place, length, piece, repeats) in changes {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            if places.is_empty() {
                continue;
            }
            let first = place.index(places.len());
            let start = places[first];
            let end = places.get(first + length).copied().unwrap_or(text.len());
            let new = match repeats {
                0 => PIECES[piece].to_owned(),
                1 => text[start..end].repeat(2),
                _ => format!("{}{}", &text[start..end], PIECES[piece]),
            };
            text.replace_range(start..end, &new);
        }
        text
    })
}

/// Uses what a script holds as who runs it would.
fn exercise(script: &Script) {
    let limits = RunOptions::default().max_steps(1 << 16).max_memory(1 << 20);
    run(script, &limits.negated(true), &runs::Files);
    let files = |_, _: &str| Ok(b"1 2 3".to_vec());
    let bytes: Vec<Vec<u8>> = script
        .buffers
        .iter()
        // What is larger is only slow.
        .filter(|it| it.element_count([4, 4]) <= 4096)
        .map(|it| contents(script, it, [4, 4], files).unwrap_or_default())
        .collect();
    let mut open: Vec<&Command> = script.commands.iter().collect();
    while let Some(command) = open.pop() {
        match &command.action {
            Action::Repeat { commands, .. } => open.extend(commands),
            Action::Write(values) => {
                let mut bytes = vec![0; 64];
                write(script, &mut bytes, values).ok();
            }
            Action::Expect(Expect::Values {
                values,
                comparator,
                tolerances,
            }) => {
                let bytes = bytes.get(values.buffer.index()).map_or(&[][..], |it| it);
                compare::values(script, bytes, values, *comparator, tolerances).ok();
            }
            Action::Expect(Expect::Buffers {
                left,
                right,
                likeness,
            }) => {
                let of = |handle: usize| bytes.get(handle).map_or(&[][..], |it| it);
                let (ty, layout) = (script[*left].ty, script[*left].layout);
                let (left, right) = (of(left.index()), of(right.index()));
                compare::buffers(script, ty, layout, left, right, *likeness).ok();
            }
            Action::Expect(Expect::Color {
                buffer,
                area,
                color,
                tolerances,
            }) => {
                if let spirvkit_amber::Shape::Format(format) = script[*buffer].ty.shape {
                    let image = compare::Image {
                        bytes: &[7; 4 * 4 * 32],
                        format,
                        width: 4,
                        height: 4,
                    };
                    compare::colors(&image, area.as_ref(), color, tolerances).ok();
                }
            }
            _ => {}
        }
    }
}

fn check(text: &str) {
    match parse(text) {
        Ok(script) => exercise(&script),
        Err(errors) => {
            for error in &errors {
                let Location::Span(span) = error.location() else {
                    panic!("{error} has no place");
                };
                assert!(text.get(span.start..span.end).is_some(), "{error}");
            }
            errors.render(&Source::new("script", text));
        }
    }
}

proptest! {
    #[test]
    fn mutations_do_not_panic(text in mutated()) {
        check(&text);
    }

    #[test]
    fn any_text_is_read_or_has_errors(text in "(#!amber\n|\\[test\\]\n)?\\PC*") {
        check(&text);
    }
}

#[test]
fn the_seeds_are_right() {
    for seed in &SEEDS[..2] {
        exercise(&super::amber(&format!("{PIPELINES}{seed}")));
    }
    exercise(&super::read(SEEDS[2]));
}

/// Every text that a script starts with is read, or has errors.
#[test]
fn cut_scripts() {
    for seed in SEEDS {
        let text = match seed.starts_with('[') {
            true => seed.to_owned(),
            false => format!("#!amber\n{PIPELINES}{seed}"),
        };
        for (end, _) in text.char_indices() {
            check(&text[..end]);
        }
    }
}
