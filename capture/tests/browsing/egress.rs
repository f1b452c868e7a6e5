//! A page reaches its engine and nothing else.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::http::Response;
use capture::browsing::{CaptureError, Pool, Proxy, SearchRequest};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufStream};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use vocabulary::Engine;

use crate::engine::{TestEngine, html, pool, redirect, search, settings};

/// A listener that counts what reaches it.
struct Inside {
    address: SocketAddr,
    hits: Arc<AtomicUsize>,
}

/// An address at which other machines reach this one; loopback when it has none.
fn own_address() -> IpAddr {
    // Nothing is sent: connecting a datagram socket only selects the address.
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

    /// A page that tries every way in it knows, and requests `/tried` from its engine when all have ended.
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
                    {{urls: 'turn:127.0.0.1:{port}?transport=tcp', username: 'x', credential: 'x'}},
                    {{urls: 'turns:elsewhere.example:443?transport=tcp', username: 'x', credential: 'x'}}]}});
                peer.createDataChannel('x'); peer.setLocalDescription(await peer.createOffer());
                ended.push(new Promise(done => {{ peer.onicegatheringstatechange = () => peer.iceGatheringState == 'complete' && done() }}));
                await Promise.all(ended); await fetch('/tried');
            }})()</script>"
        )
    }
}

/// Serves the attack; the page is not loaded until it has tried everything.
fn serve(attack: String) -> impl Fn(&crate::engine::ReceivedRequest) -> Response<Body> {
    let tried = Arc::new(tokio::sync::Semaphore::new(0));
    move |request| match request.path.as_str() {
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
            let to = percent_encoding::percent_decode_str(&request.query)
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
    // The listener does count; otherwise its silence would prove nothing.
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

/// A proxy that requires the password, and records requests. It reaches the engine and nothing else.
struct StrictProxy {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl StrictProxy {
    async fn before(engine: &TestEngine) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, engine) = (listener.local_addr().unwrap(), engine.address);
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let record = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((browser, _)) = listener.accept().await {
                tokio::spawn(Self::serve(browser, engine, Arc::clone(&record)));
            }
        });
        Self { address, requests }
    }

    async fn serve(browser: TcpStream, engine: SocketAddr, record: Arc<Mutex<Vec<String>>>) -> std::io::Result<()> {
        let mut browser = BufStream::new(browser);
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            browser.read_line(&mut line).await?;
            if line.trim_end().is_empty() {
                break;
            }
            head.push(line.trim_end().to_ascii_lowercase());
        }
        let request = head.first().cloned().unwrap_or_default();
        record.lock().unwrap().push(request.clone());
        // "agent:secret"
        let is_authorised = head
            .iter()
            .any(|line| line.ends_with(&"basic YWdlbnQ6c2VjcmV0".to_ascii_lowercase()));
        if request != TO_THE_ENGINE || !is_authorised {
            browser
                .write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")
                .await?;
            return browser.flush().await;
        }
        let mut engine = TcpStream::connect(engine).await?;
        browser.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").await?;
        browser.flush().await?;
        tokio::io::copy_bidirectional(&mut browser, &mut engine).await.map(drop)
    }
}

const TO_THE_ENGINE: &str = "connect serp.test:80 http/1.1";

#[tokio::test]
async fn searches_of_a_country_go_through_its_proxy_and_nothing_else_does() {
    let inside = Inside::listen().await;
    let behind = TestEngine::serve(serve(inside.attack())).await;
    let proxy = StrictProxy::before(&behind).await;
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
    assert_eq!(pool.route(Engine::Google, "FR"), proxy.address.to_string());
    assert_eq!(pool.route(Engine::Google, "DE"), "direct");
    assert!(
        behind.paths().contains(&"/tried".to_owned()),
        "the page was not given the time to try: {:?}",
        behind.paths()
    );
    // Neither fetched nor tunnelled to, as WebSockets and WebRTC relays would be.
    let requests = proxy.requests.lock().unwrap().clone();
    let others: Vec<_> = requests.iter().filter(|request| *request != TO_THE_ENGINE).collect();
    assert!(!requests.is_empty() && others.is_empty(), "{others:?}");
    // The page reveals nothing about the proxy to the engine.
    assert!(
        behind
            .requests()
            .iter()
            .all(|request| request.header("proxy-authorization").is_empty())
    );
    pool.shutdown().await;
}

#[tokio::test]
async fn nobody_else_on_the_machine_uses_the_route_to_a_proxy() {
    let behind = TestEngine::serve(|_| html("<p>results</p>")).await;
    let proxy = StrictProxy::before(&behind).await;
    let folder = tempfile::tempdir().unwrap();
    let listens = listening();
    let mut settings = settings(&behind, &folder);
    settings.proxies = vec![Proxy {
        server: format!("http://agent:secret@{}", proxy.address).parse().unwrap(),
        engine: None,
        country: None,
    }];
    let pool = Pool::start(settings).await.unwrap();
    let relays: Vec<SocketAddr> = listening()
        .into_iter()
        .filter(|address| !listens.contains(address))
        .collect();
    assert!(!relays.is_empty());
    for relay in relays {
        let mut other = TcpStream::connect(relay).await.unwrap();
        other
            .write_all(b"CONNECT serp.test:80 HTTP/1.1\r\nhost: serp.test:80\r\n\r\n")
            .await
            .unwrap();
        let mut answer = [0; 12];
        other.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 407");
    }
    assert_eq!(*proxy.requests.lock().unwrap(), Vec::<String>::new());
    pool.shutdown().await;
}

/// Addresses that this process listens on.
fn listening() -> Vec<SocketAddr> {
    let own: Vec<String> = std::fs::read_dir("/proc/self/fd")
        .unwrap()
        .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
        .filter_map(|link| Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned()))
        .collect();
    let sockets = std::fs::read_to_string("/proc/self/net/tcp").unwrap();
    let listening = sockets.lines().skip(1).filter_map(|line| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let port = u16::from_str_radix(fields.get(1)?.split_once(':')?.1, 16).ok()?;
        let is_own = own.iter().any(|inode| Some(&inode.as_str()) == fields.get(9));
        (fields.get(3) == Some(&"0A") && is_own).then(|| SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
    });
    listening.collect()
}
