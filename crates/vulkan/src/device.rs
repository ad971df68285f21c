//! What a device has.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::generated::profiles::PROFILES;
use crate::tables::{Enable, Feature, Limit, ProfileInfo};
use crate::value::Value;

/// A device, or a profile that many devices satisfy: its version of Vulkan, features, extensions
/// and limits.
///
/// ```
/// use spirvkit_vulkan::{Device, Feature};
///
/// let device = Device::profile("VP_KHR_roadmap_2022").unwrap();
/// assert!(device.has(Feature::named("imageCubeArray").unwrap()));
/// assert!(!device.has(Feature::named("geometryShader").unwrap()));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    name: String,
    version: (u32, u32),
    // What copies share, for it is much, and whoever validates copies devices.
    features: Arc<BTreeSet<Feature>>,
    extensions: Arc<BTreeSet<String>>,
    limits: Arc<BTreeMap<Limit, Value>>,
    /// Lists of what it takes, by the structure of their entries.
    lists: Arc<BTreeMap<String, Vec<Entry>>>,
    /// Whether it has everything but what limits say, and these features.
    has_all: bool,
    lacking: Arc<BTreeSet<Feature>>,
}

/// An entry of a list of what a device takes, such as a `VkCooperativeMatrixPropertiesKHR`: its members
/// by name.
pub type Entry = BTreeMap<String, Value>;

/// A feature or extension that can't be turned on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnableError {
    /// There is no feature, extension or property of this name.
    Unknown(String),
    /// The device doesn't have it.
    Missing(String),
}

impl fmt::Display for EnableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => write!(
                f,
                "`{name}` is neither a feature nor an extension of Vulkan"
            ),
            Self::Missing(name) => write!(f, "the device doesn't have `{name}`"),
        }
    }
}

impl std::error::Error for EnableError {}

impl Device {
    /// A device of a version, major and minor, with nothing but what all of them have.
    pub fn new(name: impl Into<String>, version: (u32, u32)) -> Self {
        Self {
            name: name.into(),
            version,
            features: Arc::default(),
            extensions: Arc::default(),
            limits: Arc::default(),
            lists: Arc::default(),
            has_all: false,
            lacking: Arc::default(),
        }
    }

    /// A device that has everything, within the limits that it is given: for limits of one's own.
    pub fn with_everything(name: impl Into<String>) -> Self {
        Self {
            has_all: true,
            ..Self::new(name, (u32::MAX, 0))
        }
    }

    /// Whether it is made [with everything](Self::with_everything), and so is no real device.
    pub fn has_everything(&self) -> bool {
        self.has_all
    }

    /// A profile that is built in, such as `VP_KHR_roadmap_2024`.
    pub fn profile(name: &str) -> Option<Self> {
        let info = PROFILES.iter().find(|info| info.name == name)?;
        Some(Self::of_profile(info))
    }

    /// The names of all profiles that are built in, and what they are called in full.
    pub fn profiles() -> impl Iterator<Item = (&'static str, &'static str)> {
        PROFILES.iter().map(|info| (info.name, info.label))
    }

    fn of_profile(info: &ProfileInfo) -> Self {
        let features = info.features.iter().copied().map(Feature);
        let extensions = info.extensions.iter().map(|&it| it.to_owned());
        let limits = info.limits.iter();
        let limits = limits.map(|&(limit, value)| (Limit(limit), value.value()));
        Self {
            has_all: false,
            lacking: Arc::default(),
            name: info.name.to_owned(),
            version: info.version,
            features: Arc::new(features.collect()),
            extensions: Arc::new(extensions.collect()),
            limits: Arc::new(limits.collect()),
            lists: Arc::default(),
        }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its version of Vulkan, major and minor.
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    /// Whether it has a feature.
    pub fn has(&self, feature: Feature) -> bool {
        match self.has_all {
            true => !self.lacking.contains(&feature),
            false => self.features.contains(&feature),
        }
    }

    /// Whether it has an extension of Vulkan.
    pub fn has_extension(&self, name: &str) -> bool {
        self.has_all || self.extensions.contains(name)
    }

    /// The value of a limit: what the device says, or what all devices of its version have.
    pub fn limit(&self, limit: Limit) -> Option<Value> {
        let own = self.limits.get(&limit).cloned();
        own.or_else(|| limit.required(self.version).filter(|_| !self.has_all))
    }

    /// Adds a feature.
    pub fn set_feature(&mut self, feature: Feature) {
        Arc::make_mut(&mut self.features).insert(feature);
        Arc::make_mut(&mut self.lacking).remove(&feature);
    }

    /// Adds an extension of Vulkan.
    pub fn set_extension(&mut self, name: impl Into<String>) {
        Arc::make_mut(&mut self.extensions).insert(name.into());
    }

    /// Takes a feature away.
    pub fn remove_feature(&mut self, feature: Feature) {
        Arc::make_mut(&mut self.features).remove(&feature);
        if self.has_all {
            Arc::make_mut(&mut self.lacking).insert(feature);
        }
    }

    /// Takes an extension of Vulkan away.
    pub fn remove_extension(&mut self, name: &str) {
        Arc::make_mut(&mut self.extensions).remove(name);
    }

    /// Takes away what the device says of a limit, so that the least one counts that all devices
    /// of its version have.
    pub fn remove_limit(&mut self, limit: Limit) {
        Arc::make_mut(&mut self.limits).remove(&limit);
    }

    /// Its features.
    pub fn features(&self) -> impl Iterator<Item = Feature> + '_ {
        self.features.iter().copied()
    }

    /// Its extensions of Vulkan, in the order of their names.
    pub fn extensions(&self) -> impl Iterator<Item = &str> {
        self.extensions.iter().map(String::as_str)
    }

    /// What it says of limits and other properties.
    pub fn limits(&self) -> impl Iterator<Item = (Limit, &Value)> {
        self.limits.iter().map(|(&limit, value)| (limit, value))
    }

    /// The list that a structure is an entry of, such as `VkCooperativeMatrixPropertiesKHR`; `None` if
    /// nobody knows it.
    pub fn list(&self, structure: &str) -> Option<&[Entry]> {
        self.lists.get(structure).map(Vec::as_slice)
    }

    /// All lists that are known, by the structures of their entries.
    pub fn lists(&self) -> impl Iterator<Item = (&str, &[Entry])> {
        let all = self.lists.iter();
        all.map(|(name, list)| (name.as_str(), list.as_slice()))
    }

    /// Adds an entry to the list of a structure.
    pub fn add_entry(&mut self, structure: impl Into<String>, entry: Entry) {
        Arc::make_mut(&mut self.lists)
            .entry(structure.into())
            .or_default()
            .push(entry);
    }

    /// Takes an entry out of the list of a structure, which may become empty.
    pub fn remove_entry(&mut self, structure: &str, index: usize) {
        if let Some(list) = Arc::make_mut(&mut self.lists).get_mut(structure)
            && index < list.len()
        {
            list.remove(index);
        }
    }

    /// Sets its version of Vulkan, major and minor.
    pub fn set_version(&mut self, version: (u32, u32)) {
        self.version = version;
    }

    /// Sets a limit.
    pub fn set_limit(&mut self, limit: Limit, value: Value) {
        Arc::make_mut(&mut self.limits).insert(limit, value);
    }

    /// Adds an extension or a feature by its name, takes a feature away (`!geometryShader`), or
    /// sets a property: `maxVectorComponents=8`,
    /// `maxComputeWorkGroupSize=8,4,2`, `shaderDenormPreserveFloat32=true`, or
    /// `subgroupSupportedStages=VK_SHADER_STAGE_VERTEX_BIT,VK_SHADER_STAGE_FRAGMENT_BIT`. An entry of
    /// a list is written as its structure and members: `VkCooperativeVectorPropertiesNV/transpose=true`.
    ///
    /// # Errors
    ///
    /// If there is no such feature or property, or that is no value.
    pub fn grant(&mut self, text: &str) -> Result<(), EnableError> {
        let unknown = || EnableError::Unknown(text.to_owned());
        if let Some((structure, members)) = text.split_once('/') {
            let member = |text: &str| {
                let (name, value) = text.split_once('=')?;
                Some((name.to_owned(), Value::parse(value)?))
            };
            let entry = members.split('/').map(member).collect::<Option<Entry>>();
            self.add_entry(structure, entry.ok_or_else(unknown)?);
        } else if let Some((name, value)) = text.split_once('=') {
            let limit = Limit::named(name).ok_or_else(unknown)?;
            self.set_limit(limit, Value::parse(value).ok_or_else(unknown)?);
        } else if let Some(name) = text.strip_prefix('!') {
            self.remove_feature(Feature::named(name).ok_or_else(unknown)?);
        } else if let Some(feature) = Feature::named(text) {
            self.set_feature(feature);
        } else if text.starts_with("VK_") {
            self.set_extension(text);
        } else {
            return Err(unknown());
        }
        Ok(())
    }

    /// The same with only these features and extensions on.
    ///
    /// # Errors
    ///
    /// If one of them doesn't exist, or the device doesn't have it.
    pub fn with_only<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Self, EnableError> {
        let mut device = self.clone();
        device.features = Arc::default();
        device.extensions = Arc::default();
        for name in names {
            match Feature::named(name) {
                Some(feature) if self.has(feature) => {
                    device.set_feature(feature);
                }
                None if self.has_extension(name) => {
                    device.set_extension(name);
                }
                None if !name.starts_with("VK_") => {
                    return Err(EnableError::Unknown(name.to_owned()));
                }
                _ => return Err(EnableError::Missing(name.to_owned())),
            }
        }
        Ok(device)
    }

    /// Whether it has what enables something.
    pub fn enables(&self, enable: Enable) -> bool {
        match enable {
            Enable::Version(major, minor) => self.version >= (major, minor),
            Enable::Extension(name) => self.has_extension(name) || self.has_promoted(name),
            Enable::Without(name) => !self.has_extension(name),
            Enable::Lacking { feature } => !self.has(Feature(feature)),
            Enable::Feature { feature, requires } => {
                let is_brought = requires.is_empty() || requires.iter().any(|it| self.brings(it));
                is_brought && self.has(Feature(feature))
            }
            Enable::Property {
                limit,
                value,
                requires,
            } => {
                let is_brought = requires.is_empty() || requires.iter().any(|it| self.brings(it));
                let found = self.limit(Limit(limit));
                let has_it = found.map_or(self.has_all, |found| found.contains(value));
                has_it && (self.has_all || is_brought)
            }
        }
    }

    /// Whether it has all features that an extension without features of its own became in a version of
    /// Vulkan, which then are the same as the extension.
    fn has_promoted(&self, extension: &str) -> bool {
        const VIEWPORT_INDEX_LAYER: &[&str] = &["shaderOutputViewportIndex", "shaderOutputLayer"];
        let has = |name: &&str| Feature::named(name).is_some_and(|feature| self.has(feature));
        extension == "VK_EXT_shader_viewport_index_layer"
            && self.version >= (1, 2)
            && VIEWPORT_INDEX_LAYER.iter().all(has)
    }

    /// Whether it has a version of Vulkan, given as `VK_VERSION_1_2`, or an extension.
    pub(crate) fn brings(&self, name: &str) -> bool {
        match version_named(name) {
            Some(version) => self.version >= version,
            None => self.has_extension(name),
        }
    }
}

/// `VK_VERSION_1_2` as its numbers.
pub(crate) fn version_named(name: &str) -> Option<(u32, u32)> {
    let (major, minor) = name.strip_prefix("VK_VERSION_")?.split_once('_')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
