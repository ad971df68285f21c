//! Whether buffers and images hold what a script expects.
//!
//! All functions look at every number, byte or texel, so that what they find says how many are
//! wrong.

use std::error::Error;
use std::fmt;
use std::ops::Range;

use crate::command::{Area, Likeness, Tolerance, Unit, Values};
use crate::contents::{end, read, slots};
use crate::number::Number;
use crate::script::Script;
use crate::types::{DataType, Layout, Shape};
use crate::words::Comparator;
use spirvkit_eval::{Channel, Component, Encoding, Format};

/// How far apart equal numbers of floating point may be without a tolerance, as a share of
/// what is expected. What has less than 64 bits is equal only if all bits are.
pub(crate) const EXACT: Tolerance = Tolerance::Percent(1e-6);

/// How far colours may be apart without a tolerance: less than a step of 8 bits.
pub(crate) const COLOR: Tolerance = Tolerance::Absolute(0.002);

/// What is not as it should be.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Mismatch {
    /// Numbers differ.
    Values {
        /// The first of them, in bytes from the start of the buffer.
        offset: u64,
        /// How it should compare.
        comparator: Comparator,
        /// With what.
        expected: Number,
        /// What it is.
        found: Number,
        /// How many of them there are.
        different: u64,
        /// Of how many.
        total: u64,
    },
    /// Texels differ.
    Texels {
        /// The column and row of the first of them.
        texel: [u32; 2],
        /// Its colour, as expected: red, green, blue and perhaps alpha.
        expected: Vec<f64>,
        /// As it is; what the format doesn't have is as expected.
        found: Vec<f64>,
        /// How many of them there are.
        different: u64,
        /// Of how many.
        total: u64,
    },
    /// Bytes differ.
    Bytes {
        /// The first of them.
        offset: u64,
        /// What it is in the first buffer.
        left: u8,
        /// And in the second.
        right: u8,
        /// How many of them there are.
        different: u64,
        /// Of how many.
        total: u64,
    },
    /// Buffers are less alike than they should be.
    Distance {
        /// How far apart they are.
        distance: f64,
        /// How far they may be.
        tolerance: f64,
    },
    /// A buffer or an image is smaller than what is expected of it.
    Bounds {
        /// How many bytes, or columns and rows, there are.
        size: Vec<u64>,
        /// How many there must be.
        needed: Vec<u64>,
    },
    /// Two buffers have different sizes, in bytes.
    Sizes(u64, u64),
    /// Histograms take channels of 8 bits, which the type doesn't have.
    NoChannels,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Values {
                offset,
                comparator,
                expected,
                found,
                different,
                total,
            } => {
                let relation = relation(*comparator);
                write!(
                    f,
                    "at byte {offset}: expected {relation}{expected}, found {found}; {different} of {total} values differ"
                )
            }
            Self::Texels {
                texel: [x, y],
                expected,
                found,
                different,
                total,
            } => {
                let (expected, found) = (list(expected), list(found));
                write!(
                    f,
                    "at ({x}, {y}): expected {expected}, found {found}; {different} of {total} texels differ"
                )
            }
            Self::Bytes {
                offset,
                left,
                right,
                different,
                total,
            } => write!(
                f,
                "at byte {offset}: {left:#04x} is not {right:#04x}; {different} of {total} bytes differ"
            ),
            Self::Distance {
                distance,
                tolerance,
            } => write!(f, "the distance is {distance}, more than {tolerance}"),
            Self::Bounds { size, needed } => {
                let sides = |it: &[u64]| {
                    it.iter()
                        .map(u64::to_string)
                        .collect::<Vec<_>>()
                        .join(" × ")
                };
                let unit = if size.len() == 1 { "bytes" } else { "texels" };
                let (size, needed) = (sides(size), sides(needed));
                write!(f, "there are {size} {unit}, but {needed} are expected")
            }
            Self::Sizes(left, right) => write!(f, "one has {left} bytes, and the other {right}"),
            Self::NoChannels => {
                f.write_str("histograms take channels of 8 bits, which the type doesn't have")
            }
        }
    }
}

impl Error for Mismatch {}

fn relation(comparator: Comparator) -> &'static str {
    match comparator {
        Comparator::Equal => "",
        Comparator::NotEqual => "anything but ",
        Comparator::Less => "less than ",
        Comparator::LessOrEqual => "at most ",
        Comparator::Greater => "more than ",
        Comparator::GreaterOrEqual => "at least ",
    }
}

fn list(numbers: &[f64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(f64::to_string).collect();
    format!("({})", numbers.join(", "))
}

/// The first of what differs, and how many do.
struct Count<T> {
    first: Option<T>,
    different: u64,
    total: u64,
}

impl<T> Count<T> {
    fn new() -> Self {
        Self {
            first: None,
            different: 0,
            total: 0,
        }
    }

    /// Counts one more; if it differs, `what` says how.
    fn add(&mut self, is_right: bool, what: impl FnOnce() -> T) {
        self.total += 1;
        if !is_right {
            self.different += 1;
            self.first.get_or_insert_with(what);
        }
    }
}

/// Compares numbers of a buffer, whose bytes these are, with what is expected.
///
/// A tolerance is for one component of a vector or a column, or, if it is the only one, for
/// all. Without one, integers must be the same, and floating point up to 10⁻⁸ of what is
/// expected. A NaN is equal to every NaN, and to nothing else; it is neither less nor more.
///
/// # Errors
///
/// What differs, or that the buffer is too small.
pub fn values(
    script: &Script,
    bytes: &[u8],
    values: &Values,
    comparator: Comparator,
    tolerances: &[Tolerance],
) -> Result<(), Mismatch> {
    let layout = values.ty.element_layout(script, values.layout);
    let needed = end(&layout, values);
    if needed > bytes.len() as u64 {
        return Err(Mismatch::Bounds {
            size: vec![bytes.len() as u64],
            needed: vec![needed],
        });
    }
    if layout.slots.is_empty() {
        return Ok(());
    }
    let components = components(values.ty.shape, layout.slots.len());
    let mut count = Count::new();
    let places = slots(&layout, values.offset).zip(&values.numbers);
    for (place, ((offset, scalar), number)) in places.enumerate() {
        let expected = Number::from_bits(number.to_bits(scalar).0, scalar);
        let found = read(bytes, offset, scalar);
        let component = place % layout.slots.len() % components;
        let tolerance = tolerance(tolerances, component, EXACT);
        let is_right = holds(found, comparator, expected, tolerance);
        count.add(is_right, || (offset, expected, found));
    }
    match count.first {
        None => Ok(()),
        Some((offset, expected, found)) => Err(Mismatch::Values {
            offset,
            comparator,
            expected,
            found,
            different: count.different,
            total: count.total,
        }),
    }
}

/// How many of an element's numbers have tolerances of their own.
pub(crate) fn components(shape: Shape, slots: usize) -> usize {
    match shape {
        Shape::Vector { size, .. } => size.into(),
        Shape::Matrix { rows, .. } => rows.into(),
        _ => slots,
    }
}

pub(crate) fn tolerance(
    tolerances: &[Tolerance],
    component: usize,
    default: Tolerance,
) -> Tolerance {
    match tolerances {
        [one] => *one,
        all => all.get(component).copied().unwrap_or(default),
    }
}

fn holds(found: Number, comparator: Comparator, expected: Number, tolerance: Tolerance) -> bool {
    let order = match found.to_integer().zip(expected.to_integer()) {
        Some((found, expected)) => Some(found.cmp(&expected)),
        None => found.to_f64().partial_cmp(&expected.to_f64()),
    };
    let is_equal = || {
        let is_exact = order.is_some_and(|it| it.is_eq());
        let is_integer = found.to_integer().is_some();
        // What has all its bits isn't asked for what floating point can't tell apart.
        is_exact
            || (!is_integer || tolerance != EXACT)
                && is_near(found.to_f64(), expected.to_f64(), tolerance)
    };
    match comparator {
        Comparator::Equal => is_equal(),
        Comparator::NotEqual => !is_equal(),
        Comparator::Less => order.is_some_and(|it| it.is_lt()),
        Comparator::LessOrEqual => order.is_some_and(|it| it.is_le()),
        Comparator::Greater => order.is_some_and(|it| it.is_gt()),
        Comparator::GreaterOrEqual => order.is_some_and(|it| it.is_ge()),
    }
}

/// Whether a number is as expected. Infinities are near to nothing but themselves.
fn is_near(found: f64, expected: f64, tolerance: Tolerance) -> bool {
    if found == expected || found.is_nan() && expected.is_nan() {
        return true;
    }
    let most = match tolerance {
        Tolerance::Absolute(most) => most,
        Tolerance::Percent(percent) => percent / 100.0 * expected.abs(),
    };
    found.is_finite() && expected.is_finite() && (found - expected).abs() <= most
}

/// The texels of an image, row by row without gaps.
#[derive(Clone, Copy, Debug)]
pub struct Image<'b> {
    /// Their bytes.
    pub bytes: &'b [u8],
    /// Their format.
    pub format: Format,
    /// How many are in a row.
    pub width: u32,
    /// How many rows there are.
    pub height: u32,
}

/// Compares the texels of an area, or all, with a colour of three or four components.
/// Channels that the format doesn't have are right. An area has at least one texel.
///
/// # Errors
///
/// What differs, or that the image is too small.
pub fn colors(
    image: &Image<'_>,
    area: Option<&Area>,
    color: &[f64],
    tolerances: &[Tolerance],
) -> Result<(), Mismatch> {
    let sides = [image.width, image.height].map(u64::from);
    let [columns, rows] = match area {
        None => sides.map(|side| 0..side),
        Some(area) => [0, 1].map(|side| area.texels(side, sides[side])),
    };
    let size = image.format.texel_size();
    let needed = sides[0].saturating_mul(sides[1]).saturating_mul(size);
    if needed > image.bytes.len() as u64 {
        return Err(Mismatch::Bounds {
            size: vec![image.bytes.len() as u64],
            needed: vec![needed],
        });
    }
    if columns.end > sides[0] || rows.end > sides[1] {
        return Err(Mismatch::Bounds {
            size: sides.to_vec(),
            needed: vec![columns.end, rows.end],
        });
    }
    let mut count = Count::new();
    for row in rows {
        for column in columns.clone() {
            let start = ((row * sides[0] + column) * size) as usize;
            let texel = &image.bytes[start..start + size as usize];
            let found = in_order(&image.format, texel, color);
            let is_right = found
                .iter()
                .zip(color)
                .enumerate()
                .all(|(at, (found, expected))| {
                    is_near(*found, *expected, tolerance(tolerances, at, COLOR))
                });
            count.add(is_right, || ([column as u32, row as u32], found));
        }
    }
    match count.first {
        None => Ok(()),
        Some((texel, found)) => Err(Mismatch::Texels {
            texel,
            expected: color.to_vec(),
            found: found[..color.len().min(4)].to_vec(),
            different: count.different,
            total: count.total,
        }),
    }
}

impl Area {
    /// The columns or rows of an image with so many of them.
    fn texels(&self, side: usize, count: u64) -> Range<u64> {
        let (origin, scale) = match self.unit {
            Unit::Pixel => (0.0, 1.0),
            Unit::Share => (0.0, count as f32),
            Unit::Clip => (1.0, count as f32 / 2.0),
        };
        let start = ((self.position[side] + origin) * scale) as u64;
        let length = (self.size[side] * scale) as u64;
        start..start.saturating_add(length.max(1))
    }
}

/// Red, green, blue and alpha of a texel; those it doesn't have are as expected.
fn in_order(format: &Format, texel: &[u8], expected: &[f64]) -> [f64; 4] {
    let mut values = [0.0; 4];
    for (value, expected) in values.iter_mut().zip(expected) {
        *value = *expected;
    }
    let decoded = format.decode(texel);
    for (channel, value) in &decoded[..format.components().len()] {
        match channel {
            Channel::Red => values[0] = *value,
            Channel::Green => values[1] = *value,
            Channel::Blue => values[2] = *value,
            Channel::Alpha => values[3] = *value,
            Channel::Depth | Channel::Stencil | Channel::Exponent | Channel::Unused => {}
        }
    }
    values
}

/// Compares two buffers of the same type, whose bytes these are.
///
/// For [`Likeness::RootMeanSquareError`] numbers are compared as they are written, also those of
/// formats. For [`Likeness::HistogramDistance`], the numbers of each channel, from 0 to 255, are
/// counted; the cost of turning one histogram into the other, moving shares of the texels from
/// number to number, is divided by 256, and that of the worst channel counts.
///
/// # Errors
///
/// What differs, that the sizes do, or that the type has no channels of 8 bits.
pub fn buffers(
    script: &Script,
    ty: DataType,
    layout: Layout,
    left: &[u8],
    right: &[u8],
    likeness: Likeness,
) -> Result<(), Mismatch> {
    if left.len() != right.len() {
        return Err(Mismatch::Sizes(left.len() as u64, right.len() as u64));
    }
    let (distance, tolerance) = match likeness {
        Likeness::Equal => return bytes(left, right),
        Likeness::RootMeanSquareError(tolerance) => {
            (mean_error(script, ty, layout, left, right), tolerance)
        }
        Likeness::HistogramDistance(tolerance) => (histogram_distance(ty, left, right)?, tolerance),
    };
    // A NaN is no distance that is small enough.
    match distance <= tolerance {
        true => Ok(()),
        false => Err(Mismatch::Distance {
            distance,
            tolerance,
        }),
    }
}

fn bytes(left: &[u8], right: &[u8]) -> Result<(), Mismatch> {
    let mut count = Count::new();
    for (offset, (left, right)) in left.iter().zip(right).enumerate() {
        count.add(left == right, || (offset as u64, *left, *right));
    }
    match count.first {
        None => Ok(()),
        Some((offset, left, right)) => Err(Mismatch::Bytes {
            offset,
            left,
            right,
            different: count.different,
            total: count.total,
        }),
    }
}

/// The root of the mean of squared differences.
fn mean_error(script: &Script, ty: DataType, layout: Layout, left: &[u8], right: &[u8]) -> f64 {
    let layout = ty.element_layout(script, layout);
    let elements = (left.len() as u64).checked_div(layout.stride).unwrap_or(0);
    let count = elements.saturating_mul(layout.slots.len() as u64);
    if count == 0 {
        return 0.0;
    }
    let places = slots(&layout, 0).take(count as usize);
    let squares = places.map(|(offset, scalar)| {
        let [left, right] = [left, right].map(|bytes| read(bytes, offset, scalar).to_f64());
        (left - right) * (left - right)
    });
    (squares.sum::<f64>() / count as f64).sqrt()
}

/// The earth mover's distance of the worst channel's histograms.
fn histogram_distance(ty: DataType, left: &[u8], right: &[u8]) -> Result<f64, Mismatch> {
    let Shape::Format(format) = ty.shape else {
        return Err(Mismatch::NoChannels);
    };
    let is_byte = |it: &Component| {
        let is_unsigned = matches!(
            it.encoding,
            Encoding::Unorm | Encoding::Uint | Encoding::Srgb
        );
        it.bits == 8 && is_unsigned
    };
    if !format.components().iter().all(is_byte) {
        return Err(Mismatch::NoChannels);
    }
    let channels = format.components().len();
    let texels = (left.len() / channels).max(1) as f64;
    let distance = |channel| {
        let mut differences = [0_i64; 256];
        for texel in left.chunks_exact(channels) {
            differences[usize::from(texel[channel])] += 1;
        }
        for texel in right.chunks_exact(channels) {
            differences[usize::from(texel[channel])] -= 1;
        }
        // What is too much up to a number has to be moved on to the next.
        let mut moved = 0;
        let cost = differences.iter().map(|difference| {
            moved += difference;
            moved.unsigned_abs() as f64
        });
        cost.sum::<f64>() / texels / 256.0
    };
    Ok((0..channels).map(distance).fold(0.0, f64::max))
}
