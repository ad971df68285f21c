//! ETC2 and EAC (Khronos Data Format Specification, chapters "ETC2 Compressed Texture Image Formats"
//! and the like): blocks of 4 × 4 texels, with the bits of a block counted from its first byte on.

/// What a block of colours has of alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alpha {
    None,
    /// Each texel is opaque or not.
    Bit,
    /// A block of its own before the colours.
    Byte,
}

/// By how much brighter or darker than its base a texel is, the lesser and the greater.
const MODIFIERS: [[i32; 2]; 8] = [
    [2, 8],
    [5, 17],
    [9, 29],
    [13, 42],
    [18, 60],
    [24, 80],
    [33, 106],
    [47, 183],
];

/// Distances between the colours of modes T and H.
const DISTANCES: [i32; 8] = [3, 6, 11, 16, 23, 32, 41, 64];

/// By how much an alpha, or another single component, differs from its base.
const STEPS: [[i32; 8]; 16] = [
    [-3, -6, -9, -15, 2, 5, 8, 14],
    [-3, -7, -10, -13, 2, 6, 9, 12],
    [-2, -5, -8, -13, 1, 4, 7, 12],
    [-2, -4, -6, -13, 1, 3, 5, 12],
    [-3, -6, -8, -12, 2, 5, 7, 11],
    [-3, -7, -9, -11, 2, 6, 8, 10],
    [-4, -7, -8, -11, 3, 6, 7, 10],
    [-3, -5, -8, -11, 2, 4, 7, 10],
    [-2, -6, -8, -10, 1, 5, 7, 9],
    [-2, -5, -8, -10, 1, 4, 7, 9],
    [-2, -4, -8, -10, 1, 3, 7, 9],
    [-2, -5, -7, -10, 1, 4, 6, 9],
    [-3, -4, -7, -10, 2, 3, 6, 9],
    [-1, -2, -3, -10, 0, 1, 2, 9],
    [-4, -6, -8, -9, 3, 5, 7, 8],
    [-3, -5, -7, -9, 2, 4, 6, 8],
];

type Colour = [i32; 3];

/// The first eight bytes as a number; missing ones are zero.
fn bits(block: &[u8]) -> u64 {
    let bytes = block.iter().copied().chain(std::iter::repeat(0));
    bytes
        .take(8)
        .fold(0, |bits, byte| bits << 8 | u64::from(byte))
}

/// So many bits from a place, counted from the lowest.
fn field(bits: u64, low: u32, count: u32) -> i32 {
    (bits >> low & ((1 << count) - 1)) as i32
}

/// A number of so many bits, the highest of which is its sign.
fn signed(number: i32, count: u32) -> i32 {
    number << (32 - count) >> (32 - count)
}

/// A share of so many bits as one of eight.
fn widened(number: i32, count: u32) -> i32 {
    number << (8 - count) | number >> (2 * count - 8)
}

fn plus(colour: Colour, by: i32) -> Colour {
    colour.map(|it| it + by)
}

/// The texels of a block as red, green, blue and alpha, row by row.
pub(super) fn decode(block: &[u8], alpha: Alpha, texels: &mut [u8]) {
    let (alphas, colours) = match alpha {
        Alpha::Byte => (Some(bits(block)), bits(block.get(8..).unwrap_or_default())),
        Alpha::None | Alpha::Bit => (None, bits(block)),
    };
    let texels = texels.as_chunks_mut::<4>().0.iter_mut().take(16);
    for (index, texel) in texels.enumerate() {
        let (x, y) = (index as u32 % 4, index as u32 / 4);
        let colour = colour(colours, alpha == Alpha::Bit, x, y);
        let is_there = colour.is_some();
        let [r, g, b] = colour.unwrap_or_default().map(|it| it.clamp(0, 255) as u8);
        let a = match alphas {
            Some(bits) => {
                let base = field(bits, 56, 8);
                let alpha = base + step(bits, x, y) * field(bits, 52, 4);
                alpha.clamp(0, 255) as u8
            }
            None => u8::from(is_there) * 255,
        };
        *texel = [r, g, b, a];
    }
}

/// The colour of a texel, before it is clamped; nothing if it is transparent.
fn colour(bits: u64, may_be_transparent: bool, x: u32, y: u32) -> Option<Colour> {
    let is_differential = field(bits, 33, 1) == 1;
    // Where alpha is a bit, the bit of the mode says whether all are opaque.
    let is_opaque = !may_be_transparent || is_differential;
    let place = x * 4 + y;
    let index = field(bits, 16 + place, 1) << 1 | field(bits, place, 1);
    let is_hole = !is_opaque && index == 2;
    let starts = [59, 51, 43].map(|low| field(bits, low, 5));
    let steps = [56, 48, 40].map(|low| signed(field(bits, low, 3), 3));
    let has_steps = is_differential || may_be_transparent;
    let overflows = |it: usize| has_steps && !(0..32).contains(&(starts[it] + steps[it]));
    if overflows(0) {
        return (!is_hole).then(|| mode_t(bits, index));
    }
    if overflows(1) {
        return (!is_hole).then(|| mode_h(bits, index));
    }
    if overflows(2) {
        return Some(planar(bits, x as i32, y as i32));
    }
    if is_hole {
        return None;
    }
    let is_flipped = field(bits, 32, 1) == 1;
    let is_second = if is_flipped { y >= 2 } else { x >= 2 };
    let base = match (has_steps, is_second) {
        (true, false) => starts.map(|it| widened(it, 5)),
        (true, true) => [0, 1, 2].map(|it| widened(starts[it] + steps[it], 5)),
        (false, false) => [60, 52, 44].map(|low| widened(field(bits, low, 4), 4)),
        (false, true) => [56, 48, 40].map(|low| widened(field(bits, low, 4), 4)),
    };
    let table = field(bits, if is_second { 34 } else { 37 }, 3);
    let [small, large] = MODIFIERS[table as usize];
    // Without a hole in place of one, the lesser steps are none.
    let small = if is_opaque { small } else { 0 };
    let by = [small, large, -small, -large][index as usize];
    Some(plus(base, by))
}

/// Two colours, of which the second has a brighter and a darker neighbour.
fn mode_t(bits: u64, index: i32) -> Colour {
    let red = field(bits, 59, 2) << 2 | field(bits, 56, 2);
    let first = [red, field(bits, 52, 4), field(bits, 48, 4)].map(|it| widened(it, 4));
    let second = [44, 40, 36].map(|low| widened(field(bits, low, 4), 4));
    let distance = DISTANCES[(field(bits, 34, 2) << 1 | field(bits, 32, 1)) as usize];
    match index {
        0 => first,
        1 => plus(second, distance),
        2 => second,
        _ => plus(second, -distance),
    }
}

/// Two colours, each a bit brighter and a bit darker.
fn mode_h(bits: u64, index: i32) -> Colour {
    let first = [
        field(bits, 59, 4),
        field(bits, 56, 3) << 1 | field(bits, 52, 1),
        field(bits, 51, 1) << 3 | field(bits, 47, 3),
    ];
    let second = [field(bits, 43, 4), field(bits, 39, 4), field(bits, 35, 4)];
    let is_ordered = first >= second;
    let distance = field(bits, 34, 1) << 2 | field(bits, 32, 1) << 1 | i32::from(is_ordered);
    let distance = DISTANCES[distance as usize];
    let [first, second] = [first, second].map(|it| it.map(|it| widened(it, 4)));
    match index {
        0 => plus(first, distance),
        1 => plus(first, -distance),
        2 => plus(second, distance),
        _ => plus(second, -distance),
    }
}

/// A gradient between the colours at three corners.
fn planar(bits: u64, x: i32, y: i32) -> Colour {
    let origin = [
        widened(field(bits, 57, 6), 6),
        widened(field(bits, 56, 1) << 6 | field(bits, 49, 6), 7),
        widened(
            field(bits, 48, 1) << 5 | field(bits, 43, 2) << 3 | field(bits, 39, 3),
            6,
        ),
    ];
    let right = [
        widened(field(bits, 34, 5) << 1 | field(bits, 32, 1), 6),
        widened(field(bits, 25, 7), 7),
        widened(field(bits, 19, 6), 6),
    ];
    let below = [
        widened(field(bits, 13, 6), 6),
        widened(field(bits, 6, 7), 7),
        widened(field(bits, 0, 6), 6),
    ];
    [0, 1, 2].map(|it| {
        let (o, r, b) = (origin[it], right[it], below[it]);
        (x * (r - o) + y * (b - o) + 4 * o + 2) >> 2
    })
}

/// By how many steps a texel of a single component differs.
fn step(bits: u64, x: u32, y: u32) -> i32 {
    let index = field(bits, 45 - 3 * (x * 4 + y), 3);
    STEPS[field(bits, 48, 4) as usize][index as usize]
}

/// The texels of a block with one or two components of 11 bits.
pub(super) fn decode_numbers(block: &[u8], count: usize, signed: bool, numbers: &mut [f32]) {
    for component in 0..count {
        let bits = bits(block.get(component * 8..).unwrap_or_default());
        let places = (0..16).map(|index| (index % 4, index / 4));
        let to = numbers.iter_mut().skip(component).step_by(count);
        for ((x, y), to) in places.zip(to) {
            *to = number(bits, signed, x, y);
        }
    }
}

fn number(bits: u64, is_signed: bool, x: u32, y: u32) -> f32 {
    let factor = match field(bits, 52, 4) {
        0 => 1,
        factor => factor * 8,
    };
    let by = step(bits, x, y) * factor;
    let base = field(bits, 56, 8);
    match is_signed {
        false => (base * 8 + 4 + by).clamp(0, 2047) as f32 / 2047.0,
        // Both least numbers mean the same.
        true => (signed(base, 8).max(-127) * 8 + by).clamp(-1023, 1023) as f32 / 1023.0,
    }
}
