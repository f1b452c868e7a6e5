//! What this slice answers.

use serde::Serialize;
use utoipa::ToSchema;

/// A session as made by a login.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionView {
    /// The access token, shown this once.
    pub id: String,
    /// Seconds it lives.
    pub ttl: i64,
    /// When it was made.
    #[schema(format = DateTime)]
    pub created: String,
    /// The account that signed in.
    pub user_id: i32,
    /// The account, when it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<serde_json::Value>,
}

/// The signed-in user, with what the filter includes.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MeView {
    id: i32,
    email: String,
    email_verified: Option<bool>,
    first_name: Option<String>,
    last_name: Option<String>,
    avatar_id: Option<uuid::Uuid>,
    company_account_id: Option<i32>,
    /// Absent unless the filter includes it.
    company_account: Option<CompanyView>,
    /// Absent unless the filter includes them.
    #[schema(required = false)]
    roles: Vec<RoleView>,
    /// The administrator who works as this user; absent when nobody does.
    #[serde(skip_serializing_if = "Option::is_none")]
    impersonated_by: Option<i32>,
}

/// The company account of the user.
#[derive(Serialize, ToSchema)]
pub(crate) struct CompanyView {
    id: i32,
    name: Option<String>,
    label: Option<String>,
    /// Absent unless the filter includes them.
    #[schema(required = false)]
    brands: Vec<CompanyBrandView>,
}

/// A brand of the company account.
#[derive(Serialize, ToSchema)]
pub(crate) struct CompanyBrandView {
    id: i32,
    name: Option<String>,
    label: Option<String>,
}

/// A role of the user.
#[derive(Serialize, ToSchema)]
pub(crate) struct RoleView {
    id: i32,
    name: String,
}
