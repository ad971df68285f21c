//! From an entry point to a [`Program`].
//!
//! Every value becomes a list of columns. Composites have no form of their own: what takes
//! them apart or puts them together only chooses columns. That is right although columns are
//! written again in the next turn of a loop, because a definition dominates its uses: none is
//! reached with a part written anew and the whole not.
//!
//! No function calls itself (section 2.16.1), so that each has its columns for itself.

mod addresses;
mod arrangements;
mod constants;
mod cooperative;
mod copies;
mod derivatives;
mod descriptors;
mod elements;
mod enqueue;
mod extended;
mod functions;
mod groups;
mod images;
mod kernels;
mod memory;
mod opcodes;
mod opencl;
mod operations;
mod ordering;
mod passed;
mod pipes;
mod print;
mod tensors;
mod types;
mod variables;
mod vendors;
mod watch;

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use spirvkit_analysis::index::Inst as Instruction;
use spirvkit_analysis::{Lookup, ModuleIndex, layout};
use spirvkit_binary::{Budget, Id};
use spirvkit_diagnostics::Diagnostic;
use spirvkit_eval::{Environment, ScalarType};
use spirvkit_grammar::{Decoration, Op};

use crate::kinds;
use crate::program::{Address, Inst, MatrixPlace, NO_REG, Object, Pc, Program, Reg};
use cooperative::Spans;
pub(crate) use enqueue::MAX_ENQUEUED_WORKGROUP;
use kernels::ValueArgument;
pub(crate) use kernels::{Given, parameter_name};
pub use opcodes::{Support, support, support_of};
use passed::Passed;
use types::{Arrangement, NoExtent, Types, opaque_layout};

/// How many columns an entry point may take.
const MAX_COLUMNS: u32 = 1 << 20;

/// How many instructions an entry point may be lowered to, and how many columns may be listed
/// in values: large composites that are only handed on take no instruction.
const MAX_CODE: usize = 1 << 24;

/// What lowering must know of the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surroundings {
    /// How many descriptors there are at each set and binding, for arrays of them that are
    /// sized at run time.
    pub(crate) descriptors: BTreeMap<(u32, u32), u32>,
    /// How many invocations a subgroup has.
    pub(crate) lanes: u32,
    /// How many objects there are that have an address.
    pub(crate) memories: usize,
    /// How many bytes the variables of the module may take that all invocations share.
    pub(crate) max_memory: u64,
    /// What is given for the arguments of a kernel.
    pub(crate) arguments: Vec<Given>,
    /// The size of workgroups, where the module leaves it to the run.
    pub(crate) local_size: Option<[u32; 3]>,
    /// How many words the functions of the module that the user knows stand further behind.
    pub(crate) moved: u32,
    /// Whether someone watches the run.
    pub(crate) is_observed: bool,
}

/// What an id stands for.
#[derive(Clone, Debug)]
enum Value {
    /// The columns of a value.
    Columns(Vec<Reg>),
    /// A pointer to what is kept in columns: a variable whose address is not needed.
    Register(Vec<Reg>),
    /// A pointer into memory.
    Pointer(Pointer),
}

/// A pointer, taken apart as far as lowering knows it.
#[derive(Clone, Copy, Debug)]
struct Pointer {
    pub(super) address: Address,
    /// How what it points to lies in memory.
    pub(super) arrangement: Arrangement,
    /// How many elements it points to, if that is an array of descriptors that only the run
    /// sizes. Of other arrays of descriptors the type says it.
    pub(super) descriptors: Option<u32>,
}

impl Pointer {
    /// A pointer to what lies as its type says.
    fn plain(address: Address) -> Self {
        Self {
            address,
            arrangement: Arrangement::Plain,
            descriptors: None,
        }
    }
}

/// A function of the program.
#[derive(Clone, Debug)]
struct Signature {
    pub(super) index: u32,
    /// The columns of each parameter.
    pub(super) parameters: Vec<Vec<Reg>>,
    /// Which of them are variables that come back when the function returns.
    pub(super) come_back: Vec<bool>,
    pub(super) result: Vec<Reg>,
}

type Result<T> = core::result::Result<T, Box<Diagnostic>>;

struct Lowering<'m, 'a> {
    m: &'m ModuleIndex<'a>,
    types: Types<'m, 'a>,
    surroundings: &'m Surroundings,
    program: Program,
    /// The columns of constants by their words.
    words: HashMap<u32, Reg>,
    /// What ids stand for, as far as they have been met.
    values: HashMap<u32, Value>,
    signatures: HashMap<u32, Signature>,
    entry: Id,
    /// The arguments of the entry point that are values, until they are loaded.
    value_arguments: Vec<ValueArgument>,
    /// The columns of rows and columns that slots of cooperative matrices have.
    matrix_places: HashMap<MatrixPlace, Reg>,
    /// The members of structures that are `Coherent` or `Volatile`.
    coherent_members: HashMap<u32, HashSet<u32>>,
    /// Which variables calls pass.
    passed: Passed,
    /// Whether there are row-major matrices.
    has_rows: bool,
    /// How many columns the values list.
    listed: usize,
    /// How many bytes the variables take that all invocations share.
    global_bytes: u64,
    /// Where parts of blocks begin that are executed by some lanes only.
    parts: Vec<Pc>,
    /// What phis get, by their result and the block before.
    incoming: HashMap<(u32, u32), u32>,
    /// How arithmetic is done unless decorations say otherwise.
    environment: Environment,
    /// The function whose body is being lowered.
    function: Id,
    /// The offset of the instruction being lowered.
    here: u32,
    /// The functions that can be enqueued, by their ids.
    roots: HashMap<u32, u32>,
    /// What is wrong with the arguments that are given.
    objections: Vec<Diagnostic>,
    /// How much more may be said of that.
    objections_room: Budget,
    /// What arguments of kernels are called.
    argument_names: HashMap<u32, Arc<str>>,
}

/// The operands of an instruction from one on.
fn arguments<'a>(inst: Instruction<'a>, from: usize) -> &'a [u32] {
    inst.args().get(from..).unwrap_or_default()
}

/// Lowers an entry point's function with all that it calls. Adds which arguments are not given
/// as the entry point takes them; then the program is not to be run.
pub(crate) fn lower(
    m: &ModuleIndex<'_>,
    entry: Id,
    surroundings: &Surroundings,
    objections: &mut Vec<Diagnostic>,
) -> Result<Program> {
    let types = layout::Types::of(m);
    let declared = variables::declared_workgroup_size(m, entry);
    let given = surroundings.local_size.map(|it| it.map(u64::from));
    let size = declared.or(given).unwrap_or([1; 3]);
    let spans = Spans::new(surroundings.lanes, size);
    let opaque = |ty| opaque_layout(m, spans, ty);
    let mut lowering = Lowering {
        m,
        types: Types::new(m, &types, &opaque, spans),
        surroundings,
        program: Program::default(),
        words: HashMap::new(),
        values: HashMap::new(),
        signatures: HashMap::new(),
        entry,
        value_arguments: Vec::new(),
        matrix_places: HashMap::new(),
        coherent_members: HashMap::new(),
        passed: Passed::default(),
        has_rows: m.all_decorated_with(Decoration::RowMajor).next().is_some(),
        listed: 0,
        global_bytes: 0,
        parts: Vec::new(),
        incoming: HashMap::new(),
        environment: Environment::default(),
        function: entry,
        here: 0,
        roots: HashMap::new(),
        objections: Vec::new(),
        objections_room: Budget::for_words(m.words.len()).part(4),
        argument_names: HashMap::new(),
    };
    if surroundings.is_observed {
        lowering.program.watched = Some(Box::default());
    }
    lowering.program.memory_model = Some(m.memory_model);
    lowering.entry_point(entry)?;
    objections.append(&mut lowering.objections);
    if surroundings.is_observed {
        lowering.keep_values();
    }
    match lowering.program.is_complete() {
        true => Ok(lowering.program),
        false => Err(lowering.broken("an operand has no value")),
    }
}

impl<'a> Lowering<'_, 'a> {
    /// An error for something that there is no support for, at the instruction in hand.
    fn unsupported(&self, what: impl Into<String>) -> Box<Diagnostic> {
        let message = format!("{} can't be run yet", what.into());
        Box::new(
            kinds::UNSUPPORTED
                .error(message)
                .at_word(self.place() as usize),
        )
    }

    /// Where the instruction in hand stands in the module that the user knows.
    fn place(&self) -> u32 {
        match self.here < self.m.functions_start {
            // Specialization may have moved it by any number of words.
            true => self.here,
            false => self.here.wrapping_add(self.surroundings.moved),
        }
    }

    /// An error for a module that breaks rules on which lowering relies.
    fn broken(&self, what: impl Into<String>) -> Box<Diagnostic> {
        let error = kinds::INVALID.error(what);
        Box::new(error.at_word(self.place() as usize))
    }

    fn no_extent(&self, why: NoExtent) -> Box<Diagnostic> {
        match why {
            NoExtent::Opaque(ty) => self.unsupported(format!("a value of {}", self.m.op_of(ty))),
            NoExtent::Length(_) => self.unsupported("an array whose length is not a constant"),
            NoExtent::Size(_) => self.unsupported("a value of more than 65,536 scalars"),
        }
    }

    fn emit(&mut self, inst: Inst) {
        if self.program.watched.is_some() {
            self.watch_access(inst);
        }
        self.program.code.push(inst);
        self.program.places.push(self.place());
    }

    /// New columns.
    fn columns(&mut self, count: usize) -> Result<Vec<Reg>> {
        let start = self.program.columns;
        let end = u32::try_from(count)
            .ok()
            .and_then(|count| start.checked_add(count));
        match end.filter(|&end| end <= MAX_COLUMNS) {
            Some(end) => {
                self.program.columns = end;
                Ok((start..end).collect())
            }
            None => Err(self.unsupported("an entry point with more than 2²⁰ scalars")),
        }
    }

    fn column(&mut self) -> Result<Reg> {
        Ok(self.columns(1)?[0])
    }

    fn columns_of(&mut self, ty: Id) -> Result<Vec<Reg>> {
        let count = self.types.columns(ty).map_err(|why| self.no_extent(why))?;
        self.columns(count as usize)
    }

    /// The column of a constant word.
    fn word(&mut self, word: u32) -> Reg {
        let program = &mut self.program;
        *self.words.entry(word).or_insert_with(|| {
            let column = program.columns;
            program.constants.push((column, word));
            program.columns += 1;
            column
        })
    }

    /// The columns of a value. Constants get theirs when they are first used; pointers are
    /// put together.
    fn value(&mut self, id: Id) -> Result<Vec<Reg>> {
        match self.any_value(id)? {
            Value::Columns(columns) => Ok(columns),
            Value::Pointer(pointer) => self.materialize(pointer.address),
            Value::Register(_) => Err(self.broken("the address of a variable without one is used")),
        }
    }

    fn any_value(&mut self, id: Id) -> Result<Value> {
        if let Some(value) = self.values.get(&id.0) {
            return Ok(value.clone());
        }
        let op = self.m.op_of(id);
        if op.is_constant() || matches!(op, Op::Undef | Op::PoisonKHR) {
            let columns = self.constant(id)?;
            self.values.insert(id.0, Value::Columns(columns.clone()));
            return Ok(Value::Columns(columns));
        }
        Err(self.unsupported(format!("a value of {op}")))
    }

    /// The column of a scalar of at most 32 bits.
    fn scalar(&mut self, id: Id) -> Result<Reg> {
        match self.value(id)?[..] {
            [column, ..] => Ok(column),
            [] => Err(self.broken("a scalar is expected")),
        }
    }

    fn scalar_type(&self, ty: Id) -> Result<ScalarType> {
        let scalar = self.types.scalar(ty);
        scalar.ok_or_else(|| self.unsupported(format!("a scalar of {}", self.m.op_of(ty))))
    }

    /// The type of a value.
    fn type_of(&self, value: Id) -> Result<Id> {
        let ty = self.m.type_of(value);
        ty.ok_or_else(|| self.broken("an operand is not a value"))
    }

    /// The scalar type that a value's components have.
    fn component(&self, value: Id) -> Result<ScalarType> {
        let ty = self.type_of(value)?;
        self.scalar_type(self.m.component_type(ty))
    }

    /// The offset and the object of an address as columns.
    fn materialize(&mut self, address: Address) -> Result<Vec<Reg>> {
        let offset = self.offset(address)?;
        let object = match address.object {
            Object::Known(object) => self.word(object),
            Object::Column(column) => column,
        };
        Ok(vec![offset, object])
    }

    /// The column of an address's offset.
    fn offset(&mut self, address: Address) -> Result<Reg> {
        if address.offset == NO_REG {
            return Ok(self.word(address.constant));
        }
        if address.constant == 0 {
            return Ok(address.offset);
        }
        let (to, index) = (self.column()?, self.word(address.constant));
        let base = address.offset;
        self.emit(Inst::Offset {
            to,
            base,
            index: [index, NO_REG],
            stride: 1,
        });
        Ok(to)
    }

    fn define(&mut self, inst: Instruction<'a>, columns: Vec<Reg>) {
        if let Some(result) = inst.result() {
            self.listed += columns.len();
            self.values.insert(result.0, Value::Columns(columns));
        }
    }

    /// Fails before something becomes too large.
    fn check_size(&self) -> Result<()> {
        let size = self.program.code.len() + self.program.moves.len() + self.listed;
        match size <= MAX_CODE {
            true => Ok(()),
            false => Err(self.unsupported("an entry point of this size")),
        }
    }
}
