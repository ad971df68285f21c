//! What running promises for any module.

use spirvkit::analysis::{Lookup, ModuleIndex, Type};
use spirvkit::binary::Id;
use spirvkit::grammar::{Op, StorageClass};
use spirvkit::interp::{Outcome, Pipe, Run};
use spirvkit::words_from_bytes;

use crate::recipe::Recipe;
use crate::{RECIPE, mutate};

/// How many instructions a run may take.
const STEPS: u64 = 2_000;

/// How many bytes a workgroup may take.
const MEMORY: u64 = 1 << 22;

/// The buffers that there are, in each of two sets.
const BINDINGS: u32 = 4;

/// Checks the promises about running with a module, which follows a recipe of [`RECIPE`]
/// bytes for changes to it.
pub fn executed_module(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    if let Ok((words, _)) = words_from_bytes(module) {
        execute_words(&words);
        execute_words(&mutate(&words, recipe));
    }
}

/// Runs a module, if it can be run: every time the same.
pub fn execute_words(words: &[u32]) {
    let Some(first) = outcome(words, 4) else {
        return;
    };
    let again = outcome(words, 4);
    let again = again.expect("what was run can be run again");
    assert_eq!(contents(&first), contents(&again), "other contents");
    assert_eq!(first.findings, again.findings, "other findings");
    assert_eq!(first.steps, again.steps, "other steps");
    outcome(words, 32);
}

fn outcome(words: &[u32], subgroup_size: u32) -> Option<Outcome> {
    let mut run = Run::new(words).threads(1).subgroup_size(subgroup_size);
    for set in 0..2 {
        for binding in 0..BINDINGS {
            run = run.zeroed(set, binding, 256);
        }
    }
    let run = run.push(&[1u32; 32]).max_steps(STEPS).max_memory(MEMORY);
    run.dispatch([2, 1, 1]).ok()
}

fn contents(outcome: &Outcome) -> Vec<&[u8]> {
    let sets = 0..2;
    let all = sets.flat_map(|set| (0..BINDINGS).map(move |binding| (set, binding)));
    all.map(|(set, binding)| outcome.bytes(set, binding))
        .collect()
}

/// Checks the promises about running a kernel, which follows a recipe of [`RECIPE`] bytes for its
/// arguments and for changes to it.
pub fn executed_kernel(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    let (arguments, changes) = recipe.split_at(RECIPE / 2);
    let Ok((words, _)) = words_from_bytes(module) else {
        return;
    };
    run_kernel(&words, arguments);
    run_kernel(&mutate(&words, changes), arguments);
}

/// Runs a kernel with the arguments that these bytes are a recipe for, if it can be run: every
/// time the same.
fn run_kernel(words: &[u32], arguments: &[u8]) {
    let parameters = parameters(words);
    let outcome = || {
        let mut recipe = Recipe::new(arguments);
        let groups = [recipe.below(4) as u32, 1, 1 + recipe.below(2) as u32];
        let run = with_arguments(Run::new(words), &parameters, &mut recipe);
        run.max_steps(STEPS).max_memory(MEMORY).dispatch(groups)
    };
    if let (Ok(first), again) = (outcome(), outcome()) {
        let again = again.expect("what was run can be run again");
        assert_eq!(first.findings, again.findings, "other findings");
        assert_eq!(first.steps, again.steps, "other steps");
        for index in 0..6 {
            let [a, b] = [&first, &again].map(|it| it.argument_bytes(index));
            assert_eq!(a, b, "other contents");
        }
    }
}

/// What a parameter takes.
#[derive(Clone, Copy)]
enum Parameter {
    /// So many bytes, or as many as one likes.
    Bytes(Option<usize>),
    /// Memory of the workgroup.
    Local,
    Pipe,
}

/// What the parameters of the first entry point take.
fn parameters(words: &[u32]) -> Vec<Parameter> {
    let Ok(m) = ModuleIndex::new(words) else {
        return Vec::new();
    };
    let mut all = m.all_instructions();
    let entry = all.find(|inst| inst.op() == Op::EntryPoint);
    let function = entry.and_then(|entry| m.def(entry.id(1)));
    let ty = function.and_then(|function| m.def(function.id(1)));
    let Some(ty) = ty.filter(|ty| ty.op() == Op::TypeFunction) else {
        return Vec::new();
    };
    let types = ty.args().iter().skip(1).take(8);
    types.map(|&ty| parameter(&m, Id(ty))).collect()
}

fn parameter(m: &ModuleIndex<'_>, ty: Id) -> Parameter {
    match m.ty(ty) {
        Type::Pointer { class, .. } => match class {
            StorageClass::Workgroup => Parameter::Local,
            _ => Parameter::Bytes(None),
        },
        Type::Int { width, .. } | Type::Float { width, .. } => {
            // A mutated type may have any width.
            Parameter::Bytes(Some(width.min(64) as usize / 8))
        }
        _ => match m.def(ty).map(|inst| inst.op()) {
            Some(Op::TypePipe) => Parameter::Pipe,
            _ => Parameter::Bytes(None),
        },
    }
}

fn with_arguments<'a>(
    mut run: Run<'a>,
    parameters: &[Parameter],
    recipe: &mut Recipe<'_>,
) -> Run<'a> {
    for _ in 0..recipe.below(3) {
        let bytes: Vec<u8> = (0..recipe.below(64)).map(|byte| byte as u8).collect();
        run.memory(&bytes);
    }
    // Mostly what fits, for nothing else is run.
    let count = match recipe.once_in(8) {
        true => recipe.below(7),
        false => parameters.len(),
    };
    for index in 0..count {
        let size = recipe.pick(&[0, 1, 4, 8, 12, 16, 64, 256]).unwrap_or(0);
        let (fitting, index) = (parameters.get(index), index as u32);
        let kind = match fitting {
            _ if recipe.once_in(16) => recipe.below(8),
            Some(Parameter::Local) => 0,
            Some(Parameter::Pipe) => 3,
            _ => 4,
        };
        run = match kind {
            0 => run.local_argument(index, recipe.word() >> (recipe.below(8) * 4)),
            1 => run.address_argument(index, u64::from(recipe.byte() % 4) << 32),
            2 => run.address_argument(index, u64::MAX >> (recipe.byte() % 64)),
            3 => {
                let packets = recipe.below(5);
                let pipe = Pipe::new(4, 1 + recipe.below(8) as u32);
                run.pipe_argument(index, pipe.packets(&vec![recipe.byte(); 4 * packets]))
            }
            _ => {
                let size = match fitting {
                    Some(&Parameter::Bytes(Some(bytes))) if !recipe.once_in(16) => bytes,
                    _ => size,
                };
                run.argument(index, &vec![recipe.byte(); size])
            }
        };
    }
    if recipe.once_in(2) {
        let size = recipe.pick(&[0, 1, 3, 32, 65, u32::MAX]).unwrap_or(1);
        run = run.local_size([size, 1 + recipe.below(2) as u32, 1]);
    }
    let offset = recipe.pick(&[0, 1, u32::MAX]).unwrap_or(0);
    let lanes = recipe.pick(&[4, 8, 16, 32, 64]).unwrap_or(32);
    run.global_offset([offset, 0, 0])
        .subgroup_size(lanes)
        .seed(u64::from(recipe.byte() % 4))
        .race(recipe.once_in(3))
}
