//! Pipeline layouts in JSON.

use std::fmt;

use serde_json::{Map, Value as Json};

use super::{
    Binding, DataGraph, DescriptorType, GraphConstant, GraphResource, MappingSource, PipelineFlags,
    PipelineLayout, PushConstantRange, SetLayout, ShaderStages, Subpass, TensorDescription,
};

/// What is wrong with a pipeline layout.
#[derive(Debug)]
#[non_exhaustive]
pub enum LayoutError {
    /// It is no JSON.
    Json(serde_json::Error),
    /// It isn't what a pipeline layout is: where, and what was expected.
    Shape(String),
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => write!(f, "this is no JSON: {error}"),
            Self::Shape(what) => write!(f, "this is no pipeline layout: {what}"),
        }
    }
}

impl std::error::Error for LayoutError {}

impl PipelineLayout {
    /// Reads a layout, an object with these keys, none of which has to be there:
    ///
    /// - `sets`: an array, with null for a set that isn't there, of objects with an array `bindings` of
    ///   objects with `binding`, `type`, `count` (1 if absent), `stages` (all if absent), `ycbcr` (false
    ///   if absent), `unnormalizedCoordinates`, `mapping` and `mappingOffset` (0 if absent)
    /// - `pushConstants`: an array of objects with `stages`, `offset` (0 if absent) and `size`
    /// - `flags`: an array of names
    /// - `requiredSubgroupSize`: a number
    /// - `subpass`: an object with `fragmentRegion` (false if absent), `viewMask` and the array
    ///   `inputAttachmentAspects`
    /// - `graph`: an object with the arrays `constants` and `resources`
    ///
    /// # Errors
    ///
    /// If the text is no JSON, has no such shape, names what Vulkan doesn't have, or has a key
    /// that nobody knows.
    pub fn from_json(text: &str) -> Result<Self, LayoutError> {
        let file: Json = serde_json::from_str(text).map_err(LayoutError::Json)?;
        let keys = [
            "sets",
            "pushConstants",
            "flags",
            "requiredSubgroupSize",
            "subpass",
            "graph",
        ];
        let file = object(&file, "the whole", &keys)?;
        let mut layout = Self::default();
        if file.contains_key("flags") {
            layout.flags = Some(flags(array(file, "flags", "the whole")?)?);
        }
        if file.contains_key("requiredSubgroupSize") {
            let size = number(file, "requiredSubgroupSize", None, "the whole")?;
            layout.required_subgroup_size = Some(size);
        }
        layout.graph = file.get("graph").map(graph).transpose()?;
        layout.subpass = file.get("subpass").map(subpass).transpose()?;
        for (index, set) in array(file, "sets", "the whole")?.iter().enumerate() {
            let place = format!("sets[{index}]");
            if set.is_null() {
                layout.sets.push(SetLayout::default());
                continue;
            }
            let set = object(set, &place, &["bindings"])?;
            let bindings = array(set, "bindings", &place)?.iter().enumerate();
            let bindings =
                bindings.map(|(index, it)| binding(it, &format!("{place}.bindings[{index}]")));
            let bindings: Vec<Binding> = bindings.collect::<Result<_, _>>()?;
            let mut numbers: Vec<u32> = bindings.iter().map(|it| it.binding).collect();
            numbers.sort_unstable();
            if let Some(twice) = numbers.windows(2).find(|pair| pair[0] == pair[1]) {
                let message = format!("{place} has binding {} twice", twice[0]);
                return Err(LayoutError::Shape(message));
            }
            layout.sets.push(SetLayout { bindings });
        }
        let ranges = array(file, "pushConstants", "the whole")?.iter();
        for (index, range) in ranges.enumerate() {
            let place = format!("pushConstants[{index}]");
            let range = object(range, &place, &["stages", "offset", "size"])?;
            layout.push_constants.push(PushConstantRange {
                stages: stages(range, &place)?,
                offset: number(range, "offset", Some(0), &place)?,
                size: number(range, "size", None, &place)?,
            });
        }
        Ok(layout)
    }
}

fn binding(json: &Json, place: &str) -> Result<Binding, LayoutError> {
    let json = object(
        json,
        place,
        &[
            "binding",
            "type",
            "count",
            "stages",
            "ycbcr",
            "unnormalizedCoordinates",
            "mapping",
            "mappingOffset",
        ],
    )?;
    let ty = string(json, "type", place)?;
    let known = DescriptorType::named(ty);
    Ok(Binding {
        binding: number(json, "binding", None, place)?,
        ty: known.ok_or_else(|| {
            let all: Vec<&str> = DescriptorType::all().map(DescriptorType::name).collect();
            let all = all.join(", ");
            LayoutError::Shape(format!(
                "{place}: there is no type of descriptors `{ty}`; there are {all}"
            ))
        })?,
        count: number(json, "count", Some(1), place)?,
        stages: stages(json, place)?,
        has_ycbcr: boolean(json, "ycbcr", place)?.unwrap_or(false),
        is_unnormalized: boolean(json, "unnormalizedCoordinates", place)?,
        mapping: match json.get("mapping") {
            None => None,
            Some(name) => Some(mapping(name, place)?),
        },
        mapping_offset: number(json, "mappingOffset", Some(0), place)?,
    })
}

fn mapping(name: &Json, place: &str) -> Result<MappingSource, LayoutError> {
    let known = name.as_str().and_then(MappingSource::named);
    known.ok_or_else(|| {
        let all: Vec<&str> = MappingSource::all().map(MappingSource::name).collect();
        let all = all.join(", ");
        LayoutError::Shape(format!(
            "{place}: there is no source of mappings {name}; there are {all}"
        ))
    })
}

fn subpass(json: &Json) -> Result<Subpass, LayoutError> {
    let place = "subpass";
    let known = ["fragmentRegion", "viewMask", "inputAttachmentAspects"];
    let json = object(json, place, &known)?;
    let aspects = array(json, "inputAttachmentAspects", place)?.iter();
    let aspects = aspects.map(|count| match (count, as_u32(count)) {
        (Json::Null, _) => Ok(None),
        (_, Some(count)) => Ok(Some(count)),
        _ => {
            let message = "`inputAttachmentAspects` has what is neither a number nor null";
            Err(LayoutError::Shape(message.to_owned()))
        }
    });
    Ok(Subpass {
        is_fragment_region: boolean(json, "fragmentRegion", place)?.unwrap_or(false),
        view_mask: match json.contains_key("viewMask") {
            true => Some(number(json, "viewMask", None, place)?),
            false => None,
        },
        input_attachment_aspects: aspects.collect::<Result<_, _>>()?,
    })
}

fn graph(json: &Json) -> Result<DataGraph, LayoutError> {
    let json = object(json, "graph", &["constants", "resources"])?;
    let mut graph = DataGraph::default();
    for (index, json) in array(json, "constants", "graph")?.iter().enumerate() {
        let place = format!("graph.constants[{index}]");
        let json = object(json, &place, &["id", "format", "dimensions"])?;
        graph.constants.push(GraphConstant {
            id: number(json, "id", None, &place)?,
            tensor: tensor(json, &place)?,
        });
    }
    for (index, json) in array(json, "resources", "graph")?.iter().enumerate() {
        let place = format!("graph.resources[{index}]");
        let known = ["set", "binding", "arrayElement", "format", "dimensions"];
        let json = object(json, &place, &known)?;
        graph.resources.push(GraphResource {
            set: number(json, "set", None, &place)?,
            binding: number(json, "binding", None, &place)?,
            array_element: number(json, "arrayElement", Some(0), &place)?,
            tensor: tensor(json, &place)?,
        });
    }
    Ok(graph)
}

fn tensor(json: &Map<String, Json>, place: &str) -> Result<TensorDescription, LayoutError> {
    let format = string(json, "format", place)?;
    let sizes = array(json, "dimensions", place)?.iter().map(Json::as_u64);
    let sizes: Option<Vec<u64>> = sizes.collect();
    Ok(TensorDescription {
        format: format
            .strip_prefix("VK_FORMAT_")
            .unwrap_or(format)
            .to_owned(),
        dimensions: sizes.ok_or_else(|| {
            LayoutError::Shape(format!("`dimensions` of {place} has what is no number"))
        })?,
    })
}

fn flags(names: &[Json]) -> Result<PipelineFlags, LayoutError> {
    let mut all = PipelineFlags::default();
    for name in names {
        let known = name.as_str().and_then(PipelineFlags::named);
        let unknown = || LayoutError::Shape(format!("there is no flag {name} of pipelines"));
        all = all.or(known.ok_or_else(unknown)?);
    }
    Ok(all)
}

fn object<'j>(
    json: &'j Json,
    place: &str,
    known: &[&str],
) -> Result<&'j Map<String, Json>, LayoutError> {
    let Some(object) = json.as_object() else {
        return Err(LayoutError::Shape(format!("{place} is no object")));
    };
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(object),
        Some(key) => {
            let known = known.join(", ");
            let message = format!("{place} has the key `{key}`; known ones are {known}");
            Err(LayoutError::Shape(message))
        }
    }
}

/// The array that is a value of an object; without it, nothing.
fn array<'j>(
    json: &'j Map<String, Json>,
    key: &str,
    place: &str,
) -> Result<&'j [Json], LayoutError> {
    match json.get(key) {
        None | Some(Json::Null) => Ok(&[]),
        Some(Json::Array(all)) => Ok(all),
        Some(_) => Err(LayoutError::Shape(format!(
            "`{key}` of {place} is no array"
        ))),
    }
}

fn string<'j>(json: &'j Map<String, Json>, key: &str, place: &str) -> Result<&'j str, LayoutError> {
    let text = json.get(key).and_then(Json::as_str);
    text.ok_or_else(|| LayoutError::Shape(format!("{place} has no string `{key}`")))
}

fn number(
    json: &Map<String, Json>,
    key: &str,
    default: Option<u32>,
    place: &str,
) -> Result<u32, LayoutError> {
    let given = match (json.get(key), default) {
        (None, Some(default)) => Some(default),
        (None, None) => None,
        (Some(value), _) => as_u32(value),
    };
    given.ok_or_else(|| LayoutError::Shape(format!("{place} has no number `{key}`")))
}

fn as_u32(value: &Json) -> Option<u32> {
    value.as_u64().and_then(|it| u32::try_from(it).ok())
}

fn boolean(json: &Map<String, Json>, key: &str, place: &str) -> Result<Option<bool>, LayoutError> {
    match json.get(key) {
        None => Ok(None),
        Some(Json::Bool(is)) => Ok(Some(*is)),
        Some(_) => {
            let message = format!("`{key}` of {place} is neither true nor false");
            Err(LayoutError::Shape(message))
        }
    }
}

fn stages(json: &Map<String, Json>, place: &str) -> Result<ShaderStages, LayoutError> {
    if !json.contains_key("stages") {
        return Ok(ShaderStages::ALL);
    }
    let mut all = ShaderStages::default();
    for name in array(json, "stages", place)? {
        let known = name.as_str().and_then(ShaderStages::named);
        let Some(known) = known else {
            let message = format!("{place}: there is no stage {name}");
            return Err(LayoutError::Shape(message));
        };
        all = all.or(known);
    }
    Ok(all)
}
