//! Where faults strike: at what a process is about to write to a store, or says to a mail server.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What happens at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "title_case")]
pub enum Effect {
    /// The process is killed, and the store never hears of the write.
    KilledBefore,
    /// The write is made, and the process is killed before it hears so.
    KilledAfter,
    /// The connection is cut, and the store never hears of the write.
    CutBefore,
    /// The write is made, and the connection is cut before the process hears so.
    CutAfter,
}

impl Effect {
    pub const ALL: [Self; 4] = [Self::KilledBefore, Self::KilledAfter, Self::CutBefore, Self::CutAfter];

    /// Whether the store makes the write.
    pub fn is_after(self) -> bool {
        matches!(self, Self::KilledAfter | Self::CutAfter)
    }

    /// Whether the process is killed. It lives on where only its connection is cut.
    pub fn kills(self) -> bool {
        matches!(self, Self::KilledBefore | Self::KilledAfter)
    }
}

/// A fault that strikes once, the first time that its moment comes, and the moments that came. Shared by all processes of a stack.
#[derive(Default)]
pub struct Trap(Mutex<State>);

#[derive(Default)]
struct State {
    came: BTreeSet<String>,
    armed: Option<(String, Effect)>,
}

impl Trap {
    /// Strikes the next time that this moment comes.
    pub fn arm(&self, moment: &str, effect: Effect) {
        self.state().armed = Some((moment.to_owned(), effect));
    }

    /// Strikes no more. Whether it has struck since it was armed.
    pub fn disarm(&self) -> bool {
        self.state().armed.take().is_none()
    }

    /// The effect if the trap was armed for this moment, which comes now.
    pub fn spring(&self, moment: &str) -> Option<Effect> {
        let (_, effect) = self.state().armed.take_if(|(armed, _)| armed == moment)?;
        Some(effect)
    }

    /// Notes that a moment has come, and that something was written.
    pub fn note(&self, moment: String) {
        self.state().came.insert(moment);
    }

    /// The moments that came since the last call, by name.
    pub fn take_moments(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.state().came)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
