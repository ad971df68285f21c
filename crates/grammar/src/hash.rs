//! The hash behind the static look-up tables.
//!
//! The code generator compiles this same file to lay the tables out, so that
//! both sides agree on every slot.

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Spreads `value` over 64 bits.
const fn mix(state: u64, value: u64) -> u64 {
    let product = (state ^ value).wrapping_mul(MULTIPLIER);
    product ^ (product >> 29)
}

/// Hashes a name within a name space (see `space` in the crate root).
pub(crate) fn hash_name(space: u16, name: &[u8]) -> u32 {
    let mut state = mix(u64::from(space), name.len() as u64);
    let mut chunks = name.chunks_exact(8);
    for chunk in &mut chunks {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(chunk);
        state = mix(state, u64::from_le_bytes(bytes));
    }
    let mut tail = 0;
    for &byte in chunks.remainder() {
        tail = (tail << 8) | u64::from(byte);
    }
    (mix(state, tail) >> 32) as u32
}

/// Hashes an enumerant's value within a name space.
pub(crate) const fn hash_value(space: u16, value: u32) -> u32 {
    (mix(MULTIPLIER, ((space as u64) << 32) | value as u64) >> 32) as u32
}
