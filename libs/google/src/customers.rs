//! The customers of Google Ads that a grant reaches.

use serde::Deserialize;

use crate::account::decode;
use crate::{Account, GoogleError};

/// What is asked about the customers below a manager.
const TREE: &str = "SELECT customer_client.client_customer, customer_client.descriptive_name, customer_client.manager, \
    customer_client.status, customer_client.level, customer_client.currency_code, customer_client.time_zone \
    FROM customer_client WHERE customer_client.level <= 10";

/// A customer that a grant reaches by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Customer {
    /// Its id, in digits.
    pub id: String,
}

/// A customer below a root, or the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeNode {
    /// Its id, in digits.
    pub id: String,
    /// Name of the customer.
    pub name: String,
    /// Whether it is a manager, which has no ads of its own.
    pub is_manager: bool,
    /// Whether it is open.
    pub is_enabled: bool,
    /// How far it is below the root, which is 0.
    pub level: i32,
    /// ISO 4217 code of its currency.
    pub currency: Option<String>,
    /// Time zone of its dates.
    pub time_zone: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Accessible {
    #[serde(default)]
    resource_names: Vec<String>,
}

/// A page of a search.
#[derive(Deserialize)]
pub(crate) struct Page<Row> {
    #[serde(default = "Vec::new")]
    pub results: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TreeRow {
    customer_client: Client,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Client {
    #[serde(rename = "clientCustomer")]
    resource: String,
    #[serde(default)]
    descriptive_name: String,
    #[serde(default)]
    manager: bool,
    #[serde(default)]
    status: String,
    /// An int64, so a string.
    #[serde(default)]
    level: Option<String>,
    currency_code: Option<String>,
    time_zone: Option<String>,
}

impl Account {
    /// The customers that the grant reaches by itself, its roots.
    ///
    /// # Errors
    /// As any call.
    pub async fn customers(&self) -> Result<Vec<Customer>, GoogleError> {
        let found: Accessible = self.get_ads("customers:listAccessibleCustomers").await?;
        Ok(found
            .resource_names
            .iter()
            .filter_map(|name| id_of(name).map(|id| Customer { id }))
            .collect())
    }

    /// The customers below a root, and the root itself.
    ///
    /// # Errors
    /// As any call; [`GoogleError::CustomerClosed`] for a root that is closed.
    pub async fn tree(&self, root: &str) -> Result<Vec<TreeNode>, GoogleError> {
        let body = self.query_ads(root, "search", TREE).await?;
        let page: Page<TreeRow> = decode(&body)?;
        let nodes = page.results.into_iter().filter_map(|row| {
            let client = row.customer_client;
            Some(TreeNode {
                id: id_of(&client.resource)?,
                name: client.descriptive_name,
                is_manager: client.manager,
                is_enabled: client.status == "ENABLED",
                level: client.level.and_then(|level| level.parse().ok()).unwrap_or_default(),
                currency: client.currency_code,
                time_zone: client.time_zone,
            })
        });
        Ok(nodes.collect())
    }
}

/// The id in a resource name such as `customers/1234567890`.
pub(crate) fn id_of(name: &str) -> Option<String> {
    let id = name.rsplit('/').next()?;
    (!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit())).then(|| id.to_owned())
}
