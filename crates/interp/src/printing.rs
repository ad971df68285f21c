//! What `printf` prints: formats as in OpenCL C (section 6.15.14) and in C (section 7.21.6.1),
//! with vectors.

use std::fmt::Write;

use spirvkit_eval::{Scalar, ScalarType};

/// How many characters a number is padded to at most, and digits it has behind the point.
const MAX_WIDTH: usize = 512;

/// A part of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    Value(Spec),
}

/// How a value is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spec {
    is_left: bool,
    has_plus: bool,
    has_space: bool,
    is_alternate: bool,
    has_zeros: bool,
    width: usize,
    precision: Option<usize>,
    /// How many bits of an integer count, if they are fewer than it has.
    bits: Option<u32>,
    /// `d`, `f` and so on.
    pub(crate) conversion: char,
}

/// The parts of a format. What is no conversion stands for itself.
pub(crate) fn parse(format: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('%') {
            text.push('%');
            rest = behind;
            continue;
        }
        match spec(rest) {
            Some((spec, behind)) => {
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                pieces.push(Piece::Value(spec));
                rest = behind;
            }
            None => text.push('%'),
        }
    }
    text.push_str(rest);
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    pieces
}

/// The conversion that a text begins with, behind the percent sign, and what follows it.
fn spec(text: &str) -> Option<(Spec, &str)> {
    let mut spec = Spec::default();
    let mut rest = text;
    loop {
        let flag = rest.chars().next()?;
        match flag {
            '-' => spec.is_left = true,
            '+' => spec.has_plus = true,
            ' ' => spec.has_space = true,
            '#' => spec.is_alternate = true,
            '0' => spec.has_zeros = true,
            _ => break,
        }
        rest = &rest[1..];
    }
    (spec.width, rest) = number(rest);
    if let Some(behind) = rest.strip_prefix('.') {
        let (precision, behind) = number(behind);
        spec.precision = Some(precision);
        rest = behind;
    }
    // How many components there are, the type of the value tells.
    if let Some(behind) = rest.strip_prefix('v') {
        rest = behind.trim_start_matches(|it: char| it.is_ascii_digit());
    }
    let lengths = [
        ("hh", Some(8)),
        ("hl", None),
        ("h", Some(16)),
        ("ll", None),
        ("l", None),
    ];
    for (length, bits) in lengths
        .into_iter()
        .chain([("L", None), ("z", None), ("j", None)])
    {
        if let Some(behind) = rest.strip_prefix(length) {
            spec.bits = bits;
            rest = behind;
            break;
        }
    }
    spec.conversion = rest
        .chars()
        .next()
        .filter(|it| "diouxXfFeEgGaAcsp".contains(*it))?;
    rest = &rest[1..];
    // GLSL's `debugPrintfEXT` also has `%ul`.
    if spec.conversion == 'u' && spec.bits.is_none() {
        rest = rest.strip_prefix('l').unwrap_or(rest);
    }
    Some((spec, rest))
}

fn number(text: &str) -> (usize, &str) {
    let rest = text.trim_start_matches(|it: char| it.is_ascii_digit());
    let digits = &text[..text.len() - rest.len()];
    let number = digits
        .parse()
        .unwrap_or(if digits.is_empty() { 0 } else { MAX_WIDTH });
    (number.min(MAX_WIDTH), rest)
}

impl Spec {
    /// Writes a value by its components, with commas between them.
    pub(crate) fn write(&self, out: &mut String, components: &[Scalar]) {
        for (index, &component) in components.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            self.write_one(out, component);
        }
    }

    /// Writes a text.
    pub(crate) fn write_text(&self, out: &mut String, text: &str) {
        let count = self.precision.unwrap_or(usize::MAX);
        let cut: String = text.chars().take(count).collect();
        self.pad(out, "", &cut, false);
    }

    fn write_one(&self, out: &mut String, scalar: Scalar) {
        match self.conversion {
            'c' => {
                let character = char::from(scalar.bits() as u8);
                self.pad(out, "", character.encode_utf8(&mut [0; 4]), false);
            }
            'p' => self.pad(out, "0x", &format!("{:x}", scalar.bits()), true),
            'd' | 'i' | 'o' | 'u' | 'x' | 'X' => self.integer(out, scalar),
            _ => self.float(out, scalar),
        }
    }

    fn integer(&self, out: &mut String, scalar: Scalar) {
        let width = match scalar.ty() {
            ScalarType::Bool => 8,
            ty => self.bits.unwrap_or(64).min(ty.width()),
        };
        let unused = 64 - width;
        let bits = scalar.bits() << unused >> unused;
        let signed = (scalar.bits() << unused) as i64 >> unused;
        let is_signed = matches!(self.conversion, 'd' | 'i');
        let is_negative = is_signed && signed < 0;
        let digits = match self.conversion {
            'o' => format!("{bits:o}"),
            'x' => format!("{bits:x}"),
            'X' => format!("{bits:X}"),
            _ if is_negative => signed.unsigned_abs().to_string(),
            _ => bits.to_string(),
        };
        let digits = match self.precision {
            Some(0) if bits == 0 => String::new(),
            Some(least) => format!("{digits:0>least$}"),
            None => digits,
        };
        let prefix = match self.conversion {
            'x' if self.is_alternate && bits != 0 => "0x",
            'X' if self.is_alternate && bits != 0 => "0X",
            'o' if self.is_alternate && !digits.starts_with('0') => "0",
            'd' | 'i' => self.sign(is_negative),
            _ => "",
        };
        self.pad(out, prefix, &digits, self.precision.is_none());
    }

    fn float(&self, out: &mut String, scalar: Scalar) {
        let Some(number) = scalar.to_f64() else {
            // What is no number of this kind is written as the bits that it is.
            return self.pad(out, "0x", &format!("{:x}", scalar.bits()), true);
        };
        let is_upper = self.conversion.is_ascii_uppercase();
        let sign = self.sign(number.is_sign_negative() && !number.is_nan());
        let magnitude = number.abs();
        if !number.is_finite() {
            let text = if number.is_nan() { "nan" } else { "inf" };
            let text = if is_upper {
                text.to_uppercase()
            } else {
                text.to_owned()
            };
            return self.pad(out, sign, &text, false);
        }
        let precision = self.precision.unwrap_or(6);
        let text = match self.conversion.to_ascii_lowercase() {
            'f' => self.fixed(magnitude, precision),
            'e' => self.scientific(magnitude, precision),
            'a' => {
                let prefix = if is_upper { "0X" } else { "0x" };
                let digits = self.hexadecimal(magnitude);
                return self.pad(out, &format!("{sign}{prefix}"), &digits, true);
            }
            _ => self.shortest(magnitude, precision.max(1)),
        };
        let text = if is_upper { text.to_uppercase() } else { text };
        self.pad(out, sign, &text, true);
    }

    fn fixed(&self, number: f64, precision: usize) -> String {
        let point = if precision == 0 && self.is_alternate {
            "."
        } else {
            ""
        };
        format!("{number:.precision$}{point}")
    }

    fn scientific(&self, number: f64, precision: usize) -> String {
        let text = format!("{number:.precision$e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let point = if precision == 0 && self.is_alternate {
            "."
        } else {
            ""
        };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{digits}{point}e{sign}{:02}", exponent.unsigned_abs())
    }

    /// The form of `%g`: so many digits that count, without zeros at the end.
    fn shortest(&self, number: f64, precision: usize) -> String {
        let rounded = self.scientific(number, precision - 1);
        let exponent = rounded
            .split_once('e')
            .and_then(|it| it.1.parse::<i32>().ok());
        let exponent = exponent.unwrap_or(0);
        let is_fixed = (-4..precision as i32).contains(&exponent);
        let text = match is_fixed {
            true => self.fixed(number, (precision as i32 - 1 - exponent) as usize),
            false => rounded,
        };
        if self.is_alternate {
            return text;
        }
        let (digits, exponent) = match text.find('e') {
            Some(at) => text.split_at(at),
            None => (&text[..], ""),
        };
        let digits = match digits.contains('.') {
            true => digits.trim_end_matches('0').trim_end_matches('.'),
            false => digits,
        };
        format!("{digits}{exponent}")
    }

    /// The digits of `%a`, behind the prefix.
    fn hexadecimal(&self, number: f64) -> String {
        let bits = number.to_bits();
        let exponent = (bits >> 52) as i32;
        let fraction = bits & ((1 << 52) - 1);
        let (mut lead, exponent) = match (exponent, fraction) {
            (0, 0) => (0u64, 0),
            (0, _) => (0, -1022),
            _ => (1, exponent - 1023),
        };
        let mut digits = format!("{fraction:013x}");
        match self.precision {
            None => digits.truncate(digits.trim_end_matches('0').len()),
            Some(count) if count < 13 => {
                let dropped = 52 - 4 * count as u32;
                let all = lead << 52 | fraction;
                let half = 1u64 << (dropped - 1);
                let is_odd = all >> dropped & 1;
                let rounded = (all + half - 1 + is_odd) >> dropped;
                lead = rounded >> (4 * count);
                let mask = (1u64 << (4 * count)) - 1;
                digits = match count {
                    0 => String::new(),
                    _ => format!("{:0count$x}", rounded & mask),
                };
            }
            Some(count) => digits = format!("{digits:0<count$}"),
        }
        let point = if digits.is_empty() && !self.is_alternate {
            ""
        } else {
            "."
        };
        let text = format!("{lead}{point}{digits}p{exponent:+}");
        match self.conversion {
            'A' => text.to_uppercase(),
            _ => text,
        }
    }

    fn sign(&self, is_negative: bool) -> &'static str {
        match (is_negative, self.has_plus, self.has_space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (.., true) => " ",
            _ => "",
        }
    }

    /// Fills up to the width: with spaces, or with zeros behind the sign.
    fn pad(&self, out: &mut String, prefix: &str, text: &str, is_number: bool) {
        let missing = self
            .width
            .saturating_sub(prefix.len() + text.chars().count());
        // Writing to a string does not fail.
        let _ = match (self.is_left, self.has_zeros && is_number) {
            (true, _) => write!(out, "{prefix}{text}{:missing$}", ""),
            (_, true) => write!(out, "{prefix}{:0>missing$}{text}", ""),
            _ => write!(out, "{:missing$}{prefix}{text}", ""),
        };
    }
}
