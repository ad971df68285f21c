//! What comes out of a run: what is shown, and what is written to files.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde_json::Value;
use spirvkit::interp::{Final, Image, Outcome};

use super::arguments::{FileForm, Type};
use super::buffers::{add, argument};
use super::places::{Blocks, Found, Home, Part, Wanted};
use super::{images, json, npy, png};
use crate::output::write_file;
use crate::report::Messages;

impl Blocks<'_> {
    /// Whether all of this can be shown and written, as far as that is known before the run.
    pub(super) fn check(
        &self,
        shown: &[Wanted],
        written: &[(Wanted, PathBuf)],
        explores: bool,
        messages: &mut Messages,
    ) {
        let shown = shown.iter().map(|wanted| (wanted, None));
        let written = written.iter().map(|(wanted, path)| (wanted, Some(path)));
        for (wanted, path) in shown.chain(written) {
            let found = self.find(wanted);
            let checked = found.and_then(|found| match path {
                None => self.check_shown(wanted, &found, explores),
                Some(path) => self.check_written(wanted, &found, path),
            });
            if let Err(why) = checked {
                add(messages, wanted, &why);
            }
        }
    }

    fn check_shown(&self, wanted: &Wanted, found: &Found, explores: bool) -> Result<(), String> {
        let is_argument = matches!(found.home, Home::Argument(_));
        if explores {
            if self.is_image(&found.home) {
                return Err("images can't be explored".into());
            }
            if let Home::Memory(_) = found.home {
                return Err("exploration doesn't show memory".into());
            }
            if let Home::Argument(name) = &found.home
                && name.parse::<u32>().is_err()
            {
                return Err("exploration shows arguments by their index, such as 0:u32".into());
            }
        }
        match (wanted.ty, found.part) {
            (Some(_), _) => Ok(()),
            (None, Some(_)) if self.is_image(&found.home) => Ok(()),
            (None, Some(part)) => self.check_layout(part),
            // It may be an image.
            (None, None) if is_argument && !explores => Ok(()),
            (None, None) => {
                Err("the module doesn't say of what type it is; name one, such as :f32".into())
            }
        }
    }

    fn check_written(&self, wanted: &Wanted, found: &Found, path: &Path) -> Result<(), String> {
        let is_argument = matches!(found.home, Home::Argument(_));
        match FileForm::of(&path.to_string_lossy()) {
            FileForm::Png if is_argument || self.is_image(&found.home) => Ok(()),
            FileForm::Png => Err(NO_PICTURE.into()),
            FileForm::Json => self.check_shown(wanted, found, false),
            FileForm::Npy => match (wanted.ty, found.part) {
                (Some(_), _) => Ok(()),
                (None, Some(part)) if !self.is_image(&found.home) => self.check_layout(part),
                (None, _) => Err("name a type of numbers, such as :f32".into()),
            },
            FileForm::Raw if found.is_whole || found.slice.is_some() => Ok(()),
            FileForm::Raw => Err("only a whole buffer can be written as it is".into()),
        }
    }
}

const NO_PICTURE: &str = "it is no image, so it can't be written as PNG";

/// What memory holds in the end.
pub(super) trait Memory {
    /// The bytes of a buffer or an image; none if there is none.
    fn bytes_of(&self, blocks: &Blocks<'_>, home: &Home) -> &[u8];

    /// The image that stands there, if one does.
    fn image_of(&self, home: &Home) -> Option<&Image>;

    /// Whether there is an argument of this name.
    fn is_there(&self, _home: &Home) -> Result<(), String> {
        Ok(())
    }
}

impl Memory for Outcome {
    fn bytes_of(&self, blocks: &Blocks<'_>, home: &Home) -> &[u8] {
        if let Some(image) = self.image_of(home) {
            return image.contents();
        }
        match home {
            Home::Buffer(set, binding, element) => {
                self.element(*set, *binding, *element).unwrap_or_default()
            }
            Home::Argument(name) => self.argument_bytes(argument(name)),
            Home::Memory(index) => self.memory_bytes(blocks.address_of(*index)),
        }
    }

    fn image_of(&self, home: &Home) -> Option<&Image> {
        match home {
            Home::Buffer(set, binding, element) => self.image_element(*set, *binding, *element),
            Home::Argument(name) => self.image_argument(argument(name)),
            Home::Memory(_) => None,
        }
    }

    fn is_there(&self, home: &Home) -> Result<(), String> {
        match home {
            Home::Argument(name) if !self.has_argument(argument(name)) => {
                Err(format!("there is no argument with memory called `{name}`"))
            }
            Home::Buffer(set, binding, element)
                if self.image_of(home).is_none()
                    && self.element(*set, *binding, *element).is_none() =>
            {
                Err("nothing is bound there, or the entry point doesn't use it".into())
            }
            _ => Ok(()),
        }
    }
}

impl Memory for Final<'_> {
    fn bytes_of(&self, _: &Blocks<'_>, home: &Home) -> &[u8] {
        match home {
            Home::Buffer(set, binding, element) => self.element(*set, *binding, *element),
            Home::Argument(name) => name.parse().map_or(&[], |index| self.argument(index)),
            Home::Memory(_) => &[],
        }
    }

    fn image_of(&self, _: &Home) -> Option<&Image> {
        None
    }
}

/// What is in a part after the run.
pub(super) fn value(
    blocks: &Blocks<'_>,
    wanted: &Wanted,
    memory: &dyn Memory,
) -> Result<Value, String> {
    let found = blocks.find(wanted)?;
    memory.is_there(&found.home)?;
    let image = image(&found, memory)?;
    if let (None, Some(image)) = (wanted.ty, &image) {
        return images::value(image, found.range);
    }
    let bytes = match &image {
        Some(image) => image.contents(),
        None => memory.bytes_of(blocks, &found.home),
    };
    match (wanted.ty, found.part) {
        (Some(ty), part) => {
            let numbers = numbers(bytes, part, ty, found.range).chunks_exact(ty.size());
            Ok(numbers.map(|bytes| ty.value(bytes)).collect())
        }
        (None, Some(part)) => json::read(blocks, part, found.range, bytes),
        (None, None) => Err("its type is unknown".into()),
    }
}

/// The image that stands there, or the part of it that is meant.
fn image<'m>(found: &Found, memory: &'m dyn Memory) -> Result<Option<Cow<'m, Image>>, String> {
    match (memory.image_of(&found.home), found.slice) {
        (Some(image), Some(slice)) => Ok(Some(Cow::Owned(slice.taken(image)?))),
        (Some(image), None) => Ok(Some(Cow::Borrowed(image))),
        (None, Some(_)) => Err("it is no image, and has no such parts".into()),
        (None, None) => Ok(None),
    }
}

/// The bytes of whole numbers from a part on, or of some of them.
fn numbers(bytes: &[u8], part: Option<Part>, ty: Type, range: Option<(u64, u64)>) -> &[u8] {
    let offset = |it: u64| usize::try_from(it).unwrap_or(usize::MAX).min(bytes.len());
    let rest = &bytes[offset(part.map_or(0, |part| part.offset))..];
    let count = rest.len() / ty.size();
    let (first, end) = range.unwrap_or((0, u64::MAX));
    let [first, end] = [first, end].map(|it| offset(it).min(count));
    &rest[first * ty.size()..end.max(first) * ty.size()]
}

/// Writes the files of a run: what lines were executed how often, and parts, each in the form that
/// its name says. If one of them can't be made, none is written.
pub(super) fn write(
    blocks: &Blocks<'_>,
    parts: &[(Wanted, PathBuf)],
    coverage: Option<(&PathBuf, Vec<u8>)>,
    outcome: &Outcome,
    messages: &mut Messages,
) {
    let mut files = Vec::from_iter(coverage);
    for (wanted, path) in parts {
        match made(blocks, wanted, path, outcome) {
            Ok(bytes) => files.push((path, bytes)),
            Err(why) => add(messages, wanted, &why),
        }
    }
    if messages.failed() {
        return;
    }
    for (path, bytes) in files {
        if let Err(error) = write_file(path, &bytes) {
            messages.add_write_error(&path.display().to_string(), &error);
        }
    }
}

/// What goes into a file.
fn made(
    blocks: &Blocks<'_>,
    wanted: &Wanted,
    path: &Path,
    outcome: &Outcome,
) -> Result<Vec<u8>, String> {
    let found = blocks.find(wanted)?;
    outcome.is_there(&found.home)?;
    let image = image(&found, outcome)?;
    let bytes = match &image {
        Some(image) => image.contents(),
        None => outcome.bytes_of(blocks, &found.home),
    };
    match (FileForm::of(&path.to_string_lossy()), wanted.ty, found.part) {
        (FileForm::Png, ..) => png::write(image.as_ref().ok_or(NO_PICTURE)?),
        (FileForm::Json, ..) => {
            let value = value(blocks, wanted, outcome)?;
            Ok(format!("{value}\n").into_bytes())
        }
        (FileForm::Npy, Some(ty), _) => {
            let numbers = numbers(bytes, found.part, ty, found.range);
            let count = numbers.len() / ty.size();
            Ok(npy::file(ty, &[count as u64], numbers))
        }
        (FileForm::Npy, None, Some(part)) => npy::of_part(blocks, part, found.range, bytes),
        (FileForm::Npy, None, None) => Err("name a type of numbers, such as :f32".into()),
        (FileForm::Raw, ..) => Ok(bytes.to_vec()),
    }
}
