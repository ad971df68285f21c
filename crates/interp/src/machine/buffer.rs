//! The memory of a run, which threads may read without copies of their own.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// The bytes of a buffer. Those that others have, too, are copied once they are written.
#[derive(Clone, Debug)]
pub(crate) enum Buffer {
    Own(Vec<u8>),
    Lent(Arc<Vec<u8>>),
}

impl Default for Buffer {
    fn default() -> Self {
        Self::Own(Vec::new())
    }
}

impl From<Vec<u8>> for Buffer {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Own(bytes)
    }
}

impl Deref for Buffer {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Lent(bytes) => bytes,
        }
    }
}

impl DerefMut for Buffer {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        self.own()
    }
}

impl Buffer {
    #[inline(always)]
    fn own(&mut self) -> &mut Vec<u8> {
        if let Self::Lent(bytes) = self {
            *self = Self::Own(bytes.to_vec());
        }
        match self {
            Self::Own(bytes) => bytes,
            // It has just been made its own.
            Self::Lent(bytes) => Arc::make_mut(bytes),
        }
    }

    /// The same bytes for someone else.
    pub(super) fn lend(&mut self) -> Self {
        if let Self::Own(bytes) = self {
            *self = Self::Lent(Arc::new(std::mem::take(bytes)));
        }
        self.clone()
    }

    /// The bytes alone.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Own(bytes) => bytes,
            Self::Lent(bytes) => Arc::unwrap_or_clone(bytes),
        }
    }
}
