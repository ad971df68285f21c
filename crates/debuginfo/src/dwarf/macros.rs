//! Macros: sections that list what was defined, and where.

use gimli::constants::*;
use gimli::write::AttributeValue;
use gimli::{DebugMacinfoOffset, DebugMacroOffset};
use spirvkit_binary::Id;

use super::units::{UnitState, Writer};
use super::{Sections, Version, macro_section};
use crate::{Entry, Field, FileId, Kind};

/// What a unit contributes to the section of macros.
#[derive(Debug)]
pub(super) struct UnitMacros {
    unit: usize,
    bytes: Vec<u8>,
}

/// The macros of a unit in the writing.
struct List {
    bytes: Vec<u8>,
    /// The file of the unit.
    primary: Option<FileId>,
    /// The file that the last one was in.
    file: Option<FileId>,
}

/// In the header of version 5: that the place of the line table is given.
const HAS_LINE_OFFSET: u8 = 2;
/// Where in a contribution of version 5 it is given.
const LINE_OFFSET_AT: usize = 3;

impl<'w> Writer<'w> {
    /// Lists the macros of each unit that has some.
    pub(super) fn macros(&mut self) -> Vec<UnitMacros> {
        let info = self.info;
        let mut unit_of_file = std::collections::HashMap::new();
        for (unit, state) in self.units.iter().enumerate().rev() {
            if let Some(file) = state.entry.and_then(|entry| entry.file()) {
                unit_of_file.insert(file, unit);
            }
        }
        let mut lists: Vec<Option<List>> = self.units.iter().map(|_| None).collect();
        // One long string can be in many macros.
        let mut room = info.words().len() * 16;
        let is_macro =
            |entry: &Entry<'_>| matches!(entry.kind(), Kind::MacroDef | Kind::MacroUndef);
        for entry in info.entries().filter(is_macro) {
            let file = entry.file();
            let unit = file
                .and_then(|file| unit_of_file.get(&file))
                .copied()
                .unwrap_or(0);
            let Some(text) = macro_text(entry, &mut room) else {
                continue;
            };
            let mut list = lists[unit]
                .take()
                .unwrap_or_else(|| self.begin_macros(unit));
            self.enter(unit, &mut list, file);
            // The numbers are the same in both versions.
            list.bytes.push(match entry.kind() {
                Kind::MacroDef => DW_MACINFO_define.0,
                _ => DW_MACINFO_undef.0,
            });
            push_uleb128(&mut list.bytes, entry.line().unwrap_or(0).into());
            list.bytes.extend(text.bytes().filter(|&byte| byte != 0));
            list.bytes.push(0);
            lists[unit] = Some(list);
        }
        let units = lists.into_iter().enumerate();
        let with_some = units.filter_map(|(unit, list)| Some((unit, list?)));
        with_some.map(|(unit, list)| list.end(unit)).collect()
    }

    fn begin_macros(&mut self, unit: usize) -> List {
        let entry = self.units[unit].entry;
        let primary = entry.and_then(|entry| entry.file()).or(self.symbols.source);
        let mut bytes = Vec::new();
        if self.options.version == Version::V5 {
            bytes.extend(5_u16.to_le_bytes());
            bytes.push(HAS_LINE_OFFSET);
            bytes.extend(0_u32.to_le_bytes());
        }
        let mut list = List {
            bytes,
            primary,
            file: primary,
        };
        if let Some(primary) = primary {
            self.start_file(unit, &mut list, primary);
        }
        list
    }

    fn start_file(&mut self, unit: usize, list: &mut List, file: FileId) {
        let (number, _) = self.file_index(unit, file);
        list.bytes.push(DW_MACINFO_start_file.0);
        // Where it was included is not known.
        push_uleb128(&mut list.bytes, 0);
        push_uleb128(&mut list.bytes, number);
    }

    /// Goes to another file: into it from the primary one, and back.
    fn enter(&mut self, unit: usize, list: &mut List, file: Option<FileId>) {
        let file = file.or(list.primary);
        if list.file == file {
            return;
        }
        if list.file != list.primary {
            list.bytes.push(DW_MACINFO_end_file.0);
        }
        if let Some(file) = file.filter(|_| file != list.primary) {
            self.start_file(unit, list, file);
        }
        list.file = file;
    }

    /// Lets the units refer to their macros.
    pub(super) fn refer_to_macros(&mut self, macros: &[UnitMacros]) {
        let mut offset = 0;
        for of_unit in macros {
            let root = self.root(of_unit.unit);
            match self.options.version {
                Version::V4 => {
                    let value = AttributeValue::DebugMacinfoRef(DebugMacinfoOffset(offset));
                    self.set(root, DW_AT_macro_info, value);
                }
                Version::V5 => {
                    let value = AttributeValue::DebugMacroRef(DebugMacroOffset(offset));
                    self.set(root, DW_AT_macros, value);
                }
            }
            offset += of_unit.bytes.len();
        }
    }
}

impl List {
    fn end(mut self, unit: usize) -> UnitMacros {
        if self.file != self.primary {
            self.bytes.push(DW_MACINFO_end_file.0);
        }
        if self.primary.is_some() {
            self.bytes.push(DW_MACINFO_end_file.0);
        }
        self.bytes.push(0);
        UnitMacros {
            unit,
            bytes: self.bytes,
        }
    }
}

/// The name and value of a macro, or the name of one that is undefined.
fn macro_text(entry: Entry<'_>, room: &mut usize) -> Option<String> {
    let defined = match entry.kind() {
        Kind::MacroUndef => entry.entry(Field::Macro)?,
        _ => entry,
    };
    let length = |id: Option<Id>| {
        let string = id.and_then(|id| entry.info().definition(id));
        string.map_or(0, |string| string.words().len() * 4)
    };
    let total = length(defined.id_of(Field::Name)) + length(defined.id_of(Field::Value));
    *room = room.checked_sub(total)?;
    let name = defined.name()?;
    if entry.kind() == Kind::MacroUndef {
        let end = name.find('(').unwrap_or(name.len());
        return name.get(..end).map(str::to_owned);
    }
    // A space stands between the name and the value, even if that is empty.
    let value = defined.text(Field::Value).unwrap_or_default();
    Some(format!("{name} {value}"))
}

/// Adds the section of macros.
pub(super) fn add(
    macros: &[UnitMacros],
    units: &[UnitState<'_>],
    version: Version,
    sections: &mut Sections,
) {
    let lines = sections.get(".debug_line").unwrap_or_default();
    let lines = line_table_offsets(lines, units);
    let mut bytes = Vec::new();
    for of_unit in macros {
        let start = bytes.len() + LINE_OFFSET_AT;
        bytes.extend(&of_unit.bytes);
        let line = lines.get(of_unit.unit).copied().unwrap_or(0);
        if version == Version::V5
            && let Some(at) = bytes.get_mut(start..start + 4)
        {
            at.copy_from_slice(&line.to_le_bytes());
        }
    }
    sections.add(macro_section(version).name(), bytes);
}

/// Where the line table of each unit starts: those that are in use follow each other.
fn line_table_offsets(section: &[u8], units: &[UnitState<'_>]) -> Vec<u32> {
    let mut at = 0_u32;
    let mut offsets = Vec::with_capacity(units.len());
    for unit in units {
        offsets.push(at);
        if unit.files.in_use {
            let length = section
                .get(at as usize..)
                .and_then(|rest| rest.first_chunk());
            let length = length.map_or(0, |bytes| u32::from_le_bytes(*bytes));
            at = at.saturating_add(4).saturating_add(length);
        }
    }
    offsets
}

fn push_uleb128(bytes: &mut Vec<u8>, value: u64) {
    let mut value = value;
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}
