//! The text of a disassembly: ids, operands, colours, margins.

use crate::buffer::{MAX_LINE_LENGTH, TextBuffer};

use spirvkit_binary::Id;

use super::names::Names;
use super::{DisassembleOptions, Indentation};

/// The column in which instructions start, when they do.
const COLUMN: usize = 15;

/// The colours of the text, as ANSI escapes.
#[derive(Clone, Copy)]
pub(super) enum Hue {
    Result,
    Id,
    Number,
    String,
    Comment,
}

impl Hue {
    const fn escape(self) -> &'static str {
        match self {
            Self::Result => "\x1b[34m",
            Self::Id => "\x1b[33m",
            Self::Number => "\x1b[31m",
            Self::String => "\x1b[32m",
            Self::Comment => "\x1b[90m",
        }
    }
}

const RESET: &str = "\x1b[0m";

/// Where in structured control flow a line stands.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    /// By how many columns it is indented.
    pub(super) depth: usize,
    /// Whether it is the first of a block, which an empty line precedes.
    pub(super) starts_block: bool,
}

/// Writes the parts of a line.
pub(super) struct Writer {
    pub(super) out: TextBuffer,
    pub(super) names: Names,
    /// The column in which instructions start.
    pub(super) column: usize,
    pub(super) color: bool,
    /// How many bytes of the current line are escapes.
    pub(super) escapes: usize,
    /// The highest id written.
    pub(super) highest: u32,
}

impl Writer {
    /// A writer with room for the text of a module of this many words.
    pub(super) fn new(words: usize, names: Names, options: &DisassembleOptions) -> Self {
        Self {
            // A word takes some ten characters.
            out: TextBuffer::with_capacity(words * 12 + 2 * MAX_LINE_LENGTH),
            names,
            column: match options.indentation {
                Indentation::Column => COLUMN,
                Indentation::None => 0,
            },
            color: options.color,
            escapes: 0,
            highest: 0,
        }
    }

    /// Writes what is before the opcode's name.
    #[inline]
    pub(super) fn margin(&mut self, result: Option<Id>, place: Place) {
        match result {
            None => self.out.push_spaces(self.column),
            Some(id) => {
                self.highest = self.highest.max(id.0);
                self.begin(Hue::Result);
                // Room for the `%` and ` = `.
                if self.column > 0 {
                    let width = self.names.width(id);
                    self.out
                        .push_spaces((self.column - 4).saturating_sub(width));
                }
                self.out.push('%');
                self.names.write(&mut self.out, id);
                self.end_hue();
                self.out.push_str(" = ");
            }
        }
        if place.depth > 0 {
            self.out.push_spaces(place.depth);
        }
    }

    /// Starts a colour, if the text is to have any.
    #[inline]
    pub(super) fn begin(&mut self, hue: Hue) {
        if self.color {
            self.out.push_str(hue.escape());
            self.escapes += hue.escape().len();
        }
    }

    /// Ends a colour.
    #[inline]
    pub(super) fn end_hue(&mut self) {
        if self.color {
            self.out.push_str(RESET);
            self.escapes += RESET.len();
        }
    }

    /// The bytes that the current line, which starts at `start`, shows.
    pub(super) fn visible(&self, start: usize) -> usize {
        self.out.len() - start - self.escapes
    }

    /// Pads the current line, which starts at `start`, to a width.
    pub(super) fn pad_to(&mut self, start: usize, width: usize) {
        self.out
            .push_spaces(width.saturating_sub(self.visible(start)));
    }
}
