//! Tables that tests write into docs/debuginfo.md.

use std::path::Path;

/// Checks that the document has this table between the comments that name it; with
/// `SPIRVKIT_WRITE_DOCS=1`, writes it there.
pub(crate) fn check(name: &str, table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/debuginfo.md");
    let document = std::fs::read_to_string(&path).expect("the document");
    let begin = format!("<!-- begin of the {name} -->\n");
    let end = format!("<!-- end of the {name} -->");
    let (before, rest) = document.split_once(&begin).expect("a place for the table");
    let (committed, after) = rest.split_once(&end).expect("an end of the table");
    if std::env::var_os("SPIRVKIT_WRITE_DOCS").is_some() {
        let text = format!("{before}{begin}{table}{end}{after}");
        std::fs::write(&path, text).expect("the document is written");
        return;
    }
    assert_eq!(committed, table, "write it with SPIRVKIT_WRITE_DOCS=1");
}
