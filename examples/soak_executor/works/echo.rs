//! Round trips over loopback, some of them cut short.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::class::Class;
use crate::ledger::Entry;
use crate::rng::Rng;
use crate::stage::Stage;

/// Round trips of a connection, and the longest message in bytes.
const TRIPS: u64 = 64;
const MESSAGE_BYTES_MAX: u64 = 8 * 1024;

pub async fn echo(stage: Arc<Stage>, mut rng: Rng) {
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let listener = Arc::new(listener);
    while stage.goes_on() {
        let mut tasks = Vec::new();
        for _ in 0..stage.batch.div_ceil(8) {
            let listener = Arc::clone(&listener);
            let server = greenroom::spawn(async move { serve(&listener).await });
            let stream = TcpStream::connect(address)
                .await
                .expect("the server accepts");
            let (stage, rng) = (Arc::clone(&stage), rng.fork());
            let client = greenroom::spawn(async move {
                ask(&stage, stream, rng).await.expect("the server answers");
            });
            tasks.push((server, client));
        }
        for (server, client) in tasks {
            if rng.below(8) == 0 {
                client.abort();
            }
            let _ = client.await;
            // A reset is how a client that was aborted ends.
            assert!(server.await.is_ok());
        }
    }
}

async fn serve(listener: &TcpListener) -> io::Result<()> {
    let (mut stream, _) = listener.accept().await?;
    let mut buffer = vec![0; MESSAGE_BYTES_MAX as usize];
    loop {
        let count = stream.read(&mut buffer).await?;
        if count == 0 {
            return Ok(());
        }
        stream.write_all(&buffer[..count]).await?;
    }
}

async fn ask(stage: &Stage, mut stream: TcpStream, mut rng: Rng) -> io::Result<()> {
    // A port is free again at once.
    stream.set_zero_linger()?;
    for _ in 0..TRIPS {
        let entry: Entry = stage.begin(Class::Echo);
        let length = 1 + rng.below(MESSAGE_BYTES_MAX);
        let message: Vec<u8> = (0..length).map(|byte| byte as u8).collect();
        stream.write_all(&message).await?;
        let mut back = vec![0; message.len()];
        stream.read_exact(&mut back).await?;
        assert!(back == message, "another message came back");
        entry.complete();
    }
    Ok(())
}
