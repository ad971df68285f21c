//! The order in which debugging instructions may come.

use std::collections::HashMap;

use spirvkit_binary::Id;

use super::Draft;
use crate::{Field, Kind, Set};

/// Whether what is in a field may be defined further down, in an `OpExtInst`.
fn may_be_later(set: Set, kind: Kind, field: Field) -> bool {
    set != Set::Shader
        && matches!(
            (kind, field),
            (Kind::TypeComposite, Field::Members) | (Kind::Function, Field::Function)
        )
}

/// The numbers of instructions in an order in which each comes after those it refers
/// to, as far as it must; and otherwise as they come. Cycles are cut where they are
/// closed. Takes time in proportion to all of them.
pub(super) fn order(set: Set, drafts: &[(Id, Draft)]) -> Vec<usize> {
    let numbers = drafts.iter().enumerate();
    let by_id: HashMap<Id, usize> = numbers.map(|(number, (id, _))| (*id, number)).collect();
    let needs = |number: usize| {
        let mut needs = Vec::new();
        let draft = &drafts[number].1;
        for (field, operand) in draft.fields() {
            if !may_be_later(set, draft.kind(), field) {
                operand.each_id(&mut |id| needs.extend(by_id.get(&id).copied()));
            }
        }
        // They are taken from the end.
        needs.reverse();
        needs
    };
    let mut order = Vec::with_capacity(drafts.len());
    let mut is_begun = vec![false; drafts.len()];
    let mut stack: Vec<(usize, Vec<usize>)> = Vec::new();
    for start in 0..drafts.len() {
        if std::mem::replace(&mut is_begun[start], true) {
            continue;
        }
        stack.push((start, needs(start)));
        while let Some((number, rest)) = stack.last_mut() {
            match rest.pop() {
                Some(next) if std::mem::replace(&mut is_begun[next], true) => {}
                Some(next) => stack.push((next, needs(next))),
                None => {
                    order.push(*number);
                    stack.pop();
                }
            }
        }
    }
    order
}
