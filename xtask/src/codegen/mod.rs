//! `cargo xtask codegen`: from the registry's JSON and XML to the committed
//! tables of `crates/grammar`.

mod emit;
mod layout;
mod registry;
mod sets;

use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;

// The generator lays out hash tables, so it shares the hash with the crate.
#[path = "../../../crates/grammar/src/hash.rs"]
mod hash;

/// Where the tables are committed, from the root of the repository.
const GENERATED: &str = "crates/grammar/src/generated";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder with the grammar: a checkout of SPIRV-Headers, or any folder
    /// with its `*.grammar.json` files and `spir-v.xml`.
    #[arg(env = "SPIRV_HEADERS")]
    dir: Option<PathBuf>,
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
    let generated = repository_root().join(GENERATED);
    let Some(dir) = &arguments.dir else {
        if !arguments.check {
            return Err("name the folder with the grammar, or set SPIRV_HEADERS".into());
        }
        return check_digests(&generated);
    };
    let registry = registry::Registry::load(dir)?;
    let revision = match &arguments.revision {
        Some(revision) => revision.clone(),
        None => revision_of(dir)
            .or_else(|| recorded_revision(&generated, &registry.fingerprint))
            .unwrap_or_else(|| "unknown".to_owned()),
    };
    let files = emit::files(&registry, &revision)?;
    if arguments.check {
        return check_files(&generated, &files);
    }
    fs::create_dir_all(&generated)?;
    for (name, text) in &files {
        fs::write(generated.join(name), text)?;
    }
    println!("wrote {} files to {GENERATED} from {revision}", files.len());
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

fn check_files(generated: &Path, files: &[(&str, String)]) -> Outcome {
    for (name, text) in files {
        let committed = fs::read_to_string(generated.join(name)).unwrap_or_default();
        if committed != *text {
            return Err(format!(
                "{GENERATED}/{name} is not what codegen writes; run `cargo xtask codegen DIR`"
            )
            .into());
        }
    }
    println!("{} generated files are up to date", files.len());
    Ok(())
}

fn check_digests(generated: &Path) -> Outcome {
    for name in emit::FILES {
        let text = fs::read_to_string(generated.join(name))
            .map_err(|error| format!("{GENERATED}/{name}: {error}"))?;
        let intact =
            emit::split_digest(&text).is_some_and(|(digest, rest)| digest == emit::digest(rest));
        if !intact {
            return Err(format!(
                "{GENERATED}/{name} was edited by hand; run `cargo xtask codegen DIR`"
            )
            .into());
        }
    }
    println!(
        "{} generated files are as codegen wrote them",
        emit::FILES.len()
    );
    Ok(())
}
