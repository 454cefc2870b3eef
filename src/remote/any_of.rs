//! Handles of one type for actors of this process and of others.

mod ask;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use self::ask::{AnyAsk, AskPlace};
use super::by_value::by_value;
use super::handler::RemoteHandler;
use super::route::Remote;
use crate::actor::{
    AskResult, Carries, Declared, Enqueued, Expiry, Handle, Identity, Local, Route, Sealed,
    TellError, Watch,
};

/// Within the process or over a link, as each handle has it.
///
/// Code that is generic takes any `R: CounterRoute`, and pays nothing for it. Where one type must
/// hold either, as in a list or a field, it is `CounterHandle<AnyOf>`:
///
/// ```
/// use greenroom::actor;
/// use greenroom::remote::AnyOf;
///
/// #[actor]
/// struct Counter {
///     count: u64,
/// }
///
/// #[actor(remote)]
/// impl Counter {
///     fn add(&mut self, n: u64) -> u64 {
///         self.count += n;
///         self.count
///     }
/// }
///
/// # #[greenroom::main]
/// # async fn main() -> Result<(), greenroom::Error> {
/// let here = Counter { count: 0 }.spawn();
/// // `remote.any_of()`, of a `RemoteHandle<Counter>`, has the same type.
/// let counters: Vec<CounterHandle<AnyOf>> = vec![here.any_of()];
/// for counter in &counters {
///     assert_eq!(counter.add(2).await?, 2);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub enum AnyOf {}

/// Where the actor of such a handle lives: what a `CounterHandle<AnyOf>` derefs to.
#[non_exhaustive]
pub enum AnyPlace<A> {
    /// In this process.
    Local(Handle<A>),
    /// In another one.
    Remote(super::Handle<A>),
}

impl<A: Declared> Handle<A> {
    /// A handle of the type that takes remote actors, too.
    #[must_use]
    pub fn any_of(&self) -> A::Handle<AnyOf> {
        A::wrap::<AnyOf>(AnyPlace::Local(self.clone()))
    }
}

impl<A: Declared> super::Handle<A> {
    /// A handle of the type that takes local actors, too.
    #[must_use]
    pub fn any_of(&self) -> A::Handle<AnyOf> {
        A::wrap::<AnyOf>(AnyPlace::Remote(self.clone()))
    }
}

impl<A> AnyPlace<A> {
    /// What the actor is called.
    #[must_use]
    pub fn identity(&self) -> Identity {
        match self {
            Self::Local(handle) => handle.identity(),
            Self::Remote(handle) => handle.identity(),
        }
    }
}

by_value!(AnyPlace, AnyOf);

impl<A> Clone for AnyPlace<A> {
    fn clone(&self) -> Self {
        match self {
            Self::Local(handle) => Self::Local(handle.clone()),
            Self::Remote(handle) => Self::Remote(handle.clone()),
        }
    }
}

impl<A> PartialEq for AnyPlace<A> {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl<A> Eq for AnyPlace<A> {}

impl<A> Hash for AnyPlace<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

impl<A> fmt::Debug for AnyPlace<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(handle) => handle.fmt(f),
            Self::Remote(handle) => handle.fmt(f),
        }
    }
}

impl Sealed for AnyOf {}

impl Route for AnyOf {
    type Handle<A> = AnyPlace<A>;
    type Ask<'h, A: 'static, M: Send + 'static> = AnyAsk<'h, A, M>;

    fn begin<'h, A: 'static, M: Send + 'static>(
        handle: &'h AnyPlace<A>,
        message: M,
    ) -> AnyAsk<'h, A, M> {
        match handle {
            AnyPlace::Local(handle) => AnyAsk::Local {
                ask: Local::begin(handle, message),
            },
            AnyPlace::Remote(handle) => AnyAsk::Remote {
                ask: Remote::begin(handle, message),
            },
        }
    }

    fn watch<A: 'static, M: Send + 'static>(ask: &mut AnyAsk<'_, A, M>, watch: Watch) {
        match ask {
            AnyAsk::Local { ask } => Local::watch(ask, watch),
            AnyAsk::Remote { ask } => Remote::watch(ask, watch),
        }
    }

    fn into_owned<A: 'static, M: Send + 'static>(ask: AnyAsk<'_, A, M>) -> AnyAsk<'static, A, M> {
        match ask {
            AnyAsk::Local { ask } => AnyAsk::Local {
                ask: Local::into_owned(ask),
            },
            AnyAsk::Remote { ask } => AnyAsk::Remote {
                ask: Remote::into_owned(ask),
            },
        }
    }

    fn into_message<A: 'static, M: Send + 'static>(ask: AnyAsk<'_, A, M>) -> M {
        match ask {
            AnyAsk::Local { ask } => Local::into_message(ask),
            AnyAsk::Remote { ask } => Remote::into_message(ask),
        }
    }
}

/// Each method as that of the route which the handle has.
macro_rules! either {
    ($($method:ident(ask $(, $name:ident: $ty:ty)*) -> $result:ty;)*) => {$(
        fn $method(ask: Pin<&mut AnyAsk<'_, A, M>>, $($name: $ty),*) -> $result {
            match ask.project() {
                AskPlace::Local { ask } => <Local as Carries<A, M>>::$method(ask, $($name),*),
                AskPlace::Remote { ask } => <Remote as Carries<A, M>>::$method(ask, $($name),*),
            }
        }
    )*};
}

impl<A: RemoteHandler<M>, M: Send + 'static> Carries<A, M> for AnyOf {
    either! {
        poll_ask(ask, cx: &mut Context<'_>) -> Poll<AskResult<A, M>>;
        begin_limited(ask, due: Expiry, is_queued: bool) -> Option<AskResult<A, M>>;
        poll_queued(ask, cx: &mut Context<'_>) -> Poll<AskResult<A, M>>;
        poll_enqueue(ask, cx: &mut Context<'_>) -> Poll<Enqueued<A, M>>;
        expire_enqueue(ask, limit: Duration) -> Enqueued<A, M>;
        expire_ask(ask, limit: Duration) -> AskResult<A, M>;
        poll_tell(ask, cx: &mut Context<'_>) -> Poll<Result<(), TellError<M>>>;
        cancel(ask) -> Option<M>;
        expire_tell(ask, limit: Duration) -> Result<(), TellError<M>>;
    }

    fn try_tell(ask: AnyAsk<'_, A, M>) -> Result<(), TellError<M>> {
        match ask {
            AnyAsk::Local { ask } => <Local as Carries<A, M>>::try_tell(ask),
            AnyAsk::Remote { ask } => <Remote as Carries<A, M>>::try_tell(ask),
        }
    }
}
