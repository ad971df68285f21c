//! Drawings as images, which Graphviz makes of text.

use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

use spirvkit::Diagnostic;

use crate::report::kinds;

/// Has Graphviz's `dot` draw a graph in the form that it calls so, such as `svg`.
pub(crate) fn draw(graph: &str, form: &str) -> Result<Vec<u8>, Diagnostic> {
    let child = Command::new("dot")
        .arg(format!("-T{form}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.map_err(|error| match error.kind() {
        ErrorKind::NotFound => kinds::NO_GRAPHVIZ
            .error("images are drawn by Graphviz's `dot`, which is not installed here")
            .with_help("an HTML page (`-o FILE.html`) needs no other program"),
        _ => kinds::NO_GRAPHVIZ.error(format!("`dot` can't be started: {error}")),
    })?;
    let stdin = child.stdin.take();
    let finished = std::thread::scope(|scope| {
        // It may write before it has read everything.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(graph.as_bytes())));
        child.wait_with_output()
    });
    match finished {
        Ok(output) if output.status.success() => Ok(output.stdout),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said
                .lines()
                .next()
                .unwrap_or_default()
                .escape_debug()
                .to_string();
            Err(kinds::NO_GRAPHVIZ.error(format!("`dot` failed: {said}")))
        }
        Err(error) => Err(kinds::NO_GRAPHVIZ.error(format!("`dot` can't be run: {error}"))),
    }
}
