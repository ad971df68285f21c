//! What a module promises to others, before and after.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use serde_json::{Map, Value, json};
use spirvkit::reflect;

/// How many times what types are made of is looked through. Types that differ only deeper are
/// taken for the same.
const ROUNDS: usize = 8;

/// The lists of variables and constants, and when those of a list may go that nothing uses.
const LISTS: &[(&str, Going)] = &[
    ("inputs", Going::Unpreserved),
    ("outputs", Going::Never),
    ("descriptors", Going::Unpreserved),
    // They have no binding, and before version 1.4 entry points don't name them.
    ("push_constants", Going::Always),
    ("spec_constants", Going::Unpreserved),
    // Private and shared memory, of which nobody else knows.
    ("variables", Going::Always),
];

/// When something that nothing uses may go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Going {
    Never,
    /// Unless the options say that it is preserved.
    Unpreserved,
    Always,
}

/// What has gone of an interface.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Removed {
    /// How many variables and constants, but for private ones.
    pub(super) count: usize,
    /// One that something writes: what is stored there must be undefined.
    pub(super) written: Option<String>,
}

/// The lists of variables whose blocks may lose members that nothing uses, unless all are preserved.
const BLOCKS: &[&str] = &["descriptors", "push_constants", "variables"];

/// What depends on the members that a block has.
const OF_MEMBERS: &[&str] = &["type", "size", "padded_size", "location_offset"];

/// What an entry point promises.
const ENTRY_POINT: &[&str] = &[
    "name",
    "model",
    "stage",
    "execution_modes",
    "workgroup_size",
];

/// Lists in which there must be nothing new.
const NEEDS: &[&str] = &["capabilities", "extensions", "imports"];

/// What depends on how a variable is used.
const USES: &[&str] = &["used", "read", "written"];

/// Fields that hold the id of a type.
const TYPES: &[&str] = &[
    "type",
    "base_type",
    "component",
    "column",
    "element",
    "pointee",
    "image",
    "sampled_type",
];

/// What has gone, all preserved or not; or why that is wrong.
pub(super) fn removed(
    before: &[u32],
    after: &[u32],
    is_preserved: bool,
) -> Result<Removed, String> {
    let of = |words| Interface::of(words, is_preserved);
    let [before, after] = [of(before)?, of(after)?];
    before.keeps_promises(&after)?;
    let mut removed = Removed::default();
    for &(list, going) in LISTS {
        for (item, is_written) in before.missing(&after, list) {
            if going == Going::Never || (going == Going::Unpreserved && is_preserved) {
                return Err(format!("one of {list} has gone: {item}"));
            }
            removed.count += usize::from(list != "variables");
            if is_written {
                removed.written.get_or_insert(item);
            }
        }
    }
    Ok(removed)
}

struct Interface {
    whole: Value,
    /// What stands for each type, whatever its id.
    types: BTreeMap<u64, u64>,
    /// Whether blocks keep all members.
    is_preserved: bool,
}

impl Interface {
    fn of(words: &[u32], is_preserved: bool) -> Result<Self, String> {
        let reflection = reflect(words).map_err(|error| error.to_string())?;
        let whole = serde_json::to_value(&reflection).map_err(|error| error.to_string())?;
        let mut types = BTreeMap::new();
        for _ in 0..ROUNDS {
            let digest = |ty: &Value| {
                let mut hasher = DefaultHasher::new();
                canonical(ty, &types).to_string().hash(&mut hasher);
                Some((ty.get("id")?.as_u64()?, hasher.finish()))
            };
            types = list(&whole, "types").iter().filter_map(digest).collect();
        }
        Ok(Self {
            whole,
            types,
            is_preserved,
        })
    }

    /// What is compared of one of a list.
    fn thing(&self, name: &str, item: &Value) -> Value {
        let mut thing = canonical(item, &self.types);
        if !self.is_preserved
            && BLOCKS.contains(&name)
            && let Value::Object(fields) = &mut thing
        {
            fields.retain(|field, _| !OF_MEMBERS.contains(&&**field));
        }
        thing
    }

    /// A type that has an id.
    fn type_of(&self, holder: &Value, field: &str) -> &Value {
        let mut types = list(&self.whole, "types").iter();
        let found = types.find(|ty| ty["id"] == holder[field]);
        found.unwrap_or(&Value::Null)
    }

    /// Whether a type is another of which at most some members are left, where they were.
    fn keeps_members(&self, own: &Value, after: &Self, other: &Value) -> bool {
        let rest = |it: &Self, value: &Value, without: &[&str]| {
            let mut rest = canonical(value, &it.types);
            if let Value::Object(fields) = &mut rest {
                fields.retain(|name, _| !without.contains(&&**name) && name != "id");
            }
            rest
        };
        let same = |without: &[&str]| rest(self, own, without) == rest(after, other, without);
        match own["kind"].as_str() {
            Some("struct") => {
                let is_member = |new: &Value, old: &Value| {
                    rest(self, old, OF_MEMBERS) == rest(after, new, OF_MEMBERS)
                        && self.keeps_members(
                            self.type_of(old, "type"),
                            after,
                            after.type_of(new, "type"),
                        )
                };
                let (old, new) = (list(own, "members"), list(other, "members"));
                same(&["members", "size", "padded_size", "spelling"])
                    && new
                        .iter()
                        .all(|new| old.iter().any(|old| is_member(new, old)))
            }
            Some("array" | "runtime_array") => {
                same(&["element", "size", "padded_size", "spelling"])
                    && self.keeps_members(
                        self.type_of(own, "element"),
                        after,
                        after.type_of(other, "element"),
                    )
            }
            // What it leads to may be what it is in.
            Some("pointer") => same(&["pointee", "spelling"]),
            _ => same(&[]),
        }
    }

    /// Whether blocks have only members that they had; else one that has others.
    fn has_new_members(&self, after: &Self) -> Option<String> {
        BLOCKS.iter().find_map(|&name| {
            let is_kept = |new: &Value| {
                list(&self.whole, name).iter().any(|old| {
                    self.thing(name, old) == after.thing(name, new)
                        && self.keeps_members(
                            self.type_of(old, "type"),
                            after,
                            after.type_of(new, "type"),
                        )
                })
            };
            let new = list(&after.whole, name).iter().find(|new| !is_kept(new))?;
            Some(after.thing(name, new).to_string())
        })
    }

    /// The things of a list, with how many are the same, and whether anything writes them.
    fn things(&self, name: &str) -> BTreeMap<String, (usize, bool)> {
        let mut things: BTreeMap<String, (usize, bool)> = BTreeMap::new();
        for item in list(&self.whole, name) {
            let thing = things.entry(self.thing(name, item).to_string());
            let (count, is_written) = thing.or_default();
            *count += 1;
            *is_written |= item["access"]["written"] == json!(true);
        }
        things
    }

    /// The things of a list that aren't in the other's, and whether anything writes them.
    fn missing(&self, after: &Self, name: &str) -> Vec<(String, bool)> {
        let left = after.things(name);
        let things = self.things(name).into_iter();
        let gone = things.flat_map(|(thing, (count, is_written))| {
            let left = left.get(&thing).map_or(0, |it| it.0);
            let gone = count.saturating_sub(left);
            std::iter::repeat_n((thing, is_written), gone)
        });
        gone.collect()
    }

    /// Whether the entry points and kernels are the same, and there is nothing new; else what is
    /// wrong.
    fn keeps_promises(&self, after: &Self) -> Result<(), String> {
        let promised = |it: &Self, name: &str, fields: Option<&[&str]>| -> Vec<String> {
            let items = list(&it.whole, name).iter();
            let promise = |item: &Value| match (item, fields) {
                (Value::Object(all), Some(fields)) => {
                    let some = fields.iter().map(|&it| {
                        let field = all.get(it).unwrap_or(&Value::Null);
                        (it.to_owned(), field.clone())
                    });
                    canonical(&Value::Object(some.collect()), &it.types).to_string()
                }
                (item, _) => canonical(item, &it.types).to_string(),
            };
            items.map(promise).collect()
        };
        for (name, fields) in [("entry_points", Some(ENTRY_POINT)), ("kernels", None)] {
            let [a, b] = [self, after].map(|it| promised(it, name, fields));
            if a != b {
                let differing = a.iter().zip(&b).find(|(a, b)| a != b);
                let shown = differing.map_or_else(String::new, |(a, b)| divergence(a, b));
                return Err(format!("{name} differ: {shown}"));
            }
        }
        for name in ["version", "addressing_model", "memory_model"] {
            let [a, b] = [self, after].map(|it| &it.whole[name]);
            if a != b {
                return Err(format!("{name} was {a}, is {b}"));
            }
        }
        for name in NEEDS {
            let [a, b] = [self, after].map(|it| list(&it.whole, name));
            if let Some(new) = b.iter().find(|it| !a.contains(it)) {
                return Err(format!("{name} has {new} now"));
            }
        }
        if !self.is_preserved
            && let Some(new) = self.has_new_members(after)
        {
            return Err(format!("there are other members: {new}"));
        }
        for &(name, _) in LISTS {
            if let Some((new, _)) = after.missing(self, name).into_iter().next() {
                return Err(format!("there is one more of {name}: {new}"));
            }
        }
        Ok(())
    }
}

fn list<'v>(whole: &'v Value, name: &str) -> &'v [Value] {
    whole[name].as_array().map_or(&[], Vec::as_slice)
}

/// What two texts have from where they differ.
fn divergence(a: &str, b: &str) -> String {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let [a, b] = [a, b].map(|text| -> String {
        let start = same.saturating_sub(40);
        text.chars().skip(start).take(80).collect()
    });
    format!("`…{a}…`, `…{b}…`")
}

/// A value without ids and uses: what stands for them instead of types, and nothing instead of
/// the rest, nor of what is empty.
fn canonical(value: &Value, types: &BTreeMap<u64, u64>) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|it| canonical(it, types)).collect(),
        Value::Object(fields) => {
            let mut kept = Map::new();
            for (name, field) in fields {
                let is_number = field.is_u64();
                let is_empty = field.is_null() || field.as_array().is_some_and(Vec::is_empty);
                if is_empty || USES.contains(&&**name) || (is_id(name) && is_number) {
                    continue;
                }
                let field = match field.as_u64() {
                    Some(id) if TYPES.contains(&&**name) => {
                        json!(types.get(&id).copied().unwrap_or_default())
                    }
                    _ => canonical(field, types),
                };
                kept.insert(name.clone(), field);
            }
            Value::Object(kept)
        }
        other => other.clone(),
    }
}

/// Whether a field holds an id that isn't a type's.
fn is_id(name: &str) -> bool {
    matches!(name, "id" | "length_id" | "counter" | "function" | "heap")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %in %result
OpExecutionMode %main OriginUpperLeft
OpDecorate %in Location 0
OpDecorate %result Location 0
OpDecorate %texture DescriptorSet 0
OpDecorate %texture Binding 1
OpDecorate %factor SpecId 3
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%ptr_image = OpTypePointer UniformConstant %image
%ptr_in = OpTypePointer Input %float
%ptr_out = OpTypePointer Output %float
%ptr_own = OpTypePointer Private %float
%factor = OpSpecConstant %float 2
%in = OpVariable %ptr_in Input
%result = OpVariable %ptr_out Output
%texture = OpVariable %ptr_image UniformConstant
%own = OpVariable %ptr_own Private
%main = OpFunction %void None %fn
%entry = OpLabel
OpReturn
OpFunctionEnd
";

    fn words(text: &str) -> Vec<u32> {
        let made = spirvkit::assemble(text, &Default::default());
        made.expect("a module").words
    }

    /// What comes of taking out the lines with this, all preserved or not.
    fn without(part: &str) -> [Result<usize, String>; 2] {
        let lines = MODULE.lines().filter(|line| !line.contains(part));
        compared(&lines.collect::<Vec<_>>().join("\n"))
    }

    fn compared(text: &str) -> [Result<usize, String>; 2] {
        let [before, after] = [MODULE, text].map(words);
        [false, true].map(|it| removed(&before, &after, it).map(|it| it.count))
    }

    #[test]
    fn what_is_the_same_is_preserved() {
        assert_eq!(compared(MODULE), [Ok(0), Ok(0)]);
        // Other ids are the same as well.
        let ids = MODULE.replace(
            "%void = OpTypeVoid\n",
            "%a = OpTypeInt 32 0\n%void = OpTypeVoid\n",
        );
        assert_eq!(compared(&ids), [Ok(0), Ok(0)]);
    }

    #[test]
    fn private_variables_may_go() {
        assert_eq!(without("%own"), [Ok(0), Ok(0)]);
    }

    #[test]
    fn unused_resources_and_constants_may_go_unless_they_are_preserved() {
        for part in ["%texture", "%factor"] {
            let [removed, preserved] = without(part);
            assert_eq!(removed, Ok(1), "{part}");
            assert!(preserved.is_err(), "{part}");
        }
    }

    #[test]
    fn members_may_go_unless_they_are_preserved() {
        let block = |members: &str, offsets: &str| {
            let blocks = format!(
                "%Block = OpTypeStruct {members}\n%ptr = OpTypePointer Uniform %Block\n%b = OpVariable %ptr Uniform\n%void ="
            );
            let decorations = format!(
                "OpDecorate %b DescriptorSet 0\nOpDecorate %b Binding 7\nOpDecorate %Block Block\n{offsets}OpDecorate %factor"
            );
            let types = "%float = OpTypeFloat 32\n";
            let text = MODULE.replace(types, "");
            let text = text.replace("%void =", &format!("{types}{blocks}"));
            words(&text.replace("OpDecorate %factor", &decorations))
        };
        let at = |offsets: [u32; 2]| {
            offsets
                .iter()
                .enumerate()
                .map(|(index, offset)| format!("OpMemberDecorate %Block {index} Offset {offset}\n"))
                .collect::<String>()
        };
        let whole = block("%float %float", &at([0, 16]));
        for (offset, is_there) in [(0, true), (16, true), (8, false)] {
            let part = block(
                "%float",
                &format!("OpMemberDecorate %Block 0 Offset {offset}\n"),
            );
            assert_eq!(removed(&whole, &part, false).is_ok(), is_there, "{offset}");
            assert!(removed(&whole, &part, true).is_err());
        }
        let moved = block("%float %float", &at([0, 4]));
        assert!(removed(&whole, &moved, false).is_err());
    }

    #[test]
    fn outputs_stay() {
        let text = MODULE.replace(" %result\n", "\n");
        let lines = text.lines().filter(|line| !line.contains("%result"));
        let [removed, _] = compared(&lines.collect::<Vec<_>>().join("\n"));
        assert!(removed.is_err_and(|why| why.starts_with("one of outputs has gone")));
    }

    #[test]
    fn nothing_is_changed_or_new() {
        for (from, to) in [
            ("%in Location 0", "%in Location 1"),
            ("%texture Binding 1", "%texture Binding 2"),
            ("Fragment %main \"main\"", "Fragment %main \"other\""),
            ("OpTypePointer Input %float", "OpTypePointer Input %vector"),
            (
                "OpCapability Shader",
                "OpCapability Shader\nOpCapability Geometry",
            ),
            ("%factor SpecId 3", "%factor SpecId 4"),
        ] {
            let text = MODULE.replace(from, to).replace(
                "%float = OpTypeFloat 32",
                "%float = OpTypeFloat 32\n%vector = OpTypeVector %float 2",
            );
            let [removed, preserved] = compared(&text);
            assert!(removed.is_err() && preserved.is_err(), "{from} {removed:?}");
        }
    }
}
