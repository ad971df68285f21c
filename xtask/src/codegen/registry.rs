//! Reading the registry's files.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::sets::{self, SetName};

/// All that the folder holds.
pub(super) struct Registry {
    pub(super) core: Grammar,
    /// The extended instruction sets, sorted by identifier.
    pub(super) sets: Vec<(&'static SetName, Grammar)>,
    pub(super) generators: Vec<Generator>,
    /// A digest of all files read.
    pub(super) fingerprint: String,
}

#[derive(Deserialize)]
pub(super) struct Grammar {
    #[serde(default)]
    pub(super) copyright: Vec<String>,
    #[serde(default)]
    pub(super) major_version: u32,
    #[serde(default)]
    pub(super) minor_version: u32,
    #[serde(default)]
    pub(super) revision: u32,
    #[serde(default)]
    pub(super) instruction_printing_class: Vec<PrintingClass>,
    pub(super) instructions: Vec<Instruction>,
    #[serde(default)]
    pub(super) operand_kinds: Vec<OperandKind>,
}

#[derive(Deserialize)]
pub(super) struct PrintingClass {
    pub(super) tag: String,
    pub(super) heading: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Instruction {
    #[serde(rename = "opname")]
    pub(super) name: String,
    pub(super) opcode: u16,
    pub(super) class: Option<String>,
    #[serde(default)]
    pub(super) operands: Vec<Operand>,
    #[serde(default)]
    pub(super) aliases: Vec<String>,
    #[serde(flatten)]
    pub(super) availability: Availability,
}

#[derive(Deserialize)]
pub(super) struct Operand {
    pub(super) kind: String,
    #[serde(default)]
    pub(super) name: String,
    pub(super) quantifier: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Availability {
    #[serde(default)]
    pub(super) capabilities: Vec<String>,
    #[serde(default)]
    pub(super) extensions: Vec<String>,
    pub(super) version: Option<String>,
    #[serde(rename = "lastVersion")]
    pub(super) last_version: Option<String>,
    #[serde(default)]
    pub(super) provisional: bool,
}

#[derive(Deserialize)]
pub(super) struct OperandKind {
    pub(super) category: String,
    pub(super) kind: String,
    #[serde(default)]
    pub(super) doc: String,
    #[serde(default)]
    pub(super) bases: Vec<String>,
    #[serde(default)]
    pub(super) enumerants: Vec<Enumerant>,
}

#[derive(Deserialize)]
pub(super) struct Enumerant {
    #[serde(rename = "enumerant")]
    pub(super) name: String,
    #[serde(deserialize_with = "number")]
    pub(super) value: u32,
    #[serde(default)]
    pub(super) parameters: Vec<Operand>,
    #[serde(default)]
    pub(super) aliases: Vec<String>,
    #[serde(flatten)]
    pub(super) availability: Availability,
}

/// Values are numbers, but masks are strings in hexadecimal.
fn number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Number {
        Plain(u32),
        Text(String),
    }
    match Number::deserialize(deserializer)? {
        Number::Plain(value) => Ok(value),
        Number::Text(text) => {
            let digits = text.strip_prefix("0x").unwrap_or(&text);
            u32::from_str_radix(digits, 16).map_err(serde::de::Error::custom)
        }
    }
}

/// A registered tool.
pub(super) struct Generator {
    pub(super) tool: u16,
    pub(super) name: String,
}

impl Registry {
    pub(super) fn load(dir: &Path) -> Result<Self, Box<dyn Error>> {
        let files = find_files(dir)?;
        let path = |name: &str| {
            files
                .get(name)
                .ok_or_else(|| format!("there is no {name} below {}", dir.display()))
        };
        let mut digest = super::emit::Digest::new();
        let mut read = |path: &Path| -> Result<String, Box<dyn Error>> {
            let text =
                fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
            digest.update(text.as_bytes());
            Ok(text)
        };
        let core = parse(
            &read(path("spirv.core.grammar.json")?)?,
            "spirv.core.grammar.json",
        )?;
        let generators = parse_generators(&read(path("spir-v.xml")?)?)?;
        let mut sets = Vec::new();
        for (name, path) in &files {
            let stem = name
                .strip_prefix("extinst.")
                .and_then(|name| name.strip_suffix(".grammar.json"));
            let Some(stem) = stem else { continue };
            sets.push((sets::find(stem)?, parse(&read(path)?, name)?));
        }
        sets.sort_by_key(|(name, _)| name.ident);
        Ok(Self {
            core,
            sets,
            generators,
            fingerprint: digest.finish(),
        })
    }
}

fn parse(text: &str, name: &str) -> Result<Grammar, Box<dyn Error>> {
    let mut grammar: Grammar =
        serde_json::from_str(text).map_err(|error| format!("{name}: {error}"))?;
    grammar
        .instructions
        .sort_by_key(|instruction| instruction.opcode);
    for kind in &mut grammar.operand_kinds {
        kind.enumerants.sort_by_key(|enumerant| enumerant.value);
    }
    Ok(grammar)
}

/// The files that matter, by name. A checkout of SPIRV-Headers keeps them in
/// `include/spirv` and `include/spirv/unified1`, and older grammars in folders
/// named after their version.
fn find_files(dir: &Path) -> Result<BTreeMap<String, PathBuf>, Box<dyn Error>> {
    let mut files = BTreeMap::new();
    for folder in [
        dir.to_owned(),
        dir.join("include/spirv"),
        dir.join("include/spirv/unified1"),
    ] {
        if folder != dir && !folder.is_dir() {
            continue;
        }
        for entry in
            fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?
        {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(".grammar.json") || name == "spir-v.xml" {
                files.insert(name, entry.path());
            }
        }
    }
    Ok(files)
}

fn parse_generators(text: &str) -> Result<Vec<Generator>, Box<dyn Error>> {
    let document = roxmltree::Document::parse(text)?;
    let mut generators = Vec::new();
    let ids = document
        .descendants()
        .find(|node| node.tag_name().name() == "ids");
    for id in ids.into_iter().flat_map(|ids| ids.children()) {
        let Some(value) = id.attribute("value") else {
            continue;
        };
        let Some(vendor) = id.attribute("vendor") else {
            continue;
        };
        let name = match id.attribute("tool") {
            Some(tool) => format!("{vendor} {tool}"),
            None => vendor.to_owned(),
        };
        generators.push(Generator {
            tool: value.parse()?,
            name,
        });
    }
    generators.sort_by_key(|generator| generator.tool);
    Ok(generators)
}
