//! Small modules that name large things often.
//!
//! What is written of such a module, or kept for it, can easily be the *product* of how
//! much it names and how often. Each shape is one way to come by a product, and is made
//! in any size, so that what a program takes for it can be held against the size.

mod debug;
mod maker;
mod passes;
mod programs;
mod types;

use spirvkit::words_from_bytes;

use crate::mutate;
use crate::recipe::Recipe;
use maker::Maker;
pub use maker::Side;

/// A way to make modules of any size in which a small thing stands for much.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// What it is called.
    pub name: &'static str,
    /// What is multiplied with what.
    pub about: &'static str,
    make: fn(&mut Maker),
}

/// The largest module that a recipe makes, as a power of two.
const LARGEST: usize = 16;

/// What the recipe makes of a module: it with changes, or now and then a shape with
/// changes. Nothing if the module is none.
pub(crate) fn changed(recipe: &mut Recipe<'_>, module: &[u8], side: Side) -> Option<Vec<u32>> {
    let words = match recipe.once_in(3) {
        true => {
            let shape = recipe.pick(&Shape::all().collect::<Vec<_>>())?;
            let size = 1 << (10 + recipe.below(LARGEST - 9));
            shape.words(size, side)
        }
        false => words_from_bytes(module).ok()?.0,
    };
    let changes: Vec<u8> = (0..recipe.below(17)).map(|_| recipe.byte()).collect();
    Some(mutate(&words, &changes))
}

impl Shape {
    /// All shapes.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        [
            types::SHAPES,
            debug::SHAPES,
            programs::SHAPES,
            passes::SHAPES,
        ]
        .into_iter()
        .flatten()
    }

    /// The words of a module of this shape and of about so many bytes.
    pub fn words(&self, bytes: usize, side: Side) -> Vec<u32> {
        let mut maker = Maker::new(bytes / 4, side);
        (self.make)(&mut maker);
        maker.finish()
    }
}

const fn shape(name: &'static str, about: &'static str, make: fn(&mut Maker)) -> Shape {
    Shape { name, about, make }
}
