//! What can go wrong with a page, and the orders that make it happen.

use std::fmt;
use std::str::FromStr;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use crate::draw::DrawKey;
use crate::engine::Engine;

/// The delay of `slow` without a number, in milliseconds.
const SLOW_MILLIS: u32 = 5_000;
/// Prefix of words in a query that ask for a fault (`shoes fault-captcha`).
pub(crate) const QUERY_MARK: &str = "fault-";

/// A way for a page to go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Consent,
    Captcha,
    SoftBlock,
    UnusualTraffic,
    Shell,
    Forbidden,
    BadGateway,
    Hang,
    Huge,
    Dialogs,
    Loop,
    Redirects,
    /// Finds nothing, whatever is searched.
    NoResults,
    /// Responds after this many milliseconds.
    Slow(u32),
}

const NAMED: [(&str, Fault); 13] = [
    ("consent", Fault::Consent),
    ("captcha", Fault::Captcha),
    ("soft-block", Fault::SoftBlock),
    ("unusual-traffic", Fault::UnusualTraffic),
    ("shell", Fault::Shell),
    ("403", Fault::Forbidden),
    ("502", Fault::BadGateway),
    ("hang", Fault::Hang),
    ("huge", Fault::Huge),
    ("dialogs", Fault::Dialogs),
    ("loop", Fault::Loop),
    ("redirects", Fault::Redirects),
    ("no-results", Fault::NoResults),
];

impl Fault {
    /// Returns how a capture of the page should end: `results`, `doubtful`, or the reason why it fails, in the ledger's words.
    pub(crate) const fn outcome(self) -> &'static str {
        match self {
            Self::Dialogs | Self::Slow(_) => "results",
            Self::Consent => "consent",
            Self::Captcha => "captcha",
            Self::SoftBlock | Self::UnusualTraffic => "blocked",
            Self::Shell => "shell",
            Self::Forbidden | Self::BadGateway => "http-error",
            Self::Hang | Self::Loop => "timeout",
            Self::Huge => "too-large",
            Self::Redirects => "redirects",
            Self::NoResults => "doubtful",
        }
    }

    /// Returns the fault that the first word `fault-…` of the query asks for; `None` without one. Unknown faults are skipped.
    pub(crate) fn in_query(query: &str) -> Option<Self> {
        query
            .split(' ')
            .filter_map(|word| word.strip_prefix(QUERY_MARK))
            .find_map(|name| name.parse().ok())
    }
}

impl fmt::Display for Fault {
    /// Writes the fault's name, from which it can be parsed: `captcha`, `slow-250`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Slow(millis) => write!(f, "slow-{millis}"),
            other => f.write_str(
                NAMED
                    .iter()
                    .find(|(_, fault)| fault == other)
                    .map_or("", |(name, _)| name),
            ),
        }
    }
}

/// The name is not that of a fault.
#[derive(Debug, thiserror::Error)]
#[error(
    "'{0}' is no fault; known are consent, captcha, soft-block, unusual-traffic, shell, 403, 502, hang, huge, dialogs, loop, redirects, no-results, slow and slow-<milliseconds>"
)]
pub(crate) struct UnknownFaultError(String);

impl FromStr for Fault {
    type Err = UnknownFaultError;
    /// Parses a name of [`NAMED`], `slow` (5 seconds) or `slow-<milliseconds>`.
    fn from_str(name: &str) -> Result<Self, UnknownFaultError> {
        let slow = || match name.strip_prefix("slow")? {
            "" => Some(Self::Slow(SLOW_MILLIS)),
            millis => millis.strip_prefix('-')?.parse().ok().map(Self::Slow),
        };
        let named = NAMED.iter().find(|(known, _)| *known == name).map(|(_, fault)| *fault);
        named.or_else(slow).ok_or_else(|| UnknownFaultError(name.to_owned()))
    }
}

impl Serialize for Fault {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fault {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

/// An order to make searches fail, in force until it is used up or cleared.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FaultOrder {
    pub fault: Fault,
    /// Only this engine; both when absent.
    pub engine: Option<Engine>,
    /// Number of searches it applies to; unlimited when absent.
    pub times: Option<u32>,
    /// The share of searches it applies to, 0 to 1; all when absent.
    pub share: Option<f64>,
    /// Only queries that contain this, whatever the case.
    pub q: Option<String>,
}

/// The orders in force, oldest first; the first that fits a search is carried out.
#[derive(Debug, Default)]
pub(crate) struct FaultOrders(Mutex<Book>);

/// The orders, and how many searches have come so far, which decides on shares.
#[derive(Debug, Default)]
struct Book {
    orders: Vec<FaultOrder>,
    searches: u64,
}

impl FaultOrders {
    fn lock(&self) -> std::sync::MutexGuard<'_, Book> {
        // A panic cannot leave the list half changed.
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(crate) fn add(&self, order: FaultOrder) {
        self.lock().orders.push(order);
    }

    pub(crate) fn clear(&self) {
        self.lock().orders.clear();
    }

    pub(crate) fn list(&self) -> Vec<FaultOrder> {
        self.lock().orders.clone()
    }

    /// Counts a search and returns its fault: that of the oldest order that fits, which uses up one of the order's `times`; `None` when no order
    /// fits. `applies` returns whether a fault can affect the search at all (consent is not asked for twice).
    pub(crate) fn take_fault(&self, engine: Engine, query: &str, applies: impl Fn(Fault) -> bool) -> Option<Fault> {
        let mut book = self.lock();
        book.searches += 1;
        let searches = book.searches;
        let query = query.to_lowercase();
        let at = book.orders.iter().position(|order| {
            order.engine.is_none_or(|only| only == engine)
                && order
                    .q
                    .as_ref()
                    .is_none_or(|words| query.contains(&words.to_lowercase()))
                && order.share.is_none_or(|share| is_in_share(searches, share))
                && applies(order.fault)
        })?;
        let order = &mut book.orders[at];
        let fault = order.fault;
        if let Some(times) = order.times.as_mut() {
            *times = times.saturating_sub(1);
            if *times == 0 {
                book.orders.remove(at);
            }
        }
        Some(fault)
    }
}

/// Draws whether the search with this number belongs to a share, 0 to 1; always the same for one number.
#[expect(clippy::cast_precision_loss, reason = "a draw of 0 to 999,999 is exact in a float")]
fn is_in_share(search: u64, share: f64) -> bool {
    const STEPS: usize = 1_000_000;
    let drawn = DrawKey::of_seed(search).with("share").draw().number(0, STEPS - 1);
    (drawn as f64) < share * STEPS as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(json: &str) -> FaultOrder {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn every_fault_is_read_back_from_its_name() {
        for fault in NAMED.iter().map(|(_, fault)| *fault).chain([Fault::Slow(250)]) {
            assert_eq!(fault.to_string().parse::<Fault>().unwrap(), fault);
        }
        assert!("slow-soon".parse::<Fault>().is_err());
    }

    #[test]
    fn an_order_of_two_times_is_carried_out_twice_where_it_fits() {
        let orders = FaultOrders::default();
        orders.add(order(r#"{"fault":"captcha","engine":"bing","times":2,"q":"Shoes"}"#));
        assert_eq!(orders.take_fault(Engine::Google, "red shoes", |_| true), None);
        assert_eq!(orders.take_fault(Engine::Bing, "red hats", |_| true), None);
        assert_eq!(
            orders.take_fault(Engine::Bing, "red shoes", |_| true),
            Some(Fault::Captcha)
        );
        assert_eq!(orders.take_fault(Engine::Bing, "red shoes", |_| false), None);
        assert_eq!(
            orders.take_fault(Engine::Bing, "red shoes", |_| true),
            Some(Fault::Captcha)
        );
        assert_eq!(orders.take_fault(Engine::Bing, "red shoes", |_| true), None);
    }

    #[test]
    fn a_share_is_kept_over_many_searches() {
        let orders = FaultOrders::default();
        orders.add(order(r#"{"fault":"502","share":0.25}"#));
        let failed = (0..4000)
            .filter(|_| orders.take_fault(Engine::Google, "x", |_| true).is_some())
            .count();
        assert!((900..1100).contains(&failed), "{failed} of 4000");
    }
}
