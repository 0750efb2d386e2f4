//! Finds join trees: arcs keyed one by another, and conditions of a guard on one token, or on one and that of its parent.

use crate::base::ids::{JoinTreeId, VariableId};
use crate::net::{Expr, Op};
use crate::program::arc::{Find, InputProgram};
use crate::program::compile::transition::{constant_slot, is_bag, TransitionCompiler};
use crate::program::expression::{Bool, Comparison, Int, Real, Value};
use crate::program::join_tree::{EdgeProgram, JoinTreeProgram, NodeProgram, OrderProgram, TreeChoice};
use crate::program::ranking::Ranked;
use crate::program::transition::Selection;

/// The data of an arc of a tree.
#[derive(Default)]
struct Arc<'e> {
    known: Vec<(u32, VariableId)>,
    /// The variables of its key.
    needed: Vec<VariableId>,
    parent: Option<usize>,
    filters: Vec<&'e Expr>,
    /// Conditions on its token and that of its parent.
    pairs: Vec<&'e Expr>,
}

impl Arc<'_> {
    /// Whether nothing but a constant key decides which of its tokens may be taken.
    fn is_free(&self) -> bool {
        self.parent.is_none() && self.filters.is_empty() && self.pairs.is_empty()
    }

    fn tells(&self, variable: &VariableId) -> bool {
        self.known.iter().any(|(_, known)| known == variable)
    }

    fn tells_all(&self, variables: &[VariableId]) -> bool {
        variables.iter().all(|variable| self.tells(variable))
    }
}

/// The conditions of a conjunction.
pub fn conjuncts(guard: Option<&Expr>) -> Vec<&Expr> {
    let (mut found, mut rest) = (Vec::new(), Vec::from_iter(guard));
    while let Some(e) = rest.pop() {
        if e.op == Op::And {
            rest.extend(e.args.iter().rev());
        } else {
            found.push(e);
        }
    }
    found
}

/// The slots that have the value of a variable, with it.
fn known(input: &InputProgram) -> Vec<(u32, VariableId)> {
    let compared = input.equals.iter().filter_map(|(slot, value)| match value {
        Value::Int(Int::Var(variable)) | Value::Real(Real::Var(variable)) => Some((*slot, *variable)),
        _ => None,
    });
    input.binds.iter().copied().chain(compared).collect()
}

/// The bits that all slots of a key must have, if they are always the same.
fn fixed(input: &InputProgram) -> Option<Vec<(u32, u64)>> {
    input.equals.iter().map(constant_slot).collect()
}

impl<'b> TransitionCompiler<'b> {
    /// How bindings are counted along a tree of arcs, if there is one.
    pub fn join_tree(&mut self, inputs: &[InputProgram]) -> Option<Selection> {
        if inputs.iter().any(|arc| !is_bag(arc) && !arc.equals.is_empty()) {
            return None;
        }
        let arcs = self.arcs_of_tree(inputs)?;
        if inputs.iter().filter(|arc| is_bag(arc)).count() == 1 && arcs.iter().all(Arc::is_free) {
            return None; // an index has the tokens already, and machine code chooses one of them
        }
        let id = JoinTreeId(self.compiler.join_trees.len() as u32);
        let mut program = JoinTreeProgram {
            transition: self.id,
            nodes: Vec::new(),
            choices: Vec::new(),
            variables: self.kinds.len(),
        };
        let is_parent = |arc| arcs.iter().any(|other| other.parent == Some(arc));
        let mut numbers = vec![0; inputs.len()];
        for (number, arc) in arcs.iter().enumerate().filter(|(number, _)| is_bag(&inputs[*number])) {
            let alone = arc.parent.is_none() && arc.filters.is_empty() && !is_parent(number);
            if alone && matches!(inputs[number].find, Find::Any) {
                program.choices.push(TreeChoice::Any { arc: number, place: inputs[number].place });
                continue;
            }
            let node = self.node(inputs, &arcs, number, &numbers, program.choices.len())?;
            numbers[number] = program.nodes.len();
            program.choices.push(TreeChoice::Node(program.nodes.len()));
            if let Some(edge) = &node.edge {
                let parent = &mut program.nodes[edge.parent];
                parent.children.push(numbers[number]);
                parent.tested |= edge.test.is_some();
            }
            program.nodes.push(node);
        }
        self.enlist(&program, inputs, id);
        self.compiler.join_trees.push(program);
        Some(Selection::Tree(id))
    }

    /// The arcs with their parents and conditions, unless these make no tree.
    fn arcs_of_tree(&self, inputs: &[InputProgram]) -> Option<Vec<Arc<'b>>> {
        let mut arcs: Vec<Arc<'b>> = inputs.iter().enumerate().map(|(number, input)| self.arc(input, number)).collect();
        let bags: Vec<usize> = (0..inputs.len()).filter(|&arc| is_bag(&inputs[arc])).collect();
        for e in conjuncts(self.transition.guard.as_ref()) {
            self.assign(&mut arcs, &bags, e)?;
        }
        for (at, &arc) in bags.iter().enumerate() {
            if arcs[arc].parent.is_none() && !inputs[arc].equals.is_empty() && fixed(&inputs[arc]).is_none() {
                arcs[arc].parent =
                    Some(bags[..at].iter().copied().find(|&before| arcs[before].tells_all(&arcs[arc].needed))?);
            }
        }
        // Two arcs on one place find distinct tokens, which only an edge between them can ensure.
        let apart = |&arc: &usize| inputs[arc].before.iter().all(|&before| arcs[arc].parent == Some(before));
        bags.iter().all(apart).then_some(arcs)
    }

    fn arc(&self, input: &InputProgram, number: usize) -> Arc<'b> {
        if !is_bag(input) {
            return Arc::default();
        }
        let pattern = self.transition.inputs[number].pattern.iter();
        let needed = pattern.filter_map(|slot| slot.equal.as_ref()).flat_map(|e| self.facts(e).variables).collect();
        Arc { known: known(input), needed, ..Arc::default() }
    }

    /// Assigns a condition to its arc, or to the later of two.
    fn assign(&self, arcs: &mut [Arc<'b>], bags: &[usize], e: &'b Expr) -> Option<()> {
        let variables = self.facts(e).variables;
        if let Some(&arc) = bags.iter().find(|&&arc| arcs[arc].tells_all(&variables)) {
            arcs[arc].filters.push(e);
            return Some(());
        }
        for (at, &arc) in bags.iter().enumerate() {
            let tells = |&&before: &&usize| {
                let (own, other) = (&arcs[arc], &arcs[before]);
                own.parent.is_none_or(|parent| parent == before)
                    && other.tells_all(&own.needed)
                    && variables.iter().all(|variable| own.tells(variable) || other.tells(variable))
            };
            if let Some(&parent) = bags[..at].iter().find(tells) {
                arcs[arc].parent = Some(parent);
                arcs[arc].pairs.push(e);
                return Some(());
            }
        }
        None
    }

    fn node(
        &mut self,
        inputs: &[InputProgram],
        arcs: &[Arc],
        number: usize,
        numbers: &[usize],
        choice: usize,
    ) -> Option<NodeProgram> {
        let (input, arc) = (&inputs[number], &arcs[number]);
        let edge = match arc.parent {
            Some(parent) => Some(self.edge(inputs, arcs, number, parent, numbers[parent])?),
            None => None,
        };
        let fixed = if edge.is_none() { fixed(input)? } else { Vec::new() };
        let filters = arc.filters.iter().map(|e| self.lowering().bool(e).ok()).collect::<Option<_>>()?;
        let filter = self.compiler.condition(filters);
        let tested = edge.as_ref().is_some_and(|edge| edge.test.is_some());
        let (place, known) = (input.place, arc.known.clone());
        Some(NodeProgram { arc: number, place, known, fixed, filter, edge, children: Vec::new(), choice, tested })
    }

    fn edge(
        &mut self,
        inputs: &[InputProgram],
        arcs: &[Arc],
        number: usize,
        parent: usize,
        parent_node: usize,
    ) -> Option<EdgeProgram> {
        let input = &inputs[number];
        let mut edge = EdgeProgram {
            parent: parent_node,
            slots: input.equals.iter().map(|(slot, _)| *slot).collect(),
            wanted: input.equals.iter().map(|(_, value)| value.clone()).collect(),
            orders: Vec::new(),
            test: None,
            distinct: input.before.contains(&parent),
        };
        let mut tests = Vec::new();
        for e in &arcs[number].pairs {
            match self.comparison(&arcs[parent], &arcs[number], e) {
                Some((Comparison::Equal, wanted, Value::Int(Int::Var(variable)))) => {
                    // Tokens of one key, as a pattern would have it.
                    let (slot, _) = arcs[number].known.iter().find(|(_, known)| *known == variable)?;
                    edge.slots.push(*slot);
                    edge.wanted.push(wanted);
                }
                found => match found.and_then(ordered) {
                    Some(order) => edge.orders.push(order),
                    None => tests.push(self.lowering().bool(e).ok()?),
                },
            }
        }
        edge.test = self.compiler.condition(tests);
        Some(edge)
    }

    /// A comparison of a value of the parent's token with one of the child's, in this order.
    fn comparison(&mut self, parent: &Arc, child: &Arc, e: &Expr) -> Option<(Comparison, Value, Value)> {
        let [left, right] = &e.args[..] else { return None };
        let [first, second] = [left, right].map(|side| self.facts(side).variables);
        let straight = parent.tells_all(&first) && child.tells_all(&second);
        let crossed = parent.tells_all(&second) && child.tells_all(&first);
        if !straight && !crossed {
            return None;
        }
        let (comparison, left, right) = match self.lowering().bool(e).ok()? {
            Bool::Ints(comparison, sides) => (comparison, Value::Int(sides.0), Value::Int(sides.1)),
            Bool::Reals(comparison, sides) => (comparison, Value::Real(sides.0), Value::Real(sides.1)),
            _ => return None,
        };
        Some(if straight { (comparison, left, right) } else { (mirrored(comparison), right, left) })
    }

    /// Makes the places of a tree report their tokens to it. The tree does not use the indices of its arcs.
    fn enlist(&mut self, program: &JoinTreeProgram, inputs: &[InputProgram], id: JoinTreeId) {
        for node in &program.nodes {
            let ranked = &mut self.compiler.places[node.place.at()].ranked;
            if !ranked.contains(&Ranked::Tree(id)) {
                ranked.push(Ranked::Tree(id));
            }
            if let Find::Keyed(index) = inputs[node.arc].find {
                self.compiler.give_up(index);
            }
        }
    }
}

/// The same with its sides exchanged.
fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        Comparison::Equal | Comparison::NotEqual => comparison,
    }
}

/// An order of the values of two tokens, that of the parent first; None if the comparison is of equality.
fn ordered((comparison, threshold, rank): (Comparison, Value, Value)) -> Option<OrderProgram> {
    let (reversed, strict) = match comparison {
        Comparison::Less => (false, true),
        Comparison::LessOrEqual => (false, false),
        Comparison::Greater => (true, true),
        Comparison::GreaterOrEqual => (true, false),
        Comparison::Equal | Comparison::NotEqual => return None,
    };
    Some(OrderProgram { threshold, rank, reversed, strict })
}
