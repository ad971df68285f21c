//! Transformations of modules, whatever these are.

use spirvkit::grammar::Op;
use spirvkit::ir::Module;
use spirvkit::transform::link::{Input, Options, link};
use spirvkit::transform::{
    Prune, Specialization, Strip, Trim, compact_ids, entry_points, find_entry_point,
    keep_entry_point, merge, prune, spec_constants, specialize, strip, trim_capabilities,
};
use spirvkit::words_from_bytes;

use crate::recipe::Recipe;
use crate::shapes::{Side, changed};
use crate::{RECIPE, load_words, mutate};

fn stored(module: &Module) {
    if let Err(error) = module.verify() {
        panic!("{error}");
    }
    load_words(&module.store());
}

/// A module follows a recipe of [`RECIPE`] bytes for changes to it and for values of
/// its specialization constants. Specialized it can be stored and loaded, and a full
/// specialization leaves no scalar specialization constant.
pub fn specialized_module(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    if let Ok((words, _)) = words_from_bytes(module) {
        specialize_words(&words, recipe);
    }
}

/// The same with words and a recipe of any length.
pub fn specialize_words(words: &[u32], recipe: &[u8]) {
    let (changes, values) = recipe.split_at(recipe.len() / 2);
    let Ok(mut module) = Module::load(&mutate(words, changes)) else {
        return;
    };
    let mut recipe = Recipe::new(values);
    let mut wanted = Specialization::default();
    wanted.fold = recipe.once_in(2);
    wanted.all_defaults = recipe.once_in(2);
    for constant in spec_constants(&module) {
        match recipe.byte() % 4 {
            0 => {
                let bits = u64::from(recipe.word()) << 32 | u64::from(recipe.word());
                wanted.values.push((constant.id, bits));
            }
            1 => wanted.freeze.push(constant.id),
            _ => {}
        }
    }
    // One id may be defined by several instructions, and so be given twice.
    if specialize(&mut module, &wanted).is_ok() {
        stored(&module);
    }
    let wanted = Specialization::default().all_defaults(true);
    if specialize(&mut module, &wanted).is_ok() {
        stored(&module);
    }
}

/// A module follows a recipe of [`RECIPE`] bytes for two others like it. Linked they
/// can be stored and loaded, or every error has a message.
pub fn linked_modules(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    if let Ok((words, _)) = words_from_bytes(module) {
        link_words(&words, recipe);
    }
}

/// The same with words and a recipe of any length.
pub fn link_words(words: &[u32], recipe: &[u8]) {
    let (first, second) = recipe.split_at(recipe.len() / 2);
    let mut options = Options::default();
    let flags = recipe.first().copied().unwrap_or(0);
    options.create_library = flags & 1 != 0;
    options.allow_partial_linkage = flags & 2 != 0;
    options.use_highest_version = flags & 4 != 0;
    options.allow_pointer_mismatch = flags & 8 != 0;
    let modules = [first, second].map(|recipe| Module::load(&mutate(words, recipe)));
    let [Ok(first), Ok(second)] = &modules else {
        return;
    };
    let inputs = [("first", first), ("second", second)];
    let inputs = inputs.map(|(name, module)| Input { name, module });
    for inputs in [&inputs[..], &inputs[..1]] {
        match link(inputs, &options) {
            Ok(module) => stored(&module),
            Err(errors) => {
                assert!(!errors.is_empty(), "refused without a reason");
                assert!(errors.iter().all(|error| !error.to_string().is_empty()));
            }
        }
    }
}

/// A module follows a recipe of [`RECIPE`] bytes for changes to it. Stripped, pruned,
/// trimmed and with other ids it can be stored and loaded.
pub fn reduced_module(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    if let Ok((words, _)) = words_from_bytes(module) {
        reduce_words(&mutate(&words, recipe));
    }
}

/// The same with words.
pub fn reduce_words(words: &[u32]) {
    let Ok(module) = Module::load(words) else {
        return;
    };
    let changes: [fn(&mut Module); 4] = [
        |module| {
            strip(module, &Strip::DEBUG);
        },
        |module| {
            prune(module, &Prune::default());
        },
        |module| {
            trim_capabilities(module, &Trim::default().base(true));
        },
        |module| {
            // It refuses modules with instructions that it doesn't know.
            let _ = compact_ids(module);
        },
    ];
    for change in changes {
        let mut module = module.clone();
        change(&mut module);
        stored(&module);
    }
}

/// A module follows a recipe of [`RECIPE`] bytes for two others like it. Merged they can
/// be stored and loaded and have the entry points of both, or every error has a message.
pub fn merged_modules(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    let mut recipe = Recipe::new(recipe);
    let words = [Side::First, Side::Second].map(|side| changed(&mut recipe, module, side));
    let [Some(first), Some(second)] = words.map(|words| Module::load(&words?).ok()) else {
        return;
    };
    let inputs = [("first", &first), ("second", &second)];
    let inputs = inputs.map(|(name, module)| Input { name, module });
    match merge(&inputs) {
        Ok(merged) => {
            stored(&merged);
            let count = |module| entry_points(module).len();
            assert_eq!(count(&merged), count(&first) + count(&second));
        }
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without a reason");
            assert!(errors.iter().all(|error| !error.to_string().is_empty()));
        }
    }
}

/// How many entry points are taken out of a module.
const SPLIT: usize = 8;

/// A module follows a recipe of [`RECIPE`] bytes for changes to it. What is left when one
/// entry point is kept can be stored and loaded, is no larger, and has that entry point.
pub fn split_module(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    let words = changed(&mut Recipe::new(recipe), module, Side::First);
    let Some(Ok(module)) = words.map(|words| Module::load(&words)) else {
        return;
    };
    let size = module.store().len();
    let is_entry_point = |op: Op| op.is_entry_point();
    let instructions = module.instructions();
    let everywhere = instructions.filter(|&inst| is_entry_point(module.op(inst)));
    let has_misplaced = everywhere.count() > entry_points(&module).len();
    for entry_point in entry_points(&module).iter().take(SPLIT) {
        let shown = entry_point.to_string();
        let mut part = module.clone();
        keep_entry_point(&mut part, entry_point);
        stored(&part);
        assert!(part.store().len() <= size, "{shown}");
        let left: Vec<String> = entry_points(&part)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert!(left.contains(&shown), "{shown}: {left:?}");
        // One that stands behind a function comes to light when that goes.
        assert!(left.len() == 1 || has_misplaced, "{shown}: {left:?}");
        // Some entry points have the same name, and some the same model as well.
        let _ = find_entry_point(&module, &entry_point.name, Some(entry_point.model));
    }
}
