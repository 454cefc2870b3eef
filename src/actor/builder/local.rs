//! Actors that are made where they run.

use std::future::ready;

use super::Builder;
use crate::actor::life::Factory;
use crate::actor::local_actor::LocalActor;
use crate::actor::one_thread::OneThread;
use crate::error::BoxError;
use crate::sync::Mutex;

/// # Local actors
impl<T: LocalActor> Builder<OneThread<T>> {
    /// An actor that `factory` makes on a thread of its own, where it is, runs and is dropped: so
    /// neither it nor the futures of its handlers need be [`Send`], and they may block, as those of
    /// [blocking](Builder::blocking) actors do. A panic in the factory is one in the start hook.
    /// Each call of an async handler takes one allocation more than that of another actor.
    ///
    /// ```
    /// # use greenroom::{Builder, actor};
    /// # use std::{cell::RefCell, rc::Rc};
    /// #[actor(local)]
    /// struct Drawing {
    ///     shapes: Rc<RefCell<Vec<String>>>, // shared among what is drawn
    /// }
    ///
    /// #[actor(local)]
    /// impl Drawing {
    ///     async fn draw(&mut self, shape: String) -> usize {
    ///         let shapes = Rc::clone(&self.shapes);
    ///         tokio::task::yield_now().await; // its future is not `Send` either
    ///         shapes.borrow_mut().push(shape);
    ///         self.shapes.borrow().len()
    ///     }
    /// }
    ///
    /// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
    /// let drawing = Builder::local(|| Drawing { shapes: Rc::default() }).name("plan").spawn();
    /// assert_eq!(drawing.draw("a circle".into()).await?, 1);
    /// let other = Drawing::spawn(|| Drawing { shapes: Rc::default() }); // the same in short
    /// # drop(other);
    /// # Ok(()) }
    /// ```
    pub fn local<F>(factory: F) -> Self
    where
        F: FnOnce() -> T + Send + 'static,
    {
        let factory = Mutex::new(Some(factory));
        let once = move || {
            let factory = factory.lock().take();
            let made = factory.map(|make| OneThread::new(make()));
            ready(made.ok_or_else(|| BoxError::from("it is made once")))
        };
        Self::from_factory(Factory::new(once).once())
    }

    /// As [`Builder::local`], of an actor that can be restarted: `factory` makes its state for each
    /// restart, on the same thread.
    pub fn local_restartable<F>(factory: F) -> Self
    where
        F: Fn() -> T + Send + Sync + 'static,
    {
        let make = move || ready(Ok(OneThread::new(factory())));
        Self::from_factory(Factory::new(make))
    }
}
