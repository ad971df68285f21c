//! Compilation units: what is common to the work on all of them, and their own DIEs.

use std::collections::HashMap;
use std::ops::Range;

use gimli::constants::*;
use gimli::write::{
    Address, AttributeValue, DebugInfoRef, DebuggingInformationEntry, Dwarf, Range as CodeRange,
    RangeList, StringId, Unit, UnitEntryId, UnitId,
};
use gimli::{DwAt, DwTag, Encoding, Format};
use spirvkit_binary::{Budget, Id, IdMap};
use spirvkit_grammar::{Generator, SourceLanguage};

use super::functions::Plan;
use super::layouts::Layouts;
use super::lines::FileTable;
use super::macros::UnitMacros;
use super::nodes::{DieNode, DieNodeId};
use super::symbols::Symbols;
use super::{AddressSize, CodeMap, Options, Version};
use crate::{DebugInfo, Entry, Field, Kind};

/// A DIE of one of the units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Die {
    pub(super) unit: usize,
    pub(super) entry: UnitEntryId,
}

/// A compilation unit in the making.
#[derive(Debug)]
pub(super) struct UnitState<'w> {
    pub(super) id: UnitId,
    /// The `DebugCompilationUnit`; none for that of a module that has none.
    pub(super) entry: Option<Entry<'w>>,
    pub(super) files: FileTable,
    /// The addresses of all its functions.
    pub(super) ranges: Vec<Range<u64>>,
}

/// Everything that writes DWARF works on.
pub(super) struct Writer<'w> {
    pub(super) info: &'w DebugInfo<'w>,
    pub(super) map: &'w dyn CodeMap,
    pub(super) options: &'w Options,
    pub(super) dwarf: Dwarf,
    pub(super) units: Vec<UnitState<'w>>,
    /// The units of `DebugCompilationUnit`s.
    pub(super) unit_of: HashMap<u32, usize>,
    pub(super) nodes: Vec<DieNode<'w>>,
    /// The number of each entry's node, plus one.
    pub(super) home_of: IdMap<u32>,
    /// The classes that name `DebugFunction`s as members.
    pub(super) methods: HashMap<u32, Entry<'w>>,
    /// What is to become of each `DebugFunction`.
    pub(super) plans: HashMap<DieNodeId, Plan>,
    pub(super) symbols: &'w Symbols,
    pub(super) layouts: Layouts,
    /// Strings by the ids of `OpString`s, each of which is read once.
    strings: HashMap<u32, Option<StringId>>,
    /// The names of functions by their ids.
    names: HashMap<u32, StringId>,
    /// What may be written for what has been written before, and for the ranges of addresses
    /// of scopes, so that a short module can't make a long one of many references to one
    /// long list. Without any left, the rest of the code is in its function only.
    pub(super) room: Budget,
    /// How many more blocks may be looked at to find out where variables have values.
    pub(super) steps: usize,
    /// How many more steps may be taken outwards from where functions were inlined.
    pub(super) climbs: usize,
}

/// What a DIE takes with one attribute: in the making, in its list and in the section.
const DIE: u64 = 384;
/// What an operation of an expression takes, or one of its operands.
pub(super) const OPERATION: u64 = 128;
/// How many blocks may be looked at, for all variables together, for each word.
const STEPS_A_WORD: usize = 4;
/// How many steps outwards may be taken for each word.
const CLIMBS_A_WORD: usize = 4;

impl<'w> Writer<'w> {
    pub(super) fn new(
        info: &'w DebugInfo<'w>,
        symbols: &'w Symbols,
        map: &'w dyn CodeMap,
        options: &'w Options,
    ) -> Self {
        let words = info.words();
        let bound = words.get(3).copied().unwrap_or_default();
        let mut writer = Self {
            info,
            map,
            options,
            dwarf: Dwarf::new(),
            units: Vec::new(),
            unit_of: HashMap::new(),
            nodes: Vec::new(),
            home_of: IdMap::with_bound(0, words.len(), bound),
            methods: HashMap::new(),
            plans: HashMap::new(),
            symbols,
            layouts: Layouts::default(),
            strings: HashMap::new(),
            names: HashMap::new(),
            room: Budget::for_words(words.len()),
            steps: words.len() * STEPS_A_WORD,
            climbs: words.len() * CLIMBS_A_WORD,
        };
        for entry in info.of_kind(Kind::CompilationUnit) {
            writer.unit_of.insert(entry.id().0, writer.units.len());
            writer.add_unit(Some(entry));
        }
        if writer.units.is_empty() {
            writer.add_unit(None);
        }
        writer.set_producers();
        writer
    }

    /// Describes everything that is declared: types, functions, variables.
    pub(super) fn describe(&mut self) {
        self.seal();
        self.lay_out();
        self.plan();
        self.declare();
    }

    pub(super) fn encoding(&self) -> Encoding {
        Encoding {
            format: Format::Dwarf32,
            version: match self.options.version {
                Version::V4 => 4,
                Version::V5 => 5,
            },
            address_size: self.options.address_size.bytes(),
        }
    }

    pub(super) fn is_version_5(&self) -> bool {
        self.options.version == Version::V5
    }

    fn add_unit(&mut self, entry: Option<Entry<'w>>) {
        let file = entry.and_then(|entry| entry.file());
        let file = file.or(self.symbols.source);
        let (program, files) = self.line_program(file);
        let unit = Unit::new(self.encoding(), program);
        let id = self.dwarf.units.add(unit);
        self.units.push(UnitState {
            id,
            entry,
            files,
            ranges: Vec::new(),
        });
        let root = self.root(self.units.len() - 1);
        let name = file.and_then(|file| self.info.file(file));
        self.set_text(root, DW_AT_name, name.map(|file| file.id()));
        let known = |language: &SourceLanguage| *language != SourceLanguage::Unknown;
        let language = entry.and_then(|entry| entry.language()).filter(known);
        let language = language.or(self.symbols.language);
        if let Some(language) = language.and_then(dwarf_language) {
            self.set(root, DW_AT_language, AttributeValue::Language(language));
        }
        if let Some(directory) = &self.options.directory {
            self.set_string(root, DW_AT_comp_dir, directory);
        }
    }

    /// Tells what made the module: what an entry point says of its compiler, and without
    /// that the tool that wrote the module.
    fn set_producers(&mut self) {
        let generator = self.info.words().get(2).copied().unwrap_or_default();
        let generator = Generator(generator).to_string();
        for unit in 0..self.units.len() {
            let root = self.root(unit);
            self.set_string(root, DW_AT_producer, &generator);
        }
        let info = self.info;
        for point in info.of_kind(Kind::EntryPoint) {
            let unit = point.id_of(Field::CompilationUnit);
            if let Some(&unit) = unit.and_then(|unit| self.unit_of.get(&unit.0)) {
                let root = self.root(unit);
                self.set_text(root, DW_AT_producer, point.id_of(Field::CompilerSignature));
                let flags = point.id_of(Field::CommandLineArguments);
                self.set_text(root, DW_AT_APPLE_flags, flags);
            }
        }
    }

    /// The DIE of a unit.
    pub(super) fn root(&self, unit: usize) -> Die {
        Die {
            unit,
            entry: self.dwarf.units.get(self.units[unit].id).root(),
        }
    }

    pub(super) fn unit(&mut self, unit: usize) -> &mut Unit {
        let id = self.units[unit].id;
        self.dwarf.units.get_mut(id)
    }

    fn get(&mut self, die: Die) -> &mut DebuggingInformationEntry {
        self.unit(die.unit).get_mut(die.entry)
    }

    /// Adds a DIE inside another.
    pub(super) fn add(&mut self, parent: Die, tag: DwTag) -> Die {
        Die {
            unit: parent.unit,
            entry: self.unit(parent.unit).add(parent.entry, tag),
        }
    }

    /// Adds a DIE that is a copy, as it were, of what there is already; none if there
    /// have been too many.
    pub(super) fn add_copy(&mut self, parent: Die, tag: DwTag) -> Option<Die> {
        self.room.take(DIE).then(|| self.add(parent, tag))
    }

    pub(super) fn set(&mut self, die: Die, attribute: DwAt, value: AttributeValue) {
        self.get(die).set(attribute, value);
    }

    pub(super) fn set_flag(&mut self, die: Die, attribute: DwAt) {
        self.set(die, attribute, AttributeValue::FlagPresent);
    }

    pub(super) fn set_number(&mut self, die: Die, attribute: DwAt, value: u64) {
        self.set(die, attribute, AttributeValue::Udata(value));
    }

    pub(super) fn set_string(&mut self, die: Die, attribute: DwAt, value: &str) {
        let value = self.dwarf.strings.add(value.as_bytes());
        self.set(die, attribute, AttributeValue::StringRef(value));
    }

    /// Sets an attribute to the text of an `OpString`, unless that is empty.
    pub(super) fn set_text(&mut self, die: Die, attribute: DwAt, text: Option<Id>) {
        if let Some(string) = text.and_then(|id| self.text(id)) {
            self.set(die, attribute, AttributeValue::StringRef(string));
        }
    }

    /// The text of an `OpString`, unless it is empty.
    pub(super) fn text(&mut self, id: Id) -> Option<StringId> {
        let info = self.info;
        let strings = &mut self.dwarf.strings;
        *self.strings.entry(id.0).or_insert_with(|| {
            let text = info.string(id).filter(|text| !text.is_empty())?;
            Some(strings.add(text))
        })
    }

    /// Names the DIE of a function that has only its symbol.
    pub(super) fn set_symbol(&mut self, die: Die, function: Id) {
        let (symbols, strings) = (&self.symbols, &mut self.dwarf.strings);
        let name = self.names.entry(function.0);
        let name = *name.or_insert_with(|| strings.add(symbols.name_of(function)));
        self.set(die, DW_AT_name, AttributeValue::StringRef(name));
    }

    /// Lets an attribute refer to another DIE.
    pub(super) fn refer(&mut self, die: Die, attribute: DwAt, to: Die) {
        let value = match die.unit == to.unit {
            true => AttributeValue::UnitRef(to.entry),
            false => {
                let unit = self.units[to.unit].id;
                AttributeValue::DebugInfoRef(DebugInfoRef::Entry(unit, to.entry))
            }
        };
        self.set(die, attribute, value);
    }

    /// Tells where something is declared.
    pub(super) fn set_declared(&mut self, die: Die, entry: Entry<'w>) {
        let (Some(file), Some(line @ 1..)) = (entry.file(), entry.line()) else {
            return;
        };
        self.set_file(die, DW_AT_decl_file, file);
        self.set_number(die, DW_AT_decl_line, line.into());
        if let Some(column @ 1..) = entry.column() {
            self.set_number(die, DW_AT_decl_column, column.into());
        }
    }

    /// Tells which addresses belong to a DIE, if any: sorted, and without overlaps.
    pub(super) fn set_ranges(&mut self, die: Die, ranges: &[Range<u64>]) {
        match ranges {
            [] => {}
            [range] => {
                self.set(die, DW_AT_low_pc, address(range.start));
                self.set_number(die, DW_AT_high_pc, range.end - range.start);
            }
            ranges => self.set_range_list(die, ranges),
        }
    }

    fn set_range_list(&mut self, die: Die, ranges: &[Range<u64>]) {
        let list = ranges.iter().map(|range| CodeRange::StartEnd {
            begin: Address::Constant(range.start),
            end: Address::Constant(range.end),
        });
        let list = RangeList(list.collect());
        let list = self.unit(die.unit).ranges.add(list);
        self.set(die, DW_AT_ranges, AttributeValue::RangeListRef(list));
    }

    /// Completes the units; tells for each with how many files it refers to.
    pub(super) fn finish(mut self, macros: &[UnitMacros]) -> (Dwarf, Vec<UnitState<'w>>) {
        for unit in 0..self.units.len() {
            let root = self.root(unit);
            let mut ranges = std::mem::take(&mut self.units[unit].ranges);
            ranges.sort_by_key(|range| (range.start, range.end));
            let ranges = joined(ranges);
            if !ranges.is_empty() {
                // Everything in the unit is counted from here.
                self.set(root, DW_AT_low_pc, address(0));
                self.set_range_list(root, &ranges);
            }
        }
        self.refer_to_macros(macros);
        (self.dwarf, self.units)
    }

    /// The size of pointers in bytes: what the memory model says.
    pub(super) fn pointer_bytes(&self) -> u64 {
        match self.symbols.pointer_size {
            Some(AddressSize::Bits32) => 4,
            Some(AddressSize::Bits64) => 8,
            None => self.options.address_size.bytes().into(),
        }
    }
}

pub(super) fn address(address: u64) -> AttributeValue {
    AttributeValue::Address(Address::Constant(address))
}

/// Sorted ranges, with those that touch or overlap made one.
pub(super) fn joined(ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    let mut out: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for range in ranges.into_iter().filter(|range| range.start < range.end) {
        match out.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

/// The code of the language for debuggers.
///
/// Those of today know none of the codes that shading languages have been given since
/// version 5, and with a code that they don't know they forget how to look into a
/// structure. So a language comes out as one that has what it has.
fn dwarf_language(language: SourceLanguage) -> Option<DwLang> {
    Some(match language {
        SourceLanguage::OpenCL_C => DW_LANG_OpenCL,
        SourceLanguage::OpenCL_CPP
        | SourceLanguage::CPP_for_OpenCL
        | SourceLanguage::SYCL
        | SourceLanguage::HLSL
        | SourceLanguage::Slang => DW_LANG_C_plus_plus_14,
        SourceLanguage::Rust => DW_LANG_Rust,
        SourceLanguage::Zig => DW_LANG_Zig,
        SourceLanguage::Unknown => return None,
        _ => DW_LANG_C99,
    })
}
