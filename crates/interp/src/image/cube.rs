//! The faces of cubes (Vulkan, "Cube Map Face Selection and Transformations").

use super::level::Gradients;

/// A place on a face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Face {
    pub(super) face: u32,
    /// From 0 to 1 on the face.
    pub(super) at: [f64; 2],
}

/// Which component of a direction becomes which coordinate of a face, with its sign.
struct Axes {
    s: (usize, f64),
    t: (usize, f64),
    r: usize,
}

/// The axes of each face, in the order of layers.
const AXES: [Axes; 6] = [
    Axes {
        s: (2, -1.0),
        t: (1, -1.0),
        r: 0,
    },
    Axes {
        s: (2, 1.0),
        t: (1, -1.0),
        r: 0,
    },
    Axes {
        s: (0, 1.0),
        t: (2, 1.0),
        r: 1,
    },
    Axes {
        s: (0, 1.0),
        t: (2, -1.0),
        r: 1,
    },
    Axes {
        s: (0, 1.0),
        t: (1, -1.0),
        r: 2,
    },
    Axes {
        s: (0, -1.0),
        t: (1, -1.0),
        r: 2,
    },
];

/// The face that a direction leads to: that of the greatest component, where z goes before y,
/// and y before x.
fn face_of([x, y, z]: [f64; 3]) -> usize {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (axis, value) = if az >= ax && az >= ay {
        (2, z)
    } else if ay >= ax {
        (1, y)
    } else {
        (0, x)
    };
    2 * axis + usize::from(value < 0.0)
}

/// The place on a face that a direction leads to.
pub(super) fn select(direction: [f64; 3]) -> Face {
    let face = face_of(direction);
    let axes = &AXES[face];
    let r = direction[axes.r].abs();
    let coordinate =
        |(component, sign): (usize, f64)| 0.5 * (sign * direction[component]) / r + 0.5;
    Face {
        face: face as u32,
        at: [coordinate(axes.s), coordinate(axes.t)],
    }
}

/// The derivatives of the place on the face from those of the direction.
pub(super) fn transform(direction: [f64; 3], gradients: Gradients) -> Gradients {
    let face = face_of(direction);
    let axes = &AXES[face];
    let r = direction[axes.r].abs();
    // On the faces of negative directions the axis is turned round.
    let outwards = if direction[axes.r] < 0.0 { -1.0 } else { 1.0 };
    let along = |step: [f64; 3]| {
        let dr = outwards * step[axes.r];
        let derivative = |(component, sign): (usize, f64)| {
            let (c, dc) = (sign * direction[component], sign * step[component]);
            0.5 * (r * dc - c * dr) / (r * r)
        };
        [derivative(axes.s), derivative(axes.t), 0.0]
    };
    Gradients {
        x: along(gradients.x),
        y: along(gradients.y),
    }
}

/// The texel on the next face for one that is beyond exactly one edge by one texel, of faces
/// with `size` texels a side.
pub(super) fn beyond(face: u32, [i, j]: [i64; 2], size: u32) -> (u32, [i64; 2]) {
    let size = f64::from(size.max(1));
    let axes = &AXES[face as usize % 6];
    // The centre of the texel in the plane of the face, whose edges are at -1 and 1.
    let centre = |index: i64| 2.0 * (index as f64 + 0.5) / size - 1.0;
    let mut direction = [0.0; 3];
    direction[axes.s.0] = axes.s.1 * centre(i);
    direction[axes.t.0] = axes.t.1 * centre(j);
    direction[axes.r] = if face.is_multiple_of(2) { 1.0 } else { -1.0 };
    let next = select(direction);
    // Seen from the middle of the cube, the place is a little further inside, but by less than
    // half a texel.
    let texel = next
        .at
        .map(|at| (at * size).floor().clamp(0.0, size - 1.0) as i64);
    (next.face, texel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_lead_to_faces() {
        let faces = [
            ([1.0, 0.0, 0.0], 0),
            ([-1.0, 0.0, 0.0], 1),
            ([0.0, 1.0, 0.0], 2),
            ([0.0, -1.0, 0.0], 3),
            ([0.0, 0.0, 1.0], 4),
            ([0.0, 0.0, -1.0], 5),
            // Of equal ones z goes first, then y.
            ([1.0, 1.0, 1.0], 4),
            ([1.0, -1.0, 0.5], 3),
            ([-1.0, 0.5, -1.0], 5),
        ];
        for (direction, face) in faces {
            assert_eq!(select(direction).face, face, "{direction:?}");
        }
        // The first row of a face is the one with greater y, and the first column of the
        // positive x face has greater z.
        assert_eq!(select([2.0, 1.0, 1.0]).at, [0.25, 0.25]);
        assert_eq!(select([-2.0, 1.0, 1.0]).at, [0.75, 0.25]);
        assert_eq!(select([1.0, 2.0, 1.0]).at, [0.75, 0.75]);
        assert_eq!(select([1.0, -2.0, 1.0]).at, [0.75, 0.25]);
        assert_eq!(select([1.0, 1.0, 2.0]).at, [0.75, 0.25]);
        assert_eq!(select([1.0, 1.0, -2.0]).at, [0.25, 0.25]);
    }

    #[test]
    fn edges_meet_as_those_of_a_cube() {
        // Right of positive z is positive x, from its left edge on, in the same row.
        assert_eq!(beyond(4, [4, 1], 4), (0, [0, 1]));
        assert_eq!(beyond(4, [-1, 2], 4), (1, [3, 2]));
        // Above positive z is positive y with its lower edge.
        assert_eq!(beyond(4, [3, -1], 4), (2, [3, 3]));
        assert_eq!(beyond(4, [0, 4], 4), (3, [0, 0]));
        // Above positive x is the right edge of positive y, turned.
        assert_eq!(beyond(0, [0, -1], 4), (2, [3, 3]));
        assert_eq!(beyond(0, [3, -1], 4), (2, [3, 0]));
        assert_eq!(beyond(5, [1, -1], 4), (2, [2, 0]));
        for face in 0..6 {
            for size in [1, 2, 3, 64, 4096] {
                for index in [0, i64::from(size) / 2, i64::from(size) - 1] {
                    // There and back again, whichever edge it is.
                    let (next, [i, j]) = beyond(face, [-1, index], size);
                    let last = i64::from(size) - 1;
                    let steps = [(-1, 0), (1, 0), (0, -1), (0, 1)];
                    let outside = steps
                        .map(|(x, y)| [i + x, j + y])
                        .into_iter()
                        .filter(|at| at.iter().any(|side| !(0..=last).contains(side)));
                    let mut back = outside.map(|at| beyond(next, at, size));
                    assert!(
                        back.any(|it| it == (face, [0, index])),
                        "{face} {size} {index}"
                    );
                }
            }
        }
    }

    #[test]
    fn derivatives_are_those_of_the_place() {
        let direction = [-2.0, 0.5, 0.7];
        let gradients = Gradients {
            x: [0.1, 0.02, -0.3],
            y: [0.0, 1.0, 0.0],
        };
        let result = transform(direction, gradients);
        for (step, derivative) in [(gradients.x, result.x), (gradients.y, result.y)] {
            let small = 1e-7;
            let moved = [0, 1, 2].map(|axis| direction[axis] + small * step[axis]);
            let (from, to) = (select(direction), select(moved));
            let sides = from.at.iter().zip(to.at).zip(derivative);
            for ((from, to), derivative) in sides {
                assert!((derivative - (to - from) / small).abs() < 1e-5);
            }
        }
    }
}
