//! Execution modes one by one (specification, section 3.6).

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, Decoration, ExecutionMode, ExecutionModel, FPFastMathMode, Op};

use super::tables::{self, Modes};
use super::workgroup;
use crate::finding::{CheckResult, Finding, Reporter, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Decorated, Lookup, Models, Module};
use crate::pattern::FLOAT;
use crate::rules::generated::mode_setting;

/// Checks the rate of `SPV_QCOM_tile_shading` across the screen.
fn check_tile_rate(at: &InstCtx<'_, '_>) -> CheckResult {
    all([2, 3].map(|index| {
        let rate = at.inst.arg(index);
        expect(rate.is_power_of_two(), || {
            let message = format!(
                "the first two tile shading rates must be powers of two, but one is {rate}"
            );
            at.finding(&mode_setting::TILE_RATE, message).arg(at, index)
        })
    }))
}

/// Checks an `OpExecutionMode` or `OpExecutionModeId`.
pub(super) fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let function = at.id(0);
    let mode = ExecutionMode(at.inst.arg(1));
    let Some(models) = m.entry_models(function) else {
        // That there is no entry point at all is reported as such.
        if m.op_of(function) == Op::Nop || m.lacks_entry_point() {
            return Ok(());
        }
        let message = format!(
            "`{mode}` is for entry points, but {} is not one",
            m.name(function)
        );
        return Err(at.finding(&mode_setting::MODE_TARGET, message).about(
            m,
            function,
            "it is defined here",
        ));
    };
    let takes_ids = tables::takes_ids(mode);
    if takes_ids != (at.inst.op() == Op::ExecutionModeId) {
        let right = match takes_ids {
            true => "has operands that are ids, so it must be declared with OpExecutionModeId",
            false => "has no operands that are ids, so it must be declared with OpExecutionMode",
        };
        return Err(at.finding(&mode_setting::MODE_FORM, format!("`{mode}` {right}")));
    }
    let ids = match takes_ids {
        true => check_ids(at, mode),
        false => Ok(()),
    };
    let size = match mode {
        ExecutionMode::LocalSize | ExecutionMode::LocalSizeId => workgroup::check_mode(at),
        ExecutionMode::TileShadingRateQCOM => check_tile_rate(at),
        _ => Ok(()),
    };
    let vulkan = match m.env.is_vulkan() {
        true => check_vulkan(at, mode, models.contains(ExecutionModel::MeshEXT)),
        false => Ok(()),
    };
    all([ids, check_models(at, mode, models), size, vulkan])
}

/// Checks that the entry points with a mode are of these models.
fn check_models(at: &InstCtx<'_, '_>, mode: ExecutionMode, models: Models) -> CheckResult {
    if let Some(allowed) = tables::models_of(mode) {
        let wrong = models.without(allowed);
        if !wrong.is_empty() {
            let message = format!(
                "`{mode}` is for {allowed}, but the entry point's execution model is {wrong}"
            );
            return Err(at.finding(&mode_setting::MODE_MODEL, message));
        }
    }
    let (only, vuid) = match mode {
        _ if !at.m.env.is_vulkan() => return Ok(()),
        ExecutionMode::NonCoherentTileAttachmentReadQCOM => {
            (ExecutionModel::Fragment, mode_setting::MODE_MODEL.vuids[0])
        }
        ExecutionMode::TileShadingRateQCOM => {
            (ExecutionModel::GLCompute, mode_setting::MODE_MODEL.vuids[1])
        }
        _ => return Ok(()),
    };
    match models.iter().find(|&model| model != only) {
        None => Ok(()),
        Some(wrong) => {
            let message = format!(
                "`{mode}` is for `{only}`, but the entry point's execution model is `{wrong}`"
            );
            Err(at.finding(&mode_setting::MODE_MODEL, message).vuid(vuid))
        }
    }
}

/// Checks the operands of a mode that has ids for operands.
fn check_ids(at: &InstCtx<'_, '_>, mode: ExecutionMode) -> CheckResult {
    let m = at.m;
    let is_fast_math = mode == ExecutionMode::FPFastMathDefault;
    let first = if is_fast_math { 3 } else { 2 };
    let constants = all((first..at.inst.args().len()).map(|index| {
        let id = at.id(index);
        if !m.is_constant(id) && m.def_offset(id) != 0 {
            let message = format!(
                "operand {} of `{mode}` must be a constant, but is {}",
                index - 1,
                m.show_value(id)
            );
            return Err(at.finding(&mode_setting::MODE_CONSTANTS, message).about(
                m,
                id,
                "the operand is defined here",
            ));
        }
        Ok(())
    }));
    // Flags that are no constant have no value.
    match is_fast_math && constants.is_ok() {
        true => check_fast_math(at),
        false => constants,
    }
}

fn check_fast_math(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let (ty, flags) = (at.id(2), at.id(3));
    let is_float = expect(FLOAT.matches(m, ty), || {
        let message = format!(
            "the target type of `FPFastMathDefault` must be a floating-point type, but is {}",
            m.show_type(ty)
        );
        at.finding(&mode_setting::FAST_MATH_TYPE, message)
    });
    all([is_float, check_flags(at, flags)])
}

/// Checks the flags of `FPFastMathDefault`.
fn check_flags(at: &InstCtx<'_, '_>, flags: Id) -> CheckResult {
    let m = at.m;
    let wrong = |what: &str| {
        let message = format!("the flags of `FPFastMathDefault` {what}");
        Err(at.finding(&mode_setting::FAST_MATH_MASK, message).about(
            m,
            flags,
            "the flags are defined here",
        ))
    };
    let Some(value) = m.constant_u32(flags) else {
        return wrong("must be a 32-bit integer constant, but not a specialization constant");
    };
    let has = |flag: FPFastMathMode| value & flag.0 != 0;
    let known = FPFastMathMode::NotNaN.0
        | FPFastMathMode::NotInf.0
        | FPFastMathMode::NSZ.0
        | FPFastMathMode::AllowRecip.0
        | FPFastMathMode::Fast.0
        | FPFastMathMode::AllowContract.0
        | FPFastMathMode::AllowReassoc.0
        | FPFastMathMode::AllowTransform.0;
    let mut found = Vec::new();
    if value & !known != 0 {
        found.push(wrong(&format!("are {value:#x}, which has unknown bits")));
    }
    if has(FPFastMathMode::Fast) {
        found.push(wrong("include `Fast`, which is deprecated"));
    }
    if has(FPFastMathMode::AllowTransform)
        && !(has(FPFastMathMode::AllowContract) && has(FPFastMathMode::AllowReassoc))
    {
        found.push(wrong(
            "include `AllowTransform`, but not both `AllowContract` and `AllowReassoc`",
        ));
    }
    all(found)
}

fn check_vulkan(at: &InstCtx<'_, '_>, mode: ExecutionMode, is_mesh: bool) -> CheckResult {
    let m = at.m;
    match mode {
        ExecutionMode::OriginLowerLeft | ExecutionMode::PixelCenterInteger => {
            let vuid = match mode {
                ExecutionMode::OriginLowerLeft => mode_setting::VULKAN_ORIGIN.vuids[0],
                _ => mode_setting::VULKAN_ORIGIN.vuids[1],
            };
            let message = format!("`{mode}` is not allowed in Vulkan");
            Err(at.finding(&mode_setting::VULKAN_ORIGIN, message).vuid(vuid))
        }
        ExecutionMode::OutputVertices | ExecutionMode::OutputPrimitivesEXT
            if is_mesh && at.inst.arg(2) == 0 =>
        {
            let vuid = match mode {
                ExecutionMode::OutputVertices => mode_setting::VULKAN_MESH_OUTPUTS.vuids[0],
                _ => mode_setting::VULKAN_MESH_OUTPUTS.vuids[1],
            };
            let message = format!("`{mode}` of a mesh shader must be greater than 0");
            Err(at
                .finding(&mode_setting::VULKAN_MESH_OUTPUTS, message)
                .vuid(vuid))
        }
        ExecutionMode::LocalSizeId
            if !m.env.is_vulkan_since(3) && !m.options.allow_local_size_id =>
        {
            let message = format!("{} does not support `LocalSizeId`", m.env.target.name());
            Err(at
                .finding(&mode_setting::VULKAN_LOCAL_SIZE_ID, message)
                .help(
                    "use `LocalSize`, or, if the feature `maintenance4` is enabled, the option `--allow-localsizeid`",
                ))
        }
        _ => Ok(()),
    }
}

/// Checks what modes mean together.
pub(super) fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    let modes = Modes::of(m);
    check_repeated(m, &modes, reporter);
    check_fast_math_entries(m, &modes, reporter);
    check_poison(m, &modes, reporter);
}

/// Checks that all entry points of a module that declares so have poison where they may.
fn check_poison(m: &Module<'_>, modes: &Modes, reporter: &mut Reporter) {
    if !m.has(Capability::PoisonFreezeKHR) {
        return;
    }
    for entry in &m.entry_points {
        if modes.has(entry.function, ExecutionMode::ArithmeticPoisonKHR) {
            continue;
        }
        let message = format!(
            "the module declares the capability `PoisonFreezeKHR`, so the entry point \"{}\" must have the execution \
             mode `ArithmeticPoisonKHR`",
            entry.name()
        );
        reporter.add(Finding::new(
            &mode_setting::ARITHMETIC_POISON,
            entry.inst.offset(),
            message,
        ));
    }
}

fn check_repeated(m: &Module<'_>, modes: &Modes, reporter: &mut Reporter) {
    let operand = |offset: u32| m.inst(offset).map_or(0, |inst| inst.arg(2));
    for group in modes
        .entries()
        .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
        .filter(|group| group.len() > 1)
    {
        let Some(&(_, mode, first)) = group.first() else {
            continue;
        };
        let mode = ExecutionMode(mode);
        let mut seen: Vec<(u32, u32)> = match tables::is_per_operand(mode) {
            true => group
                .iter()
                .map(|entry| (operand(entry.2), entry.2))
                .collect(),
            false => group.iter().map(|entry| (0, entry.2)).collect(),
        };
        seen.sort_unstable();
        let twice = seen.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        for pair in twice {
            let offset = pair.last().map_or(first, |entry| entry.1);
            let message = match tables::is_per_operand(mode) {
                true => format!("the entry point already has `{mode}` for this operand"),
                false => format!("the entry point already has `{mode}`"),
            };
            reporter.add(
                Finding::new(&mode_setting::MODE_REPEATED, offset, message).at(
                    pair.first().map_or(first, |entry| entry.1),
                    "it is declared here",
                ),
            );
        }
    }
}

fn check_fast_math_entries(m: &Module<'_>, modes: &Modes, reporter: &mut Reporter) {
    let mode = ExecutionMode::FPFastMathDefault;
    let mut functions: Vec<Id> = modes
        .entries()
        .iter()
        .filter(|entry| entry.1 == mode.0)
        .map(|entry| Id(entry.0))
        .collect();
    functions.dedup();
    if functions.is_empty() {
        return;
    }
    for &function in &functions {
        for other in [
            ExecutionMode::SignedZeroInfNanPreserve,
            ExecutionMode::ContractionOff,
        ] {
            if let Some(found) = modes.find(function, other)
                && let Some(offset) = modes.find(function, mode)
            {
                let message = format!("`{mode}` and `{other}` exclude each other");
                let finding = Finding::new(&mode_setting::FAST_MATH_CONFLICT, offset, message);
                reporter.add(finding.at(found, "it is declared here"));
            }
        }
    }
    check_call_trees(m, &functions, reporter);
}

/// Looks for what `FPFastMathDefault` forbids in all that runs for these entry
/// points.
fn check_call_trees(m: &Module<'_>, entries: &[Id], reporter: &mut Reporter) {
    let forbidden = |decorated: &Decorated<'_>| match decorated.decoration {
        Decoration::NoContraction => true,
        Decoration::FPFastMathMode => decorated.param(0) & FPFastMathMode::Fast.0 != 0,
        _ => false,
    };
    let decorations: Vec<(Id, Decorated<'_>)> = m
        .all_instructions()
        .take_while(|inst| inst.op() != Op::Function)
        .filter_map(|inst| Some((inst.id(0), Decorated::new(inst)?)))
        .filter(|(_, decorated)| forbidden(decorated))
        .collect();
    if decorations.is_empty() {
        return;
    }
    let mut reached = vec![false; m.functions.len()];
    for &entry in entries {
        for function in m.call_tree(entry) {
            if let Some(reached) = reached.get_mut(function as usize) {
                *reached = true;
            }
        }
    }
    let is_reached = |offset: u32| {
        m.function_at(offset)
            .is_some_and(|function| reached.get(function as usize) == Some(&true))
    };
    for (target, decorated) in decorations {
        let own = Some(m.def_offset(target)).into_iter();
        let mut places = own.chain(m.uses(target).iter().copied());
        if let Some(offset) = places.find(|&offset| is_reached(offset)) {
            let message = format!(
                "{} is decorated with `{}`, but is executed for an entry point with `FPFastMathDefault`",
                m.name(target),
                decorated.decoration
            );
            let finding = Finding::new(&mode_setting::FAST_MATH_CALL_TREE, offset, message);
            reporter.add(finding.at(decorated.inst.offset(), "it is decorated here"));
        }
    }
}
