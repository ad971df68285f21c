//! `cargo xtask rules`: what is made of the Markdown files that hold the validator's rules,
//! a Rust file with a line for each, and an index for readers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::Outcome;

#[path = "../../crates/validate/src/rule_text.rs"]
mod rule_text;

/// What the program itself reports.
#[cfg(feature = "conformance")]
#[path = "../../crates/cli/src/report/kinds.rs"]
mod program;

/// Where the rules are, and what is written for the crate, from the root of the repository.
const SOURCES: &str = "crates/validate/src";
const GENERATED: &str = "crates/validate/src/rules/generated.rs";
/// What is written for readers.
const INDEX: &str = "docs/rules/README.md";
#[cfg(feature = "conformance")]
const OTHERS: &str = "docs/rules/others.md";

/// Frames that differ from others by how they are validated.
const OPTIONS: [&str; 6] = [
    "data-graph",
    "limited",
    "old-device",
    "pipeline-layout",
    "pipeline-heap",
    "pipeline-device",
];

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only check that the files are up to date.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let frames = frames(&root)?;
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    let rules = all(&root, &frames)?;
    let written = [
        (GENERATED, generated(&rules, &frames)),
        (INDEX, index(&rules)),
        #[cfg(feature = "conformance")]
        (OTHERS, others::render()),
    ];
    for (path, text) in written {
        if !arguments.check {
            fs::write(root.join(path), text)?;
        } else if fs::read_to_string(root.join(path))? != text {
            return Err(format!("{path} is out of date: run `cargo xtask rules`").into());
        }
    }
    Ok(())
}

/// The names of the frames, from the root of the repository.
pub(crate) fn frames(root: &Path) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let files = files(&root.join(SOURCES).join("frames"), "spvasm")?;
    let names = files.iter().filter_map(|file| file.strip_suffix(".spvasm"));
    Ok(names.map(str::to_owned).collect())
}

/// All rules by their ids.
pub(crate) fn all(
    root: &Path,
    frames: &[&str],
) -> Result<BTreeMap<String, Rule>, Box<dyn std::error::Error>> {
    let sources = root.join(SOURCES);
    let mut rules = BTreeMap::new();
    for page in files(&sources, "md")? {
        let text = fs::read_to_string(sources.join(&page))?;
        for section in rule_text::sections(&text) {
            let rule = Rule::new(&page, section, frames).ok_or_else(|| {
                let id = section.id;
                format!("{SOURCES}/{page}: the section `{id}` is malformed")
            })?;
            if rules.insert(rule.id.clone(), rule).is_some() {
                return Err(format!("there are two rules `{}`", section.id).into());
            }
        }
    }
    Ok(rules)
}

/// The files with this extension in a directory and those below, by their paths in it.
fn files(directory: &Path, extension: &str) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut found = Vec::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(each) = directories.pop() {
        for entry in fs::read_dir(each)? {
            let path = entry?.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|it| it == extension) {
                let below = path.strip_prefix(directory)?;
                let names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
                found.push(names.join("/"));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// What the index and the code need of a rule.
pub(crate) struct Rule {
    pub(crate) id: String,
    /// As diagnostics show it.
    class: String,
    /// Whether breaking it is worth a warning only.
    is_warning: bool,
    section: String,
    pub(crate) vuids: Vec<String>,
    pub(crate) first_sentence: String,
    page: String,
}

impl Rule {
    /// What a section says; `None` if something is missing or unknown.
    fn new(page: &str, section: rule_text::Section<'_>, frames: &[&str]) -> Option<Self> {
        // What the frame's device has, the crate's tests look at.
        let frames_and_env = section.frames.split(" with ").next()?;
        let mut named = frames_and_env.split(',').map(str::trim);
        let environment = named.next_back()?;
        let is_known = |name: &str| OPTIONS.contains(&name) || frames.contains(&name);
        let is_whole =
            section.id.contains('.') && !section.breaks.is_empty() && !section.keeps.is_empty();
        if !is_whole || !is_environment(environment) || !named.all(is_known) {
            return None;
        }
        let facts = rule_text::unwrapped(section.facts);
        let mut facts = facts.split(" · ").map(str::to_owned).peekable();
        let class = facts.next()?;
        let is_warning = facts.next_if(|fact| fact == "warning").is_some();
        let place = facts.next()?;
        let text = rule_text::unwrapped(section.text);
        Some(Self {
            id: section.id.to_owned(),
            class,
            is_warning,
            section: place.strip_prefix("section ").unwrap_or(&place).to_owned(),
            vuids: facts.collect(),
            first_sentence: match text.find(". ") {
                Some(end) => text[..=end].to_owned(),
                None => text,
            },
            page: page.to_owned(),
        })
    }

    fn family(&self) -> &str {
        self.id.split('.').next().unwrap_or_default()
    }

    /// A link to its text; `up` leads to the root of the repository.
    pub(crate) fn link(&self, up: &str) -> String {
        let anchor = self.id.replace('.', "");
        format!("{up}{SOURCES}/{}#{anchor}", self.page)
    }

    /// The name of its static within the module of its family.
    fn name(&self) -> String {
        constant(self.id.split('.').next_back().unwrap_or_default())
    }
}

/// Whether there is an environment of this name.
#[cfg(feature = "conformance")]
fn is_environment(name: &str) -> bool {
    name.parse::<spirvkit::TargetEnv>().is_ok()
}

/// Only the libraries know the environments.
#[cfg(not(feature = "conformance"))]
fn is_environment(_: &str) -> bool {
    true
}

/// Rust's name for a constant.
fn constant(name: &str) -> String {
    name.replace(['-', '/'], "_").to_uppercase()
}

/// Rust's name for the module of a family.
fn module(family: &str) -> String {
    match family {
        "return" | "type" => format!("{family}_"),
        _ => family.replace('-', "_"),
    }
}

/// Rust's name for a Markdown file.
fn page_name(page: &str) -> String {
    let path = page.trim_start_matches("rules/").trim_end_matches(".md");
    constant(path)
}

/// Rust's name for a class of errors.
fn variant(class: &str) -> String {
    let mut starts_word = true;
    let letters = class.chars().filter_map(|c| match c {
        '_' => {
            starts_word = true;
            None
        }
        c if std::mem::take(&mut starts_word) => Some(c.to_ascii_uppercase()),
        c => Some(c),
    });
    letters.collect()
}

/// The rules by their families, in order.
fn families(rules: &BTreeMap<String, Rule>) -> Vec<Vec<&Rule>> {
    let mut families: Vec<Vec<&Rule>> = Vec::new();
    for rule in rules.values() {
        match families.last_mut() {
            Some(last) if last[0].family() == rule.family() => last.push(rule),
            _ => families.push(vec![rule]),
        }
    }
    families
}

fn generated(rules: &BTreeMap<String, Rule>, frames: &[&str]) -> String {
    let families = families(rules);
    let mut pages: Vec<&str> = rules.values().map(|rule| &*rule.page).collect();
    pages.sort_unstable();
    pages.dedup();
    let mut out = String::from(
        "//! The rules of the Markdown files beside the code. Generated by `cargo xtask rules`: do not edit.\n\n\
         use spirvkit_diagnostics::ErrorClass::*;\n\n\
         use crate::rule::Rule;\n\n\
         /// All rules, sorted by id.\n\
         pub(crate) static ALL: &[&Rule] = &[\n",
    );
    for family in &families {
        let names = family
            .iter()
            .map(|rule| format!("&{}::{}", module(rule.family()), rule.name()));
        let _ = writeln!(out, "    {},", names.collect::<Vec<_>>().join(", "));
    }
    out += "];\n\n/// What the examples of several rules share, by name.\n\
            pub(crate) static FRAMES: &[(&str, &str)] = &[\n";
    for frame in frames {
        let _ = writeln!(
            out,
            "    ({frame:?}, include_str!(\"../frames/{frame}.spvasm\")),"
        );
    }
    out += "];\n\nmod pages {\n";
    for page in pages {
        let file = match page.strip_prefix("rules/") {
            Some(file) => file.to_owned(),
            None => format!("../{page}"),
        };
        let name = page_name(page);
        let _ = writeln!(
            out,
            "    pub(super) const {name}: &str = include_str!({file:?});"
        );
    }
    out += "}\n";
    for family in families {
        let _ = write!(
            out,
            "\npub(crate) mod {} {{\n    use super::*;\n\n",
            module(family[0].family())
        );
        for rule in family {
            let _ = writeln!(
                out,
                "    pub(crate) static {}: Rule = Rule::new({:?}, {}, {:?}, &{:?}, pages::{}){};",
                rule.name(),
                rule.id,
                variant(&rule.class),
                rule.section,
                rule.vuids,
                page_name(&rule.page),
                if rule.is_warning { ".warning()" } else { "" }
            );
        }
        out += "}\n";
    }
    out
}

fn index(rules: &BTreeMap<String, Rule>) -> String {
    let mut out = format!(
        "# Rules\n\n\
         The {} rules of `spv val`, by family. Each links to its full text, with assembly that breaks it and assembly that\n\
         keeps it; in parentheses are the [frames](../../{SOURCES}/frames) of declarations around the assembly, and the target\n\
         environment. `spv explain RULE` prints the same, and with `--full` whole modules. Other errors and warnings are in\n\
         [others.md](others.md). This file is generated by `cargo xtask rules`.\n",
        rules.len()
    );
    for family in families(rules) {
        let _ = write!(out, "\n## {}\n\n", family[0].family());
        for rule in family {
            let (id, sentence, link) = (&rule.id, &rule.first_sentence, rule.link("../../"));
            let _ = writeln!(out, "- [{id}]({link}): {sentence}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_with_unknown_words_are_malformed() {
        let page = "# Sums

## sum.of-integers

invalid_data · section 3.32.13

Sums are of integers.

Breaks it (shader, matrices, spv1.6):

```spirv
%sum = OpIAdd %u32 %f32_0 %f32_1
```

Keeps it:

```spirv
%sum = OpIAdd %u32 %u32_0 %u32_1
```
";
        let rule = |page: &str| {
            let section = rule_text::sections(page).next().unwrap();
            Rule::new("sums.md", section, &["shader", "matrices"])
        };
        let warns = |page: &str| rule(page).map(|rule| rule.is_warning);
        assert_eq!(warns(page), Some(false));
        assert_eq!(warns(&page.replace(" · ", " · warning · ")), Some(true));
        for (right, wrong) in [
            ("spv1.6", "spv1.66"),
            ("spv1.6", "shader"),
            ("matrices", "matrixes"),
            ("shader", "shadr"),
            ("Keeps it", "Keep it"),
        ] {
            assert!(rule(&page.replace(right, wrong)).is_none(), "{wrong}");
        }
    }
}

/// What else has an id, which only the compiled libraries know.
#[cfg(feature = "conformance")]
mod others {
    use super::*;

    pub(super) fn render() -> String {
        let mut kinds = spirvkit::kinds();
        kinds.extend(program::KINDS);
        // Of what a rule says, the rule says more.
        kinds.retain(|kind| spirvkit::find_rule(kind.id).is_none());
        kinds.sort_by_key(|kind| kind.id);
        let mut out = String::from(
            "# Other errors and warnings\n\n\
             Errors and warnings of reading, writing and changing modules. This file is generated by `cargo xtask rules`.\n",
        );
        let mut family = "";
        for kind in kinds {
            let (of, _) = kind.id.split_once('.').unwrap_or((kind.id, ""));
            if of != family {
                family = of;
                let _ = write!(out, "\n## {family}\n");
            }
            let (id, text, advice) = (kind.id, kind.text, kind.advice);
            let class = kind.class.name();
            let _ = write!(out, "\n### {id}\n\n{text}\n\n{advice}\n\n`{class}`\n");
            if !kind.example.is_empty() {
                let _ = write!(out, "\nFor example:\n\n```\n{}\n```\n", tidy(kind.example));
            }
        }
        out
    }

    /// The text without blank lines around it and blanks at the ends of lines.
    fn tidy(text: &str) -> String {
        let lines: Vec<&str> = text.trim().lines().map(str::trim).collect();
        lines.join("\n")
    }
}
