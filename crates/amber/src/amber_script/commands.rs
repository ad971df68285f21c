//! What is done: `RUN`, `CLEAR`, `COPY` and `EXPECT`.

use spirvkit_diagnostics::Span;

use crate::command::{Action, Area, Expect, Likeness, Run, Tolerance, Unit, Values, Work};
use crate::kinds;
use crate::number::Number;
use crate::pipeline::Pipeline;
use crate::reader::{Parsed, Reader, Reported, quoted};
use crate::script::{Buffer, Handle, Size};
use crate::types::Shape;
use crate::words::{Comparator, PipelineKind, Topology, Words};

impl Reader<'_> {
    /// A command that may be repeated, up to the end of its line.
    pub(super) fn action(&mut self, word: &str) -> Parsed<Action> {
        Ok(match word {
            "RUN" => Action::Run(self.run()?),
            "COPY" => self.copy()?,
            "EXPECT" => Action::Expect(self.expectation()?),
            "CLEAR" => Action::Clear(self.pipeline_of(PipelineKind::Graphics)?),
            "CLEAR_COLOR" => {
                let pipeline = self.pipeline_of(PipelineKind::Graphics)?;
                let mut color = [0.0; 4];
                for channel in &mut color {
                    *channel = self.up_to(255, "a color component")? as f32 / 255.0;
                }
                Action::ClearColor(pipeline, color)
            }
            "CLEAR_DEPTH" => {
                let pipeline = self.pipeline_of(PipelineKind::Graphics)?;
                Action::ClearDepth(pipeline, self.f32("a depth")?)
            }
            _ => {
                let pipeline = self.pipeline_of(PipelineKind::Graphics)?;
                Action::ClearStencil(pipeline, self.up_to(255, "a stencil value")? as u32)
            }
        })
    }

    /// A pipeline of this kind.
    fn pipeline_of(&mut self, kind: PipelineKind) -> Parsed<Handle<Pipeline>> {
        let span = self.peek().span;
        let pipeline = self.find()?;
        self.check_kind(pipeline, kind, span)?;
        Ok(pipeline)
    }

    fn check_kind(
        &mut self,
        pipeline: Handle<Pipeline>,
        kind: PipelineKind,
        span: Span,
    ) -> Parsed<()> {
        let Pipeline { name, kind: is, .. } = &self.script[pipeline];
        if *is == kind {
            return Ok(());
        }
        let message = format!(
            "`{}` is a {} pipeline, and this takes a {} one",
            quoted(name),
            is.name(),
            kind.name()
        );
        Err(self.error(&kinds::MISMATCH, span, message))
    }

    pub(super) fn run(&mut self) -> Parsed<Run> {
        let is_timed = self.accept("TIMED_EXECUTION");
        let span = self.peek().span;
        let pipeline: Handle<Pipeline> = self.find()?;
        let kind = self.script[pipeline].kind;
        let needed = match self.peek_word() {
            Some("DRAW_RECT" | "DRAW_GRID" | "DRAW_ARRAY") => PipelineKind::Graphics,
            Some("RAYGEN") => PipelineKind::RayTracing,
            Some(word) if Number::parse(word).is_some() => PipelineKind::Compute,
            _ => kind,
        };
        self.check_kind(pipeline, needed, span)?;
        let work = match kind {
            PipelineKind::Compute => Work::Compute(self.u32s("a number of workgroups")?),
            PipelineKind::RayTracing => self.rays(pipeline)?,
            PipelineKind::Graphics => self.drawing(pipeline, span)?,
        };
        Ok(Run {
            pipeline,
            is_timed,
            work,
        })
    }

    fn drawing(&mut self, pipeline: Handle<Pipeline>, span: Span) -> Parsed<Work> {
        if self.accept("DRAW_ARRAY") {
            return self.draw(pipeline, span);
        }
        if self.accept("DRAW_RECT") {
            let area = self.area()?;
            return Ok(Work::Rectangle {
                area,
                is_patch: false,
            });
        }
        if self.accept("DRAW_GRID") {
            let area = self.area()?;
            self.expect("CELLS")?;
            let cells = self.u32s("a number of cells")?;
            return Ok(Work::Grid { area, cells });
        }
        Err(self.expected("`DRAW_RECT`, `DRAW_GRID` or `DRAW_ARRAY`"))
    }

    fn area(&mut self) -> Parsed<Area> {
        self.expect("POS")?;
        let position = self.f32s("a coordinate")?;
        self.expect("SIZE")?;
        Ok(Area {
            unit: Unit::Pixel,
            position,
            size: self.f32s("a size")?,
        })
    }

    fn draw(&mut self, pipeline: Handle<Pipeline>, span: Span) -> Parsed<Work> {
        self.expect("AS")?;
        let (word, place) = self.word("a topology")?;
        let topology: Topology = self.choose(word, place, &word.to_ascii_uppercase())?;
        let is_indexed = self.accept("INDEXED");
        let [mut first, mut first_instance, mut instances] = [0, 0, 1];
        let mut count = None;
        while !self.is_end_of_line() {
            if self.accept("START_IDX") {
                first = self.u32("an index")?;
            } else if self.accept("COUNT") {
                count = Some(self.u32("a number of vertices")?);
            } else if self.accept("START_INSTANCE") {
                first_instance = self.u32("an instance")?;
            } else if self.accept("INSTANCE_COUNT") {
                instances = self.u32("a number of instances")?;
            } else {
                let known = "`START_IDX`, `COUNT`, `START_INSTANCE` or `INSTANCE_COUNT`";
                return Err(self.expected(known));
            }
        }
        let missing = match &self.script[pipeline] {
            it if it.vertex_data.is_empty() => Some("vertex"),
            it if is_indexed && it.index_data.is_none() => Some("index"),
            _ => None,
        };
        if let Some(missing) = missing {
            if self.not_whole.contains(&pipeline) {
                return Err(Reported);
            }
            let name = quoted(&self.script[pipeline].name);
            let message = format!("the pipeline `{name}` has no {missing} data to draw");
            return Err(self.error(&kinds::INCOMPLETE, span, message));
        }
        Ok(Work::Array {
            topology,
            is_indexed,
            first,
            count,
            first_instance,
            instances,
        })
    }

    fn rays(&mut self, pipeline: Handle<Pipeline>) -> Parsed<Work> {
        if self.peek_word() != Some("RAYGEN") {
            return Err(self.expected("`RAYGEN`"));
        }
        let mut tables = [None; 4];
        for (place, word) in tables.iter_mut().zip(["RAYGEN", "MISS", "HIT", "CALL"]) {
            if self.accept(word) {
                let (name, span) = self.word("the name of a table")?;
                let known = self.tables.get(&pipeline).and_then(|it| it.get(name));
                *place = known.copied();
                if place.is_none() {
                    if self.not_whole.contains(&pipeline) {
                        return Err(Reported);
                    }
                    let message = format!("the pipeline has no table `{}`", quoted(name));
                    return Err(self.error(&kinds::UNKNOWN_NAME, span, message));
                }
            }
        }
        let size = self.u32s("a number of rays")?;
        Ok(Work::Rays { tables, size })
    }

    fn copy(&mut self) -> Parsed<Action> {
        let span = self.peek().span;
        let from: Handle<Buffer> = self.find()?;
        self.expect("TO")?;
        let to: Handle<Buffer> = self.find()?;
        if from == to || self.script[from].ty != self.script[to].ty {
            let message = match from == to {
                true => "a buffer can't be copied to itself",
                false => "the buffers have different types",
            };
            return Err(self.error(&kinds::MISMATCH, span, message.to_owned()));
        }
        Ok(Action::Copy { from, to })
    }

    fn expectation(&mut self) -> Parsed<Expect> {
        let buffer: Handle<Buffer> = self.find()?;
        if !self.accept("IDX") {
            return self.likeness(buffer);
        }
        let offset_span = self.peek().span;
        let offset = self.up_to(u32::MAX.into(), "an offset in bytes, or a coordinate")?;
        match self.is_number() {
            true => self.color(buffer, offset as f32, offset_span),
            false => self.values(buffer, offset),
        }
    }

    /// Two buffers are alike.
    fn likeness(&mut self, left: Handle<Buffer>) -> Parsed<Expect> {
        const WHAT: &str = "`IDX`, `EQ_BUFFER`, `RMSE_BUFFER` or `EQ_HISTOGRAM_EMD_BUFFER`";
        let (word, span) = self.word(WHAT)?;
        let likeness: fn(f64) -> Likeness = match word {
            "EQ_BUFFER" => |_| Likeness::Equal,
            "RMSE_BUFFER" => Likeness::RootMeanSquareError,
            "EQ_HISTOGRAM_EMD_BUFFER" => Likeness::HistogramDistance,
            _ => {
                let message = format!("expected {WHAT}, found `{}`", quoted(word));
                return Err(self.error(&kinds::UNEXPECTED, span, message));
            }
        };
        let span = self.peek().span;
        let right: Handle<Buffer> = self.find()?;
        if left == right {
            let message = "a buffer is always like itself".to_owned();
            return Err(self.error(&kinds::MISMATCH, span, message));
        }
        let sizes = [left, right].map(|buffer| self.known_size(buffer));
        if let [Some(left), Some(right)] = sizes
            && left != right
        {
            let message = format!("one buffer has {left} bytes, and the other {right}");
            return Err(self.error(&kinds::MISMATCH, span, message));
        }
        let mut tolerance = 0.0;
        if word != "EQ_BUFFER" {
            self.expect("TOLERANCE")?;
            tolerance = self.number("a tolerance")?.0.to_f64();
            // Bytes of formats are compared, and of these there are the same.
            if self.script[left].ty.shape != self.script[right].ty.shape {
                let message = "the buffers have different types".to_owned();
                return Err(self.error(&kinds::MISMATCH, span, message));
            }
        }
        Ok(Expect::Buffers {
            left,
            right,
            likeness: likeness(tolerance),
        })
    }

    /// The size of a buffer in bytes, if no pipeline decides it.
    fn known_size(&self, handle: Handle<Buffer>) -> Option<u64> {
        let buffer = &self.script[handle];
        let stride = buffer.ty.stride(&self.script, buffer.layout);
        let count = buffer.element_count([0, 0]);
        (buffer.size != Size::Framebuffer).then(|| count.saturating_mul(stride))
    }

    /// Numbers in a buffer.
    fn values(&mut self, buffer: Handle<Buffer>, offset: u64) -> Parsed<Expect> {
        let tolerances = self.tolerances()?;
        let span = self.peek().span;
        let comparator: Comparator = self.comparator()?;
        if !tolerances.is_empty() && comparator != Comparator::Equal {
            let message = format!("`{}` takes no tolerance", comparator.name());
            return Err(self.error(&kinds::UNEXPECTED, span, message));
        }
        let Buffer { ty, layout, .. } = self.script[buffer];
        let numbers = self.numbers(ty, None)?;
        if numbers.is_empty() {
            return Err(self.expected("a number"));
        }
        Ok(Expect::Values {
            values: Values {
                buffer,
                offset,
                ty,
                layout,
                numbers,
            },
            comparator,
            tolerances,
        })
    }

    fn comparator(&mut self) -> Parsed<Comparator> {
        let (word, span) = self.word("a comparator")?;
        if matches!(word, "EQ_RGB" | "EQ_RGBA") {
            let message = format!("`{word}` takes two coordinates behind `IDX`, and `SIZE`");
            return Err(self.error(&kinds::INCOMPLETE, span, message));
        }
        // The others are those of VkScript.
        let is_symbol = !word.starts_with(|c: char| c.is_ascii_alphabetic());
        let key = if is_symbol { "" } else { word };
        match Comparator::ALL.iter().find(|(name, _)| *name == key) {
            Some((_, comparator)) => Ok(*comparator),
            None => {
                let known = ["EQ", "NE", "LT", "LE", "GT", "GE"].into_iter();
                Err(self.unknown_word(word, span, "comparator", known))
            }
        }
    }

    /// `TOLERANCE` with one to four numbers, if that is next.
    fn tolerances(&mut self) -> Parsed<Vec<Tolerance>> {
        match self.accept("TOLERANCE") {
            true => self.tolerance_list(),
            false => Ok(Vec::new()),
        }
    }

    /// Texels of a colour.
    fn color(&mut self, buffer: Handle<Buffer>, x: f32, span: Span) -> Parsed<Expect> {
        let y = self.u32("a coordinate")? as f32;
        self.expect("SIZE")?;
        let size = self.u32s::<2>("a number of texels")?;
        let area = Area {
            unit: Unit::Pixel,
            position: [x, y],
            size: size.map(|side| side as f32),
        };
        let count = match self.accept("EQ_RGBA") {
            true => 4,
            false if self.accept("EQ_RGB") => 3,
            false => return Err(self.expected("`EQ_RGB` or `EQ_RGBA`")),
        };
        let Shape::Format(format) = self.script[buffer].ty.shape else {
            let name = quoted(&self.script[buffer].name);
            let message = format!("the buffer `{name}` has no format, so it has no colors");
            return Err(self.error(&kinds::MISMATCH, span, message));
        };
        // Integers are compared as they are, everything else as a share of the largest.
        let largest = if format.is_integer() { 1.0 } else { 255.0 };
        let mut color = Vec::with_capacity(count);
        for _ in 0..count {
            color.push(self.up_to(255, "a color component")? as f64 / largest);
        }
        let tolerances = self.tolerances()?.into_iter().map(|it| match it {
            Tolerance::Absolute(tolerance) => Tolerance::Absolute(tolerance / largest),
            percent => percent,
        });
        Ok(Expect::Color {
            buffer,
            area: Some(area),
            color,
            tolerances: tolerances.collect(),
        })
    }

    /// One to four tolerances, each a number or a number with `%`.
    pub(crate) fn tolerance_list(&mut self) -> Parsed<Vec<Tolerance>> {
        let mut tolerances = Vec::new();
        while let Some(word) = self.peek_word() {
            let (digits, make): (_, fn(f64) -> Tolerance) = match word.strip_suffix('%') {
                Some(digits) => (digits, Tolerance::Percent),
                None => (word, Tolerance::Absolute),
            };
            let Some(number) = Number::parse(digits) else {
                break;
            };
            let span = self.next().span;
            if tolerances.len() == 4 {
                let message = "there are at most four tolerances".to_owned();
                return Err(self.error(&kinds::WRONG_COUNT, span, message));
            }
            tolerances.push(make(number.to_f64().abs()));
        }
        match tolerances.is_empty() {
            true => Err(self.expected("a tolerance")),
            false => Ok(tolerances),
        }
    }
}
