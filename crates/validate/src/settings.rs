//! The options by the names that command lines have for them.

use std::fmt;

use crate::options::{DescriptorLayout, Options};

/// An option of [`Options`] that can be set by its name.
#[derive(Debug)]
pub struct Setting {
    /// The name, without dashes before it: `max-struct-members`.
    pub name: &'static str,
    /// What it does, in a few words.
    pub help: &'static str,
    slot: Slot,
}

/// Where the option is kept.
#[derive(Debug)]
enum Slot {
    Switch(fn(&mut Options) -> &mut bool),
    Limit(fn(&mut Options) -> &mut u32),
    Descriptor(fn(&mut Options) -> &mut DescriptorLayout),
}

impl Setting {
    /// What stands for its value in help texts; `None` if it is a switch, whose
    /// value is `true` or `false`.
    pub fn value(&self) -> Option<&'static str> {
        match self.slot {
            Slot::Switch(_) => None,
            Slot::Limit(_) => Some("N"),
            Slot::Descriptor(_) => Some("S:A"),
        }
    }

    /// What it does; of a limit, with its default.
    pub fn help_text(&self) -> String {
        match self.slot {
            Slot::Limit(slot) => {
                format!("{} [default: {}]", self.help, slot(&mut Options::default()))
            }
            Slot::Switch(_) | Slot::Descriptor(_) => self.help.to_owned(),
        }
    }

    /// Whether it is one of the universal [limits](crate::Limits).
    pub fn is_limit(&self) -> bool {
        matches!(self.slot, Slot::Limit(_))
    }
}

const fn switch(
    name: &'static str,
    help: &'static str,
    slot: fn(&mut Options) -> &mut bool,
) -> Setting {
    let slot = Slot::Switch(slot);
    Setting { name, help, slot }
}

const fn limit(
    name: &'static str,
    help: &'static str,
    slot: fn(&mut Options) -> &mut u32,
) -> Setting {
    let slot = Slot::Limit(slot);
    Setting { name, help, slot }
}

const fn descriptor(
    name: &'static str,
    help: &'static str,
    slot: fn(&mut Options) -> &mut DescriptorLayout,
) -> Setting {
    let slot = Slot::Descriptor(slot);
    Setting { name, help, slot }
}

static SETTINGS: &[Setting] = &[
    limit(
        "max-struct-members",
        "Maximum number of members of a structure",
        |o| &mut o.limits.struct_members,
    ),
    limit(
        "max-struct-depth",
        "Maximum nesting depth of structures",
        |o| &mut o.limits.struct_depth,
    ),
    limit(
        "max-local-variables",
        "Maximum number of variables in a function",
        |o| &mut o.limits.local_variables,
    ),
    limit(
        "max-global-variables",
        "Maximum number of variables outside of functions",
        |o| &mut o.limits.global_variables,
    ),
    limit(
        "max-switch-branches",
        "Maximum number of cases of a switch",
        |o| &mut o.limits.switch_branches,
    ),
    limit(
        "max-function-args",
        "Maximum number of parameters of a function",
        |o| &mut o.limits.function_args,
    ),
    limit(
        "max-control-flow-nesting-depth",
        "Maximum nesting depth of control-flow constructs",
        |o| &mut o.limits.control_flow_nesting_depth,
    ),
    limit(
        "max-access-chain-indexes",
        "Maximum number of indexes of an access chain",
        |o| &mut o.limits.access_chain_indexes,
    ),
    limit("max-id-bound", "Maximum id bound in the header", |o| {
        &mut o.limits.id_bound
    }),
    switch(
        "relax-logical-pointer",
        "Accept variables that hold pointers, and functions that return them, under logical addressing",
        |o| &mut o.relax_logical_pointer,
    ),
    switch(
        "relax-struct-store",
        "Accept stores of a structure to a structure of another type with the same layout",
        |o| &mut o.relax_struct_store,
    ),
    switch(
        "relax-block-layout",
        "Apply the layout rules of VK_KHR_relaxed_block_layout",
        |o| &mut o.relax_block_layout,
    ),
    switch(
        "uniform-buffer-standard-layout",
        "Apply the layout rules of VK_KHR_uniform_buffer_standard_layout",
        |o| &mut o.uniform_buffer_standard_layout,
    ),
    switch(
        "scalar-block-layout",
        "Apply the layout rules of VK_EXT_scalar_block_layout",
        |o| &mut o.scalar_block_layout,
    ),
    switch(
        "workgroup-scalar-block-layout",
        "Apply the scalar layout rules to blocks in workgroup memory",
        |o| &mut o.workgroup_scalar_block_layout,
    ),
    switch(
        "skip-block-layout",
        "Don't check the layout of blocks",
        |o| &mut o.skip_block_layout,
    ),
    switch(
        "allow-localsizeid",
        "Accept the execution mode LocalSizeId in every environment",
        |o| &mut o.allow_local_size_id,
    ),
    switch(
        "allow-offset-texture-operand",
        "Accept the image operand Offset with every image instruction that VK_KHR_maintenance8 allows it with",
        |o| &mut o.allow_offset_texture_operand,
    ),
    switch(
        "allow-vulkan-32-bit-bitwise",
        "Accept bit instructions on integers of all widths in Vulkan, as VK_KHR_maintenance9 does",
        |o| &mut o.allow_vulkan_32_bit_bitwise,
    ),
    switch(
        "before-hlsl-legalization",
        "Accept what HLSL compilers write before legalization",
        |o| &mut o.before_hlsl_legalization,
    ),
    switch(
        "skip-debug-info",
        "Don't check the operands of debugging instructions",
        |o| &mut o.skip_debug_info,
    ),
    descriptor(
        "sampler-descriptor-layout",
        "Size and alignment of a sampler descriptor in bytes",
        |o| &mut o.sampler_descriptor,
    ),
    descriptor(
        "image-descriptor-layout",
        "Size and alignment of an image descriptor in bytes",
        |o| &mut o.image_descriptor,
    ),
    descriptor(
        "buffer-descriptor-layout",
        "Size and alignment of a buffer descriptor in bytes",
        |o| &mut o.buffer_descriptor,
    ),
    descriptor(
        "tensor-descriptor-layout",
        "Size and alignment of a tensor descriptor in bytes",
        |o| &mut o.tensor_descriptor,
    ),
];

/// Why a setting could not be set.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadSetting {
    /// There is none of this name.
    Unknown(String),
    /// This is no value for it; what would be one.
    BadValue(String, &'static str),
}

impl fmt::Display for BadSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => write!(f, "there is no setting `{name}`"),
            Self::BadValue(value, expected) => write!(f, "expected {expected}, not `{value}`"),
        }
    }
}

impl std::error::Error for BadSetting {}

impl Options {
    /// What [`set`](Self::set) can set: the limits, the relaxations, and what else
    /// the established validator has flags for.
    pub fn settings() -> &'static [Setting] {
        SETTINGS
    }

    /// Sets an option by its name. A switch takes `true` or `false`, a limit a
    /// number, a descriptor `SIZE:ALIGNMENT` in bytes.
    ///
    /// ```
    /// let mut options = spirvkit_validate::Options::default();
    /// options.set("max-struct-members", "100").unwrap();
    /// assert_eq!(options.limits.struct_members, 100);
    /// assert!(options.set("max-struct-members", "many").is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no such setting, or if this is no value for it.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), BadSetting> {
        let found = SETTINGS.iter().find(|setting| setting.name == name);
        let setting = found.ok_or_else(|| BadSetting::Unknown(name.to_owned()))?;
        let bad = |expected| BadSetting::BadValue(value.to_owned(), expected);
        match setting.slot {
            Slot::Switch(slot) => {
                *slot(self) = value.parse().map_err(|_| bad("true or false"))?;
            }
            Slot::Limit(slot) => {
                let number = match value.strip_prefix("0x") {
                    Some(digits) => u32::from_str_radix(digits, 16),
                    None => value.parse(),
                };
                *slot(self) = number.map_err(|_| bad("a number"))?;
            }
            Slot::Descriptor(slot) => {
                let numbers = value.split_once(':').and_then(|(size, alignment)| {
                    Some(DescriptorLayout {
                        size: size.parse().ok()?,
                        alignment: alignment.parse().ok()?,
                    })
                });
                *slot(self) = numbers.ok_or_else(|| bad("two numbers, such as 32:16"))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_changes_an_option_of_its_own() {
        let before = format!("{:?}", Options::default());
        let mut seen = std::collections::BTreeSet::new();
        for setting in Options::settings() {
            let value = match setting.value() {
                None => "true",
                Some("N") => "7",
                Some(_) => "7:7",
            };
            let mut options = Options::default();
            options.set(setting.name, value).unwrap();
            let after = format!("{options:?}");
            assert_ne!(after, before, "{}", setting.name);
            assert!(seen.insert(after), "{}", setting.name);
            assert!(options.set(setting.name, "7;").is_err());
        }
        let unknown = BadSetting::Unknown("no".to_owned());
        assert_eq!(Options::default().set("no", "true"), Err(unknown));
    }
}
