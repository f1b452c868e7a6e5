//! The rights to a resource by role: decision D21 as data.

use crate::Role;

/// What is done to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Permission {
    /// Reading rows of the model.
    Read,
    /// Creating rows of the model.
    Create,
    /// Changing rows of the model.
    Change,
    /// Deleting rows of the model.
    Remove,
}

/// What users below administrator may do. An administrator may do everything.
#[derive(Clone, Copy, Debug)]
pub struct Rights {
    /// A user without a role that gives rights.
    pub company: &'static [Permission],
    /// What an operator may do.
    pub operator: &'static [Permission],
}

/// Reads, and nothing else.
pub const READ: &[Permission] = &[Permission::Read];
/// All four permissions.
pub const ALL: &[Permission] = &[
    Permission::Read,
    Permission::Create,
    Permission::Change,
    Permission::Remove,
];
/// None of the permissions.
pub const NONE: &[Permission] = &[];

impl Rights {
    /// Whether these roles grant the permission on rows within sight: everything for an administrator, [`Self::operator`] for an operator,
    /// [`Self::company`] for anyone else.
    pub fn allow(&self, roles: &[Role], permission: Permission) -> bool {
        if roles.contains(&Role::Admin) {
            return true;
        }
        let granted = if roles.contains(&Role::Operator) {
            self.operator
        } else {
            self.company
        };
        granted.contains(&permission)
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
        assert!(rights.allow(&[Role::Admin], Permission::Remove));
        assert!(rights.allow(&[Role::Operator], Permission::Read));
        assert!(!rights.allow(&[Role::Operator], Permission::Change));
        assert!(!rights.allow(&[], Permission::Read));
    }
}
