-- The persons of the provider of OpenID Connect, each with one account here. The subject identifies a person for good; an address may pass to another.
create table provider_identity (
    issuer text not null check (char_length(issuer) between 1 and 2000),
    subject text not null check (char_length(subject) between 1 and 255),
    user_id integer not null references user_account on delete cascade,
    created_at timestamptz not null,
    primary key (issuer, subject),
    unique (user_id, issuer)
);

-- Sessions that the provider has vouched for, and what is made in them: it has asked for what its own rules demand.
alter table access_token add column by_provider boolean not null default false;
