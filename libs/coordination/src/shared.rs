//! The counts in Redis. Every step is one command or script and so atomic, except `set_for`; times are those of Redis.

use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, RedisError, Script, TlsCertificates, cmd, pipe};

use crate::{Limit, MOST_MEMBERS};

/// Short, because the process can count for itself.
const RESPONSE_TIMEOUT: Duration = Duration::from_millis(500);
const CONNECT_TIMEOUT: Duration = Duration::from_millis(500);

/// The generic cell rate algorithm: the key holds the time at which all tokens taken so far are used up.
const TAKE: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local every, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local used_up = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now)
local wait = used_up - (burst - 1) * every - now
if wait > 0 then return math.ceil(wait) end
redis.call('SET', KEYS[1], string.format('%.0f', used_up + every), 'PX', math.ceil((used_up + every - now) / 1000) + 1)
return 0";

const COUNT_UP: &str = r"
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return count";

const LOOK: &str = r"
local count = redis.call('GET', KEYS[1])
if not count then return {0, 0} end
return {tonumber(count), math.max(redis.call('PTTL', KEYS[1]), 0)}";

/// Counts every key up and returns 0 if all are below their limits; otherwise counts none and returns the milliseconds until the last one
/// expires that is at its limit.
const RESERVE: &str = r"
local longest = 0
for index, key in ipairs(KEYS) do
  if tonumber(redis.call('GET', key) or 0) >= tonumber(ARGV[index + 1]) then
    longest = math.max(longest, redis.call('PTTL', key), 1)
  end
end
if longest > 0 then return longest end
for _, key in ipairs(KEYS) do
  if redis.call('INCR', key) == 1 then redis.call('PEXPIRE', key, ARGV[1]) end
end
return 0";

const GIVE_BACK: &str = r"
for _, key in ipairs(KEYS) do
  local count = tonumber(redis.call('GET', key) or 0)
  if count > 1 then redis.call('DECR', key) elseif count == 1 then redis.call('DEL', key) end
end
return 0";

/// A room is a sorted set of its members by the time at which they are forgotten; those that are forgotten first go first when it is full.
const ENTER: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZRANGE', KEYS[1], 0, -1)";

const MEMBERS: &str = r"
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local rooms = {}
for index, key in ipairs(KEYS) do
  rooms[index] = redis.call('ZRANGEBYSCORE', key, '(' .. now, '+inf')
end
return rooms";

/// A lazy connection to Redis. Every call fails after half a second instead of waiting for it.
#[derive(Clone)]
pub(crate) struct Shared {
    connection: ConnectionManager,
}

impl Shared {
    /// Prepares a connection that is opened at the first use, so an unreachable server fails only then. `authorities` (PEM) are trusted instead of
    /// the system's, and matter only for `rediss://`. Fails for an invalid address or certificate, and outside a Tokio runtime.
    pub(crate) fn new(address: &str, authorities: Option<Vec<u8>>) -> Result<Self, RedisError> {
        // The client refuses certificates for an address without TLS.
        let client = if address.starts_with("rediss") {
            let trust = TlsCertificates {
                client_tls: None,
                root_cert: authorities,
            };
            Client::build_with_tls(address, trust)?
        } else {
            Client::open(address)?
        };
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(Some(RESPONSE_TIMEOUT))
            .set_number_of_retries(0);
        Ok(Self {
            connection: ConnectionManager::new_lazy_with_config(client, config)?,
        })
    }

    /// Succeeds if Redis responds in time.
    pub(crate) async fn ping(&self) -> Result<(), RedisError> {
        cmd("PING").query_async(&mut self.connection.clone()).await
    }

    /// Takes a token of `key`, of which there is one every `every` and at most `burst` at once (0 counts as 1), and returns zero. If there is none,
    /// takes none and returns the time until the next one.
    pub(crate) async fn take(&self, key: &str, every: Duration, burst: u32) -> Result<Duration, RedisError> {
        let micros: u64 = Script::new(TAKE)
            .key(prefixed(key))
            .arg(micros(every))
            .arg(burst.max(1))
            .invoke_async(&mut self.connection.clone())
            .await?;
        Ok(Duration::from_micros(micros))
    }

    /// Counts `key` up by one and returns the new count, which expires `window` after its first step.
    pub(crate) async fn count_up(&self, key: &str, window: Duration) -> Result<u32, RedisError> {
        Script::new(COUNT_UP)
            .key(prefixed(key))
            .arg(millis(window))
            .invoke_async(&mut self.connection.clone())
            .await
    }

    /// Counts every key up by one and returns zero. If one has reached its limit, counts none and returns how long until none is at its limit: call
    /// again after it, nothing is held meanwhile. A count expires `window` after it was first counted up.
    pub(crate) async fn reserve(&self, limits: &[Limit<'_>], window: Duration) -> Result<Duration, RedisError> {
        let script = Script::new(RESERVE);
        let mut call = script.arg(millis(window));
        for limit in limits {
            call.key(prefixed(limit.key)).arg(limit.most);
        }
        let millis: u64 = call.invoke_async(&mut self.connection.clone()).await?;
        Ok(Duration::from_millis(millis))
    }

    /// Counts every key down by one, not below zero; when it expires stays the same.
    pub(crate) async fn give_back(&self, keys: &[String]) -> Result<(), RedisError> {
        let script = Script::new(GIVE_BACK);
        let mut call = script.prepare_invoke();
        for key in keys {
            call.key(prefixed(key));
        }
        call.invoke_async::<u64>(&mut self.connection.clone()).await.map(drop)
    }

    /// The count of `key` and the time until it expires; `None` if there is no count.
    pub(crate) async fn look(&self, key: &str) -> Result<Option<(u32, Duration)>, RedisError> {
        let (count, millis): (u32, u64) = Script::new(LOOK)
            .key(prefixed(key))
            .invoke_async(&mut self.connection.clone())
            .await?;
        Ok((count > 0).then(|| (count, Duration::from_millis(millis))))
    }

    /// How many of the keys have a count; a key given twice counts twice.
    pub(crate) async fn count_existing(&self, keys: &[String]) -> Result<usize, RedisError> {
        let mut exists = cmd("EXISTS");
        for key in keys {
            exists.arg(prefixed(key));
        }
        exists.query_async(&mut self.connection.clone()).await
    }

    /// Sets the count of every key to 1, whatever it was; it expires after `span`. After an error some keys may be set.
    pub(crate) async fn set_for(&self, keys: &[String], span: Duration) -> Result<(), RedisError> {
        let millis = millis(span);
        let mut all = pipe();
        for key in keys {
            all.cmd("SET").arg(prefixed(key)).arg(1).arg("PX").arg(millis).ignore();
        }
        all.query_async(&mut self.connection.clone()).await
    }

    /// Puts a member into the room `key` for `span`, and returns its members, those that are forgotten last at the end.
    pub(crate) async fn enter(&self, key: &str, member: &str, span: Duration) -> Result<Vec<String>, RedisError> {
        Script::new(ENTER)
            .key(prefixed(key))
            .arg(member)
            .arg(millis(span))
            .arg(MOST_MEMBERS)
            .invoke_async(&mut self.connection.clone())
            .await
    }

    /// Takes a member out of the room `key`.
    pub(crate) async fn leave(&self, key: &str, member: &str) -> Result<(), RedisError> {
        cmd("ZREM")
            .arg(prefixed(key))
            .arg(member)
            .query_async(&mut self.connection.clone())
            .await
    }

    /// The members of every room.
    pub(crate) async fn members(&self, keys: &[String]) -> Result<Vec<Vec<String>>, RedisError> {
        let script = Script::new(MEMBERS);
        let mut call = script.prepare_invoke();
        for key in keys {
            call.key(prefixed(key));
        }
        call.invoke_async(&mut self.connection.clone()).await
    }

    /// Sets the count of `key` to zero.
    pub(crate) async fn forget(&self, key: &str) -> Result<(), RedisError> {
        cmd("DEL")
            .arg(prefixed(key))
            .query_async(&mut self.connection.clone())
            .await
    }
}

/// The key with the prefix of this product, since several products may share a Redis.
fn prefixed(key: &str) -> String {
    format!("vigie:{key}")
}

/// Milliseconds, rounded up, and at least 1: Redis refuses to expire after 0.
fn millis(span: Duration) -> u64 {
    micros(span).div_ceil(1_000).max(1)
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}
