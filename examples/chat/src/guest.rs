//! A guest: a person in a room, at the other end of a WebSocket.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures_util::SinkExt;
use futures_util::stream::{SplitSink, SplitStream};
use greenroom::{AskError, Context, actor};
use tokio::time::timeout;

use crate::room::{Line, NameTaken, RoomHandle};

/// How long a line may take on its way to a guest.
const PATIENCE: Duration = Duration::from_secs(10);

#[actor]
pub struct Guest {
    pub name: String,
    pub room: RoomHandle,
    pub output: SplitSink<WebSocket, Message>,
    /// Until the guest has come in.
    pub input: Option<SplitStream<WebSocket>>,
    /// What the guest is told at the end.
    pub farewell: Option<CloseFrame>,
}

#[actor]
impl Guest {
    #[on(start)]
    async fn come_in(&mut self, ctx: &mut Context<Self>) -> Result<(), AskError<NameTaken>> {
        let me = ctx.handle().erase();
        let seat = match self.room.enter(self.name.clone(), me).await {
            Ok(seat) => seat,
            Err(error) => {
                self.farewell = Some(farewell(close_code::POLICY, &error.to_string()));
                self.close().await;
                return Err(error);
            }
        };
        for line in seat.before {
            self.show(line, ctx).await;
        }
        ctx.attach(seat.lines, |line| GuestShow { line })
            .on_end(|_| GuestMustGo);
        if let Some(input) = self.input.take() {
            ctx.attach(input, |frame| GuestHear { frame: frame.ok() })
                .on_end(|_| GuestHasGone);
        }
        Ok(())
    }

    /// A line of the room's goes out. While it does, what the guest writes waits.
    async fn show(&mut self, line: Line, ctx: &mut Context<Self>) {
        let sent = timeout(PATIENCE, self.output.send(Message::text(&*line)));
        if !matches!(sent.await, Ok(Ok(()))) {
            self.has_gone(ctx);
        }
    }

    /// The guest has written something. While the room has no slot for it, nothing more is read.
    async fn hear(&mut self, frame: Option<Message>) {
        if let Some(Message::Text(text)) = frame {
            let said = self.room.say(self.name.clone(), text.to_string());
            let _ = said.tell().await;
        }
    }

    /// The room has not kept the lines that the guest was too slow to take.
    fn must_go(&mut self, ctx: &mut Context<Self>) {
        self.farewell = Some(farewell(close_code::AGAIN, "too slow for this room"));
        ctx.stop();
    }

    fn has_gone(&mut self, ctx: &mut Context<Self>) {
        self.farewell = None;
        ctx.stop();
    }

    #[on(stop)]
    async fn close(&mut self) {
        let farewell = self
            .farewell
            .take()
            .map(|frame| Message::Close(Some(frame)));
        let _ = timeout(PATIENCE, async {
            if let Some(farewell) = farewell {
                self.output.send(farewell).await?;
            }
            self.output.close().await
        })
        .await;
    }
}

pub fn farewell(code: u16, reason: &str) -> CloseFrame {
    let reason = reason.to_owned().into();
    CloseFrame { code, reason }
}
