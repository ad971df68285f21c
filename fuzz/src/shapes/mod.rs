//! Small modules that name large things often.
//!
//! What is written of such a module, or kept for it, can easily be the *product* of how
//! much it names and how often. Each shape is one way to come by a product, and is made
//! in any size, so that what a program takes for it can be held against the size.

mod debug;
mod maker;
mod programs;
mod types;

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

impl Shape {
    /// All shapes.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        [types::SHAPES, debug::SHAPES, programs::SHAPES]
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
