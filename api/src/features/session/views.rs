//! What this slice answers.

use chrono::{DateTime, Utc};
use records::users::User;
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
    pub created: DateTime<Utc>,
    /// Who signed in.
    pub user_id: i32,
}

/// The signed-in user.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MeView {
    id: i32,
    email: String,
    email_verified: bool,
    first_name: Option<String>,
    last_name: Option<String>,
    avatar_id: Option<uuid::Uuid>,
    company_account_id: Option<i32>,
    company_account: Option<CompanyView>,
    roles: Vec<RoleView>,
}

/// The company account of the user.
#[derive(Serialize, ToSchema)]
pub(crate) struct CompanyView {
    id: i32,
    name: Option<String>,
    label: Option<String>,
    brands: Vec<BrandView>,
}

/// A brand of the company account.
#[derive(Serialize, ToSchema)]
pub(crate) struct BrandView {
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

impl From<User> for MeView {
    fn from(user: User) -> Self {
        let company_account = user.company.map(|company| CompanyView {
            id: company.id.0,
            name: company.name,
            label: company.label,
            brands: company
                .brands
                .into_iter()
                .map(|brand| BrandView {
                    id: brand.id.0,
                    name: brand.name,
                    label: brand.label,
                })
                .collect(),
        });
        Self {
            id: user.id.0,
            email: user.email,
            email_verified: user.email_verified.unwrap_or(false),
            first_name: user.first_name,
            last_name: user.last_name,
            avatar_id: user.avatar_id.map(|file| file.0),
            company_account_id: company_account.as_ref().map(|company| company.id),
            company_account,
            roles: user
                .roles
                .into_iter()
                .map(|role| RoleView {
                    id: role.id.0,
                    name: role.name,
                })
                .collect(),
        }
    }
}
