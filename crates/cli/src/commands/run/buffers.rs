//! What goes into buffers.

use std::collections::BTreeMap;

use serde_json::Value;
use spirvkit::interp::{Image, MAX_BUFFER, Name, Pipe, Run, Sampler};
use spirvkit::reflect::DescriptorKind;

use super::arguments::{Contents, FileForm, Memory, Push};
use super::images;
use super::json::{self, MAX_BYTES};
use super::npy;
use super::places::{Blocks, Found, Home, Wanted, wanted};
use super::slices::Slice;
use crate::report::{Messages, kinds};

/// The buffers of a run.
pub(super) struct Buffers<'b, 'r> {
    blocks: &'b Blocks<'r>,
    contents: BTreeMap<Home, Vec<u8>>,
    images: BTreeMap<Home, Image>,
    samplers: BTreeMap<Home, Sampler>,
    local: Vec<(String, u32)>,
    pipes: Vec<(String, Pipe)>,
    push: Vec<u8>,
}

/// Why something can't be put into an image.
const NO_IMAGE: &str = "this is an image: give it a PNG file, or its format and size, such as \
                        rgba8:64x32 or, with its bytes, rgba8:64x32:FILE";

/// Why something can't be put into a part of an image.
const NO_TEXELS: &str = "this is a part of an image: give it a PNG file, a file with its bytes, or \
                         numbers, such as u8:255,0,0,255";

/// Why something can't be put into a sampler.
const NO_SAMPLER: &str = "this is a sampler: say how it samples, such as sampler:linear,clamp";

pub(super) fn add(messages: &mut Messages, wanted: &Wanted, why: &str) {
    let message = format!("`{}`: {why}", wanted.text);
    messages.add_about(&kinds::BAD_DATA.error(message), None);
}

impl<'b, 'r> Buffers<'b, 'r> {
    pub(super) fn new(blocks: &'b Blocks<'r>) -> Self {
        Self {
            blocks,
            contents: BTreeMap::new(),
            images: BTreeMap::new(),
            samplers: BTreeMap::new(),
            local: Vec::new(),
            pipes: Vec::new(),
            push: Vec::new(),
        }
    }

    /// Memory that only addresses lead to.
    pub(super) fn remember(&mut self, all: &[Memory], messages: &mut Messages) {
        for (index, memory) in all.iter().enumerate() {
            let home = Home::Memory(index);
            self.contents.insert(home.clone(), Vec::new());
            let found = Found {
                part: self.blocks.whole(&home),
                home,
                is_whole: true,
                range: None,
                slice: None,
            };
            if let Err(why) = self.fill(found, &memory.contents) {
                let message = format!("`{}`: {why}", memory.name);
                messages.add_about(&kinds::BAD_DATA.error(message), None);
            }
        }
    }

    pub(super) fn bind(&mut self, all: &[(Wanted, Contents)], messages: &mut Messages) {
        for (wanted, contents) in all {
            let found = wanted.only_shown().and_then(|()| self.blocks.find(wanted));
            if let Ok(found) = &found
                && matches!(found.home, Home::Buffer(..))
                && self.blocks.descriptor(&found.home).is_none()
            {
                let message = format!("`{}`: the module has nothing there", wanted.text);
                messages.add_about(&kinds::BAD_DATA.warning(message), None);
            }
            let done = found.and_then(|found| self.fill(found, contents));
            if let Err(why) = done {
                add(messages, wanted, &why);
            }
        }
    }

    /// Arguments of kernels.
    pub(super) fn give(&mut self, all: &[(Wanted, Contents)], messages: &mut Messages) {
        for (wanted, contents) in all {
            let home = Home::Argument(wanted.label());
            let found = Found {
                home,
                part: None,
                is_whole: true,
                range: None,
                slice: None,
            };
            let done = wanted.only_shown().and_then(|()| match contents {
                Contents::Local(bytes) => {
                    self.local.push((wanted.label(), *bytes));
                    Ok(())
                }
                Contents::Pipe(sizes, packets) => {
                    let pipe = pipe(*sizes, packets.as_deref())?;
                    self.pipes.push((wanted.label(), pipe));
                    Ok(())
                }
                contents => self.fill(found, contents),
            });
            if let Err(why) = done {
                add(messages, wanted, &why);
            }
        }
    }

    pub(super) fn push(&mut self, all: &[Push], messages: &mut Messages) {
        for push in all {
            match push {
                Push::Numbers(numbers) => self.push.extend(&numbers.bytes),
                Push::Member(wanted, value) => {
                    let found = wanted.only_shown();
                    let part = found.and_then(|()| self.blocks.find_push(wanted));
                    let blocks = self.blocks;
                    let done =
                        part.and_then(|part| json::write(blocks, part, value, &mut self.push));
                    if let Err(why) = done {
                        add(messages, wanted, &why);
                    }
                }
            }
        }
        // Members that nobody names are zero.
        let has_names = all.iter().any(|push| matches!(push, Push::Member(..)));
        if has_names {
            let blocks = self.blocks.reflection.push_constants.iter();
            let sizes = blocks.filter_map(|block| block.size?.known());
            let size = sizes.max().unwrap_or(0).min(MAX_BYTES) as usize;
            self.push.resize(self.push.len().max(size), 0);
        }
    }

    /// Whether contents are for what the module declares somewhere.
    fn suits(&self, home: &Home, contents: &Contents) -> Result<(), String> {
        let is_image = matches!(
            contents,
            Contents::Texels(_) | Contents::Sampler(_) | Contents::File(_, FileForm::Png)
        );
        if matches!(home, Home::Memory(_)) && is_image {
            return Err("memory takes bytes, numbers or a value".into());
        }
        let Some(declared) = self.blocks.descriptor(home) else {
            return Ok(());
        };
        let has_sampler = matches!(
            declared.kind,
            DescriptorKind::Sampler | DescriptorKind::CombinedImageSampler
        );
        match contents {
            Contents::Sampler(_) if !has_sampler => Err("this takes no sampler".into()),
            Contents::Texels(_) | Contents::File(_, FileForm::Png) if declared.image.is_none() => {
                Err("this is no image".into())
            }
            Contents::Sampler(_) | Contents::Texels(_) => Ok(()),
            _ if declared.kind == DescriptorKind::Sampler => Err(NO_SAMPLER.into()),
            _ => Ok(()),
        }
    }

    /// Puts contents where they belong.
    fn fill(&mut self, found: Found, contents: &Contents) -> Result<(), String> {
        self.suits(&found.home, contents)?;
        if let Some(slice) = found.slice {
            return self.fill_slice(found, slice, contents);
        }
        match contents {
            Contents::Texels(texels) => {
                let image = self.blocks.image(&found.home, texels)?;
                self.images.insert(found.home, image);
                Ok(())
            }
            Contents::Sampler(sampler) => {
                self.samplers.insert(found.home, sampler.clone());
                Ok(())
            }
            Contents::Zeros(bytes) => {
                if *bytes as u64 > MAX_BUFFER {
                    return Err(format!(
                        "it would have {bytes} bytes, where a buffer may have {MAX_BUFFER}"
                    ));
                }
                let mut zeros = Vec::new();
                if zeros.try_reserve_exact(*bytes).is_err() {
                    return Err(format!("there is no memory for {bytes} bytes"));
                }
                zeros.resize(*bytes, 0);
                self.put(found, zeros)
            }
            Contents::Numbers(numbers) => self.put(found, numbers.bytes.clone()),
            Contents::Value(value) => self.write(found, value),
            Contents::Local(_) => Err("only arguments of kernels are local".into()),
            Contents::Pipe(..) => Err("only arguments of kernels are pipes".into()),
            Contents::File(path, form) => {
                let bytes = images::read(path)?;
                let in_file = |why: String| format!("{}: {why}", path.display());
                match form {
                    FileForm::Raw => self.put(found, bytes),
                    FileForm::Json => {
                        let value = serde_json::from_slice(&bytes);
                        let value = value.map_err(|error| in_file(format!("not JSON: {error}")))?;
                        self.write(found, &value).map_err(in_file)
                    }
                    FileForm::Png => {
                        let image = self.blocks.picture(&found.home, &bytes);
                        self.images.insert(found.home, image.map_err(in_file)?);
                        Ok(())
                    }
                    FileForm::Npy => {
                        let array = npy::read(&bytes).map_err(in_file)?;
                        let part = found.part.filter(|_| !self.blocks.is_image(&found.home));
                        let Some(part) = part else {
                            return self.put(found, array.bytes);
                        };
                        let blocks = self.blocks;
                        let home = self.start(&found);
                        npy::write_to(&array, blocks, part, home).map_err(in_file)?;
                        self.pad(&found.home);
                        Ok(())
                    }
                }
            }
        }
    }

    /// Puts texels into a part of an image that is there already.
    fn fill_slice(
        &mut self,
        found: Found,
        slice: Slice,
        contents: &Contents,
    ) -> Result<(), String> {
        let image = self.images.get(&found.home).ok_or(
            "nothing is bound yet that this is a part of: give its format and size first, \
             such as rgba8:64x32,levels=3",
        )?;
        let bytes = match contents {
            Contents::Numbers(numbers) => numbers.bytes.clone(),
            Contents::File(path, FileForm::Raw) => images::read(path)?,
            Contents::File(path, FileForm::Png) => {
                let size = slice.size(image)?;
                images::texels_of(path, image, size)
                    .map_err(|why| format!("{}: {why}", path.display()))?
            }
            _ => return Err(NO_TEXELS.into()),
        };
        let image = slice.put(image.clone(), &bytes)?;
        self.images.insert(found.home, image);
        Ok(())
    }

    /// The bytes of a buffer that values are written to. What is written as a whole begins with
    /// zeros.
    fn start(&mut self, found: &Found) -> &mut Vec<u8> {
        let size = match found.home {
            Home::Buffer(set, binding, _) => {
                let descriptors = self.blocks.reflection.descriptors.iter();
                let mut found =
                    descriptors.filter(|it| (it.set, it.binding) == (Some(set), Some(binding)));
                found.next().and_then(|it| it.size?.known()).unwrap_or(0)
            }
            Home::Memory(_) => found.part.and_then(|it| self.blocks.end(it)).unwrap_or(0),
            Home::Argument(_) => 0,
        };
        let bytes = self.contents.entry(found.home.clone()).or_default();
        if found.is_whole {
            bytes.clear();
        }
        let size = size.min(MAX_BYTES) as usize;
        bytes.resize(bytes.len().max(size), 0);
        bytes
    }

    fn write(&mut self, found: Found, value: &Value) -> Result<(), String> {
        if self.blocks.is_image(&found.home) {
            return Err(NO_IMAGE.into());
        }
        let Some(part) = found.part else {
            return Err("its type is unknown; give numbers, such as f32:1,2.5".into());
        };
        let blocks = self.blocks;
        json::write(blocks, part, value, self.start(&found))?;
        self.pad(&found.home);
        Ok(())
    }

    /// Completes the last element of what was written.
    fn pad(&mut self, home: &Home) {
        let whole = self.blocks.whole(home);
        if let (Some(whole), Some(bytes)) = (whole, self.contents.get_mut(home)) {
            let size = self.blocks.padded(whole, bytes.len() as u64);
            if size <= MAX_BYTES {
                bytes.resize(size as usize, 0);
            }
        }
    }

    /// Bytes as they are.
    fn put(&mut self, found: Found, bytes: Vec<u8>) -> Result<(), String> {
        if self.blocks.is_image(&found.home) {
            let image = self.blocks.texel_buffer(&found.home, &bytes);
            self.images.insert(found.home, image.ok_or(NO_IMAGE)?);
            return Ok(());
        }
        if found.is_whole {
            self.contents.insert(found.home, bytes);
            return Ok(());
        }
        let start = found.part.map_or(0, |part| part.offset);
        let end = start.saturating_add(bytes.len() as u64);
        let room = found.part.and_then(|part| self.blocks.end(part));
        if let Some(room) = room.filter(|&room| end > room) {
            let (given, room) = (bytes.len(), room.saturating_sub(start));
            return Err(format!("{given} bytes are given, but it has {room}"));
        }
        if end > MAX_BYTES {
            return Err(format!("it would take {end} bytes, more than {MAX_BYTES}"));
        }
        let whole = self.contents.entry(found.home).or_default();
        whole.resize(whole.len().max(end as usize), 0);
        whole[start as usize..end as usize].copy_from_slice(&bytes);
        Ok(())
    }

    /// All buffers that are bound, as users may write them to have them shown: by their types,
    /// or as `u32` where the module doesn't say what they are.
    pub(super) fn bound(&self) -> Vec<Wanted> {
        let shown = |home: &&Home| !matches!(home, Home::Memory(_));
        let all = self.contents.keys().filter(shown).filter_map(|home| {
            let typed = wanted(&format!("{home}[..]")).ok()?;
            match self.blocks.find(&typed).ok()?.part {
                Some(_) => Some(typed),
                None => wanted(&format!("{home}:u32")).ok(),
            }
        });
        all.collect()
    }

    /// Gives a run all of this.
    pub(super) fn into_run<'a>(mut self, mut run: Run<'a>) -> Run<'a> {
        for home in self.blocks.samplers(self.images.keys()) {
            self.samplers.entry(home).or_default();
        }
        for (home, image) in self.images {
            run = match home {
                Home::Buffer(set, binding, element) => {
                    run.image_element(set, binding, element, image)
                }
                Home::Argument(name) => run.image_argument(argument(&name), image),
                Home::Memory(_) => run,
            };
        }
        for (home, sampler) in self.samplers {
            run = match home {
                Home::Buffer(set, binding, element) => {
                    run.sampler_element(set, binding, element, sampler)
                }
                Home::Argument(name) => run.sampler_argument(argument(&name), sampler),
                Home::Memory(_) => run,
            };
        }
        for (home, bytes) in &self.contents {
            run = match home {
                Home::Buffer(set, binding, element) => run.element(*set, *binding, *element, bytes),
                Home::Argument(name) => run.argument(argument(name), bytes),
                // In the order of their numbers.
                Home::Memory(_) => {
                    run.memory(bytes);
                    run
                }
            };
        }
        for (name, bytes) in &self.local {
            run = run.local_argument(argument(name), *bytes);
        }
        for (name, pipe) in self.pipes {
            run = run.pipe_argument(argument(&name), pipe);
        }
        run.push(&self.push)
    }
}

/// A pipe with its packets.
fn pipe([size, capacity]: [u32; 2], packets: Option<&Contents>) -> Result<Pipe, String> {
    let pipe = Pipe::new(size, capacity);
    Ok(match packets {
        Some(Contents::Numbers(numbers)) => pipe.packets(&numbers.bytes),
        Some(Contents::File(path, _)) => pipe.packets(&images::read(path)?),
        _ => pipe,
    })
}

/// An argument by its index or its name.
pub(super) fn argument(name: &str) -> Name {
    match name.parse::<u32>() {
        Ok(index) => index.into(),
        Err(_) => name.into(),
    }
}
