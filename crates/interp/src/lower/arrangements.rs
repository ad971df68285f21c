//! How matrices lie that pointers lead to. Members of structures say it, not types: so where a
//! pointer is a value, all places are looked at from which it comes.

use hashbrown::HashSet;

use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_analysis::{Lookup, Type};
use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::types::{Arrangement, Placed};
use super::{Lowering, Result, arguments};

/// How many places a pointer may come from.
const MAX_SOURCES: usize = 1 << 12;

impl<'a> Lowering<'_, 'a> {
    /// How what a pointer that is a value points to lies: all that it comes from must agree.
    pub(super) fn arrangement_of(&mut self, pointer: Id) -> Result<Arrangement> {
        let mut todo = vec![pointer];
        let mut seen = HashSet::new();
        let mut found: Option<Arrangement> = None;
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            if seen.len() > MAX_SOURCES {
                return Err(
                    self.unsupported("a pointer to a matrix that comes from so many places")
                );
            }
            let Some(inst) = self.m.def(id) else {
                return Err(self.broken("a pointer is not defined"));
            };
            if let Some(sources) = self.sources(inst) {
                todo.extend(sources);
                continue;
            }
            let arrangement = match inst.op().is_access_chain() {
                true => self.arrangement_of_chain(inst)?,
                // Null, or from memory: then nothing but the type says how it lies.
                false => Arrangement::Plain,
            };
            if found.is_some_and(|found| found != arrangement) && inst.op() != Op::ConstantNull {
                return Err(self.unsupported("a pointer to matrices that lie differently"));
            }
            if inst.op() != Op::ConstantNull {
                found = Some(arrangement);
            }
        }
        Ok(found.unwrap_or_default())
    }

    /// What a pointer is, if it is one of others.
    fn sources(&self, inst: Instruction<'a>) -> Option<Vec<Id>> {
        let ids = |words: &[u32]| words.iter().map(|&id| Id(id)).collect();
        Some(match inst.op() {
            Op::Phi => inst.args().iter().step_by(2).map(|&id| Id(id)).collect(),
            Op::Select => ids(arguments(inst, 1)),
            Op::CopyObject => vec![inst.id(0)],
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain if inst.args().len() == 2 => {
                vec![inst.id(0)]
            }
            Op::FunctionParameter => self.given_for(inst),
            Op::FunctionCall => self.returned_by(inst.id(0)),
            _ => return None,
        })
    }

    /// What calls give for a parameter.
    fn given_for(&self, parameter: Instruction<'a>) -> Vec<Id> {
        let function = self.m.function_at(parameter.offset());
        let Some(function) = function.map(|index| &self.m.functions[index as usize]) else {
            return Vec::new();
        };
        let parameters = self.m.instructions(function.range.clone());
        let before = parameters
            .take_while(|inst| inst.offset() < parameter.offset())
            .filter(|inst| inst.op() == Op::FunctionParameter);
        let index = before.count();
        let users = self.m.uses(function.id).iter();
        let calls = users.filter_map(|&user| self.m.inst(user));
        let calls = calls.filter(|inst| inst.op() == Op::FunctionCall);
        calls
            .filter_map(|call| call.optional(1 + index).map(Id))
            .collect()
    }

    /// What a function returns.
    fn returned_by(&self, function: Id) -> Vec<Id> {
        let function = self.m.function_index(function);
        let Some(function) = function.map(|index| &self.m.functions[index as usize]) else {
            return Vec::new();
        };
        let all = self.m.instructions(function.range.clone());
        let returns = all.filter(|inst| inst.op() == Op::ReturnValue);
        returns.map(|inst| inst.id(0)).collect()
    }

    /// How what an access chain leads to lies. Chains upon chains are followed to the first
    /// that begins at something that no member says anything of.
    fn arrangement_of_chain(&mut self, chain: Instruction<'a>) -> Result<Arrangement> {
        let mut chains = vec![chain];
        let mut base = chain.id(0);
        while let Some(inst) = self.m.def(base).filter(|inst| inst.op().is_access_chain()) {
            // A broken module's chain may be made of itself.
            if inst.offset() >= chains.last().map_or(0, |last| last.offset()) {
                return Err(self.broken("a pointer is made of itself"));
            }
            chains.push(inst);
            base = inst.id(0);
        }
        let pointee = self.pointee(base)?;
        if let Some(inst) = self.m.def(base)
            && self.sources(inst).is_some()
            && self.is_arranged(pointee)
        {
            return Err(self.unsupported("a pointer to a matrix or its columns as a value"));
        }
        let mut placed = Placed::plain(pointee);
        for chain in chains.into_iter().rev() {
            let is_element = matches!(chain.op(), Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
            for &index in arguments(chain, 1 + usize::from(is_element)) {
                let index = match self.m.ty(placed.ty) {
                    Type::Struct { .. } => self.m.constant_u64(Id(index)).unwrap_or(u64::MAX),
                    _ => 0,
                };
                let part = self
                    .types
                    .part(placed, u32::try_from(index).unwrap_or(u32::MAX));
                placed = part.map_err(|why| self.no_extent(why))?.0;
            }
        }
        Ok(placed.arrangement)
    }

    /// Whether something may lie as no decoration of its type says.
    pub(super) fn is_arranged(&self, pointee: Id) -> bool {
        match self.m.ty(pointee) {
            Type::Vector { .. } => self.has_rows,
            _ => self.types.holds_matrices(pointee),
        }
    }
}
