//! Compilers of GLSL and HLSL, which are other programs.

use std::borrow::Cow;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::UNIX_EPOCH;

use spirvkit_binary::words_from_bytes;

use crate::{CompileError, Language, Source, Stage};

/// The programs that are looked for, the best first.
const PROGRAMS: &[&str] = &["glslangValidator", "glslang", "glslc"];

/// What to compile for, one after the other: extensions of GLSL ask for more or less. Each
/// with the newest version of SPIR-V that it takes.
const TARGETS: &[(&str, &str)] = &[
    ("vulkan1.0", "spv1.0"),
    ("vulkan1.1", "spv1.3"),
    ("vulkan1.2", "spv1.5"),
    ("vulkan1.3", "spv1.6"),
];

/// An extension that older compilers don't know. What it promises, the interpreter does
/// anyway.
const RECONVERGENCE: [&str; 2] = ["GL_EXT_maximal_reconvergence", "[[maximally_reconverges]]"];

/// A program that compiles shaders.
#[derive(Clone, Debug)]
pub struct Compiler {
    path: PathBuf,
    /// Whether it takes the arguments of `glslc`.
    is_glslc: bool,
    /// What tells its versions apart.
    identity: String,
}

/// The file of a program that is started by its name alone.
fn on_path(name: &Path) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let with_suffix = name.with_extension(env::consts::EXE_EXTENSION);
    env::split_paths(&folders)
        .map(|folder| folder.join(&with_suffix))
        .find(|path| path.is_file())
}

impl Compiler {
    /// The given program, or one on the `PATH`: `glslangValidator`, `glslang` or `glslc`.
    ///
    /// # Errors
    ///
    /// What there isn't.
    pub fn find(given: Option<&Path>) -> Result<Self, String> {
        let found = match given {
            Some(path) if path.components().count() > 1 => Some(path.to_path_buf()),
            Some(name) => on_path(name),
            None => PROGRAMS.iter().find_map(|name| on_path(Path::new(name))),
        };
        found.and_then(Self::at).ok_or_else(|| match given {
            Some(path) => format!("there is no program `{}`", path.display()),
            None => format!("none of {} is on the PATH", PROGRAMS.join(", ")),
        })
    }

    fn at(path: PathBuf) -> Option<Self> {
        let metadata = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let changed = metadata.modified().ok();
        let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let identity = format!("{} {} {changed:?}", path.display(), metadata.len());
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Some(Self {
            is_glslc: name.contains("glslc"),
            identity,
            path,
        })
    }

    /// All that a result of [`Compiler::compile`] depends on, to find it again.
    pub fn key(&self, source: &Source<'_>) -> Vec<u8> {
        let parts = [
            "1",
            &self.identity,
            source.language.name(),
            source.stage.name(),
            source.entry_point,
            source.target_env.unwrap_or_default(),
        ];
        let parts = parts.iter().map(|part| part.to_string());
        let files = source.virtual_files.iter();
        let files = files.flat_map(|file| [file.path.clone(), file.text.clone()]);
        let parts = parts.chain(files).chain([source.text.to_owned()]);
        let parts = parts.map(|part| format!("{} {part}\n", part.len()));
        parts.collect::<String>().into_bytes()
    }

    /// Compiles a shader, in GLSL or HLSL. Versions of Vulkan are tried one after the other,
    /// from the one that it is for, until one is right.
    ///
    /// # Errors
    ///
    /// That this is no compiler for its language, or can't be run, or what it says to the
    /// first version.
    pub fn compile(&self, source: &Source<'_>) -> Result<Vec<u32>, CompileError> {
        if !matches!(source.language, Language::Glsl | Language::Hlsl) {
            let language = source.language.name();
            return Err(CompileError::NoCompiler(format!(
                "there is no compiler for {language}"
            )));
        }
        let unable = |error: io::Error| {
            let program = self.path.display();
            CompileError::NoCompiler(format!("`{program}` can't be run: {error}"))
        };
        let folder = Folder::new().map_err(unable)?;
        for file in source.virtual_files {
            folder.write(&file.path, &file.text).map_err(unable)?;
        }
        let text = without_reconvergence(source.text);
        let input = folder.path.join("shader");
        let mut first = None;
        for target in targets(source.target_env) {
            for text in [Cow::Borrowed(source.text)].into_iter().chain(text.clone()) {
                fs::write(&input, text.as_bytes()).map_err(unable)?;
                match self.start(source, &target, &folder).map_err(unable)? {
                    Ok(words) => return Ok(words),
                    Err(error) => first.get_or_insert(error),
                };
            }
        }
        Err(CompileError::Refused(first.unwrap_or_default()))
    }

    /// Compiles for one target. An error is one of starting the program, or what it says.
    fn start(
        &self,
        source: &Source<'_>,
        target: &str,
        folder: &Folder,
    ) -> io::Result<Result<Vec<u32>, String>> {
        let (input, output) = (folder.path.join("shader"), folder.path.join("module"));
        let mut command = Command::new(&self.path);
        let is_hlsl = source.language == Language::Hlsl;
        if self.is_glslc {
            command.arg(format!("-fshader-stage={}", stage(source.stage).0));
            command.arg(format!("--target-env={target}"));
            if is_hlsl {
                command.args(["-x", "hlsl"]);
                command.arg(format!("-fentry-point={}", source.entry_point));
            }
        } else {
            command.args(["--target-env", target, "-S", stage(source.stage).1]);
            match is_hlsl {
                true => command.args(["-D", "-e", source.entry_point]),
                false => command.arg("-V"),
            };
        }
        command.arg("-I".to_owned() + &folder.path.to_string_lossy());
        command.arg("-o").arg(&output).arg(&input);
        let done = command.stdin(Stdio::null()).output()?;
        if !done.status.success() {
            return Ok(Err(complaint(&done.stdout, &done.stderr)));
        }
        let bytes = fs::read(&output)?;
        let words = words_from_bytes(&bytes);
        Ok(words
            .map(|(words, _)| words)
            .map_err(|error| error.to_string()))
    }
}

/// What to try to compile for, if this is wanted.
fn targets(wanted: Option<&str>) -> Vec<String> {
    let is_wanted = |(vulkan, version): &(&str, &str)| {
        wanted == Some(vulkan) || wanted.is_some_and(|wanted| *version >= wanted)
    };
    let wanted_vulkan = wanted.filter(|wanted| wanted.starts_with("vulkan"));
    let from = match wanted_vulkan {
        Some(wanted) => TARGETS.iter().position(|(vulkan, _)| *vulkan >= wanted),
        None => TARGETS.iter().position(is_wanted),
    };
    let all = &TARGETS[from.unwrap_or(0)..];
    all.iter().map(|(vulkan, _)| (*vulkan).to_owned()).collect()
}

/// How `glslc` and `glslangValidator` call a stage.
fn stage(stage: Stage) -> (&'static str, &'static str) {
    match stage {
        Stage::Vertex => ("vertex", "vert"),
        Stage::TessellationControl => ("tesscontrol", "tesc"),
        Stage::TessellationEvaluation => ("tesseval", "tese"),
        Stage::Geometry => ("geometry", "geom"),
        Stage::Fragment => ("fragment", "frag"),
        Stage::RayGeneration => ("rgen", "rgen"),
        Stage::AnyHit => ("rahit", "rahit"),
        Stage::ClosestHit => ("rchit", "rchit"),
        Stage::Miss => ("rmiss", "rmiss"),
        Stage::Intersection => ("rint", "rint"),
        Stage::Callable => ("rcall", "rcall"),
        _ => ("compute", "comp"),
    }
}

/// The first line in which a compiler says what is wrong.
fn complaint(stdout: &[u8], stderr: &[u8]) -> String {
    let said = [stdout, stderr].map(String::from_utf8_lossy).join("\n");
    let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_error = |line: &&str| line.to_ascii_lowercase().contains("error");
    let line = lines().find(is_error).or_else(|| lines().next());
    line.unwrap_or("it says nothing").escape_debug().to_string()
}

/// The text without the extension that compilers may not know, if it has it; lines stay.
fn without_reconvergence(text: &str) -> Option<Cow<'_, str>> {
    let [extension, attribute] = RECONVERGENCE;
    if !text.contains(extension) {
        return None;
    }
    let lines = text.split_inclusive('\n').map(|line| {
        let is_extension = line.trim_start().starts_with("#extension") && line.contains(extension);
        match is_extension {
            true => "\n".to_owned(),
            false => line.replace(attribute, ""),
        }
    });
    Some(Cow::Owned(lines.collect()))
}

/// A directory for a compiler's files, which is removed again.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
}

impl Folder {
    fn new() -> io::Result<Self> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        for _ in 0..1000 {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("spv-amber-{}-{count}", std::process::id());
            let path = env::temp_dir().join(name);
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Writes a file of the script, whose path must not lead elsewhere.
    fn write(&self, path: &str, text: &str) -> io::Result<()> {
        let parts = Path::new(path).components();
        let parts: PathBuf = parts
            .filter(|part| matches!(part, std::path::Component::Normal(_)))
            .collect();
        let path = self.path.join(parts);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}
