//! `PIPELINE`: how it draws.

use spirvkit_diagnostics::Span;

use crate::pipeline::{Blend, Depth, DepthBias, GraphicsState, Stencil, Viewport};
use crate::reader::{Parsed, Reader};
use crate::words::Face;

impl Reader<'_> {
    /// A line that sets how a pipeline draws; `known` are all lines there are.
    pub(super) fn graphics_line(
        &mut self,
        state: &mut GraphicsState,
        word: &str,
        span: Span,
        known: &[&str],
    ) -> Parsed<()> {
        match word {
            "VIEWPORT" => state.viewport = Some(self.viewport()?),
            "POLYGON_MODE" => state.polygon_mode = self.choice()?,
            "PATCH_CONTROL_POINTS" => {
                state.patch_control_points = self.u32("a number of vertices")?;
            }
            "ALPHA_TO_COVERAGE" => state.alpha_to_coverage = self.switch()?,
            "DEPTH" => {
                self.block_start(Ok(()));
                self.depth(&mut state.depth, span);
                return Ok(());
            }
            "STENCIL" => {
                self.stencil(state, span);
                return Ok(());
            }
            "BLEND" => {
                self.block_start(Ok(()));
                state.blend = Some(self.blend(span));
                return Ok(());
            }
            _ => return Err(self.unknown_command(word, span, "of pipelines", known)),
        }
        self.end_of_line()
    }

    fn viewport(&mut self) -> Parsed<Viewport> {
        let position = self.f32s("a coordinate")?;
        self.expect("SIZE")?;
        let size = self.f32s("a size")?;
        let mut viewport = Viewport {
            position,
            size,
            min_depth: 0.0,
            max_depth: 1.0,
        };
        if self.accept("MIN_DEPTH") {
            viewport.min_depth = self.f32("a depth")?;
        }
        if self.accept("MAX_DEPTH") {
            viewport.max_depth = self.f32("a depth")?;
        }
        Ok(viewport)
    }

    fn depth(&mut self, depth: &mut Depth, span: Span) {
        const LINES: &[&str] = &[
            "TEST",
            "WRITE",
            "COMPARE_OP",
            "CLAMP",
            "BOUNDS",
            "BIAS",
            "END",
        ];
        self.block("DEPTH", span, |reader, word, start| {
            match word {
                "TEST" => depth.test = reader.switch()?,
                "WRITE" => depth.write = reader.switch()?,
                "COMPARE_OP" => depth.compare = reader.choice()?,
                "CLAMP" => depth.clamp = reader.switch()?,
                "BOUNDS" => {
                    reader.expect("min")?;
                    let min = reader.f32("a depth")?;
                    reader.expect("max")?;
                    depth.bounds = Some([min, reader.f32("a depth")?]);
                }
                "BIAS" => {
                    let mut part = |name| {
                        reader.expect(name)?;
                        reader.f32("a number")
                    };
                    depth.bias = Some(DepthBias {
                        constant: part("constant")?,
                        clamp: part("clamp")?,
                        slope: part("slope")?,
                    });
                }
                _ => return Err(reader.unknown_command(word, start, "of `DEPTH`", LINES)),
            }
            reader.end_of_line()
        });
    }

    fn stencil(&mut self, state: &mut GraphicsState, span: Span) {
        const LINES: &[&str] = &[
            "TEST",
            "FAIL_OP",
            "PASS_OP",
            "DEPTH_FAIL_OP",
            "COMPARE_OP",
            "COMPARE_MASK",
            "WRITE_MASK",
            "REFERENCE",
            "END",
        ];
        let face = self.choice();
        let face = self.block_start(face).unwrap_or(Face::FrontAndBack);
        let mut stencil = match face {
            Face::Back => state.stencil_back,
            _ => state.stencil_front,
        };
        self.block("STENCIL", span, |reader, word, start| {
            match word {
                "TEST" => state.stencil_test = reader.switch()?,
                _ if !reader.stencil_line(&mut stencil, word)? => {
                    return Err(reader.unknown_command(word, start, "of `STENCIL`", LINES));
                }
                _ => {}
            }
            reader.end_of_line()
        });
        if face != Face::Back {
            state.stencil_front = stencil;
        }
        if face != Face::Front {
            state.stencil_back = stencil;
        }
    }

    /// Whether there is such a line.
    fn stencil_line(&mut self, stencil: &mut Stencil, word: &str) -> Parsed<bool> {
        const WHAT: &str = "a number";
        match word {
            "FAIL_OP" => stencil.fail = self.choice()?,
            "PASS_OP" => stencil.pass = self.choice()?,
            "DEPTH_FAIL_OP" => stencil.depth_fail = self.choice()?,
            "COMPARE_OP" => stencil.compare = self.choice()?,
            "COMPARE_MASK" => stencil.compare_mask = self.up_to(255, WHAT)? as u32,
            "WRITE_MASK" => stencil.write_mask = self.up_to(255, WHAT)? as u32,
            "REFERENCE" => stencil.reference = self.up_to(255, WHAT)? as u32,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn blend(&mut self, span: Span) -> Blend {
        const LINES: &[&str] = &[
            "SRC_COLOR_FACTOR",
            "DST_COLOR_FACTOR",
            "COLOR_OP",
            "SRC_ALPHA_FACTOR",
            "DST_ALPHA_FACTOR",
            "ALPHA_OP",
            "END",
        ];
        let mut blend = Blend::default();
        self.block("BLEND", span, |reader, word, start| {
            match word {
                "SRC_COLOR_FACTOR" => blend.src_color = reader.choice()?,
                "DST_COLOR_FACTOR" => blend.dst_color = reader.choice()?,
                "COLOR_OP" => blend.color_op = reader.choice()?,
                "SRC_ALPHA_FACTOR" => blend.src_alpha = reader.choice()?,
                "DST_ALPHA_FACTOR" => blend.dst_alpha = reader.choice()?,
                "ALPHA_OP" => blend.alpha_op = reader.choice()?,
                _ => return Err(reader.unknown_command(word, start, "of `BLEND`", LINES)),
            }
            reader.end_of_line()
        });
        blend
    }
}
