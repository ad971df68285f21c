//! What a module needs of a device.
//!
//! Each file collects what one part of the specification's appendix "Vulkan Environment for SPIR-V"
//! asks for. A need says which instruction has it, and what would meet it; whoever reports it
//! names the instruction.

mod declared;
mod entries;
mod heap;
mod instructions;
mod laid;
mod matrices;
mod mesh;
mod modes;
mod offsets;
mod operands;
mod outputs;
mod points;
mod resources;
mod sorted;
mod stages;
mod storage;
mod used;
mod wanted;
mod workgroup;

use std::rc::Rc;

use hashbrown::HashMap;

use spirvkit_analysis::ModuleIndex;
use spirvkit_analysis::index::Inst;
use spirvkit_analysis::layout::Types;
use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use crate::device::Device;
use crate::tables::{Enable, Feature, Limit};

use sorted::Sorted;

pub use matrices::{MatrixShader, matrix_needs};
pub use stages::stage_names;
pub(crate) use wanted::total;
pub use wanted::{Is, Listed, Term, Wanted};
pub use workgroup::workgroup_size;

/// Something that a module needs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Need {
    /// The word offset of the instruction that needs it; 0 is the header.
    pub offset: u32,
    /// The rule of Vulkan that says so; empty if it has no name.
    pub vuid: &'static str,
    /// What has the need, such as "the capability `Int64`".
    pub what: String,
    /// What would meet it.
    pub wanted: Wanted,
}

impl Need {
    /// What an instruction at a word offset needs by a rule.
    pub fn new(offset: u32, vuid: &'static str, what: String, wanted: Wanted) -> Self {
        Self {
            offset,
            vuid,
            what,
            wanted,
        }
    }

    /// Whether a device meets it.
    pub fn is_met_by(&self, device: &Device) -> bool {
        self.wanted.is_met_by(device)
    }
}

/// What a module needs, in the order of its instructions. The module need not be valid; of what
/// can't be understood, nothing is said. Specialization constants have their default values.
pub fn needs(m: &ModuleIndex<'_>) -> Vec<Need> {
    let mut all = Vec::new();
    declared::add(m, &mut all);
    modes::add(m, &mut all);
    let sorted = Sorted::of(m);
    instructions::add(m, &sorted, &mut all);
    heap::add(m, &mut all);
    let types = Types::of(m).with_booleans();
    matrices::add(m, &types, &sorted, &mut all);
    let mut trees = CallTrees::new(m);
    workgroup::add(m, &types, &sorted, &mut trees, &mut all);
    stages::add(m, &sorted, &mut trees, &mut all);
    entries::add(m, &mut trees, &mut all);
    storage::add_small(m, &sorted, &mut all);
    storage::add_sizes(m, &types, &sorted, &mut trees, &mut all);
    resources::add(m, &sorted, &mut trees, &mut all);
    all.sort_by_key(|need| need.offset);
    all
}

/// What is declared before the functions, types among it.
fn declarations<'a>(m: &ModuleIndex<'a>) -> impl Iterator<Item = Inst<'a>> {
    m.declared.iter().filter_map(|&offset| m.inst(offset))
}

/// The functions that entry points reach. That takes time in proportion to both together, so for
/// very many entry points nothing is known.
struct CallTrees<'m> {
    m: &'m ModuleIndex<'m>,
    known: HashMap<Id, Option<Rc<[u32]>>>,
    /// How many functions, and what is in them, may still be gone through.
    budget: usize,
}

impl<'m> CallTrees<'m> {
    fn new(m: &'m ModuleIndex<'m>) -> Self {
        Self {
            m,
            known: HashMap::new(),
            budget: 16 * m.words.len(),
        }
    }

    /// Whether so much may still be gone through.
    fn take(&mut self, count: usize) -> bool {
        let left = self.budget.checked_sub(count);
        self.budget = left.unwrap_or_default();
        left.is_some()
    }

    /// The indexes of the functions that one reaches, itself first.
    fn of(&mut self, function: Id) -> Option<Rc<[u32]>> {
        if let Some(known) = self.known.get(&function) {
            return known.clone();
        }
        let is_room = self.take(self.m.functions.len());
        let tree = is_room.then(|| self.m.call_tree(function).into());
        self.known.insert(function, tree.clone());
        tree
    }
}

/// Whether it works on the invocations of a group that are there. The registry has rotations among
/// other instructions.
fn is_group_operation(op: Op) -> bool {
    op.is_non_uniform() || op == Op::GroupNonUniformRotateKHR
}

/// A feature that something needs.
fn feature(name: &str) -> Wanted {
    features(&[name])
}

/// Features, one of which something needs.
fn features(names: &[&str]) -> Wanted {
    let all = names.iter().filter_map(|name| Feature::named(name));
    let all: Vec<Enable> = all.map(Enable::from).collect();
    debug_assert_eq!(all.len(), names.len(), "{names:?}");
    Wanted::OneOf(all)
}

/// The limit of a name that is in the code; `None` for one that nobody knows.
fn limit(name: &str) -> Option<Limit> {
    debug_assert!(Limit::named(name).is_some(), "{name}");
    Limit::named(name)
}

/// A limit that something reaches.
fn reach(name: &str, dimension: usize, value: u64) -> Option<Wanted> {
    Some(Wanted::Reach {
        limit: limit(name)?,
        dimension,
        value: value as f64,
    })
}

/// A property that something needs to be true.
fn property(name: &str) -> Wanted {
    property_of(name, &["VK_TRUE"])
}

/// A property that something needs to have one of some values.
fn property_of(name: &str, values: &[&'static str]) -> Wanted {
    debug_assert!(Limit::named(name).is_some(), "{name}");
    let enables = Limit::named(name).map(|limit| {
        let all = values.iter().map(move |value| Enable::Property {
            limit: limit.0,
            value,
            requires: &[],
        });
        all.collect()
    });
    Wanted::OneOf(enables.unwrap_or_default())
}

impl From<Feature> for Enable {
    fn from(feature: Feature) -> Self {
        Self::Feature {
            feature: feature.0,
            requires: &[],
        }
    }
}
