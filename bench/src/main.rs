//! The toolkit side by side with other libraries, in one process and one run.

mod competitors;
mod contests;
mod cpp_optimizer;
mod cpp_validator;
mod execution;
mod machine;
mod memory;
mod programs;
mod report;
mod scaling;
mod timing;

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use programs::Programs;
use report::Report;
use spirvkit_bench::corpus::Corpus;

/// Measures the toolkit side by side with other libraries over all `.spv` files
/// of a folder.
#[derive(Parser)]
struct Arguments {
    /// The folder, searched recursively.
    #[arg(required_unless_present_any = ["peak_disassembling", "peak_assembling", "peak_validating", "peak_loading"])]
    folder: Option<PathBuf>,
    /// Write the report to this file as well.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// About how long each comparison may take. One that would need longer runs
    /// over a sample of the modules.
    #[arg(long, default_value_t = 30, value_name = "N")]
    seconds: u64,
    /// Our program [default: `spv` beside this one].
    #[arg(long, value_name = "FILE")]
    spv: Option<PathBuf>,
    /// The folder of `spirv-val`, `spirv-dis` and `spirv-as`, to measure them too.
    #[arg(long, value_name = "FOLDER")]
    classic: Option<PathBuf>,
    /// A folder of modules that their compiler didn't optimize, for optimizing [default: FOLDER].
    #[arg(long, value_name = "FOLDER")]
    unoptimized: Option<PathBuf>,
    /// Measure only the programs, and write no report.
    #[arg(long)]
    only_programs: bool,
    /// Disassemble a file and print the sizes and this process's peak memory.
    #[arg(long, hide = true, value_name = "FILE")]
    peak_disassembling: Option<PathBuf>,
    /// The same for assembling.
    #[arg(long, hide = true, value_name = "FILE")]
    peak_assembling: Option<PathBuf>,
    /// The same for validating.
    #[arg(long, hide = true, value_name = "FILE")]
    peak_validating: Option<PathBuf>,
    /// The same for loading a module to change, with the uses of all ids.
    #[arg(long, hide = true, value_name = "FILE")]
    peak_loading: Option<PathBuf>,
    /// Measure only modules to change, and write no report.
    #[arg(long)]
    only_modules: bool,
    /// Measure only optimizing, and write no report.
    #[arg(long)]
    only_optimizing: bool,
    /// Measure only validation, leave the C++ library out where it takes minutes,
    /// and write no report.
    #[arg(long)]
    only_validation: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    if let Some(file) = &arguments.peak_disassembling {
        return memory::disassemble_and_tell(file);
    }
    if let Some(file) = &arguments.peak_assembling {
        return memory::assemble_and_tell(file);
    }
    if let Some(file) = &arguments.peak_validating {
        return memory::validate_and_tell(file);
    }
    if let Some(file) = &arguments.peak_loading {
        return memory::load_and_tell(file);
    }
    let Some(folder) = &arguments.folder else {
        return Err("no folder".into());
    };
    let corpus = Corpus::load(folder)?;
    let budget = Duration::from_secs(arguments.seconds);
    let has_classic = arguments.classic.is_some();
    let unoptimized = arguments.unoptimized.as_deref();
    let unoptimized = unoptimized.map(Corpus::load).transpose()?;
    let to_optimize = unoptimized.as_ref().unwrap_or(&corpus);
    let mut report = Report::new(
        &corpus,
        unoptimized.as_ref(),
        arguments.seconds,
        has_classic,
    );
    let programs = || Programs::find(arguments.spv.clone(), arguments.classic.clone());
    if arguments.only_programs {
        report.programs(
            &corpus,
            programs::measure(&corpus, &programs()?, budget / 4)?,
        );
        print!("{}", report.finish());
        return Ok(());
    }
    if arguments.only_optimizing {
        report.contest(contests::optimize(to_optimize, budget));
        print!("{}", report.finish());
        return Ok(());
    }
    if arguments.only_validation {
        report.contest(contests::validate(&corpus, budget));
        report.growth(scaling::growth(budget, false));
        print!("{}", report.finish());
        return Ok(());
    }
    if arguments.only_modules {
        report.contest(contests::load(&corpus, budget));
        report.contest(contests::store(&corpus, budget));
        print!("{}", report.finish());
        return Ok(());
    }
    // Before minutes pass for a report that can't be written.
    let programs = programs()?;
    report.contest(contests::decode(&corpus, budget));
    report.contest(contests::load(&corpus, budget));
    report.contest(contests::store(&corpus, budget));
    report.contest(contests::disassemble_friendly(&corpus, budget));
    report.contest(contests::disassemble_raw(&corpus, budget));
    report.contest(contests::disassemble_like_rspirv(&corpus, budget));
    report.contest(contests::assemble(&corpus, budget));
    report.contest(contests::validate(&corpus, budget));
    report.contest(contests::reflect(&corpus, budget));
    report.contest(contests::optimize(to_optimize, budget));
    report.growth(scaling::growth(budget, true));
    report.threads(scaling::two_threads(&corpus, budget / 4));
    report.programs(&corpus, programs::measure(&corpus, &programs, budget / 4)?);
    report.sizes(scaling::sizes(budget / 4));
    report.memory(memory::peaks()?);
    report.growth_memory(memory::growth_peaks()?);
    report.execution(&execution::section(folder, 10, "")?);
    let text = report.finish();
    print!("{text}");
    if let Some(file) = &arguments.write {
        fs::write(file, &text).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(())
}
