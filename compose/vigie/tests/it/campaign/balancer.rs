//! A load balancer: connections go to the APIs in turn, past those that are down.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;

use crate::listener::serve_each;

/// Starts the load balancer; returns its port.
pub async fn start(apis: Vec<SocketAddr>) -> u16 {
    let turn = AtomicUsize::new(0);
    serve_each(move |connection| {
        let mut apis = apis.clone();
        let first = turn.fetch_add(1, Ordering::Relaxed) % apis.len();
        apis.rotate_left(first);
        pass_on(connection, apis)
    })
    .await
}

/// Connects the client to the first API that is up; cuts the connection if all are down.
async fn pass_on(mut client: TcpStream, apis: Vec<SocketAddr>) -> io::Result<()> {
    for address in apis {
        if let Ok(mut api) = TcpStream::connect(address).await {
            copy_bidirectional(&mut client, &mut api).await?;
            break;
        }
    }
    Ok(())
}
