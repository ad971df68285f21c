//! Validates a folder's shaders as a build script does: it tells Cargo what to watch, shows all
//! errors with excerpts, and fails if there are any.
//!
//! ```text
//! cargo run -p spirvkit --example build_script -- samples vulkan1.3
//! ```

use std::error::Error;
use std::path::{Path, PathBuf};

use spirvkit::ValidateOptions;
use spirvkit::diagnostics::Source;

/// Validates a folder's modules, binary or text. Returns what is wrong, rendered, which is
/// nothing if all is well.
pub fn check_folder(folder: &Path, options: &ValidateOptions) -> std::io::Result<String> {
    let entries = std::fs::read_dir(folder)?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    let mut errors = String::new();
    for path in paths {
        let name = path.display().to_string();
        let extension = path.extension().and_then(|extension| extension.to_str());
        let found = match extension {
            Some("spv") => {
                let report = spirvkit::validate_bytes(&std::fs::read(&path)?, options);
                // A binary module has no text; errors quote the instructions.
                report.render(&Source::new(&name, ""))
            }
            Some("spvasm") => {
                let text = std::fs::read_to_string(&path)?;
                let report = spirvkit::validate_text(&text, options);
                report.render(&Source::new(&name, &text))
            }
            _ => continue,
        };
        println!("cargo::rerun-if-changed={name}");
        errors += &found;
    }
    Ok(errors)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: build_script FOLDER [ENV]")?;
    let env = arguments.next().unwrap_or("vulkan1.3".into());
    let options = ValidateOptions::for_env(env.parse()?);
    let errors = check_folder(Path::new(&folder), &options)?;
    if !errors.is_empty() {
        // Cargo shows what a build script that fails writes here.
        eprint!("{errors}");
        std::process::exit(1);
    }
    Ok(())
}
