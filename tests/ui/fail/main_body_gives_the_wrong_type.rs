#[greenroom::main]
async fn main() -> Result<(), std::io::Error> {
    let _ = 1;
    "done"
}
