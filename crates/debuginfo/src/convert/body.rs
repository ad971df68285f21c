//! What is in functions: lines, definitions, and where debugging instructions may
//! stand.

use spirvkit_binary::Id;
use spirvkit_grammar::Op;
use spirvkit_ir::{Block, Inst, Place};

use super::{Converter, Effect, Loss};
use crate::build::EncodeError;
use crate::{Entry, Field, Kind, Set};

impl<'a> Converter<'a, '_> {
    /// Writes the lines of all functions as the target does, and what else stands in
    /// functions in that set only.
    pub(super) fn convert_bodies(&mut self) -> Result<(), EncodeError> {
        match self.to {
            Set::Shader => self.bodies_to_shader(),
            _ => self.lines_to_core(),
        }
    }

    /// Each `DebugLine` becomes an `OpLine`.
    fn lines_to_core(&mut self) -> Result<(), EncodeError> {
        for entry in self.converted().collect::<Vec<_>>() {
            let Some(inst) = self.module.definition(entry.id()) else {
                continue;
            };
            match entry.kind() {
                Kind::Line => self.line_to_core(entry, inst)?,
                Kind::NoLine => self.module.replace(inst, Op::NoLine, &[])?,
                _ => {}
            }
        }
        Ok(())
    }

    fn line_to_core(&mut self, entry: Entry<'a>, inst: Inst) -> Result<(), EncodeError> {
        let number = |field| {
            let value = self.value(entry, field)?;
            u32::try_from(value).ok()
        };
        let file = entry.file().and_then(|file| self.info.file(file));
        let (Some(file), Some(line)) = (file, number(Field::LineStart)) else {
            let why = "its file or line is unknown";
            self.lose(entry, None, Effect::Lost, why);
            self.module.replace(inst, Op::NoLine, &[])?;
            return Ok(());
        };
        let column = number(Field::ColumnStart).unwrap_or_default();
        let (last_line, last_column) = (number(Field::LineEnd), number(Field::ColumnEnd));
        let words = [file.id().0, line, column];
        self.module.replace(inst, Op::Line, &words)?;
        let why = "OpLine can't express the end of a range";
        if last_line.is_some_and(|last| last != line) {
            self.lose(entry, Some(Field::LineEnd), Effect::Lost, why);
        }
        if last_column.is_some_and(|last| last != column) {
            self.lose(entry, Some(Field::ColumnEnd), Effect::Lost, why);
        }
        Ok(())
    }

    fn bodies_to_shader(&mut self) -> Result<(), EncodeError> {
        let functions: Vec<_> = self.module.functions().collect();
        for function in functions {
            let blocks: Vec<Block> = self.module.blocks(function).collect();
            for (index, &block) in blocks.iter().enumerate() {
                let Some(mut last) = self.sort_head(block)? else {
                    continue;
                };
                let id = self.module.function_id(function).unwrap_or(Id(0));
                if index == 0
                    && let Some(definition) = self.define(id, last)?
                {
                    last = definition;
                }
                self.lines_to_shader(block, last)?;
            }
        }
        Ok(())
    }

    /// Moves debugging instructions that are before phis and variables behind them.
    /// Returns the last of these, or the label.
    pub(super) fn sort_head(&mut self, block: Block) -> Result<Option<Inst>, EncodeError> {
        let Some(mut last) = self.module.label(block) else {
            return Ok(None);
        };
        let mut seen = Vec::new();
        let mut early = 0;
        for inst in self.module.block_instructions(block).skip(1) {
            match self.module.op(inst) {
                Op::Phi | Op::Variable | Op::UntypedVariableKHR => {
                    last = inst;
                    early = seen.len();
                }
                op if op.is_line() => {}
                op if op.is_ext_inst() && self.is_debug(inst) => seen.push(inst),
                _ => break,
            }
        }
        for &inst in seen.iter().take(early).rev() {
            self.module.move_to(inst, Place::After(last))?;
        }
        Ok(Some(last))
    }

    /// Writes the `DebugFunctionDefinition` of a function, if it has a description.
    fn define(&mut self, function: Id, last: Inst) -> Result<Option<Inst>, EncodeError> {
        let Some(description) = self.description(function) else {
            return Ok(None);
        };
        let words = [description.id().0, function.0];
        let (_, inst) = self.insert(Place::After(last), Kind::FunctionDefinition, &words)?;
        Ok(Some(inst))
    }

    /// The `DebugFunction`, of those that are converted, that describes a function.
    fn description(&self, function: Id) -> Option<Entry<'a>> {
        let offset = self.info.definition(function)?.offset();
        let described = self.info.function_at(offset)?;
        let description = self.info.description(described)?;
        let is_converted = self.from.contains(&description.set());
        let is_function = description.kind() == Kind::Function;
        (is_converted && is_function && described.id == function).then_some(description)
    }

    /// Whether a `DebugFunctionDefinition` will say which function this describes.
    pub(super) fn is_defined(&self, entry: Entry<'a>) -> bool {
        let Some(function) = entry.id_of(Field::Function) else {
            return true;
        };
        // Nothing to be said.
        if self.info.definition(function).map(|it| it.op()) != Some(Op::Function) {
            return true;
        }
        let has_body = self
            .module
            .function_by_id(function)
            .is_some_and(|it| self.module.entry_block(it).is_some());
        has_body && self.description(function) == Some(entry)
    }

    /// Each `OpLine` of a block becomes a `DebugLine`, from behind its phis and variables
    /// on and up to its merge instruction.
    pub(super) fn lines_to_shader(&mut self, block: Block, last: Inst) -> Result<(), EncodeError> {
        let end = self.module.merge(block).or(self.module.terminator(block));
        let mut next = self.module.next(last);
        while let Some(inst) = next.filter(|&inst| Some(inst) != end) {
            if self.module.block_of(inst) != Some(block) {
                break;
            }
            next = self.module.next(inst);
            match *self.module.get(inst).words() {
                [_, file, line, column] if self.module.op(inst) == Op::Line => {
                    self.line_to_shader(inst, Id(file), line, column)?;
                }
                _ if self.module.op(inst) == Op::NoLine => self.no_line(inst)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn line_to_shader(
        &mut self,
        inst: Inst,
        file: Id,
        line: u32,
        column: u32,
    ) -> Result<(), EncodeError> {
        // A line is counted from 1 there; another is no line.
        if line == 0 {
            let loss = Loss {
                id: None,
                instruction: "OpLine",
                field: None,
                effect: Effect::Approximated,
                why: "the set has no line 0, so it becomes a DebugNoLine".into(),
            };
            self.losses.push((self.module.get(inst).offset().0, loss));
            return self.no_line(inst);
        }
        let source = match self.source_of(file)? {
            Some(source) => source,
            None => return Ok(()),
        };
        let mut column = column;
        if !self.has_column(self.info.file_of(file), u64::from(line), column) {
            let loss = Loss {
                id: None,
                instruction: "OpLine",
                field: Some(Field::Column),
                effect: Effect::Approximated,
                why: "the line is shorter in the text of its file".into(),
            };
            self.losses.push((self.module.get(inst).offset().0, loss));
            column = 0;
        }
        let (line, column) = (self.number_id(line)?, self.number_id(column)?);
        let words = [source, line, line, column, column].map(|id| id.0);
        self.replace_by(inst, Kind::Line, &words)
    }

    fn no_line(&mut self, inst: Inst) -> Result<(), EncodeError> {
        self.replace_by(inst, Kind::NoLine, &[])
    }

    fn replace_by(&mut self, inst: Inst, kind: Kind, operands: &[u32]) -> Result<(), EncodeError> {
        let id = self.module.fresh_id();
        let words: Vec<u32> = [self.void.0, id.0, self.import.0, kind.number()]
            .into_iter()
            .chain(operands.iter().copied())
            .collect();
        self.module.replace(inst, Op::ExtInst, &words)?;
        Ok(())
    }
}
