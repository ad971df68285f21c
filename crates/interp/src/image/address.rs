//! From coordinates to texels (Vulkan, "Wrapping Operation").

use super::sampler::AddressMode;

/// The index of a texel within `size`, or `None` for the border.
pub(super) fn wrap(mode: AddressMode, index: i64, size: u32) -> Option<i64> {
    let size = i64::from(size.max(1));
    // Whatever is mirrored counts backwards from -1 on.
    let mirror = |index: i64| if index >= 0 { index } else { -1 - index };
    match mode {
        AddressMode::Repeat => Some(index.rem_euclid(size)),
        AddressMode::MirroredRepeat => Some(size - 1 - mirror(index.rem_euclid(2 * size) - size)),
        AddressMode::ClampToEdge => Some(index.clamp(0, size - 1)),
        AddressMode::ClampToBorder => (0..size).contains(&index).then_some(index),
        AddressMode::MirrorClampToEdge => Some(mirror(index).clamp(0, size - 1)),
    }
}

/// The texel that a coordinate lies in. What is no number is 0.
pub(super) fn nearest(coordinate: f64) -> i64 {
    coordinate.floor() as i64
}

/// The first of the two texels around a coordinate, and the weight of the second.
pub(super) fn linear(coordinate: f64) -> (i64, f64) {
    let shifted = coordinate - 0.5;
    let fraction = shifted - shifted.floor();
    let weight = if fraction.is_finite() { fraction } else { 0.0 };
    (shifted.floor() as i64, weight)
}

/// The layer that a coordinate chooses, of so many.
pub(super) fn layer(coordinate: f64, count: u32) -> u32 {
    let most = f64::from(count.saturating_sub(1));
    // What is no number is 0.
    coordinate.round_ties_even().clamp(0.0, most) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(mode: AddressMode) -> Vec<Option<i64>> {
        (-7..8).map(|index| wrap(mode, index, 3)).collect()
    }

    /// A `-` stands for the border.
    fn digits(text: &str) -> Vec<Option<i64>> {
        let digits = text.chars().map(|digit| digit.to_digit(10).map(i64::from));
        digits.collect()
    }

    #[test]
    fn every_mode_goes_on_beyond_the_edges() {
        assert_eq!(row(AddressMode::Repeat), digits("201201201201201"));
        assert_eq!(row(AddressMode::MirroredRepeat), digits("001221001221001"));
        assert_eq!(row(AddressMode::ClampToEdge), digits("000000001222222"));
        assert_eq!(row(AddressMode::ClampToBorder), digits("-------012-----"));
        assert_eq!(
            row(AddressMode::MirrorClampToEdge),
            digits("222221001222222")
        );
    }

    #[test]
    fn coordinates_that_are_no_numbers_are_somewhere() {
        assert_eq!(nearest(f64::NAN), 0);
        assert_eq!(linear(f64::INFINITY).1, 0.0);
        assert_eq!(layer(f64::NAN, 4), 0);
        assert_eq!(wrap(AddressMode::Repeat, i64::MIN, 3), Some(1));
    }

    #[test]
    fn layers_are_rounded_to_even() {
        assert_eq!(
            [-3.0, 0.5, 1.5, 2.4, 9.0].map(|it| layer(it, 4)),
            [0, 0, 2, 2, 3]
        );
    }
}
