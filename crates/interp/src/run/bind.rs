//! Which buffers a program runs on.

use std::collections::{BTreeMap, BTreeSet};

use spirvkit_diagnostics::Diagnostic;

use super::{Bytes, MAX_BUFFER, Run, UNBOUND};
use crate::image::Place;
use crate::kinds;
use crate::program::{ObjectKind, Program};

impl Run<'_> {
    /// The buffers of the run, and which of them each object is. Adds which stand at which
    /// place, and what can't be bound.
    pub(super) fn bind(
        &mut self,
        program: &Program,
        arguments: &mut [Vec<u8>],
        known: &mut BTreeMap<Place, usize>,
        objections: &mut Vec<Diagnostic>,
    ) -> (Vec<Bytes>, Vec<usize>) {
        // The first stands for all that is no buffer, and is empty.
        let mut buffers = vec![Vec::new()];
        let mut homes = Vec::with_capacity(program.objects.len());
        let mut missing = None;
        // Of an array, elements may be left out (`descriptorBindingPartiallyBound`).
        let places = self.buffers.keys().chain(self.same.keys());
        let some_bound: BTreeSet<(u32, u32)> = places.map(|it| (it.0, it.1)).collect();
        for object in &program.objects {
            let home = match object.kind {
                ObjectKind::Buffer {
                    set,
                    binding,
                    element,
                    ..
                } => {
                    let place = (set, binding, element);
                    let place = self.same.get(&place).copied().unwrap_or(place);
                    // Several variables may be views of one buffer.
                    match (known.get(&place), self.buffers.remove(&place)) {
                        (Some(&home), _) => home,
                        (None, Some(bytes)) => {
                            buffers.push(bytes);
                            known.insert(place, buffers.len() - 1);
                            buffers.len() - 1
                        }
                        (None, None) if some_bound.contains(&(set, binding)) => UNBOUND,
                        (None, None) => {
                            // Of an array it is said once.
                            if missing.replace((set, binding)) != Some((set, binding)) {
                                objections.push(no_buffer(&object.name, (set, binding)));
                            }
                            UNBOUND
                        }
                    }
                }
                ObjectKind::Memory { index } => {
                    let bytes = self.memories.get_mut(index as usize);
                    buffers.push(bytes.map(std::mem::take).unwrap_or_default());
                    buffers.len() - 1
                }
                ObjectKind::Argument { index, .. } => {
                    let bytes = arguments.get_mut(index as usize);
                    buffers.push(bytes.map(std::mem::take).unwrap_or_default());
                    buffers.len() - 1
                }
                ObjectKind::Global { size, .. } => {
                    buffers.push(vec![0; size as usize]);
                    buffers.len() - 1
                }
                ObjectKind::Pipe {
                    index,
                    packet,
                    capacity,
                    ..
                } => {
                    let bytes = index.and_then(|index| arguments.get_mut(index as usize));
                    let mut bytes = bytes.map(std::mem::take).unwrap_or_default();
                    let room = u64::from(packet) * u64::from(capacity);
                    // What is larger has been objected to.
                    bytes.resize(if room > MAX_BUFFER { 0 } else { room as usize }, 0);
                    buffers.push(bytes);
                    buffers.len() - 1
                }
                ObjectKind::Parameters => {
                    buffers.push(Vec::new());
                    buffers.len() - 1
                }
                ObjectKind::Push { size } => {
                    let size = size as usize;
                    let given = self.push.len();
                    if given < size {
                        let name = &object.name;
                        objections.push(kinds::INTERFACE.error(format!(
                            "`{name}` takes {size} bytes of push constants, but {given} are given",
                        )));
                    }
                    buffers.push(self.push[..size.min(given)].to_vec());
                    buffers.len() - 1
                }
                _ => 0,
            };
            homes.push(home);
        }
        let mut sizes = buffers.iter().map(|bytes| bytes.len() as u64);
        if let Some(size) = sizes.find(|&size| size > MAX_BUFFER) {
            let message = format!("a buffer of {size} bytes, where one may have {MAX_BUFFER}");
            objections.push(kinds::INTERFACE.error(message));
        }
        for (object, bytes) in &program.initial {
            buffers[homes[*object as usize]].clone_from(bytes);
        }
        (buffers, homes)
    }
}

/// What is said of a variable that no buffer is bound to.
fn no_buffer(name: &str, (set, binding): (u32, u32)) -> Diagnostic {
    let message = format!("`{name}` at set {set}, binding {binding} has no buffer");
    kinds::INTERFACE.error(message)
}
