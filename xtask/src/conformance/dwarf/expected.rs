//! What is expected of modules, as the file beside them tells: see the README of the
//! fixtures of `crates/debuginfo`.

use std::fs;
use std::path::Path;

use serde::Deserialize;

/// What is expected of the modules that come of one source.
#[derive(Deserialize)]
pub(super) struct Expectations {
    /// The source's name in the modules.
    pub(super) file: String,
    pub(super) groups: Vec<Group>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Group {
    pub(super) modules: Vec<Name>,
    pub(super) lines: Vec<Line>,
    pub(super) functions: Vec<Declared>,
    pub(super) types: Vec<Type>,
    pub(super) enums: Vec<Enum>,
    pub(super) variables: Vec<Variable>,
    pub(super) globals: Vec<Declared>,
    pub(super) inlined: Vec<Inlined>,
}

#[derive(Deserialize)]
pub(super) struct Name {
    pub(super) module: String,
    /// Whether the numbers of arguments can't be read.
    #[serde(default)]
    pub(super) no_arguments: bool,
}

#[derive(Deserialize)]
pub(super) struct Line {
    pub(super) line: u32,
    pub(super) code: bool,
    pub(super) function: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) line: Option<u32>,
    #[serde(rename = "type")]
    pub(super) ty: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Type {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) line: Option<u32>,
    pub(super) size_bits: Option<u64>,
    /// What a typedef stands for.
    #[serde(rename = "type")]
    pub(super) ty: Option<String>,
    /// Names of the scopes around it, the outermost first.
    #[serde(default)]
    pub(super) scope: Vec<String>,
    #[serde(default)]
    pub(super) members: Vec<Member>,
    #[serde(default)]
    pub(super) bases: Vec<Member>,
}

#[derive(Deserialize)]
pub(super) struct Member {
    #[serde(default)]
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) ty: Option<String>,
    pub(super) offset_bits: Option<u64>,
    pub(super) access: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Enum {
    pub(super) name: String,
    pub(super) size_bits: u64,
    pub(super) values: serde_json::Map<String, serde_json::Value>,
}

#[derive(Deserialize)]
pub(super) struct Variable {
    pub(super) function: String,
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) ty: String,
    pub(super) argument: Option<u64>,
    #[serde(default)]
    pub(super) visible_at: Vec<u32>,
    #[serde(default)]
    pub(super) hidden_at: Vec<u32>,
}

#[derive(Deserialize)]
pub(super) struct Inlined {
    pub(super) callee: String,
}

/// All expectations of a folder, by name.
pub(super) fn read(folder: &Path) -> Result<Vec<Expectations>, Box<dyn std::error::Error>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".expect.json") {
            files.push(path);
        }
    }
    files.sort();
    let read = |path| Ok(serde_json::from_str(&fs::read_to_string(path)?)?);
    files.into_iter().map(read).collect()
}
