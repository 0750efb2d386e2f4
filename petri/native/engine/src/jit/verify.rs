//! Whether transitions with one shape key have one code, which is what `unit` takes for granted. Tests ask for it: what
//! emission reads and `shape_key` does not describe shows here, if two transitions differ in it.

use crate::base::ids::TransitionId;
use crate::engine::run::Engine;
use crate::jit::profile::Profile;
use crate::jit::shape_key::ShapeKey;
use crate::jit::shapes::{Alike, Described, Piece, Shapes};
use crate::jit::unit::{on_large_stack, Generator};
use crate::observe::observer::Observer;
use crate::program::Program;

/// Writes the code of every transition of an engine's program, and holds it against that of the first one with the same
/// shape key: it must be the same, and have the holes that are told from the first one's. Returns how many transitions
/// have the key of another. Nothing is compared, and the number is 0, where this machine or the engine's type has no code.
///
/// # Errors
/// What differs first, in words.
pub fn verify_shapes<O: Observer>(engine: &Engine<O>) -> Result<usize, String> {
    if !O::COMPILES {
        return Ok(0);
    }
    let (program, profile) = (&*engine.program, Profile::of(engine));
    on_large_stack(|| Some(compare(Generator::new::<O>(program, &profile)?, program, &profile))).unwrap_or(Ok(0))
}

fn compare(mut generator: Generator, program: &Program, profile: &Profile) -> Result<usize, String> {
    let (mut shapes, mut alike, mut shared) = (Shapes::default(), Alike::default(), 0);
    for id in (0..program.transitions.len() as u32).map(TransitionId) {
        let Some(key) = ShapeKey::of(program, Some(profile), id) else { continue };
        let own = generator.parts(&mut shapes, &Piece::all_of(id));
        match alike.parts(&key) {
            None => alike.keep(&key, id, &own),
            Some((_, told)) if told == own => shared += 1,
            Some((first, told)) => return Err(difference(&mut generator, program, [first, id], [&told, &own])),
        }
    }
    Ok(shared)
}

/// What differs first between the pieces that the key of two transitions tells of the second one, and its own.
fn difference(
    generator: &mut Generator,
    program: &Program,
    [first, second]: [TransitionId; 2],
    [told, own]: [&[Described]; 2],
) -> String {
    let name = |id: TransitionId| &program.transitions[id].name;
    let mut text = format!("`{}` and `{}` have one shape key, but", name(first), name(second));
    let pieces = Piece::all_of(first).into_iter().zip(Piece::all_of(second)).zip(told.iter().zip(own));
    for ((one, other), (told, own)) in pieces.filter(|(_, (told, own))| told != own) {
        text += &format!(" `{}` differs: ", one.name());
        text += &if told.0 == own.0 {
            format!("holes {:?}, and not {:?}", own.1, told.1)
        } else {
            let ((one, _), (other, _)) = (generator.text(one), generator.text(other));
            let line = one.lines().zip(other.lines()).find(|(one, other)| one != other);
            line.map_or("one ends before the other".to_owned(), |(one, other)| format!("\n{one}\n{other}\n"))
        };
    }
    text
}
