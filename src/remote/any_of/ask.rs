//! An ask or tell on either way.

use pin_project_lite::pin_project;

use crate::actor::{Local, Route};
use crate::remote::ask::RemoteAsk;

pin_project! {
    #[project = AskPlace]
    pub enum AnyAsk<'h, A, M>
    where
        A: 'static,
        M: Send,
        M: 'static,
    {
        Local {
            #[pin]
            ask: <Local as Route>::Ask<'h, A, M>,
        },
        Remote {
            #[pin]
            ask: RemoteAsk<'h, A, M>,
        },
    }
}
