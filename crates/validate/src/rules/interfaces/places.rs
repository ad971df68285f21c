//! Where inputs and outputs are: what decorations say of that, and which components of locations
//! types take (Vulkan, "Location and Component Assignment").

use hashbrown::HashSet;

use spirvkit_binary::Id;
use spirvkit_grammar::{BuiltIn, Decoration, ExecutionModel, StorageClass};

use super::arrays::is_arrayed;
use crate::module::{Decorated, Lookup, Module, Type};

/// Locations beyond so many of one variable are not looked at: no
/// implementation has as many.
pub(crate) const MAX: usize = 4096;

/// How much there may still be to look at in a module. A variable listed by many
/// entry points may hold very much each time; beyond all sense, what comes is left
/// unchecked.
pub(crate) struct Budget(usize);

impl Budget {
    pub(crate) fn of(m: &Module<'_>) -> Self {
        Self(m.words.len().saturating_mul(6).saturating_add(1 << 18))
    }

    pub(crate) fn spend(&mut self, steps: usize) -> bool {
        let left = self.0.checked_sub(steps);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// What decorations say of where a variable or a member of a block is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub(crate) built_in: Option<BuiltIn>,
    pub(crate) location: Option<u32>,
    pub(crate) component: u32,
    pub(crate) index: Option<u32>,
    pub(crate) stream: u32,
    pub(crate) is_patch: bool,
    pub(crate) is_per_vertex: bool,
    pub(crate) is_per_primitive: bool,
}

impl Place {
    /// That of a variable.
    pub(crate) fn of(m: &Module<'_>, variable: Id) -> Self {
        let mut place = Self::default();
        for decorated in m.own_decorations(variable) {
            place.note(&decorated);
        }
        place
    }

    /// Those of the members of a block, in what the whole block is.
    pub(crate) fn of_members(self, m: &Module<'_>, block: Id) -> Vec<Self> {
        let whole = Self {
            location: None,
            component: 0,
            ..self
        };
        let mut places = vec![whole; m.members(block).len()];
        for decorated in m.decorations(block) {
            let member = decorated.member;
            if let Some(place) = member.and_then(|index| places.get_mut(index as usize)) {
                place.note(&decorated);
            }
        }
        places
    }

    fn note(&mut self, decorated: &Decorated<'_>) {
        let value = decorated.param(0);
        match decorated.decoration {
            Decoration::BuiltIn => self.built_in = Some(BuiltIn(value)),
            Decoration::Location => self.location = Some(value),
            Decoration::Component => self.component = value,
            Decoration::Index => self.index = Some(value),
            Decoration::Stream => self.stream = value,
            Decoration::Patch => self.is_patch = true,
            Decoration::PerVertexKHR => self.is_per_vertex = true,
            Decoration::PerPrimitiveEXT => self.is_per_primitive = true,
            _ => {}
        }
    }

    /// Whether what is there has an element for each vertex, or each primitive, as its outer array.
    pub(crate) fn is_arrayed(&self, model: ExecutionModel, class: StorageClass) -> bool {
        let is_output = class == StorageClass::Output;
        is_arrayed(model, is_output, self.is_patch, self.is_per_vertex)
    }
}

/// What a type takes of one location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// The scalar or vector, or the address.
    pub(crate) ty: Id,
    /// How many components, from 1 to 4.
    pub(crate) components: u8,
}

impl Piece {
    /// A bit for each component, from the first one on.
    pub(crate) fn mask(self) -> u8 {
        (1u8 << self.components) - 1
    }
}

/// Appends what a type takes of each location, from the first on. `length` says how many elements
/// an array has; `see` is told each structure once.
///
/// # Errors
///
/// A type that has no place in a location.
pub(crate) fn flatten(
    m: &Module<'_>,
    ty: Id,
    length: impl Fn(Id) -> u64,
    mut see: impl FnMut(Id),
    pieces: &mut Vec<Piece>,
    budget: &mut Budget,
) -> Result<(), Id> {
    // Types, and how many of each.
    let mut todo = vec![(ty, 1)];
    let mut steps = 0;
    let mut seen = HashSet::new();
    while let Some((ty, times)) = todo.pop() {
        if times > 1 {
            todo.push((ty, times - 1));
        }
        steps += 1;
        if pieces.len() >= MAX || steps > 16 * MAX || !budget.spend(1) {
            return Ok(());
        }
        let count = match m.ty(ty) {
            Type::Int { .. } | Type::Float { .. } => 1,
            Type::Vector { count, .. } => count,
            Type::LongVector { .. } => m.dimension(ty).max(1),
            Type::Matrix { column, count } => {
                todo.extend((count > 0).then_some((column, u64::from(count))));
                continue;
            }
            Type::Array { element, .. } => {
                let count = length(ty);
                todo.extend((count > 0).then_some((element, count)));
                continue;
            }
            Type::RuntimeArray { element } => {
                todo.push((element, 1));
                continue;
            }
            Type::Struct { members } => {
                if !budget.spend(members.len()) {
                    return Ok(());
                }
                if seen.insert(ty.0) {
                    see(ty);
                }
                let members = members.iter().take(MAX).rev();
                todo.extend(members.map(|&member| (Id(member), 1)));
                continue;
            }
            // That is said with another rule.
            Type::Pointer {
                class: StorageClass::PhysicalStorageBuffer,
                ..
            } => 2,
            Type::None => return Ok(()),
            _ => return Err(ty),
        };
        let wide = m.bit_width(ty) == 64;
        let mut left = if wide { count.saturating_mul(2) } else { count };
        while left > 0 && pieces.len() < MAX {
            let components = left.min(4) as u8;
            pieces.push(Piece { ty, components });
            left -= u32::from(components);
        }
    }
    Ok(())
}
