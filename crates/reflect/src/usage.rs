//! How functions use global variables: which they name, and what becomes of what is
//! behind them.
//!
//! A *node* stands for what a pointer or an opaque value leads back to: a variable,
//! a parameter, or what a phi or a selection chooses from. What is done with a
//! pointer counts for its node, and then for all that the node may stand for; that
//! is worked out at the end, along edges, each of which is gone along at most once
//! for each of two bits.

use spirvkit_analysis::{ModuleIndex, Type};
use spirvkit_binary::{Definitions, Id, IdMap, Instruction};
use spirvkit_grammar::{Class, Op, StorageClass};

use crate::contents::VariableInstruction;

/// Nothing behind it.
const NONE: u32 = 0;

const READ: u8 = 1;
const WRITTEN: u8 = 2;
const BOTH: u8 = READ | WRITTEN;

/// What values of a type are, as far as this matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Sort {
    /// What can be computed with.
    #[default]
    Data,
    /// A pointer.
    Pointer,
    /// An image, a sampler, and what else stands for a resource; and what is made of
    /// such.
    Handle,
}

/// A function, and what it uses.
#[derive(Clone, Debug)]
pub(crate) struct FunctionUse {
    /// How many instructions it has, without those of sets without semantics.
    pub(crate) instructions: u64,
    /// How many words these take.
    pub(crate) words: u64,
    /// Its parameters, each with its type.
    pub(crate) parameters: Vec<(Id, Id)>,
    /// Where in the list of uses its own begin.
    start: usize,
}

/// A call's argument that leads back to something.
#[derive(Clone, Copy, Debug)]
struct Argument {
    callee: Id,
    place: u32,
    node: u32,
}

/// See the module's documentation.
#[derive(Debug)]
pub(crate) struct Usage {
    sorts: IdMap<Sort>,
    /// For each id its node, or [`NONE`].
    nodes: IdMap<u32>,
    /// For each node what is done with it. The first stands for nothing, those behind
    /// it for the variables in their order.
    effects: Vec<u8>,
    /// What is done with the first is done with the second.
    edges: Vec<(u32, u32)>,
    /// The same with what will be known of an id.
    late_edges: Vec<(u32, Id)>,
    arguments: Vec<Argument>,
    functions: Vec<FunctionUse>,
    /// For each function the node of its first parameter.
    first_parameters: Vec<u32>,
    /// The variables that functions use, each once for each function.
    uses: Vec<u32>,
    /// For each variable one more than the number of the last function to use it.
    last_user: Vec<u32>,
    /// Untyped accesses: what variable is taken for an array of what.
    pub(crate) untyped: Vec<(u32, Id)>,
    is_open: bool,
    /// Whether the function in hand has begun a block.
    in_blocks: bool,
    /// The operands of the instruction in hand that lead back to something: the index
    /// of the word, and the node.
    found: Vec<(usize, u32)>,
}

impl Usage {
    pub(crate) fn new(words: usize, bound: u32) -> Self {
        Self {
            sorts: IdMap::with_bound(Sort::Data, words, bound),
            nodes: IdMap::with_bound(NONE, words, bound),
            effects: vec![0],
            edges: Vec::new(),
            late_edges: Vec::new(),
            arguments: Vec::new(),
            functions: Vec::new(),
            first_parameters: Vec::new(),
            uses: Vec::new(),
            last_user: Vec::new(),
            untyped: Vec::new(),
            is_open: false,
            in_blocks: false,
            found: Vec::new(),
        }
    }

    /// Notes a type.
    pub(crate) fn add_type(&mut self, id: Id, ty: Type<'_>) {
        let is_handle = |ty: Id| self.sorts.get(ty) == Sort::Handle;
        let sort = match ty {
            Type::Pointer { .. } | Type::UntypedPointer { .. } => Sort::Pointer,
            Type::Image(_) | Type::Sampler | Type::SampledImage { .. } => Sort::Handle,
            Type::Other(
                Op::TypeAccelerationStructureKHR | Op::TypeTensorARM | Op::TypeBufferEXT,
            ) => Sort::Handle,
            Type::Array { element, .. } | Type::RuntimeArray { element } if is_handle(element) => {
                Sort::Handle
            }
            Type::Struct { members } if members.iter().any(|&ty| is_handle(Id(ty))) => Sort::Handle,
            _ => return,
        };
        *self.sorts.slot(id) = sort;
    }

    /// Notes a variable; whether its id is new.
    pub(crate) fn add_variable(&mut self, variable: &VariableInstruction) -> bool {
        if self.nodes.get(variable.id) != NONE {
            return false;
        }
        self.last_user.push(0);
        self.new_node(variable.id);
        true
    }

    /// Notes a constant: it may be computed from the address of a variable.
    pub(crate) fn add_constant(&mut self, instruction: &Instruction<'_>) {
        let ty = instruction.result_type();
        if instruction.op() == Op::SpecConstantOp
            && ty.is_some_and(|ty| self.sorts.get(ty) == Sort::Pointer)
            && let Some(result) = instruction.result()
        {
            let operands = instruction.words().get(4..).unwrap_or_default();
            let found = operands.iter().find_map(|&id| self.node(id));
            *self.nodes.slot(result) = found.unwrap_or(NONE);
        }
    }

    fn node(&self, id: u32) -> Option<u32> {
        Some(self.nodes.get(Id(id))).filter(|&node| node != NONE)
    }

    fn new_node(&mut self, id: Id) -> u32 {
        let node = self.effects.len() as u32;
        self.effects.push(0);
        *self.nodes.slot(id) = node;
        node
    }

    /// Notes an instruction of a function, or between functions.
    #[inline]
    pub(crate) fn add(&mut self, instruction: &Instruction<'_>, definitions: &Definitions) {
        let op = instruction.op();
        match op {
            Op::Function => self.open(),
            Op::Label => self.in_blocks = true,
            _ => {}
        }
        if !self.is_open {
            return;
        }
        if let Some(function) = self.functions.last_mut() {
            function.instructions += 1;
            function.words += instruction.words().len() as u64;
        }
        match op {
            Op::FunctionEnd => self.is_open = false,
            Op::FunctionParameter => self.parameter(instruction),
            Op::Phi => self.phi(instruction),
            Op::Line | Op::NoLine | Op::Label | Op::Function => {}
            _ => self.body(instruction, definitions),
        }
    }

    fn open(&mut self) {
        self.is_open = true;
        self.in_blocks = false;
        self.functions.push(FunctionUse {
            instructions: 0,
            words: 0,
            parameters: Vec::new(),
            start: self.uses.len(),
        });
        // Parameters follow at once, each with a node.
        self.first_parameters.push(self.effects.len() as u32);
    }

    fn parameter(&mut self, instruction: &Instruction<'_>) {
        let (Some(ty), Some(id)) = (instruction.result_type(), instruction.result()) else {
            return;
        };
        // Parameters behind the first block are out of place.
        if let Some(function) = self.functions.last_mut()
            && !self.in_blocks
        {
            function.parameters.push((id, ty));
            self.new_node(id);
        }
    }

    fn phi(&mut self, instruction: &Instruction<'_>) {
        let (Some(ty), Some(id)) = (instruction.result_type(), instruction.result()) else {
            return;
        };
        if self.sorts.get(ty) == Sort::Data {
            return;
        }
        let node = self.new_node(id);
        let operands = instruction.words().get(3..).unwrap_or_default();
        for &id in operands.iter().step_by(2) {
            self.late_edges.push((node, Id(id)));
            if let Some(source) = self.node(id) {
                self.mark(source);
            }
        }
    }

    /// Notes that the function in hand uses a node, if it is a variable.
    #[inline]
    fn mark(&mut self, node: u32) {
        let function = self.functions.len() as u32;
        if let Some(last) = self.last_user.get_mut(node as usize - 1)
            && *last != function
        {
            *last = function;
            self.uses.push(node - 1);
        }
    }

    /// An instruction of a block.
    #[inline]
    fn body(&mut self, instruction: &Instruction<'_>, definitions: &Definitions) {
        let leading = instruction.leading_ids();
        let mut first = NONE;
        for &id in leading {
            let node = self.nodes.get(Id(id));
            if node != NONE {
                first = node;
                break;
            }
        }
        let rest = leading.len() < instruction.operand_words().len() && has_ids_behind(instruction);
        if first == NONE && !rest {
            return;
        }
        self.with_nodes(instruction, definitions, rest);
    }

    /// An instruction of which an operand may lead back to something.
    fn with_nodes(&mut self, instruction: &Instruction<'_>, definitions: &Definitions, rest: bool) {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        let nodes = &self.nodes;
        let mut note = |word: usize, id: Id| {
            let node = nodes.get(id);
            if node != NONE {
                found.push((word, node));
            }
        };
        match rest {
            true => instruction.each_use(definitions, note),
            false => {
                let result = instruction.result();
                let has_type = usize::from(instruction.result_type().is_some());
                for (word, &id) in (1..).zip(instruction.leading_ids()) {
                    if result.is_none() || word != 1 + has_type {
                        note(word, Id(id));
                    }
                }
            }
        }
        for &(_, node) in &found {
            self.mark(node);
        }
        let ty = instruction.result_type();
        let sort = ty.map_or(Sort::Data, |ty| self.sorts.get(ty));
        match passes_on(instruction.op(), sort) {
            true => self.pass_on(instruction, &found),
            false => found
                .iter()
                .for_each(|&(word, node)| self.effect(instruction, word, node)),
        }
        self.found = found;
    }

    /// The result leads back to what operands lead back to.
    fn pass_on(&mut self, instruction: &Instruction<'_>, found: &[(usize, u32)]) {
        let (Some(id), Some(&(_, first))) = (instruction.result(), found.first()) else {
            return;
        };
        if instruction.op().is_untyped_access_chain()
            && let Some(&ty) = instruction.words().get(3)
            && first as usize <= self.last_user.len()
        {
            self.untyped.push((first - 1, Id(ty)));
        }
        if found.iter().all(|&(_, node)| node == first) {
            *self.nodes.slot(id) = first;
            return;
        }
        let node = self.new_node(id);
        self.edges
            .extend(found.iter().map(|&(_, source)| (node, source)));
    }

    /// Notes what an instruction does with the node behind one of its operands.
    fn effect(&mut self, instruction: &Instruction<'_>, word: usize, node: u32) {
        let op = instruction.op();
        if op == Op::FunctionCall {
            if let (Some(&callee), Some(place)) = (instruction.words().get(3), word.checked_sub(4))
            {
                self.arguments.push(Argument {
                    callee: Id(callee),
                    place: place as u32,
                    node,
                });
            }
            return;
        }
        if let Some(effects) = self.effects.get_mut(node as usize) {
            *effects |= effect_of(instruction, word);
        }
    }

    /// Works out what is done with what.
    pub(crate) fn finish(&mut self, index: &ModuleIndex<'_>) {
        for (node, id) in std::mem::take(&mut self.late_edges) {
            if let Some(source) = self.node(id.0) {
                self.edges.push((node, source));
            }
        }
        for argument in std::mem::take(&mut self.arguments) {
            let number = index.function_index(argument.callee);
            let parameter = number.and_then(|number| {
                let function = self.functions.get(number as usize)?;
                function.parameters.get(argument.place as usize)?;
                Some(*self.first_parameters.get(number as usize)? + argument.place)
            });
            match parameter {
                Some(parameter) => self.edges.push((parameter, argument.node)),
                // Nothing is known of the callee.
                None => self.effects[argument.node as usize] |= BOTH,
            }
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        let mut pending: Vec<u32> = (1..self.effects.len() as u32)
            .filter(|&node| self.effects[node as usize] != 0)
            .collect();
        while let Some(node) = pending.pop() {
            let effects = self.effects[node as usize];
            let start = self.edges.partition_point(|&(from, _)| from < node);
            for &(from, source) in &self.edges[start..] {
                if from != node {
                    break;
                }
                let slot = &mut self.effects[source as usize];
                if *slot | effects != *slot {
                    *slot |= effects;
                    pending.push(source);
                }
            }
        }
    }

    /// Whether what is behind a variable, given by its number, is read and written.
    pub(crate) fn is_read_and_written(&self, variable: usize) -> (bool, bool) {
        let effects = self.effects.get(variable + 1).copied().unwrap_or(0);
        (effects & READ != 0, effects & WRITTEN != 0)
    }

    /// The functions, numbered as the index does.
    pub(crate) fn functions(&self) -> &[FunctionUse] {
        &self.functions
    }

    /// The variables that the function with this number uses by itself.
    pub(crate) fn of_function(&self, number: usize) -> &[u32] {
        let start = self.functions.get(number).map(|function| function.start);
        let end = self
            .functions
            .get(number + 1)
            .map_or(self.uses.len(), |function| function.start);
        start
            .and_then(|start| self.uses.get(start..end))
            .unwrap_or_default()
    }
}

/// Whether ids may be behind the leading ones that are pointers or handles: those
/// of masks and enumerants never are.
fn has_ids_behind(instruction: &Instruction<'_>) -> bool {
    instruction.info().is_some_and(|info| {
        let operands = info.operands().get(info.leading_ids()..);
        operands.is_some_and(|rest| rest.iter().any(|operand| operand.is_id()))
    })
}

/// Whether the result of an instruction stands for what its operands stand for.
fn passes_on(op: Op, sort: Sort) -> bool {
    match sort {
        Sort::Data => false,
        // A pointer that is loaded leads somewhere else, and one that a variable starts
        // with is in its memory.
        Sort::Pointer => {
            !matches!(op, Op::Load | Op::FunctionCall | Op::Variable) && !op.is_atomic()
        }
        Sort::Handle => op != Op::FunctionCall,
    }
}

/// What an instruction does with what is behind the operand at a word. What isn't
/// known to leave it alone counts as both reading and writing.
fn effect_of(instruction: &Instruction<'_>, word: usize) -> u8 {
    let op = instruction.op();
    match op {
        Op::Load | Op::AtomicLoad => READ,
        Op::Store if word == 1 => WRITTEN,
        Op::CopyMemory | Op::CopyMemorySized if word == 1 => WRITTEN,
        Op::CopyMemory | Op::CopyMemorySized => READ,
        Op::AtomicStore | Op::AtomicFlagClear => WRITTEN,
        Op::CooperativeMatrixLoadKHR
        | Op::CooperativeMatrixLoadNV
        | Op::CooperativeVectorLoadNV
        | Op::CooperativeMatrixLoadTensorNV
        | Op::TensorReadARM => READ,
        Op::CooperativeMatrixStoreKHR
        | Op::CooperativeMatrixStoreNV
        | Op::CooperativeVectorStoreNV
        | Op::CooperativeMatrixStoreTensorNV
        | Op::TensorWriteARM
        | Op::ImageWrite => WRITTEN,
        Op::ArrayLength
        | Op::UntypedArrayLengthKHR
        | Op::ImageQueryFormat
        | Op::ImageQueryOrder
        | Op::ImageQuerySizeLod
        | Op::ImageQuerySize
        | Op::ImageQueryLod
        | Op::ImageQueryLevels
        | Op::ImageQuerySamples
        | Op::TensorQuerySizeARM
        | Op::PtrEqual
        | Op::PtrNotEqual
        | Op::PtrDiff => 0,
        _ => match instruction.info().map(|info| info.class()) {
            Some(Class::Image) => READ,
            _ => BOTH,
        },
    }
}

/// Whether variables of a storage class are outside of the module, for what is read
/// and written to be of interest.
pub(crate) fn is_resource(class: StorageClass) -> bool {
    matches!(
        class,
        StorageClass::Uniform | StorageClass::UniformConstant | StorageClass::StorageBuffer
    )
}
