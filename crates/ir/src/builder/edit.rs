//! The builder's calls in a module that there is.

use spirvkit_binary::Id;
use spirvkit_diagnostics::Errors;
use spirvkit_grammar::{Op, StorageClass, Version};

use super::{BuildError, BuildErrorKind, Builder};
use crate::edit::EditError;
use crate::handles::Inst;
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
    /// // Makes `2 * x` of every `x + y`.
    /// module.edit(|b| {
    ///     for inst in additions {
    ///         let (ty, x) = (b.module().result_type(inst), b.module().operand_id(inst, 0));
    ///         let (Some(ty), Some(x)) = (ty, x) else {
    ///             continue;
    ///         };
    ///         b.insert_at(Place::Before(inst));
    ///         let two = b.constant(ty, 2);
    ///         let doubled = b.i_mul(ty, two, x);
    ///         b.replace_with(inst, doubled);
    ///     }
    /// })?;
    /// # assert!(spirvkit_text::disassemble(&module.store(), &Default::default())?.text.contains("OpIMul %uint %uint_2 "));
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

impl Builder {
    /// [`Module::replace_with`]: another id takes the place of an instruction's result, and the
    /// instruction goes with its names and decorations.
    pub fn replace_with(&mut self, inst: Inst, value: Id) {
        let replaced = self.module.replace_with(inst, value);
        self.check_edit(inst, replaced);
    }

    /// [`Module::erase`]: an instruction goes with its names and decorations.
    pub fn erase(&mut self, inst: Inst) {
        let erased = self.module.erase(inst);
        self.check_edit(inst, erased);
    }

    fn check_edit<T>(&mut self, inst: Inst, edited: Result<T, EditError>) {
        if let Err(error) = edited {
            self.error(self.module.op(inst), BuildErrorKind::Edit(error));
        }
    }

    /// Lets the interfaces of all entry points name a variable that is new, where they have to:
    /// those of inputs and outputs, and from version 1.4 on all.
    pub fn add_to_interfaces(&mut self, variable: Id) {
        let inst = self.module.definition(variable);
        let class = inst.and_then(|inst| self.module.operand_word(inst, 0));
        let class = class.map(StorageClass);
        let is_interface = matches!(class, Some(StorageClass::Input | StorageClass::Output));
        if !is_interface && self.module.header().version < Version::V1_4 {
            return;
        }
        let entry_points = self.module.globals();
        let entry_points: Vec<Inst> = entry_points
            .filter(|&inst| self.module.op(inst) == Op::EntryPoint)
            .collect();
        for inst in entry_points {
            let mut operands = self.module.get(inst).operand_words().to_vec();
            operands.push(variable.0);
            let replaced = self.module.replace(inst, Op::EntryPoint, &operands);
            self.check_edit(inst, replaced);
        }
    }
}
