//! Who may do what with a resource: decision D21 as data.

use crate::Role;

/// What is done to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Deed {
    /// Reading it.
    Read,
    /// Making it.
    Create,
    /// Changing it.
    Change,
    /// Deleting it.
    Remove,
}

/// What those without the role of an administrator may do; an administrator may do all.
#[derive(Clone, Copy, Debug)]
pub struct Rights {
    /// A user without a role that gives rights.
    pub company: &'static [Deed],
    /// An operator.
    pub operator: &'static [Deed],
}

/// Reads, and nothing else.
pub const READ: &[Deed] = &[Deed::Read];
/// Everything.
pub const ALL: &[Deed] = &[Deed::Read, Deed::Create, Deed::Change, Deed::Remove];
/// Nothing.
pub const NONE: &[Deed] = &[];

impl Rights {
    /// Whether somebody with these roles may do it, to rows within sight.
    pub fn allow(&self, roles: &[Role], deed: Deed) -> bool {
        if roles.contains(&Role::Admin) {
            return true;
        }
        let granted = if roles.contains(&Role::Operator) {
            self.operator
        } else {
            self.company
        };
        granted.contains(&deed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_administrator_may_do_what_nobody_else_may() {
        let rights = Rights {
            company: NONE,
            operator: READ,
        };
        assert!(rights.allow(&[Role::Admin], Deed::Remove));
        assert!(rights.allow(&[Role::Operator], Deed::Read));
        assert!(!rights.allow(&[Role::Operator], Deed::Change));
        assert!(!rights.allow(&[], Deed::Read));
    }
}
