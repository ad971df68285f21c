//! The peak memory of a process that does one thing.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use spirvkit::binary::Id;
use spirvkit::ir::Module;
use spirvkit::{AssembleOptions, DisassembleOptions, Endianness, bytes_from_words};
use spirvkit_bench::shapes::SHAPES;
use spirvkit_bench::synthetic;

use crate::scaling::beyond_limits;

/// The size of the module. It is so large that the process's own needs don't
/// matter.
const BYTES: usize = 100_000_000;

/// The modules with much of one thing are so much larger than for taking times.
pub(crate) const TIMES: usize = 4;

/// What a process needed.
pub(crate) struct Peak {
    pub(crate) work: &'static str,
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) peak: u64,
}

/// Has this program run anew for each kind of work, with a large module.
pub(crate) fn peaks() -> Result<Vec<Peak>, Box<dyn Error>> {
    eprintln!("Memory …");
    let folder = env::temp_dir();
    let process = std::process::id();
    let module = folder.join(format!("spirvkit-bench-{process}.spv"));
    let text = folder.join(format!("spirvkit-bench-{process}.spvasm"));
    let words = synthetic::module(BYTES);
    fs::write(&module, bytes_from_words(&words, Endianness::Little))?;
    let raw = DisassembleOptions::default().friendly_names(false);
    let disassembled = spirvkit::disassemble(&words, &raw);
    fs::write(
        &text,
        disassembled
            .map_err(|_| "the synthetic module is malformed")?
            .text,
    )?;
    let peaks = [
        child(
            "Disassemble, friendly names",
            "--peak-disassembling",
            &module,
        ),
        child("Assemble", "--peak-assembling", &text),
        child("Validate", "--peak-validating", &module),
        child("Load to change, with all uses", "--peak-loading", &module),
    ];
    fs::remove_file(&module)?;
    fs::remove_file(&text)?;
    peaks.into_iter().collect()
}

/// Has this program run anew to validate each of the made-up modules that have very
/// much of one thing: [`TIMES`] as many as their times are taken with.
pub(crate) fn growth_peaks() -> Result<Vec<Peak>, Box<dyn Error>> {
    eprintln!("Validation's memory …");
    let file = env::temp_dir().join(format!("spirvkit-bench-{}.spv", std::process::id()));
    let mut peaks = Vec::new();
    for shape in SHAPES {
        let words = (shape.make)(shape.count * TIMES);
        fs::write(&file, bytes_from_words(&words, Endianness::Little))?;
        let peak = child(shape.name, "--peak-validating", &file);
        fs::remove_file(&file)?;
        peaks.push(peak?);
    }
    Ok(peaks)
}

fn child(work: &'static str, flag: &str, file: &Path) -> Result<Peak, Box<dyn Error>> {
    let output = Command::new(env::current_exe()?)
        .arg(flag)
        .arg(file)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let text = String::from_utf8(output.stdout)?;
    let numbers: Vec<u64> = text
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    let &[input, output, peak] = numbers.as_slice() else {
        return Err(format!("the child process said {text:?}").into());
    };
    Ok(Peak {
        work,
        input,
        output,
        peak,
    })
}

/// The child's part: prints the size of the input, that of the output, and the
/// peak of the memory.
pub(crate) fn disassemble_and_tell(file: &Path) -> Result<(), Box<dyn Error>> {
    let input = fs::read(file)?;
    let output = spirvkit::disassemble_bytes(&input, &DisassembleOptions::default());
    let output = black_box(output.map_err(|_| "the module is malformed")?);
    println!("{} {} {}", input.len(), output.text.len(), peak_bytes()?);
    Ok(())
}

/// The same for assembling.
pub(crate) fn assemble_and_tell(file: &Path) -> Result<(), Box<dyn Error>> {
    let input = fs::read_to_string(file)?;
    let output = spirvkit::assemble(&input, &AssembleOptions::default());
    let output = black_box(output.map_err(|_| "the text is malformed")?);
    println!(
        "{} {} {}",
        input.len(),
        output.words.len() * 4,
        peak_bytes()?
    );
    Ok(())
}

/// The same for validating, which has no output to speak of.
pub(crate) fn validate_and_tell(file: &Path) -> Result<(), Box<dyn Error>> {
    let (words, _) = spirvkit::words_from_bytes(&fs::read(file)?)?;
    let report = black_box(spirvkit::validate(&words, &beyond_limits()));
    if !report.is_valid() {
        return Err(format!("the module is not valid: {report:?}").into());
    }
    println!("{} 0 {}", words.len() * 4, peak_bytes()?);
    Ok(())
}

/// The same for loading a module to change.
pub(crate) fn load_and_tell(file: &Path) -> Result<(), Box<dyn Error>> {
    let (words, _) = spirvkit::words_from_bytes(&fs::read(file)?)?;
    let bytes = words.len() * 4;
    let module = Module::from_words(words)?;
    black_box(module.is_used(Id(1)));
    println!("{bytes} 0 {}", peak_bytes()?);
    Ok(())
}

/// The peak of this process's resident memory, as Linux tells it.
fn peak_bytes() -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next());
    Ok(kilobytes
        .ok_or("the system doesn't tell the peak")?
        .parse::<u64>()?
        * 1024)
}
