//! How VkScript draws: fields of Vulkan's structures by their names.

use super::VkReader;
use crate::kinds;
use crate::pipeline::{Blend, DepthBias, GraphicsState, Stencil};
use crate::reader::{Parsed, Reader, quoted};
use crate::words::{LogicOp, Words};

/// The names of the fields.
pub(super) const STATES: &[&str] = &[
    "primitiveRestartEnable",
    "depthClampEnable",
    "rasterizerDiscardEnable",
    "depthBiasEnable",
    "logicOpEnable",
    "blendEnable",
    "depthTestEnable",
    "depthWriteEnable",
    "depthBoundsTestEnable",
    "stencilTestEnable",
    "topology",
    "polygonMode",
    "logicOp",
    "frontFace",
    "cullMode",
    "depthBiasConstantFactor",
    "depthBiasClamp",
    "depthBiasSlopeFactor",
    "lineWidth",
    "minDepthBounds",
    "maxDepthBounds",
    "srcColorBlendFactor",
    "dstColorBlendFactor",
    "srcAlphaBlendFactor",
    "dstAlphaBlendFactor",
    "colorBlendOp",
    "alphaBlendOp",
    "depthCompareOp",
    "front.compareOp",
    "back.compareOp",
    "front.failOp",
    "front.passOp",
    "front.depthFailOp",
    "back.failOp",
    "back.passOp",
    "back.depthFailOp",
    "front.reference",
    "back.reference",
    "colorWriteMask",
];

/// The state of now. What can be turned on and off keeps its values while it is off.
#[derive(Default)]
pub(super) struct State {
    pub(super) graphics: GraphicsState,
    pub(super) clear_color: Option<[f32; 4]>,
    pub(super) clear_depth: Option<f32>,
    pub(super) clear_stencil: Option<u32>,
    has_bias: bool,
    bias: DepthBias,
    has_bounds: bool,
    bounds: [f32; 2],
    has_logic_op: bool,
    logic_op: Option<LogicOp>,
    has_blend: bool,
    blend: Blend,
}

impl State {
    /// What is in effect.
    pub(super) fn resolved(&self) -> GraphicsState {
        let mut state = self.graphics.clone();
        state.depth.bias = self.has_bias.then_some(self.bias);
        state.depth.bounds = self.has_bounds.then_some(self.bounds);
        state.logic_op = self.has_logic_op.then_some(self.logic_op).flatten();
        state.blend = self.has_blend.then_some(self.blend);
        state
    }
}

impl VkReader<'_> {
    /// Sets a field, if there is one of this name.
    pub(super) fn state_line(&mut self, word: &str) -> Parsed<bool> {
        const NUMBER: &str = "a number";
        let (reader, state) = (&mut self.reader, &mut self.state);
        let graphics = &mut state.graphics;
        match word {
            "primitiveRestartEnable" => graphics.primitive_restart = truth(reader)?,
            "depthClampEnable" => graphics.depth.clamp = truth(reader)?,
            "rasterizerDiscardEnable" => graphics.rasterizer_discard = truth(reader)?,
            "depthBiasEnable" => state.has_bias = truth(reader)?,
            "logicOpEnable" => state.has_logic_op = truth(reader)?,
            "blendEnable" => state.has_blend = truth(reader)?,
            "depthTestEnable" => graphics.depth.test = truth(reader)?,
            "depthWriteEnable" => graphics.depth.write = truth(reader)?,
            "depthBoundsTestEnable" => state.has_bounds = truth(reader)?,
            "stencilTestEnable" => graphics.stencil_test = truth(reader)?,
            "topology" => graphics.topology = Some(value(reader, "VK_PRIMITIVE_TOPOLOGY_")?),
            "polygonMode" => graphics.polygon_mode = value(reader, "VK_POLYGON_MODE_")?,
            "logicOp" => state.logic_op = Some(value(reader, "VK_LOGIC_OP_")?),
            "frontFace" => graphics.front_face = value(reader, "VK_FRONT_FACE_")?,
            "cullMode" => graphics.cull_mode = value(reader, "VK_CULL_MODE_")?,
            "depthBiasConstantFactor" => state.bias.constant = reader.f32(NUMBER)?,
            "depthBiasClamp" => state.bias.clamp = reader.f32(NUMBER)?,
            "depthBiasSlopeFactor" => state.bias.slope = reader.f32(NUMBER)?,
            "lineWidth" => graphics.line_width = reader.f32(NUMBER)?,
            "minDepthBounds" => state.bounds[0] = reader.f32(NUMBER)?,
            "maxDepthBounds" => state.bounds[1] = reader.f32(NUMBER)?,
            "srcColorBlendFactor" => state.blend.src_color = value(reader, "VK_BLEND_FACTOR_")?,
            "dstColorBlendFactor" => state.blend.dst_color = value(reader, "VK_BLEND_FACTOR_")?,
            "srcAlphaBlendFactor" => state.blend.src_alpha = value(reader, "VK_BLEND_FACTOR_")?,
            "dstAlphaBlendFactor" => state.blend.dst_alpha = value(reader, "VK_BLEND_FACTOR_")?,
            "colorBlendOp" => state.blend.color_op = value(reader, "VK_BLEND_OP_")?,
            "alphaBlendOp" => state.blend.alpha_op = value(reader, "VK_BLEND_OP_")?,
            "depthCompareOp" => graphics.depth.compare = value(reader, "VK_COMPARE_OP_")?,
            "colorWriteMask" => graphics.color_write = channels(reader)?,
            _ => {
                let (stencil, field) = match word.split_once('.') {
                    Some(("front", field)) => (&mut graphics.stencil_front, field),
                    Some(("back", field)) => (&mut graphics.stencil_back, field),
                    _ => return Ok(false),
                };
                return stencil_field(reader, stencil, field);
            }
        }
        Ok(true)
    }
}

fn stencil_field(reader: &mut Reader<'_>, stencil: &mut Stencil, field: &str) -> Parsed<bool> {
    match field {
        "compareOp" => stencil.compare = value(reader, "VK_COMPARE_OP_")?,
        "failOp" => stencil.fail = value(reader, "VK_STENCIL_OP_")?,
        "passOp" => stencil.pass = value(reader, "VK_STENCIL_OP_")?,
        "depthFailOp" => stencil.depth_fail = value(reader, "VK_STENCIL_OP_")?,
        "reference" => stencil.reference = reader.u32("a number")?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn truth(reader: &mut Reader<'_>) -> Parsed<bool> {
    for (word, value) in [("true", true), ("false", false), ("1", true), ("0", false)] {
        if reader.accept(word) {
            return Ok(value);
        }
    }
    Err(reader.expected("`true` or `false`"))
}

/// An enumerant of Vulkan. What AmberScript calls it is the same in small letters without
/// what all of them start and some end with.
fn value<T: Words>(reader: &mut Reader<'_>, prefix: &str) -> Parsed<T> {
    let (word, span) = reader.word(&format!("a name that starts with `{prefix}`"))?;
    let key = word.strip_prefix(prefix).unwrap_or_default();
    let key = key.strip_suffix("_EXT").unwrap_or(key);
    let key = key.strip_suffix("_BIT").unwrap_or(key);
    let found = T::ALL
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(key));
    match found {
        Some((_, value)) => Ok(*value),
        None => {
            let names: Vec<String> = T::ALL
                .iter()
                .map(|(name, _)| format!("{prefix}{}", name.to_ascii_uppercase()))
                .collect();
            let names = names.iter().map(String::as_str);
            Err(reader.unknown_word(word, span, T::NOUN, names))
        }
    }
}

/// The channels that are written: bits of Vulkan with `|` between them.
fn channels(reader: &mut Reader<'_>) -> Parsed<[bool; 4]> {
    let mut channels = [false; 4];
    loop {
        let (word, span) = reader.word("a bit of a color component")?;
        for name in word.split('|').filter(|it| !it.is_empty()) {
            let letter = name.strip_prefix("VK_COLOR_COMPONENT_");
            let letter = letter.and_then(|it| it.strip_suffix("_BIT"));
            let place = letter.and_then(|it| ["R", "G", "B", "A"].iter().position(|l| *l == it));
            let Some(place) = place else {
                let message = format!("`{}` is not a bit of a color component", quoted(name));
                return Err(reader.error(&kinds::UNKNOWN_WORD, span, message));
            };
            channels[place] = true;
        }
        if reader.is_end_of_line() {
            return Ok(channels);
        }
    }
}
