//! The program over many files, and the classic programs over the same.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, fs};

use spirvkit::{AssembleOptions, DisassembleOptions, Endianness, bytes_from_words};
use spirvkit_bench::corpus::{Corpus, bytes_of};

use crate::contests::vulkan_1_3;
use crate::timing::{Candidate, compare, time};

/// How many modules, from the first by path on.
const MODULES: usize = 700;

/// How often the program runs; the best run counts.
const RUNS: usize = 9;

/// What both take of a module's options.
const ENVIRONMENT: [&str; 2] = ["--target-env", "vulkan1.3"];

/// The programs to measure.
pub(crate) struct Programs {
    /// Ours.
    pub(crate) spv: PathBuf,
    /// The folder of the classic ones.
    pub(crate) classic: Option<PathBuf>,
}

impl Programs {
    /// Those given, or ours beside this program.
    pub(crate) fn find(
        spv: Option<PathBuf>,
        classic: Option<PathBuf>,
    ) -> Result<Self, Box<dyn Error>> {
        let beside = || Some(env::current_exe().ok()?.with_file_name("spv"));
        let spv = spv.or_else(beside).filter(|spv| spv.is_file());
        let missing = "there is no program `spv` beside this one: build it in the same profile, \
                       or name it with `--spv`";
        Ok(Self {
            spv: spv.ok_or(missing)?,
            classic,
        })
    }
}

/// The times over all modules.
pub(crate) struct Row {
    pub(crate) work: &'static str,
    pub(crate) bytes: usize,
    pub(crate) library: Duration,
    pub(crate) program: Duration,
    /// By a process for each file.
    pub(crate) classic: Option<Duration>,
    /// The share of the library's rate that the program is to reach.
    pub(crate) goal: f64,
}

/// How many modules are measured, and their size in bytes.
pub(crate) fn field(corpus: &Corpus) -> (usize, usize) {
    let modules = &corpus.modules[..MODULES.min(corpus.modules.len())];
    (modules.len(), bytes_of(modules))
}

pub(crate) fn measure(
    corpus: &Corpus,
    programs: &Programs,
    budget: Duration,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let folder = Folder::make()?;
    let modules: Vec<&Vec<u32>> = corpus.modules.iter().take(MODULES).collect();
    fs::create_dir(folder.path("modules"))?;
    for (number, words) in modules.iter().enumerate() {
        let file = folder.path("modules").join(format!("{number:05}.spv"));
        fs::write(file, bytes_from_words(words, Endianness::Little))?;
    }
    let options = DisassembleOptions::default();
    let texts: Vec<String> = modules
        .iter()
        .filter_map(|words| Some(spirvkit::disassemble(words, &options).ok()?.text))
        .collect();
    fs::create_dir(folder.path("texts"))?;
    for (number, text) in texts.iter().enumerate() {
        let file = folder.path("texts").join(format!("{number:05}.spvasm"));
        fs::write(file, text)?;
    }
    let validating = vulkan_1_3();
    let assembling = AssembleOptions::default();
    let works = [
        Work {
            name: "`val`",
            command: "val",
            classic: "spirv-val",
            inputs: "modules",
            writes: false,
            goal: 0.85,
            library: Box::new(|| {
                modules.iter().for_each(|words| {
                    std::hint::black_box(spirvkit::validate(words, &validating));
                });
            }),
        },
        Work {
            name: "`dis`",
            command: "dis",
            classic: "spirv-dis",
            inputs: "modules",
            writes: true,
            goal: 0.6,
            library: Box::new(|| {
                modules.iter().for_each(|words| {
                    std::hint::black_box(spirvkit::disassemble(words, &options).is_ok());
                });
            }),
        },
        Work {
            name: "`as`",
            command: "as",
            classic: "spirv-as",
            inputs: "texts",
            writes: true,
            goal: 0.6,
            library: Box::new(|| {
                texts.iter().for_each(|text| {
                    std::hint::black_box(spirvkit::assemble(text, &assembling).is_ok());
                });
            }),
        },
    ];
    let bytes = bytes_of(modules.iter().copied());
    works
        .into_iter()
        .map(|work| work.measure(&folder, programs, bytes, budget))
        .collect()
}

/// Something that the library, our program and a classic program can do.
struct Work<'a> {
    name: &'static str,
    command: &'static str,
    classic: &'static str,
    /// The folder of the inputs.
    inputs: &'static str,
    /// Whether there are outputs, which go to files.
    writes: bool,
    goal: f64,
    library: Box<dyn Fn() + 'a>,
}

impl Work<'_> {
    fn measure(
        self,
        folder: &Folder,
        programs: &Programs,
        bytes: usize,
        budget: Duration,
    ) -> Result<Row, Box<dyn Error>> {
        eprintln!("Program, {} …", self.command);
        let mut program = Duration::MAX;
        for _ in 0..RUNS {
            program = program.min(self.ours(folder, programs)?);
        }
        let classic = match &programs.classic {
            Some(classic) => Some(self.classic(folder, classic)?),
            None => None,
        };
        let library = compare(&mut [Candidate::new("", &self.library)], budget);
        Ok(Row {
            work: self.name,
            bytes,
            library: library.first().map_or(Duration::MAX, |times| times.best),
            program,
            classic,
            goal: self.goal,
        })
    }

    /// One process over the folder, with one job.
    fn ours(&self, folder: &Folder, programs: &Programs) -> Result<Duration, Box<dyn Error>> {
        let mut command = Command::new(&programs.spv);
        command
            .args([self.command, "-j1"])
            .arg(folder.path(self.inputs));
        if self.writes {
            command.arg("-o").arg(folder.empty("outputs")?);
        } else {
            command.args(ENVIRONMENT);
        }
        match run(&mut command)? {
            (took, true) => Ok(took),
            _ => Err(format!("{:?} failed", programs.spv).into()),
        }
    }

    /// A process for each file.
    fn classic(&self, folder: &Folder, programs: &Path) -> Result<Duration, Box<dyn Error>> {
        let outputs = folder.empty("outputs")?;
        fs::create_dir(&outputs)?;
        let mut files: Vec<PathBuf> = fs::read_dir(folder.path(self.inputs))?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        files.sort();
        let mut total = Duration::ZERO;
        for file in files {
            let mut command = Command::new(programs.join(self.classic));
            if self.writes {
                let name = file.file_name().unwrap_or_default();
                command.arg("-o").arg(outputs.join(name));
            } else {
                command.args(ENVIRONMENT);
            }
            // Of what it doesn't know it says so sooner than it would be done.
            let (took, _) = run(command.arg(file))?;
            total += took;
        }
        Ok(total)
    }
}

/// How long a process takes, and whether it succeeds.
fn run(command: &mut Command) -> Result<(Duration, bool), Box<dyn Error>> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut status = None;
    let took = time(|| status = Some(command.status()));
    match status {
        Some(Ok(status)) => Ok((took, status.success())),
        Some(Err(error)) => Err(format!("{:?}: {error}", command.get_program()).into()),
        None => Ok((took, false)),
    }
}

/// A folder for files that are gone in the end.
struct Folder(PathBuf);

impl Folder {
    fn make() -> Result<Self, Box<dyn Error>> {
        let path = env::temp_dir().join(format!("spirvkit-bench-{}", std::process::id()));
        fs::create_dir(&path)?;
        Ok(Self(path))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A folder in it that isn't there yet, or not any more.
    fn empty(&self, name: &str) -> std::io::Result<PathBuf> {
        let path = self.path(name);
        if path.exists() {
            fs::remove_dir_all(&path)?;
        }
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left there is the system's to clear away.
        let _ = fs::remove_dir_all(&self.0);
    }
}
