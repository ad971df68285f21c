//! What can be wrong with modules that are to be linked or merged, for people.

use spirvkit_diagnostics::kinds;

kinds! {
    /// All kinds of errors that linking and merging give.
    pub static KINDS;

    NO_INPUT = "link.no-input", InvalidData {
        text: "There is no module to link.",
        advice: "Name at least one.",
    }
    OPAQUE = "link.opaque-instruction", InvalidBinary {
        text: "An instruction can't be decoded, so it is unknown which of its words are ids.",
        advice: "If it is newer than this program, remove it before linking; `spv dis --lenient` shows it.",
    }
    VERSION = "link.version-mismatch", WrongVersion {
        text: "The modules have different versions of SPIR-V.",
        advice: "Compile them for the same version, or use the highest one for the result with \
                 `--use-highest-version`.",
    }
    REMOVED = "link.removed-in-version", WrongVersion {
        text: "A module uses something that the version of the result no longer has.",
        advice: "Compile all modules for one version.",
    }
    ADDRESSING_MODEL = "link.addressing-model-mismatch", InvalidData {
        text: "The modules have different addressing models.",
        advice: "Compile them for the same kind of device.",
    }
    MEMORY_MODEL = "link.memory-model-mismatch", InvalidData {
        text: "The modules have different memory models.",
        advice: "Compile them for the same environment.",
    }
    ENTRY_POINT = "link.duplicate-entry-point", InvalidData {
        text: "Two modules have an entry point with the same name and execution model.",
        advice: "Rename one of them, or leave its module out.",
    }
    UNRESOLVED = "link.unresolved-symbol", InvalidData {
        text: "A module imports something that no module exports.",
        advice: "Add the module that exports it, or leave it as an import with `--allow-partial-linkage`.",
    }
    DUPLICATE = "link.duplicate-symbol", InvalidData {
        text: "Two modules export something under the same name.",
        advice: "Leave out one of the modules. Equal definitions with the linkage type LinkOnceODR may be repeated.",
    }
    KIND = "link.kind-mismatch", InvalidData {
        text: "A function is imported where a variable of this name is exported, or the other way round.",
        advice: "Declare it as a function or as a variable in both modules.",
    }
    TYPE = "link.type-mismatch", InvalidData {
        text: "The import and the export have different types.",
        advice: "Declare the same type in both. If only pointee types differ, `--allow-pointer-mismatch` converts the \
                 pointers.",
    }
    STORAGE_CLASS = "link.storage-class-mismatch", InvalidData {
        text: "The imported and the exported variable are in different storage classes.",
        advice: "Declare the variable in the same storage class in both modules.",
    }
    DECORATION = "link.decoration-mismatch", InvalidData {
        text: "The decorations of the import contradict those of the export.",
        advice: "Use the same decorations in both modules.",
    }
    IMPORT_WITH_BODY = "link.import-with-body", InvalidData {
        text: "An imported function has a body.",
        advice: "An import is a declaration: a function without blocks.",
    }
    EXPORT_WITHOUT_BODY = "link.export-without-body", InvalidData {
        text: "An exported function has no body.",
        advice: "An export is a definition: a function with at least one block.",
    }
    IMPORT_WITH_INITIALIZER = "link.import-with-initializer", InvalidData {
        text: "An imported variable has an initializer.",
        advice: "Only the module that exports the variable initializes it.",
    }
    NOT_LINKABLE = "link.not-linkable", InvalidData {
        text: "A `LinkageAttributes` decoration is on something that is neither a function nor a global variable of the module.",
        advice: "Remove the decoration.",
    }
    REPEATED_LINKAGE = "link.repeated-linkage", InvalidData {
        text: "A function or a variable has several `LinkageAttributes` decorations.",
        advice: "Keep one of them.",
    }
    UNKNOWN_LINKAGE = "link.unknown-linkage", InvalidData {
        text: "A linkage type is not Export, Import or LinkOnceODR.",
        advice: "If it is newer than this program, remove the symbol before linking.",
    }
    CIRCLE = "link.circular-initializers", InvalidData {
        text: "The initializers of variables in several modules form a cycle, so none of the variables can be \
               declared first.",
        advice: "Initialize one of the variables in code.",
    }
    TOO_LONG = "link.instruction-too-long", InvalidData {
        text: "An instruction of the result would have more than 65,535 words.",
        advice: "Link fewer modules at once.",
    }
    WORKGROUP_SIZE = "link.work-group-size-mismatch", InvalidData {
        text: "A constant with the built-in `WorkgroupSize` applies to all entry points of its module; in the linked \
               module it would apply to those of other modules, too.",
        advice: "Give each entry point its workgroup size with the execution mode `LocalSize` or `LocalSizeId`.",
    }
    TOO_LARGE = "link.module-too-large", InvalidData {
        text: "The result would be out of proportion to the modules: very many entry points use very many variables, \
               and each must list all of them.",
        advice: "Link fewer entry points at once.",
    }
    MORE = "link.more-errors", InvalidData {
        text: "There are more errors than can be shown in proportion to the size of the modules.",
        advice: "Fix the errors that are shown, and try again.",
    }
}
