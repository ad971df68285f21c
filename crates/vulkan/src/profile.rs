//! Devices in JSON, in the format of Vulkan's profiles.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value as Json;

use crate::device::Device;
use crate::tables::{Feature, Limit};
use crate::value::Value;

/// What is wrong with a profile.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProfileError {
    /// It is no JSON.
    Json(serde_json::Error),
    /// It isn't what a profile is.
    Shape(String),
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => write!(f, "this is no JSON: {error}"),
            Self::Shape(what) => write!(f, "this is no profile of Vulkan: {what}"),
        }
    }
}

impl std::error::Error for ProfileError {}

impl Device {
    /// The devices of a file: one for each of its profiles. Features and properties that nobody
    /// knows are left out. A property that is a list has entries of its structure, such as
    /// `VkCooperativeMatrixPropertiesKHR`. Of a list of capabilities, a device has one, and which isn't known, so
    /// none counts.
    ///
    /// # Errors
    ///
    /// If the text is no JSON, or has no profiles.
    pub fn from_json(text: &str) -> Result<Vec<Self>, ProfileError> {
        let file: Json = serde_json::from_str(text).map_err(ProfileError::Json)?;
        let Some(profiles) = file["profiles"].as_object() else {
            return Err(ProfileError::Shape("there is no object `profiles`".into()));
        };
        if profiles.is_empty() {
            return Err(ProfileError::Shape("`profiles` is empty".into()));
        }
        let device = |(name, profile): (&String, &Json)| {
            let version = version(name, profile)?;
            let mut device = Self::new(name.clone(), version);
            add_profile(&file, profile, &mut device, &mut BTreeSet::from([&**name]))?;
            Ok(device)
        };
        profiles.iter().map(device).collect()
    }
}

fn version(name: &str, profile: &Json) -> Result<(u32, u32), ProfileError> {
    let text = profile["api-version"].as_str().unwrap_or_default();
    let mut numbers = text.split('.').map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => Ok((major, minor)),
        _ => Err(ProfileError::Shape(format!(
            "`{name}` needs an `api-version` such as \"1.3.204\""
        ))),
    }
}

/// Adds what a profile and those that it is built on have, each of which counts once.
fn add_profile<'j>(
    file: &'j Json,
    profile: &'j Json,
    device: &mut Device,
    seen: &mut BTreeSet<&'j str>,
) -> Result<(), ProfileError> {
    for name in names(&profile["profiles"]) {
        if seen.insert(name) {
            add_profile(file, &file["profiles"][name], device, seen)?;
        }
    }
    for name in names(&profile["capabilities"]) {
        let block = &file["capabilities"][name];
        if !block.is_object() {
            return Err(ProfileError::Shape(format!(
                "there are no capabilities `{name}`"
            )));
        }
        for extension in block["extensions"].as_object().into_iter().flatten() {
            device.set_extension(extension.0.clone());
        }
        each_member(&block["features"], |place, member, value| {
            if let (Some(feature), Some(true)) =
                (Feature::of_member(place, member), value.as_bool())
            {
                device.set_feature(feature);
            }
        });
        for (structure, list) in block["properties"].as_object().into_iter().flatten() {
            for entry in list.as_array().into_iter().flatten() {
                let members = entry.as_object().into_iter().flatten();
                let members = members.filter_map(|(name, json)| Some((name.clone(), value(json)?)));
                device.add_entry(structure.clone(), members.collect());
            }
        }
        each_member(&block["properties"], |place, member, json| {
            if let (Some(limit), Some(value)) = (Limit::of_member(place, member), value(json)) {
                device.set_limit(limit, value);
            }
        });
    }
    Ok(())
}

/// The strings of a list.
fn names(list: &Json) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
}

/// Calls a function with each member of structures, and of the structures in these.
fn each_member<'j>(structs: &'j Json, mut see: impl FnMut(&'j str, &'j str, &'j Json)) {
    for (place, members) in structs.as_object().into_iter().flatten() {
        for (member, value) in members.as_object().into_iter().flatten() {
            see(place, member, value);
            for (member, value) in value.as_object().into_iter().flatten() {
                see(place, member, value);
            }
        }
    }
}

/// The members of an extent.
const EXTENT: [&str; 3] = ["width", "height", "depth"];

fn value(json: &Json) -> Option<Value> {
    match json {
        Json::Bool(is) => Some(Value::Bool(*is)),
        Json::Number(number) => Some(Value::Number(number.as_f64()?)),
        Json::String(name) => Some(Value::Names(vec![name.clone()])),
        Json::Array(all) if all.iter().all(Json::is_number) && !all.is_empty() => {
            Some(Value::Each(all.iter().filter_map(Json::as_f64).collect()))
        }
        Json::Array(all) => {
            let names = all.iter().map(|it| it.as_str().map(str::to_owned));
            Some(Value::Names(names.collect::<Option<_>>()?))
        }
        // An extent. Of other structures, the members are in their order.
        Json::Object(all) => {
            let known = EXTENT.iter().filter_map(|name| all.get(*name));
            let each: Vec<&Json> = match known.clone().count() == all.len() {
                true => known.collect(),
                false => all.values().collect(),
            };
            let each = each.into_iter().map(Json::as_f64);
            Some(Value::Each(each.collect::<Option<_>>()?))
        }
        Json::Null => None,
    }
}
