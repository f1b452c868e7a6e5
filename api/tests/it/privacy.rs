//! Personal data of advertisers: what companies see of contacts, and export and erasure by address.

use axum::http::StatusCode;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::resources::argument;

/// A case of each company against one advertiser, which has three contacts: one was written to in acme's case, one in bolt's, one by nobody.
const CONTACTS: &str = "insert into dealer (domain, note) values ('shop.example', 'call jane@shop.example, not xjane@shop.example');
    insert into action (brand_id, domain, country, engine, advertiser_id) select id, 'shop.example', 'FR', 'google', 1 from brand order by id;
    insert into contact (email, name, city, notes) values
        ('Jane@shop.example', 'Jane Doe', 'Lyon', 'likes calls'), ('joe@shop.example', 'Joe Roe', 'Nice', 'likes mails'),
        ('xjane@shop.example', 'Xena', 'Metz', 'likes jane@shop.example');
    insert into dealer_contact (dealer_id, contact_id) select 1, id from contact;
    insert into email (action_id, direction, status, subject, body, email, created_date, left_at) values
        (1, 'out', 'sent', 'Your ads', 'Dear Jane', '{\"to\": \"jane@shop.example\"}', '2026-01-02', '2026-01-02'),
        (2, 'out', 'sent', 'Your ads', 'Dear Joe', null, '2026-01-02', '2026-01-02'),
        (2, 'out', 'draft', 'A draft', 'Dear Xena', null, '2026-01-02', null);
    insert into inbound_mail (digest, raw, source, envelope_from, received_at, verdict, verdict_at)
        values (sha256('1'), 'From: jane@shop.example', 'webhook', 'jane@shop.example', '2026-01-03', 'matched', '2026-01-03');
    insert into inbound_mail (digest, raw, source, sender, sender_name, subject, preview, received_at, verdict, verdict_at)
        values (sha256('2'), '', 'imap', 'Jane@shop.example', 'Jane Doe', 'Again', 'I am Jane', '2026-01-05', 'unmatched', '2026-01-05');
    insert into action_archive (id, action, history, notes, email_ids) values (90, '{\"note\": \"jane@shop.example\"}', '[]', '[]', '{}');
    insert into email (action_id, direction, status, subject, body, created_date, received_date, inbound_id)
        values (1, 'in', 'received', 'Re: Your ads', 'Call me at jane@shop.example.', '2026-01-03', '2026-01-03', 1);
    insert into mail_delivery (email_id, contact_id, address, business_key, reply_token, bounce_token, state, not_before, created_at, settled_at, body_at)
        values (1, 1, 'jane@shop.example', 'a', repeat('a', 26), repeat('b', 26), 'sent', '2026-01-02', '2026-01-02', '2026-01-02', '2026-01-02'),
            (2, 2, 'joe@shop.example', 'b', repeat('c', 26), repeat('d', 26), 'sent', '2026-01-02', '2026-01-02', '2026-01-02', '2026-01-02');
    insert into mail_delivery (email_id, contact_id, address, business_key, reply_token, bounce_token, state, not_before, created_at)
        values (1, 1, 'JANE@shop.example', 'c', repeat('e', 26), repeat('f', 26), 'queued', '2026-01-02', '2026-01-02'),
            (1, null, 'other@shop.example', 'd', repeat('g', 26), repeat('h', 26), 'held', '2026-01-02', '2026-01-02');
    insert into email_recipient (email_id, contact_id) values (3, 3);
    insert into attachment (email_id, name, sha256) values (4, 'letter.pdf', sha256('letter'));
    update action set sended_count = 1, received_count = 1, unread_count = 1 where id = 1;
    insert into note (scope, action_id, message, created_date, updated_date)
        values ('action', 1, 'Ask JANE@shop.example first.', '2026-01-04', '2026-01-04'), ('action', 1, 'Ask jane@shop.example.fr', '2026-01-04', '2026-01-04')";

struct World {
    app: App,
    acme: String,
    bolt: String,
    admin: String,
    operator: String,
}

impl World {
    async fn new() -> Self {
        let app = App::start().await;
        app.company_user("acme").await;
        app.company_user("bolt").await;
        app.admin().await;
        app.operator().await;
        app.postgres.execute(CONTACTS).await;
        Self {
            acme: app.login("user@acme.example").await,
            bolt: app.login("user@bolt.example").await,
            admin: app.login("admin@vigie.example").await,
            operator: app.login("operator@vigie.example").await,
            app,
        }
    }

    async fn found(&self, token: &str, path: &str) -> Value {
        let answer = self.app.get(path, &[("token", token)]).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
        answer.body
    }

    async fn export(&self, address: &str) -> Value {
        self.found(&self.operator, &format!("/api/privacy/export?address={address}"))
            .await
    }

    async fn erase(&self, address: &str) -> Value {
        let body = json!({"address": address});
        let answer = self
            .app
            .post("/api/privacy/erase", &body, &[("token", &self.admin)])
            .await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        answer.body["data"].clone()
    }
}

#[tokio::test]
async fn a_company_sees_the_names_of_those_it_wrote_to_and_nothing_else() {
    let world = World::new().await;
    let contacts = "/api/Dealers/1/contacts";
    for (token, id, name) in [(&world.acme, 1, "Jane Doe"), (&world.bolt, 2, "Joe Roe")] {
        let found = world.found(token, contacts).await;
        let expected = json!([{"id": id, "name": name, "email": null, "address": null, "city": null, "region": null,
            "postcode": null, "country": null, "notes": null, "tags": null, "state": null}]);
        assert_eq!(found, expected);
        let included = world
            .found(
                token,
                &format!("/api/Dealers/1?{}", argument("filter", &json!({"include": "contacts"}))),
            )
            .await;
        assert_eq!(included["contacts"], expected);
        let other = format!("{contacts}/{}", 3 - id);
        assert_eq!(
            world.app.get(&other, &[("token", token)]).await.status,
            StatusCode::NOT_FOUND
        );
        // Nor can the others be found out by asking.
        for condition in [
            json!({"email": {"like": "%shop%"}}),
            json!({"city": "Lyon"}),
            json!({"notes": {"like": "likes%"}}),
        ] {
            let count = format!("{contacts}/count?{}", argument("where", &condition));
            assert_eq!(world.found(token, &count).await["count"], 0, "{condition}");
        }
        assert_eq!(world.found(token, &format!("{contacts}/count")).await["count"], 1);
    }
    assert_eq!(
        world.found(&world.operator, contacts).await.as_array().unwrap().len(),
        3
    );
}

#[tokio::test]
async fn what_is_stored_about_an_address_is_exported_for_staff() {
    let world = World::new().await;
    let found = world.export("JANE@shop.example").await;
    let texts = |list: &str, field: &str| -> Vec<String> {
        let rows = found[list].as_array().unwrap();
        rows.iter()
            .map(|row| row[field].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    assert_eq!(texts("contacts", "name"), ["Jane Doe"]);
    assert_eq!(found["contacts"][0]["dealers"], json!(["shop.example"]));
    assert_eq!(texts("mails", "text"), ["Dear Jane", "Call me at jane@shop.example."]);
    assert_eq!(texts("deliveries", "state"), ["sent", "queued"]);
    assert_eq!(texts("attachments", "name"), ["letter.pdf"]);
    assert_eq!(texts("received", "from"), ["jane@shop.example", "Jane@shop.example"]);
    assert_eq!(texts("notes", "about"), ["action", "dealer"]);
    assert_eq!(found["suppression"], Value::Null);
    let none = world.export("nobody@shop.example").await;
    assert_eq!((&none["mails"], &none["contacts"]), (&json!([]), &json!([])));
    let refused = world
        .app
        .get("/api/privacy/export?address=shop", &[("token", &world.admin)])
        .await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", refused.body);
    for token in [&world.acme, &world.bolt] {
        let path = "/api/privacy/export?address=jane@shop.example";
        assert_eq!(
            world.app.get(path, &[("token", token)]).await.status,
            StatusCode::FORBIDDEN
        );
        let erased = world
            .app
            .post(
                "/api/privacy/erase",
                &json!({"address": "jane@shop.example"}),
                &[("token", token)],
            )
            .await;
        assert_eq!(erased.status, StatusCode::FORBIDDEN);
    }
}

#[tokio::test]
async fn an_erased_address_is_left_nowhere_and_never_written_to_again() {
    let world = World::new().await;
    let erased = world.erase(" Jane@Shop.example ").await;
    assert_eq!(
        erased,
        json!({"contacts": 1, "mails": 2, "deliveries": 2, "received": 2, "notes": 3})
    );
    let store = &world.app.postgres;
    // Longer addresses that contain it belong to others.
    let left = "select string_agg(t.row, '; ') from (
            select to_jsonb(c)::text from contact c union all select to_jsonb(e)::text from email e union all select to_jsonb(d)::text from mail_delivery d
            union all select to_jsonb(n)::text from note n union all select to_jsonb(x)::text from dealer x union all select to_jsonb(s)::text from suppression s
            union all select encode(raw, 'escape') || to_jsonb(i) from inbound_mail i
            union all select to_jsonb(v)::text from action_archive v union all select to_jsonb(a)::text from audit_entry a
        ) as t (row) where names_address(t.row, 'jane@shop.example')";
    assert_eq!(store.fetch::<Option<String>>(left).await, None);
    let others = "select (select note from dealer) || '; ' || (select string_agg(message, '; ' order by id) from note)
        || '; ' || (select string_agg(notes, '; ' order by id) from contact)";
    assert_eq!(
        store.fetch::<String>(others).await,
        "call …, not xjane@shop.example; Ask … first.; Ask jane@shop.example.fr; likes mails; likes …"
    );
    let digest = hex::encode(Sha256::digest("jane@shop.example"));
    let kept: String = store
        .fetch("select encode(digest, 'hex') || coalesce(address, '-') || reason from suppression")
        .await;
    assert_eq!(kept, format!("{digest}-asked"));
    let counts = "select sended_count = 1 and received_count = 1 and (select count(*) = 2 from email where action_id = 1 and erased_at is not null)
        and (select bool_and(state in ('sent', 'cancelled')) from mail_delivery) and (select body = 'Dear Joe' from email where id = 2)
        and not exists (select from attachment) from action where id = 1";
    assert!(store.fetch::<bool>(counts).await, "histories and counts stay");
    let log = world.found(&world.admin, "/api/audit?model=PersonalData").await;
    assert_eq!(
        (&log["data"][0]["event"], &log["data"][0]["target"]),
        (&json!("erase"), &json!(digest))
    );
    let again = world.erase("jane@shop.example").await;
    assert_eq!(
        again,
        json!({"contacts": 0, "mails": 0, "deliveries": 0, "received": 0, "notes": 0})
    );
    assert_eq!(
        world.export("jane@shop.example").await["suppression"]["reason"],
        "asked"
    );
}
