//! Debugging information of graphs: `NonSemantic.Graph.DebugInfo`.

use spirvkit_binary::Id;
use spirvkit_grammar::{GraphDebugInfo, Op};

use super::Call;
use crate::finding::CheckResult;
use crate::module::{Lookup, Type};
use crate::rules::generated::graph_debug_info;

pub(super) fn check(call: &Call<'_, '_, '_>) -> CheckResult {
    let m = call.m();
    let wrong = |rule, index, expected| match m.def(call.id(index)) {
        Some(_) => Err(call.operand_finding(rule, index, expected)),
        None => Ok(()),
    };
    let has_name = call.info().is_some();
    if has_name && m.op_of(call.id(1)) != Op::String {
        return wrong(&graph_debug_info::TEXT, 1, "an OpString");
    }
    match GraphDebugInfo(call.number) {
        GraphDebugInfo::DebugGraph => match m.op_of(call.id(0)) {
            Op::GraphARM => Ok(()),
            _ => wrong(&graph_debug_info::KIND, 0, "an OpGraphARM"),
        },
        GraphDebugInfo::DebugOperation => {
            let debug_graph = m.def(call.id(0)).filter(|def| {
                def.op() == Op::ExtInst
                    && def.id(0) == call.at.id(0)
                    && def.arg(1) == GraphDebugInfo::DebugGraph.0
            });
            let Some(debug_graph) = debug_graph else {
                return wrong(&graph_debug_info::KIND, 0, "a DebugGraph");
            };
            let start = m.def_offset(debug_graph.id(2));
            for index in 2..call.count() {
                // Whatever comes before the graph is not in it.
                if m.def_offset(call.id(index)) <= start {
                    wrong(
                        &graph_debug_info::INSTRUCTION,
                        index,
                        "an instruction in the graph",
                    )?;
                }
            }
            Ok(())
        }
        GraphDebugInfo::DebugTensor => {
            if call.count() < 3 {
                let is_composite = matches!(
                    m.ty_of(call.id(0)),
                    Type::Array { .. } | Type::RuntimeArray { .. } | Type::Struct { .. }
                );
                if is_composite {
                    let message = format!(
                        "{} needs an index, because {} holds several tensors",
                        call.name(),
                        m.show_value(call.id(0))
                    );
                    return Err(call.at.finding(&graph_debug_info::TENSOR_INDEX, message));
                }
                return Ok(());
            }
            let index = call.id(2);
            let is_uint = |ty: Id| {
                matches!(
                    m.ty(ty),
                    Type::Int {
                        width: 32,
                        signed: false
                    }
                )
            };
            match m.op_of(index) == Op::Constant && m.type_of(index).is_some_and(is_uint) {
                true => Ok(()),
                false => wrong(
                    &graph_debug_info::TENSOR_INDEX,
                    2,
                    "an OpConstant of a 32-bit unsigned integer",
                ),
            }
        }
        _ => Ok(()),
    }
}
