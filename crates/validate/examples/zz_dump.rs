use spirvkit_text::{AssembleOptions, assemble, excerpts};
use spirvkit_validate::{rules, validate};
fn main() {
    for rule in rules() {
        let example = &rule.example;
        let env: spirvkit_grammar::TargetEnv = example.frame.environment().parse().unwrap();
        let text = example.breaking();
        let mut options = AssembleOptions::default().origins(true);
        if !text.starts_with("; SPIR-V") {
            options = options.target(env.version());
        }
        let module = assemble(&text, &options).unwrap();
        let report = validate(&module.words, &example.frame.options());
        for d in report.diagnostics() {
            let word = d.word_offset().unwrap_or(0);
            let quote = match module.origins.span(word) {
                Some(s) => text[s.start..s.end].to_owned(),
                None => excerpts(&module.words, &[word])[0].text.clone(),
            };
            let what = d
                .operand()
                .and_then(|w| module.origins.operand(&text, w))
                .map(|s| &text[s.start..s.end]);
            println!(
                "{:?} {}\t{}\n\t{}\n\t=> {}",
                d.severity(),
                d.rule(),
                d.message(),
                quote.replace('\n', " "),
                what.unwrap_or("-")
            );
        }
    }
}
