//! Entry points: what they name, and which modes they need (specification,
//! sections 2.16.1 and 3.32.5).

mod arguments;
mod required;

use hashbrown::HashMap;

use spirvkit_binary::Id;
use spirvkit_grammar::{Capability, ExecutionModel, Op};

use super::Family;
use super::mode_setting::{self, Modes, find_workgroup_size};
use crate::finding::{CheckResult, Finding, Reporter, all, expect};
use crate::inst_ctx::InstCtx;
use crate::module::{Lookup, Models, Module, Type};
use crate::rules::generated::entry_point;

pub(crate) const FAMILY: Family = Family {
    ops: &[Op::EntryPoint],
    check,
    check_module: Some(check_module),
};

fn check(at: &InstCtx<'_, '_>) -> CheckResult {
    let m = at.m;
    let function = at.id(1);
    let Some(def) = m.def(function) else {
        return Ok(());
    };
    if def.op() != Op::Function {
        let message = format!(
            "an entry point must name a function, but this one names {}",
            m.show_value(function)
        );
        return Err(at.finding(&entry_point::FUNCTION, message).about(
            m,
            function,
            "it is defined here",
        ));
    }
    let is_kernel = ExecutionModel(at.inst.arg(0)) == ExecutionModel::Kernel;
    let Type::Function { result, parameters } = m.ty(def.id(1)) else {
        return Ok(());
    };
    let wrong = |what: String| {
        let finding = at.finding(&entry_point::FUNCTION_TYPE, what);
        finding.about(m, function, "the function begins here")
    };
    let takes = expect(parameters.is_empty() || is_kernel, || {
        wrong(format!(
            "an entry point can't have parameters, but {} has {}",
            m.name(function),
            parameters.len()
        ))
    });
    let returns = expect(m.is_void(result) || m.def_offset(result) == 0, || {
        wrong(format!(
            "an entry point must return void, but {} returns {}",
            m.name(function),
            m.show_type(result)
        ))
    });
    all([takes, returns])
}

fn check_module(m: &Module<'_>, reporter: &mut Reporter) {
    if m.entry_points.is_empty() {
        check_none(m, reporter);
        return;
    }
    check_names(m, reporter);
    check_calls(m, reporter);
    if m.env.is_opencl() {
        arguments::check(m, reporter);
    }
    let modes = Modes::of(m);
    // Only workgroups need it, and looking for it takes time.
    let has_workgroups = m.entry_points.iter().any(|entry| {
        !matches!(
            entry.model,
            ExecutionModel::Vertex | ExecutionModel::Fragment | ExecutionModel::Kernel
        )
    });
    let size = match has_workgroups {
        true => find_workgroup_size(m),
        false => None,
    };
    for entry in &m.entry_points {
        if m.has(Capability::Shader) {
            reporter.note(required::check(&modes, entry));
        }
        reporter.note(mode_setting::check_workgroup_size(m, &modes, entry, size));
        if reporter.is_full() {
            return;
        }
    }
    check_capability_stages(m, reporter);
}

fn check_none(m: &Module<'_>, reporter: &mut Reporter) {
    if !m.lacks_entry_point() {
        return;
    }
    // What is missing is missing at the end.
    let last = m.all_instructions().last();
    let offset = last.map_or(0, |inst| inst.offset());
    let message = "the module has no entry point";
    reporter
        .add(Finding::new(&entry_point::NONE, offset, message).help(
            "declare the capability `Linkage` if the module will be linked with another one",
        ));
}

fn check_names(m: &Module<'_>, reporter: &mut Reporter) {
    if m.entry_points.len() < 2 {
        return;
    }
    let mut seen = HashMap::new();
    for entry in &m.entry_points {
        let name = entry.inst.string(2).map(|name| name.words());
        let offset = entry.inst.offset();
        if let Some(first) = seen.insert((entry.model.0, name), offset) {
            let message = format!(
                "there is already an entry point \"{}\" for `{}`",
                entry.name(),
                entry.model
            );
            reporter.add(
                Finding::new(&entry_point::NAME, offset, message)
                    .at(first, "the other one is here"),
            );
        }
    }
}

/// Checks that nothing calls an entry point, and that no calls that one reaches
/// form a cycle.
fn check_calls(m: &Module<'_>, reporter: &mut Reporter) {
    let mut calls_entry = false;
    for (index, function) in m.functions.iter().enumerate() {
        let is_entry =
            |callee: &Id| m.entry_models(*callee).is_some() && m.op_of(*callee) == Op::Function;
        // To look for the call takes its time, so one of a function is enough. It may be no
        // OpFunctionCall, which is all that is forbidden.
        let calls = m.callees(index as u32).any(|callee| is_entry(&callee));
        let mut all = m.instructions(function.range.clone()).filter(|_| calls);
        let call = all.find(|inst| inst.op() == Op::FunctionCall && is_entry(&inst.id(0)));
        if let Some(call) = call {
            let (offset, callee) = (call.offset(), call.id(0));
            let message = format!(
                "{} is an entry point, so it can't be called",
                m.name(callee)
            );
            reporter.add(Finding::new(&entry_point::CALLED, offset, message).about(
                m,
                callee,
                "the entry point's function begins here",
            ));
            calls_entry = true;
        }
    }
    // Only Vulkan leaves no doubt that it forbids all recursion.
    if m.env.is_vulkan()
        && !calls_entry
        && let Some((function, callee)) = find_cycle(m)
    {
        let range = m.functions.get(function as usize).map(|f| f.range.clone());
        let offset = call_of(m, range.unwrap_or_default(), callee);
        let message = format!(
            "the call to {} leads back to the function that contains it",
            m.name(callee)
        );
        reporter.add(Finding::new(&entry_point::RECURSION, offset, message));
    }
}

/// The call of a function within a range of words.
fn call_of(m: &Module<'_>, range: std::ops::Range<u32>, callee: Id) -> u32 {
    let start = range.start;
    m.instructions(range)
        .find(|inst| inst.op() == Op::FunctionCall && inst.id(0) == callee)
        .map_or(start, |inst| inst.offset())
}

/// A function that is reached from an entry point, and a function that it calls
/// and that leads back to it.
fn find_cycle(m: &Module<'_>) -> Option<(u32, Id)> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        Unseen,
        Open,
        Done,
    }
    let mut states = vec![State::Unseen; m.functions.len()];
    let mut path: Vec<(u32, Vec<Id>)> = Vec::new();
    for entry in &m.entry_points {
        let Some(root) = m.function_index(entry.function) else {
            continue;
        };
        if states.get(root as usize) != Some(&State::Unseen) {
            continue;
        }
        states[root as usize] = State::Open;
        path.push((root, m.callees(root).collect()));
        while let Some((function, callees)) = path.last_mut() {
            let function = *function;
            let Some(callee) = callees.pop() else {
                states[function as usize] = State::Done;
                path.pop();
                continue;
            };
            let Some(next) = m.function_index(callee) else {
                continue;
            };
            match states[next as usize] {
                State::Open => return Some((function, callee)),
                State::Done => {}
                State::Unseen => {
                    states[next as usize] = State::Open;
                    path.push((next, m.callees(next).collect()));
                }
            }
        }
    }
    None
}

const TILE_STAGES: Models = Models::of(&[ExecutionModel::Fragment, ExecutionModel::GLCompute]);

const NODE_STAGES: Models = Models::of(&[ExecutionModel::GLCompute, ExecutionModel::MeshEXT]);

fn check_capability_stages(m: &Module<'_>, reporter: &mut Reporter) {
    let limited = [
        (Capability::TileShadingQCOM, TILE_STAGES),
        (Capability::ShaderEnqueueAMDX, NODE_STAGES),
    ];
    if !m.env.is_vulkan() {
        return;
    }
    for ((capability, stages), vuid) in limited.into_iter().zip(entry_point::CAPABILITY_STAGE.vuids)
    {
        if !m.has(capability) {
            continue;
        }
        let entries = m.entry_points.iter();
        for entry in entries.filter(|entry| !stages.contains(entry.model)) {
            let message = format!(
                "the capability `{capability}` is for {stages}, but this entry point's execution model is `{}`",
                entry.model
            );
            let offset = entry.inst.offset();
            reporter.add(Finding::new(&entry_point::CAPABILITY_STAGE, offset, message).vuid(vuid));
        }
    }
}
