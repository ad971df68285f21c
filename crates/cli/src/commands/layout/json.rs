//! The layouts for programs.

use std::collections::HashMap;
use std::io::{self, Write};

use serde_json::{Map, Value, json};
use spirvkit::analysis::ModuleIndex;
use spirvkit::analysis::layout::{Comparison, Layout, MatrixOrder, NoLayout, Place, Row, Rules};
use spirvkit::binary::{Budget, Id};

use super::find::text;
use super::{Shown, name_of};

/// The version of the form: `docs/layout-json.md` describes it. It grows when something
/// changes its meaning or goes; what is new comes without.
const VERSION: u32 = 1;

/// What to show.
pub(super) struct Document<'a> {
    pub(super) comparison: &'a Comparison<'a>,
    pub(super) index: &'a ModuleIndex<'a>,
    /// What types are called.
    pub(super) texts: &'a HashMap<Id, String>,
}

impl Document<'_> {
    /// Writes as many structures, and rows of the last, as the budget allows.
    pub(super) fn write(
        &self,
        out: &mut dyn Write,
        shown: &[Shown],
        budget: &mut Budget,
    ) -> io::Result<()> {
        write!(out, "{{\"version\":{VERSION},\"structures\":[")?;
        let mut left_out = shown.len();
        for (index, structure) in shown.iter().enumerate() {
            if budget.is_spent() {
                break;
            }
            if index > 0 {
                out.write_all(b",")?;
            }
            self.write_structure(out, structure, budget)?;
            left_out -= 1;
        }
        out.write_all(b"]")?;
        if left_out > 0 {
            write!(out, ",\"left_out\":{left_out}")?;
        }
        out.write_all(b"}\n")
    }

    fn write_structure(
        &self,
        out: &mut dyn Write,
        shown: &Shown,
        budget: &mut Budget,
    ) -> io::Result<()> {
        let totals = self.comparison.totals(shown.id);
        let start = format!(
            "{{\"id\":{},\"name\":{},\"block\":{},\"layouts\":{},\"members\":[",
            shown.id.0,
            json!(text(self.index.name_of(shown.id))),
            shown.is_block,
            by_rules(|rules| total(totals[rules])),
        );
        let mut is_whole = budget.take(start.len() as u64);
        out.write_all(start.as_bytes())?;
        let mut rows = self.comparison.rows(shown.id);
        let mut comma = "";
        for row in rows.by_ref() {
            let row = member(&row, self.index, self.texts).to_string();
            if !budget.take(row.len() as u64) {
                is_whole = false;
                break;
            }
            write!(out, "{comma}{row}")?;
            comma = ",";
        }
        write!(out, "],\"complete\":{}}}", is_whole && !rows.is_cut())
    }
}

/// An object with a value for each rules.
fn by_rules(value: impl Fn(usize) -> Value) -> Value {
    let of = |(index, rules): (usize, &Rules)| (name_of(*rules), value(index));
    let all = Rules::ALL.iter().enumerate().map(of);
    Value::Object(all.collect::<Map<_, _>>())
}

fn total(layout: Result<Layout, NoLayout>) -> Value {
    match layout {
        Ok(layout) => json!({
            "size": layout.size,
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

fn member(row: &Row, index: &ModuleIndex<'_>, texts: &HashMap<Id, String>) -> Value {
    let name = row
        .member
        .and_then(|it| text(index.member_name(row.structure, it)));
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
    let strides: Vec<_> = place.strides.iter().map(|it| it.ok()).collect();
    let reason = place.offset.err().or(place.layout.err());
    json!({
        "offset": place.offset.ok(),
        "start": place.start.ok(),
        "size": layout.map(|layout| layout.size),
        "alignment": layout.map(|layout| layout.alignment),
        "array_strides": strides,
        "matrix_stride": matrix.map(|matrix| matrix.stride),
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
