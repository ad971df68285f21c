//! `spv info --requires`: what a Vulkan device must have for a module.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;
use spirvkit::binary::Error;
use spirvkit::validate::device_needs;
use spirvkit::vulkan::{Entry, Requirements, Value};

use super::{Format, yaml};

/// What a module requires.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    file: &'a str,
    /// The version of Vulkan.
    version: String,
    /// Features by the structures that turn them on.
    features: BTreeMap<&'static str, Vec<&'static str>>,
    extensions: Vec<String>,
    /// Limits and other properties.
    properties: BTreeMap<&'static str, serde_json::Value>,
    /// Entries of lists of what a device takes, by their structures.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    lists: BTreeMap<String, Vec<BTreeMap<String, serde_json::Value>>>,
    /// What no device has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unmet: Vec<String>,
    /// The profiles that have all of it.
    profiles: Vec<&'static str>,
}

impl<'a> Document<'a> {
    pub(super) fn new(file: &'a str, words: &[u32]) -> Result<Self, Error> {
        let required = Requirements::of_needs(device_needs(words)?);
        let device = &required.device;
        let (major, minor) = device.version();
        let mut features: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for feature in device.features() {
            let name = feature.name().rsplit("::").next().unwrap_or_default();
            let place = feature.structure(device.version());
            features.entry(place).or_default().push(name);
        }
        let properties = device.limits();
        Ok(Self {
            file,
            version: format!("{major}.{minor}"),
            features,
            extensions: device.extensions().map(str::to_owned).collect(),
            properties: properties
                .map(|(limit, value)| (limit.name(), json(value)))
                .collect(),
            lists: device
                .lists()
                .map(|(structure, list)| (structure.to_owned(), list.iter().map(members).collect()))
                .collect(),
            unmet: required
                .unmet
                .iter()
                .map(|need| need.what.clone())
                .collect(),
            profiles: required.profiles(),
        })
    }

    pub(super) fn show(&self, format: Format) -> Result<String, String> {
        match format {
            Format::Human => Ok(self.lines()),
            Format::Json => serde_json::to_string(self).map_err(|error| error.to_string()),
            Format::Yaml => yaml(self).map_err(|error| error.to_string()),
        }
    }

    fn lines(&self) -> String {
        let mut text = format!("{}\n  Vulkan      {}", self.file, self.version);
        let mut line = |name: &str, value: &str| {
            let _ = write!(text, "\n  {name:10}  {value}");
        };
        for (place, names) in &self.features {
            for name in names {
                line("feature", &format!("{name} ({place})"));
            }
        }
        for name in &self.extensions {
            line("extension", name);
        }
        for (name, value) in &self.properties {
            line("property", &format!("{name}: {value}"));
        }
        for (structure, list) in &self.lists {
            for entry in list {
                let members = entry.iter().map(|(name, value)| format!("{name}: {value}"));
                let members: Vec<String> = members.collect();
                line("entry", &format!("{structure} ({})", members.join(", ")));
            }
        }
        for what in &self.unmet {
            line("no device", what);
        }
        match self.profiles.is_empty() {
            true => line("profiles", "none of those that are built in"),
            false => line("profiles", &self.profiles.join(" ")),
        }
        text
    }
}

/// The members of an entry.
fn members(entry: &Entry) -> BTreeMap<String, serde_json::Value> {
    let members = entry.iter();
    members
        .map(|(name, value)| match value {
            // An enumeration rather than a mask.
            Value::Names(names) if names.len() == 1 => (name.clone(), names[0].clone().into()),
            _ => (name.clone(), json(value)),
        })
        .collect()
}

fn json(value: &Value) -> serde_json::Value {
    let number = |number: f64| match number.fract() == 0.0 && number.abs() < 1e15 {
        true => serde_json::Value::from(number as i64),
        false => serde_json::Value::from(number),
    };
    match value {
        Value::Bool(is) => (*is).into(),
        Value::Number(it) => number(*it),
        Value::Each(all) => all.iter().map(|&it| number(it)).collect(),
        Value::Names(all) => all.iter().map(String::as_str).collect(),
        _ => serde_json::Value::Null,
    }
}
