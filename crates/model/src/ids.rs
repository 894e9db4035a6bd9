//! Ids are dense indexes into the tables of a [`Catalog`](crate::Catalog).

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into its table.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A type of the type tree; 0 is the root type.
    TypeId
);
id!(
    /// A container; 0 is the root container. Ids follow the order of creation.
    ContainerId
);
id!(
    /// A value of a state, event or link type. Ids follow the order of first use.
    ValueId
);
id!(
    /// The name of an extra field that a source defines.
    FieldId
);
id!(
    /// One sequence of rows: all entities of one type in one container at one nesting depth.
    LaneId
);

impl TypeId {
    /// The root of the type tree.
    pub const ROOT: Self = Self(0);
}

impl ContainerId {
    /// The root of the container tree.
    pub const ROOT: Self = Self(0);
}

impl FieldId {
    /// The id of the `number`-th token (from 1) that a record has beyond its declared fields.
    /// Such fields are named `+1`, `+2`, ... and stand in no table.
    pub fn surplus(number: u32) -> Self {
        Self(u32::MAX - number)
    }

    /// The number of a surplus token, if this is one.
    pub fn surplus_number(self) -> Option<u32> {
        (self.0 > u32::MAX / 2).then(|| u32::MAX - self.0)
    }
}
