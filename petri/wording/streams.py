"""Recorded traffic: files whose rows are tokens, and errors in them."""

from __future__ import annotations

from petri.wording.entry import Replace, Wording

REACHED = "the figures cover the time up to {time}"

WORDING: dict[str, Wording] = {
    # ------------------------------------------------------------ in a net
    "stream-of-black": Wording(
        "the place `{name}` has no type, so it cannot hold rows of a file",
        "give it a record: `place {name} : {{ time: Time, size: Bytes }} = stream(…)`",
    ),
    "stream-discipline": Wording(
        "a stream keeps the order of its file, so `{name}` cannot be `{discipline}`", "a stream is `fifo`"
    ),
    "stream-per": Wording(
        "`{name}` gets its next row when it is empty, so it shows one token in any case",
        "move the rows to another place, and write `per` there",
    ),
    "stream-capacity": Wording(
        "`{name}` gets its next row when it is empty, so it needs no `cap`", "remove `cap`"
    ),
    "stream-alone": Wording(
        "a place with a stream cannot have other initial tokens",
        "put the initial tokens in another place, and let the same transitions take from both",
    ),
    "stream-argument": Wording(
        "`{text}` is not an argument of a stream",
        'write `stream("packets.csv")`, or `stream()` to name the file for each run; name other columns '
        'as `stream("packets.csv", {{time: "frame.time_epoch [s]"}})`',
    ),
    "stream-file-missing": Wording(
        "there is no file `{path}` with the rows of `{place}`",
        "or write `stream()`, and name a file for each run: `--stream {place}=FILE`",
    ),
    "stream-no-field": Wording(
        "`{field}` is not a field of `{name}`",
        Replace("did you mean `{suggestion}`?"),
        notes=("its fields are {names:and}",),
    ),
    # ------------------------------------------------------------ files for a run
    "stream-not-given": Wording(
        "`{place}` gets its tokens from a file, but no file is named",
        "name a file for this run: `--stream {place}=packets.csv`",
    ),
    "stream-unknown-place": Wording(
        "`{net}` has no place `{name}` that gets its tokens from a file",
        "did you mean `{suggestion}`?",
        notes=("these places do: {names:and}",),
    ),
    "stream-unknown-field": Wording(
        "no stream has a field `{field}`", "did you mean `{suggestion}`?", notes=("the fields are {names:and}",)
    ),
    "stream-form": Wording(
        "`{text}` does not say which {what} is meant", "write `--{option} {example}`"
    ),
    "stream-twice": Wording("`{name}` is named twice: `{first}` and `{second}`"),
    "stream-missing": Wording(
        "there is no file `{path}`", "did you mean `{suggestion}`?", "name it: `--stream {place}=FILE`"
    ),
    "stream-unreadable": Wording("`{path}` cannot be read: {reason}", notes=(REACHED,)),
    "stream-not-regular": Wording(
        "`{path}` is {kind}, and a stream is read from a regular file",
        "copy it into a file, `{command}`, or give it to `pnsim run --stream`, which does so by itself",
    ),
    "stream-compressed": Wording("`{path}` is compressed by {kind}", "unpack it first: `{command}`"),
    "stream-needs-package": Wording(
        "`{path}` is a Parquet file, but the package that reads such files is not installed",
        "install it: `pip install 'pnsim[parquet]'`",
    ),
    "stream-changed": Wording(
        "`{path}`, the rows of `{place}`, is not the file that the result was made with",
        "restore that file, or name it with `--stream {place}=FILE`",
    ),
    # ------------------------------------------------------------ columns
    "stream-no-columns": Wording(
        "`{path}` does not start with the names of its columns",
        "its first line must name them, such as `{names}`",
        notes=("it starts with `{first}`",),
    ),
    "stream-unknown-column": Wording(
        "`{path}` has no column `{column}`, which `{place}` needs",
        "did you mean `{suggestion}`?",
        "name the column: `--column {field}='NAME [UNIT]'`",
        notes=("its columns are {names:and}",),
    ),
    "stream-column-twice": Wording("`{path}` has several columns `{column}`", "give each a different name"),
    "stream-unknown-unit": Wording(
        "`{unit}` in the column `{column}` of `{path}` is not a unit", "did you mean `{suggestion}`?"
    ),
    "stream-column-unit": Wording(
        "the column `{column}` of `{path}` is in `{unit}`, which is {other}, but the field `{field}` of `{place}` is "
        "{kind}",
    ),
    "stream-whole": Wording(
        "the field `{field}` of `{place}` is an int, but the unit of column `{column}` of `{path}` needs a conversion",
        "make the field a Time, Bytes, or real",
    ),
    "stream-dimension": Wording(
        "no column of `{path}` can fill the field `{field}` of `{place}`: it is {kind}",
        "the fields of a stream must be plain numbers, Time, Bytes, Rate or Freq",
    ),
    # ------------------------------------------------------------ rows
    "stream-empty": Wording("`{path}` has no rows"),
    "stream-not-text": Wording(
        "line {line} of `{path}` is not UTF-8 text",
        "a recording is text with separated columns, Parquet, pcap or pcapng",
        notes=(REACHED,),
    ),
    "stream-long-line": Wording(
        "line {line} of `{path}` is longer than {limit} characters", "is it a table with one row on each line?",
        notes=(REACHED,),
    ),
    "stream-row": Wording("`{path}`, {where}: {reason}", notes=(REACHED,)),
    "stream-value": Wording(
        "`{path}`, {where}: `{column}` is {value} in the net's units, which is outside the range of the field",
        notes=("the range is {range}", "the least value is {low}", "the greatest value is {high}", REACHED),
    ),
    "stream-time-back": Wording(
        "`{path}`, {where}: the time decreases by {by} of the net's units",
        "sort the file by time; for captures use `reordercap in.pcap out.pcap`, which is part of Wireshark",
        notes=(REACHED,),
    ),
    # ------------------------------------------------------------ captures
    "capture-needs-native": Wording(
        "`{path}` is a capture, which this installation cannot read",
        "install pnsim with its native engine",
        "or convert it to a table: `tshark -r {path} -T fields -E header=y -E separator=, -e frame.time_relative "
        "-e frame.len`, and name its columns: `--column time=frame.time_relative --column size=frame.len`",
    ),
    "capture-unreadable": Wording("`{path}` cannot be read: {detail}", notes=(REACHED,)),
    "capture-unknown": Wording("`{path}` is not a capture that can be read", notes=("{detail}",)),
    "capture-truncated": Wording(
        "`{path}` ends within packet {packet}",
        "copy the packets before it: `editcap -r {path} whole.pcap 1-{last}`; editcap is part of Wireshark",
        notes=(REACHED,),
    ),
    "capture-damaged": Wording("`{path}` is damaged at packet {packet}: {detail}", notes=(REACHED,)),
    "capture-timeless": Wording(
        "packet {packet} of `{path}` has no time",
        "simple packet blocks have no time; capture with time stamps",
        notes=(REACHED,),
    ),
    "capture-link": Wording(
        "the flows and protocols of `{path}` cannot be determined: its type of link, {detail}, is not supported",
        "remove `flow` and `protocol` from the fields, or convert the capture to a table",
        notes=(REACHED,),
    ),
    # ------------------------------------------------------------ captures that are not all that was on the wire
    "capture-unknown-blocks": Wording(
        "`{path}`: skipped {count:block} of unknown type; packets in them are missing",
        "convert the capture: `editcap {path} new.pcapng`; editcap comes with Wireshark",
        notes=("unknown types: {types:and:}",),
    ),
    "capture-dropped": Wording(
        "`{path}`: the file says that {count:packet} got lost before reaching it",
        "capture with a larger buffer, or less of each packet",
    ),
    "capture-missing-bytes": Wording(
        "`{path}`: {count:byte} missing at the end of a section, and with them packets",
    ),
    "capture-cut": Wording("`{path}` holds {count:packet} only in part; their size is that on the wire"),
    "capture-longer": Wording(
        "`{path}` holds more bytes of {count:packet} than their size on the wire; the size on the wire is used"
    ),
    "capture-empty": Wording("`{path}` has {count:packet} of size 0"),
    "capture-not-internet": Wording(
        "`{path}` has {count:packet} without IP addresses; their flow is that of the link addresses"
    ),
    "capture-fragments": Wording(
        "`{path}` has {count:IP fragment}; their flow is that of addresses and protocol, without ports"
    ),
    "capture-no-ports": Wording(
        "`{path}` has {count:TCP or UDP packet} without ports; their flow is that of addresses and protocol"
    ),
    "capture-shared-flows": Wording(
        "`{path}` has {count:packet} in flows that share a number with another flow",
        notes=("the first 1,048,576 flows have numbers of their own",),
    ),
    "capture-interfaces": Wording(
        "`{path}` has packets of {count:interface}; a packet seen on two of them comes twice"
    ),
}  # fmt: skip
