//! Between a process and ClickHouse: knows each write before it is made, and when it was made.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::link::{self, LinkState};
use super::statements;
use crate::listener::serve_each;
use crate::part::Part;
use crate::trap::Trap;

const AT_ONCE: usize = 64 << 10;
/// Of a request that does not say its statement in its address, so much of the body says it.
const SAYING: usize = 4 << 10;

/// What one process may do to the store of ads.
#[derive(Clone)]
pub struct AdsRelay {
    pub server: SocketAddr,
    pub part: Arc<Part>,
    pub trap: Arc<Trap>,
    pub link_state: LinkState,
}

impl AdsRelay {
    /// Listens on a port of loopback, which it returns.
    pub async fn listen(self) -> u16 {
        serve_each(move |connection| self.clone().serve(connection)).await
    }

    /// Passes bytes on in both directions. A client sends its next request only after the answer, so a request begins with what comes after an answer, and is
    /// carried out when the answer begins.
    async fn serve(mut self, client: TcpStream) -> std::io::Result<()> {
        if !link::lets_through(&mut self.link_state).await {
            return Ok(());
        }
        let server = TcpStream::connect(self.server).await?;
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        let (mut from_client, mut to_client) = client.into_split();
        let (mut from_server, mut to_server) = server.into_split();
        let breaks = link::breaks(self.link_state.clone());
        tokio::pin!(breaks);
        let (mut asked, mut answered) = (vec![0; AT_ONCE], vec![0; AT_ONCE]);
        // What has come of a request whose statement is not known yet; `None` once it is.
        let mut beginning = Some(Vec::new());
        let mut effect = None;
        loop {
            tokio::select! {
                () = &mut breaks => return Ok(()),
                read = from_client.read(&mut asked) => {
                    let read = read?;
                    if read == 0 {
                        return Ok(());
                    }
                    if beginning.is_some() && !link::lets_through(&mut self.link_state).await {
                        return Ok(());
                    }
                    if let Some(so_far) = &mut beginning {
                        so_far.extend_from_slice(&asked[..read]);
                        let Some(statement) = statement(so_far) else { continue };
                        if statements::writes(&statement) {
                            let moment = format!("ads: {}", statements::name_of_tables(&statement));
                            effect = self.trap.spring(&moment);
                            self.trap.note(moment);
                        }
                        if let Some(effect) = effect.filter(|effect| !effect.is_after()) {
                            if effect.kills() {
                                self.part.kill();
                            }
                            return Ok(());
                        }
                        to_server.write_all(so_far).await?;
                        beginning = None;
                    } else {
                        to_server.write_all(&asked[..read]).await?;
                    }
                }
                read = from_server.read(&mut answered) => {
                    let read = read?;
                    if let Some(effect) = effect {
                        if effect.kills() {
                            self.part.kill();
                        }
                        return Ok(());
                    }
                    if read == 0 {
                        return Ok(());
                    }
                    beginning.get_or_insert_default();
                    to_client.write_all(&answered[..read]).await?;
                }
            }
        }
    }
}

/// The statement of a request, from its address or the beginning of its body; `None` while too little of it has come.
fn statement(request: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(request);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let address = head.split(' ').nth(1)?;
    let query = address.split_once('?').map_or("", |(_, query)| query);
    let said = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "query");
    if let Some((_, statement)) = said {
        return Some(statement.into_owned());
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>().ok())?
    });
    let wanted = length.unwrap_or_default().min(SAYING);
    (body.len() >= wanted).then(|| body.to_owned())
}

#[test]
fn a_statement_is_found_in_the_address_or_in_the_body() {
    let insert = b"POST /?query=INSERT+INTO+ad+FORMAT+RowBinary&x=1 HTTP/1.1\r\ncontent-length: 9\r\n\r\n";
    assert_eq!(statement(insert).unwrap(), "INSERT INTO ad FORMAT RowBinary");
    let delete = "POST /?x=1 HTTP/1.1\r\nContent-Length: 19\r\n\r\n";
    assert_eq!(statement(delete.as_bytes()), None);
    let whole = format!("{delete}ALTER TABLE ad DEL1");
    assert_eq!(statement(whole.as_bytes()).unwrap(), "ALTER TABLE ad DEL1");
}
