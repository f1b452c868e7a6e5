//! Which elements of a page have been read, so that none is read twice.

use std::collections::HashSet;

use ego_tree::NodeId;
use scraper::ElementRef;

/// Elements claimed by ads and other paid units, and the elements around them.
#[derive(Default)]
pub(super) struct ClaimedElements {
    claimed: HashSet<NodeId>,
    enclosing: HashSet<NodeId>,
}

impl ClaimedElements {
    /// Whether an element is, or lies within, an ad or another paid unit.
    pub fn covers(&self, element: ElementRef<'_>) -> bool {
        self.claimed.contains(&element.id()) || element.ancestors().any(|node| self.claimed.contains(&node.id()))
    }

    /// Returns whether an element neither is, lies within nor holds a claimed one.
    pub fn is_free(&self, element: ElementRef<'_>) -> bool {
        !self.enclosing.contains(&element.id()) && !self.covers(element)
    }

    /// Claims an element with all within it.
    pub fn claim(&mut self, element: ElementRef<'_>) {
        self.claimed.insert(element.id());
        self.enclosing.extend(element.ancestors().map(|node| node.id()));
    }

    /// Whether an element holds a claimed one.
    pub fn encloses(&self, node: NodeId) -> bool {
        self.enclosing.contains(&node)
    }
}
