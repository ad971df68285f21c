//! Suggestions for misspelt names.

/// How many names to suggest at most.
const MAX: usize = 3;
/// The longest names to compare, in bytes: that takes time in proportion to both
/// lengths, and no real name is longer.
const MAX_LENGTH: usize = 100;

/// The candidate most like `name`, whatever the case of letters, if it is like it at all.
///
/// ```
/// use spirvkit_diagnostics::closest;
///
/// let candidates = ["Shader", "Kernel", "Matrix"];
/// assert_eq!(closest("shadr", candidates.into_iter()), Some("Shader"));
/// assert_eq!(closest("tea", candidates.into_iter()), None);
/// ```
pub fn closest<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let all = similar(name, candidates.map(|candidate| (candidate, candidate)));
    all.into_iter().next()
}

/// What belongs to the candidates that are like `name`, the most alike first, and of
/// those that are equally so the one that came first. There are never many.
pub fn similar<'c, T>(name: &str, candidates: impl Iterator<Item = (&'c str, T)>) -> Vec<T> {
    if name.len() > MAX_LENGTH {
        return Vec::new();
    }
    let allowed = (name.chars().count() / 3).max(1);
    let lower = name.to_lowercase();
    let mut found: Vec<(usize, T)> = candidates
        .filter(|(candidate, _)| candidate.len().abs_diff(name.len()) <= allowed)
        .map(|(candidate, it)| {
            let distance = strsim::osa_distance(&lower, &candidate.to_lowercase());
            (distance, it)
        })
        .filter(|(distance, _)| *distance <= allowed)
        .collect();
    found.sort_by_key(|(distance, _)| *distance);
    found.truncate(MAX);
    found.into_iter().map(|(_, it)| it).collect()
}
