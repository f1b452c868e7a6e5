//! Our own proxy between browsers and a proxy, which passes only what goes to the engines. A page's requests are decided on before they
//! leave it, but a page has routes to a proxy that no event reports: WebSockets and WebRTC relays.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use http_body_util::{Either, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderValue, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::rt::{TokioIo, TokioTimer};
use percent_encoding::percent_decode_str;
use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use tower::ServiceExt as _;
use url::Url;
use uuid::Uuid;

use super::settings::HostPattern;

/// User name of browsers at the relay.
pub(super) const USER: &str = "browser";
/// More than the tabs of a pool ever open at once.
const MAX_CONNECTIONS: usize = 512;
/// Time for a browser to send its request head.
const HEAD_LIMIT: Duration = Duration::from_secs(10);
/// Time for the proxy to reach the engine.
const REACH_LIMIT: Duration = Duration::from_secs(30);
/// Engines serve their pages on no other ports.
const PORTS: [u16; 2] = [80, 443];
const AFTER_A_FAILED_ACCEPT: Duration = Duration::from_millis(100);

type Body = Either<Incoming, Empty<Bytes>>;
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A connection through the proxy.
trait ProxyStream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> ProxyStream for T {}

/// A running relay; dropping it ends it and all its connections.
pub(super) struct Relay {
    /// Where it listens, on loopback.
    pub address: SocketAddr,
    /// Password of browsers, so that nothing else on this machine uses the proxy.
    pub secret: String,
    _end: DropGuard,
}

impl Relay {
    /// Starts a relay on a free loopback port, in front of a proxy (`http`, `https` or `socks5`), that passes only connections to these hosts. Fails
    /// for any other scheme; the proxy is first contacted by a request.
    pub async fn start(proxy: &Url, hosts: Vec<HostPattern>) -> io::Result<Self> {
        let upstream = Upstream::from_proxy(proxy)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let (address, secret, end) = (
            listener.local_addr()?,
            Uuid::new_v4().simple().to_string(),
            CancellationToken::new(),
        );
        let relay = Arc::new(Forwarder {
            upstream,
            hosts,
            key: basic_authorization(USER, &secret)?,
            end: end.clone(),
        });
        tokio::spawn(end.clone().run_until_cancelled_owned(relay.serve(listener)));
        Ok(Self {
            address,
            secret,
            _end: end.drop_guard(),
        })
    }
}

/// The proxy behind the relay.
enum Upstream {
    Http(Tunnel<HttpConnector>),
    Https(Tunnel<HttpsConnector<HttpConnector>>),
    Socks(SocksV5<HttpConnector>),
}

impl Upstream {
    /// Parses a proxy's address, with its percent-encoded user and password, which count only together with a user; default ports are 80, 443 and
    /// 1080. Fails for a scheme other than `http`, `https` and `socks5`; connects to nothing.
    fn from_proxy(proxy: &Url) -> io::Result<Self> {
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let (user, password) = (decoded(proxy.username()), decoded(proxy.password().unwrap_or_default()));
        let key = if user.is_empty() {
            None
        } else {
            Some(basic_authorization(&user, &password)?)
        };
        let at = |scheme: &str, default_port: u16| {
            let port = proxy.port_or_known_default().unwrap_or(default_port);
            let address = format!("{scheme}://{}:{port}/", proxy.host_str().unwrap_or_default());
            address.parse::<Uri>().map_err(io::Error::other)
        };
        match proxy.scheme() {
            "http" => Ok(Self::Http(with_key(
                Tunnel::new(at("http", 80)?, HttpConnector::new()),
                key,
            ))),
            "https" => {
                let trusted = HttpsConnectorBuilder::new().with_native_roots()?;
                let connector = trusted.https_only().enable_http1().build();
                Ok(Self::Https(with_key(Tunnel::new(at("https", 443)?, connector), key)))
            }
            "socks5" => {
                let socks = SocksV5::new(at("http", 1080)?, HttpConnector::new());
                Ok(Self::Socks(match key {
                    Some(_) => socks.with_auth(user, password),
                    None => socks,
                }))
            }
            other => Err(io::Error::other(format!(
                "{other} is no proxy's scheme; it is http, https or socks5"
            ))),
        }
    }

    /// Opens a connection through the proxy to a host and port; the proxy resolves the name.
    async fn reach(&self, Target { host, port }: &Target) -> Result<Box<dyn ProxyStream>, Failure> {
        let to: Uri = format!("https://{host}:{port}/").parse()?;
        Ok(match self {
            Self::Http(tunnel) => Box::new(TokioIo::new(tunnel.clone().oneshot(to).await?)),
            Self::Https(tunnel) => Box::new(TokioIo::new(tunnel.clone().oneshot(to).await?)),
            Self::Socks(socks) => Box::new(TokioIo::new(socks.clone().oneshot(to).await?)),
        })
    }
}

/// Adds the proxy's credentials to a tunnel; without any, returns it unchanged.
fn with_key<C>(tunnel: Tunnel<C>, key: Option<HeaderValue>) -> Tunnel<C> {
    match key {
        Some(key) => tunnel.with_auth(key),
        None => tunnel,
    }
}

/// The host and port of a request.
struct Target {
    host: String,
    port: u16,
}

impl Target {
    /// Returns the host, in lower case, and port that a CONNECT or plain http request asks for; `None` for any other request.
    fn from_request<T>(request: &Request<T>) -> Option<Self> {
        let to = request.uri();
        let default_port = match (request.method(), to.scheme_str()) {
            (&Method::CONNECT, _) => None,
            (_, Some("http")) => Some(80),
            _ => return None,
        };
        Some(Self {
            host: to.host()?.to_ascii_lowercase(),
            port: to.port_u16().or(default_port)?,
        })
    }
}

/// What the relay's connections share: the proxy, the admitted hosts and the browsers' credentials.
struct Forwarder {
    upstream: Upstream,
    hosts: Vec<HostPattern>,
    key: HeaderValue,
    end: CancellationToken,
}

impl Forwarder {
    /// Accepts connections without end, at most [`MAX_CONNECTIONS`] at once; further ones wait. A failed accept is logged and tried again.
    async fn serve(self: Arc<Self>, listener: TcpListener) {
        let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        while let Ok(permit) = Arc::clone(&permits).acquire_owned().await {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let connection = Arc::clone(&self).serve_connection(stream, Arc::new(permit));
                    tokio::spawn(self.end.clone().run_until_cancelled_owned(connection));
                }
                Err(error) => {
                    tracing::warn!(%error, "a browser could not be let to its proxy");
                    tokio::time::sleep(AFTER_A_FAILED_ACCEPT).await;
                }
            }
        }
    }

    /// Serves the requests of one browser connection until it ends, whose failure is only logged; the permit is held as long, also by tunnels that it
    /// opened.
    async fn serve_connection(self: Arc<Self>, stream: TcpStream, permit: Arc<OwnedSemaphorePermit>) {
        let answer = service_fn(move |request| {
            let (relay, permit) = (Arc::clone(&self), Arc::clone(&permit));
            async move { Ok::<_, Infallible>(relay.answer(request, permit).await) }
        });
        let speaking = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_LIMIT)
            .serve_connection(TokioIo::new(stream), answer)
            .with_upgrades();
        if let Err(error) = speaking.await {
            tracing::debug!(%error, "a browser broke off");
        }
    }

    /// Answers a request: 403 unless its target [passes](Self::lets_pass), 407 without the browsers' credentials, 502 when the proxy does not reach
    /// the engine within [`REACH_LIMIT`]; else, for CONNECT, 200 and a tunnel, and for plain http the engine's response.
    async fn answer(&self, request: Request<Incoming>, permit: Arc<OwnedSemaphorePermit>) -> Response<Body> {
        let Some(target) = Target::from_request(&request).filter(|target| self.lets_pass(target)) else {
            tracing::debug!(to = %request.uri(), "a page asked for what is not its engine's");
            return empty_response(StatusCode::FORBIDDEN);
        };
        if request.headers().get(PROXY_AUTHORIZATION) != Some(&self.key) {
            let mut challenge = empty_response(StatusCode::PROXY_AUTHENTICATION_REQUIRED);
            challenge
                .headers_mut()
                .insert(PROXY_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"vigie\""));
            return challenge;
        }
        let response = match timeout(REACH_LIMIT, self.upstream.reach(&target)).await {
            Ok(Ok(line)) if request.method() == Method::CONNECT => {
                self.carry(request, line, permit);
                Ok(empty_response(StatusCode::OK))
            }
            Ok(Ok(line)) => forward_plain(request, line).await,
            Ok(Err(error)) => Err(error),
            Err(late) => Err(late.into()),
        };
        response.unwrap_or_else(|error| {
            tracing::warn!(host = target.host, %error, "the proxy does not reach the engine");
            empty_response(StatusCode::BAD_GATEWAY)
        })
    }

    /// Returns whether a target has an admitted host and one of [`PORTS`].
    fn lets_pass(&self, Target { host, port }: &Target) -> bool {
        PORTS.contains(port) && self.hosts.iter().any(|pattern| pattern.matches(host))
    }

    /// Once the request is upgraded, copies bytes both ways between the browser and the engine, in the background, until one side ends or the relay
    /// does; holds the permit as long. Failures are logged.
    fn carry(&self, request: Request<Incoming>, mut line: Box<dyn ProxyStream>, permit: Arc<OwnedSemaphorePermit>) {
        let carrying = async move {
            let _permit = permit;
            let carried = match hyper::upgrade::on(request).await {
                Ok(browser) => copy_bidirectional(&mut TokioIo::new(browser), &mut line)
                    .await
                    .map(drop),
                Err(error) => Err(io::Error::other(error)),
            };
            if let Err(error) = carried {
                tracing::debug!(%error, "a connection through the proxy broke off");
            }
        };
        tokio::spawn(self.end.clone().run_until_cancelled_owned(carrying));
    }
}

/// Forwards a plain http request over a connection to the engine, without the relay's credentials; returns the engine's response.
async fn forward_plain(mut request: Request<Incoming>, line: Box<dyn ProxyStream>) -> Result<Response<Body>, Failure> {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    *request.uri_mut() = path.parse()?;
    request.headers_mut().remove(PROXY_AUTHORIZATION);
    let (mut engine, connection) = hyper::client::conn::http1::handshake(TokioIo::new(line)).await?;
    tokio::spawn(connection);
    Ok(engine.send_request(request).await?.map(Either::Left))
}

/// Builds a response with this status and no body.
fn empty_response(status: StatusCode) -> Response<Body> {
    let mut answer = Response::new(Either::Right(Empty::new()));
    *answer.status_mut() = status;
    answer
}

/// Builds the value of a basic authentication header.
fn basic_authorization(user: &str, password: &str) -> io::Result<HeaderValue> {
    let pair = BASE64_STANDARD.encode(format!("{user}:{password}"));
    HeaderValue::try_from(format!("Basic {pair}")).map_err(io::Error::other)
}
