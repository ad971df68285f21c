//! Whether expectations are met.

use spirvkit_diagnostics::Span;

use super::{Runner, Stop, negated};
use crate::command::Expect;
use crate::compare::{self, Image, Mismatch};
use crate::kinds;
use crate::reader::quoted;
use crate::script::{Buffer, Handle};
use crate::types::Shape;

impl Runner<'_> {
    /// Checks an expectation.
    pub(super) fn expect(&mut self, expect: &Expect, span: Span) -> Result<(), Stop> {
        self.expectations += 1;
        let size = match expect {
            Expect::Values { values, .. } => values.numbers.len(),
            Expect::Color { buffer, .. } | Expect::Buffers { left: buffer, .. } => {
                self.memory.bytes(*buffer)?.len()
            }
        };
        self.take_steps(size, span)?;
        let name = quoted(&self.script[buffer(expect)].name);
        let failure = match self.compare(expect)? {
            Met::Yes => return Ok(()),
            Met::No(mismatch) => {
                let message = format!("`{name}` is not as expected: {mismatch}");
                kinds::EXPECTATION.error(message)
            }
            Met::Always => {
                let message = format!("`{name}` is as expected, but also if that is changed");
                kinds::NEGATED.error(message)
            }
        };
        self.fail(failure.at_span(span));
        Ok(())
    }

    fn compare(&mut self, expect: &Expect) -> Result<Met, Stop> {
        let script = self.script;
        let is_negated = self.options.negated;
        let met = |found: Result<(), Mismatch>, is_sharp: &dyn Fn() -> bool| match found {
            Err(mismatch) => Met::No(mismatch),
            Ok(()) if is_negated && !is_sharp() => Met::Always,
            Ok(()) => Met::Yes,
        };
        match expect {
            Expect::Values {
                values,
                comparator,
                tolerances,
            } => {
                let bytes = self.memory.bytes(values.buffer)?;
                let found = compare::values(script, bytes, values, *comparator, tolerances);
                Ok(met(found, &|| {
                    negated::values(script, bytes, values, *comparator, tolerances)
                }))
            }
            Expect::Color {
                buffer,
                area,
                color,
                tolerances,
            } => {
                let Shape::Format(format) = script[*buffer].ty.shape else {
                    return Ok(Met::No(Mismatch::NoChannels));
                };
                let [width, height] = self.memory.extent(*buffer);
                let image = Image {
                    bytes: self.memory.bytes(*buffer)?,
                    format,
                    width,
                    height,
                };
                let area = area.as_ref();
                let found = compare::colors(&image, area, color, tolerances);
                Ok(met(found, &|| {
                    negated::colors(&image, area, color, tolerances)
                }))
            }
            Expect::Buffers {
                left,
                right,
                likeness,
            } => {
                self.memory.bytes(*left)?;
                self.memory.bytes(*right)?;
                let buffer = &script[*left];
                let [left, right] = [left, right].map(|it| self.memory.filled(*it));
                let found =
                    compare::buffers(script, buffer.ty, buffer.layout, left, right, *likeness);
                Ok(met(found, &|| {
                    negated::buffers(script, buffer, left, right, *likeness)
                }))
            }
        }
    }
}

/// Whether an expectation is met.
enum Met {
    Yes,
    No(Mismatch),
    /// As it is, and also after a change that it should notice.
    Always,
}

/// The buffer that an expectation is about.
fn buffer(expect: &Expect) -> Handle<Buffer> {
    match expect {
        Expect::Values { values, .. } => values.buffer,
        Expect::Color { buffer, .. } => *buffer,
        Expect::Buffers { left, .. } => *left,
    }
}
