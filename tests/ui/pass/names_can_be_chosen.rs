//! `name`, `method`, `prefix`, `spawn`, and the library's methods behind the user's.

use greenroom::{Handle, actor};

#[actor(spawn = start, name = "job")]
pub struct Job {
    n: u8,
}

#[actor(prefix = "")]
impl Job {
    pub fn push(&mut self, n: u8) -> u8 {
        self.n += n;
        self.n
    }

    #[message(name = Halt)]
    pub fn stop(&mut self) -> u8 {
        self.n
    }

    pub fn get_1(&self) -> u8 {
        1
    }

    #[message(name = SecondGet)]
    pub fn get1(&self) -> u8 {
        2
    }

    #[message(method = copy)]
    pub fn clone(&self) -> u8 {
        self.n
    }

    #[message(method = launch)]
    pub fn spawn(&self) -> u8 {
        3
    }

    pub fn r#type(&self, r#in: u8) -> u8 {
        r#in
    }

    pub fn id(&self) -> u8 {
        9
    }

    pub fn hash(&self) -> u8 {
        10
    }

    pub fn deref(&self) -> u8 {
        11
    }
}

#[actor(extend, prefix = "More")]
impl Job {
    pub fn push_more(&mut self, n: u8) -> u8 {
        self.push(n)
    }
}

#[greenroom::main]
async fn main() {
    let job = Job { n: 0 }.start();
    assert_eq!(job.ask(Push { n: 1 }).await.expect("lives"), 1);
    assert_eq!(job.ask(MorePushMore { n: 1 }).await.expect("lives"), 2);
    assert_eq!(job.ask(Halt).await.expect("lives"), 2);
    assert_eq!(job.stop().await.expect("lives"), 2);
    assert_eq!(job.ask(Get1).await.expect("lives"), 1);
    assert_eq!(job.ask(SecondGet).await.expect("lives"), 2);
    assert_eq!(job.copy().await.expect("lives"), 2);
    assert_eq!(job.launch().await.expect("lives"), 3);
    assert_eq!(job.ask(Type { r#in: 4 }).await.expect("lives"), 4);
    assert_eq!(job.r#type(5).await.expect("lives"), 5);
    assert_eq!(job.id().await.expect("lives"), 9);
    assert_eq!(job.hash().await.expect("lives"), 10);
    assert_eq!(job.deref().await.expect("lives"), 11);
    let other = job.clone();
    assert!(other == job);
    Handle::stop(&job);
}
