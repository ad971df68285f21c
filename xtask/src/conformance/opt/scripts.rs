//! Amber's scripts, with their modules changed before they run.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use spirvkit::amber::{
    CompileError, Compiler, Dispatched, FileFormat, Host, Language, RunOptions, Script, Source,
    Verdict, parse, run,
};

use super::subject::{Care, Left, Transform};
use super::{bytes, digest};

/// The compilers, and where what they made is kept.
pub(super) struct Compilers {
    shaders: Result<Compiler, String>,
    kernels: Result<Compiler, String>,
    kept: PathBuf,
}

impl Compilers {
    /// Those on the `PATH`.
    pub(super) fn new(kept: PathBuf) -> Self {
        Self {
            shaders: Compiler::find(None),
            kernels: Compiler::find_clang(None),
            kept,
        }
    }

    fn compile(&self, source: &Source<'_>) -> Result<Vec<u32>, CompileError> {
        let program = match source.language {
            Language::OpenClC => self.kernels.as_ref(),
            _ => self.shaders.as_ref(),
        };
        let program = program.map_err(|why| CompileError::NoCompiler(why.clone()))?;
        let key = program.key(source);
        let name = format!("{:016x}-{}.spv", digest(&key), key.len());
        let file = self.kept.join(name);
        if let Ok(kept) = fs::read(&file)
            && let Ok((words, _)) = spirvkit::words_from_bytes(&kept)
        {
            return Ok(words);
        }
        let words = program.compile(source)?;
        // What can't be kept is compiled again.
        let _ = fs::write(file, bytes(&words));
        Ok(words)
    }
}

/// What a script needs, and what it leaves.
struct Stage<'s> {
    folder: PathBuf,
    compilers: &'s Compilers,
    transform: Transform<'s>,
    left: RefCell<Left>,
    failure: RefCell<Option<String>>,
}

impl Host for Stage<'_> {
    fn read_file(&self, format: FileFormat, path: &str) -> Result<Vec<u8>, String> {
        match format {
            FileFormat::Png => Err("pictures can't be read".to_owned()),
            _ => fs::read(self.folder.join(path)).map_err(|error| error.to_string()),
        }
    }

    fn compile(&self, source: &Source<'_>) -> Result<Vec<u32>, CompileError> {
        self.compilers.compile(source)
    }

    fn replacement(&self, words: &[u32]) -> Option<Vec<u32>> {
        match (self.transform)(words) {
            Ok(changed) => Some(changed),
            Err(why) => {
                self.failure.borrow_mut().get_or_insert(why);
                None
            }
        }
    }

    fn compares(&self) -> bool {
        true
    }

    fn dispatched(&self, run: Result<&Dispatched<'_>, &str>) {
        let Ok(run) = run else {
            return;
        };
        let results = &mut self.left.borrow_mut().results;
        for (index, memory) in run.memories.iter().enumerate() {
            results.push((format!("memory {index}"), memory.after.clone()));
        }
    }
}

/// A script in a file.
pub(super) struct ScriptFile {
    folder: PathBuf,
    script: Script,
}

impl ScriptFile {
    /// The script, if it is one.
    pub(super) fn read(file: &Path) -> Result<Self, String> {
        let text = fs::read(file).map_err(|error| error.to_string())?;
        let script = parse(&String::from_utf8_lossy(&text));
        Ok(Self {
            folder: file.parent().map_or_else(PathBuf::new, Path::to_path_buf),
            script: script.map_err(|_| "the script is wrong".to_owned())?,
        })
    }

    /// Runs it with its modules changed.
    pub(super) fn run(
        &self,
        compilers: &Compilers,
        subgroup_size: u32,
        transform: Transform<'_>,
        care: Care,
    ) -> Result<Left, String> {
        let stage = Stage {
            folder: self.folder.clone(),
            compilers,
            transform,
            left: RefCell::default(),
            failure: RefCell::default(),
        };
        let is_thorough = care == Care::Thorough;
        let options = RunOptions::default()
            .subgroup_size(subgroup_size)
            .race(is_thorough)
            .undefined_results(is_thorough);
        let report = run(&self.script, &options, &stage);
        if let Some(why) = stage.failure.take() {
            return Err(why);
        }
        if report.verdict == Verdict::Skipped {
            let reason = report.reasons.first();
            return Err(reason.map_or_else(String::new, |it| it.message().to_owned()));
        }
        let mut left = stage.left.take();
        let reasons = report.reasons.iter().map(|it| it.message());
        let said: Vec<&str> = [report.verdict.name()].into_iter().chain(reasons).collect();
        left.results
            .push(("#the verdict".to_owned(), said.join("; ").into_bytes()));
        left.findings = report
            .findings
            .iter()
            .map(|it| it.rule().to_owned())
            .collect();
        Ok(left)
    }
}
