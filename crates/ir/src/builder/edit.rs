//! The builder's calls in a module that there is.

use spirvkit_diagnostics::Errors;

use super::{BuildError, Builder};
use crate::module::Module;

impl Module {
    /// Changes the module with the typed calls of the [`Builder`]: `change` says with
    /// [`insert_at`](Builder::insert_at) where instructions go, gets types and constants by
    /// their values, and changes what else there is by
    /// [`module_mut`](Builder::module_mut). Returns what `change` returns.
    ///
    /// In the end what was made is checked, and the capabilities and extensions are declared
    /// that it needs, as by [`Builder::finish`]; what was there before doesn't matter. That
    /// takes time in proportion to the module, so a pass calls this once.
    ///
    /// # Errors
    ///
    /// All that is wrong with what was made. It stands in the module nevertheless.
    ///
    /// ```
    /// use spirvkit_grammar::Op;
    /// use spirvkit_ir::{Module, Place};
    ///
    /// # let text = "OpCapability Linkage\nOpCapability Shader\nOpMemoryModel Logical GLSL450\n\
    /// #     OpDecorate %f LinkageAttributes \"f\" Export\n%uint = OpTypeInt 32 0\n\
    /// #     %type = OpTypeFunction %uint %uint\n%f = OpFunction %uint None %type\n\
    /// #     %x = OpFunctionParameter %uint\n%l = OpLabel\n%twice = OpIAdd %uint %x %x\n\
    /// #     OpReturnValue %twice\nOpFunctionEnd\n";
    /// # let words = spirvkit_text::assemble(text, &Default::default())?.words;
    /// let mut module = Module::load(&words)?;
    /// let additions: Vec<_> = (module.instructions())
    ///     .filter(|&inst| module.op(inst) == Op::IAdd)
    ///     .collect();
    /// // Makes `x + x + 1` of `x + x`.
    /// module.edit(|b| {
    ///     for inst in additions {
    ///         let (Some(uint), Some(sum)) = (b.module().result_type(inst), b.module().result(inst))
    ///         else {
    ///             continue;
    ///         };
    ///         b.insert_at(Place::After(inst));
    ///         let one = b.constant(uint, 1);
    ///         let more = b.i_add(uint, sum, one);
    ///         b.module_mut().replace_uses_where(sum, more, |_, found| found.inst != inst);
    ///     }
    /// })?;
    /// # assert!(spirvkit_text::disassemble(&module.store(), &Default::default())?.text.contains("%uint_1"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edit<R>(
        &mut self,
        change: impl FnOnce(&mut Builder) -> R,
    ) -> Result<R, Errors<BuildError>> {
        let since = self.inst_count();
        let module = std::mem::replace(self, Self::new(self.header().version));
        let mut builder = Builder {
            since,
            ..Builder::on(module)
        };
        let made = change(&mut builder);
        let errors = builder.conclude();
        *self = builder.module;
        errors.map_or(Ok(made), Err)
    }
}
