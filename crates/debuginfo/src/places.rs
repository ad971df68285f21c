//! Where an instruction comes from: line, scope, and the calls that were inlined; and
//! which instructions come of a line.

use std::collections::HashSet;
use std::ops::Range;

use spirvkit_binary::{Id, IdMap, WordOffset};
use spirvkit_grammar::Op;

use crate::entry::Entry;
use crate::files::FileId;
use crate::model::{NO_ID, NOWHERE, Place};
use crate::{DebugInfo, Field, Kind};

/// A place in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Position {
    /// The file.
    pub file: FileId,
    /// The line, counted from 1; 0 is no line.
    pub line: u32,
    /// The column, counted from 1 by most producers; 0 is no column.
    pub column: u32,
}

/// The scope of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scope<'m> {
    /// The innermost scope.
    pub scope: Entry<'m>,
    /// The `DebugInlinedAt` that tells where the scope's function was inlined, if it was.
    pub inlined_at: Option<Entry<'m>>,
}

/// A function that is being executed: see [`DebugInfo::frames`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frame<'m> {
    /// The innermost scope in it.
    pub scope: Entry<'m>,
    /// Which line of it is being executed.
    pub position: Option<Position>,
    /// The `DebugInlinedAt` that tells where it was inlined, unless it was called.
    pub inlined_at: Option<Entry<'m>>,
}

/// What there is around an entry that may be a scope, itself included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outwards {
    /// Where the `DebugFunction` stands that it is in, or that it is.
    pub(crate) function: u32,
    /// The file of the innermost scope that tells one.
    pub(crate) file: Option<FileId>,
    /// The innermost scope with local variables in the function.
    pub(crate) with_locals: Id,
    /// The next one outside of that.
    pub(crate) next_with_locals: Id,
    /// How many local variables these scopes have, all together.
    pub(crate) locals: usize,
}

impl Default for Outwards {
    fn default() -> Self {
        Self {
            function: NOWHERE,
            file: None,
            with_locals: Id(NO_ID),
            next_with_locals: Id(NO_ID),
            locals: 0,
        }
    }
}

impl Outwards {
    /// The same with a scope that is inside all of it.
    fn with(self, scope: Entry<'_>) -> Self {
        let outer = match scope.kind() {
            // What is around a function, it can't see.
            Kind::Function => Self {
                function: scope.offset().0 as u32,
                file: self.file,
                ..Self::default()
            },
            _ => self,
        };
        let locals = scope.info().locals_in(scope.id()).len();
        Self {
            function: outer.function,
            file: scope.file().or(outer.file),
            with_locals: match locals {
                0 => outer.with_locals,
                _ => scope.id(),
            },
            next_with_locals: match locals {
                0 => outer.next_with_locals,
                _ => outer.with_locals,
            },
            locals: outer.locals + locals,
        }
    }
}

impl<'m> Frame<'m> {
    /// The `DebugFunction`.
    pub fn function(&self) -> Option<Entry<'m>> {
        self.scope.function()
    }
}

impl<'m> Entry<'m> {
    /// The scope itself, the scope around it, and so on outwards.
    pub fn scopes(&self) -> impl Iterator<Item = Entry<'m>> + use<'m> {
        std::iter::once(*self).chain(self.parents())
    }

    /// The `DebugFunction` that a scope or variable is in, or that it is.
    pub fn function(&self) -> Option<Entry<'m>> {
        match self.kind() {
            Kind::Function => Some(*self),
            _ => {
                let info = self.info();
                info.entry_at(info.outwards(self.id()).function)
            }
        }
    }
}

impl<'a> DebugInfo<'a> {
    /// What there is around an entry.
    pub(crate) fn outwards(&self, id: Id) -> Outwards {
        self.outwards.get_or_init(|| self.all_outwards()).get(id)
    }

    /// What there is around each entry, worked out from the outside inwards, so that long
    /// chains of scopes are gone through once.
    fn all_outwards(&self) -> IdMap<Outwards> {
        let mut found = IdMap::new(Outwards::default(), self.words.len());
        let mut is_known = IdMap::new(false, self.words.len());
        let mut way = Vec::new();
        for entry in self.entries() {
            let mut around = Outwards::default();
            for scope in entry.scopes() {
                // What is known already, or is on the way and so is part of a cycle.
                if is_known.replace(scope.id(), true) {
                    around = found.get(scope.id());
                    break;
                }
                way.push(scope);
            }
            for scope in way.drain(..).rev() {
                around = around.with(scope);
                *found.slot(scope.id()) = around;
            }
        }
        found
    }

    pub(crate) fn place(&self, offset: WordOffset) -> Place {
        let begun = self
            .changes
            .partition_point(|change| change.offset as usize <= offset.0);
        match begun.checked_sub(1).and_then(|last| self.changes.get(last)) {
            Some(change) => change.place,
            None => Place::default(),
        }
    }

    /// The line that the instruction at a word offset comes of.
    ///
    /// An `OpLine`, `DebugLine` or `DebugScope` holds from the instruction after it on;
    /// so each is at the place that held before.
    pub fn position(&self, offset: WordOffset) -> Option<Position> {
        self.position_of(self.place(offset))
    }

    pub(crate) fn position_of(&self, place: Place) -> Option<Position> {
        let instruction = self.instruction(place.line)?;
        if let (Op::Line, &[_, file, line, column]) = (instruction.op(), instruction.words()) {
            let file = self.file_of(Id(file))?;
            return Some(Position { file, line, column });
        }
        let entry = Entry::of(self, instruction)?;
        let number = |field| {
            entry
                .number(field)
                .and_then(|number| u32::try_from(number).ok())
        };
        Some(Position {
            file: entry.file()?,
            line: number(Field::LineStart)?,
            column: number(Field::ColumnStart).unwrap_or_default(),
        })
    }

    /// The scope of the instruction at a word offset: what the last `DebugScope` says,
    /// and without one the function's description.
    pub fn scope(&self, offset: WordOffset) -> Option<Scope<'_>> {
        let place = self.place(offset);
        if let Some(entry) = self.entry_at(place.scope) {
            return Some(Scope {
                scope: entry.entry(Field::Scope)?,
                inlined_at: entry.entry(Field::InlinedAt),
            });
        }
        let scope = self.description(self.function_at(offset)?)?;
        Some(Scope {
            scope,
            inlined_at: None,
        })
    }

    /// The functions that are being executed at a word offset: the innermost first, and
    /// after it those into which it was inlined. The last one is the function that the
    /// instruction stands in.
    pub fn frames(&self, offset: WordOffset) -> impl Iterator<Item = Frame<'_>> + '_ {
        let innermost = self.scope(offset).map(|innermost| Frame {
            scope: innermost.scope,
            position: self.position(offset),
            inlined_at: innermost.inlined_at,
        });
        let mut seen = HashSet::new();
        let caller = move |callee: &Frame<'_>| {
            let at = self.entry(callee.inlined_at?.id())?;
            // A damaged module can have cycles.
            if !seen.insert(at.id()) {
                return None;
            }
            let scope = at.entry(Field::Scope)?;
            Some(Frame {
                scope,
                position: self.call(at, scope),
                inlined_at: at.entry(Field::InlinedAt),
            })
        };
        std::iter::successors(innermost, caller)
    }

    /// Where a call was that has been inlined: a line in the file of its scope.
    fn call(&self, at: Entry<'_>, scope: Entry<'_>) -> Option<Position> {
        Some(Position {
            file: self.outwards(scope.id()).file?,
            line: at.line()?,
            column: 0,
        })
    }

    /// The instructions that come of a line of a file, as ranges of words in the
    /// module's order.
    pub fn instructions_of(
        &self,
        file: FileId,
        line: u32,
    ) -> impl Iterator<Item = Range<usize>> + '_ {
        let first = self
            .runs
            .partition_point(|run| (run.file, run.line) < (file, line));
        let rest = self.runs.get(first..).unwrap_or_default().iter();
        rest.take_while(move |run| (run.file, run.line) == (file, line))
            .map(|run| run.start as usize..run.end as usize)
    }

    /// The lines of a file that instructions come of, each once, in order.
    pub fn lines_of(&self, file: FileId) -> impl Iterator<Item = u32> + '_ {
        let first = self.runs.partition_point(|run| run.file < file);
        let rest = self.runs.get(first..).unwrap_or_default();
        let of_file = rest.iter().take_while(move |run| run.file == file);
        let mut last = None;
        of_file
            .map(|run| run.line)
            .filter(move |&line| last.replace(line) != Some(line))
    }

    /// The runs of instructions that come of one line and scope, in the module's
    /// order: ranges of words, in which the same position, scope and inlining hold.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let ends = self
            .changes
            .iter()
            .skip(1)
            .map(|change| change.offset as usize);
        let ends = ends.chain([self.words.len()]);
        let runs = self.changes.iter().zip(ends);
        runs.filter(|(change, _)| change.place != Place::default())
            .map(|(change, end)| change.offset as usize..end)
    }
}
