//! Operations that follow each other do together what they do one by one, whichever they are.

use std::fmt::Write;

use spirvkit_interp::Run;

use crate::shader::shader;

/// Integers: the opcode, and the second operand of shifts, which is below 32.
const INTEGERS: [(&str, Option<&str>); 12] = [
    ("IAdd", None),
    ("ISub", None),
    ("IMul", None),
    ("BitwiseAnd", None),
    ("BitwiseOr", None),
    ("BitwiseXor", None),
    ("ShiftLeftLogical", Some("%k3")),
    ("ShiftRightLogical", Some("%k3")),
    ("ShiftRightArithmetic", Some("%k3")),
    ("ShiftLeftLogical", Some("%few")),
    ("ShiftRightLogical", Some("%few")),
    ("ShiftRightArithmetic", Some("%few")),
];

const NUMBERS: [&str; 4] = ["FAdd", "FSub", "FMul", "FDiv"];

/// Writes instructions, and mixes what they give into one word.
struct Mix {
    text: String,
    word: String,
    prefix: &'static str,
    ids: u32,
}

impl Mix {
    fn inst(&mut self, rest: &str) -> String {
        self.ids += 1;
        let id = format!("%{}{}", self.prefix, self.ids);
        let _ = writeln!(self.text, "{id} = {rest}");
        id
    }

    fn add(&mut self, word: &str) {
        let mixed = self.inst(&format!("OpIMul %u32 {} %k31", self.word));
        self.word = self.inst(&format!("OpBitwiseXor %u32 {mixed} {word}"));
    }

    /// Each operation after each other, on its left and on its right.
    fn all(&mut self) {
        for (first, by) in INTEGERS {
            for (second, by_second) in INTEGERS {
                let t = self.inst(&format!("Op{first} %u32 %a {}", by.unwrap_or("%b")));
                let c = by_second.unwrap_or("%c");
                let left = self.inst(&format!("Op{second} %u32 {t} {c}"));
                self.add(&left);
                if by_second.is_none() {
                    let t = self.inst(&format!("Op{first} %u32 %a {}", by.unwrap_or("%b")));
                    let right = self.inst(&format!("Op{second} %u32 %c {t}"));
                    self.add(&right);
                }
            }
        }
        for first in NUMBERS {
            for second in NUMBERS {
                for is_left in [true, false] {
                    let t = self.inst(&format!("Op{first} %f32 %x %y"));
                    let [l, r] = if is_left { [&*t, "%z"] } else { ["%z", &*t] };
                    let number = self.inst(&format!("Op{second} %f32 {l} {r}"));
                    let word = self.inst(&format!("OpBitcast %u32 {number}"));
                    self.add(&word);
                }
            }
        }
    }
}

fn module() -> Vec<u32> {
    let globals = "%k3 = OpConstant %u32 3
%k31 = OpConstant %u32 31
%two = OpConstant %u32 2
%kb = OpConstant %u32 2654435769
%kc = OpConstant %u32 2143289343";
    let mut mix = Mix {
        text: "%a = OpCopyObject %u32 %value
%b = OpIMul %u32 %value %kb
%c = OpBitwiseXor %u32 %b %kc
%few = OpBitwiseAnd %u32 %b %k31
%x = OpBitcast %f32 %a
%y = OpBitcast %f32 %b
%z = OpBitcast %f32 %c
"
        .into(),
        word: "%a".into(),
        prefix: "all_",
        ids: 0,
    };
    mix.all();
    let whole = mix.word.clone();
    mix.text += "%bit = OpBitwiseAnd %u32 %index %k3
%some = OpULessThan %bool %bit %two
OpSelectionMerge %merge None
OpBranchConditional %some %then %merge
%then = OpLabel
";
    // Where not all lanes are active, too.
    mix.prefix = "some_";
    mix.all();
    let part = mix.word.clone();
    let body = format!(
        "OpBranch %begin
%begin = OpLabel
{}OpBranch %merge
%merge = OpLabel
%result = OpPhi %u32 {whole} %begin {part} %then",
        mix.text
    );
    shader(globals, &body)
}

#[test]
fn steps_do_what_instructions_do() {
    let words = module();
    let special = [
        0,
        1,
        0x8000_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0001,
        0x3f80_0000,
    ];
    let inputs: Vec<u32> = (0..64u32)
        .map(|index| match special.get(index as usize) {
            Some(&word) => word,
            None => index.wrapping_mul(0x9e37_79b9) >> (index % 8),
        })
        .collect();
    for size in [4, 8, 32, 64] {
        let [fast, plain] = [true, false].map(|is_optimized| {
            let run = Run::new(&words).subgroup_size(size).optimized(is_optimized);
            let run = run.storage(0, 0, &inputs).zeroed(0, 1, 256);
            run.dispatch([1, 1, 1]).unwrap()
        });
        fast.assert_clean();
        assert_eq!(fast.read::<u32>(0, 1), plain.read::<u32>(0, 1), "{size}");
    }
}
