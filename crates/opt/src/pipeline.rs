//! What is done to a module, in order.

use spirvkit_binary::Error;
use spirvkit_ir::Module;
use spirvkit_transform::compact_ids;

use crate::Options;
use crate::body::{Settings, rebuild};
use crate::unit::{Unit, Unread};

/// Optimizes a module. What can't be taken apart stays as it is.
pub(crate) fn run(words: &[u32], options: &Options) -> Result<Vec<u32>, Error> {
    let mut unit = match Unit::read(words) {
        Ok(unit) => unit,
        Err(Unread::Error(error)) => return Err(error),
        Err(Unread::Broken) => {
            let mut module = Module::load(words)?;
            if compact_ids(&mut module).is_err() {
                return Ok(words.to_vec());
            }
            match Unit::read(&module.store()) {
                Ok(unit) => unit,
                Err(_) => return Ok(words.to_vec()),
            }
        }
    };
    optimize(&mut unit, options);
    Ok(unit.write(options))
}

fn optimize(unit: &mut Unit, options: &Options) {
    let settings = Settings { promotes: true };
    let live = unit.live_functions(options);
    for index in 0..unit.functions.len() {
        if !live[index] {
            continue;
        }
        let mut function = std::mem::take(&mut unit.functions[index]);
        for _ in 0..2 {
            rebuild(unit, &mut function, settings);
        }
        unit.functions[index] = function;
    }
}
