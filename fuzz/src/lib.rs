//! Fuzz targets as plain functions.
//!
//! Each function takes any bytes and panics if the toolkit breaks a promise. The
//! targets in `fuzz_targets/` hand them what a fuzzer comes up with; the tests in
//! `tests/` hand them the repository's own samples and pseudo-random mutations
//! of those.
//!
//! [`decode`], [`assemble`], [`disassemble_then_assemble`], [`lenient_round_trip`]
//! and [`validate`] take their bytes as a file. Random bytes seldom get
//! past a module's header, so [`plausible_module`] and [`plausible_text`] take
//! them as a recipe for a module or a text that is nearly right, and check the
//! same promises with that. [`mutated_module`] takes them as a module and a recipe
//! for changes to it. [`load_module`], [`edited_module`], [`specialized_module`],
//! [`linked_modules`] and [`reduced_module`] do the like with the modules that can be changed,
//! [`drawn_module`] with what is drawn of them, [`debug_information`] with what they say of
//! their source, [`compared_modules`] with what is reported of two of them,
//! [`reflected_module`] with reflection, [`optimized_module`] and [`optimized_program`] with what is
//! optimized, [`passed_module`] and [`passed_program`] with passes in any order, [`executed_module`] and [`executed_kernel`] with running
//! them, [`executed_program`], [`raced_program`] and [`explored_program`] with programs that are
//! made for that, [`amber_script`] with scripts of shader tests.
#![deny(missing_docs)]

#[cfg(all(feature = "program", unix))]
mod bounded;
mod builders;
mod checks;
pub mod commands;
mod debug_info;
mod diffs;
mod drawings;
mod edits;
mod executed;
mod executions;
mod layouts;
mod mutate;
mod optimized;
mod passed;
mod plausible;
#[cfg(all(feature = "program", unix))]
mod program;
mod recipe;
mod reflect;
mod reports;
mod scripts;
pub mod shapes;
mod stages;
mod transforms;

#[cfg(all(feature = "program", unix))]
pub use bounded::bounded;
pub use builders::built_module;
pub use checks::{
    assemble, assemble_text, decode, decode_words, disassemble_then_assemble,
    disassemble_words_then_assemble, lenient_round_trip, lenient_round_trip_words, validate,
    validate_words,
};
pub use debug_info::{
    convert_debug_information, converted_debug_information, debug_information,
    debug_information_of_words, dwarf_of_module, dwarf_of_words, positions_and_bindings,
};
pub use diffs::{compare_words, compared_modules, rearranged, verify_diff};
pub use drawings::{draw_words, drawn_module};
pub use edits::{edit_words, edited_module, load_module, load_words};
pub use executed::{
    PROGRAM_GROUPS, executed_program, explored_program, program_buffers, program_text,
    raced_program,
};
pub use executions::{execute_words, executed_kernel, executed_module};
pub use layouts::compared_layouts;
pub use mutate::mutate;
pub use optimized::{optimize_words, optimized_module, optimized_program};
pub use passed::{pass_flag, passed_module, passed_program};
pub use plausible::{module_from, text_from};
#[cfg(all(feature = "program", unix))]
pub use program::{program, run_command};
pub use reflect::{reflect_any, reflected_module};
pub use reports::{shown_instructions, validated_text};
pub use scripts::{amber_script, run_script_text};
pub use stages::{stage_words, staged_modules};
pub use transforms::{
    link_words, linked_modules, merged_modules, reduce_words, reduced_module, specialize_words,
    specialized_module, split_module,
};

#[cfg(feature = "libfuzzer")]
#[global_allocator]
static MEMORY: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

/// Checks all promises about modules with the module that these bytes are a
/// recipe for.
pub fn plausible_module(bytes: &[u8]) {
    let words = module_from(bytes);
    decode_words(&words);
    disassemble_words_then_assemble(&words);
    lenient_round_trip_words(&words);
    validate_words(&words);
}

/// The bytes of a recipe for [`mutated_module`].
pub const RECIPE: usize = 64;

/// Checks the promises about validation with a module, which follows a recipe of
/// [`RECIPE`] bytes for changes to it.
pub fn mutated_module(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    if let Ok((words, _)) = spirvkit::words_from_bytes(module) {
        validate_words(&mutate(&words, recipe));
    }
}

/// Checks all promises about texts with the text that these bytes are a recipe
/// for.
pub fn plausible_text(bytes: &[u8]) {
    assemble_text(&text_from(bytes));
}
