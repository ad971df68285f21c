//! Where the elements of a cooperative matrix are in a tensor (`SPV_NV_cooperative_matrix2`,
//! "Tensor Layout and View"): the extension's functions of the same names, with numbers of 32
//! bits that wrap around.

use spirvkit_grammar::TensorClampMode;

/// How many dimensions a tensor has at most.
pub(crate) const MAX_DIMENSIONS: usize = 5;

/// Coordinates; what there is no dimension for is zero.
pub(crate) type Coordinates = [u32; MAX_DIMENSIONS];

/// The shape of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tiled {
    pub(crate) rows: u32,
    pub(crate) columns: u32,
}

/// How a tensor lies in memory, and which part of it is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// How many dimensions there are.
    pub(crate) count: usize,
    pub(crate) block_size: Coordinates,
    pub(crate) dimension: Coordinates,
    pub(crate) stride: Coordinates,
    pub(crate) offset: Coordinates,
    pub(crate) span: Coordinates,
}

/// What the type of a view says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Permuted {
    pub(crate) count: usize,
    pub(crate) permutation: [usize; MAX_DIMENSIONS],
    pub(crate) has_dimensions: bool,
}

/// How the part is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) ty: Permuted,
    pub(crate) dimension: Coordinates,
    pub(crate) stride: Coordinates,
    /// The first row and how many, the first column and how many.
    pub(crate) clip: [u32; 4],
}

/// Where an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Not in the part of the matrix that is loaded or stored.
    Clipped,
    /// Outside of the tensor, where the constant is, and nothing is stored.
    Constant,
    /// Outside of the tensor, where nothing may be: the dimension and the coordinate.
    Outside { dimension: usize, coordinate: i64 },
    /// There.
    At(Element),
}

/// An element of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    /// The number of the block in memory; blocks have one element unless their size says more.
    pub(crate) index: u32,
    pub(crate) block: Coordinates,
    pub(crate) within: Coordinates,
}

/// Where the element of a matrix in this row and column is.
pub(crate) fn find(
    layout: &Layout,
    view: Option<&View>,
    clamp: TensorClampMode,
    [row, column]: [u32; 2],
    columns: u32,
) -> Found {
    let index = match view {
        None => row.wrapping_mul(columns).wrapping_add(column),
        Some(view) => {
            let Some(index) = clipped(view, [row, column], columns) else {
                return Found::Clipped;
            };
            in_view(layout, view, index)
        }
    };
    in_tensor(layout, clamp, in_span(layout, index))
}

/// The number of an element among those that are not clipped.
fn clipped(view: &View, [row, column]: [u32; 2], columns: u32) -> Option<u32> {
    let [first_row, rows, first_column, width] = view.clip;
    let row = row.checked_sub(first_row).filter(|&it| it < rows)?;
    let column = column.checked_sub(first_column).filter(|&it| it < width)?;
    Some(row.wrapping_mul(columns.min(width)).wrapping_add(column))
}

/// The number of an element of a view among those of the part of the tensor.
fn in_view(layout: &Layout, view: &View, index: u32) -> u32 {
    let Permuted {
        count,
        permutation,
        has_dimensions,
    } = view.ty;
    let mut strides = view.stride;
    if !has_dimensions {
        let mut stride = 1u32;
        for dimension in (0..count).rev() {
            strides[dimension] = stride;
            stride = stride.wrapping_mul(layout.span[dimension]);
        }
    }
    let dimensions = match has_dimensions {
        true => view.dimension,
        false => layout.span,
    };
    let mut rest = index;
    let mut number = 0u32;
    for dimension in permutation[..count].iter().rev().copied() {
        let (coordinate, above) = divided(rest, dimensions[dimension]);
        number = number.wrapping_add(coordinate.wrapping_mul(strides[dimension]));
        rest = above;
    }
    number
}

/// The coordinates of an element in the part of the tensor.
fn in_span(layout: &Layout, index: u32) -> Coordinates {
    let mut coordinates = Coordinates::default();
    let mut rest = index;
    for dimension in (0..layout.count).rev() {
        (coordinates[dimension], rest) = divided(rest, layout.span[dimension]);
    }
    coordinates
}

/// Remainder and quotient; a dimension without elements is one with a single one.
fn divided(number: u32, by: u32) -> (u32, u32) {
    let by = by.max(1);
    (number % by, number / by)
}

fn in_tensor(layout: &Layout, clamp: TensorClampMode, in_span: Coordinates) -> Found {
    let mut element = Element {
        index: 0,
        block: Coordinates::default(),
        within: Coordinates::default(),
    };
    let all = in_span.into_iter().zip(layout.offset).enumerate();
    for (dimension, (place, offset)) in all.take(layout.count) {
        let size = i64::from(layout.dimension[dimension]);
        let coordinate = i64::from(place.wrapping_add(offset) as i32);
        let coordinate = match (0..size).contains(&coordinate) {
            true => coordinate,
            false => match clamp {
                TensorClampMode::Constant => return Found::Constant,
                TensorClampMode::ClampToEdge => coordinate.min(size - 1).max(0),
                TensorClampMode::Repeat => coordinate.rem_euclid(size.max(1)),
                TensorClampMode::RepeatMirrored => mirrored(coordinate, size),
                _ => {
                    return Found::Outside {
                        dimension,
                        coordinate,
                    };
                }
            },
        };
        let (within, block) = divided(coordinate as u32, layout.block_size[dimension]);
        element.within[dimension] = within;
        element.block[dimension] = block;
        let further = block.wrapping_mul(layout.stride[dimension]);
        element.index = element.index.wrapping_add(further);
    }
    Found::At(element)
}

/// Forwards and backwards again and again, without the ends twice.
fn mirrored(coordinate: i64, size: i64) -> i64 {
    let period = 2 * size - 2;
    let coordinate = coordinate.rem_euclid(period.max(1));
    match coordinate >= size {
        true => period - coordinate,
        false => coordinate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of `columns` elements, packed.
    fn rows(rows: u32, columns: u32) -> Layout {
        Layout {
            count: 2,
            block_size: [1, 1, 0, 0, 0],
            dimension: [rows, columns, 0, 0, 0],
            stride: [columns, 1, 0, 0, 0],
            offset: Coordinates::default(),
            span: [rows, columns, 0, 0, 0],
        }
    }

    fn sliced(layout: Layout, offset: [i32; 2], span: [u32; 2]) -> Layout {
        Layout {
            offset: [offset[0] as u32, offset[1] as u32, 0, 0, 0],
            span: [span[0], span[1], 0, 0, 0],
            ..layout
        }
    }

    fn index(found: Found) -> Option<u32> {
        match found {
            Found::At(element) => Some(element.index),
            _ => None,
        }
    }

    #[test]
    fn slices_are_parts_of_tensors() {
        let layout = sliced(rows(10, 20), [3, 5], [4, 4]);
        for (row, column) in [(0, 0), (1, 2), (3, 3)] {
            let found = find(&layout, None, TensorClampMode::Undefined, [row, column], 4);
            assert_eq!(index(found), Some((row + 3) * 20 + column + 5));
        }
    }

    #[test]
    fn what_is_outside_is_as_the_mode_says() {
        let layout = sliced(rows(4, 4), [-2, 2], [8, 8]);
        let at = |clamp, row, column| find(&layout, None, clamp, [row, column], 8);
        use TensorClampMode as Mode;
        assert_eq!(at(Mode::Constant, 0, 0), Found::Constant);
        assert_eq!(index(at(Mode::Constant, 2, 1)), Some(3));
        let outside = Found::Outside {
            dimension: 1,
            coordinate: 4,
        };
        assert_eq!(at(Mode::Undefined, 2, 2), outside);
        // Row -2 is row 0; column 7 is column 3.
        assert_eq!(index(at(Mode::ClampToEdge, 0, 5)), Some(3));
        // Row -2 is row 2; column 7 is column 3.
        assert_eq!(index(at(Mode::Repeat, 0, 5)), Some(11));
        // Rows go … 2 1 0 1 2 3 2 1 0 …: row -2 is row 2; column 7 is column 1.
        assert_eq!(index(at(Mode::RepeatMirrored, 0, 5)), Some(9));
    }

    #[test]
    fn blocks_are_counted_by_strides() {
        let layout = Layout {
            block_size: [1, 32, 0, 0, 0],
            stride: [3, 1, 0, 0, 0],
            ..rows(4, 96)
        };
        let layout = sliced(layout, [1, 32], [2, 64]);
        let found = find(&layout, None, TensorClampMode::Undefined, [1, 40], 64);
        let Found::At(element) = found else {
            panic!("{found:?}");
        };
        // Row 2, column 72: the third block of the row, and its element 8.
        assert_eq!(element.index, 2 * 3 + 2);
        assert_eq!(element.block[..2], [2, 2]);
        assert_eq!(element.within[..2], [0, 8]);
    }

    #[test]
    fn views_exchange_dimensions_and_clip() {
        let layout = sliced(rows(10, 20), [0, 0], [2, 3]);
        let view = View {
            ty: Permuted {
                count: 2,
                permutation: [1, 0, 0, 0, 0],
                has_dimensions: false,
            },
            clip: [0, u32::MAX, 0, u32::MAX],
            ..View::default()
        };
        // A matrix of three rows and two columns is the part transposed.
        for (row, column) in [(0, 0), (2, 0), (1, 1)] {
            let clamp = TensorClampMode::Undefined;
            let found = find(&layout, Some(&view), clamp, [row, column], 2);
            assert_eq!(index(found), Some(column * 20 + row));
        }
        let clipped = View {
            clip: [1, 1, 0, 2],
            ..view
        };
        let clamp = TensorClampMode::Undefined;
        let found = find(&layout, Some(&clipped), clamp, [0, 0], 2);
        assert_eq!(found, Found::Clipped);
        let found = find(&layout, Some(&clipped), clamp, [1, 1], 2);
        assert_eq!(index(found), Some(20));
    }

    #[test]
    fn views_have_dimensions_of_their_own() {
        // Six elements in a row, seen as two by three, of which every second column.
        let layout = Layout {
            count: 1,
            block_size: [1, 0, 0, 0, 0],
            dimension: [100, 0, 0, 0, 0],
            stride: [1, 0, 0, 0, 0],
            offset: Coordinates::default(),
            span: [100, 0, 0, 0, 0],
        };
        let view = View {
            ty: Permuted {
                count: 2,
                permutation: [0, 1, 0, 0, 0],
                has_dimensions: true,
            },
            dimension: [2, 3, 0, 0, 0],
            stride: [10, 2, 0, 0, 0],
            clip: [0, u32::MAX, 0, u32::MAX],
        };
        let clamp = TensorClampMode::Undefined;
        let found = find(&layout, Some(&view), clamp, [1, 2], 3);
        assert_eq!(index(found), Some(14));
    }
}
