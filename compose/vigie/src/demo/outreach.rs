//! The mails of the demonstration's cases: what its staff and Vigie wrote to advertisers, as if a mail server had taken it.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use postgres::actions::list::ActionRow;
use postgres::actions::outreach;
use postgres::case_mails::brakes::{self, BrakedMail, SendingLimits};
use postgres::case_mails::{self, Claim, DeliveryEnd, NewCaseMail, Queued, Settled, contacts};
use vocabulary::{Actor, CaseMailKind, ContactId, Language, Scope, SystemScope};

use super::DemoError;

const SCOPE: SystemScope = SystemScope::new("demonstration data");
/// The domain of the mails' ids.
const DOMAIN: &str = "mail.vigie.example";
/// A dialogue with a mail server takes about a second.
const DIALOGUE: TimeDelta = TimeDelta::seconds(1);
const LEASE: Duration = Duration::from_mins(40);
/// A sender that has been in use for long.
const LIMITS: SendingLimits = SendingLimits { daily_most: 10_000 };
/// More than a mail has recipients.
const MOST_DELIVERIES: i64 = 100;

/// Makes somebody of the advertiser of a case a contact, if it has none, and returns its contacts.
pub(super) async fn contacts_of(
    connection: &mut postgres::Connection,
    case: &ActionRow,
) -> Result<Vec<ContactId>, DemoError> {
    let known = contacts::contacts(connection, case.id).await?;
    if !known.is_empty() {
        return Ok(known.into_iter().map(|contact| contact.id).collect());
    }
    let master = case
        .advertiser
        .as_ref()
        .map(|(_, master)| master)
        .or(case.domain.as_ref());
    let Some(master) = master else { return Ok(Vec::new()) };
    let mut made = Vec::new();
    for (name, shown) in [("legal", "Legal department"), ("marketing", "Marketing")] {
        made.push(contacts::add_contact(connection, case.id, &format!("{name}@{master}"), Some(shown)).await?);
    }
    Ok(made)
}

/// Writes a mail to these contacts of a case, which leaves at `at`. `false`, and nothing is written, when nobody can be written to, or a limit would hold
/// the mail.
pub(super) async fn write(
    connection: &mut postgres::Connection,
    author: &Scope,
    case: &ActionRow,
    (kind, to): (CaseMailKind, &[ContactId]),
    at: DateTime<Utc>,
) -> Result<bool, DemoError> {
    let reminder = match kind {
        CaseMailKind::Reminder => {
            let facts = outreach::of_actions(&mut *connection, &SCOPE, &[case.id]).await?;
            Some(facts.get(&case.id).map_or(1, |(state, _)| state.reminders + 1))
        }
        CaseMailKind::Notification | CaseMailKind::Answer => None,
    };
    let country = case.country.as_deref().unwrap_or_default();
    let language = Language::for_country(country, &[]);
    let brand = case.brand_label.as_deref().unwrap_or_default();
    let domain = case.domain.as_deref().unwrap_or_default();
    let (subject, body) = letter(language, kind, brand, domain);
    let mail = NewCaseMail {
        action: case.id,
        kind,
        reminder,
        template: None,
        language,
        subject: &subject,
        body: &body,
        recipients: to,
        author: match author.actor() {
            Actor::User(user) => Some(user),
            Actor::System(_) => None,
        },
        not_before: at,
        then: None,
    };
    for contact in contacts::contacts(connection, case.id).await? {
        let braked = BrakedMail {
            kind,
            brand: case.brand,
            address: contact.email,
            country: country.to_owned(),
            is_automatic: mail.author.is_none(),
        };
        let held = brakes::hold_of(connection, &SCOPE, &braked, LIMITS, at).await?;
        if to.contains(&contact.id) && held.is_some() {
            return Ok(false);
        }
    }
    if !matches!(case_mails::queue(connection, &SCOPE, &mail, at).await?, Queued::New(_)) {
        return Ok(false);
    }
    for id in case_mails::due(&mut *connection, MOST_DELIVERIES, at).await? {
        let Claim::Mine(mail) = case_mails::claim(connection, &SCOPE, id, (LEASE, LIMITS), at).await? else {
            continue;
        };
        let message_id = case_mails::message_id(&mail.bounce_token, DOMAIN);
        let end = DeliveryEnd {
            settled: Settled::Sent {
                message_id: message_id.clone(),
                relay_id: None,
            },
            code: Some(250),
            text: "2.0.0 Ok".to_owned(),
        };
        if case_mails::begin_body(&mut *connection, &mail, &message_id, at).await? {
            case_mails::settle(connection, &SCOPE, &mail, &end, at + DIALOGUE).await?;
        }
    }
    Ok(true)
}

/// Subject and text of a mail about a domain's ads on a brand.
fn letter(language: Language, kind: CaseMailKind, brand: &str, domain: &str) -> (String, String) {
    let is_first = kind == CaseMailKind::Notification;
    match language {
        Language::Fr if is_first => (
            format!("Annonces de {domain} sur la marque {brand}"),
            format!(
                "Bonjour,\n\nNous avons relevé des annonces de {domain} sur des recherches de la marque {brand}. Merci d'exclure ces mots de vos campagnes et de nous le confirmer.\n\nCordialement"
            ),
        ),
        Language::Fr => (
            format!("Relance : annonces de {domain} sur la marque {brand}"),
            format!(
                "Bonjour,\n\nSauf erreur de notre part, les annonces de {domain} sur la marque {brand} sont toujours en ligne. Pouvez-vous nous dire ce que vous avez prévu ?\n\nCordialement"
            ),
        ),
        Language::En if is_first => (
            format!("Ads of {domain} on the brand {brand}"),
            format!(
                "Hello,\n\nWe have seen ads of {domain} on searches for the brand {brand}. Please exclude these words from your campaigns and confirm it to us.\n\nKind regards"
            ),
        ),
        Language::En => (
            format!("Reminder: ads of {domain} on the brand {brand}"),
            format!(
                "Hello,\n\nThe ads of {domain} on the brand {brand} are still there. Could you tell us what you have planned?\n\nKind regards"
            ),
        ),
    }
}
