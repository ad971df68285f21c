//! Transform feedback and streams of vertices (`VK_EXT_transform_feedback`).

use spirvkit_analysis::{Lookup, ModuleIndex};
use spirvkit_grammar::{Decoration, Op};

use super::{Need, reach};

pub(super) fn add(m: &ModuleIndex<'_>, all: &mut Vec<Need>) {
    let mut add = |offset, vuid, what, name, value| {
        all.extend(reach(name, 0, value).map(|wanted| Need {
            offset,
            vuid,
            what,
            wanted,
        }));
    };
    for inst in m.all_instructions() {
        let decoration = match inst.op() {
            Op::Decorate => 1,
            Op::MemberDecorate => 2,
            Op::EmitStreamVertex | Op::EndStreamPrimitive => {
                let Some(stream) = m.constant_u64(inst.id(0)) else {
                    continue;
                };
                add(
                    inst.offset(),
                    "VUID-RuntimeSpirv-OpEmitStreamVertex-06310",
                    format!("the stream {stream}"),
                    "maxTransformFeedbackStreams",
                    stream.saturating_add(1),
                );
                continue;
            }
            _ => continue,
        };
        let value = u64::from(inst.arg(decoration + 1));
        match Decoration(inst.arg(decoration)) {
            Decoration::Stream => add(
                inst.offset(),
                "VUID-RuntimeSpirv-Stream-06312",
                format!("the stream {value}"),
                "maxTransformFeedbackStreams",
                value + 1,
            ),
            Decoration::XfbStride => add(
                inst.offset(),
                "VUID-RuntimeSpirv-XfbStride-06313",
                format!("a stride of {value} bytes"),
                "maxTransformFeedbackBufferDataStride",
                value,
            ),
            _ => {}
        }
    }
}
