//! How messages and tables write the types of numbers: as GLSL does, and alike where it
//! has no word.

use alloc::format;
use alloc::string::{String, ToString};

use spirvkit_grammar::FPEncoding;

/// An integer: `int`, `uint8`.
pub fn integer(width: u32, signed: bool) -> String {
    let name = if signed { "int" } else { "uint" };
    match width {
        32 => name.to_string(),
        width => format!("{name}{width}"),
    }
}

/// A floating-point number: `float`, `half`, `bfloat16`.
pub fn float(width: u32, encoding: Option<FPEncoding>) -> String {
    match (encoding, width) {
        (Some(encoding), _) => {
            let name = encoding.to_string();
            let name = name
                .strip_suffix("KHR")
                .or(name.strip_suffix("EXT"))
                .unwrap_or(&name);
            name.to_ascii_lowercase()
        }
        (None, 16) => "half".into(),
        (None, 32) => "float".into(),
        (None, 64) => "double".into(),
        (None, width) => format!("float{width}"),
    }
}
