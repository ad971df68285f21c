//! What is read of the samples: the same in all three sets.

use crate::common::{SAMPLES, Sample};
use spirvkit_binary::WordOffset;
use spirvkit_debuginfo::{
    DebugInfo, Encoding, Entry, Field, Flags, Kind, Location, OperationCode, Qualifier, Set, Tag,
};
use spirvkit_grammar::StorageClass;

fn each(check: impl Fn(Set, &Sample, &DebugInfo<'_>)) {
    for (set, text) in SAMPLES {
        let sample = Sample::new(text);
        check(set, &sample, &sample.info());
    }
}

fn named<'m>(sample: &Sample, info: &'m DebugInfo<'_>, name: &str) -> Entry<'m> {
    info.entry(sample.id(name))
        .unwrap_or_else(|| panic!("%{name}"))
}

fn offset(sample: &Sample, info: &DebugInfo<'_>, name: &str) -> WordOffset {
    info.definition(sample.id(name)).expect(name).offset()
}

#[test]
fn every_instruction_of_each_set_is_in_its_sample() {
    each(|set, _, info| {
        for &kind in Kind::ALL {
            // Extensions that are newer than the version of the set.
            if matches!(kind, Kind::TypeVectorIdEXT) {
                continue;
            }
            let has = info.of_kind(kind).next().is_some();
            assert_eq!(has, set.fields(kind).is_some(), "{kind:?} in {set}");
        }
        assert_eq!(info.sets().map(|(_, set)| set).collect::<Vec<_>>(), [set]);
    });
}

#[test]
fn types_are_written_as_in_c() {
    each(|set, sample, info| {
        let text = |name: &str| named(sample, info, name).type_text();
        assert_eq!(text("d_int"), "int");
        assert_eq!(text("d_ptr"), "int *");
        assert_eq!(text("d_const"), "const int");
        assert_eq!(text("d_array"), "int[4][3]");
        assert_eq!(text("d_vector"), "float4");
        assert_eq!(text("d_real"), "real");
        assert_eq!(text("d_move"), "void (int)");
        assert_eq!(text("d_half"), "int (int)");
        assert_eq!(text("d_phase"), "enum phase");
        assert_eq!(text("d_base"), "class base");
        assert_eq!(text("d_body"), "struct body");
        assert_eq!(text("d_image"), "image");
        assert_eq!(text("d_member"), "float body::*");
        assert_eq!(text("d_box_of_i"), "class box");
        assert_eq!(
            named(sample, info, "d_mass").declaration_text(),
            "real mass"
        );
        if set == Set::Shader {
            assert_eq!(text("d_coopmat"), "coopmat<float>");
            assert_eq!(text("d_vecid"), "float4");
        }
    });
}

#[test]
fn types_that_hold_themselves_come_to_an_end() {
    let operands = "%d_half ".repeat(30);
    let text = SAMPLES[0].1.replace(
        "DebugTypeFunction %d_int %d_int",
        &format!("DebugTypeFunction {operands}"),
    );
    let sample = Sample::new(&text);
    let info = sample.info();
    let text = named(&sample, &info, "d_half").type_text();
    assert!(text.contains('…') && text.len() < 50_000, "{}", text.len());
    let name = "ä".repeat(10_000);
    let sample = Sample::new(&SAMPLES[0].1.replace("\"real\"", &format!("\"{name}\"")));
    let info = sample.info();
    assert!(named(&sample, &info, "d_mass").summary().len() < 2000);
    assert_eq!(named(&sample, &info, "d_real").name(), Some(name));
}

#[test]
fn fields_are_read_alike() {
    each(|set, sample, info| {
        let entry = |name: &str| named(sample, info, name);
        assert_eq!(entry("d_int").encoding(), Some(Encoding::Signed), "{set}");
        assert_eq!(entry("d_float").encoding(), Some(Encoding::Float), "{set}");
        assert_eq!(entry("d_float").size_in_bits(), Some(32));
        let class = match set {
            Set::Shader => StorageClass::Private,
            _ => StorageClass::CrossWorkgroup,
        };
        assert_eq!(entry("d_ptr").storage_class(), Some(class));
        assert_eq!(entry("d_const").qualifier(), Some(Qualifier::ConstType));
        assert_eq!(
            entry("d_array").dimensions().collect::<Vec<_>>(),
            [Some(4), Some(3)]
        );
        assert_eq!(entry("d_vector").component_count(), Some(4));
        assert_eq!(entry("d_body").tag(), Some(Tag::Structure));
        assert_eq!(entry("d_base").tag(), Some(Tag::Class));
        assert_eq!(entry("d_image").size_in_bits(), None);
        let members: Vec<_> = entry("d_body")
            .members()
            .map(|member| member.kind())
            .collect();
        assert_eq!(
            members,
            [Kind::TypeMember, Kind::TypeInheritance, Kind::TypeMember]
        );
        assert_eq!(entry("d_static").offset_in_bits(), Some(32));
        assert!(entry("d_static").flags().contains(Flags::FlagStaticMember));
        assert_eq!(entry("d_static").number(Field::Value), Some(3));
        assert_eq!(
            entry("d_inherit").entry(Field::BaseClass),
            Some(entry("d_base"))
        );
        let values: Vec<_> = entry("d_phase").enumerators().collect();
        assert_eq!(
            values,
            [("IDLE".to_owned(), Some(0)), ("BUSY".to_owned(), Some(1))]
        );
        assert_eq!(entry("d_total").linkage_name().as_deref(), Some("total"));
        assert_eq!(entry("d_real").parent(), Some(entry("unit")));
        assert_eq!(
            (entry("d_real").line(), entry("d_real").column()),
            (Some(2), Some(15))
        );
        assert_eq!(
            entry("d_real").place_text().as_deref(),
            Some("move.cl:2:15")
        );
        assert_eq!(entry("d_space").name().as_deref(), Some("body"));
        assert_eq!(entry("d_block").name(), None);
        assert_eq!(entry("d_discr").number(Field::Discriminator), Some(2));
        assert_eq!(entry("d_x").number(Field::ArgNumber), Some(1));
        assert_eq!(entry("d_y").number(Field::ArgNumber), None);
        assert_eq!(
            entry("d_h_i").entry(Field::LocalVariable),
            Some(entry("d_h"))
        );
        assert_eq!(entry("d_undef").entry(Field::Macro), Some(entry("d_LIMIT")));
        assert_eq!(
            entry("d_helper").entry(Field::Declaration),
            Some(entry("d_declared"))
        );
        assert_eq!(entry("d_helper").number(Field::ScopeLine), Some(31));
        assert_eq!(entry("none").kind(), Kind::InfoNone);
        let operations: Vec<_> = entry("d_expr").operations().collect();
        assert_eq!(operations.len(), 3);
        assert_eq!(operations[1].code, OperationCode::PlusUconst);
        assert_eq!(operations[1].operands, [4]);
        assert_eq!(operations[2].code, OperationCode::BitPiece);
        assert_eq!(operations[2].operands, [0, 16]);
    });
}

#[test]
fn functions_know_their_descriptions() {
    each(|set, sample, info| {
        let [first, second] = info.functions() else {
            panic!("{set} has two functions");
        };
        assert_eq!(
            info.description(first),
            Some(named(sample, info, "d_function"))
        );
        assert_eq!(
            info.description(second),
            Some(named(sample, info, "d_helper"))
        );
        let helper = info
            .function_of(named(sample, info, "d_helper"))
            .expect("a function");
        assert_eq!(helper.id, sample.id("half_of"));
        assert_eq!(helper.words.end, sample.words.len());
    });
}

#[test]
fn lines_and_scopes_hold_until_others_do() {
    each(|set, sample, info| {
        let at = |name: &str| offset(sample, info, name);
        let line = |at| {
            info.position(at)
                .map(|position| (position.line, position.column))
        };
        let value = at("value");
        assert_eq!(line(value), Some((22, 9)), "{set}");
        assert_eq!(line(at("sum")), Some((31, 10)), "{set}");
        assert_eq!(line(at("noscope")), Some((31, 10)));
        // OpReturn comes after DebugNoScope and OpNoLine.
        let last = WordOffset(info.functions()[0].words.end - 2);
        assert_eq!(line(last), None);
        assert_eq!(
            info.scope(last).map(|scope| scope.scope),
            Some(named(sample, info, "d_function"))
        );
        assert_eq!(line(at("beginning")), None);
        let file = info.position(value).expect("a position").file;
        assert_eq!(info.file(file).map(|file| file.name()), Some("move.cl"));
        assert_eq!(info.lines_of(file).collect::<Vec<_>>(), [22, 31]);
        let of_line: Vec<_> = info.instructions_of(file, 31).collect();
        assert_eq!(of_line.len(), 2, "in both functions");
        assert!(of_line[0].contains(&at("sum").0));
        assert!(of_line[1].contains(&at("half").0));
        assert_eq!(info.instructions_of(file, 23).count(), 0);
    });
}

#[test]
fn a_line_at_the_end_holds_for_nothing() {
    for (set, text) in SAMPLES {
        let sample = Sample::new(&format!("{text}OpLine %file 9 9\n"));
        let info = sample.info();
        assert!(info.runs().all(|it| !it.is_empty()), "{set}");
        let mut lines = info.files().flat_map(|(file, _)| info.lines_of(file));
        assert!(!lines.any(|line| line == 9), "{set}");
    }
}

#[test]
fn inlined_calls_are_frames() {
    each(|set, sample, info| {
        let frames: Vec<_> = info.frames(offset(sample, info, "sum")).collect();
        assert_eq!(frames.len(), 2, "{set}");
        assert_eq!(frames[0].scope, named(sample, info, "d_helper"));
        assert_eq!(frames[0].inlined_at, Some(named(sample, info, "d_inlined")));
        assert_eq!(frames[1].scope, named(sample, info, "d_block"));
        assert_eq!(
            frames[1].function(),
            Some(named(sample, info, "d_function"))
        );
        assert_eq!(frames[1].position.map(|call| call.line), Some(23));
        assert_eq!(frames[1].inlined_at, None);
        let plain: Vec<_> = info.frames(offset(sample, info, "value")).collect();
        assert_eq!(plain.len(), 1);
    });
}

#[test]
fn scopes_in_cycles_are_in_no_function() {
    let text = SAMPLES[0].1.replace(
        "DebugLexicalBlock %file 22 3 %d_function",
        "DebugLexicalBlock %file 22 3 %d_discr",
    );
    let sample = Sample::new(&text);
    let info = sample.info();
    for name in ["d_block", "d_discr", "d_y"] {
        assert_eq!(named(&sample, &info, name).function(), None, "{name}");
    }
    let function = named(&sample, &info, "d_function");
    assert_eq!(named(&sample, &info, "d_x").function(), Some(function));
    assert_eq!(function.function(), Some(function));
}

#[test]
fn variables_are_where_declare_and_value_say() {
    each(|set, sample, info| {
        let variables: Vec<_> = info.variables(offset(sample, info, "half")).collect();
        let names: Vec<_> = variables.iter().map(|found| found.variable.id()).collect();
        assert_eq!(names, [sample.id("d_h"), sample.id("d_total")], "{set}");
        let Location::Value(value) = &variables[0].location else {
            panic!("{:?}", variables[0].location);
        };
        assert_eq!(value.id, sample.id("h"));
        assert_eq!(value.operations().count(), 3);
        assert!(value.indexes().eq([sample.id("bits0")]));
        let Location::Memory(value) = &variables[1].location else {
            panic!("{:?}", variables[1].location);
        };
        assert_eq!(value.id, sample.id("total"));
        // Before its DebugValue, the parameter is nowhere yet.
        let mut before = info.variables(offset(sample, info, "value"));
        let x = before.find(|found| found.variable.id() == sample.id("d_x"));
        assert_eq!(x.map(|found| found.location), Some(Location::Unknown));
        // In an inlined function, the variables of both are visible, but those of the
        // function's other places are elsewhere.
        let inlined = info.variables(offset(sample, info, "sum"));
        assert_eq!(inlined.clone().count(), 4);
        let inlined: Vec<_> = inlined.collect();
        let found: Vec<_> = inlined
            .iter()
            .map(|found| (found.variable.id(), found.frame))
            .collect();
        let expected = [("d_h", 0), ("d_y", 1), ("d_x", 1), ("d_total", 1)];
        assert_eq!(
            found,
            expected.map(|(name, frame)| (sample.id(name), frame))
        );
        assert_eq!(inlined[0].location, Location::Unknown);
        assert!(
            matches!(&inlined[1].location, Location::Memory(value) if value.id == sample.id("y"))
        );
        assert!(
            matches!(&inlined[2].location, Location::Value(value) if value.id == sample.id("x"))
        );
    });
}

#[test]
fn the_tree_shows_everything_once() {
    each(|set, _, info| {
        let lines: Vec<String> = info.tree().map(|branch| branch.to_string()).collect();
        let tree = lines.join("\n");
        let shown = info
            .entries()
            .filter(|entry| !entry.kind().is_in_body())
            .count();
        assert_eq!(lines.len(), shown, "{set}");
        assert!(tree.contains("function half_of: int (int)"), "{tree}");
        assert!(tree.contains("    "), "blocks are inside functions");
    });
}

#[test]
fn texts_of_sources_are_put_together() {
    let sample = Sample::new(SAMPLES[2].1);
    let info = sample.info();
    let files: Vec<_> = info
        .files()
        .map(|(id, file)| (file.name(), info.text_of(id)))
        .collect();
    let text = Some("void move() {}10".to_owned());
    assert_eq!(files, [("move.cl", None), ("bodies.h", text)]);
}
