//! Types, constants and whatever else a module has once: found by their operands.

use std::collections::{HashMap, HashSet};

use spirvkit_binary::{Id, Instruction};
use spirvkit_grammar::{Decoration, Op};

use crate::handles::Inst;
use crate::module::Module;

/// What there is by value. It is made when somebody asks for the first time. What is
/// entered later is added; what is removed or changed stays, and is noticed when it is found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interned {
    /// It is never walked, so its order doesn't matter.
    ids: HashMap<Key, Id>,
    /// What decorations tell from others of its kind.
    decorated: HashSet<u32>,
    /// Types with other operands than when they were entered.
    changed: Vec<Inst>,
}

/// Whether a second instruction with this opcode and the same operands would be one too
/// many.
pub(crate) fn is_interned(op: Op) -> bool {
    match op {
        Op::String | Op::ExtInstImport => true,
        Op::TypeStruct | Op::ConstantPipeStorage => false,
        _ => op.is_type() || op.is_constant() && !op.is_spec_constant(),
    }
}

/// Types that may be there twice, because decorations tell them apart.
fn may_differ(op: Op) -> bool {
    matches!(
        op,
        Op::TypeStruct
            | Op::TypeArray
            | Op::TypeRuntimeArray
            | Op::TypePointer
            | Op::TypeUntypedPointerKHR
    )
}

/// What instructions are found by: those with equal keys mean the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// Opcode, result type and operands.
    words: Box<[u32]>,
    /// The `ArrayStride`, for a type with that decoration and no other.
    stride: Option<u32>,
}

impl Key {
    pub(crate) fn new(op: Op, result_type: Option<Id>, operands: &[u32]) -> Self {
        let result_type = result_type.into_iter().map(|id| id.0);
        let operands = operands.iter().copied();
        let words = [u32::from(op.0)].into_iter().chain(result_type);
        Self {
            words: words.chain(operands).collect(),
            stride: None,
        }
    }

    pub(crate) fn with_stride(self, stride: Option<u32>) -> Self {
        Self { stride, ..self }
    }

    fn of(inst: &Instruction<'_>) -> Self {
        Self {
            words: words_of(inst).collect(),
            stride: None,
        }
    }
}

/// The words of an instruction that make its [`Key`].
fn words_of(inst: &Instruction<'_>) -> impl Iterator<Item = u32> {
    let op = u32::from(inst.op().0);
    let result = match (inst.result(), inst.result_type()) {
        (None, _) => None,
        (Some(_), None) => Some(0),
        (Some(_), Some(_)) => Some(1),
    };
    let operands = inst.operand_words().iter().copied().enumerate();
    let operands = operands.filter(move |(index, _)| Some(*index) != result);
    [op].into_iter().chain(operands.map(|(_, word)| word))
}

impl Module {
    /// The result of an instruction with this key.
    pub(crate) fn find_interned(&mut self, key: &Key) -> Option<Id> {
        let id = *self.interned().ids.get(key)?;
        self.is_still(id, key).then_some(id)
    }

    /// Lets an id be found by a key, unless another one is.
    pub(crate) fn intern(&mut self, id: Id, key: Key) {
        if self.find_interned(&key).is_none() {
            self.interned().ids.insert(key, id);
        }
    }

    /// Whether an id is still defined by what it was entered for.
    fn is_still(&self, id: Id, key: &Key) -> bool {
        let Some(inst) = self.definition(id).map(|inst| self.get(inst)) else {
            return false;
        };
        let decorated = self.interned.as_ref().map(|all| &all.decorated);
        let is_decorated = decorated.is_some_and(|all| all.contains(&id.0));
        let differs = is_decorated && key.stride.is_none() && may_differ(inst.op());
        !differs && words_of(&inst).eq(key.words.iter().copied())
    }

    /// What there is, up to date.
    fn interned(&mut self) -> &mut Interned {
        let mut all = self.interned.take().unwrap_or_else(|| self.intern_all());
        let changed = std::mem::take(&mut all.changed);
        self.interned = Some(all);
        for inst in changed {
            self.note_interned(inst);
        }
        self.interned.get_or_insert_default()
    }

    /// Takes note of an instruction that has another id as an operand. Of types there may be
    /// no two alike; constants that become like others only stay unknown.
    pub(crate) fn note_changed(&mut self, inst: Inst) {
        let is_type = self.op(inst).is_type();
        if let Some(all) = self.interned.as_mut().filter(|_| is_type)
            && all.changed.last() != Some(&inst)
        {
            all.changed.push(inst);
        }
    }

    /// Takes note of a new or changed instruction.
    pub(crate) fn note_interned(&mut self, inst: Inst) {
        let Some(mut all) = self.interned.take() else {
            return;
        };
        let read = self.get(inst);
        all.decorated.extend(decorated(&read));
        self.interned = Some(all);
        let read = self.get(inst);
        if let Some(id) = read.result().filter(|_| is_interned(read.op())) {
            self.intern(id, Key::of(&read));
        }
    }

    /// What the module has.
    fn intern_all(&self) -> Interned {
        let mut all = Interned::default();
        // The stride of what has one, and no other decoration.
        let mut strides: HashMap<u32, Option<u32>> = HashMap::new();
        for inst in self.globals() {
            let read = self.get(inst);
            let stride = match *read.operand_words() {
                [_, decoration, stride] if decoration == Decoration::ArrayStride.0 => Some(stride),
                _ => None,
            };
            for target in decorated(&read) {
                let is_only = all.decorated.insert(target);
                strides.insert(target, stride.filter(|_| is_only));
            }
        }
        for inst in self.globals() {
            let read = self.get(inst);
            let op = read.op();
            let Some(id) = read.result() else {
                continue;
            };
            if !is_interned(op) && op != Op::TypeStruct {
                continue;
            }
            let stride = match strides.get(&id.0) {
                Some(stride) if may_differ(op) => match stride {
                    Some(_) => *stride,
                    None => continue,
                },
                _ => None,
            };
            let key = Key::of(&read).with_stride(stride);
            all.ids.entry(key).or_insert(id);
        }
        all
    }
}

/// The ids that an instruction decorates.
fn decorated<'a>(inst: &Instruction<'a>) -> impl Iterator<Item = u32> + use<'a> {
    let operands = inst.operand_words();
    let (targets, step) = match inst.op() {
        Op::GroupDecorate => (operands.get(1..), 1),
        // With the numbers of members between them.
        Op::GroupMemberDecorate => (operands.get(1..), 2),
        op if op.is_decoration() => (operands.get(..1), 1),
        _ => (None, 1),
    };
    targets.unwrap_or_default().iter().step_by(step).copied()
}
