//! What makes instructions and enumerants available: capabilities, versions and
//! extensions, straight from the grammar's tables.

use spirvkit_diagnostics::alternatives;
use spirvkit_grammar::{
    Availability, BuiltIn, Capability, Decoration, EnumerantInfo, ExecutionMode, Extensions,
    GroupOperation, InstructionInfo, Op, OperandKind, StorageClass, Version,
};

use crate::finding::{CheckResult, Finding};
use crate::module::{Inst, Module};
use crate::rules::generated::{capability, extension, version};

/// Checks availability in one module.
pub(super) struct Gate<'m, 'a> {
    m: &'m Module<'a>,
    version: Version,
}

impl<'m, 'a> Gate<'m, 'a> {
    pub(super) fn new(m: &'m Module<'a>) -> Self {
        Self {
            m,
            version: m.version,
        }
    }

    /// Whether a declared capability enables something. Capabilities that the
    /// environment's version of the language can't even name enable nothing, and
    /// where all are of that sort, none is asked for.
    #[inline]
    fn is_enabled(&self, capabilities: &[Capability]) -> bool {
        capabilities.is_empty()
            || capabilities.iter().any(|&each| self.m.has(each))
            || !capabilities.iter().any(|&each| self.can_be_named(each))
    }

    fn can_be_named(&self, capability: Capability) -> bool {
        let Some(info) = OperandKind::Capability.enumerant(capability.0) else {
            return false;
        };
        let availability = info.availability();
        in_range(availability, self.m.env.version)
            || availability.extensions().len() > 0
            || !availability.capabilities().is_empty()
    }

    fn has_any_extension(&self, mut extensions: Extensions) -> bool {
        extensions.any(|name| self.m.has_extension(name))
    }

    /// Checks an instruction's opcode. The answer is the same for all
    /// instructions with the opcode, so the caller remembers it.
    pub(super) fn opcode(&self, inst: Inst<'_>, info: &'static InstructionInfo) -> CheckResult {
        let op = inst.op();
        let found = |rule, message: String| Err(Finding::new(rule, inst.offset(), message));
        let availability = info.availability();
        let capabilities = availability.capabilities();
        let exempt = op.is_amd_group() && self.m.has_extension("SPV_AMD_shader_ballot");
        if !exempt && !self.is_enabled(capabilities) {
            let message = format!("{op} needs {}", one_capability(capabilities));
            let finding = Finding::new(&capability::INSTRUCTION, inst.offset(), message);
            return Err(finding.needs(capabilities));
        }
        if let Some(until) = availability.until().filter(|&until| until < self.version) {
            let message = format!(
                "version {until} of SPIR-V removed {op}; the module's version is {}",
                self.version
            );
            return found(&version::INSTRUCTION, message);
        }
        // This one needs its capability, and the extension or the version, too.
        if op != Op::TerminateInvocation && !capabilities.is_empty() {
            return Ok(());
        }
        if in_range(availability, self.version) || self.has_any_extension(availability.extensions())
        {
            return Ok(());
        }
        let extensions = availability.extensions();
        match (availability.since(), extensions.len()) {
            (None, 0) => found(
                &version::INSTRUCTION,
                format!("no version of SPIR-V has {op} yet"),
            ),
            (None, _) => {
                let message = format!("{op} needs {}", one_extension(extensions.clone()));
                let finding = Finding::new(&extension::INSTRUCTION, inst.offset(), message);
                Err(finding.needs_extension(extensions))
            }
            (Some(since), count) => {
                let or = match count {
                    0 => String::new(),
                    _ => format!(" or {}", one_extension(extensions.clone())),
                };
                let version = self.version;
                let message = format!(
                    "{op} needs version {since} of SPIR-V{or}; the module's version is {version}"
                );
                let finding = Finding::new(&version::INSTRUCTION, inst.offset(), message);
                Err(finding.needs_extension(extensions))
            }
        }
    }

    /// Checks a value of an enumeration or a bit of a mask, which is this word of the
    /// instruction.
    #[inline]
    pub(super) fn enumerant(
        &self,
        inst: Inst<'_>,
        word: usize,
        kind: OperandKind,
        info: &'static EnumerantInfo,
    ) -> CheckResult {
        let availability = info.availability();
        let declares = kind == OperandKind::Capability;
        let capabilities = self.enabling(kind, info);
        let is_fine =
            in_range(availability, self.version) && (declares || self.is_enabled(capabilities));
        match is_fine {
            true => Ok(()),
            false => {
                let missing = self.missing_enumerant(inst, kind, info);
                missing.map_err(|finding| finding.word(word))
            }
        }
    }

    /// The capabilities any one of which enables an enumerant.
    #[inline]
    fn enabling(&self, kind: OperandKind, info: &EnumerantInfo) -> &'static [Capability] {
        let is_rounding_mode = kind == OperandKind::Decoration
            && info.value() == Decoration::FPRoundingMode.0
            && self.m.env.is_vulkan();
        match is_rounding_mode {
            true => ROUNDING,
            false => info.availability().capabilities(),
        }
    }

    #[cold]
    fn missing_enumerant(
        &self,
        inst: Inst<'_>,
        kind: OperandKind,
        info: &'static EnumerantInfo,
    ) -> CheckResult {
        let (op, name) = (inst.op(), info.name());
        let what = || format!("the {} `{name}`", kind.description());
        let found = |rule, message: String| Err(Finding::new(rule, inst.offset(), message));
        let availability = info.availability();
        // A module declares what a capability implies by declaring it; whether it
        // needs others is not asked.
        let exempt = kind == OperandKind::Capability || self.is_exempt(kind, info.value());
        let capabilities = self.enabling(kind, info);
        if !exempt && !self.is_enabled(capabilities) {
            let message = format!(
                "{what} of {op} needs {}",
                one_capability(capabilities),
                what = what()
            );
            let finding = Finding::new(&capability::OPERAND, inst.offset(), message);
            let tiles = TILE_SHADING
                .iter()
                .find(|(it, value, _)| (*it, *value) == (kind, info.value()));
            let finding = match tiles {
                Some((.., vuid)) => finding.vuid(vuid),
                None => finding,
            };
            return Err(finding.needs(capabilities));
        }
        if in_range(availability, self.version) {
            return Ok(());
        }
        let version = self.version;
        if let Some(until) = availability.until().filter(|&until| until < version) {
            let message = format!(
                "version {until} of SPIR-V removed {what} of {op}; the module's version is {version}",
                what = what()
            );
            return found(&version::OPERAND, message);
        }
        let extensions = availability.extensions();
        if let Some(since) = availability.since()
            && extensions.len() == 0
        {
            let message = format!(
                "{what} of {op} needs version {since} of SPIR-V; the module's version is {version}",
                what = what()
            );
            return found(&version::OPERAND, message);
        }
        if extensions.len() == 0 || self.has_any_extension(extensions.clone()) {
            return Ok(());
        }
        let or = match availability.since() {
            Some(since) => format!(", or version {since} of SPIR-V"),
            None => String::new(),
        };
        let message = format!(
            "{what} of {op} needs {}{or}",
            one_extension(extensions.clone()),
            what = what()
        );
        let finding = Finding::new(&extension::OPERAND, inst.offset(), message);
        Err(finding.needs_extension(extensions))
    }

    /// Enumerants that may be named without the capability that their use takes.
    fn is_exempt(&self, kind: OperandKind, value: u32) -> bool {
        match kind {
            // Front ends list these members of `gl_PerVertex` whether or not the
            // shader uses them.
            OperandKind::BuiltIn => matches!(
                BuiltIn(value),
                BuiltIn::PointSize | BuiltIn::ClipDistance | BuiltIn::CullDistance
            ),
            OperandKind::GroupOperation => {
                value <= GroupOperation::ExclusiveScan.0
                    && self.m.has_extension("SPV_AMD_shader_ballot")
            }
            _ => false,
        }
    }
}

/// What Vulkan asks of modules that choose how a conversion, or with
/// `SPV_INTEL_rounded_divide_sqrt` a division, rounds.
static ROUNDING: &[Capability] = &[
    Capability::StorageBuffer16BitAccess,
    Capability::UniformAndStorageBuffer16BitAccess,
    Capability::StoragePushConstant16,
    Capability::StorageInputOutput16,
    Capability::RoundedDivideSqrtINTEL,
];

/// What Vulkan, too, says needs its capability.
static TILE_SHADING: &[(OperandKind, u32, &str)] = &[
    (
        OperandKind::StorageClass,
        StorageClass::TileAttachmentQCOM.0,
        "VUID-StandaloneSpirv-TileAttachmentQCOM-10689",
    ),
    (
        OperandKind::ExecutionMode,
        ExecutionMode::NonCoherentTileAttachmentReadQCOM.0,
        "VUID-StandaloneSpirv-NonCoherentTileAttachmentReadQCOM-10690",
    ),
    (
        OperandKind::ExecutionMode,
        ExecutionMode::TileShadingRateQCOM.0,
        "VUID-StandaloneSpirv-TileShadingRateQCOM-10691",
    ),
];

#[inline]
fn in_range(availability: &Availability, version: Version) -> bool {
    availability.since().is_some_and(|since| since <= version)
        && availability.until().is_none_or(|until| version <= until)
}

/// "one of the capabilities `A` or `B`", but not longer than a line.
fn one_capability(capabilities: &[Capability]) -> String {
    let names = capabilities.iter().map(|capability| capability.to_string());
    one_of("the capability", "one of the capabilities", names.collect())
}

fn one_extension(extensions: Extensions) -> String {
    let names = extensions.map(str::to_owned).collect();
    one_of("the extension", "one of the extensions", names)
}

fn one_of(one: &str, several: &str, names: Vec<String>) -> String {
    const SHOWN: usize = 6;
    let lead = if names.len() == 1 { one } else { several };
    let quoted = names.iter().take(SHOWN).map(|name| format!("`{name}`"));
    match names.len().saturating_sub(SHOWN) {
        0 => format!("{lead} {}", alternatives(quoted)),
        more => format!(
            "{lead} {}",
            alternatives(quoted.chain([format!("{more} others")]))
        ),
    }
}
