//! Scripts of Amber: each dispatch runs on both, from the same memory.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use spirvkit::amber::{
    CompileError, Compiler, Dispatched, DispatchedDescriptor, FileFormat, Host, RunOptions, Source,
    SubgroupSize, parse, run,
};
use spirvkit_lavapipe::{Descriptor, Driver, Job, Memory, vk};

use crate::compare::Compared;
use crate::{needs, translate};

/// What the driver does beside the interpreter.
struct Both<'d> {
    driver: &'d Driver,
    folder: PathBuf,
    compiler: Result<Compiler, String>,
    anyway: bool,
    compared: RefCell<Compared>,
}

/// Compares what a script's dispatches leave.
pub(crate) fn compare(driver: &Driver, file: &Path, anyway: bool) -> Compared {
    let mut skipped = Compared::default();
    let text = match fs::read(file) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => {
            skipped.skip(error.to_string());
            return skipped;
        }
    };
    let Ok(script) = parse(&text) else {
        skipped.skip("the script is wrong");
        return skipped;
    };
    let both = Both {
        driver,
        folder: file.parent().map_or_else(PathBuf::new, Path::to_path_buf),
        compiler: Compiler::find(None),
        anyway,
        compared: RefCell::default(),
    };
    let size = driver.subgroup_size();
    let mut options = RunOptions::default()
        .subgroup_size(size)
        .subgroup_sizes([size; 2]);
    let report = run(&script, &options, &both);
    let mut compared = both.compared.take();
    for reason in &report.reasons {
        compared.skip(reason.message());
    }
    if report.reasons.is_empty() && compared.runs == 0 && compared.skipped.is_empty() {
        compared.skip("it runs no compute shader");
    }
    if !compared.differences.is_empty() {
        // Where behaviour is undefined, anything may come out.
        options.race = true;
        let findings = run(&script, &options, &both).findings;
        let rules = findings.iter().map(|it| it.rule().to_owned());
        compared.findings = rules.collect();
        compared.findings.dedup();
    }
    compared
}

impl Host for Both<'_> {
    fn read_file(&self, format: FileFormat, path: &str) -> Result<Vec<u8>, String> {
        match format {
            FileFormat::Png => Err("pictures can't be read".to_owned()),
            _ => fs::read(self.folder.join(path)).map_err(|error| error.to_string()),
        }
    }

    fn compile(&self, source: &Source<'_>) -> Result<Vec<u32>, CompileError> {
        let compiler = self.compiler.as_ref();
        let compiler = compiler.map_err(|why| CompileError::NoCompiler(why.clone()))?;
        compiler.compile(source)
    }

    fn compares(&self) -> bool {
        true
    }

    fn dispatched(&self, run: Result<&Dispatched<'_>, &str>) {
        let mut compared = self.compared.borrow_mut();
        let done = run.map_err(str::to_owned).and_then(|run| {
            let results = self.results(run)?;
            let count = compared.runs;
            for (index, memory) in run.memories.iter().enumerate() {
                let place = format!("run {count}, {}", place(run, index));
                compared.compare(place, &memory.after, &results[index]);
            }
            compared.runs += 1;
            Ok(())
        });
        if let Err(why) = done {
            compared.skip(why);
        }
    }
}

impl Both<'_> {
    /// What the driver leaves in each memory.
    fn results(&self, run: &Dispatched<'_>) -> Result<Vec<Vec<u8>>, String> {
        let size = self.driver.subgroup_size();
        if let Some(SubgroupSize::Exact(wanted)) = run.subgroup.size
            && wanted != size
        {
            return Err(format!("the driver has only subgroups of {size}"));
        }
        if !self.anyway
            && let Some(lacking) = needs::lacking(&self.driver.offers, run.words)
        {
            return Err(format!("the driver lacks {lacking}"));
        }
        let mut memories: Vec<Memory> = run
            .memories
            .iter()
            .map(|it| Memory::Buffer(it.before.clone()))
            .collect();
        let mut descriptors = Vec::new();
        for it in &run.descriptors {
            let kind = translate::kind(it.kind).ok_or("the driver has no such descriptors")?;
            let mut format = vk::Format::UNDEFINED;
            if let (Some(memory), Some(image)) = (it.memory, &it.image) {
                let is_buffer = matches!(
                    kind,
                    vk::DescriptorType::STORAGE_TEXEL_BUFFER
                        | vk::DescriptorType::UNIFORM_TEXEL_BUFFER
                );
                match is_buffer {
                    true => format = translate::format(image.format()).unwrap_or_default(),
                    false if is_bytes(run, memory) => {
                        return Err("memory is a buffer and an image".to_owned());
                    }
                    false => {
                        let bytes = run.memories[memory].before.clone();
                        let image = translate::image(image, bytes)?;
                        self.check(&image, kind)?;
                        memories[memory] = Memory::Image(image);
                    }
                }
            }
            descriptors.push(Descriptor {
                set: it.set,
                binding: it.binding,
                element: it.element,
                kind,
                memory: it.memory,
                format,
                sampler: it.sampler.as_ref().map(translate::sampler),
            });
        }
        let mut push = run.push.clone();
        let limit = self.driver.offers.properties.limits.max_push_constants_size;
        push.truncate(limit as usize);
        let job = Job {
            words: run.words,
            entry: run.entry_point,
            constants: run.constants.iter().map(|it| (it.0, it.1 as u32)).collect(),
            push,
            memories,
            descriptors,
            groups: run.groups,
            rounds: 1,
        };
        let results = self.driver.run(&job);
        results
            .map(|results| results.memories)
            .map_err(|error| format!("the driver: {error}"))
    }

    /// Whether the driver has such images.
    fn check(
        &self,
        image: &spirvkit_lavapipe::Image,
        kind: vk::DescriptorType,
    ) -> Result<(), String> {
        let wanted = match kind {
            vk::DescriptorType::STORAGE_IMAGE => vk::FormatFeatureFlags::STORAGE_IMAGE,
            _ => vk::FormatFeatureFlags::SAMPLED_IMAGE,
        };
        match self.driver.image_features(image.format).contains(wanted) {
            true => Ok(()),
            false => Err(format!("the driver lacks images of {:?}", image.format)),
        }
    }
}

/// Whether a memory is seen as bytes, or as a texel buffer.
fn is_bytes(run: &Dispatched<'_>, memory: usize) -> bool {
    let is_it = |it: &&DispatchedDescriptor| it.memory == Some(memory);
    run.descriptors.iter().filter(is_it).any(|it| {
        let is_buffer = |image: &spirvkit::interp::Image| {
            image.dimension() == spirvkit::interp::Dimension::Buffer
        };
        it.image.as_ref().is_none_or(is_buffer)
    })
}

/// Where a memory stands.
fn place(run: &Dispatched<'_>, memory: usize) -> String {
    let found = run.descriptors.iter().find(|it| it.memory == Some(memory));
    found.map_or_else(String::new, |it| match it.element {
        0 => format!("{}:{}", it.set, it.binding),
        element => format!("{}:{}[{element}]", it.set, it.binding),
    })
}
