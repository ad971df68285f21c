//! Real modules: nothing may be lost on the way to text and back, and the text
//! must be the reference disassembler's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rayon::prelude::*;
use spirvkit::grammar::{Op, OperandKind};
use spirvkit::{AssembleOptions, DisassembleOptions, Indentation};

use crate::Outcome;

/// A way to disassemble: the reference tool's flags and our options.
type Mode = (&'static [&'static str], fn() -> DisassembleOptions);

const COMMON: &[Mode] = &[
    (&["--raw-id"], || {
        DisassembleOptions::default().friendly_names(false)
    }),
    (&[], DisassembleOptions::default),
];

const THOROUGH: &[Mode] = &[
    (&["--no-header", "--no-indent", "--offsets"], || {
        DisassembleOptions::default()
            .header(false)
            .indentation(Indentation::None)
            .offsets(true)
    }),
    (&["--comment"], || {
        DisassembleOptions::default().comments(true)
    }),
    (&["--nested-indent"], || {
        DisassembleOptions::default().nested_indentation(true)
    }),
    (&["--reorder-blocks"], || {
        DisassembleOptions::default().reorder_blocks(true)
    }),
    (
        &[
            "--nested-indent",
            "--reorder-blocks",
            "--comment",
            "--offsets",
        ],
        || {
            DisassembleOptions::default()
                .nested_indentation(true)
                .reorder_blocks(true)
                .comments(true)
                .offsets(true)
        },
    ),
];

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A folder of `.spv` and `.spvasm` files, searched recursively.
    folder: PathBuf,
    /// The folder with the reference tools; without it, only round trips are
    /// checked.
    #[arg(long)]
    reference: Option<PathBuf>,
    /// Compare with every combination of the disassembler's options that
    /// matters, rather than with the common ones.
    #[arg(long)]
    thorough: bool,
    /// How many of the files can't be assembled or decoded, because they are
    /// malformed on purpose; another number is a failure.
    #[arg(long)]
    unreadable: Option<usize>,
    /// How many of the modules that differ to show.
    #[arg(long, default_value_t = 20)]
    show: usize,
}

/// Checks every module below a folder.
pub(super) fn run(arguments: &Arguments) -> Outcome {
    let Arguments { folder, show, .. } = arguments;
    let reference = arguments.reference.as_deref();
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    let modes: Vec<&Mode> = if arguments.thorough {
        COMMON.iter().chain(THOROUGH).collect()
    } else {
        COMMON.iter().collect()
    };
    let results: Vec<Result<Passed, String>> = files
        .par_iter()
        .map(|file| check(file, reference, &modes))
        .collect();

    let failures: Vec<_> = files
        .iter()
        .zip(&results)
        .filter_map(|(file, result)| Some((file, result.as_ref().err()?)))
        .collect();
    for (file, difference) in failures.iter().take(*show) {
        println!("{}: {difference}\n", file.display());
    }
    let (mut compared, mut malformed, mut not_assembly) = (0, 0, 0);
    for passed in results.iter().flatten() {
        match passed {
            Passed::Module { compared: texts } => compared += texts,
            Passed::Malformed => malformed += 1,
            Passed::NotAssembly => not_assembly += 1,
        }
    }
    println!("{compared} texts equal to the reference's");
    println!(
        "{malformed} modules that can't be decoded, {not_assembly} texts that can't be assembled"
    );
    println!(
        "{} passed, {} failed",
        files.len() - failures.len(),
        failures.len()
    );
    if files.is_empty() {
        return Err(format!("there are no modules below {}", folder.display()).into());
    }
    // Without the reference's word for it, they might have become so.
    let unreadable = malformed + not_assembly;
    if arguments
        .unreadable
        .is_some_and(|expected| expected != unreadable)
    {
        return Err(format!("{unreadable} files could not be read").into());
    }
    match failures.len() {
        0 => Ok(()),
        failed => Err(format!("{failed} modules differ").into()),
    }
}

/// Adds all modules below a folder.
pub(super) fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    collect_with(folder, &["spv", "spvasm"], files)
}

/// Adds all files below a folder that have one of these extensions.
pub(super) fn collect_with(
    folder: &Path,
    extensions: &[&str],
    files: &mut Vec<PathBuf>,
) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let extension = path.extension().and_then(|it| it.to_str());
        if path.is_dir() {
            collect_with(&path, extensions, files)?;
        } else if extension.is_some_and(|it| extensions.contains(&it)) {
            files.push(path);
        }
    }
    Ok(())
}

/// What came of a module that passed.
enum Passed {
    /// It makes the round trip; so many texts are the reference's.
    Module { compared: usize },
    /// It can't be decoded, and makes the round trip as lenient text.
    Malformed,
    /// It is a text that can't be assembled.
    NotAssembly,
}

fn check(file: &Path, reference: Option<&Path>, modes: &[&Mode]) -> Result<Passed, String> {
    let module = match load(file) {
        Ok(module) => module,
        Err(error) if reference.is_some_and(|reference| reference_assembles(reference, file)) => {
            return Err(error);
        }
        Err(_) => return Ok(Passed::NotAssembly),
    };
    let raw = DisassembleOptions::default().friendly_names(false);
    let lenient = disassemble(&module, &raw.clone().lenient(true))?;
    if assemble_text(&lenient)? != module {
        return Err("lenient text and back is not the same".to_owned());
    }
    let text = match disassemble(&module, &raw) {
        Ok(text) => text,
        Err(error) => {
            // Some are malformed on purpose, which the reference must see, too.
            let theirs = reference.map(|reference| reference_text(reference, &[], &module));
            return match theirs.transpose()?.flatten() {
                Some(_) => Err(error),
                None => Ok(Passed::Malformed),
            };
        }
    };
    if assemble_text(&text)? != module {
        return Err("text and back is not the same".to_owned());
    }
    let Some(reference) = reference else {
        return Ok(Passed::Module { compared: 0 });
    };
    let mut compared = 0;
    for (flags, options) in modes {
        // What the reference can't read, it can't tell us about.
        let Some(theirs) = reference_text(reference, flags, &module)? else {
            continue;
        };
        let ours = disassemble(&module, &options())?;
        if let Some((ours, theirs)) = difference(&ours, &theirs) {
            return Err(format!(
                "the text differs with {flags:?}:\n  ours   {ours}\n  theirs {theirs}"
            ));
        }
        compared += 1;
    }
    Ok(Passed::Module { compared })
}

/// The first lines that differ in more than the newer name of something.
fn difference<'t>(ours: &'t str, theirs: &'t str) -> Option<(&'t str, &'t str)> {
    if ours == theirs {
        return None;
    }
    let (mut our_lines, mut their_lines) = (ours.lines(), theirs.lines());
    loop {
        match (our_lines.next(), their_lines.next()) {
            (None, None) => return None,
            (Some(ours), Some(theirs)) if ours == theirs || is_renamed(ours, theirs) => {}
            (ours, theirs) => {
                return Some((ours.unwrap_or("<the end>"), theirs.unwrap_or("<the end>")));
            }
        }
    }
}

/// Whether two lines are the same but for names that the grammar has as aliases
/// of one another: the reference tools may be older than the grammar.
fn is_renamed(ours: &str, theirs: &str) -> bool {
    let same = |(ours, theirs): (&str, &str)| {
        let enumerant = |kind: OperandKind| {
            let value = |name| Some(kind.enumerant_by_name(name)?.value());
            value(ours).is_some() && value(ours) == value(theirs)
        };
        ours == theirs
            || Op::from_name(ours).is_some() && Op::from_name(ours) == Op::from_name(theirs)
            || OperandKind::all().any(enumerant)
    };
    let (ours, theirs) = (ours.split_whitespace(), theirs.split_whitespace());
    ours.clone().count() == theirs.clone().count() && ours.zip(theirs).all(same)
}

/// The module in a file.
pub(super) fn load(file: &Path) -> Result<Vec<u8>, String> {
    let bytes = fs::read(file).map_err(|error| error.to_string())?;
    if file.extension().is_some_and(|extension| extension == "spv") {
        return Ok(bytes);
    }
    assemble_text(&String::from_utf8_lossy(&bytes))
}

fn assemble_text(text: &str) -> Result<Vec<u8>, String> {
    let module = spirvkit::assemble(text, &AssembleOptions::default()).map_err(|errors| {
        let messages: Vec<&str> = errors.iter().map(|error| error.message()).collect();
        format!("does not assemble: {}", messages.join("; "))
    })?;
    Ok(module.to_bytes(Default::default()))
}

fn disassemble(module: &[u8], options: &DisassembleOptions) -> Result<String, String> {
    let result = spirvkit::disassemble_bytes(module, options);
    result.map(|module| module.text).map_err(|errors| {
        let messages: Vec<&str> = errors.iter().map(|error| error.message()).collect();
        format!("does not disassemble: {}", messages.join("; "))
    })
}

/// The reference disassembler's text; `None` if it rejects the module.
fn reference_text(folder: &Path, flags: &[&str], module: &[u8]) -> Result<Option<String>, String> {
    // A file rather than a pipe on both sides can't block.
    let path = std::env::temp_dir().join(format!(
        "spirvkit-conformance-{}-{:?}.spv",
        std::process::id(),
        std::thread::current().id()
    ));
    fs::write(&path, module).map_err(|error| error.to_string())?;
    let output = Command::new(folder.join("spirv-dis"))
        .args(flags)
        .arg(&path)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("the reference disassembler does not run: {error}"));
    let _ = fs::remove_file(&path);
    let output = output?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(output.status.success().then_some(text))
}

fn reference_assembles(folder: &Path, file: &Path) -> bool {
    let mut command = Command::new(folder.join("spirv-as"));
    let status = command
        .arg(file)
        .args(["-o", "-"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}
