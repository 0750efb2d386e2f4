//! Copies that go where there was something already, and take no other memory.

/// `Clone`, whose `clone_from` copies field by field into the memory of the fields. (What is derived makes a new value.)
macro_rules! clone_into_fields {
    ($type:ident $(<$of:ident : $bound:ident>)? { $($field:ident),* $(,)? }) => {
        impl $(<$of: $bound>)? Clone for $type $(<$of>)? {
            fn clone(&self) -> Self {
                Self { $($field: self.$field.clone()),* }
            }

            #[inline]
            fn clone_from(&mut self, source: &Self) {
                $(self.$field.clone_from(&source.$field);)*
            }
        }
    };
}

pub(crate) use clone_into_fields;
