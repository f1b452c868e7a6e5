//! What the handlers of the simulator share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use runtime::Clock;

use crate::world::World;

/// The world, and its time.
#[derive(Clone)]
pub struct Shared {
    world: Arc<Mutex<World>>,
    pub clock: Clock,
}

impl Shared {
    /// Shares a world.
    pub fn new(world: World, clock: Clock) -> Self {
        Self {
            world: Arc::new(Mutex::new(world)),
            clock,
        }
    }

    /// The state of the world, for a moment.
    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
