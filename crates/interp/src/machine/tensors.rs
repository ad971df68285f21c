//! Where elements of cooperative matrices are in tensors.

use super::Shared;
use super::control::{Active, Gang};
use crate::kinds;
use crate::program::{Pc, Reg};
use crate::special::TensorPlace;
use crate::tensor::{Coordinates, Element, Found, Layout, Permuted, View, find};

impl<const W: usize> Gang<W> {
    pub(super) fn find_elements(
        &mut self,
        shared: &mut Shared<'_>,
        active: &Active<W>,
        pc: Pc,
        place: &TensorPlace,
    ) {
        for lane in active.lanes() {
            let layout = self.tensor_layout(&place.layout, lane);
            let view = place.view.as_ref();
            let view = view.map(|(columns, ty)| self.tensor_view(columns, *ty, lane));
            let at = [place.row, place.column].map(|column| self.word(column, lane));
            let is_element = at[0] < place.matrix.rows;
            let found = match is_element {
                true => find(
                    &layout,
                    view.as_ref(),
                    place.clamp,
                    at,
                    place.matrix.columns,
                ),
                false => Found::Clipped,
            };
            if let Found::Outside {
                dimension,
                coordinate,
            } = found
            {
                let verb = if place.is_store { "stored" } else { "loaded" };
                let size = layout.dimension[dimension];
                let message = || {
                    format!(
                        "element ({}, {}) of the matrix is {verb} at coordinate {coordinate} of dimension {dimension} \
                         of the tensor, which has {size}",
                        at[0], at[1]
                    )
                };
                let (program, who) = (shared.program, self.invocations(1 << lane));
                shared
                    .findings
                    .add(program, &kinds::INDEX, pc, who, message);
            }
            self.write_found(place, lane, found);
        }
    }

    fn write_found(&mut self, place: &TensorPlace, lane: usize, found: Found) {
        let to = &place.to;
        let mut write = |column: Reg, word: u32| self.columns[column as usize][lane] = word;
        write(to.is_kept, u32::from(found == Found::Clipped));
        let Found::At(Element {
            index,
            block,
            within,
        }) = found
        else {
            return write(to.is_there, 0);
        };
        write(to.is_there, 1);
        write(to.index, index);
        let both = to.block.iter().zip(block);
        let both = both.chain(to.within.iter().zip(within));
        both.for_each(|(&column, word)| write(column, word));
    }

    fn tensor_layout(&self, columns: &[Reg], lane: usize) -> Layout {
        let count = columns.len() / 5;
        let [block_size, dimension, stride, offset, span] = self.coordinates(columns, count, lane);
        Layout {
            count,
            block_size,
            dimension,
            stride,
            offset,
            span,
        }
    }

    fn tensor_view(&self, columns: &[Reg], ty: Permuted, lane: usize) -> View {
        let [dimension, stride] = self.coordinates(columns, ty.count, lane);
        let clip = columns.get(2 * ty.count..).unwrap_or_default();
        let clip = std::array::from_fn(|at| clip.get(at).map_or(0, |&it| self.word(it, lane)));
        View {
            ty,
            dimension,
            stride,
            clip,
        }
    }

    /// Lists of numbers, one for each of so many dimensions.
    fn coordinates<const N: usize>(
        &self,
        columns: &[Reg],
        count: usize,
        lane: usize,
    ) -> [Coordinates; N] {
        let mut lists = [Coordinates::default(); N];
        for (list, columns) in lists.iter_mut().zip(columns.chunks(count.max(1))) {
            for (word, &column) in list.iter_mut().zip(columns) {
                *word = self.word(column, lane);
            }
        }
        lists
    }
}
