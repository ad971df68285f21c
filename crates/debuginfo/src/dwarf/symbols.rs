//! What the core instructions of a module tell: names of functions, the language, the
//! size of pointers.

use std::collections::HashMap;

use spirvkit_binary::{Id, Instruction, LiteralString};
use spirvkit_grammar::{AddressingModel, Decoration, LinkageType, Op, SourceLanguage};

use super::AddressSize;
use crate::{DebugInfo, FileId};

/// What is before the first function.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    /// The names of functions, and whether other modules or programs can see them.
    names: HashMap<u32, (Rank, String)>,
    /// The language of the first `OpSource` that tells one.
    pub(super) language: Option<SourceLanguage>,
    /// The file of the first `OpSource` that names one, and without it the first file.
    pub(super) source: Option<FileId>,
    /// What the memory model says of pointers.
    pub(super) pointer_size: Option<AddressSize>,
}

/// How much a name counts: the later the more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Name,
    EntryPoint,
    Import,
    Export,
}

impl Symbols {
    pub(super) fn read(info: &DebugInfo<'_>) -> Self {
        let mut symbols = Self::default();
        let functions = info.functions().iter().map(|function| function.id.0);
        let none = || (Rank::Name, String::new());
        symbols.names = functions.map(|id| (id, none())).collect();
        let before = info
            .instructions()
            .take_while(|instruction| instruction.op() != Op::Function);
        for instruction in before {
            symbols.read_instruction(info, &instruction);
        }
        let first = || info.files().next().map(|(file, _)| file);
        symbols.source = symbols.source.or_else(first);
        symbols
    }

    fn read_instruction(&mut self, info: &DebugInfo<'_>, instruction: &Instruction<'_>) {
        match (instruction.op(), instruction.words()) {
            (Op::MemoryModel, [_, addressing, ..]) => {
                self.pointer_size = match AddressingModel(*addressing) {
                    AddressingModel::Physical32 => Some(AddressSize::Bits32),
                    AddressingModel::Physical64 => Some(AddressSize::Bits64),
                    _ => None,
                };
            }
            (Op::Source, [_, language, rest @ ..]) => {
                let language = SourceLanguage(*language);
                if self.language.is_none() && language != SourceLanguage::Unknown {
                    self.language = Some(language);
                }
                let file = rest.get(1).and_then(|&file| info.file_of(Id(file)));
                self.source = self.source.or(file);
            }
            (Op::Name, [_, id, name @ ..]) => self.name(*id, Rank::Name, name),
            (Op::EntryPoint, [_, _, id, name @ ..]) => self.name(*id, Rank::EntryPoint, name),
            (Op::Decorate, [_, id, decoration, name @ ..])
                if Decoration(*decoration) == Decoration::LinkageAttributes =>
            {
                let length = LiteralString::at_start_of(name).map(|name| name.words().len());
                let kind = length.and_then(|length| name.get(length));
                let rank = match kind.map(|&kind| LinkageType(kind)) {
                    Some(LinkageType::Import) => Rank::Import,
                    _ => Rank::Export,
                };
                self.name(*id, rank, name);
            }
            _ => {}
        }
    }

    fn name(&mut self, id: u32, rank: Rank, name: &[u32]) {
        let Some(known) = self.names.get_mut(&id) else {
            return;
        };
        let better = known.1.is_empty() || rank > known.0;
        if let Some(name) = LiteralString::at_start_of(name).filter(|_| better) {
            *known = (rank, name.to_text_lossy());
        }
    }

    /// The name of a function: what linkers or programs know it by, what it is called in
    /// the module, and without any of them its id.
    pub(super) fn name_of(&self, function: Id) -> String {
        match self.names.get(&function.0) {
            Some((_, name)) if !name.is_empty() => name.clone(),
            _ => function.to_string(),
        }
    }

    /// Whether linkers or programs know a function by name.
    pub(super) fn is_external(&self, function: Id) -> bool {
        let known = self.names.get(&function.0);
        known.is_some_and(|(rank, _)| *rank > Rank::Name)
    }
}
