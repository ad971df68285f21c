//! Files that are replaced, and links.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;

use crate::common::{Dir, TEXT, write_program};

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn nobody_else_can_read_a_private_file_while_it_is_replaced() {
    let dir = Dir::new();
    let line = format!("OpModuleProcessed \"{}\"\n", "x".repeat(250_000));
    dir.write("a.spvasm", line.repeat(60));
    dir.write("out/a.spv", "private");
    fs::set_permissions(dir.path("out/a.spv"), Permissions::from_mode(0o600)).unwrap();
    let mut child = dir
        .command(env!("CARGO_BIN_EXE_spv"))
        .args(["as", "a.spvasm", "-o", "out/a.spv"])
        .spawn()
        .unwrap();
    let mut seen = 0;
    while child.try_wait().unwrap().is_none() {
        for entry in fs::read_dir(dir.path("out")).unwrap() {
            // It may be gone by now.
            let Ok(metadata) = fs::symlink_metadata(entry.unwrap().path()) else {
                continue;
            };
            assert_eq!(metadata.permissions().mode() & 0o077, 0);
            seen += 1;
        }
    }
    assert!(seen > 1);
    assert!(child.wait().unwrap().success());
    assert_eq!(mode(&dir.path("out/a.spv")), 0o600);
    assert!(dir.read("out/a.spv").len() > 1_000_000);
}

#[test]
fn a_file_keeps_who_may_use_it_but_not_as_whom_it_runs() {
    let dir = Dir::new();
    dir.write("a.spvasm", TEXT);
    for (before, after) in [
        (0o644, 0o644),
        (0o666, 0o666),
        (0o4755, 0o755),
        (0o2775, 0o775),
        (0o6711, 0o711),
    ] {
        dir.write("a.spv", "something");
        fs::set_permissions(dir.path("a.spv"), Permissions::from_mode(before)).unwrap();
        assert_eq!(dir.spv(&["as", "a.spvasm", "-o", "a.spv"]).code, 0);
        assert_eq!(mode(&dir.path("a.spv")), after, "{before:o}");
        fs::remove_file(dir.path("a.spv")).unwrap();
    }
}

/// Who owns files may give them to any group only as the superuser.
#[test]
fn a_file_of_another_group_opens_to_nobody_new() {
    const GROUP: u32 = 54_321;
    const NOBODY: u32 = 65_534;
    let dir = Dir::new();
    dir.write("a.spvasm", TEXT);
    let owner = fs::metadata(dir.path("a.spvasm")).unwrap().uid();
    if owner != 0 {
        return;
    }
    // In a folder that anybody can get to.
    let open = std::env::temp_dir().join(format!("spv-group-{}", std::process::id()));
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
    let program = open.join("spv");
    write_program(&program, &fs::read(env!("CARGO_BIN_EXE_spv")).unwrap());
    let output = open.join("a.spv");
    for (user, before, after, group) in [
        (owner, 0o640, 0o640, GROUP),
        (owner, 0o4660, 0o660, GROUP),
        // Nobody may give a file to a group of others.
        (NOBODY, 0o640, 0o600, NOBODY),
        (NOBODY, 0o664, 0o644, NOBODY),
        (NOBODY, 0o600, 0o600, NOBODY),
    ] {
        let _ = fs::remove_file(&output);
        fs::write(&output, "something").unwrap();
        chown(&output, Some(user), Some(GROUP)).unwrap();
        fs::set_permissions(&output, Permissions::from_mode(before)).unwrap();
        let mut command = dir.command(&program);
        command
            .args(["as", "-", "-o"])
            .arg(&output)
            .current_dir("/");
        if user != owner {
            command.uid(user).gid(NOBODY);
        }
        let ran = crate::common::run(&mut command, TEXT.as_bytes());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let metadata = fs::metadata(&output).unwrap();
        assert_eq!(
            (metadata.uid(), metadata.gid(), mode(&output)),
            (user, group, after),
            "{before:o}"
        );
    }
    fs::remove_dir_all(open).unwrap();
}

#[test]
fn names_may_be_as_long_as_names_can_be() {
    let dir = Dir::new();
    dir.write("a.spvasm", TEXT);
    for length in [249, 255] {
        let name = format!("{}.spv", "x".repeat(length - 4));
        for _ in 0..2 {
            let ran = dir.spv(&["as", "a.spvasm", "-o", &name]);
            assert_eq!(ran.code, 0, "{}", ran.stderr);
        }
        assert_eq!(dir.files().iter().map(String::len).max(), Some(length));
    }
    assert_eq!(dir.files().len(), 3, "nothing else is left");
}

#[test]
fn a_file_that_may_not_become_so_large_is_an_error() {
    let dir = Dir::new();
    let line = format!("OpModuleProcessed \"{}\"\n", "x".repeat(250_000));
    dir.write("a.spvasm", line.repeat(10));
    let program = env!("CARGO_BIN_EXE_spv");
    let script = format!("ulimit -f 1; exec {program} as a.spvasm -o out/a.spv");
    fs::create_dir(dir.path("out")).unwrap();
    let ran = crate::common::run(dir.command("sh").args(["-c", &script]), b"");
    ran.fails(1, "out/a.spv");
    assert_eq!(dir.files(), ["a.spvasm"]);
}

const LINKS: [&str; 6] = [
    "bin/spirv-as",
    "bin/spirv-diff",
    "bin/spirv-dis",
    "bin/spirv-link",
    "bin/spirv-opt",
    "bin/spirv-val",
];

#[test]
fn links_to_other_programs_of_the_name_are_not_replaced() {
    let dir = Dir::new();
    dir.write("other/spv", "another program");
    for target in [dir.path("other/spv"), "/gone/spv.sh".into(), "spv".into()] {
        fs::create_dir_all(dir.path("bin")).unwrap();
        symlink(&target, dir.path("bin/spirv-dis")).unwrap();
        dir.spv(&["drop-in", "bin"]).fails(1, "--force");
        assert_eq!(fs::read_link(dir.path("bin/spirv-dis")).unwrap(), target);
        assert_eq!(
            fs::read_dir(dir.path("bin")).unwrap().count(),
            1,
            "all or none"
        );
        fs::remove_dir_all(dir.path("bin")).unwrap();
    }
}

#[test]
fn all_links_are_made_or_none() {
    let dir = Dir::new();
    dir.write("bin/spirv-as", "precious");
    dir.write("bin/spirv-val/in-the-way", "");
    let files = ["bin/spirv-as", "bin/spirv-val/in-the-way"];
    dir.spv(&["drop-in", "--force", "bin"])
        .fails(1, "directory");
    assert_eq!(dir.files(), files);
    assert_eq!(dir.read("bin/spirv-as"), b"precious");
    fs::remove_dir_all(dir.path("bin/spirv-val")).unwrap();
    assert_eq!(dir.spv(&["drop-in", "--force", "bin"]).code, 0);
    assert_eq!(dir.files(), LINKS, "and nothing else");
    for link in LINKS {
        assert!(dir.path(link).is_symlink());
    }
}
