//! A net in a program: `cargo run --release --example component NET.json PORT OUT`, where `pnsim flat` has made NET.json.
//!
//! Puts a token of zeros into PORT every 10 ticks, and prints when tokens leave through OUT.

use std::sync::Arc;

use engine::session::compiled::Compiled;
use engine::session::component::Component;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [net, port, out] = &words[..] else { return Err("NET.json PORT OUT".into()) };
    let compiled = Arc::new(Compiled::from_json(&std::fs::read_to_string(net)?)?);
    let mut component = Component::new(&compiled, 1).map_err(|fault| fault.id)?;
    let (port, out) = (component.place(port).ok_or("no such port")?, component.place(out).ok_or("no such port")?);
    let token = vec![0; compiled.program.places[port].width];
    for time in (0..100).map(|number| 10 * number) {
        component.put(port, time, &token).map_err(|refused| format!("{refused:?}"))?;
        component.advance(time + 10, false).map_err(|refused| format!("{refused:?}"))?;
        while let Ok(Some((left, values))) = component.take(out) {
            println!("{left} {values:?}");
        }
    }
    println!("{} firings, hash {}", component.engine().firings, component.engine().hash.0);
    Ok(())
}
