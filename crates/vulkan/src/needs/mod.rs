//! What a module needs of a device.
//!
//! Each file collects what one part of the specification's appendix "Vulkan Environment for SPIR-V"
//! asks for. A need says which instruction has it, and what would meet it; whoever reports it
//! names the instruction.

mod declared;
mod instructions;
mod modes;
mod offsets;
mod outputs;
mod stages;
mod workgroup;

use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use spirvkit_analysis::ModuleIndex;
use spirvkit_binary::Id;

use crate::device::Device;
use crate::tables::{Enable, Feature, Limit};

/// What would meet a need.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Wanted {
    /// One of these. Nothing meets a need without any.
    OneOf(Vec<Enable>),
    /// A limit that is at least this, or for a lower bound at most.
    Reach {
        /// Which.
        limit: Limit,
        /// In which dimension, of a limit that has several.
        dimension: usize,
        /// What the module has.
        value: i64,
    },
}

/// Something that a module needs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Need {
    /// The word offset of the instruction that needs it; 0 is the header.
    pub offset: u32,
    /// The rule of Vulkan that says so.
    pub vuid: &'static str,
    /// What has the need, such as "the capability `Int64`".
    pub what: String,
    /// What would meet it.
    pub wanted: Wanted,
}

impl Need {
    /// Whether a device meets it.
    pub fn is_met_by(&self, device: &Device) -> bool {
        match &self.wanted {
            Wanted::OneOf(all) => all.iter().any(|&enable| device.enables(enable)),
            Wanted::Reach {
                limit,
                dimension,
                value,
            } => {
                // Of what neither the device nor the specification tells, nothing is known.
                let known = device.limit(*limit).and_then(|it| it.number(*dimension));
                known.is_none_or(|known| match limit.is_least() {
                    true => *value as f64 >= known,
                    false => *value as f64 <= known,
                })
            }
        }
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneOf(all) if all.is_empty() => write!(f, "what Vulkan doesn't have"),
            Self::OneOf(all) => {
                let mut all = all.clone();
                all.dedup_by_key(|enable| enable.to_string());
                for (index, enable) in all.iter().enumerate() {
                    if index > 0 {
                        write!(f, " or ")?;
                    }
                    write!(f, "{enable}")?;
                }
                Ok(())
            }
            Self::Reach {
                limit,
                dimension,
                value,
            } => {
                let than = match limit.is_least() {
                    true => "at most",
                    false => "at least",
                };
                match limit.is_by_dimension() {
                    true => write!(f, "`{}[{dimension}]` of {than} {value}", limit.name()),
                    false => write!(f, "`{}` of {than} {value}", limit.name()),
                }
            }
        }
    }
}

impl fmt::Display for Enable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Version(major, minor) => write!(f, "Vulkan {major}.{minor}"),
            Self::Extension(name) => write!(f, "the extension `{name}`"),
            Self::Without(name) => write!(f, "no extension `{name}`"),
            Self::Feature { feature, .. } => write!(f, "the feature `{}`", Feature(feature).name()),
            Self::Property {
                limit,
                value: "VK_TRUE",
                ..
            } => {
                write!(f, "the property `{}`", Limit(limit).name())
            }
            Self::Property { limit, value, .. } => {
                write!(f, "`{value}` in the property `{}`", Limit(limit).name())
            }
        }
    }
}

/// What a module needs, in the order of its instructions. The module need not be valid; of what
/// can't be understood, nothing is said. Specialization constants have their default values.
pub fn needs(m: &ModuleIndex<'_>) -> Vec<Need> {
    let mut all = Vec::new();
    declared::add(m, &mut all);
    modes::add(m, &mut all);
    instructions::add(m, &mut all);
    let mut trees = CallTrees::new(m);
    workgroup::add(m, &mut trees, &mut all);
    stages::add(m, &mut trees, &mut all);
    all.sort_by_key(|need| need.offset);
    all
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

/// A limit that something reaches; `None` for one that nobody knows.
fn reach(name: &str, dimension: usize, value: u64) -> Option<Wanted> {
    debug_assert!(Limit::named(name).is_some(), "{name}");
    Some(Wanted::Reach {
        limit: Limit::named(name)?,
        dimension,
        value: i64::try_from(value).unwrap_or(i64::MAX),
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
