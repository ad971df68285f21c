//! Writing what `crates/vulkan` knows of features, limits and profiles: from Vulkan's registry
//! (`vk.xml`), the table of required limits (`spec/limits.adoc`) and the files of `profiles/`.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use roxmltree::{Document, Node};
use serde_json::Value;

use super::emit::{Output, sealed};
use super::registry::Grammar;

/// Where the tables are committed, from the root of the repository.
pub(super) const TABLES: [&str; 2] = [
    "crates/vulkan/src/generated/tables.rs",
    "crates/vulkan/src/generated/profiles.rs",
];

/// The files of the tables.
pub(super) fn files(dir: &Path, grammar: &Grammar) -> Result<Vec<Output>, Box<dyn Error>> {
    let read = |name: &str| {
        let path = dir.join(name);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let text = read("vk.xml")?;
    let document = Document::parse(&text)?;
    let structs = Structs::read(&document);
    let features = structs.members_of("VkPhysicalDeviceFeatures");
    let limits = structs.members_of("VkPhysicalDeviceProperties");
    let required = required_limits(&read("spec/limits.adoc")?);
    let tables = tables(&document, grammar, &features, &limits, &required)?;
    let mut paths: Vec<_> = fs::read_dir(dir.join("profiles"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_, Box<dyn Error>>>()?;
    paths.sort();
    let mut profiles = String::from(PROFILES_HEAD);
    for path in paths {
        let text = fs::read_to_string(&path)?;
        let parsed =
            serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        write_profiles(&parsed, &features, &limits, &mut profiles)?;
    }
    profiles.push_str("];\n");
    let texts = [tables, profiles];
    Ok(TABLES
        .into_iter()
        .zip(texts)
        .map(|(path, text)| (path.to_owned(), sealed(&text)))
        .collect())
}

/// A member of structures, which may be several: of an extension, and of the version of Vulkan
/// that took it in.
struct Member {
    /// Its name, with a structure in front if others mean something else by it.
    name: String,
    structs: BTreeSet<String>,
    /// What `limittype` says.
    kind: String,
}

/// The structures of features and properties.
struct Structs<'d> {
    /// Members by structure: name, type, and what `limittype` says.
    members: BTreeMap<&'d str, Vec<(&'d str, &'d str, &'d str)>>,
    /// The structures that extend each.
    extends: BTreeMap<&'d str, Vec<&'d str>>,
    /// Other names of structures.
    aliases: BTreeMap<&'d str, Vec<&'d str>>,
}

impl<'d> Structs<'d> {
    fn read(document: &'d Document<'d>) -> Self {
        let mut structs = Self {
            members: BTreeMap::new(),
            extends: BTreeMap::new(),
            aliases: BTreeMap::new(),
        };
        let types = document
            .descendants()
            .filter(|node| node.attribute("category") == Some("struct"));
        for node in types {
            let Some(name) = node.attribute("name") else {
                continue;
            };
            if let Some(alias) = node.attribute("alias") {
                structs.aliases.entry(alias).or_default().push(name);
                continue;
            }
            for extended in node.attribute("structextends").unwrap_or("").split(',') {
                structs.extends.entry(extended).or_default().push(name);
            }
            structs.members.insert(name, members(node));
        }
        structs
    }

    /// What a structure and those that extend its second version have, each name once for each
    /// meaning.
    fn members_of(&self, root: &'d str) -> Vec<Member> {
        let second = format!("{root}2");
        let extending = self.extends.get(second.as_str());
        let all = [root]
            .into_iter()
            .chain(extending.into_iter().flatten().copied());
        let mut by_name: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
        for name in all {
            for &(member, ty, kind) in self.members.get(name).into_iter().flatten() {
                let inner = self.members.get(ty);
                match inner.filter(|_| ty.starts_with("VkPhysicalDevice")) {
                    // Such as the limits in the properties.
                    Some(inner) => {
                        for &(member, _, kind) in inner {
                            by_name.entry(member).or_default().push((name, kind));
                        }
                    }
                    None => by_name.entry(member).or_default().push((name, kind)),
                }
            }
        }
        by_name.retain(|name, _| !matches!(*name, "sType" | "pNext"));
        let mut found = Vec::new();
        for (member, mut places) in by_name {
            places.sort_by_key(|place| rank(place.0));
            // A version of Vulkan means what its extensions mean.
            let has_core = places.iter().any(|place| rank(place.0) == 0);
            let mut groups: Vec<Vec<(&str, &str)>> = Vec::new();
            for place in places {
                match groups.first_mut() {
                    Some(first)
                        if has_core
                            || root != "VkPhysicalDeviceFeatures"
                                && kept_together(first[0].0, place.0) =>
                    {
                        first.push(place)
                    }
                    _ => groups.push(vec![place]),
                }
            }
            for (index, group) in groups.into_iter().enumerate() {
                let name = match index {
                    0 => member.to_owned(),
                    _ => format!("{}::{member}", group[0].0),
                };
                let mut structs = BTreeSet::new();
                for (place, _) in &group {
                    structs.insert((*place).to_owned());
                    let others = self.aliases.get(place).into_iter().flatten();
                    structs.extend(others.map(|&alias| alias.to_owned()));
                }
                found.push(Member {
                    name,
                    structs,
                    kind: group[0].1.to_owned(),
                });
            }
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }
}

/// Whether properties of these structures are the same.
fn kept_together(a: &str, b: &str) -> bool {
    let plain = |name: &str| {
        name.trim_end_matches(|c: char| c.is_ascii_uppercase())
            .to_owned()
    };
    plain(a) == plain(b) && rank(a) < 2 && rank(b) < 2
}

/// How a structure's name ranks: those of versions first, then those of extensions of all vendors.
fn rank(name: &str) -> u32 {
    let suffix: String = name
        .chars()
        .rev()
        .take_while(char::is_ascii_uppercase)
        .collect();
    match suffix.as_str() {
        "" => 0,
        "RHK" | "TXE" => 1,
        _ => 2,
    }
}

fn members<'d>(node: Node<'d, 'd>) -> Vec<(&'d str, &'d str, &'d str)> {
    let members = node.children().filter(|child| child.has_tag_name("member"));
    members
        .filter_map(|member| {
            let text = |tag: &str| {
                let found = member.children().find(|child| child.has_tag_name(tag))?;
                found.text()
            };
            let kind = member.attribute("limittype").unwrap_or("");
            Some((text("name")?, text("type")?, kind))
        })
        .collect()
}

const TABLES_HEAD: &str = "
use crate::tables::{Enable, FeatureInfo, Fixed, LimitInfo};

";

const PROFILES_HEAD: &str = "
use crate::tables::{Fixed, ProfileInfo};

pub(crate) static PROFILES: &[ProfileInfo] = &[
";

fn tables(
    document: &Document<'_>,
    grammar: &Grammar,
    features: &[Member],
    limits: &[Member],
    required: &RequiredLimits,
) -> Result<String, Box<dyn Error>> {
    let mut text = String::from(TABLES_HEAD);
    text.push_str("pub(crate) static FEATURES: &[FeatureInfo] = &[\n");
    for feature in features {
        writeln!(
            text,
            "    FeatureInfo {{ name: {:?}, structs: &{:?} }},",
            feature.name,
            feature.structs.iter().collect::<Vec<_>>()
        )?;
    }
    text.push_str("];\n\npub(crate) static LIMITS: &[LimitInfo] = &[\n");
    for limit in limits {
        let member = limit.name.rsplit("::").next().unwrap_or_default();
        let said = limit.structs.iter().map(String::as_str).chain([""]);
        let mut said =
            said.filter_map(|place| required.get(&(place.to_owned(), member.to_owned())));
        let values = said.next().map_or(&[][..], Vec::as_slice);
        let values: Vec<String> = values
            .iter()
            .filter_map(|(since, value)| Some(format!("({since}, Fixed::{})", number(value)?)))
            .collect();
        writeln!(
            text,
            "    LimitInfo {{ name: {:?}, structs: &{:?}, is_least: {}, required: &[{}] }},",
            limit.name,
            limit.structs.iter().collect::<Vec<_>>(),
            // The registry says of some upper bounds that they are lower ones.
            limit.kind.starts_with("min") && !member.starts_with("max"),
            values.join(", ")
        )?;
    }
    text.push_str(
        "];\n\n/// By number.\npub(crate) static CAPABILITIES: &[(u32, &[Enable])] = &[\n",
    );
    let kind = grammar
        .operand_kinds
        .iter()
        .find(|kind| kind.kind == "Capability")
        .ok_or("the grammar has no capabilities")?;
    let mut numbers = BTreeMap::new();
    for enumerant in &kind.enumerants {
        for name in std::iter::once(&enumerant.name).chain(&enumerant.aliases) {
            numbers.insert(name.as_str(), enumerant.value);
        }
    }
    let mut rows: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    for node in document
        .descendants()
        .filter(|it| it.has_tag_name("spirvcapability"))
    {
        // Some are in no grammar yet.
        let name = node.attribute("name").unwrap_or("");
        if let Some(&number) = numbers.get(name) {
            rows.entry(number)
                .or_default()
                .extend(enables(node, features, limits)?);
        }
    }
    for (number, enables) in rows {
        let enables: Vec<String> = enables.into_iter().collect();
        writeln!(text, "    ({number}, &[{}]),", enables.join(", "))?;
    }
    text.push_str("];\n\n/// By name.\npub(crate) static EXTENSIONS: &[(&str, &[Enable])] = &[\n");
    let mut rows: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for node in document
        .descendants()
        .filter(|it| it.has_tag_name("spirvextension"))
    {
        let name = node.attribute("name").unwrap_or("");
        rows.entry(name)
            .or_default()
            .extend(enables(node, features, limits)?);
    }
    // The registry leaves out some whose capabilities it has: what brings one of these is named
    // alike.
    let brought: BTreeSet<&str> = document
        .descendants()
        .filter(|it| it.has_tag_name("spirvcapability"))
        .flat_map(|it| it.children().filter_map(|it| it.attribute("requires")))
        .flat_map(|all| all.split(','))
        .collect();
    for name in kind
        .enumerants
        .iter()
        .flat_map(|it| &it.availability.extensions)
    {
        let alike = name.replacen("SPV_", "VK_", 1);
        if !rows.contains_key(name.as_str()) && brought.contains(alike.as_str()) {
            let enable = format!("Enable::Extension({alike:?})");
            rows.insert(name, BTreeSet::from([enable]));
        }
    }
    for (name, enables) in rows {
        let enables: Vec<String> = enables.into_iter().collect();
        writeln!(text, "    ({name:?}, &[{}]),", enables.join(", "))?;
    }
    text.push_str("];\n\n/// By name.\npub(crate) static ENUMERANTS: &[(&str, u32)] = &[\n");
    for (name, number) in enumerants(document)? {
        writeln!(text, "    ({name:?}, {number}),")?;
    }
    text.push_str("];\n");
    Ok(text)
}

/// The enumerations whose values lists of properties have.
const LISTED: [&str; 2] = ["VkScopeKHR", "VkComponentTypeKHR"];

/// The values of these enumerations.
fn enumerants<'d>(document: &'d Document<'d>) -> Result<BTreeMap<&'d str, u32>, Box<dyn Error>> {
    let is_listed = |name: Option<&str>| name.is_some_and(|name| LISTED.contains(&name));
    let mut found = BTreeMap::new();
    let mut aliases = Vec::new();
    for node in document.descendants().filter(|it| it.has_tag_name("enum")) {
        let attribute = |name| node.attribute(name);
        let of = node.parent().and_then(|it| it.attribute("name"));
        let (true, Some(name)) = (
            is_listed(of) || is_listed(attribute("extends")),
            attribute("name"),
        ) else {
            continue;
        };
        if let Some(alias) = attribute("alias") {
            aliases.push((name, alias));
        } else if let Some(value) = attribute("value") {
            found.insert(name, value.parse()?);
        } else if let Some(offset) = attribute("offset") {
            let own = node.ancestors().find(|it| it.has_tag_name("extension"));
            let number = attribute("extnumber").or_else(|| own?.attribute("number"));
            let number: u32 = number.ok_or("an offset without an extension")?.parse()?;
            // "Assigning Extension Token Values" in the style guide.
            found.insert(
                name,
                1_000_000_000 + (number - 1) * 1000 + offset.parse::<u32>()?,
            );
        }
    }
    for (name, alias) in aliases {
        let value = *found.get(alias).ok_or("an alias of nothing")?;
        found.insert(name, value);
    }
    Ok(found)
}

/// What an element says that one of must be there.
fn enables(
    node: Node<'_, '_>,
    features: &[Member],
    limits: &[Member],
) -> Result<Vec<String>, Box<dyn Error>> {
    let mut found = Vec::new();
    for enable in node.children().filter(|child| child.has_tag_name("enable")) {
        let attribute = |name: &str| enable.attribute(name);
        let requires: Vec<&str> =
            attribute("requires").map_or(Vec::new(), |it| it.split(',').collect());
        if let Some(version) = attribute("version") {
            found.push(format!("Enable::Version{:?}", version_of(version)?));
        } else if let Some(extension) = attribute("extension") {
            found.push(format!("Enable::Extension({extension:?})"));
        } else if let Some((place, member)) = attribute("struct").zip(attribute("feature")) {
            let index = find(features, place, member)?;
            found.push(format!(
                "Enable::Feature {{ feature: {index}, requires: &{requires:?} }}"
            ));
        } else if let Some((place, member)) = attribute("property").zip(attribute("member")) {
            let index = find(limits, place, member)?;
            let value = attribute("value").unwrap_or("VK_TRUE");
            found.push(format!(
                "Enable::Property {{ limit: {index}, value: {value:?}, requires: &{requires:?} }}"
            ));
        }
    }
    Ok(found)
}

/// `VK_VERSION_1_2` as its numbers.
fn version_of(name: &str) -> Result<(u32, u32), Box<dyn Error>> {
    let numbers = name
        .strip_prefix("VK_VERSION_")
        .and_then(|it| it.split_once('_'));
    let (major, minor) = numbers.ok_or_else(|| format!("{name} is no version"))?;
    Ok((major.parse()?, minor.parse()?))
}

fn find(all: &[Member], place: &str, member: &str) -> Result<usize, String> {
    find_member(all, place, member).ok_or_else(|| format!("there is no {place}::{member}"))
}

fn find_member(all: &[Member], place: &str, member: &str) -> Option<usize> {
    all.iter().position(|it| {
        let name = it.name.rsplit("::").next();
        name == Some(member) && it.structs.contains(place)
    })
}

/// Since which version, and what, by structure, if that is said, and name.
type RequiredLimits = BTreeMap<(String, String), Vec<(String, String)>>;

/// The required limits. Those of roadmaps are profiles'.
fn required_limits(text: &str) -> RequiredLimits {
    let mut found = BTreeMap::new();
    let table = text.split("[[limits-required]]").nth(1).unwrap_or("");
    let table = table.split("|====").nth(1).unwrap_or("");
    let lines = table
        .lines()
        .filter(|line| !line.starts_with("ifdef") && !line.starts_with("endif"));
    let table: Vec<&str> = lines.collect();
    // Some name their structure, too.
    let table = table.join("\n").replace("\n| slink:", "\n| pname:slink:");
    for row in table.split("\n| pname:").skip(1) {
        let row = row.replace("\\|", ",");
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (Some(name), Some(supported)) = (cells.first(), cells.get(2)) else {
            continue;
        };
        let mut values = Vec::new();
        for part in supported.split(" +\n").map(str::trim) {
            let since = match part {
                _ if part.contains("{limit1_4}") => "(1, 4)",
                _ if part.contains("({limit") => continue,
                _ => "(1, 0)",
            };
            let value = part.split("({").next().unwrap_or("").trim();
            values.push((since.to_owned(), value.to_owned()));
        }
        let (place, name) = match name
            .strip_prefix("slink:")
            .and_then(|it| it.split_once("::pname:"))
        {
            Some((place, name)) => (place, name),
            None => ("", *name),
        };
        found.insert((place.to_owned(), name.to_owned()), values);
    }
    found
}

/// A number of the table as a value's text, if it is one.
fn number(text: &str) -> Option<String> {
    let text = text.split(" ^").next()?.trim();
    if let Some(inner) = text.strip_prefix('(').and_then(|it| it.strip_suffix(')')) {
        let each: Option<Vec<f64>> = inner.split(',').map(|it| it.trim().parse().ok()).collect();
        return Some(format!("Each(&{:?})", each?));
    }
    if let Some(power) = text.strip_prefix("2^") {
        let (power, rest) = power.split_once('^')?;
        let value = 1i64.checked_shl(power.parse().ok()?)?;
        return Some(format!(
            "Whole({})",
            value + rest.parse::<i64>().unwrap_or(0)
        ));
    }
    match text {
        "ename:VK_TRUE" => Some("Bool(true)".to_owned()),
        "ename:VK_FALSE" => Some("Bool(false)".to_owned()),
        _ => match text.parse::<i64>() {
            Ok(whole) => Some(format!("Whole({whole})")),
            Err(_) => Some(format!("Real({:?})", text.parse::<f64>().ok()?)),
        },
    }
}

/// Adds the profiles of a file.
fn write_profiles(
    file: &Value,
    features: &[Member],
    limits: &[Member],
    text: &mut String,
) -> Result<(), Box<dyn Error>> {
    let profiles = file["profiles"]
        .as_object()
        .ok_or("there are no profiles")?;
    for (name, profile) in profiles {
        let mut all = Capabilities::default();
        add_profile(file, profile, &mut all)?;
        let version: Vec<&str> = profile["api-version"]
            .as_str()
            .unwrap_or("1.0.0")
            .split('.')
            .collect();
        let label = profile["label"].as_str().unwrap_or(name);
        let indices = |members: &[Member],
                       places: &BTreeMap<(String, String), Value>|
         -> BTreeMap<usize, Value> {
            let found = places.iter().filter_map(|((place, member), value)| {
                Some((find_member(members, place, member)?, value.clone()))
            });
            found.collect()
        };
        let on: Vec<usize> = indices(features, &all.features)
            .into_iter()
            .filter(|(_, value)| *value == Value::Bool(true))
            .map(|(index, _)| index)
            .collect();
        let extensions: Vec<&String> = all.extensions.iter().collect();
        writeln!(text, "    ProfileInfo {{")?;
        writeln!(text, "        name: {name:?},")?;
        writeln!(text, "        label: {label:?},")?;
        writeln!(text, "        version: ({}, {}),", version[0], version[1])?;
        writeln!(text, "        features: &{on:?},")?;
        writeln!(text, "        extensions: &{extensions:?},")?;
        let values: Vec<String> = indices(limits, &all.properties)
            .into_iter()
            .filter_map(|(index, value)| Some(format!("({index}, Fixed::{})", fixed(&value)?)))
            .collect();
        writeln!(text, "        limits: &[{}],", values.join(", "))?;
        writeln!(text, "    }},")?;
    }
    Ok(())
}

fn fixed(value: &Value) -> Option<String> {
    match value {
        Value::Bool(is) => Some(format!("Bool({is})")),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Some(format!("Whole({whole})")),
            None => Some(format!("Real({:?})", number.as_f64()?)),
        },
        Value::Array(all) if all.iter().all(Value::is_string) => {
            let names: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
            Some(format!("Names(&{names:?})"))
        }
        Value::Array(all) => {
            let each: Option<Vec<f64>> = all.iter().map(Value::as_f64).collect();
            Some(format!("Each(&{:?})", each?))
        }
        _ => None,
    }
}

/// What a profile asks for.
#[derive(Default)]
struct Capabilities {
    extensions: BTreeSet<String>,
    features: BTreeMap<(String, String), Value>,
    properties: BTreeMap<(String, String), Value>,
}

fn add_profile(
    file: &Value,
    profile: &Value,
    all: &mut Capabilities,
) -> Result<(), Box<dyn Error>> {
    for name in profile["profiles"].as_array().into_iter().flatten() {
        let name = name.as_str().unwrap_or("");
        add_profile(file, &file["profiles"][name], all)?;
    }
    for block in profile["capabilities"].as_array().into_iter().flatten() {
        // Of a list, one is there, and nobody knows which.
        let Some(name) = block.as_str() else { continue };
        let block = &file["capabilities"][name];
        let keys = block["extensions"].as_object().into_iter().flatten();
        all.extensions.extend(keys.map(|it| it.0.clone()));
        for (kind, to) in [
            ("features", &mut all.features),
            ("properties", &mut all.properties),
        ] {
            for (place, members) in block[kind].as_object().into_iter().flatten() {
                for (member, value) in members.as_object().into_iter().flatten() {
                    match value {
                        Value::Object(inner) => {
                            let inner = inner.iter();
                            to.extend(inner.map(|(member, value)| {
                                ((place.clone(), member.clone()), value.clone())
                            }));
                        }
                        _ => {
                            to.insert((place.clone(), member.clone()), value.clone());
                        }
                    }
                }
            }
        }
    }
    Ok(())
}
