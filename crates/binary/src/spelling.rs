//! How messages and tables write types: as GLSL does, and alike where it has no word.

use alloc::format;
use alloc::string::{String, ToString};

use spirvkit_grammar::FPEncoding;

/// What vectors and matrices start with that have these components.
const PREFIXES: &[(&str, &str)] = &[
    ("float", ""),
    ("half", "f16"),
    ("double", "d"),
    ("bool", "b"),
    ("int", "i"),
    ("uint", "u"),
    ("int8", "i8"),
    ("uint8", "u8"),
    ("int16", "i16"),
    ("uint16", "u16"),
    ("int64", "i64"),
    ("uint64", "u64"),
];

/// What the names of vectors, matrices and images start with that have components of a
/// type, if GLSL has such vectors.
pub fn prefix(component: &str) -> Option<&'static str> {
    let mut prefixes = PREFIXES.iter();
    let found = prefixes.find(|(name, _)| *name == component);
    found.map(|(_, prefix)| *prefix)
}

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

/// A vector of a type: `vec4`, `uvec2`, `vec2<bfloat16>`.
pub fn vector(component: &str, count: u32) -> String {
    match prefix(component) {
        Some(prefix) => format!("{prefix}vec{count}"),
        None => format!("vec{count}<{component}>"),
    }
}

/// A matrix of a type: `mat4`, `mat3x2` for three columns of two rows.
pub fn matrix(component: &str, columns: u32, rows: u32) -> String {
    let rows = match rows == columns {
        true => String::new(),
        false => format!("x{rows}"),
    };
    match prefix(component) {
        Some(prefix) => format!("{prefix}mat{columns}{rows}"),
        None => format!("mat{columns}{rows}<{component}>"),
    }
}

/// An array of a type: `float[4]`. GLSL has its length before those of arrays in it.
///
/// ```
/// use spirvkit_binary::spelling::array;
///
/// assert_eq!(array("vec4", "2"), "vec4[2]");
/// assert_eq!(array("vec4[2]", ""), "vec4[][2]");
/// ```
pub fn array(element: &str, length: &str) -> String {
    let mut end = element.len();
    while let Some(inner) = element
        .get(..end)
        .and_then(|text| text.strip_suffix(']')?.rfind('['))
    {
        end = inner;
    }
    let (element, inner) = element.split_at(end);
    format!("{element}[{length}]{inner}")
}
