//! How a state waited for others.

use onca_model::{Nature, Window};
use onca_query::Scope;

use super::related::state_at;
use super::{Entity, Inspection, Place, Subject, place_of};
use crate::{Diagnosis, Result, WaitKind};

/// This many are listed.
const MOST: usize = 8;

/// A wait during a state.
#[derive(Clone, PartialEq, Debug)]
pub struct WaitFor {
    /// What for.
    pub kind: WaitKind,
    /// When.
    pub window: Window,
    /// Who was waited for.
    pub cause: Place,
    /// What that one did until the wait was over, if it is seen.
    pub state: Option<Subject>,
}

/// Adds the waits of a state, if they are known: to find them takes too long for a pointer.
pub(super) fn add(scope: &Scope<'_>, entity: &Entity, found: &mut Inspection) -> Result<()> {
    let (Nature::State, Some(container)) = (entity.nature, entity.container) else { return Ok(()) };
    let Some(known) = Diagnosis::known(scope.store()) else { return Ok(()) };
    let window = Window { from: entity.start, to: entity.end };
    for wait in known.waits.of(container, window).take(MOST) {
        // The state that ends with the wait: the next begins then.
        let last = wait.window.to.saturating_sub(1);
        found.waits.push(WaitFor {
            kind: wait.kind,
            window: wait.window,
            cause: place_of(scope, wait.cause),
            state: state_at(scope, Some(wait.cause), last)?,
        });
    }
    let is_here = known.path_in(window).iter().any(|step| step.container == container);
    found.on_path = Some(is_here);
    Ok(())
}
