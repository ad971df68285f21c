//! `DEBUG`: a run that a debugger looks at.

use spirvkit_diagnostics::Span;

use crate::command::{Action, DebugStep, Frame, Invocation, Thread};
use crate::lex::TokenKind;
use crate::reader::{Parsed, Reader};

/// The commands of a debugger.
const STEPS: &[&str] = &[
    "STEP_IN",
    "STEP_OVER",
    "STEP_OUT",
    "CONTINUE",
    "EXPECT",
    "END",
];

impl Reader<'_> {
    pub(super) fn debug(&mut self, span: Span) -> Parsed<()> {
        let run = self.run();
        let run = self.block_start(run);
        let mut threads = Vec::new();
        self.block("DEBUG", span, |reader, word, start| {
            if word != "THREAD" {
                let known = &["THREAD", "END"];
                return Err(reader.unknown_command(word, start, "of `DEBUG`", known));
            }
            let invocation = reader.invocation();
            let invocation = reader.block_start(invocation);
            let mut steps = Vec::new();
            reader.block("THREAD", start, |reader, word, start| {
                let step = reader.debug_step(word, start)?;
                steps.push(step);
                reader.end_of_line()
            });
            threads.extend(invocation.map(|invocation| Thread { invocation, steps }));
            Ok(())
        });
        if let Some(run) = run {
            self.push(span, Action::Debug(run, threads));
        }
        Ok(())
    }

    fn invocation(&mut self) -> Parsed<Invocation> {
        if self.accept("GLOBAL_INVOCATION_ID") {
            return Ok(Invocation::Compute(self.u32s("an id")?));
        }
        if self.accept("VERTEX_INDEX") {
            return Ok(Invocation::Vertex(self.u32("an index")?));
        }
        if self.accept("FRAGMENT_WINDOW_SPACE_POSITION") {
            return Ok(Invocation::Fragment(self.u32s("a coordinate")?));
        }
        Err(self
            .expected("`GLOBAL_INVOCATION_ID`, `VERTEX_INDEX` or `FRAGMENT_WINDOW_SPACE_POSITION`"))
    }

    fn debug_step(&mut self, word: &str, span: Span) -> Parsed<DebugStep> {
        Ok(match word {
            "STEP_IN" => DebugStep::StepIn,
            "STEP_OVER" => DebugStep::StepOver,
            "STEP_OUT" => DebugStep::StepOut,
            "CONTINUE" => DebugStep::Continue,
            "EXPECT" if self.accept("LOCATION") => {
                let file = self.text("the name of a file")?;
                let line = self.u32("a line")?;
                let text = match self.is_end_of_line() {
                    true => None,
                    false => Some(self.text("the text of the line")?),
                };
                DebugStep::ExpectLocation { file, line, text }
            }
            "EXPECT" if self.accept("LOCAL") => {
                let name = self.text("the name of a variable")?;
                self.expect("EQ")?;
                let value = self.text("a value")?;
                DebugStep::ExpectLocal { name, value }
            }
            "EXPECT" if self.accept("CALLSTACK") => {
                self.end_of_line()?;
                DebugStep::ExpectCallstack(self.frames()?)
            }
            "EXPECT" => return Err(self.expected("`LOCATION`, `LOCAL` or `CALLSTACK`")),
            _ => return Err(self.unknown_command(word, span, "of `THREAD`", STEPS)),
        })
    }

    /// Functions, the innermost first, up to `END`.
    fn frames(&mut self) -> Parsed<Vec<Frame>> {
        let mut frames = Vec::new();
        loop {
            match self.peek().kind {
                TokenKind::EndOfLine => {
                    self.next();
                }
                TokenKind::Word("END") => {
                    self.next();
                    return Ok(frames);
                }
                _ => {
                    let function = self.text("a function or `END`")?;
                    let file = self.text("the name of a file")?;
                    let line = match self.is_end_of_line() {
                        true => None,
                        false => Some(self.u32("a line")?),
                    };
                    frames.push(Frame {
                        function,
                        file,
                        line,
                    });
                }
            }
        }
    }
}
