//! Mails that leave through the worker of the stack, to a server that is cut.

use std::time::{Duration, Instant};

use vigie::terminal::say;

use super::server::{BenchMailServer, Cut, cut_of};
use crate::bench::BenchError;
use crate::bench::peers::{Psql, unexpected_rows};

/// Longer than the mails take that are tried once more.
const PATIENCE: Duration = Duration::from_mins(20);
/// Between two looks at what is left.
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);

/// A requested case for each mail, with an advertiser and a contact of its own.
const CASES: &str = "
    with dealers as (
        insert into dealer (domain) select 'run' || n || '.example' from generate_series(0, $MAILS - 1) n returning id, domain
    ), contacts as (
        insert into contact (email, name, country) select 'ads@' || domain, 'Ads', 'FR' from dealers returning id, email
    ), links as (
        insert into dealer_contact (dealer_id, contact_id) select d.id, c.id from dealers d join contacts c on c.email = 'ads@' || d.domain
    )
    insert into action (domain, country, engine, status, brand_id, advertiser_id, created_date, requested_date, last_status_date, updated_date, last_view)
    select domain, 'FR', 'google', 'requested', (select min(id) from brand where name like 'bench-outreach-%'), id, now(), now(), now(), now(), now()
    from dealers";
/// The notification of each, written by a person: machines wait for working hours. All are due at once, and due already.
const NOTIFICATIONS: &str = "
    with mails as (
        insert into email (action_id, direction, kind, cycle, template_type, language, subject, body, status, author_id, created_date, open)
        select a.id, 'out', 'notification', 0, 'notification', 'fr', 'Your ads', repeat('Please stop advertising on our brand. ', 10), 'queued',
            (select min(id) from user_account), now(), true
        from action a where a.domain ~ '^run[0-9]+[.]example$' returning id, action_id
    )
    insert into mail_delivery (email_id, contact_id, address, business_key, reply_token, bounce_token, not_before, created_at)
    select m.id, c.id, c.email, 'notification:' || a.id || ':0:0:' || c.id, substr(md5('r' || m.id), 1, 26), substr(md5('b' || m.id), 1, 26), now(), now()
    from mails m join action a on a.id = m.action_id join contact c on c.email = 'ads@' || a.domain";
/// Those that have no end yet.
const OPEN: &str =
    "select count(*) from mail_delivery where state in ('queued', 'held', 'sending') and address like 'ads@run%'";
/// The numbers of the mails of unknown outcome.
const UNKNOWN: &str = "select substr(split_part(address, '.', 1), 8) from mail_delivery where state = 'unknown' and address like 'ads@run%'";

/// What came of the mails.
pub(super) struct Mails {
    /// First attempts a second, from the first to the last.
    pub(super) rate: f64,
    /// Taken more than once.
    pub(super) twice: usize,
    /// Never taken, and not known to be unknown.
    pub(super) lost: usize,
    /// Cut after their body began.
    pub(super) cut: usize,
    /// Of the cut ones those that are unknown.
    pub(super) unknown: usize,
    /// Unknown, and not cut.
    pub(super) wrongly_unknown: usize,
}

/// Queues the mails that the server expects, waits until each has an end, and compares what the server counted with what the database says.
pub(super) async fn measure(psql: &Psql, server: &BenchMailServer) -> Result<Mails, BenchError> {
    let count = server.mails();
    let cases = CASES.replace("$MAILS", &count.to_string());
    psql.run(&[&cases, "analyze action, dealer, contact, dealer_contact", NOTIFICATIONS])
        .await?;
    let began = Instant::now();
    let mut open = psql.number(OPEN).await?;
    while open > 0 {
        if began.elapsed() > PATIENCE {
            return Err(unexpected_rows(&format!(
                "{open} mails of {count} wait after {} s",
                PATIENCE.as_secs()
            )));
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
        open = psql.number(OPEN).await?;
    }
    let whole = began.elapsed();
    let reply = psql.run(&[UNKNOWN]).await?;
    let unknown: Vec<usize> = reply.lines().filter_map(|line| line.parse().ok()).collect();
    let is_cut = |mail: &usize| matches!(cut_of(*mail), Some(Cut::InBody | Cut::AfterDot));
    let cut_and_unknown = unknown.iter().filter(|mail| is_cut(mail)).count();
    let never_taken = (0..count).filter(|mail| server.taken(*mail) == 0);
    let mails = Mails {
        #[expect(clippy::cast_precision_loss, reason = "ten thousand")]
        rate: server.begun() as f64 / server.span().as_secs_f64().max(f64::EPSILON),
        twice: (0..count).filter(|mail| server.taken(*mail) > 1).count(),
        lost: never_taken.filter(|mail| !unknown.contains(mail)).count(),
        cut: (0..count).filter(is_cut).count(),
        unknown: cut_and_unknown,
        wrongly_unknown: unknown.len() - cut_and_unknown,
    };
    say(format!(
        "{count} mails: each tried once after {:.1} s ({:.0} a second), all at their end after {:.1} s",
        server.span().as_secs_f64(),
        mails.rate,
        whole.as_secs_f64()
    ));
    Ok(mails)
}
