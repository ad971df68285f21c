//! Where bindings come from that are mapped to descriptor heaps (`VK_EXT_descriptor_heap`).

use std::fmt;

/// What the bindings of a set are mapped to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MappingSource(u8);

macro_rules! sources {
    ($($number:literal $name:ident)*) => {
        #[allow(missing_docs, reason = "the names are Vulkan's")]
        impl MappingSource {
            $(pub const $name: Self = Self($number);)*
        }

        /// The names without `VK_DESCRIPTOR_MAPPING_SOURCE_` and `_EXT`, by their numbers.
        const SOURCES: &[&str] = &[$(stringify!($name)),*];
    };
}

sources! {
    0 HEAP_WITH_CONSTANT_OFFSET
    1 HEAP_WITH_PUSH_INDEX
    2 HEAP_WITH_INDIRECT_INDEX
    3 HEAP_WITH_INDIRECT_INDEX_ARRAY
    4 RESOURCE_HEAP_DATA
    5 PUSH_DATA
    6 PUSH_ADDRESS
    7 INDIRECT_ADDRESS
    8 HEAP_WITH_SHADER_RECORD_INDEX
    9 SHADER_RECORD_DATA
    10 SHADER_RECORD_ADDRESS
}

impl MappingSource {
    /// The source of this name, such as `PUSH_DATA`, with or without what is around it in Vulkan.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_uppercase();
        let prefix = "VK_DESCRIPTOR_MAPPING_SOURCE_";
        let name = name.strip_prefix(prefix).unwrap_or(&name);
        let name = name.strip_suffix("_EXT").unwrap_or(name);
        let found = SOURCES.iter().position(|it| *it == name)?;
        Some(Self(found as u8))
    }

    /// Its name, without `VK_DESCRIPTOR_MAPPING_SOURCE_` and `_EXT`.
    pub fn name(self) -> &'static str {
        SOURCES.get(usize::from(self.0)).copied().unwrap_or("")
    }

    /// All sources.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..SOURCES.len() as u8).map(Self)
    }

    /// Whether it gives the address of a resource, without its size.
    pub fn is_address(self) -> bool {
        self.name().ends_with("_ADDRESS")
    }

    /// Whether it gives the data of one resource or its address, not a place among descriptors.
    pub fn is_single(self) -> bool {
        !self.name().starts_with("HEAP_WITH_")
    }
}

impl fmt::Display for MappingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
