//! What keeps a script from being run, as far as the script itself shows.

use spirvkit_diagnostics::Span;

use super::Stop;
use crate::command::{Action, Command, Work};
use crate::script::Script;
use crate::words::PipelineKind;

/// Fails for a script that has commands that can't be run. It is better to skip all of such a
/// script than to run its first half.
pub(super) fn check(script: &Script) -> Result<(), Stop> {
    let mut open: Vec<&[Command]> = vec![&script.commands];
    while let Some(commands) = open.pop() {
        for command in commands {
            match &command.action {
                Action::Repeat { commands, .. } => open.push(commands),
                Action::Run(run) if matches!(run.work, Work::Compute(_)) => {}
                Action::Run(run) => {
                    let is_traced = script[run.pipeline].kind == PipelineKind::RayTracing;
                    return Err(match is_traced {
                        true => Stop::skip(Some(command.span), "ray tracing can't be run yet"),
                        false => no_graphics(command.span),
                    });
                }
                Action::Debug(..) => {
                    let message = "`DEBUG` can't be run yet";
                    return Err(Stop::skip(Some(command.span), message));
                }
                Action::Copy { .. } | Action::Write(_) | Action::Expect(_) => {}
                _ => return Err(no_graphics(command.span)),
            }
        }
    }
    Ok(())
}

/// What is said of a command that draws.
pub(super) fn no_graphics(span: Span) -> Stop {
    Stop::skip(Some(span), "graphics pipelines can't be run yet")
}
