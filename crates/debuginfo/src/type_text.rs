//! Types as people write them in C.

use crate::entry::MAX_DIMENSIONS;
use crate::{Entry, Field, Flags, Kind, Qualifier, Tag};

/// Types inside types deeper than this are written as `…`: function types can hold
/// function types, and templates templates.
const MAX_DEPTH: usize = 16;
/// The most steps that are taken from types to what they are made of, all together. Types
/// that are in each other several times would make texts without end.
const MAX_STEPS: usize = 300;
/// How long a text may get before nothing more is put around it.
const MAX_BYTES: usize = 2000;

/// What is not known, or too long to tell.
const MORE: &str = "…";

impl Entry<'_> {
    /// The type as C has it, such as `const float *`, `int (*)[4]` or `struct light`. Types
    /// that C doesn't have are written as shading languages have them: `float4`,
    /// `float4x4`, or `matrix<…>` where that doesn't tell.
    ///
    /// For what is no type, the text is that of its type, or `void`.
    pub fn type_text(&self) -> String {
        Speller::default().declared(Some(*self), String::new(), 0)
    }

    /// A variable or member with its type, as C declares it: `float weights[4]`.
    pub fn declaration_text(&self) -> String {
        Speller::default().declared(self.type_(), self.short(Field::Name), 0)
    }
}

/// Writes types, as long as it takes no more than so many steps.
struct Speller {
    steps: usize,
}

impl Default for Speller {
    fn default() -> Self {
        Self { steps: MAX_STEPS }
    }
}

impl Speller {
    /// Whether one more step may be taken.
    fn step(&mut self) -> bool {
        let left = self.steps.checked_sub(1);
        self.steps = left.unwrap_or_default();
        left.is_some()
    }

    /// A type inside another one.
    fn inside(&mut self, ty: Option<Entry<'_>>, depth: usize) -> String {
        match depth {
            MAX_DEPTH.. => MORE.to_owned(),
            _ => self.declared(ty, String::new(), depth + 1),
        }
    }

    /// Types with commas between them.
    fn list<'m>(&mut self, types: impl Iterator<Item = Entry<'m>>, depth: usize) -> String {
        let mut out = String::new();
        for ty in types {
            if !out.is_empty() {
                out.push_str(", ");
            }
            if self.steps == 0 || out.len() > MAX_BYTES {
                out.push_str(MORE);
                break;
            }
            out.push_str(&self.inside(Some(ty), depth));
        }
        out
    }

    /// Puts a type around a name.
    fn declared(&mut self, start: Option<Entry<'_>>, name: String, depth: usize) -> String {
        let mut inner = name;
        let mut entry = start;
        let mut qualifiers = String::new();
        // Whether the last thing put around the name was a pointer, which binds less than
        // what comes behind the name.
        let mut pointed = false;
        while self.step() {
            let Some(ty) = entry else {
                return joined(&format!("{qualifiers}void"), &inner);
            };
            if inner.len() > MAX_BYTES {
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
                    inner =
                        joined_pointer(sign, std::mem::take(&mut qualifiers).trim_end(), &inner);
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
                    for count in ty.dimensions().take(MAX_DIMENSIONS) {
                        match count {
                            Some(count @ 1..) => inner.push_str(&format!("[{count}]")),
                            _ => inner.push_str("[]"),
                        }
                    }
                }
                Kind::TypeFunction => {
                    inner = parenthesized(inner, &mut pointed);
                    let parameters = self.list(ty.entries(Field::ParameterTypes), depth);
                    inner.push_str(&format!("({parameters})"));
                    entry = ty.entry(Field::ReturnType);
                    continue;
                }
                Kind::TypePtrToMember => {
                    let class = ty.entry(Field::Class).map(|class| class.short(Field::Name));
                    let sign = format!("{}::*", class.unwrap_or_default());
                    inner =
                        joined_pointer(&sign, std::mem::take(&mut qualifiers).trim_end(), &inner);
                    pointed = true;
                }
                Kind::TypeTemplate => {
                    entry = ty.entry(Field::Target);
                    continue;
                }
                _ => return joined(&format!("{qualifiers}{}", self.plain(ty, depth)), &inner),
            }
            entry = ty.base_type();
        }
        joined(MORE, &inner)
    }

    /// A type that is no declarator.
    fn plain(&mut self, ty: Entry<'_>, depth: usize) -> String {
        let count = || {
            ty.component_count()
                .map_or_else(|| "?".to_owned(), |count| count.to_string())
        };
        match ty.kind() {
            Kind::TypeVector | Kind::TypeVectorIdEXT => {
                format!("{}{}", self.inside(ty.base_type(), depth), count())
            }
            // `float4x3` has columns of three components.
            Kind::TypeMatrix => match ty.base_type() {
                Some(column) if column.kind() == Kind::TypeVector => {
                    let scalar = self.inside(column.base_type(), depth);
                    let rows = column
                        .component_count()
                        .map_or_else(|| "?".to_owned(), |rows| rows.to_string());
                    format!("{scalar}{}x{rows}", count())
                }
                _ => format!(
                    "matrix<{}, {}>",
                    self.inside(ty.base_type(), depth),
                    count()
                ),
            },
            Kind::TypeCooperativeMatrixKHR => {
                format!("coopmat<{}>", self.inside(ty.base_type(), depth))
            }
            Kind::TypeComposite => {
                let tag = match ty.tag() {
                    Some(Tag::Class) => "class ",
                    Some(Tag::Union) => "union ",
                    _ => "struct ",
                };
                let name = ty.short(Field::Name);
                // The specification's mark of opaque types; glslang marks the linkage name.
                let linkage_name = ty.short(Field::LinkageName);
                match name.strip_prefix('@') {
                    Some(opaque) => opaque.to_owned(),
                    None if name.is_empty() => format!("{tag}{{…}}"),
                    None if linkage_name.starts_with('@') => name,
                    None => format!("{tag}{name}"),
                }
            }
            Kind::TypeEnum => match ty.short(Field::Name) {
                name if name.is_empty() => "enum {…}".to_owned(),
                name => format!("enum {name}"),
            },
            Kind::TypeBasic
            | Kind::Typedef
            | Kind::TypeTemplateParameter
            | Kind::TypeTemplateTemplateParameter => match ty.short(Field::Name) {
                name if name.is_empty() => MORE.to_owned(),
                name => name,
            },
            // What is no type has one.
            _ => match ty.type_() {
                Some(inner) => self.inside(Some(inner), depth),
                None => MORE.to_owned(),
            },
        }
    }
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
