//! Which races `spv run` accepts.

use spirvkit::debuginfo::DebugInfo;
use spirvkit::interp::Run;

use crate::arguments::RawIds;
use crate::look::Looked;
use crate::look::ids::Trouble;
use crate::look::places::Wanted;
use crate::look::view::View;
use crate::report::{Format, Messages};

/// Accepts the races of the instructions at these places.
pub(super) fn accept<'a>(
    run: Run<'a>,
    places: &[Wanted],
    looked: &Looked<'_>,
    messages: &mut Messages,
) -> Run<'a> {
    let Ok(info) = DebugInfo::read(looked.module.words()) else {
        return run;
    };
    let view = View::new(looked, &info, RawIds::default(), Format::Human);
    places.iter().fold(run, |run, place| {
        let found = place
            .find(&view)
            .and_then(|found| match found.ranges.is_empty() {
                true => Err(Trouble::not_found(
                    "no instruction comes from what is declared there",
                )),
                false => Ok(found),
            });
        match found {
            Ok(found) => {
                let warnings = found.warnings.iter();
                warnings.for_each(|it| messages.add_of(looked.name, &it.diagnostic()));
                run.accept_races(found.ranges.into_iter().flatten())
            }
            Err(trouble) => {
                messages.add_of(looked.name, &trouble.diagnostic());
                run
            }
        }
    })
}
