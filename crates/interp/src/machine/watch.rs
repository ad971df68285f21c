//! Telling an observer.

use super::Shared;
use super::control::{Gang, Path};
use crate::observe::{Access, Lanes, Step, Watch};
use crate::program::{Address, Reg};

impl<const W: usize> Lanes for Gang<W> {
    fn word(&self, column: Reg, lane: usize) -> u32 {
        match lane < W {
            true => Gang::word(self, column, lane),
            false => 0,
        }
    }

    fn place(&self) -> ([u32; 3], u32) {
        (self.id, self.first)
    }

    fn locate(&self, address: Address, lane: usize) -> (u32, u32) {
        match lane < W {
            true => Gang::locate(self, address, lane),
            false => (0, 0),
        }
    }
}

impl<const W: usize> Gang<W> {
    /// Tells the observer, if there is one; false if it ends the run.
    pub(super) fn watch(&self, shared: &mut Shared<'_>, path: &Path, index: u32) -> bool {
        let program = shared.program;
        let Some(watched) = &program.watched else {
            return true;
        };
        let watch = watched.all[index as usize];
        let Some(observer) = shared.observer.as_deref_mut() else {
            return true;
        };
        let step = |offset| Step {
            program,
            lanes: self,
            buffers: &shared.buffers,
            homes: &shared.homes,
            mask: path.mask,
            global_offset: shared.offset,
            offset,
        };
        match watch {
            Watch::Before(offset) => observer.before(&step(offset)).is_continue(),
            Watch::After(offset) => observer.after(&step(offset)).is_continue(),
            Watch::Access { offset, cell, kind } => {
                let step = &step(offset);
                observer.access(step, &Access { step, cell, kind });
                true
            }
        }
    }
}
