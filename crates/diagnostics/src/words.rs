//! Words that messages put together.

use std::fmt::Display;

/// A noun with its indefinite article, as it is spoken: the noun may start with a number
/// or stand between backticks.
///
/// ```
/// use spirvkit_diagnostics::with_article;
///
/// assert_eq!(with_article("image format"), "an image format");
/// assert_eq!(with_article("unsigned 8-bit integer"), "an unsigned 8-bit integer");
/// assert_eq!(with_article("uniform block"), "a uniform block");
/// assert_eq!(with_article("uint"), "a uint");
/// assert_eq!(with_article("8-bit integer"), "an 8-bit integer");
/// assert_eq!(with_article("16-bit integer"), "a 16-bit integer");
/// assert_eq!(with_article("`OpFunction`"), "an `OpFunction`");
/// ```
pub fn with_article(noun: &str) -> String {
    let spoken = noun.trim_start_matches(|c: char| !c.is_alphanumeric());
    let spoken = spoken.to_ascii_lowercase();
    // A vowel that is spoken as a consonant: "you".
    let is_you = ["uni", "use", "usa", "uti", "uint", "uvec"]
        .iter()
        .any(|it| spoken.starts_with(it));
    let is_you = is_you && !spoken.starts_with("unin") && !spoken.starts_with("unim");
    let number: String = spoken.chars().take_while(char::is_ascii_digit).collect();
    // Eight, eleven, eighteen, and eighty and so on.
    let is_number_with_vowel = number.starts_with('8') || matches!(&*number, "11" | "18");
    let has_vowel = spoken.starts_with(['a', 'e', 'i', 'o', 'u']) && !is_you;
    let article = if has_vowel || is_number_with_vowel {
        "an"
    } else {
        "a"
    };
    format!("{article} {noun}")
}

/// Things of which any will do.
///
/// ```
/// use spirvkit_diagnostics::alternatives;
///
/// assert_eq!(alternatives(["a"]), "a");
/// assert_eq!(alternatives(["a", "b"]), "a or b");
/// assert_eq!(alternatives(["a", "b", "c"]), "a, b or c");
/// ```
pub fn alternatives<T: Display>(all: impl IntoIterator<Item = T>) -> String {
    let mut all: Vec<String> = all.into_iter().map(|each| each.to_string()).collect();
    let last = all.pop().unwrap_or_default();
    match all.is_empty() {
        true => last,
        false => format!("{} or {last}", all.join(", ")),
    }
}

/// A number of things, of which each is called so.
///
/// ```
/// use spirvkit_diagnostics::counted;
///
/// assert_eq!(counted(1, "input"), "1 input");
/// assert_eq!(counted(0, "input"), "0 inputs");
/// assert_eq!(counted(2, "entry"), "2 entries");
/// ```
pub fn counted(count: usize, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) if !stem.ends_with(['a', 'e', 'o']) => format!("{count} {stem}ies"),
        _ => format!("{count} {noun}s"),
    }
}
