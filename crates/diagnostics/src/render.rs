//! Diagnostics as text for people and as JSON for programs.

#[cfg(feature = "serde")]
mod report;
#[cfg(feature = "serde")]
mod sarif;

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use crate::{
    Diagnostic, Elsewhere, Location, Position, Quote, Severity, ShaderLine, Source, Span,
    is_disruptive, visible, visible_lines,
};

#[cfg(feature = "serde")]
pub use report::{json, report};
#[cfg(feature = "serde")]
pub use sarif::{SarifRule, sarif_end, sarif_results, sarif_start};

/// Lines longer than this are cut to a window around the place.
const WIDEST_LINE: usize = 160;

/// Renders a diagnostic for a terminal: the message, the place, and, where
/// `source` has it, the line with the place underlined. `color` adds ANSI
/// escapes. `source` is what [`Location::Span`] refers to; a module read from
/// a binary file has a name but no text worth showing.
pub fn terminal(diagnostic: &Diagnostic, source: Option<&Source<'_>>, color: bool) -> String {
    let style = |style: Style| if color { style } else { Style::new() };
    let hue = match diagnostic.severity() {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
    };
    let severity = style(hue.on_default().bold());
    let bold = style(Style::new().bold());
    let gutter = style(AnsiColor::Blue.on_default().bold());

    let mut out = String::new();
    let name = diagnostic.severity().name();
    let (rule, message) = (diagnostic.rule(), visible_lines(diagnostic.message()));
    let _ = writeln!(
        out,
        "{severity}{name}[{rule}]{severity:#}{bold}: {message}{bold:#}"
    );
    place(&mut out, diagnostic.location(), source, gutter, severity);
    let is_in_text = matches!(diagnostic.location(), Location::Span(_)) && source.is_some();
    if let Some(instruction) = diagnostic.quote().filter(|_| !is_in_text) {
        quote(&mut out, instruction, gutter, severity);
    }
    if let Some(line) = diagnostic.shader_line() {
        let place = line.to_string();
        let place = visible(&place);
        let _ = writeln!(out, "   {gutter}={gutter:#} {bold}source{bold:#}: {place}");
        shader_excerpt(&mut out, line, gutter, severity);
    }
    for label in diagnostic.labels() {
        let _ = writeln!(
            out,
            "   {gutter}={gutter:#} {bold}note{bold:#}: {}",
            visible_lines(&label.message)
        );
        match &label.elsewhere {
            None => place(&mut out, label.location, source, gutter, gutter),
            Some(elsewhere) => other_place(&mut out, label.location, elsewhere, gutter),
        }
        let is_in_text = matches!(label.location, Location::Span(_)) && source.is_some();
        if let Some(instruction) = label.instruction.as_ref().filter(|_| !is_in_text) {
            quote(&mut out, instruction, gutter, gutter);
        }
    }
    if let Some(help) = diagnostic.help() {
        let help = visible_lines(help);
        let _ = writeln!(out, "   {gutter}={gutter:#} {bold}help{bold:#}: {help}");
    }
    if let Some(section) = diagnostic.section() {
        let comma = if diagnostic.vuid().is_some() {
            ", "
        } else {
            ""
        };
        let vuid = diagnostic.vuid().unwrap_or_default();
        let name = match section.starts_with(|c: char| c.is_ascii_digit()) {
            true => "section ",
            false => "",
        };
        let _ = writeln!(
            out,
            "   {gutter}={gutter:#} {bold}rule{bold:#}: {name}{section}{comma}{vuid}"
        );
    }
    out
}

/// Renders diagnostics one after the other, as [`terminal`] does without colour.
pub fn all(diagnostics: &[Diagnostic], source: &Source<'_>) -> String {
    let each = diagnostics.iter();
    each.map(|diagnostic| terminal(diagnostic, Some(source), false))
        .collect()
}

/// In an excerpt, each character takes one column.
fn printable(c: char) -> char {
    if is_disruptive(c) { ' ' } else { c }
}

fn place(
    out: &mut String,
    location: Location,
    source: Option<&Source<'_>>,
    gutter: Style,
    mark: Style,
) {
    let file = visible(source.map_or("<module>", Source::name));
    match (location, source) {
        (Location::Span(span), Some(source)) => {
            let position = source.position(span.start);
            let _ = writeln!(
                out,
                "  {gutter}-->{gutter:#} {file}:{}:{}",
                position.line, position.column
            );
            excerpt(out, span, source, gutter, mark);
        }
        (Location::Span(span), None) => {
            let _ = writeln!(out, "  {gutter}-->{gutter:#} {file}: byte {}", span.start);
        }
        (Location::Word(word), _) => {
            let _ = writeln!(
                out,
                "  {gutter}-->{gutter:#} {file}: byte {} (word {word})",
                word * 4
            );
        }
        (Location::None, Some(_)) => {
            let _ = writeln!(out, "  {gutter}-->{gutter:#} {file}");
        }
        // Not every error is about a module.
        (Location::None, None) => {}
    }
}

/// A place in another file.
fn other_place(out: &mut String, location: Location, elsewhere: &Elsewhere, gutter: Style) {
    let file = visible(&elsewhere.file);
    let _ = match (&elsewhere.place, location) {
        (Some((_, Position { line, column })), _) => {
            writeln!(out, "  {gutter}-->{gutter:#} {file}:{line}:{column}")
        }
        (None, Location::Word(word)) => {
            let byte = word * 4;
            writeln!(
                out,
                "  {gutter}-->{gutter:#} {file}: byte {byte} (word {word})"
            )
        }
        (None, _) => writeln!(out, "  {gutter}-->{gutter:#} {file}"),
    };
}

/// The instruction, with a mark under the operand that is meant.
fn quote(out: &mut String, quote: &Quote, gutter: Style, mark: Style) {
    let text = Source::new("", quote.text());
    let all = Span { start: 0, end: 0 };
    let shown = Window::of(quote.operand().unwrap_or(all), &text);
    let _ = writeln!(out, "   {gutter}|{gutter:#} {}", shown.text);
    if quote.operand().is_some() {
        let (indent, marks) = (shown.indent, "^".repeat(shown.marks));
        let _ = writeln!(
            out,
            "   {gutter}|{gutter:#} {:indent$}{mark}{marks}{mark:#}",
            ""
        );
    }
}

/// The line of a place, with the place underlined.
fn excerpt(out: &mut String, span: Span, source: &Source<'_>, gutter: Style, mark: Style) {
    let shown = Window::of(span, source);
    let number = source.position(span.start).line.to_string();
    underlined(out, &number, &shown, gutter, mark);
}

/// The shader's own line, if the module has it.
fn shader_excerpt(out: &mut String, line: &ShaderLine, gutter: Style, mark: Style) {
    let Some(text) = &line.text else {
        return;
    };
    let byte = |column: usize| {
        let at = text.char_indices().nth(column);
        at.map_or(text.len(), |(at, _)| at)
    };
    let span = match line.column {
        Some(column) => {
            let at = byte(column.saturating_sub(1) as usize);
            Span { start: at, end: at }
        }
        // All that stands on the line.
        None => Span {
            start: text.len() - text.trim_start().len(),
            end: text.trim_end().len(),
        },
    };
    let shown = Window::of(span, &Source::new("", text));
    underlined(out, &line.line.to_string(), &shown, gutter, mark);
}

fn underlined(out: &mut String, number: &str, shown: &Window, gutter: Style, mark: Style) {
    let width = number.len();
    let (indent, marks) = (shown.indent, "^".repeat(shown.marks));
    let _ = writeln!(out, " {:width$} {gutter}|{gutter:#}", "");
    let _ = writeln!(out, " {gutter}{number} |{gutter:#} {}", shown.text);
    let _ = writeln!(
        out,
        " {:width$} {gutter}|{gutter:#} {:indent$}{mark}{marks}{mark:#}",
        "", ""
    );
}

/// What is shown of a line, and what of that is underlined.
struct Window {
    text: String,
    /// How many characters stand before the marks.
    indent: usize,
    marks: usize,
}

impl Window {
    /// The line in which a place starts, as much as fits.
    fn of(span: Span, source: &Source<'_>) -> Self {
        let position = source.position(span.start);
        let column = position.column - 1;
        let line = source.line_range(position.line);
        let length = source.count(line.clone());
        let skip = match length > WIDEST_LINE {
            true => column.saturating_sub(WIDEST_LINE / 2),
            false => 0,
        };
        // The line may have any length: only the window is looked at. A place on
        // the line's end is past what there is to show.
        let at = source.boundary(span.start).min(line.end);
        let back = source.count(line.start..at).saturating_sub(skip);
        let before = source.text()[line.start..at].char_indices().rev();
        let start = match back {
            0 => at,
            _ => line.start + before.take(back).last().map_or(0, |(at, _)| at),
        };
        let shown: String = source.text()[start..line.end]
            .chars()
            .take(WIDEST_LINE)
            .map(printable)
            .collect();
        let end = source.position(span.end.max(span.start));
        let last = if end.line == position.line {
            end.column - 1
        } else {
            length
        };
        let room = WIDEST_LINE - (column - skip).min(WIDEST_LINE - 1);
        Self {
            text: shown.trim_end().to_owned(),
            indent: column - skip,
            marks: last.saturating_sub(column).clamp(1, room),
        }
    }
}
