//! The environments that `--target-env` takes, as help texts list them.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use spirvkit::TargetEnv;

/// The lines of help texts are no longer than this.
pub(crate) const WIDTH: usize = 80;

/// Reads the value of `--target-env`.
pub(crate) fn parser() -> impl TypedValueParser<Value = TargetEnv> {
    PossibleValuesParser::new(TargetEnv::all().map(TargetEnv::name))
        .try_map(|name| name.parse::<TargetEnv>())
}

/// The end of a help text: the names of all environments, and `about`.
pub(crate) fn help(about: &str) -> String {
    format!("Environments:\n{}\n\n{about}", list("  "))
}

/// The names of all environments, on lines that start with `indent`.
pub(crate) fn list(indent: &str) -> String {
    let mut lines = String::from(indent);
    let mut start = 0;
    for (number, env) in TargetEnv::all().enumerate() {
        let name = env.name();
        if number > 0 {
            lines.push(',');
            // Blank, name, comma.
            if lines.len() - start + 1 + name.len() + 1 > WIDTH {
                lines.push('\n');
                start = lines.len();
                lines.push_str(indent);
            } else {
                lines.push(' ');
            }
        }
        lines.push_str(name);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_listed_on_lines_that_are_not_too_long() {
        let list = list("    ");
        for line in list.lines() {
            assert!(line.starts_with("    ") && line.len() <= WIDTH, "{line}");
        }
        let names: Vec<&str> = list.split(',').map(str::trim).collect();
        assert!(TargetEnv::all().map(TargetEnv::name).eq(names));
    }
}
