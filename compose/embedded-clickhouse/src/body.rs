//! A request's body, read by the thread that runs the statement.

use std::io::{self, Read};

use axum::body::{Body, BodyDataStream};
use bytes::{Buf, Bytes};
use futures::StreamExt;
use tokio::sync::mpsc;

/// Pieces of a body that wait to be read.
const WAITING_PIECES: usize = 8;
/// Of a body that nobody reads any more, this much is still taken off the wire, so that the client gets to its answer.
const DRAINED: usize = 64 << 20;

/// What comes over the channel.
enum BodyChunk {
    Data(Bytes),
    /// The body is complete; without it, it was cut.
    End,
}

/// Reads a body; an error where the client went away before its end.
pub(crate) struct BodyReader {
    pieces: mpsc::Receiver<BodyChunk>,
    current: Bytes,
    ended: bool,
}

impl BodyReader {
    /// Takes the body off the wire in a task of its own.
    pub(crate) fn new(body: Body) -> Self {
        let (sender, pieces) = mpsc::channel(WAITING_PIECES);
        tokio::spawn(receive(body.into_data_stream(), sender));
        Self {
            pieces,
            current: Bytes::new(),
            ended: false,
        }
    }

    /// A body without content.
    pub(crate) fn empty() -> Self {
        let (_, pieces) = mpsc::channel(1);
        Self {
            pieces,
            current: Bytes::new(),
            ended: true,
        }
    }
}

async fn receive(mut body: BodyDataStream, sender: mpsc::Sender<BodyChunk>) {
    let mut drained = 0;
    while let Some(piece) = body.next().await {
        let Ok(piece) = piece else { return };
        let length = piece.len();
        if sender.send(BodyChunk::Data(piece)).await.is_err() {
            drained += length;
            if drained > DRAINED {
                return;
            }
        }
    }
    // Nobody may be left to hear of the end.
    let _ = sender.send(BodyChunk::End).await;
}

impl Read for BodyReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.current.is_empty() && !self.ended {
            match self.pieces.blocking_recv() {
                Some(BodyChunk::Data(data)) => self.current = data,
                Some(BodyChunk::End) => self.ended = true,
                None => return Err(io::Error::new(io::ErrorKind::ConnectionAborted, "the client went away")),
            }
        }
        let count = buffer.len().min(self.current.len());
        self.current.copy_to_slice(&mut buffer[..count]);
        Ok(count)
    }
}
