//! Very much of anything takes time in proportion.

use std::fmt::Write;
use std::time::{Duration, Instant};

use spirvkit_binary::Budget;

use super::*;

const MANY: usize = 20_000;

#[track_caller]
fn is_quick(
    modules: &[&Module],
    options: &Options,
) -> Result<Module, spirvkit_diagnostics::Errors<LinkError>> {
    let begun = Instant::now();
    let linked = try_link(modules, options);
    // Without optimization, and on a machine with other work.
    assert!(begun.elapsed() < Duration::from_secs(20));
    linked
}

/// A module with very many functions that it imports, or exports.
fn functions(linkage: &str) -> Module {
    let (mut decorations, mut functions) = (String::new(), String::new());
    for number in 0..MANY {
        writeln!(
            decorations,
            "OpDecorate %f{number} LinkageAttributes \"f{number}\" {linkage}"
        )
        .unwrap();
        let body = match linkage {
            "Import" => "",
            _ => "OpLabel\nOpReturn\n",
        };
        let label = if body.is_empty() {
            String::new()
        } else {
            format!("%l{number} = ")
        };
        writeln!(
            functions,
            "%f{number} = OpFunction %void None %type\n{label}{body}OpFunctionEnd"
        )
        .unwrap();
    }
    kernel(&format!(
        "{decorations}%void = OpTypeVoid\n%type = OpTypeFunction %void\n{functions}"
    ))
}

#[test]
fn symbols() {
    let (imports, exports) = (functions("Import"), functions("Export"));
    let linked = is_quick(&[&imports, &exports], &Options::default()).unwrap();
    assert_eq!(linked.functions().count(), MANY);
    let errors = is_quick(&[&imports], &Options::default()).unwrap_err();
    assert_eq!(errors.len(), MANY);
    let errors = is_quick(&[&exports, &exports], &Options::default()).unwrap_err();
    assert_eq!(errors.len(), MANY);
}

#[test]
fn types_within_each_other() {
    let nest = |innermost: &str| {
        let mut text = format!("%s0 = {innermost}\n");
        for number in 0..MANY {
            let inner = number + 1;
            writeln!(text, "%s{inner} = OpTypePointer CrossWorkgroup %s{number}").unwrap();
        }
        kernel(&format!(
            "OpDecorate %v LinkageAttributes \"v\" LINKAGE\n{text}%v = OpVariable %s{MANY} CrossWorkgroup\n"
        ).replace("LINKAGE", if innermost.contains("Float") { "Export" } else { "Import" }))
    };
    let (floats, uints) = (nest("OpTypeFloat 32"), nest("OpTypeInt 32 0"));
    let errors = is_quick(&[&floats, &uints], &Options::default()).unwrap_err();
    assert_eq!(errors[0].kind(), LinkErrorKind::Type);
    assert!(errors[0].to_string().len() < 1_000_000);
    let linked = is_quick(&[&floats, &floats.clone()], &Options::default());
    assert_eq!(linked.unwrap_err()[0].kind(), LinkErrorKind::Duplicate);
}

#[test]
fn entry_points_and_variables() {
    let count = 2_000;
    let (mut entries, mut functions, mut variables, mut loads) =
        (String::new(), String::new(), String::new(), String::new());
    for number in 0..count {
        writeln!(entries, "OpEntryPoint Kernel %f{number} \"f{number}\"").unwrap();
        writeln!(
            functions,
            "%f{number} = OpFunction %void None %type\n%l{number} = OpLabel\n%c{number} = OpFunctionCall %void %all\nOpReturn\nOpFunctionEnd"
        )
        .unwrap();
        writeln!(variables, "%v{number} = OpVariable %p Input").unwrap();
        writeln!(loads, "%x{number} = OpLoad %uint %v{number}").unwrap();
    }
    let module = kernel(&format!(
        "{entries}%void = OpTypeVoid
%uint = OpTypeInt 32 0
%p = OpTypePointer Input %uint
%type = OpTypeFunction %void
{variables}
{functions}
%all = OpFunction %void None %type
%l = OpLabel
{loads}OpReturn
OpFunctionEnd
"
    ));
    // Each lists all of them, which is much for so small a module.
    let errors = is_quick(&[&module], &Options::default()).unwrap_err();
    assert_eq!(errors[0].kind(), LinkErrorKind::TooLarge);
    let options = Options::default().budget(Some(Budget::unlimited()));
    let linked = is_quick(&[&module], &options).unwrap();
    let entry = linked
        .instructions()
        .find(|&inst| linked.op(inst) == spirvkit_grammar::Op::EntryPoint)
        .unwrap();
    assert!(linked.get(entry).words().len() > count);
}

#[test]
fn structures_that_contain_themselves() {
    // Each names itself, the next and the first, without a pointer that is declared before.
    let count = 3 * MANY;
    let mut text = String::new();
    for number in 0..count {
        writeln!(text, "OpDecorate %s{number} Alignment {number}").unwrap();
    }
    for number in 0..count {
        let next = (number + 1) % count;
        writeln!(text, "%s{number} = OpTypeStruct %s{next} %s{number} %s0").unwrap();
    }
    let module = kernel(&text);
    let linked = is_quick(&[&module, &module.clone()], &Options::default()).unwrap();
    assert_eq!(linked.instructions().count(), module.instructions().count());
}

#[test]
fn decorations_of_what_is_imported_very_often() {
    let (mut alignments, mut targets, mut imports) = (String::new(), String::new(), String::new());
    for number in 0..MANY {
        writeln!(alignments, "OpDecorate %f Alignment {number}").unwrap();
        write!(targets, " %f{number}").unwrap();
        writeln!(
            imports,
            "%f{number} = OpFunction %void None %type\nOpFunctionEnd"
        )
        .unwrap();
    }
    let types = "%void = OpTypeVoid\n%type = OpTypeFunction %void\n";
    let export = kernel(&format!(
        "OpDecorate %f LinkageAttributes \"f\" Export\n{alignments}{types}%f = OpFunction %void None %type\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n"
    ));
    let import = kernel(&format!(
        "OpDecorate %g LinkageAttributes \"f\" Import\n%g = OpDecorationGroup\nOpGroupDecorate %g{targets}\n{types}{imports}"
    ));
    let linked = is_quick(&[&export, &import], &Options::default()).unwrap();
    assert_eq!(linked.functions().count(), 1);
}

#[test]
fn differences_in_one_large_type() {
    let members = 30_000;
    let module = |last: &str, linkage: &str| {
        let list = " %uint".repeat(members - 1);
        let (mut decorations, mut variables) = (String::new(), String::new());
        for number in 0..100 {
            writeln!(
                decorations,
                "OpDecorate %v{number} LinkageAttributes \"v{number}\" {linkage}"
            )
            .unwrap();
            writeln!(variables, "%v{number} = OpVariable %p CrossWorkgroup").unwrap();
        }
        kernel(&format!(
            "{decorations}%uint = OpTypeInt 32 0\n%float = OpTypeFloat 32\n\
             %s = OpTypeStruct{list} %{last}\n%p = OpTypePointer CrossWorkgroup %s\n{variables}"
        ))
    };
    let modules = [module("uint", "Import"), module("float", "Export")];
    let errors = try_link(&[&modules[0], &modules[1]], &Options::default()).unwrap_err();
    assert_eq!(errors.len(), 100);
    let tells = |error: &LinkError| error.to_string().contains("member 29999");
    assert!(tells(&errors[0]));
    // A look at all members for each of them would be too much.
    let reported = errors.iter().filter(|error| tells(error)).count();
    assert!((10..50).contains(&reported), "{reported}");
}
