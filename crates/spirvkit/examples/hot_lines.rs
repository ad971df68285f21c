//! Lists the source lines from which most instructions come, of a module with debug information:
//!
//! ```text
//! cargo run -p spirvkit --example hot_lines -- MODULE.spv
//! ```

use std::cmp::Reverse;
use std::error::Error;

use spirvkit::debuginfo::DebugInfo;
use spirvkit::grammar::Op;

/// A line of source, and how many instructions come from it.
#[derive(Debug, PartialEq, Eq)]
pub struct HotLine {
    pub file: String,
    pub line: u32,
    pub instructions: usize,
    /// What stands on the line, if the module has the source.
    pub text: String,
}

/// All lines with instructions, those with most first.
pub fn hot_lines(info: &DebugInfo<'_>) -> Vec<HotLine> {
    let mut lines = Vec::new();
    for (id, file) in info.files() {
        let source = info.text_of(id).unwrap_or_default();
        let texts: Vec<&str> = source.lines().collect();
        // Line 0 is where compilers put what is on no line.
        for line in info.lines_of(id).filter(|&line| line > 0) {
            let ranges = info.instructions_of(id, line);
            let all = ranges.flat_map(|range| info.instructions_in(range));
            // An `OpLine` comes from where the line before it does.
            let instructions = all.filter(|inst| inst.op() != Op::Line).count();
            let text = texts.get(line as usize - 1).copied().unwrap_or_default();
            lines.push(HotLine {
                file: file.name().to_string(),
                line,
                instructions,
                text: text.trim().to_owned(),
            });
        }
    }
    lines.sort_by_key(|line| Reverse(line.instructions));
    lines
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1);
    let words = spirvkit::words(&std::fs::read(path.ok_or("usage: hot_lines MODULE.spv")?)?)?;
    for line in hot_lines(&DebugInfo::read(&words)?) {
        let HotLine {
            file,
            line,
            instructions,
            text,
        } = line;
        println!("{instructions:6}  {file}:{line}: {text}");
    }
    Ok(())
}
