//! Programs made at random, whose results the specification determines.

use spirvkit::interp::Run;
use spirvkit_fuzz::{PROGRAM_GROUPS, program_buffers, program_text};
use spirvkit_lavapipe::{Driver, Job, Offers};

use crate::compare::Compared;
use crate::needs;

/// What the names of these start with; a number follows.
pub(crate) const PREFIX: &str = "random:";

/// Instructions that a program may take here.
const STEPS: u64 = 1 << 24;

/// Compares what one leaves.
pub(crate) fn compare(driver: &Driver, name: &str) -> Compared {
    let mut compared = Compared::default();
    let text = text(driver, name);
    let done = spirvkit::assemble(&text, &Default::default())
        .map_err(|errors| errors.to_string())
        .and_then(
            |module| match needs::lacking(&driver.offers, &module.words) {
                Some(lacking) => Err(format!("the driver lacks {lacking}")),
                None => run(driver, &module.words, &mut compared),
            },
        );
    if let Err(why) = done {
        compared.skip(why);
    }
    compared
}

/// The program of a name: from a number, or from a file with a program that was changed.
pub(crate) fn text(driver: &Driver, name: &str) -> String {
    let rest = name.strip_prefix(PREFIX).unwrap_or_default();
    match rest.parse() {
        Ok(seed) => within(&driver.offers, &program_text(&recipe(seed))),
        Err(_) => std::fs::read_to_string(rest).unwrap_or_default(),
    }
}

/// What makes signs of zeros and roundings the same.
const FLOATS: &str = "\
OpCapability SignedZeroInfNanPreserve
OpCapability RoundingModeRTE
";
const FLOAT_MODES: &str = "\
OpExecutionMode %main SignedZeroInfNanPreserve 16
OpExecutionMode %main SignedZeroInfNanPreserve 32
OpExecutionMode %main RoundingModeRTE 16
OpExecutionMode %main RoundingModeRTE 32
";

/// The text without the promise of reconvergence, which older drivers don't know but keep where
/// it matters, and without a capability that nothing in it uses.
fn within(offers: &Offers, text: &str) -> String {
    let knows = offers
        .extensions
        .contains("VK_KHR_shader_maximal_reconvergence");
    let is_clustered = text.contains("ClusteredReduce");
    let lines = text.lines().filter(|line| {
        let is_promise = line.contains("maximal_reconvergence") || line.contains("Maximally");
        let is_unused = line.ends_with("GroupNonUniformClustered") && !is_clustered;
        !(is_promise && !knows || is_unused)
    });
    let lines = lines.flat_map(|line| {
        let more = match line {
            "OpCapability Shader" => FLOATS,
            "OpExecutionMode %main LocalSize 32 1 1" => FLOAT_MODES,
            _ => "",
        };
        [exact(line), more.to_owned()]
    });
    lines.collect()
}

/// A line, with another operation of as many operands where results may differ: where Vulkan
/// bounds their error instead of determining them, or leaves them open for negative operands.
fn exact(line: &str) -> String {
    let mut line = line.to_owned();
    for name in ["Sin", "Cos", "Exp2", "Atan", "Tanh", "Sqrt"] {
        line = line.replace(&format!("%glsl {name} "), "%glsl FAbs ");
    }
    for (from, to) in [
        ("OpFDiv ", "OpFMul "),
        ("OpFRem ", "OpFAdd "),
        ("OpFMod ", "OpFAdd "),
        ("OpSRem ", "OpUMod "),
        ("OpSMod ", "OpUMod "),
    ] {
        line = line.replace(from, to);
    }
    // The bits of a NaN are anybody's, and so are signs of zeros of `NMin` and `NMax`.
    if let Some((result, float)) = line.split_once(" = OpBitcast %u32 ") {
        return format!(
            "{result}_bits = OpBitcast %u32 {float}\n\
             {result}_size = OpBitwiseAnd %u32 {result}_bits %positive\n\
             {result}_zero = OpIEqual %bool {result}_size %u0\n\
             {result}_nan = OpUGreaterThan %bool {result}_size %infinity\n\
             {result}_any = OpLogicalOr %bool {result}_zero {result}_nan\n\
             {result} = OpSelect %u32 {result}_any %u0 {result}_bits\n"
        );
    }
    if line.starts_with("%positive = ") {
        line.push_str("\n%infinity = OpConstant %u32 0x7f800000");
    }
    if line.contains("%glsl Fma ") {
        line = line.replace("OpExtInst %f32 %glsl Fma ", "OpFAdd %f32 ");
        line = line.replace(" %third", "");
    }
    line.push('\n');
    line
}

fn run(driver: &Driver, words: &[u32], compared: &mut Compared) -> Result<(), String> {
    let mut here = Run::new(words)
        .subgroup_size(driver.subgroup_size())
        .max_steps(STEPS)
        .race(true);
    let mut job = Job {
        words,
        entry: "main",
        groups: [PROGRAM_GROUPS, 1, 1],
        ..Job::default()
    };
    for (binding, buffer) in (0..).zip(program_buffers()) {
        here = here.storage(0, binding, &buffer);
        let bytes = buffer.iter().flat_map(|word| word.to_le_bytes());
        job = job.storage(0, binding, bytes.collect());
    }
    let outcome = here.dispatch([PROGRAM_GROUPS, 1, 1]);
    let outcome = outcome.map_err(|errors| errors.to_string())?;
    if let Some(finding) = outcome.findings.first() {
        return Err(format!("undefined here: {}", finding.rule()));
    }
    let results = driver.run(&job);
    let results = results.map_err(|error| format!("the driver: {error}"))?;
    for ((it, memory), theirs) in job
        .descriptors
        .iter()
        .zip(&job.memories)
        .zip(&results.memories)
    {
        // A program may leave alone what is bound.
        let ours = outcome.element(0, it.binding, 0);
        let ours = ours.unwrap_or_else(|| memory.bytes());
        compared.compare(format!("0:{}", it.binding), ours, theirs);
    }
    compared.runs = 1;
    Ok(())
}

/// Bytes that depend on nothing but a number.
fn recipe(seed: u64) -> Vec<u8> {
    let mut state = seed;
    // Splitmix64.
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    };
    let words = 8 + next() % 120;
    (0..words).flat_map(|_| next().to_le_bytes()).collect()
}
