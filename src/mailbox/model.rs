//! Any operations in any order do to a mailbox what they do to a naive one.

mod naive;

use std::collections::BTreeMap;
use std::task::{Poll, Waker};

use proptest::prelude::*;

use self::naive::{Naive, State, Wish};
use super::testing::{Bin, PLAIN, Sender, Sent, Taker, WORD, mail, send_now};
use super::{Accepted, Lane, Mailbox, Next, Overflow, Phase, Refused, Tag};

#[derive(Clone, Debug)]
enum Step {
    Send(Tag),
    Wait(Tag),
    Reserve(usize),
    /// Of those who wait or hold, the one at this place from the front, round and round.
    Withdraw(usize),
    Fill(usize, Tag),
    GiveBack(usize),
    Notice,
    Take(usize),
    Capacity(usize),
    Close,
}

fn tags() -> impl Strategy<Value = Tag> {
    let lane = prop_oneof![
        1 => Just(Lane::Urgent),
        3 => Just(Lane::Normal),
        1 => Just(Lane::Background)
    ];
    let overflow = prop_oneof![
        4 => Just(Overflow::Wait),
        1 => Just(Overflow::Reject),
        1 => Just(Overflow::DropNewest),
        3 => Just(Overflow::DropOldest),
        3 => Just(Overflow::Latest)
    ];
    let bytes = prop_oneof![2 => Just(0), 1 => 1_usize..80];
    (lane, overflow, bytes, 0_u128..3).prop_map(|(lane, overflow, bytes, key)| Tag {
        lane,
        overflow,
        bytes,
        key,
    })
}

fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => tags().prop_map(Step::Send),
        6 => tags().prop_map(Step::Wait),
        2 => (1_usize..5).prop_map(Step::Reserve),
        3 => any::<usize>().prop_map(Step::Withdraw),
        2 => (any::<usize>(), tags()).prop_map(|(at, tag)| Step::Fill(at, tag)),
        1 => any::<usize>().prop_map(Step::GiveBack),
        1 => Just(Step::Notice),
        6 => (1_usize..8).prop_map(Step::Take),
        1 => (1_usize..9).prop_map(Step::Capacity),
    ]
}

/// The real one and the naive one, side by side.
struct Pair<'a> {
    mailbox: &'a Mailbox,
    bin: &'a Bin,
    naive: Naive,
    taker: Taker,
    /// Who waits, by number; how many slots each wants to hold.
    waiting: BTreeMap<usize, (Sender<'a>, usize)>,
    /// How many slots each holds.
    holding: BTreeMap<usize, usize>,
    /// Words and numbers are the same.
    next: usize,
}

/// The key at this place, round and round.
fn at<T>(map: &BTreeMap<usize, T>, place: usize) -> Option<usize> {
    map.keys().nth(place % map.len().max(1)).copied()
}

impl<'a> Pair<'a> {
    fn step(&mut self, step: Step) {
        self.next += 1;
        let (word, before) = (self.next, self.naive.is_attended());
        match step {
            Step::Send(tag) => {
                let real = send_now(self.mailbox, word, tag, self.bin);
                let naive = self.naive.wish(Wish::Message(word, tag), None);
                self.same(real, naive, before);
            }
            Step::Wait(tag) => {
                let mut sender = Sender::new(self.mailbox, self.bin, word);
                let real = sender.start(tag, Waker::noop());
                let naive = self.naive.wish(Wish::Message(word, tag), Some(word));
                if real == Sent::Waiting {
                    self.waiting.insert(word, (sender, 0));
                }
                self.same(real, naive, before);
            }
            Step::Reserve(slots) => self.reserve(word, slots),
            Step::Withdraw(place) => self.withdraw(place, before),
            Step::Fill(place, tag) => {
                if let Some(number) = at(&self.holding, place) {
                    self.fill(number, word, tag, before);
                }
            }
            Step::GiveBack(place) => {
                if let Some(number) = at(&self.holding, place) {
                    let slots = self.holding.remove(&number).expect("it holds");
                    let real = self.mailbox.give_back(slots, self.bin);
                    self.naive.reserved -= slots;
                    self.naive.grant();
                    self.notified(real, before);
                }
            }
            Step::Notice => {
                // SAFETY: a word is `Copy`, so both may keep it.
                let real = unsafe {
                    let envelope = mail(&mut { word }, PLAIN).envelope;
                    self.mailbox.push_notice(envelope)
                };
                let naive = self.naive.notice(word, PLAIN);
                self.either(real, naive, before);
            }
            Step::Take(times) => (0..times).for_each(|_| self.take()),
            Step::Capacity(slots) => {
                let real = self.mailbox.set_capacity(slots, self.bin);
                self.naive.capacity = slots;
                self.naive.grant();
                self.notified(real, before);
            }
            Step::Close => {
                let real = self.mailbox.close();
                self.naive.close();
                self.notified(real, before);
            }
        }
        self.compare();
    }

    fn reserve(&mut self, number: usize, slots: usize) {
        let mut sender = Sender::new(self.mailbox, self.bin, number);
        let real = sender.reserve(slots, Waker::noop());
        let naive = self.naive.wish(Wish::Slots(slots), Some(number));
        let expected = match real {
            Poll::Pending => {
                self.waiting.insert(number, (sender, slots));
                State::Waiting
            }
            Poll::Ready(Ok(())) => {
                self.holding.insert(number, slots);
                State::Granted
            }
            Poll::Ready(Err(refused)) => State::Refused(refused),
        };
        assert_eq!(expected, naive);
    }

    fn withdraw(&mut self, place: usize, before: bool) {
        let Some(number) = at(&self.waiting, place) else {
            return;
        };
        let (sender, _) = self.waiting.remove(&number).expect("it waits");
        let (phase, real) = sender.withdraw();
        assert_eq!(phase, Phase::Waiting, "who was granted is known to be");
        self.naive.line.retain(|(other, _)| *other != number);
        self.naive.grant();
        self.notified(real, before);
    }

    fn fill(&mut self, number: usize, word: usize, tag: Tag, before: bool) {
        // SAFETY: a word is `Copy`, so both may keep it; a slot is held.
        let real = unsafe { self.mailbox.fill(&mail(&mut { word }, tag), self.bin) };
        let naive = self.naive.fill(word, tag);
        if naive.is_ok() {
            let left = self.holding.get_mut(&number).expect("it holds");
            *left -= 1;
            self.holding.retain(|_, left| *left > 0);
        }
        self.either(real, naive, before);
    }

    fn take(&mut self) {
        let real = self.taker.next(self.mailbox, self.bin);
        let none = if self.naive.closed {
            Next::Closed
        } else {
            Next::Empty
        };
        assert_eq!(real, self.naive.take().ok_or(none));
    }

    fn same(&mut self, real: Sent, naive: State, before: bool) {
        match real {
            Sent::Accepted(accepted) => {
                assert_eq!(naive, State::Granted);
                self.notified(accepted, before);
            }
            Sent::Waiting => assert_eq!(naive, State::Waiting),
            Sent::Refused(refused) => assert_eq!(naive, State::Refused(refused)),
            Sent::Dropped => assert_eq!(naive, State::Dropped),
        }
    }

    fn either(&self, real: Result<Accepted, Refused>, naive: Result<(), Refused>, before: bool) {
        assert_eq!(real.as_ref().err(), naive.as_ref().err());
        if let Ok(accepted) = real {
            self.notified(accepted, before);
        }
    }

    fn notified(&self, real: Accepted, before: bool) {
        assert_eq!(real == Accepted::Notify, self.naive.notifies(before));
    }

    /// All that can be seen is the same.
    fn compare(&mut self) {
        for number in std::mem::take(&mut self.naive.granted) {
            let (sender, slots) = self.waiting.remove(&number).expect("it waits");
            assert_eq!(sender.poll(), Poll::Ready(Ok(())), "{number} was granted");
            if slots > 0 {
                self.holding.insert(number, slots);
            }
        }
        let closed = Poll::Ready(Err(Refused::Closed));
        self.waiting.retain(|_, (sender, _)| {
            let expected = if self.naive.closed {
                closed
            } else {
                Poll::Pending
            };
            assert_eq!(sender.poll(), expected);
            expected.is_pending()
        });
        let real = self.mailbox.metrics();
        let naive = &self.naive;
        assert_eq!(
            (real.capacity, real.used, real.reserved),
            (naive.capacity, naive.used(), naive.reserved)
        );
        assert_eq!(
            (real.bytes, real.waiting),
            (naive.bytes(), naive.line.len())
        );
        assert_eq!(self.bin.empty(), std::mem::take(&mut self.naive.dropped));
    }
}

fn run(capacity: usize, bytes: Option<usize>, steps: Vec<Step>) {
    let (mailbox, bin) = (Mailbox::new(capacity, bytes, WORD), Bin::default());
    let mut pair = Pair {
        mailbox: &mailbox,
        bin: &bin,
        naive: Naive::new(capacity, bytes),
        taker: Taker::new(),
        waiting: BTreeMap::new(),
        holding: BTreeMap::new(),
        next: 0,
    };
    steps.into_iter().for_each(|step| pair.step(step));
    pair.step(Step::Close);
    pair.step(Step::Take(1000));
    while !pair.holding.is_empty() {
        pair.step(Step::GiveBack(0));
    }
    assert_eq!(mailbox.metrics().used, 0);
}

/// Nothing is kept of failures: they are short enough to become tests.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn a_mailbox_does_what_a_naive_one_does(
        capacity in 1_usize..7,
        bytes in prop_oneof![Just(None), (1_usize..90).prop_map(Some)],
        steps in prop::collection::vec(steps(), 1..150),
    ) {
        run(capacity, bytes, steps);
    }
}

proptest! {
    #![proptest_config(cases(10))]

    #[test]
    fn a_mailbox_with_much_in_it_does_what_a_naive_one_does(
        steps in prop::collection::vec(steps(), 500..700),
    ) {
        run(300, None, steps);
    }
}
