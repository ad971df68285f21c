//! `BUFFER`, `IMAGE` and `SAMPLER`.

use spirvkit_diagnostics::Span;

use crate::kinds;
use crate::reader::{Parsed, Reader};
use crate::script::{Buffer, Contents, FileFormat, Sampler, Size};
use crate::types::{DataType, Layout, Shape};
use crate::words::{AddressMode, BorderColor, CompareOp, Dimension, Filter};

impl Reader<'_> {
    pub(super) fn buffer(&mut self) -> Parsed<()> {
        let (name, span) = self.declared_name("buffer")?;
        let mut buffer = if self.accept("FORMAT") {
            let format = self.format()?;
            Buffer {
                size: Size::Framebuffer,
                ..Buffer::new(name, span, Shape::Format(format).into())
            }
        } else if self.accept("DATA_TYPE") {
            let ty = self.data_type()?;
            Buffer::new(name, span, ty)
        } else {
            return Err(self.expected("`DATA_TYPE` or `FORMAT`"));
        };
        if self.accept("STD140") {
            buffer.layout = Layout::Std140;
        } else {
            self.accept("STD430");
        }
        let mut given = None;
        let [mut width, mut height] = [None; 2];
        loop {
            if self.accept("SIZE") {
                given = Some(self.up_to(u32::MAX.into(), "a number of elements")?);
            } else if self.accept("WIDTH") {
                width = Some(self.u32("a width")?);
            } else if self.accept("HEIGHT") {
                height = Some(self.u32("a height")?);
            } else if !self.image_option(&mut buffer)? {
                break;
            }
        }
        if let (Some(width), Some(height)) = (width, height) {
            given = Some(u64::from(width) * u64::from(height));
        }
        let is_format = buffer.size == Size::Framebuffer;
        buffer.contents = self.contents(buffer.ty)?;
        let place = self.span_from(span);
        self.end_of_line()?;
        if let Some(count) = self.element_count(&buffer, place)? {
            self.check_count(&buffer, place, given, count)?;
            given = Some(count);
        }
        match given {
            Some(count) => buffer.size = Size::Elements(count),
            None if is_format => {}
            None => {
                let message = format!("the size of the buffer `{}` isn't given", buffer.name);
                return Err(self.error(&kinds::INCOMPLETE, span, message));
            }
        }
        self.declare(buffer, span).map(|_| ())
    }

    pub(super) fn image(&mut self) -> Parsed<()> {
        let (name, span) = self.declared_name("image")?;
        let ty = if self.accept("FORMAT") {
            Shape::Format(self.format()?).into()
        } else if self.accept("DATA_TYPE") {
            self.data_type()?
        } else {
            return Err(self.expected("`DATA_TYPE` or `FORMAT`"));
        };
        let mut buffer = Buffer::new(name, span, ty);
        let mut dimension = None;
        let mut sizes = [None; 3];
        loop {
            let side = ["WIDTH", "HEIGHT", "DEPTH"]
                .into_iter()
                .position(|word| self.accept(word));
            if let Some(side) = side {
                sizes[side] = Some(self.u32("a number of texels")?);
            } else if self.accept("DIM_1D") {
                dimension = Some(Dimension::One);
            } else if self.accept("DIM_2D") {
                dimension = Some(Dimension::Two);
            } else if self.accept("DIM_3D") {
                dimension = Some(Dimension::Three);
            } else if !self.image_option(&mut buffer)? {
                break;
            }
        }
        let Some(dimension) = dimension else {
            return Err(self.expected("`DIM_1D`, `DIM_2D` or `DIM_3D`"));
        };
        buffer.contents = self.contents(ty)?;
        let place = self.span_from(span);
        self.end_of_line()?;
        let needed = &["WIDTH", "HEIGHT", "DEPTH"][..=dimension as usize];
        for (word, size) in needed.iter().zip(sizes) {
            if size.is_none() {
                let message = format!("the image `{}` has no `{word}`", buffer.name);
                return Err(self.error(&kinds::INCOMPLETE, span, message));
            }
        }
        let [width, height, depth] = sizes.map(|size| size.unwrap_or(1));
        buffer.size = Size::Image {
            dimension,
            width,
            height,
            depth,
        };
        if let Some(count) = self.element_count(&buffer, place)? {
            let texels = buffer.element_count([0, 0]);
            self.check_count(&buffer, place, Some(texels), count)?;
        }
        self.declare(buffer, span).map(|_| ())
    }

    /// `MIP_LEVELS` or `SAMPLES`, if one of them is next.
    fn image_option(&mut self, buffer: &mut Buffer) -> Parsed<bool> {
        if self.accept("MIP_LEVELS") {
            buffer.mip_levels = self.up_to(32, "a number of levels")? as u32;
            return Ok(true);
        }
        if !self.accept("SAMPLES") {
            return Ok(false);
        }
        let span = self.peek().span;
        buffer.samples = self.u32("a number of samples")?;
        if !buffer.samples.is_power_of_two() || buffer.samples > 64 {
            let message = format!("there can't be {} samples", buffer.samples);
            return Err(self.error(&kinds::OUT_OF_RANGE, span, message));
        }
        Ok(true)
    }

    /// How a buffer is filled, or nothing at the end of the line.
    fn contents(&mut self, ty: DataType) -> Parsed<Contents> {
        if self.accept("DATA") {
            return self.numbers(ty, Some("END")).map(Contents::Values);
        }
        if self.accept("FILL") {
            let (number, span) = self.number("a number")?;
            for scalar in &*self.scalars(ty) {
                self.check_fit(number, *scalar, span)?;
            }
            return Ok(Contents::Fill(number));
        }
        if self.accept("SERIES_FROM") {
            let span = self.peek().span;
            let [scalar] = self.scalars(ty)[..] else {
                let message =
                    "a series consists of scalars, not of vectors, matrices or structures";
                return Err(self.error(&kinds::MISMATCH, span, message.to_owned()));
            };
            let from = self.number_of(scalar)?;
            self.expect("INC_BY")?;
            let step = self.number_of(scalar)?;
            return Ok(Contents::Series { from, step });
        }
        if self.accept("FILE") {
            let format = if self.accept("PNG") {
                FileFormat::Png
            } else if self.accept("BINARY") {
                FileFormat::Binary
            } else if self.accept("TEXT") {
                FileFormat::Text
            } else {
                return Err(self.expected("`PNG`, `BINARY` or `TEXT`"));
            };
            let path = self.text("the path of a file")?;
            return Ok(Contents::File { format, path });
        }
        match self.is_end_of_line() {
            true => Ok(Contents::None),
            false => Err(self.expected("`DATA`, `FILL`, `SERIES_FROM` or `FILE`")),
        }
    }

    /// How many elements the values of a buffer are.
    fn element_count(&mut self, buffer: &Buffer, span: Span) -> Parsed<Option<u64>> {
        let Contents::Values(values) = &buffer.contents else {
            return Ok(None);
        };
        let needed = buffer.ty.shape.component_count(&self.script).max(1) as usize;
        if values.len() % needed != 0 {
            let message = format!(
                "the buffer `{}` has {} values, but each of its elements takes {needed}",
                buffer.name,
                values.len()
            );
            return Err(self.error(&kinds::WRONG_COUNT, span, message));
        }
        Ok(Some((values.len() / needed) as u64))
    }

    /// Whether there are as many elements as the size says.
    fn check_count(
        &mut self,
        buffer: &Buffer,
        span: Span,
        given: Option<u64>,
        count: u64,
    ) -> Parsed<()> {
        match given {
            Some(given) if given != count => {
                let message = format!(
                    "the buffer `{}` has {given} elements, but values for {count}",
                    buffer.name
                );
                Err(self.error(&kinds::WRONG_COUNT, span, message))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn sampler(&mut self) -> Parsed<()> {
        let (name, span) = self.declared_name("sampler")?;
        let mut sampler = Sampler {
            name,
            mag_filter: Filter::Nearest,
            min_filter: Filter::Nearest,
            address_modes: [AddressMode::Repeat; 3],
            border_color: BorderColor::FloatTransparentBlack,
            min_lod: 0.0,
            max_lod: 1.0,
            is_normalized: true,
            compare: None,
        };
        let mut compares = false;
        let mut compare_op = CompareOp::Never;
        while !self.is_end_of_line() {
            let (word, span) = self.word("a property of the sampler")?;
            match word {
                "MAG_FILTER" => sampler.mag_filter = self.choice()?,
                "MIN_FILTER" => sampler.min_filter = self.choice()?,
                "ADDRESS_MODE_U" => sampler.address_modes[0] = self.choice()?,
                "ADDRESS_MODE_V" => sampler.address_modes[1] = self.choice()?,
                "ADDRESS_MODE_W" => sampler.address_modes[2] = self.choice()?,
                "BORDER_COLOR" => sampler.border_color = self.choice()?,
                "MIN_LOD" => sampler.min_lod = self.f32("a level of detail")?,
                "MAX_LOD" => sampler.max_lod = self.f32("a level of detail")?,
                "NORMALIZED_COORDS" => sampler.is_normalized = true,
                "UNNORMALIZED_COORDS" => sampler.is_normalized = false,
                "COMPARE" => compares = self.switch()?,
                "COMPARE_OP" => compare_op = self.choice()?,
                _ => {
                    let known = SAMPLER_WORDS.iter().copied();
                    return Err(self.unknown_word(word, span, "property of samplers", known));
                }
            }
        }
        if !sampler.is_normalized {
            (sampler.min_lod, sampler.max_lod) = (0.0, 0.0);
        }
        sampler.compare = compares.then_some(compare_op);
        self.end_of_line()?;
        self.declare(sampler, span).map(|_| ())
    }
}

const SAMPLER_WORDS: &[&str] = &[
    "MAG_FILTER",
    "MIN_FILTER",
    "ADDRESS_MODE_U",
    "ADDRESS_MODE_V",
    "ADDRESS_MODE_W",
    "BORDER_COLOR",
    "MIN_LOD",
    "MAX_LOD",
    "NORMALIZED_COORDS",
    "UNNORMALIZED_COORDS",
    "COMPARE",
    "COMPARE_OP",
];
