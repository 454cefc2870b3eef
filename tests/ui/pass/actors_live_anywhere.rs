//! In modules, away from their type's module, in function bodies, made by `macro_rules!`.

use greenroom::actor;

mod model {
    #[greenroom::actor]
    pub(crate) struct Job {
        pub(crate) n: u8,
    }

    pub mod deep {
        #[greenroom::actor]
        impl super::Job {
            pub(crate) async fn get(&mut self) -> u8 {
                self.secret(1).await
            }

            async fn secret(&mut self, n: u8) -> u8 {
                self.n + n
            }
        }

        pub(super) async fn asks_privately(job: &super::JobHandle) -> u8 {
            job.secret(2).await.expect("lives")
        }
    }

    pub(crate) async fn asks(job: &JobHandle) -> u8 {
        deep::asks_privately(job).await
    }
}

macro_rules! cell {
    ($name:ident, $held:ty) => {
        #[actor]
        struct $name {
            held: $held,
        }

        #[actor]
        impl $name {
            fn get(&self) -> $held {
                self.held.clone()
            }
            async fn set(&mut self, held: $held) {
                self.held = held;
            }
        }
    };
}

cell!(Text, String);
cell!(List, Vec<u8>);

#[actor]
struct Quiet;

#[actor]
impl Quiet {}

fn handles_are_plain_values<T: Clone + Eq + std::hash::Hash + std::fmt::Debug + Send + Sync>(_: T) {
}

#[greenroom::main]
async fn main() {
    #[actor]
    struct Inner(u8);

    #[actor]
    impl Inner {
        fn get(&self) -> u8 {
            self.0
        }
    }

    let job = model::Job { n: 1 }.spawn();
    assert_eq!(job.get().await.expect("lives"), 2);
    assert_eq!(model::asks(&job).await, 3);
    let text = Text {
        held: String::new(),
    }
    .spawn();
    text.set("x".to_owned()).await.expect("lives");
    assert_eq!(text.get().await.expect("lives"), "x");
    let list = List { held: vec![] }.spawn();
    list.set(vec![1]).await.expect("lives");
    assert_eq!(list.get().await.expect("lives"), [1]);
    assert_eq!(Inner(4).spawn().get().await.expect("lives"), 4);
    handles_are_plain_values(Quiet.spawn());
}
