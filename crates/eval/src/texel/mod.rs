//! Texels of images: formats, and what their bits stand for (Vulkan, "Formats" and "Fixed-Point
//! Data Conversions").

mod convert;
mod format;

pub use convert::Texel;
pub use format::{Channel, Component, Encoding, Format};
