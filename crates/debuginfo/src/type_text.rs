//! Types as people write them in C.

use crate::{Entry, Flags, Kind, Qualifier, Tag};

/// Types inside types deeper than this are written as `…`: function types can hold
/// function types, and templates templates.
const DEEPEST: usize = 16;
/// The most steps from a type to what it is made of.
const LONGEST: usize = 1000;
/// The longest text.
const MOST_BYTES: usize = 10_000;

/// What is not known, or too long to tell.
const MORE: &str = "…";

impl Entry<'_> {
    /// The type as C has it, such as `const float *`, `int (*)[4]` or `struct light`. Types
    /// that C doesn't have are written as shading languages have them: `float4`,
    /// `float4x4`, or `matrix<…>` where that doesn't tell.
    ///
    /// For what is no type, the text is that of its type, or `void`.
    pub fn type_text(&self) -> String {
        declared(Some(*self), String::new(), 0)
    }

    /// A variable or member with its type, as C declares it: `float weights[4]`.
    pub fn declaration_text(&self) -> String {
        declared(self.type_(), self.name().unwrap_or_default(), 0)
    }
}

/// Puts a type around a name.
fn declared(start: Option<Entry<'_>>, name: String, depth: usize) -> String {
    let mut inner = name;
    let mut entry = start;
    let mut qualifiers = String::new();
    // Whether the last thing put around the name was a pointer, which binds less than
    // what comes behind the name.
    let mut pointed = false;
    for _ in 0..LONGEST {
        let Some(ty) = entry else {
            return joined(&format!("{qualifiers}void"), &inner);
        };
        if inner.len() > MOST_BYTES {
            break;
        }
        match ty.kind() {
            Kind::TypePointer => {
                let flags = ty.flags();
                let sign = match () {
                    () if flags.contains(Flags::FlagLValueReference) => "&",
                    () if flags.contains(Flags::FlagRValueReference) => "&&",
                    () => "*",
                };
                inner = joined_pointer(sign, std::mem::take(&mut qualifiers).trim_end(), &inner);
                pointed = true;
            }
            Kind::TypeQualifier => {
                let word = match ty.qualifier() {
                    Some(Qualifier::ConstType) => "const ",
                    Some(Qualifier::VolatileType) => "volatile ",
                    Some(Qualifier::RestrictType) => "restrict ",
                    Some(Qualifier::AtomicType) => "_Atomic ",
                    _ => "",
                };
                qualifiers.push_str(word);
            }
            Kind::TypeArray => {
                inner = parenthesized(inner, &mut pointed);
                for count in ty.dimensions() {
                    match count {
                        Some(count @ 1..) => inner.push_str(&format!("[{count}]")),
                        _ => inner.push_str("[]"),
                    }
                }
            }
            Kind::TypeFunction => {
                inner = parenthesized(inner, &mut pointed);
                let parameters = ty
                    .entries(crate::Field::ParameterTypes)
                    .map(|ty| match depth {
                        DEEPEST.. => MORE.to_owned(),
                        _ => declared(Some(ty), String::new(), depth + 1),
                    });
                let parameters = list(parameters);
                inner.push_str(&format!("({parameters})"));
                entry = ty.entry(crate::Field::ReturnType);
                continue;
            }
            Kind::TypePtrToMember => {
                let class = ty.entry(crate::Field::Class).and_then(|class| class.name());
                let sign = format!("{}::*", class.unwrap_or_default());
                inner = joined_pointer(&sign, std::mem::take(&mut qualifiers).trim_end(), &inner);
                pointed = true;
            }
            Kind::TypeTemplate => {
                entry = ty.entry(crate::Field::Target);
                continue;
            }
            _ => return joined(&format!("{qualifiers}{}", plain(ty, depth)), &inner),
        }
        entry = ty.base_type();
    }
    joined(MORE, &inner)
}

/// A type that is no declarator.
fn plain(ty: Entry<'_>, depth: usize) -> String {
    let component = || match depth {
        DEEPEST.. => MORE.to_owned(),
        _ => declared(ty.base_type(), String::new(), depth + 1),
    };
    let count = || {
        ty.component_count()
            .map_or_else(|| "?".to_owned(), |count| count.to_string())
    };
    match ty.kind() {
        Kind::TypeVector | Kind::TypeVectorIdEXT => format!("{}{}", component(), count()),
        // `float4x3` has columns of three components.
        Kind::TypeMatrix => match ty.base_type() {
            Some(column) if column.kind() == Kind::TypeVector && depth < DEEPEST => {
                let scalar = declared(column.base_type(), String::new(), depth + 1);
                let rows = column
                    .component_count()
                    .map_or_else(|| "?".to_owned(), |rows| rows.to_string());
                format!("{scalar}{}x{rows}", count())
            }
            _ => format!("matrix<{}, {}>", component(), count()),
        },
        Kind::TypeCooperativeMatrixKHR => format!("coopmat<{}>", component()),
        Kind::TypeComposite => {
            let tag = match ty.tag() {
                Some(Tag::Class) => "class ",
                Some(Tag::Union) => "union ",
                _ => "struct ",
            };
            let name = ty.name().unwrap_or_default();
            // The specification's mark of opaque types; glslang marks the linkage name.
            let linkage_name = ty.linkage_name().unwrap_or_default();
            match name.strip_prefix('@') {
                Some(opaque) => opaque.to_owned(),
                None if name.is_empty() => format!("{tag}{{…}}"),
                None if linkage_name.starts_with('@') => name,
                None => format!("{tag}{name}"),
            }
        }
        Kind::TypeEnum => match ty.name().filter(|name| !name.is_empty()) {
            Some(name) => format!("enum {name}"),
            None => "enum {…}".to_owned(),
        },
        Kind::TypeBasic
        | Kind::Typedef
        | Kind::TypeTemplateParameter
        | Kind::TypeTemplateTemplateParameter => ty
            .name()
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| MORE.to_owned()),
        // What is no type has one.
        _ => match ty.type_() {
            Some(inner) if depth < DEEPEST => declared(Some(inner), String::new(), depth + 1),
            _ => MORE.to_owned(),
        },
    }
}

/// A list with commas that stops when it gets long.
fn list(items: impl Iterator<Item = String>) -> String {
    let mut out = String::new();
    for item in items {
        if !out.is_empty() {
            out.push_str(", ");
        }
        if out.len() > MOST_BYTES {
            out.push_str(MORE);
            break;
        }
        out.push_str(&item);
    }
    out
}

fn parenthesized(inner: String, pointed: &mut bool) -> String {
    match std::mem::take(pointed) {
        true => format!("({inner})"),
        false => inner,
    }
}

/// `float` and `*p` as `float *p`.
fn joined(ty: &str, inner: &str) -> String {
    match inner.chars().next() {
        None => ty.to_owned(),
        Some('[') => format!("{ty}{inner}"),
        Some(_) => format!("{ty} {inner}"),
    }
}

/// `*`, `const` and `p` as `* const p`.
fn joined_pointer(sign: &str, qualifiers: &str, inner: &str) -> String {
    match (qualifiers.is_empty(), inner.is_empty()) {
        (true, _) => format!("{sign}{inner}"),
        (false, true) => format!("{sign} {qualifiers}"),
        (false, false) => format!("{sign} {qualifiers} {inner}"),
    }
}
