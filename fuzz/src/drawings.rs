//! Drawings of modules, whatever these are.

use spirvkit::cfg::{Program, dot, html, json};
use spirvkit::words_from_bytes;

use crate::{RECIPE, mutate};

/// A module follows a recipe of [`RECIPE`] bytes for changes to it. What is drawn of its
/// functions holds every block once, and no more markup than it should.
pub fn drawn_module(bytes: &[u8]) {
    let Some((recipe, module)) = bytes.split_at_checked(RECIPE) else {
        return;
    };
    if let Ok((words, _)) = words_from_bytes(module) {
        draw_words(&mutate(&words, recipe));
    }
}

/// The same with words.
pub fn draw_words(words: &[u32]) {
    let Ok(program) = Program::new(words) else {
        return;
    };
    let mut blocks = 0;
    for function in &program.functions {
        let count = function.blocks.len();
        blocks += count;
        let mut order = function.order.clone();
        order.sort_unstable();
        assert!(order.into_iter().eq(0..count as u32), "each block once");
        for edge in &function.edges {
            let ends = [edge.from, edge.to].map(|node| node as usize);
            assert!(ends.iter().all(|&end| end < count), "edges join blocks");
        }
        for (index, region) in function.regions.iter().enumerate() {
            let parent = region.parent.map_or(0, |parent| parent as usize + 1);
            assert!(parent <= index, "what is around comes before");
        }
    }
    let functions = program.functions.len();
    let page = html(&program, "module", false);
    assert_eq!(page.matches("<article ").count(), blocks);
    assert_eq!(page.matches("<section ").count(), functions);
    assert_eq!(page.matches("</script").count(), functions + 1);
    assert_eq!(page, html(&program, "module", false));
    assert!(dot(&program).ends_with('\n') || functions == 0);
    assert!(json(&program).starts_with("{\"version\":"));
}
