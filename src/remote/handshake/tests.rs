//! What goes in comes out, and nothing else does.

use bytes::BufMut;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

use super::*;

fn hello(wish: Wish) -> Hello {
    Hello::new(wish, vec![1, 2, 3], b"0123456789abcdef")
}

fn resume() -> Wish {
    let session = RandomId::from_bytes([7; 16]);
    Wish::Resume {
        session,
        received: 1 << 40,
    }
}

fn bytes_of(hello: &Hello) -> Vec<u8> {
    let mut bytes = Vec::new();
    hello.put(&mut bytes);
    bytes
}

#[test]
fn a_greeting_is_read_as_it_was_written() {
    for wish in [Wish::New, resume()] {
        let hello = hello(wish);
        assert_eq!(Hello::take(&bytes_of(&hello)), Some(hello));
    }
}

#[test]
fn a_greeting_that_is_cut_or_longer_is_refused() {
    let mut bytes = bytes_of(&hello(resume()));
    for length in 0..bytes.len() {
        assert_eq!(Hello::take(&bytes[..length]), None, "{length}");
    }
    bytes.push(0);
    assert_eq!(Hello::take(&bytes), None);
}

#[tokio::test]
async fn both_sides_of_an_exchange_understand_each_other() {
    let (mut here, mut there) = duplex(4096);
    let welcome = Welcome {
        version: VERSION,
        session: RandomId::from_bytes([9; 16]),
        received: 12,
        terms: vec![4, 5],
    };
    for answer in [Ok(welcome), Err(Refused::Token)] {
        let asked = hello(resume());
        let answers = async {
            let heard = receive(&mut there).await.expect("it is well formed");
            send(&mut there, &answer).await.expect("it is read");
            heard
        };
        let (heard_back, heard) = tokio::join!(exchange(&mut here, &asked), answers);
        assert_eq!(heard, asked);
        assert_eq!(heard_back.expect("it is well formed"), answer);
    }
}

#[tokio::test]
async fn what_follows_a_greeting_is_left_unread() {
    let (mut here, mut there) = duplex(4096);
    let body = bytes_of(&hello(Wish::New));
    let mut bytes = b"GRNR\x01".to_vec();
    bytes.put_u16_le(u16::try_from(body.len()).expect("short"));
    bytes.extend(body);
    bytes.extend(b"frames");
    here.write_all(&bytes).await.expect("there is room");
    receive(&mut there).await.expect("it is well formed");
    drop(here);
    let mut rest = Vec::new();
    there.read_to_end(&mut rest).await.expect("it was closed");
    assert_eq!(rest, b"frames");
}

#[tokio::test]
async fn another_protocol_and_a_length_beyond_the_bound_are_refused_from_the_head() {
    for bytes in [
        &b"GET / HTTP/1.1\r\n"[..],
        b"GRNR\x01\xff\xff",
        b"GRNR\x02\x00\x00",
    ] {
        let (mut here, mut there) = duplex(4096);
        here.write_all(bytes).await.expect("there is room");
        let error = receive(&mut there).await.expect_err("no greeting");
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
    }
}
