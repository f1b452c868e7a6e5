//! An S3 server for trials: `s3_server ADDRESS FOLDER KEY SECRET`. Each folder in FOLDER is a bucket. It runs until it is ended.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for trials")]

mod service;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, folder, key, secret] = arguments.as_slice() else {
        panic!("s3_server ADDRESS FOLDER KEY SECRET");
    };
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    println!("{}", listener.local_addr().unwrap());
    service::serve(listener, folder.as_ref(), key, secret).await;
}
