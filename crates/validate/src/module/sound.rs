//! What was found to be right, so that the same needn't be looked at again.

use std::cell::Cell;

use crate::finding::CheckResult;

/// What a check goes by: an instruction's first word and, most often, the ids of the types
/// of its result and operands.
pub(crate) type Signature = [u32; 5];

/// Some of the signatures of instructions that are right.
pub(crate) struct Sound {
    slots: [Cell<Signature>; Self::SLOTS],
}

impl Sound {
    const SLOTS: usize = 256;

    pub(crate) const fn new() -> Self {
        // The first word of an instruction is never zero.
        Self {
            slots: [const { Cell::new([0; 5]) }; Self::SLOTS],
        }
    }

    #[inline]
    fn slot(&self, signature: &Signature) -> &Cell<Signature> {
        // Each by another one, so that none has to wait for the one before.
        const FACTORS: Signature = [
            0x9e37_79b1,
            0x85eb_ca77,
            0xc2b2_ae3d,
            0x27d4_eb2f,
            0x1656_67b1,
        ];
        let terms = signature.iter().zip(FACTORS);
        let hash = terms.fold(0, |hash: u32, (word, factor)| {
            hash.wrapping_add(word.wrapping_mul(factor))
        });
        &self.slots[hash as usize >> 16 & (Self::SLOTS - 1)]
    }

    /// Checks what such a signature says all of, unless it was right before.
    #[inline]
    pub(crate) fn once(
        &self,
        signature: Signature,
        check: impl FnOnce() -> CheckResult,
    ) -> CheckResult {
        if self.has(&signature) {
            return Ok(());
        }
        check()?;
        self.add(signature);
        Ok(())
    }

    #[inline]
    pub(crate) fn has(&self, signature: &Signature) -> bool {
        self.slot(signature).get() == *signature
    }

    pub(crate) fn add(&self, signature: Signature) {
        self.slot(&signature).set(signature);
    }
}
