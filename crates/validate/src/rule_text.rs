//! The Markdown files that contain the rules, with a section for each. `xtask` also compiles
//! this file, to write `rules/generated.rs`.

/// A section of a Markdown file, which is everything about one rule.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Section<'t> {
    /// The rule's id, the heading.
    pub(crate) id: &'t str,
    /// Class, `warning` if it gives only one, section and VUIDs, with dots between them.
    #[allow(dead_code, reason = "only `xtask` reads it")]
    pub(crate) facts: &'t str,
    /// What the rule requires.
    pub(crate) text: &'t str,
    /// The frames of the example, from the outside to the inside, then the environment
    /// that it is for, with commas between them.
    pub(crate) frames: &'t str,
    /// Assembly that breaks the rule.
    pub(crate) breaks: &'t str,
    /// Assembly that keeps it.
    pub(crate) keeps: &'t str,
}

/// The sections of a file. A malformed one has only an id.
pub(crate) fn sections(page: &str) -> impl Iterator<Item = Section<'_>> {
    let sections = page.split("\n## ").skip(1);
    sections.map(|section| {
        parse(section).unwrap_or_else(|| Section {
            id: section.lines().next().unwrap_or_default(),
            ..Section::default()
        })
    })
}

fn parse(section: &str) -> Option<Section<'_>> {
    let (id, rest) = section.split_once("\n\n")?;
    let (facts, rest) = rest.split_once("\n\n")?;
    let (text, rest) = rest.split_once("\n\nBreaks it (")?;
    let (frames, rest) = rest.split_once("):\n\n```spirv\n")?;
    let (breaks, rest) = rest.split_once("```\n\nKeeps it:\n\n```spirv\n")?;
    let (keeps, rest) = rest.split_once("```")?;
    rest.trim().is_empty().then_some(Section {
        id,
        facts,
        text,
        frames,
        breaks,
        keeps,
    })
}

/// Paragraphs without their line breaks.
pub(crate) fn unwrapped(text: &str) -> String {
    let paragraphs: Vec<String> = text.split("\n\n").map(|p| p.replace('\n', " ")).collect();
    paragraphs.join("\n\n")
}
