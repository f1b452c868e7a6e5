//! Which customers a grant reaches.

use ::google::{Client, GoogleError, GrantKey};
use postgres::google::{self, FoundCustomer};

use super::grant_tokens::SCOPE;
use super::{client, failed};
use crate::failure::ApiError;
use crate::state::ApiState;

/// Roots of one grant at most, each one operation.
const MOST_ROOTS: usize = 50;

/// Reads which customers a grant reaches and stores them. The grant's state follows from how that went.
pub(super) async fn read_tree(state: &ApiState, (grant, token): (i64, String)) -> Result<(), ApiError> {
    let now = state.clock.now();
    let key = GrantKey {
        id: grant,
        refresh_token: token,
    };
    let google_client = client(state)?;
    let read = read_roots(state, &google_client, &key).await;
    google::count_operations(&state.postgres, &SCOPE, (1, 0), now).await?;
    match read {
        Ok(found) => {
            let mut tx = postgres::begin(&state.postgres).await?;
            google::replace_customers(&mut tx, &SCOPE, grant, &found, now).await?;
            google::mark_grant(&mut *tx, &SCOPE, grant, ("ok", None), now).await?;
            tx.commit().await.map_err(postgres::Error::from)?;
            Ok(())
        }
        Err(error) => {
            let status = match error {
                GoogleError::GrantRevoked => Some("revoked"),
                GoogleError::GrantFailing(_) => Some("failing"),
                _ => None,
            };
            if let Some(status) = status {
                let text = error.to_string();
                google::mark_grant(&state.postgres, &SCOPE, grant, (status, Some(&text)), now).await?;
            }
            Err(failed(error))
        }
    }
}

/// The customers below each root of a grant; the operations that it takes are counted.
async fn read_roots(
    state: &ApiState,
    google_client: &Client,
    key: &GrantKey,
) -> Result<Vec<FoundCustomer>, GoogleError> {
    let mut found = Vec::new();
    let plain = google_client.account(key.clone(), None);
    let roots = plain.customers().await?;
    for root in roots.into_iter().take(MOST_ROOTS) {
        let account = google_client.account(key.clone(), Some(root.id.clone()));
        let nodes = account.tree(&root.id).await;
        let spent = i32::try_from(account.operations()).unwrap_or(i32::MAX);
        google::count_operations(&state.postgres, &SCOPE, (spent, 0), state.clock.now())
            .await
            .map_err(|error| GoogleError::Unreachable(error.to_string()))?;
        let nodes = match nodes {
            // A root that is closed hides nothing else.
            Err(GoogleError::CustomerClosed | GoogleError::Forbidden { .. }) => continue,
            other => other?,
        };
        found.extend(nodes.into_iter().map(|node| FoundCustomer {
            grant: key.id,
            id: node.id,
            manager: root.id.clone(),
            manager_name: String::new(),
            name: node.name,
            is_manager: node.is_manager,
            is_enabled: node.is_enabled,
            level: node.level,
            currency: node.currency,
            time_zone: node.time_zone,
        }));
    }
    Ok(found)
}
