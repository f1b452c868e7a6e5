//! Limits of connections: how many are open at a time, and how long one may be silent.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum_server::accept::Accept;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

/// Bytes that distinguish HTTP/1 from HTTP/2; after them the timers of the protocol apply. No request is shorter.
const FIRST_BYTES: usize = 24;
/// Time that they may take.
const FIRST: Duration = Duration::from_secs(20);
/// A client that reads nothing for so long is gone.
const STALLED: Duration = Duration::from_mins(1);

/// Keeps a bounded number of connections open, and closes any beyond it.
#[derive(Clone)]
pub struct Bounded<A> {
    inner: A,
    permits: Arc<Semaphore>,
}

impl<A> Bounded<A> {
    /// Wraps `inner`, with at most `most` connections open at a time; further ones are closed at once.
    pub fn new(inner: A, most: usize) -> Self {
        Self {
            inner,
            permits: Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS))),
        }
    }
}

impl<A, S> Accept<TcpStream, S> for Bounded<A>
where
    A: Accept<TcpStream, S>,
    A::Future: Send + 'static,
{
    type Stream = Timed<A::Stream>;
    type Service = A::Service;
    type Future = Pin<Box<dyn Future<Output = io::Result<(Self::Stream, Self::Service)>> + Send>>;

    /// Accepts a connection, which keeps its permit as long as it is open. When all permits are taken, counts the refusal in the metrics and fails
    /// with `ResourceBusy`, which closes the connection.
    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else {
            metrics::counter!("vigie_connections_refused_total").increment(1);
            return Box::pin(async { Err(io::ErrorKind::ResourceBusy.into()) });
        };
        let accepted = self.inner.accept(stream, service);
        Box::pin(async move {
            let (stream, service) = accepted.await?;
            Ok((Timed::new(stream, permit), service))
        })
    }
}

/// A connection that ends when its first bytes do not come, or when nothing is taken from it.
pub struct Timed<S> {
    inner: S,
    received: usize,
    first: Pin<Box<Sleep>>,
    stalled: Option<Pin<Box<Sleep>>>,
    _permit: OwnedSemaphorePermit,
}

impl<S> Timed<S> {
    /// A connection whose time to send its first bytes begins now; it holds its permit until it is dropped.
    fn new(inner: S, permit: OwnedSemaphorePermit) -> Self {
        Self {
            inner,
            received: 0,
            first: Box::pin(sleep(FIRST)),
            stalled: None,
            _permit: permit,
        }
    }

    /// Passes on the outcome of a write; `TimedOut` once writes have been pending for [`STALLED`].
    fn written<T>(&mut self, outcome: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.stalled = None;
            return outcome;
        }
        let stalled = self
            .stalled
            .get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + STALLED)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Timed<S> {
    /// Reads from the connection; `TimedOut` once its first 24 bytes have not arrived within 20 seconds.
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(context, buffer);
        self.received = self.received.saturating_add(buffer.filled().len() - before);
        if read.is_pending() && self.received < FIRST_BYTES {
            ready!(self.first.as_mut().poll(context));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Timed<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.written(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(context, slices);
        self.written(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(context);
        self.written(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.inner).poll_shutdown(context);
        self.written(ended, context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    fn timed(bytes: usize) -> (Timed<tokio::io::DuplexStream>, tokio::io::DuplexStream) {
        let (ours, theirs) = duplex(bytes);
        let permit = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
        (Timed::new(ours, permit), theirs)
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_whose_first_bytes_do_not_come_is_closed() {
        let (mut ours, mut theirs) = timed(64);
        theirs.write_all(b"PRI * HTTP").await.unwrap();
        let mut read = Vec::new();
        let error = ours.read_to_end(&mut read).await.unwrap_err();
        assert_eq!((error.kind(), read.len()), (io::ErrorKind::TimedOut, 10));
    }

    #[tokio::test(start_paused = true)]
    async fn after_its_first_bytes_a_connection_may_be_silent() {
        let (mut ours, mut theirs) = timed(64);
        theirs.write_all(&[b'G'; FIRST_BYTES]).await.unwrap();
        let mut read = [0; FIRST_BYTES];
        ours.read_exact(&mut read).await.unwrap();
        let later = async {
            sleep(FIRST * 3).await;
            theirs.write_all(b"!").await.unwrap();
        };
        let ((), byte) = tokio::join!(later, ours.read_u8());
        assert_eq!(byte.unwrap(), b'!');
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_let_go_and_a_slow_one_is_not() {
        let (mut ours, mut theirs) = timed(8);
        let slow = async {
            let mut taken = [0; 4];
            for _ in 0..8 {
                sleep(STALLED / 2).await;
                theirs.read_exact(&mut taken).await.unwrap();
            }
        };
        let (sent, ()) = tokio::join!(ours.write_all(&[0; 40]), slow);
        sent.unwrap();
        let error = ours.write_all(&[0; 40]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }
}
