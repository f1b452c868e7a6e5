//! Repeatable randomness: every draw is a function of the seed and of what it is drawn for.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

/// The subject of a draw; keys that differ in any part give unrelated draws.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrawKey(u64);

impl DrawKey {
    /// Creates the key of a seed, which [`DrawKey::with`] extends.
    pub(crate) fn of_seed(seed: u64) -> Self {
        Self(FNV_OFFSET).with(seed)
    }

    /// Returns the key extended by one more part. FNV-1a, because its values never change between builds as a std hasher's may.
    pub(crate) fn with(self, part: impl std::fmt::Display) -> Self {
        let text = part.to_string();
        let bytes = text.bytes().chain(std::iter::once(0xff));
        Self(bytes.fold(self.0, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME)))
    }

    /// Creates the source of randomness for this key; equal keys give the same sequence of draws.
    pub(crate) fn draw(self) -> Draw {
        Draw(ChaCha8Rng::seed_from_u64(self.0))
    }
}

/// A seeded source of randomness.
pub(crate) struct Draw(ChaCha8Rng);

impl Draw {
    /// Draws a number of `low..=high`.
    pub(crate) fn number(&mut self, low: usize, high: usize) -> usize {
        self.0.random_range(low..=high)
    }

    /// True `percent` times in a hundred.
    pub(crate) fn happens(&mut self, percent: u32) -> bool {
        self.0.random_ratio(percent.min(100), 100)
    }

    /// Draws one of a list. Panics when the list is empty.
    pub(crate) fn one_of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        let at = self.number(0, list.len() - 1);
        &list[at]
    }

    /// Draws `count` of a list, in a drawn order, none twice; all of it when it is shorter.
    pub(crate) fn some_of<'a, T>(&mut self, list: &'a [T], count: usize) -> Vec<&'a T> {
        list.sample(&mut self.0, count).collect()
    }

    /// Draws a word of `length` letters and digits, as engines use in addresses.
    pub(crate) fn token(&mut self, length: usize) -> String {
        const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        (0..length).map(|_| char::from(*self.one_of(ALPHABET))).collect()
    }
}
