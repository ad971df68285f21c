//! Makes modules anew with the builder, every instruction by the method of its opcode,
//! and tells which of them don't come out the same but for the numbers of ids:
//! `cargo run -p spirvkit-ir --example rebuild -- FILES`.

use std::process::ExitCode;

#[path = "../tests/rebuild/rebuilder.rs"]
mod rebuilder;

fn main() -> ExitCode {
    let mut failed = 0;
    for path in std::env::args().skip(1) {
        let words = std::fs::read(&path).map(|bytes| spirvkit_binary::words_from_bytes(&bytes));
        let Ok(Ok((words, _))) = words else {
            eprintln!("{path}: no module");
            failed += 1;
            continue;
        };
        match std::panic::catch_unwind(|| rebuilder::check(&words)) {
            Ok(count) => println!("{path}: {count} instructions, the same"),
            Err(_) => {
                println!("{path}: not the same");
                failed += 1;
            }
        }
    }
    match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
