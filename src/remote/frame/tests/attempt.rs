//! Bytes that nobody vouches for, read as frames. The fuzz target `frames` runs this too.

use bytes::BytesMut;

use crate::remote::frame::{Frame, Record, Records};
use crate::remote::limits::PAYLOAD_BYTES;

/// Reads `data` as frames, and as records without one. What is read is written as it was.
pub(crate) fn attempt(data: &[u8]) {
    let mut input = BytesMut::from(data);
    while let Ok(Some(mut frame)) = Frame::take(&mut input, PAYLOAD_BYTES) {
        while !frame.records.is_empty() && frame.records.take().is_ok() {}
    }
    let mut records = Records::new(data.to_vec().into(), 0, PAYLOAD_BYTES);
    let mut again = BytesMut::new();
    while !records.is_empty() {
        let Ok(record) = records.take() else { break };
        record.put(&mut again);
    }
    assert_eq!(
        again,
        data[..again.len()],
        "there is one way to write a record"
    );
}

impl Record {
    /// Appends the record.
    pub(crate) fn put(&self, into: &mut BytesMut) {
        let payload = match self {
            Self::Ask { payload, .. }
            | Self::Tell { payload, .. }
            | Self::Reply { payload, .. }
            | Self::Error { payload, .. }
            | Self::LookUp { payload, .. }
            | Self::Found { payload, .. }
            | Self::Down { payload, .. }
            | Self::Chunk { payload, .. } => payload,
            _ => &[][..],
        };
        self.put_head(payload.len(), into);
        into.extend_from_slice(payload);
    }
}
