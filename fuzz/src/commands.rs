//! The program's command lines.

/// A command line.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// Its words, apart from each other by spaces. `a.spv` is the module, `a.spvasm` its
    /// text, `b.spv` the other one of a pair, `END` the offset of the module's last
    /// instruction but one; outputs go to `out`.
    pub line: &'static str,
}

impl Command {
    /// Its arguments for a module of so many bytes.
    pub fn arguments(&self, module: u64) -> Vec<String> {
        let end = format!("{:#x}", module.saturating_sub(8));
        let words = self.line.split(' ');
        words.map(|word| word.replace("END", &end)).collect()
    }
}

const fn command(line: &'static str) -> Command {
    Command { line }
}

/// Each command with each of its formats, and the options that make it do more.
pub const COMMANDS: &[Command] = &[
    command("as a.spvasm -o out/x.spv"),
    command("as a.spvasm --renumber-ids --format=json -o out/x.spv"),
    command("dis a.spv"),
    command("dis --color=always --annotate --source a.spv"),
    command("dis --comment --offsets --nested-indent --reorder-blocks a.spv"),
    command("dis --raw-id --lenient a.spv -o out/x.spvasm"),
    command("val a.spv"),
    command("val --target-env=vulkan1.3 a.spvasm"),
    command("val --max-errors=0 a.spv"),
    command("val --max-errors=0 --format=json a.spv"),
    command("val --max-errors=0 --format=sarif a.spv"),
    command("diff a.spv b.spv"),
    command("diff a.spv a.spv"),
    command("diff --full --with-id-map a.spv b.spv"),
    command("diff --format=json a.spv b.spv"),
    command("layout a.spv"),
    command("layout --built-ins --format=json a.spv"),
    command("cfg a.spv"),
    command("cfg --format=json a.spv"),
    command("cfg --format=html a.spv"),
    command("info a.spv"),
    command("info --format=json a.spv"),
    command("info --format=yaml a.spv"),
    command("specialize --list a.spv"),
    command("specialize --all-defaults a.spv -o out/x.spv"),
    command("specialize --all-defaults --fold --prune a.spv -o out/x.spv"),
    command("strip --all a.spv -o out/x.spv"),
    command("strip --unused -v a.spv -o out/x.spv"),
    command("trim-capabilities --all -v a.spv -o out/x.spv"),
    command("opt --report --validate a.spv -o out/x.spv"),
    // Passes that are no part of the engine; those that may refuse a module come on their own.
    command(
        "opt --passes=remove-duplicates,relax-float-ops,remove-unused-interface-variables,\
         spread-volatile-semantics,fix-storage-class,reduce-load-size,canonicalize-ids \
         --remarks a.spv -o out/x.spv",
    ),
    command(
        "opt --passes=wrap-opkill,fix-func-call-param,merge-return,interpolate-fixup,\
         convert-relaxed-to-half,replace-invalid-opcode,workaround-1209 a.spv -o out/x.spv",
    ),
    command("opt --passes=flatten-decorations a.spv -o out/x.spv"),
    command(
        "opt --passes=descriptor-scalar-replacement,resolve-binding-conflicts a.spv -o out/x.spv",
    ),
    command("opt --passes=graphics-robust-access a.spv -o out/x.spv"),
    command("opt --passes=upgrade-memory-model a.spv -o out/x.spv"),
    command("opt --passes=struct-packing=S:std430 a.spv -o out/x.spv"),
    command("opt --passes=replace-desc-array-access-using-var-index a.spv -o out/x.spv"),
    command("opt --passes=split-combined-image-sampler a.spv -o out/x.spv"),
    command("opt --passes=legalize-multidim-array a.spv -o out/x.spv"),
    command("opt --passes=interface-variable-scalar-replacement a.spv -o out/x.spv"),
    command(
        "opt --passes=eliminate-dead-input-components,amd-ext-to-khr,loop-unswitch a.spv -o out/x.spv",
    ),
    command("compact-ids a.spv -o out/x.spv"),
    command("link a.spv b.spv -o out/x.spv"),
    command("link --format=json a.spv b.spv -o out/x.spv"),
    command("link --create-library --allow-partial-linkage a.spv -o out/x.spv"),
    command("merge a.spv b.spv -o out/x.spv"),
    command("split --list a.spv"),
    command("split --all out/parts a.spv"),
    command("split --entry-point=main a.spv -o out/x.spv"),
    command("debug dump a.spv"),
    command("debug dump --format=json a.spv"),
    command("debug sources a.spv"),
    command("debug sources --format=json a.spv"),
    command("debug sources --extract=out/sources a.spv"),
    command("debug lookup a.spv END"),
    command("debug lookup a.spv 1"),
    command("debug lookup --format=json a.spv 0x14..END"),
    command("debug scopes a.spv"),
    command("debug scopes --format=json a.spv"),
    command("debug vars a.spv"),
    command("debug vars --format=json a.spv"),
    command("debug vars a.spv END"),
    command("debug vars --format=json a.spv END"),
    command("debug convert --to=opencl a.spv -o out/x.spv"),
    command("debug convert --to=opencl --every-loss a.spv -o out/x.spv"),
    command("debug dwarf a.spv -o out/x.o"),
    command("debug dwarf --embed-sources --dwarf=4 a.spv -o out/x.o"),
    command("debug remove a.spv %1 -o out/x.spv"),
    command("debug remove --list a.spv %1"),
    command("debug convert --to=shader a.spv -o out/x.spv"),
    command("debug convert --to=debuginfo --every-loss a.spv -o out/x.spv"),
    command("debug sources --print=file.glsl a.spv"),
    command("debug lookup a.spv 0x14..END"),
    command("diff -U1000000 --ignore-names --ignore-debug b.spv a.spv"),
    command("val --target-env=opencl2.2 --max-errors=0 a.spv"),
    command("val --target-env=vulkan1.3 --max-errors=0 --format=json a.spv"),
    command("val --pipeline --device=VP_KHR_roadmap_2022 --max-errors=0 a.spv b.spv"),
    command("val --pipeline --max-errors=0 --format=json a.spv b.spv"),
];
