//! Compacting ids.

use std::fmt;

use spirvkit_binary::Id;
use spirvkit_grammar::Op;
use spirvkit_ir::{EditError, Module};

/// Why ids can't be renumbered: an instruction can't be decoded, so it is unknown which of
/// its words are ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpaqueInstruction {
    /// The instruction's opcode.
    pub op: Op,
}

impl fmt::Display for OpaqueInstruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        EditError::Opaque(self.op).fmt(f)
    }
}

impl std::error::Error for OpaqueInstruction {}

/// Numbers all ids from 1 in the order in which they first appear in the module's words, so
/// that the header's bound is as low as possible (specification, section 2.3). A second call
/// changes nothing.
///
/// # Errors
///
/// If an instruction can't be decoded; the module is then unchanged.
///
/// ```
/// use spirvkit_ir::Module;
/// use spirvkit_transform::compact_ids;
///
/// # let words = spirvkit_text::assemble(
/// #     "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%70 = OpTypeFloat 32\n%900 = OpTypeVector %70 4\n",
/// #     &Default::default()).unwrap().words;
/// let mut module = Module::load(&words)?; // with the ids %70 and %900
/// compact_ids(&mut module)?;
/// assert_eq!(module.header().bound, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compact_ids(module: &mut Module) -> Result<(), OpaqueInstruction> {
    let mut numbers = module.id_table(0);
    let mut last = 0;
    let renumbered = module.renumber(|id| {
        // No id is zero in a valid module, and a broken one isn't fixed here.
        if id.0 == 0 {
            return id;
        }
        let number = numbers.slot(id);
        if *number == 0 {
            last += 1;
            *number = last;
        }
        Id(*number)
    });
    match renumbered {
        Err(EditError::Opaque(op)) => Err(OpaqueInstruction { op }),
        _ => Ok(()),
    }
}
