//! SPIR-V modules to load, inspect, change and build.
//!
//! [`Module`] owns a module: it loads it, loses nothing of it, and stores it. Handles
//! identify functions, blocks and instructions. Instructions are read as borrowed
//! [`Instruction`](spirvkit_binary::Instruction)s, and changed by the module's methods, which
//! keep definitions, uses of ids and source lines up to date:
//!
//! | to | there is |
//! |---|---|
//! | load, store | [`Module::load`], [`Module::store`] |
//! | walk | [`Module::instructions`], [`Module::functions`], [`Module::blocks`], [`Module::block_instructions`] |
//! | ask | [`Module::definition`], [`Module::type_of`], [`Module::operand_id`], [`Lookup`] for types and constants, [`Module::uses`], [`Module::line`]; [`Module::get`] reads a whole instruction |
//! | insert with typed calls, and get types and constants by value | [`Module::edit`] |
//! | change instructions | [`Module::replace_with`], [`Module::replace_uses`], [`Module::erase`], [`Module::remove`], [`Module::move_to`], [`Module::renumber`]; word by word, [`Module::insert`], [`Module::replace`], [`Module::set_word`] |
//! | change blocks and functions | [`Module::add_block`], [`Module::split_block`], [`Module::merge_blocks`], [`Module::remove_block`], [`Module::add_function`], [`Module::remove_function`] |
//! | make a new one | [`builder::Builder`] |
//! | check the module's own data | [`Module::verify`] |
//!
//! Nothing here checks whether the module is valid; `spirvkit-validate` does.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]
#![deny(missing_docs)]
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::print_stdout,
        clippy::print_stderr,
        clippy::exit
    )
)]

mod attached;
mod blocks;
pub mod builder;
mod edit;
mod handles;
mod interned;
mod lines;
mod module;
mod queries;
mod renumber;
mod uses;
mod verify;
mod walk;

pub use attached::About;
pub use edit::{EditError, Place};
pub use handles::{Block, Function, Inst};
pub use module::Module;
pub use spirvkit_analysis::Lookup;
pub use uses::Use;
pub use verify::Inconsistency;
