//! Handles that are there before their actors.

use std::fmt;
use std::future::ready;
use std::sync::Arc;

use super::builder::Builder;
use super::cause::Signal;
use super::exit::ExitReason;
use super::handle::Handle;
use super::life::Factory;
use super::route::Local;
use super::running::Stage;
use super::spawn_error::SpawnErrorKind;
use super::traits::Actor;
use crate::error::BoxError;
use crate::sync::Mutex;

/// The place of an actor that others have handles to, and that is yet to be made: so two actors
/// may each have a handle to the other.
///
/// Meanwhile its mailbox takes messages, within its bound, and asks wait. It may be stopped or
/// killed, and ends at once then. Dropped, the place is given up: the actor ends with
/// [`ExitReason::NeverBegan`]. What was sent is handed back, or [undelivered](crate::Undelivered).
///
/// For a child of a supervisor there is [`Child::prepare`](crate::Child::prepare).
///
/// ```
/// use greenroom::{Vacancy, actor};
///
/// #[actor]
/// struct Ping { pong: PongHandle }
/// #[actor]
/// impl Ping {
///     fn ping(&mut self) -> u32 { 1 }
/// }
///
/// #[actor]
/// struct Pong { ping: PingHandle }
/// #[actor]
/// impl Pong {
///     async fn pong(&mut self) -> Result<u32, greenroom::Error> {
///         Ok(self.ping.ping().await? + 1)
///     }
/// }
///
/// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (ping, place) = Vacancy::<Ping>::open()?;
/// let pong = Pong { ping: ping.clone() }.spawn();
/// let answer = pong.pong().enqueue().await?; // waits for `Ping`
/// place.fill(Ping { pong }).map_err(|_| "it was stopped")?;
/// assert_eq!(answer.await?, 2);
/// # Ok(()) }
/// ```
#[must_use = "the actor begins when its place is filled"]
pub struct Vacancy<A: Actor> {
    /// It keeps the actor from its end until then. `None` once it is filled.
    handle: Option<Handle<A>>,
    /// No user code runs under this lock.
    maker: Arc<Mutex<Option<Maker<A>>>>,
}

/// Makes the actor, on its own thread.
type Maker<A> = Box<dyn FnOnce() -> A + Send>;

impl<A: Actor> Vacancy<A> {
    /// Opens a place, and gives the handle of who will take it.
    ///
    /// # Errors
    ///
    /// As [`Builder::try_spawn`](crate::Builder::try_spawn).
    #[track_caller]
    pub fn open() -> Result<(A::Handle<Local>, Self), SpawnErrorKind> {
        Self::open_with(|builder| builder)
    }

    /// As [`Vacancy::open`], with what the type does not say; what the builder returned would spawn
    /// is not.
    ///
    /// ```
    /// # use greenroom::{Handle, Vacancy, actor};
    /// # #[actor] struct Ping;
    /// # #[actor] impl Ping { fn ping(&mut self) -> u32 { 1 } }
    /// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (ping, place) = Vacancy::<Ping>::open_with(|ping| ping.name("ping").mailbox(1))?;
    /// ping.ping().try_tell()?;
    /// assert!(ping.ping().try_tell().is_err()); // its mailbox is full
    /// place.fill(Ping).map_err(|_| "it was stopped")?;
    /// assert_eq!(ping.ping().await?, 1);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Builder::try_spawn`](crate::Builder::try_spawn).
    #[track_caller]
    pub fn open_with<F>(options: F) -> Result<(A::Handle<Local>, Self), SpawnErrorKind>
    where
        F: FnOnce(Builder<A>) -> Builder<A>,
    {
        let maker = Arc::new(Mutex::new(None));
        let place = Arc::clone(&maker);
        let take = move || {
            let maker: Option<Maker<A>> = place.lock().take();
            let made = maker.map(|make| make());
            ready(made.ok_or_else(|| BoxError::from("its place was filled by nobody")))
        };
        let builder = options(Builder::vacant());
        let stage = Stage::Waiting(ExitReason::NeverBegan);
        let handle = builder.launch_vacant(Factory::new(take).once(), stage)?;
        let vacancy = Self {
            handle: Some(Handle::clone(&handle)),
            maker,
        };
        Ok((handle, vacancy))
    }

    /// Has the actor begin: its start hook runs, then it handles what has come meanwhile.
    ///
    /// # Errors
    ///
    /// The actor, if it was ended before. If that happens at the same time, it may also be dropped,
    /// without having begun.
    pub fn fill(self, actor: A) -> Result<(), A> {
        match self.open_handle() {
            Some(handle) => self.fill_by(&handle, Box::new(move || actor)),
            None => return Err(actor),
        }
        Ok(())
    }

    /// As [`Vacancy::fill`], with what makes the actor where it runs, as a
    /// [local](crate::OneThread) one needs. A panic in it is one in the start hook.
    ///
    /// # Errors
    ///
    /// As of [`Vacancy::fill`], the function.
    pub fn fill_with<F>(self, make: F) -> Result<(), F>
    where
        F: FnOnce() -> A + Send + 'static,
    {
        match self.open_handle() {
            Some(handle) => self.fill_by(&handle, Box::new(make)),
            None => return Err(make),
        }
        Ok(())
    }

    /// The handle, if the actor has not ended.
    fn open_handle(&self) -> Option<Handle<A>> {
        let handle = self.handle.as_ref()?;
        let has_ended = handle.head().ending.decided().is_some();
        (!has_ended).then(|| handle.clone())
    }

    fn fill_by(mut self, handle: &Handle<A>, maker: Maker<A>) {
        *self.maker.lock() = Some(maker);
        handle.signal(Signal::Restart);
        // Which is no end any more.
        drop(self.handle.take());
    }
}

impl<A: Actor> Drop for Vacancy<A> {
    fn drop(&mut self) {
        if let Some(handle) = &self.handle {
            handle.dismiss();
        }
    }
}

impl<A: Actor> fmt::Debug for Vacancy<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let identity = self.handle.as_ref().map(Handle::identity);
        f.debug_tuple("Vacancy").field(&identity).finish()
    }
}
