//! Walks along one relation between debugging instructions that has to come to an
//! end.

use spirvkit_binary::Id;

use super::index::{Entry, Index};

/// Where a walk has been.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// The entries from which a step leads back to where the walk came from, with the
/// entry that it leads to: one for each cycle that is met.
///
/// `step` gives the id that an entry leads to over its operand with an index after
/// the number of the instruction, and `None` if the relation isn't about it. Time
/// grows as the words of all debugging instructions.
pub(super) fn find<'a>(
    index: &Index<'_, 'a>,
    step: impl Fn(&Entry<'a>, usize) -> Option<Id>,
) -> Vec<(usize, usize)> {
    let mut states = vec![State::New; index.entries.len()];
    let mut found = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    for start in 0..states.len() {
        if states[start] != State::New {
            continue;
        }
        states[start] = State::Open;
        path.push((start, 0));
        while let Some((node, next)) = path.last_mut() {
            let entry = &index.entries[*node];
            if *next + 2 >= entry.inst.args().len() {
                states[*node] = State::Done;
                path.pop();
                continue;
            }
            let target = step(entry, *next).and_then(|id| index.kin(entry, id));
            *next += 1;
            let Some(target) = target else {
                continue;
            };
            match states[target] {
                State::New => {
                    states[target] = State::Open;
                    path.push((target, 0));
                }
                State::Open => found.push((*node, target)),
                State::Done => {}
            }
        }
    }
    found
}
