//! The C++ library's validator in a process of its own: its assertions abort, and
//! some modules may keep it busy for ever. Or a program, which the process calls.

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use spirvkit::TargetEnv;

use crate::cpp_validator::CppValidator;

/// The first argument of the process that validates; the second is the environment, and the third the
/// program to ask, if it isn't the library.
const SERVE: &str = "--serve-verdicts";

/// How long a verdict may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the C++ library says.
pub(crate) enum Verdict {
    Valid,
    /// The message.
    Invalid(String),
    /// Why there is no verdict.
    None(String),
}

/// The process that validates.
pub(crate) struct Reference {
    env: TargetEnv,
    program: Option<PathBuf>,
    process: Process,
}

struct Process {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<Verdict>,
}

impl Reference {
    /// Starts validating for an environment, by the library or a program. Fails if the library has no
    /// such environment.
    pub(crate) fn start(env: TargetEnv, program: Option<&Path>) -> Result<Self, Box<dyn Error>> {
        if program.is_none() {
            CppValidator::for_env(env).ok_or("the C++ library has no such environment")?;
        }
        Ok(Self {
            env,
            program: program.map(Path::to_owned),
            process: Process::start(env, program)?,
        })
    }

    /// Asks for a verdict. Each question must be followed by taking its answer.
    pub(crate) fn ask(&mut self, words: &[u32]) {
        // If the process has ended, there will be no answer, and that is reported then.
        let _ = write_block(&mut self.process.requests, &bytes_of(words));
    }

    /// The verdict that was asked for. Where there is none, validating goes on with a
    /// new process.
    pub(crate) fn answer(&mut self) -> Result<Verdict, Box<dyn Error>> {
        let reason = match self.process.answers.recv_timeout(PATIENCE) {
            Ok(verdict) => return Ok(verdict),
            Err(RecvTimeoutError::Timeout) => "took too long".to_owned(),
            Err(RecvTimeoutError::Disconnected) => {
                let mut text = String::new();
                if let Some(errors) = &mut self.process.child.stderr {
                    errors.read_to_string(&mut text)?;
                }
                let (_, assertion) = text.rsplit_once(": ").unwrap_or(("", &text));
                format!("stopped: {}", assertion.trim())
            }
        };
        self.process = Process::start(self.env, self.program.as_deref())?;
        Ok(Verdict::None(reason))
    }
}

impl Process {
    fn start(env: TargetEnv, program: Option<&Path>) -> Result<Self, Box<dyn Error>> {
        let mut child = Command::new(env::current_exe()?)
            .args([SERVE, env.name()])
            .args(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let requests = child.stdin.take().ok_or("no pipe to the process")?;
        let stdout = child.stdout.take().ok_or("no pipe from the process")?;
        let (sender, answers) = mpsc::channel();
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Ok(Some(message)) = read_block(&mut stdout) {
                let verdict = match message.is_empty() {
                    true => Verdict::Valid,
                    false => Verdict::Invalid(String::from_utf8_lossy(&message).into_owned()),
                };
                if sender.send(verdict).is_err() {
                    return;
                }
            }
        });
        Ok(Self {
            child,
            requests,
            answers,
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only if the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The environment that this process is to validate for and the program to ask, if that is what it is
/// for.
pub(crate) fn to_serve() -> Option<(String, Option<OsString>)> {
    let mut arguments = env::args_os().skip(1);
    let env = (arguments.next()? == SERVE).then(|| arguments.next())??;
    Some((env.into_string().ok()?, arguments.next()))
}

/// Validates the modules that come in, until there are no more.
pub(crate) fn serve(env: &str, program: Option<OsString>) -> Result<(), Box<dyn Error>> {
    let env: TargetEnv = env.parse().map_err(|_| "not an environment")?;
    if let Some(program) = program {
        return answer_by(|words| ask(&program, env, words));
    }
    let validator = CppValidator::for_env(env).ok_or("not an environment of the library")?;
    answer_by(|words| Ok(validator.check(words)))
}

/// What a program says of a module. Fails if it can't be called, or crashes: that is no verdict.
fn ask(
    program: &OsString,
    env: TargetEnv,
    words: &[u32],
) -> Result<Result<(), String>, Box<dyn Error>> {
    let name = format!("spirvkit-differential-{}.spv", std::process::id());
    let file = env::temp_dir().join(name);
    fs::write(&file, bytes_of(words))?;
    let mut command = Command::new(program);
    let output = command
        .args(["--target-env", env.name()])
        .arg(&file)
        .output();
    let _ = fs::remove_file(&file);
    let output = output?;
    match output.status.code() {
        Some(0) => Ok(Ok(())),
        Some(_) => {
            let said = [output.stdout, output.stderr].concat();
            Ok(Err(String::from_utf8_lossy(&said).into_owned()))
        }
        None => Err("the program has crashed".into()),
    }
}

fn answer_by(
    check: impl Fn(&[u32]) -> Result<Result<(), String>, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let (mut input, mut output) = (BufReader::new(io::stdin().lock()), io::stdout().lock());
    while let Some(bytes) = read_block(&mut input)? {
        let (words, _) = bytes.as_chunks::<4>();
        let words: Vec<u32> = words.iter().copied().map(u32::from_le_bytes).collect();
        let message = match check(&words)? {
            Ok(()) => String::new(),
            Err(message) if message.is_empty() => "no message".to_owned(),
            Err(message) => message,
        };
        write_block(&mut output, message.as_bytes())?;
    }
    Ok(())
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Writes bytes with their count before them.
fn write_block(output: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let count = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    output.write_all(&count.to_le_bytes())?;
    output.write_all(bytes)?;
    output.flush()
}

/// Reads what [`write_block`] has written, unless the input is at its end.
fn read_block(input: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut count = [0; 4];
    match input.read_exact(&mut count) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        outcome => outcome?,
    }
    let mut bytes = vec![0; u32::from_le_bytes(count) as usize];
    input.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::{read_block, write_block};

    #[test]
    fn blocks_come_out_as_they_went_in() {
        let mut pipe = Vec::new();
        write_block(&mut pipe, b"one").unwrap();
        write_block(&mut pipe, b"").unwrap();
        let mut input = &*pipe;
        assert_eq!(
            read_block(&mut input).unwrap().as_deref(),
            Some(&b"one"[..])
        );
        assert_eq!(read_block(&mut input).unwrap().as_deref(), Some(&b""[..]));
        assert_eq!(read_block(&mut input).unwrap(), None);
    }
}
