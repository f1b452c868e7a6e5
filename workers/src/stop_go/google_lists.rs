//! Negative lists in Google Ads: one shared list of an account and country, attached to the campaigns that serve that country alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ::google::{Account, Campaign, GoogleError, ListOutcome, Negative, NegativeOutcome};
use chrono::TimeDelta;
use futures::FutureExt;
use futures::future::BoxFuture;
use postgres::google::{self, SharedSet};
use stop_go::{Coverage, NegativeList, NegativeListError, NegativeLists, TextOutcome, Urgency};
use tokio::time::timeout;
use vocabulary::SystemScope;

use crate::Error;
use crate::google_access::GoogleAccess;
use crate::google_budget::Budget;

/// How long a call may take: shorter than what the caller waits, so that its operations are counted.
const CALL_LIMIT: Duration = Duration::from_secs(25);
/// Before the budget of the day is looked at again.
const BUDGET_WAIT: Duration = Duration::from_mins(1);
/// Before a call that failed is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(10);
/// Google's words for the campaigns that a list of negative keywords works in.
const COVERED: [&str; 2] = ["SEARCH", "SHOPPING"];
/// Days whose cost says how much Performance Max has; the last ones are not complete yet.
const COST_DAYS: (TimeDelta, TimeDelta) = (TimeDelta::days(33), TimeDelta::days(3));
/// The longest pause that Google may ask for.
const LONGEST_PAUSE: TimeDelta = TimeDelta::days(2);

const OFF: &str = "changes at Google are off; set VIGIE__GOOGLE__MUTATIONS to true";
const NO_ACCESS: &str =
    "nobody gives access to this Google account any more; connect it again, or remove the text by hand";

const SCOPE: SystemScope = SystemScope::new("changing negative lists at Google");

/// The negative lists of the accounts that are connected. Clones share connections and tokens.
#[derive(Clone, Debug)]
pub struct GoogleLists {
    /// What Google is worked with.
    pub access: GoogleAccess,
    /// Whether changes are sent (`VIGIE__GOOGLE__MUTATIONS`).
    pub mutations: bool,
}

impl NegativeLists for GoogleLists {
    fn mutates(&self) -> bool {
        self.mutations
    }

    fn list(&self, item: i32, country: &str, urgency: Urgency) -> Arc<dyn NegativeList> {
        Arc::new(GoogleList {
            lists: self.clone(),
            item,
            country: country.to_owned(),
            urgency,
            criteria: Mutex::default(),
        })
    }
}

struct GoogleList {
    lists: GoogleLists,
    item: i32,
    country: String,
    urgency: Urgency,
    /// Google's names of each text, as last read.
    criteria: Mutex<Option<BTreeMap<String, Vec<String>>>>,
}

/// An account that is open for one list.
struct OpenAccount {
    account: Account,
    customer: String,
    grant: i64,
}

impl NegativeList for GoogleList {
    fn texts(&self) -> BoxFuture<'_, Result<BTreeSet<String>, NegativeListError>> {
        async { Ok(self.read().await?.into_keys().collect()) }.boxed()
    }

    fn add<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<TextOutcome>, NegativeListError>> {
        async move {
            self.check_mutations("add", texts)?;
            let open = self.open().await?;
            let list = self
                .found(&open)
                .await?
                .ok_or_else(|| refused("the list was not set up yet"))?;
            let texts_in = texts.iter().map(String::as_str).collect::<Vec<_>>();
            let call = open.account.add_negatives(&open.customer, &list.id, &texts_in);
            let outcomes = self.asked(&open, call).await?;
            Ok(texts
                .iter()
                .cloned()
                .zip(outcomes.into_iter().map(outcome_of))
                .collect())
        }
        .boxed()
    }

    fn remove<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<TextOutcome>, NegativeListError>> {
        async move {
            self.check_mutations("remove", texts)?;
            let known = self.criteria.lock().unwrap_or_else(PoisonError::into_inner).take();
            let known = match known {
                Some(known) => known,
                None => self.read().await?,
            };
            let open = self.open().await?;
            let pairs: Vec<(&String, &str)> = texts
                .iter()
                .flat_map(|text| {
                    known
                        .get(text)
                        .into_iter()
                        .flatten()
                        .map(move |name| (text, name.as_str()))
                })
                .collect();
            let mut outcomes: BTreeMap<&String, Result<(), NegativeListError>> =
                texts.iter().map(|text| (text, Ok(()))).collect();
            if !pairs.is_empty() {
                let names: Vec<&str> = pairs.iter().map(|(_, name)| *name).collect();
                let call = open.account.remove_negatives(&open.customer, &names);
                for ((text, _), outcome) in pairs.iter().zip(self.asked(&open, call).await?) {
                    if let Err(error) = outcome_of(outcome) {
                        outcomes.insert(text, Err(error));
                    }
                }
            }
            Ok(outcomes
                .into_iter()
                .map(|(text, outcome)| (text.clone(), outcome))
                .collect())
        }
        .boxed()
    }

    fn attach(&self) -> BoxFuture<'_, Result<Coverage, NegativeListError>> {
        async {
            self.check_mutations("attach", &[])?;
            let open = self.open().await?;
            let campaigns = self.asked(&open, open.account.campaigns(&open.customer)).await?;
            let fitting = fitting(&campaigns, &self.country)?;
            let list = self.found_or_made(&open).await?;
            let there = self
                .asked(&open, open.account.campaigns_of(&open.customer, &list))
                .await?;
            let missing: Vec<&str> = fitting
                .iter()
                .map(String::as_str)
                .filter(|campaign| !there.iter().any(|other| other == campaign))
                .collect();
            if !missing.is_empty() {
                let call = open.account.attach_list(&open.customer, &list, &missing);
                self.asked(&open, call).await?;
            }
            let pmax_percent = self.pmax_percent(&open).await?;
            let count = u32::try_from(fitting.len()).unwrap_or(u32::MAX);
            let kept = SharedSet {
                id: list,
                campaigns: fitting,
            };
            google::keep_shared_set(self.pool(), &SCOPE, self.key(), &kept, self.now())
                .await
                .map_err(of_store)?;
            Ok(Coverage {
                campaigns: count,
                pmax_percent,
            })
        }
        .boxed()
    }

    fn attached(&self) -> BoxFuture<'_, Result<(u32, bool), NegativeListError>> {
        async {
            let open = self.open().await?;
            let Some(list) = self.found(&open).await? else {
                return Ok((0, false));
            };
            let there = self
                .asked(&open, open.account.campaigns_of(&open.customer, &list.id))
                .await?;
            let wanted: BTreeSet<&String> = list.campaigns.iter().collect();
            let found: BTreeSet<&String> = there.iter().collect();
            Ok((u32::try_from(there.len()).unwrap_or(u32::MAX), wanted == found))
        }
        .boxed()
    }

    fn detach(&self) -> BoxFuture<'_, Result<(), NegativeListError>> {
        async {
            self.check_mutations("detach", &[])?;
            let open = self.open().await?;
            let Some(list) = self.found(&open).await? else {
                return Ok(());
            };
            self.asked(&open, open.account.detach_list(&open.customer, &list.id))
                .await?;
            Ok(())
        }
        .boxed()
    }
}

impl GoogleList {
    fn pool(&self) -> &postgres::Pool {
        &self.lists.access.postgres
    }

    fn now(&self) -> chrono::DateTime<chrono::Utc> {
        self.lists.access.clock.now()
    }

    fn key(&self) -> (i32, &str) {
        (self.item, &self.country)
    }

    /// What the list is called at Google.
    fn name(&self) -> String {
        format!("Vigie stop {}", self.country)
    }

    fn check_mutations(&self, what: &str, texts: &[String]) -> Result<(), NegativeListError> {
        if self.lists.mutations {
            return Ok(());
        }
        tracing::info!(
            item = self.item,
            country = self.country,
            what,
            ?texts,
            "a change at Google is not sent: {OFF}"
        );
        Err(refused(OFF))
    }

    /// Opens the account of the item, unless the budget of the day is needed for something more urgent.
    async fn open(&self) -> Result<OpenAccount, NegativeListError> {
        let access = &self.lists.access;
        let usage = google::usage(self.pool(), self.now()).await.map_err(of_store)?;
        if self.urgency == Urgency::Later && !Budget::new(&usage, access.daily_operations).may_ask {
            return Err(NegativeListError::Unavailable {
                retry_after: BUDGET_WAIT,
            });
        }
        let reach = google::ads_reach(self.pool(), &SCOPE, self.item)
            .await
            .map_err(of_store)?;
        let reach = reach.ok_or_else(|| refused("the Google account is not linked any more"))?;
        let (Some(grant), Some(sealed)) = (reach.grant, &reach.refresh_token) else {
            return Err(refused(NO_ACCESS));
        };
        let account = access.open(grant, sealed, reach.login_customer);
        Ok(OpenAccount {
            account: account.ok_or_else(|| refused("the key of the access is missing in VIGIE__SECRETS__KEYS"))?,
            customer: reach.customer,
            grant,
        })
    }

    /// The list as it was set up, or one of its name; `None` if there is none.
    async fn found(&self, open: &OpenAccount) -> Result<Option<SharedSet>, NegativeListError> {
        let known = google::shared_set(self.pool(), &SCOPE, self.item, &self.country)
            .await
            .map_err(of_store)?;
        if known.is_some() {
            return Ok(known);
        }
        let name = self.name();
        let id = self.asked(open, open.account.list_named(&open.customer, &name)).await?;
        Ok(id.map(|id| SharedSet {
            id,
            campaigns: Vec::new(),
        }))
    }

    /// The id of the list of its name; it is made if it never was. One that was removed in Google is not made again: a person wanted that.
    async fn found_or_made(&self, open: &OpenAccount) -> Result<String, NegativeListError> {
        let name = self.name();
        let there = self.asked(open, open.account.list_named(&open.customer, &name)).await?;
        if let Some(id) = there {
            return Ok(id);
        }
        let known = google::shared_set(self.pool(), &SCOPE, self.item, &self.country)
            .await
            .map_err(of_store)?;
        if known.is_some() {
            let why = format!("the list “{name}” was removed in Google; make a list of that name there to go on");
            return Err(refused(&why));
        }
        match self
            .asked(open, open.account.create_list(&open.customer, &name))
            .await?
        {
            ListOutcome::Done(id) => Ok(id),
            ListOutcome::Checked => Err(refused(OFF)),
        }
    }

    /// Reads the list: Google's names of each of its texts, which are folded as those of lanes are.
    async fn read(&self) -> Result<BTreeMap<String, Vec<String>>, NegativeListError> {
        let open = self.open().await?;
        let found = match self.found(&open).await? {
            Some(list) => {
                self.asked(&open, open.account.negatives(&open.customer, &list.id))
                    .await?
            }
            None => Vec::new(),
        };
        let mut criteria: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for Negative { resource, text } in found {
            criteria.entry(fold(&text)).or_default().push(resource);
        }
        let texts: Vec<String> = criteria.keys().cloned().collect();
        google::note_negatives(self.pool(), &SCOPE, self.key(), &texts, self.now())
            .await
            .map_err(of_store)?;
        *self.criteria.lock().unwrap_or_else(PoisonError::into_inner) = Some(criteria.clone());
        Ok(criteria)
    }

    /// The share of cost of the lanes' texts that Performance Max has, in percent.
    async fn pmax_percent(&self, open: &OpenAccount) -> Result<f64, NegativeListError> {
        let texts = google::texts_of_lanes(self.pool(), &SCOPE, self.item, &self.country)
            .await
            .map_err(of_store)?;
        let askable: Vec<&str> = texts
            .iter()
            .map(String::as_str)
            .filter(|text| ::google::quote(text).is_ok())
            .collect();
        let today = self.now().date_naive();
        let days = (today - COST_DAYS.0, today - COST_DAYS.1);
        let (uncovered, all) = self
            .asked(open, open.account.costs(&open.customer, &askable, days))
            .await?;
        let part = |micros: i64| f64::from(i32::try_from(micros / 10_000).unwrap_or(i32::MAX));
        Ok(if all > 0 {
            part(uncovered) / part(all).max(1.0) * 100.0
        } else {
            0.0
        })
    }

    /// Makes a call, counts its operations, and notes what its failure says of the grant and the budget.
    async fn asked<T>(
        &self,
        open: &OpenAccount,
        call: impl Future<Output = Result<T, GoogleError>>,
    ) -> Result<T, NegativeListError> {
        let before = open.account.operations();
        let answered = timeout(CALL_LIMIT, call).await;
        let answered = answered.unwrap_or_else(|_| Err(GoogleError::Unknown("it takes too long".to_owned())));
        let spent = i32::try_from(open.account.operations() - before).unwrap_or(i32::MAX);
        let is_limit = |error: &GoogleError| matches!(error, GoogleError::DailyLimit { .. } | GoogleError::Busy { .. });
        let counted = (spent, i32::from(answered.as_ref().is_err_and(is_limit)));
        google::count_operations(self.pool(), &SCOPE, counted, self.now())
            .await
            .map_err(of_store)?;
        match answered {
            Ok(found) => Ok(found),
            Err(error) => Err(self.failed(open, error).await.map_err(|error| of_failure(&error))?),
        }
    }

    /// What a failure of Google means for the list.
    async fn failed(&self, open: &OpenAccount, error: GoogleError) -> Result<NegativeListError, Error> {
        let text = error.to_string();
        tracing::warn!(
            item = self.item,
            country = self.country,
            problem = text,
            "Google does not do what a list needs"
        );
        let access = &self.lists.access;
        Ok(match error {
            GoogleError::Unknown(_) => NegativeListError::Unknown,
            GoogleError::Unreachable(_) => NegativeListError::Unavailable {
                retry_after: RETRY_AFTER,
            },
            GoogleError::Busy { retry_after, .. } => NegativeListError::Unavailable { retry_after },
            GoogleError::DailyLimit { retry_after, .. } => {
                let pause = TimeDelta::from_std(retry_after).map_or(LONGEST_PAUSE, |wait| wait.min(LONGEST_PAUSE));
                google::pause(self.pool(), &SCOPE, self.now() + pause, &text).await?;
                NegativeListError::Unavailable { retry_after }
            }
            GoogleError::GrantRevoked => {
                access.mark(open.grant, "revoked", &text).await?;
                google::note_health(self.pool(), &SCOPE, self.item, ("revoked", Some(&text)), self.now()).await?;
                refused(NO_ACCESS)
            }
            GoogleError::GrantFailing(_) => {
                access.mark(open.grant, "failing", &text).await?;
                refused(&text)
            }
            _ => refused(&text),
        })
    }
}

/// The campaigns that a list of a country is attached to, by their ids: those in which it works and that serve this country.
fn fitting(campaigns: &[Campaign], country: &str) -> Result<Vec<String>, NegativeListError> {
    let in_country = campaigns.iter().filter(|campaign| {
        COVERED.contains(&campaign.channel.as_str())
            && (campaign.countries.is_empty() || campaign.countries.contains(country))
    });
    let mut found = Vec::new();
    for campaign in in_country {
        // Elsewhere it would stop ads that nobody looks at.
        if campaign.countries.len() != 1 {
            let countries = campaign
                .countries
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(", ");
            let where_else = if countries.is_empty() {
                "every country"
            } else {
                &countries
            };
            return Err(refused(&format!(
                "the campaign “{}” serves {where_else}, not {country} alone",
                campaign.name
            )));
        }
        found.push(campaign.id.clone());
    }
    if found.is_empty() {
        return Err(refused(&format!("no Search or Shopping campaign serves {country}")));
    }
    Ok(found)
}

/// The words of a text as lanes have them.
fn fold(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn outcome_of(outcome: NegativeOutcome) -> Result<(), NegativeListError> {
    match outcome {
        NegativeOutcome::Done => Ok(()),
        NegativeOutcome::Checked => Err(refused(OFF)),
        NegativeOutcome::Refused(error) => Err(refused(&error.to_string())),
        NegativeOutcome::Unknown(_) => Err(NegativeListError::Unknown),
    }
}

fn refused(reason: &str) -> NegativeListError {
    NegativeListError::Refused {
        reason: reason.to_owned(),
    }
}

/// Our own store failed: nothing was sent, and the next round tries again.
fn of_store(error: postgres::Error) -> NegativeListError {
    of_failure(&error.into())
}

fn of_failure(error: &Error) -> NegativeListError {
    tracing::warn!(%error, "what is known of a negative list cannot be read");
    NegativeListError::Unavailable {
        retry_after: RETRY_AFTER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn campaign(name: &str, channel: &str, countries: &[&str]) -> Campaign {
        Campaign {
            id: name.len().to_string(),
            name: name.to_owned(),
            channel: channel.to_owned(),
            countries: countries.iter().map(|country| (*country).to_owned()).collect(),
        }
    }

    #[test]
    fn a_list_is_attached_where_it_works_and_to_its_own_country_alone() {
        let search = campaign("search", "SEARCH", &["FR"]);
        let shopping = campaign("shopping", "SHOPPING", &["FR"]);
        let german = campaign("Deutschland", "SEARCH", &["DE"]);
        let pmax = campaign("everything", "PERFORMANCE_MAX", &["FR", "DE"]);
        let found = fitting(&[search.clone(), shopping, german, pmax.clone()], "FR");
        assert_eq!(found.unwrap(), ["6", "8"]);
        for (campaigns, reason) in [
            (
                vec![search.clone(), campaign("both", "SEARCH", &["DE", "FR"])],
                "serves DE, FR, not FR alone",
            ),
            (
                vec![search, campaign("world", "SEARCH", &[])],
                "serves every country, not FR alone",
            ),
            (vec![pmax], "no Search or Shopping campaign serves FR"),
        ] {
            let error = fitting(&campaigns, "FR").unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
