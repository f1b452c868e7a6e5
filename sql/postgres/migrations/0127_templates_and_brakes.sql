-- Templates of the mails to advertisers, what keeps these mails back, and lines struck out of a run (decisions D46, D175, D176, D181, D215).

-- The versions of one template share the id of the first.
alter table email_template add column first_version_id integer references email_template on delete restrict;
update email_template set first_version_id = id;
create unique index email_template_active on email_template (coalesce(first_version_id, id)) where is_active;
create index email_template_first_version on email_template (first_version_id, version);
alter table email_template
    drop constraint email_template_version,
    add constraint email_template_subject check (char_length(subject) <= 200),
    add constraint email_template_body check (char_length(body) <= 20000);

insert into email_template (type, language, label, reminder_number, subject, body) values
('notification', 'en', 'Brand in your ads', null, 'Use of {{ brand.label }} in your ads ({{ reference }})',
'Hello,

We write to you on behalf of {{ brand.label }}. Ads for {{ domain }} appear on {{ engine }} in {{ country }} when people search for this brand.{% if daysSeen30 %} We saw them on {{ daysSeen30 }} of the last 30 days, most recently on {{ lastSeen }}.{% endif %}
{% if ads %}
These are examples:
{% for ad in ads %}
- {{ ad.title }}: {{ ad.text }} (seen on {{ ad.seenAt }})
{%- endfor %}
{% endif %}
{%- if siblings %}
We have also seen your ads here: {{ siblings }}.
{% endif %}
Please stop advertising on the name {{ brand.label }}, and exclude it from your campaigns as a negative keyword. Please confirm by answering this message once it is done.

If somebody else looks after your campaigns, please forward this message or give us their address.

Kind regards,
{{ sender.firstName|default("The team") }}, for {{ brand.label }}'),
('notification', 'fr', 'La marque dans vos annonces', null, 'Utilisation de {{ brand.label }} dans vos annonces ({{ reference }})',
'Bonjour,

Nous vous écrivons au nom de {{ brand.label }}. Des annonces pour {{ domain }} paraissent sur {{ engine }} ({{ country }}) lorsque des internautes recherchent cette marque.{% if daysSeen30 %} Nous les avons vues {{ daysSeen30 }} jours sur les 30 derniers, la dernière fois le {{ lastSeen }}.{% endif %}
{% if ads %}
En voici des exemples :
{% for ad in ads %}
- {{ ad.title }} : {{ ad.text }} (vue le {{ ad.seenAt }})
{%- endfor %}
{% endif %}
{%- if siblings %}
Nous avons également relevé vos annonces ici : {{ siblings }}.
{% endif %}
Merci de ne plus diffuser d''annonces sur le nom {{ brand.label }} et de l''exclure de vos campagnes comme mot clé à exclure. Merci de nous le confirmer en répondant à ce message.

Si une autre personne gère vos campagnes, merci de lui transmettre ce message ou de nous communiquer son adresse.

Cordialement,
{{ sender.firstName|default("L''équipe") }}, pour {{ brand.label }}'),
('reminder', 'en', 'Reminder 1', 1, 'Reminder: {{ brand.label }} in your ads ({{ reference }})',
'Hello,
{% if previousMails %}
We wrote to you on {{ previousMails.last.date }} about the brand {{ brand.label }}.
{% endif %}
Ads for {{ domain }} still appear on {{ engine }} in {{ country }} when people search for it{% if lastSeen %}; we last saw one on {{ lastSeen }}{% endif %}.
{% for ad in ads %}
- {{ ad.title }}: {{ ad.text }} (seen on {{ ad.seenAt }})
{%- endfor %}

Please exclude {{ brand.label }} from your campaigns, and confirm it by answering this message.

Kind regards,
{{ sender.firstName|default("The team") }}, for {{ brand.label }}'),
('reminder', 'fr', 'Relance 1', 1, 'Relance : {{ brand.label }} dans vos annonces ({{ reference }})',
'Bonjour,
{% if previousMails %}
Nous vous avons écrit le {{ previousMails.last.date }} au sujet de la marque {{ brand.label }}.
{% endif %}
Des annonces pour {{ domain }} paraissent toujours sur {{ engine }} ({{ country }}) lorsque des internautes la recherchent{% if lastSeen %} ; nous en avons vu une le {{ lastSeen }}{% endif %}.
{% for ad in ads %}
- {{ ad.title }} : {{ ad.text }} (vue le {{ ad.seenAt }})
{%- endfor %}

Merci d''exclure {{ brand.label }} de vos campagnes et de nous le confirmer en répondant à ce message.

Cordialement,
{{ sender.firstName|default("L''équipe") }}, pour {{ brand.label }}'),
('reminder', 'en', 'Reminder 2', 2, 'Second reminder: {{ brand.label }} in your ads ({{ reference }})',
'Hello,

We have had no answer to our messages about the brand {{ brand.label }}{% if previousMails %}, the last of {{ previousMails.last.date }}{% endif %}. Ads for {{ domain }} continue on {{ engine }} in {{ country }}{% if daysSeen30 %}: we saw them on {{ daysSeen30 }} of the last 30 days{% endif %}.

Excluding the name takes a few minutes: add {{ brand.label }} to the negative keywords of your account. If you already have, please answer so that we can close this matter.

Kind regards,
{{ sender.firstName|default("The team") }}, for {{ brand.label }}'),
('reminder', 'fr', 'Relance 2', 2, 'Deuxième relance : {{ brand.label }} dans vos annonces ({{ reference }})',
'Bonjour,

Nos messages au sujet de la marque {{ brand.label }} sont restés sans réponse{% if previousMails %}, le dernier date du {{ previousMails.last.date }}{% endif %}. Les annonces pour {{ domain }} continuent sur {{ engine }} ({{ country }}){% if daysSeen30 %} : nous les avons vues {{ daysSeen30 }} jours sur les 30 derniers{% endif %}.

Exclure ce nom ne prend que quelques minutes : ajoutez {{ brand.label }} aux mots clés à exclure de votre compte. Si c''est déjà fait, merci de nous répondre afin que nous puissions clore ce dossier.

Cordialement,
{{ sender.firstName|default("L''équipe") }}, pour {{ brand.label }}'),
('reminder', 'en', 'Reminder 3, last letter', 3, 'Last reminder: {{ brand.label }} in your ads ({{ reference }})',
'Hello,

This is our last reminder about the ads for {{ domain }} on {{ engine }} in {{ country }} that appear when people search for {{ brand.label }}.

Without an answer, {{ brand.label }} will consider what other steps are open to it. We would much rather hear from you: please answer this message.

Kind regards,
{{ sender.firstName|default("The team") }}, for {{ brand.label }}'),
('reminder', 'fr', 'Relance 3, dernier courrier', 3, 'Dernière relance : {{ brand.label }} dans vos annonces ({{ reference }})',
'Bonjour,

Ceci est notre dernière relance au sujet des annonces pour {{ domain }} sur {{ engine }} ({{ country }}) qui paraissent lorsque des internautes recherchent {{ brand.label }}.

Sans réponse de votre part, {{ brand.label }} examinera les autres démarches qui lui sont ouvertes. Nous préférerions de loin vous lire : merci de répondre à ce message.

Cordialement,
{{ sender.firstName|default("L''équipe") }}, pour {{ brand.label }}'),
('answer', 'en', 'List of ads', null, 'The ads for {{ domain }} ({{ reference }})',
'Hello,

Thank you for your answer. These are the ads that we saw on {{ engine }} in {{ country }}:
{% for ad in ads %}
- {{ ad.title }}: {{ ad.text }} (seen on {{ ad.seenAt }})
{%- endfor %}

They appeared on searches such as {{ keywords }}.

Kind regards,
{{ sender.firstName }}, for {{ brand.label }}'),
('answer', 'fr', 'Liste des annonces', null, 'Les annonces pour {{ domain }} ({{ reference }})',
'Bonjour,

Merci de votre réponse. Voici les annonces que nous avons vues sur {{ engine }} ({{ country }}) :
{% for ad in ads %}
- {{ ad.title }} : {{ ad.text }} (vue le {{ ad.seenAt }})
{%- endfor %}

Elles ont paru sur des recherches telles que {{ keywords }}.

Cordialement,
{{ sender.firstName }}, pour {{ brand.label }}'),
('answer', 'en', 'Thank you, case closed', null, 'Thank you ({{ reference }})',
'Hello,

Thank you for excluding {{ brand.label }} from your campaigns. We have closed this matter and will write again only if we see your ads on this name.

Kind regards,
{{ sender.firstName }}, for {{ brand.label }}'),
('answer', 'fr', 'Merci, dossier clos', null, 'Merci ({{ reference }})',
'Bonjour,

Merci d''avoir exclu {{ brand.label }} de vos campagnes. Nous avons clos ce dossier et ne vous écrirons de nouveau que si nous voyons vos annonces sur ce nom.

Cordialement,
{{ sender.firstName }}, pour {{ brand.label }}');
update email_template set first_version_id = id where first_version_id is null;
alter table email_template alter column first_version_id set not null;

-- A template, filled in, that somebody tries: what it says is in the context of its mail until that is settled.
alter table mail_outbox
    drop constraint mail_outbox_kind_check,
    add constraint mail_outbox_kind_check
        check (kind in ('notification', 'reminder', 'answer', 'alert', 'reset', 'verify', 'account', 'password', 'trial'));

-- A case that a person took out of the automatic mails of one day, on the calendar of the settings.
create table outreach_strike (
    action_id integer not null references action on delete cascade,
    day date not null,
    by_user integer references user_account on delete set null,
    at timestamptz not null,
    primary key (action_id, day)
);
create index outreach_strike_by on outreach_strike (by_user) where by_user is not null;

-- Mails of a case that Vigie wrote by itself, by the day it did.
create index email_automatic on email (created_date) where author_id is null and direction = 'out';
-- What the limits count: the deliveries of first and reminder mails that left or are leaving.
create index mail_delivery_settled on mail_delivery (settled_at) where state in ('sent', 'unknown', 'failed');

-- The part of an address after the last at sign.
create function domain_of_address(address text) returns text language sql immutable as $$
    select lower(substring(address from '@([^@]+)$'))
$$;
create index mail_delivery_domain on mail_delivery (domain_of_address(address), settled_at) where state in ('sent', 'unknown');

-- O4: no more reminders in a cycle than the quota allowed when the last one was sent, no fewer than the history has since the cycle began, and no
-- more that left than the case counts or the quota allows.
create or replace function broken_reminder_quota(since timestamptz) returns table (subject text, detail text) language sql stable as $$
    select 'action ' || a.id, a.cycle_reminders || ' reminders in the cycle, the quota was ' || a.cycle_quota
    from action a
    where a.updated_date >= since and a.cycle_quota is not null and a.cycle_reminders > a.cycle_quota
    union all
    select 'action ' || a.id, a.cycle_reminders || ' reminders in the cycle, ' || a.reminded_count || ' in all'
    from action a
    where a.updated_date >= since and a.cycle_reminders > a.reminded_count
    union all
    select 'action ' || a.id, mails.left_us || ' reminder mails left in cycle ' || mails.cycle || ', the quota was ' || a.cycle_quota
    from action a cross join lateral (
        select e.cycle, count(*) as left_us
        from email e
        where e.action_id = a.id and e.kind = 'reminder' and e.left_at is not null and e.cycle = a.cycle
        group by e.cycle
    ) mails
    where a.updated_date >= since and a.cycle_quota is not null and mails.left_us > a.cycle_quota
$$;

-- O9: no address gets two first or reminder mails for one brand within 24 hours.
create function broken_mails_a_day(since timestamptz) returns table (subject text, detail text) language sql stable as $$
    select 'delivery ' || id, 'to an address that got delivery ' || before_id || ' for the same brand at ' || before_at
    from (
        select d.id, d.settled_at,
            lag(d.id) over one as before_id,
            lag(d.settled_at) over one as before_at
        from mail_delivery d join email e on e.id = d.email_id join action a on a.id = e.action_id
        where e.kind in ('notification', 'reminder') and d.state in ('sent', 'unknown') and d.settled_at >= since - interval '24 hours'
            and a.brand_id is not null
        window one as (partition by a.brand_id, lower(d.address) order by d.settled_at, d.id)
    ) deliveries
    where settled_at >= since and settled_at < before_at + interval '24 hours'
$$;
