//! The way to a room: by its name, which the registry keeps.

use greenroom::{Builder, Error, LookupError, SpawnErrorKind, registry};

use crate::room::{Room, RoomHandle};

/// The room of this name. The first who comes opens it, and it ends with its last guest: a name
/// keeps no actor, and guests do.
pub async fn find(name: &str) -> Result<RoomHandle, Error> {
    let name = format!("room {name}");
    loop {
        match registry().get::<Room>(&name) {
            Ok(room) => return Ok(room),
            Err(LookupError::NotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let room = Builder::new(Room::default()).register(name.clone());
        match room.try_spawn() {
            Ok(room) => return Ok(room),
            // Somebody else has opened it just now, or its last guest leaves.
            Err(error) if matches!(error.kind(), SpawnErrorKind::NameTaken { .. }) => {
                greenroom::yield_now().await;
            }
            Err(error) => return Err(error.kind().into()),
        }
    }
}
