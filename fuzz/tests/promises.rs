//! The fuzz targets on the repository's own samples and on pseudo-random
//! mutations of them: no search, but the same every time. `SPIRVKIT_THOROUGH=1` takes
//! eight times as many.

use std::fs;
use std::path::{Path, PathBuf};

use spirvkit::{AssembleOptions, Endianness};

/// How many of so many rounds to go: an eighth, unless the environment asks for all.
fn rounds(all: usize) -> std::ops::Range<usize> {
    match std::env::var_os("SPIRVKIT_THOROUGH") {
        Some(_) => 0..all,
        None => 0..all.div_ceil(8),
    }
}

/// A xorshift generator: few lines, and the same numbers everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        match entry.path() {
            path if path.is_dir() => collect(&path, files),
            path => files.push(path),
        }
    }
}

/// The contents of the repository's samples and of the seeds.
fn samples() -> Vec<Vec<u8>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(&here.join("seeds"), &mut files);
    assert!(!files.is_empty(), "the seeds are gone");
    collect(&here.join("../samples"), &mut files);
    collect(&here.join("../crates/debuginfo/tests/samples"), &mut files);
    files.sort();
    let wanted = |path: &PathBuf| {
        path.extension()
            .is_some_and(|extension| extension == "spvasm" || extension == "spv")
    };
    files.retain(wanted);
    let read = |path: &PathBuf| fs::read(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    files.iter().map(read).collect()
}

/// The sample as a module, if it is one or the text of one.
fn module_of(sample: &[u8]) -> Option<Vec<u8>> {
    if spirvkit::words_from_bytes(sample).is_ok() {
        return Some(sample.to_vec());
    }
    let text = std::str::from_utf8(sample).ok()?;
    let module = spirvkit::assemble(text, &AssembleOptions::default()).ok()?;
    Some(module.to_bytes(Endianness::Little))
}

fn check_module(bytes: &[u8]) {
    spirvkit_fuzz::decode(bytes);
    spirvkit_fuzz::disassemble_then_assemble(bytes);
    spirvkit_fuzz::lenient_round_trip(bytes);
    spirvkit_fuzz::validate(bytes);
}

/// Changes a few bytes of a module, sparing the header, or some of its words'
/// order.
fn mutate_module(module: &mut Vec<u8>, random: &mut Random) {
    const HEADER: usize = 20;
    for _ in 0..=random.below(4) {
        if module.len() <= HEADER {
            return;
        }
        let at = HEADER + random.below(module.len() - HEADER);
        let word = at & !3;
        match random.below(6) {
            0 => module[at] ^= 1 << random.below(8),
            1 => module[at] = random.next() as u8,
            2 => module[word..word + 4].copy_from_slice(&(random.below(40) as u32).to_le_bytes()),
            3 => drop(module.drain(word..word + 4)),
            4 => module.truncate(word),
            _ => {
                let from = (HEADER + random.below(module.len() - HEADER)) & !3;
                module.copy_within(from..from + 4, word);
            }
        }
    }
}

fn mutate_text(text: &mut Vec<u8>, random: &mut Random) {
    const BYTES: &[u8] = b"%=!\"\\|;:(),.-+0x19aeOp \n\t\xff";
    for _ in 0..=random.below(4) {
        let at = random.below(text.len());
        let byte = BYTES[random.below(BYTES.len())];
        match random.below(4) {
            _ if text.is_empty() => return,
            0 => text[at] = byte,
            1 => text.insert(at, byte),
            2 => drop(text.drain(at..(at + 1 + random.below(8)).min(text.len()))),
            _ => text.truncate(at),
        }
    }
}

#[test]
fn samples_keep_the_promises() {
    for sample in samples() {
        spirvkit_fuzz::assemble(&sample);
        if let Some(module) = module_of(&sample) {
            check_module(&module);
        }
    }
}

#[test]
fn mutated_modules_keep_the_promises() {
    let modules: Vec<Vec<u8>> = samples()
        .iter()
        .filter_map(|sample| module_of(sample))
        .collect();
    assert!(!modules.is_empty(), "no sample is a module");
    let mut random = Random(0x5370_6972_7600_0001);
    for _ in rounds(1500) {
        let mut module = modules[random.below(modules.len())].clone();
        mutate_module(&mut module, &mut random);
        check_module(&module);
    }
}

#[test]
fn mutated_texts_keep_the_promises() {
    let samples = samples();
    let texts: Vec<&Vec<u8>> = samples
        .iter()
        .filter(|sample| std::str::from_utf8(sample).is_ok())
        .collect();
    let mut random = Random(0x5370_6972_7600_0002);
    for _ in rounds(1500) {
        let mut text = texts[random.below(texts.len())].clone();
        mutate_text(&mut text, &mut random);
        spirvkit_fuzz::assemble(&text);
    }
}

#[test]
fn random_bytes_keep_the_promises() {
    let mut random = Random(0x5370_6972_7600_0003);
    for _ in rounds(2000) {
        let length = random.below(64);
        let bytes = random.bytes(length);
        spirvkit_fuzz::assemble(&bytes);
        check_module(&bytes);
        // The same with a header in front, in either byte order.
        for header in [[3, 2, 0x23, 7, 0, 6, 1, 0], [7, 0x23, 2, 3, 0, 1, 6, 0]] {
            let mut module = header.to_vec();
            module.extend_from_slice(&[0; 12]);
            module.extend_from_slice(&bytes[..bytes.len() & !3]);
            check_module(&module);
        }
    }
}

#[test]
fn plausible_modules_keep_the_promises() {
    let mut random = Random(0x5370_6972_7600_0004);
    for _ in rounds(1000) {
        let length = random.below(400);
        spirvkit_fuzz::plausible_module(&random.bytes(length));
    }
}

#[test]
fn plausible_texts_keep_the_promises() {
    let mut random = Random(0x5370_6972_7600_0005);
    for _ in rounds(2000) {
        let length = random.below(500);
        spirvkit_fuzz::plausible_text(&random.bytes(length));
    }
}

#[test]
fn validation_keeps_its_promises_on_changed_samples() {
    let mut random = Random(0x005e_ed0f_c4a2_9e55);
    for module in samples().iter().filter_map(|sample| module_of(sample)) {
        let (words, _) = spirvkit::words_from_bytes(&module).unwrap();
        for _ in rounds(60) {
            let length = 8 + random.below(24);
            let recipe = random.bytes(length);
            spirvkit_fuzz::validate_words(&spirvkit_fuzz::mutate(&words, &recipe));
        }
    }
}

#[test]
fn changes_do_something_and_are_the_same_each_time() {
    let mut random = Random(77);
    let module = samples()
        .iter()
        .find_map(|sample| module_of(sample))
        .unwrap();
    let (words, _) = spirvkit::words_from_bytes(&module).unwrap();
    let mut changed = 0;
    for _ in 0..200 {
        let recipe = random.bytes(12);
        let mutated = spirvkit_fuzz::mutate(&words, &recipe);
        assert_eq!(mutated, spirvkit_fuzz::mutate(&words, &recipe));
        changed += usize::from(mutated != words);
    }
    assert!(
        changed > 150,
        "only {changed} of 200 recipes changed the module"
    );
}

#[test]
fn owned_modules_keep_their_promises() {
    let mut random = Random(0x00ed_17ed_c0de_0001);
    for module in samples().iter().filter_map(|sample| module_of(sample)) {
        spirvkit_fuzz::load_module(&module);
        let (words, _) = spirvkit::words_from_bytes(&module).unwrap();
        for _ in rounds(100) {
            let length = 8 + random.below(200);
            let recipe = random.bytes(length);
            spirvkit_fuzz::edit_words(&words, &recipe);
            spirvkit_fuzz::load_words(&spirvkit_fuzz::mutate(&words, &recipe));
        }
    }
}

#[test]
fn transformations_keep_their_promises() {
    let mut random = Random(0x007a_45f0_42ed_0001);
    for module in samples().iter().filter_map(|sample| module_of(sample)) {
        let (words, _) = spirvkit::words_from_bytes(&module).unwrap();
        for _ in rounds(60) {
            let length = 8 + random.below(56);
            let recipe = random.bytes(length);
            spirvkit_fuzz::specialize_words(&words, &recipe);
            spirvkit_fuzz::link_words(&words, &recipe);
            spirvkit_fuzz::stage_words(&words, &recipe);
            spirvkit_fuzz::reduce_words(&spirvkit_fuzz::mutate(&words, &recipe));
        }
    }
}

#[test]
fn drawings_keep_their_promises() {
    let mut random = Random(0x00d0_a3c0_de00_0001);
    for module in samples().iter().filter_map(|sample| module_of(sample)) {
        let (words, _) = spirvkit::words_from_bytes(&module).unwrap();
        spirvkit_fuzz::draw_words(&words);
        for _ in rounds(40) {
            let length = 8 + random.below(56);
            let recipe = random.bytes(length);
            spirvkit_fuzz::draw_words(&spirvkit_fuzz::mutate(&words, &recipe));
        }
    }
}

#[test]
fn debug_information_keeps_its_promises() {
    let mut random = Random(0x00de_b061_4f0c_0001);
    for module in samples().iter().filter_map(|sample| module_of(sample)) {
        let (words, _) = spirvkit::words_from_bytes(&module).unwrap();
        spirvkit_fuzz::debug_information_of_words(&words);
        for _ in rounds(100) {
            let length = 8 + random.below(56);
            let recipe = random.bytes(length);
            let mutated = spirvkit_fuzz::mutate(&words, &recipe);
            spirvkit_fuzz::debug_information_of_words(&mutated);
            spirvkit_fuzz::dwarf_of_words(&mutated);
            spirvkit_fuzz::convert_debug_information(&words, &recipe);
        }
    }
}

#[test]
fn comparisons_keep_their_promises() {
    let mut random = Random(0x00d1_ff0f_0dd5_0001);
    let modules: Vec<Vec<u8>> = samples().iter().filter_map(|it| module_of(it)).collect();
    for module in &modules {
        let (words, _) = spirvkit::words_from_bytes(module).unwrap();
        for _ in rounds(60) {
            let length = 4 + random.below(28);
            spirvkit_fuzz::compare_words(&words, &random.bytes(length));
        }
        // Anything may be compared with anything.
        let other = &modules[random.below(modules.len())];
        let (other, _) = spirvkit::words_from_bytes(other).unwrap();
        spirvkit_fuzz::verify_diff(&words, &other, &Default::default());
    }
}

#[test]
fn rearranged_samples_are_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    let mut files = Vec::new();
    collect(&folder, &mut files);
    let mut count = 0;
    for file in files {
        let Some(module) = module_of(&fs::read(&file).unwrap()) else {
            continue;
        };
        let (words, _) = spirvkit::words_from_bytes(&module).unwrap();
        for seed in 0..rounds(20).end as u64 {
            let other = spirvkit_fuzz::rearranged(&words, seed).unwrap();
            assert_ne!(words, other);
            let diff = spirvkit_fuzz::verify_diff(&words, &other, &Default::default()).unwrap();
            let text = diff.to_text(&Default::default());
            assert!(diff.is_empty(), "{}, {seed}:\n{text}", file.display());
            count += 1;
        }
    }
    assert!(count > 0, "there are no samples");
}

#[test]
fn reflection_keeps_its_promises() {
    let mut random = Random(0x0000_5ee1_2345_0001);
    for module in samples().iter().filter_map(|sample| module_of(sample)) {
        for _ in rounds(100) {
            let mut bytes = random.bytes(spirvkit_fuzz::RECIPE);
            bytes.extend_from_slice(&module);
            spirvkit_fuzz::reflected_module(&bytes);
            spirvkit_fuzz::executed_module(&bytes);
        }
    }
    for _ in rounds(300) {
        let length = random.below(400);
        spirvkit_fuzz::reflect_any(&spirvkit_fuzz::module_from(&random.bytes(length)));
    }
}

/// Gives each target samples with recipes for changes.
fn with_recipes(seed: u64, all: usize, targets: &[fn(&[u8])]) {
    let mut random = Random(seed);
    for module in samples().iter().filter_map(|sample| module_of(sample)) {
        for _ in rounds(all) {
            let mut bytes = random.bytes(spirvkit_fuzz::RECIPE);
            bytes.extend_from_slice(&module);
            targets.iter().for_each(|target| target(&bytes));
        }
    }
}

#[test]
fn instructions_and_reports_are_shown_in_order() {
    let targets: &[fn(&[u8])] = &[
        spirvkit_fuzz::shown_instructions,
        spirvkit_fuzz::validated_text,
    ];
    with_recipes(0x0005_4034_e1ed_0001, 60, targets);
}

#[test]
fn layouts_are_compared_in_order() {
    with_recipes(0x1a40_0700_0001, 60, &[spirvkit_fuzz::compared_layouts]);
}

#[test]
fn modules_are_merged_and_split_in_order() {
    let targets: &[fn(&[u8])] = &[spirvkit_fuzz::merged_modules, spirvkit_fuzz::split_module];
    with_recipes(0x003e_49e5_0001, 60, targets);
}

#[test]
fn positions_and_bindings_agree() {
    with_recipes(
        0x0b14_d145_0001,
        100,
        &[spirvkit_fuzz::positions_and_bindings],
    );
}

#[test]
fn built_modules_keep_their_promises() {
    let mut random = Random(0x0b01_1de4_0000_0001);
    for _ in rounds(20_000) {
        let length = random.below(300);
        spirvkit_fuzz::built_module(&random.bytes(length));
    }
}

/// Scripts of both languages, with changes.
#[test]
fn scripts_run_in_order() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    let mut random = Random(0x0a3b_e450_0001);
    for name in ["numbers.amber", "numbers.vkscript"] {
        let text = fs::read_to_string(seeds.join(name)).unwrap();
        spirvkit::amber::parse(&text).unwrap_or_else(|errors| panic!("{name}: {errors}"));
        let verdict = spirvkit_fuzz::run_script_text(&text);
        assert_eq!(verdict, Some(spirvkit::amber::Verdict::Passed), "{name}");
        for _ in rounds(400) {
            let mut bytes = random.bytes(spirvkit_fuzz::RECIPE);
            bytes.extend_from_slice(text.as_bytes());
            spirvkit_fuzz::amber_script(&bytes);
        }
    }
}

#[test]
fn kernels_take_any_arguments() {
    with_recipes(0x0004_e43e_1000_0001, 60, &[spirvkit_fuzz::executed_kernel]);
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    let mut random = Random(0x0004_e43e_1000_0002);
    for name in ["pipes.spvasm", "enqueue.spvasm"] {
        let text = fs::read_to_string(seeds.join(name)).unwrap();
        let assembled = spirvkit::text::assemble(&text, &Default::default());
        let module = assembled.unwrap_or_else(|errors| panic!("{name}: {errors}"));
        for _ in rounds(400) {
            let mut bytes = random.bytes(spirvkit_fuzz::RECIPE);
            bytes.extend(module.words.iter().flat_map(|word| word.to_le_bytes()));
            spirvkit_fuzz::executed_kernel(&bytes);
        }
    }
}

#[test]
fn programs_without_races_have_none_reported() {
    let mut random = Random(0x0000_4ace_0000_0001);
    for _ in rounds(60) {
        let length = 20 + random.below(400);
        spirvkit_fuzz::raced_program(&random.bytes(length));
    }
}

#[test]
fn runs_are_among_what_exploration_finds() {
    let mut random = Random(0x00e4_9104_0000_0001);
    for _ in rounds(120) {
        spirvkit_fuzz::explored_program(&random.bytes(64));
    }
}

/// Programs of all lengths.
#[test]
fn executed_programs() {
    let mut random = Random(99);
    for _ in rounds(150) {
        let length = 20 + random.below(600);
        spirvkit_fuzz::executed_program(&random.bytes(length));
    }
}

#[test]
fn optimized_modules_keep_their_promises() {
    with_recipes(
        0x000b_7141_3e00_0001,
        100,
        &[spirvkit_fuzz::optimized_module],
    );
    let mut random = Random(0x000b_7141_3e00_0002);
    for _ in rounds(1000) {
        let length = random.below(400);
        spirvkit_fuzz::optimize_words(&spirvkit_fuzz::module_from(&random.bytes(length)));
    }
}

#[test]
fn passes_keep_their_promises_in_any_order() {
    with_recipes(0x000b_7141_3e00_0004, 20, &[spirvkit_fuzz::passed_module]);
    let mut random = Random(0x000b_7141_3e00_0005);
    for _ in rounds(200) {
        let length = 28 + random.below(600);
        spirvkit_fuzz::passed_program(&random.bytes(length));
    }
}

/// Programs of all lengths.
#[test]
fn optimized_programs_give_the_same() {
    let mut random = Random(0x000b_7141_3e00_0003);
    for _ in rounds(200) {
        let length = 20 + random.below(600);
        spirvkit_fuzz::optimized_program(&random.bytes(length));
    }
}
