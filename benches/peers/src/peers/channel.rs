//! The channels of actors that are written by hand.

use tokio::sync::mpsc;

/// A bounded channel with many senders and one receiver.
pub trait Channel: Send + Sync + 'static {
    /// The name of the actors that are written with it.
    const PEER: &'static str;

    type Sender<M: Send + 'static>: Clone + Send + Sync + 'static;
    type Receiver<M: Send + 'static>: Send + 'static;

    fn bounded<M: Send + 'static>(capacity: usize) -> (Self::Sender<M>, Self::Receiver<M>);
    /// Waits for room.
    fn send<M: Send + 'static>(
        sender: &Self::Sender<M>,
        message: M,
    ) -> impl Future<Output = ()> + Send;
    /// The next message; `None` once all senders have gone.
    fn receive<M: Send + 'static>(
        receiver: &mut Self::Receiver<M>,
    ) -> impl Future<Output = Option<M>> + Send;
}

/// `tokio::sync::mpsc`.
pub struct Tokio;

impl Channel for Tokio {
    const PEER: &'static str = "raw";

    type Sender<M: Send + 'static> = mpsc::Sender<M>;
    type Receiver<M: Send + 'static> = mpsc::Receiver<M>;

    fn bounded<M: Send + 'static>(capacity: usize) -> (mpsc::Sender<M>, mpsc::Receiver<M>) {
        mpsc::channel(capacity)
    }

    async fn send<M: Send + 'static>(sender: &mpsc::Sender<M>, message: M) {
        sender.send(message).await.expect("the actor lives");
    }

    async fn receive<M: Send + 'static>(receiver: &mut mpsc::Receiver<M>) -> Option<M> {
        receiver.recv().await
    }
}

/// tachyonix 0.3.
pub struct Tachyonix;

impl Channel for Tachyonix {
    const PEER: &'static str = "tachyonix";

    type Sender<M: Send + 'static> = tachyonix::Sender<M>;
    type Receiver<M: Send + 'static> = tachyonix::Receiver<M>;

    fn bounded<M: Send + 'static>(
        capacity: usize,
    ) -> (tachyonix::Sender<M>, tachyonix::Receiver<M>) {
        tachyonix::channel(capacity)
    }

    async fn send<M: Send + 'static>(sender: &tachyonix::Sender<M>, message: M) {
        sender.send(message).await.expect("the actor lives");
    }

    async fn receive<M: Send + 'static>(receiver: &mut tachyonix::Receiver<M>) -> Option<M> {
        receiver.recv().await.ok()
    }
}
