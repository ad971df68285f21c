//! Finding and reading inputs: files and their bytes here, the modules in them below.

pub(crate) mod encoding;
pub(crate) mod form;
pub(crate) mod hex;
pub(crate) mod load;

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use spirvkit::binary::HEADER_WORDS;
use spirvkit::{Endianness, words_from_bytes};

use crate::exit::UsageError;

/// What files hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Module,
    Text,
}

impl Content {
    /// The extension of the files that hold it.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Module => "spv",
            Self::Text => "spvasm",
        }
    }

    /// How messages call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Module => "a module",
            Self::Text => "assembly text",
        }
    }
}

/// How messages call standard input.
pub(crate) const STDIN_NAME: &str = "<stdin>";

/// Something to read a module from.
#[derive(Debug)]
pub(crate) struct Input {
    /// How messages call it.
    pub(crate) name: String,
    /// Its place below the directory that was given; of a file, its name.
    pub(crate) relative: PathBuf,
    origin: Origin,
}

#[derive(Debug)]
enum Origin {
    Stdin,
    File(PathBuf),
    /// A directory that gave no files, and why. It stays among the inputs so
    /// that its error is reported at its place.
    Barren(io::Error),
}

impl Input {
    pub(crate) fn stdin() -> Self {
        Self {
            name: STDIN_NAME.into(),
            relative: "stdin".into(),
            origin: Origin::Stdin,
        }
    }

    pub(crate) fn file(path: &Path) -> Self {
        let relative = path.file_name().map_or_else(|| path.into(), PathBuf::from);
        Self {
            name: path.display().to_string(),
            relative,
            origin: Origin::File(path.into()),
        }
    }

    fn barren(path: &Path, error: io::Error) -> Self {
        Self {
            name: path.display().to_string(),
            relative: PathBuf::new(),
            origin: Origin::Barren(error),
        }
    }

    /// Whether there is no file behind it, only an error.
    pub(crate) fn is_barren(&self) -> bool {
        matches!(self.origin, Origin::Barren(_))
    }

    /// Its file, if it is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.origin {
            Origin::File(path) => Some(path),
            Origin::Stdin | Origin::Barren(_) => None,
        }
    }

    /// Reads all of it, if that is no more than inputs may have.
    pub(crate) fn read(&self) -> io::Result<Vec<u8>> {
        match &self.origin {
            Origin::Stdin => read_at_most(io::stdin().lock(), 0),
            Origin::File(path) => {
                let file = fs::File::open(path)?;
                let size = file.metadata()?.len();
                check_size(size)?;
                read_at_most(file, size)
            }
            Origin::Barren(error) => Err(io::Error::new(error.kind(), error.to_string())),
        }
    }

    /// Reads the words of a module in binary form, without ever holding its bytes as
    /// well: a large one needn't be in memory twice. `None` if it isn't one, or if that
    /// can't be seen at its start.
    pub(crate) fn read_words(&self) -> io::Result<Option<Vec<u32>>> {
        match &self.origin {
            Origin::File(path) => words_of(path),
            _ => Ok(None),
        }
    }
}

/// How many bytes an input may have, unless the command line says something else: more
/// than modules within the universal limits ever take.
pub(crate) const MAX_BYTES: u64 = 256 << 20;

/// What it says.
static MAX: AtomicU64 = AtomicU64::new(MAX_BYTES);

/// Makes known how many bytes an input may have.
pub(crate) fn expect_at_most(bytes: u64) {
    MAX.store(bytes, Ordering::Relaxed);
}

fn check_size(bytes: u64) -> io::Result<()> {
    let most = MAX.load(Ordering::Relaxed);
    match bytes > most {
        true => Err(io::Error::other(format!(
            "it is larger than {most} bytes, the limit that `--max-input` sets"
        ))),
        false => Ok(()),
    }
}

/// Reads a stream, which may say how many bytes there will be. It may also be endless.
fn read_at_most(stream: impl Read, expected: u64) -> io::Result<Vec<u8>> {
    let most = MAX.load(Ordering::Relaxed);
    let mut bytes = Vec::new();
    // What a file says of its size is at most a hint.
    let expected = usize::try_from(expected).unwrap_or(0);
    bytes
        .try_reserve_exact(expected)
        .map_err(|_| io::ErrorKind::OutOfMemory)?;
    stream
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)?;
    check_size(bytes.len() as u64)?;
    Ok(bytes)
}

/// How many bytes of a file are read at once, a whole number of words.
const PIECE: usize = 1 << 18;

fn words_of(path: &Path) -> io::Result<Option<Vec<u32>>> {
    let metadata = fs::metadata(path)?;
    let Ok(length) = usize::try_from(metadata.len()) else {
        return Ok(None);
    };
    // Pipes and the like have no start to look at and come back to; even opening one and
    // closing it again would be noticed at its other end.
    if !metadata.is_file() || length % 4 != 0 {
        return Ok(None);
    }
    check_size(metadata.len())?;
    let mut file = fs::File::open(path)?;
    let mut piece = vec![0; PIECE.min(length)];
    let mut words: Vec<u32> = Vec::new();
    let mut order = None;
    while words.len() * 4 < length {
        let size = piece.len().min(length - words.len() * 4);
        let piece = &mut piece[..size];
        file.read_exact(piece)?;
        let order = match order {
            Some(order) => order,
            None => {
                let header = piece.get(..4 * HEADER_WORDS).unwrap_or(piece);
                let Ok((_, found)) = words_from_bytes(header) else {
                    return Ok(None);
                };
                words
                    .try_reserve_exact(length / 4)
                    .map_err(|_| io::ErrorKind::OutOfMemory)?;
                *order.insert(found)
            }
        };
        let (read, _) = piece.as_chunks::<4>();
        match order {
            Endianness::Little => words.extend(read.iter().copied().map(u32::from_le_bytes)),
            Endianness::Big => words.extend(read.iter().copied().map(u32::from_be_bytes)),
        }
    }
    Ok((!words.is_empty()).then_some(words))
}

/// The inputs of a command, in the order in which to tell about them.
#[derive(Debug)]
pub(crate) struct Inputs {
    pub(crate) list: Vec<Input>,
    /// Whether the outputs need a directory: there are several inputs, or there
    /// may be, since a directory was given.
    pub(crate) many: bool,
}

impl Inputs {
    /// The inputs of a command that reads modules in any form: see [`Inputs::find`].
    pub(crate) fn modules(paths: &[PathBuf]) -> Result<Self, UsageError> {
        Self::find(paths, &[Content::Module, Content::Text])
    }

    /// Finds the inputs that `paths` stand for: files, `-` for standard input,
    /// and directories for all files in them and below whose extension is that of one of
    /// these contents, ordered by path. Without any, it's standard input.
    pub(crate) fn find(paths: &[PathBuf], contents: &[Content]) -> Result<Self, UsageError> {
        let extensions: Vec<&str> = contents.iter().map(|it| it.extension()).collect();
        Self::with_extensions(paths, &extensions)
    }

    /// The same by the extensions themselves.
    pub(crate) fn with_extensions(
        paths: &[PathBuf],
        extensions: &[&str],
    ) -> Result<Self, UsageError> {
        let is_stdin = |path: &Path| path.as_os_str() == "-";
        if paths.iter().filter(|path| is_stdin(path)).count() > 1 {
            return Err(UsageError("standard input can be read only once".into()));
        }
        let mut list = Vec::new();
        let mut many = paths.len() > 1;
        for path in paths {
            if is_stdin(path) {
                list.push(Input::stdin());
            } else if path.is_dir() {
                many = true;
                search(path, extensions, &mut list);
            } else {
                // Whether it exists shows when it's read.
                list.push(Input::file(path));
            }
        }
        if paths.is_empty() {
            list.push(Input::stdin());
        }
        Ok(Self { list, many })
    }
}

/// Adds the files with one of these extensions below a directory.
fn search(root: &Path, extensions: &[&str], list: &mut Vec<Input>) {
    let mut found = Vec::new();
    let mut directories = vec![root.to_path_buf()];
    while let Some(directory) = directories.pop() {
        if let Err(error) = search_one(&directory, extensions, &mut found, &mut directories) {
            found.push(Input::barren(&directory, error));
        }
    }
    if found.is_empty() {
        let message = format!(
            "this directory contains no .{} file",
            extensions.join(" or .")
        );
        found.push(Input::barren(
            root,
            io::Error::new(io::ErrorKind::NotFound, message),
        ));
    }
    for input in &mut found {
        if let Origin::File(path) = &input.origin
            && let Ok(relative) = path.strip_prefix(root)
        {
            input.relative = relative.into();
        }
    }
    found.sort_by(|a, b| {
        a.relative
            .cmp(&b.relative)
            .then_with(|| a.name.cmp(&b.name))
    });
    list.append(&mut found);
}

fn search_one(
    directory: &Path,
    extensions: &[&str],
    found: &mut Vec<Input>,
    directories: &mut Vec<PathBuf>,
) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        let kind = entry.file_type()?;
        if kind.is_dir() {
            directories.push(path);
        } else if extensions
            .iter()
            .any(|extension| has_extension(&path, extension))
            && (kind.is_file() || path.is_file())
        {
            // Links to files count; links to directories don't, as they may go
            // in cycles.
            found.push(Input::file(&path));
        }
    }
    Ok(())
}

/// Whether a path has this extension, in small or capital letters.
pub(crate) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension()
        .is_some_and(|found| found.eq_ignore_ascii_case(extension))
}
