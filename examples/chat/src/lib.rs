//! A chat server. A page lets people into rooms; each room is an actor, and so is each guest.
//!
//! ```sh
//! cd examples/chat && cargo run
//! ```

mod door;
mod guest;
mod room;

use std::time::Duration;

use axum::Router;
use axum::extract::Query;
use axum::extract::ws::{WebSocket, WebSocketUpgrade, close_code};
use axum::http::StatusCode;
use axum::response::{Html, Response};
use axum::routing::get;
use futures_util::StreamExt;
use greenroom::shutdown::Report;
use greenroom::{Builder, Error, run_until};
use serde::Deserialize;
use tokio::net::TcpListener;

use guest::{Guest, farewell};
use room::RoomHandle;
pub use room::{BEHIND, KEPT};

/// Bytes that a guest may say at once.
const SAID_MAX: usize = 4096;

/// Bytes that the name of a room or a guest may have.
const NAME_MAX: usize = 100;

/// Serves until the process is told to end; then no more guests come in, each that is there is told
/// so, and the report says whether all went well.
///
/// # Errors
///
/// When signals can't be waited for.
pub async fn serve(listener: TcpListener) -> Result<Report, Error> {
    let app = Router::new()
        .route("/", get(|| async { Html(include_str!("page.html")) }))
        .route("/talk", get(talk));
    let server = axum::serve(listener, app);
    run_until(server, Duration::from_secs(30)).await
}

#[derive(Deserialize)]
struct Wish {
    room: String,
    name: String,
}

async fn talk(Query(wish): Query<Wish>, socket: WebSocketUpgrade) -> Result<Response, StatusCode> {
    let names = [&wish.room, &wish.name];
    if names
        .iter()
        .any(|name| name.is_empty() || name.len() > NAME_MAX)
    {
        return Err(StatusCode::BAD_REQUEST);
    }
    let room = door::find(&wish.room).await;
    let room = room.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    let socket = socket.max_message_size(SAID_MAX);
    Ok(socket.on_upgrade(|socket| attend(socket, room, wish.name)))
}

/// Keeps the guest, who ends by going, by being sent away, or with the server.
async fn attend(socket: WebSocket, room: RoomHandle, name: String) {
    let (output, input) = socket.split();
    let guest = Guest {
        name: name.clone(),
        room,
        output,
        input: Some(input),
        farewell: Some(farewell(close_code::AWAY, "the server ends")),
    };
    if let Ok(guest) = Builder::new(guest).name(name).try_spawn() {
        guest.join().await;
    }
}
