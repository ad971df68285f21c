//! Writing files into a folder under names from outside: none of them outside of it,
//! through a link, or over what is there; and all or none.

mod folder;
mod names;

use std::io::{self, Write};
use std::path::Path;

use spirvkit::diagnostics::counted;

use self::folder::{Folder, There};
use crate::look::ids::Trouble;
use crate::output::interrupt::Hold;

/// Writes files into a folder, which is made if need be, and tells the path of each in it.
/// What is there already is replaced if `force` says so, and else refused. `text` tells
/// what to write of the file with a number.
pub(crate) fn extract<'n>(
    directory: &Path,
    names: impl Iterator<Item = &'n str>,
    force: bool,
    text: impl Fn(usize) -> String,
) -> Result<Vec<String>, Trouble> {
    let paths = names::place_all(names);
    let unwritten = |path: &Path, error| Trouble::unwritten(&path.display().to_string(), &error);
    // What the user calls a folder may be a link to one.
    std::fs::create_dir_all(directory).map_err(|error| unwritten(directory, error))?;
    let base = Folder::open(directory).map_err(|error| unwritten(directory, error))?;
    let mut order: Vec<usize> = (0..paths.len()).collect();
    order.sort_by_key(|&number| &paths[number]);
    let mut walk = Walk::new(base);
    let in_the_way = order.iter().filter_map(|&number| {
        let there = walk.look(&paths[number]);
        let is_free = match &there {
            Ok(There::Nothing) => true,
            Ok(There::Something) => force,
            Ok(There::Folder) | Err(_) => false,
        };
        (!is_free).then_some((number, there))
    });
    let in_the_way: Vec<(usize, io::Result<There>)> = in_the_way.collect();
    if let [(first, why), rest @ ..] = in_the_way.as_slice() {
        let path = directory.join(&paths[*first]);
        return Err(not_free(&path, why, rest.len()));
    }
    for &number in &order {
        let path = &paths[number];
        if let Err(error) = walk.write(path, text(number).as_bytes()) {
            walk.undo();
            return Err(unwritten(&directory.join(path), error));
        }
    }
    Ok(paths)
}

/// Says what is in the way of a file, and how many others are not free.
fn not_free(path: &Path, why: &io::Result<There>, others: usize) -> Trouble {
    let path = path.display().to_string();
    let more = match others {
        0 => String::new(),
        _ => format!(", nor {} more", counted(others, "file")),
    };
    let because = |why: &str| {
        let error = io::Error::other(format!("{why}{more}; nothing is written"));
        Trouble::unwritten(&path, &error)
    };
    match why {
        Ok(There::Folder) => because("it is a directory"),
        Ok(_) => because("it already exists").with_help("`--force` replaces files"),
        Err(error) => because(&format!("its directory can't be used: {error}")),
    }
}

/// Goes from folder to folder, and remembers what was made.
struct Walk {
    base: Folder,
    /// The folders that lead to where it is, by name.
    open: Vec<(String, Folder)>,
    /// The files and folders that were not there before, by path.
    made: Vec<(String, There)>,
}

impl Walk {
    fn new(base: Folder) -> Self {
        Self {
            base,
            open: Vec::new(),
            made: Vec::new(),
        }
    }

    /// What is there at a path; an error if something else is where a folder is to be.
    fn look(&mut self, path: &str) -> io::Result<There> {
        match self.enter(path, false) {
            Ok(name) => self.here().look(name),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(There::Nothing),
            Err(error) => Err(error),
        }
    }

    /// Writes a file, in the place of what is there.
    fn write(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let name = self.enter(path, true)?;
        let here = self.here();
        let _hold = Hold::begin();
        let is_new = here.look(name)? == There::Nothing;
        let temporary = format!(".spv-{}.tmp", std::process::id());
        let written = match is_new {
            true => name,
            false => &temporary,
        };
        let mut file = here.create(written)?;
        let done = file.write_all(bytes).and_then(|()| match is_new {
            true => Ok(()),
            // A link is replaced, not followed; the new file has a mode of its own.
            false => here.rename(written, name),
        });
        match (&done, is_new) {
            (Err(_), _) => {
                let _ = here.remove(written);
            }
            (Ok(()), true) => self.made.push((path.to_owned(), There::Something)),
            (Ok(()), false) => {}
        }
        done
    }

    /// Removes what was made, the last first.
    fn undo(&mut self) {
        for (path, what) in std::mem::take(&mut self.made).into_iter().rev() {
            // There is an error under way already, and another one adds nothing.
            let _ = self.enter(&path, false).and_then(|name| match what {
                There::Folder => self.here().remove_inner(name),
                _ => self.here().remove(name),
            });
        }
    }

    /// The folder that it is in.
    fn here(&self) -> &Folder {
        self.open.last().map_or(&self.base, |(_, folder)| folder)
    }

    /// Goes to the folder of a path, of which it returns the last part. With `make`, those
    /// folders are made that are not there.
    fn enter<'p>(&mut self, path: &'p str, make: bool) -> io::Result<&'p str> {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parts = || folders.split('/').filter(|part| !part.is_empty());
        let same = self.open.iter().zip(parts());
        let same = same.take_while(|((open, _), part)| open == part).count();
        self.open.truncate(same);
        let mut end = parts().take(same).map(|part| part.len() + 1).sum::<usize>();
        for part in parts().skip(same) {
            end += part.len();
            let here = self.here();
            let inner = match here.inner(part) {
                Err(error) if make && error.kind() == io::ErrorKind::NotFound => {
                    here.make_inner(part)?;
                    let inner = here.inner(part);
                    let path = path.get(..end).unwrap_or_default().to_owned();
                    self.made.push((path, There::Folder));
                    inner?
                }
                inner => inner?,
            };
            self.open.push((part.to_owned(), inner));
            end += 1;
        }
        Ok(name)
    }
}
