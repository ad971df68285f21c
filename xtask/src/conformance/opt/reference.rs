//! The reference's optimizer and validator, with what they said kept in files: they take long.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use spirvkit::TargetEnv;

use super::digest;

/// The reference tools in a folder.
pub(super) struct Reference {
    folder: PathBuf,
    flag: &'static str,
    timeout: Duration,
    known: Mutex<Known>,
}

/// What was said before: a line for each answer, with its question and a tab in front.
struct Known {
    answers: HashMap<String, String>,
    file: File,
}

impl Reference {
    /// The tools in a folder, whose answers are kept in another.
    pub(super) fn new(
        folder: &Path,
        flag: &'static str,
        timeout: Duration,
        kept: &Path,
    ) -> io::Result<Self> {
        let path = kept.join("answers.tsv");
        let text = fs::read_to_string(&path).unwrap_or_default();
        let answers = text.lines().filter_map(|line| line.split_once('\t'));
        let answers = answers.map(|(question, answer)| (question.to_owned(), answer.to_owned()));
        Ok(Self {
            folder: folder.to_path_buf(),
            flag,
            timeout,
            known: Mutex::new(Known {
                answers: answers.collect(),
                file: OpenOptions::new().create(true).append(true).open(path)?,
            }),
        })
    }

    /// The answer to a question about a module, from before if there was one.
    fn answer(&self, question: &str, module: &[u8], ask: impl FnOnce() -> String) -> String {
        let question = format!("{question} {:016x} {}", digest(module), module.len());
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = lock().answers.get(&question) {
            return answer.clone();
        }
        let answer = ask().replace(['\t', '\n'], " ");
        let mut known = lock();
        // What can't be kept is asked again.
        let _ = writeln!(known.file, "{question}\t{answer}");
        known.answers.insert(question, answer.clone());
        answer
    }

    /// The size of what the optimizer makes of a module, if that is valid; else why there is none.
    pub(super) fn size(&self, module: &[u8], env: TargetEnv) -> Result<usize, String> {
        let question = format!("opt {} {}", self.flag, env.name());
        let answer = self.answer(&question, module, || match self.optimize(module, env) {
            Ok(size) => size.to_string(),
            Err(why) => why,
        });
        answer.parse().map_err(|_| answer)
    }

    /// What the optimizer makes of a module.
    pub(super) fn optimized(&self, module: &[u8], env: TargetEnv) -> Result<Vec<u8>, String> {
        let input = Temporary::new(Some(module)).map_err(|error| error.to_string())?;
        let output = Temporary::new(None).map_err(|error| error.to_string())?;
        let mut command = Command::new(self.folder.join("spirv-opt"));
        command
            .args([self.flag, &format!("--target-env={}", env.name())])
            .arg(&input.0)
            .arg("-o")
            .arg(&output.0);
        if !succeeds(command, self.timeout)? {
            return Err("the reference fails".to_owned());
        }
        fs::read(&output.0).map_err(|error| error.to_string())
    }

    fn optimize(&self, module: &[u8], env: TargetEnv) -> Result<usize, String> {
        let made = self.optimized(module, env)?;
        match self.validates(&made, env) {
            Ok(()) => Ok(made.len()),
            Err(why) => Err(format!("the reference's result is not valid: {why}")),
        }
    }

    /// Whether the validator accepts a result, unless it rejected the input as well.
    pub(super) fn complains(
        &self,
        input: &[u8],
        result: &[u8],
        env: TargetEnv,
    ) -> Result<(), String> {
        let verdict = |module: &[u8]| {
            let question = format!("val {}", env.name());
            self.answer(&question, module, || {
                self.validates(module, env).err().unwrap_or_default()
            })
        };
        match verdict(result) {
            why if why.is_empty() || !verdict(input).is_empty() => Ok(()),
            why => Err(why),
        }
    }

    fn validates(&self, module: &[u8], env: TargetEnv) -> Result<(), String> {
        let file = Temporary::new(Some(module)).map_err(|error| error.to_string())?;
        let output = Command::new(self.folder.join("spirv-val"))
            .args(["--target-env", env.name()])
            .arg(&file.0)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(()),
            false => {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                let first = said.lines().next().unwrap_or_default().to_owned();
                Err(if first.is_empty() {
                    "no reason".to_owned()
                } else {
                    first
                })
            }
        }
    }
}

/// Runs a program for at most so long, and says whether it succeeds.
fn succeeds(mut command: Command, timeout: Duration) -> Result<bool, String> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return Ok(status.success());
        }
        if start.elapsed() > timeout {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("the reference takes more than {timeout:?}"));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// A file that goes with this.
struct Temporary(PathBuf);

impl Temporary {
    fn new(contents: Option<&[u8]>) -> io::Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("spirvkit-opt-{}-{number}.spv", std::process::id());
        let path = std::env::temp_dir().join(name);
        if let Some(contents) = contents {
            fs::write(&path, contents)?;
        }
        Ok(Self(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
