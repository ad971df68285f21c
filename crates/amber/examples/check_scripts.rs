//! Says of each script on the command line what is wrong with it, and with the files that its
//! buffers are filled from.

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use spirvkit_amber::{FileFormat, Script, contents, parse};
use spirvkit_diagnostics::{Errors, Source};

fn main() -> ExitCode {
    let mut wrong = 0;
    for path in env::args().skip(1) {
        let text = match fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                eprintln!("{path}: {error}");
                return ExitCode::from(2);
            }
        };
        let folder = Path::new(&path).parent().unwrap_or(Path::new(""));
        let checked = parse(&text).and_then(|script| fill(&script, folder));
        if let Err(errors) = checked {
            wrong += 1;
            print!("{}", errors.render(&Source::new(&path, &text)));
        }
    }
    ExitCode::from(u8::from(wrong > 0))
}

/// Fills all buffers.
fn fill(script: &Script, folder: &Path) -> Result<(), Errors> {
    for buffer in &script.buffers {
        contents(script, buffer, [250, 250], |format, path| match format {
            // To decode pictures takes another library.
            FileFormat::Png => Ok(Vec::new()),
            FileFormat::Text | FileFormat::Binary => {
                fs::read(folder.join(path)).map_err(|error| error.to_string())
            }
        })?;
    }
    Ok(())
}
