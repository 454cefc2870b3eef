//! Unix sockets that only processes of the same user can use.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};

use super::{Connection, Reach};

/// Read and write for the owner, and nothing for others.
const OWNER_ALONE: u32 = 0o600;

pub(super) async fn dial(path: &Path) -> io::Result<Connection> {
    let stream = UnixStream::connect(path).await?;
    // Who made the socket could as well be another user, who waits for secrets.
    check(&stream)?;
    Ok(Connection::new(stream, Reach::User))
}

/// Refuses a peer that is another user's.
fn check(stream: &UnixStream) -> io::Result<()> {
    // A process is its own peer, as who it runs.
    let (own, _other) = UnixStream::pair()?;
    if stream.peer_cred()?.uid() == own.peer_cred()?.uid() {
        return Ok(());
    }
    let text = "the peer belongs to another user";
    Err(io::Error::new(io::ErrorKind::PermissionDenied, text))
}

pub(in crate::remote) struct Listener {
    listener: UnixListener,
    path: PathBuf,
    /// The socket's file, as the file system knows it.
    file: Option<(u64, u64)>,
}

/// The file at that place itself, no link to another.
fn file_at(path: &Path) -> Option<(u64, u64)> {
    let file = fs::symlink_metadata(path).ok()?;
    Some((file.dev(), file.ino()))
}

impl Listener {
    pub(super) async fn bind(path: &Path) -> io::Result<Self> {
        remove_stale(path).await?;
        let listener = UnixListener::bind(path)?;
        // Others may connect before this; they are refused by their user.
        fs::set_permissions(path, Permissions::from_mode(OWNER_ALONE))?;
        Ok(Self {
            listener,
            path: path.to_owned(),
            file: file_at(path),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) async fn accept(&self) -> io::Result<Connection> {
        let (stream, _) = self.listener.accept().await?;
        check(&stream)?;
        Ok(Connection::new(stream, Reach::User))
    }
}

/// Removes a socket that nobody accepts on any more.
async fn remove_stale(path: &Path) -> io::Result<()> {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    if !is_socket {
        return Ok(());
    }
    match UnixStream::connect(path).await {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        _ => Ok(()),
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // Another may listen there by now. What is left where this fails is stale, and no harm.
        if file_at(&self.path) == self.file {
            drop(fs::remove_file(&self.path));
        }
    }
}
