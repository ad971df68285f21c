//! How `gdb` spells types, members and enumerations, read as the expectations spell them.

const VECTOR: &str = " __attribute__ ((vector_size(";
const VECTOR_END: &str = ")))";

/// A type as the expectations spell it: without keywords, scopes, and needless spaces.
pub(super) fn plain(ty: &str) -> String {
    let mut out = String::new();
    let mut rest = ty.trim();
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end.max(first.len_utf8()));
        rest = behind;
        let is_keyword = matches!(name, "struct" | "class" | "union" | "enum");
        if is_keyword && rest.starts_with(' ') {
            rest = rest.trim_start();
            continue;
        }
        // `scope::name`, but not `class::*`.
        let inner = rest.strip_prefix("::").filter(|_| is_of_name(first));
        if let Some(inner) = inner.filter(|inner| inner.starts_with(is_of_name)) {
            rest = inner;
            continue;
        }
        if !is_address_space(name) {
            out.push_str(name);
        }
    }
    let mut tight = String::new();
    for c in out.chars() {
        let needs_no_space = |c: char| "*&[](),<> ".contains(c);
        if needs_no_space(c) && tight.ends_with(' ') {
            tight.pop();
        }
        if c != ' ' || !tight.ends_with(|c| "*&[](),< ".contains(c)) {
            tight.push(c);
        }
    }
    tight
}

/// Whether it is how demanglers write a qualifier: `AS4`.
fn is_address_space(name: &str) -> bool {
    let number = name.strip_prefix("AS").unwrap_or_default();
    !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A type as the debugger spells it, as the expectations do: vectors are `float4`, and
/// arrays of vectors matrices.
pub(super) fn read(ty: &str) -> String {
    let ty = ty.trim();
    let vector = ty.strip_suffix(VECTOR_END);
    let vector = vector.and_then(|ty| ty.rsplit_once(VECTOR));
    // Otherwise it is the last parameter of a function that is one.
    let vector = vector.filter(|(_, number)| number.chars().all(|c| c.is_ascii_digit()));
    let (ty, components) = match vector {
        Some((ty, number)) => (ty.trim(), number),
        None => (ty, ""),
    };
    if let Some((result, parameters)) = function(ty) {
        let parameters = match parameters {
            "void" => Vec::new(),
            parameters => split(parameters),
        };
        let parameters: Vec<String> = parameters.into_iter().map(read).collect();
        return format!("{}{components}({})", plain(result), parameters.join(","));
    }
    let array = ty.strip_suffix(']').and_then(|ty| ty.rsplit_once('['));
    match array {
        Some((element, columns)) if !components.is_empty() => {
            plain(&format!("{}{columns}x{components}", element.trim()))
        }
        _ => format!("{}{components}", plain(ty)),
    }
}

/// The result and the parameters of a function type.
fn function(ty: &str) -> Option<(&str, &str)> {
    let inner = ty.strip_suffix(')')?;
    let mut depth = 1;
    for (at, c) in inner.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&inner[..at], &inner[at + 1..]));
        }
    }
    None
}

/// What stands between commas that are in no brackets.
fn split(list: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in list.char_indices() {
        match c {
            '(' | '<' => depth += 1,
            ')' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !list[start..].trim().is_empty() {
        parts.push(&list[start..]);
    }
    parts
}

/// The type in the declaration of a name, which may have scopes before it.
pub(super) fn declared(declaration: &str, name: &str) -> Option<String> {
    let declaration = declaration.trim().trim_end_matches(';');
    let declaration = declaration.strip_prefix("static ").unwrap_or(declaration);
    for (at, _) in declaration.match_indices(name) {
        let (before, behind) = (&declaration[..at], &declaration[at + name.len()..]);
        let inside = before.ends_with(is_of_name)
            || behind.starts_with(|c| is_of_name(c) || c == '<' || c == ':');
        if inside || before.is_empty() {
            continue;
        }
        // The scopes of the name itself stand directly before it.
        let scopes = before.rfind([' ', '*', '&']).map_or(0, |at| at + 1);
        if !before[scopes..].is_empty() && !before.ends_with("::") {
            continue;
        }
        return Some(read(&format!("{}{behind}", &before[..scopes])));
    }
    None
}

/// A member, as `ptype/o` tells of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) declaration: String,
    /// In bits; none in a union.
    pub(super) offset: Option<u64>,
    /// `public`, `protected` or `private`, if it is given.
    pub(super) access: Option<String>,
}

/// A structure, class or union, as `ptype/o` tells of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) head: String,
    pub(super) members: Vec<Member>,
    /// In bytes.
    pub(super) size: Option<u64>,
}

impl Layout {
    pub(super) fn read(answer: &str) -> Self {
        let mut layout = Self::default();
        let mut depth = 0;
        let mut access = None;
        let mut open = None;
        for line in answer.lines() {
            let (comment, text) = comment(line);
            if let Some(size) = comment.strip_prefix("total size (bytes):") {
                if depth == 1 {
                    layout.size = size.trim().parse().ok();
                }
                continue;
            }
            let numbers: Vec<u64> = comment
                .split(['|', ':'])
                .filter_map(|number| number.trim().parse().ok())
                .collect();
            let offset = match *numbers.as_slice() {
                // Of a bit field: byte, and bit in it.
                [byte, bit, _] => Some(byte * 8 + bit),
                [byte, _] => Some(byte * 8),
                _ => None,
            };
            let is_label = matches!(text, "public:" | "protected:" | "private:");
            if text.ends_with('{') {
                depth += 1;
                match depth {
                    1 => layout.head = text.trim_start_matches("type = ").to_owned(),
                    2 => open = Some((text.trim_end_matches('{').to_owned(), offset)),
                    _ => {}
                }
            } else if let Some(name) = text.strip_prefix('}') {
                depth -= 1;
                if let Some((ty, offset)) = open.take_if(|_| depth == 1) {
                    layout.members.push(Member {
                        declaration: format!("{ty}{name}"),
                        offset,
                        access: access.clone(),
                    });
                }
            } else if depth == 1 && is_label {
                access = Some(text.trim_end_matches(':').to_owned());
            } else if depth == 1 && text.ends_with(';') && !numbers.is_empty() {
                layout.members.push(Member {
                    declaration: text.to_owned(),
                    offset,
                    access: access.clone(),
                });
            }
        }
        layout
    }

    pub(super) fn member(&self, name: &str) -> Option<(&Member, String)> {
        let mut members = self.members.iter();
        members.find_map(|member| Some((member, declared(&member.declaration, name)?)))
    }
}

/// The comment that a line begins with, and what is behind it.
fn comment(line: &str) -> (&str, &str) {
    let line = line.trim();
    let parts = line
        .strip_prefix("/*")
        .and_then(|line| line.split_once("*/"));
    parts.map_or(("", line), |(comment, text)| (comment.trim(), text.trim()))
}

/// The enumerators that `ptype` tells.
pub(super) fn enumerators(answer: &str) -> Vec<(String, i64)> {
    let list = answer
        .split_once('{')
        .and_then(|(_, list)| list.split_once('}'));
    let mut next = 0;
    let mut found = Vec::new();
    for item in list.map_or("", |(list, _)| list).split(',') {
        let (name, value) = match item.split_once('=') {
            Some((name, value)) => (name, value.trim().parse().unwrap_or(next)),
            None => (item, next),
        };
        next = value + 1;
        let name = name.trim();
        let name = name.rsplit("::").next().unwrap_or(name);
        found.push((name.to_owned(), value));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Layout, declared, enumerators, plain, read};

    #[test]
    fn types_are_spelt_alike() {
        for (ours, theirs) in [
            ("float4", "float __attribute__ ((vector_size(4)))"),
            ("float3x2", "float [3] __attribute__ ((vector_size(2)))"),
            ("float[2][3]", "float [2][3]"),
            ("float box::*", "float geometry::box::*"),
            ("struct table<int, 5>", "table<int, 5>"),
            ("void ()", "void (void)"),
            ("float4 * restrict", "float4 * restrict"),
            (
                "float (int, float3)",
                "float (int, float __attribute__ ((vector_size(3))))",
            ),
            (
                "float3 (float3x2, struct Sine)",
                "float (float [3] __attribute__ ((vector_size(2))), Sine) __attribute__ ((vector_size(3)))",
            ),
        ] {
            assert_eq!(plain(ours), read(theirs), "{theirs}");
        }
        assert_ne!(
            plain("float4"),
            read("float __attribute__ ((vector_size(3)))")
        );
        assert_ne!(plain("int *"), read("int"));
    }

    #[test]
    fn declarations_have_types() {
        let of = |declaration, name| declared(declaration, name);
        assert_eq!(
            of("float weights[2][3];", "weights"),
            Some("float[2][3]".into())
        );
        assert_eq!(of("int s::t::n;", "n"), Some("int".into()));
        let function = "static int first<int, int, float>(int, int, float);";
        let name = "first<int, int, float>";
        assert_eq!(of(function, name), Some("int(int,int,float)".into()));
        assert_eq!(of(function, "first"), None);
        assert_eq!(
            of("int m __attribute__ ((vector_size(2)));", "m"),
            Some("int2".into())
        );
    }

    #[test]
    fn layouts_are_read() {
        let answer = "\
/* offset      |    size */  type = class s : public t {
                             public:
/*      0      |      16 */    float4 position;
/*     24      |       4 */    union payload {
/*                     4 */        uint bits;

                                   /* total size (bytes):    4 */
                               } data;
/*     28: 3   |       4 */    int bits : 2;

                               /* total size (bytes):   48 */
                             }";
        let layout = Layout::read(answer);
        assert_eq!(layout.size, Some(48));
        assert_eq!(layout.members.len(), 3);
        let (member, ty) = layout.member("data").expect("a member");
        assert_eq!((member.offset, ty.as_str()), (Some(192), "payload"));
        assert_eq!(member.access.as_deref(), Some("public"));
        let (member, _) = layout.member("bits").expect("a bit field");
        assert_eq!(member.offset, Some(28 * 8 + 3));
        assert!(layout.member("value").is_none());
    }

    #[test]
    fn enumerators_count_on() {
        let found = enumerators("type = enum e {A, s::B = 4, C, D = -1}");
        let pairs: Vec<(&str, i64)> = found
            .iter()
            .map(|(name, value)| (name.as_str(), *value))
            .collect();
        assert_eq!(pairs, [("A", 0), ("B", 4), ("C", 5), ("D", -1)]);
    }
}
