//! Transform feedback and streams of vertices (`VK_EXT_transform_feedback`).

use spirvkit_analysis::index::Inst;
use spirvkit_analysis::{Lookup, ModuleIndex};
use spirvkit_grammar::{Decoration, Op};

use super::{Need, reach};

/// Adds what an instruction needs that decorates outputs or ends vertices.
pub(super) fn add(m: &ModuleIndex<'_>, inst: Inst<'_>, all: &mut Vec<Need>) {
    let mut add = |vuid, what, name, value| {
        all.extend(reach(name, 0, value).map(|wanted| Need {
            offset: inst.offset(),
            vuid,
            what,
            wanted,
        }));
    };
    let decoration = match inst.op() {
        Op::Decorate => 1,
        Op::MemberDecorate => 2,
        Op::EmitStreamVertex | Op::EndStreamPrimitive => {
            if let Some(stream) = m.constant_u64(inst.id(0)) {
                add(
                    "VUID-RuntimeSpirv-OpEmitStreamVertex-06310",
                    format!("the stream {stream}"),
                    "maxTransformFeedbackStreams",
                    stream.saturating_add(1),
                );
            }
            return;
        }
        _ => return,
    };
    let value = u64::from(inst.arg(decoration + 1));
    match Decoration(inst.arg(decoration)) {
        Decoration::Stream => add(
            "VUID-RuntimeSpirv-Stream-06312",
            format!("the stream {value}"),
            "maxTransformFeedbackStreams",
            value + 1,
        ),
        Decoration::XfbStride => add(
            "VUID-RuntimeSpirv-XfbStride-06313",
            format!("a stride of {value} bytes"),
            "maxTransformFeedbackBufferDataStride",
            value,
        ),
        _ => {}
    }
}
