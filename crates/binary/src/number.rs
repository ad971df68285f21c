//! The types of numeric literals.

use spirvkit_grammar::{FPEncoding, Op};

/// How the bits of a floating-point literal are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FloatFormat {
    /// IEEE 754 binary16.
    Half,
    /// IEEE 754 binary32.
    Single,
    /// IEEE 754 binary64.
    Double,
    /// The upper half of binary32 (`SPV_KHR_bfloat16`).
    BFloat16,
    /// 4 bits of exponent, 3 of fraction, no infinities (`SPV_EXT_float8`).
    E4M3,
    /// 5 bits of exponent, 2 of fraction (`SPV_EXT_float8`).
    E5M2,
    /// 2 bits of exponent, 3 of fraction, finite
    /// (`SPV_EXT_ocp_microscaling_types`).
    E2M3,
    /// 3 bits of exponent, 2 of fraction, finite
    /// (`SPV_EXT_ocp_microscaling_types`).
    E3M2,
    /// 2 bits of exponent, 1 of fraction, finite
    /// (`SPV_EXT_ocp_microscaling_types`).
    E2M1,
    /// An exponent alone, without sign (`SPV_EXT_ocp_microscaling_types`).
    UnsignedE8M0,
    /// A signed 8-bit integer in units of 1/64
    /// (`SPV_EXT_ocp_microscaling_types`).
    MxInt8,
}

impl FloatFormat {
    /// The format of an `OpTypeFloat`, or `None` if width and encoding don't go
    /// together or no format is known for them.
    pub fn new(width: u32, encoding: Option<FPEncoding>) -> Option<Self> {
        let format = match encoding {
            None => match width {
                16 => Self::Half,
                32 => Self::Single,
                64 => Self::Double,
                _ => return None,
            },
            Some(FPEncoding::BFloat16KHR) => Self::BFloat16,
            Some(FPEncoding::Float8E4M3EXT) => Self::E4M3,
            Some(FPEncoding::Float8E5M2EXT) => Self::E5M2,
            Some(FPEncoding::Float6E2M3EXT) => Self::E2M3,
            Some(FPEncoding::Float6E3M2EXT) => Self::E3M2,
            Some(FPEncoding::Float4E2M1EXT) => Self::E2M1,
            Some(FPEncoding::Float8UnsignedE8M0EXT) => Self::UnsignedE8M0,
            Some(FPEncoding::MXInt8EXT) => Self::MxInt8,
            Some(_) => return None,
        };
        (u32::from(format.width()) == width).then_some(format)
    }

    /// The width in bits.
    pub const fn width(self) -> u8 {
        match self {
            Self::Double => 64,
            Self::Single => 32,
            Self::Half | Self::BFloat16 => 16,
            Self::E4M3 | Self::E5M2 | Self::UnsignedE8M0 | Self::MxInt8 => 8,
            Self::E2M3 | Self::E3M2 => 6,
            Self::E2M1 => 4,
        }
    }
}

/// The type of a numeric literal of at most 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumberType {
    /// An integer.
    Integer {
        /// From 1 to 64 bits.
        width: u8,
        /// Whether it is two's complement.
        signed: bool,
    },
    /// A floating-point number.
    Float(FloatFormat),
}

impl NumberType {
    /// The type that the words of an `OpTypeInt` or `OpTypeFloat` declare; `None` if they
    /// are of something else, or of a number that has no literals here.
    pub fn declared_by(words: &[u32]) -> Option<Self> {
        match *words {
            [first, _, width, signedness] if Op(first as u16) == Op::TypeInt => {
                Self::integer(width, signedness)
            }
            [first, _, width, ref encoding @ ..]
                if Op(first as u16) == Op::TypeFloat && encoding.len() < 2 =>
            {
                let encoding = encoding.first().map(|&encoding| FPEncoding(encoding));
                FloatFormat::new(width, encoding).map(Self::Float)
            }
            _ => None,
        }
    }

    /// An unsigned 32-bit integer, the type of every literal that no
    /// instruction gives a type to.
    pub const U32: Self = Self::Integer {
        width: 32,
        signed: false,
    };

    /// The type that `OpTypeInt` declares, if its literals can be read.
    pub fn integer(width: u32, signedness: u32) -> Option<Self> {
        let width = u8::try_from(width)
            .ok()
            .filter(|width| (1..=64).contains(width))?;
        Some(Self::Integer {
            width,
            signed: signedness != 0,
        })
    }

    /// The width in bits.
    pub const fn width(self) -> u8 {
        match self {
            Self::Integer { width, .. } => width,
            Self::Float(format) => format.width(),
        }
    }

    /// How many words a literal of the type takes: one up to 32 bits, two above
    /// (specification, section 2.2.1 "Literal").
    pub const fn words(self) -> usize {
        if self.width() > 32 { 2 } else { 1 }
    }

    /// The literal's words joined, the low word first; bits above the width are
    /// kept as they are.
    pub fn join(words: &[u32]) -> u64 {
        let word = |index: usize| u64::from(words.get(index).copied().unwrap_or(0));
        word(0) | word(1) << 32
    }

    /// The joined words of a number, if there are as many as a number of at most 64 bits
    /// has: what an instruction that declares a constant ends with.
    pub fn literal(words: &[u32]) -> Option<u64> {
        matches!(words.len(), 1 | 2).then(|| Self::join(words))
    }

    /// The number that a literal of the type is, in 64 bits: its low bits, extended with
    /// the sign for a signed integer, with zeros otherwise. What a literal has above its
    /// width makes no difference.
    ///
    /// ```
    /// use spirvkit_binary::NumberType;
    ///
    /// let short = NumberType::Integer { width: 16, signed: true };
    /// assert_eq!(short.value(0xfffe), -2i64 as u64);
    /// assert_eq!(NumberType::U32.value(u64::MAX), 0xffff_ffff);
    /// ```
    pub const fn value(self, bits: u64) -> u64 {
        let unused = 64 - self.width() as u32;
        match self {
            Self::Integer { signed: true, .. } => ((bits << unused) as i64 >> unused) as u64,
            _ => bits << unused >> unused,
        }
    }

    /// The bits of a value below the type's width, extended to its words as the
    /// specification wants them (section 2.2.1): with the sign for a signed
    /// integer, with zeros otherwise.
    pub fn extend(self, bits: u64) -> u64 {
        match self.words() {
            1 => self.value(bits) & u64::from(u32::MAX),
            _ => self.value(bits),
        }
    }

    /// The value of a literal as a signed number, its sign extended to 64 bits.
    pub fn sign_extend(self, bits: u64) -> i64 {
        let unused = 64 - u32::from(self.width());
        ((bits << unused) as i64) >> unused
    }
}
