//! Roles of users.

use serde::{Deserialize, Serialize};

/// A role that gives rights. A user without one is a company user (decision D20).
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Role {
    /// Sees and changes everything.
    Admin,
    /// Staff of the notifying team: works on actions of every brand.
    Operator,
}
