//! Who may know whom within the program.

use std::fs;
use std::path::{Path, PathBuf};

/// A command stands on what all share, not on another command, nor on what runs commands.
#[test]
fn no_command_knows_another() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/commands");
    let mut files = vec![];
    let mut waiting: Vec<PathBuf> = vec![folder];
    while let Some(path) = waiting.pop() {
        match path.is_dir() {
            true => waiting.extend(fs::read_dir(path).unwrap().map(|it| it.unwrap().path())),
            false => files.push(path),
        }
    }
    assert!(files.len() > 25, "{files:?}");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for other in ["crate::commands", "crate::cli", "crate::classic"] {
            assert!(!text.contains(other), "{} knows {other}", file.display());
        }
        let is_of_debug = file
            .parent()
            .is_some_and(|parent| parent.ends_with("debug"));
        assert!(
            !is_of_debug || !text.contains("super::"),
            "{}",
            file.display()
        );
    }
}
