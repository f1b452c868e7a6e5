//! The quotas of company accounts, kept by whatever changes what is planned.

use axum::http::StatusCode;
use postgres::Connection;
use postgres::capture_quotas::TouchedPlans;
use schedules::quotas::{self, ExceededQuota};

use crate::failure::ApiError;
use crate::state::ApiState;

/// The code of a change that plans more than a quota allows.
pub const EXCEEDED: &str = "CAPTURE_QUOTA_EXCEEDED";

/// Refuses, with a conflict, a transaction that plans more captures for a company account than its quota allows. Call it last before the commit; the
/// quotas are held until then.
pub async fn keep(state: &ApiState, transaction: &mut Connection, touched: TouchedPlans<'_>) -> Result<(), ApiError> {
    match quotas::exceeded(&state.postgres, transaction, touched, state.clock.now()).await? {
        None => Ok(()),
        Some(ExceededQuota {
            account,
            quota,
            planned,
        }) => Err(ApiError::Coded(
            StatusCode::CONFLICT,
            EXCEEDED,
            format!("{account} may plan {quota} captures a month, and this would be {planned}. Nothing was changed."),
        )),
    }
}
