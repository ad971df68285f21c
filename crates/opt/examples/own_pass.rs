//! A pass of one's own among the optimizer's: it makes `x + x` of `x * 2`.
//!
//! ```text
//! cargo run -p spirvkit-opt --example own_pass -- IN.spv OUT.spv
//! ```

use std::error::Error;

use spirvkit_binary::{Id, bytes_from_words, words_from_bytes};
use spirvkit_grammar::Op;
use spirvkit_ir::{Inst, Lookup, Module, Place};
use spirvkit_opt::{Changed, Context, Options, Pass, PassError, Recipe};

/// Makes additions of multiplications of integers by 2.
struct DoubleByAdding;

impl Pass for DoubleByAdding {
    fn name(&self) -> &str {
        "double-by-adding"
    }

    fn run(&self, module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
        let products = module.instructions();
        let found: Vec<(Inst, Id, Id)> =
            products.filter_map(|inst| doubled(module, inst)).collect();
        let edited = module.edit(|b| {
            for &(product, ty, x) in &found {
                b.insert_at(Place::Before(product));
                let sum = b.i_add(ty, x, x);
                b.replace_with(product, sum);
            }
        });
        edited.map_err(|errors| PassError::new(errors.to_string()))?;
        Ok(Changed::if_any(found.len()))
    }
}

/// The type of a product of something and 2, and that something.
fn doubled(module: &Module, inst: Inst) -> Option<(Inst, Id, Id)> {
    let is_product = module.op(inst) == Op::IMul;
    let (x, two) = (module.operand_id(inst, 0)?, module.operand_id(inst, 1)?);
    let doubles = is_product && module.constant_u64(two) == Some(2);
    doubles.then_some((inst, module.result_type(inst)?, x))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args().skip(1);
    let (Some(input), Some(output)) = (paths.next(), paths.next()) else {
        return Err("usage: own_pass IN.spv OUT.spv".into());
    };
    let (words, endianness) = words_from_bytes(&std::fs::read(input)?)?;
    // Simplified first, so that constants are on the right; and once more, with what is new.
    let mut recipe = Recipe::parse("strip-debug size")?;
    recipe.push(DoubleByAdding);
    recipe.extend(&Recipe::size());
    let optimized = recipe.run(&words, &Options::default())?.words;
    println!(
        "{recipe:?}: {} words became {}",
        words.len(),
        optimized.len()
    );
    std::fs::write(output, bytes_from_words(&optimized, endianness))?;
    Ok(())
}
