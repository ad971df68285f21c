//! Which pass, and which change in it, first makes something fail.

use crate::{Options, Recipe, RunError};

/// What a search found out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bisection {
    /// It fails for the module as it is.
    FailsBefore,
    /// It doesn't fail after all passes.
    NeverFails,
    /// It fails after a pass, and not before it.
    Found(Culprit),
}

/// The pass with which something fails.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Culprit {
    /// The number of the pass in the recipe, from 0.
    pub number: usize,
    /// Its name.
    pub pass: String,
    /// The first change to a function in it with which it fails, from 1; none if it also fails
    /// without any, or the pass makes none by itself.
    pub change: Option<u64>,
    /// The words of the module before.
    pub before: Vec<u32>,
    /// The words with which it fails.
    pub after: Vec<u32>,
}

/// More changes than functions of any module take.
const MAX_CHANGES: u64 = 1 << 40;

/// Finds the first pass of a recipe after which a test fails, by halves: it takes about as many tests
/// as the number of passes has binary digits, and as many again for the changes in the pass.
///
/// # Errors
///
/// As [`Recipe::run`] does.
pub fn bisect(
    recipe: &Recipe,
    words: &[u32],
    options: &Options,
    succeeds: &mut dyn FnMut(&[u32]) -> bool,
) -> Result<Bisection, RunError> {
    if !succeeds(words) {
        return Ok(Bisection::FailsBefore);
    }
    let mut good = (0, words.to_vec());
    let whole = recipe.run(words, options)?.words;
    if succeeds(&whole) {
        return Ok(Bisection::NeverFails);
    }
    let mut bad = (recipe.len(), whole);
    while bad.0 - good.0 > 1 {
        let middle = good.0 + (bad.0 - good.0) / 2;
        let done = recipe.skip(good.0).first(middle - good.0);
        let done = done.run(&good.1, options)?.words;
        match succeeds(&done) {
            true => good = (middle, done),
            false => bad = (middle, done),
        }
    }
    let pass = recipe.skip(good.0).first(1);
    let name = pass
        .passes()
        .next()
        .map_or("", |pass| pass.name())
        .to_owned();
    let mut culprit = Culprit {
        number: good.0,
        pass: name,
        change: None,
        before: good.1,
        after: bad.1,
    };
    let with = |changes: u64| {
        let options = options.clone().fuel(Some(changes));
        Ok::<_, RunError>(pass.run(&culprit.before, &options)?.words)
    };
    let without_any = with(0)?;
    if without_any == culprit.after || !succeeds(&without_any) {
        return Ok(Bisection::Found(culprit));
    }
    // Twice as many each time, until it fails.
    let (mut good, mut bad) = (without_any, 1);
    let mut least = 0;
    let mut after = with(bad)?;
    while succeeds(&after) {
        if bad > MAX_CHANGES || after == culprit.after {
            return Ok(Bisection::Found(culprit));
        }
        (least, good) = (bad, after);
        bad *= 2;
        after = with(bad)?;
    }
    while bad - least > 1 {
        let middle = least + (bad - least) / 2;
        let done = with(middle)?;
        match succeeds(&done) {
            true => (least, good) = (middle, done),
            false => (bad, after) = (middle, done),
        }
    }
    culprit.change = Some(bad);
    (culprit.before, culprit.after) = (good, after);
    Ok(Bisection::Found(culprit))
}
