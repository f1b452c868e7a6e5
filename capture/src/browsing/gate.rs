//! The way through a proxy. As the proxy resolves the names, the resolver's rules cannot say what exists: requests are decided on
//! one by one.

use std::sync::Arc;

use headless_chrome::protocol::cdp::Fetch::{
    AuthChallengeResponse, AuthChallengeResponseResponse, ContinueRequest, ContinueWithAuth, Enable, FailRequest,
};
use headless_chrome::protocol::cdp::Network::ErrorReason;
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use url::Url;

use super::settings::{HostPattern, Settings};
use super::wire::{Event, SessionId, Wire};

/// Nobody listens there, and no resolver is asked for it.
const NOWHERE: &str = "127.0.0.1:9";

/// A proxy, and what may pass through it.
pub(super) struct Gate {
    /// The proxy's address without user and password, as Chromium takes it.
    pub server: String,
    hosts: Vec<HostPattern>,
    user: Option<(String, String)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestPaused {
    request_id: String,
    request: Request,
}

#[derive(Deserialize)]
struct Request {
    url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AuthRequired {
    request_id: String,
    auth_challenge: Challenge,
}

#[derive(Deserialize)]
struct Challenge {
    source: Option<String>,
}

impl Gate {
    /// The gate before the proxy of that index.
    pub fn of(settings: &Settings, proxy: usize) -> Option<Self> {
        let server = &settings.proxies.get(proxy)?.server;
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let user = (!server.username().is_empty()).then(|| {
            (
                decoded(server.username()),
                decoded(server.password().unwrap_or_default()),
            )
        });
        let hosts = settings
            .engines
            .values()
            .flat_map(|engine| engine.hosts.iter().cloned())
            .collect();
        let port = server.port().map(|port| format!(":{port}")).unwrap_or_default();
        let server = format!("{}://{}{port}", server.scheme(), server.host_str()?);
        Some(Self { server, hosts, user })
    }

    /// Host and port.
    pub fn address(&self) -> &str {
        self.server
            .split_once("://")
            .map_or(&self.server, |(_, address)| address)
    }

    /// What a context is told of the proxy. Pages go through it; WebSockets, which no page holds for us, are sent to the proxy of all other
    /// schemes, and there is none: the resolver's rules know no such host.
    pub fn rules(&self) -> String {
        let Self { server, .. } = self;
        format!("http={server};https={server};socks={NOWHERE}")
    }

    /// Asks a page to hold its requests until they are answered.
    pub fn watch(&self) -> Enable {
        Enable {
            patterns: None,
            handle_auth_requests: Some(self.user.is_some()),
        }
    }

    /// Answers a held request, or the proxy's question who we are.
    pub fn answer(&self, wire: &Arc<Wire>, session: &SessionId, event: &Event) {
        if event.method == "Fetch.requestPaused" {
            let Some(RequestPaused { request_id, request }) = event.params() else {
                return;
            };
            if self.lets_pass(&request.url) {
                wire.tell(Some(session), pass(request_id));
            } else {
                wire.tell(
                    Some(session),
                    FailRequest {
                        request_id,
                        error_reason: ErrorReason::BlockedByClient,
                    },
                );
            }
        } else if let Some(AuthRequired {
            request_id,
            auth_challenge,
        }) = event.params()
        {
            let auth_challenge_response = self.identify(auth_challenge.source.as_deref() == Some("Proxy"));
            wire.tell(
                Some(session),
                ContinueWithAuth {
                    request_id,
                    auth_challenge_response,
                },
            );
        }
    }

    /// Only the proxy is told who we are.
    fn identify(&self, to_the_proxy: bool) -> AuthChallengeResponse {
        let user = self.user.as_ref().filter(|_| to_the_proxy);
        AuthChallengeResponse {
            response: match user {
                Some(_) => AuthChallengeResponseResponse::ProvideCredentials,
                None => AuthChallengeResponseResponse::CancelAuth,
            },
            username: user.map(|(name, _)| name.clone()),
            password: user.map(|(_, password)| password.clone()),
        }
    }

    fn lets_pass(&self, url: &str) -> bool {
        let Ok(url) = Url::parse(url) else { return false };
        match url.scheme() {
            "http" | "https" => url
                .host_str()
                .is_some_and(|host| self.hosts.iter().any(|pattern| pattern.matches(host))),
            // They reach nothing.
            "data" | "blob" | "about" => true,
            _ => false,
        }
    }
}

fn pass(request_id: String) -> ContinueRequest {
    ContinueRequest {
        request_id,
        url: None,
        method: None,
        post_data: None,
        headers: None,
        intercept_response: None,
    }
}
