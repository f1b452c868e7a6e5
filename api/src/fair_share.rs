//! A fair share for each user in front of the stores: many concurrent requests of one user wait for each other, not in front of those of others.
//! Staff are users like others here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use vocabulary::UserId;

use crate::failure::ApiError;

/// A request that waits longer is refused, while its client is still likely to be there.
const PATIENCE: Duration = Duration::from_secs(10);
/// What `Retry-After` says to a refused request.
const TRY_AGAIN: Duration = Duration::from_secs(5);
/// Number of users from which on idle ones are dropped.
const MANY_USERS: usize = 1_000;

/// Concurrent requests of one user, and of all together.
#[derive(Clone, Copy)]
struct ShareLimits {
    of_user: usize,
    waiting_of_user: usize,
    of_all: usize,
}

/// What the pool of connections to the ledger can spare for one user.
const LEDGER: ShareLimits = ShareLimits {
    of_user: 6,
    waiting_of_user: 64,
    of_all: Semaphore::MAX_PERMITS,
};
/// A list takes every processor for a while, and a screen asks for three or four of them.
const ADS: ShareLimits = ShareLimits {
    of_user: 2,
    waiting_of_user: 32,
    of_all: 8,
};
/// A file is read as slowly as somebody's line takes it, so files have places of their own.
const FILES: ShareLimits = ShareLimits {
    of_user: 2,
    waiting_of_user: 2,
    of_all: 8,
};

/// Paths whose answers come from the store of ads, by how they begin.
const ASK_FOR_ADS: [&str; 15] = [
    "/Sems",
    "/actions",
    "/advertisement",
    "/advertiserGroups/",
    "/advertisers/stats",
    "/advertiserTag/",
    "/alerts/preview",
    "/alerts/test",
    "/brand",
    "/captures",
    "/comparator",
    "/home/",
    "/keywords/stats",
    "/monitoring/",
    "/search",
];
/// Paths among them that the ledger answers alone.
const ASK_THE_LEDGER: [&str; 7] = [
    "/actions/advertiserNotes",
    "/actions/brandAdvertiserNotes",
    "/actions/detail/",
    "/actions/notes",
    "/actions/workload",
    "/advertiserTag/action",
    "/home/cases",
];
/// Paths of files, by how they end.
const FILES_END: [&str; 4] = ["/export", "/import", "/actions/searchAll", "/escalationPack"];

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequestKind {
    Ledger,
    Ads,
    File,
}

impl RequestKind {
    /// The kind of a request by its path within the API: `File` by how the path ends, else `Ads` or `Ledger` by how it begins.
    fn of_path(path: &str) -> Self {
        if FILES_END.iter().any(|end| path.ends_with(end)) {
            Self::File
        } else if ASK_THE_LEDGER.iter().any(|start| path.starts_with(start)) {
            Self::Ledger
        } else if ASK_FOR_ADS.iter().any(|start| path.starts_with(start)) {
            Self::Ads
        } else {
            Self::Ledger
        }
    }
}

/// The shares of a process.
pub struct FairShares {
    ledger: Share,
    ads: Share,
    files: Share,
}

impl Default for FairShares {
    fn default() -> Self {
        Self {
            ledger: Share::new(LEDGER),
            ads: Share::new(ADS),
            files: Share::new(FILES),
        }
    }
}

impl FairShares {
    /// The share for requests of this kind.
    const fn share_of(&self, kind: RequestKind) -> &Share {
        match kind {
            RequestKind::Ledger => &self.ledger,
            RequestKind::Ads => &self.ads,
            RequestKind::File => &self.files,
        }
    }
}

/// The permits of one kind of request: those of each user, and those of all users together.
struct Share {
    bounds: ShareLimits,
    all: Arc<Semaphore>,
    users: Mutex<HashMap<UserId, OfUser>>,
}

/// The permits of a user, and the places in the queue for them.
#[derive(Clone)]
struct OfUser {
    permits: Arc<Semaphore>,
    queue: Arc<Semaphore>,
}

/// What a request holds while it is answered.
struct RequestPermit {
    kind: RequestKind,
    _permits: [OwnedSemaphorePermit; 3],
}

impl Share {
    /// A share with these bounds, of which nothing is taken yet.
    fn new(bounds: ShareLimits) -> Self {
        Self {
            bounds,
            all: Arc::new(Semaphore::new(bounds.of_all)),
            users: Mutex::default(),
        }
    }

    /// The semaphores of a user, created at the first request. From [`MANY_USERS`] users on, those without a request are dropped.
    fn semaphores_of(&self, user: UserId) -> OfUser {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        if users.len() >= MANY_USERS {
            users.retain(|_, semaphores| Arc::strong_count(&semaphores.queue) > 1);
        }
        let ShareLimits {
            of_user,
            waiting_of_user,
            ..
        } = self.bounds;
        let semaphores = users.entry(user).or_insert_with(|| OfUser {
            permits: Arc::new(Semaphore::new(of_user)),
            queue: Arc::new(Semaphore::new(of_user + waiting_of_user)),
        });
        semaphores.clone()
    }

    /// Takes a permit if one is free now; `None` when the request would have to wait.
    fn try_take(&self, user: UserId) -> Option<[OwnedSemaphorePermit; 3]> {
        let OfUser { permits, queue } = self.semaphores_of(user);
        let place_in_queue = queue.try_acquire_owned().ok()?;
        let own = permits.try_acquire_owned().ok()?;
        let of_all = Arc::clone(&self.all).try_acquire_owned().ok()?;
        Some([place_in_queue, own, of_all])
    }

    /// Waits for a permit, up to [`PATIENCE`] among the user's own requests (else `TooMuchAtOnce`) and as long among those of all users (else
    /// `Busy`). `TooMuchAtOnce` at once when the user's queue is full. Returns what must be held: the place in that queue, and the permits of the
    /// user and of all.
    async fn acquire(&self, user: UserId) -> Result<[OwnedSemaphorePermit; 3], ApiError> {
        let too_much = ApiError::TooMuchAtOnce(TRY_AGAIN);
        let OfUser { permits, queue } = self.semaphores_of(user);
        let Ok(place_in_queue) = queue.try_acquire_owned() else {
            return Err(too_much);
        };
        let Ok(Ok(own)) = timeout(PATIENCE, permits.acquire_owned()).await else {
            return Err(too_much);
        };
        let Ok(Ok(of_all)) = timeout(PATIENCE, Arc::clone(&self.all).acquire_owned()).await else {
            return Err(ApiError::Busy(TRY_AGAIN));
        };
        Ok([place_in_queue, own, of_all])
    }
}

/// Where a request keeps its permit, from the moment its user is known until the response ends.
#[derive(Clone)]
pub struct PermitSlot {
    shares: Arc<FairShares>,
    held: Arc<Mutex<Option<RequestPermit>>>,
}

impl PermitSlot {
    /// Takes the request's permit from the share of its kind, which the path decides, if one is free; true also when the request has it already. Does
    /// not wait.
    pub fn try_take(&self, user: UserId, path: &str) -> bool {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() {
            let kind = RequestKind::of_path(path);
            let taken = self.shares.share_of(kind).try_take(user);
            *held = taken.map(|permits| RequestPermit {
                kind,
                _permits: permits,
            });
        }
        held.is_some()
    }

    /// Waits for the request's permit, which stays in the slot. Call it only when [`Self::try_take`] was false: it takes another one even if the slot
    /// has one. `TooMuchAtOnce` or `Busy`, which the metrics count, after [`PATIENCE`]; `TooMuchAtOnce` at once when too many requests of the user
    /// wait. Call it without holding a database connection.
    pub async fn acquire(&self, user: UserId, path: &str) -> Result<(), ApiError> {
        let kind = RequestKind::of_path(path);
        let taken = self.shares.share_of(kind).acquire(user).await;
        let permits = taken.inspect_err(|_| {
            metrics::counter!("vigie_requests_over_share_total").increment(1);
        })?;
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(RequestPermit {
            kind,
            _permits: permits,
        });
        Ok(())
    }

    /// Takes the permit out of the slot, if the request got one.
    fn end(&self) -> Option<RequestPermit> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Middleware that gives every request an empty slot for its permit, and returns the permit with the response; that of a file once its body has been
/// sent.
pub async fn hold(State(shares): State<Arc<FairShares>>, mut request: Request, next: Next) -> Response {
    let slot = PermitSlot {
        shares,
        held: Arc::default(),
    };
    request.extensions_mut().insert(slot.clone());
    let response = next.run(request).await;
    match slot.end() {
        Some(permit) if permit.kind == RequestKind::File => response.map(|body| {
            Body::new(body.map_frame(move |frame| {
                let _held = &permit;
                frame
            }))
        }),
        _ => response,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::*;

    const ONE: UserId = UserId(1);
    const OTHER: UserId = UserId(2);

    fn share() -> Arc<Share> {
        Arc::new(Share::new(ADS))
    }

    #[tokio::test(start_paused = true)]
    async fn forty_lists_of_one_user_leave_a_turn_for_another() {
        let share = share();
        let crowd: Vec<_> = (0..40)
            .map(|_| {
                let share = Arc::clone(&share);
                tokio::spawn(async move {
                    let permits = share.acquire(ONE).await;
                    tokio::time::sleep(Duration::from_secs(3)).await;
                    permits.map(drop)
                })
            })
            .collect();
        tokio::task::yield_now().await;
        let began = Instant::now();
        assert!(share.try_take(OTHER).is_some());
        let _turn = share.acquire(OTHER).await.unwrap();
        assert_eq!(began.elapsed(), Duration::ZERO);
        let mut refused = 0;
        for request in crowd {
            match request.await.unwrap() {
                Ok(()) => {}
                Err(ApiError::TooMuchAtOnce(_)) => refused += 1,
                Err(other) => panic!("{other:?}"),
            }
        }
        // Two at once for 3 s each, for as long as the others wait: at 0, 3, 6 and 9 s.
        assert_eq!(refused, 40 - 8);
        assert!(began.elapsed() <= PATIENCE + Duration::from_secs(6));
    }

    #[tokio::test(start_paused = true)]
    async fn more_than_may_wait_are_refused_at_once() {
        let share = share();
        let _held: Vec<_> = (0..ADS.of_user).map(|_| share.try_take(ONE).unwrap()).collect();
        let waiting: Vec<_> = (0..ADS.waiting_of_user)
            .map(|_| {
                let share = Arc::clone(&share);
                tokio::spawn(async move { share.acquire(ONE).await.map(drop) })
            })
            .collect();
        tokio::task::yield_now().await;
        let began = Instant::now();
        assert!(matches!(share.acquire(ONE).await, Err(ApiError::TooMuchAtOnce(_))));
        assert_eq!(began.elapsed(), Duration::ZERO);
        for request in waiting {
            assert!(matches!(request.await.unwrap(), Err(ApiError::TooMuchAtOnce(_))));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn when_all_turns_are_taken_nobody_waits_for_ever() {
        let share = share();
        let users = (10..).map(UserId);
        let _held: Vec<_> = users
            .take(ADS.of_all)
            .map(|user| share.try_take(user).unwrap())
            .collect();
        assert!(share.try_take(ONE).is_none());
        assert!(matches!(share.acquire(ONE).await, Err(ApiError::Busy(_))));
    }

    #[test]
    fn every_operation_of_monitoring_waits_for_the_store_of_ads() {
        let contract = serde_json::to_value(crate::openapi()).unwrap();
        // Coverage and runs are read from the ledger.
        let of_ledger = ["/api/coverage", "/api/termRuns"];
        let mut found = 0;
        for (path, methods) in contract["paths"].as_object().unwrap() {
            let is_monitoring = methods
                .as_object()
                .unwrap()
                .values()
                .any(|operation| operation["tags"][0] == "Monitoring" || operation["tags"][0] == "Sem");
            if is_monitoring && !of_ledger.contains(&path.as_str()) {
                found += 1;
                assert_ne!(
                    RequestKind::of_path(path.strip_prefix("/api").unwrap()),
                    RequestKind::Ledger,
                    "{path}"
                );
            }
        }
        assert!(found > 15, "{found}");
        assert_eq!(RequestKind::of_path("/UserAccounts/me"), RequestKind::Ledger);
        assert_eq!(RequestKind::of_path("/Sems/groupTerms/export"), RequestKind::File);
    }
}
