//! Variables: what is declared of them.

use gimli::constants::*;
use gimli::write::{AttributeValue, Expression};

use super::functions::argument_number;
use super::locations::Held;
use super::nodes::DieNodeId;
use super::units::{Die, OPERATION, Writer};
use crate::variables::global_location;
use crate::{Entry, Field, Flags, Kind, Location, Operation};

impl<'w> Writer<'w> {
    pub(super) fn declare_global(&mut self, node: DieNodeId) {
        let entry = self.nodes[node].entry;
        let die = self.put(node, DW_TAG_variable);
        let member = entry.entry(Field::StaticMemberDeclaration);
        match member.and_then(|member| self.die_of(member)) {
            Some(member) => {
                self.refer(die, DW_AT_specification, member);
                self.set_text(die, DW_AT_linkage_name, entry.id_of(Field::LinkageName));
            }
            None => {
                self.describe_variable(die, entry);
                let flags = entry.flags();
                if !flags.contains(Flags::FlagIsLocal) {
                    self.set_flag(die, DW_AT_external);
                }
                if flags.contains(Flags::FlagFwdDecl) {
                    self.set_flag(die, DW_AT_declaration);
                }
            }
        }
        match self.global_location(entry) {
            Some(value @ AttributeValue::Exprloc(_)) => self.set(die, DW_AT_location, value),
            Some(value) => self.set(die, DW_AT_const_value, value),
            None => {}
        }
    }

    /// Where a global variable is, or the constant that it is.
    fn global_location(&mut self, entry: Entry<'w>) -> Option<AttributeValue> {
        let ty = entry.type_();
        match global_location(entry) {
            Location::Memory(value) => {
                let place = self.map.global(value.id)?;
                let mut out = Expression::new();
                let held = Held::Place(value.id, place);
                let size = ty.and_then(|ty| self.size_of(ty));
                self.write_location(&mut out, held, &[], true, size)?;
                Some(AttributeValue::Exprloc(out))
            }
            Location::Value(value) => self.constant_value(value.id, ty),
            // Some producers write an expression for what has become a constant.
            Location::Unknown => {
                let expression = entry.entry(Field::Variable)?;
                let is_expression = expression.kind() == Kind::Expression;
                let operations = self.operations(is_expression.then_some(expression)?)?;
                if operations.is_empty() {
                    return None;
                }
                let mut out = Expression::new();
                self.write_operations(&mut out, &operations)?;
                Some(AttributeValue::Exprloc(out))
            }
        }
    }

    /// The operations of an expression; none if there are too many.
    pub(super) fn operations(&mut self, expression: Entry<'w>) -> Option<Vec<Operation>> {
        let mut operations = Vec::new();
        for entry in expression.entries(Field::Operations) {
            // Many variables can have one long expression, or many expressions one long
            // operation.
            let length = 1 + entry.list(Field::Operands).len() as u64;
            if !self.room.take(OPERATION * length) {
                return None;
            }
            operations.extend(entry.operation());
        }
        Some(operations)
    }

    /// Writes the variables of functions: parameters in their order, then the others.
    pub(super) fn declare_locals(&mut self, mut nodes: Vec<DieNodeId>) {
        let order = |&node: &DieNodeId| {
            let number = argument_number(self.nodes[node].entry);
            number.unwrap_or(u64::MAX)
        };
        nodes.sort_by_key(order);
        for node in nodes {
            let entry = self.nodes[node].entry;
            let tag = self.variable_tag(node);
            let die = self.put(node, tag);
            self.describe_variable(die, entry);
            if entry.flags().contains(Flags::FlagArtificial) {
                self.set_flag(die, DW_AT_artificial);
            }
            let function = self.nodes[node].function;
            if let Some(function) = function
                && entry.flags().contains(Flags::FlagObjectPointer)
            {
                let function = self.nodes[function].die;
                self.refer(function, DW_AT_object_pointer, die);
            }
        }
    }

    /// A parameter stands directly in its function.
    pub(super) fn variable_tag(&self, node: DieNodeId) -> gimli::DwTag {
        let node = &self.nodes[node];
        let is_in_function = node.parent.is_some() && node.parent == node.function;
        match argument_number(node.entry) {
            Some(_) if is_in_function => DW_TAG_formal_parameter,
            _ => DW_TAG_variable,
        }
    }

    fn describe_variable(&mut self, die: Die, entry: Entry<'w>) {
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
        self.set_declared(die, entry);
        self.set_type(die, entry.type_());
    }
}
