//! The places of an output arc.

use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Deserializer};

use crate::base::ids::PlaceId;
use crate::net::sharing::Shareable;

/// The places of an output arc: nearly always one. Arcs that give to any place of one array share the list.
#[derive(Clone, Debug)]
pub enum Places {
    One(PlaceId),
    Several(Arc<[PlaceId]>),
}

impl Deref for Places {
    type Target = [PlaceId];

    #[inline(always)]
    fn deref(&self) -> &[PlaceId] {
        match self {
            Places::One(place) => std::slice::from_ref(place),
            Places::Several(places) => places,
        }
    }
}

impl<'de> Deserialize<'de> for Places {
    fn deserialize<D: Deserializer<'de>>(decoder: D) -> Result<Self, D::Error> {
        Ok(match Vec::deserialize(decoder)?[..] {
            [place] => Places::One(place),
            ref places => Places::Several(places.into()),
        })
    }
}

impl Shareable for Places {
    fn is_small(&self) -> bool {
        matches!(self, Places::One(_))
    }
}
