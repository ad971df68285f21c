//! Directories to work in, small inputs, and running the program.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A text with a numeric id that renumbering changes, and header comments.
pub(crate) const TEXT: &str = "\
; SPIR-V
; Version: 1.3
; Generator: Khronos Glslang Reference Front End; 11
; Bound: 40
; Schema: 0
OpCapability Shader
OpMemoryModel Logical GLSL450
OpName %10 \"nothing\"
%10 = OpTypeVoid
";

/// A text with two errors, at 1:14 and 3:8.
pub(crate) const FAULTY: &str = "\
OpCapability Shadr
OpMemoryModel Logical GLSL450
%void = OpTypeVoyd
";

/// A directory of a test's own, removed when the test is through.
pub(crate) struct Dir(PathBuf);

impl Dir {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("cli-{}-{number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        let path = self.path(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn read_text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// All files in the directory and below, temporary ones too.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut directories = vec![self.0.clone()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    directories.push(path);
                } else {
                    let relative = path.strip_prefix(&self.0).unwrap();
                    files.push(relative.to_str().unwrap().replace('\\', "/"));
                }
            }
        }
        files.sort();
        files
    }

    /// Runs `spv` in the directory, with nothing on standard input.
    #[track_caller]
    pub(crate) fn spv(&self, arguments: &[&str]) -> Ran {
        self.spv_with_input(arguments, b"")
    }

    #[track_caller]
    pub(crate) fn spv_with_input(&self, arguments: &[&str], input: &[u8]) -> Ran {
        run(
            self.command(env!("CARGO_BIN_EXE_spv")).args(arguments),
            input,
        )
    }

    pub(crate) fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.current_dir(&self.0);
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(variable);
        }
        command
    }

    /// Assembles a text to a file.
    #[track_caller]
    pub(crate) fn module(&self, name: &str, text: &str) -> Vec<u8> {
        let ran = self.spv_with_input(&["as", "-o", name], text.as_bytes());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        self.read(name)
    }
}

/// Writes a program. Another process does so: a file that is open for writing can't be executed,
/// and what this process has open, a process that another test starts just then has, too.
#[cfg(unix)]
#[track_caller]
pub(crate) fn write_program(path: &Path, contents: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(path);
    let ran = run(&mut shell, contents);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Ran {
    #[track_caller]
    pub(crate) fn text(&self) -> &str {
        assert_eq!(self.code, 0, "{}", self.stderr);
        std::str::from_utf8(&self.stdout).unwrap()
    }

    #[track_caller]
    pub(crate) fn bytes(&self) -> &[u8] {
        assert_eq!(self.code, 0, "{}", self.stderr);
        &self.stdout
    }

    /// Checks the exit code, that nothing went to standard output, and that the
    /// errors mention something.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, mention: &str) {
        assert_eq!(self.code, code, "{self:?}");
        assert!(self.stdout.is_empty(), "{self:?}");
        assert!(
            self.stderr.contains(mention),
            "no `{mention}` in: {}",
            self.stderr
        );
    }
}

#[track_caller]
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Ran {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that has no use for its input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    Ran {
        code: output.status.code().expect("no signal"),
        stdout: output.stdout,
        stderr,
    }
}

/// A word of a module in the usual byte order.
pub(crate) fn word(module: &[u8], index: usize) -> u32 {
    u32::from_le_bytes(module[index * 4..index * 4 + 4].try_into().unwrap())
}

/// A module with this many named constants, as text.
pub(crate) fn long_text(constants: usize) -> String {
    use std::fmt::Write as _;
    let mut text =
        String::from("OpCapability Shader\nOpMemoryModel Logical GLSL450\n%int = OpTypeInt 32 1\n");
    for constant in 0..constants {
        writeln!(text, "%c{constant} = OpConstant %int {constant}").unwrap();
    }
    text
}
