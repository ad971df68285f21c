//! Compilers of GLSL, HLSL and OpenCL C, which are other programs.

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

/// The programs for GLSL and HLSL that are looked for, the best first.
const PROGRAMS: &[&str] = &["glslangValidator", "glslang", "glslc"];

/// The versions of Clang that are looked for; systems have several beside each other.
const CLANG_VERSIONS: std::ops::RangeInclusive<u32> = 14..=40;

/// How Clang compiles kernels. The names of their arguments are kept, by which scripts bind them.
const CLANG_ARGUMENTS: &[&str] = &[
    "--target=spirv64",
    "-cl-std=CL2.0",
    "-Xclang",
    "-finclude-default-header",
    "-fno-discard-value-names",
    "-O1",
    "-emit-llvm",
    "-c",
    "-x",
    "cl",
];

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
    kind: Kind,
    /// What tells its versions apart.
    identity: String,
}

/// How a program is called.
#[derive(Clone, Debug)]
enum Kind {
    Glslang,
    Glslc,
    /// With the program that makes SPIR-V of what it writes, `llvm-spirv`.
    Clang(PathBuf),
}

/// The file of a program that is started by its name alone.
fn on_path(name: &Path) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let with_suffix = name.with_extension(env::consts::EXE_EXTENSION);
    env::split_paths(&folders)
        .map(|folder| folder.join(&with_suffix))
        .find(|path| path.is_file())
}

/// What tells versions of a program apart; `None` if there is none.
fn identity(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let changed = metadata.modified().ok();
    let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Some(format!("{} {} {changed:?}", path.display(), metadata.len()))
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
        let found = found.and_then(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let kind = match name.contains("glslc") {
                true => Kind::Glslc,
                false => Kind::Glslang,
            };
            Some(Self {
                identity: identity(&path)?,
                kind,
                path,
            })
        });
        found.ok_or_else(|| match given {
            Some(path) => format!("there is no program `{}`", path.display()),
            None => format!("none of {} is on the PATH", PROGRAMS.join(", ")),
        })
    }

    /// The given Clang, or one on the `PATH`, for OpenCL C. The program `llvm-spirv` must lie
    /// beside it or on the `PATH`, with the same version behind its name or none.
    ///
    /// # Errors
    ///
    /// What there isn't.
    pub fn find_clang(given: Option<&Path>) -> Result<Self, String> {
        let versions = CLANG_VERSIONS.rev().map(|version| format!("-{version}"));
        let mut suffixes = [String::new()].into_iter().chain(versions);
        let path = match given {
            Some(path) if path.components().count() > 1 => Some(path.to_path_buf()),
            Some(name) => on_path(name),
            None => suffixes.find_map(|suffix| on_path(Path::new(&format!("clang{suffix}")))),
        };
        let path = path.filter(|path| path.is_file());
        let path = path.ok_or_else(|| match given {
            Some(path) => format!("there is no program `{}`", path.display()),
            None => "clang is not on the PATH".to_owned(),
        })?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let suffix = name.find('-').map_or("", |start| &name[start..]);
        let translator = [suffix, ""].into_iter().find_map(|suffix| {
            let name = format!("llvm-spirv{suffix}");
            let beside = path.with_file_name(&name);
            match beside.is_file() {
                true => Some(beside),
                false => on_path(Path::new(&name)),
            }
        });
        let translator = translator.ok_or_else(|| {
            let clang = path.display();
            format!("llvm-spirv is neither beside `{clang}` nor on the PATH")
        })?;
        let identities = [identity(&path), identity(&translator)];
        let identity = identities.map(Option::unwrap_or_default).join(" ");
        Ok(Self {
            kind: Kind::Clang(translator),
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

    /// Compiles a shader in GLSL or HLSL, or a kernel in OpenCL C. Versions of Vulkan are tried one
    /// after the other, from the one that a shader is for, until one is right.
    ///
    /// # Errors
    ///
    /// That this is no compiler for its language, or can't be run, or what it says to the
    /// first version.
    pub fn compile(&self, source: &Source<'_>) -> Result<Vec<u32>, CompileError> {
        let is_known = match self.kind {
            Kind::Clang(_) => source.language == Language::OpenClC,
            _ => matches!(source.language, Language::Glsl | Language::Hlsl),
        };
        if !is_known {
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
        let input = folder.path.join("shader");
        if let Kind::Clang(translator) = &self.kind {
            fs::write(&input, source.text).map_err(unable)?;
            let made = self.kernel(translator, &folder).map_err(unable)?;
            return made.map_err(CompileError::Refused);
        }
        let text = without_reconvergence(source.text);
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
        if matches!(self.kind, Kind::Glslc) {
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
        Ok(match complaint_of(command)? {
            None => words_of(&fs::read(&output)?),
            Some(complaint) => Err(complaint),
        })
    }

    /// Compiles a kernel, in two steps. An error is one of starting the programs, or what they say.
    fn kernel(&self, translator: &Path, folder: &Folder) -> io::Result<Result<Vec<u32>, String>> {
        let [input, bitcode, output] =
            ["shader", "bitcode", "module"].map(|it| folder.path.join(it));
        let mut clang = Command::new(&self.path);
        clang.args(CLANG_ARGUMENTS).arg("-I").arg(&folder.path);
        clang.arg("-o").arg(&bitcode).arg(&input);
        if let Some(complaint) = complaint_of(clang)? {
            return Ok(Err(complaint));
        }
        let mut translate = Command::new(translator);
        translate.arg("-o").arg(&output).arg(&bitcode);
        Ok(match complaint_of(translate)? {
            None => words_of(&fs::read(&output)?),
            Some(complaint) => Err(complaint),
        })
    }
}

/// Runs a program, and gives what it says is wrong, if anything is.
fn complaint_of(mut command: Command) -> io::Result<Option<String>> {
    let done = command.stdin(Stdio::null()).output()?;
    let complains = !done.status.success();
    Ok(complains.then(|| complaint(&done.stdout, &done.stderr)))
}

fn words_of(bytes: &[u8]) -> Result<Vec<u32>, String> {
    match words_from_bytes(bytes) {
        Ok((words, _)) => Ok(words),
        Err(error) => Err(error.to_string()),
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
