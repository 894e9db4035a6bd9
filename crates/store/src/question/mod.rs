//! Exact questions about an open store.

pub(crate) mod event_query;
pub(crate) mod link_query;
pub(crate) mod link_scan;
pub(crate) mod link_slice;
pub(crate) mod order_by_time;
pub(crate) mod scan;
pub(crate) mod share_table;
pub(crate) mod state_query;
pub(crate) mod state_scan;
pub(crate) mod state_shares;
pub(crate) mod state_time;
pub(crate) mod value_sums;
pub(crate) mod variable_query;
