//! Runs the compute shaders of Amber's scripts on a Vulkan driver as well, and compares all
//! buffers with what the interpreter made of them.

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use spirvkit_amber::{
    CompileError, Dispatched, DispatchedBuffer, FileFormat, Host, Language, RunOptions, Source,
    Stage, parse, run,
};
use spirvkit_lavapipe::{Buffer, Driver, Job};

/// What is done, beside what a script is given.
struct Both<'d> {
    driver: &'d Driver,
    folder: PathBuf,
    compared: Cell<usize>,
    differences: RefCell<Vec<String>>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut files = Vec::new();
    for argument in std::env::args().skip(1) {
        collect(Path::new(&argument), &mut files)?;
    }
    files.sort();
    let driver = Driver::open()?;
    // As many invocations as its subgroups have.
    let mut options = RunOptions::default();
    options.subgroup_size = 8;
    let [mut same, mut different, mut skipped] = [0; 3];
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        let Ok(script) = parse(&text) else {
            continue;
        };
        let both = Both {
            driver: &driver,
            folder: file.parent().map_or_else(PathBuf::new, Path::to_path_buf),
            compared: Cell::new(0),
            differences: RefCell::default(),
        };
        let report = run(&script, &options, &both);
        let differences = both.differences.into_inner();
        match (differences.is_empty(), both.compared.get()) {
            (false, _) => different += 1,
            (true, 0) => skipped += 1,
            (true, _) => same += 1,
        }
        for difference in differences {
            println!(
                "{}: {}: {difference}",
                file.display(),
                report.verdict.name()
            );
        }
    }
    println!(
        "{}: {same} the same, {different} different, {skipped} not compared",
        driver.name
    );
    Ok(())
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            collect(&entry?.path(), files)?;
        }
    } else if path
        .extension()
        .is_some_and(|it| it == "amber" || it == "vkscript")
    {
        files.push(path.to_path_buf());
    }
    Ok(())
}

impl Host for Both<'_> {
    fn read_file(&self, format: FileFormat, path: &str) -> Result<Vec<u8>, String> {
        match format {
            FileFormat::Png => Err("pictures can't be read".to_owned()),
            _ => fs::read(self.folder.join(path)).map_err(|error| error.to_string()),
        }
    }

    /// By `glslangValidator`.
    fn compile(&self, source: &Source<'_>) -> Result<Vec<u32>, CompileError> {
        let no = |why: String| CompileError::NoCompiler(why);
        if source.language != Language::Glsl || source.stage != Stage::Compute {
            return Err(no("only compute shaders in GLSL are compiled".to_owned()));
        }
        let folder = std::env::temp_dir().join(format!("second-opinion-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|error| no(error.to_string()))?;
        let (text, binary) = (folder.join("shader.comp"), folder.join("shader.spv"));
        fs::write(&text, source.text).map_err(|error| no(error.to_string()))?;
        let target = source.target_env.unwrap_or("spirv1.3");
        let target = target.replace("spv1", "spirv1");
        let output = Command::new("glslangValidator")
            .args(["-V", "--target-env", &target, "-o"])
            .arg(&binary)
            .arg(&text)
            .output()
            .map_err(|error| no(error.to_string()))?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stdout).into_owned();
            return Err(no(why));
        }
        let bytes = fs::read(&binary).map_err(|error| no(error.to_string()))?;
        let words = bytes.as_chunks::<4>().0.iter();
        Ok(words.map(|word| u32::from_le_bytes(*word)).collect())
    }

    fn compares(&self) -> bool {
        true
    }

    fn dispatched(&self, run: &Dispatched<'_>) {
        let buffer = |it: &DispatchedBuffer| Buffer {
            set: it.set,
            binding: it.binding,
            is_uniform: it.is_uniform,
            bytes: it.before.clone(),
        };
        let mut push = run.push.clone();
        // As much as devices have at least.
        push.truncate(128);
        let results = self.driver.run(&Job {
            words: run.words,
            entry: run.entry_point,
            constants: run.constants.iter().map(|it| (it.0, it.1 as u32)).collect(),
            push,
            buffers: run.buffers.iter().map(buffer).collect(),
            groups: run.groups,
            rounds: 1,
        });
        let mut differences = self.differences.borrow_mut();
        let results = match results {
            Ok(results) => results,
            Err(error) => return differences.push(format!("the driver: {error}")),
        };
        self.compared.set(self.compared.get() + 1);
        for (buffer, theirs) in run.buffers.iter().zip(&results.buffers) {
            let mut pairs = buffer.after.iter().zip(theirs);
            if let Some(at) = pairs.position(|(ours, theirs)| ours != theirs) {
                let word = |bytes: &[u8]| {
                    let bytes = bytes[at / 4 * 4..].first_chunk();
                    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
                };
                differences.push(format!(
                    "set {}, binding {}, offset {at}: {:#010x} here, {:#010x} there",
                    buffer.set,
                    buffer.binding,
                    word(&buffer.after),
                    word(theirs)
                ));
            }
        }
    }
}
