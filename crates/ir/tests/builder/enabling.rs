//! Capabilities, extensions, imported sets, lines.

use spirvkit_binary::Id;
use spirvkit_grammar::*;
use spirvkit_ir::builder::{BuildErrorKind as K, Builder, Enabling};

use super::{count, error, errors, find, in_function, shader, valid};

fn new(version: Version) -> Builder {
    let mut b = Builder::new(version);
    b.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
    b
}

fn declared(lines: &[String]) -> Vec<&str> {
    let names = lines
        .iter()
        .filter_map(|line| line.strip_prefix("OpCapability "));
    names.collect()
}

#[test]
fn the_least_is_declared() {
    let mut b = new(Version::V1_3);
    b.type_float(64, None);
    let float = b.type_float(32, None);
    let vector = b.type_vector(float, 2);
    // This needs Matrix, which Shader implies.
    b.type_matrix(vector, 2);
    in_function(&mut b, |b| {
        b.emit_vertex();
        b.return_();
    });
    let lines = valid(b, "spv1.3");
    // GLSL450 needs Shader, and Geometry implies it.
    let mut found = declared(&lines);
    found.sort();
    assert_eq!(found, ["Float64", "Geometry", "Linkage"]);
}

#[test]
fn what_is_declared_is_preferred() {
    let small_buffer = |prefers: Option<Capability>| {
        let mut b = shader();
        if let Some(capability) = prefers {
            b.capability(capability);
        }
        b.type_float(16, None);
        valid(b, "spv1.3")
    };
    let storage = small_buffer(Some(Capability::StorageInputOutput16));
    assert_eq!(
        declared(&storage),
        ["Shader", "StorageInputOutput16", "Linkage"]
    );
    assert_eq!(
        declared(&small_buffer(None)),
        ["Shader", "Float16", "Linkage"]
    );
}

#[test]
fn types_decide_between_alternatives() {
    let mut b = new(Version::V1_3);
    let (float, uint) = (b.type_float(32, None), b.type_int(32, 0));
    let variable = b.global(StorageClass::Workgroup, float);
    let (one, half) = (b.constant(uint, 1), b.constant_f32(0.5));
    let zero = b.constant_u32(0);
    in_function(&mut b, |b| {
        b.atomic_f_add_ext(float, variable, one, zero, half);
        b.return_();
    });
    let lines = valid(b, "spv1.3");
    find(&lines, "OpCapability AtomicFloat32AddEXT");
    find(&lines, "OpExtension \"SPV_EXT_shader_atomic_float_add\"");
}

#[test]
fn extensions_where_the_version_needs_them() {
    for (version, env, expected) in [(Version::V1_3, "spv1.3", 1), (Version::V1_4, "spv1.4", 0)] {
        let mut b = new(version);
        let uint = b.type_int(32, 0);
        let variable = b.global(StorageClass::Private, uint);
        b.decorate_text(variable, Decoration::UserSemantic, "TEXCOORD0");
        let lines = valid(b, env);
        // The decoration is an extension's in all versions, the instruction in the old.
        assert!(count(&lines, "OpExtension") >= expected);
        assert_eq!(count(&lines, "decorate_string"), expected, "{lines:?}");
    }
}

#[test]
fn only_what_is_allowed() {
    let build = |capabilities: &[Capability], extensions: &[&str]| {
        let mut b = new(Version::V1_3);
        b.enabling(Enabling::AllowOnly {
            capabilities: capabilities.to_vec(),
            extensions: extensions.iter().map(|&name| name.to_owned()).collect(),
        });
        let uint = b.type_int(32, 0);
        let view = b.global(StorageClass::Input, uint);
        b.decorate(view, Decoration::BuiltIn, &[BuiltIn::BaryCoordKHR.0]);
        b
    };
    let extension = "SPV_KHR_fragment_shader_barycentric";
    use Capability as C;
    let enough = [C::Shader, C::FragmentBarycentricKHR, C::Linkage];
    assert!(build(&enough, &[extension]).finish().is_ok());
    // Geometry is allowed, and so is what it implies.
    let implying = [C::Geometry, C::FragmentBarycentricKHR, C::Linkage];
    assert!(build(&implying, &[extension]).finish().is_ok());

    match error(build(&enough[1..], &[extension]), Op::MemoryModel) {
        K::Capability { any_of, .. } => assert_eq!(any_of, [C::Shader]),
        other => panic!("{other:?}"),
    }
    let lacking = build(&enough, &[]);
    match error(lacking, Op::Capability) {
        K::Extension { any_of, .. } => assert!(any_of.contains(&extension.to_owned())),
        other => panic!("{other:?}"),
    }
    match error(build(&[C::Shader, C::Linkage], &[extension]), Op::Decorate) {
        K::Capability { what, any_of } => {
            assert!(what.contains("BaryCoordKHR"));
            assert!(any_of.contains(&C::FragmentBarycentricKHR));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn nothing_is_declared_on_request() {
    let mut b = new(Version::V1_3);
    b.enabling(Enabling::Leave);
    b.type_float(64, None);
    let module = b.finish().unwrap();
    assert!(
        module
            .instructions()
            .all(|inst| module.op(inst) != Op::Capability)
    );
}

#[test]
fn what_the_version_lacks() {
    let mut b = new(Version::V1_3);
    let uint = b.type_int(32, 0);
    let block = b.type_struct(&[uint]);
    let other = b.type_struct(&[uint]);
    let value = b.constant_null(block);
    in_function(&mut b, |b| {
        b.copy_logical(other, value);
        b.return_();
    });
    let kind = error(b, Op::CopyLogical);
    assert!(
        matches!(
            kind,
            K::Version {
                since: Some(Version::V1_4),
                ..
            }
        ),
        "{kind:?}"
    );

    let mut b = new(Version::V1_6);
    let uint = b.type_int(32, 0);
    let block = b.type_struct(&[uint]);
    b.decorate(block, Decoration::BufferBlock, &[]);
    let kind = error(b, Op::Decorate);
    assert!(
        matches!(
            kind,
            K::Version {
                until: Some(Version::V1_3),
                ..
            }
        ),
        "{kind:?}"
    );
}

#[test]
fn sets_are_imported_once() {
    let mut b = shader();
    let float = b.type_float(32, None);
    let one = b.constant_f32(1.0);
    in_function(&mut b, |b| {
        b.glsl(float, GlslStd450::Sqrt, &[one]);
        b.glsl(float, "Sqrt", &[one]);
        b.glsl(float, GlslStd450::Sqrt.0, &[one]);
        let set = b.import_set("GLSL.std.450");
        let result = b.forward();
        b.define(result).ext_inst(float, set, "FMin", &[one, one]);
        b.f_negate(float, result);
        b.return_();
    });
    let lines = valid(b, "spv1.3");
    assert_eq!(count(&lines, "OpExtInstImport"), 1);
    assert_eq!(count(&lines, " Sqrt "), 3);
    assert_eq!(count(&lines, " FMin "), 1);
}

#[test]
fn sets_of_extensions_and_capabilities() {
    let build = |version| {
        let mut b = new(version);
        let void = b.type_void();
        let set = b.import_set("NonSemantic.DebugBreak");
        in_function(&mut b, |b| {
            b.ext_inst(void, set, "DebugBreak", &[]);
            b.return_();
        });
        b
    };
    find(
        &valid(build(Version::V1_3), "spv1.3"),
        "\"SPV_KHR_non_semantic_info\"",
    );
    assert_eq!(
        count(&valid(build(Version::V1_6), "spv1.6"), "OpExtension"),
        0
    );

    let mut b = new(Version::V1_3);
    let float = b.type_float(32, None);
    let input = b.global(StorageClass::Input, float);
    in_function(&mut b, |b| {
        b.glsl(float, GlslStd450::InterpolateAtCentroid, &[input]);
        b.return_();
    });
    find(&valid(b, "spv1.3"), "OpCapability InterpolationFunction");

    let mut b = new(Version::V1_3);
    b.enabling(Enabling::AllowOnly {
        capabilities: vec![Capability::Shader, Capability::Linkage],
        extensions: Vec::new(),
    });
    b.import_set("SPV_AMD_shader_trinary_minmax");
    match error(b, Op::ExtInstImport) {
        K::Extension { any_of, .. } => assert_eq!(any_of, ["SPV_AMD_shader_trinary_minmax"]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn kernels_have_their_literals() {
    let mut b = Builder::new(Version::V1_2);
    b.memory_model(AddressingModel::Physical64, MemoryModel::OpenCL);
    let (float, ulong) = (b.type_float(32, None), b.type_int(64, 0));
    let vector = b.type_vector(float, 16);
    let pointer = b.type_pointer(StorageClass::CrossWorkgroup, float);
    let zero = b.constant(ulong, 0);
    let void = b.type_void();
    b.function(void, FunctionControl::None, &[pointer], |b, parameters| {
        let set = b.import_set("OpenCL.std");
        let operands = [zero.0, parameters[0].0, 16];
        b.ext_inst_words(vector, set, OpenClStd::vloadn, &operands);
        b.opencl(float, "fabs", &[Id(0)]);
        b.return_();
    });
    let errors = errors(b);
    assert_eq!(errors.len(), 1, "{errors}");
    assert!(matches!(errors[0].kind, K::Undefined(Id(0))));
}

#[test]
fn lines_hold_for_what_follows() {
    let mut b = shader();
    let float = b.type_float(32, None);
    let one = b.constant_f32(1.0);
    let file = b.string("shader.frag");
    in_function(&mut b, |b| {
        b.f_negate(float, one);
        b.set_line(file, 7, 3);
        b.f_negate(float, one);
        // A new type gets no line, and ends none.
        b.type_float(64, None);
        b.f_negate(float, one);
        b.set_line(file, 7, 3);
        b.f_negate(float, one);
        let next = b.forward();
        b.branch(next);
        b.begin_block(next);
        b.f_negate(float, one);
        b.no_line();
        b.return_();
    });
    let lines = valid(b, "spv1.3");
    let function = find(&lines, "OpFunction ");
    let body = &lines[function + 2..];
    let ops = body
        .iter()
        .map(|line| line.split("= ").last().unwrap().split(' ').next().unwrap());
    let ops: Vec<&str> = ops.collect();
    let expected = [
        "OpFNegate",
        "OpLine",
        "OpFNegate",
        "OpFNegate",
        "OpFNegate",
        "OpBranch",
        "OpLabel",
        "OpLine",
        "OpFNegate",
        "OpNoLine",
        "OpReturn",
        "OpFunctionEnd",
    ];
    assert_eq!(ops, expected);
}

/// Lines and scopes of the instruction sets for debug information are instructions, and
/// hold for what is made after them.
#[test]
fn debug_scopes_hold_for_what_follows() {
    let mut b = new(Version::V1_6);
    let (void, uint) = (b.type_void(), b.type_int(32, 0));
    let set = b.import_set("NonSemantic.Shader.DebugInfo.100");
    let (text, numbers) = (
        b.string("shader.comp"),
        [1, 5, 2].map(|each| b.constant(uint, each)),
    );
    let source = b.ext_inst(void, set, "DebugSource", &[text]);
    let operands = [numbers[0], numbers[1], source, numbers[2]];
    let unit = b.ext_inst(void, set, "DebugCompilationUnit", &operands);
    let one = b.constant_u32(1);
    in_function(&mut b, |b| {
        b.ext_inst(void, set, "DebugScope", &[unit]);
        let line = [source, numbers[0], numbers[0], numbers[0], numbers[0]];
        b.ext_inst(void, set, "DebugLine", &line);
        b.i_add(uint, one, one);
        b.i_mul(uint, one, one);
        b.return_();
    });
    let lines = valid(b, "spv1.6");
    assert_eq!(count(&lines, "DebugLine"), 1, "{}", lines.join("\n"));
    assert_eq!(count(&lines, "DebugScope"), 1);
    assert_eq!(count(&lines, "DebugNo"), 0);
}

#[test]
fn scopes_of_source_hold_over_the_ends_of_blocks() {
    let mut b = shader();
    let float = b.type_float(32, None);
    let one = b.constant_f32(1.0);
    let void = b.type_void();
    let set = b.import_set("OpenCL.DebugInfo.100");
    in_function(&mut b, |b| {
        // Before the functions, though one is open.
        let file = b.string("shader.frag");
        let source = b.declare(Op::ExtInst, Some(void), &[set.0, 35, file.0]);
        let unit = [set.0, 1, 100, 4, source.0, 2];
        let unit = b.declare(Op::ExtInst, Some(void), &unit);
        let scope = b.new_place(Op::ExtInst, &[void.0, 0, set.0, 23, unit.0]);
        b.set_scope_to(scope.ok());
        let next = b.forward();
        b.branch(next);
        b.begin_block(next);
        b.f_negate(float, one);
        b.set_scope_to(None);
        b.return_();
    });
    let lines = valid(b, "spv1.3");
    let function = find(&lines, "OpFunction ");
    assert!(find(&lines, "DebugCompilationUnit") < function);
    let ops = lines[function + 2..].iter().map(|line| {
        let mut words = line.split("= ").last().unwrap().split(' ');
        match words.next().unwrap() {
            "OpExtInst" => words.nth(2).unwrap(),
            op => op,
        }
    });
    let expected = [
        "DebugScope",
        "OpBranch",
        "OpLabel",
        "DebugScope",
        "OpFNegate",
        "DebugNoScope",
        "OpReturn",
        "OpFunctionEnd",
    ];
    assert_eq!(ops.collect::<Vec<_>>(), expected);
}
