//! A page reaches its engine and nothing else.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Body;
use axum::http::Response;
use capture::browsing::{CaptureError, Pool, Proxy, SearchRequest};
use tokio::net::{TcpListener, UdpSocket};
use vocabulary::Engine;

use crate::engine::{TestEngine, html, pool, redirect, search, settings};

/// Counts whatever reaches it.
struct Inside {
    address: SocketAddr,
    hits: Arc<AtomicUsize>,
}

/// An address of this machine that others reach it by; the loopback when it has none.
fn own_address() -> IpAddr {
    // Nothing is sent: connecting a datagram socket only chooses the address.
    let chosen = std::net::UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
        socket.connect("192.0.2.1:9")?;
        socket.local_addr()
    });
    chosen.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip())
}

impl Inside {
    /// Listens on all addresses of the machine, over TCP and UDP.
    async fn listen() -> Self {
        let tcp = TcpListener::bind("0.0.0.0:0").await.unwrap();
        let address = tcp.local_addr().unwrap();
        let udp = UdpSocket::bind(address).await.unwrap();
        let hits = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&hits);
        tokio::spawn(async move {
            while tcp.accept().await.is_ok() {
                counter.fetch_add(1, Ordering::SeqCst);
            }
        });
        let counter = Arc::clone(&hits);
        tokio::spawn(async move {
            let mut datagram = [0; 64];
            while udp.recv(&mut datagram).await.is_ok() {
                counter.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { address, hits }
    }

    fn hits(&self) -> usize {
        self.hits.load(Ordering::SeqCst)
    }

    /// A page that tries every way in it knows, and asks its engine for `/tried` when all have ended.
    fn attack(&self) -> String {
        let port = self.address.port();
        let own = own_address().to_string();
        let hosts = [
            "127.0.0.1",
            "localhost",
            "0.0.0.0",
            "2130706433",
            "0x7f000001",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "127.1",
            "169.254.169.254",
            "serp.test.localhost",
            "metadata.google.internal",
            &own,
        ];
        let hosts = serde_json::to_string(&hosts).unwrap();
        format!(
            "<!doctype html><p>results</p><img src=/hold.png><link rel=prefetch href=http://127.0.0.1:{port}/prefetch>\
            <link rel=preconnect href=http://127.0.0.1:{port}><link rel=stylesheet href=http://127.0.0.1:{port}/css>\
            <script>(async () => {{
                const ended = [];
                for (const host of {hosts}) {{
                    const url = `http://${{host}}:{port}/`;
                    const element = (tag, key) => ended.push(new Promise(done => {{
                        const made = document.createElement(tag);
                        made.onload = made.onerror = done; made[key] = url + tag; document.body.append(made);
                    }}));
                    element('img', 'src'); element('iframe', 'src'); element('script', 'src'); element('embed', 'src');
                    open(url + 'popup'); new Image().srcset = url + 'srcset 1x';
                    const form = document.createElement('form');
                    form.action = url + 'form'; form.target = '_blank'; document.body.append(form); form.submit();
                    const style = document.createElement('style');
                    style.textContent = `@import '${{url}}import'; p {{ background: url(${{url}}background) }}`; document.head.append(style);
                    ended.push(fetch(url + 'fetch', {{mode: 'no-cors'}}).catch(() => 0));
                    ended.push(fetch('/redirect?' + encodeURIComponent(url), {{mode: 'no-cors'}}).catch(() => 0));
                    navigator.sendBeacon(url + 'beacon');
                    ended.push(new Promise(done => {{
                        try {{ const socket = new WebSocket(`ws://${{host}}:{port}/ws`); socket.onclose = done }} catch {{ done() }}
                    }}));
                    ended.push(new Promise(done => {{ const source = new EventSource(url); source.onerror = done }}));
                }}
                const file = document.createElement('iframe');
                file.src = 'file:///etc/hostname'; document.body.append(file);
                const peer = new RTCPeerConnection({{iceServers: [{{urls: 'stun:127.0.0.1:{port}'}},
                    {{urls: 'turn:127.0.0.1:{port}?transport=tcp', username: 'x', credential: 'x'}}]}});
                peer.createDataChannel('x'); peer.setLocalDescription(await peer.createOffer());
                ended.push(new Promise(done => {{ peer.onicegatheringstatechange = () => peer.iceGatheringState == 'complete' && done() }}));
                await Promise.all(ended); await fetch('/tried');
            }})()</script>"
        )
    }
}

/// Serves the attack; the page is not loaded before it has tried everything.
fn serve(attack: String) -> impl Fn(&crate::engine::Asked) -> Response<Body> {
    let tried = Arc::new(tokio::sync::Semaphore::new(0));
    move |asked| match asked.path.as_str() {
        "/hold.png" => {
            let tried = Arc::clone(&tried);
            Response::new(Body::from_stream(futures::stream::once(async move {
                tried
                    .acquire()
                    .await
                    .map(|_| axum::body::Bytes::new())
                    .map_err(std::io::Error::other)
            })))
        }
        "/redirect" => {
            let to = percent_encoding::percent_decode_str(&asked.query)
                .decode_utf8_lossy()
                .into_owned();
            redirect(&to)
        }
        "/tried" => {
            tried.add_permits(1);
            html("")
        }
        _ => html(attack.clone()),
    }
}

#[tokio::test]
async fn no_page_reaches_this_machine() {
    let inside = Inside::listen().await;
    let engine = TestEngine::serve(serve(inside.attack())).await;
    let folder = tempfile::tempdir().unwrap();
    let pool = pool(&engine, &folder).await;

    let page = pool.capture(search("x")).await.unwrap();
    assert!(page.html.contains("<p>results</p>"));

    assert!(
        engine.paths().contains(&"/tried".to_owned()),
        "the page was not given the time to try: {:?}",
        engine.paths()
    );
    assert_eq!(inside.hits(), 0);
    // The listener does count: a listener that hears nothing would prove nothing.
    tokio::net::TcpStream::connect(("127.0.0.1", inside.address.port()))
        .await
        .unwrap();
    inside.wait_for_a_hit().await;
    pool.shutdown().await;
}

impl Inside {
    async fn wait_for_a_hit(&self) {
        while self.hits() == 0 {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn a_search_that_is_sent_elsewhere_fails() {
    let inside = Inside::listen().await;
    let port = inside.address.port();
    for target in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://localhost:{port}/"),
        "file:///etc/hostname".into(),
    ] {
        let to = target.clone();
        let engine = TestEngine::serve(move |_| redirect(&to)).await;
        let folder = tempfile::tempdir().unwrap();
        let pool = pool(&engine, &folder).await;
        let error = pool.capture(search("x")).await.unwrap_err();
        assert!(matches!(error, CaptureError::Network(_)), "{target}: {error}");
        pool.shutdown().await;
    }
    assert_eq!(inside.hits(), 0);
}

#[tokio::test]
async fn searches_of_a_country_go_through_its_proxy_and_only_to_the_engine() {
    let inside = Inside::listen().await;
    let attack = inside.attack();
    let inner = serve(attack);
    // The engine is its own proxy: one that asks who comes, and counts what it is asked to fetch elsewhere.
    let proxy = TestEngine::serve(move |asked| {
        // "agent:secret"
        if asked.header("proxy-authorization") == "Basic YWdlbnQ6c2VjcmV0" {
            inner(asked)
        } else {
            Response::builder()
                .status(407)
                .header("proxy-authenticate", "Basic realm=x")
                .body(Body::empty())
                .unwrap()
        }
    })
    .await;
    let direct = TestEngine::serve(|_| html("<p>direct</p>")).await;
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(&direct, &folder);
    settings.proxies = vec![Proxy {
        server: format!("http://agent:secret@{}", proxy.address).parse().unwrap(),
        engine: None,
        country: Some("FR".into()),
    }];
    let pool = Pool::start(settings).await.unwrap();

    let french = pool.capture(search("x")).await.unwrap();
    let german = pool
        .capture(SearchRequest {
            locale: "de_DE".parse().unwrap(),
            ..search("x")
        })
        .await
        .unwrap();

    assert!(french.html.contains("<p>results</p>"), "{}", french.html);
    assert!(german.html.contains("<p>direct</p>"));
    assert_eq!(inside.hits(), 0);
    assert_eq!(pool.way(Engine::Google, "FR"), proxy.address.to_string());
    assert_eq!(pool.way(Engine::Google, "DE"), "direct");
    let strangers: Vec<_> = proxy
        .asked()
        .into_iter()
        .filter(|asked| !asked.header("host").starts_with("serp.test"))
        .map(|asked| format!("{} {}", asked.method, asked.header("host")))
        .collect();
    assert!(
        proxy.paths().contains(&"/tried".to_owned()),
        "the page was not given the time to try: {:?}",
        proxy.paths()
    );
    // Neither fetched nor tunnelled to, as WebSockets would be. The relay that WebRTC is told of is all that is asked of the proxy.
    let relay = format!("CONNECT 127.0.0.1:{}", inside.address.port());
    assert!(
        strangers.len() <= 1 && strangers.iter().all(|asked| *asked == relay),
        "{strangers:?}"
    );
    pool.shutdown().await;
}
