//! The service of S3 on a folder.

use std::path::Path;

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use tokio::net::TcpListener;

/// Serves the buckets in a folder to those who have the key, until it is dropped.
pub async fn serve(listener: TcpListener, folder: &Path, key: &str, secret: &str) {
    let mut builder = S3ServiceBuilder::new(s3s_fs::FileSystem::new(folder).unwrap());
    builder.set_auth(SimpleAuth::from_single(key, secret));
    let service = builder.build();
    loop {
        let (connection, _) = listener.accept().await.unwrap();
        let service = service.clone();
        tokio::spawn(async move {
            let server = auto::Builder::new(TokioExecutor::new());
            let _ended = server.serve_connection(TokioIo::new(connection), service).await;
        });
    }
}
