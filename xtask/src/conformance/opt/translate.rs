//! Optimized modules in other languages: what SPIRV-Cross translates of a module, it translates of
//! what becomes of that, and where glslang compiles the one, it compiles the other. Both programs
//! must be installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rayon::prelude::*;
use spirvkit::binary::Module;
use spirvkit::grammar::{ExecutionModel, Op};
use spirvkit_opt::Options;

use super::super::corpus::load;
use super::super::sample::Sample;
use super::{LevelArgument, bytes, optimized};
use crate::Outcome;

#[derive(clap::Args)]
pub(in super::super) struct Arguments {
    /// Folders of `.spv` and `.spvasm` files, searched recursively.
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    #[command(flatten)]
    level: LevelArgument,
    #[command(flatten)]
    sample: Sample,
    /// Files (several times) whose results may not be translated or compiled any more.
    #[arg(long)]
    except: Vec<String>,
    /// How many failures to show.
    #[arg(long, default_value_t = 20)]
    show: usize,
}

/// A language, and the options for it.
struct Language {
    name: &'static str,
    options: &'static [&'static str],
}

const GLSL: Language = Language {
    name: "GLSL",
    options: &["-V"],
};

const LANGUAGES: &[Language] = &[
    GLSL,
    Language {
        name: "HLSL",
        options: &["--hlsl", "--shader-model", "60"],
    },
    Language {
        name: "MSL",
        options: &["--msl", "--msl-version", "20300"],
    },
];

/// What came of a module.
#[derive(Default)]
struct Translated {
    /// How many languages it was translated to before.
    languages: usize,
    /// Whether its GLSL could be compiled before.
    was_compiled: bool,
    lost: Vec<String>,
}

pub(in super::super) fn run(arguments: &Arguments) -> Outcome {
    let mut files = Vec::new();
    for folder in &arguments.folders {
        files.extend(arguments.sample.modules(folder)?);
    }
    let folder = std::env::temp_dir().join(format!("spirvkit-translate-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let options = arguments.level.options();
    let found: Vec<Translated> = files
        .par_iter()
        .enumerate()
        .map(|(index, file)| check(file, &options, &folder.join(index.to_string())))
        .collect();
    fs::remove_dir_all(&folder)?;
    let (mut failed, mut shown) = (0, 0);
    for (file, found) in files.iter().zip(&found) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if arguments.except.iter().any(|except| *except == name) {
            continue;
        }
        failed += usize::from(!found.lost.is_empty());
        for lost in &found.lost {
            shown += 1;
            if shown <= arguments.show {
                println!("{}: {lost}", file.display());
            }
        }
    }
    let languages: usize = found.iter().map(|it| it.languages).sum();
    let compiled = found.iter().filter(|it| it.was_compiled).count();
    println!(
        "{} modules, {languages} translations, {compiled} compiled again: {failed} modules fail",
        files.len()
    );
    match (failed, languages) {
        (_, 0) => Err("nothing was translated; is `spirv-cross` installed?".into()),
        (0, _) => Ok(()),
        _ => Err(format!("{failed} modules fail").into()),
    }
}

/// Translates a module and what becomes of it, in files whose names begin so.
fn check(file: &Path, options: &Options, place: &Path) -> Translated {
    let mut done = Translated::default();
    let Some(before) = load(file)
        .ok()
        .and_then(|it| Some(spirvkit::words_from_bytes(&it).ok()?.0))
    else {
        return done;
    };
    let stage = stage(&before);
    let [old, new] = ["old", "new"].map(|end| place.with_extension(end));
    let after = match optimized(&before, options) {
        Ok(after) => after,
        Err(why) => {
            done.lost.push(why);
            return done;
        }
    };
    let written = fs::write(&old, bytes(&before)).and_then(|()| fs::write(&new, bytes(&after)));
    if let Err(error) = written {
        done.lost.push(format!("can't be written: {error}"));
        return done;
    }
    for language in LANGUAGES {
        let Ok(text) = translate(&old, language) else {
            continue;
        };
        done.languages += 1;
        let name = language.name;
        match translate(&new, language) {
            Err(why) => done.lost.push(format!("no {name} any more: {why}")),
            Ok(translated) if name == GLSL.name => {
                let Some(stage) = stage else {
                    continue;
                };
                if compile(&text, stage, place).is_ok() {
                    done.was_compiled = true;
                    if let Err(why) = compile(&translated, stage, place) {
                        done.lost.push(format!("its GLSL is refused now: {why}"));
                    }
                }
            }
            Ok(_) => {}
        }
    }
    done
}

/// What glslang calls the stage of a module's first entry point.
fn stage(words: &[u32]) -> Option<&'static str> {
    let module = Module::new(words).ok()?;
    let mut instructions = module.instructions().filter_map(Result::ok);
    let entry_point = instructions.find(|it| it.op() == Op::EntryPoint)?;
    Some(match ExecutionModel(*entry_point.words().get(1)?) {
        ExecutionModel::Vertex => "vert",
        ExecutionModel::TessellationControl => "tesc",
        ExecutionModel::TessellationEvaluation => "tese",
        ExecutionModel::Geometry => "geom",
        ExecutionModel::Fragment => "frag",
        ExecutionModel::GLCompute => "comp",
        ExecutionModel::TaskEXT => "task",
        ExecutionModel::MeshEXT => "mesh",
        ExecutionModel::RayGenerationKHR => "rgen",
        ExecutionModel::IntersectionKHR => "rint",
        ExecutionModel::AnyHitKHR => "rahit",
        ExecutionModel::ClosestHitKHR => "rchit",
        ExecutionModel::MissKHR => "rmiss",
        ExecutionModel::CallableKHR => "rcall",
        _ => return None,
    })
}

fn translate(module: &Path, language: &Language) -> Result<Vec<u8>, String> {
    let mut command = Command::new("spirv-cross");
    command.args(language.options).arg(module);
    output(&mut command)
}

fn compile(text: &[u8], stage: &str, place: &Path) -> Result<Vec<u8>, String> {
    let [source, module] = [stage, "spv"].map(|end| place.with_extension(end));
    fs::write(&source, text).map_err(|error| error.to_string())?;
    let mut command = Command::new("glslangValidator");
    command.args(["-V", "--target-env", "vulkan1.3", "-S", stage, "-o"]);
    output(command.arg(module).arg(source))
}

/// What a program prints, or its last line if it fails.
fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let done = command.stdin(Stdio::null()).output();
    let done = done.map_err(|error| error.to_string())?;
    match done.status.success() {
        true => Ok(done.stdout),
        false => {
            let said = [done.stderr, done.stdout].concat();
            let said = String::from_utf8_lossy(&said);
            let wrong = said.lines().find(|line| line.contains("ERROR"));
            let last = said.lines().rfind(|line| !line.trim().is_empty());
            Err(wrong.or(last).unwrap_or("it fails").to_owned())
        }
    }
}
