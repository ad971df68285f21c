//! DWARF from the debug information of a module.
//!
//! [`sections`] writes the sections of DWARF 4 or 5 for code that a backend has made of
//! a module: a [`CodeMap`] tells where the code of instructions is, and where values
//! are. [`object`] needs no backend: the module itself takes the place of the code, so
//! that an instruction's address is where it is in the file, in bytes. It writes an
//! ELF object with the module in it, which tools for DWARF can be asked about.
//!
//! Whatever set the module uses comes out the same. A module that has only `OpLine`,
//! `OpSource` and `OpName` gives a compilation unit, lines, and functions.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use spirvkit_binary::Module;
//! use spirvkit_debuginfo::DebugInfo;
//! use spirvkit_debuginfo::dwarf::{self, ByteOffsets, Options};
//!
//! let text = r#"
//!             OpCapability Shader
//!             OpMemoryModel Logical GLSL450
//!             OpEntryPoint GLCompute %main "main"
//!             OpExecutionMode %main LocalSize 1 1 1
//!     %file = OpString "nothing.comp"
//!             OpName %main "main"
//!     %void = OpTypeVoid
//!       %fn = OpTypeFunction %void
//!     %main = OpFunction %void None %fn
//!    %entry = OpLabel
//!             OpLine %file 3 1
//!             OpReturn
//!             OpFunctionEnd
//! "#;
//! let words = spirvkit_text::assemble(text, &Default::default()).map_err(|_| "")?.words;
//! let info = DebugInfo::read(&words)?;
//! let sections = dwarf::sections(&info, &ByteOffsets, &Options::default())?;
//! assert!(sections.get(".debug_line").is_some());
//! # Ok(())
//! # }
//! ```

mod aggregates;
mod expressions;
mod functions;
mod layouts;
mod lines;
mod locations;
mod macros;
mod nodes;
mod object;
mod scopes;
mod symbols;
mod types;
mod units;
mod variables;

use std::fmt;
use std::ops::Range;

use gimli::write::{EndianVec, Sections as Written};
use gimli::{LittleEndian, SectionId};
use spirvkit_binary::Id;

use crate::DebugInfo;

use symbols::Symbols;

pub use object::object;

spirvkit_binary::options! {
    /// How to write DWARF.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Options {
        /// The version of the standard.
        pub version: Version = Version::V5,
        /// The size of addresses in the code, and of pointers where a module doesn't tell.
        pub address_size: AddressSize = AddressSize::Bits64,
        /// The directory that relative names of source files start from.
        pub directory: Option<String> = None,
        /// Whether to write the texts of source files into the line table, as LLVM does. Only
        /// version 5 has a place for them, and the tools of GNU binutils refuse line tables
        /// with them.
        pub embed_sources: bool = false,
    }
}

/// A version of the DWARF standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Version {
    /// DWARF 4, of 2010.
    V4,
    /// DWARF 5, of 2017.
    V5,
}

/// The size of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddressSize {
    /// 4 bytes.
    Bits32,
    /// 8 bytes.
    Bits64,
}

impl AddressSize {
    pub(crate) fn bytes(self) -> u8 {
        match self {
            Self::Bits32 => 4,
            Self::Bits64 => 8,
        }
    }
}

/// What a backend made of a module: where the code of instructions is, and where values
/// are while it runs.
///
/// Addresses are those of the code that the sections are written for. They are written
/// as they are, without relocations.
pub trait CodeMap {
    /// The code of some instructions of a function, which are those that are in a range
    /// of the module's words: ranges of addresses, in any order.
    ///
    /// Code that came of several instructions may be mapped from each of them; it counts as
    /// that of the first. The code of different functions should not overlap.
    fn ranges(&self, words: Range<usize>) -> Vec<Range<u64>>;

    /// Where the value of an id is while a range of addresses is executed: parts of that
    /// range, and the place that holds in each. It is in no place where none is given.
    ///
    /// The value of an `OpVariable` is a pointer, so that a variable in the frame of a
    /// function is a [`Place::Pointer`] to there. Constants are not asked for.
    fn places(&self, id: Id, code: Range<u64>) -> Vec<(Range<u64>, Place)> {
        let _ = (id, code);
        Vec::new()
    }

    /// Where the value of an `OpVariable` outside of functions always is.
    fn global(&self, id: Id) -> Option<Place> {
        let _ = id;
        None
    }

    /// What [`Address::Frame`] is counted from in a function of the module.
    fn frame_base(&self, function: Id) -> Option<Place> {
        let _ = function;
        None
    }
}

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// In a register, by the number that it has in DWARF.
    Register(u16),
    /// In memory.
    Memory(Address),
    /// Nowhere, but it is a pointer to an address that is known.
    Pointer(Address),
    /// Nowhere, but it is known.
    Constant(u64),
    /// Nowhere that a debugger could look. The id is recorded, so that people who read the
    /// DWARF can look it up in the module.
    Noted,
}

/// An address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Address {
    /// Always the same.
    Fixed(u64),
    /// So many bytes from the base of the function's frame.
    Frame(i64),
    /// What is in a register, and so many bytes from there.
    Register(u16, i64),
}

/// The module itself in the place of code: the address of an instruction is where it
/// stands in the module, in bytes.
///
/// Values are nowhere then, but for constants. What has a location in the module has one
/// in the DWARF that debuggers report as optimized out: `DW_OP_constu` with the id of the
/// value or pointer, `DW_OP_drop`, and an empty `DW_OP_piece` of the variable's size.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByteOffsets;

impl CodeMap for ByteOffsets {
    fn ranges(&self, words: Range<usize>) -> Vec<Range<u64>> {
        std::iter::once(words.start as u64 * 4..words.end as u64 * 4).collect()
    }

    fn places(&self, _: Id, code: Range<u64>) -> Vec<(Range<u64>, Place)> {
        vec![(code, Place::Noted)]
    }

    fn global(&self, _: Id) -> Option<Place> {
        Some(Place::Noted)
    }
}

/// The sections of DWARF: names, such as `.debug_info`, and bytes in little-endian order.
#[derive(Clone, Debug, Default)]
pub struct Sections(Vec<(&'static str, Vec<u8>)>);

impl Sections {
    /// All sections that are not empty, always in the same order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &[u8])> + '_ {
        self.0.iter().map(|(name, bytes)| (*name, bytes.as_slice()))
    }

    /// The section of a name.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.iter()
            .find(|(section, _)| *section == name)
            .map(|(_, bytes)| bytes)
    }

    fn add(&mut self, name: &'static str, bytes: Vec<u8>) {
        if !bytes.is_empty() {
            self.0.push((name, bytes));
        }
    }
}

/// Why DWARF can't be written: an address, or the size of a section, is too large for
/// the fields that hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the debug information can't be written as DWARF: {}",
            self.0
        )
    }
}

impl std::error::Error for Error {}

impl From<gimli::write::Error> for Error {
    fn from(error: gimli::write::Error) -> Self {
        Self(error.to_string())
    }
}

/// Writes the debug information of a module as DWARF, for the code that `map` tells of.
///
/// # Errors
///
/// Fails if an address does not fit into the size of addresses, or if a section grows
/// beyond 4 GiB.
pub fn sections(
    info: &DebugInfo<'_>,
    map: &dyn CodeMap,
    options: &Options,
) -> Result<Sections, Error> {
    sections_with(info, &Symbols::read(info), map, options)
}

/// The same where what the core instructions tell has been read.
fn sections_with(
    info: &DebugInfo<'_>,
    symbols: &Symbols,
    map: &dyn CodeMap,
    options: &Options,
) -> Result<Sections, Error> {
    let mut writer = units::Writer::new(info, symbols, map, options);
    writer.describe();
    writer.locate();
    let macros = writer.macros();
    let (mut dwarf, units) = writer.finish(&macros);
    let mut written = Written::new(EndianVec::new(LittleEndian));
    dwarf.write(&mut written)?;
    let mut sections = Sections::default();
    written.for_each_mut(|id, bytes| {
        sections.add(id.name(), bytes.take());
        Ok::<_, Error>(())
    })?;
    macros::add(&macros, &units, options.version, &mut sections);
    Ok(sections)
}

/// The section of macros in a version.
fn macro_section(version: Version) -> SectionId {
    match version {
        Version::V4 => SectionId::DebugMacinfo,
        Version::V5 => SectionId::DebugMacro,
    }
}
