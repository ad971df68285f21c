//! Types as shader-language text.

use std::fmt::Write as _;

use spirvkit_binary::{Id, Instruction, spelling};
use spirvkit_grammar::{
    AccessQualifier, CooperativeMatrixUse, Dim, FPEncoding, ImageFormat, Op, OperandKind,
    StorageClass,
};

use super::{Annotations, COMMENT, TEXT, enumerant_name, push_id};
use crate::disassemble::names::Names;
use crate::disassemble::plain::{push_plain, separate};

/// How the name of an image starts that has these components. Those of OpenCL have none.
fn image_prefix(component: &str) -> Option<&'static str> {
    match component {
        "void" => Some(""),
        component => spelling::prefix(component),
    }
}

impl Annotations<'_> {
    /// Writes the text of a type.
    pub(super) fn type_text(&self, out: &mut String, instruction: &Instruction<'_>, names: &Names) {
        let words = instruction.words();
        match (instruction.op(), words) {
            (Op::TypeInt, [_, _, width, signed]) => {
                out.push_str(&spelling::integer(*width, *signed != 0));
            }
            (Op::TypeFloat, [_, _, width, encoding @ ..]) => {
                let encoding = encoding.first().map(|&encoding| FPEncoding(encoding));
                out.push_str(&spelling::float(*width, encoding));
            }
            (Op::TypeVector, [_, _, component, count]) => {
                self.vector(out, Id(*component), *count, names)
            }
            (Op::TypeMatrix, [_, _, column, count]) => self.matrix(out, Id(*column), *count, names),
            (Op::TypeImage, [_, _, sampled_type, shape @ ..]) => {
                self.image(out, Id(*sampled_type), shape)
            }
            (Op::TypeSampledImage, [_, _, image]) => self.sampled_image(out, Id(*image), names),
            (Op::TypeArray, [_, _, element, length]) => {
                let mut text = String::new();
                self.length(&mut text, Id(*length), names);
                self.array(out, Id(*element), &text, names);
            }
            (Op::TypeRuntimeArray, [_, _, element]) => self.array(out, Id(*element), "", names),
            (Op::TypeStruct, [_, id, ..]) => self.structure(out, Id(*id), names),
            (Op::TypePointer, [_, _, class, pointee]) => {
                let _ = write!(out, "ptr<{}, ", enumerant_name::<StorageClass>(*class));
                self.mention(out, Id(*pointee), names);
                out.push('>');
            }
            (Op::TypeUntypedPointerKHR, [_, _, class]) => {
                let _ = write!(out, "ptr<{}>", enumerant_name::<StorageClass>(*class));
            }
            (Op::TypeFunction, [_, _, result, parameters @ ..]) => {
                self.mention(out, Id(*result), names);
                self.list(out, parameters, names);
            }
            (Op::TypeCooperativeMatrixKHR, [_, _, operands @ ..]) => {
                self.cooperative_matrix(out, operands, names);
            }
            _ => self.other(out, instruction, names),
        }
    }

    /// Writes what ids stand for as a list in parentheses.
    pub(super) fn list(&self, out: &mut String, ids: &[u32], names: &Names) {
        out.push('(');
        let start = out.len();
        for id in ids {
            if out.len() > COMMENT {
                break;
            }
            separate(out, start);
            self.mention(out, Id(*id), names);
        }
        out.push(')');
    }

    /// What an id stands for.
    fn mentioned(&self, id: Id, names: &Names) -> String {
        let mut text = String::new();
        self.mention(&mut text, id, names);
        text
    }

    fn vector(&self, out: &mut String, component: Id, count: u32, names: &Names) {
        let component = self.mentioned(component, names);
        out.push_str(&spelling::vector(&component, count));
    }

    fn matrix(&self, out: &mut String, column: Id, columns: u32, names: &Names) {
        let declaration = self.declaration(column);
        let (component, rows) = match declaration.map(|column| column.words()) {
            Some(&[_, _, component, rows]) => (Id(component), rows),
            _ => (column, 0),
        };
        let component = self.mentioned(component, names);
        out.push_str(&spelling::matrix(&component, columns, rows));
    }

    fn array(&self, out: &mut String, element: Id, length: &str, names: &Names) {
        let element = self.mentioned(element, names);
        out.push_str(&spelling::array(&element, length));
    }

    /// Writes the name of a structure. Its members are for its declaration to
    /// show; without them no type's text contains itself.
    fn structure(&self, out: &mut String, id: Id, names: &Names) {
        match self.name(id) {
            Some(name) => out.push_str(name),
            None => {
                out.push_str("struct ");
                push_id(out, id, names);
            }
        }
    }

    /// Writes `image2D<rgba8>`, `utexture2DArray` and the like. The shape is the
    /// operands after the sampled type.
    fn image(&self, out: &mut String, sampled_type: Id, shape: &[u32]) {
        let &[
            dim,
            depth,
            arrayed,
            multisampled,
            sampled,
            format,
            ref access @ ..,
        ] = shape
        else {
            out.push_str("image");
            return;
        };
        let component = self.type_name(sampled_type).unwrap_or_default();
        out.push_str(image_prefix(component).unwrap_or_default());
        let (noun, dim) = match (Dim(dim), sampled) {
            (Dim::SubpassData, _) => ("subpassInput", ""),
            (Dim::Rect, 1) => ("texture", "2DRect"),
            (Dim::Rect, _) => ("image", "2DRect"),
            (_, 1) => ("texture", enumerant_name::<Dim>(dim)),
            _ => ("image", enumerant_name::<Dim>(dim)),
        };
        let _ = write!(out, "{noun}{dim}");
        let suffixes = [
            (multisampled == 1, "MS"),
            (arrayed == 1, "Array"),
            (depth == 1, "Shadow"),
        ];
        for (_, suffix) in suffixes.into_iter().filter(|(applies, _)| *applies) {
            out.push_str(suffix);
        }
        let format = enumerant_name::<ImageFormat>(format);
        if format != "Unknown" {
            let _ = write!(out, "<{}>", format.to_ascii_lowercase());
        }
        if let [access, ..] = access {
            let _ = write!(out, "<{}>", enumerant_name::<AccessQualifier>(*access));
        }
    }

    /// Writes `sampler2D` for a `texture2D` and its sampler.
    fn sampled_image(&self, out: &mut String, image: Id, names: &Names) {
        let is_image = self
            .declaration(image)
            .is_some_and(|image| image.op() == Op::TypeImage);
        let parts = self
            .type_name(image)
            .filter(|_| is_image)
            .and_then(|text| text.split_once("texture"));
        match parts {
            Some((prefix, shape)) => {
                let _ = write!(out, "{prefix}sampler{shape}");
            }
            None => {
                out.push_str("sampledImage<");
                self.mention(out, image, names);
                out.push('>');
            }
        }
    }

    /// Writes `coopmat<half, Subgroup, 16, 16, MatrixA>`.
    fn cooperative_matrix(&self, out: &mut String, operands: &[u32], names: &Names) {
        let &[component, scope, rows, columns, role] = operands else {
            return;
        };
        out.push_str("coopmat<");
        self.mention(out, Id(component), names);
        out.push_str(", ");
        match self.constant_name(OperandKind::IdScope, Id(scope)) {
            Some(name) => out.push_str(&name),
            None => self.mention(out, Id(scope), names),
        }
        for size in [rows, columns] {
            out.push_str(", ");
            self.length(out, Id(size), names);
        }
        out.push_str(", ");
        match self
            .constant(Id(role))
            .map(enumerant_name::<CooperativeMatrixUse>)
        {
            Some(name) => out.push_str(name.strip_suffix("KHR").unwrap_or(name)),
            None => self.mention(out, Id(role), names),
        }
        out.push('>');
    }

    /// Writes a number of things, without the mark of its type.
    pub(super) fn length(&self, out: &mut String, id: Id, names: &Names) {
        let is_number = self
            .declaration(id)
            .is_some_and(|number| matches!(number.op(), Op::Constant | Op::SpecConstant));
        self.mention(out, id, names);
        if is_number && out.ends_with('u') {
            out.pop();
        }
    }

    /// Writes any other type: its opcode's name, and its operands.
    fn other(&self, out: &mut String, instruction: &Instruction<'_>, names: &Names) {
        let name = instruction.info().map_or("", |info| info.name());
        let mut name = name.strip_prefix("OpType").unwrap_or(name).chars();
        out.extend(name.next().map(|first| first.to_ascii_lowercase()));
        out.push_str(name.as_str());
        // The first operand is the result.
        let mut operands = instruction
            .operands(&self.definitions)
            .skip(1)
            .map_while(Result::ok)
            .peekable();
        if operands.peek().is_none() {
            return;
        }
        out.push('<');
        let start = out.len();
        for operand in operands {
            if out.len() > TEXT {
                break;
            }
            separate(out, start);
            self.operand(out, &operand, names);
        }
        out.push('>');
    }

    /// The comment for the declaration of a type.
    pub(super) fn declared_type(
        &self,
        out: &mut String,
        instruction: &Instruction<'_>,
        names: &Names,
    ) {
        let Some(id) = instruction.result() else {
            return;
        };
        out.push_str(self.type_name(id).unwrap_or_default());
        if let (Op::TypeStruct, [_, _, members @ ..]) = (instruction.op(), instruction.words()) {
            self.members(out, id, members, names);
        }
        self.push_decorations(out, instruction);
    }

    /// Writes `{ vec3 position @0, float radius @12 }`.
    fn members(&self, out: &mut String, structure: Id, members: &[u32], names: &Names) {
        out.push_str(" {");
        let start = out.len();
        for (index, ty) in (0..).zip(members) {
            if out.len() > COMMENT {
                break;
            }
            if out.len() > start {
                out.push(',');
            }
            out.push(' ');
            self.mention(out, Id(*ty), names);
            let Some(member) = self.members.get(&(structure.0, index)) else {
                continue;
            };
            if !member.name.is_empty() {
                let _ = write!(out, " {}", member.name);
            }
            if let Some(offset) = member.offset {
                let _ = write!(out, " @{offset}");
            }
            if !member.decorations.is_empty() {
                let _ = write!(out, " ({})", member.decorations);
            }
        }
        out.push_str(" }");
    }

    /// Writes a member of a structure as it stands behind the structure's name.
    pub(super) fn push_member(&self, out: &mut String, structure: Id, member: u32) {
        let name = self
            .members
            .get(&(structure.0, member))
            .map_or("", |member| &member.name);
        out.push('.');
        match name {
            "" => {
                let _ = write!(out, "{member}");
            }
            name => push_plain(out, name, TEXT),
        }
    }
}
