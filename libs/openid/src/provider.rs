//! The provider: what it says of itself, the way to it, and what it answers for a code.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::header::HeaderValue;
use hyper::{Method, Request, header};
use jsonwebtoken::jwk::JwkSet;
use public_hosts::{PublicClient, PublicHosts};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;
use url::form_urlencoded::{self, byte_serialize};

use crate::attempt::Attempt;
use crate::error::OpenIdError;
use crate::id_token::{self, AddressClaims, Expected, Identity};

/// The largest answer that is read.
const MOST_BYTES: usize = 1 << 20;
/// How long an answer may take, its body included.
const ANSWER_TIME: Duration = Duration::from_secs(15);
const WELL_KNOWN: &str = "/.well-known/openid-configuration";
/// The client proves itself in a header.
const BASIC: &str = "client_secret_basic";
/// The address with its verification is all that is asked for beside the person.
const SCOPES: &str = "openid email";

/// This site as a client of the provider.
#[derive(Clone, Debug)]
pub struct Client {
    issuer: Url,
    id: String,
    secret: String,
    http: PublicClient,
}

/// The name of an issuer without the slash that addresses may end with: identities are kept under it.
pub fn name_of(issuer: &Url) -> &str {
    issuer.as_str().trim_end_matches('/')
}

/// What a provider says of itself.
#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    authorization_endpoint: Url,
    token_endpoint: Url,
    jwks_uri: Url,
    userinfo_endpoint: Option<Url>,
    #[serde(default = "basic_alone")]
    token_endpoint_auth_methods_supported: Vec<String>,
}

/// The default of the standard.
fn basic_alone() -> Vec<String> {
    vec![BASIC.to_owned()]
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
    access_token: Option<String>,
}

/// The keys of a provider, some of them of kinds that only others know.
#[derive(Deserialize)]
struct PublishedKeys {
    keys: Vec<serde_json::Value>,
}

impl PublishedKeys {
    fn known(self) -> JwkSet {
        let keys = self.keys.into_iter();
        JwkSet {
            keys: keys.filter_map(|key| serde_json::from_value(key).ok()).collect(),
        }
    }
}

/// What the provider says of a person.
#[derive(Deserialize)]
struct Person {
    sub: String,
    #[serde(flatten)]
    address: AddressClaims,
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
}

impl Client {
    /// A client of the provider with this issuer; nothing is asked yet. [`OpenIdError::Address`] for an issuer that is reached without TLS, except on this machine.
    pub fn new(issuer: &Url, id: &str, secret: &str) -> Result<Self, OpenIdError> {
        check(issuer)?;
        // The settings name the provider, which may be in this network.
        let hosts = PublicHosts { allow_private: true };
        Ok(Self {
            issuer: issuer.clone(),
            id: id.to_owned(),
            secret: secret.to_owned(),
            http: hosts
                .client()
                .map_err(|error| OpenIdError::Provider(error.to_string()))?,
        })
    }

    /// The address at the provider that the browser goes to, and comes back from to `back`.
    pub async fn way_there(&self, back: &Url, attempt: &Attempt) -> Result<Url, OpenIdError> {
        let mut address = self.metadata().await?.authorization_endpoint;
        address
            .query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.id)
            .append_pair("redirect_uri", back.as_str())
            .append_pair("scope", SCOPES)
            .append_pair("state", attempt.state())
            .append_pair("nonce", &attempt.nonce)
            .append_pair("code_challenge", &attempt.challenge())
            .append_pair("code_challenge_method", "S256");
        Ok(address)
    }

    /// Redeems the code that the browser came back to `back` with, and reads who has signed in.
    pub async fn identity(
        &self,
        back: &Url,
        code: &str,
        attempt: &Attempt,
        now: DateTime<Utc>,
    ) -> Result<Identity, OpenIdError> {
        let metadata = self.metadata().await?;
        let redemption = self.redemption(&metadata, back, code, attempt)?;
        let tokens: Tokens = self.ask(redemption).await?;
        let keys: PublishedKeys = self.ask(get(&metadata.jwks_uri)?).await?;
        let expected = Expected {
            issuer: &metadata.issuer,
            client: &self.id,
            attempt,
            now,
        };
        let mut identity = id_token::read(&tokens.id_token, &keys.known(), expected)?;
        if identity.verified_email.is_none()
            && let (Some(endpoint), Some(token)) = (&metadata.userinfo_endpoint, &tokens.access_token)
        {
            identity.verified_email = self.address(endpoint, token, &identity.subject).await?;
        }
        Ok(identity)
    }

    /// The verified address of a person, from where providers give it that keep it out of ID tokens (section 5.3).
    async fn address(&self, endpoint: &Url, token: &str, subject: &str) -> Result<Option<String>, OpenIdError> {
        let mut request = get(endpoint)?;
        let bearer = HeaderValue::from_str(&format!("Bearer {token}"))
            .map_err(|_| OpenIdError::Provider("its access token cannot be sent".to_owned()))?;
        request.headers_mut().insert(header::AUTHORIZATION, bearer);
        let person: Person = self.ask(request).await?;
        if person.sub != subject {
            return Err(OpenIdError::Provider("it answers for somebody else".to_owned()));
        }
        Ok(person.address.verified())
    }

    /// The request that redeems a code.
    fn redemption(
        &self,
        metadata: &Metadata,
        back: &Url,
        code: &str,
        attempt: &Attempt,
    ) -> Result<Request<Full<Bytes>>, OpenIdError> {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", back.as_str())
            .append_pair("code_verifier", &attempt.verifier);
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(metadata.token_endpoint.as_str())
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::ACCEPT, "application/json");
        let methods = &metadata.token_endpoint_auth_methods_supported;
        if methods.iter().any(|method| method == BASIC) {
            // Both are written as in a form before they are joined (RFC 6749, section 2.3.1).
            let in_form = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
            let credentials = STANDARD.encode(format!("{}:{}", in_form(&self.id), in_form(&self.secret)));
            request = request.header(header::AUTHORIZATION, format!("Basic {credentials}"));
        } else {
            form.append_pair("client_id", &self.id)
                .append_pair("client_secret", &self.secret);
        }
        request
            .body(Full::new(Bytes::from(form.finish())))
            .map_err(|error| OpenIdError::Provider(error.to_string()))
    }

    /// What the provider says of itself now. It must name the issuer that was asked, and addresses that are reached by TLS.
    async fn metadata(&self) -> Result<Metadata, OpenIdError> {
        let address = format!("{}{WELL_KNOWN}", name_of(&self.issuer));
        let address = Url::parse(&address).map_err(|_| OpenIdError::Address(address))?;
        let metadata: Metadata = self.ask(get(&address)?).await?;
        if metadata.issuer.trim_end_matches('/') != name_of(&self.issuer) {
            return Err(OpenIdError::Provider(format!("it calls itself {}", metadata.issuer)));
        }
        let addresses = [
            &metadata.authorization_endpoint,
            &metadata.token_endpoint,
            &metadata.jwks_uri,
        ];
        for address in addresses.into_iter().chain(&metadata.userinfo_endpoint) {
            check(address)?;
        }
        Ok(metadata)
    }

    /// Sends a request and reads the JSON of its answer.
    async fn ask<T: DeserializeOwned>(&self, request: Request<Full<Bytes>>) -> Result<T, OpenIdError> {
        let exchange = async {
            let response = self
                .http
                .send(request)
                .await
                .map_err(|error| OpenIdError::Provider(error.to_string()))?;
            let status = response.status();
            let body = Limited::new(response.into_body(), MOST_BYTES)
                .collect()
                .await
                .map_err(|error| OpenIdError::Provider(error.to_string()))?
                .to_bytes();
            if status.is_success() {
                return serde_json::from_slice(&body).map_err(|error| OpenIdError::Provider(error.to_string()));
            }
            match serde_json::from_slice::<Refusal>(&body) {
                Ok(Refusal { error }) => Err(OpenIdError::Refused(error)),
                Err(_) => Err(OpenIdError::Provider(format!("status {status}"))),
            }
        };
        let in_time = tokio::time::timeout(ANSWER_TIME, exchange).await;
        in_time.map_err(|_| OpenIdError::Provider(format!("no answer within {} s", ANSWER_TIME.as_secs())))?
    }
}

fn get(address: &Url) -> Result<Request<Full<Bytes>>, OpenIdError> {
    Request::builder()
        .uri(address.as_str())
        .header(header::ACCEPT, "application/json")
        .body(Full::default())
        .map_err(|_| OpenIdError::Address(address.to_string()))
}

/// Refuses an address without TLS, except on this machine.
fn check(address: &Url) -> Result<(), OpenIdError> {
    let is_here = match address.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    let is_safe = address.scheme() == "https" || address.scheme() == "http" && is_here;
    if is_safe && address.has_host() {
        Ok(())
    } else {
        Err(OpenIdError::Address(address.to_string()))
    }
}
