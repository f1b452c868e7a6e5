//! Figures for screens. Every report starts from the reader's scope.

pub mod ads;
pub mod advertisers;
pub mod captures;
pub mod creatives;
mod day_split;
pub mod domains;
pub mod figures;
mod hosts;
pub mod hours;
pub mod newcomers;
pub mod offers;
pub mod page;
pub mod share_of_voice;
mod source;
pub mod stats;
pub mod suggest;
pub mod terms;
pub mod totals;

use vocabulary::Scope;

use crate::filter::Filters;
use crate::scoped;
use crate::statement::Conditions;

/// The conditions of a scope and of filters together.
fn conditions(scope: &Scope, filters: &Filters) -> Conditions {
    let mut conditions = scoped::conditions(scope);
    filters.add_to(&mut conditions);
    conditions
}
