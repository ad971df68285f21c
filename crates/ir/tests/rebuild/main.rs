//! Rebuilds modules with the builder: every instruction by the method of its opcode,
//! with typed parameters; the result has to be the same but for the numbers of ids.
mod rebuilder;

use spirvkit_binary::Value;
use spirvkit_grammar::*;
use spirvkit_ir::Inst;
use spirvkit_ir::builder::Builder;

use rebuilder::*;

#[test]
fn samples() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "spvasm")
        {
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(check(&spirvkit_testing::words(&text)) > 10);
            count += 1;
        }
    }
    assert_eq!(count, 7);
}

#[test]
fn odd_things() {
    let text = "OpCapability Shader
OpCapability Int64
OpCapability Linkage
OpCapability PhysicalStorageBufferAddresses
OpExtension \"SPV_KHR_physical_storage_buffer\"
%std = OpExtInstImport \"GLSL.std.450\"
OpMemoryModel PhysicalStorageBuffer64 GLSL450
%file = OpString \"file\"
OpSource GLSL 450 %file \"text\"
OpSourceContinued \"more\"
OpName %imported \"imported\"
OpMemberName %node 0 \"next\"
OpModuleProcessed \"by hand\"
OpDecorate %imported LinkageAttributes \"imported\" Import
OpDecorate %spec SpecId 3
OpDecorate %array ArrayStride 16
%group = OpDecorationGroup
OpGroupMemberDecorate %group %node 0 %other 0
%void = OpTypeVoid
%bool = OpTypeBool
%long = OpTypeInt 64 1
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
OpTypeForwardPointer %pointer PhysicalStorageBuffer
%node = OpTypeStruct %pointer
%other = OpTypeStruct %pointer
%pointer = OpTypePointer PhysicalStorageBuffer %node
%four = OpConstant %uint 4
%another = OpConstant %uint 4
%array = OpTypeArray %uint %four
%plain = OpTypeArray %uint %four
%minus = OpConstant %long -1
%spec = OpSpecConstant %uint 7
%sum = OpSpecConstantOp %uint IAdd %spec %four
%f2 = OpTypeFunction %void %long
%fn_float = OpTypePointer Function %float
%private = OpTypePointer Private %float
%half = OpConstant %float 0.5
%global = OpVariable %private Private %half
%nothing = OpUndef %float
%imported = OpFunction %void None %f2
%p0 = OpFunctionParameter %long
OpFunctionEnd
%f = OpFunction %void Inline|Pure %f2
%p1 = OpFunctionParameter %long
%entry = OpLabel
%a = OpVariable %fn_float Function
%b = OpVariable %fn_float Function %half
OpLine %file 1 1
%load = OpLoad %float %a Volatile|Aligned 4
OpLine %file 2 2
OpCopyMemory %a %b Aligned 4 Volatile
OpSelectionMerge %merge Flatten
OpSwitch %p1 %merge -1 %one 0x100000000 %two
%one = OpLabel
%root = OpExtInst %float %std Sqrt %load
OpBranch %merge
%two = OpLabel
OpNoLine
OpStore %a %half
%undef = OpUndef %float
OpBranch %merge
%merge = OpLabel
%phi = OpPhi %float %half %entry %root %one %undef %two
%call = OpFunctionCall %void %imported %p1
OpBranch %loop
%loop = OpLabel
OpLoopMerge %end %continue Unroll|PartialCount 4
OpBranch %continue
%continue = OpLabel
%again = OpSLessThan %bool %p1 %minus
OpBranchConditional %again %loop %end 1 3
%end = OpLabel
OpReturn
OpFunctionEnd
";
    check(&spirvkit_testing::words(text));
}

/// Words for an operand by the grammar's description alone.
fn sample_operand(b: &mut Builder, operand: &OperandInfo, words: &mut Vec<u32>) {
    let times = match operand.quantifier() {
        Quantifier::Many => 2,
        _ => 1,
    };
    for _ in 0..times {
        sample_kind(b, operand.kind(), words);
    }
}

fn sample_kind(b: &mut Builder, kind: OperandKind, words: &mut Vec<u32>) {
    match kind.category() {
        Category::Id => words.push(b.forward().0),
        Category::Composite => {
            for &base in kind.bases() {
                sample_kind(b, base, words);
            }
        }
        Category::ValueEnum | Category::BitEnum => {
            // One with parameters, if there is one.
            let known = kind.enumerants();
            let info = known.iter().find(|info| !info.parameters().is_empty());
            let info = info.or(known.last()).unwrap();
            words.push(info.value());
            for parameter in info.parameters() {
                sample_operand(b, parameter, words);
            }
        }
        _ if kind == OperandKind::LiteralString => {
            words.extend([u32::from_le_bytes(*b"text"), 0]);
        }
        _ => words.push(1_000 + b.forward().0),
    }
}

/// Every generated method makes the instruction of its opcode with the operands in the
/// grammar's order, whether or not what may be left out is there.
#[test]
fn every_method() {
    let mut count = 0;
    for info in Op::all() {
        let op = Op(info.number() as u16);
        let operands = info.operands().iter();
        let required = operands
            .clone()
            .filter(|each| each.quantifier() == Quantifier::One);
        let lists: [Vec<&OperandInfo>; 2] = [operands.collect(), required.collect()];
        for operands in lists {
            count += usize::from(check_method(op, info, &operands));
        }
    }
    // All but those written by hand.
    assert_eq!(count, 2 * (Op::all().len() - 17));
}

fn check_method(op: Op, info: &InstructionInfo, operands: &[&OperandInfo]) -> bool {
    let mut b = Builder::new(Version::V1_6);
    let (void, ty) = (b.type_void(), b.type_int(32, 0));
    b.begin_function(void, FunctionControl::None, &[]);
    let results = usize::from(info.has_result_type()) + usize::from(info.has_result());
    let mut words = Vec::new();
    for operand in &operands[results..] {
        sample_operand(&mut b, operand, &mut words);
    }
    let mut arguments = Arguments {
        ty: info.has_result_type().then_some(ty),
        words: &words,
    };
    let result = b.forward();
    if info.has_result() {
        b.define(result);
    }
    let Some(made) = generated::call(&mut b, op, &mut arguments) else {
        return false;
    };
    assert!(arguments.words.is_empty(), "{op}");
    assert_eq!(made, info.has_result().then_some(result), "{op}");
    let module = b.module();
    let is_it = |&inst: &Inst| match made {
        Some(id) => module.result(inst) == Some(id),
        None => module.op(inst) == op,
    };
    let found = module.instructions().find(is_it);
    let found = module.get(found.unwrap_or_else(|| panic!("{op} was not made")));
    let ids = info.has_result_type().then_some(ty).into_iter().chain(made);
    let expected: Vec<u32> = ids.map(|id| id.0).chain(words.iter().copied()).collect();
    assert_eq!(found.operand_words(), expected, "{op}");
    // They decode, too: nothing is missing.
    for operand in found.operands(module.definitions()) {
        let is_literal =
            matches!(operand, Ok(ref operand) if !matches!(operand.value, Value::Opaque(_)));
        assert!(is_literal, "{op}: {operand:?}");
    }
    true
}
