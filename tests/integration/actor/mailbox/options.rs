//! The options by which an actor and its messages say what they want.

use greenroom::{Context, Handler, Plain, actor};

use crate::actor::support::{Gate, assert_at_rest, on_each_runtime, within};

/// Drops the newest, unless a message says otherwise.
#[actor(mailbox = 2, overflow = drop_newest, mailbox_bytes = 100)]
struct Board<T = String> {
    lines: Vec<T>,
}

#[actor]
impl<T: AsRef<str> + Send + 'static> Board<T> {
    async fn hold(&mut self, gate: Gate) {
        gate.pass().await;
    }

    fn write(&mut self, line: T) {
        self.lines.push(line);
    }

    #[message(overflow = wait, bytes = line.as_ref().len())]
    fn keep(&mut self, line: T) {
        self.lines.push(line);
    }

    #[message(overflow = latest(message.0, state), lane = urgent)]
    fn replace(&mut self, message: (u8, u8), state: bool, line: T) {
        let _ = (message, state);
        self.lines.push(line);
    }

    #[message(lane = background, overflow = wait)]
    fn lines(&mut self) -> usize {
        self.lines.len()
    }
}

struct Page(u32, &'static str);

#[actor(overflow = latest(number), bytes = text.len(), lane = background)]
impl Handler<Page> for Board<String> {
    fn handle(&mut self, Page(number, text): Page) {
        self.lines.push(format!("{number}: {text}"));
    }
}

/// By hand, with nothing but what the trait asks for.
struct Plainly(String);

impl Handler<Plainly> for Board<String> {
    type Reply = ();
    type Shape = Plain;

    async fn handle(&mut self, line: Plainly, _: &mut Context<Self>) {
        self.lines.push(line.0);
    }
}

async fn busy() -> (BoardHandle, Gate) {
    let (board, gate) = (Board { lines: vec![] }.spawn(), Gate::shut());
    board.hold(gate.clone()).tell().await.unwrap();
    gate.reached().await;
    (board, gate)
}

#[test]
fn what_a_message_says_goes_before_what_its_actor_says() {
    on_each_runtime(|| async {
        let (board, gate) = busy().await;
        for line in 0..4 {
            board.write(line.to_string()).tell().await.unwrap();
        }
        assert_eq!(board.mailbox().dropped, 2);
        let refused = board.keep("kept".into()).try_tell();
        assert!(refused.unwrap_err().is_full());
        board.ask(Plainly("dropped".into())).await.unwrap_err();
        assert_eq!(board.mailbox().dropped, 3);
        gate.open();
        assert_eq!(within(board.lines()).await.unwrap(), 2);
        assert_at_rest(&board);
    });
}

#[test]
fn a_key_is_made_of_expressions_over_the_arguments() {
    on_each_runtime(|| async {
        let (board, gate) = busy().await;
        let send = |message, state| board.replace(message, state, String::new()).try_tell();
        send((1, 0), true).unwrap();
        send((1, 1), true).unwrap();
        send((2, 1), true).unwrap();
        assert_eq!(board.mailbox().dropped, 1);
        assert!(send((2, 1), false).unwrap_err().is_full());
        gate.open();
        assert_eq!(within(board.lines()).await.unwrap(), 2);
        assert_at_rest(&board);
    });
}

#[test]
fn a_handler_of_an_existing_type_takes_the_same_options() {
    on_each_runtime(|| async {
        let (board, gate) = busy().await;
        board.try_tell(Page(1, "one")).unwrap();
        board.try_tell(Page(1, "first")).unwrap();
        board.try_tell(Page(2, "second")).unwrap();
        let metrics = board.mailbox();
        assert_eq!((metrics.used, metrics.bytes, metrics.dropped), (2, 11, 1));
        gate.open();
        assert_eq!(within(board.lines()).await.unwrap(), 2);
        assert_at_rest(&board);
    });
}

#[test]
fn messages_of_two_types_have_no_key_in_common() {
    #[actor(mailbox = 4, overflow = latest)]
    struct Pair;

    #[actor]
    impl Pair {
        #[message(overflow = wait)]
        async fn hold(&mut self, gate: Gate) {
            gate.pass().await;
        }

        fn left(&mut self) {}
        fn right(&mut self) {}
    }

    on_each_runtime(|| async {
        let (pair, gate) = (Pair.spawn(), Gate::shut());
        pair.hold(gate.clone()).tell().await.unwrap();
        gate.reached().await;
        for _ in 0..10 {
            pair.left().tell().await.unwrap();
            pair.right().tell().await.unwrap();
        }
        let metrics = pair.mailbox();
        assert_eq!((metrics.used, metrics.dropped), (2, 18));
        gate.open();
        within(pair.shutdown()).await;
    });
}
