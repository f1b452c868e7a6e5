//! The route through a proxy. The proxy resolves names, so resolver rules cannot limit what is reachable: each request is decided on in the
//! page, and again by the relay in front of the proxy.

use std::sync::Arc;

use headless_chrome::protocol::cdp::Fetch::{
    AuthChallengeResponse, AuthChallengeResponseResponse, ContinueRequest, ContinueWithAuth, Enable, FailRequest,
};
use headless_chrome::protocol::cdp::Network::ErrorReason;
use serde::Deserialize;
use url::Url;

use super::failure::StartError;
use super::relay::{self, Relay};
use super::settings::{HostPattern, Proxy, Settings};
use super::wire::{Event, SessionId, Wire};

/// An address nothing listens on and no resolver is asked for.
const NOWHERE: &str = "127.0.0.1:9";

/// A proxy, and what may pass through it.
pub(super) struct Gate {
    relay: Relay,
    /// The proxy's host and port.
    address: String,
    hosts: Vec<HostPattern>,
}

/// Parameters of `Fetch.requestPaused`.
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

/// Parameters of `Fetch.authRequired`.
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
    /// Starts the relay in front of a proxy; through it pages reach the hosts of all engines in the settings and no others. Fails when the proxy's
    /// address has no host or an unknown scheme, or the relay cannot listen; the proxy itself is not contacted.
    pub async fn open(settings: &Settings, proxy: &Proxy) -> Result<Self, StartError> {
        let Proxy { server, .. } = proxy;
        let refused = |why: String| StartError::Setting(format!("VIGIE__CAPTURE__PROXIES: {why}"));
        let host = server
            .host_str()
            .ok_or_else(|| refused(format!("{} names no host", server.scheme())))?;
        let port = server.port().map(|port| format!(":{port}")).unwrap_or_default();
        let hosts: Vec<_> = settings
            .engines
            .values()
            .flat_map(|engine| engine.hosts.iter().cloned())
            .collect();
        let relay = Relay::start(server, hosts.clone()).await;
        Ok(Self {
            address: format!("{host}{port}"),
            relay: relay.map_err(|error| refused(format!("{host}{port}: {error}")))?,
            hosts,
        })
    }

    /// Host and port of the proxy, as in `proxy.example:3128`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The proxy rules of a browser context: HTTP and HTTPS go through the relay. Every other scheme, including WebSockets, gets a proxy
    /// that does not exist, because its requests cannot be paused and checked.
    pub fn rules(&self) -> String {
        let relay = self.relay.address;
        format!("http=http://{relay};https=http://{relay};socks={NOWHERE}")
    }

    /// Builds the DevTools call `Fetch.enable`, for the caller to send to a page. From then on each request and each authentication challenge of the
    /// page waits for [`Gate::answer`].
    pub fn pause_requests() -> Enable {
        Enable {
            patterns: None,
            handle_auth_requests: Some(true),
        }
    }

    /// Answers a paused request (continued when [`Self::lets_pass`] says so, else failed) or an authentication challenge (credentials for the relay
    /// only). Ignores events it cannot parse; does not wait for the browser.
    pub fn answer(&self, wire: &Arc<Wire>, session: &SessionId, event: &Event) {
        if event.method == "Fetch.requestPaused" {
            let Some(RequestPaused { request_id, request }) = event.params() else {
                return;
            };
            if self.lets_pass(&request.url) {
                wire.notify(Some(session), continue_request(request_id));
            } else {
                wire.notify(
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
            wire.notify(
                Some(session),
                ContinueWithAuth {
                    request_id,
                    auth_challenge_response,
                },
            );
        }
    }

    /// Builds the response to an authentication challenge: the relay's credentials, or a cancellation for anything but the relay.
    fn identify(&self, to_the_relay: bool) -> AuthChallengeResponse {
        AuthChallengeResponse {
            response: if to_the_relay {
                AuthChallengeResponseResponse::ProvideCredentials
            } else {
                AuthChallengeResponseResponse::CancelAuth
            },
            username: to_the_relay.then(|| relay::USER.to_owned()),
            password: to_the_relay.then(|| self.relay.secret.clone()),
        }
    }

    /// Returns whether a page may request this address: an engine's host over http or https, or an address that reaches no network.
    fn lets_pass(&self, url: &str) -> bool {
        let Ok(url) = Url::parse(url) else { return false };
        match url.scheme() {
            "http" | "https" => url
                .host_str()
                .is_some_and(|host| self.hosts.iter().any(|pattern| pattern.matches(host))),
            // These reach no network.
            "data" | "blob" | "about" => true,
            _ => false,
        }
    }
}

/// Builds the call that lets a paused request continue unchanged.
fn continue_request(request_id: String) -> ContinueRequest {
    ContinueRequest {
        request_id,
        url: None,
        method: None,
        post_data: None,
        headers: None,
        intercept_response: None,
    }
}
