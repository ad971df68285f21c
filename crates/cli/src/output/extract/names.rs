//! Where in a folder files go that are called as a stranger likes.
//!
//! The same names come of the same names on every system, so what one system can't have
//! is avoided on all.

use std::collections::{HashMap, HashSet};

use spirvkit::diagnostics::is_disruptive;

/// What a file without a name is called.
const UNNAMED: &str = "unnamed";
/// The most bytes of a name within a folder, before a number behind it. File systems
/// have names of up to 255.
const MAX_PART_LENGTH: usize = 200;
/// The most bytes of a path, and the most names in it. Of longer ones the end is kept.
const MAX_LENGTH: usize = 1000;
const MAX_DEPTH: usize = 32;
/// What Windows doesn't have in names, and `~`, with which it has other names for files
/// that are there.
const UNFIT: &str = "<>:\"|?*~";
/// Devices of Windows, which files can't be called, with or without an extension.
const DEVICES: [&str; 8] = [
    "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$", "CONFIG$",
];

/// A path for each name, with `/` between its parts and no other way to leave the folder
/// or to mean one file in two ways, even where the case of letters doesn't count. None of
/// them is a folder of another.
pub(super) fn place_all<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut paths: Vec<String> = names.map(tame).collect();
    let mut taken: HashSet<String> = HashSet::new();
    for path in &paths {
        let key = path.to_lowercase();
        let ends = key.match_indices('/').map(|(end, _)| end);
        taken.extend(ends.map(|end| key[..end].to_owned()));
    }
    // What to try next for those that are called the same.
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for path in &mut paths {
        let key = path.to_lowercase();
        if taken.insert(key.clone()) {
            continue;
        }
        let next = numbers.entry(key.clone()).or_insert(2);
        while !taken.insert(format!("{key}.{next}")) {
            *next += 1;
        }
        path.push_str(&format!(".{next}"));
        *next += 1;
    }
    paths
}

/// The path within the folder that a name becomes.
fn tame(name: &str) -> String {
    let parts = name.rsplit(['/', '\\']);
    let parts = parts.filter(|part| !matches!(*part, "" | "." | ".."));
    let mut room = MAX_LENGTH;
    let mut kept: Vec<String> = Vec::new();
    for part in parts.take(MAX_DEPTH).map(tame_part) {
        match room.checked_sub(part.len() + 1) {
            Some(rest) => room = rest,
            None => break,
        }
        kept.push(part);
    }
    kept.reverse();
    match kept.is_empty() {
        true => UNNAMED.to_owned(),
        false => kept.join("/"),
    }
}

/// A name within a folder. It keeps its end, where the extension is.
fn tame_part(part: &str) -> String {
    let mut starts = part.len().saturating_sub(MAX_PART_LENGTH)..part.len();
    let start = starts.find(|&start| part.is_char_boundary(start));
    let part = start
        .and_then(|start| part.get(start..))
        .unwrap_or_default();
    let is_unfit = |c: char| is_disruptive(c) || UNFIT.contains(c);
    let part = part.replace(is_unfit, "_");
    // Windows drops dots and blanks at the end.
    let end = part.trim_end_matches(['.', ' ']).len();
    let (part, dropped) = part.split_at(end);
    let mut part = part.to_owned();
    part.extend(dropped.chars().map(|_| '_'));
    // What is hidden is what tools look for, such as settings and hooks.
    if let Some(rest) = part.strip_prefix('.') {
        return format!("_{rest}");
    }
    match is_device(&part) {
        true => format!("_{part}"),
        false => part,
    }
}

fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or_default();
    let stem = stem.trim_end().to_uppercase();
    let port = stem.strip_prefix("COM").or(stem.strip_prefix("LPT"));
    let is_port = port.is_some_and(|number| {
        let mut characters = number.chars();
        let digit = characters.next();
        let is_digit = |c: char| c.is_ascii_digit() || "¹²³".contains(c);
        digit.is_some_and(is_digit) && characters.next().is_none()
    });
    is_port || DEVICES.contains(&stem.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside() {
        for (name, path) in [
            ("src/a.comp", "src/a.comp"),
            ("../../etc/passwd", "etc/passwd"),
            ("a/../../b", "a/b"),
            ("/abs/a.comp", "abs/a.comp"),
            ("//server/share/a", "server/share/a"),
            ("C:\\x\\a.hlsl", "C_/x/a.hlsl"),
            ("C:..\\a", "C___/a"),
            ("..", "unnamed"),
            ("", "unnamed"),
            ("/", "unnamed"),
            ("a/", "a"),
            ("./a", "a"),
            ("a b é.comp", "a b é.comp"),
        ] {
            assert_eq!(tame(name), path, "{name}");
        }
    }

    #[test]
    fn names_are_fit_for_every_system() {
        for (name, path) in [
            ("a\0b\nc\u{1b}[2J", "a_b_c_[2J"),
            ("a\u{202e}b\u{85}", "a_b_"),
            ("<stdin>", "_stdin_"),
            (".git/hooks/pre-commit", "_git/hooks/pre-commit"),
            ("GIT~1/config", "GIT_1/config"),
            ("...", "___"),
            ("a. ", "a__"),
            ("nul", "_nul"),
            ("x/Con.frag", "x/_Con.frag"),
            ("com1.", "com1_"),
            ("LPT¹.txt", "_LPT¹.txt"),
            ("com10", "com10"),
            ("console", "console"),
        ] {
            assert_eq!(tame(name), path, "{name:?}");
        }
    }

    #[test]
    fn the_ends_of_long_names_are_kept() {
        let long = tame(&format!("{}.comp", "é".repeat(500)));
        assert!(
            long.len() <= MAX_PART_LENGTH && long.ends_with("é.comp"),
            "{long}"
        );
        let deep = tame(&format!("{}/a.comp", "d/".repeat(500)));
        assert_eq!(deep.split('/').count(), MAX_DEPTH);
        assert!(deep.ends_with("d/a.comp"));
        let both = tame(&format!(
            "{}a.comp",
            format!("{}/", "n".repeat(300)).repeat(9)
        ));
        assert!(
            both.len() <= MAX_LENGTH && both.ends_with("/a.comp"),
            "{both}"
        );
    }

    #[test]
    fn each_name_is_given_once() {
        let place = |names: &[&str]| place_all(names.iter().copied());
        assert_eq!(place(&["a", "a", "/a"]), ["a", "a.2", "a.3"]);
        assert_eq!(place(&["a", "A"]), ["a", "A.2"], "cases may not count");
        assert_eq!(place(&["a", "a.2", "a"]), ["a", "a.2", "a.3"]);
        assert_eq!(place(&["a", "a/b"]), ["a.2", "a/b"]);
        assert_eq!(place(&["x/B/c", "X/b"]), ["x/B/c", "X/b.2"]);
        assert_eq!(place(&["a/b", "a", "a.2/c"]), ["a/b", "a.3", "a.2/c"]);
    }
}
