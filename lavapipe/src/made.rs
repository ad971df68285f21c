//! What is made for a job, and destroyed after it.

use ash::vk;

/// What is to be destroyed.
pub(crate) struct Made<'d> {
    pub(crate) device: &'d ash::Device,
    pub(crate) buffers: Vec<vk::Buffer>,
    pub(crate) images: Vec<vk::Image>,
    pub(crate) memories: Vec<vk::DeviceMemory>,
    pub(crate) buffer_views: Vec<vk::BufferView>,
    pub(crate) image_views: Vec<vk::ImageView>,
    pub(crate) samplers: Vec<vk::Sampler>,
    pub(crate) layouts: Vec<vk::DescriptorSetLayout>,
    pub(crate) pipeline_layouts: Vec<vk::PipelineLayout>,
    pub(crate) modules: Vec<vk::ShaderModule>,
    pub(crate) pipelines: Vec<vk::Pipeline>,
    pub(crate) descriptor_pools: Vec<vk::DescriptorPool>,
    pub(crate) command_pools: Vec<vk::CommandPool>,
}

impl<'d> Made<'d> {
    pub(crate) fn new(device: &'d ash::Device) -> Self {
        Self {
            device,
            buffers: Vec::new(),
            images: Vec::new(),
            memories: Vec::new(),
            buffer_views: Vec::new(),
            image_views: Vec::new(),
            samplers: Vec::new(),
            layouts: Vec::new(),
            pipeline_layouts: Vec::new(),
            modules: Vec::new(),
            pipelines: Vec::new(),
            descriptor_pools: Vec::new(),
            command_pools: Vec::new(),
        }
    }
}

impl Drop for Made<'_> {
    fn drop(&mut self) {
        let device = self.device;
        // SAFETY: the device waits until nothing of it is in use. What uses something else goes
        // before it.
        unsafe {
            let _ = device.device_wait_idle();
            for it in self.command_pools.drain(..) {
                device.destroy_command_pool(it, None);
            }
            for it in self.descriptor_pools.drain(..) {
                device.destroy_descriptor_pool(it, None);
            }
            for it in self.pipelines.drain(..) {
                device.destroy_pipeline(it, None);
            }
            for it in self.modules.drain(..) {
                device.destroy_shader_module(it, None);
            }
            for it in self.pipeline_layouts.drain(..) {
                device.destroy_pipeline_layout(it, None);
            }
            for it in self.layouts.drain(..) {
                device.destroy_descriptor_set_layout(it, None);
            }
            for it in self.samplers.drain(..) {
                device.destroy_sampler(it, None);
            }
            for it in self.image_views.drain(..) {
                device.destroy_image_view(it, None);
            }
            for it in self.buffer_views.drain(..) {
                device.destroy_buffer_view(it, None);
            }
            for it in self.images.drain(..) {
                device.destroy_image(it, None);
            }
            for it in self.buffers.drain(..) {
                device.destroy_buffer(it, None);
            }
            for it in self.memories.drain(..) {
                device.free_memory(it, None);
            }
        }
    }
}
