//! Which memory an access is to, and what it may have in common with others.
//!
//! Memory is divided into regions: each variable is one, and all that is behind pointers of one
//! storage class that lead to no certain variable. Each region has versions, and a load is a
//! value of its pointer and the versions of all that may have changed what is there.

use hashbrown::HashMap;
use smallvec::{SmallVec, smallvec};
use spirvkit_grammar::{BuiltIn, Decoration, MemoryAccess, Op, StorageClass};

use super::locals::Locals;
use crate::effects::Effect;
use crate::unit::{Numbers, Unit, Value};

/// What a pointer leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    Variable(Value),
    /// Anything in a storage class.
    Unknown(u32),
}

/// What can be written: a number for each, behind those of the values of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Region {
    Root(Root),
    /// Written with any variable of the class.
    Any(u32),
    /// Written with what unknown pointers lead to.
    Unknown(u32),
    /// Written by whatever other invocations may write.
    Shared,
    /// Written by what may write anything.
    Everything,
}

/// The numbers of some regions: few, but for pointers that may lead to all sorts of memory.
pub(crate) type Regions = SmallVec<[u32; 8]>;

/// The regions of a function.
pub(crate) struct Memory {
    next: u32,
    variables: HashMap<Value, u32>,
    /// Those that are no variables: a few for each storage class.
    others: Vec<(Region, u32)>,
    /// One more than where the roots of variables and chains are in `roots`.
    places: Numbers,
    /// By storage class, where the root is of pointers of which no more is known.
    unknown: Vec<(u32, usize)>,
    roots: Vec<Known>,
}

/// A root, and once it was asked for which regions an access to it has to do with.
struct Known {
    root: Root,
    written: Option<Regions>,
    read: Option<Option<Regions>>,
}

/// What is known of a class of memory.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Sharing {
    /// Nothing changes it.
    Constant,
    /// Only the invocation itself changes it.
    Private,
    /// Others may.
    Shared,
}

impl Memory {
    /// None yet, with numbers from here on, and an empty table.
    pub(crate) fn new(first: u32, places: Numbers) -> Self {
        Self {
            next: first,
            places,
            variables: HashMap::new(),
            others: Vec::new(),
            unknown: Vec::new(),
            roots: Vec::new(),
        }
    }

    fn leaf(&mut self, region: Region) -> u32 {
        let next = self.next;
        let leaf = match region {
            Region::Root(Root::Variable(variable)) => {
                *self.variables.entry(variable).or_insert(next)
            }
            _ => match self.others.iter().find(|other| other.0 == region) {
                Some(&(_, leaf)) => leaf,
                None => {
                    self.others.push((region, next));
                    next
                }
            },
        };
        self.next += u32::from(leaf == next);
        leaf
    }

    /// One more than the highest number.
    pub(crate) fn end(&self) -> u32 {
        self.next
    }

    /// What other invocations may write, and what is in images.
    pub(crate) fn shared(&mut self) -> u32 {
        self.leaf(Region::Shared)
    }

    /// The table, for others to use.
    pub(crate) fn into_table(self) -> Numbers {
        self.places
    }

    /// What a pointer leads to.
    pub(crate) fn root(&mut self, unit: &Unit, pointer: Value) -> Root {
        let place = self.place(unit, pointer);
        self.roots[place].root
    }

    /// Where it is known what a pointer leads to.
    fn place(&mut self, unit: &Unit, pointer: Value) -> usize {
        let places = &self.places;
        let root = match follow(unit, pointer, |at| places.get(at).checked_sub(1)) {
            Ok(place) => return place as usize,
            Err(root) => root,
        };
        let known = match root {
            Root::Variable(_) => None,
            Root::Unknown(class) => self.unknown.iter().find(|it| it.0 == class),
        };
        if let Some(&(_, place)) = known {
            return place;
        }
        let place = self.roots.len();
        self.roots.push(Known {
            root,
            written: None,
            read: None,
        });
        match root {
            Root::Variable(variable) => self.places.set(variable, place as u32 + 1),
            Root::Unknown(class) => self.unknown.push((class, place)),
        }
        place
    }

    /// Notes what a chain leads to, whose base is known.
    pub(crate) fn note(&mut self, unit: &Unit, chain: Value) {
        let base = match unit.op(chain).is_untyped_access_chain() {
            true => unit.operand(chain, 1),
            false => unit.operand(chain, 0),
        };
        let place = self.place(unit, base);
        self.places.set(chain, place as u32 + 1);
    }

    /// What a store to a pointer writes.
    pub(crate) fn written(&mut self, unit: &Unit, pointer: Value) -> Regions {
        let place = self.place(unit, pointer);
        if let Some(written) = &self.roots[place].written {
            return written.clone();
        }
        let written = self.written_at(unit, self.roots[place].root);
        self.roots[place].written = Some(written.clone());
        written
    }

    fn written_at(&mut self, unit: &Unit, root: Root) -> Regions {
        match root {
            root @ Root::Variable(variable) => {
                let class = unit.storage_class(variable).unwrap_or(u32::MAX);
                if unit.is_decorated(variable, Decoration::Aliased) {
                    return self.unknown(class);
                }
                let mut written: Regions =
                    smallvec![self.leaf(Region::Root(root)), self.leaf(Region::Any(class))];
                if let Some(wider) = wider(class) {
                    written.push(self.leaf(Region::Any(wider.0)));
                }
                written
            }
            Root::Unknown(class) => self.unknown(class),
        }
    }

    /// What a store through an unknown pointer writes.
    fn unknown(&mut self, class: u32) -> Regions {
        let classes: &[StorageClass] = match StorageClass(class) {
            StorageClass::Generic => &[
                StorageClass::Generic,
                StorageClass::Function,
                StorageClass::Workgroup,
                StorageClass::CrossWorkgroup,
                StorageClass::Private,
            ],
            // Addresses lead into any buffer.
            StorageClass::PhysicalStorageBuffer | StorageClass::StorageBuffer => &[
                StorageClass::PhysicalStorageBuffer,
                StorageClass::StorageBuffer,
                StorageClass::Uniform,
            ],
            StorageClass::Function | StorageClass::Workgroup | StorageClass::CrossWorkgroup => {
                let also = [class, StorageClass::Generic.0];
                return also
                    .into_iter()
                    .flat_map(|class| [Region::Unknown(class), Region::Any(class)])
                    .map(|region| self.leaf(region))
                    .collect();
            }
            _ => {
                return smallvec![
                    self.leaf(Region::Unknown(class)),
                    self.leaf(Region::Any(class)),
                ];
            }
        };
        let regions = classes
            .iter()
            .flat_map(|class| [Region::Unknown(class.0), Region::Any(class.0)]);
        regions.map(|region| self.leaf(region)).collect()
    }

    /// What an instruction with an effect writes.
    pub(crate) fn clobbered(&mut self, unit: &Unit, inst: Value, effect: Effect) -> Regions {
        match effect {
            Effect::Store => self.written(unit, unit.operand(inst, 0)),
            Effect::Copy => self.written(unit, unit.operand(inst, 0)),
            Effect::Synchronize => {
                let mut written: Regions = smallvec![self.leaf(Region::Shared)];
                // An atomic may be on memory that nobody else sees.
                if unit.op(inst).is_atomic()
                    && let Some(&pointer) = unit.operands(inst).first()
                {
                    written.extend(self.written(unit, pointer));
                }
                written
            }
            Effect::Anything => smallvec![self.leaf(Region::Shared), self.leaf(Region::Everything)],
            Effect::Load if is_volatile(unit, inst) => {
                let pointer = unit.operand(inst, 0);
                self.written(unit, pointer)
            }
            _ => Regions::new(),
        }
    }

    /// What a load from a pointer reads, the region of its own first; `None` if that never
    /// changes.
    pub(crate) fn read(
        &mut self,
        unit: &Unit,
        locals: &Locals,
        pointer: Value,
        is_fixed_input: bool,
    ) -> Option<Regions> {
        let place = self.place(unit, pointer);
        if let Some(read) = &self.roots[place].read {
            return read.clone();
        }
        let read = self.read_at(unit, locals, self.roots[place].root, is_fixed_input);
        self.roots[place].read = Some(read.clone());
        read
    }

    fn read_at(
        &mut self,
        unit: &Unit,
        locals: &Locals,
        root: Root,
        is_fixed_input: bool,
    ) -> Option<Regions> {
        let class = match root {
            Root::Variable(variable) => unit.storage_class(variable),
            Root::Unknown(class) => Some(class),
        };
        let class = class.unwrap_or(u32::MAX);
        let sharing = sharing(unit, root, class, is_fixed_input);
        if sharing == Sharing::Constant {
            return None;
        }
        let mut read = Regions::new();
        let mut escapes = true;
        match root {
            Root::Variable(variable) if !unit.is_decorated(variable, Decoration::Aliased) => {
                read.push(self.leaf(Region::Root(root)));
                if let Some(pointer) = locals.pointer(variable) {
                    escapes = locals.locals[pointer.local as usize].escapes;
                }
            }
            _ => read.push(self.leaf(Region::Any(class))),
        }
        if escapes {
            read.push(self.leaf(Region::Unknown(class)));
            read.push(self.leaf(Region::Everything));
        }
        if sharing == Sharing::Shared {
            read.push(self.leaf(Region::Shared));
        }
        Some(read)
    }
}

/// What a pointer leads to, unless something is known of what is on the way.
fn follow<T>(unit: &Unit, pointer: Value, known: impl Fn(Value) -> Option<T>) -> Result<T, Root> {
    let mut at = unit.find(pointer);
    // Chains are combined, so that there is hardly ever a second.
    for _ in 0..32 {
        if let Some(known) = known(at) {
            return Ok(known);
        }
        match unit.op(at) {
            Op::Variable | Op::UntypedVariableKHR => return Err(Root::Variable(at)),
            op if op.is_access_chain() && !op.is_untyped_access_chain() => {
                at = unit.find(unit.operand(at, 0));
            }
            Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => {
                at = unit.find(unit.operand(at, 1));
            }
            Op::CopyObject => at = unit.find(unit.operand(at, 0)),
            _ => break,
        }
    }
    let class = unit.storage_class(pointer).unwrap_or(u32::MAX);
    Err(Root::Unknown(class))
}

/// Whether what a pointer leads to never changes while a shader runs.
pub(crate) fn is_unchanging(unit: &Unit, pointer: Value) -> bool {
    let Some(class) = unit.storage_class(pointer) else {
        return false;
    };
    let Err(root) = follow(unit, pointer, |_| None::<()>) else {
        return false;
    };
    matches!(root, Root::Variable(_))
        && sharing(unit, root, class, unit.has_fixed_inputs) == Sharing::Constant
        && !(unit.has_volatile && leads_to_volatile(unit, pointer))
}

/// The class whose pointers may lead to variables of a class.
fn wider(class: u32) -> Option<StorageClass> {
    match StorageClass(class) {
        StorageClass::StorageBuffer | StorageClass::Uniform => {
            Some(StorageClass::PhysicalStorageBuffer)
        }
        StorageClass::Function
        | StorageClass::Private
        | StorageClass::Workgroup
        | StorageClass::CrossWorkgroup => Some(StorageClass::Generic),
        _ => None,
    }
}

/// Whether a load or store is volatile.
pub(crate) fn is_volatile(unit: &Unit, inst: Value) -> bool {
    let (at, value) = match unit.op(inst) {
        Op::Load => (1, Some(inst)),
        Op::Store => (2, Some(unit.find(unit.operand(inst, 1)))),
        _ => (2, None),
    };
    let has_volatile_part = |value: Value| unit.volatile_types.contains(&unit.node(value).ty);
    MemoryAccess(unit.operand(inst, at)).contains(MemoryAccess::Volatile)
        || unit.has_volatile
            && (value.is_some_and(has_volatile_part)
                || leads_to_volatile(unit, unit.operand(inst, 0)))
}

/// Whether a pointer leads into something that is decorated as volatile, or that has such a part.
fn leads_to_volatile(unit: &Unit, pointer: Value) -> bool {
    let mut at = unit.find(pointer);
    for _ in 0..32 {
        let pointee = unit.operand(unit.node(at).ty, 1);
        if unit.volatile_types.contains(&pointee) || unit.is_decorated(at, Decoration::Volatile) {
            return true;
        }
        let op = unit.op(at);
        if !op.is_access_chain() && op != Op::CopyObject {
            return false;
        }
        // An untyped pointer doesn't tell what it leads to, but what leads on from it does.
        let is_untyped = op.is_untyped_access_chain();
        if is_untyped && unit.volatile_types.contains(&unit.operand(at, 0)) {
            return true;
        }
        at = unit.find(unit.operand(at, usize::from(is_untyped)));
    }
    true
}

fn sharing(unit: &Unit, root: Root, class: u32, is_fixed_input: bool) -> Sharing {
    let variable = match root {
        Root::Variable(variable) => Some(variable),
        Root::Unknown(_) => None,
    };
    if variable.is_some_and(|variable| unit.is_decorated(variable, Decoration::Volatile)) {
        return Sharing::Shared;
    }
    match StorageClass(class) {
        StorageClass::UniformConstant | StorageClass::PushConstant => Sharing::Constant,
        StorageClass::Uniform => match variable {
            Some(variable) if is_uniform_block(unit, variable) => Sharing::Constant,
            _ => Sharing::Shared,
        },
        StorageClass::Input => match variable {
            Some(variable) if is_fixed_input && !changes(unit, variable) => Sharing::Constant,
            _ => Sharing::Shared,
        },
        StorageClass::Function | StorageClass::Private => Sharing::Private,
        _ => Sharing::Shared,
    }
}

/// Whether an input may be another after a while.
fn changes(unit: &Unit, variable: Value) -> bool {
    let helper = BuiltIn::HelperInvocation.0;
    unit.built_ins.contains(&(variable, helper))
}

/// Whether a variable of the class `Uniform` is a block that can't be written.
fn is_uniform_block(unit: &Unit, variable: Value) -> bool {
    let Some(mut ty) = unit.pointee(variable) else {
        return false;
    };
    while matches!(unit.op(ty), Op::TypeArray | Op::TypeRuntimeArray) {
        ty = unit.operand(ty, 0);
    }
    !unit.is_decorated(ty, Decoration::BufferBlock)
}

/// Whether two pointers lead to different parts of one variable.
pub(crate) fn are_apart(unit: &Unit, one: Value, other: Value) -> bool {
    let is_chain =
        |value: Value| matches!(unit.op(value), Op::AccessChain | Op::InBoundsAccessChain);
    if !is_chain(one) || !is_chain(other) {
        return false;
    }
    let (one, other) = (unit.operands(one), unit.operands(other));
    if unit.find(one[0]) != unit.find(other[0]) {
        return false;
    }
    for (&a, &b) in one.iter().zip(other).skip(1) {
        let (a, b) = (unit.find(a), unit.find(b));
        if a == b {
            continue;
        }
        return match (unit.integer(a), unit.integer(b)) {
            (Some(a), Some(b)) if a != b => true,
            (Some(_), Some(_)) => continue,
            _ => false,
        };
    }
    false
}

/// The constant indices that lead from what a pointer leads to to what another one does; `None` if
/// that is no part of it.
pub(crate) fn path_from(unit: &Unit, whole: Value, part: Value) -> Option<Vec<u32>> {
    let is_chain =
        |value: Value| matches!(unit.op(value), Op::AccessChain | Op::InBoundsAccessChain);
    if !is_chain(part) {
        return None;
    }
    let part = unit.operands(part);
    let own = [whole];
    let whole = match is_chain(whole) {
        true => unit.operands(whole),
        false => &own,
    };
    if part.len() < whole.len() {
        return None;
    }
    let same = |(&a, &b): (&u32, &u32)| {
        let (a, b) = (unit.find(a), unit.find(b));
        a == b || unit.integer(a).is_some() && unit.integer(a) == unit.integer(b)
    };
    if !whole.iter().zip(part).all(same) {
        return None;
    }
    let rest = part[whole.len()..].iter();
    rest.map(|&index| unit.integer(unit.find(index))?.try_into().ok())
        .collect()
}
