//! `spv debug sources --extract`: files under names from strangers.

use crate::common::{Dir, Ran};

/// A module with sources of these names, each with a text that has its number.
fn module(names: &[&str]) -> String {
    let mut text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n".to_owned();
    for (number, name) in names.iter().enumerate() {
        let name = name.replace('\\', "\\\\").replace('"', "\\\"");
        text += &format!("%f{number} = OpString \"{name}\"\n");
    }
    for number in 0..names.len() {
        text += &format!("OpSource GLSL 450 %f{number} \"text {number}\"\n");
    }
    text
}

fn extract(dir: &Dir, names: &[&str], more: &[&str]) -> Ran {
    dir.write("a.spvasm", module(names));
    let mut arguments = vec!["debug", "sources", "--extract", "out", "a.spvasm"];
    arguments.extend(more);
    dir.spv(&arguments)
}

/// The files in the folder, without its name.
fn files(dir: &Dir) -> Vec<String> {
    let files = dir.files().into_iter();
    let inside = files.filter_map(|file| file.strip_prefix("out/").map(str::to_owned));
    inside.collect()
}

#[test]
fn whatever_files_are_called_they_come_to_be_in_the_folder() {
    let long = format!("{}/{}.comp", "d/".repeat(900), "n".repeat(900));
    for (name, file) in [
        ("src/a.comp", "src/a.comp"),
        ("../../../x", "x"),
        ("..\\..\\x", "x"),
        ("/etc/x", "etc/x"),
        ("//server/x", "server/x"),
        ("C:\\x\\y", "C_/x/y"),
        ("C:y", "C_y"),
        ("", "unnamed"),
        ("..", "unnamed"),
        ("x/", "x"),
        ("a\nb\u{1b}c\u{202e}d", "a_b_c_d"),
        (".git/hooks/post-checkout", "_git/hooks/post-checkout"),
        ("<stdin>", "_stdin_"),
        ("NUL", "_NUL"),
        ("aux.h", "_aux.h"),
        ("x. ", "x__"),
    ] {
        let dir = Dir::new();
        extract(&dir, &[name], &[]).text();
        assert_eq!(
            dir.files(),
            ["a.spvasm", &format!("out/{file}")],
            "{name:?}"
        );
    }
    let dir = Dir::new();
    let ran = extract(&dir, &[&long], &["--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(ran.text()).unwrap();
    let [file] = files(&dir).try_into().unwrap();
    assert!(file.ends_with(".comp") && file.len() < 300, "{file}");
    assert_eq!(json["files"][0]["written_to"], format!("out/{file}"));
}

#[test]
fn each_text_has_a_file_of_its_own() {
    let dir = Dir::new();
    let names = ["a", "/a", "a/b", "A", "x.h", "./x.h", "X.H/y"];
    extract(&dir, &names, &[]).text();
    let expected = [
        ("a.2", 0),
        ("a.3", 1),
        ("a/b", 2),
        ("A.4", 3),
        ("x.h.2", 4),
        ("x.h.3", 5),
        ("X.H/y", 6),
    ];
    for (name, number) in expected {
        assert_eq!(
            dir.read_text(&format!("out/{name}")),
            format!("text {number}"),
            "{name}"
        );
    }
    assert_eq!(files(&dir).len(), names.len());
}

#[test]
fn what_is_there_stays_unless_it_is_to_be_replaced() {
    let dir = Dir::new();
    dir.write("out/a/b", "mine");
    for _ in 0..2 {
        let ran = extract(&dir, &["x", "a/b", "y/z"], &[]);
        ran.fails(1, "out/a/b");
        assert!(ran.stderr.contains("io.write"), "{ran:?}");
        assert!(ran.stderr.contains("`--force` replaces"), "{ran:?}");
        assert_eq!(dir.read_text("out/a/b"), "mine");
        assert_eq!(files(&dir), ["a/b"], "all or none");
    }
    extract(&dir, &["x", "a/b", "y/z"], &["--force"]).text();
    assert_eq!(dir.read_text("out/a/b"), "text 1");
    assert_eq!(files(&dir), ["a/b", "x", "y/z"]);
    // A second time, all of them are there.
    let ran = extract(&dir, &["x", "a/b", "y/z"], &[]);
    ran.fails(1, "nor 2 files more");
    let ran = dir.spv(&["debug", "sources", "--force", "a.spvasm"]);
    ran.fails(2, "--extract");
}

#[test]
fn files_and_folders_are_no_substitutes_for_each_other() {
    let dir = Dir::new();
    dir.write("out/a/b", "mine");
    dir.write("out/file", "mine");
    for (names, place) in [(["x", "a"], "out/a"), (["x", "file/y"], "out/file/y")] {
        for more in [&[][..], &["--force"]] {
            extract(&dir, &names, more).fails(1, place);
            assert_eq!(files(&dir), ["a/b", "file"], "all or none");
        }
    }
}

#[cfg(unix)]
mod links {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(dir: &Dir, name: &str) -> u32 {
        let metadata = fs::symlink_metadata(dir.path(name)).unwrap();
        assert!(metadata.is_file(), "{name}");
        metadata.permissions().mode() & 0o7777
    }

    #[test]
    fn no_link_leads_out_of_the_folder() {
        let dir = Dir::new();
        dir.write("outside/config", "mine");
        fs::create_dir(dir.path("out")).unwrap();
        symlink("../outside", dir.path("out/folder")).unwrap();
        symlink("../outside/config", dir.path("out/file")).unwrap();
        symlink("../outside/new", dir.path("out/nowhere")).unwrap();
        let is_untouched = || {
            assert_eq!(fs::read_dir(dir.path("outside")).unwrap().count(), 1);
            assert_eq!(dir.read_text("outside/config"), "mine");
        };
        for name in ["folder/config", "folder/new", "folder/new/file"] {
            for more in [&[][..], &["--force"]] {
                extract(&dir, &["a", name], more).fails(1, &format!("out/{name}"));
                is_untouched();
                assert!(!dir.path("out/a").exists());
            }
        }
        for name in ["file", "nowhere"] {
            extract(&dir, &[name], &[]).fails(1, &format!("out/{name}"));
            is_untouched();
            // The link is replaced, not what it leads to.
            extract(&dir, &[name], &["--force"]).text();
            is_untouched();
            assert_eq!(mode(&dir, &format!("out/{name}")) & 0o111, 0);
        }
        // The folder itself is the user's choice.
        symlink("outside", dir.path("linked")).unwrap();
        let ran = dir.spv(&["debug", "sources", "--extract", "linked", "a.spvasm"]);
        ran.text();
        assert_eq!(dir.read_text("outside/nowhere"), "text 0");
    }

    #[test]
    fn no_mode_is_taken_over() {
        let dir = Dir::new();
        dir.write("out/hooks/run", "mine");
        let set =
            |mode| fs::set_permissions(dir.path("out/hooks/run"), Permissions::from_mode(mode));
        set(0o4755).unwrap();
        extract(&dir, &["hooks/run"], &[]).fails(1, "out/hooks/run");
        assert_eq!(mode(&dir, "out/hooks/run"), 0o4755);
        extract(&dir, &["hooks/run", "hooks/new"], &["--force"]).text();
        assert_eq!(mode(&dir, "out/hooks/run") & 0o7111, 0);
        assert_eq!(mode(&dir, "out/hooks/run"), mode(&dir, "out/hooks/new"));
    }

    #[test]
    fn what_was_made_goes_when_the_rest_cannot_be() {
        let dir = Dir::new();
        dir.write("out/b/mine", "mine");
        // Nothing is in the way there, but nobody may write a file as large.
        let large = "x".repeat(10_000);
        dir.write(
            "a.spvasm",
            module(&["a/x/y", "b/new"]).replace("text 1", &large),
        );
        let program = env!("CARGO_BIN_EXE_spv");
        let script = format!("ulimit -f 1; exec {program} debug sources --extract out a.spvasm");
        let ran = crate::common::run(dir.command("sh").args(["-c", &script]), b"");
        ran.fails(1, "out/b/new");
        assert_eq!(files(&dir), ["b/mine"]);
        assert!(!dir.path("out/a").exists());
    }
}
