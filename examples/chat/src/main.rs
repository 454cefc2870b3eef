//! Opens the chat on an address, by default one of this machine's own.

use greenroom::shutdown::Report;
use tokio::net::TcpListener;

#[greenroom::main]
async fn main() -> Result<Report, greenroom::Error> {
    let address = std::env::args().nth(1);
    let listener = TcpListener::bind(address.as_deref().unwrap_or("127.0.0.1:3000")).await?;
    println!("open http://{}/", listener.local_addr()?);
    let report = greenroom_chat::serve(listener).await?;
    println!("{report}");
    Ok(report)
}
