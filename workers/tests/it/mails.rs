//! Mails, from the outbox over SMTP to the mail catcher.

use std::time::Duration;

use analytics::{Client, ConnectOptions};
use mail_catcher::Catcher;
use postgres::mails::{NewMail, claim, queue};
use postgres::stop_go::notices::{self, Notice};
use postgres::users::{self, NewUser};
use postgres::{Pool, tokens};
use runtime::Clock;
use runtime::settings::{Smtp, SmtpSecurity};
use serde::Deserialize;
use strum::VariantArray;
use testkit::Postgres;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use vocabulary::{Language, MailKind, Role, SystemScope, UserId};
use workers::mails::{DigestStores, Sender};
use workers::smtp::MailServer;

const PUBLIC: &str = "https://vigie.example/";

/// A mail as the mail catcher shows it.
#[derive(Deserialize)]
struct Caught {
    times: u32,
    to: Vec<String>,
    subject: String,
    message_id: String,
    text: String,
    html: String,
}

/// Stores of digests, of which these tests send none.
fn no_digests(store: &Postgres) -> DigestStores {
    let nowhere = ConnectOptions {
        url: "http://127.0.0.1:9".parse().unwrap(),
        user: String::new(),
        password: String::new(),
        database: "nothing".to_owned(),
        authorities: None,
        cluster: None,
    };
    DigestStores {
        postgres: store.pool.clone(),
        analytics: Client::new(&nowhere).unwrap(),
        zone: chrono_tz::UTC,
    }
}

/// An outbox, a mail catcher, and a sender between them.
struct Post {
    store: Postgres,
    sender: Sender,
    page: String,
}

/// Where a server falls silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray)]
enum Silence {
    Greeting,
    Hello,
    Mail,
    Rcpt,
    Data,
    Body,
}

/// Says nothing more from this point on, and keeps the connection open until the other side ends it.
async fn fall_silent(connection: TcpStream, silence: Silence) -> std::io::Result<()> {
    let mut connection = BufReader::new(connection);
    let mut line = String::new();
    if silence != Silence::Greeting {
        connection.write_all(b"220 slow\r\n").await?;
    }
    let mut in_body = false;
    while connection.read_line(&mut line).await? > 0 {
        let (at, reply) = match line.split([' ', '\r']).next() {
            _ if in_body && line != ".\r\n" => {
                line.clear();
                continue;
            }
            _ if in_body => (Silence::Body, "250 kept"),
            Some("EHLO") => (Silence::Hello, "250 slow"),
            Some("MAIL") => (Silence::Mail, "250 well"),
            Some("RCPT") => (Silence::Rcpt, "250 well"),
            Some("DATA") => (Silence::Data, "354 go on"),
            _ => (silence, ""),
        };
        line.clear();
        if at == silence || silence == Silence::Greeting {
            continue;
        }
        in_body = reply.starts_with("354");
        connection.write_all(format!("{reply}\r\n").as_bytes()).await?;
    }
    Ok(())
}

impl Post {
    /// A server that is silent in its first dialogue of each kind in turn, and whose patience the sender does not share.
    async fn behind_silence() -> Self {
        let mut post = Self::new().await;
        let patience = Duration::from_millis(300);
        let server = post.sender.server.address();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let smtp = Smtp {
            host: Some("127.0.0.1".to_owned()),
            port: Some(listener.local_addr().unwrap().port()),
            security: SmtpSecurity::None,
            ..Smtp::default()
        };
        tokio::spawn(async move {
            for silence in Silence::VARIANTS {
                let (connection, _) = listener.accept().await.unwrap();
                tokio::spawn(fall_silent(connection, *silence));
            }
            // From then on it is well.
            loop {
                let (mut connection, _) = listener.accept().await.unwrap();
                let mut behind = TcpStream::connect(&server).await.unwrap();
                tokio::spawn(async move { tokio::io::copy_bidirectional(&mut connection, &mut behind).await });
            }
        });
        post.sender.server = MailServer::from_settings(&smtp)
            .unwrap()
            .unwrap()
            .with_patience(patience, patience);
        post
    }

    async fn new() -> Self {
        let store = Postgres::new().await;
        let free = "127.0.0.1:0".parse().unwrap();
        let catcher = Catcher::bind(mail_catcher::Settings { mail: free, page: free })
            .await
            .unwrap();
        let addresses = catcher.addresses();
        tokio::spawn(catcher.serve(std::future::pending()));
        let smtp = Smtp {
            host: Some("127.0.0.1".to_owned()),
            port: Some(addresses.mail.port()),
            security: SmtpSecurity::None,
            ..Smtp::default()
        };
        let sender = Sender {
            postgres: store.pool.clone(),
            clock: Clock::system(),
            server: MailServer::from_settings(&smtp).unwrap().unwrap(),
            public_url: PUBLIC.parse().unwrap(),
            digests: no_digests(&store),
        };
        Self {
            store,
            sender,
            page: format!("http://{}/api/mails", addresses.page),
        }
    }

    fn pool(&self) -> &Pool {
        &self.store.pool
    }

    async fn user(&self, email: &str) -> UserId {
        let mut connection = self.pool().acquire().await.unwrap();
        let new = NewUser {
            email,
            first_name: Some("Ann"),
            ..NewUser::default()
        };
        users::create(&mut connection, &new).await.unwrap()
    }

    async fn queue(&self, kind: MailKind, user: Option<UserId>, recipient: &str) {
        let key = format!("{kind} {}", uuid::Uuid::new_v4());
        let mail = NewMail {
            business_key: &key,
            kind,
            user,
            recipient,
            language: None,
        };
        queue(self.pool(), &mail).await.unwrap();
    }

    /// Tries to send every mail that is due.
    async fn pass(&self) {
        while self.sender.pass().await.unwrap() > 0 {}
    }

    /// Makes all waits and leases end now.
    async fn later(&self) {
        self.store
            .execute("update mail_outbox set not_before = now() where state = 'queued'")
            .await;
    }

    async fn caught(&self) -> Vec<Caught> {
        reqwest::get(&self.page).await.unwrap().json().await.unwrap()
    }

    async fn state(&self) -> String {
        let query =
            "select coalesce(string_agg(concat_ws(' ', state, tries, reason), '|' order by id), '') from mail_outbox";
        self.store.fetch(query).await
    }
}

fn link(mail: &Caught) -> &str {
    mail.text.lines().find(|line| line.starts_with("https://")).unwrap()
}

#[tokio::test]
async fn a_forgotten_password_brings_a_link_to_the_stored_address_and_its_token_stands_nowhere_else() {
    let post = Post::new().await;
    let ann = post.user("ann@acme.example").await;
    post.queue(MailKind::Reset, None, "ANN@Acme.example").await;
    post.pass().await;
    let caught = post.caught().await;
    let [mail] = caught.as_slice() else {
        panic!("{} mails", caught.len());
    };
    assert_eq!(mail.to, ["ann@acme.example"]);
    let token = link(mail).strip_prefix("https://vigie.example/reset#").unwrap();
    assert!(mail.html.replace("&#x2f;", "/").contains(link(mail)));
    let (stored, _) = tokens::find(post.pool(), &tokens::digest(token))
        .await
        .unwrap()
        .unwrap();
    assert_eq!((stored.user, stored.ttl), (ann, 3_600));
    assert_eq!(stored.scopes.unwrap(), [tokens::RESET_SCOPE]);
    assert_eq!(post.state().await, "sent 1");
    let rows: String = post
        .store
        .fetch("select string_agg(m::text, '|') from mail_outbox m")
        .await;
    assert!(!rows.contains(token), "{rows}");
    let context: String = post.store.fetch("select context::text from mail_outbox").await;
    assert_eq!(context, "{}");
}

#[tokio::test]
async fn an_address_that_nobody_has_gets_no_mail_and_leaves_no_trace() {
    let post = Post::new().await;
    post.queue(MailKind::Reset, None, "nobody@acme.example").await;
    post.pass().await;
    assert!(post.caught().await.is_empty());
    assert_eq!(post.state().await, "");
}

#[tokio::test]
async fn every_mail_is_written_in_the_language_of_its_reader() {
    let post = Post::new().await;
    // A digest needs an alert; its texts are tested with it.
    let kinds: Vec<MailKind> = MailKind::VARIANTS
        .iter()
        .copied()
        .filter(|kind| *kind != MailKind::Alert)
        .collect();
    for language in Language::VARIANTS {
        let email = format!("{language}@acme.example");
        let user = post.user(&email).await;
        users::set_language(post.pool(), user, *language).await.unwrap();
        for kind in &kinds {
            post.queue(*kind, Some(user), &email).await;
        }
        // One pass takes fewer than there are kinds.
        post.pass().await;
        post.pass().await;
        let caught = post.caught().await;
        let mine: Vec<_> = caught.iter().filter(|mail| mail.to == [email.clone()]).collect();
        assert_eq!(mine.len(), kinds.len());
        for mail in mine {
            let hello = if *language == Language::Fr {
                "Bonjour Ann,"
            } else {
                "Hello Ann,"
            };
            assert!(
                mail.text.starts_with(hello) && mail.html.contains(hello),
                "{}",
                mail.text
            );
            assert!(mail.html.contains(&format!("<html lang=\"{language}\">")));
            assert!(mail.text.contains(PUBLIC) && !mail.text.contains("{{"), "{}", mail.text);
        }
    }
    let caught = post.caught().await;
    let verify = caught.iter().find(|mail| mail.subject == "Confirm your e-mail address");
    let link = link(verify.unwrap());
    let (before, rest) = link.split_once("token=").unwrap();
    assert_eq!(before, "https://vigie.example/api/UserAccounts/confirm?uid=1&");
    let (token, after) = rest.split_once('&').unwrap();
    assert_eq!(after, "redirect=%2Flogin");
    // Only the digest of the proof is stored.
    let stored: String = post
        .store
        .fetch("select verification_token from user_account where id = 1")
        .await;
    assert_eq!(stored, hex::encode(postgres::tokens::digest(token)));
}

#[tokio::test]
async fn a_reader_who_never_chose_a_language_is_written_to_in_that_of_the_brands_country() {
    let post = Post::new().await;
    let user = post.user("ann@acme.example").await;
    post.store
        .execute(
            "with b as (insert into brand (name) values ('acme') returning id), \
             c as (insert into company_account (name) values ('acme') returning id), \
             l as (insert into brand_company_account (brand_id, company_account_id) select b.id, c.id from b, c), \
             t as (insert into term (term, brand_id, localization_id) select 'shoes', b.id, \
                (select id from localization where locale = 'fr_FR' limit 1) from b) \
             update user_account set company_account_id = c.id from c",
        )
        .await;
    post.queue(MailKind::Password, Some(user), "ann@acme.example").await;
    post.pass().await;
    assert_eq!(post.caught().await[0].subject, "Votre mot de passe a été modifié");
}

#[tokio::test]
async fn a_mail_whose_sender_died_is_sent_by_another_one() {
    let post = Post::new().await;
    let ann = post.user("ann@acme.example").await;
    post.queue(MailKind::Password, Some(ann), "ann@acme.example").await;
    // A process that dies: it claims the mail, and its lease runs out at once.
    assert_eq!(claim(post.pool(), 10, Duration::ZERO).await.unwrap().len(), 1);
    post.pass().await;
    assert_eq!(post.caught().await.len(), 1);
    assert_eq!(post.state().await, "sent 2");
}

#[tokio::test]
async fn a_mail_under_way_is_left_to_its_sender() {
    let post = Post::new().await;
    let ann = post.user("ann@acme.example").await;
    for _ in 0..12 {
        post.queue(MailKind::Password, Some(ann), "ann@acme.example").await;
    }
    let claimed = claim(post.pool(), 1, Duration::from_mins(1)).await.unwrap();
    let other = Sender { ..post.sender.clone() };
    let (one, two) = tokio::join!(post.pass(), async { while other.pass().await.unwrap() > 0 {} });
    let ((), ()) = (one, two);
    let caught = post.caught().await;
    assert_eq!(caught.len(), 11);
    assert!(
        caught
            .iter()
            .all(|mail| mail.times == 1 && mail.message_id != claimed[0].message_id)
    );
}

#[tokio::test]
async fn a_mail_whose_answer_was_lost_comes_again_under_the_same_message_id() {
    let post = Post::new().await;
    let user = post.user("hang-up@acme.example").await;
    post.queue(MailKind::Password, Some(user), "hang-up@acme.example").await;
    post.pass().await;
    let state = post.state().await;
    assert!(state.starts_with("queued 1 the mail server 127.0.0.1:"), "{state}");
    post.later().await;
    post.pass().await;
    let caught = post.caught().await;
    assert_eq!((caught.len(), caught[0].times), (1, 2));
}

#[tokio::test]
async fn a_server_that_does_not_take_a_mail_is_asked_again_and_again_and_in_the_end_no_more() {
    let post = Post::new().await;
    let user = post.user("try-later@acme.example").await;
    post.queue(MailKind::Account, Some(user), "try-later@acme.example")
        .await;
    for attempts in 1..10 {
        post.pass().await;
        let state = post.state().await;
        assert!(
            state.starts_with(&format!("queued {attempts} ")) && state.contains("try later"),
            "{state}"
        );
        assert!(
            post.store
                .fetch::<bool>("select not_before > now() + interval '5 seconds' from mail_outbox")
                .await
        );
        post.later().await;
    }
    post.pass().await;
    let state = post.state().await;
    assert!(
        state.starts_with("failed 10 ") && state.contains("try later"),
        "{state}"
    );
    // Links of mails that were not sent are revoked.
    assert_eq!(post.store.fetch::<i64>("select count(*) from access_token").await, 0);
}

#[tokio::test]
async fn a_server_that_falls_silent_holds_up_no_mail_for_good() {
    let post = Post::behind_silence().await;
    let ann = post.user("ann@acme.example").await;
    post.queue(MailKind::Password, Some(ann), "ann@acme.example").await;
    for (failures, silence) in (1..).zip(Silence::VARIANTS) {
        post.pass().await;
        let state = post.state().await;
        let phase = match silence {
            Silence::Greeting | Silence::Hello => "while connecting",
            Silence::Mail => "to MAIL",
            Silence::Rcpt => "to RCPT",
            Silence::Data => "to DATA",
            Silence::Body => "to the body",
        };
        assert!(
            state.starts_with(&format!("queued {failures} "))
                && state.contains("no reply for 0.3 s")
                && state.contains(phase),
            "{silence:?}: {state}"
        );
        post.later().await;
    }
    // What the silent dialogues left behind is nobody's reply.
    post.queue(MailKind::Password, Some(ann), "ann@acme.example").await;
    post.pass().await;
    let caught = post.caught().await;
    assert_eq!(caught.len(), 2);
    assert!(caught.iter().all(|mail| mail.times == 1));
    assert_eq!(post.state().await, "sent 7|sent 1");
}

#[tokio::test]
async fn a_recipient_the_server_does_not_know_is_given_up_at_once_with_the_reason() {
    let post = Post::new().await;
    let user = post.user("no-such-user@acme.example").await;
    post.queue(MailKind::Password, Some(user), "no-such-user@acme.example")
        .await;
    post.pass().await;
    let state = post.state().await;
    assert!(
        state.starts_with("failed 1 ") && state.contains("no such user"),
        "{state}"
    );
}

#[tokio::test]
async fn a_link_that_nobody_waits_for_any_more_is_not_sent() {
    let post = Post::new().await;
    post.user("ann@acme.example").await;
    post.queue(MailKind::Reset, None, "ann@acme.example").await;
    post.store
        .execute("update mail_outbox set created_at = now() - interval '61 minutes'")
        .await;
    post.pass().await;
    assert!(post.caught().await.is_empty());
    assert_eq!(post.state().await, "failed 1 nobody waits for it any more");
}

#[tokio::test]
async fn settings_that_cannot_work_are_named() {
    let with = |change: fn(&mut Smtp)| {
        let mut smtp = Smtp {
            host: Some("mail.company.example".to_owned()),
            ..Smtp::default()
        };
        change(&mut smtp);
        MailServer::from_settings(&smtp)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    assert_eq!(with(|_| {}), "");
    assert!(with(|smtp| smtp.from = "nobody".to_owned()).contains("VIGIE__SMTP__FROM"));
    assert!(with(|smtp| smtp.user = Some("vigie".to_owned())).contains("VIGIE__SMTP__PASSWORD"));
    assert!(MailServer::from_settings(&Smtp::default()).unwrap().is_none());
}

#[tokio::test]
async fn notices_of_google_say_what_has_to_be_done_and_where() {
    let post = Post::new().await;
    let new = NewUser {
        email: "ann@acme.example",
        first_name: Some("Ann"),
        roles: &[Role::Admin],
        ..NewUser::default()
    };
    let ann = users::create(&mut post.pool().acquire().await.unwrap(), &new)
        .await
        .unwrap();
    let now = Clock::system().now();
    let scope = SystemScope::new("test");
    for (language, title) in [
        (Language::En, "Remove keywords in Google by hand"),
        (Language::Fr, "Mots-clés à retirer à la main dans Google"),
    ] {
        users::set_language(post.pool(), ann, language).await.unwrap();
        for (kind, page) in [
            (MailKind::Stranded, "https://vigie.example/stop-go-management"),
            (MailKind::Revoked, "https://vigie.example/google-connect"),
            (MailKind::Version, "https://vigie.example/google-connect"),
            (MailKind::Stopped, "https://vigie.example/stop-go-management"),
        ] {
            let notice = Notice {
                kind,
                key: &format!("{kind} {language}"),
                subject: "its subject <b>",
                details: "- acme shoes",
            };
            notices::queue(post.pool(), &scope, &notice, None, now).await.unwrap();
            post.pass().await;
            let caught = post.caught().await;
            let mail = caught.iter().find(|mail| mail.text.contains(page)).unwrap();
            assert!(mail.subject.contains("its subject <b>"), "{}", mail.subject);
            assert!(mail.text.contains("- acme shoes"), "{kind}: {}", mail.text);
            assert!(!mail.html.contains("<b>"), "{kind}");
            if kind == MailKind::Stranded {
                assert!(mail.subject.contains(title), "{}", mail.subject);
            }
        }
    }
    assert_eq!(post.caught().await.len(), 8);
}
