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

/// How to disassemble. The default is the text that people read: header,
/// friendly names, one column, no colour.
#[derive(Clone, Debug)]
pub struct DisassembleOptions {
    pub(super) header: bool,
    pub(super) friendly_names: bool,
    pub(super) indentation: Indentation,
    pub(super) nested: bool,
    pub(super) reorder_blocks: bool,
    pub(super) offsets: bool,
    pub(super) comments: bool,
    pub(super) unknown_opcodes: bool,
    pub(super) lenient: bool,
    pub(super) color: bool,
    pub(super) annotate: bool,
    pub(super) source: bool,
    pub(super) max_errors: usize,
}

impl Default for DisassembleOptions {
    fn default() -> Self {
        Self {
            header: true,
            friendly_names: true,
            indentation: Indentation::Column,
            nested: false,
            reorder_blocks: false,
            offsets: false,
            comments: false,
            unknown_opcodes: false,
            lenient: false,
            color: false,
            annotate: false,
            source: false,
            max_errors: 1000,
        }
    }
}

impl DisassembleOptions {
    /// Whether to start with the header as comments. The assembler reads them
    /// back.
    #[must_use]
    pub fn header(mut self, on: bool) -> Self {
        self.header = on;
        self
    }

    /// Whether to name ids after what they stand for (`%main`, `%float_1`)
    /// rather than by their numbers.
    #[must_use]
    pub fn friendly_names(mut self, on: bool) -> Self {
        self.friendly_names = on;
        self
    }

    /// Where instructions start on their lines.
    #[must_use]
    pub fn indentation(mut self, indentation: Indentation) -> Self {
        self.indentation = indentation;
        self
    }

    /// Whether to indent blocks by their nesting in structured control flow, with
    /// an empty line before each.
    #[must_use]
    pub fn nested_indentation(mut self, on: bool) -> Self {
        self.nested = on;
        self
    }

    /// Whether to order blocks as structured control flow nests, rather than as
    /// they stand in the module.
    #[must_use]
    pub fn reorder_blocks(mut self, on: bool) -> Self {
        self.reorder_blocks = on;
        self
    }

    /// Whether to show each instruction's offset in bytes.
    #[must_use]
    pub fn offsets(mut self, on: bool) -> Self {
        self.offsets = on;
        self
    }

    /// Whether to head the sections of the module, and to repeat an id's
    /// decorations where it is defined.
    #[must_use]
    pub fn comments(mut self, on: bool) -> Self {
        self.comments = on;
        self
    }

    /// Whether to write `OpUnknown(opcode, word count)` for instructions whose
    /// opcode, extended instruction, enumerant or mask bit is not known, rather
    /// than to fail.
    #[must_use]
    pub fn handle_unknown_opcodes(mut self, on: bool) -> Self {
        self.unknown_opcodes = on;
        self
    }

    /// Whether to write whatever can't be decoded in a form that assembles to
    /// the same words, rather than to fail. With raw ids and the header,
    /// assembling the text then gives the same words for any module with a
    /// valid header. Ids are written as numbers in any case if something can't
    /// be decoded, because its ids have nothing but numbers.
    #[must_use]
    pub fn lenient(mut self, on: bool) -> Self {
        self.lenient = on;
        self
    }

    /// Whether to colour the text with ANSI escapes.
    #[must_use]
    pub fn color(mut self, on: bool) -> Self {
        self.color = on;
        self
    }

    /// Whether to spell out, in a comment behind each instruction, what its
    /// operands are: types as shader-language text, the values of constants,
    /// the decorations of variables.
    #[must_use]
    pub fn annotate(mut self, on: bool) -> Self {
        self.annotate = on;
        self
    }

    /// Whether to show the shader's own source lines, as comments, where the
    /// module carries them.
    #[must_use]
    pub fn source(mut self, on: bool) -> Self {
        self.source = on;
        self
    }

    /// Gives up after this many errors, and says so in one more; 0 is no limit.
    /// The default is 1,000.
    #[must_use]
    pub fn max_errors(mut self, errors: usize) -> Self {
        self.max_errors = errors;
        self
    }
}
