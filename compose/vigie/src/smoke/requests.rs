//! Requests to the API and to the simulated engine.

use reqwest::Client;
use serde::Deserialize;
use serde_json::json;
use url::Url;
use vocabulary::SlotState;

use super::term::CompanyUser;
use super::{SmokeError, Views};

#[derive(Deserialize)]
struct LoginReply {
    id: String,
}

/// Signs in to the API at `api` with the address and password of `reader`, and returns an access token. An answer that is no success is an error.
pub async fn sign_in(client: &Client, api: &Url, reader: &CompanyUser) -> Result<String, SmokeError> {
    let credentials = json!({ "email": reader.email, "password": reader.password });
    let response = client
        .post(api_address(api, "/api/UserAccounts/login"))
        .json(&credentials)
        .send()
        .await?;
    Ok(response.error_for_status()?.json::<LoginReply>().await?.id)
}

/// The API's list of captures, as far as it is read.
#[derive(Deserialize)]
struct Captures {
    data: Vec<CaptureReply>,
}

#[derive(Deserialize)]
struct CaptureReply {
    state: SlotState,
}

/// Asks the API for the first page of captures and returns how many of them are verified: their ads are stored and read back.
pub async fn captures(client: &Client, api: &Url, token: &str) -> Result<usize, SmokeError> {
    let response = client
        .get(api_address(api, "/api/captures"))
        .bearer_auth(token)
        .send()
        .await?;
    let runs = response.error_for_status()?.json::<Captures>().await?.data;
    Ok(runs.iter().filter(|run| run.state == SlotState::Verified).count())
}

/// The API's list of advertisers, as far as it is read.
#[derive(Deserialize)]
struct Domains {
    data: Vec<Domain>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Domain {
    domain: String,
    nb_views: u64,
}

/// Returns the views of each domain, keyed by domain, from all rows of the list of advertisers that the token may see.
pub async fn views(client: &Client, api: &Url, token: &str) -> Result<Views, SmokeError> {
    let all = [("page[size]", "0")];
    let response = client
        .get(api_address(api, "/api/Sems/findAdvertisers"))
        .query(&all)
        .bearer_auth(token)
        .send()
        .await?;
    let list: Domains = response.error_for_status()?.json().await?;
    Ok(list.data.into_iter().map(|row| (row.domain, row.nb_views)).collect())
}

/// A page that the simulated engine has served.
#[derive(Deserialize)]
struct Served {
    truth: String,
}

/// The truth of a page, as far as it is read.
#[derive(Deserialize)]
struct Truth {
    ads: Vec<TrueAd>,
    shopping: Vec<TrueAd>,
}

#[derive(Deserialize)]
struct TrueAd {
    domain: String,
}

/// Returns how many pages the simulated engine has served, and how many text and shopping ads each domain has on them. `simulator` is its address, as
/// in `http://127.0.0.1:8090`.
pub async fn truth(client: &Client, simulator: &str) -> Result<(usize, Views), SmokeError> {
    let served: Vec<Served> = client
        .get(format!("{simulator}/served"))
        .send()
        .await?
        .error_for_status()?
        .json()
        .await?;
    let mut views = Views::new();
    for page in &served {
        let truth: Truth = client
            .get(format!("{simulator}{}", page.truth))
            .send()
            .await?
            .error_for_status()?
            .json()
            .await?;
        for ad in truth.ads.into_iter().chain(truth.shopping) {
            *views.entry(ad.domain).or_default() += 1;
        }
    }
    Ok((served.len(), views))
}

/// Returns an address of the API with this path.
fn api_address(api: &Url, path: &str) -> Url {
    let mut url = api.clone();
    url.set_path(path);
    url
}
