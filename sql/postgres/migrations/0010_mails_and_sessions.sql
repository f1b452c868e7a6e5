-- Mails to the people who sign in, sent by the workers, and what a person sees of the own sessions.

-- A mail of these kinds is leased while the mail server is spoken to. A worker that dies meanwhile leaves a lease that runs out, and the mail is
-- sent again under the same Message-ID: it may come twice and is never lost. Mails to others (notification, reminder, answer, alert) are not sent
-- this way.
alter table mail_outbox
    drop constraint mail_outbox_kind_check,
    add constraint mail_outbox_kind_check
        check (kind in ('notification', 'reminder', 'answer', 'alert', 'reset', 'verify', 'account', 'password')),
    drop constraint mail_outbox_tries_check,
    add constraint mail_outbox_tries_check check (tries >= 0),
    alter column language drop not null,
    alter column language drop default,
    add column user_id integer references user_account on delete cascade,
    add column leased_until timestamptz,
    add constraint mail_outbox_leased_check check (leased_until is null or state = 'sending');
create index mail_outbox_user on mail_outbox (user_id) where user_id is not null;
create index mail_outbox_leased on mail_outbox (leased_until) where leased_until is not null;

-- Whom a forgotten password belongs to is found out, and the token of the link made, when the mail is sent: nothing that opens an account is kept
-- here, and a request for an unknown address leaves the same row as one for a known address.
update mail_outbox
    set user_id = (select u.id from user_account u where u.id::text = context ->> 'userId'), context = '{}'
    where kind in ('reset', 'verify', 'account');

-- Texts: paragraphs with a blank line between them. The paragraph {{ link }} is the link; action is the words on its button.
alter table email_template
    drop constraint email_template_type_check,
    add constraint email_template_type_check
        check (type in ('notification', 'reminder', 'alert', 'reset', 'verify', 'account', 'password')),
    add column action text check (action <> '');

insert into email_template (type, language, subject, action, body) values
('reset', 'en', 'Choose a new password', 'Choose a new password',
'Hello {{ name }},

Somebody asked for a new password for your {{ product }} account ({{ email }}). This link lets you choose one. It works once, for one hour:

{{ link }}

If it was not you, ignore this e-mail: your password stays as it is.'),
('reset', 'fr', 'Choisissez un nouveau mot de passe', 'Choisir un nouveau mot de passe',
'Bonjour {{ name }},

Un nouveau mot de passe a été demandé pour votre compte {{ product }} ({{ email }}). Ce lien vous permet de le choisir. Il fonctionne une seule fois, pendant une heure :

{{ link }}

Si vous n''êtes pas à l''origine de cette demande, ignorez cet e-mail : votre mot de passe reste inchangé.'),
('verify', 'en', 'Confirm your e-mail address', 'Confirm this address',
'Hello {{ name }},

Please confirm that {{ email }} is your address, so that {{ product }} can write to you:

{{ link }}

If you have no {{ product }} account, ignore this e-mail.'),
('verify', 'fr', 'Confirmez votre adresse e-mail', 'Confirmer cette adresse',
'Bonjour {{ name }},

Merci de confirmer que {{ email }} est bien votre adresse, afin que {{ product }} puisse vous écrire :

{{ link }}

Si vous n''avez pas de compte {{ product }}, ignorez cet e-mail.'),
('account', 'en', 'Your account is ready', 'Choose your password',
'Hello {{ name }},

A {{ product }} account was made for you. You sign in with {{ email }}. This link lets you choose your password. It works once, for three days:

{{ link }}

After that, ask for a new link with "Forgot your password?" on the sign-in page.'),
('account', 'fr', 'Votre compte est prêt', 'Choisir votre mot de passe',
'Bonjour {{ name }},

Un compte {{ product }} a été créé pour vous. Vous vous connectez avec {{ email }}. Ce lien vous permet de choisir votre mot de passe. Il fonctionne une seule fois, pendant trois jours :

{{ link }}

Ensuite, demandez un nouveau lien avec « Mot de passe oublié ? » sur la page de connexion.'),
('password', 'en', 'Your password was changed', 'I did not change it',
'Hello {{ name }},

The password of your {{ product }} account ({{ email }}) was changed, and your other sessions were ended.

If it was not you, choose a new password at once and tell your administrator:

{{ link }}'),
('password', 'fr', 'Votre mot de passe a été modifié', 'Je ne l''ai pas modifié',
'Bonjour {{ name }},

Le mot de passe de votre compte {{ product }} ({{ email }}) a été modifié, et vos autres sessions ont été fermées.

Si vous n''êtes pas à l''origine de ce changement, choisissez tout de suite un nouveau mot de passe et prévenez votre administrateur :

{{ link }}');

-- What a person recognises the own sessions by.
alter table access_token
    add column user_agent text check (char_length(user_agent) <= 512),
    add column last_used timestamptz;

