//! `cargo xtask conformance`: our results against those of the reference tools.

mod agreement;
mod alarms;
mod amber;
mod archive;
mod corpus;
mod devices;
mod diff;
mod dwarf;
mod kernels;
mod layouts;
mod litmus;
mod modules;
mod opt;
mod pipelines;
mod precision;
mod races;
mod records;
mod reflect;
mod sample;
mod text;
mod transforms;
mod val;

use std::path::PathBuf;

use clap::Subcommand;

use crate::Outcome;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// The assembler and the disassembler against recorded runs.
    Text {
        /// The recorded cases, as `.jsonl` or `.jsonl.zst`.
        records: PathBuf,
        /// How many of the cases that differ to show.
        #[arg(long, default_value_t = 20)]
        show: usize,
    },
    /// The validator against recorded verdicts.
    Val(val::Arguments),
    /// The validator over real modules: no false alarm.
    Alarms(alarms::Arguments),
    /// Amber's scripts: they pass, whatever the size of subgroups.
    Amber(amber::Arguments),
    /// Real modules: round trips, and the text against the reference
    /// disassembler's.
    Corpus(corpus::Arguments),
    /// What modules need of Vulkan devices: exactly what is said.
    Devices(devices::Arguments),
    /// Differences: none to rearranged selves, and few between pairs.
    Diff(diff::Arguments),
    /// Debug information as DWARF: what LLVM's verifier, `addr2line` and `gdb` say of it.
    Dwarf(dwarf::Arguments),
    /// Owned modules: stored as they were loaded.
    Modules(modules::Arguments),
    /// Optimized modules: valid, with the same interface, and small.
    Opt(opt::Arguments),
    /// Optimized modules, run: they give the same as before.
    OptRun(opt::RunArguments),
    /// The optimizer's time: it grows as the module does.
    OptGrowth(opt::GrowthArguments),
    /// Optimized modules in other languages: what could be translated before, still can.
    OptTranslate(opt::TranslateArguments),
    /// Kernels of ggml: they give what plain arithmetic does.
    Kernels(kernels::Arguments),
    /// Layouts that real modules declare against those by rules, and these against the
    /// validator.
    Layouts(layouts::Arguments),
    /// The memory model against litmus tests.
    Litmus(litmus::Arguments),
    /// Stages of pipelines: they fit together, until their interfaces are changed.
    Pipelines(pipelines::Arguments),
    /// Functions of the extended sets against evaluation with more digits, and the engine against
    /// both.
    Precision(precision::Arguments),
    /// Reflection against recorded descriptions of modules.
    Reflect(reflect::Arguments),
    /// The race detector against programs with verdicts of another checker.
    Races(races::Arguments),
    /// Transformations of real modules: what was valid stays valid.
    Transforms(transforms::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    match &arguments.what {
        What::Text { records, show } => text::run(records, *show),
        What::Alarms(arguments) => alarms::run(arguments),
        What::Amber(arguments) => amber::run(arguments),
        What::Val(arguments) => val::run(arguments),
        What::Corpus(arguments) => corpus::run(arguments),
        What::Devices(arguments) => devices::run(arguments),
        What::Diff(arguments) => diff::run(arguments),
        What::Dwarf(arguments) => dwarf::run(arguments),
        What::Modules(arguments) => modules::run(arguments),
        What::Opt(arguments) => opt::run(arguments),
        What::OptRun(arguments) => opt::execution(arguments),
        What::OptGrowth(arguments) => opt::growth(arguments),
        What::OptTranslate(arguments) => opt::translate(arguments),
        What::Kernels(arguments) => kernels::run(arguments),
        What::Layouts(arguments) => layouts::run(arguments),
        What::Litmus(arguments) => litmus::run(arguments),
        What::Pipelines(arguments) => pipelines::run(arguments),
        What::Precision(arguments) => precision::run(arguments),
        What::Reflect(arguments) => reflect::run(arguments),
        What::Races(arguments) => races::run(arguments),
        What::Transforms(arguments) => transforms::run(arguments),
    }
}
