//! Says of each script on the command line what is wrong with it.

use std::process::ExitCode;

use spirvkit_diagnostics::Source;

fn main() -> ExitCode {
    let mut wrong = 0;
    for path in std::env::args().skip(1) {
        let text = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                eprintln!("{path}: {error}");
                return ExitCode::from(2);
            }
        };
        if let Err(errors) = spirvkit_amber::parse(&text) {
            wrong += 1;
            print!("{}", errors.render(&Source::new(&path, &text)));
        }
    }
    ExitCode::from(u8::from(wrong > 0))
}
