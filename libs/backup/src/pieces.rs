//! The pieces of a repository: content under its digest, compressed, and encrypted if there is a key.

use std::collections::HashSet;
use std::path::Path;

use blobs::{Blobs, Digest};
use bytes::Bytes;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use fastcdc::v2020::AsyncStreamCDC;
use futures::{Stream, StreamExt, TryStreamExt, stream};
use rand::Rng;
use runtime::Secret;
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncRead;

use crate::Error;
use crate::contents::{PieceName, Stored};

const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;
/// Digits of a key's name.
const NAME_LETTERS: usize = 8;
/// Streams are cut where their content says, so that a row more at the front leaves the pieces behind it as they are.
const LEAST_PIECE: usize = 256 << 10;
const USUAL_PIECE: usize = 1 << 20;
const MOST_PIECE: usize = 4 << 20;

/// A key for backups.
#[derive(Clone)]
pub(crate) struct Key {
    cipher: XChaCha20Poly1305,
    /// Goes into the names of encrypted pieces, so that a name does not tell who can guess the content that it is there.
    salt: Digest,
    /// The first digits of its SHA-256.
    pub(crate) name: String,
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

impl Key {
    pub(crate) fn read(text: &Secret) -> Result<Self, Error> {
        let bytes = hex::decode(text.expose().trim()).map_err(|_| Error::BadKey)?;
        if bytes.len() != KEY_BYTES {
            return Err(Error::BadKey);
        }
        let mut name = hex::encode(Sha256::digest(&bytes));
        name.truncate(NAME_LETTERS);
        Ok(Self {
            cipher: XChaCha20Poly1305::new_from_slice(&bytes).map_err(|_| Error::BadKey)?,
            salt: Sha256::new()
                .chain_update(b"names of pieces")
                .chain_update(&bytes)
                .finalize()
                .into(),
            name,
        })
    }

    /// Nonce and ciphertext; `what` has to be the same for opening.
    fn seal(&self, what: &[u8], content: &[u8]) -> Result<Vec<u8>, Error> {
        let mut nonce = [0_u8; NONCE_BYTES];
        rand::rng().fill_bytes(&mut nonce);
        let payload = Payload {
            msg: content,
            aad: what,
        };
        let sealed = self.cipher.encrypt(&XNonce::from(nonce), payload);
        let sealed = sealed.map_err(|_| Error::Damaged("a piece cannot be encrypted".to_owned()))?;
        Ok([&nonce[..], &sealed].concat())
    }

    fn open(&self, what: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, content) = sealed.split_at_checked(NONCE_BYTES)?;
        let nonce: [u8; NONCE_BYTES] = nonce.try_into().ok()?;
        let payload = Payload {
            msg: content,
            aad: what,
        };
        self.cipher.decrypt(&XNonce::from(nonce), payload).ok()
    }
}

/// The store of pieces.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    stored: Blobs,
    key: Option<Key>,
}

impl Pieces {
    pub(crate) fn open(folder: &Path, key: Option<Key>) -> Result<Self, Error> {
        Ok(Self {
            stored: Blobs::folder(folder)?,
            key,
        })
    }

    /// Encrypts if there is a key.
    pub(crate) fn seal(&self, what: &[u8], content: Vec<u8>) -> Result<Vec<u8>, Error> {
        match &self.key {
            Some(key) => key.seal(what, &content),
            None => Ok(content),
        }
    }

    /// Decrypts if there is a key; `None` for what was not sealed so.
    pub(crate) fn unseal(&self, what: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        match &self.key {
            Some(key) => key.open(what, sealed),
            None => Some(sealed.to_vec()),
        }
    }

    /// The names under which pieces are stored.
    pub(crate) async fn stored_names(&self) -> Result<HashSet<Digest>, Error> {
        Ok(self.stored.names().try_collect().await?)
    }

    /// The name under which a piece is stored.
    pub(crate) fn stored_name(&self, piece: &PieceName) -> Digest {
        match &self.key {
            Some(key) => Sha256::new()
                .chain_update(key.salt)
                .chain_update(piece.0)
                .finalize()
                .into(),
            None => piece.0,
        }
    }

    /// Stores the packed content of a piece. It is on the disk when this returns.
    pub(crate) async fn put_packed(&self, piece: &PieceName, packed: Vec<u8>) -> Result<u64, Error> {
        let sealed = self.seal(&piece.0, packed)?;
        let size = sealed.len() as u64;
        self.stored
            .put_packed(&self.stored_name(piece), Bytes::from(sealed))
            .await?;
        Ok(size)
    }

    /// The packed content of a piece.
    ///
    /// # Errors
    /// [`Error::Damaged`] when it is missing, cut off or was changed.
    pub(crate) async fn packed(&self, piece: &PieceName) -> Result<Vec<u8>, Error> {
        // By the name of its file: once that is deleted, the next backup writes it again.
        let name = hex::encode(self.stored_name(piece));
        let damaged = |what| Error::Damaged(format!("the piece {name}.zst {what}"));
        let sealed = self.stored.packed(&self.stored_name(piece)).await?;
        let sealed = sealed.ok_or_else(|| damaged("is missing"))?;
        let packed = self
            .unseal(&piece.0, &sealed)
            .ok_or_else(|| damaged("cannot be decrypted"))?;
        blobs::unpack(&piece.0, &packed).map_err(|_| damaged("was cut off or changed"))?;
        Ok(packed)
    }

    /// The content of a piece.
    ///
    /// # Errors
    /// As [`Self::packed`].
    pub(crate) async fn read(&self, piece: &PieceName) -> Result<Vec<u8>, Error> {
        Ok(blobs::unpack(&piece.0, &self.packed(piece).await?)?)
    }

    /// The content of a stored stream, piece by piece; the first error ends it.
    pub(crate) fn stream<'a>(&'a self, stored: &'a Stored) -> impl Stream<Item = Result<Bytes, Error>> + Send + 'a {
        stream::iter(&stored.pieces).then(|piece| async { self.read(piece).await.map(Bytes::from) })
    }

    /// Deletes what is stored under a name.
    pub(crate) async fn delete(&self, stored_name: &Digest) -> Result<(), Error> {
        Ok(self.stored.delete(stored_name).await?)
    }
}

/// What is written into a repository during one backup.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    pieces: &'a Pieces,
    stored: HashSet<Digest>,
    /// The pieces that were not stored before.
    pub(crate) new: Vec<PieceName>,
    /// What they take on the disk.
    pub(crate) new_bytes: u64,
}

impl<'a> Writer<'a> {
    pub(crate) async fn new(pieces: &'a Pieces) -> Result<Self, Error> {
        Ok(Self {
            pieces,
            stored: pieces.stored_names().await?,
            new: Vec::new(),
            new_bytes: 0,
        })
    }

    /// Whether a piece is stored.
    pub(crate) fn has(&self, piece: &PieceName) -> bool {
        self.stored.contains(&self.pieces.stored_name(piece))
    }

    /// Notes that a piece of this size was stored.
    pub(crate) fn note(&mut self, piece: PieceName, size: u64) {
        self.stored.insert(self.pieces.stored_name(&piece));
        self.new.push(piece);
        self.new_bytes += size;
    }

    /// Cuts a stream into pieces and stores those that are not stored yet.
    pub(crate) async fn store(&mut self, source: impl AsyncRead + Unpin) -> Result<Stored, Error> {
        let mut cut = AsyncStreamCDC::new(source, LEAST_PIECE, USUAL_PIECE, MOST_PIECE);
        let mut cut = std::pin::pin!(cut.as_stream());
        let mut stored = Stored::default();
        while let Some(chunk) = cut.next().await {
            let content = chunk.map_err(|error| Error::of_stream(error.into()))?.data;
            stored.bytes += content.len() as u64;
            let name = PieceName(Sha256::digest(&content).into());
            if !self.has(&name) {
                let packed = blobs::pack(&content).map_err(|error| Error::Damaged(error.to_string()))?;
                let size = self.pieces.put_packed(&name, packed).await?;
                self.note(name, size);
            }
            stored.pieces.push(name);
        }
        Ok(stored)
    }
}
