//! What is read of functions, and that the drawings hold all of it, whatever is in it.

use std::collections::HashSet;

use proptest::prelude::*;
use spirvkit_cfg::{EdgeKind, Function, MAX_DEPTH, Program, RegionKind, dot, html, json};

const DECLARATIONS: &str = "
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"</script><b>\\\"&\"
    OpName %main \"main\"
    %file = OpString \"a</pre>.comp\"
    OpSource GLSL 450 %file \"line 1\nif (a < b && c) \\\"x\\\"\"
    %void = OpTypeVoid
    %function = OpTypeFunction %void
    %bool = OpTypeBool
    %true = OpConstantTrue %bool
    %int = OpTypeInt 32 1
    %one = OpConstant %int 1
    %main = OpFunction %void None %function
";

fn words(body: &str) -> Vec<u32> {
    spirvkit_testing::words(&format!("{DECLARATIONS}{body}\nOpFunctionEnd"))
}

fn program(body: &str) -> Program {
    Program::new(&words(body)).unwrap()
}

/// A loop that holds a switch, of which one case falls through, and one returns.
const LOOP: &str = "
    %entry = OpLabel
    OpBranch %head
    %head = OpLabel
    OpLoopMerge %after %next None
    OpBranchConditional %true %body %after
    %body = OpLabel
    OpLine %file 2 0
    OpSelectionMerge %join None
    OpSwitch %one %other -1 %first 2 %second 3 %second
    %first = OpLabel
    OpBranch %second
    %second = OpLabel
    OpBranch %join
    %other = OpLabel
    OpBranch %next
    %join = OpLabel
    OpBranch %next
    %next = OpLabel
    OpBranch %head
    %after = OpLabel
    OpReturn
    %lost = OpLabel
    OpBranch %after";

fn node(function: &Function, place: usize) -> u32 {
    assert!(place < function.blocks.len());
    place as u32
}

/// The kind and the label of the edge between two blocks.
fn edge(function: &Function, from: usize, to: usize) -> (EdgeKind, String) {
    let (from, to) = (node(function, from), node(function, to));
    let edges: Vec<_> = function
        .edges_of(from)
        .iter()
        .filter(|edge| edge.to == to)
        .collect();
    assert_eq!(edges.len(), 1, "{from} to {to}");
    (edges[0].kind, edges[0].label())
}

#[test]
fn edges_say_when_they_are_taken_and_what_they_mean() {
    let program = program(LOOP);
    let main = &program.functions[0];
    let label = |text: &str| text.to_owned();
    let [
        entry,
        head,
        body,
        first,
        second,
        other,
        join,
        next,
        after,
        lost,
    ] = std::array::from_fn(|place| place);
    assert_eq!(edge(main, entry, head), (EdgeKind::Forward, label("")));
    assert_eq!(edge(main, head, body), (EdgeKind::Forward, label("true")));
    assert_eq!(edge(main, head, after), (EdgeKind::Break, label("false")));
    assert_eq!(edge(main, body, first), (EdgeKind::Forward, label("-1")));
    assert_eq!(edge(main, body, second), (EdgeKind::Forward, label("2, 3")));
    assert_eq!(
        edge(main, body, other),
        (EdgeKind::Forward, label("default"))
    );
    assert_eq!(
        edge(main, first, second),
        (EdgeKind::FallThrough, label(""))
    );
    assert_eq!(edge(main, second, join), (EdgeKind::Merge, label("")));
    assert_eq!(edge(main, other, next), (EdgeKind::Continue, label("")));
    assert_eq!(edge(main, join, next), (EdgeKind::Continue, label("")));
    assert_eq!(edge(main, next, head), (EdgeKind::Back, label("")));
    assert_eq!(edge(main, lost, after), (EdgeKind::Forward, label("")));
    assert!(!main.blocks[lost].is_reachable && main.blocks[after].is_reachable);
}

#[test]
fn regions_lie_within_each_other() {
    let program = program(LOOP);
    let main = &program.functions[0];
    let kinds: Vec<_> = main.regions.iter().map(|it| (it.kind, it.parent)).collect();
    let expected = [
        (RegionKind::Loop, None),
        (RegionKind::Continue, Some(0)),
        (RegionKind::Switch, Some(0)),
        (RegionKind::Case, Some(2)),
        (RegionKind::Case, Some(2)),
        (RegionKind::Case, Some(2)),
    ];
    assert_eq!(kinds, expected);
    let titles: Vec<_> = main.regions.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(titles[3..], ["case default", "case -1", "case 2, 3"]);
    let of = |place: usize| main.blocks[place].region;
    assert_eq!([of(0), of(1), of(2)], [None, Some(0), Some(2)]);
    // The merge block of the switch, the continue target, and the merge block.
    assert_eq!([of(6), of(7), of(8)], [Some(0), Some(1), None]);
    let mut order = main.order.clone();
    order.sort_unstable();
    assert!(order.into_iter().eq(0..10));
}

#[test]
fn lines_of_source_come_with_instructions() {
    let program = program(LOOP);
    let sources: Vec<_> = program.functions[0]
        .blocks
        .iter()
        .flat_map(|block| &block.lines)
        .filter_map(|line| line.source.as_deref())
        .collect();
    // Only the last part of the path is shown.
    assert_eq!(sources, ["pre>.comp:2: if (a < b && c) \"x\""]);
}

#[test]
fn loops_that_nothing_declares_are_found() {
    let program = program(
        "%entry = OpLabel
        OpBranch %head
        %head = OpLabel
        OpBranchConditional %true %body %after
        %body = OpLabel
        OpBranch %head
        %after = OpLabel
        OpReturn",
    );
    let main = &program.functions[0];
    assert_eq!(main.regions.len(), 1);
    assert_eq!(main.regions[0].kind, RegionKind::NaturalLoop);
    assert_eq!(main.blocks[2].region, Some(0));
    assert_eq!(main.blocks[3].region, None);
    assert_eq!(edge(main, 2, 1).0, EdgeKind::Back);
}

#[test]
fn a_block_that_continues_to_itself_is_one_loop() {
    let program = program(
        "%entry = OpLabel
        OpBranch %head
        %head = OpLabel
        OpLoopMerge %after %head None
        OpBranchConditional %true %head %after
        %after = OpLabel
        OpReturn",
    );
    let main = &program.functions[0];
    assert_eq!(main.regions.len(), 1);
    assert_eq!(main.blocks[1].region, Some(0));
    assert_eq!(edge(main, 1, 1), (EdgeKind::Back, "true".to_owned()));
}

/// Selections within selections.
fn nested(depth: usize) -> String {
    let mut body = "%b0 = OpLabel\n".to_owned();
    for level in 0..depth {
        let next = level + 1;
        body += &format!(
            "OpSelectionMerge %m{level} None\nOpBranchConditional %true %b{next} %m{level}\n%b{next} = OpLabel\n"
        );
    }
    body += "OpReturn\n";
    for level in (0..depth).rev() {
        body += &format!("%m{level} = OpLabel\nOpReturn\n");
    }
    body
}

#[test]
fn nesting_has_a_limit() {
    let program = program(&nested(3_000));
    let main = &program.functions[0];
    assert_eq!(main.blocks.len(), 6_001);
    assert_eq!(main.regions.len(), MAX_DEPTH as usize);
    let deepest = main.regions.iter().map(|region| region.depth).max();
    assert_eq!(deepest, Some(MAX_DEPTH));
    check(&program);
}

#[test]
fn functions_are_found_by_name_and_id() {
    let mut program = program(LOOP);
    program.functions[0].id = spirvkit_binary::Id(77);
    for name in ["main", "%main", "77", "%77", "</script><b>\"&"] {
        assert_eq!(program.find(name), [0], "{name}");
    }
    assert!(program.find("mai").is_empty());
}

/// The values of an attribute.
fn attributes<'p>(page: &'p str, name: &str) -> Vec<&'p str> {
    let start = format!(" {name}=\"");
    let pieces = page.split(start.as_str()).skip(1);
    pieces
        .map(|rest| &rest[..rest.find('"').unwrap()])
        .collect()
}

/// Goes through a page and returns its text; panics where tags are not paired.
fn text_of(page: &str) -> String {
    const SINGLE: &[&str] = &["meta", "input", "br", "!DOCTYPE", "path"];
    let mut open: Vec<&str> = Vec::new();
    let mut text = String::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        text += &rest[..start];
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        let name = tag.split([' ', '\n']).next().unwrap();
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if SINGLE.contains(&name) => {}
            None => {
                assert!(name.chars().all(|c| c.is_ascii_alphanumeric()), "<{tag}>");
                open.push(name);
                // What is in these is not text.
                if name == "script" || name == "style" {
                    let end = rest.find("</").unwrap();
                    assert!(rest[end + 2..].starts_with(name), "{name} is ended early");
                    rest = &rest[end..];
                }
            }
        }
    }
    assert!(open.is_empty(), "{open:?}");
    text
}

/// What holds of all drawings.
fn check(program: &Program) {
    let page = html(program, "<i>\"&' title", false);
    let ids = attributes(&page, "id");
    let unique: HashSet<_> = ids.iter().collect();
    assert_eq!(ids.len(), unique.len(), "ids are unique");
    let text = text_of(&page);
    assert!(text.contains("&lt;i&gt;&quot;&amp;&#39; title"));
    for (number, function) in program.functions.iter().enumerate() {
        for node in 0..function.blocks.len() {
            let id = format!("f{number}-b{node}");
            assert!(unique.contains(&id.as_str()), "{id}");
        }
    }
    let blocks: usize = program.functions.iter().map(|it| it.blocks.len()).sum();
    assert_eq!(page.matches("<article ").count(), blocks);
    for link in attributes(&page, "href") {
        let target = link.strip_prefix('#').expect("links stay on the page");
        assert!(unique.contains(&target), "{link}");
    }

    let graphs = dot(program);
    assert_eq!(
        graphs.matches("\ndigraph ").count() + 1,
        program.functions.len().max(1)
    );
    let value: serde_json::Value = serde_json::from_str(&json(program)).unwrap();
    let functions = value["functions"].as_array().unwrap();
    assert_eq!(functions.len(), program.functions.len());
    // Quotes and brackets outside of strings are paired.
    let (mut is_string, mut is_escaped, mut depth) = (false, false, 0);
    for byte in graphs.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            b'{' if !is_string => depth += 1,
            b'}' if !is_string => depth -= 1,
            _ => {}
        }
    }
    assert_eq!((is_string, depth), (false, 0));
}

#[test]
fn hostile_text_stays_text() {
    let program = program(LOOP);
    assert_eq!(
        program.functions[0].entry_points,
        ["GLCompute \"</script><b>\"&\""]
    );
    check(&program);
    let page = html(&program, "", false);
    assert!(page.contains("&lt;/script&gt;&lt;b&gt;"));
    assert!(!page.contains("<b>"));
}

#[test]
fn what_is_no_module_is_refused() {
    assert!(Program::new(&[1, 2, 3]).is_err());
    assert_eq!(program("").functions, []);
    check(&program(""));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_branches_can_be_drawn(
        blocks in prop::collection::vec((0u32..4, 0u32..9, 0u32..9, 0u32..9, 0u32..9), 1..9)
    ) {
        let count = blocks.len() as u32;
        let mut body = String::new();
        for (place, (kind, to, other, merge, next)) in blocks.iter().enumerate() {
            let [to, other, merge, next] = [to, other, merge, next].map(|node| node % count);
            body += &format!("%b{place} = OpLabel\n");
            body += &match kind {
                0 => format!("OpBranch %b{to}\n"),
                1 => format!("OpSelectionMerge %b{merge} None\nOpBranchConditional %true %b{to} %b{other}\n"),
                2 => format!("OpLoopMerge %b{merge} %b{next} None\nOpBranchConditional %true %b{to} %b{other}\n"),
                _ => format!("OpSelectionMerge %b{merge} None\nOpSwitch %one %b{to} 1 %b{other} 2 %b{next}\n"),
            };
        }
        let program = program(&body);
        let main = &program.functions[0];
        prop_assert_eq!(main.order.len(), main.blocks.len());
        for region in &main.regions {
            let parent = region.parent.map(|parent| &main.regions[parent as usize]);
            prop_assert_eq!(region.depth, parent.map_or(0, |parent| parent.depth) + 1);
        }
        check(&program);
    }
}
