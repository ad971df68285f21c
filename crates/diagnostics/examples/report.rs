//! Renders a diagnostic in each form there is: for people, with colour and
//! without, and as JSON for programs.
//!
//! ```text
//! cargo run -p spirvkit-diagnostics --example report
//! ```

use spirvkit_diagnostics::{Diagnostic, ErrorClass, Location, Source, Span, render};

const TEXT: &str = "\
%int = OpTypeInt 32 1
%int = OpTypeInt 64 1
";

fn main() {
    let source = Source::new("types.spvasm", TEXT);
    let diagnostic = Diagnostic::error(
        "example.redefinition",
        ErrorClass::InvalidId,
        "`%int` is the result of two instructions",
    )
    .at_span(Span { start: 22, end: 26 })
    .with_label(
        Location::Span(Span { start: 0, end: 4 }),
        "it is defined here first",
    )
    .with_help("give one of them another name, such as `%long`");

    println!("{}", render::terminal(&diagnostic, Some(&source), true));
    println!("{}", render::terminal(&diagnostic, Some(&source), false));
    println!("{}", render::json(&diagnostic, Some(&source)));
}
