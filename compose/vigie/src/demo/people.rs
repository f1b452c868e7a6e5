//! The accounts of the demonstration, their password, and the users who process its cases.

use std::io;

use api::passwords::PUBLISHED;
use runtime::Settings;
use vocabulary::{BrandId, Role, Scope, SystemScope};

use super::DemoError;
use crate::stack::{kept_password, made_password};

/// Name under which an installation's own password is kept in its data folder.
const PASSWORD_NAME: &str = "demo";

/// Chooses the password for new demonstration accounts: the published one, or one generated for this installation where other machines reach the
/// site.
pub(super) fn password_to_make(settings: &Settings) -> io::Result<String> {
    if settings.api.is_exposed() {
        kept_password(&settings.data, PASSWORD_NAME)
    } else {
        Ok(PUBLISHED.to_owned())
    }
}

/// Returns the password of the demonstration accounts: the generated one if there is one, else the published one. `None` where other machines reach
/// the site and the accounts have the published one, which is refused there.
fn password_in_use(settings: &Settings) -> Option<String> {
    let own = made_password(&settings.data, PASSWORD_NAME);
    own.or_else(|| (!settings.api.is_exposed()).then(|| PUBLISHED.to_owned()))
}

/// Returns the line to print above the list of accounts, with their password; where that password is refused, the line says so instead.
pub fn how_to_sign_in(settings: &Settings) -> String {
    match password_in_use(settings) {
        Some(password) => format!("Sign in with the password {password} as"),
        None => {
            "Other machines reach this site, so that the published password of its demonstration accounts is refused. \
                 `vigie create-admin` makes an account of your own; these are the others:"
                .to_owned()
        }
    }
}

/// Whether the demonstration accounts of this data folder are refused because other machines reach the site.
pub fn are_refused(settings: &Settings) -> bool {
    password_in_use(settings).is_none()
}

/// A demonstration account.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// The address to sign in with.
    pub email: &'static str,
    /// First name of the user.
    pub first_name: &'static str,
    /// Last name of the user.
    pub last_name: &'static str,
    /// Slug of the company account.
    pub company: Option<&'static str>,
    /// Its role; `None` for a company user.
    pub role: Option<Role>,
}

/// Lists all accounts that the demonstration creates, the administrator's first, whether or not they exist.
pub const fn accounts() -> &'static [Account; 6] {
    &[
        Account {
            email: "admin@vigie.example",
            first_name: "Demo",
            last_name: "Administrator",
            company: None,
            role: Some(Role::Admin),
        },
        Account {
            email: "operator@vigie.example",
            first_name: "Demo",
            last_name: "Operator",
            company: None,
            role: Some(Role::Operator),
        },
        Account {
            email: "user@brivault.example",
            first_name: "Demo user",
            last_name: "Brivault",
            company: Some("brivault-group"),
            role: None,
        },
        Account {
            email: "colleague@brivault.example",
            first_name: "Demo colleague",
            last_name: "Brivault",
            company: Some("brivault-group"),
            role: None,
        },
        Account {
            email: "user@kestrel.example",
            first_name: "Demo user",
            last_name: "Kestrel",
            company: Some("kestrel-retail"),
            role: None,
        },
        Account {
            email: "colleague@kestrel.example",
            first_name: "Demo colleague",
            last_name: "Kestrel",
            company: Some("kestrel-retail"),
            role: None,
        },
    ]
}

static VIGIE: SystemScope = SystemScope::new("demonstration data");

/// Causes of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EventActor {
    /// A user of the company that owns the brand.
    Company,
    /// The operator of the demonstration.
    Staff,
    /// Vigie by itself.
    Vigie,
}

/// The users who process cases, as far as their accounts still exist.
pub(super) struct Participants {
    members: Vec<Participant>,
}

/// A user who processes cases, with the brands of the company.
struct Participant {
    /// Slug of the company account; `None` for staff.
    company: Option<&'static str>,
    brands: Vec<BrandId>,
    scope: Scope,
}

impl Participants {
    /// Finds the users of the demonstration accounts that exist, except the administrator: staff see everything, company users the brands of their
    /// company. `brands` are those of the demonstration, with the slugs of the companies that own them.
    pub(super) async fn find(pool: &postgres::Pool, brands: &[(BrandId, &'static str)]) -> Result<Self, DemoError> {
        let mut members = Vec::new();
        for account in accounts() {
            let Some(found) = postgres::users::credentials(pool, account.email).await? else {
                continue;
            };
            let own = brands.iter().filter(|(_, company)| account.company == Some(company));
            let brands: Vec<BrandId> = own.map(|(brand, _)| *brand).collect();
            let scope = match account.role {
                Some(Role::Admin) => continue,
                Some(_) => Scope::everything(found.id),
                None => Scope::within(found.id, brands.clone(), Vec::new()),
            };
            members.push(Participant {
                company: account.company,
                brands,
                scope,
            });
        }
        Ok(Self { members })
    }

    /// Returns the index, for [`Participants::scope`], of the user who acts on a case of a brand; any number as `turn` chooses among colleagues.
    /// Without such a user it is one past the last: Vigie acts.
    pub(super) fn choose(&self, actor: EventActor, brand: Option<BrandId>, turn: usize) -> usize {
        let can = |member: &Participant| match actor {
            EventActor::Vigie => false,
            EventActor::Staff => member.company.is_none(),
            EventActor::Company => brand.is_some_and(|brand| member.brands.contains(&brand)),
        };
        let able: Vec<usize> = (0..self.members.len())
            .filter(|number| can(&self.members[*number]))
            .collect();
        able.get(turn % able.len().max(1))
            .copied()
            .unwrap_or(self.members.len())
    }

    /// Returns the scope in which the user with this index acts; that of Vigie for any index past the last.
    pub(super) fn scope(&self, number: usize) -> &Scope {
        self.members.get(number).map_or(&VIGIE, |member| &member.scope)
    }
}
