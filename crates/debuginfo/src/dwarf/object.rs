//! An ELF object that holds a module and its debug information.

use std::collections::HashSet;

use object::write::{Object, StandardSection, Symbol, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, SectionKind, SymbolFlags, SymbolKind, SymbolScope,
};

use super::symbols::Symbols;
use super::{ByteOffsets, Error, Options, sections_with};
use crate::DebugInfo;

/// Writes an ELF object (64 bits, little-endian) with a module in its `.text`, at
/// address 0, a symbol for each function with a body, and DWARF by [`ByteOffsets`].
///
/// The object says that it is for x86-64, because debuggers refuse objects for machines
/// that they don't know: its code can't be run.
///
/// # Errors
///
/// Fails if something is too large for the fields that hold it.
pub fn object(info: &DebugInfo<'_>, options: &Options) -> Result<Vec<u8>, Error> {
    let mut out = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
    let text = out.section_id(StandardSection::Text);
    let module = info.words().iter().flat_map(|word| word.to_le_bytes());
    out.set_section_data(text, module.collect::<Vec<u8>>(), 4);
    let symbols = Symbols::read(info);
    let mut named = HashSet::new();
    for function in info.functions() {
        // Of several functions with one id, the first counts.
        if info.blocks(function).0.is_empty() || !named.insert(function.id) {
            continue;
        }
        let scope = match symbols.is_external(function.id) {
            true => SymbolScope::Linkage,
            false => SymbolScope::Compilation,
        };
        out.add_symbol(Symbol {
            name: symbols.name_of(function.id).into_bytes(),
            value: function.words.start as u64 * 4,
            size: function.words.len() as u64 * 4,
            kind: SymbolKind::Text,
            scope,
            weak: false,
            section: SymbolSection::Section(text),
            flags: SymbolFlags::None,
        });
    }
    for (name, bytes) in sections_with(info, &symbols, &ByteOffsets, options)?.iter() {
        let kind = match name {
            ".debug_str" | ".debug_line_str" => SectionKind::DebugString,
            _ => SectionKind::Debug,
        };
        let section = out.add_section(Vec::new(), name.as_bytes().to_vec(), kind);
        out.set_section_data(section, bytes.to_vec(), 1);
    }
    out.write().map_err(|error| Error(error.to_string()))
}
