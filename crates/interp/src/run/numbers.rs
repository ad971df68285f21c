//! Numbers that go into runs, and comparisons of those that come out.

use super::{Element, sealed};

/// A value of a specialization constant.
pub trait SpecValue: super::sealed::Sealed {
    /// Its bits; those above its own width are 0.
    fn bits(self) -> u64;
}

macro_rules! values {
    ($($ty:ty as $unsigned:ty),*) => {$(
        impl SpecValue for $ty {
            fn bits(self) -> u64 {
                u64::from(self as $unsigned)
            }
        }
    )*};
}

values!(
    u8 as u8, i8 as u8, u16 as u16, i16 as u16, u32 as u32, i32 as u32, u64 as u64, i64 as u64
);

impl super::sealed::Sealed for bool {}

impl SpecValue for bool {
    fn bits(self) -> u64 {
        self.into()
    }
}

impl SpecValue for f32 {
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

impl SpecValue for f64 {
    fn bits(self) -> u64 {
        self.to_bits()
    }
}

/// A floating-point number that can be compared with others.
pub trait Float: super::Element + std::fmt::Debug {
    /// How many numbers of the type lie between the two, one of them included: 0 for equal ones,
    /// and for two NaNs. The greatest integer for a NaN and a number.
    fn ulps_from(self, other: Self) -> u64;
}

macro_rules! floats {
    ($($ty:ty, $bits:ty);*) => {$(
        impl Float for $ty {
            fn ulps_from(self, other: Self) -> u64 {
                if self.is_nan() || other.is_nan() {
                    return if self.is_nan() && other.is_nan() { 0 } else { u64::MAX };
                }
                // Numbers in their order; both zeros are 0.
                let place = |x: $ty| {
                    let magnitude = i128::from(x.abs().to_bits());
                    if x.is_sign_negative() { -magnitude } else { magnitude }
                };
                (place(self) - place(other)).unsigned_abs() as u64
            }
        }
    )*};
}

floats!(f32, u32; f64, u64);

/// For tests: that each number is no further from the expected one than so many units in the
/// last place. NaNs are equal.
///
/// ```
/// use spirvkit_interp::assert_close;
///
/// assert_close(&[1.0f32, 0.1 + 0.2], &[1.0, 0.3], 1);
/// ```
///
/// # Panics
///
/// If there are more or fewer numbers, or one is further away; the message names the first.
#[track_caller]
pub fn assert_close<T: Float>(found: &[T], expected: &[T], ulps: u64) {
    assert!(
        found.len() == expected.len(),
        "there are {} numbers, but {} are expected",
        found.len(),
        expected.len()
    );
    for (index, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        let apart = found.ulps_from(expected);
        assert!(
            apart <= ulps,
            "number {index} is {found:?}, but {expected:?} is expected, with {ulps} ULP allowed: {apart} ULP apart"
        );
    }
}

/// Numbers that lie behind each other: the components of a vector, the columns of a matrix.
macro_rules! arrays {
    ($($count:literal)*) => {$(
        impl<T: Element> sealed::Sealed for [T; $count] {}

        impl<T: Element> Element for [T; $count] {
            const SIZE: usize = $count * T::SIZE;

            fn write(self, to: &mut [u8]) {
                let rooms = to.chunks_exact_mut(T::SIZE);
                rooms.zip(self).for_each(|(room, number)| number.write(room));
            }

            fn read(bytes: &[u8]) -> Self {
                std::array::from_fn(|index| {
                    let start = index * T::SIZE;
                    T::read(bytes.get(start..start + T::SIZE).unwrap_or_default())
                })
            }
        }
    )*};
}

arrays!(2 3 4 8 16);
