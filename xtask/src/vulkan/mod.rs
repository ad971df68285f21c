//! `cargo xtask vulkan`: the table in `docs/vulkan.md` of Vulkan's rules for modules, and which
//! of ours checks each.
//!
//! Which rules there are, the chapters of the specification say or, where they aren't at hand,
//! the table itself. Which of ours checks one, each of ours says. Why none does, `undecided.txt`
//! says.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::rules::{self, Rule};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The page, and the specification's chapters, from the root of the repository.
const PAGE: &str = "docs/vulkan.md";
const CHAPTERS: &str = "../shared/vulkan/spec";
/// Why rules are not checked.
const UNDECIDED: &str = include_str!("undecided.txt");
/// What the VUIDs of rules for modules begin with; those of built-ins begin with their names.
const FAMILIES: &[(&str, &str)] = &[
    ("StandaloneSpirv", "Rules within a module"),
    ("RuntimeSpirv", "Rules between modules and the rest"),
];
const BUILT_INS: &str = "Rules for built-ins";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder with the specification's chapters. Without it, those beside the repository
    /// are read or, if there are none, the table's own VUIDs are kept.
    chapters: Option<PathBuf>,
    /// Only check that the table is up to date.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = root.join(PAGE);
    let beside = Some(root.join(CHAPTERS)).filter(|folder| folder.is_dir());
    let vuids = match arguments.chapters.clone().or(beside) {
        Some(folder) => of_chapters(&folder)?,
        None => of_page(&fs::read_to_string(&page)?),
    };
    let frames = rules::frames(&root)?;
    let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
    let rules = rules::all(&root, &frames)?;
    let text = render(&vuids, &rules, &undecided(UNDECIDED)?)?;
    if !arguments.check {
        fs::write(page, text)?;
    } else if fs::read_to_string(page)? != text {
        return Err(format!("{PAGE} is out of date: run `cargo xtask vulkan`").into());
    }
    Ok(())
}

/// The VUIDs of rules for modules in the chapters of a folder, sorted.
fn of_chapters(folder: &Path) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "adoc") {
            found.extend(of_chapter(&fs::read_to_string(path)?));
        }
    }
    Ok(found)
}

/// The VUIDs of rules for modules in a chapter, which may name the page that they are on.
fn of_chapter(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut page = "";
    for line in text.lines() {
        if let Some(name) = line.strip_prefix(":refpage:") {
            page = name.trim();
        }
        let vuid = line
            .split_once("[[VUID-")
            .and_then(|(_, rest)| rest.split_once("]]"));
        if let Some((vuid, _)) = vuid {
            let vuid = vuid.replace("{refpage}", page);
            if is_for_modules(&vuid) {
                found.push(vuid);
            }
        }
    }
    found
}

/// The VUIDs that the page lists already.
fn of_page(text: &str) -> BTreeSet<String> {
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    let vuids = rows.filter_map(|row| row.split_once('`'));
    vuids.map(|(vuid, _)| vuid.to_owned()).collect()
}

/// Whether a VUID is that of a rule for modules: of one of the families, or of a built-in, which
/// is named like a page and no command or structure.
fn is_for_modules(vuid: &str) -> bool {
    let family = vuid.split('-').next().unwrap_or_default();
    FAMILIES.iter().any(|(name, _)| *name == family)
        || !family.is_empty() && !family.starts_with("vk") && !family.starts_with("Vk")
}

/// What stands in the way of checking a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Obstacle {
    Device,
    Pipeline,
    RunTime,
    Unbreakable,
    NotFollowed,
}

impl Obstacle {
    const ALL: [(Self, &'static str, &'static str); 5] = [
        (Self::Device, "device", "needs the device"),
        (Self::Pipeline, "pipeline", "needs the pipeline"),
        (Self::RunTime, "run time", "needs run-time state"),
        (
            Self::Unbreakable,
            "unbreakable",
            "can't be broken in a valid module",
        ),
        (Self::NotFollowed, "not followed", "not all is followed"),
    ];

    fn title(self) -> &'static str {
        let found = Self::ALL.iter().find(|(it, ..)| *it == self);
        found.map_or("", |(_, _, title)| title)
    }
}

/// The obstacles by VUID, each with a remark, which may be empty.
type Undecided<'t> = BTreeMap<&'t str, (Obstacle, &'t str)>;

/// Reads a list of obstacles: headings `# obstacle`, and below each the VUIDs that it is about,
/// with remarks after a colon.
fn undecided(text: &str) -> Result<Undecided<'_>> {
    let mut found = Undecided::new();
    let mut current = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(heading) = line.strip_prefix("# ") {
            let known = Obstacle::ALL.iter().find(|(_, name, _)| *name == heading);
            current = Some(
                known
                    .ok_or_else(|| format!("there is no obstacle `{heading}`"))?
                    .0,
            );
            continue;
        }
        let obstacle = current.ok_or("the first line must be a heading")?;
        let (vuid, remark) = line.split_once(": ").unwrap_or((line, ""));
        let needs_remark = [Obstacle::Unbreakable, Obstacle::NotFollowed];
        if needs_remark.contains(&obstacle) && remark.is_empty() {
            return Err(format!("it is not said why `{vuid}` can't be broken or followed").into());
        }
        if found.insert(vuid, (obstacle, remark)).is_some() {
            return Err(format!("`{vuid}` has two obstacles").into());
        }
    }
    Ok(found)
}

/// What became of the rules of a table.
#[derive(Default)]
struct Counts {
    checked: usize,
    in_part: usize,
    undecided: BTreeMap<Obstacle, usize>,
    missing: usize,
}

fn render(
    vuids: &BTreeSet<String>,
    rules: &BTreeMap<String, Rule>,
    undecided: &Undecided<'_>,
) -> Result<String> {
    let mut by_vuid: BTreeMap<&str, Vec<&Rule>> = BTreeMap::new();
    for rule in rules.values() {
        for vuid in &rule.vuids {
            let vuid = vuid.strip_prefix("VUID-").unwrap_or(vuid);
            by_vuid.entry(vuid).or_default().push(rule);
        }
    }
    let mut named = by_vuid.keys().chain(undecided.keys());
    if let Some(unknown) = named.find(|vuid| is_for_modules(vuid) && !vuids.contains(**vuid)) {
        return Err(format!("the specification has no rule `VUID-{unknown}`").into());
    }
    let mut tables = String::new();
    let mut summary = String::new();
    let mut families = FAMILIES.to_vec();
    families.insert(1, ("", BUILT_INS));
    for (family, title) in families {
        let belongs = |vuid: &&String| {
            let own = vuid.split('-').next().unwrap_or_default();
            match family {
                "" => !FAMILIES.iter().any(|(name, _)| *name == own),
                family => own == family,
            }
        };
        let mut counts = Counts::default();
        let _ = write!(tables, "\n## {title}\n\n| VUID | checked by |\n|---|---|\n");
        for vuid in vuids.iter().filter(belongs) {
            let own = by_vuid.get(vuid.as_str()).map_or(&[][..], Vec::as_slice);
            let state = state(own, undecided.get(vuid.as_str()).copied(), &mut counts);
            let _ = writeln!(tables, "| `{vuid}` | {state} |");
        }
        let _ = writeln!(summary, "{}", counts.row(title));
    }
    let titles = Obstacle::ALL.map(|(_, _, title)| title);
    Ok(format!(
        "# Vulkan's rules for modules\n\n\
         The rules that the Vulkan specification has for modules, and which [rules](rules/README.md) of `spv val` check them. \
         `device.*`\nare checked with `--device`, `pipeline.*` with `--pipeline`, some of them only with what `--layout` tells; what `pipeline.limit` asks of single stages, with `--device` alone, too. Other rules that depend on more than the module are not checked, or only in part: where all that they need\nis in the module. Where not all is followed, some modules that break a rule pass. \
         This file is generated by `cargo xtask vulkan`.\n\n\
         | | rules | checked | in part | {} | missing |\n|---|---|---|---|---|---|---|---|---|---|\n{summary}{tables}",
        titles.join(" | ")
    ))
}

/// What is said of a rule.
fn state(rules: &[&Rule], obstacle: Option<(Obstacle, &str)>, counts: &mut Counts) -> String {
    let links = rules.iter().map(|rule| {
        let (id, link, sentence) = (&rule.id, rule.link("../"), &rule.first_sentence);
        // Of what speaks of all built-ins, the link is enough.
        match rule.vuids.len() {
            0..=16 => format!("[{id}]({link}): {}", sentence.replace('|', "\\|")),
            _ => format!("[{id}]({link})"),
        }
    });
    let mut said: Vec<String> = links.collect();
    if let Some((obstacle, remark)) = obstacle {
        let title = obstacle.title();
        said.push(match (obstacle, remark) {
            (_, "") => title.to_owned(),
            (Obstacle::Unbreakable, remark) => format!("{title}: {remark}"),
            (_, remark) => format!("{title} ({remark})"),
        });
    }
    match (rules.is_empty(), obstacle) {
        (false, None) => counts.checked += 1,
        (false, Some(_)) => {
            counts.in_part += 1;
            said.insert(0, "in part".to_owned());
        }
        (true, Some((obstacle, _))) => *counts.undecided.entry(obstacle).or_default() += 1,
        (true, None) => {
            counts.missing += 1;
            said.push("missing".to_owned());
        }
    }
    said.join("<br>")
}

impl Counts {
    fn row(&self, title: &str) -> String {
        let undecided = Obstacle::ALL
            .map(|(obstacle, ..)| self.undecided.get(&obstacle).copied().unwrap_or_default());
        let all = self.checked + self.in_part + undecided.iter().sum::<usize>() + self.missing;
        let mut cells = vec![title.to_owned()];
        let numbers = [all, self.checked, self.in_part]
            .into_iter()
            .chain(undecided)
            .chain([self.missing]);
        cells.extend(numbers.map(|number| number.to_string()));
        format!("| {} |", cells.join(" | "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vuids_of_built_ins_are_named_after_their_pages() {
        let chapter = ":refpage: Tint\n\n  * [[VUID-{refpage}-Tint-00001]]\n    Text.\n\
                       * [[VUID-vkPaint-None-00002]]\n  * [[VUID-RuntimeSpirv-Tint-00003]]\n";
        assert_eq!(
            of_chapter(chapter),
            ["Tint-Tint-00001", "RuntimeSpirv-Tint-00003"]
        );
    }

    #[test]
    fn obstacles_are_known_and_unbreakable_rules_have_reasons() {
        let list = "# run time\nA-1\n\n# unbreakable\nB-2: nothing can do it\n";
        let list = undecided(list).unwrap();
        assert_eq!(list["A-1"], (Obstacle::RunTime, ""));
        assert_eq!(list["B-2"], (Obstacle::Unbreakable, "nothing can do it"));
        for wrong in [
            "A-1",
            "# weather\nA-1",
            "# unbreakable\nB-2",
            "# not followed\nB-2",
            "# device\nA-1\n# pipeline\nA-1",
        ] {
            assert!(undecided(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_table_is_a_source_of_the_next() {
        let vuids = BTreeSet::from(["A-1".to_owned(), "RuntimeSpirv-B-2".to_owned()]);
        let list = undecided("# device\nA-1\n").unwrap();
        let page = render(&vuids, &BTreeMap::new(), &list).unwrap();
        assert!(page.contains("| `A-1` | needs the device |"), "{page}");
        assert!(page.contains("| `RuntimeSpirv-B-2` | missing |"), "{page}");
        assert_eq!(of_page(&page), vuids);
        let list = undecided("# device\nA-3\n").unwrap();
        assert!(render(&vuids, &BTreeMap::new(), &list).is_err());
    }
}
