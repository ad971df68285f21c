//! `spv drop-in`: links under the names of the established tools.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::classic::Tool;
use crate::exit::Ending;
use crate::report::{Messages, Reporter};

/// Make links to this program under the names spirv-as, spirv-diff, spirv-dis,
/// spirv-link and spirv-val
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// The directory for the links
    dir: PathBuf,

    /// Also replace files that are not links to spv
    #[arg(long)]
    force: bool,
}

const AFTER_HELP: &str = "\
Under these names, the program takes the options of the tools of the same names
and has their defaults, so that scripts that call them keep working.

Examples:
  spv drop-in ~/.local/bin
  spv drop-in --force /usr/local/bin

Exit codes:
  0  the links are there
  1  a file is in the way, or could not be written
  2  the command line is wrong";

pub(crate) fn run(arguments: &Arguments) -> Ending {
    let mut messages = Messages::new(Reporter::plain());
    let links = Tool::ALL.map(|tool| {
        let name = format!("{}{}", tool.name(), std::env::consts::EXE_SUFFIX);
        arguments.dir.join(name)
    });
    let program = match std::env::current_exe().and_then(fs::canonicalize) {
        Ok(program) => program,
        Err(error) => {
            messages.add_read_error("spv", &error);
            messages.print();
            return Ending::Failure;
        }
    };
    // All are checked before the first is made, so that it's all or none.
    if !arguments.force {
        for link in links.iter().filter(|link| !is_replaceable(link, &program)) {
            let error = "this is not a link to spv; `--force` replaces it";
            messages.add_write_error(&link.display().to_string(), &io::Error::other(error));
        }
    }
    if !messages.failed() {
        for link in &links {
            if let Err(error) = place(link, &program) {
                messages.add_write_error(&link.display().to_string(), &error);
            }
        }
    }
    messages.print();
    Ending::unless(messages.failed())
}

fn place(link: &Path, program: &Path) -> io::Result<()> {
    if let Some(directory) = link.parent() {
        fs::create_dir_all(directory)?;
    }
    match fs::remove_file(link) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => make(link, program),
    }
}

#[cfg(unix)]
fn make(link: &Path, program: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(program, link)
}

/// Links need privileges on some systems, so there it's a copy.
#[cfg(not(unix))]
fn make(link: &Path, program: &Path) -> io::Result<()> {
    fs::copy(program, link).map(|_| ())
}

/// Whether nothing is lost by replacing this: it's not there, or it's a link to
/// this program or another of its name, or a copy.
fn is_replaceable(link: &Path, program: &Path) -> bool {
    match fs::symlink_metadata(link) {
        Err(error) => error.kind() == io::ErrorKind::NotFound,
        Ok(metadata) if metadata.is_symlink() => {
            fs::read_link(link).is_ok_and(|target| target.file_stem() == program.file_stem())
        }
        Ok(metadata) => !cfg!(unix) && metadata.is_file() && same_content(link, program),
    }
}

fn same_content(a: &Path, b: &Path) -> bool {
    matches!((fs::read(a), fs::read(b)), (Ok(a), Ok(b)) if a == b)
}
