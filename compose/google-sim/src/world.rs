//! What the simulated Google knows: people, customers, sites, tokens, lists.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::faults::Faults;

/// The client id that it knows.
pub const CLIENT_ID: &str = "vigie-sandbox.apps.googleusercontent.example";
/// The secret of that client.
pub const CLIENT_SECRET: &str = "sandbox-secret";
/// The version of Google Ads that it speaks.
pub const VERSION: &str = "v25";

/// The manager above every customer.
pub const ROOT: &str = "9001000001";

/// A person with an account at Google.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Person {
    /// In addresses of the consent page.
    pub key: &'static str,
    pub name: &'static str,
    pub email: &'static str,
    /// Whether the person reaches the manager and the sites.
    pub has_rights: bool,
}

/// One with every right, one with none.
pub const PEOPLE: [Person; 2] = [
    Person {
        key: "ada",
        name: "Ada Lindqvist",
        email: "ada.lindqvist@brands.example",
        has_rights: true,
    },
    Person {
        key: "nils",
        name: "Nils Okafor",
        email: "nils.okafor@elsewhere.example",
        has_rights: false,
    },
];

/// A customer of Google Ads.
#[derive(Clone, Copy, Debug)]
pub struct Customer {
    pub id: &'static str,
    pub name: &'static str,
    pub manager: bool,
    pub status: &'static str,
    pub level: i32,
    pub currency: &'static str,
    pub time_zone: &'static str,
    /// The countries that its campaigns serve: Google's id of each, and two letters.
    pub countries: &'static [(u32, &'static str)],
}

const FRANCE: (u32, &str) = (2250, "FR");
const GERMANY: (u32, &str) = (2276, "DE");
const UNITED_STATES: (u32, &str) = (2840, "US");

const fn customer(id: &'static str, name: &'static str, manager: bool, level: i32) -> Customer {
    Customer {
        id,
        name,
        manager,
        status: "ENABLED",
        level,
        currency: "EUR",
        time_zone: "Europe/Paris",
        countries: &[FRANCE],
    }
}

/// The tree below [`ROOT`]: three levels, one closed customer, one in dollars, one whose campaigns serve two countries.
pub const CUSTOMERS: [Customer; 8] = [
    customer(ROOT, "Agence Orme", true, 0),
    customer("9001000010", "Agence Orme Mode", true, 1),
    customer("1000000101", "Brivault France", false, 2),
    Customer {
        currency: "USD",
        time_zone: "America/New_York",
        countries: &[UNITED_STATES],
        ..customer("1000000102", "Brivault United States", false, 2)
    },
    Customer {
        countries: &[FRANCE, GERMANY],
        ..customer("1000000103", "Corvane Europe", false, 2)
    },
    customer("1000000201", "Kestrel Outlet", false, 1),
    customer("1000000202", "Okimarket", false, 1),
    Customer {
        status: "CLOSED",
        ..customer("1000000299", "Ancienne boutique", false, 1)
    },
];

/// What a code was given for.
#[derive(Clone, Debug)]
pub struct Code {
    pub person: Person,
    pub scopes: Vec<String>,
    pub challenge: String,
    pub redirect: String,
    pub made: DateTime<Utc>,
}

/// The grant that a refresh token belongs to.
#[derive(Clone, Debug)]
pub struct Grant {
    pub person: Person,
    pub scopes: Vec<String>,
}

/// A list of negative keywords.
#[derive(Clone, Debug, Default)]
pub struct SharedList {
    pub name: String,
    /// Texts and match types by the id of their criterion.
    pub keywords: BTreeMap<u64, (String, String)>,
    pub campaigns: BTreeSet<u64>,
}

/// The state of it all.
#[derive(Debug, Default)]
pub struct World {
    pub sites: Vec<String>,
    pub codes: HashMap<String, Code>,
    pub grants: HashMap<String, Grant>,
    /// Access tokens, and the refresh token and end of each.
    pub access: HashMap<String, (String, DateTime<Utc>)>,
    /// Lists of negative keywords by customer and id.
    pub lists: BTreeMap<(String, u64), SharedList>,
    pub last_id: u64,
    pub faults: Faults,
    /// Every change that was made, oldest first.
    pub journal: Vec<Value>,
    pub requests: u64,
}

impl World {
    /// A world without grants and lists. Every second domain has a site of its address, the others one of the whole domain.
    pub fn new(domains: &[&str]) -> Self {
        let sites = domains.iter().enumerate().map(|(number, domain)| {
            if number % 2 == 0 {
                format!("sc-domain:{domain}")
            } else {
                format!("https://www.{domain}/")
            }
        });
        Self {
            sites: sites.collect(),
            last_id: 500,
            ..Self::default()
        }
    }

    /// An id that was not used before.
    pub fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Google's id of the next request.
    pub fn next_request(&mut self) -> String {
        self.requests += 1;
        format!("sandbox-{:08}", self.requests)
    }

    /// The grant behind an `Authorization` header, if it lives.
    pub fn grant(&self, authorization: Option<&str>, now: DateTime<Utc>) -> Option<&Grant> {
        let token = authorization?.strip_prefix("Bearer ")?;
        let (refresh, until) = self.access.get(token)?;
        if *until <= now {
            return None;
        }
        self.grants.get(refresh)
    }
}
