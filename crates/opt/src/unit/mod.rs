//! A module taken apart: every instruction is a node of one table, and functions are lists of
//! blocks, which are lists of nodes.
//!
//! A node's index is its id, if it has one; nodes without a result come behind the module's ids,
//! as new ones do. So the same number stands for a value everywhere, and tables over values are
//! vectors.

mod constants;
mod debug;
mod decorations;
mod inlined;
mod live;
mod numbers;
mod permissions;
mod read;
mod remarks;
mod write;

use std::ops::Range;

use hashbrown::{HashMap, HashSet};
use spirvkit_binary::{Definitions, Header, Id};
use spirvkit_eval::{ScalarType, Small};
use spirvkit_grammar::{Decoration, Op};

use crate::rules::Modes;
use crate::{Options, Remark};

pub(crate) use constants::Constants;
pub(crate) use debug::binding;
pub(crate) use decorations::Decorations;
pub(crate) use inlined::Inlined;
pub(crate) use numbers::Numbers;
pub(crate) use read::Unread;
pub(crate) use write::Written;

/// The index of a node; 0 is none.
pub(crate) type Value = u32;

/// A copy of the operands of an instruction, for while these may change.
pub(crate) type Operands = smallvec::SmallVec<[u32; 8]>;

/// What [`Node::flags`] can have.
pub(crate) mod flag {
    /// It has a result.
    pub(crate) const RESULT: u16 = 1;
    /// It is in a function.
    pub(crate) const LOCAL: u16 = 1 << 1;
    /// It stays as it is and where it is, under its own id.
    pub(crate) const FIXED: u16 = 1 << 2;
    /// It is needed (while something looks for what is).
    pub(crate) const LIVE: u16 = 1 << 3;
    /// It is in its place already (while a function is written).
    pub(crate) const PLACED: u16 = 1 << 4;
    /// Its operands can't be decoded: any of its words may be an id.
    pub(crate) const OPAQUE: u16 = 1 << 5;
    /// It is a load or a chain that gives the same wherever it is.
    pub(crate) const TOTAL: u16 = 1 << 6;
    /// It describes the source, and is of a set for debug information: what is done must not
    /// depend on it.
    pub(crate) const DEBUG: u16 = 1 << 7;
}

/// An instruction. There are many, so that nothing is left between what it has.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed(4))]
pub(crate) struct Node {
    pub(crate) op: Op,
    /// Bits of [`flag`].
    pub(crate) flags: u16,
    /// The result type, or 0.
    pub(crate) ty: u32,
    /// Where its operands behind type and result are in [`Unit::pool`].
    start: u32,
    count: u32,
    /// Which of them are ids: see [`Unit::is_id`].
    pub(crate) ids: u64,
    /// Its set of decorations, if it is in a function.
    pub(crate) decorations: u32,
    /// Its line and scope of source, an index into [`Unit::positions`].
    pub(crate) position: u32,
    /// The block that it stays in, while a function is rebuilt; [`FLOATING`] if it may be
    /// anywhere.
    pub(crate) home: u32,
}

/// A [`Node::home`] that is none.
pub(crate) const FLOATING: u32 = u32::MAX;

impl Node {
    pub(crate) fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    fn range(&self) -> Range<usize> {
        self.start as usize..self.start as usize + self.count as usize
    }
}

/// Where a way from each to the next ends.
#[inline]
fn end_of(replaced: &[Value], value: Value) -> Value {
    let mut at = value;
    loop {
        let next = replaced.get(at as usize).copied().unwrap_or(0);
        if next == at {
            return at;
        }
        at = next;
    }
}

/// A function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Function {
    /// `OpFunction`.
    pub(crate) definition: Value,
    pub(crate) parameters: Vec<Value>,
    /// Remarks between the parameters and the first block.
    pub(crate) before: Vec<Value>,
    pub(crate) blocks: Vec<Block>,
    /// Whether it has instructions that can't be decoded, and stays as it is.
    pub(crate) is_opaque: bool,
    /// Whether nothing has changed since it was simplified.
    pub(crate) is_done: bool,
}

/// A block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) label: Value,
    /// All that follows the label, the terminator last.
    pub(crate) insts: Vec<Value>,
}

/// A module.
#[derive(Clone)]
pub(crate) struct Unit {
    header: Header,
    pub(crate) nodes: Vec<Node>,
    /// The operands of all nodes.
    pub(crate) pool: Vec<u32>,
    /// The instructions before the functions.
    pub(crate) globals: Vec<Value>,
    pub(crate) functions: Vec<Function>,
    /// Instructions behind the functions.
    behind: Vec<Value>,
    pub(crate) definitions: Definitions,
    /// Pairs of a line and a scope of source; the first is none of both.
    pub(crate) positions: Vec<(Value, Value)>,
    pub(crate) decorations: Decorations,
    pub(crate) constants: Constants,
    /// What takes the place of a node, which is itself as long as nothing else does.
    replaced: Vec<Value>,
    /// The number of a label's block in its function, while that is looked at.
    pub(crate) block_of_label: Vec<u32>,
    /// Which instructions describe functions, by these.
    pub(crate) descriptions: HashMap<Value, Value>,
    /// By import, the expression that follows an address, once one has been wanted.
    following: HashMap<Value, Value>,
    /// Which globals have which decorations.
    pub(crate) decorated: HashSet<(Value, u32)>,
    /// The functions of variables of the module that only one function uses.
    pub(crate) owners: HashMap<Value, Value>,
    /// A constant integer of 32 bits, once one has been wanted.
    pub(crate) some_integer: Option<Value>,
    /// Types that have been wanted.
    pub(crate) wanted_types: HashMap<(u16, Vec<u32>), Value>,
    /// Which small numbers the module can compute with.
    pub(crate) small: Small,
    /// Types with a part that is volatile, and whether there are any, or such variables.
    pub(crate) volatile_types: HashSet<Value>,
    pub(crate) has_volatile: bool,
    /// Whether there are instructions that can't be decoded.
    pub(crate) has_opaque: bool,
    /// Whether control flow is structured.
    pub(crate) is_shader: bool,
    /// Whether inputs stay what they are while a shader runs.
    pub(crate) has_fixed_inputs: bool,
    /// Whether there may be stages of tessellation.
    pub(crate) has_patches: bool,
    /// What execution modes say of floating-point numbers.
    pub(crate) modes: Modes,
    /// The constants that stand for indices.
    pub(crate) index_constants: HashMap<u32, Value>,
    /// Which globals are which built-ins.
    pub(crate) built_ins: HashSet<(Value, u32)>,
    /// What is to be done.
    pub(crate) options: Options,
    /// What floating-point operations permit.
    pub(crate) permissions: permissions::Permissions,
    /// What was done and what was not.
    pub(crate) remarks: Vec<Remark>,
    /// Tables for while a function is rebuilt, which are empty in between.
    pub(crate) tables: [Numbers; 4],
    /// How often functions may still be changed.
    pub(crate) fuel: u64,
}

impl Unit {
    /// A node; one that is nothing for what is no value.
    #[inline]
    pub(crate) fn node(&self, value: Value) -> &Node {
        self.nodes.get(value as usize).unwrap_or(&self.nodes[0])
    }

    #[inline]
    pub(crate) fn op(&self, value: Value) -> Op {
        self.node(value).op
    }

    #[inline]
    pub(crate) fn operands(&self, value: Value) -> &[u32] {
        &self.pool[self.node(value).range()]
    }

    #[inline]
    pub(crate) fn operands_mut(&mut self, value: Value) -> &mut [u32] {
        let range = self.nodes[value as usize].range();
        &mut self.pool[range]
    }

    #[inline]
    pub(crate) fn operand(&self, value: Value, index: usize) -> u32 {
        self.operands(value).get(index).copied().unwrap_or(0)
    }

    /// Gives a node other operands.
    pub(crate) fn set_operands(&mut self, value: Value, operands: &[u32]) {
        let node = self.nodes[value as usize];
        if operands.len() <= node.count as usize {
            let start = node.start as usize;
            self.pool[start..start + operands.len()].copy_from_slice(operands);
        } else {
            self.nodes[value as usize].start = self.pool.len() as u32;
            self.pool.extend_from_slice(operands);
        }
        self.nodes[value as usize].count = operands.len() as u32;
    }

    /// A new node.
    pub(crate) fn add(&mut self, op: Op, ty: u32, operands: &[u32], ids: u64) -> Value {
        let value = self.nodes.len() as Value;
        let start = self.pool.len() as u32;
        self.pool.extend_from_slice(operands);
        self.make_room();
        let has_result = op.first_argument() > 1;
        self.nodes.push(Node {
            op,
            flags: if has_result { flag::RESULT } else { 0 },
            ty,
            start,
            count: operands.len() as u32,
            ids,
            decorations: 0,
            position: 0,
            home: FLOATING,
        });
        self.replaced.push(value);
        value
    }

    /// Makes room for another node, and for a quarter of what there is: for as much again would be
    /// most of what all takes.
    fn make_room(&mut self) {
        if self.nodes.len() == self.nodes.capacity() {
            self.nodes.reserve_exact(self.nodes.len() / 4 + 1);
        }
    }

    /// A copy of a node.
    pub(crate) fn copy(&mut self, of: Value) -> Value {
        let node = self.nodes[of as usize];
        let value = self.nodes.len() as Value;
        let start = self.pool.len();
        self.pool.extend_from_within(node.range());
        self.make_room();
        self.nodes.push(Node {
            start: start as u32,
            ..node
        });
        self.replaced.push(value);
        value
    }

    /// What stands for a value now.
    #[inline]
    pub(crate) fn find(&self, value: Value) -> Value {
        end_of(&self.replaced, value)
    }

    /// Lets the operands of an instruction be what stands for them now.
    pub(crate) fn resolve(&mut self, inst: Value) {
        let node = &self.nodes[inst as usize];
        let replaced = &self.replaced;
        for (index, operand) in self.pool[node.range()].iter_mut().enumerate() {
            if Self::is_id(node.ids, index) {
                *operand = end_of(replaced, *operand);
            }
        }
    }

    /// Lets another value take the place of one.
    pub(crate) fn replace(&mut self, value: Value, by: Value) {
        let by = self.find(by);
        if by != value {
            self.replaced[value as usize] = by;
        }
    }

    /// Whether an operand of a node is an id. Each has a bit, up to [`Self::BITS`]; of what follows,
    /// the last [`Self::PERIOD`] bits tell over and over: what is all ids or none, and the literals of
    /// one word or two and labels of a switch, goes on as it did.
    #[inline]
    pub(crate) fn is_id(ids: u64, index: usize) -> bool {
        let bit = match index < Self::BITS {
            true => index,
            false => Self::BITS - Self::PERIOD + (index - Self::BITS) % Self::PERIOD,
        };
        ids >> bit & 1 != 0
    }

    /// How many operands have a bit of their own.
    pub(crate) const BITS: usize = 60;

    /// A multiple of the lengths of what a switch repeats.
    const PERIOD: usize = 6;

    /// The ids among a node's operands, with their indices.
    pub(crate) fn ids(&self, value: Value) -> impl Iterator<Item = (usize, Value)> + '_ {
        let ids = self.node(value).ids;
        let operands = self.operands(value).iter().enumerate();
        operands
            .filter(move |&(index, _)| Self::is_id(ids, index))
            .map(|(index, &id)| (index, id))
    }

    /// Calls for each label that a terminator may branch to, with the index of its operand.
    pub(crate) fn each_target(&self, terminator: Value, mut each: impl FnMut(usize, Value)) {
        let operands = self.operands(terminator);
        match self.op(terminator) {
            Op::Branch => operands.iter().take(1).for_each(|&label| each(0, label)),
            Op::BranchConditional => (1..3)
                .zip(operands.iter().skip(1))
                .for_each(|(index, &label)| each(index, label)),
            Op::Switch => {
                let step = 1 + self.switch_literal_words(terminator);
                if let Some(&default) = operands.get(1) {
                    each(1, default);
                }
                let mut index = 1 + step;
                while let Some(&label) = operands.get(index) {
                    each(index, label);
                    index += step;
                }
            }
            _ => {}
        }
    }

    /// How many words each literal of a switch takes.
    pub(crate) fn switch_literal_words(&self, switch: Value) -> usize {
        let selector = self.find(self.operand(switch, 0));
        let ty = self.node(selector).ty;
        match self.op(ty) {
            Op::TypeInt => self.operand(ty, 0).div_ceil(32).max(1) as usize,
            _ => 1,
        }
    }

    /// The sort of scalars of a scalar or vector type, and how many there are.
    pub(crate) fn shape(&self, ty: u32) -> Option<(ScalarType, u32)> {
        let scalar = |ty: u32| self.constants.types().scalar(Id(ty));
        match self.op(ty) {
            Op::TypeVector => Some((scalar(self.operand(ty, 0))?, self.operand(ty, 1))),
            Op::TypeBool | Op::TypeInt | Op::TypeFloat => Some((scalar(ty)?, 1)),
            _ => None,
        }
    }

    /// The storage class of a pointer's type.
    pub(crate) fn storage_class(&self, pointer: Value) -> Option<u32> {
        let ty = self.node(pointer).ty;
        match self.op(ty) {
            Op::TypePointer | Op::TypeUntypedPointerKHR => Some(self.operand(ty, 0)),
            _ => None,
        }
    }

    /// The type of what a pointer leads to; `None` if it isn't said, or the value is no pointer.
    pub(crate) fn pointee(&self, pointer: Value) -> Option<Value> {
        let ty = self.node(self.find(pointer)).ty;
        (self.op(ty) == Op::TypePointer).then(|| self.operand(ty, 1))
    }

    /// The integer that a constant is.
    pub(crate) fn integer(&self, value: Value) -> Option<u64> {
        match self.op(value) {
            Op::Constant if self.op(self.node(value).ty) == Op::TypeInt => {
                Some(spirvkit_binary::NumberType::join(self.operands(value)))
            }
            Op::ConstantNull if self.op(self.node(value).ty) == Op::TypeInt => Some(0),
            _ => None,
        }
    }

    /// Whether a global is decorated.
    pub(crate) fn is_decorated(&self, target: Value, decoration: Decoration) -> bool {
        self.decorated.contains(&(target, decoration.0))
    }

    pub(crate) fn version(&self) -> spirvkit_grammar::Version {
        self.header.version
    }
}
