//! The scoped modification orders that there can be.

use super::relation::Relation;

/// All transitive ways to order pairs, each in one direction; `visit` says whether to go on.
///
/// The pairs are those of a symmetric relation: mutually ordered atomic writes.
pub fn modification_orders(pairs: &Relation, mut visit: impl FnMut(&Relation) -> bool) {
    let undecided: Vec<(usize, usize)> = pairs.pairs().filter(|(a, b)| a < b).collect();
    // For each pair that is decided whether the second is first.
    let mut ways: Vec<bool> = Vec::with_capacity(undecided.len());
    loop {
        let mut order = Relation::empty(pairs.events());
        for (&(a, b), &is_swapped) in undecided.iter().zip(&ways) {
            match is_swapped {
                false => order.insert(a, b),
                true => order.insert(b, a),
            }
        }
        if order.is_acyclic() {
            if ways.len() < undecided.len() {
                ways.push(false);
                continue;
            }
            if order.is_transitive() && !visit(&order) {
                return;
            }
        }
        // The other way of the last pair that hasn't taken both.
        while ways.last() == Some(&true) {
            ways.pop();
        }
        match ways.last_mut() {
            Some(way) => *way = true,
            None => return,
        }
    }
}
