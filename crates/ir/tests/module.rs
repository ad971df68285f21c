//! Loading, walking, changing and storing modules.

use spirvkit_binary::{Id, Section};
use spirvkit_grammar::{FunctionControl, Op, Version};
use spirvkit_ir::{Block, EditError, Inst, Module, Place};
use spirvkit_testing::words;

const LOOP: &str = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%file = OpString \"file\"
OpName %main \"main\"
OpLine %file 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%zero = OpConstant %u32 0
%one = OpConstant %u32 1
%ten = OpConstant %u32 10
OpNoLine
%main = OpFunction %void None %fn
%entry = OpLabel
OpLine %file 2 1
OpBranch %head
OpLine %file 9 9
%head = OpLabel
%i = OpPhi %u32 %zero %entry %next %continue
OpLine %file 3 1
%less = OpULessThan %bool %i %ten
OpLoopMerge %merge %continue None
OpBranchConditional %less %body %merge
%body = OpLabel
OpLine %file 4 1
%double = OpIMul %u32 %i %i
%triple = OpIAdd %u32 %double %i
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %u32 %i %one
OpBranch %head
%merge = OpLabel
OpReturn
OpFunctionEnd
";

fn load(text: &str) -> Module {
    Module::load(&words(text)).unwrap()
}

/// The module as text with its names, one instruction a line.
fn show(module: &Module) -> Vec<String> {
    module.verify().unwrap();
    let text = spirvkit_testing::text(&module.store());
    text.lines().map(str::to_owned).collect()
}

fn find(module: &Module, op: Op) -> Inst {
    module
        .instructions()
        .find(|&inst| module.op(inst) == op)
        .unwrap()
}

fn block(module: &Module, number: usize) -> Block {
    let function = module.functions().next().unwrap();
    module.blocks(function).nth(number).unwrap()
}

#[test]
fn what_is_loaded_is_stored() {
    let words = words(LOOP);
    let module = Module::load(&words).unwrap();
    module.verify().unwrap();
    assert_eq!(module.store(), words);
    assert_eq!(module.functions().count(), 1);
    let function = module.functions().next().unwrap();
    assert_eq!(module.blocks(function).count(), 5);
    let ops: Vec<_> = module
        .block_instructions(block(&module, 1))
        .map(|inst| module.op(inst))
        .collect();
    let expected = [
        Op::Label,
        Op::Phi,
        Op::Line,
        Op::ULessThan,
        Op::LoopMerge,
        Op::BranchConditional,
    ];
    assert_eq!(ops, expected);
}

#[test]
fn what_is_in_no_order_is_stored_as_it_was() {
    // Labels outside functions, a function without an end, an unknown opcode, and an
    // id defined twice.
    let mut words = words(
        "OpReturn\n%l = OpLabel\n%v = OpTypeVoid\nOpCapability Shader\n%f = OpFunction %v None %v\nOpReturn\n%l2 = OpLabel\nOpKill\nOpNoLine",
    );
    words.extend([0x0003_fff0, 1, 2, 0x0002_0013, 1, 0x0002_00f8, 90]);
    let module = Module::load(&words).unwrap();
    module.verify().unwrap();
    assert_eq!(module.store(), words);
}

#[test]
fn a_scope_before_its_set_is_stored_as_it_was() {
    // OpExtInst %1 %3 DebugScope %4, and only then what %3 is.
    let scope = [6 << 16 | u32::from(Op::ExtInst.0), 1, 2, 3, 23, 4];
    let after = words("%3 = OpExtInstImport \"DebugInfo\"\n%1 = OpTypeVoid\n");
    let (header, rest) = after.split_at(5);
    let all = [header, &scope, rest].concat();
    let module = Module::load(&all).unwrap();
    assert_eq!(module.store(), all);
    module.verify().unwrap();
}

#[test]
fn words_that_are_no_instructions_are_refused() {
    let mut words = words("OpCapability Shader");
    words.push(0);
    assert!(Module::load(&words).is_err());
    *words.last_mut().unwrap() = 5 << 16;
    assert!(Module::load(&words).is_err());
    assert!(Module::load(&words[..4]).is_err());
}

#[test]
fn what_begins_nothing_is_no_border() {
    // A function within a function, and a label outside of any.
    let text = "%l = OpLabel\n%v = OpTypeVoid\n%f = OpFunction %v None %v\n%e = OpLabel\nOpReturn\n%g = OpFunction %v None %v\n";
    let mut module = load(text);
    for inst in module.instructions().collect::<Vec<_>>() {
        let before = Place::Before(inst);
        module.insert(before, Op::Nop, &[]).unwrap();
        module.verify().unwrap();
    }
    assert_eq!(module.instructions().count(), 12);
}

#[test]
fn uses_are_known_and_kept() {
    let mut module = load(LOOP);
    let phi = find(&module, Op::Phi);
    let i = module.result(phi).unwrap();
    let users: Vec<_> = module.uses(i).map(|found| module.op(found.inst)).collect();
    let expected = [Op::ULessThan, Op::IMul, Op::IMul, Op::IAdd, Op::IAdd];
    assert_eq!(users, expected);
    let ten = module.get(find(&module, Op::ULessThan)).words()[4];
    assert_eq!(module.replace_uses(i, Id(ten)), 5);
    assert!(!module.is_used(i));
    assert_eq!(module.uses(Id(ten)).count(), 6);
    module.verify().unwrap();
    module.remove(phi).unwrap();
    assert_eq!(module.definition(i), None);
    assert_eq!(module.remove(phi), Err(EditError::NoSuchPlace));
    module.verify().unwrap();
}

#[test]
fn lines_stay_with_what_is_moved() {
    let mut module = load(LOOP);
    let mul = find(&module, Op::IMul);
    let head = block(&module, 0);
    module.move_to(mul, Place::Tail(head)).unwrap();
    let text = show(&module);
    let at = text
        .iter()
        .position(|line| line.contains("OpIMul"))
        .unwrap();
    assert_eq!(text[at - 1], "OpLine %2 4 1");
    // What stands behind it has its own line, and what it left has kept its.
    assert_eq!(text[at + 1], "OpLine %2 2 1");
    assert!(text[at + 2].starts_with("OpBranch "));
    let add = text
        .iter()
        .position(|line| line.contains("OpIAdd"))
        .unwrap();
    assert_eq!(text[add - 1], "OpLine %2 4 1");
}

#[test]
fn new_instructions_get_their_neighbours_line() {
    let mut module = load(LOOP);
    let mul = find(&module, Op::IMul);
    let (ty, id) = (module.result_type(mul).unwrap(), module.fresh_id());
    let operands = [ty.0, id.0, module.get(mul).words()[3]];
    let before = module.store().len();
    let not = module
        .insert(Place::After(mul), Op::Not, &operands)
        .unwrap();
    assert_eq!(module.line(not), module.line(mul));
    assert_eq!(module.store().len(), before + 4);
    // Without a line it is marked so, and what comes after it gets its line back.
    module.set_line(not, None);
    let text = show(&module);
    let at = text.iter().position(|line| line.contains("OpNot")).unwrap();
    assert_eq!(text[at - 1], "OpNoLine");
    assert_eq!(text[at + 1], "OpLine %2 4 1");
    let file = module.result(find(&module, Op::String)).unwrap();
    let line = module.new_line(file, 7, 0);
    module.set_line(not, Some(line));
    assert!(show(&module).contains(&"OpLine %2 7 0".to_owned()));
}

#[test]
fn removed_lines_are_no_lines() {
    let mut module = load(LOOP);
    let lines: Vec<_> = module
        .instructions()
        .filter(|&inst| module.is_place(inst))
        .collect();
    assert_eq!(lines.len(), 6);
    for line in lines {
        module.remove(line).unwrap();
    }
    assert!(show(&module).iter().all(|line| !line.contains("Line")));
}

#[test]
fn instructions_go_to_their_places() {
    let mut module = load(LOOP);
    let (ty, id) = (module.fresh_id(), module.fresh_id());
    let float = Place::Section(Section::Types);
    module.insert(float, Op::TypeFloat, &[ty.0, 32]).unwrap();
    let names = Place::Section(Section::Names);
    module
        .insert(names, Op::Name, &[ty.0, u32::from_le_bytes(*b"f32\0")])
        .unwrap();
    let annotations = Place::Section(Section::Annotations);
    module
        .insert(annotations, Op::Decorate, &[id.0, 0])
        .unwrap();
    let head = Place::Head(block(&module, 1));
    module.insert(head, Op::Undef, &[ty.0, id.0]).unwrap();
    let text = show(&module);
    // Among what has a line it is marked to have none.
    let at = |piece: &str| text.iter().position(|line| line.contains(piece)).unwrap();
    assert_eq!(at("OpTypeFloat"), at("OpConstant %uint 10") + 2);
    assert_eq!(at("OpName %f32"), at("OpName %main") + 1);
    assert_eq!(at("OpDecorate"), at("OpName %f32") + 1);
    assert_eq!(at("OpUndef"), at("OpPhi") + 2);
    let far = Place::Before(Inst::clone(&find(&module, Op::Undef)));
    assert_eq!(
        module.insert(far, Op::Label, &[99]),
        Err(EditError::Structural(Op::Label))
    );
    let long = vec![0; 70_000];
    let error = module.insert(far, Op::Undef, &long).unwrap_err();
    assert!(matches!(error, EditError::TooLong(_)));
}

#[test]
fn blocks_are_split_and_merged() {
    let mut module = load(LOOP);
    let before = module.store();
    let add = module
        .block_instructions(block(&module, 2))
        .find(|&inst| module.op(inst) == Op::IAdd)
        .unwrap();
    let old = block(&module, 2);
    let label = module.fresh_id();
    let new = module.split_block(add, label).unwrap();
    module
        .insert(Place::Tail(old), Op::Branch, &[label.0])
        .unwrap();
    module.verify().unwrap();
    assert_eq!(module.block_of(add), Some(new));
    assert_eq!(module.next_block(old), Some(new));
    assert_eq!(module.successors(old).collect::<Vec<_>>(), [new]);
    // The branch, and behind it the label and the line that goes on.
    assert_eq!(show(&module).len(), LOOP.lines().count() + 3);
    // The entry block and the loop's header can't be one.
    let (entry, head) = (block(&module, 0), block(&module, 1));
    assert_eq!(
        module.merge_blocks(entry, head),
        Err(EditError::NotMergeable)
    );
    module.merge_blocks(old, new).unwrap();
    module.verify().unwrap();
    module.set_bound(before[3]);
    assert_eq!(module.store(), before);
}

#[test]
fn a_split_block_is_renamed_in_phis() {
    let mut module = load(LOOP);
    let latch = block(&module, 3);
    let branch = module.terminator(latch).unwrap();
    let label = module.fresh_id();
    let new = module.split_block(branch, label).unwrap();
    module
        .insert(Place::Tail(latch), Op::Branch, &[label.0])
        .unwrap();
    let phi = find(&module, Op::Phi);
    assert_eq!(module.get(phi).words()[6], label.0);
    module.merge_blocks(latch, new).unwrap();
    assert_eq!(Some(Id(module.get(phi).words()[6])), module.block_id(latch));
    module.verify().unwrap();
}

#[test]
fn blocks_move_and_go() {
    let mut module = load(LOOP);
    let (body, latch, merge) = (block(&module, 2), block(&module, 3), block(&module, 4));
    module.move_block(merge, body).unwrap();
    module.verify().unwrap();
    let function = module.functions().next().unwrap();
    let order: Vec<_> = module.blocks(function).skip(2).collect();
    assert_eq!(order, [body, merge, latch]);
    module.move_block(merge, latch).unwrap();
    assert_eq!(module.store(), words(LOOP));
    module.remove_block(body).unwrap();
    module.verify().unwrap();
    assert_eq!(module.blocks(function).count(), 4);
    assert_eq!(module.remove_block(body), Err(EditError::NoSuchPlace));
    assert!(module.block_instructions(body).next().is_none());
}

#[test]
fn a_module_is_made_from_nothing() {
    let mut module = Module::new(Version::V1_3);
    let ids: [Id; 4] = std::array::from_fn(|_| module.fresh_id());
    let [void, ty, main, entry] = ids;
    let types = Place::Section(Section::Types);
    module.insert(types, Op::TypeVoid, &[void.0]).unwrap();
    module
        .insert(types, Op::TypeFunction, &[ty.0, void.0])
        .unwrap();
    let capabilities = Place::Section(Section::Capabilities);
    module.insert(capabilities, Op::Capability, &[5]).unwrap();
    let model = Place::Section(Section::MemoryModel);
    module.insert(model, Op::MemoryModel, &[0, 0]).unwrap();
    let function = module.add_function(void, main, FunctionControl(0), ty);
    let block = module.add_block(function, None, entry).unwrap();
    module.insert(Place::Tail(block), Op::Return, &[]).unwrap();
    let declared = module.fresh_id();
    module.add_declaration(void, declared, FunctionControl(0), ty);
    let expected = [
        "OpCapability Linkage",
        "OpMemoryModel Logical Simple",
        "%void = OpTypeVoid",
        "%2 = OpTypeFunction %void",
        "%5 = OpFunction %void None %2",
        "OpFunctionEnd",
        "%3 = OpFunction %void None %2",
        "%4 = OpLabel",
        "OpReturn",
        "OpFunctionEnd",
    ];
    assert_eq!(show(&module), expected);
    module.remove_function(function).unwrap();
    module.verify().unwrap();
    assert_eq!(module.functions().count(), 1);
}

#[test]
fn renumbering_changes_every_id_and_keeps_handles() {
    let mut module = load(LOOP);
    let before = show(&module);
    let main = module.functions().next().unwrap();
    let (old, bound) = (module.function_id(main).unwrap(), module.header().bound);
    // A line that stands nowhere in the list is renumbered with the rest.
    let file = module.result(module.globals().nth(4).unwrap()).unwrap();
    let line = module.new_line(file, 77, 1);
    let entry = module.entry_block(main).unwrap();
    let branch = module.terminator(entry).unwrap();
    module.set_line(branch, Some(line));
    let mut calls = 0;
    let shift = |id: Id| Id(id.0 + 1_000_000_000);
    module
        .renumber(|id| {
            calls += 1;
            shift(id)
        })
        .unwrap();
    module.verify().unwrap();
    assert!(calls > 50, "{calls}");
    assert_eq!(module.function_id(main), Some(shift(old)));
    assert_eq!(module.header().bound, bound + 1_000_000_000);
    assert_eq!(
        module.type_of(shift(old)).map(|ty| ty.0 > 1_000_000_000),
        Some(true)
    );
    module.renumber(|id| Id(id.0 - 1_000_000_000)).unwrap();
    let after = show(&module);
    let differing: Vec<_> = after.iter().filter(|line| !before.contains(line)).collect();
    assert_eq!(differing, [&format!("OpLine {file} 77 1")]);
}

#[test]
fn what_cannot_be_decoded_is_not_renumbered() {
    let mut words = words("%1 = OpTypeVoid\n");
    words.extend([0x0002_4550, 1]);
    let mut module = Module::load(&words).unwrap();
    let unknown = module.last().unwrap();
    assert!(module.is_opaque(unknown) && !module.is_opaque(module.first().unwrap()));
    let refused = module.renumber(|id| Id(id.0 + 1));
    assert_eq!(refused, Err(EditError::Opaque(Op(0x4550))));
    assert_eq!(module.store(), words);
}
