//! Line tables: which addresses come of which line.

use std::collections::HashMap;
use std::ops::Range;

use gimli::write::{
    Address, AttributeValue, FileId as FileIndex, FileInfo, LineProgram, LineString,
};
use gimli::{DwAt, LineEncoding};

use super::Version;
use super::units::{Die, Writer};
use crate::{FileId, Position};

/// The files of a line table.
#[derive(Debug, Default)]
pub(super) struct FileTable {
    /// The number of each, and where it is in the table.
    indices: HashMap<FileId, (u64, FileIndex)>,
    /// The numbers, in which files whose names were cut off to the same are one.
    numbers: HashMap<FileIndex, u64>,
    /// Whether anything refers to the table.
    pub(super) in_use: bool,
}

/// What a file without a name is called.
const UNKNOWN_FILE: &str = "unknown";
/// Names of files are cut off here: every unit has them again.
const MAX_NAME_LENGTH: usize = 4096;
/// The directory that relative names start from if nothing is known of it.
const HERE: &str = ".";

/// A row of a line table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) position: Option<Position>,
    pub(super) discriminator: u32,
    /// The instance of a scope that it is in. Debuggers look for a row where an inlined
    /// function begins.
    pub(super) node: usize,
    /// The first row behind what a function begins with.
    pub(super) ends_prologue: bool,
}

impl Row {
    fn is_like(&self, other: &Self) -> bool {
        let key = |row: &Self| (row.position, row.discriminator, row.node);
        key(self) == key(other)
    }
}

impl<'w> Writer<'w> {
    /// A line table without lines, for a unit of which `file` is the primary source.
    pub(super) fn line_program(&mut self, file: Option<FileId>) -> (LineProgram, FileTable) {
        let encoding = self.encoding();
        let directory = self.options.directory.as_deref().unwrap_or(HERE);
        let directory = match directory.is_empty() {
            true => HERE,
            false => directory,
        };
        let directory = LineString::new(directory, encoding, &mut self.dwarf.line_strings);
        let (folder, name) = self.file_name(file);
        let folder =
            folder.map(|name| LineString::new(name, encoding, &mut self.dwarf.line_strings));
        let name = LineString::new(name, encoding, &mut self.dwarf.line_strings);
        let (info, has_checksum) = self.file_info(file);
        let lines = LineEncoding::default();
        let mut program = LineProgram::new(encoding, lines, directory, folder, name, Some(info));
        program.file_has_source = self.options.embed_sources;
        let mut files = FileTable::default();
        // In version 5 the primary source is in the table from the start.
        if let Some((index, _, _)) = program.files().next() {
            files.numbers.insert(index, 0);
            files.indices.extend(file.map(|file| (file, (0, index))));
        }
        program.file_has_md5 = has_checksum;
        (program, files)
    }

    /// The folder and the name of a file, neither of which is empty.
    fn file_name(&self, file: Option<FileId>) -> (Option<&'w str>, &'w str) {
        let file = file.and_then(|file| self.info.file(file));
        let name = file.map_or("", |file| file.name());
        let end = (0..=MAX_NAME_LENGTH.min(name.len())).rev();
        let end = end.into_iter().find(|&end| name.is_char_boundary(end));
        let name = end.and_then(|end| name.get(..end)).unwrap_or_default();
        match name.rsplit_once('/') {
            _ if name.is_empty() => (None, UNKNOWN_FILE),
            Some((_, "")) | None => (None, name),
            Some(("", name)) => (Some("/"), name),
            Some((folder, name)) => (Some(folder), name),
        }
    }

    fn file_info(&mut self, file: Option<FileId>) -> (FileInfo, bool) {
        let mut info = FileInfo::default();
        let Some(file) = file.filter(|_| self.is_version_5()) else {
            return (info, false);
        };
        if self.options.embed_sources
            && let Some(mut text) = self.info.text_of(file)
        {
            // An empty text is none, and one that is there ends its last line.
            if !text.ends_with('\n') {
                text.push('\n');
            }
            let text = text.replace('\0', " ");
            let encoding = self.encoding();
            let text = LineString::new(text, encoding, &mut self.dwarf.line_strings);
            info.source = Some(text);
        }
        let checksum = self.info.checksum_of(file);
        let checksum = checksum.filter(|(kind, _)| kind == "MD5");
        let digest = checksum.and_then(|(_, digits)| u128::from_str_radix(&digits, 16).ok());
        if let Some(digest) = digest {
            info.md5 = digest.to_be_bytes();
        }
        (info, digest.is_some())
    }

    /// Where a file is in the table of a unit: its number, and for attributes.
    pub(super) fn file_index(&mut self, unit: usize, file: FileId) -> (u64, FileIndex) {
        self.units[unit].files.in_use = true;
        if let Some(&index) = self.units[unit].files.indices.get(&file) {
            return index;
        }
        if self.is_version_5() && self.units[unit].files.numbers.len() == 1 {
            self.add_second_file(unit);
        }
        let encoding = self.encoding();
        let (folder, name) = self.file_name(Some(file));
        let folder =
            folder.map(|name| LineString::new(name, encoding, &mut self.dwarf.line_strings));
        let name = LineString::new(name, encoding, &mut self.dwarf.line_strings);
        let (info, has_checksum) = self.file_info(Some(file));
        let program = &mut self.unit(unit).line_program;
        let folder = match folder {
            Some(folder) => program.add_directory(folder),
            None => program.default_directory(),
        };
        let index = program.add_file(name, folder, Some(info));
        // All files have a checksum, or none has.
        program.file_has_md5 &= has_checksum;
        let first = match self.options.version {
            Version::V4 => 1,
            Version::V5 => 0,
        };
        let files = &mut self.units[unit].files;
        let next = first + files.numbers.len() as u64;
        let number = *files.numbers.entry(index).or_insert(next);
        files.indices.insert(file, (number, index));
        (number, index)
    }

    /// Lets the second file in a table be the primary source once more, by another name.
    ///
    /// The standard has tables of version 5 begin with file 1, and GNU binutils with file
    /// 0, so neither is good for anything but the same file.
    fn add_second_file(&mut self, unit: usize) {
        let encoding = self.encoding();
        let program = &self.unit(unit).line_program;
        let Some((index, name, folder)) = program.files().next() else {
            return;
        };
        let info = program.get_file_info(index).clone();
        let is_here = folder == program.default_directory();
        let (name, folder) = (name.clone(), program.get_directory(folder).clone());
        let mut path = match is_here {
            true => HERE.as_bytes().to_vec(),
            false => self.dwarf.get_line_string(&folder).to_vec(),
        };
        path.push(b'/');
        path.extend_from_slice(self.dwarf.get_line_string(&name));
        let path = LineString::new(path, encoding, &mut self.dwarf.line_strings);
        let program = &mut self.unit(unit).line_program;
        let folder = program.default_directory();
        let index = program.add_file(path, folder, Some(info));
        self.units[unit].files.numbers.insert(index, 1);
    }

    pub(super) fn set_file(&mut self, die: Die, attribute: DwAt, file: FileId) {
        let (_, index) = self.file_index(die.unit, file);
        self.set(die, attribute, AttributeValue::FileIndex(Some(index)));
    }

    /// Adds the rows of a function: ranges of addresses in order, without overlaps.
    pub(super) fn add_rows(&mut self, unit: usize, rows: &[(Range<u64>, Row)]) {
        // What has no line is in some file all the same.
        let Some(position) = rows.iter().find_map(|(_, row)| row.position) else {
            return;
        };
        let (_, first) = self.file_index(unit, position.file);
        let mut start = None;
        let mut end = 0;
        let mut last: Option<Row> = None;
        for (range, row) in rows {
            let base = match start {
                Some(base) if range.start == end => base,
                _ => {
                    self.end_rows(unit, start, end);
                    let program = &mut self.unit(unit).line_program;
                    program.begin_sequence(Some(Address::Constant(range.start)));
                    last = None;
                    *start.insert(range.start)
                }
            };
            end = range.end;
            if last.is_some_and(|last| last.is_like(row)) {
                continue;
            }
            last = Some(*row);
            let file = row
                .position
                .map(|position| self.file_index(unit, position.file));
            let out = self.unit(unit).line_program.row();
            out.address_offset = range.start - base;
            out.file = file.map_or(first, |(_, file)| file);
            out.line = row.position.map_or(0, |position| position.line.into());
            out.column = row.position.map_or(0, |position| position.column.into());
            out.discriminator = row.discriminator.into();
            out.prologue_end = row.ends_prologue;
            self.unit(unit).line_program.generate_row();
        }
        self.end_rows(unit, start, end);
    }

    fn end_rows(&mut self, unit: usize, start: Option<u64>, end: u64) {
        if let Some(start) = start {
            self.unit(unit).line_program.end_sequence(end - start);
        }
    }
}
