//! Buffers, images and descriptors.

use ash::vk;

use super::made::Made;
use super::{Descriptor, Driver, Image, Job, Memory, Result};

/// A memory on the device.
pub(crate) struct Resource {
    /// The buffer; for an image, the one that its texels are copied from and to.
    pub(crate) buffer: vk::Buffer,
    /// Where the host sees the buffer.
    pub(crate) mapped: *mut u8,
    /// How many bytes it has.
    pub(crate) size: usize,
    pub(crate) image: vk::Image,
    view: vk::ImageView,
    /// What is copied between the buffer and the image.
    pub(crate) copies: Vec<vk::BufferImageCopy>,
}

impl Driver {
    pub(crate) unsafe fn resource(&self, memory: &Memory, made: &mut Made<'_>) -> Result<Resource> {
        // SAFETY: as for `Driver::run`.
        unsafe {
            let mut resource = self.buffer(memory.bytes(), made)?;
            if let Memory::Image(image) = memory {
                self.image(image, &mut resource, made)?;
            }
            Ok(resource)
        }
    }

    /// Makes a buffer that the host sees, and fills it.
    unsafe fn buffer(&self, bytes: &[u8], made: &mut Made<'_>) -> Result<Resource> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // SAFETY: as for `Driver::run`; the memory is as long as the buffer, which is at least
        // as long as its contents.
        unsafe {
            let info = vk::BufferCreateInfo::default()
                .size(bytes.len().max(1) as u64)
                .usage(usage);
            let buffer = self.device.create_buffer(&info, None)?;
            made.buffers.push(buffer);
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let memory = self.memory(needs, wanted, made)?;
            self.device.bind_buffer_memory(buffer, memory, 0)?;
            let flags = vk::MemoryMapFlags::empty();
            let mapped = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, flags)?;
            let mapped = mapped.cast::<u8>();
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), mapped, bytes.len());
            Ok(Resource {
                buffer,
                mapped,
                size: bytes.len(),
                image: vk::Image::null(),
                view: vk::ImageView::null(),
                copies: Vec::new(),
            })
        }
    }

    unsafe fn memory(
        &self,
        needs: vk::MemoryRequirements,
        wanted: vk::MemoryPropertyFlags,
        made: &mut Made<'_>,
    ) -> Result<vk::DeviceMemory> {
        let index = (0..self.memories.memory_type_count).find(|&index| {
            let flags = self.memories.memory_types[index as usize].property_flags;
            needs.memory_type_bits >> index & 1 != 0 && flags.contains(wanted)
        });
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(index.ok_or("no memory that the host sees")?);
        // SAFETY: as for `Driver::run`.
        let memory = unsafe { self.device.allocate_memory(&info, None)? };
        made.memories.push(memory);
        Ok(memory)
    }

    /// Makes the image for which a buffer has the texels.
    unsafe fn image(
        &self,
        image: &Image,
        resource: &mut Resource,
        made: &mut Made<'_>,
    ) -> Result<()> {
        let offered = self.image_features(image.format);
        let mut usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        for (feature, use_) in [
            (
                vk::FormatFeatureFlags::STORAGE_IMAGE,
                vk::ImageUsageFlags::STORAGE,
            ),
            (
                vk::FormatFeatureFlags::SAMPLED_IMAGE,
                vk::ImageUsageFlags::SAMPLED,
            ),
        ] {
            if offered.contains(feature) {
                usage |= use_;
            }
        }
        let aspect = match image.format {
            vk::Format::D16_UNORM | vk::Format::D32_SFLOAT => vk::ImageAspectFlags::DEPTH,
            vk::Format::S8_UINT => vk::ImageAspectFlags::STENCIL,
            _ => vk::ImageAspectFlags::COLOR,
        };
        let [width, height, depth] = image.size;
        let (ty, flags) = match image.view {
            vk::ImageViewType::TYPE_1D | vk::ImageViewType::TYPE_1D_ARRAY => {
                (vk::ImageType::TYPE_1D, vk::ImageCreateFlags::empty())
            }
            vk::ImageViewType::TYPE_3D => (vk::ImageType::TYPE_3D, vk::ImageCreateFlags::empty()),
            vk::ImageViewType::CUBE | vk::ImageViewType::CUBE_ARRAY => (
                vk::ImageType::TYPE_2D,
                vk::ImageCreateFlags::CUBE_COMPATIBLE,
            ),
            _ => (vk::ImageType::TYPE_2D, vk::ImageCreateFlags::empty()),
        };
        let info = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(ty)
            .format(image.format)
            .extent(extent([width, height, depth]))
            .mip_levels(image.levels)
            .array_layers(image.layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage);
        // SAFETY: as for `Driver::run`.
        unsafe {
            let handle = self.device.create_image(&info, None)?;
            made.images.push(handle);
            let needs = self.device.get_image_memory_requirements(handle);
            let memory = self.memory(needs, vk::MemoryPropertyFlags::empty(), made)?;
            self.device.bind_image_memory(handle, memory, 0)?;
            let range = vk::ImageSubresourceRange::default()
                .aspect_mask(aspect)
                .level_count(image.levels)
                .layer_count(image.layers);
            let info = vk::ImageViewCreateInfo::default()
                .image(handle)
                .view_type(image.view)
                .format(image.format)
                .subresource_range(range);
            let view = self.device.create_image_view(&info, None)?;
            made.image_views.push(view);
            resource.image = handle;
            resource.view = view;
        }
        let mut offset = 0;
        for level in 0..image.levels {
            let size = image.size.map(|side| (side >> level).max(1));
            let layers = vk::ImageSubresourceLayers::default()
                .aspect_mask(aspect)
                .mip_level(level)
                .layer_count(image.layers);
            resource.copies.push(
                vk::BufferImageCopy::default()
                    .buffer_offset(offset)
                    .image_subresource(layers)
                    .image_extent(extent(size)),
            );
            let texels: u64 = size.iter().map(|&side| u64::from(side)).product();
            offset += texels * u64::from(image.layers) * image.texel_size;
        }
        Ok(())
    }

    pub(crate) unsafe fn descriptors(
        &self,
        job: &Job<'_>,
        resources: &[Resource],
        made: &mut Made<'_>,
    ) -> Result<Vec<vk::DescriptorSet>> {
        if made.layouts.is_empty() {
            return Ok(Vec::new());
        }
        let sizes: Vec<_> = job
            .descriptors
            .iter()
            .map(|it| vk::DescriptorPoolSize {
                ty: it.kind,
                // An array may have more than are given.
                descriptor_count: it.element + 1,
            })
            .collect();
        // SAFETY: as for `Driver::run`.
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
            for it in &job.descriptors {
                let resource = it.memory.map(|index| &resources[index]);
                self.write(it, resource, sets[it.set as usize], made)?;
            }
            Ok(sets)
        }
    }

    unsafe fn write(
        &self,
        it: &Descriptor,
        resource: Option<&Resource>,
        set: vk::DescriptorSet,
        made: &mut Made<'_>,
    ) -> Result<()> {
        let mut buffer = vk::DescriptorBufferInfo::default();
        let mut image = vk::DescriptorImageInfo::default().image_layout(vk::ImageLayout::GENERAL);
        let mut views = [vk::BufferView::null()];
        // SAFETY: as for `Driver::run`.
        unsafe {
            if let Some(sampler) = &it.sampler {
                image.sampler = self.device.create_sampler(sampler, None)?;
                made.samplers.push(image.sampler);
            }
            if let Some(resource) = resource {
                buffer.buffer = resource.buffer;
                buffer.range = resource.size.max(1) as u64;
                image.image_view = resource.view;
            }
            if let (Some(resource), true) = (resource, is_texel_buffer(it.kind)) {
                let info = vk::BufferViewCreateInfo::default()
                    .buffer(resource.buffer)
                    .format(it.format)
                    .range(vk::WHOLE_SIZE);
                views[0] = self.device.create_buffer_view(&info, None)?;
                made.buffer_views.push(views[0]);
            }
            let (buffers, images) = ([buffer], [image]);
            let write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .dst_binding(it.binding)
                .dst_array_element(it.element)
                .descriptor_type(it.kind);
            let write = match it.kind {
                kind if is_texel_buffer(kind) => write.texel_buffer_view(&views),
                vk::DescriptorType::STORAGE_BUFFER | vk::DescriptorType::UNIFORM_BUFFER => {
                    write.buffer_info(&buffers)
                }
                _ => write.image_info(&images),
            };
            self.device.update_descriptor_sets(&[write], &[]);
        }
        Ok(())
    }
}

fn is_texel_buffer(kind: vk::DescriptorType) -> bool {
    matches!(
        kind,
        vk::DescriptorType::STORAGE_TEXEL_BUFFER | vk::DescriptorType::UNIFORM_TEXEL_BUFFER
    )
}

fn extent([width, height, depth]: [u32; 3]) -> vk::Extent3D {
    vk::Extent3D {
        width,
        height,
        depth,
    }
}
