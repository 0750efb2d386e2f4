//! Any bytes as a packet capture: packets, or a fault, and never more packets than there are bytes for.

#![no_main]

use std::io::Cursor;

use capture::Capture;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for flows in [false, true] {
        let Ok(mut capture) = Capture::of(Cursor::new(bytes.to_vec()), flows) else { return };
        let mut packets = 0;
        while let Ok(read) = capture.read(7) {
            let columns = [&read.sizes, &read.captured, &read.flows, &read.protocols];
            assert!(columns.iter().all(|column| column.len() == read.times.len()));
            assert!(read.sizes.iter().chain(&read.captured).all(|&size| size >= 0));
            assert!(flows || read.flows.iter().all(|&flow| flow == 0));
            if read.times.is_empty() {
                break;
            }
            packets += read.times.len();
        }
        // The shortest packet of a file has a header of 12 bytes.
        assert!(packets <= bytes.len() / 12);
        let _ = capture.counts();
    }
});
