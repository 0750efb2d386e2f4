//! Text by other ways of reading it: the same rows and the same problems, however little of it comes at a time.

use std::io::{self, Cursor, Read, Write};

use recording::slots::Slot;
use recording::text::{Field, Text};
use recording::LONGEST_RECORD;

/// Hands over so many bytes at a time.
struct Slow(Cursor<Vec<u8>>, usize);

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(buffer.len());
        self.0.read(&mut buffer[..count])
    }
}

/// The words of an int and a relative real, and what is wrong behind them.
fn read(text: &[u8], bytes: usize, most: usize) -> (Vec<u64>, String) {
    let slot = Slot { times: 1.0, over: 1.0, ..Slot::default() };
    let real = Slot { real: true, ordered: true, ..slot };
    let mut file = match Text::of(Box::new(Slow(Cursor::new(text.to_vec()), bytes))) {
        Ok(file) => file,
        Err(problem) => return (vec![], format!("{problem:?}")),
    };
    let fields = [(0, slot, false), (1, real, true)];
    let field =
        |(index, slot, relative)| Field { index, slot, relative, time: true, seconds: true, ..Field::default() };
    file.fill(fields.map(field).to_vec());
    let mut words = Vec::new();
    loop {
        let rows = file.read(most);
        words.extend(rows.words);
        if rows.ended || rows.problem.is_some() {
            return (words, format!("{:?}", rows.problem));
        }
    }
}

fn utf16(text: &str) -> Vec<u8> {
    std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect()
}

const ROWS: &str = "n,x\r\n1,10\n\n# none\r2,\"10.5\"\r\n\"3\",11\r 4 ,\"1,\n2\"\n";

#[test]
fn rows_do_not_depend_on_what_is_read_at_a_time() {
    let (words, problem) = read(ROWS.as_bytes(), 1 << 20, 100);
    assert_eq!(words, [1, 0, 2, 0.5_f64.to_bits(), 3, 1_f64.to_bits()]);
    assert!(problem.contains("line: 7") && problem.contains("Grouped"), "{problem}");
    for bytes in [1, 2, 3, 7] {
        for most in [1, 2, 100] {
            for text in [ROWS.as_bytes().to_vec(), utf16(ROWS)] {
                assert_eq!(read(&text, bytes, most), (words.clone(), problem.clone()), "{bytes} {most}");
            }
        }
    }
}

#[test]
fn damaged_units_are_no_text() {
    let odd = [utf16("n,x\n1,2\n3,4"), vec![0]].concat();
    let half = [utf16("n,x\n1,2\n3,4"), vec![0xD8, 0]].concat();
    let lone = [utf16("n,x\n1,2\n3,"), vec![0xDC, 0, 0, b'\n']].concat();
    for text in [odd, half, lone, b"n,x\n1,2\n3,\0\n".to_vec(), b"n,x\n1,2\n3,\xC3".to_vec()] {
        for bytes in [1, 100] {
            assert_eq!(read(&text, bytes, 9), (vec![1, 0], "Some(NotText(3))".to_owned()));
        }
    }
}

#[test]
fn a_record_has_as_many_characters_as_it_may() {
    for wide in ["x", "€", "🂡"] {
        let row =
            |characters: usize| format!("n,x\n1,2\n3,4,{}\n", wide.repeat(characters - 5)).replacen(",x", ",x,y", 1);
        assert_eq!(read(row(LONGEST_RECORD).as_bytes(), 1 << 20, 9).1, "None");
        assert_eq!(read(row(LONGEST_RECORD + 1).as_bytes(), 1 << 20, 9).1, "Some(Long(3))");
        let quoted = format!("n,x,y\n1,2,\"{}\"\n", format!("{wide}\n").repeat(LONGEST_RECORD / 2));
        assert_eq!(read(quoted.as_bytes(), 1 << 20, 9).1, "Some(Long(2))");
    }
}

#[test]
fn what_gzip_has_packed_is_read_from_file() {
    let folder = std::env::temp_dir().join(format!("recording-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("rows.csv.gz");
    let member = |text: &str| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(text.as_bytes()).expect("room");
        packer.finish().expect("room")
    };
    let whole = [member("n,x\n1,"), member("2\n")].concat();
    for (bytes, wrong) in [(&whole[..], false), (&whole[..whole.len() - 9], true)] {
        std::fs::write(&path, bytes).expect("room");
        let mut text = Text::open(&path).expect("a header");
        let slot = Slot { times: 1.0, over: 1.0, ..Slot::default() };
        text.fill(vec![Field { slot, ..Field::default() }]);
        let rows = text.read(9);
        assert_eq!((rows.words, rows.problem.is_some()), (vec![1], wrong));
    }
    std::fs::remove_dir_all(folder).expect("its own folder");
}
