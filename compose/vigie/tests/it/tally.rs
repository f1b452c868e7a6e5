//! What a server of the test took from the processes, and the faults that strike there.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::part::Part;
use crate::trap::{Effect, Trap};

/// Counts what was taken. Clones count together.
#[derive(Clone, Default)]
pub struct Tally {
    taken: Arc<Mutex<BTreeMap<String, usize>>>,
    trap: Arc<Trap>,
    /// All processes that send here: a connection does not say whose it is, so a fault kills all of them.
    senders: Vec<Arc<Part>>,
}

impl Tally {
    pub fn new(trap: &Arc<Trap>, senders: &[Arc<Part>]) -> Self {
        Self {
            taken: Arc::default(),
            trap: Arc::clone(trap),
            senders: senders.to_vec(),
        }
    }

    /// How often each was taken.
    pub fn taken(&self) -> BTreeMap<String, usize> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts one more.
    pub fn note(&self, what: &str) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken.entry(what.to_owned()).or_default() += 1;
    }

    /// Says that this moment has come; the effect if a fault strikes there.
    pub fn spring(&self, moment: &str) -> Option<Effect> {
        self.trap.note(moment.to_owned());
        self.trap.spring(moment)
    }

    /// Kills all senders if the effect does.
    pub fn kill_if(&self, effect: Option<Effect>) {
        if effect.is_some_and(Effect::kills) {
            for sender in &self.senders {
                sender.kill();
            }
        }
    }
}
