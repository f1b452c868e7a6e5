//! The pages that show the mails, and the mails as JSON.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use minijinja::{AutoEscape, Environment, Value, context};
use serde::Deserialize;
use serde_json::json;

use crate::answers::{self, AnswerKind, Webhook};
use crate::mailbox::{Mail, Mailbox};

/// Our pages: no script, nothing from elsewhere.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";
/// A mail's HTML: no script, nothing is loaded; its links open in a new window.
const MAIL_POLICY: &str = "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; \
    img-src data:; frame-ancestors 'self'";
const NEW_WINDOW: &str = "<base target=\"_blank\">";

#[derive(Clone)]
struct PageState {
    mailbox: Arc<Mailbox>,
    templates: Arc<Environment<'static>>,
    webhook: Option<Webhook>,
}

/// Builds the routes of the pages, which answer only requests to this machine's own names at the port of `address`; `/livez` answers all. Fails when
/// a template is wrong.
pub(crate) fn router(
    mailbox: Arc<Mailbox>,
    address: SocketAddr,
    webhook: Option<Webhook>,
) -> Result<Router, minijinja::Error> {
    let mut templates = Environment::new();
    templates.set_auto_escape_callback(|_| AutoEscape::Html);
    templates.add_template("frame", include_str!("../templates/frame.html"))?;
    templates.add_template("list", include_str!("../templates/list.html"))?;
    templates.add_template("mail", include_str!("../templates/mail.html"))?;
    let state = PageState {
        mailbox,
        templates: Arc::new(templates),
        webhook,
    };
    let port = address.port();
    Ok(Router::new()
        .route("/", get(show_list))
        .route("/mails/{id}", get(show_mail))
        .route("/mails/{id}/html", get(show_html))
        .route("/mails/{id}/source", get(show_source))
        .route("/mails/{id}/answer", post(answer))
        .route("/api/mails", get(list_as_json))
        .layer(middleware::from_fn(move |request, next| {
            only_local(port, request, next)
        }))
        .route("/livez", get(async || "ok"))
        .with_state(state))
}

/// Refuses with 403 requests whose host is not `127.0.0.1` or `localhost` at `port`, and adds the security headers that a response has not set. Mails
/// contain links that open accounts: a page of another site can make the browser send requests under a name of its own (DNS rebinding).
async fn only_local(port: u16, request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let ours = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
    if !host.is_some_and(|host| ours.iter().any(|our| our == host)) {
        return (
            StatusCode::FORBIDDEN,
            "open this page as http://127.0.0.1 or http://localhost",
        )
            .into_response();
    }
    let mut response = next.run(request).await;
    let fixed: [(HeaderName, &str); 4] = [
        (header::CONTENT_SECURITY_POLICY, PAGE_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in fixed {
        response
            .headers_mut()
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}

/// `GET /`: the list of mails, the newest first.
async fn show_list(State(state): State<PageState>, headers: HeaderMap) -> Response {
    let mails: Vec<Value> = state.mailbox.all().iter().map(|mail| list_values(mail)).collect();
    state.page("list", context! { mails, words => page_texts(&headers) })
}

/// `GET /mails/{id}`: one mail with its headers and text; 404 when it is unknown or was dropped.
async fn show_mail(
    State(state): State<PageState>,
    Path(id): Path<u64>,
    Query(shown): Query<ShownMail>,
    headers: HeaderMap,
) -> Response {
    match state.mailbox.get(id) {
        Some(mail) => state.page(
            "mail",
            context! {
                mail => list_values(&mail),
                headers => &mail.headers,
                text => &mail.text,
                has_html => mail.html.is_some(),
                can_answer => state.webhook.is_some() && answers::can_be_answered(&mail),
                answered => shown.answered,
                words => page_texts(&headers),
            },
        ),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// What is said above a mail.
#[derive(Deserialize)]
struct ShownMail {
    /// Whether an answer has arrived; absent: none was given.
    answered: Option<bool>,
}

/// Which answer is given.
#[derive(Deserialize)]
struct AnswerForm {
    kind: AnswerKind,
}

/// `POST /mails/{id}/answer`: answers a mail for all its recipients, then shows it; 403 for forms of other sites, 404 when it is unknown or cannot be
/// answered.
async fn answer(
    State(state): State<PageState>,
    Path(id): Path<u64>,
    headers: HeaderMap,
    Form(form): Form<AnswerForm>,
) -> Response {
    let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
    if site.is_some_and(|site| site != "same-origin") {
        return StatusCode::FORBIDDEN.into_response();
    }
    let (Some(webhook), Some(mail)) = (&state.webhook, state.mailbox.get(id)) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    if !answers::can_be_answered(&mail) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let mut is_answered = true;
    for outgoing in answers::compose(&mail, form.kind, is_french(&headers)) {
        if let Err(error) = answers::post(webhook, outgoing).await {
            tracing::warn!(%error, "an answer did not arrive");
            is_answered = false;
        }
    }
    Redirect::to(&format!("/mails/{id}?answered={is_answered}")).into_response()
}

/// `GET /mails/{id}/html`: the mail's HTML part, in which no script runs and nothing is loaded; 404 when it has none, is unknown or was dropped.
async fn show_html(State(state): State<PageState>, Path(id): Path<u64>) -> Response {
    let mail = state.mailbox.get(id);
    match mail.as_ref().and_then(|mail| mail.html.as_ref()) {
        Some(html) => (
            [(header::CONTENT_SECURITY_POLICY, MAIL_POLICY)],
            Html(format!("{NEW_WINDOW}{html}")),
        )
            .into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// `GET /mails/{id}/source`: the mail as received, as plain text; 404 when it is unknown or was dropped.
async fn show_source(State(state): State<PageState>, Path(id): Path<u64>) -> Response {
    match state.mailbox.get(id) {
        Some(mail) => (
            [(header::CONTENT_TYPE, "text/plain; charset=utf-8")],
            mail.source.clone(),
        )
            .into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// `GET /api/mails`: all mails as JSON, the newest first.
async fn list_as_json(State(state): State<PageState>) -> Response {
    let mails = state.mailbox.all();
    let mails: Vec<&Mail> = mails.iter().map(AsRef::as_ref).collect();
    Json(json!(mails)).into_response()
}

impl PageState {
    /// Renders a template; a failure is logged and answered with 500.
    fn page(&self, template: &str, values: Value) -> Response {
        let page = self
            .templates
            .get_template(template)
            .and_then(|page| page.render(values));
        match page {
            Ok(page) => Html(page).into_response(),
            Err(error) => {
                tracing::error!(%error, "a page could not be made");
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            }
        }
    }
}

/// Returns the values of a mail that the list shows; its time is in UTC.
fn list_values(mail: &Mail) -> Value {
    context! {
        id => mail.id,
        received => mail.received.format("%d/%m/%Y %H:%M:%S UTC").to_string(),
        times => mail.times,
        from => &mail.from,
        to => mail.to.join(", "),
        subject => &mail.subject,
    }
}

/// Whether a browser names French first.
fn is_french(headers: &HeaderMap) -> bool {
    let preferred = headers.get(header::ACCEPT_LANGUAGE).and_then(|tags| tags.to_str().ok());
    preferred.is_some_and(|tags| tags.trim_start().to_ascii_lowercase().starts_with("fr"))
}

/// Returns the texts of the pages: in French for browsers that name it first, else in English.
fn page_texts(headers: &HeaderMap) -> Value {
    if is_french(headers) {
        context! {
            language => "fr", title => "E-mails interceptés",
            lead => "Aucun serveur de messagerie n'est configuré : les e-mails de Vigie arrivent ici et ne vont nulle part ailleurs.",
            none => "Aucun e-mail pour le moment.", subject => "Objet", to => "À", from => "De", received => "Reçu", back => "Tous les e-mails",
            times => "fois", text => "Texte", html => "HTML", headers => "En-têtes", source => "Source", no_subject => "(sans objet)",
            no_text => "Cet e-mail n'a pas de partie texte.", no_html => "Cet e-mail n'a pas de partie HTML.",
            answer => "Répondre à la place de l'annonceur", reply => "Accepter", out_of_office => "Absence du bureau",
            hard_bounce => "Adresse inexistante", policy_bounce => "Refus du serveur", wrong_person => "Mauvais interlocuteur",
            arrived => "La réponse est partie vers Vigie.", lost => "La réponse n'est pas arrivée : l'API ne l'a pas acceptée.",
        }
    } else {
        context! {
            language => "en", title => "Mails caught",
            lead => "No mail server is set: Vigie's mails arrive here and go nowhere else.",
            none => "No mail so far.", subject => "Subject", to => "To", from => "From", received => "Received", back => "All mails",
            times => "times", text => "Text", html => "HTML", headers => "Headers", source => "Source", no_subject => "(no subject)",
            no_text => "This mail has no text part.", no_html => "This mail has no HTML part.",
            answer => "Answer as the advertiser", reply => "Agree", out_of_office => "Out of office",
            hard_bounce => "No such address", policy_bounce => "Refused by the server", wrong_person => "Wrong person",
            arrived => "The answer is on its way to Vigie.", lost => "The answer did not arrive: the API did not take it.",
        }
    }
}
