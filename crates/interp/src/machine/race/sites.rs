//! The instructions that access memory, by numbers that fit into a shadow cell.

use hashbrown::HashMap;

use super::shadow::{Entry, Kind};
use crate::image::ImageOp;
use crate::program::{Inst, Level, Pc, Program};
use crate::special::Special;

/// The instructions that access memory. What comes from one instruction of the module has one
/// number; the least is 1.
#[derive(Clone, Debug)]
pub(super) struct Sites {
    /// By what the program executes.
    numbers: Vec<u32>,
    sites: Vec<Site>,
}

#[derive(Clone, Copy, Debug)]
struct Site {
    pc: Pc,
    /// Of which scope any invocation may be the one that makes an access.
    scope: Option<Level>,
}

impl Sites {
    pub(super) fn new(program: &Program) -> Self {
        let mut known: HashMap<u32, u32> = HashMap::new();
        let mut sites = Vec::new();
        let accesses = |inst: &Inst| match inst {
            Inst::Load { .. } | Inst::Store { .. } | Inst::Atomic(_) => true,
            Inst::Image(index) => {
                !matches!(program.accesses[*index as usize].op, ImageOp::TexelPointer)
            }
            Inst::Special(index) => matches!(
                program.specials[*index as usize],
                Special::Part { .. } | Special::Copies(_) | Special::Enqueue(_)
            ),
            _ => false,
        };
        let mut number = |(pc, inst): (usize, &Inst)| {
            let place = program.places.get(pc).filter(|_| accesses(inst));
            let Some(&place) = place else { return 0 };
            *known.entry(place).or_insert_with(|| {
                sites.push(Site {
                    pc: pc as Pc,
                    scope: program.shared_by.get(&place).copied(),
                });
                sites.len() as u32
            })
        };
        let numbers = program.code.iter().enumerate().map(&mut number).collect();
        Self { numbers, sites }
    }

    /// The number of an instruction.
    pub(super) fn number(&self, pc: Pc) -> u32 {
        self.numbers.get(pc as usize).copied().unwrap_or(0)
    }

    fn site(&self, number: u32) -> Option<&Site> {
        self.sites.get((number as usize).wrapping_sub(1))
    }

    /// How an instruction accesses so many bytes.
    pub(super) fn kind(&self, number: u32, bytes: u32, is_atomic: bool) -> Kind {
        let scope = self.site(number).and_then(|site| site.scope);
        Kind::new(bytes, is_atomic, scope.is_some())
    }

    /// The instruction that made an access, or the first that comes from the same of the module.
    pub(super) fn pc(&self, entry: Entry) -> Pc {
        self.site(entry.site()).map_or(0, |site| site.pc)
    }

    /// Of which scope any invocation may have made an access.
    pub(super) fn scope(&self, entry: Entry) -> Option<Level> {
        self.site(entry.site()).and_then(|site| site.scope)
    }
}
