//! What `spv run` is given: buffers, places in them, files, conditions.

use std::fs;

use spirvkit::interp::Condition;

use super::{RUNNING, check, inputs, work_folder};
use crate::RECIPE;
use crate::recipe::Recipe;

/// Places, right and wrong.
const PLACES: &[&str] = &[
    "0:0",
    "0:1",
    "0:1:f32",
    "0:0:u32[0..4]",
    "0:0:f16[1..]",
    "x",
    "y",
    "x[1]",
    "y[0..3]",
    "x.values[2]",
    "values[18446744073709551615]",
    "0:0[4294967295].a",
    "y[5..2]",
    "4294967295:4294967295",
    "4294967296:0",
    "a.b.c",
    "x:",
    ":",
    "[",
    "0",
    "in",
    "count",
    "0:0:u9",
    "é",
];

/// What may be written there.
const CONTENTS: &[&str] = &[
    "zeros:0",
    "zeros:64",
    "zeros:65537",
    "zeros:18446744073709551615",
    "zeros:-1",
    "f32:1,2.5,-inf,NaN",
    "u32:1,2,3,4",
    "u8:256",
    "f16:1e9",
    "i64:-9223372036854775808",
    "u32:",
    "[1,2,3,4]",
    "[[1,2],[3,4]]",
    "{\"values\":[1,2,3]}",
    "{\"a\":1,\"b\":{\"c\":[]}}",
    "[1e400,\"NaN\",\"0x10\",null,true]",
    "1.5",
    "a.json",
    "a.npy",
    "raw:a.json",
    "missing.json",
    "local:64",
    "local:4294967295",
    "local:67108865",
    "a.spv",
    ".",
    "",
];

/// Options that take no place.
const OPTIONS: &[&str] = &[
    "--dispatch=0",
    "--dispatch=2,2,2",
    "--dispatch=4294967295,4294967295,4294967295",
    "--dispatch=1,2,3,4",
    "--dispatch=-1",
    "--local-size=4",
    "--local-size=4294967295",
    "--subgroup-size=4",
    "--subgroup-size=64",
    "--subgroup-size=3",
    "--subgroup-size=0",
    "--race",
    "--strict",
    "--same-value",
    "--seed=3",
    "--seed=18446744073709551615",
    "--schedules=3",
    "--trace=0",
    "--trace=4294967295,0,0",
    "--max-trace=3",
    "--max-steps=0",
    "--max-memory=0",
    "--max-printed=0",
    "--profile",
    "--coverage=out/lines",
    "--coverage=missing/lines",
    "--format=json",
    "--spec=0=1",
    "--spec=5=-1",
    "--spec=factor=1e400",
    "--entry-point=main",
    "--entry-point=none",
    "--push=u32:4,4",
    "--push=f32:2",
    "--push=a=2.0",
    "--push=count=[1]",
    "--push=:",
];

/// Conditions on outcomes.
const CONDITIONS: &[&str] = &[
    "0:0[0] == 1",
    "0:0[0] == 1 && 0:1[2] != 0",
    "!(0:0[1] > 5) || 0:1[0] <= 3",
    "0:1[4294967295] == 18446744073709551615",
    "((((",
    "0:0[0] = 1",
    "",
];

/// A module follows a recipe of [`RECIPE`] bytes for what `spv run` is given with it. It ends in
/// order, and takes neither much time nor much memory.
pub fn run_command(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    let mut recipe = Recipe::new(recipe);
    let _one = RUNNING
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    let folder = work_folder();
    // The module itself is seldom changed, so that most of them run.
    let (size, _) = match recipe.once_in(4) {
        true => inputs(&mut recipe, module, &folder),
        false => inputs(&mut Recipe::new(&[]), module, &folder),
    };
    for (name, content) in [("a.json", json(&mut recipe)), ("a.npy", array(&mut recipe))] {
        fs::write(folder.join(name), content).expect("a file to write to");
    }
    let mut words: Vec<String> = ["spv", "run", "--max-steps=5000", "--max-memory=4194304"]
        .map(str::to_owned)
        .into();
    for _ in 0..1 + recipe.below(7) {
        words.push(option(&mut recipe));
    }
    // Whether a text is a condition, the program asks only of modules that it can explore.
    let _ = text(&mut recipe, CONDITIONS).parse::<Condition>();
    words.push(
        recipe
            .pick(&["a.spv", "a.spvasm"])
            .unwrap_or("a.spv")
            .into(),
    );
    check(&folder, &words, size);
}

fn option(recipe: &mut Recipe<'_>) -> String {
    let place = text(recipe, PLACES);
    match recipe.below(8) {
        0..=2 => format!("--bind={place}={}", text(recipe, CONTENTS)),
        3 => format!("--print={place}"),
        4 => {
            let file = recipe.pick(&["x.json", "x.npy", "x", "x.png"]);
            format!("--out={place}=out/{}", file.unwrap_or("x"))
        }
        5 => format!("--arg={}={}", recipe.below(4), text(recipe, CONTENTS)),
        _ => recipe.pick(OPTIONS).unwrap_or("--race").to_owned(),
    }
}

/// One of these, with a character more or less now and then. None becomes another digit, so
/// that no number of bytes becomes larger.
fn text(recipe: &mut Recipe<'_>, choices: &[&str]) -> String {
    let mut text = recipe.pick(choices).unwrap_or("").to_owned();
    if recipe.once_in(5) && !text.is_empty() {
        let places: Vec<usize> = text.char_indices().map(|it| it.0).collect();
        let at = places[recipe.below(places.len())];
        match recipe.once_in(2) {
            true => drop(text.remove(at)),
            false => text.insert(
                at,
                recipe
                    .pick(&['[', ']', '.', ':', '=', '"', '-', '\u{0}', 'x'])
                    .unwrap_or('.'),
            ),
        }
    }
    text.replace('\u{0}', " ")
}

/// A JSON text, perhaps deep or broken.
fn json(recipe: &mut Recipe<'_>) -> Vec<u8> {
    let depth = recipe.pick(&[0, 1, 2, 100, 5000]).unwrap_or(0);
    let inner = text(
        recipe,
        &["1", "\"NaN\"", "1,2,3", "{\"a\":1}", "1e400", "null", ""],
    );
    format!("{}{inner}{}", "[".repeat(depth), "]".repeat(depth)).into_bytes()
}

/// A NumPy array, perhaps broken.
fn array(recipe: &mut Recipe<'_>) -> Vec<u8> {
    let ty = text(recipe, &["<f4", "<u4", ">i2", "|u1", "<f8", "<c8", "O"]);
    let shape = text(
        recipe,
        &[
            "4,",
            "2, 2",
            "",
            "0,",
            "18446744073709551615, 2",
            "4294967296, 4294967296",
            "-1,",
        ],
    );
    let order = recipe.pick(&["False", "True", "Maybe"]).unwrap_or("False");
    let header = format!("{{'descr': '{ty}', 'fortran_order': {order}, 'shape': ({shape}), }}\n");
    let length = match recipe.once_in(6) {
        true => recipe.word() as u16,
        false => header.len() as u16,
    };
    let version = recipe.pick(&[1, 1, 1, 2, 9]).unwrap_or(1);
    let mut file = b"\x93NUMPY".to_vec();
    file.extend([version, 0]);
    file.extend(length.to_le_bytes());
    file.extend(header.bytes());
    file.extend((0..recipe.below(40)).map(|byte| byte as u8));
    file
}
