//! A request's body, read on the thread that runs the statement.

use std::io::{self, Read};

use axum::body::{Body, BodyDataStream};
use bytes::{Buf, Bytes};
use futures::StreamExt;
use tokio::sync::mpsc;

/// Pieces of a body that may be buffered.
const WAITING_PIECES: usize = 8;
/// How much of a body that is no longer read is still drained, so that the client gets to its response.
const DRAINED: usize = 64 << 20;

/// A message of the channel.
enum BodyChunk {
    Data(Bytes),
    /// The body is complete; without this, it was cut off.
    End,
}

/// Reads a body, blocking; fails when the client disconnects before its end. Never read it on a thread of the async runtime.
pub(crate) struct BodyReader {
    pieces: mpsc::Receiver<BodyChunk>,
    current: Bytes,
    ended: bool,
}

impl BodyReader {
    /// A reader of a body, which a task on the current async runtime receives, at most [`WAITING_PIECES`] pieces ahead of the reader. Panics outside
    /// a runtime.
    pub(crate) fn new(body: Body) -> Self {
        let (sender, pieces) = mpsc::channel(WAITING_PIECES);
        tokio::spawn(forward_body(body.into_data_stream(), sender));
        Self {
            pieces,
            current: Bytes::new(),
            ended: false,
        }
    }

    /// Creates a reader that is at its end.
    pub(crate) fn empty() -> Self {
        let (_, pieces) = mpsc::channel(1);
        Self {
            pieces,
            current: Bytes::new(),
            ended: true,
        }
    }
}

/// Sends the pieces of a body to the reader, then the end; after a failure of the body no end follows. Once the reader is gone it drains up to
/// [`DRAINED`] bytes more.
async fn forward_body(mut body: BodyDataStream, sender: mpsc::Sender<BodyChunk>) {
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
    // The reader may be gone by now.
    let _ = sender.send(BodyChunk::End).await;
}

impl Read for BodyReader {
    /// Blocks until bytes of the body arrive; 0 at its end. Fails with `ConnectionAborted` when the body ends before it is complete. Panics on a
    /// thread of the async runtime.
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
