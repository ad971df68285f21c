//! Chores of the repository: `cargo xtask help` lists them.

mod codegen;
#[cfg(feature = "conformance")]
mod conformance;
#[cfg(all(feature = "conformance", unix))]
mod hostile;
#[cfg(feature = "conformance")]
mod opcodes;
mod rules;
mod vulkan;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores of the spirvkit repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Write the grammar tables from the registry's JSON files.
    Codegen(codegen::Arguments),
    #[cfg(feature = "conformance")]
    /// Compare with recorded results of the reference tools.
    Conformance(conformance::Arguments),
    #[cfg(all(feature = "conformance", unix))]
    /// Attack the program with small modules that name large things often.
    Hostile(hostile::Arguments),
    #[cfg(feature = "conformance")]
    /// Write the table of instructions that run into docs/execution.md.
    Opcodes(opcodes::Arguments),
    /// Write what is made of the validator's rules: generated.rs and docs/rules.
    Rules(rules::Arguments),
    /// Write which of Vulkan's rules for modules are checked into docs/vulkan.md.
    Vulkan(vulkan::Arguments),
}

/// What counts allocations.
#[cfg(feature = "memory")]
#[global_allocator]
static MEMORY: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

/// What a chore reports when it fails.
type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let outcome = match Arguments::parse().chore {
        Chore::Codegen(arguments) => codegen::run(&arguments),
        #[cfg(feature = "conformance")]
        Chore::Conformance(arguments) => conformance::run(&arguments),
        #[cfg(all(feature = "conformance", unix))]
        Chore::Hostile(arguments) => hostile::run(&arguments),
        #[cfg(feature = "conformance")]
        Chore::Opcodes(arguments) => opcodes::run(&arguments),
        Chore::Rules(arguments) => rules::run(&arguments),
        Chore::Vulkan(arguments) => vulkan::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
