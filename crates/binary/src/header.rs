//! The module header (specification, section 2.3).

use spirvkit_grammar::{Generator, Version};

use crate::error::{Error, ErrorKind};
use crate::id::WordOffset;

/// The magic number that starts every module (specification, section 3.1).
pub const MAGIC: u32 = 0x0723_0203;

/// How many words the header takes.
pub const HEADER_WORDS: usize = 5;

/// The five words before the first instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The version of the language.
    pub version: Version,
    /// The tool that wrote the module.
    pub generator: Generator,
    /// All ids are below this.
    pub bound: u32,
    /// The instruction schema; 0 in every module so far.
    pub schema: u32,
}

impl Header {
    /// Reads the header from a module's first words.
    ///
    /// # Errors
    ///
    /// If there are fewer than five words, the first is not the magic number,
    /// or the second is not of the form `0x00MMmm00`.
    pub fn from_words(words: &[u32]) -> Result<Self, Error> {
        let Some(&[magic, version, generator, bound, schema]) = words.first_chunk() else {
            let kind = ErrorKind::TooShort {
                bytes: words.len() * 4,
            };
            return Err(Error::new(kind, WordOffset(0)));
        };
        if magic != MAGIC {
            return Err(Error::new(
                ErrorKind::WrongMagic { found: magic },
                WordOffset(0),
            ));
        }
        let Some(version) = Version::from_word(version) else {
            return Err(Error::new(
                ErrorKind::MalformedVersion { found: version },
                WordOffset(1),
            ));
        };
        Ok(Self {
            version,
            generator: Generator(generator),
            bound,
            schema,
        })
    }

    /// The header as words.
    pub fn to_words(&self) -> [u32; HEADER_WORDS] {
        [
            MAGIC,
            self.version.to_word(),
            self.generator.0,
            self.bound,
            self.schema,
        ]
    }

    /// Checks that the id bound is from 1 to `limit`, for a reader that wants
    /// to allocate tables of that size.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadBound`] if it isn't.
    pub fn check_bound(&self, limit: u32) -> Result<(), Error> {
        if self.bound == 0 || self.bound > limit {
            let kind = ErrorKind::BadBound {
                bound: self.bound,
                limit,
            };
            return Err(Error::new(kind, WordOffset(3)));
        }
        Ok(())
    }
}
