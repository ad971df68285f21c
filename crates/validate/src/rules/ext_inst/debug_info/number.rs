//! The numbers of the instructions that checks speak of; the sets agree on them.

pub(super) const COMPILATION_UNIT: u32 = 1;
pub(super) const TYPE_BASIC: u32 = 2;
pub(super) const TYPE_POINTER: u32 = 3;
pub(super) const TYPE_QUALIFIER: u32 = 4;
pub(super) const TYPE_ARRAY: u32 = 5;
pub(super) const TYPEDEF: u32 = 7;
pub(super) const TYPE_FUNCTION: u32 = 8;
pub(super) const TYPE_ENUM: u32 = 9;
pub(super) const TYPE_COMPOSITE: u32 = 10;
pub(super) const TYPE_MEMBER: u32 = 11;
pub(super) const TYPE_INHERITANCE: u32 = 12;
pub(super) const TYPE_PTR_TO_MEMBER: u32 = 13;
pub(super) const TYPE_TEMPLATE: u32 = 14;
pub(super) const GLOBAL_VARIABLE: u32 = 18;
pub(super) const FUNCTION_DECLARATION: u32 = 19;
pub(super) const FUNCTION: u32 = 20;
pub(super) const SCOPE: u32 = 23;
pub(super) const NO_SCOPE: u32 = 24;
pub(super) const INLINED_AT: u32 = 25;
pub(super) const LOCAL_VARIABLE: u32 = 26;
pub(super) const DECLARE: u32 = 28;
pub(super) const VALUE: u32 = 29;
pub(super) const OPERATION: u32 = 30;
pub(super) const IMPORTED_ENTITY: u32 = 34;
pub(super) const SOURCE: u32 = 35;
pub(super) const FUNCTION_DEFINITION: u32 = 101;
pub(super) const SOURCE_CONTINUED: u32 = 102;
pub(super) const LINE: u32 = 103;
pub(super) const NO_LINE: u32 = 104;
pub(super) const BUILD_IDENTIFIER: u32 = 105;
pub(super) const TYPE_VECTOR_ID: u32 = 109;
pub(super) const TYPE_COOPERATIVE_MATRIX: u32 = 110;

#[cfg(test)]
mod tests {
    use super::*;
    use spirvkit_grammar::ExtInstSet;

    #[test]
    fn agree_with_the_grammar() {
        let named = [
            (COMPILATION_UNIT, "DebugCompilationUnit"),
            (TYPE_BASIC, "DebugTypeBasic"),
            (TYPE_POINTER, "DebugTypePointer"),
            (TYPE_QUALIFIER, "DebugTypeQualifier"),
            (TYPE_ARRAY, "DebugTypeArray"),
            (TYPEDEF, "DebugTypedef"),
            (TYPE_FUNCTION, "DebugTypeFunction"),
            (TYPE_ENUM, "DebugTypeEnum"),
            (TYPE_COMPOSITE, "DebugTypeComposite"),
            (TYPE_MEMBER, "DebugTypeMember"),
            (TYPE_INHERITANCE, "DebugTypeInheritance"),
            (TYPE_PTR_TO_MEMBER, "DebugTypePtrToMember"),
            (TYPE_TEMPLATE, "DebugTypeTemplate"),
            (GLOBAL_VARIABLE, "DebugGlobalVariable"),
            (FUNCTION_DECLARATION, "DebugFunctionDeclaration"),
            (FUNCTION, "DebugFunction"),
            (SCOPE, "DebugScope"),
            (NO_SCOPE, "DebugNoScope"),
            (INLINED_AT, "DebugInlinedAt"),
            (LOCAL_VARIABLE, "DebugLocalVariable"),
            (DECLARE, "DebugDeclare"),
            (VALUE, "DebugValue"),
            (OPERATION, "DebugOperation"),
            (IMPORTED_ENTITY, "DebugImportedEntity"),
            (SOURCE, "DebugSource"),
            (FUNCTION_DEFINITION, "DebugFunctionDefinition"),
            (SOURCE_CONTINUED, "DebugSourceContinued"),
            (LINE, "DebugLine"),
            (NO_LINE, "DebugNoLine"),
            (BUILD_IDENTIFIER, "DebugBuildIdentifier"),
            (TYPE_VECTOR_ID, "DebugTypeVectorIdEXT"),
            (TYPE_COOPERATIVE_MATRIX, "DebugTypeCooperativeMatrixKHR"),
        ];
        for (number, name) in named {
            let info = ExtInstSet::ShaderDebugInfo.instruction(number);
            assert_eq!(info.map(|info| info.name()), Some(name));
            for set in ExtInstSet::all().filter(|set| set.is_debug_info()) {
                if let Some(info) = set.instruction(number) {
                    assert_eq!(info.name(), name, "{set}");
                }
            }
        }
    }
}
