//! The other libraries.

use rspirv::binary::{Consumer, Disassemble, ParseAction};
use rspirv::dr;
use spirv_tools::TargetEnv;
use spirv_tools::assembler::compiled::CompiledAssembler;
use spirv_tools::assembler::{Assembler, AssemblerOptions, DisassembleOptions};

/// The names under which they stand in the tables.
pub(crate) const RSPIRV_LOAD: &str = "rspirv `load_words`";
pub(crate) const RSPIRV_STORE: &str = "rspirv `assemble`";
pub(crate) const RSPIRV_PARSE: &str = "rspirv `parse_words`, nothing kept";
pub(crate) const RSPIRV_DISASSEMBLE: &str = "rspirv `load_words` and `disassemble`";
pub(crate) const CPP: &str = "SPIRV-Tools (C++)";

/// rspirv's data representation of a module.
pub(crate) fn rspirv_load(words: &[u32]) -> Option<dr::Module> {
    dr::load_words(words).ok()
}

/// rspirv's parser, whose results are looked at and dropped. Returns the number
/// of operands.
pub(crate) fn rspirv_parse(words: &[u32]) -> Option<usize> {
    let mut counter = OperandCounter(0);
    rspirv::binary::parse_words(words, &mut counter).ok()?;
    Some(counter.0)
}

struct OperandCounter(usize);

impl Consumer for OperandCounter {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, _: dr::ModuleHeader) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, instruction: dr::Instruction) -> ParseAction {
        self.0 += instruction.operands.len();
        ParseAction::Continue
    }
}

/// rspirv's text. It differs from that of the other two in layout and details.
pub(crate) fn rspirv_disassemble(words: &[u32]) -> Option<String> {
    Some(rspirv_load(words)?.disassemble())
}

/// The C++ library, with a context that all calls share.
pub(crate) struct Cpp {
    assembler: CompiledAssembler,
}

impl Cpp {
    pub(crate) fn new() -> Self {
        Self {
            assembler: CompiledAssembler::with_env(TargetEnv::Universal_1_6),
        }
    }

    /// Disassembles with a header and in one column, as ours does by default.
    pub(crate) fn disassemble(&self, words: &[u32], friendly_names: bool) -> Option<String> {
        let options = DisassembleOptions {
            print: false,
            color: false,
            indent: true,
            show_byte_offset: false,
            no_header: false,
            use_friendly_names: friendly_names,
            comment: false,
        };
        self.assembler.disassemble(words, options).ok()?
    }

    /// Assembles and keeps the numbers of numeric ids, as ours does by default.
    pub(crate) fn assemble(&self, text: &str) -> Option<impl AsRef<[u32]> + use<>> {
        let options = AssemblerOptions {
            preserve_numeric_ids: true,
        };
        self.assembler.assemble(text, options).ok()
    }
}
