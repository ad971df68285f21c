//! Tests of the optimizer.

mod calls;
mod classic;
mod classic_all;
mod classic_amd;
mod classic_edges;
mod classic_loops;
mod classic_memory;
mod classic_resources;
mod control;
mod copies;
mod debug;
mod fast;
mod frame;
mod hostile;
mod kept;
mod memory;
mod recipes;
mod rules;
mod unrolling;
mod values;
mod whole;

#[test]
fn nothing_is_lost() {
    let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n";
    let words = spirvkit_text::assemble(text, &Default::default())
        .unwrap()
        .words;
    let optimized = spirvkit_opt::optimize(&words, &Default::default()).unwrap();
    assert_eq!(optimized.words, words);
}
