//! The inputs and outputs of a stage, one by one, and the locations that they take.

use hashbrown::{HashMap, HashSet};
use spirvkit_binary::Id;
use spirvkit_grammar::{Decoration, ExecutionModel, StorageClass};

use super::part::Part;
use crate::module::{Lookup, Type};
use crate::rules::interfaces::listed;
use crate::rules::interfaces::places::{self, Budget, Piece, Place};

/// A user-defined variable, or a member of a block with a location of its own.
pub(super) struct Element {
    pub(super) variable: Id,
    /// Which member it is, and of which block.
    pub(super) member: Option<(Id, u32)>,
    /// What it holds, without the array of vertices or primitives.
    pub(super) ty: Id,
    pub(super) place: Place,
    pub(super) location: u64,
}

impl Element {
    /// What messages call it.
    pub(super) fn name(&self, part: &Part<'_, '_>) -> String {
        let variable = part.m.name(self.variable);
        match self.member {
            None => variable,
            Some((_, member)) => format!("member {member} of {variable}"),
        }
    }

    /// What defines it: the variable.
    pub(super) fn offset(&self, part: &Part<'_, '_>) -> u32 {
        part.m.def_offset(self.variable)
    }
}

/// What an element takes of one location.
#[derive(Clone, Copy)]
pub(super) struct Taken {
    pub(super) element: u32,
    pub(super) location: u64,
    /// The first component.
    pub(super) component: u32,
    pub(super) piece: Piece,
}

impl Taken {
    /// The components that it takes, of the four that there are.
    pub(super) fn components(&self) -> impl Iterator<Item = usize> + use<> {
        let first = self.component.min(4);
        let end = first.saturating_add(self.piece.components.into()).min(4);
        first as usize..end as usize
    }
}

/// All inputs or all outputs of a stage.
#[derive(Default)]
pub(super) struct Side {
    pub(super) elements: Vec<Element>,
    /// Ordered by element.
    pub(super) taken: Vec<Taken>,
}

impl Side {
    /// What a stage declares in a storage class.
    pub(super) fn of(part: &Part<'_, '_>, class: StorageClass, budget: &mut Budget) -> Self {
        let m = part.m;
        let mut side = Self::default();
        let mut seen = HashSet::new();
        for listed in listed::variables(m, &part.entry) {
            // What a geometry shader lets through is input and output.
            let is_passed = class == StorageClass::Output
                && part.model() == ExecutionModel::Geometry
                && listed.class == StorageClass::Input
                && m.is_decorated(listed.id, Decoration::PassthroughNV);
            let is_meant = listed.class == class || is_passed;
            let Some(mut ty) = listed.ty.filter(|_| is_meant && seen.insert(listed.id)) else {
                continue;
            };
            let mut place = Place::of(m, listed.id);
            if place.built_in.is_some() {
                continue;
            }
            // The array of vertices may hold a block that is for each patch.
            let block = m.without_arrays(ty);
            let facts = m.structure_facts(block);
            if facts.has_built_ins {
                continue;
            }
            if place.is_arrayed(part.model(), listed.class) {
                ty = part.element(ty);
            }
            let element = |ty, member, place: Place, location: u32| Element {
                variable: listed.id,
                member,
                ty,
                place,
                location: location.into(),
            };
            if let Some(location) = place.location {
                side.add(part, element(ty, None, place, location), budget);
                continue;
            }
            let members = m.members(block);
            if !facts.is_block || !budget.spend(4 * members.len()) {
                continue;
            }
            place.location = None;
            let places = place.of_members(m, block);
            for (index, (place, &member)) in places.into_iter().zip(members).enumerate() {
                // If the block has one, that is said with another rule.
                let Some(location) = place.location else {
                    continue;
                };
                let member_of = Some((block, index as u32));
                side.add(
                    part,
                    element(Id(member), member_of, place, location),
                    budget,
                );
            }
        }
        side
    }

    fn add(&mut self, part: &Part<'_, '_>, element: Element, budget: &mut Budget) {
        let mut pieces = Vec::new();
        let length = |ty| part.length(ty).unwrap_or(1);
        // What has no place is an error of the module.
        let _ = places::flatten(part.m, element.ty, length, |_| {}, &mut pieces, budget);
        let number = self.elements.len() as u32;
        let taken = pieces.into_iter().enumerate().map(|(step, piece)| Taken {
            element: number,
            location: element.location + step as u64,
            component: element.place.component,
            piece,
        });
        self.taken.extend(taken);
        self.elements.push(element);
    }

    /// What takes each component of each location: numbers of [`taken`](Self::taken), from 1. What
    /// is for each patch has its own locations, and of the streams the first comes first: it is the
    /// one that is rasterized, unless the pipeline says otherwise.
    pub(super) fn slots(&self) -> HashMap<(bool, u64), [u32; 4]> {
        let mut slots: HashMap<(bool, u64), [u32; 4]> = HashMap::new();
        for (number, taken) in self.taken.iter().enumerate() {
            let element = &self.elements[taken.element as usize];
            let slot = slots.entry((element.place.is_patch, taken.location));
            let slot = slot.or_default();
            for component in taken.components() {
                if slot[component] == 0 || element.place.stream == 0 {
                    slot[component] = number as u32 + 1;
                }
            }
        }
        slots
    }
}

/// The scalar that a scalar or a vector is made of, in a way that is the same in all modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Int { width: u32, signed: bool },
    Float { width: u32, encoding: Option<u32> },
    Address,
}

/// The scalar of a type that takes a place in a location.
pub(super) fn scalar(part: &Part<'_, '_>, ty: Id) -> Scalar {
    match part.m.ty(part.m.scalar_or_vector_component(ty)) {
        Type::Int { width, signed } => Scalar::Int { width, signed },
        Type::Float { width, encoding } => Scalar::Float {
            width,
            encoding: encoding.map(|it| it.0),
        },
        _ => Scalar::Address,
    }
}
