//! Compute shaders on a Vulkan driver: a second opinion on what the interpreter gives, and
//! something to compare its speed with. Mesa's lavapipe (`mesa-vulkan-drivers` on Debian) needs
//! no GPU; with `LP_NUM_THREADS=0` it runs in one thread.
#![deny(missing_docs)]

use std::error::Error;
use std::ffi::CString;
use std::time::{Duration, Instant};

use ash::vk;

/// What is run.
#[derive(Clone, Debug, Default)]
pub struct Job<'a> {
    /// The module.
    pub words: &'a [u32],
    /// The name of the entry point.
    pub entry: &'a str,
    /// Values of specialization constants by `SpecId`.
    pub constants: Vec<(u32, u32)>,
    /// The bytes of the push constants.
    pub push: Vec<u8>,
    /// Storage buffers by set and binding.
    pub buffers: Vec<Buffer>,
    /// How many workgroups run in each dimension.
    pub groups: [u32; 3],
    /// How often it is run, at least once. Buffers keep what they have from one time to the next.
    pub rounds: u32,
}

/// A buffer of a descriptor.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Its descriptor set.
    pub set: u32,
    /// Its binding.
    pub binding: u32,
    /// Whether it is a uniform buffer.
    pub is_uniform: bool,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// What comes of a [`Job`].
#[derive(Clone, Debug)]
pub struct Results {
    /// The contents of the buffers after the first round, in their order.
    pub buffers: Vec<Vec<u8>>,
    /// How long it took to make the pipeline.
    pub compiling: Duration,
    /// The shortest time from submitting to the end.
    pub running: Duration,
}

/// A driver and its device.
pub struct Driver {
    _entry: ash::Entry,
    instance: ash::Instance,
    device: ash::Device,
    queue: vk::Queue,
    family: u32,
    memories: vk::PhysicalDeviceMemoryProperties,
    /// What the device calls itself.
    pub name: String,
}

type Result<T> = std::result::Result<T, Box<dyn Error>>;

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
            let mut devices = instance.enumerate_physical_devices()?;
            devices.sort_by_key(|&device| {
                let kind = instance.get_physical_device_properties(device).device_type;
                kind != vk::PhysicalDeviceType::CPU
            });
            let physical = *devices.first().ok_or("there is no Vulkan device")?;
            let properties = instance.get_physical_device_properties(physical);
            let name = properties.device_name_as_c_str()?.to_string_lossy();
            let families = instance.get_physical_device_queue_family_properties(physical);
            let computes =
                |it: &vk::QueueFamilyProperties| it.queue_flags.contains(vk::QueueFlags::COMPUTE);
            let family = families.iter().position(computes);
            let family = family.ok_or("the device doesn't compute")? as u32;
            let mut first = vk::PhysicalDeviceVulkan11Features::default();
            let mut second = vk::PhysicalDeviceVulkan12Features::default();
            let mut third = vk::PhysicalDeviceVulkan13Features::default();
            let mut features = vk::PhysicalDeviceFeatures2::default()
                .push_next(&mut first)
                .push_next(&mut second)
                .push_next(&mut third);
            // Whatever there is, is turned on.
            instance.get_physical_device_features2(physical, &mut features);
            let priorities = [1.0];
            let queues = [vk::DeviceQueueCreateInfo::default()
                .queue_family_index(family)
                .queue_priorities(&priorities)];
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .push_next(&mut features);
            let device = instance.create_device(physical, &info, None)?;
            Ok(Self {
                queue: device.get_device_queue(family, 0),
                memories: instance.get_physical_device_memory_properties(physical),
                name: name.into_owned(),
                _entry: entry,
                instance,
                device,
                family,
            })
        }
    }

    /// Runs a shader.
    ///
    /// # Errors
    ///
    /// If the driver refuses something.
    pub fn run(&self, job: &Job<'_>) -> Result<Results> {
        let mut made = Made::new(&self.device);
        // SAFETY: handles live until `made` is dropped, after the queue has come to rest.
        unsafe { self.run_with(job, &mut made) }
    }

    unsafe fn run_with(&self, job: &Job<'_>, made: &mut Made<'_>) -> Result<Results> {
        let device = &self.device;
        let sets = job.buffers.iter().map(|buffer| buffer.set + 1).max();
        let sets = sets.unwrap_or(0);
        // SAFETY: as for `run`.
        unsafe {
            for buffer in &job.buffers {
                self.buffer(buffer, made)?;
            }
            for set in 0..sets {
                let bindings: Vec<_> = job
                    .buffers
                    .iter()
                    .filter(|buffer| buffer.set == set)
                    .map(|buffer| {
                        vk::DescriptorSetLayoutBinding::default()
                            .binding(buffer.binding)
                            .descriptor_type(kind(buffer))
                            .descriptor_count(1)
                            .stage_flags(vk::ShaderStageFlags::COMPUTE)
                    })
                    .collect();
                let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
                let layout = device.create_descriptor_set_layout(&info, None)?;
                made.layouts.push(layout);
            }
            let size = job.push.len() as u32;
            let ranges = [vk::PushConstantRange::default()
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
                .size(size)];
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(&made.layouts)
                .push_constant_ranges(if size > 0 { &ranges } else { &[] });
            let layout = device.create_pipeline_layout(&info, None)?;
            made.pipeline_layouts.push(layout);
            let start = Instant::now();
            let pipeline = self.pipeline(job, layout, made)?;
            let compiling = start.elapsed();
            let descriptors = self.descriptors(job, made)?;
            let info = vk::CommandPoolCreateInfo::default().queue_family_index(self.family);
            let pool = device.create_command_pool(&info, None)?;
            made.command_pools.push(pool);
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(pool)
                .command_buffer_count(1);
            let commands = device.allocate_command_buffers(&info)?;
            let command = commands[0];
            device.begin_command_buffer(command, &vk::CommandBufferBeginInfo::default())?;
            let point = vk::PipelineBindPoint::COMPUTE;
            device.cmd_bind_pipeline(command, point, pipeline);
            if !descriptors.is_empty() {
                device.cmd_bind_descriptor_sets(command, point, layout, 0, &descriptors, &[]);
            }
            if size > 0 {
                let stages = vk::ShaderStageFlags::COMPUTE;
                device.cmd_push_constants(command, layout, stages, 0, &job.push);
            }
            let [x, y, z] = job.groups;
            device.cmd_dispatch(command, x, y, z);
            device.end_command_buffer(command)?;
            let mut buffers = Vec::new();
            let mut running = Duration::MAX;
            for round in 0..job.rounds.max(1) {
                let start = Instant::now();
                let submit = vk::SubmitInfo::default().command_buffers(&commands);
                device.queue_submit(self.queue, &[submit], vk::Fence::null())?;
                device.queue_wait_idle(self.queue)?;
                running = running.min(start.elapsed());
                if round == 0 {
                    for (index, buffer) in job.buffers.iter().enumerate() {
                        let bytes = made.mapped[index];
                        buffers
                            .push(std::slice::from_raw_parts(bytes, buffer.bytes.len()).to_vec());
                    }
                }
            }
            Ok(Results {
                buffers,
                compiling,
                running,
            })
        }
    }

    /// Makes a buffer that the host sees, and fills it.
    unsafe fn buffer(&self, buffer: &Buffer, made: &mut Made<'_>) -> Result<()> {
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // SAFETY: as for `run`; the memory is as long as the buffer, which is at least as long
        // as its contents.
        unsafe {
            let info = vk::BufferCreateInfo::default()
                .size(buffer.bytes.len().max(16) as u64)
                .usage(vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::UNIFORM_BUFFER);
            let handle = self.device.create_buffer(&info, None)?;
            made.buffers.push(handle);
            let needs = self.device.get_buffer_memory_requirements(handle);
            let index = (0..self.memories.memory_type_count).find(|&index| {
                let flags = self.memories.memory_types[index as usize].property_flags;
                needs.memory_type_bits >> index & 1 != 0 && flags.contains(wanted)
            });
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(needs.size)
                .memory_type_index(index.ok_or("no memory that the host sees")?);
            let memory = self.device.allocate_memory(&info, None)?;
            made.memories.push(memory);
            self.device.bind_buffer_memory(handle, memory, 0)?;
            let flags = vk::MemoryMapFlags::empty();
            let mapped = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags)?;
            let mapped = mapped.cast::<u8>();
            std::ptr::copy_nonoverlapping(buffer.bytes.as_ptr(), mapped, buffer.bytes.len());
            made.mapped.push(mapped);
        }
        Ok(())
    }

    unsafe fn pipeline(
        &self,
        job: &Job<'_>,
        layout: vk::PipelineLayout,
        made: &mut Made<'_>,
    ) -> Result<vk::Pipeline> {
        let entries: Vec<_> = (0u32..)
            .zip(&job.constants)
            .map(|(index, &(id, _))| vk::SpecializationMapEntry {
                constant_id: id,
                offset: index * 4,
                size: 4,
            })
            .collect();
        let values = job.constants.iter().flat_map(|it| it.1.to_le_bytes());
        let values: Vec<u8> = values.collect();
        let special = vk::SpecializationInfo::default()
            .map_entries(&entries)
            .data(&values);
        let name = CString::new(job.entry)?;
        // SAFETY: as for `run`.
        unsafe {
            let info = vk::ShaderModuleCreateInfo::default().code(job.words);
            let module = self.device.create_shader_module(&info, None)?;
            made.modules.push(module);
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(&name)
                .specialization_info(&special);
            let info = vk::ComputePipelineCreateInfo::default()
                .stage(stage)
                .layout(layout);
            let cache = vk::PipelineCache::null();
            let pipelines = self
                .device
                .create_compute_pipelines(cache, &[info], None)
                .map_err(|(_, error)| error)?;
            made.pipelines.extend(&pipelines);
            Ok(pipelines[0])
        }
    }

    unsafe fn descriptors(
        &self,
        job: &Job<'_>,
        made: &mut Made<'_>,
    ) -> Result<Vec<vk::DescriptorSet>> {
        if made.layouts.is_empty() {
            return Ok(Vec::new());
        }
        let count = job.buffers.len() as u32;
        let size = |ty| vk::DescriptorPoolSize {
            ty,
            descriptor_count: count,
        };
        let sizes = [
            size(vk::DescriptorType::STORAGE_BUFFER),
            size(vk::DescriptorType::UNIFORM_BUFFER),
        ];
        // SAFETY: as for `run`.
        unsafe {
            let info = vk::DescriptorPoolCreateInfo::default()
                .pool_sizes(&sizes)
                .max_sets(made.layouts.len() as u32);
            let pool = self.device.create_descriptor_pool(&info, None)?;
            made.descriptor_pools.push(pool);
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(pool)
                .set_layouts(&made.layouts);
            let sets = self.device.allocate_descriptor_sets(&info)?;
            for (buffer, &handle) in job.buffers.iter().zip(&made.buffers) {
                let infos = [vk::DescriptorBufferInfo {
                    buffer: handle,
                    offset: 0,
                    range: buffer.bytes.len().max(16) as u64,
                }];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(sets[buffer.set as usize])
                    .dst_binding(buffer.binding)
                    .descriptor_type(kind(buffer))
                    .buffer_info(&infos);
                self.device.update_descriptor_sets(&[write], &[]);
            }
            Ok(sets)
        }
    }
}

fn kind(buffer: &Buffer) -> vk::DescriptorType {
    match buffer.is_uniform {
        true => vk::DescriptorType::UNIFORM_BUFFER,
        false => vk::DescriptorType::STORAGE_BUFFER,
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

/// What is to be destroyed.
struct Made<'d> {
    device: &'d ash::Device,
    buffers: Vec<vk::Buffer>,
    memories: Vec<vk::DeviceMemory>,
    /// Where the memories are.
    mapped: Vec<*mut u8>,
    layouts: Vec<vk::DescriptorSetLayout>,
    pipeline_layouts: Vec<vk::PipelineLayout>,
    modules: Vec<vk::ShaderModule>,
    pipelines: Vec<vk::Pipeline>,
    descriptor_pools: Vec<vk::DescriptorPool>,
    command_pools: Vec<vk::CommandPool>,
}

impl<'d> Made<'d> {
    fn new(device: &'d ash::Device) -> Self {
        Self {
            device,
            buffers: Vec::new(),
            memories: Vec::new(),
            mapped: Vec::new(),
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
        // SAFETY: the device waits until nothing of it is in use.
        unsafe {
            let _ = device.device_wait_idle();
            let Self {
                device: _,
                buffers,
                memories,
                mapped: _,
                layouts,
                pipeline_layouts,
                modules,
                pipelines,
                descriptor_pools,
                command_pools,
            } = self;
            command_pools
                .drain(..)
                .for_each(|it| device.destroy_command_pool(it, None));
            descriptor_pools
                .drain(..)
                .for_each(|it| device.destroy_descriptor_pool(it, None));
            pipelines
                .drain(..)
                .for_each(|it| device.destroy_pipeline(it, None));
            modules
                .drain(..)
                .for_each(|it| device.destroy_shader_module(it, None));
            pipeline_layouts
                .drain(..)
                .for_each(|it| device.destroy_pipeline_layout(it, None));
            layouts
                .drain(..)
                .for_each(|it| device.destroy_descriptor_set_layout(it, None));
            buffers
                .drain(..)
                .for_each(|it| device.destroy_buffer(it, None));
            memories
                .drain(..)
                .for_each(|it| device.free_memory(it, None));
        }
    }
}
