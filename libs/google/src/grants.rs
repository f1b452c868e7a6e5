//! Consent of people, and what it is exchanged for.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures::FutureExt;
use futures::future::BoxFuture;
use oauth2::basic::{
    BasicErrorResponse, BasicRevocationErrorResponse, BasicTokenIntrospectionResponse, BasicTokenType,
};
use oauth2::{
    AsyncHttpClient, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointNotSet, EndpointSet,
    ExtraTokenFields, HttpRequest, HttpResponse, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RefreshToken,
    RequestTokenError, Scope, StandardRevocableToken, StandardTokenResponse, TokenResponse, TokenUrl,
};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::transport::{Transport, TransportError};
use crate::{Client, GoogleError};

/// Gives access to Google Ads.
pub const ADS_SCOPE: &str = "https://www.googleapis.com/auth/adwords";
/// Gives read access to Search Console.
pub const SEARCH_CONSOLE_SCOPE: &str = "https://www.googleapis.com/auth/webmasters.readonly";
/// They say whose consent it is; asked for beside the others.
const IDENTITY_SCOPES: [&str; 2] = ["openid", "email"];
/// Bytes of an answer about tokens.
const MOST_BYTES: usize = 64 << 10;
/// How long a token is used that says nothing of its end.
const LIFETIME: Duration = Duration::from_mins(10);

/// Where a person is sent to consent, and what must be kept until the answer.
#[derive(Debug)]
pub struct Consent {
    /// The page of Google.
    pub url: Url,
    /// What the answer must bring back.
    pub state: String,
    /// What the code is exchanged with (PKCE).
    pub verifier: String,
}

/// What a person consented to.
#[derive(Clone)]
pub struct Granted {
    /// The address of the account at Google, where it names one.
    pub email: Option<String>,
    /// The addresses of what may be used.
    pub scopes: Vec<String>,
    /// What access tokens are got with.
    pub refresh_token: String,
}

impl std::fmt::Debug for Granted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Granted")
            .field("email", &self.email)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

/// Whose consent it was, beside a token.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Identity {
    id_token: Option<String>,
}

impl ExtraTokenFields for Identity {}

type Tokens = StandardTokenResponse<Identity, BasicTokenType>;
type TokenClient = oauth2::Client<
    BasicErrorResponse,
    Tokens,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointSet,
>;

impl Client {
    /// Where to send a person who is asked to consent to these scopes, offline, with an answer to `redirect`.
    ///
    /// # Errors
    /// When the settings name no client or an address is wrong.
    pub fn consent(&self, scopes: &[&str], redirect: &Url) -> Result<Consent, GoogleError> {
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let client = self
            .token_client()?
            .set_redirect_uri(RedirectUrl::from_url(redirect.clone()));
        let asked = IDENTITY_SCOPES
            .iter()
            .chain(scopes)
            .map(|scope| Scope::new((*scope).to_owned()));
        let (url, state) = client
            .authorize_url(CsrfToken::new_random)
            .add_scopes(asked)
            .add_extra_param("access_type", "offline")
            .add_extra_param("prompt", "consent")
            .add_extra_param("include_granted_scopes", "false")
            .set_pkce_challenge(challenge)
            .url();
        Ok(Consent {
            url,
            state: state.into_secret(),
            verifier: verifier.into_secret(),
        })
    }

    /// Exchanges the code of an answer. `wanted` are the scopes that were asked for; all must have been given.
    ///
    /// # Errors
    /// [`GoogleError::ConsentInPart`] when a scope is missing; [`GoogleError::GrantFailing`] for a code that is used, old or not for us.
    pub async fn exchange(
        &self,
        code: &str,
        verifier: &str,
        redirect: &Url,
        wanted: &[&str],
    ) -> Result<Granted, GoogleError> {
        let client = self
            .token_client()?
            .set_redirect_uri(RedirectUrl::from_url(redirect.clone()));
        let tokens = client
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .set_pkce_verifier(PkceCodeVerifier::new(verifier.to_owned()))
            .request_async(&TokenCalls(self.transport.clone()))
            .boxed()
            .await
            .map_err(|error| match failed(error) {
                GoogleError::GrantRevoked => {
                    GoogleError::GrantFailing("the code was used already or is too old".to_owned())
                }
                other => other,
            })?;
        let scopes: Vec<String> = tokens
            .scopes()
            .map(|scopes| scopes.iter().map(|scope| scope.to_string()).collect())
            .unwrap_or_default();
        let refresh_token = tokens
            .refresh_token()
            .map(|token| token.secret().clone())
            .ok_or_else(|| GoogleError::GrantFailing("Google gave no access that lasts".to_owned()));
        let missing = wanted
            .iter()
            .find(|wanted| !scopes.iter().any(|scope| scope == **wanted))
            .map(|missing| (*missing).to_owned());
        if let Some(missing) = missing {
            if let Ok(token) = refresh_token {
                // Nothing is kept of half a consent.
                let _ = self.revoke(&token).await;
            }
            return Err(GoogleError::ConsentInPart(missing));
        }
        Ok(Granted {
            email: tokens.extra_fields().id_token.as_deref().and_then(email_of),
            scopes: scopes
                .into_iter()
                .filter(|scope| scope.starts_with("https://www.googleapis.com/auth/") && !scope.contains("userinfo"))
                .collect(),
            refresh_token: refresh_token?,
        })
    }

    /// Takes a grant back at Google. A grant that is gone already counts as done.
    ///
    /// # Errors
    /// When Google cannot be reached or is disturbed.
    pub async fn revoke(&self, refresh_token: &str) -> Result<(), GoogleError> {
        let form = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("token", refresh_token)
            .finish();
        let request = http::Request::post(format!("{}/revoke", self.oauth_base()))
            .header(http::header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form.into_bytes())
            .map_err(|error| GoogleError::Unreachable(error.to_string()))?;
        let received = self.transport.send(request, MOST_BYTES).await.map_err(unanswered)?;
        match received.status {
            500.. => Err(GoogleError::Busy {
                retry_after: LIFETIME,
                reason: "the grant could not be taken back".to_owned(),
            }),
            _ => Ok(()),
        }
    }

    /// An access token for a refresh token, and how long it lives.
    pub(crate) async fn refresh(&self, refresh_token: &str) -> Result<(String, Duration), GoogleError> {
        let token = RefreshToken::new(refresh_token.to_owned());
        let tokens = self
            .token_client()?
            .exchange_refresh_token(&token)
            .request_async(&TokenCalls(self.transport.clone()))
            .boxed()
            .await
            .map_err(failed)?;
        Ok((
            tokens.access_token().secret().clone(),
            tokens.expires_in().unwrap_or(LIFETIME),
        ))
    }

    fn token_client(&self) -> Result<TokenClient, GoogleError> {
        let settings = &self.settings;
        let id = settings
            .client_id
            .clone()
            .filter(|id| !id.is_empty())
            .ok_or(GoogleError::NotSetUp)?;
        let token = TokenUrl::new(format!("{}/token", self.oauth_base())).map_err(wrong_address)?;
        Ok(oauth2::Client::new(ClientId::new(id))
            .set_client_secret(ClientSecret::new(settings.client_secret.expose().to_owned()))
            .set_auth_uri(AuthUrl::from_url(settings.consent_url.clone()))
            .set_token_uri(token))
    }

    fn oauth_base(&self) -> &str {
        self.settings.oauth_url.as_str().trim_end_matches('/')
    }
}

/// How `oauth2` sends its requests. Its futures are boxed, so that they can be sent between threads whatever they borrow.
struct TokenCalls(Transport);

impl<'c> AsyncHttpClient<'c> for TokenCalls {
    type Error = GoogleError;
    type Future = BoxFuture<'c, Result<HttpResponse, GoogleError>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        token_call(self.0.clone(), request).boxed()
    }
}

/// Sends a request about tokens.
async fn token_call(transport: Transport, request: HttpRequest) -> Result<HttpResponse, GoogleError> {
    let received = transport.send(request, MOST_BYTES).await.map_err(unanswered)?;
    if received.status >= 500 {
        return Err(GoogleError::Busy {
            retry_after: Duration::from_secs(2),
            reason: format!("status {}", received.status),
        });
    }
    http::Response::builder()
        .status(received.status)
        .header(http::header::CONTENT_TYPE, "application/json")
        .body(received.body)
        .map_err(|error| GoogleError::Unreadable(error.to_string()))
}

/// What a request about tokens without an answer comes to.
fn unanswered(error: TransportError) -> GoogleError {
    match error {
        TransportError::NotSent(text) | TransportError::Lost(text) => GoogleError::Unreachable(text),
        TransportError::TooLong => GoogleError::Unreadable("it is too long".to_owned()),
    }
}

fn wrong_address(error: url::ParseError) -> GoogleError {
    GoogleError::Unreachable(format!("VIGIE__GOOGLE__OAUTH_URL: {error}"))
}

/// Why a request about tokens failed.
fn failed(error: RequestTokenError<GoogleError, BasicErrorResponse>) -> GoogleError {
    match error {
        RequestTokenError::Request(error) => error,
        RequestTokenError::ServerResponse(response) if response.error().as_ref() == "invalid_grant" => {
            GoogleError::GrantRevoked
        }
        RequestTokenError::ServerResponse(response) => GoogleError::GrantFailing(response.error().as_ref().to_owned()),
        RequestTokenError::Parse(_, _) | RequestTokenError::Other(_) => {
            GoogleError::Unreadable("no token in it".to_owned())
        }
    }
}

/// The address in an identity token. Its signature is not looked at: it comes from Google itself.
fn email_of(token: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Claims {
        email: Option<String>,
    }
    let payload = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    serde_json::from_slice::<Claims>(&payload).ok()?.email
}
