//! Sends by message value, which handles have whatever their way is.

/// Gives a handle `ask`, `tell` and `try_tell` on its route.
macro_rules! by_value {
    ($handle:ident, $route:ty) => {
        impl<A: 'static> $handle<A> {
            /// Asks by message value. Does nothing until it is awaited.
            pub fn ask<M: Send + 'static>(
                &self,
                message: M,
            ) -> $crate::actor::Request<'_, A, M, $route>
            where
                A: $crate::remote::RemoteHandler<M>,
            {
                $crate::actor::Request::new(self, message)
            }

            /// Tells by message value: done when it is accepted, here or for sending. Does nothing
            /// until it is awaited.
            pub fn tell<M: Send + 'static>(
                &self,
                message: M,
            ) -> $crate::actor::Tell<'_, A, M, $route>
            where
                A: $crate::remote::RemoteHandler<M>,
            {
                $crate::actor::Request::new(self, message).tell()
            }

            /// Tells without waiting for room.
            ///
            /// # Errors
            ///
            /// When there is no room, or it can't be sent; the message is handed back.
            pub fn try_tell<M: Send + 'static>(
                &self,
                message: M,
            ) -> Result<(), $crate::actor::TellError<M>>
            where
                A: $crate::remote::RemoteHandler<M>,
            {
                $crate::actor::Request::<A, M, $route>::new(self, message).try_tell()
            }
        }
    };
}

pub(super) use by_value;
