//! Instructions that call functions for the elements of cooperative matrices
//! (`SPV_NV_cooperative_matrix2`), and how they say which.

use spirvkit_binary::Id;
use spirvkit_grammar::{MemoryAccess, Op, TensorAddressingOperands};

use crate::index::Inst;

/// The number of words that a mask of memory operands takes with its parameters (section 3.26).
pub fn memory_operand_words(mask: MemoryAccess) -> usize {
    let with_parameter = [
        MemoryAccess::Aligned,
        MemoryAccess::MakePointerAvailable,
        MemoryAccess::MakePointerVisible,
        MemoryAccess::AliasScopeINTELMask,
        MemoryAccess::NoAliasINTELMask,
    ];
    let has = |bit: &&MemoryAccess| mask.contains(**bit);
    1 + with_parameter.iter().filter(has).count()
}

/// Where an instruction says how a tensor is addressed: the indexes of its operands, counted
/// from behind the result.
///
/// ```
/// use spirvkit_analysis::TensorOperands;
///
/// // Aligned to 16, with a view and a function.
/// let operands = TensorOperands::new(&[1, 2, 3, 2, 16, 3, 8, 9], 3);
/// assert_eq!((operands.view, operands.decode), (Some(6), Some(7)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TensorOperands {
    /// The tensor view.
    pub view: Option<usize>,
    /// The function that decodes an element.
    pub decode: Option<usize>,
    /// The function that decodes several.
    pub decode_vector: Option<usize>,
}

impl TensorOperands {
    /// Those of an instruction with these operands, of which memory operands begin at this
    /// index.
    pub fn new(args: &[u32], memory: usize) -> Self {
        let word = |index: usize| args.get(index).copied().unwrap_or(0);
        let mut at = memory + memory_operand_words(MemoryAccess(word(memory)));
        let mask = TensorAddressingOperands(word(at));
        let mut take = |bit: TensorAddressingOperands| {
            mask.contains(bit).then(|| {
                at += 1;
                at
            })
        };
        Self {
            view: take(TensorAddressingOperands::TensorView),
            decode: take(TensorAddressingOperands::DecodeFunc),
            decode_vector: take(TensorAddressingOperands::DecodeVectorFunc),
        }
    }
}

/// Whether instructions with an opcode may call functions.
pub(crate) const fn may_call(op: Op) -> bool {
    matches!(
        op,
        Op::FunctionCall
            | Op::CooperativeMatrixReduceEXT
            | Op::CooperativeMatrixPerElementOpEXT
            | Op::CooperativeMatrixLoadTensorNV
    )
}

/// The functions that an instruction calls.
pub(crate) fn called(inst: Inst<'_>) -> impl Iterator<Item = Id> + use<'_> {
    let indexes = match inst.op() {
        Op::FunctionCall => [Some(0), None],
        Op::CooperativeMatrixPerElementOpEXT => [Some(1), None],
        Op::CooperativeMatrixReduceEXT => [Some(2), None],
        Op::CooperativeMatrixLoadTensorNV => {
            let operands = TensorOperands::new(inst.args(), 3);
            [operands.decode, operands.decode_vector]
        }
        _ => [None, None],
    };
    let ids = indexes.into_iter().flatten();
    ids.map(move |index| inst.id(index))
}
