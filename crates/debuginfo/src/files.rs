//! Source files: their names, and their texts where the module has them.

use std::collections::HashMap;
use std::ops::Range;

use spirvkit_binary::{Id, Instruction, LiteralString};
use spirvkit_grammar::Op;

use crate::DebugInfo;

/// The most bytes of a name that are shown.
const MAX_BYTES: usize = 1000;

/// A source file of a module: a number for [`DebugInfo::file`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(crate) u32);

/// A source file.
#[derive(Clone, Debug)]
pub struct File {
    name: String,
    id: Id,
    /// Where the literal strings are, in words, that make up its text.
    parts: Vec<u32>,
}

impl File {
    /// The name, as the compiler was given it; empty, if the module has none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The `OpString` with the name.
    pub fn id(&self) -> Id {
        self.id
    }

    /// Whether something has been taken for its text.
    fn has_text(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Whether somebody who calls a file `name` may mean this one: by its path, or by
    /// the last parts of it.
    pub fn is_called(&self, name: &str) -> bool {
        let is_separator = |c: char| matches!(c, '/' | '\\');
        match self.name.strip_suffix(name) {
            Some(before) => {
                before.is_empty()
                    || before.ends_with(is_separator)
                    || name.starts_with(is_separator)
            }
            None => false,
        }
    }
}

/// The source files of a module.
#[derive(Debug, Default)]
pub(crate) struct Files {
    list: Vec<File>,
    /// By the ids of `OpString`s and `DebugSource`s.
    by_id: HashMap<u32, FileId>,
    by_name: HashMap<String, FileId>,
    /// The file to whose text more may be added.
    current: Option<FileId>,
    /// The file without a name that is another one's text.
    united: Option<FileId>,
    /// How many words of text there are. Many instructions can refer to one string, but
    /// all texts together are kept no longer than the module.
    words: usize,
}

impl DebugInfo<'_> {
    /// The source files that the module names, in the order in which it does.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &File)> + '_ {
        let numbered = self.files.list.iter().enumerate();
        let files = numbered.map(|(index, file)| (FileId(index as u32), file));
        files.filter(|(id, _)| self.files.united != Some(*id))
    }

    /// A file of this module.
    pub fn file(&self, file: FileId) -> Option<&File> {
        self.files.list.get(file.0 as usize)
    }

    /// The file that an id stands for, which is an `OpString` with its name or a
    /// `DebugSource`.
    pub fn file_of(&self, id: Id) -> Option<FileId> {
        self.files.by_id.get(&id.0).copied()
    }

    /// The text of a file, if the module has it.
    pub fn text_of(&self, file: FileId) -> Option<String> {
        let text = self.whole_text(file)?;
        let (_, text) = split_checksum(&text);
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// A checksum of a file, if the module has one: how it was made, such as `MD5`, and
    /// its hexadecimal digits. SPIRV-LLVM-Translator writes it in front of the text, as
    /// a comment.
    pub fn checksum_of(&self, file: FileId) -> Option<(String, String)> {
        let text = self.whole_text(file)?;
        let (checksum, _) = split_checksum(&text);
        checksum.map(|(kind, digits)| (kind.to_owned(), digits.to_owned()))
    }

    pub(crate) fn whole_text(&self, file: FileId) -> Option<String> {
        let file = self.file(file)?;
        let mut bytes = Vec::new();
        for &part in &file.parts {
            let words = self.words.get(part as usize..);
            if let Some(string) = words.and_then(LiteralString::at_start_of) {
                string.append_to(&mut bytes);
            }
        }
        (!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The text of an `OpString`.
    pub fn string(&self, id: Id) -> Option<String> {
        self.literal(id).map(LiteralString::to_text_lossy)
    }

    /// The start of the text of an `OpString`, for people to read: very long ones are cut
    /// short, so that what refers to one often stays readable.
    pub(crate) fn short_string(&self, id: Id) -> Option<String> {
        let words = self.string_words(id)?;
        let start = words.get(..MAX_BYTES / 4 + 1).unwrap_or(words);
        let bytes = start.iter().flat_map(|word| word.to_le_bytes());
        let bytes: Vec<u8> = bytes.take_while(|&byte| byte != 0).collect();
        Some(cut_short(&String::from_utf8_lossy(&bytes)))
    }

    fn literal(&self, id: Id) -> Option<LiteralString<'_>> {
        LiteralString::at_start_of(self.string_words(id)?)
    }

    /// The words of the string that an `OpString` holds, and what comes after it.
    fn string_words(&self, id: Id) -> Option<&[u32]> {
        let instruction = self.definition(id).filter(|def| def.op() == Op::String)?;
        instruction.words().get(2..)
    }

    /// Makes a file of an id, unless it is one already.
    pub(crate) fn add_file(&mut self, id: Id) -> Option<FileId> {
        if let Some(&file) = self.files.by_id.get(&id.0) {
            return Some(file);
        }
        let string = match self.entry(id) {
            Some(source) => source.id_of(crate::Field::File)?,
            None => id,
        };
        // Many sources can name one long string.
        let file = match self.files.by_id.get(&string.0) {
            Some(&file) => file,
            None => self.file_called(string)?,
        };
        self.files.by_id.insert(string.0, file);
        self.files.by_id.insert(id.0, file);
        Some(file)
    }

    /// The file with the name that an `OpString` has, which is made if need be.
    fn file_called(&mut self, string: Id) -> Option<FileId> {
        let name = self.string(string)?;
        let next = FileId(self.files.list.len() as u32);
        let file = *self.files.by_name.entry(name.clone()).or_insert(next);
        if file == next {
            self.files.list.push(File {
                name,
                id: string,
                parts: Vec::new(),
            });
        }
        Some(file)
    }

    /// Gives the text of the only file without a name to the only one without a text.
    ///
    /// glslang calls what it compiles by its name where it says where functions and types
    /// are, and by an empty one where it has the text.
    pub(crate) fn unite_files(&mut self) {
        let list = &self.files.list;
        let only = |wanted: &dyn Fn(&File) -> bool| {
            let mut indices = (0..list.len()).filter(|&index| wanted(&list[index]));
            indices.next().filter(|_| indices.next().is_none())
        };
        let unnamed = only(&|file| file.name.is_empty() && file.has_text());
        let bare = only(&|file| !file.has_text());
        let (Some(unnamed), Some(bare)) = (unnamed, bare) else {
            return;
        };
        self.files.list[bare].parts = std::mem::take(&mut self.files.list[unnamed].parts);
        let (from, to) = (FileId(unnamed as u32), FileId(bare as u32));
        for file in self.files.by_id.values_mut().filter(|file| **file == from) {
            *file = to;
        }
        self.files.united = Some(from);
    }

    /// Begins the text of a file, unless it has one.
    pub(crate) fn begin_text(&mut self, file: Option<FileId>) {
        self.files.current =
            file.filter(|&file| self.file(file).is_some_and(|file| !file.has_text()));
    }

    /// Adds to the text that was begun the string in these words of the module.
    pub(crate) fn add_text(&mut self, words: Range<usize>) {
        let total = self.files.words + words.len();
        if words.is_empty() || total > self.words.len() {
            return;
        }
        let current = self.files.current;
        if let Some(file) = current.and_then(|file| self.files.list.get_mut(file.0 as usize)) {
            file.parts.push(words.start as u32);
            self.files.words = total;
        }
    }

    /// The same with an `OpString`.
    pub(crate) fn add_string(&mut self, id: u32) {
        let is_string = |def: &Instruction<'_>| def.op() == Op::String;
        if let Some(string) = self.definition(Id(id)).filter(is_string) {
            let start = string.offset().0;
            self.add_text(start + 2..start + string.words().len());
        }
    }
}

/// Splits a text into the checksum in front of it and the rest.
fn split_checksum(text: &str) -> (Option<(&str, &str)>, &str) {
    let Some(marked) = text.strip_prefix("//__CSK_") else {
        return (None, text);
    };
    let (line, rest) = marked.split_once('\n').unwrap_or((marked, ""));
    (line.split_once(':'), rest)
}

/// A text to show to people, without the rest of a very long one.
pub(crate) fn cut_short(text: &str) -> String {
    if text.len() <= MAX_BYTES {
        return text.to_owned();
    }
    let mut ends = (0..=MAX_BYTES).rev();
    let end = ends.find(|&end| text.is_char_boundary(end));
    let start = end.and_then(|end| text.get(..end)).unwrap_or_default();
    format!("{start}…")
}
