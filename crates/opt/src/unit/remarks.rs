//! Remarks on what is done to a module.

use spirvkit_binary::{Id, LiteralString};
use spirvkit_grammar::Op;
use spirvkit_grammar::debug_info::Kind;

use super::{Unit, Value};
use crate::remarks::settled;
use crate::{Remark, SourceLine, Subject};

impl Unit {
    /// Notes that something was done, or was not, if anybody wants to know: what it is about, the
    /// function that it is in, and the instruction whose line it comes from.
    pub(crate) fn remark(
        &mut self,
        (subject, done): (Subject, bool),
        what: &str,
        about: Option<Value>,
        function: Value,
        at: Value,
    ) {
        if !self.options.remarks {
            return;
        }
        // What is new has no id that anybody knows.
        let known = |value: Value| Some(Id(value)).filter(|_| value < self.header.bound);
        self.remarks.push(Remark {
            subject,
            done,
            what: what.to_owned(),
            id: about.and_then(known),
            function: known(function),
            line: self.source_line(at),
        });
    }

    /// The line of source that an instruction comes from.
    fn source_line(&self, inst: Value) -> Option<SourceLine> {
        let (line, _) = *self.positions.get(self.node(inst).position as usize)?;
        let operands = self.operands(line);
        if self.op(line) == Op::Line {
            let &[file, line, column] = operands else {
                return None;
            };
            return Some(SourceLine {
                file: self.string(file)?,
                line,
                column,
            });
        }
        if self.debug_kind(line) != Some(Kind::Line) {
            return None;
        }
        let &[_, _, source, line, _, column, ..] = operands else {
            return None;
        };
        let number = |value: Value| self.integer(self.find(value)).map(|bits| bits as u32);
        Some(SourceLine {
            file: self.string(self.operand(source, 2))?,
            line: number(line)?,
            column: number(column).unwrap_or(0),
        })
    }

    fn string(&self, value: Value) -> Option<String> {
        if self.op(value) != Op::String {
            return None;
        }
        LiteralString::at_start_of(self.operands(value)).map(LiteralString::to_text_lossy)
    }

    /// All remarks, each once.
    pub(crate) fn take_remarks(&mut self) -> Vec<Remark> {
        settled(std::mem::take(&mut self.remarks))
    }
}
