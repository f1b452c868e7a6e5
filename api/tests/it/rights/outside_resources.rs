//! The audience of each operation outside the resources.

use axum::http::StatusCode;

use super::SECRET;
use super::world::World;

/// The audience of an operation outside the resources.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Audience {
    /// Everybody, signed in or not.
    Visitors,
    /// Whoever is signed in, within sight.
    Users,
    /// Operators and administrators.
    Staff,
    /// Administrators and nobody else.
    Administrators,
    /// A client with the token of a link, and no session.
    LinkHolders,
}

/// The answers by method and path.
fn audience(method: &str, path: &str) -> Audience {
    const VISITORS: [&str; 15] = [
        "/sign-in/provider",
        "/Emails/inbound",
        "/Emails/opened/",
        "/alerts/unsubscribe/",
        "/UserAccounts/login",
        "/second-factor/confirm",
        "/second-factor/off",
        "/second-factor/recovery-codes",
        "/UserAccounts/reset",
        "/UserAccounts/confirm",
        "/result/",
        "/capture-iframe/",
        "/google/invitations/",
        "/google/oauth/callback",
        "/openapi.json",
    ];
    const ADMINISTRATORS: [&str; 11] = [
        "/keys/company/",
        "/second-factor/",
        "/alerts/texts",
        "/operations/",
        "/audit",
        "/Brands/",
        "/FeatureFlags/users/",
        "/google",
        "/Terms/",
        "/mailTemplates",
        "/stop-go/",
    ];
    const USERS: [&str; 31] = [
        "/UserAccounts/",
        "/Files/",
        "/FeatureFlags",
        "/Sems/",
        "/actions",
        "/advertisement",
        "/advertiserGroups/",
        "/advertiserTag/",
        "/advertisers/",
        "/alerts",
        "/brand",
        "/captureUse",
        "/captures",
        "/comparator",
        "/coverage",
        "/dashboards/",
        "/exportTickets",
        "/home/",
        "/keys",
        "/keywords/",
        "/monitoring/",
        "/reports",
        "/savedViews",
        "/search",
        "/second-factor",
        "/sessions",
        "/termRuns",
        "/webhooks",
        "/Undo/",
        "/Deleted/",
        "/Trails/",
    ];
    const OF_BRANDS: [&str; 3] = [
        "/Brands/{id}/officialDomains",
        "/Brands/{id}/partners",
        "/Brands/{id}/trademarks",
    ];
    const STAFF: [&str; 9] = [
        "/advertiserGroups/decide",
        "/actions/outreach/today",
        "/actions/workload",
        "/inboundMails",
        "/mailStops",
        "/mailTemplates/{id}/results",
        "/mailTemplates/preview",
        "/mailTemplates/test",
        "/privacy/",
    ];
    let path = path.strip_prefix("/api").unwrap_or(path);
    let is_of = |list: &[&str]| list.iter().any(|start| path.starts_with(start));
    if is_of(&STAFF) || path == "/mailTemplates" && method == "get" {
        Audience::Staff
    } else if path == "/UserAccounts/reset-password" {
        Audience::LinkHolders
    } else if is_of(&VISITORS) || path == "/second-factor" && method == "post" {
        Audience::Visitors
    } else if is_of(&OF_BRANDS) || path == "/alerts/texts" && method == "get" {
        Audience::Users
    } else if is_of(&ADMINISTRATORS) {
        Audience::Administrators
    } else if is_of(&USERS) {
        Audience::Users
    } else {
        panic!("{path} has no rule: say whom it is for")
    }
}

#[tokio::test]
async fn an_operation_outside_the_resources_is_for_whom_the_table_says() {
    let world = World::new().await;
    let resources: Vec<String> = world.operations().await.into_iter().map(|asked| asked.name).collect();
    let contract = world.app.get("/api/openapi.json", &[]).await.body;
    let mut asked = 0;
    for (path, methods) in contract["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap_or_default().to_owned();
            // Signing out ends the sessions that ask here.
            if resources.contains(&name) || path.ends_with("/logout") {
                continue;
            }
            let audience = audience(method, path);
            for (token, administers) in [(&world.stranger, false), (&world.operator, false), (&world.admin, true)] {
                let (status, body) = world.send(&method.to_uppercase(), path, token).await;
                assert!(status.as_u16() < 500, "{method} {path}: {status} {body}");
                assert!(
                    administers || !body.contains(SECRET) || audience == Audience::Visitors || token == &world.operator,
                    "{method} {path}: {body}"
                );
                let refused = status == StatusCode::FORBIDDEN;
                let is_for_others = match audience {
                    Audience::Administrators => !administers,
                    Audience::Staff => token == &world.stranger,
                    _ => false,
                };
                assert_eq!(refused, is_for_others, "{method} {path}: {status} {body}");
                let unknown = status == StatusCode::UNAUTHORIZED;
                let for_others = [Audience::LinkHolders, Audience::Visitors].contains(&audience);
                assert!(!unknown || for_others, "{method} {path}: {status} {body}");
            }
            asked += 1;
        }
    }
    assert!(asked > 40, "{asked} operations");
}
