//! Running a job.

use std::time::{Duration, Instant};

use ash::vk;

use super::made::Made;
use super::resources::Resource;
use super::{Driver, Job, Result, Results};

impl Driver {
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
        // SAFETY: as for `run`; what is mapped is as long as its size says.
        unsafe {
            let mut resources = Vec::with_capacity(job.memories.len());
            for memory in &job.memories {
                resources.push(self.resource(memory, made)?);
            }
            let layout = self.layout(job, made)?;
            let start = Instant::now();
            let pipeline = self.pipeline(job, layout, made)?;
            let compiling = start.elapsed();
            let descriptors = self.descriptors(job, &resources, made)?;
            let info = vk::CommandPoolCreateInfo::default().queue_family_index(self.family);
            let pool = self.device.create_command_pool(&info, None)?;
            made.command_pools.push(pool);
            let before = self.commands(pool, |command| self.upload(command, &resources))?;
            let run = self.commands(pool, |command| {
                let point = vk::PipelineBindPoint::COMPUTE;
                let device = &self.device;
                device.cmd_bind_pipeline(command, point, pipeline);
                if !descriptors.is_empty() {
                    device.cmd_bind_descriptor_sets(command, point, layout, 0, &descriptors, &[]);
                }
                if !job.push.is_empty() {
                    let stages = vk::ShaderStageFlags::COMPUTE;
                    device.cmd_push_constants(command, layout, stages, 0, &job.push);
                }
                let [x, y, z] = job.groups;
                device.cmd_dispatch(command, x, y, z);
                self.barrier(command);
            })?;
            let after = self.commands(pool, |command| self.download(command, &resources))?;
            self.submit(before)?;
            let mut memories = Vec::new();
            let mut running = Duration::MAX;
            for round in 0..job.rounds.max(1) {
                running = running.min(self.submit(run)?);
                if round == 0 {
                    self.submit(after)?;
                    let bytes = resources
                        .iter()
                        .map(|it| std::slice::from_raw_parts(it.mapped, it.size).to_vec());
                    memories = bytes.collect();
                }
            }
            Ok(Results {
                memories,
                compiling,
                running,
            })
        }
    }

    /// A list of commands.
    unsafe fn commands(
        &self,
        pool: vk::CommandPool,
        record: impl FnOnce(vk::CommandBuffer),
    ) -> Result<vk::CommandBuffer> {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .command_buffer_count(1);
        // SAFETY: as for `run`.
        unsafe {
            let command = self.device.allocate_command_buffers(&info)?[0];
            let info = vk::CommandBufferBeginInfo::default();
            self.device.begin_command_buffer(command, &info)?;
            record(command);
            self.device.end_command_buffer(command)?;
            Ok(command)
        }
    }

    /// Executes commands, and tells how long that took.
    unsafe fn submit(&self, command: vk::CommandBuffer) -> Result<Duration> {
        let start = Instant::now();
        let commands = [command];
        let submit = vk::SubmitInfo::default().command_buffers(&commands);
        // SAFETY: as for `run`.
        unsafe {
            self.device
                .queue_submit(self.queue, &[submit], vk::Fence::null())?;
            self.device.queue_wait_idle(self.queue)?;
        }
        Ok(start.elapsed())
    }

    /// Makes all that was written visible to all that follows.
    unsafe fn barrier(&self, command: vk::CommandBuffer) {
        let barrier = vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
            .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE);
        let all = vk::PipelineStageFlags::ALL_COMMANDS | vk::PipelineStageFlags::HOST;
        let flags = vk::DependencyFlags::empty();
        // SAFETY: as for `run`.
        unsafe {
            self.device
                .cmd_pipeline_barrier(command, all, all, flags, &[barrier], &[], &[]);
        }
    }

    /// Copies the texels of images to them.
    unsafe fn upload(&self, command: vk::CommandBuffer, resources: &[Resource]) {
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let layout = vk::ImageLayout::GENERAL;
        for it in resources.iter().filter(|it| !it.copies.is_empty()) {
            let aspect = it.copies[0].image_subresource.aspect_mask;
            let range = vk::ImageSubresourceRange::default()
                .aspect_mask(aspect)
                .level_count(vk::REMAINING_MIP_LEVELS)
                .layer_count(vk::REMAINING_ARRAY_LAYERS);
            let barrier = vk::ImageMemoryBarrier::default()
                .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
                .new_layout(layout)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .image(it.image)
                .subresource_range(range);
            let flags = vk::DependencyFlags::empty();
            // SAFETY: as for `run`.
            unsafe {
                self.device
                    .cmd_pipeline_barrier(command, all, all, flags, &[], &[], &[barrier]);
                self.device
                    .cmd_copy_buffer_to_image(command, it.buffer, it.image, layout, &it.copies);
            }
        }
        // SAFETY: as for `run`.
        unsafe { self.barrier(command) };
    }

    /// Copies the texels of images back.
    unsafe fn download(&self, command: vk::CommandBuffer, resources: &[Resource]) {
        let layout = vk::ImageLayout::GENERAL;
        for it in resources.iter().filter(|it| !it.copies.is_empty()) {
            // SAFETY: as for `run`.
            unsafe {
                self.device
                    .cmd_copy_image_to_buffer(command, it.image, layout, it.buffer, &it.copies);
            }
        }
        // SAFETY: as for `run`.
        unsafe { self.barrier(command) };
    }
}
