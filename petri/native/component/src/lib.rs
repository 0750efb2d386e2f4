//! The C interface of `include/pnsim.h`, without Python.
//!
//! Handles are numbers of a table, each with the count of how often its row was used: one that was freed is refused. A
//! panic, which would be a defect of the engine, is a failure of the call and does not reach the host.

mod failure;
mod nets;

use std::ffi::{c_char, CStr};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::slice::{from_raw_parts, from_raw_parts_mut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use engine::base::ids::PlaceId;

use crate::failure::{last, Code, Failure};
use crate::nets::{Instance, Net};

const OK: i32 = 0;
const OUTPUT: i32 = 1;

#[derive(Clone)]
enum Held {
    Net(Arc<Net>),
    Instance(Arc<Mutex<Instance>>),
}

/// What handles stand for, and how often each row has been given away.
static TABLE: RwLock<Vec<(u32, Option<Held>)>> = RwLock::new(Vec::new());

fn keep(held: Held) -> u64 {
    let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
    let row = table.iter().position(|(uses, held)| held.is_none() && *uses < u32::MAX).unwrap_or_else(|| {
        table.push((0, None));
        table.len() - 1
    });
    table[row] = (table[row].0 + 1, Some(held));
    u64::from(table[row].0) << 32 | row as u64
}

fn held(handle: u64) -> Result<Held, Failure> {
    let table = TABLE.read().unwrap_or_else(PoisonError::into_inner);
    let row = table.get(handle as u32 as usize).filter(|row| is_of(handle, row));
    row.and_then(|(_, held)| held.clone()).ok_or_else(no_handle)
}

/// Takes out of the table what a handle stands for: looked up and taken in one go, as another thread may free it, too.
fn free(handle: u64) -> Result<Held, Failure> {
    let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
    let row = table.get_mut(handle as u32 as usize).filter(|row| is_of(handle, row));
    row.and_then(|(_, held)| held.take()).ok_or_else(no_handle)
}

/// Whether a row of the table has not been given away again since the handle was.
fn is_of(handle: u64, row: &(u32, Option<Held>)) -> bool {
    u64::from(row.0) == handle >> 32
}

fn no_handle() -> Failure {
    Failure::of(Code::Handle, "component-handle", &[])
}

fn instance(handle: u64) -> Result<Arc<Mutex<Instance>>, Failure> {
    match held(handle)? {
        Held::Instance(instance) => Ok(instance),
        Held::Net(_) => Err(no_handle()),
    }
}

fn locked(instance: &Mutex<Instance>) -> MutexGuard<'_, Instance> {
    instance.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does a call; its code.
fn call(work: impl FnOnce() -> Result<i32, Failure>) -> i32 {
    let done = catch_unwind(AssertUnwindSafe(work));
    let defect = || Err(Failure::of(Code::Model, "component-stopped", &[]));
    done.unwrap_or_else(|_| defect()).unwrap_or_else(Failure::tell)
}

/// Does a call on an instance.
fn call_on(handle: u64, work: impl FnOnce(&mut Instance) -> Result<i32, Failure>) -> i32 {
    call(|| {
        let instance = instance(handle)?;
        let mut one = locked(&instance);
        work(&mut one)
    })
}

fn wrong_argument() -> Failure {
    Failure::of(Code::Argument, "component-argument", &[])
}

/// Writes a result of a call.
///
/// # Safety
/// The pointer is null, or a value can be written there.
unsafe fn give<T>(to: *mut T, value: T) -> Result<(), Failure> {
    if to.is_null() {
        return Err(wrong_argument());
    }
    // SAFETY: the caller guarantees it.
    unsafe { to.write(value) };
    Ok(())
}

/// # Safety
/// The pointer is null, or that of a text that ends with 0.
unsafe fn text<'a>(from: *const c_char) -> Result<&'a str, Failure> {
    if from.is_null() {
        return Err(wrong_argument());
    }
    // SAFETY: the caller guarantees it.
    unsafe { CStr::from_ptr(from) }.to_str().map_err(|_| wrong_argument())
}

/// # Safety
/// There are `count` values at the pointer, or it is null.
unsafe fn values<'a>(from: *const f64, count: usize) -> Result<&'a [f64], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    if from.is_null() {
        return Err(wrong_argument());
    }
    // SAFETY: the caller guarantees it.
    Ok(unsafe { from_raw_parts(from, count) })
}

/// # Safety
/// There is room for `count` values at the pointer, or it is null.
unsafe fn room<'a>(at: *mut f64, count: usize) -> &'a mut [f64] {
    if at.is_null() || count == 0 {
        return &mut [];
    }
    // SAFETY: the caller guarantees it.
    unsafe { from_raw_parts_mut(at, count) }
}

/// # Safety
/// There are `length` bytes at `json`, and room for a handle at `net`.
#[no_mangle]
pub unsafe extern "C" fn pnsim_load(json: *const c_char, length: usize, net: *mut u64) -> i32 {
    call(|| {
        if json.is_null() || net.is_null() {
            return Err(wrong_argument());
        }
        // SAFETY: the caller guarantees it.
        let bytes = unsafe { from_raw_parts(json.cast::<u8>(), length) };
        let text = std::str::from_utf8(bytes).map_err(|error| Failure::refused(&error.to_string()))?;
        let loaded = Held::Net(Arc::new(Net::of(text)?));
        // SAFETY: the caller guarantees it.
        unsafe { give(net, keep(loaded)) }?;
        Ok(OK)
    })
}

/// # Safety
/// There is room for a handle at `made`.
#[no_mangle]
pub unsafe extern "C" fn pnsim_new(net: u64, seed: u64, made: *mut u64) -> i32 {
    call(|| {
        let Held::Net(net) = held(net)? else { return Err(no_handle()) };
        // SAFETY: the caller guarantees it.
        unsafe { give(made, 0) }?;
        let instance = Held::Instance(Arc::new(Mutex::new(Instance::new(net, seed)?)));
        // SAFETY: as above.
        unsafe { give(made, keep(instance)) }?;
        Ok(OK)
    })
}

#[no_mangle]
pub extern "C" fn pnsim_free(handle: u64) -> i32 {
    call(|| {
        drop(free(handle)?); // when the table is free again
        Ok(OK)
    })
}

/// # Safety
/// `name` ends with 0, and there is room for the results.
#[no_mangle]
pub unsafe extern "C" fn pnsim_place(handle: u64, name: *const c_char, place: *mut u32, values: *mut usize) -> i32 {
    call(|| {
        // SAFETY: the caller guarantees it.
        let name = unsafe { text(name) }?;
        let (found, slots) = match held(handle)? {
            Held::Net(net) => net.place(name)?,
            Held::Instance(instance) => locked(&instance).net.place(name)?,
        };
        // SAFETY: the caller guarantees it.
        unsafe { give(place, found) }?;
        if !values.is_null() {
            // SAFETY: the caller guarantees it.
            unsafe { give(values, slots) }?;
        }
        Ok(OK)
    })
}

/// # Safety
/// There are `count` values at `token`.
#[no_mangle]
pub unsafe extern "C" fn pnsim_put(handle: u64, port: u32, time: f64, token: *const f64, count: usize) -> i32 {
    call_on(handle, |one| {
        // SAFETY: the caller guarantees it.
        let words = one.net.words(port, unsafe { values(token, count) }?)?;
        let ticks = one.net.ticks(time)?;
        let done = one.component.put(PlaceId(port), ticks, &words);
        done.map_err(|refused| one.failure(refused, port, ticks))?;
        Ok(OK)
    })
}

/// # Safety
/// There is room for a time.
#[no_mangle]
pub unsafe extern "C" fn pnsim_next(handle: u64, time: *mut f64) -> i32 {
    call_on(handle, |one| {
        let next = one.component.next_event();
        // SAFETY: the caller guarantees it.
        unsafe { give(time, one.net.time(next)) }?;
        Ok(OK)
    })
}

/// # Safety
/// There is room for a time at `reached`, or it is null.
#[no_mangle]
pub unsafe extern "C" fn pnsim_advance(handle: u64, until: f64, stops: i32, reached: *mut f64) -> i32 {
    call_on(handle, |one| {
        let ticks = one.net.ticks(until)?;
        let done = one.component.advance(ticks, stops != 0);
        let now = done.map_err(|refused| one.failure(refused, u32::MAX, ticks))?;
        if !reached.is_null() {
            // SAFETY: the caller guarantees it.
            unsafe { give(reached, one.net.time(now)) }?;
        }
        Ok(if now < ticks { OUTPUT } else { OK })
    })
}

/// # Safety
/// There is room for a time, and for `size` values at `token`.
#[no_mangle]
pub unsafe extern "C" fn pnsim_take(handle: u64, port: u32, time: *mut f64, token: *mut f64, size: usize) -> i32 {
    call_on(handle, |one| {
        let net = Arc::clone(&one.net);
        let width = net.compiled.program.places.get(port as usize).map_or(0, |place| place.width);
        // SAFETY: the caller guarantees it.
        let token = unsafe { room(token, size) };
        if token.len() < width {
            return Err(wrong_argument());
        }
        match one.component.take(PlaceId(port)) {
            Ok(None) => Ok(OK),
            Ok(Some((left, words))) => {
                net.values(port, words, token)?;
                if !time.is_null() {
                    // SAFETY: the caller guarantees it.
                    unsafe { give(time, net.time(left)) }?;
                }
                Ok(OUTPUT)
            }
            Err(refused) => Err(one.failure(refused, port, 0)),
        }
    })
}

/// # Safety
/// There is room for a handle.
#[no_mangle]
pub unsafe extern "C" fn pnsim_snapshot(handle: u64, snapshot: *mut u64) -> i32 {
    call_on(handle, |one| {
        // SAFETY: the caller guarantees it.
        unsafe { give(snapshot, 0) }?;
        let component = one.component.snapshot().map_err(|refused| one.failure(refused, u32::MAX, 0))?;
        let copy = Instance { net: Arc::clone(&one.net), component };
        // SAFETY: the caller guarantees it.
        unsafe { give(snapshot, keep(Held::Instance(Arc::new(Mutex::new(copy))))) }?;
        Ok(OK)
    })
}

#[no_mangle]
pub extern "C" fn pnsim_restore(handle: u64, snapshot: u64) -> i32 {
    call(|| {
        let (instance, from) = (instance(handle)?, instance(snapshot)?);
        if Arc::ptr_eq(&instance, &from) {
            return Ok(OK);
        }
        // In the order of their addresses, so that two threads do not wait for each other.
        let (mut one, other);
        if Arc::as_ptr(&instance) < Arc::as_ptr(&from) {
            one = locked(&instance);
            other = locked(&from);
        } else {
            other = locked(&from);
            one = locked(&instance);
        }
        let done = one.component.restore(&other.component);
        done.map_err(|refused| one.failure(refused, u32::MAX, 0))?;
        Ok(OK)
    })
}

/// # Safety
/// There is room for `size` values, and for a number.
#[no_mangle]
pub unsafe extern "C" fn pnsim_marking(
    handle: u64,
    place: u32,
    token: *mut f64,
    size: usize,
    tokens: *mut usize,
) -> i32 {
    call_on(handle, |one| {
        let (net, engine) = (&one.net, one.component.engine());
        // SAFETY: the caller guarantees it.
        let room = unsafe { room(token, size) };
        net.values(place, &[], &mut [])?;
        let count = engine.marking.places[PlaceId(place)].tokens as usize;
        if net.compiled.program.places[PlaceId(place)].width > 0 {
            net.values(place, &engine.marking.listed(&engine.program, PlaceId(place)).concat(), room)?;
        }
        // SAFETY: the caller guarantees it.
        unsafe { give(tokens, count) }?;
        Ok(OK)
    })
}

/// # Safety
/// `figure` ends with 0, and there is room for a value.
#[no_mangle]
pub unsafe extern "C" fn pnsim_figure(handle: u64, figure: *const c_char, value: *mut f64) -> i32 {
    call_on(handle, |one| {
        // SAFETY: the caller guarantees it.
        let asked = unsafe { text(figure) }?;
        let found = one.figure(asked);
        let found = found.ok_or_else(|| Failure::of(Code::Name, "component-figure", &[("name", asked)]))?;
        // SAFETY: the caller guarantees it.
        unsafe { give(value, found) }?;
        Ok(OK)
    })
}

/// # Safety
/// There is room for a number.
#[no_mangle]
pub unsafe extern "C" fn pnsim_hash(handle: u64, hash: *mut u64) -> i32 {
    call_on(handle, |one| {
        // SAFETY: the caller guarantees it.
        unsafe { give(hash, one.component.engine().hash.0) }?;
        Ok(OK)
    })
}

/// # Safety
/// There is room for `room` bytes.
#[no_mangle]
pub unsafe extern "C" fn pnsim_message(to: *mut c_char, room: usize) -> usize {
    last(|text| {
        if !to.is_null() && room > 0 {
            let length = text.len().min(room - 1);
            // SAFETY: the caller guarantees it.
            unsafe {
                to.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), length);
                to.add(length).write(0);
            }
        }
        text.len()
    })
}
