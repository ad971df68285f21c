//! What running Amber's scripts promises for any script.

use spirvkit::amber::{
    CompileError, FileFormat, Host, Report, RunOptions, Script, Source, Verdict, parse, run,
};

use crate::RECIPE;
use crate::recipe::Recipe;

/// How many instructions a script's runs may take, and how many bytes its buffers.
const STEPS: u64 = 20_000;
const MEMORY: u64 = 1 << 22;

/// Words that may stand anywhere.
const WORDS: &[&str] = &[
    "0",
    "-1",
    "1",
    "3",
    "64",
    "4294967295",
    "18446744073709551616",
    "0x7fffffff",
    "1e30",
    "nan",
    "50%",
    "uint8",
    "int64",
    "float16",
    "mat3x2<double>",
    "vec4<float>",
    "pair",
    "a",
    "b",
    "i",
    "s",
    "p",
    "q",
    "add",
    "END",
    "SIZE",
    "IDX",
    "EQ",
    "NE",
    "EQ_BUFFER",
    "TOLERANCE",
    "BIND BUFFER a AS uniform DESCRIPTOR_SET 1 BINDING 1",
    "BIND BUFFER i AS storage_image DESCRIPTOR_SET 0 BINDING 0",
    "BIND BUFFER i AS uniform_texel_buffer DESCRIPTOR_SET 0 BINDING 1",
    "BIND SAMPLER s DESCRIPTOR_SET 0 BINDING 1",
    "BIND BUFFER_ARRAY a b AS storage DESCRIPTOR_SET 0 BINDING 0",
    "DESCRIPTOR_OFFSET 4",
    "DESCRIPTOR_RANGE 8",
    "LAYOUT std140",
    "LAYOUT std430",
    "SERIES_FROM",
    "FILL",
    "DATA",
    "FILE BINARY",
    "MIP_LEVELS 3",
    "SAMPLES 4",
    "REPEAT 1000000",
    "REPEAT 4",
    "REQUIRED_SIZE 64",
    "REQUIRED_SIZE MAX",
    "FULLY_POPULATED on",
    "[test]",
    "[require]",
    "compute",
    "ssbo 1:0 1000000000",
    "ubo 0 subdata float 0 1",
    "subdata",
    "==",
    "~=",
    "uint",
];

/// The files that there are.
struct Files;

impl Host for Files {
    fn read_file(&self, _: FileFormat, path: &str) -> Result<Vec<u8>, String> {
        match path.len() % 3 {
            0 => Err("there is no such file".to_owned()),
            1 => Ok(b"1 2 3 4 0x10 -1 x".to_vec()),
            _ => Ok(b"1 2 3 4".to_vec()),
        }
    }

    fn compile(&self, _: &Source<'_>) -> Result<Vec<u32>, CompileError> {
        Err(CompileError::NoCompiler("there is none".to_owned()))
    }
}

/// Checks the promises about running with a script, which follows a recipe of [`RECIPE`] bytes
/// for changes to it.
pub fn amber_script(bytes: &[u8]) {
    let Some((recipe, text)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    if let Ok(text) = std::str::from_utf8(text) {
        run_script_text(&changed(text, &mut Recipe::new(recipe)));
    }
}

/// Runs a script, if it is one: every time the same. Gives how it went.
pub fn run_script_text(text: &str) -> Option<Verdict> {
    let script = parse(text).ok()?;
    for negated in [false, true] {
        let first = report(&script, 32, negated);
        let again = report(&script, 32, negated);
        assert_eq!(first.verdict, again.verdict);
        assert_eq!(first.reasons, again.reasons);
        assert_eq!(first.findings, again.findings);
    }
    Some(report(&script, 4, false).verdict)
}

fn report(script: &Script, subgroup_size: u32, negated: bool) -> Report {
    let mut options = RunOptions::default();
    options.subgroup_size = subgroup_size;
    options.max_steps = STEPS;
    options.max_memory = MEMORY;
    options.negated = negated;
    run(script, &options, &Files)
}

/// A text with some of its lines and words changed.
fn changed(text: &str, recipe: &mut Recipe<'_>) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=recipe.below(6) {
        if lines.is_empty() {
            break;
        }
        let at = recipe.word() as usize % lines.len();
        match recipe.below(8) {
            0 => drop(lines.remove(at)),
            1 => {
                let from = recipe.word() as usize % lines.len();
                let line = lines[from].clone();
                lines.insert(at, line);
            }
            2 => {
                let other = recipe.word() as usize % lines.len();
                lines.swap(at, other);
            }
            3 => lines.insert(at, word(recipe)),
            _ => {
                let mut words: Vec<String> =
                    lines[at].split_whitespace().map(str::to_owned).collect();
                let place = recipe.below(words.len() + 1);
                match (recipe.below(3), place < words.len()) {
                    (0, true) => drop(words.remove(place)),
                    (1, true) => words[place] = word(recipe),
                    _ => words.insert(place, word(recipe)),
                }
                lines[at] = words.join(" ");
            }
        }
    }
    lines.join("\n")
}

fn word(recipe: &mut Recipe<'_>) -> String {
    recipe.pick(WORDS).unwrap_or("0").to_owned()
}
