//! On whose behalf data is read or changed.

use std::ops::Deref;

use crate::{BrandId, CompanyAccountId, TermId, UserId};

/// What a query may see. Every function that touches tenant data takes one as its first argument after the pool; it can only be
/// made for a signed-in user, or for the system with a reason, so no query runs on nobody's behalf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    reach: Extent,
    actor: Actor,
    administers: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Extent {
    Everything,
    Within {
        company: Option<CompanyAccountId>,
        brands: Vec<BrandId>,
        terms: Vec<TermId>,
    },
}

/// On whose behalf a query runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A signed-in user.
    User(UserId),
    /// A process of Vigie; the text says why, for the logs.
    System(&'static str),
}

impl Scope {
    /// The scope of an operator: every brand, and terms without a brand, but no accounts of other users.
    pub const fn everything(user: UserId) -> Self {
        Self {
            reach: Extent::Everything,
            actor: Actor::User(user),
            administers: false,
        }
    }

    /// The scope of an administrator: every brand, terms without a brand, and all accounts.
    pub const fn administrator(user: UserId) -> Self {
        Self {
            reach: Extent::Everything,
            actor: Actor::User(user),
            administers: true,
        }
    }

    /// The scope of a company user: the brands of the company account, and the terms that it was given access to (decision D94). Add the
    /// account itself by [`Self::of_company`].
    pub fn within(user: UserId, mut brands: Vec<BrandId>, mut terms: Vec<TermId>) -> Self {
        brands.sort_unstable();
        brands.dedup();
        terms.sort_unstable();
        terms.dedup();
        Self {
            reach: Extent::Within {
                company: None,
                brands,
                terms,
            },
            actor: Actor::User(user),
            administers: false,
        }
    }

    /// Adds the company account to the scope of a company user. A scope that sees everything stays as it is.
    #[must_use]
    pub fn of_company(mut self, account: Option<CompanyAccountId>) -> Self {
        if let Extent::Within { company, .. } = &mut self.reach {
            *company = account;
        }
        self
    }

    /// The user or process on whose behalf the scope was made.
    pub const fn actor(&self) -> Actor {
        self.actor
    }

    /// Whether the accounts, tokens and roles of all users are visible, and what only administrators see besides.
    pub const fn administers(&self) -> bool {
        self.administers
    }

    /// Whether all brands and terms are visible.
    pub const fn is_everything(&self) -> bool {
        matches!(self.reach, Extent::Everything)
    }

    /// The company account of a company user; `None` for a user without one, and for a scope that sees everything.
    pub const fn company(&self) -> Option<CompanyAccountId> {
        match &self.reach {
            Extent::Everything => None,
            Extent::Within { company, .. } => *company,
        }
    }

    /// The visible brands, ascending; `None` means every brand.
    pub fn brands(&self) -> Option<&[BrandId]> {
        match &self.reach {
            Extent::Everything => None,
            Extent::Within { brands, .. } => Some(brands),
        }
    }

    /// The terms that are visible in addition to those of [`Self::brands`], ascending; `None` means every term.
    pub fn terms(&self) -> Option<&[TermId]> {
        match &self.reach {
            Extent::Everything => None,
            Extent::Within { terms, .. } => Some(terms),
        }
    }

    /// Whether another scope sees the same, except what belongs to its user.
    pub fn reaches_like(&self, other: &Self) -> bool {
        self.reach == other.reach && self.administers == other.administers
    }

    /// Whether a brand is visible. Every id is, known or not, in a scope that sees everything.
    pub fn sees_brand(&self, brand: BrandId) -> bool {
        self.brands().is_none_or(|brands| brands.binary_search(&brand).is_ok())
    }
}

/// The scope of Vigie's own work, which sees everything. A function that takes one can never run on behalf of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemScope(Scope);

impl SystemScope {
    /// The scope of a worker or command: it sees everything and may administer. `reason` names the work in the logs.
    pub const fn new(reason: &'static str) -> Self {
        Self(Scope {
            reach: Extent::Everything,
            actor: Actor::System(reason),
            administers: true,
        })
    }
}

impl Deref for SystemScope {
    type Target = Scope;

    fn deref(&self) -> &Scope {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_company_user_sees_its_brands_only() {
        let scope = Scope::within(UserId(1), vec![BrandId(3), BrandId(2), BrandId(3)], vec![]);
        assert_eq!(scope.brands(), Some(&[BrandId(2), BrandId(3)][..]));
        assert!(scope.sees_brand(BrandId(2)));
        assert!(!scope.sees_brand(BrandId(4)));
    }

    #[test]
    fn a_user_without_brands_sees_none() {
        assert!(!Scope::within(UserId(1), vec![], vec![]).sees_brand(BrandId(1)));
        assert!(Scope::everything(UserId(1)).sees_brand(BrandId(1)));
    }
}
