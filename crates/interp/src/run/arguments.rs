//! Arguments of kernels.

use std::fmt;

use spirvkit_analysis::ModuleIndex;
use spirvkit_analysis::index::Function;
use spirvkit_binary::Id;
use spirvkit_diagnostics::Diagnostic;
use spirvkit_grammar::{Capability, Op};

use super::{Element, MAX_NAMED, Outcome, Pipe, Run, bytes_of};
use crate::image::{ARGUMENTS, Image, Sampler};
use crate::kinds;
use crate::lower::{Given, parameter_name};
use crate::program::{BuiltInValue, Input, ObjectKind, Program};
use crate::special::Special;

/// How an argument of a kernel, or a variable of the module, is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Name {
    /// By the number of the argument, from 0 on.
    Index(u32),
    /// By the name that the module gives it (`OpName`).
    Name(String),
}

impl From<u32> for Name {
    fn from(index: u32) -> Self {
        Self::Index(index)
    }
}

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<String> for Name {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => index.fmt(f),
            Self::Name(name) => write!(f, "`{name}`"),
        }
    }
}

/// What is given for an argument.
#[derive(Clone, Debug)]
pub(super) enum Argument {
    Bytes(Vec<u8>),
    Local(u32),
    Address(u64),
    Image(Box<Image>),
    Sampler(Sampler),
    Pipe(Pipe),
}

/// The arguments of a kernel, in their order.
pub(super) struct Arguments {
    /// What lowering must know of them.
    pub(super) given: Vec<Given>,
    pub(super) contents: Vec<Vec<u8>>,
}

/// An argument of a kernel, or a variable of the module that all invocations share, after the
/// run.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    /// Of an argument.
    index: Option<u32>,
    name: String,
    bytes: Vec<u8>,
}

impl Shared {
    fn is_called(&self, name: &Name) -> bool {
        match name {
            Name::Index(index) => self.index == Some(*index),
            Name::Name(name) => self.name == *name,
        }
    }

    /// Its name and what it holds.
    pub(super) fn named(&self) -> (&str, &Vec<u8>) {
        (&self.name, &self.bytes)
    }
}

impl Run<'_> {
    /// An argument of a kernel, by its number or name: the contents of the buffer that it
    /// points to, or its value, if it is no pointer or one to a copy.
    ///
    /// ```
    /// # use spirvkit_interp::Run;
    /// # let words = [];
    /// let run = Run::new(&words).argument(0, &[1.0f32, 2.0]).argument("n", &[2u32]);
    /// ```
    pub fn argument<T: Element>(self, name: impl Into<Name>, contents: &[T]) -> Self {
        self.given(name.into(), Argument::Bytes(bytes_of(contents)))
    }

    /// An argument that points to this many bytes of memory of each workgroup, which begin
    /// with zeros.
    pub fn local_argument(self, name: impl Into<Name>, bytes: u32) -> Self {
        self.given(name.into(), Argument::Local(bytes))
    }

    /// An argument that is the address of memory ([`Run::memory`]), or 0 for a null pointer.
    /// So several may be the same.
    pub fn address_argument(self, name: impl Into<Name>, address: u64) -> Self {
        self.given(name.into(), Argument::Address(address))
    }

    /// Gives an argument of a kernel an image.
    pub fn image_argument(self, name: impl Into<Name>, image: Image) -> Self {
        self.given(name.into(), Argument::Image(Box::new(image)))
    }

    /// Gives an argument of a kernel a sampler.
    pub fn sampler_argument(self, name: impl Into<Name>, sampler: Sampler) -> Self {
        self.given(name.into(), Argument::Sampler(sampler))
    }

    pub(super) fn given(mut self, name: Name, argument: Argument) -> Self {
        self.arguments.push((name, argument));
        self
    }

    /// The number of invocations of a workgroup in each dimension, for kernels that don't say
    /// it themselves; otherwise one.
    pub fn local_size(mut self, size: [u32; 3]) -> Self {
        self.local_size = Some(size);
        self
    }

    /// The number of invocations of a kernel in each dimension: as many workgroups are run as
    /// that takes, whatever number [`Run::dispatch`] is given, and the last ones have fewer
    /// invocations if it is no multiple of the [local size](Run::local_size).
    pub fn global_size(mut self, size: [u32; 3]) -> Self {
        self.global_size = Some(size);
        self
    }

    /// How many dimensions a kernel has (`WorkDim`); otherwise as many as it takes for all its
    /// invocations.
    pub fn work_dim(mut self, dimensions: u32) -> Self {
        self.work_dim = Some(dimensions);
        self
    }

    /// What is added to the global index of each invocation (`GlobalOffset`); otherwise zero.
    pub fn global_offset(mut self, offset: [u32; 3]) -> Self {
        self.global_offset = offset;
        self
    }

    /// The arguments in the order of the parameters. Adds those of which there are no parameters.
    pub(super) fn take_arguments(
        &mut self,
        m: &ModuleIndex<'_>,
        entry: Id,
        objections: &mut Vec<Diagnostic>,
    ) -> Arguments {
        let function = m.function_index(entry);
        let function = function.map(|index| &m.functions[index as usize]);
        let names = function.map_or_else(Vec::new, |function| parameters(m, function));
        let mut given = vec![Given::Nothing; names.len()];
        let mut contents = vec![Vec::new(); names.len()];
        for (name, argument) in std::mem::take(&mut self.arguments) {
            let index = match &name {
                Name::Index(index) => Some(*index as usize).filter(|&it| it < names.len()),
                Name::Name(name) => names.iter().position(|it| it == name),
            };
            let Some(index) = index else {
                let known = (0..).zip(&names).take(MAX_NAMED);
                let known = known.map(|(index, name): (u32, _)| match name.as_str() {
                    "" => index.to_string(),
                    name => format!("`{name}`"),
                });
                let known: Vec<String> = known.collect();
                let nameless = match names.iter().all(String::is_empty) {
                    true => ": the module doesn't name them",
                    false => "",
                };
                let message = match known.is_empty() {
                    true => format!("there is no argument {name}: the entry point takes none"),
                    false => {
                        let known = known.join(", ");
                        format!("there is no argument {name}, but {known}{nameless}")
                    }
                };
                objections.push(kinds::INTERFACE.error(message));
                continue;
            };
            given[index] = match argument {
                Argument::Bytes(bytes) => {
                    contents[index] = bytes;
                    Given::Bytes(contents[index].len())
                }
                Argument::Image(image) => {
                    let place = (ARGUMENTS, index as u32, 0);
                    self.resources.entry(place).or_default().image = Some(*image);
                    Given::Resource
                }
                Argument::Sampler(sampler) => {
                    let place = (ARGUMENTS, index as u32, 0);
                    self.resources.entry(place).or_default().sampler = Some(sampler);
                    Given::Resource
                }
                Argument::Pipe(pipe) => match pipe.given() {
                    Ok((given, packets)) => {
                        contents[index] = packets;
                        given
                    }
                    Err(why) => {
                        let message = format!("argument {name}: {why}");
                        objections.push(kinds::INTERFACE.error(message));
                        Given::Pipe {
                            packet: 1,
                            capacity: 0,
                            count: 0,
                        }
                    }
                },
                Argument::Local(bytes) => Given::Local(bytes),
                Argument::Address(address) => Given::Address(address),
            };
        }
        Arguments { given, contents }
    }
}

/// The names of a function's parameters.
fn parameters(m: &ModuleIndex<'_>, function: &Function) -> Vec<String> {
    let all = m.instructions(function.range.clone());
    let parameters = all
        .take_while(|inst| inst.op() != Op::Label)
        .filter(|inst| inst.op() == Op::FunctionParameter);
    let name = |id| parameter_name(m, id).unwrap_or_default();
    parameters
        .map(|inst| inst.result().map_or_else(String::new, name))
        .collect()
}

/// The arguments and variables that all invocations share, after the run.
pub(super) fn shared(program: &Program, homes: &[usize], buffers: &mut [Vec<u8>]) -> Vec<Shared> {
    let mut all = Vec::new();
    for (object, &home) in program.objects.iter().zip(homes) {
        let index = match object.kind {
            ObjectKind::Argument { index, .. } => Some(index),
            ObjectKind::Global { .. } => None,
            ObjectKind::Pipe { index, .. } => index,
            _ => continue,
        };
        all.push(Shared {
            index,
            name: object.name.to_string(),
            bytes: std::mem::take(&mut buffers[home]),
        });
    }
    all
}

impl Outcome {
    /// The bytes of the buffer that was given for an argument, or of the packets that are left in
    /// a pipe, in their order; by a name also those of a variable of the module that all
    /// invocations share (`CrossWorkgroup`), or of a pipe of the module's own. Empty if there is
    /// no such.
    pub fn argument_bytes(&self, name: impl Into<Name>) -> &[u8] {
        let name = name.into();
        let found = self.shared.iter().find(|it| it.is_called(&name));
        found.map_or(&[], |it| &it.bytes)
    }

    /// Whether there is an argument with memory of its own, or a variable that all invocations
    /// share, of this name, or an argument that is an image.
    pub fn has_argument(&self, name: impl Into<Name>) -> bool {
        let name = name.into();
        self.shared.iter().any(|it| it.is_called(&name))
            || self.image_argument(name.clone()).is_some()
    }

    /// The numbers in that buffer, up to the last whole one.
    pub fn argument<T: Element>(&self, name: impl Into<Name>) -> Vec<T> {
        let chunks = self.argument_bytes(name).chunks_exact(T::SIZE);
        chunks.map(T::read).collect()
    }
}

/// Whether workgroups of a program may be of different sizes, for so many invocations.
pub(super) fn check_global_size(
    m: &ModuleIndex<'_>,
    program: &Program,
    size: [u32; 3],
) -> Result<(), Box<Diagnostic>> {
    if !m.has(Capability::Kernel) {
        let message = "only kernels run with a global size; shaders run whole workgroups";
        return Err(Box::new(kinds::INTERFACE.error(message)));
    }
    let is_whole = [0, 1, 2].map(|axis| size[axis].is_multiple_of(program.workgroup_size[axis]));
    let of_matrix = |input: &Input| matches!(input.built_in, BuiltInValue::MatrixPlace(_));
    let has_matrices = program.inputs.iter().any(of_matrix)
        || program.specials.iter().any(Special::is_of_matrices);
    match is_whole.contains(&false) && has_matrices {
        true => {
            let message = "cooperative matrices in workgroups of different sizes can't be run yet";
            Err(Box::new(kinds::UNSUPPORTED.error(message)))
        }
        false => Ok(()),
    }
}
