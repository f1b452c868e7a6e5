//! What is stored about an address.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgExecutor;
use vocabulary::Scope;

use crate::Result;

/// Everything that is stored about an address, in any case: contacts, mails to, from or naming it, their deliveries and attachments (without their
/// content), mails as they came in, notes and whether it is written to. `None` for a scope that does not see everything.
pub async fn export(
    executor: impl PgExecutor<'_>,
    scope: &Scope,
    address: &str,
    now: DateTime<Utc>,
) -> Result<Option<Value>> {
    if !scope.is_everything() {
        return Ok(None);
    }
    let found = sqlx::query_scalar!(
        r#"with named as materialized (select mails_naming($1) as id)
           select jsonb_build_object(
               'address', $1::text,
               'exportedAt', shown_instant($2),
               'contacts', (select coalesce(jsonb_agg(to_jsonb(c) || jsonb_build_object('dealers', array(
                       select d.domain from dealer_contact l join dealer d on d.id = l.dealer_id where l.contact_id = c.id order by 1
                   )) order by c.id), '[]') from contact c where lower(c.email) = $1),
               'mails', (select coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'caseId', e.action_id, 'direction', e.direction, 'kind', e.kind,
                       'status', e.status, 'subject', e.subject, 'text', e.body, 'html', e.html, 'envelope', e.email,
                       'createdDate', shown_instant(e.created_date), 'sendedDate', shown_instant(e.sended_date),
                       'receivedDate', shown_instant(e.received_date)) order by e.id), '[]') from email e where e.id in (select id from named)),
               'deliveries', (select coalesce(jsonb_agg(jsonb_build_object('mailId', d.email_id, 'address', d.address, 'state', d.state,
                       'reason', d.reason, 'code', d.smtp_code, 'text', d.smtp_text, 'settledAt', shown_instant(d.settled_at),
                       'bouncedAt', shown_instant(d.bounced_at), 'complainedAt', shown_instant(d.complained_at)) order by d.id), '[]')
                   from mail_delivery d where lower(d.address) = $1),
               'attachments', (select coalesce(jsonb_agg(jsonb_build_object('mailId', t.email_id, 'name', t.name, 'mimeType', t.mime_type,
                       'sha256', encode(t.sha256, 'hex')) order by t.id), '[]') from attachment t where t.email_id in (select id from named)),
               'received', (select coalesce(jsonb_agg(jsonb_build_object('receivedAt', shown_instant(i.received_at), 'from', coalesce(i.envelope_from, i.sender),
                       'to', i.envelope_to, 'source', encode(i.raw, 'escape')) order by i.id), '[]')
                   from inbound_mail i where i.id in (select inbound_mails_naming($1))),
               'notes', (select coalesce(jsonb_agg(note order by about, id), '[]') from (
                   select 'case' as about, n.id, jsonb_build_object('about', n.scope, 'id', n.id, 'text', n.message) as note
                   from note n where names_address(n.message, $1)
                   union all
                   select 'dealer', d.id, jsonb_build_object('about', 'dealer', 'id', d.id, 'text', d.note)
                   from dealer d where names_address(d.note, $1)
                   union all
                   select 'action', a.id, jsonb_build_object('about', 'action', 'id', a.id, 'text', a.note)
                   from action a where names_address(a.note, $1)
               ) notes),
               'suppression', (select jsonb_build_object('reason', s.reason, 'at', shown_instant(s.at))
                   from suppression s where s.digest = sha256(convert_to($1, 'UTF8')))
           ) as "found!""#,
        address.to_lowercase(),
        now
    );
    Ok(Some(found.fetch_one(executor).await?))
}
