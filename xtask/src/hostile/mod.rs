//! `cargo xtask hostile`: what the program takes for modules that name large things often.
//!
//! Each shape of module is made in several sizes and given to each command of the program,
//! in each format. Memory, processor time and what is written must stay in proportion.

mod measure;
mod table;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use spirvkit::{Endianness, bytes_from_words};
use spirvkit_fuzz::commands::{COMMANDS, Command};
use spirvkit_fuzz::shapes::{Shape, Side};

use crate::Outcome;
use measure::{Cost, measure};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The sizes of modules, in bytes: each some times the last.
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = size, default_value = "64K,256K,1M")]
    sizes: Vec<u64>,
    /// Only the shapes whose names contain this.
    #[arg(long, value_name = "NAME")]
    shape: Option<String>,
    /// Only the commands that contain this.
    #[arg(long, value_name = "NAME")]
    command: Option<String>,
    /// Leave out pairs of a shape and a command, each given as the start of `SHAPE:
    /// COMMAND` in a line of this file.
    #[arg(long, value_name = "FILE")]
    except: Option<PathBuf>,
    /// Take about one in so many pairs of a shape and a command: always the same ones.
    #[arg(long, value_name = "N", default_value_t = 1)]
    sample: u64,
    /// Print what each shape and each command took at most.
    #[arg(long)]
    table: bool,
    /// Write what each run took to this file.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Only write the modules to this folder, as SHAPE-SIZE-a.spv and SHAPE-SIZE-b.spv.
    #[arg(long, value_name = "DIR")]
    modules: Option<PathBuf>,
    /// The program [default: `spv` beside this one].
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// Reads `64K`, `1M` or a number of bytes.
fn size(text: &str) -> Result<u64, String> {
    let (digits, factor) = match text.as_bytes().last() {
        Some(b'K') => (&text[..text.len() - 1], 1 << 10),
        Some(b'M') => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    let number: u64 = digits.parse().map_err(|_| "not a size".to_owned())?;
    Ok(number * factor)
}

/// A run: what it took, and what is wrong with that.
struct Run {
    shape: &'static Shape,
    command: &'static Command,
    /// The size that was asked for.
    size: u64,
    cost: Cost,
    breaches: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    if let Some(folder) = &arguments.modules {
        return Ok(write_modules(arguments, folder)?);
    }
    let program = match &arguments.program {
        Some(program) => fs::canonicalize(program)?,
        None => std::env::current_exe()?.with_file_name("spv"),
    };
    if !program.is_file() {
        let program = program.display();
        return Err(format!("{program} is missing: `cargo build --release --bin spv`").into());
    }
    let except = match &arguments.except {
        Some(file) => fs::read_to_string(file)?,
        None => String::new(),
    };
    let folder = std::env::temp_dir().join(format!("spirvkit-hostile-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let mut log: Box<dyn Write> = match &arguments.write {
        Some(file) => Box::new(fs::File::create(file)?),
        None => Box::new(io::sink()),
    };
    let runs = attack(arguments, &program, &folder, &except, &mut log);
    fs::remove_dir_all(&folder)?;
    let runs = runs?;
    if arguments.table {
        print!("{}", table::worst(&runs));
    }
    let breaches: Vec<String> = runs.iter().flat_map(table::breaches).collect();
    println!("{} runs, {} breaches", runs.len(), breaches.len());
    match breaches.is_empty() {
        true => Ok(()),
        false => Err(breaches.join("\n").into()),
    }
}

/// Whether a name contains this part, if there is one.
fn is_wanted(name: &str, part: Option<&str>) -> bool {
    part.is_none_or(|part| name.contains(part))
}

fn wanted_shapes(arguments: &Arguments) -> impl Iterator<Item = &'static Shape> {
    Shape::all().filter(|shape| is_wanted(shape.name, arguments.shape.as_deref()))
}

fn write_module(shape: &Shape, size: u64, side: Side, file: &Path) -> io::Result<u64> {
    let words = shape.words(size as usize, side);
    let bytes = bytes_from_words(&words, Endianness::Little);
    fs::write(file, &bytes)?;
    Ok(bytes.len() as u64)
}

fn write_modules(arguments: &Arguments, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for shape in wanted_shapes(arguments) {
        for &size in &arguments.sizes {
            for (letter, side) in [("a", Side::First), ("b", Side::Second)] {
                let name = format!("{}-{size}-{letter}.spv", shape.name);
                write_module(shape, size, side, &folder.join(name))?;
            }
        }
    }
    Ok(())
}

/// Runs all that is asked for.
fn attack(
    arguments: &Arguments,
    program: &Path,
    folder: &Path,
    except: &str,
    log: &mut dyn Write,
) -> io::Result<Vec<Run>> {
    writeln!(log, "{}", table::HEADING)?;
    let mut runs = Vec::new();
    for shape in wanted_shapes(arguments) {
        let is_excepted = |command: &Command| {
            let pair = format!("{}: {}", shape.name, command.line);
            let mut lines = except.lines().filter(|line| !line.is_empty());
            lines.any(|line| pair.starts_with(line))
        };
        let mut wanted: Vec<&Command> = COMMANDS
            .iter()
            .filter(|command| is_wanted(command.line, arguments.command.as_deref()))
            .filter(|command| is_sampled(shape, command, arguments.sample))
            .filter(|command| !is_excepted(command))
            .collect();
        let mut last: BTreeMap<&str, Cost> = BTreeMap::new();
        for &size in &arguments.sizes {
            if wanted.is_empty() {
                break;
            }
            let files = Files::make(shape, size, program, folder)?;
            let mut rest = Vec::new();
            for command in wanted {
                let Some(cost) = files.run(command, program, folder) else {
                    rest.push(command);
                    continue;
                };
                let mut breaches = cost.breaches();
                if let Some(before) = last.insert(command.line, cost.clone()) {
                    breaches.extend(cost.growth_since(&before));
                }
                // What is too much here is far too much of what is larger.
                if breaches.is_empty() {
                    rest.push(command);
                }
                let run = Run {
                    shape,
                    command,
                    size,
                    cost,
                    breaches,
                };
                writeln!(log, "{}", table::row(&run))?;
                runs.push(run);
            }
            wanted = rest;
        }
    }
    Ok(runs)
}

/// Whether a sample of one in so many has this pair.
fn is_sampled(shape: &Shape, command: &Command, one_in: u64) -> bool {
    let bytes = shape.name.bytes().chain(command.line.bytes());
    // FNV-1a.
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 32).is_multiple_of(one_in.max(1))
}

/// The inputs of a shape and a size, in files.
struct Files {
    module: u64,
    /// Both of a pair.
    pair: u64,
    /// As assembly text, if it can be written at all.
    text: Option<u64>,
}

impl Files {
    fn make(shape: &Shape, size: u64, program: &Path, folder: &Path) -> io::Result<Self> {
        let write = |name: &str, side| write_module(shape, size, side, &folder.join(name));
        let module = write("a.spv", Side::First)?;
        let pair = module + write("b.spv", Side::Second)?;
        // The text has each name once, as the module does.
        let line = ["dis", "--raw-id", "--lenient", "a.spv", "-o", "a.spvasm"];
        let text = measure(program, &line.map(String::from), folder, module)?;
        let size = || fs::metadata(folder.join("a.spvasm")).map(|file| file.len());
        Ok(Self {
            module,
            pair,
            text: (text.code == Some(0)).then(size).transpose()?,
        })
    }

    /// Runs a command, if there is what it takes.
    fn run(&self, command: &Command, program: &Path, folder: &Path) -> Option<Cost> {
        let out = folder.join("out");
        let _ = fs::remove_dir_all(&out);
        fs::create_dir_all(&out).ok()?;
        let arguments = command.arguments(self.module);
        let input = match arguments.iter().any(|argument| argument == "b.spv") {
            true => self.pair,
            false => self.module,
        };
        let input = match arguments.iter().any(|argument| argument == "a.spvasm") {
            true => self.text?,
            false => input,
        };
        measure(program, &arguments, folder, input).ok()
    }
}
