//! What stands in the fields of debugging instructions.

use spirvkit_grammar::debug_info::{Field, Kind, Role, Set, Slot};

/// Every field of every instruction of every set.
fn slots() -> impl Iterator<Item = (Set, Kind, &'static Slot)> {
    Set::ALL.into_iter().flat_map(|set| {
        let kinds = Kind::ALL.iter().copied();
        kinds.flat_map(move |kind| {
            let slots = set.fields(kind).unwrap_or_default().iter();
            slots.map(move |slot| (set, kind, slot))
        })
    })
}

#[test]
fn what_a_set_writes_as_a_literal_is_a_number() {
    for (set, kind, slot) in slots() {
        let role = kind.role(slot.field());
        assert!(
            !slot.is_literal() || role == Role::Number,
            "{set}, {kind:?}, {:?}: {role:?}",
            slot.field()
        );
    }
}

#[test]
fn types_and_sources_stand_where_their_names_say() {
    for (_, kind, slot) in slots() {
        let field = slot.field();
        let role = kind.role(field);
        let is_type = matches!(
            role,
            Role::Type | Role::TypeOrParameter | Role::FunctionType | Role::Result
        );
        let name = field.name();
        assert!(!is_type || name.contains("Type"), "{kind:?}, {name}");
        assert_eq!(
            role == Role::Source,
            field == Field::Source,
            "{kind:?}, {name}"
        );
        assert!(!field.is_text() || role == Role::Text, "{kind:?}, {name}");
    }
}

#[test]
fn one_field_has_different_roles_in_different_instructions() {
    for (kind, field, role) in [
        (Kind::MacroDef, Field::Value, Role::Text),
        (Kind::TypeMember, Field::Value, Role::Constant),
        (Kind::Value, Field::Value, Role::Any),
        (Kind::TypeMember, Field::Parent, Role::Composite),
        (Kind::Function, Field::Parent, Role::Scope),
        (Kind::Function, Field::Type, Role::FunctionType),
        (Kind::GlobalVariable, Field::Type, Role::Type),
        (Kind::LocalVariable, Field::Type, Role::TypeOrParameter),
    ] {
        assert_eq!(kind.role(field), role, "{kind:?}, {field:?}");
    }
}
