//! `cargo xtask codegen`: from the registry's JSON and XML to the committed
//! tables of `crates/grammar`, and the typed calls of the builder in `crates/ir`; and from
//! the optimizer's rules to their matcher, for which no registry is needed.

mod builder;
mod debug_info;
mod emit;
mod layout;
mod registry;
mod sets;
mod simplify;
mod vulkan;

use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;

// The generator lays out hash tables, so it shares the hash with the crate.
#[path = "../../../crates/grammar/src/hash.rs"]
mod hash;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder with the grammar: a checkout of SPIRV-Headers, or any folder
    /// with its `*.grammar.json` files and `spir-v.xml`. Without it, only the matcher of the
    /// optimizer's rules is written.
    #[arg(env = "SPIRV_HEADERS")]
    dir: Option<PathBuf>,
    /// A folder with Vulkan's registry: `vk.xml`, `spec/limits.adoc` and `profiles/`. Without it,
    /// the tables of `crates/vulkan` are left as they are.
    #[arg(long, value_name = "DIR", requires = "dir")]
    vulkan: Option<PathBuf>,
    /// Change nothing; fail if the committed tables are not what would be
    /// written. Without DIR, only check that nobody edited them by hand.
    #[arg(long)]
    check: bool,
    /// The revision to record, such as a commit and its date. By default the
    /// commit of the checkout, or the recorded one if the input is the same.
    #[arg(long)]
    revision: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let root = repository_root();
    let Some(dir) = &arguments.dir else {
        let matcher = [simplify::file(&root)?];
        if !arguments.check {
            return write_files(&root, &matcher);
        }
        check_files(&root, &matcher)?;
        return check_digests(&root);
    };
    let registry = registry::Registry::load(dir)?;
    let revision = match &arguments.revision {
        Some(revision) => revision.clone(),
        None => revision_of(dir)
            .or_else(|| recorded_revision(&root.join(emit::TABLES), &registry.fingerprint))
            .unwrap_or_else(|| "unknown".to_owned()),
    };
    let mut files = emit::files(&registry, &revision)?;
    files.extend(builder::files(&registry.core)?);
    files.push(debug_info::file(&registry)?);
    files.push(simplify::file(&root)?);
    if let Some(vulkan) = &arguments.vulkan {
        files.extend(vulkan::files(vulkan, &registry.core)?);
    }
    if arguments.check {
        return check_files(&root, &files);
    }
    println!("from {revision}");
    write_files(&root, &files)
}

fn write_files(root: &Path, files: &[emit::Output]) -> Outcome {
    for (path, text) in files {
        let path = root.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)?;
    }
    println!("wrote {} files", files.len());
    Ok(())
}

pub(crate) fn repository_root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    root.map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// The commit of a git checkout, as `SPIRV-Headers <commit>`.
fn revision_of(dir: &Path) -> Option<String> {
    let head = fs::read_to_string(dir.join(".git/HEAD")).ok()?;
    let commit = match head.trim().strip_prefix("ref: ") {
        Some(reference) => fs::read_to_string(dir.join(".git").join(reference)).ok()?,
        None => head,
    };
    Some(format!("SPIRV-Headers {}", commit.trim().get(..12)?))
}

/// The revision in the committed tables, if they were made from the same input.
fn recorded_revision(generated: &Path, fingerprint: &str) -> Option<String> {
    let text = fs::read_to_string(generated.join("mod.rs")).ok()?;
    let constant = |name: &str| {
        let line = text
            .lines()
            .find(|line| line.starts_with(&format!("pub const {name}:")))?;
        line.split('"').nth(1).map(str::to_owned)
    };
    (constant("GRAMMAR_FINGERPRINT")? == fingerprint).then(|| constant("GRAMMAR_REVISION"))?
}

fn check_files(root: &Path, files: &[emit::Output]) -> Outcome {
    for (path, text) in files {
        let committed = fs::read_to_string(root.join(path)).unwrap_or_default();
        if committed != *text {
            return Err(format!(
                "{path} is not what codegen writes; run `cargo xtask codegen DIR`"
            )
            .into());
        }
    }
    println!("{} generated files are up to date", files.len());
    Ok(())
}

fn check_digests(root: &Path) -> Outcome {
    let tables = emit::FILES.map(|name| format!("{}/{name}", emit::TABLES));
    let calls = [builder::METHODS, builder::DISPATCH, debug_info::SCHEMA].map(str::to_owned);
    let vulkan = vulkan::TABLES.map(str::to_owned);
    let paths: Vec<String> = tables.into_iter().chain(calls).chain(vulkan).collect();
    for path in &paths {
        let text =
            fs::read_to_string(root.join(path)).map_err(|error| format!("{path}: {error}"))?;
        let intact =
            emit::split_digest(&text).is_some_and(|(digest, rest)| digest == emit::digest(rest));
        if !intact {
            return Err(format!("{path} was edited by hand; run `cargo xtask codegen DIR`").into());
        }
    }
    println!("{} generated files are as codegen wrote them", paths.len());
    Ok(())
}
