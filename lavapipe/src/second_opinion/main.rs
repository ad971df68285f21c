//! Runs compute shaders by the interpreter and on a Vulkan driver, and compares all memory that
//! they leave, byte for byte.
//!
//! Each script or module runs in a process of its own, because drivers crash.

mod compare;
mod known;
mod modules;
mod needs;
mod random;
mod scripts;
mod suite;
mod table;
mod translate;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use clap::Parser;
use compare::Compared;
use spirvkit_lavapipe::Driver;

/// Compare what compute shaders give here and on a Vulkan driver
///
/// The last line counts what agrees, what differs for a known reason, what differs, what can't
/// be compared, and what crashes the driver.
#[derive(Debug, Parser)]
#[command(
    after_help = "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation checks the calls of the driver."
)]
struct Arguments {
    /// Scripts of Amber, modules (.spv, .spvasm), and directories of them
    inputs: Vec<PathBuf>,
    /// Run only those whose path contains this
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,
    /// Run this many programs made at random, too
    #[arg(long, value_name = "N", default_value_t = 0)]
    random: u64,
    /// The first of them
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Print these programs instead
    #[arg(long)]
    show: bool,
    /// Run this many processes at a time
    #[arg(short, long, value_name = "N", default_value_t = 2)]
    jobs: usize,
    /// Give up one after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    timeout: u64,
    /// Also run what needs something that the driver doesn't offer
    #[arg(long)]
    anyway: bool,
    /// The reasons that are known [default: `known.json` of this package]
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,
    /// Write the figures and all differences as a table into this file
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Print what is skipped, too
    #[arg(long)]
    verbose: bool,
    /// Run these in this process, and print what comes of each as JSON
    #[arg(long, hide = true)]
    here: bool,
}

/// The extensions of scripts and modules.
const EXTENSIONS: &[&str] = &["amber", "vkscript", "spv", "spvasm"];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    if arguments.here {
        return here(&arguments);
    }
    let mut names = Vec::new();
    for input in &arguments.inputs {
        if input.to_string_lossy().starts_with(random::PREFIX) {
            names.push(input.to_string_lossy().into_owned());
            continue;
        }
        collect(input, true, &mut names)?;
    }
    names.sort();
    names.retain(|name| {
        let filters = &arguments.filter;
        filters.is_empty() || filters.iter().any(|it| name.contains(it.as_str()))
    });
    let last = arguments.seed + arguments.random;
    names.extend((arguments.seed..last).map(|seed| format!("{}{seed}", random::PREFIX)));
    if arguments.show {
        let driver = Driver::open()?;
        let programs = names.iter().filter(|name| name.starts_with(random::PREFIX));
        programs.for_each(|name| println!("{}", random::text(&driver, name)));
        return Ok(());
    }
    suite::run(&arguments, names)
}

/// All scripts and modules below a path.
fn collect(path: &Path, is_given: bool, names: &mut Vec<String>) -> std::io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            collect(&entry?.path(), false, names)?;
        }
        return Ok(());
    }
    let extension = path.extension().and_then(|it| it.to_str());
    if is_given || extension.is_some_and(|it| EXTENSIONS.contains(&it)) {
        names.push(path.to_string_lossy().into_owned());
    }
    Ok(())
}

/// Compares each input, one after the other.
fn here(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let driver = Driver::open()?;
    let started = Arc::new(AtomicU64::new(0));
    watch(Arc::clone(&started), arguments.timeout);
    for path in &arguments.inputs {
        started.fetch_add(1, Ordering::Relaxed);
        let name = path.to_string_lossy();
        let mut compared = match () {
            () if name.starts_with(random::PREFIX) => random::compare(&driver, &name),
            () if name.ends_with("amber") || name.ends_with("vkscript") => {
                scripts::compare(&driver, path, arguments.anyway)
            }
            () => modules::compare(&driver, path, arguments.anyway),
        };
        compared.device = driver.name.clone();
        println!("{}", serde_json::to_string(&compared)?);
    }
    Ok(())
}

/// Ends the process when one input takes too long, which a driver can't be told to.
fn watch(started: Arc<AtomicU64>, seconds: u64) {
    std::thread::spawn(move || {
        let mut last = (0, 0);
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let now = started.load(Ordering::Relaxed);
            last = if last.0 == now {
                (now, last.1 + 1)
            } else {
                (now, 0)
            };
            if last.1 >= seconds {
                let mut compared = Compared {
                    has_given_up: true,
                    ..Compared::default()
                };
                compared.skip(format!("it takes more than {seconds} seconds"));
                println!("{}", serde_json::to_string(&compared).unwrap_or_default());
                // Nothing of the driver is asked any more.
                std::process::abort();
            }
        }
    });
}
