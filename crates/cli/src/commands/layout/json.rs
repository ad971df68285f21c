//! The layouts for programs.

use std::collections::HashMap;

use serde_json::{Map, Value, json};
use spirvkit::analysis::layout::{Bytes, Layout, MatrixOrder, NoLayout, Place, Row, Rules};
use spirvkit::binary::Id;

use super::find::Names;
use super::{Shown, name_of};

/// The version of the form: `docs/layout-json.md` describes it. It grows when something
/// changes its meaning or goes; what is new comes without.
const VERSION: u32 = 1;

pub(super) fn write(shown: &[Shown], names: &Names, texts: &HashMap<Id, String>) -> String {
    let structures: Vec<Value> = shown.iter().map(|it| structure(it, names, texts)).collect();
    format!(
        "{}\n",
        json!({ "version": VERSION, "structures": structures })
    )
}

/// An object with a value for each rules.
fn by_rules(value: impl Fn(usize) -> Value) -> Value {
    let of = |(index, rules): (usize, &Rules)| (name_of(*rules), value(index));
    let all = Rules::ALL.iter().enumerate().map(of);
    Value::Object(all.collect::<Map<_, _>>())
}

fn structure(shown: &Shown, names: &Names, texts: &HashMap<Id, String>) -> Value {
    let comparison = &shown.comparison;
    let row = |row: &Row| member(row, names, texts);
    let members: Vec<Value> = comparison.rows.iter().map(row).collect();
    json!({
        "id": shown.id.0,
        "name": names.name(shown.id),
        "block": shown.is_block,
        "layouts": by_rules(|rules| total(comparison.totals[rules])),
        "members": members,
        "complete": !comparison.is_cut,
    })
}

fn total(layout: Result<Layout, NoLayout>) -> Value {
    match layout {
        Ok(layout) => json!({
            "size": bytes(layout.size),
            "alignment": layout.alignment,
            "unknown": null,
        }),
        Err(reason) => json!({
            "size": null,
            "alignment": null,
            "unknown": reason.to_string(),
        }),
    }
}

fn member(row: &Row, names: &Names, texts: &HashMap<Id, String>) -> Value {
    let name = row.member.and_then(|it| names.member(row.structure, it));
    json!({
        "structure": row.structure.0,
        "member": row.member,
        "name": name,
        "depth": row.depth,
        "type": { "id": row.ty.0, "text": texts.get(&row.ty), "structure": row.inner.map(|it| it.0) },
        "layouts": by_rules(|rules| place(&row.places[rules])),
    })
}

fn place(place: &Place) -> Value {
    let layout = place.layout.ok();
    let matrix = layout.and_then(|layout| layout.matrix);
    let strides: Vec<Value> = place.strides.iter().map(|it| known(*it)).collect();
    let reason = place.offset.err().or(place.layout.err());
    json!({
        "offset": known(place.offset),
        "start": known(place.start),
        "size": layout.map_or(Value::Null, |layout| bytes(layout.size)),
        "alignment": layout.map(|layout| layout.alignment),
        "array_strides": strides,
        "matrix_stride": matrix.map_or(Value::Null, |matrix| bytes(matrix.stride)),
        "matrix_order": matrix.map(|matrix| match matrix.order {
            MatrixOrder::ColumnMajor => "column-major",
            MatrixOrder::RowMajor => "row-major",
        }),
        "hole": place.hole,
        "overlaps": place.overlaps,
        "offset_differs": place.offset_differs,
        "stride_differs": place.stride_differs,
        "unknown": reason.map(|reason| reason.to_string()),
    })
}

fn known(value: Result<Bytes, NoLayout>) -> Value {
    value.map_or(Value::Null, bytes)
}

fn bytes(value: Bytes) -> Value {
    match value {
        Bytes::Fixed(bytes) => json!(bytes),
        Bytes::Default(bytes) => json!({ "default": bytes }),
        Bytes::Runtime => json!("runtime"),
        Bytes::TooLarge => json!("too_large"),
    }
}
