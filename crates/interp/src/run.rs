//! The interface for those who test shaders.

mod arguments;
mod bind;
mod memory;
mod numbers;
mod orders;
mod pipes;
mod races;

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;

use spirvkit_analysis::ModuleIndex;
use spirvkit_analysis::index::EntryPoint;
use spirvkit_binary::Id;
use spirvkit_diagnostics::{Diagnostic, Errors, Severity};
use spirvkit_grammar::{Decoration, ExecutionModel};
use spirvkit_ir::Module;
use spirvkit_transform::{Specialization, spec_constants, specialize};

use crate::image::{Given, Images, Resources, Results};
use crate::kinds;
use crate::lower::{Surroundings, lower};
use crate::machine::{
    Buffer, Findings, Pipes, Queue, RaceOptions, Races, Schedule, Shared, Tick, dispatch_all,
    workgroup_bytes,
};
use crate::observe::Observer;
use crate::optimize::{optimize, pack};
use crate::program::{BEYOND, ObjectKind, Program};
use crate::undefined::instrument;
use arguments::{Argument, Arguments, check_global_size, shared as shared_by_all};

pub use arguments::Name;
pub use pipes::Pipe;

pub use numbers::{Float, SpecValue, assert_close};

/// The default for [`Run::max_steps`].
pub const MAX_STEPS: u64 = 1 << 32;

/// The default for [`Run::max_memory`], in bytes.
pub const MAX_MEMORY: u64 = 1 << 30;

/// The default for [`Run::max_printed`], in bytes.
pub const MAX_PRINTED: usize = 1 << 20;

/// The default for [`Run::max_enqueued`].
pub const MAX_ENQUEUED: u64 = 1 << 16;

/// How many bytes a buffer may have: offsets beyond are those below its beginning.
pub const MAX_BUFFER: u64 = BEYOND as u64;

/// The buffer of an element of an array to which none is bound: the first, which is empty.
pub(crate) const UNBOUND: usize = 0;

/// What a buffer holds.
type Bytes = Vec<u8>;

/// A program with all that it runs on.
pub(crate) struct Prepared {
    pub(crate) program: Program,
    pub(crate) buffers: Vec<Vec<u8>>,
    /// For each object which of the buffers it is.
    pub(crate) homes: Vec<usize>,
    pub(crate) images: Images,
}

/// How many entry points or arguments a message names.
const MAX_NAMED: usize = 20;

/// A number that buffers are made of, or an array of 2, 3, 4, 8 or 16 such, as vectors are.
///
/// ```
/// # use spirvkit_interp::Run;
/// # let words = [];
/// let run = Run::new(&words).storage(0, 0, &[[1.0f32, 2.0], [3.0, 4.0]]);
/// ```
pub trait Element: Copy + sealed::Sealed {
    /// Its size in bytes.
    const SIZE: usize;
    /// Writes its bytes, the low one first, if there is room for them.
    fn write(self, to: &mut [u8]);
    /// Reads it from the bytes, the low one first; zero if there are too few.
    fn read(bytes: &[u8]) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! elements {
    ($($ty:ty)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Element for $ty {
            const SIZE: usize = size_of::<$ty>();
            #[inline]
            fn write(self, to: &mut [u8]) {
                if let Some(room) = to.first_chunk_mut() {
                    *room = self.to_le_bytes();
                }
            }
            fn read(bytes: &[u8]) -> Self {
                bytes.first_chunk().map_or(Self::default(), |bytes| Self::from_le_bytes(*bytes))
            }
        }
    )*};
}

elements!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);

/// The bytes of numbers.
pub(crate) fn bytes_of<T: Element>(contents: &[T]) -> Vec<u8> {
    let mut bytes = vec![0; contents.len() * T::SIZE];
    for (room, &number) in bytes.chunks_exact_mut(T::SIZE).zip(contents) {
        number.write(room);
    }
    bytes
}

/// A run of an entry point: its inputs and limits.
///
/// ```
/// use spirvkit_interp::Run;
///
/// # let words = spirvkit_text::assemble(include_str!("../samples/double.spvasm"), &Default::default()).unwrap().words;
/// let out = Run::new(&words).storage(0, 0, &[1.0f32, 2.0, 3.0, 4.0]).dispatch([1, 1, 1])?;
/// assert_eq!(out.read::<f32>(0, 0), [2.0, 4.0, 6.0, 8.0]);
/// out.assert_clean();
/// # Ok::<(), spirvkit_diagnostics::Errors>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Run<'a> {
    words: &'a [u32],
    entry: Option<String>,
    constants: Vec<(u32, u64)>,
    /// By set, binding and element of an array.
    buffers: BTreeMap<(u32, u32, u32), Vec<u8>>,
    pub(crate) resources: Resources,
    /// What is the same buffer as one of these.
    same: BTreeMap<(u32, u32, u32), (u32, u32, u32)>,
    push: Vec<u8>,
    /// What has an address, in the order of addresses.
    memories: Vec<Vec<u8>>,
    /// Of a kernel.
    arguments: Vec<(Name, Argument)>,
    local_size: Option<[u32; 3]>,
    global_size: Option<[u32; 3]>,
    work_dim: Option<u32>,
    pub(crate) global_offset: [u32; 3],
    pub(crate) subgroup_size: u32,
    max_steps: u64,
    max_memory: u64,
    max_printed: usize,
    max_enqueued: u64,
    race: RaceOptions,
    /// Where instructions stand, in words, whose races are accepted.
    pub(crate) accepted: BTreeSet<u32>,
    pub(crate) is_robust: bool,
    threads: usize,
    tick: Option<Tick<'a>>,
    seed: u64,
    schedules: u64,
    reports_stores: bool,
    is_optimized: bool,
}

impl<'a> Run<'a> {
    /// A run of a module, given as words in host order.
    pub fn new(words: &'a [u32]) -> Self {
        Self {
            words,
            entry: None,
            constants: Vec::new(),
            buffers: BTreeMap::new(),
            resources: Resources::new(),
            same: BTreeMap::new(),
            push: Vec::new(),
            memories: Vec::new(),
            arguments: Vec::new(),
            local_size: None,
            global_size: None,
            work_dim: None,
            global_offset: [0; 3],
            subgroup_size: 32,
            max_steps: MAX_STEPS,
            max_memory: MAX_MEMORY,
            max_printed: MAX_PRINTED,
            max_enqueued: MAX_ENQUEUED,
            race: RaceOptions::default(),
            accepted: BTreeSet::new(),
            is_robust: false,
            threads: 0,
            tick: None,
            seed: 0,
            schedules: 1,
            reports_stores: false,
            is_optimized: true,
        }
    }

    /// The name of the entry point; not needed if there is only one.
    pub fn entry(mut self, name: &str) -> Self {
        self.entry = Some(name.to_owned());
        self
    }

    /// Gives the specialization constant with this `SpecId` a value of its type.
    pub fn spec(mut self, spec_id: u32, value: impl SpecValue) -> Self {
        self.constants.push((spec_id, value.bits()));
        self
    }

    /// The contents of a storage or uniform buffer.
    pub fn storage<T: Element>(self, set: u32, binding: u32, contents: &[T]) -> Self {
        self.element(set, binding, 0, contents)
    }

    /// The contents of one element of an array of buffers. Others may be left out; it is a finding
    /// to use one of those, as it is for images and samplers.
    pub fn element<T: Element>(
        mut self,
        set: u32,
        binding: u32,
        element: u32,
        contents: &[T],
    ) -> Self {
        self.buffers
            .insert((set, binding, element), bytes_of(contents));
        self
    }

    /// Binds the buffer or image that another place has to this one, too; both are given by
    /// set, binding and element of an array. An image that is bound here as well says how the
    /// bytes at the other place are seen.
    pub fn share(mut self, place: (u32, u32, u32), with: (u32, u32, u32)) -> Self {
        self.same.insert(place, with);
        self
    }

    /// A buffer of `bytes` zero bytes.
    pub fn zeroed(mut self, set: u32, binding: u32, bytes: usize) -> Self {
        self.buffers.insert((set, binding, 0), vec![0; bytes]);
        self
    }

    /// The push constants, from the first byte on.
    pub fn push<T: Element>(mut self, contents: &[T]) -> Self {
        self.push = bytes_of(contents);
        self
    }

    /// The number of invocations in a subgroup, a power of two from 1 to 64, as devices have;
    /// the default is 32.
    pub fn subgroup_size(mut self, size: u32) -> Self {
        self.subgroup_size = size;
        self
    }

    /// The number of instructions after which the run ends with a finding; each is counted
    /// once per subgroup, copies of many elements also once for each scalar that they copy, and a
    /// product of matrices once for each term of an invocation's share. The default is
    /// [`MAX_STEPS`].
    pub fn max_steps(mut self, steps: u64) -> Self {
        self.max_steps = steps;
        self
    }

    /// The number of bytes that the values and variables of a workgroup may take, and those that
    /// the module's variables may take that all workgroups share; a module that needs more is an
    /// error. The default is [`MAX_MEMORY`].
    pub fn max_memory(mut self, bytes: u64) -> Self {
        self.max_memory = bytes;
        self
    }

    /// The number of bytes that invocations may print; what goes beyond is left out. The default
    /// is [`MAX_PRINTED`].
    pub fn max_printed(mut self, bytes: usize) -> Self {
        self.max_printed = bytes;
        self
    }

    /// The number of kernels, markers and user events that kernels may enqueue and make; more is
    /// refused, with a warning. The default is [`MAX_ENQUEUED`].
    pub fn max_enqueued(mut self, count: u64) -> Self {
        self.max_enqueued = count;
        self
    }

    /// Whether accesses out of bounds through descriptors are allowed, as with Vulkan's
    /// `robustBufferAccess2` and `robustImageAccess2`: what is read is zero, with the components
    /// that the format of an image lacks, what is written is lost. The default is not to: they
    /// give the same, and are reported. An index beyond the length that a type declares is
    /// reported in either case, as is what is reached by an address.
    pub fn robust(mut self, is_robust: bool) -> Self {
        self.is_robust = is_robust;
        self
    }

    /// Whether a warning tells of undefined values that are stored to buffers and images: results
    /// then depend on something that was never written. The default is not to, because programs
    /// may well copy what they never look at.
    pub fn undefined_results(mut self, is_reported: bool) -> Self {
        self.reports_stores = is_reported;
        self
    }

    /// How many threads workgroups and orders of execution are run on; 0, the default, for as
    /// many as the machine can run at once. The outcome doesn't depend on it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// What is called each time that a workgroup has ended, in each order of execution: to show
    /// how far the run is. Some may run twice, if those that ran at the same time had to do
    /// with each other.
    pub fn on_progress(mut self, tick: &'a (dyn Fn() + Sync)) -> Self {
        self.tick = Some(Tick(tick));
        self
    }

    /// The order in which workgroups, subgroups and lanes that have parted go on, and where
    /// they are interrupted: 0, the default, for the usual order, each other number for one
    /// of its own. The same number gives the same order.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Whether the program is made faster before it runs; the default is to. Results and
    /// findings are the same, in another number of steps.
    pub fn optimized(mut self, is_optimized: bool) -> Self {
        self.is_optimized = is_optimized;
        self
    }

    /// Runs this number of workgroups in each dimension.
    ///
    /// # Errors
    ///
    /// If the module can't be run, or its inputs don't match its declarations. What goes
    /// wrong during the run is not an error, but in [`Outcome::findings`].
    pub fn dispatch(self, groups: [u32; 3]) -> Result<Outcome, Errors> {
        let further = (self.schedules > 1).then(|| self.clone());
        let mut outcome = self.run(groups, None)?;
        if let Some(further) = further {
            further.run_further(groups, &mut outcome)?;
        }
        Ok(outcome)
    }

    /// The same as [`Run::dispatch`], with someone who watches: slower, with the same results.
    ///
    /// # Errors
    ///
    /// As [`Run::dispatch`]. That the observer ends the run is no error, and no finding.
    pub fn observe(self, groups: [u32; 3], observer: &mut dyn Observer) -> Result<Outcome, Errors> {
        self.run(groups, Some(observer))
    }

    /// The program with all that it runs on. All that is given wrong, or not at all, is an error
    /// of its own.
    pub(crate) fn prepared(&mut self, is_observed: bool) -> Result<Prepared, Errors> {
        let invalid =
            |error: &dyn std::fmt::Display| Box::new(kinds::INVALID.error(error.to_string()));
        let original = ModuleIndex::new(self.words).map_err(|error| invalid(&error))?;
        let words = self.specialized(&original)?;
        let m = ModuleIndex::new(&words).map_err(|error| invalid(&error))?;
        // Specialization changes nothing in functions but where they stand.
        let entry = self.entry_point(&m)?;
        let mut objections: Vec<Diagnostic> = Vec::new();
        let Arguments {
            given: arguments,
            mut contents,
        } = self.take_arguments(&m, entry, &mut objections);
        let mut surroundings = Surroundings {
            arguments,
            local_size: self.local_size,
            moved: original.functions_start.wrapping_sub(m.functions_start),
            lanes: self.subgroup_size,
            memories: self.memories.len(),
            max_memory: self.max_memory,
            is_observed,
            ..Surroundings::default()
        };
        let places = self.buffers.keys().chain(self.same.keys());
        for &(set, binding, element) in places.chain(self.resources.keys()) {
            let count = surroundings.descriptors.entry((set, binding)).or_insert(0);
            *count = (*count).max(element.saturating_add(1));
        }
        if !self.subgroup_size.is_power_of_two() || self.subgroup_size > 64 {
            let message = format!(
                "subgroups of {} invocations; their number is a power of two from 1 to 64",
                self.subgroup_size
            );
            return Err(Errors::from(kinds::INTERFACE.error(message)));
        }
        let mut program = lower(&m, entry, &surroundings, &mut objections)?;
        program.work_dim = self.work_dim;
        if let Some(size) = self.global_size {
            let checked = check_global_size(&m, &program, size);
            checked.map_err(|error| Errors::from(*error))?;
            program.global_size = Some(size);
        }
        // Observers look for values where lowering put them, and an order of another kind may stop
        // a path anywhere for another of the same gang.
        let is_optimized = self.is_optimized && program.watched.is_none() && self.seed == 0;
        if is_optimized {
            optimize(&mut program);
        }
        instrument(&mut program, self.reports_stores);
        if is_optimized {
            pack(&mut program);
        }
        let size = program.workgroup_size.into_iter().map(u64::from).product();
        let lanes = self.subgroup_size.clamp(1, 64) as usize;
        let bytes = workgroup_bytes(&program, lanes, size);
        if bytes > self.max_memory {
            let message = format!("a workgroup takes {bytes} bytes of memory, more than allowed");
            return Err(Errors::from(kinds::UNSUPPORTED.error(message)));
        }
        let mut known = BTreeMap::new();
        let (mut buffers, mut homes) =
            self.bind(&program, &mut contents, &mut known, &mut objections);
        let given = Given {
            resources: &mut self.resources,
            unused: &mut self.buffers,
            same: &self.same,
            known,
        };
        let images = Images::bind(&program, given, &mut buffers, &mut homes, &mut objections);
        if let Some(errors) = Errors::new(objections) {
            return Err(errors);
        }
        Ok(Prepared {
            program,
            buffers,
            homes,
            images,
        })
    }

    fn run(
        mut self,
        groups: [u32; 3],
        observer: Option<&mut dyn Observer>,
    ) -> Result<Outcome, Errors> {
        let Prepared {
            program,
            buffers,
            homes,
            images,
        } = self.prepared(observer.is_some())?;
        let groups = match program.global_size {
            Some(size) => [0, 1, 2].map(|axis| size[axis].div_ceil(program.workgroup_size[axis])),
            None => groups,
        };
        let mut shared = Shared {
            program: &program,
            buffers: buffers.into_iter().map(Buffer::from).collect(),
            homes,
            images,
            pipes: Pipes::new(&program),
            queue: Queue::new(self.max_enqueued, self.max_memory),
            findings: Findings::default(),
            steps: 0,
            max_steps: self.max_steps,
            groups,
            offset: self.global_offset,
            observer: observer.map(|observer| &mut *observer as &mut dyn Observer),
            printed: String::new(),
            max_printed: self.max_printed,
            changes: 0,
            races: None,
            schedule: (self.seed != 0).then(|| Schedule::new(self.seed, &program)),
            subgroup_size: self.subgroup_size,
            stored: HashMap::new(),
            is_robust: self.is_robust,
            threads: self.thread_count(),
            tick: self.tick,
            keeps_turns: false,
            are_lanes_together: program.code.iter().any(|inst| !inst.is_of_each_lane()),
            tracks: None,
        };
        if self.race.is_on {
            let accepted = std::mem::take(&mut self.accepted);
            let races = Races::new(self.race, accepted, &shared, self.subgroup_size);
            shared.races = Some(Box::new(races));
        }
        // Few kinds of gangs, which take long to compile.
        match self.subgroup_size {
            1..=8 => dispatch_all::<8>(&mut shared),
            9..=32 => dispatch_all::<32>(&mut shared),
            _ => dispatch_all::<64>(&mut shared),
        }
        let Shared {
            buffers,
            homes,
            images,
            pipes,
            findings,
            steps,
            printed,
            ..
        } = shared;
        let mut buffers: Vec<Vec<u8>> = buffers.into_iter().map(Buffer::into_bytes).collect();
        pipes.settle(&homes, &mut buffers);
        let shared = shared_by_all(&program, &homes, &mut buffers);
        let images = images.taken(&program, &homes, &mut buffers);
        let mut results = BTreeMap::new();
        let mut memories = Vec::new();
        for (object, home) in program.objects.iter().zip(homes) {
            match object.kind {
                ObjectKind::Buffer {
                    set,
                    binding,
                    element,
                    ..
                } => {
                    let place = (set, binding, element);
                    let place = self.same.get(&place).copied().unwrap_or(place);
                    if home != UNBOUND {
                        let contents = results.entry(place);
                        contents.or_insert_with(|| std::mem::take(&mut buffers[home]));
                    }
                }
                ObjectKind::Memory { .. } => memories.push(std::mem::take(&mut buffers[home])),
                _ => {}
            }
        }
        let findings = findings.into_diagnostics(&program, self.seed);
        Ok(Outcome {
            buffers: results,
            memories,
            shared,
            images,
            same: self.same,
            printed,
            findings,
            steps,
        })
    }

    /// The module with all specialization constants final.
    fn specialized(&self, m: &ModuleIndex<'_>) -> Result<Vec<u32>, Box<Diagnostic>> {
        let interface = |message: String| Box::new(kinds::INTERFACE.error(message));
        let invalid =
            |error: &dyn std::fmt::Display| Box::new(kinds::INVALID.error(error.to_string()));
        let has_any = m.all_decorated_with(Decoration::SpecId).next().is_some()
            || m.all_instructions()
                .take_while(|inst| inst.offset() < m.functions_start)
                .any(|inst| inst.op().is_spec_constant());
        if !has_any && self.constants.is_empty() {
            return Ok(self.words.to_vec());
        }
        let mut module = Module::load(self.words).map_err(|error| invalid(&error))?;
        let mut wanted = Specialization::default();
        wanted.all_defaults = true;
        let known = spec_constants(&module);
        for &(spec_id, bits) in &self.constants {
            // Several constants may share a `SpecId`, as the sizes of workgroups do with others.
            let same = known
                .iter()
                .filter(|constant| constant.spec_id == Some(spec_id));
            let before = wanted.values.len();
            wanted
                .values
                .extend(same.map(|constant| (constant.id, bits)));
            if wanted.values.len() == before {
                let message = format!("there is no specialization constant with SpecId {spec_id}");
                return Err(interface(message));
            }
        }
        specialize(&mut module, &wanted).map_err(|error| invalid(&error))?;
        Ok(module.store())
    }

    fn entry_point(&self, m: &ModuleIndex<'_>) -> Result<Id, Box<Diagnostic>> {
        let interface = |message: String| Box::new(kinds::INTERFACE.error(message));
        let all: Vec<&EntryPoint<'_>> = match &self.entry {
            Some(name) => m
                .entry_points
                .iter()
                .filter(|entry| entry.name() == *name)
                .collect(),
            None => m.entry_points.iter().collect(),
        };
        let is_compute = |entry: &&&EntryPoint<'_>| {
            let model = entry.model;
            matches!(model, ExecutionModel::GLCompute | ExecutionModel::Kernel)
        };
        let compute: Vec<&EntryPoint<'_>> = all.iter().filter(is_compute).copied().collect();
        match (&compute[..], &all[..], &self.entry) {
            ([entry], ..) => Ok(entry.function),
            ([], [other, ..], _) => {
                let what = format!(
                    "an entry point of the execution model {} can't be run yet",
                    other.model
                );
                let error = kinds::UNSUPPORTED.error(what);
                Err(Box::new(error.at_word(other.inst.offset() as usize)))
            }
            ([], [], Some(name)) => {
                let known = m.entry_points.iter().take(MAX_NAMED);
                let known: Vec<String> = known.map(|it| format!("`{}`", it.name())).collect();
                let known = match known.is_empty() {
                    true => String::new(),
                    false => format!(", but {}", known.join(", ")),
                };
                Err(interface(format!(
                    "there is no entry point `{name}`{known}"
                )))
            }
            ([], [], None) => Err(interface(String::from("the module has no entry point"))),
            _ => {
                let names = compute
                    .iter()
                    .take(MAX_NAMED)
                    .map(|entry| format!("`{}`", entry.name()));
                let names: Vec<String> = names.collect();
                let message = format!(
                    "the module has several entry points, of which one must be chosen: {}",
                    names.join(", ")
                );
                Err(interface(message))
            }
        }
    }
}

/// The result of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    buffers: BTreeMap<(u32, u32, u32), Vec<u8>>,
    memories: Vec<Vec<u8>>,
    shared: Vec<arguments::Shared>,
    pub(crate) images: Results,
    same: BTreeMap<(u32, u32, u32), (u32, u32, u32)>,
    printed: String,
    /// What went wrong, in the order of instructions. Places are those in the given module.
    pub findings: Vec<Diagnostic>,
    /// The number of instructions executed, each counted once for all lanes that execute it
    /// together. They are those that the module is lowered to, of which there are more where a
    /// run is observed.
    pub steps: u64,
}

impl Outcome {
    /// The bytes of a buffer; empty if there is no such buffer.
    pub fn bytes(&self, set: u32, binding: u32) -> &[u8] {
        self.element(set, binding, 0).unwrap_or_default()
    }

    /// The bytes of one element of an array of buffers; `None` if the entry point uses no such
    /// buffer.
    pub fn element(&self, set: u32, binding: u32, element: u32) -> Option<&[u8]> {
        let place = (set, binding, element);
        let place = self.same.get(&place).unwrap_or(&place);
        self.buffers.get(place).map(Vec::as_slice)
    }

    /// The numbers in a buffer, up to the last whole one.
    pub fn read<T: Element>(&self, set: u32, binding: u32) -> Vec<T> {
        let chunks = self.bytes(set, binding).chunks_exact(T::SIZE);
        chunks.map(T::read).collect()
    }

    /// What invocations printed, with `printf` of OpenCL C and `debugPrintfEXT` of GLSL.
    pub fn printed(&self) -> &str {
        &self.printed
    }

    /// Whether there are no findings but warnings.
    pub fn is_clean(&self) -> bool {
        self.findings
            .iter()
            .all(|found| found.severity() != Severity::Error)
    }

    /// For tests.
    ///
    /// # Panics
    ///
    /// If there are findings other than warnings; the message lists them.
    pub fn assert_clean(&self) {
        let messages: Vec<String> = self.findings.iter().map(ToString::to_string).collect();
        assert!(self.is_clean(), "{}", messages.join("\n"));
    }
}
