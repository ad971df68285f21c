//! How long texts and their lines are: the newest set wants lines and columns to be
//! within the text, if it has one.

use std::collections::{HashMap, HashSet};

use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::{Converter, Effect};
use crate::{Entry, Field, FileId};

/// The lengths of the lines of a text, in bytes.
#[derive(Debug)]
pub(super) struct Extent {
    lines: Vec<u32>,
}

impl Extent {
    /// Those of a text; none of one that says itself how its lines are counted, or that
    /// is empty.
    pub(super) fn of(text: &str) -> Option<Self> {
        let is_counted = !text.contains("#line");
        let lines: Vec<u32> = text.split('\n').map(|line| line.len() as u32).collect();
        let has_text = lines.iter().any(|&length| length > 0);
        (is_counted && has_text).then_some(Self { lines })
    }

    fn has_line(&self, line: u64) -> bool {
        line <= self.lines.len() as u64
    }

    /// Whether a column is in a line, or right behind it.
    fn has_column(&self, line: u64, column: u64) -> bool {
        let index = line.checked_sub(1).and_then(|it| usize::try_from(it).ok());
        let length = index.and_then(|index| self.lines.get(index));
        length.is_none_or(|&length| column <= u64::from(length) + 1)
    }
}

/// The extents of the files with a text.
pub(super) type Extents = HashMap<FileId, Extent>;

impl<'a> Converter<'a, '_> {
    /// Measures the texts of these files. A text with fewer lines than are spoken of is
    /// no text of its file, and is left out.
    pub(super) fn measure(&self, files: impl Iterator<Item = FileId>) -> Extents {
        let mut extents = Extents::new();
        // Many sources can be of one file.
        let files: HashSet<FileId> = files.collect();
        for file in files {
            let text = self.info.whole_text(file);
            if let Some(extent) = text.and_then(|text| Extent::of(&text)) {
                extents.insert(file, extent);
            }
        }
        extents
    }

    /// The files with lines referred to that their texts don't have.
    pub(super) fn shorter_than_referenced(&self, extents: &Extents) -> HashSet<FileId> {
        let mut shorter = HashSet::new();
        let mut check = |file: Option<FileId>, line: Option<u64>| {
            let (Some(file), Some(line)) = (file, line) else {
                return;
            };
            let has_line = extents.get(&file).is_none_or(|it| it.has_line(line));
            if !has_line {
                shorter.insert(file);
            }
        };
        for entry in self.converted() {
            check(entry.file(), self.value(entry, Field::Line));
        }
        for inst in self.module.instructions() {
            if let (Op::Line, &[_, file, line, _]) =
                (self.module.op(inst), self.module.get(inst).words())
            {
                check(self.info.file_of(Id(file)), Some(u64::from(line)));
            }
        }
        shorter
    }

    /// A column that the target takes: 0 for one that its line doesn't have.
    pub(super) fn column(&mut self, entry: Entry<'a>, column: u32) -> u32 {
        let line = self.value(entry, Field::Line).unwrap_or_default();
        if self.has_column(entry.file(), line, column) {
            return column;
        }
        let why = "the line is shorter in the text of its file";
        self.lose(entry, Some(Field::Column), Effect::Approximated, why);
        0
    }

    pub(super) fn has_column(&self, file: Option<FileId>, line: u64, column: u32) -> bool {
        let extent = file.and_then(|file| self.sources.extents.get(&file));
        extent.is_none_or(|it| it.has_column(line, u64::from(column)))
    }
}
