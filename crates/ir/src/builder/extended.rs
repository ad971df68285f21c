//! Extended instructions.

use std::fmt;

use spirvkit_binary::{Definition, Id, Import};
use spirvkit_grammar::{ExtInstSet, GlslStd450, Op, OpenClStd};

use super::operand::Arg;
use super::{BuildErrorKind, Builder};

/// An instruction of an extended instruction set, by number or by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExtInst<'a> {
    /// By number; the set need not know it.
    Number(u32),
    /// By the grammar's name.
    Name(&'a str),
}

impl fmt::Display for ExtInst<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(name) => write!(f, "`{name}`"),
        }
    }
}

impl From<u32> for ExtInst<'_> {
    fn from(number: u32) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<&'a str> for ExtInst<'a> {
    fn from(name: &'a str) -> Self {
        Self::Name(name)
    }
}

impl From<GlslStd450> for ExtInst<'_> {
    fn from(instruction: GlslStd450) -> Self {
        Self::Number(instruction.0)
    }
}

impl From<OpenClStd> for ExtInst<'_> {
    fn from(instruction: OpenClStd) -> Self {
        Self::Number(instruction.0)
    }
}

impl Builder {
    /// `OpExtInstImport` (Extension Instructions): the set with this import name, such
    /// as `NonSemantic.DebugPrintf`, imported once.
    pub fn import_set(&mut self, name: &str) -> Id {
        self.emit(Op::ExtInstImport, None, &[Arg::Text(name)])
    }

    /// `OpExtInst` with an instruction of `GLSL.std.450`, imported on use.
    ///
    /// ```
    /// # use spirvkit_grammar::{GlslStd450, Version};
    /// # use spirvkit_ir::builder::Builder;
    /// # let mut b = Builder::new(Version::V1_3);
    /// # let (float, x) = (b.type_float(32, None), b.constant_f32(1.0));
    /// b.glsl(float, GlslStd450::Sqrt, &[x]);
    /// b.glsl(float, "Sqrt", &[x]); // The same by name,
    /// b.glsl(float, 31, &[x]); // and by number.
    /// ```
    pub fn glsl<'a>(
        &mut self,
        result_type: Id,
        instruction: impl Into<ExtInst<'a>>,
        operands: &[Id],
    ) -> Id {
        let set = self.import_known(ExtInstSet::GlslStd450);
        self.ext_inst(result_type, set, instruction, operands)
    }

    /// `OpExtInst` with an instruction of `OpenCL.std`, imported on use.
    pub fn opencl<'a>(
        &mut self,
        result_type: Id,
        instruction: impl Into<ExtInst<'a>>,
        operands: &[Id],
    ) -> Id {
        let set = self.import_known(ExtInstSet::OpenClStd);
        self.ext_inst(result_type, set, instruction, operands)
    }

    fn import_known(&mut self, set: ExtInstSet) -> Id {
        let id = self.next_id.take();
        let set = self.import_set(set.import_name());
        self.next_id = id;
        set
    }

    /// `OpExtInst` (Extension Instructions) with an [imported](Self::import_set) set and
    /// operands that are ids.
    pub fn ext_inst<'a>(
        &mut self,
        result_type: Id,
        set: Id,
        instruction: impl Into<ExtInst<'a>>,
        operands: &[Id],
    ) -> Id {
        let instruction = instruction.into();
        self.extended(
            Op::ExtInst,
            result_type,
            set,
            instruction,
            Arg::Ids(operands),
        )
    }

    /// The same with operands as words, for instructions that have literals among them.
    pub fn ext_inst_words<'a>(
        &mut self,
        result_type: Id,
        set: Id,
        instruction: impl Into<ExtInst<'a>>,
        operands: &[u32],
    ) -> Id {
        let instruction = instruction.into();
        self.extended(
            Op::ExtInst,
            result_type,
            set,
            instruction,
            Arg::Words(operands),
        )
    }

    /// `OpExtInstWithForwardRefsKHR` (Extension Instructions): the same, for operands
    /// that are defined further down.
    pub fn ext_inst_with_forward_refs_khr<'a>(
        &mut self,
        result_type: Id,
        set: Id,
        instruction: impl Into<ExtInst<'a>>,
        operands: &[Id],
    ) -> Id {
        let instruction = instruction.into();
        let op = Op::ExtInstWithForwardRefsKHR;
        self.extended(op, result_type, set, instruction, Arg::Ids(operands))
    }

    fn extended(
        &mut self,
        op: Op,
        result_type: Id,
        set: Id,
        instruction: ExtInst<'_>,
        operands: Arg<'_>,
    ) -> Id {
        let known = match self.module.definitions().get(set) {
            Definition::Import(Import::Known(set)) => Some(set),
            _ => None,
        };
        let number = match instruction {
            ExtInst::Number(number) => Some(number),
            ExtInst::Name(name) => known
                .and_then(|set| set.instruction_by_name(name))
                .map(|info| info.number()),
        };
        let Some(number) = number else {
            let id = self.take_id(op);
            let set = known.map_or_else(|| format!("%{}", set.0), |set| set.to_string());
            let instruction = instruction.to_string();
            let kind = BuildErrorKind::NoSuchInstruction { set, instruction };
            self.lose(op, Some(id), kind);
            return id;
        };
        let args = [Arg::Word(set.0), Arg::Word(number), operands];
        self.emit(op, Some(result_type), &args)
    }
}
