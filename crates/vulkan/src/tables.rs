//! How the generated tables are made.

use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::generated::tables::{CAPABILITIES, ENUMERANTS, EXTENSIONS, FEATURES, LIMITS};
use crate::value::Value;

/// A feature: a number in the table of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Feature(pub(crate) u16);

/// A limit, or another property: a number in the table of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Limit(pub(crate) u16);

pub(crate) struct FeatureInfo {
    pub(crate) name: &'static str,
    pub(crate) structs: &'static [&'static str],
}

pub(crate) struct LimitInfo {
    pub(crate) name: &'static str,
    pub(crate) structs: &'static [&'static str],
    /// Whether it is a lower bound.
    pub(crate) is_least: bool,
    /// What every device of a version has at least.
    pub(crate) required: &'static [((u32, u32), Fixed)],
}

pub(crate) struct ProfileInfo {
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    pub(crate) version: (u32, u32),
    pub(crate) features: &'static [u16],
    pub(crate) extensions: &'static [&'static str],
    pub(crate) limits: &'static [(u16, Fixed)],
}

/// A value in a table.
#[derive(Clone, Copy)]
pub(crate) enum Fixed {
    Bool(bool),
    Whole(i64),
    Real(f64),
    Each(&'static [f64]),
    Names(&'static [&'static str]),
}

impl Fixed {
    pub(crate) fn value(self) -> Value {
        match self {
            Self::Bool(is) => Value::Bool(is),
            Self::Whole(number) => Value::Number(number as f64),
            Self::Real(number) => Value::Number(number),
            Self::Each(all) => Value::Each(all.to_vec()),
            Self::Names(all) => Value::Names(all.iter().map(|&name| name.to_owned()).collect()),
        }
    }
}

/// What lets a device accept something (`vk.xml`, `spirvcapabilities` and `spirvextensions`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Enable {
    /// This version of Vulkan, major and minor.
    Version(u32, u32),
    /// An extension of Vulkan.
    Extension(&'static str),
    /// That an extension of Vulkan is not there, which allows less.
    Without(&'static str),
    /// That a feature is not there, by which another rule holds.
    Lacking {
        /// A number in the table of features.
        feature: u16,
    },
    /// A feature. What it `requires` is a version (`VK_VERSION_1_2`) or an extension of Vulkan;
    /// one of them must be there.
    Feature {
        /// A number in the table of features.
        feature: u16,
        /// What brings it.
        requires: &'static [&'static str],
    },
    /// A value that a property has, or, of several values, contains.
    Property {
        /// A number in the table of properties.
        limit: u16,
        /// `VK_TRUE`, or one of the values of a mask.
        value: &'static str,
        /// What brings it.
        requires: &'static [&'static str],
    },
}

/// The numbers of names that are asked for with each instruction.
type ByName = LazyLock<HashMap<&'static str, u16>>;

impl Feature {
    /// The feature of this name, such as `shaderInt64`; of a name that several have,
    /// `VkPhysicalDeviceMeshShaderFeaturesNV::meshShader`.
    pub fn named(name: &str) -> Option<Self> {
        static BY_NAME: ByName =
            ByName::new(|| FEATURES.iter().map(|it| it.name).zip(0..).collect());
        BY_NAME.get(name).map(|&index| Self(index))
    }

    /// The feature that a structure's member stands for.
    pub fn of_member(place: &str, member: &str) -> Option<Self> {
        let index = find(
            member,
            place,
            FEATURES.iter().map(|it| (it.name, it.structs)),
        )?;
        Some(Self(index as u16))
    }

    /// All features.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..FEATURES.len() as u16).map(Self)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        FEATURES[usize::from(self.0)].name
    }

    /// The structures that have it.
    pub fn structs(self) -> &'static [&'static str] {
        FEATURES[usize::from(self.0)].structs
    }

    /// The structure with which `VkDeviceCreateInfo` turns it on in a version of Vulkan: that of
    /// the version, if it has one, or else that of the extension.
    pub fn structure(self, version: (u32, u32)) -> &'static str {
        let rank = |name: &&str| {
            let of_version = name.strip_prefix("VkPhysicalDeviceVulkan");
            let of_version = of_version.and_then(|it| it.strip_suffix("Features"));
            match of_version.and_then(|it| it.parse::<u32>().ok()) {
                // The structure of 1.1 came with 1.2.
                Some(number) if version.0 * 10 + version.1 >= number.max(12) => 0,
                Some(_) => 4,
                None if name.ends_with("Features") => 1,
                None if name.ends_with("KHR") => 2,
                None => 3,
            }
        };
        self.structs()
            .iter()
            .copied()
            .min_by_key(rank)
            .unwrap_or_default()
    }
}

impl Limit {
    /// The limit or property of this name, such as `maxComputeWorkGroupInvocations`.
    pub fn named(name: &str) -> Option<Self> {
        static BY_NAME: ByName = ByName::new(|| LIMITS.iter().map(|it| it.name).zip(0..).collect());
        BY_NAME.get(name).map(|&index| Self(index))
    }

    /// The property that a structure's member stands for.
    pub fn of_member(place: &str, member: &str) -> Option<Self> {
        let index = find(member, place, LIMITS.iter().map(|it| (it.name, it.structs)))?;
        Some(Self(index as u16))
    }

    /// All limits and other properties.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..LIMITS.len() as u16).map(Self)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        LIMITS[usize::from(self.0)].name
    }

    /// The structures that have it.
    pub fn structs(self) -> &'static [&'static str] {
        LIMITS[usize::from(self.0)].structs
    }

    /// Whether what is limited must not be less, rather than more.
    pub fn is_least(self) -> bool {
        LIMITS[usize::from(self.0)].is_least
    }

    /// Whether the specification requires a value for each of several dimensions.
    pub fn is_by_dimension(self) -> bool {
        matches!(self.required((u32::MAX, 0)), Some(Value::Each(_)))
    }

    /// What every device of a version, major and minor, has at least, if the specification says so
    /// ("Required Limits").
    pub fn required(self, version: (u32, u32)) -> Option<Value> {
        let mut all = LIMITS[usize::from(self.0)].required.iter();
        let last = all.rfind(|(since, _)| *since <= version)?;
        Some(last.1.value())
    }
}

fn find<'t>(
    member: &str,
    place: &str,
    mut all: impl Iterator<Item = (&'t str, &'t [&'t str])>,
) -> Option<usize> {
    all.position(|(name, structs)| {
        // A qualified name ends in the member's.
        let rest = name.strip_suffix(member);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with("::")) && structs.contains(&place)
    })
}

/// What lets devices accept a capability, one of which is enough; `None` for one that Vulkan
/// doesn't know.
pub fn capability_enables(capability: u32) -> Option<&'static [Enable]> {
    let index = CAPABILITIES
        .binary_search_by_key(&capability, |it| it.0)
        .ok()?;
    Some(CAPABILITIES[index].1)
}

/// What lets devices accept an extension of SPIR-V, one of which is enough; `None` for one that
/// Vulkan doesn't know.
pub fn extension_enables(name: &str) -> Option<&'static [Enable]> {
    let index = EXTENSIONS.binary_search_by_key(&name, |it| it.0).ok()?;
    Some(EXTENSIONS[index].1)
}

/// The number of a scope or a type of components, by its name in Vulkan.
pub(crate) fn enumerant(name: &str) -> Option<u32> {
    let index = ENUMERANTS.binary_search_by_key(&name, |it| it.0).ok()?;
    Some(ENUMERANTS[index].1)
}

/// The name of a scope (`VK_SCOPE_`) or a type of components (`VK_COMPONENT_TYPE_`) in Vulkan.
pub(crate) fn enumerant_name(prefix: &str, number: u32) -> Option<&'static str> {
    let mut all = ENUMERANTS.iter();
    let found = all.find(|it| it.1 == number && it.0.starts_with(prefix))?;
    Some(found.0)
}
