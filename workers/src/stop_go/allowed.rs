//! What Stop and Go may do in this process.

use std::sync::Arc;

use stop_go::NegativeLists;
use stop_go::live::ProductSwitches;

/// What Stop and Go may do, and by what. Clones share the lists.
#[derive(Clone, Default)]
pub struct StopGo {
    /// Whether lanes may stop and go by themselves (`STOPGO_AUTOMATION`).
    pub automation: bool,
    /// The negative lists; `None` without a connection, while what is wanted waits.
    pub lists: Option<Arc<dyn NegativeLists>>,
}

impl StopGo {
    /// The switches of the rule.
    pub(crate) fn switches(&self) -> ProductSwitches {
        ProductSwitches {
            automation: self.automation,
            mutations: self.lists.as_ref().is_some_and(|lists| lists.mutates()),
        }
    }
}
