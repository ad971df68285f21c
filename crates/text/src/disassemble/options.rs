//! How to disassemble.

/// Where instructions start on their lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Indentation {
    /// At the start of the line.
    None,
    /// In one column, with the result ids to its left.
    #[default]
    Column,
}

spirvkit_binary::options! {
    /// How to disassemble. The default is text for people: header, friendly names, one
    /// column, no colour.
    #[derive(Clone, Debug)]
    pub struct DisassembleOptions {
        /// Whether to start with the header as comments. The assembler reads them
        /// back.
        pub header: bool = true,
        /// Whether to name ids after what they stand for (`%main`, `%float_1`)
        /// rather than by their numbers.
        pub friendly_names: bool = true,
        /// Where instructions start on their lines.
        pub indentation: Indentation = Indentation::Column,
        /// Whether to indent blocks by their nesting in structured control flow, with
        /// an empty line before each.
        pub nested_indentation: bool = false,
        /// Whether to order blocks by structured control flow rather than as in the module.
        pub reorder_blocks: bool = false,
        /// Whether to show each instruction's offset in bytes.
        pub offsets: bool = false,
        /// Whether to head the sections of the module, and to repeat an id's
        /// decorations where it is defined.
        pub comments: bool = false,
        /// Whether to write `OpUnknown(opcode, word count)` for instructions whose
        /// opcode, extended instruction, enumerant or mask bit is not known, rather
        /// than to fail.
        pub handle_unknown_opcodes: bool = false,
        /// Whether to write whatever can't be decoded in a form that assembles to the same
        /// words, rather than to fail. With raw ids and the header, assembling the text then
        /// gives the same words for any module with a valid header. If something can't be
        /// decoded, all ids are written as numbers, because the ids in it can only be
        /// numbers.
        pub lenient: bool = false,
        /// Whether to colour the text with ANSI escapes.
        pub color: bool = false,
        /// Whether to explain the operands of each instruction in a comment after it: types
        /// as shader-language text, the values of constants, the decorations of variables.
        pub annotate: bool = false,
        /// Whether to show the shader's own source lines, as comments, if the module contains
        /// them.
        pub source: bool = false,
        /// The number of errors after which to give up, which one more error reports; 0 means
        /// no limit.
        pub max_errors: usize = 1000,
    }
}
