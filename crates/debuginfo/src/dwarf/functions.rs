//! Functions as they are declared: abstractly, if they are inlined somewhere or have
//! several bodies, and otherwise with their code.

use gimli::constants::*;
use gimli::write::AttributeValue;

use super::nodes::DieNodeId;
use super::units::{Die, Writer};
use crate::{Entry, Field, Flags, Kind};

/// What is to become of a `DebugFunction`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plan {
    /// The first function of the module that it describes and that has a body.
    pub(super) body: Option<usize>,
    /// Whether there are more of them.
    has_several: bool,
    /// Whether it was inlined somewhere.
    pub(super) is_inlined: bool,
    /// Whether there are variables for its parameters.
    has_arguments: bool,
}

impl Plan {
    /// Whether one DIE says what the function is and where its code is.
    pub(super) fn is_one(&self) -> bool {
        !self.has_several && !self.is_inlined
    }
}

impl<'w> Writer<'w> {
    /// Finds out which functions have code of their own, and which are inlined.
    pub(super) fn plan(&mut self) {
        let info = self.info;
        for (index, function) in info.functions().iter().enumerate() {
            let described = info.description(function);
            let node = described.and_then(|described| self.function_node(described));
            if let Some(node) = node
                && !info.blocks(function).0.is_empty()
            {
                let plan = self.plans.entry(node).or_default();
                plan.has_several = plan.body.is_some();
                plan.body.get_or_insert(index);
            }
        }
        for entry in info.entries() {
            match entry.kind() {
                Kind::Scope | Kind::InlinedAt if entry.entry(Field::InlinedAt).is_some() => {
                    let scope = entry.entry(Field::Scope);
                    if let Some(node) = scope.and_then(|scope| self.function_around(scope)) {
                        self.plans.entry(node).or_default().is_inlined = true;
                    }
                }
                Kind::LocalVariable if argument_number(entry).is_some() => {
                    if let Some(node) = self.function_around(entry) {
                        self.plans.entry(node).or_default().has_arguments = true;
                    }
                }
                _ => {}
            }
        }
    }

    /// The node of a `DebugFunction`.
    pub(super) fn function_node(&self, entry: Entry<'w>) -> Option<DieNodeId> {
        let node = self.node_at(entry.id())?;
        (entry.kind() == Kind::Function).then_some(node)
    }

    /// The function that an entry is in, or that it is.
    fn function_around(&self, entry: Entry<'w>) -> Option<DieNodeId> {
        let node = self.node_at(entry.id())?;
        self.nodes[node].function
    }

    /// Writes what is declared of a function.
    pub(super) fn declare_function(&mut self, node: DieNodeId, die: Die) {
        let entry = self.nodes[node].entry;
        let plan = self.plans.get(&node).copied().unwrap_or_default();
        match self.declaration_of(entry) {
            Some(declaration) => self.refer(die, DW_AT_specification, declaration),
            None => self.describe_function(die, entry),
        }
        self.set_declared(die, entry);
        if plan.is_inlined {
            self.set(die, DW_AT_inline, AttributeValue::Inline(DW_INL_inlined));
        }
        if !plan.has_arguments {
            self.add_parameters(die, entry.type_());
        }
    }

    /// The declaration that a function defines: its own, or, as methods are declared in
    /// their class, one that is made of its definition.
    fn declaration_of(&mut self, entry: Entry<'w>) -> Option<Die> {
        let declared = entry.entry(Field::Declaration);
        if let Some(declared) = declared.and_then(|declared| self.die_of(declared)) {
            return Some(declared);
        }
        let class = entry.parent().map(|parent| self.resolve(parent));
        let class = class.filter(|class| class.kind() == Kind::TypeComposite);
        let class = class.or_else(|| self.methods.get(&entry.id().0).copied())?;
        let class = self.die_of(class)?;
        let die = self.add(class, DW_TAG_subprogram);
        self.declare_only(die, entry);
        Some(die)
    }

    /// Writes the declaration of a function that is defined elsewhere.
    pub(super) fn declare_only(&mut self, die: Die, entry: Entry<'w>) {
        self.describe_function(die, entry);
        self.set_declared(die, entry);
        self.set_flag(die, DW_AT_declaration);
        self.add_parameters(die, entry.type_());
    }

    fn describe_function(&mut self, die: Die, entry: Entry<'w>) {
        let (name, linkage) = (entry.id_of(Field::Name), entry.id_of(Field::LinkageName));
        self.set_text(die, DW_AT_name, name);
        let linkage = linkage.filter(|_| {
            let texts = (
                name.map(|id| self.text(id)),
                linkage.map(|id| self.text(id)),
            );
            texts.0 != texts.1
        });
        self.set_text(die, DW_AT_linkage_name, linkage);
        let flags = entry.flags();
        let function = entry.type_();
        if function.is_some() {
            self.set_flag(die, DW_AT_prototyped);
        }
        self.set_type(die, function.and_then(|ty| ty.entry(Field::ReturnType)));
        if !flags.contains(Flags::FlagIsLocal) {
            self.set_flag(die, DW_AT_external);
        }
        self.set_accessibility(die, flags);
        if flags.contains(Flags::FlagExplicit) {
            self.set_flag(die, DW_AT_explicit);
        }
        if flags.contains(Flags::FlagArtificial) {
            self.set_flag(die, DW_AT_artificial);
        }
    }

    /// Adds the types of parameters, which have no names there.
    pub(super) fn add_parameters(&mut self, die: Die, function: Option<Entry<'w>>) {
        let Some(function) = function.filter(|ty| ty.kind() == Kind::TypeFunction) else {
            return;
        };
        let mut object = None;
        for &id in function.list(Field::ParameterTypes) {
            let ty = self.info.debug_entry(spirvkit_binary::Id(id));
            let tag = match ty {
                // That is how variable arguments are written.
                None => DW_TAG_unspecified_parameters,
                Some(_) => DW_TAG_formal_parameter,
            };
            let Some(parameter) = self.add_copy(die, tag) else {
                return;
            };
            self.set_type(parameter, ty);
            let flags = ty.map_or(Flags(0), |ty| ty.flags());
            let is_pointer = ty.is_some_and(|ty| ty.kind() == Kind::TypePointer);
            if is_pointer && flags.contains(Flags::FlagArtificial) {
                self.set_flag(parameter, DW_AT_artificial);
            }
            if is_pointer && flags.contains(Flags::FlagObjectPointer) && object.is_none() {
                object = Some(parameter);
            }
        }
        if let Some(object) = object {
            self.refer(die, DW_AT_object_pointer, object);
        }
    }
}

/// Which parameter a variable is, counted from 1.
pub(super) fn argument_number(variable: Entry<'_>) -> Option<u64> {
    let number = variable.number(Field::ArgNumber);
    number.filter(|&number| number > 0)
}
