//! From a module to a pipeline.

use std::collections::BTreeMap;
use std::ffi::CString;

use ash::vk;

use super::made::Made;
use super::{Driver, Job, Result};

impl Driver {
    /// The layouts of descriptor sets, from set 0 on, and of the pipeline.
    pub(crate) unsafe fn layout(
        &self,
        job: &Job<'_>,
        made: &mut Made<'_>,
    ) -> Result<vk::PipelineLayout> {
        let device = &self.device;
        let mut sets: BTreeMap<u32, BTreeMap<u32, (vk::DescriptorType, u32)>> = BTreeMap::new();
        for it in &job.descriptors {
            let bindings = sets.entry(it.set).or_default();
            let (_, count) = bindings.entry(it.binding).or_insert((it.kind, 0));
            *count = (*count).max(it.element + 1);
        }
        let count = sets.last_key_value().map_or(0, |(last, _)| last + 1);
        // SAFETY: as for `Driver::run`.
        unsafe {
            for set in 0..count {
                let bindings = sets.remove(&set).unwrap_or_default();
                let bindings: Vec<_> = bindings
                    .into_iter()
                    .map(|(binding, (kind, count))| {
                        vk::DescriptorSetLayoutBinding::default()
                            .binding(binding)
                            .descriptor_type(kind)
                            .descriptor_count(count)
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
            Ok(layout)
        }
    }

    pub(crate) unsafe fn pipeline(
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
        // SAFETY: as for `Driver::run`.
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
}
