//! What the compilers of transitions and probes share: indices, joins, gauges and watches, each made when first asked for.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::base::fault::{LoadError, Loaded};
use crate::base::ids::{GaugeId, IndexId, JoinId, LinesId, PlaceId, TransitionId};
use crate::collections::key_table::Extent;
use crate::net::{Colour, Discipline, Expr, Kind, Place, SetArc, Slot, Span, Tokens, Transition};
use crate::program::analysis::{Facts, Range, Ranges};
use crate::program::called::Called;
use crate::program::expression::{Bool, Value};
use crate::program::index::{IndexProgram, MOST_LINKS};
use crate::program::initial::initial_tokens;
use crate::program::join::JoinProgram;
use crate::program::join_tree::JoinTreeProgram;
use crate::program::lower::Lowering;
use crate::program::place::{whole_weight, Bound, Initial, LinesProgram, PlaceKind, PlaceProgram, Weight};
use crate::program::ranking::{MatchProgram, RankingProgram};
use crate::program::transition::TransitionProgram;
use crate::program::watch::{Dependent, EnabledBy, Gauge, ShownValues, Watch};
use crate::program::without::Without;

/// Key spaces up to this size are numbered directly, without a hash.
const DIRECT_LIMIT: u64 = 1 << 16;
/// Greater key spaces are, too, if they have at most this number of keys for each token of the initial marking.
const DIRECT_SHARE: u64 = 4;

/// Collects the data that transitions need while they are compiled.
pub struct Compiler {
    /// Those of the places.
    pub colours: Vec<Colour>,
    /// Of each place, the transition that takes from it, by its arcs alone; of several, or one that empties it, none of the net's.
    pub takers: Vec<Option<TransitionId>>,
    pub own_transitions: usize,
    pub tables: usize,
    pub without: Without,
    /// Bindings of transitions that wait for decisions are listed (I13), which joins and trees cannot do.
    pub lists_decisions: bool,
    pub spans: Vec<Span>,
    pub places: Vec<PlaceProgram>,
    pub lines: Vec<LinesProgram>,
    pub indices: Vec<IndexProgram>,
    /// How many users each index has.
    askers: Vec<usize>,
    index_of: HashMap<(PlaceId, Vec<u32>), IndexId>,
    pub joins: Vec<JoinProgram>,
    pub matches: Vec<MatchProgram>,
    pub join_trees: Vec<JoinTreeProgram>,
    pub rankings: Vec<RankingProgram>,
    /// How many expressions have a number ([`Called`]).
    pub called_numbers: usize,
    gauges: usize,
    /// The gauge of the load of each place, or `GaugeId::NONE`.
    loads: Vec<GaugeId>,
    watches: Vec<(GaugeId, Watch)>,
    dependents: BTreeMap<(GaugeId, TransitionId), Dependent>,
    /// What delivers the tokens of outputs with a delay.
    pub deliveries: Vec<TransitionProgram>,
}

impl Compiler {
    /// A condition that is evaluated as tokens come: all of these.
    pub fn condition(&mut self, all: Vec<Bool>) -> Option<Called> {
        let condition = Called::all_of(all, self.called_numbers)?;
        self.called_numbers += 1;
        Some(condition)
    }

    /// A value of a token that is evaluated as it comes and goes.
    pub fn value_of_token(&mut self, of: Value) -> Called {
        self.called_numbers += 1;
        Called { number: self.called_numbers - 1, of }
    }

    /// For a net with these places and this number of transitions and tables. `lined`: the places with `per`, in the order in which their
    /// fronts are the last places of the net. `slot_ranges`: the values that a token may have in each slot of each place.
    pub fn new(
        places: Vec<Place>,
        [own_transitions, tables]: [usize; 2],
        lined: &[PlaceId],
        slot_ranges: Vec<Vec<Range>>,
        without: Without,
    ) -> Loaded<Self> {
        let number = places.len();
        let mut compiler = Compiler {
            colours: places.iter().map(|place| place.colour.clone()).collect(),
            takers: vec![None; number],
            own_transitions,
            tables,
            without,
            lists_decisions: false,
            spans: Vec::new(),
            places: Vec::with_capacity(number),
            lines: Vec::new(),
            indices: Vec::new(),
            askers: Vec::new(),
            index_of: HashMap::new(),
            joins: Vec::new(),
            matches: Vec::new(),
            join_trees: Vec::new(),
            rankings: Vec::new(),
            called_numbers: 0,
            gauges: number,
            loads: vec![GaugeId::NONE; number],
            watches: Vec::new(),
            dependents: BTreeMap::new(),
            deliveries: Vec::new(),
        };
        let mut known = HashMap::new();
        for (place, ranges) in places.into_iter().zip(slot_ranges) {
            let capacity = capacity(&place)?;
            let alike = (place.colour.identity(), place.discipline, capacity);
            let known: &mut Option<Like> = known.entry(alike).or_default();
            let program = compiler.place(&place, ranges, capacity, known.as_ref())?;
            let (initial, kind) = (Arc::clone(&program.initial), Arc::clone(&program.kind));
            *known = Some(Like { tokens: place.initial, initial, kind });
            compiler.places.push(program);
        }
        for (front, &place) in (number - lined.len()..).zip(lined) {
            compiler.line_up(place, PlaceId(front as u32));
        }
        Ok(compiler)
    }

    /// Notes which transitions take from which places.
    pub fn note_takers(&mut self, transitions: &[Box<Transition>]) {
        for (id, transition) in transitions.iter().enumerate() {
            let id = TransitionId(id as u32);
            let inputs = transition.inputs.iter().filter(|arc| !arc.keep).map(|arc| arc.place);
            let emptied = transition.resets.iter().copied().chain(transition.sets.iter().map(|set| set.place));
            for (place, by_arc) in inputs.map(|place| (place, true)).chain(emptied.map(|place| (place, false))) {
                let Some(taker) = self.takers.get_mut(place.at()) else { continue };
                let alone = by_arc && taker.is_none_or(|other| other == id);
                *taker = Some(if alone { id } else { TransitionId(u32::MAX) });
            }
        }
    }

    /// How many variables the expressions of a transition have, with the slots of a token of a set.
    pub fn variables_of(&self, transition: &Transition) -> usize {
        let width = |arc: &SetArc| self.colours.get(arc.place.at()).map_or(0, |colour| colour.slots.len());
        transition.variables.len() + transition.sets.iter().map(width).max().unwrap_or(0)
    }

    pub fn lowering(&mut self, kinds: Vec<Kind>) -> Lowering<'_> {
        let (places, tables) = (self.colours.len(), self.tables);
        Lowering { spans: &mut self.spans, places, tables, kinds, ranges: Ranges(&[]) }
    }

    /// The tokens of a place form lines, which the place `front` shows.
    fn line_up(&mut self, place: PlaceId, front: PlaceId) {
        let id = LinesId(self.lines.len() as u32);
        self.places[place.at()].lines = Some(id);
        self.places[front.at()].fronts = Some(id);
        let slots = self.places[place.at()].per.to_vec();
        let extents = self.extents(place, &slots);
        let discipline = self.places[place.at()].discipline;
        self.lines.push(LinesProgram { place, front, discipline, slots, extents, values: None });
    }

    /// `like`: a place of the same colour, discipline and capacity.
    fn place(
        &mut self,
        place: &Place,
        ranges: Vec<Range>,
        capacity: Option<u64>,
        like: Option<&Like>,
    ) -> Loaded<PlaceProgram> {
        let initial = match like {
            Some(like) if like.tokens.is(&place.initial) => Arc::clone(&like.initial),
            _ => initial_tokens(place)?.into(),
        };
        let kind = match like {
            Some(like) if like.is_kind_of(place, &ranges) => Arc::clone(&like.kind),
            _ => Arc::new(self.kind(place, ranges, capacity)?),
        };
        let holds =
            |(_, token): &(u64, Vec<u64>)| kind.bounds.iter().zip(token).all(|(bound, &value)| bound.holds(value));
        if !initial.iter().all(holds) {
            return Err(LoadError(format!("a token of `{}` begins outside the range of its slot", place.name)));
        }
        Ok(PlaceProgram { name: place.name.as_str().into(), initial, most: None, kind })
    }

    fn kind(&mut self, place: &Place, ranges: Vec<Range>, capacity: Option<u64>) -> Loaded<PlaceKind> {
        let slots = &place.colour.slots;
        let (key, key_fails) = match &place.key {
            Some(key) if place.discipline == Discipline::Key && !slots.is_empty() => {
                let fails = place.keys().any(|key| Ranges(&ranges).facts(key).fails);
                let mut lowering = self.lowering(slots.iter().map(|slot| slot.kind).collect());
                (Some(lowering.key(key, &place.then)?), fails)
            }
            None if place.discipline == Discipline::Key && !slots.is_empty() => {
                return Err(LoadError(format!("place `{}` lacks its key", place.name)));
            }
            _ => (None, false),
        };
        let bound = |slot: &Slot| Bound {
            name: slot.name.clone(),
            real: slot.kind == Kind::Real,
            low: slot.low,
            high: slot.high,
        };
        let weight = place.weight.as_ref().map(|weight| self.weight(&ranges, place, weight)).transpose()?;
        Ok(PlaceKind {
            width: slots.len(),
            capacity,
            reals: slots.iter().map(|slot| slot.kind == Kind::Real).collect(),
            discipline: place.discipline,
            key: key.map(Box::new),
            key_fails,
            weight: weight.map(Box::new),
            indices: Vec::new(),
            pivots: Vec::new(),
            ranked: Vec::new(),
            per: place.per.clone().into(),
            lines: None,
            fronts: None,
            identified: false,
            bounds: slots.iter().map(bound).collect(),
            ranges: ranges.into(),
        })
    }

    /// The weight of the tokens of a place.
    fn weight(&mut self, ranges: &[Range], place: &Place, weight: &Expr) -> Loaded<Weight> {
        let facts = Ranges(ranges).facts(weight);
        let mut lowering = self.lowering(place.colour.slots.iter().map(|slot| slot.kind).collect());
        let value = lowering.value(weight, weight.kind)?;
        let mut slots: Vec<usize> = facts.variables.iter().map(|slot| slot.at()).collect();
        slots.sort_unstable();
        slots.dedup();
        Ok(Weight { value, slots, fails: facts.fails })
    }

    /// An index over some slots of a place; made when first asked for.
    pub fn index(&mut self, place: PlaceId, slots: Vec<u32>) -> IndexId {
        let known = self.index_of.get(&(place, slots.clone())).copied();
        let id = known.unwrap_or_else(|| self.new_index(place, slots));
        self.askers[id.at()] += 1;
        id
    }

    /// One user of an index is gone.
    pub fn give_up(&mut self, index: IndexId) {
        self.askers[index.at()] -= 1;
    }

    /// Removes the indices without users from places.
    pub fn drop_unused_indices(&mut self) {
        let askers = &self.askers;
        let is_unused = |id: &IndexId| askers[id.at()] == 0;
        for place in self.places.iter_mut().filter(|place| place.indices.iter().any(is_unused)) {
            place.indices.retain(|id| !is_unused(id));
        }
    }

    /// The ranges of slots of a place, where their values are few enough that keys are numbered directly.
    fn extents(&self, place: PlaceId, slots: &[u32]) -> Option<Vec<Extent>> {
        let kinds = &self.colours[place.at()].slots;
        let ranges: Vec<Range> = slots.iter().map(|&slot| self.places[place.at()].ranges[slot as usize]).collect();
        let most = DIRECT_LIMIT.max(DIRECT_SHARE * self.places[place.at()].initial.len() as u64);
        let size = ranges.iter().try_fold(1u64, |size, (low, high)| {
            size.checked_mul(u64::try_from(high - low + 1).ok()?).filter(|&size| size <= most)
        });
        let whole = slots.iter().all(|&slot| kinds[slot as usize].kind != Kind::Real);
        let extent = |&(low, high): &Range| Extent { low: low as i64, size: (high - low + 1) as u64 };
        (whole && size.is_some() && !self.without.upkeep).then(|| ranges.iter().map(extent).collect())
    }

    fn new_index(&mut self, place: PlaceId, slots: Vec<u32>) -> IndexId {
        let extents = self.extents(place, &slots);
        let id = IndexId(self.indices.len() as u32);
        let seated = self.places[place.at()].discipline == Discipline::Bag;
        self.indices.push(IndexProgram { place, slots: slots.clone(), extents, seated, links: Vec::new() });
        self.askers.push(0);
        self.places[place.at()].indices.push(id);
        self.index_of.insert((place, slots), id);
        id
    }

    /// Makes another index like this one unless this one can serve `links` more links: the links of one join that share a place
    /// must share its index.
    pub fn reserve(&mut self, place: PlaceId, index: IndexId, links: usize) {
        let slots = self.indices[index.at()].slots.clone();
        let index = self.index(place, slots.clone());
        if self.indices[index.at()].links.len() + links > MOST_LINKS {
            self.new_index(place, slots);
        }
    }

    /// Makes an index serve a link of a join, or another index like it if this one already serves as many as it can. Returns
    /// the index that serves the link, and the number of the link there.
    pub fn serve(&mut self, place: PlaceId, index: IndexId, join: JoinId, link: usize) -> (IndexId, usize) {
        let slots = self.indices[index.at()].slots.clone();
        let mut index = self.index(place, slots.clone());
        if self.indices[index.at()].links.len() == MOST_LINKS {
            index = self.new_index(place, slots);
        }
        let links = &mut self.indices[index.at()].links;
        links.push((join, link));
        (index, links.len() - 1)
    }

    /// The gauge of a place's load; made when first asked for.
    pub fn load_gauge(&mut self, place: PlaceId) -> GaugeId {
        let load = &mut self.loads[place.at()];
        if *load == GaugeId::NONE {
            *load = GaugeId(self.gauges as u32);
            self.gauges += 1;
        }
        *load
    }

    pub fn watch(&mut self, gauge: GaugeId, watch: Watch) {
        if !self.without.upkeep {
            self.watches.push((gauge, watch));
        }
    }

    /// Looks at a transition again when a gauge changes, unless by an arrival that cannot matter to it.
    pub fn depend(&mut self, gauge: GaugeId, dependent: Dependent) {
        if self.without.upkeep {
            return;
        }
        let entry = self.dependents.entry((gauge, dependent.transition)).or_insert(dependent);
        entry.depth = entry.depth.max(dependent.depth);
        entry.only = entry.only.filter(|only| Some(*only) == dependent.only);
        if entry.enabled_by != dependent.enabled_by {
            entry.enabled_by = EnabledBy::Either;
        }
    }

    /// Gives a gauge of its own to each value that transitions look for in a front: what they watch and depend on is that gauge.
    fn part_fronts(&mut self) {
        let mut parted = BTreeMap::new();
        for lines in &mut self.lines {
            let front = GaugeId::tokens(lines.front);
            let end = TransitionId(u32::MAX);
            let of_front = self.dependents.range((front, TransitionId(0))..=(front, end));
            let only: Vec<_> = of_front.filter_map(|((_, id), one)| one.only.map(|only| (*id, only))).collect();
            let Some(values) = ShownValues::of(&only, self.gauges) else { continue };
            self.gauges += values.count;
            for (id, (_, bits)) in only.into_iter().filter(|one| one.1 .0 == values.slot) {
                let Some(gauge) = values.gauge_of(bits) else { continue };
                if let Some(dependent) = self.dependents.remove(&(front, id)) {
                    self.dependents.insert((gauge, id), Dependent { only: None, ..dependent });
                }
                parted.insert((front, id), gauge);
            }
            lines.values = Some(values);
        }
        for (gauge, watch) in self.watches.iter_mut().filter(|one| !one.1.below) {
            *gauge = parted.get(&(*gauge, watch.transition)).copied().unwrap_or(*gauge);
        }
    }

    /// Sorts watches and dependents by gauge.
    pub fn wire(&mut self) -> (Vec<Gauge>, Vec<Watch>, Vec<Dependent>) {
        self.part_fronts();
        let nothing = Gauge { top: 0, watches: (0, 0), dependents: (0, 0), load: GaugeId::NONE };
        let mut gauges = vec![nothing; self.gauges];
        for (gauge, load) in gauges.iter_mut().zip(&self.loads) {
            gauge.load = *load;
        }
        self.watches.sort_by_key(|(gauge, watch)| (*gauge, watch.threshold, watch.transition));
        let mut watches = Vec::with_capacity(self.watches.len());
        for (gauge, watch) in std::mem::take(&mut self.watches) {
            let gauge = &mut gauges[gauge.at()];
            if gauge.watches.1 == 0 {
                gauge.watches.0 = watches.len() as u32;
            }
            watches.push(watch);
            gauge.watches.1 = watches.len() as u32;
            gauge.top = gauge.top.max(watch.threshold);
        }
        let mut dependents = Vec::with_capacity(self.dependents.len());
        for ((gauge, _), dependent) in std::mem::take(&mut self.dependents) {
            let gauge = &mut gauges[gauge.at()];
            if gauge.dependents.1 == 0 {
                gauge.dependents.0 = dependents.len() as u32;
            }
            dependents.push(dependent);
            gauge.top = u64::MAX;
            gauge.dependents.1 = dependents.len() as u32;
        }
        (gauges, watches, dependents)
    }

    /// The known properties of an expression whose variables have these ranges.
    pub fn facts(&self, e: &Expr, ranges: &[Range]) -> Facts {
        Ranges(ranges).facts(e)
    }
}

/// The number of tokens that a place has room for, or their weight.
fn capacity(place: &Place) -> Loaded<Option<u64>> {
    let Some(capacity) = place.capacity else { return Ok(None) };
    if place.weight.is_some() {
        return Ok(Some(whole_weight(capacity)));
    }
    let number = capacity.as_int().and_then(|number| u64::try_from(number).ok());
    number.map(Some).ok_or_else(|| LoadError("a capacity that is no number of tokens".into()))
}

/// The last place of a colour, a discipline and a capacity.
struct Like {
    tokens: Tokens,
    initial: Initial,
    kind: Arc<PlaceKind>,
}

impl Like {
    /// Whether another such place is of the same kind.
    fn is_kind_of(&self, place: &Place, ranges: &[Range]) -> bool {
        let plain = |key: bool, weight: bool| !key && !weight;
        plain(place.key.is_some(), place.weight.is_some())
            && plain(self.kind.key.is_some(), self.kind.weight.is_some())
            && *self.kind.per == *place.per
            && *self.kind.ranges == *ranges
    }
}

#[cfg(test)]
mod tests {
    use crate::program::Program;

    /// Places of a colour share their kind, but for keys.
    #[test]
    fn a_keyed_place_needs_its_key_whatever_stands_before_it() {
        let key = r#""key":{"op":"var","kind":"int","value":0}"#;
        let place = |name: &str, key: &str| {
            format!(r#"{{"name":"{name}","colour":{{"slots":[{{"name":"x"}}]}},"discipline":"key"{key}}}"#)
        };
        let load = |first: &str, second: &str| {
            let text = format!(r#"{{"places":[{},{}],"transitions":[]}}"#, place("a", first), place("b", second));
            Program::from_json(&text).map(|_| ()).map_err(|error| error.0)
        };
        let (with, lacks) = (format!(",{key}"), |name| Err(format!("place `{name}` lacks its key")));
        assert_eq!(load(&with, &with), Ok(()));
        assert_eq!((load(&with, ""), load("", &with)), (lacks("b"), lacks("a")));
    }
}
