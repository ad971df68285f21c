//! Common subsequences of two sequences of tokens.
//!
//! What only one side has is left out at once. What occurs once on both sides and in the
//! same order anchors the rest; between the anchors the shortest edit script is looked
//! for (Eugene W. Myers, "An O(ND) difference algorithm and its variations", 1986), but
//! only up to a number of edits: then what is best so far is kept and the search starts
//! anew behind it. So time is in proportion to the sequences' length.

use hashbrown::HashMap;

/// The most edits to search for in one go: the search takes time and memory in
/// proportion to their square, and gets ahead by at least as many tokens.
const MAX_EDITS: usize = 256;

/// Pairs of indices of equal tokens, ascending on both sides.
pub(crate) fn common(a: &[u64], b: &[u64]) -> Vec<(u32, u32)> {
    if a == b {
        return (0..a.len() as u32).map(|index| (index, index)).collect();
    }
    let mut seen = Seen::with_capacity(a.len());
    for (side, tokens) in [a, b].into_iter().enumerate() {
        for &token in tokens {
            let count = &mut seen.entry(token).or_default().counts[side];
            *count = count.saturating_add(1);
        }
    }
    let (places_a, a) = shared(a, &seen);
    let (places_b, b) = shared(b, &seen);
    let mut pairs = Vec::with_capacity(a.len().min(b.len()));
    let mut at = (0, 0);
    for (x, y) in anchors(&a, &b, &mut seen) {
        between(&a, &b, at, (x, y), &mut pairs);
        pairs.push((x as u32, y as u32));
        at = (x + 1, y + 1);
    }
    between(&a, &b, at, (a.len(), b.len()), &mut pairs);
    for (x, y) in &mut pairs {
        (*x, *y) = (places_a[*x as usize], places_b[*y as usize]);
    }
    pairs
}

/// What is known of each token.
type Seen = HashMap<u64, Occurrences>;

#[derive(Clone, Copy, Default)]
struct Occurrences {
    /// How often it occurs on each side, as far as can be counted.
    counts: [u8; 2],
    /// Where on the second side it is last.
    last: u32,
}

/// The tokens that occur on both sides, and where.
fn shared(tokens: &[u64], seen: &Seen) -> (Vec<u32>, Vec<u64>) {
    let is_shared = |token: &u64| seen.get(token).is_some_and(|it| !it.counts.contains(&0));
    let found = (0..).zip(tokens.iter().copied());
    found.filter(|(_, token)| is_shared(token)).unzip()
}

/// Tokens that occur once on either side, as many as are in the same order.
fn anchors(a: &[u64], b: &[u64], seen: &mut Seen) -> Vec<(usize, usize)> {
    for (y, token) in (0..).zip(b) {
        if let Some(it) = seen.get_mut(token) {
            it.last = y;
        }
    }
    let unique = a.iter().enumerate().filter_map(|(x, token)| {
        let it = seen.get(token).filter(|it| it.counts == [1, 1])?;
        Some((x, it.last as usize))
    });
    longest_ascending(&unique.collect::<Vec<_>>())
}

/// The longest subsequence whose second numbers ascend; the first do already.
pub(crate) fn longest_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The last pairs of the best sequences of each length.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<usize> = Vec::with_capacity(pairs.len());
    for (index, &(_, y)) in pairs.iter().enumerate() {
        let length = match ends.last() {
            Some(&end) if pairs[end].1 < y => ends.len(),
            _ => ends.partition_point(|&end| pairs[end].1 < y),
        };
        before.push(match length {
            0 => usize::MAX,
            _ => ends[length - 1],
        });
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut found = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(index) = next {
        found.push(pairs[index]);
        next = Some(before[index]).filter(|&index| index != usize::MAX);
    }
    found.reverse();
    found
}

/// Aligns the runs from `at` to `end`.
fn between(
    a: &[u64],
    b: &[u64],
    at: (usize, usize),
    end: (usize, usize),
    pairs: &mut Vec<(u32, u32)>,
) {
    let (mut x, mut y) = at;
    while x < end.0 && y < end.1 && a[x] == b[y] {
        pairs.push((x as u32, y as u32));
        (x, y) = (x + 1, y + 1);
    }
    let (mut end_x, mut end_y) = end;
    while x < end_x && y < end_y && a[end_x - 1] == b[end_y - 1] {
        (end_x, end_y) = (end_x - 1, end_y - 1);
    }
    while x < end_x && y < end_y {
        let (from_x, from_y) = (x, y);
        let found = search(&a[x..end_x], &b[y..end_y]);
        let pair = |&(dx, dy): &(usize, usize)| ((from_x + dx) as u32, (from_y + dy) as u32);
        pairs.extend(found.pairs.iter().map(pair));
        (x, y) = (x + found.end.0, y + found.end.1);
    }
    let rest = end.0 - end_x;
    pairs.extend((0..rest).map(|step| ((end_x + step) as u32, (end_y + step) as u32)));
}

/// How far a search came, and on which way.
struct Found {
    pairs: Vec<(usize, usize)>,
    end: (usize, usize),
}

/// Searches for the shortest edit script, as far as the limit allows.
fn search(a: &[u64], b: &[u64]) -> Found {
    let (n, m) = (a.len() as isize, b.len() as isize);
    // For each number of edits: how far each diagonal reaches, from `-edits` up.
    let mut reached: Vec<Vec<isize>> = Vec::new();
    let mut edits = 0;
    loop {
        let previous = reached.last();
        let mut row = Vec::with_capacity(2 * edits as usize + 1);
        let mut best = (isize::MIN, 0);
        for k in -edits..=edits {
            let mut x = step(previous, edits, k, n, m);
            while x >= 0 && x < n && x - k >= 0 && x - k < m && a[x as usize] == b[(x - k) as usize]
            {
                x += 1;
            }
            row.push(x);
            let inside = x >= 0 && x <= n && x - k >= 0 && x - k <= m;
            if inside && 2 * x - k > best.0 {
                best = (2 * x - k, k);
            }
            if x >= n && x - k >= m {
                reached.push(row);
                return trace(&reached, edits, k, n, m);
            }
        }
        reached.push(row);
        if edits == MAX_EDITS as isize {
            return trace(&reached, edits, best.1, n, m);
        }
        edits += 1;
    }
}

/// Where diagonal `k` starts in a round of edits; below zero for nowhere.
fn step(previous: Option<&Vec<isize>>, edits: isize, k: isize, n: isize, m: isize) -> isize {
    let Some(previous) = previous else {
        return 0;
    };
    let get = |k: isize| {
        let index = k + edits - 1;
        match usize::try_from(index).ok().and_then(|at| previous.get(at)) {
            Some(&x) if x >= 0 => x,
            _ => isize::MIN / 2,
        }
    };
    let (down, right) = (get(k + 1), get(k - 1) + 1);
    // Neither side may be left.
    let down = if down - k > m { isize::MIN / 2 } else { down };
    let right = if right > n { isize::MIN / 2 } else { right };
    right.max(down).max(-1)
}

/// The way that leads to diagonal `k` of a round.
fn trace(reached: &[Vec<isize>], edits: isize, k: isize, n: isize, m: isize) -> Found {
    let at = |edits: isize, k: isize| reached[edits as usize][(k + edits) as usize];
    let end = (at(edits, k), at(edits, k) - k);
    let mut pairs = Vec::new();
    let (mut edits, mut k) = (edits, k);
    loop {
        let x = at(edits, k);
        let previous = (edits > 0).then(|| &reached[edits as usize - 1]);
        let start = step(previous, edits, k, n, m);
        pairs.extend((start..x).rev().map(|x| (x as usize, (x - k) as usize)));
        let Some(previous) = previous else {
            break;
        };
        let before = |k: isize| {
            usize::try_from(k + edits - 1)
                .ok()
                .and_then(|at| previous.get(at))
        };
        // The same choice as in `step`.
        let right = before(k - 1).is_some_and(|&x| x >= 0 && x + 1 == start && start <= n);
        k = if right { k - 1 } else { k + 1 };
        edits -= 1;
    }
    pairs.reverse();
    Found {
        pairs,
        end: (end.0 as usize, end.1 as usize),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The length of the longest common subsequence, by the textbook's table.
    fn longest(a: &[u64], b: &[u64]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut diagonal = 0;
            for (index, y) in b.iter().enumerate() {
                let above = row[index + 1];
                row[index + 1] = match x == y {
                    true => diagonal + 1,
                    false => above.max(row[index]),
                };
                diagonal = above;
            }
        }
        row[b.len()]
    }

    fn check(a: &[u64], b: &[u64]) -> usize {
        let pairs = common(a, b);
        for pair in pairs.windows(2) {
            assert!(pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1);
        }
        for &(x, y) in &pairs {
            assert_eq!(a[x as usize], b[y as usize]);
        }
        pairs.len()
    }

    proptest! {
        #[test]
        fn pairs_are_equal_and_ascend(
            a in prop::collection::vec(0..12u64, 0..60),
            b in prop::collection::vec(0..12u64, 0..60),
        ) {
            check(&a, &b);
        }

        #[test]
        fn without_anchors_nothing_is_missed(
            a in prop::collection::vec(0..3u64, 0..40),
            b in prop::collection::vec(0..3u64, 0..40),
        ) {
            // Every token twice more: none is unique.
            let pad = [0, 0, 1, 1, 2, 2];
            let a = [&pad[..], &a].concat();
            let b = [&pad[..], &b].concat();
            prop_assert_eq!(check(&a, &b), longest(&a, &b));
        }
    }

    #[test]
    fn what_one_side_has_alone_hides_nothing() {
        // More of it between what both have than is searched for in one go.
        let alone = |first: u64| {
            let token = move |index: u64| match index % 400 {
                0 => index / 400 % 3,
                _ => first + index,
            };
            (0..20_000).map(token).collect::<Vec<u64>>()
        };
        assert_eq!(check(&alone(100), &alone(100_000)), 20_000 / 400);
    }

    #[test]
    fn very_different_sequences_take_no_time() {
        let a: Vec<u64> = (0..300_000).map(|index| index % 2).collect();
        let b: Vec<u64> = (0..300_000).map(|index| 2 + index % 2).collect();
        assert_eq!(check(&a, &b), 0);
        let c: Vec<u64> = (0..300_000).map(|index| index % 7 % 2).collect();
        assert!(check(&a, &c) > 100_000);
    }
}
