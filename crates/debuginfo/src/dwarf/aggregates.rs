//! Arrays, enumerations, structures and what is in them, templates, namespaces.

use gimli::DwAt;
use gimli::constants::*;
use gimli::write::AttributeValue;
use spirvkit_binary::Id;
use spirvkit_grammar::Op;

use super::nodes::{DieNodeId, is_namespace};
use super::units::{Die, Writer};
use crate::{Entry, Field, Flags, ImportedTag, Kind, Tag};

/// `DW_AT_LLVM_apinotes`, which is too young for the crate's list.
const LLVM_APINOTES: DwAt = DwAt(0x3e07);
/// What the name of an opaque type starts with.
const OPAQUE: u8 = b'@';

impl<'w> Writer<'w> {
    /// An array, or a vector or matrix as one.
    pub(super) fn declare_array(&mut self, node: DieNodeId) {
        let entry = self.nodes[node].entry;
        let die = self.put(node, DW_TAG_array_type);
        self.set_type(die, entry.base_type());
        match entry.kind() {
            Kind::TypeArray => {
                let dimensions = entry.dimensions().count();
                let ids = entry.list(Field::ComponentCounts).iter();
                let counts = entry.dimensions().zip(ids).take(dimensions);
                for (count, &id) in counts {
                    self.add_dimension(die, count.filter(|&count| count > 0), Id(id));
                }
            }
            kind => {
                if kind != Kind::TypeMatrix {
                    self.set_flag(die, DW_AT_GNU_vector);
                }
                self.add_dimension(die, entry.component_count(), Id(0));
            }
        }
    }

    /// A dimension of an array: of a number of elements, of as many as a variable says,
    /// or of an unknown number.
    fn add_dimension(&mut self, array: Die, count: Option<u64>, id: Id) {
        let die = self.add(array, DW_TAG_subrange_type);
        // The standard doesn't say what every language counts from.
        self.set_number(die, DW_AT_lower_bound, 0);
        if let Some(count) = count {
            self.set_number(die, DW_AT_count, count);
            return;
        }
        let variable = self.info.debug_entry(id).map(|entry| self.resolve(entry));
        let variable = variable
            .filter(|entry| matches!(entry.kind(), Kind::LocalVariable | Kind::GlobalVariable));
        if let Some(variable) = variable.and_then(|variable| self.die_of(variable)) {
            self.refer(die, DW_AT_count, variable);
        }
    }

    pub(super) fn declare_enumeration(&mut self, node: DieNodeId) {
        let entry = self.nodes[node].entry;
        let die = self.put(node, DW_TAG_enumeration_type);
        self.set_text(die, DW_AT_name, entry.id_of(Field::Name));
        self.set_declared(die, entry);
        self.set_type(die, entry.base_type());
        match entry.size_in_bits() {
            Some(size) if size > 0 => self.set_number(die, DW_AT_byte_size, size.div_ceil(8)),
            _ => {}
        }
        let flags = entry.flags();
        if flags.contains(Flags::FlagIsEnumClass) {
            self.set_flag(die, DW_AT_enum_class);
        }
        if flags.contains(Flags::FlagFwdDecl) {
            self.set_flag(die, DW_AT_declaration);
        }
        let base = entry.base_type();
        for pair in entry.list(Field::Enumerators).chunks_exact(2) {
            let value = self.constant_value(Id(pair[0]), base);
            let enumerator = self.add(die, DW_TAG_enumerator);
            self.set_text(enumerator, DW_AT_name, Some(Id(pair[1])));
            if let Some(value) = value {
                self.set(enumerator, DW_AT_const_value, value);
            }
        }
    }

    pub(super) fn declare_composite(&mut self, node: DieNodeId) {
        let entry = self.nodes[node].entry;
        let tag = match entry.tag() {
            Some(Tag::Class) => DW_TAG_class_type,
            Some(Tag::Union) => DW_TAG_union_type,
            _ => DW_TAG_structure_type,
        };
        let die = self.put(node, tag);
        // Its linkage name is left out: debuggers would find the type by no other.
        let name = entry.id_of(Field::Name);
        let size = entry.size_in_bits();
        let is_opaque = size.is_none() && entry.list(Field::Members).is_empty();
        match name.filter(|&name| is_opaque && self.starts_with(name, OPAQUE)) {
            Some(name) => self.set_opaque_name(die, name),
            None => self.set_text(die, DW_AT_name, name),
        }
        self.set_declared(die, entry);
        let flags = entry.flags();
        if is_opaque || flags.contains(Flags::FlagFwdDecl) {
            self.set_flag(die, DW_AT_declaration);
        } else if let Some(size) = self.size_of(entry) {
            self.set_number(die, DW_AT_byte_size, size.div_ceil(8));
        }
        let convention = match () {
            () if flags.contains(Flags::FlagTypePassByValue) => Some(DW_CC_pass_by_value),
            () if flags.contains(Flags::FlagTypePassByReference) => Some(DW_CC_pass_by_reference),
            () => None,
        };
        if let Some(convention) = convention.filter(|_| self.is_version_5()) {
            let value = AttributeValue::CallingConvention(convention);
            self.set(die, DW_AT_calling_convention, value);
        }
    }

    fn starts_with(&self, string: Id, byte: u8) -> bool {
        let string = self.info.definition(string);
        let string = string.filter(|string| string.op() == Op::String);
        let first = string.and_then(|string| string.words().get(2).copied());
        first.is_some_and(|first| first.to_le_bytes()[0] == byte)
    }

    /// The name of an opaque type without the mark.
    fn set_opaque_name(&mut self, die: Die, name: Id) {
        let Some(marked) = self.text(name) else {
            return;
        };
        // Strings are shared, and few modules have many opaque types.
        let name = self.dwarf.strings.get(marked).to_vec();
        if !self.room.take(name.len() as u64) {
            self.set(die, DW_AT_name, AttributeValue::StringRef(marked));
            return;
        }
        let name = self.dwarf.strings.add(name.get(1..).unwrap_or_default());
        self.set(die, DW_AT_name, AttributeValue::StringRef(name));
    }

    pub(super) fn declare_member(&mut self, node: DieNodeId) {
        let entry = self.nodes[node].entry;
        let die = self.put(node, DW_TAG_member);
        self.set_text(die, DW_AT_name, entry.id_of(Field::Name));
        self.set_declared(die, entry);
        let ty = entry.type_();
        self.set_type(die, ty);
        let flags = entry.flags();
        self.set_accessibility(die, flags);
        if flags.contains(Flags::FlagArtificial) {
            self.set_flag(die, DW_AT_artificial);
        }
        if flags.contains(Flags::FlagStaticMember) {
            self.set_flag(die, DW_AT_external);
            self.set_flag(die, DW_AT_declaration);
            let value = entry.id_of(Field::Value);
            if let Some(value) = value.and_then(|value| self.constant_value(value, ty)) {
                self.set(die, DW_AT_const_value, value);
            }
            return;
        }
        let Some(offset) = self.offset_of(entry) else {
            return;
        };
        let size = entry.size_in_bits().filter(|&size| size > 0);
        match size.filter(|&size| !offset.is_multiple_of(8) || self.is_bit_field(ty, size)) {
            Some(size) => {
                self.set_number(die, DW_AT_bit_size, size);
                self.set_number(die, DW_AT_data_bit_offset, offset);
            }
            None => self.set_number(die, DW_AT_data_member_location, offset / 8),
        }
    }

    /// Whether a member of a size has fewer bits than its type.
    fn is_bit_field(&self, ty: Option<Entry<'w>>, size: u64) -> bool {
        let Some(ty) = ty.map(|ty| self.strip(ty)) else {
            return false;
        };
        let is_scalar = matches!(ty.kind(), Kind::TypeBasic | Kind::TypeEnum);
        is_scalar && self.size_of(ty).is_some_and(|full| size < full)
    }

    pub(super) fn declare_base(&mut self, node: DieNodeId) {
        let entry = self.nodes[node].entry;
        let die = self.put(node, DW_TAG_inheritance);
        // The grammar calls it the parent in some sets.
        let base = entry.entry(Field::BaseClass).or_else(|| entry.parent());
        self.set_type(die, base);
        let offset = entry.offset_in_bits().unwrap_or(0);
        self.set_number(die, DW_AT_data_member_location, offset / 8);
        self.set_accessibility(die, entry.flags());
    }

    pub(super) fn declare_template(&mut self, template: Entry<'w>) {
        let target = self.resolve(template);
        let is_target = matches!(
            target.kind(),
            Kind::TypeComposite | Kind::Function | Kind::FunctionDeclaration
        );
        let Some(die) = self.die_of(target).filter(|_| is_target) else {
            return;
        };
        for parameter in template.entries(Field::Parameters) {
            if parameter.kind() != Kind::TypeTemplateParameterPack {
                self.declare_template_parameter(die, parameter);
                continue;
            }
            let Some(pack) = self.add_copy(die, DW_TAG_GNU_template_parameter_pack) else {
                return;
            };
            self.set_text(pack, DW_AT_name, parameter.id_of(Field::Name));
            for parameter in parameter.entries(Field::TemplateParameters) {
                self.declare_template_parameter(pack, parameter);
            }
        }
    }

    /// A parameter of a template, which many templates can share.
    fn declare_template_parameter(&mut self, parent: Die, parameter: Entry<'w>) {
        let value = parameter.id_of(Field::Value);
        let value = value.filter(|&value| !self.is_none(value));
        let tag = match parameter.kind() {
            Kind::TypeTemplateParameter if value.is_some() => DW_TAG_template_value_parameter,
            Kind::TypeTemplateParameter => DW_TAG_template_type_parameter,
            Kind::TypeTemplateTemplateParameter => DW_TAG_GNU_template_template_param,
            _ => return,
        };
        let Some(die) = self.add_copy(parent, tag) else {
            return;
        };
        self.set_text(die, DW_AT_name, parameter.id_of(Field::Name));
        if tag == DW_TAG_GNU_template_template_param {
            let name = parameter.id_of(Field::TemplateName);
            self.set_text(die, DW_AT_GNU_template_name, name);
            return;
        }
        let ty = parameter.type_();
        self.set_type(die, ty);
        if let Some(value) = value.and_then(|value| self.constant_value(value, ty)) {
            self.set(die, DW_AT_const_value, value);
        }
    }

    fn is_none(&self, id: Id) -> bool {
        let entry = self.info.entry(id);
        entry.is_some_and(|entry| entry.kind() == Kind::InfoNone)
    }

    /// A block of a function, or a namespace.
    pub(super) fn declare_block(&mut self, node: DieNodeId) {
        let entry = self.nodes[node].entry;
        if self.nodes[node].function.is_some() {
            self.put(node, DW_TAG_lexical_block);
            return;
        }
        let die = self.put(node, DW_TAG_namespace);
        self.set_text(die, DW_AT_name, entry.id_of(Field::Name));
        self.set_declared(die, entry);
        let name = entry.id_of(Field::Name).and_then(|name| self.text(name));
        if self.is_version_5() && is_namespace(entry) && name.is_none() {
            self.set_flag(die, DW_AT_export_symbols);
        }
    }

    pub(super) fn declare_module(&mut self, node: DieNodeId) {
        let entry = self.nodes[node].entry;
        let die = self.put(node, DW_TAG_module);
        self.set_declared(die, entry);
        for (attribute, field) in [
            (DW_AT_name, Field::Name),
            (DW_AT_LLVM_config_macros, Field::ConfigurationMacros),
            (DW_AT_LLVM_include_path, Field::IncludePath),
            (LLVM_APINOTES, Field::ApiNotesFile),
        ] {
            self.set_text(die, attribute, entry.id_of(field));
        }
        if entry.number(Field::IsDeclaration).is_some_and(|is| is != 0) {
            self.set_flag(die, DW_AT_declaration);
        }
    }

    pub(super) fn declare_import(&mut self, node: DieNodeId) {
        let entry = self.nodes[node].entry;
        let is_module = entry.number(Field::Tag) == Some(ImportedTag::ImportedModule.0.into());
        let tag = match is_module {
            true => DW_TAG_imported_module,
            false => DW_TAG_imported_declaration,
        };
        let die = self.put(node, tag);
        self.set_text(die, DW_AT_name, entry.id_of(Field::Name));
        self.set_declared(die, entry);
        let imported = entry.entry(Field::Entity);
        let imported = imported.and_then(|imported| match imported.kind() {
            Kind::CompilationUnit => {
                let unit = self.unit_of.get(&imported.id().0).copied();
                unit.map(|unit| self.root(unit))
            }
            _ => self.die_of(imported),
        });
        if let Some(imported) = imported {
            self.refer(die, DW_AT_import, imported);
        }
    }
}
