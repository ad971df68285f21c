//! What devices allow beyond the rules of their version of Vulkan.

use std::borrow::Cow;

use spirvkit_vulkan::{Device, Feature};

use crate::options::Options;

type Slot = fn(&mut Options) -> &mut bool;

/// The features of Vulkan that relax rules for modules, and the relaxations.
const FEATURES: &[(&str, Slot)] = &[
    ("maintenance4", |o| &mut o.allow_local_size_id),
    ("maintenance8", |o| &mut o.allow_offset_texture_operand),
    ("maintenance9", |o| &mut o.allow_vulkan_32_bit_bitwise),
    ("scalarBlockLayout", |o| &mut o.scalar_block_layout),
    ("uniformBufferStandardLayout", |o| {
        &mut o.uniform_buffer_standard_layout
    }),
    ("workgroupMemoryExplicitLayoutScalarBlockLayout", |o| {
        &mut o.workgroup_scalar_block_layout
    }),
];

/// The extensions that do.
const EXTENSIONS: &[(&str, Slot)] =
    &[("VK_KHR_relaxed_block_layout", |o| &mut o.relax_block_layout)];

impl Options {
    /// The same without the devices, but with what all of them relax: for what is wrong with a module
    /// whatever they have.
    #[must_use]
    pub fn without_devices(&self) -> Self {
        let mut options = self.relaxed().into_owned();
        options.devices.clear();
        options
    }

    /// The same with the relaxations that all the devices bring. A list of limits, which is no device,
    /// brings none.
    pub(crate) fn relaxed(&self) -> Cow<'_, Self> {
        if self.devices.is_empty() || self.devices.iter().any(Device::has_everything) {
            return Cow::Borrowed(self);
        }
        let all = |has: &dyn Fn(&Device) -> bool| self.devices.iter().all(has);
        let features = FEATURES.iter().filter(|(name, _)| {
            let feature = Feature::named(name);
            feature.is_some_and(|feature| all(&|device| device.has(feature)))
        });
        let extensions = EXTENSIONS.iter();
        let extensions = extensions.filter(|(name, _)| all(&|device| device.has_extension(name)));
        let mut options = self.clone();
        for (_, slot) in features.chain(extensions) {
            *slot(&mut options) = true;
        }
        Cow::Owned(options)
    }
}
