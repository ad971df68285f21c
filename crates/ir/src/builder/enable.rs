//! The capabilities and extensions that a module needs (specification, section 2.16.1
//! and the columns of each table).

use std::collections::{BTreeSet, HashSet};

use spirvkit_binary::{Instruction, LiteralString, Operand, Value};
use spirvkit_grammar::{
    Availability, BuiltIn, Capability, EnumerantInfo, ExtInstSet, Op, OperandKind, Version,
};

use super::{BuildErrorKind, Builder};
use crate::module::Module;

/// What [`Builder::finish`] does about capabilities and extensions that the module uses
/// and doesn't declare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Enabling {
    /// Declares them. Where one of several will do, and none of them is declared or
    /// implied, the first that the version has is taken. (Declare what you prefer
    /// yourself.)
    #[default]
    Declare,
    /// Declares them if they are among these, or implied by these, and reports the rest.
    AllowOnly {
        /// The capabilities that may be declared.
        capabilities: Vec<Capability>,
        /// The extensions that may be declared.
        extensions: Vec<String>,
    },
    /// Neither declares nor reports anything.
    Leave,
}

impl Builder {
    /// Decides what is done about capabilities and extensions.
    pub fn enabling(&mut self, enabling: Enabling) {
        self.enabling = enabling;
    }
}

/// What the width of a type, or the number of its components, needs: one of these.
/// (Sections 3.42 and 3.49, and the extensions on small types.)
static WIDTHS: &[(Op, u32, &[Capability])] = &[
    (
        Op::TypeInt,
        8,
        &[
            Capability::Int8,
            Capability::StorageBuffer8BitAccess,
            Capability::UniformAndStorageBuffer8BitAccess,
            Capability::StoragePushConstant8,
            Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR,
        ],
    ),
    (
        Op::TypeInt,
        16,
        &[
            Capability::Int16,
            Capability::StorageBuffer16BitAccess,
            Capability::UniformAndStorageBuffer16BitAccess,
            Capability::StoragePushConstant16,
            Capability::StorageInputOutput16,
            Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR,
        ],
    ),
    (Op::TypeInt, 64, &[Capability::Int64]),
    (Op::TypeInt, 4, &[Capability::Int4TypeINTEL]),
    (
        Op::TypeFloat,
        16,
        &[
            Capability::Float16,
            Capability::Float16Buffer,
            Capability::StorageBuffer16BitAccess,
            Capability::UniformAndStorageBuffer16BitAccess,
            Capability::StoragePushConstant16,
            Capability::StorageInputOutput16,
            Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR,
        ],
    ),
    (Op::TypeFloat, 64, &[Capability::Float64]),
    (Op::TypeVector, 8, &[Capability::Vector16]),
    (Op::TypeVector, 16, &[Capability::Vector16]),
];

/// Something that makes something else needed.
#[derive(Clone, Copy)]
enum What {
    Op(Op),
    Extended(&'static str),
    Enumerant(OperandKind, &'static EnumerantInfo),
    Width(u32),
    Set,
    Module,
}

impl What {
    fn show(self) -> String {
        match self {
            Self::Op(op) => format!("`{op}`"),
            Self::Extended(name) => format!("`{name}`"),
            Self::Enumerant(kind, info) => format!("the {} `{}`", kind.description(), info.name()),
            Self::Width(width) => format!("the width or size {width}"),
            Self::Set => "an extended instruction set".to_owned(),
            Self::Module => "a module without entry points".to_owned(),
        }
    }
}

#[derive(Clone, Copy)]
struct Need {
    op: Op,
    what: What,
    capabilities: &'static [Capability],
}

/// What a module uses, each thing once, in the order in which it is used first.
pub(super) struct Needs {
    version: Version,
    needs: Vec<Need>,
    /// Opcodes and enumerants with what the grammar says of their availability.
    available: Vec<(Op, What, &'static Availability)>,
    named_extensions: Vec<(Op, String)>,
    seen_ops: HashSet<u16>,
    seen_enumerants: HashSet<(OperandKind, u32)>,
    seen_extended: HashSet<(ExtInstSet, u32)>,
}

/// What is to be declared, and what can't be.
#[derive(Default)]
pub(super) struct Met {
    pub(super) capabilities: Vec<Capability>,
    pub(super) extensions: Vec<String>,
    pub(super) faults: Vec<(Op, BuildErrorKind)>,
}

fn in_range(availability: &Availability, version: Version) -> bool {
    availability.since().is_some_and(|since| since <= version)
        && availability.until().is_none_or(|until| version <= until)
}

fn info_of(capability: Capability) -> Option<&'static EnumerantInfo> {
    OperandKind::Capability.enumerant(capability.0)
}

/// Adds a capability, and all that it implies.
fn imply(capability: Capability, known: &mut BTreeSet<Capability>) {
    let mut todo = vec![capability];
    while let Some(capability) = todo.pop() {
        if known.insert(capability)
            && let Some(info) = info_of(capability)
        {
            todo.extend_from_slice(info.availability().capabilities());
        }
    }
}

impl Needs {
    pub(super) fn new(version: Version) -> Self {
        Self {
            version,
            needs: Vec::new(),
            available: Vec::new(),
            named_extensions: Vec::new(),
            seen_ops: HashSet::new(),
            seen_enumerants: HashSet::new(),
            seen_extended: HashSet::new(),
        }
    }

    /// A module without entry points is one to be linked.
    pub(super) fn linkage(&mut self) {
        self.needs.push(Need {
            op: Op::EntryPoint,
            what: What::Module,
            capabilities: &[Capability::Linkage],
        });
    }

    fn add(&mut self, op: Op, what: What, availability: &'static Availability) {
        self.available.push((op, what, availability));
        if !availability.capabilities().is_empty() {
            self.needs.push(Need {
                op,
                what,
                capabilities: availability.capabilities(),
            });
        }
    }

    fn opcode(&mut self, op: Op, inner: Op) {
        if let Some(info) = inner.info().filter(|_| self.seen_ops.insert(inner.0)) {
            self.add(op, What::Op(inner), info.availability());
        }
    }

    /// Notes what an instruction needs apart from its operands.
    pub(super) fn instruction(&mut self, inst: &Instruction<'_>) {
        let op = inst.op();
        self.opcode(op, op);
        let size = match (op, inst.words()) {
            // What a float of another encoding needs is said by the encoding.
            (Op::TypeFloat, &[_, _, width]) => width,
            (Op::TypeInt, &[_, _, width, _]) => width,
            (Op::TypeVector, &[_, _, _, count]) => count,
            (Op::ExtInstImport, [_, _, name @ ..]) => return self.import(name),
            _ => return,
        };
        let row = WIDTHS.iter().find(|row| (row.0, row.1) == (op, size));
        if let Some(&(_, _, capabilities)) = row {
            let what = What::Width(size);
            self.needs.push(Need {
                op,
                what,
                capabilities,
            });
        }
    }

    /// Sets that come with an extension.
    fn import(&mut self, name: &[u32]) {
        let Some(name) = LiteralString::at_start_of(name) else {
            return;
        };
        let name = name.to_text_lossy();
        let extension = match &name {
            name if name.starts_with("NonSemantic.") && self.version < Version::V1_6 => {
                "SPV_KHR_non_semantic_info"
            }
            name if name.starts_with("SPV_") => name,
            _ => return,
        };
        let op = Op::ExtInstImport;
        self.named_extensions.push((op, extension.to_owned()));
    }

    /// Notes what an operand needs.
    pub(super) fn operand(&mut self, op: Op, operand: &Operand<'_>) {
        match operand.value {
            Value::Enumerant {
                info: Some(info), ..
            } => self.enumerant(op, operand.kind, info),
            Value::Mask(mask) => {
                let bits = (0..u32::BITS).map(|bit| mask & 1 << bit);
                for bit in bits.filter(|&bit| bit != 0) {
                    if let Some(info) = operand.kind.enumerant(bit) {
                        self.enumerant(op, operand.kind, info);
                    }
                }
            }
            Value::ExtInst {
                set: Some(set),
                info: Some(info),
                ..
            } if self.seen_extended.insert((set, info.number())) => {
                let capabilities = info.availability().capabilities();
                if !capabilities.is_empty() {
                    let what = What::Extended(info.name());
                    self.needs.push(Need {
                        op,
                        what,
                        capabilities,
                    });
                }
            }
            Value::SpecConstantOp(inner) => self.opcode(op, inner),
            _ => {}
        }
    }

    fn enumerant(&mut self, op: Op, kind: OperandKind, info: &'static EnumerantInfo) {
        // Members of `gl_PerVertex` are listed whether or not the shader uses them.
        let is_listed = kind == OperandKind::BuiltIn
            && op == Op::MemberDecorate
            && matches!(
                BuiltIn(info.value()),
                BuiltIn::PointSize | BuiltIn::ClipDistance | BuiltIn::CullDistance
            );
        if is_listed || !self.seen_enumerants.insert((kind, info.value())) {
            return;
        }
        let what = What::Enumerant(kind, info);
        match kind {
            // It implies what enables it.
            OperandKind::Capability => self.available.push((op, what, info.availability())),
            _ => self.add(op, what, info.availability()),
        }
    }

    /// Finds what is to be declared.
    pub(super) fn meet(self, module: &Module, allowed: Option<(&[Capability], &[String])>) -> Met {
        let mut meeting = Meeting::new(&self, module, allowed);
        // Where there is a choice, what has been chosen without one may settle it.
        let (single, several): (Vec<&Need>, Vec<&Need>) = self
            .needs
            .iter()
            .partition(|need| need.capabilities.len() == 1);
        for need in single.into_iter().chain(several) {
            meeting.capability(need);
        }
        meeting.drop_implied();
        let chosen = meeting.met.capabilities.clone();
        let chosen = chosen.into_iter().filter_map(|capability| {
            let info = info_of(capability)?;
            let what = What::Enumerant(OperandKind::Capability, info);
            Some((Op::Capability, what, info.availability()))
        });
        for (op, what, availability) in chosen.chain(self.available.iter().copied()) {
            meeting.version_or_extension(op, what, availability);
        }
        for (op, name) in &self.named_extensions {
            meeting.one_extension(*op, What::Set, &[name]);
        }
        meeting.met
    }
}

struct Meeting<'a> {
    version: Version,
    /// The capabilities that are declared or implied.
    declared: BTreeSet<Capability>,
    extensions: BTreeSet<String>,
    /// The same of those that may be declared, if not all may.
    allowed: Option<(BTreeSet<Capability>, &'a [String])>,
    met: Met,
}

impl<'a> Meeting<'a> {
    fn new(needs: &Needs, module: &Module, allowed: Option<(&[Capability], &'a [String])>) -> Self {
        let mut declared = BTreeSet::new();
        let mut extensions = BTreeSet::new();
        for inst in module.globals() {
            let read = module.get(inst);
            match (read.op(), read.operand_words()) {
                (Op::Capability, &[capability]) => imply(Capability(capability), &mut declared),
                (Op::Extension, name) => {
                    let name = LiteralString::at_start_of(name);
                    extensions.extend(name.map(LiteralString::to_text_lossy));
                }
                _ => {}
            }
        }
        let allowed = allowed.map(|(capabilities, extensions)| {
            let mut all = BTreeSet::new();
            for &capability in capabilities {
                imply(capability, &mut all);
            }
            (all, extensions)
        });
        Self {
            version: needs.version,
            declared,
            extensions,
            allowed,
            met: Met::default(),
        }
    }

    fn capability(&mut self, need: &Need) {
        let any_of = need.capabilities;
        if any_of.iter().any(|each| self.declared.contains(each)) {
            return;
        }
        let may_be = |capability: &&Capability| match &self.allowed {
            Some((allowed, _)) => allowed.contains(capability),
            None => true,
        };
        let has = |capability: &&Capability| {
            info_of(**capability).is_some_and(|info| {
                let availability = info.availability();
                in_range(availability, self.version) || availability.extensions().len() > 0
            })
        };
        let mut candidates = any_of.iter().filter(may_be);
        let first = candidates.clone().find(has).or(candidates.next());
        match first {
            Some(&capability) => {
                self.met.capabilities.push(capability);
                imply(capability, &mut self.declared);
            }
            None => {
                let kind = BuildErrorKind::Capability {
                    what: need.what.show(),
                    any_of: any_of.to_vec(),
                };
                self.met.faults.push((need.op, kind));
            }
        }
    }

    /// Leaves out chosen capabilities that others imply.
    fn drop_implied(&mut self) {
        let chosen = std::mem::take(&mut self.met.capabilities);
        let mut implied = BTreeSet::new();
        for &capability in &chosen {
            let by_it = info_of(capability).map(|info| info.availability().capabilities());
            for &each in by_it.unwrap_or_default() {
                imply(each, &mut implied);
            }
        }
        let kept = chosen.into_iter().filter(|each| !implied.contains(each));
        self.met.capabilities = kept.collect();
    }

    fn version_or_extension(&mut self, op: Op, what: What, availability: &Availability) {
        if in_range(availability, self.version) {
            return;
        }
        let extensions: Vec<&str> = availability.extensions().collect();
        let gone = availability
            .until()
            .is_some_and(|until| until < self.version);
        if !extensions.is_empty() && !gone {
            return self.one_extension(op, what, &extensions);
        }
        // A capability that no version has may still enable it.
        if availability.since().is_none() && !availability.capabilities().is_empty() {
            return;
        }
        let kind = BuildErrorKind::Version {
            what: what.show(),
            since: availability.since(),
            until: availability.until(),
        };
        self.met.faults.push((op, kind));
    }

    fn one_extension(&mut self, op: Op, what: What, any_of: &[&str]) {
        if any_of.iter().any(|&name| self.extensions.contains(name)) {
            return;
        }
        match any_of.iter().find(|name| self.may_extend(name)) {
            Some(&name) => {
                self.extensions.insert(name.to_owned());
                self.met.extensions.push(name.to_owned());
            }
            None => {
                let kind = BuildErrorKind::Extension {
                    what: what.show(),
                    any_of: any_of.iter().map(|&name| name.to_owned()).collect(),
                };
                self.met.faults.push((op, kind));
            }
        }
    }

    fn may_extend(&self, name: &str) -> bool {
        let allowed = self.allowed.as_ref();
        allowed.is_none_or(|(_, extensions)| extensions.iter().any(|each| each == name))
    }
}
