//! Writing made-up modules.

use spirvkit::binary::{Encoder, Header};
use spirvkit::grammar::{Generator, Op, Version};

/// A module in the making.
#[derive(Debug)]
pub struct Writer {
    encoder: Encoder,
    next_id: u32,
}

impl Writer {
    /// An empty module with room for so many words.
    pub fn with_capacity(words: usize) -> Self {
        Self {
            encoder: Encoder::with_capacity(words),
            next_id: 1,
        }
    }

    /// The same with ids below `free` for the caller to give out.
    pub fn with_ids_below(free: u32) -> Self {
        Self {
            encoder: Encoder::new(),
            next_id: free,
        }
    }

    /// A new id.
    pub fn id(&mut self) -> u32 {
        let id = self.next_id;
        self.next_id += 1;
        id
    }

    /// Writes an instruction, all its words but the first given.
    pub fn instruction(&mut self, op: Op, operands: &[u32]) {
        let start = self.encoder.begin(op);
        self.encoder.raw(operands);
        self.encoder.end(start).expect("the instructions are short");
    }

    /// Writes an instruction of an id and a text.
    pub fn text(&mut self, op: Op, id: u32, text: &str) {
        let start = self.encoder.begin(op);
        self.encoder.word(id);
        self.encoder.string(text);
        self.encoder.end(start).expect("the instructions are short");
    }

    /// The size so far.
    pub fn bytes(&self) -> usize {
        self.encoder.words().len() * 4
    }

    /// The module's words.
    pub fn finish(self) -> Vec<u32> {
        let header = Header {
            version: Version::V1_6,
            generator: Generator(0),
            bound: self.next_id,
            schema: 0,
        };
        self.encoder.finish(&header)
    }
}
