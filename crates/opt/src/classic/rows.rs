//! The table of names.

use super::{Does, Row};
use super::{
    amd, calls, combined, constants, decorations, descriptors, flat, half, ids, interface,
    interpolation, kills, loads, memory_model, names, packing, parts, robust, scalars, separate,
    stage, storage, stripping, unswitch, variable_indices, volatile,
};
use crate::Abilities as A;

/// A row for each: its name, its argument, how it is done, what it does.
macro_rules! rows {
    ($($name:literal $($argument:literal)? => $does:expr, $about:literal;)*) => {
        &[$(Row {
            name: $name,
            argument: [$(Some($argument),)? None][0],
            about: $about,
            does: $does,
        }),*]
    };
}

const fn engine(abilities: A) -> Does {
    Does::Engine(abilities)
}

/// What removes whatever a module doesn't need.
const DEAD: A = A::DEAD_CODE
    .with(A::DEAD_FUNCTIONS)
    .with(A::DEAD_VARIABLES)
    .with(A::DEAD_CONSTANTS)
    .with(A::DEAD_DECLARATIONS);

/// All names, in the order of the alphabet.
pub static ROWS: &[Row] = rows! {
    "amd-ext-to-khr" => Does::Module(amd::replace), "replaces AMD's extensions by core instructions";
    "canonicalize-ids" => Does::Module(ids::canonicalize), "gives ids numbers by what they are, which compresses better";
    "ccp" => engine(A::SIMPLIFY.with(A::CUT_BRANCHES)), "computes what is constant, and cuts branches";
    "cfg-cleanup" => engine(A::UNREACHABLE), "removes blocks that nothing reaches";
    "code-sink" => engine(A::DEAD_CODE), "computes values where they are needed";
    "combine-access-chains" => engine(A::SIMPLIFY), "joins chains of pointers";
    "compact-ids" => Does::Module(ids::compact), "numbers ids without gaps";
    "convert-local-access-chains" => engine(A::PROMOTE), "makes variables of functions values";
    "convert-relaxed-to-half" => Does::Module(half::convert), "computes with 16 bits what RelaxedPrecision permits";
    "convert-to-sampled-image" "SET:BINDING…" => Does::Given(combined::convert, combined::check_pairs), "joins images and samplers that share a binding";
    "copy-propagate-arrays" => engine(A::PROMOTE.with(A::FORWARD)), "reads arrays where they were copied from";
    "descriptor-array-scalar-replacement" => Does::Module(descriptors::replace_arrays), "makes a variable of each element of an array of descriptors";
    "descriptor-composite-scalar-replacement" => Does::Module(descriptors::replace_structs), "makes a variable of each member of a structure of descriptors";
    "descriptor-compososite-scalar-replacement" => Does::Module(descriptors::replace_structs), "the same, as it is spelled in an older version";
    "descriptor-scalar-replacement" => Does::Module(descriptors::replace_both), "does both of these";
    "eliminate-dead-branches" => engine(A::CUT_BRANCHES.with(A::UNREACHABLE)), "cuts branches that always go one way";
    "eliminate-dead-code-aggressive" => engine(DEAD), "removes all that has no effect";
    "eliminate-dead-const" => engine(A::DEAD_CONSTANTS), "removes constants that nothing uses";
    "eliminate-dead-functions" => engine(A::DEAD_FUNCTIONS), "removes functions that nothing calls";
    "eliminate-dead-input-components" => Does::Module(parts::shorten), "lets inputs that are arrays end with the last element that is used";
    "eliminate-dead-inserts" => engine(A::SIMPLIFY.with(A::DEAD_CODE)), "removes what is put into composites and never taken out";
    "eliminate-dead-members" => engine(A::DEAD_MEMBERS.with(A::DEAD_CODE)), "removes members of structures that nothing uses";
    "eliminate-dead-variables" => engine(A::DEAD_VARIABLES), "removes variables of the module that nothing uses";
    "eliminate-insert-extract" => engine(A::SIMPLIFY), "simplifies values";
    "eliminate-local-multi-store" => engine(A::PROMOTE), "makes variables of functions values";
    "eliminate-local-single-block" => engine(A::FORWARD.with(A::DEAD_STORES)), "forwards what is stored to loads";
    "eliminate-local-single-store" => engine(A::PROMOTE), "makes variables of functions values";
    "fix-func-call-param" => Does::Module(calls::fix_arguments), "copies arguments that are pointers into something to variables";
    "fix-opextinst-opcodes" => Does::Module(stripping::fix_extended), "gives extended instructions that name what comes later their opcode";
    "fix-storage-class" => Does::Module(storage::fix), "gives pointers the storage class of what they lead to";
    "flatten-decorations" => Does::Module(decorations::flatten), "writes out groups of decorations";
    "fold-spec-const-op-composite" => Does::Module(constants::fold), "computes what depends on no specialization constant";
    "freeze-spec-const" => Does::Module(constants::freeze), "makes constants of specialization constants";
    "graphics-robust-access" => Does::Module(robust::clamp), "keeps indices within what they go into";
    "if-conversion" => engine(A::SELECT), "makes OpSelect of selections that only choose a value";
    "inline-entry-points-exhaustive" => engine(A::INLINE), "puts functions where they are called";
    "inline-entry-points-opaque" => engine(A::INLINE), "the same";
    "interface-variable-scalar-replacement" => Does::Module(scalars::replace), "makes a variable of each part of an input or output";
    "interpolate-fixup" => Does::Module(interpolation::fix), "lets interpolation name inputs themselves";
    "legalize-multidim-array" => Does::Module(flat::flatten), "makes arrays of arrays of descriptors flat";
    "local-redundancy-elimination" => engine(A::MERGE), "computes values once";
    "loop-fission" "N" => Does::Nothing, "splits loops; nothing is done";
    "loop-fusion" "N" => Does::Nothing, "joins loops; nothing is done";
    "loop-invariant-code-motion" => engine(A::DEAD_CODE), "computes outside of loops what is the same each time";
    "loop-peeling" => Does::Nothing, "takes single rounds out of loops; nothing is done";
    "loop-peeling-threshold" "N" => Does::Nothing, "says how much loop-peeling may add; nothing is done";
    "loop-unroll" => engine(A::UNROLL), "unrolls loops that are marked";
    "loop-unroll-partial" "N" => Does::Nothing, "unrolls them in part; nothing is done";
    "loop-unswitch" => Does::Module(unswitch::unswitch), "has loops twice, for the ways that a selection in them always goes";
    "merge-blocks" => engine(A::JOIN), "joins blocks that only follow one another";
    "merge-return" => Does::Module(calls::merge_returns), "lets functions return in one place, unless they return from within loops";
    "modify-maximal-reconvergence" "add|remove" => Does::Given(interface::reconvergence, interface::check_reconvergence), "adds or removes the execution mode MaximallyReconvergesKHR";
    "opextinst-forward-ref-fixup" => Does::Module(stripping::fix_extended), "the same as fix-opextinst-opcodes";
    "private-to-local" => engine(A::LOCALIZE), "makes Private variables of one entry point its own";
    "reduce-load-size" "[RATIO]" => Does::Given(loads::reduce, loads::check_ratio), "loads only the parts that are used";
    "redundancy-elimination" => engine(A::MERGE), "computes values once";
    "relax-float-ops" => Does::Module(decorations::relax), "decorates floating-point operations with RelaxedPrecision";
    "remove-dont-inline" => Does::Module(interface::remove_dont_inline), "removes DontInline from functions";
    "remove-duplicates" => Does::Module(names::remove_duplicates), "removes what is declared twice";
    "remove-unused-interface-variables" => Does::Module(interface::remove_unused), "removes from entry points the variables that they don't use";
    "replace-desc-array-access-using-var-index" => Does::Module(variable_indices::replace), "makes a switch of variable indices into arrays of descriptors";
    "replace-invalid-opcode" => Does::Module(stage::replace_invalid), "replaces what a stage can't do by zeros";
    "resolve-binding-conflicts" => Does::Module(descriptors::resolve_conflicts), "gives samplers that share a binding with an image the next one";
    "scalar-replacement" "[N]" => engine(A::PROMOTE), "makes variables of functions values, part by part";
    "set-spec-const-default-value" "ID:VALUE…" => Does::Given(constants::set_defaults, constants::check_defaults), "gives specialization constants other defaults";
    "simplify-instructions" => engine(A::SIMPLIFY), "simplifies values by rules";
    "split-combined-image-sampler" => Does::Module(separate::split), "makes an image and a sampler of a sampled image";
    "spread-volatile-semantics" => Does::Module(volatile::spread), "makes built-ins volatile that change within an invocation";
    "ssa-rewrite" => engine(A::PROMOTE), "makes variables of functions values";
    "strength-reduction" => engine(A::SIMPLIFY), "simplifies values by rules";
    "strip-debug" => Does::Module(stripping::debug), "removes names, lines and debug information";
    "strip-nonsemantic" => Does::Module(stripping::nonsemantic), "removes reflection data and non-semantic instructions";
    "strip-reflect" => Does::Module(stripping::nonsemantic), "the same";
    "struct-packing" "NAME:RULE" => Does::Given(packing::pack, packing::check), "gives the members of a structure the offsets of std140, std430 or scalar";
    "switch-descriptorset" "FROM:TO" => Does::Given(descriptors::switch_set, descriptors::check_sets), "gives resources another descriptor set";
    "trim-capabilities" => Does::Module(stripping::capabilities), "removes capabilities and extensions that nothing needs";
    "unify-const" => engine(A::NONE), "declares equal constants once";
    "upgrade-memory-model" => Does::Module(memory_model::upgrade), "changes to the Vulkan memory model";
    "vector-dce" => engine(A::SIMPLIFY.with(A::DEAD_CODE)), "removes parts of vectors that nothing uses";
    "workaround-1209" => Does::Module(kills::avoid_unreachable), "avoids OpUnreachable in loops";
    "wrap-opkill" => Does::Module(kills::wrap), "puts OpKill into a function of its own, where loops continue";
};
