//! The shapes of modules that name large things often.

use spirvkit::binary::Module;
use spirvkit::bytes_from_words;
use spirvkit_fuzz::shapes::{Shape, Side};

#[test]
fn shapes_have_their_size_and_can_be_decoded() {
    for shape in Shape::all() {
        for (bytes, side) in [(1 << 12, Side::First), (1 << 16, Side::Second)] {
            let words = shape.words(bytes, side);
            let size = words.len() * 4;
            assert!(
                (bytes / 2..bytes * 3 / 2).contains(&size),
                "{}: {size} bytes for {bytes}",
                shape.name
            );
            assert_eq!(words, shape.words(bytes, side), "{}", shape.name);
            spirvkit_fuzz::decode_words(&words);
            let module = Module::new(&words).unwrap();
            assert!(module.instructions().all(|it| it.is_ok()), "{}", shape.name);
        }
    }
}

#[test]
fn shapes_are_called_differently() {
    let mut names: Vec<&str> = Shape::all().map(|shape| shape.name).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn shapes_keep_the_promises() {
    for shape in Shape::all() {
        let words = shape.words(2000, Side::First);
        spirvkit_fuzz::lenient_round_trip(&bytes_from_words(&words, spirvkit::Endianness::Little));
        spirvkit_fuzz::validate_words(&words);
        spirvkit_fuzz::load_words(&words);
        spirvkit_fuzz::optimize_words(&words);
        spirvkit_fuzz::draw_words(&words);
        spirvkit_fuzz::debug_information_of_words(&words);
        spirvkit_fuzz::reflect_any(&words);
    }
}
