//! What compilers write, with all the debug information they have, is valid and worth
//! no warning: `tests/compiled/README.md` tells what is odd about which module.

use std::fs;
use std::path::Path;

use spirvkit_testing::files;
use spirvkit_validate::{Options, validate_bytes};

#[test]
fn what_compilers_write_is_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compiled");
    let mut count = 0;
    for path in files(&folder, ".spv") {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let env = match name.contains(".naga") {
            true => "spv1.5",
            false => "vulkan1.2",
        };
        let options = Options::for_env(env.parse().unwrap());
        let report = validate_bytes(&fs::read(&path).unwrap(), &options);
        assert_eq!(report.diagnostics(), [], "{name}");
        count += 1;
    }
    assert!(count >= 13, "{count} modules");
}
