//! The program's command line, in this process.

mod run;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, OnceLock, PoisonError};

use rustix::fd::OwnedFd;
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use spirvkit::{DisassembleOptions, Endianness, bytes_from_words, disassemble};

use crate::bounded::measured;
use crate::commands::COMMANDS;
use crate::recipe::Recipe;
use crate::shapes::{Side, changed};
use crate::{RECIPE, mutate};
pub use run::run_command;

/// Bytes that may be written, and that may be allocated at once: so many for each of the
/// input, and so many more.
const OUTPUT: (u64, u64) = (64, 17 << 20);
const MEMORY: (u64, u64) = (64, 64 << 20);

/// Options that may be added to any command line; most commands refuse most of them.
const OPTIONS: &[&str] = &[
    "--format=json",
    "--format=human",
    "--format=html",
    "--format=sarif",
    "--raw-id",
    "--color=always",
    "--max-errors=1",
    "--max-errors=18446744073709551615",
    "-U18446744073709551615",
    "-U0",
    "--full",
    "--with-id-map",
    "--lenient",
    "--annotate",
    "--source",
    "--nested-indent",
    "--reorder-blocks",
    "--offsets",
    "--comment",
    "--jobs=2",
    "--dry-run",
    "-v",
    "--fold",
    "--prune",
    "--set=0=1",
    "--set=%5=4294967295",
    "--freeze=0",
    "--target-env=opencl2.2",
    "--deny-warnings",
    "--big-endian",
    "--in-place",
    "--force",
    "--rules=scalar",
    "--function=main",
    "--hide-debug",
    "--to=101",
    "--color",
    "--no-indent",
    "--no-header",
    "--preserve-numeric-ids",
    "--create-library",
    "--verify-ids",
    "a.spvasm",
    "b.spv",
    "missing.spv",
    "-",
    ".",
    "--",
    "%1",
    "main",
];

/// The commands that established tools have, too, under their own names.
const ESTABLISHED: &[&str] = &["as", "diff", "dis", "link", "val"];

/// A module follows a recipe of [`RECIPE`] bytes for a command line and for changes to the
/// module. Whatever comes of it, the program ends in order, writes no more than is in
/// proportion, and sends nothing to a terminal that could act on it.
pub fn program(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    run_program(&mut Recipe::new(recipe), module);
}

/// What is redirected is the process's, so there is one run at a time.
static RUNNING: Mutex<()> = Mutex::new(());

fn run_program(recipe: &mut Recipe<'_>, module: &[u8]) {
    let _one = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let command = COMMANDS[recipe.below(COMMANDS.len())];
    let folder = work_folder();
    let (input, module_size) = inputs(recipe, module, &folder);
    let mut words = command.arguments(module_size);
    while recipe.once_in(3) {
        let option = OPTIONS[recipe.below(OPTIONS.len())];
        let place = 1 + recipe.below(words.len());
        words.insert(place, option.to_owned());
    }
    let mut name = "spv".to_owned();
    if ESTABLISHED.contains(&&*words[0]) && recipe.once_in(4) {
        name = format!("spirv-{}", words.remove(0));
    }
    words.insert(0, name);
    check(&folder, &words, input);
}

/// Runs the program, and checks that it ends in order and takes no more than is in proportion to
/// its input.
fn check(folder: &Path, words: &[String], input: u64) {
    let ran = redirected(folder, words);
    let shown = || format!("{words:?}: {}", String::from_utf8_lossy(&ran.stderr));
    assert!(ran.code <= 2, "{}", shown());
    assert!(
        ran.code != 0 || !ran.stderr.starts_with(b"error"),
        "{}",
        shown()
    );
    let written =
        ran.stdout.len() as u64 + ran.stderr.len() as u64 + size_below(&folder.join("out"));
    let most = |(times, more)| times * input + more;
    assert!(
        written <= most(OUTPUT),
        "{words:?}: {written} bytes are written for {input}"
    );
    assert!(
        ran.memory <= most(MEMORY),
        "{words:?}: {} bytes are held for {input}",
        ran.memory
    );
    // Messages are always for people, and text in colour always for terminals.
    assert_harmless(&ran.stderr, words);
    if words
        .iter()
        .any(|word| word == "--color=always" || word == "--color")
    {
        assert_harmless(&ran.stdout, words);
    }
}

/// Writes the files that command lines name. Gives the bytes in all of them, and in the
/// module.
fn inputs(recipe: &mut Recipe<'_>, module: &[u8], folder: &Path) -> (u64, u64) {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder.join("out")).expect("a folder to write to");
    let a = changed(recipe, module, Side::First).unwrap_or_default();
    let b = match recipe.once_in(3) {
        true => mutate(
            &a,
            &[recipe.byte(), recipe.byte(), recipe.byte(), recipe.byte()],
        ),
        false => changed(recipe, module, Side::Second).unwrap_or_default(),
    };
    let endianness = match recipe.once_in(8) {
        true => Endianness::Big,
        false => Endianness::Little,
    };
    let binary = bytes_from_words(&a, endianness);
    let options = DisassembleOptions::default().lenient(true);
    let raw = options.friendly_names(recipe.once_in(4));
    let text = disassemble(&a, &raw).map_or_else(|_| String::new(), |it| it.text);
    let form = match recipe.below(8) {
        0 => text.clone().into_bytes(),
        1 => hexadecimal(&a).into_bytes(),
        2 => utf_16(&text),
        3 => module.to_vec(),
        _ => binary,
    };
    let files = [
        ("a.spv", form),
        ("b.spv", bytes_from_words(&b, Endianness::Little)),
        ("a.spvasm", text.into_bytes()),
    ];
    let size = |name: &str| {
        files
            .iter()
            .find(|(it, _)| *it == name)
            .map_or(0, |it| it.1.len())
    };
    for (name, content) in &files {
        fs::write(folder.join(name), content).expect("a file to write to");
    }
    let all: usize = files.iter().map(|(_, content)| content.len()).sum();
    (all as u64, size("a.spv") as u64)
}

/// The words as text, as other tools write them.
fn hexadecimal(words: &[u32]) -> String {
    words
        .iter()
        .map(|word| format!("0x{word:08x},\n"))
        .collect()
}

fn utf_16(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

/// What came of a run.
struct Ran {
    code: u8,
    /// The most bytes that were allocated at once.
    memory: u64,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

/// A folder of this process, which is also where it works.
fn work_folder() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let make = || {
        let folder = std::env::temp_dir().join(format!("spirvkit-program-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder to work in");
        folder
    };
    FOLDER.get_or_init(make).clone()
}

/// The standard streams, and where the process works, as it was started.
struct Streams {
    home: PathBuf,
    stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

fn streams() -> &'static Streams {
    static STREAMS: OnceLock<Streams> = OnceLock::new();
    STREAMS.get_or_init(|| Streams {
        home: std::env::current_dir().expect("a current folder"),
        stdin: rustix::io::dup(rustix::stdio::stdin()).expect("standard input"),
        stdout: rustix::io::dup(rustix::stdio::stdout()).expect("standard output"),
        stderr: rustix::io::dup(rustix::stdio::stderr()).expect("standard error"),
    })
}

fn restore() {
    let streams = streams();
    let _ = std::env::set_current_dir(&streams.home);
    let _ = dup2_stdin(&streams.stdin);
    let _ = dup2_stdout(&streams.stdout);
    let _ = dup2_stderr(&streams.stderr);
}

/// Runs the program, whose name comes first, with its streams in files, and its relative
/// paths below the folder.
fn redirected(folder: &Path, words: &[String]) -> Ran {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        streams();
        let hook = std::panic::take_hook();
        // What a panic says is not the program's output.
        std::panic::set_hook(Box::new(move |info| {
            restore();
            hook(info);
        }));
    });
    let [stdout, stderr] = ["stdout", "stderr"].map(|name| folder.join(name));
    let create = |path: &Path| File::create(path).expect("a file to write to");
    std::env::set_current_dir(folder).expect("the folder is there");
    let _ = dup2_stdin(File::open(folder.join("a.spv")).expect("a file"));
    let _ = dup2_stdout(create(&stdout));
    let _ = dup2_stderr(create(&stderr));
    let (code, memory) = measured(|| spirvkit_cli::run(words.iter().map(OsString::from)));
    let _ = io::stdout().flush();
    restore();
    let read = |path: &Path| fs::read(path).unwrap_or_default();
    Ran {
        code,
        memory: memory as u64,
        stdout: read(&stdout),
        stderr: read(&stderr),
    }
}

fn size_below(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size_below(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}

/// Checks that nothing in a text acts on a terminal but colours.
fn assert_harmless(text: &[u8], words: &[String]) {
    let text = std::str::from_utf8(text).unwrap_or_else(|error| panic!("{words:?}: {error}"));
    let mut rest = text;
    while let Some(at) = rest.find(spirvkit::diagnostics::is_disruptive) {
        rest = &rest[at..];
        let length = match rest.strip_prefix("\u{1b}[") {
            Some(codes) => codes
                .find(|c: char| !c.is_ascii_digit() && c != ';')
                .filter(|&end| codes[end..].starts_with('m'))
                .map(|end| end + 3),
            None => rest.starts_with(['\n', '\t']).then_some(1),
        };
        let length = length.unwrap_or_else(|| {
            let shown: String = rest.chars().take(40).collect();
            panic!("{words:?}: {shown:?}")
        });
        rest = &rest[length..];
    }
}
