//! `probe`: what is expected of the framebuffer and of buffers.

use super::VkReader;
use crate::command::{Area, Expect, Unit, Values};
use crate::reader::Parsed;
use crate::types::Layout;
use crate::words::{Comparator, DescriptorKind};

impl VkReader<'_> {
    /// What is behind `probe`.
    pub(super) fn probe(&mut self, is_relative: bool) -> Parsed<Expect> {
        if !is_relative && self.reader.accept("ssbo") {
            return self.probe_buffer();
        }
        let buffer = self.framebuffer();
        let is_all = !is_relative && self.reader.accept("all");
        let is_rectangle = !is_all && self.reader.accept("rect");
        let (word, span) = self.reader.word("`rgb` or `rgba`")?;
        let count = match word {
            "rgb" => 3,
            "rgba" => 4,
            _ => {
                let known = ["rgb", "rgba"].into_iter();
                return Err(self.reader.unknown_word(word, span, "kind of color", known));
            }
        };
        let area = match is_all {
            true => None,
            false => Some(self.area(is_relative, is_rectangle)?),
        };
        let color = self.list(count, "a color component")?;
        Ok(Expect::Color {
            buffer,
            area,
            color,
            tolerances: self.tolerances.clone(),
        })
    }

    fn area(&mut self, is_relative: bool, is_rectangle: bool) -> Parsed<Area> {
        let count = if is_rectangle { 4 } else { 2 };
        let numbers = self.list(count, "a coordinate")?;
        let unit = match is_relative {
            true => Unit::Share,
            false => Unit::Pixel,
        };
        let size = match (is_rectangle, is_relative) {
            (true, _) => [numbers[2], numbers[3]],
            // Where it is, however little that is.
            (false, true) => [0.0; 2],
            (false, false) => [1.0; 2],
        };
        Ok(Area {
            unit,
            position: [numbers[0] as f32, numbers[1] as f32],
            size: size.map(|side| side as f32),
        })
    }

    /// Numbers in brackets, between commas; neither is needed.
    fn list(&mut self, count: usize, what: &str) -> Parsed<Vec<f64>> {
        let has_brackets = self.reader.accept("(");
        let mut numbers = Vec::with_capacity(count);
        for number in 0..count {
            if number > 0 {
                self.reader.accept(",");
            }
            numbers.push(self.reader.number(what)?.0.to_f64());
        }
        if has_brackets {
            self.reader.expect(")")?;
        }
        Ok(numbers)
    }

    fn probe_buffer(&mut self) -> Parsed<Expect> {
        let ty = self.data_type()?;
        let span = self.reader.peek().span;
        let binding = self.binding()?;
        let at = self.memory_at(binding, DescriptorKind::Storage, span)?;
        let offset = self.reader.up_to(u32::MAX.into(), "an offset in bytes")?;
        let is_fuzzy = self.reader.accept("~=");
        let comparator = match is_fuzzy {
            true => Comparator::Equal,
            false => self.comparator()?,
        };
        let numbers = self.element_numbers(ty)?;
        let tolerances = match is_fuzzy {
            true => self.tolerances.clone(),
            false => Vec::new(),
        };
        Ok(Expect::Values {
            values: Values {
                buffer: self.memory[at].buffer,
                offset,
                ty,
                layout: Layout::Std430,
                numbers,
            },
            comparator,
            tolerances,
        })
    }

    fn comparator(&mut self) -> Parsed<Comparator> {
        let (word, span) = self.reader.word("a comparator")?;
        // The others are those of AmberScript.
        let is_letter = word.starts_with(|c: char| c.is_ascii_alphabetic());
        let key = if is_letter { "" } else { word };
        self.reader.choose(word, span, key)
    }
}
