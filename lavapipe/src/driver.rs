//! Opening a driver, and what it offers.

use std::collections::BTreeSet;
use std::ffi::CStr;

use ash::vk;

use super::Result;

/// A driver and its device.
pub struct Driver {
    _entry: ash::Entry,
    instance: ash::Instance,
    pub(crate) device: ash::Device,
    pub(crate) queue: vk::Queue,
    pub(crate) family: u32,
    pub(crate) memories: vk::PhysicalDeviceMemoryProperties,
    physical: vk::PhysicalDevice,
    /// What the device and its driver call themselves.
    pub name: String,
    /// What the device can do; all of it is turned on.
    pub offers: Offers,
}

/// What a device can do.
#[derive(Clone)]
pub struct Offers {
    /// Features of Vulkan 1.0.
    pub features: vk::PhysicalDeviceFeatures,
    /// Features of Vulkan 1.1.
    pub features_1_1: vk::PhysicalDeviceVulkan11Features<'static>,
    /// Features of Vulkan 1.2.
    pub features_1_2: vk::PhysicalDeviceVulkan12Features<'static>,
    /// Features of Vulkan 1.3.
    pub features_1_3: vk::PhysicalDeviceVulkan13Features<'static>,
    /// Atomics on floating-point numbers.
    pub atomic_float: vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT<'static>,
    /// Least and greatest of them by atomics.
    pub atomic_float_2: vk::PhysicalDeviceShaderAtomicFloat2FeaturesEXT<'static>,
    /// What is known of the device.
    pub properties: vk::PhysicalDeviceProperties,
    /// What is known of subgroups.
    pub subgroups: vk::PhysicalDeviceSubgroupProperties<'static>,
    /// What is known of floating-point numbers.
    pub float_controls: vk::PhysicalDeviceFloatControlsProperties<'static>,
    /// The names of its extensions.
    pub extensions: BTreeSet<String>,
}

/// Extensions that are turned on where they are.
const EXTENSIONS: &[&CStr] = &[
    ash::ext::robustness2::NAME,
    ash::ext::shader_atomic_float::NAME,
    ash::ext::shader_atomic_float2::NAME,
    ash::khr::shader_clock::NAME,
];

impl Driver {
    /// Opens the first device that computes on the processor, or else any.
    ///
    /// # Errors
    ///
    /// If there is no driver, or it has no such device.
    pub fn open() -> Result<Self> {
        // SAFETY: the loader is Vulkan's, and everything made here is used as Vulkan says.
        unsafe {
            let entry = ash::Entry::load()?;
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let info = vk::InstanceCreateInfo::default().application_info(&application);
            let instance = entry.create_instance(&info, None)?;
            match open(&instance) {
                Ok(opened) => Ok(Self {
                    queue: opened.device.get_device_queue(opened.family, 0),
                    memories: instance.get_physical_device_memory_properties(opened.physical),
                    _entry: entry,
                    instance,
                    device: opened.device,
                    family: opened.family,
                    physical: opened.physical,
                    name: opened.name,
                    offers: opened.offers,
                }),
                Err(error) => {
                    instance.destroy_instance(None);
                    Err(error)
                }
            }
        }
    }

    /// The number of invocations in a subgroup.
    pub fn subgroup_size(&self) -> u32 {
        self.offers.subgroups.subgroup_size
    }

    /// What images of a format can be used for.
    pub fn image_features(&self, format: vk::Format) -> vk::FormatFeatureFlags {
        // SAFETY: the device is this instance's.
        let properties = unsafe {
            self.instance
                .get_physical_device_format_properties(self.physical, format)
        };
        properties.optimal_tiling_features
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // SAFETY: nothing of the device is in use any more.
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

/// A device of an instance.
struct Opened {
    physical: vk::PhysicalDevice,
    device: ash::Device,
    family: u32,
    name: String,
    offers: Offers,
}

unsafe fn open(instance: &ash::Instance) -> Result<Opened> {
    // SAFETY: as for `Driver::open`.
    unsafe {
        let mut devices = instance.enumerate_physical_devices()?;
        devices.sort_by_key(|&device| {
            let kind = instance.get_physical_device_properties(device).device_type;
            kind != vk::PhysicalDeviceType::CPU
        });
        let physical = *devices.first().ok_or("there is no Vulkan device")?;
        let families = instance.get_physical_device_queue_family_properties(physical);
        let computes =
            |it: &vk::QueueFamilyProperties| it.queue_flags.contains(vk::QueueFlags::COMPUTE);
        let family = families.iter().position(computes);
        let family = family.ok_or("the device doesn't compute")? as u32;
        let (name, offers) = offers(instance, physical)?;
        let has = |name: &CStr| offers.extensions.contains(&*name.to_string_lossy());
        let extensions = EXTENSIONS.iter().filter(|it| has(it));
        let extensions: Vec<_> = extensions.map(|it| it.as_ptr()).collect();
        let mut first = offers.features_1_1;
        let mut second = offers.features_1_2;
        let mut third = offers.features_1_3;
        let mut atomic_float = offers.atomic_float;
        let mut atomic_float_2 = offers.atomic_float_2;
        let mut clock = vk::PhysicalDeviceShaderClockFeaturesKHR::default();
        let mut robustness = vk::PhysicalDeviceRobustness2FeaturesEXT::default();
        let mut features = vk::PhysicalDeviceFeatures2::default()
            .push_next(&mut first)
            .push_next(&mut second)
            .push_next(&mut third);
        // Features of extensions may only be asked for where these are.
        if has(ash::ext::robustness2::NAME) {
            features = features.push_next(&mut robustness);
        }
        if has(ash::ext::shader_atomic_float::NAME) {
            features = features.push_next(&mut atomic_float);
        }
        if has(ash::ext::shader_atomic_float2::NAME) {
            features = features.push_next(&mut atomic_float_2);
        }
        if has(ash::khr::shader_clock::NAME) {
            features = features.push_next(&mut clock);
        }
        // Whatever there is, is turned on.
        instance.get_physical_device_features2(physical, &mut features);
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default()
            .queue_family_index(family)
            .queue_priorities(&priorities)];
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&extensions)
            .push_next(&mut features);
        let device = instance.create_device(physical, &info, None)?;
        Ok(Opened {
            physical,
            device,
            family,
            name,
            offers,
        })
    }
}

/// What a device and its driver call themselves, and what it can do.
unsafe fn offers(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
) -> Result<(String, Offers)> {
    // SAFETY: as for `Driver::open`.
    unsafe {
        let extensions = instance.enumerate_device_extension_properties(physical)?;
        let extensions = extensions.iter().filter_map(|it| {
            let name = it.extension_name_as_c_str().ok()?;
            Some(name.to_string_lossy().into_owned())
        });
        let mut first = vk::PhysicalDeviceVulkan11Features::default();
        let mut second = vk::PhysicalDeviceVulkan12Features::default();
        let mut third = vk::PhysicalDeviceVulkan13Features::default();
        let mut atomic_float = vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT::default();
        let mut atomic_float_2 = vk::PhysicalDeviceShaderAtomicFloat2FeaturesEXT::default();
        // A driver leaves alone what it doesn't know.
        let mut features = vk::PhysicalDeviceFeatures2::default()
            .push_next(&mut first)
            .push_next(&mut second)
            .push_next(&mut third)
            .push_next(&mut atomic_float)
            .push_next(&mut atomic_float_2);
        instance.get_physical_device_features2(physical, &mut features);
        let features = features.features;
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut subgroups = vk::PhysicalDeviceSubgroupProperties::default();
        let mut float_controls = vk::PhysicalDeviceFloatControlsProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default()
            .push_next(&mut driver)
            .push_next(&mut subgroups)
            .push_next(&mut float_controls);
        instance.get_physical_device_properties2(physical, &mut properties);
        let properties = properties.properties;
        let device = properties.device_name_as_c_str()?.to_string_lossy();
        let version = driver.driver_info_as_c_str()?.to_string_lossy();
        let name = match version.is_empty() {
            true => device.into_owned(),
            false => format!("{device}, {version}"),
        };
        // What stood in a list stands alone.
        let none = std::ptr::null_mut();
        first.p_next = none;
        second.p_next = none;
        third.p_next = none;
        atomic_float.p_next = none;
        atomic_float_2.p_next = none;
        subgroups.p_next = none;
        float_controls.p_next = none;
        let offers = Offers {
            features,
            features_1_1: first,
            features_1_2: second,
            features_1_3: third,
            atomic_float,
            atomic_float_2,
            properties,
            subgroups,
            float_controls,
            extensions: extensions.collect(),
        };
        Ok((name, offers))
    }
}
