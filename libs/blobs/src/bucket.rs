//! A store in a bucket of an S3-compatible service, which any number of machines share.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use object_store::RetryConfig;
use object_store::aws::{AmazonS3Builder, Checksum};
use tokio::time::timeout;

use crate::transport::Transport;
use crate::{Blobs, Error};

/// A service that is there answers sooner.
const CHECK_LIMIT: Duration = Duration::from_secs(10);
/// The codes of S3 with which a service says that waiting does not help.
const REFUSALS: [&str; 6] = [
    "AccessDenied",
    "AllAccessDisabled",
    "InvalidAccessKeyId",
    "NoSuchBucket",
    "RequestTimeTooSkewed",
    "SignatureDoesNotMatch",
];
/// Requests that the service could not serve, or that broke off, are sent again so often, waiting longer each time.
const MOST_RETRIES: usize = 6;
/// From the first of these requests to the last.
const RETRY_LIMIT: Duration = Duration::from_mins(1);

/// Where a bucket is, and with what it is opened.
#[derive(Clone, Copy, Debug)]
pub struct Bucket<'a> {
    /// The name that it has in the service.
    pub name: &'a str,
    /// The address of the service, with the bucket as the first part of its paths; `None` for Amazon's of the region.
    pub endpoint: Option<&'a str>,
    /// The region that requests are signed for.
    pub region: &'a str,
    /// The name of the key.
    pub access_key: &'a str,
    /// The secret that belongs to the key.
    pub secret_key: &'a str,
    /// Authorities that are trusted for the service, in PEM; `None` trusts the system's.
    pub authorities: Option<&'a [u8]>,
}

impl Blobs {
    /// A store in a bucket. Nothing is asked of the service yet.
    ///
    /// # Errors
    /// [`Error::Bucket`] when a setting cannot be used.
    pub fn bucket(bucket: &Bucket<'_>) -> Result<Self, Error> {
        let refuse = |cause: String| Error::Bucket {
            bucket: bucket.name.to_owned(),
            cause,
        };
        let is_plain = bucket.endpoint.is_some_and(|address| address.starts_with("http://"));
        let transport = Transport::new(bucket.authorities, is_plain).map_err(refuse)?;
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(bucket.name)
            .with_region(bucket.region)
            .with_access_key_id(bucket.access_key)
            .with_secret_access_key(bucket.secret_key)
            // The service refuses what arrives otherwise than it was sent.
            .with_checksum_algorithm(Checksum::SHA256)
            .with_allow_http(is_plain)
            .with_http_connector(transport)
            .with_retry(RetryConfig {
                max_retries: MOST_RETRIES,
                retry_timeout: RETRY_LIMIT,
                ..RetryConfig::default()
            });
        if let Some(endpoint) = bucket.endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        let store = builder.build().map_err(|error| refuse(error.to_string()))?;
        Ok(Self {
            store: Arc::new(store),
            folder: None,
            bucket: Some(bucket.name.into()),
        })
    }

    /// Refuses a bucket that is not there or that the key does not open: it would look like one that lost its files. A service that does not answer is
    /// left to later calls, and a folder was looked at when it was opened.
    ///
    /// # Errors
    /// [`Error::Bucket`] when the service says that there is no such bucket, or refuses the key.
    pub async fn check(&self) -> Result<(), Error> {
        let Some(bucket) = &self.bucket else {
            return Ok(());
        };
        let mut names = self.store.list(None);
        match timeout(CHECK_LIMIT, names.next()).await {
            Ok(Some(Err(error))) if REFUSALS.iter().any(|code| error.to_string().contains(code)) => {
                Err(Error::Bucket {
                    bucket: bucket.to_string(),
                    cause: error.to_string(),
                })
            }
            _ => Ok(()),
        }
    }
}
