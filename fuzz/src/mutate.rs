//! Changes to modules that leave most of them right.

use spirvkit::binary::Definitions;
use spirvkit::binary::{HEADER_WORDS, Id, Instruction, Module, Operand, Value, WordOffset};
use spirvkit::grammar::{Op, OperandKind};

use crate::recipe::Recipe;

/// Changes a module in a few places, as the recipe's bytes say: swaps operands,
/// drops, doubles and moves instructions, changes literals, ids and types. What
/// is no module stays as it is.
pub fn mutate(words: &[u32], recipe: &[u8]) -> Vec<u32> {
    let mut recipe = Recipe::new(recipe);
    let Some(mut parts) = Parts::new(words) else {
        return words.to_vec();
    };
    loop {
        parts.change(&mut recipe);
        if recipe.is_empty() {
            return parts.join();
        }
    }
}

/// A module taken apart.
struct Parts {
    header: Vec<u32>,
    instructions: Vec<Vec<u32>>,
}

/// What a word of an instruction is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Id,
    Literal,
    Enumerant,
}

impl Parts {
    fn new(words: &[u32]) -> Option<Self> {
        let module = Module::new(words).ok()?;
        let instructions: Vec<Vec<u32>> = module
            .instructions()
            .map_while(Result::ok)
            .map(|instruction| instruction.words().to_vec())
            .collect();
        (!instructions.is_empty()).then(|| Self {
            header: words[..HEADER_WORDS].to_vec(),
            instructions,
        })
    }

    fn join(self) -> Vec<u32> {
        let mut words = self.header;
        words.extend(self.instructions.into_iter().flatten());
        words
    }

    fn change(&mut self, recipe: &mut Recipe<'_>) {
        let count = self.instructions.len();
        let at = recipe.word() as usize % count;
        match recipe.byte() % 20 {
            0 => {
                self.instructions.remove(at);
                if self.instructions.is_empty() {
                    self.instructions.push(vec![1 << 16]);
                }
            }
            1 => {
                let copy = self.instructions[at].clone();
                self.instructions.insert(at, copy);
            }
            2 => {
                let to = recipe.word() as usize % count;
                let moved = self.instructions.remove(at);
                self.instructions
                    .insert(to.min(self.instructions.len()), moved);
            }
            3 if at + 1 < count => self.instructions.swap(at, at + 1),
            4 => self.header[1] = 0x0001_0000 | u32::from(recipe.byte() % 7) << 8,
            5..=7 => self.swap_ids(at, recipe),
            8..=10 => self.replace_id(at, recipe),
            11 | 12 => self.change_number(at, Kind::Literal, recipe),
            13 => self.change_number(at, Kind::Enumerant, recipe),
            14 => self.change_opcode(at, recipe),
            15 | 16 => self.change_enumerant(at, recipe),
            17 => self.replace_by_like(at, recipe),
            18 => self.decorate(at, recipe),
            _ => {
                let words = &mut self.instructions[at];
                if words.len() > 1 {
                    words.pop();
                    words[0] -= 1 << 16;
                }
            }
        }
    }

    /// The operands of an instruction.
    fn operands(&self, at: usize) -> Vec<Operand<'_>> {
        let definitions = Definitions::default();
        let instruction = Instruction::from_words(&self.instructions[at], WordOffset(0));
        let operands =
            instruction.map(|it| it.operands(&definitions).map_while(Result::ok).collect());
        operands.unwrap_or_default()
    }

    /// What an instruction defines.
    fn result(&self, at: usize) -> Option<Id> {
        Instruction::from_words(&self.instructions[at], WordOffset(0))?.result()
    }

    /// The words of an instruction that are of a kind; the result is none.
    fn words_of(&self, at: usize, wanted: Kind) -> Vec<usize> {
        let result = self.result(at);
        self.operands(at)
            .iter()
            .filter(|operand| {
                let kind = match operand.value {
                    Value::Id(id) if Some(id) == result => return false,
                    Value::Id(_) => Kind::Id,
                    Value::Enumerant { .. } | Value::Mask(_) => Kind::Enumerant,
                    _ => Kind::Literal,
                };
                kind == wanted
            })
            .map(|operand| operand.word)
            .collect()
    }

    fn swap_ids(&mut self, at: usize, recipe: &mut Recipe<'_>) {
        let ids = self.words_of(at, Kind::Id);
        if let (Some(first), Some(second)) = (recipe.pick(&ids), recipe.pick(&ids)) {
            self.instructions[at].swap(first, second);
        }
    }

    /// Puts an id from elsewhere in the place of another, most often that of a
    /// near instruction's result.
    fn replace_id(&mut self, at: usize, recipe: &mut Recipe<'_>) {
        let Some(word) = recipe.pick(&self.words_of(at, Kind::Id)) else {
            return;
        };
        let from = match recipe.once_in(2) {
            true => recipe.word() as usize % self.instructions.len(),
            false => at.saturating_sub(1 + recipe.below(16)),
        };
        if let Some(Id(id)) = self.result(from) {
            self.instructions[at][word] = id;
        }
    }

    /// Puts the result of an instruction with the same opcode in the place of an id, such as one type
    /// for another.
    fn replace_by_like(&mut self, at: usize, recipe: &mut Recipe<'_>) {
        let Some(word) = recipe.pick(&self.words_of(at, Kind::Id)) else {
            return;
        };
        let id = Some(Id(self.instructions[at][word]));
        let all = 0..self.instructions.len();
        let Some(def) = all.clone().find(|&other| self.result(other) == id) else {
            return;
        };
        let opcode = |at: usize| self.instructions[at][0] & 0xffff;
        let like = all.filter(|&other| opcode(other) == opcode(def));
        let like: Vec<u32> = like
            .filter_map(|other| Some(self.result(other)?.0))
            .collect();
        if let Some(id) = recipe.pick(&like) {
            self.instructions[at][word] = id;
        }
    }

    /// Makes an enumerant another one, with any parameters, if it is the last but for those it has; or
    /// changes a bit of a mask.
    fn change_enumerant(&mut self, at: usize, recipe: &mut Recipe<'_>) {
        let of_enumerations = |operand: &Operand<'_>| match operand.value {
            Value::Enumerant { .. } => Some((operand.word, operand.kind, false)),
            Value::Mask(_) => Some((operand.word, operand.kind, true)),
            _ => None,
        };
        let places: Vec<_> = self
            .operands(at)
            .iter()
            .filter_map(of_enumerations)
            .collect();
        let Some((word, kind, is_mask)) = recipe.pick(&places) else {
            return;
        };
        let all: Vec<_> = kind.enumerants().iter().collect();
        let Some(chosen) = recipe.pick(&all) else {
            return;
        };
        let words = &mut self.instructions[at];
        if is_mask {
            words[word] ^= chosen.value();
            return;
        }
        words[word] = chosen.value();
        if matches!(kind, OperandKind::Decoration | OperandKind::ExecutionMode) {
            words.truncate(word + 1);
            let parameters = chosen.parameters().iter();
            words.extend(parameters.map(|_| u32::from(recipe.byte() % 16)));
            words[0] = words[0] & 0xffff | (words.len() as u32) << 16;
        }
    }

    /// Gives what an instruction defines the decoration of something else, if there is one.
    fn decorate(&mut self, at: usize, recipe: &mut Recipe<'_>) {
        let Some(Id(target)) = self.result(at) else {
            return;
        };
        let is_decoration =
            |&at: &usize| self.instructions[at][0] & 0xffff == u32::from(Op::Decorate.0);
        let decorations: Vec<usize> = (0..self.instructions.len()).filter(is_decoration).collect();
        let Some(from) = recipe.pick(&decorations) else {
            return;
        };
        let mut decoration = self.instructions[from].clone();
        if let Some(word) = decoration.get_mut(1) {
            *word = target;
        }
        self.instructions.insert(from, decoration);
        if recipe.once_in(2) {
            self.change_enumerant(from, recipe);
        }
    }

    fn change_number(&mut self, at: usize, kind: Kind, recipe: &mut Recipe<'_>) {
        let Some(word) = recipe.pick(&self.words_of(at, kind)) else {
            return;
        };
        let value = &mut self.instructions[at][word];
        *value = match recipe.byte() % 8 {
            0 => value.wrapping_add(1),
            1 => value.wrapping_sub(1),
            2 => 0,
            3 => *value ^ 1 << (recipe.byte() % 32),
            4 => u32::from(recipe.byte() % 16),
            5 => value.wrapping_mul(2),
            6 => *value / 2,
            _ => u32::MAX,
        };
    }

    /// Makes it an instruction whose opcode is near, which often has the same
    /// operands.
    fn change_opcode(&mut self, at: usize, recipe: &mut Recipe<'_>) {
        let by = u32::from(recipe.byte() % 9);
        let first = &mut self.instructions[at][0];
        let opcode = (*first & 0xffff).wrapping_add(by).wrapping_sub(4) & 0xffff;
        *first = *first & 0xffff_0000 | opcode;
    }
}
