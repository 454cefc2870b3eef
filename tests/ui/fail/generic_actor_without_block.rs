use greenroom::actor;

#[actor]
struct Cell<T>(T);

#[greenroom::main]
async fn main() {
    let _ = Cell(1_u8).spawn();
}
