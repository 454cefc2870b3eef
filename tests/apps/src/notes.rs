//! Notes in SQLite: a database whose calls block, off the workers.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension, params};
use tokio::task::spawn_blocking;

#[derive(Debug, Clone)]
pub struct Notes {
    connection: Arc<Mutex<Connection>>,
}

impl Notes {
    /// Opens a database in memory.
    pub async fn open() -> rusqlite::Result<Self> {
        let connection = blocking(|| {
            let connection = Connection::open_in_memory()?;
            connection.execute_batch(
                "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)",
            )?;
            Ok(connection)
        });
        Ok(Self {
            connection: Arc::new(Mutex::new(connection.await?)),
        })
    }

    /// Writes a note, returns its number.
    pub async fn add(&self, text: String) -> rusqlite::Result<i64> {
        self.with(move |connection| {
            connection.execute("INSERT INTO notes (text) VALUES (?1)", params![text])?;
            Ok(connection.last_insert_rowid())
        })
        .await
    }

    /// Reads a note.
    pub async fn get(&self, id: i64) -> rusqlite::Result<Option<String>> {
        self.with(move |connection| {
            let mut statement =
                connection.prepare_cached("SELECT text FROM notes WHERE id = ?1")?;
            statement
                .query_row(params![id], |row| row.get(0))
                .optional()
        })
        .await
    }

    /// Counts the notes.
    pub async fn count(&self) -> rusqlite::Result<i64> {
        self.with(|connection| {
            connection.query_row("SELECT count(*) FROM notes", [], |row| row.get(0))
        })
        .await
    }

    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> rusqlite::Result<T> {
        let connection = Arc::clone(&self.connection);
        blocking(move || work(&mut connection.lock().unwrap_or_else(PoisonError::into_inner))).await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> rusqlite::Result<T> + Send + 'static,
) -> rusqlite::Result<T> {
    spawn_blocking(work).await.expect("the work does not panic")
}
