//! Runs a shader that doubles numbers, on as many as there are and on one too few.

use spirvkit_interp::Run;

const SHADER: &str = include_str!("../samples/double.spvasm");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words = spirvkit_text::assemble(SHADER, &Default::default())?.words;
    for numbers in [&[1.0f32, 2.0, 3.0, 4.0][..], &[1.0, 2.0, 3.0]] {
        let out = Run::new(&words)
            .storage(0, 0, numbers)
            .dispatch([1, 1, 1])?;
        println!("{numbers:?} -> {:?}", out.read::<f32>(0, 0));
        for finding in &out.findings {
            println!("{finding}");
        }
    }
    Ok(())
}
