//! `spv drop-in`: links under the names of the established tools.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::exit::Ending;
use crate::output::Temporary;
use crate::output::interrupt::Hold;
use crate::report::{Messages, Reporter};
use crate::tool::Tool;

/// Create links to this program named spirv-as, spirv-diff, spirv-dis, spirv-link,
/// spirv-opt and spirv-val
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// The directory for the links
    dir: PathBuf,

    /// Also replace files that are not links to this program
    #[arg(long)]
    force: bool,
}

const AFTER_HELP: &str = "\
Under these names, the program accepts the options of the tools of the same names
and has their defaults, so that scripts that call them keep working.

Examples:
  spv drop-in ~/.local/bin
  spv drop-in --force /usr/local/bin

Exit codes:
  0  the links have been created
  1  a file is in the way, or a link could not be created
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
    for link in links.iter().filter(|link| !is_replaceable(link, &program)) {
        let error = match link.is_dir() && !link.is_symlink() {
            true => "this is a directory",
            false if arguments.force => continue,
            false => "this is not a link to spv; `--force` replaces it",
        };
        messages.add_write_error(&link.display().to_string(), &io::Error::other(error));
    }
    if !messages.failed()
        && let Err((path, error)) = place_all(&arguments.dir, &links, &program)
    {
        messages.add_write_error(&path.display().to_string(), &error);
    }
    messages.print();
    Ending::unless(messages.failed())
}

/// What could not be done, and why.
type Failure = (PathBuf, io::Error);

/// Makes all links or none: those that are made get their names when all are there, and
/// what had these names gets them back if one can't be given.
fn place_all(directory: &Path, links: &[PathBuf], program: &Path) -> Result<(), Failure> {
    fs::create_dir_all(directory).map_err(|error| (directory.to_owned(), error))?;
    let _hold = Hold::begin();
    let made: Result<Vec<Temporary>, Failure> = (links.iter())
        .map(|link| {
            let made = Temporary::make(link, |path| make(path, program));
            made.map(|(made, ())| made)
                .map_err(|error| (link.clone(), error))
        })
        .collect();
    let mut placed = Vec::new();
    for (new, link) in made?.into_iter().zip(links) {
        match replace(new, link) {
            Ok(old) => placed.push((link, old)),
            Err(error) => {
                for (link, old) in placed {
                    restore(link, old);
                }
                return Err((link.clone(), error));
            }
        }
    }
    Ok(())
}

/// Gives a new link its name; returns what had the name.
fn replace(new: Temporary, link: &Path) -> io::Result<Option<Temporary>> {
    let old = match fs::symlink_metadata(link) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        _ => Some(Temporary::make(link, |aside| put_aside(link, aside))?.0),
    };
    match (new.rename(link), old) {
        (Ok(()), old) => Ok(old),
        (Err(error), old) => {
            restore(link, old);
            Err(error)
        }
    }
}

fn put_aside(link: &Path, aside: &Path) -> io::Result<()> {
    match fs::symlink_metadata(aside) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => fs::rename(link, aside),
    }
}

/// Lets things be what they were. There is an error under way already, so what fails
/// here adds nothing.
fn restore(link: &Path, old: Option<Temporary>) {
    let _ = match old {
        Some(old) => old.give_back(link),
        None => fs::remove_file(link),
    };
}

#[cfg(unix)]
fn make(link: &Path, program: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(program, link)
}

/// Links need privileges on some systems, so there it's a copy.
#[cfg(not(unix))]
fn make(link: &Path, program: &Path) -> io::Result<()> {
    copy(link, program)
}

/// Copies the program to where nothing is.
#[cfg(any(not(unix), test))]
fn copy(link: &Path, program: &Path) -> io::Result<()> {
    let mut new = fs::File::create_new(link)?;
    let copied = fs::File::open(program).and_then(|mut program| io::copy(&mut program, &mut new));
    drop(new);
    if copied.is_err() {
        // The other error is the one to tell.
        let _ = fs::remove_file(link);
    }
    copied.map(drop)
}

/// Whether nothing is lost by replacing this: it's not there, or it's a link to this
/// program, or to where one of its name was, or a copy.
fn is_replaceable(link: &Path, program: &Path) -> bool {
    match fs::symlink_metadata(link) {
        Err(error) => error.kind() == io::ErrorKind::NotFound,
        Ok(metadata) if metadata.is_symlink() => match fs::canonicalize(link) {
            Ok(target) => target == program,
            Err(_) => fs::read_link(link).is_ok_and(|target| {
                target.is_absolute() && target.file_name() == program.file_name()
            }),
        },
        Ok(metadata) => !cfg!(unix) && metadata.is_file() && same_content(link, program),
    }
}

fn same_content(a: &Path, b: &Path) -> bool {
    matches!((fs::read(a), fs::read(b)), (Ok(a), Ok(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::scratch::Scratch;

    /// What is in a folder: names with contents, or where links lead to.
    fn inside(folder: &Path) -> Vec<(String, String)> {
        let mut all: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                let content = match fs::read_link(&path) {
                    Ok(target) => format!("-> {}", target.display()),
                    Err(_) => fs::read_to_string(&path).unwrap(),
                };
                (name, content)
            })
            .collect();
        all.sort();
        all
    }

    #[test]
    fn what_was_replaced_is_put_back_if_a_later_link_cannot_be_made() {
        let scratch = Scratch::new();
        let folder = scratch.path();
        let program = folder.join("program");
        fs::write(&program, "spv").unwrap();
        fs::write(folder.join("first"), "precious").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("elsewhere", folder.join("second")).unwrap();
        let before = inside(folder);
        // The last is no name that a file can have, whoever asks.
        let too_long = "x".repeat(300);
        let names = ["first", "second", "third", &too_long];
        let links = names.map(|name| folder.join(name));
        let (path, _) = place_all(folder, &links, &program).unwrap_err();
        assert_eq!(path, links[3]);
        assert_eq!(inside(folder), before);

        place_all(folder, &links[..3], &program).unwrap();
        assert_eq!(inside(folder).len(), 4, "and nothing else is left");
        for link in &links[..3] {
            assert!(is_replaceable(link, &program));
        }
    }

    #[test]
    fn a_copy_replaces_nothing_and_is_whole() {
        let scratch = Scratch::new();
        let [program, link, gone] = ["program", "link", "gone"].map(|it| scratch.path().join(it));
        fs::write(&program, "spv").unwrap();
        copy(&link, &program).unwrap();
        assert!(same_content(&link, &program));
        fs::write(&link, "mine").unwrap();
        let error = copy(&link, &program).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&link).unwrap(), b"mine");
        assert!(!same_content(&link, &program));
        copy(&scratch.path().join("new"), &gone).unwrap_err();
        assert!(!scratch.path().join("new").exists());
    }
}
