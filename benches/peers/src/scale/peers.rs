//! The members of a crowd, as each peer writes actors.

use std::sync::Arc;

use greenroom::{Builder, actor};
use tokio::sync::{mpsc, oneshot};

use super::{Counts, Crowd, Membership};
use crate::peers::{Greenroom, Raw};
use crate::workloads::CAPACITY;

#[actor]
pub struct Member {
    membership: Membership,
}

#[actor]
impl Member {
    fn ping(&self) {}

    fn post(&self) {
        self.membership.0.posts.arrive();
    }
}

impl Crowd for Greenroom {
    type Member = MemberHandle;

    fn member(crowd: Arc<Counts>) -> MemberHandle {
        let membership = Membership(crowd);
        Builder::new(Member { membership })
            .mailbox(CAPACITY)
            .spawn()
    }

    async fn ping(member: &MemberHandle) {
        member.ping().await.expect("the member answers");
    }

    async fn post(member: &MemberHandle) {
        member.post().tell().await.expect("the member lives");
    }
}

pub enum Message {
    Ping(oneshot::Sender<()>),
    Post,
}

async fn run_member(membership: Membership, mut messages: mpsc::Receiver<Message>) {
    while let Some(message) = messages.recv().await {
        match message {
            Message::Ping(reply) => {
                let _ = reply.send(());
            }
            Message::Post => membership.0.posts.arrive(),
        }
    }
}

impl Crowd for Raw {
    type Member = mpsc::Sender<Message>;

    fn member(crowd: Arc<Counts>) -> Self::Member {
        let (sender, receiver) = mpsc::channel(CAPACITY);
        tokio::spawn(run_member(Membership(crowd), receiver));
        sender
    }

    async fn ping(member: &Self::Member) {
        let (reply, answer) = oneshot::channel();
        let sent = member.send(Message::Ping(reply)).await;
        sent.expect("the member lives");
        answer.await.expect("the member answers");
    }

    async fn post(member: &Self::Member) {
        member.send(Message::Post).await.expect("the member lives");
    }
}
