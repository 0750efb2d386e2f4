"""Input that is wrong, one test for each kind: the message says what and where, the exit status what kind of wrong."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import petri

from .calling import Call

Write = Callable[..., str]

RING = """net ring
time ns
param rate = 2 in 1..10   ## how fast
place here = token
place there
transition go: here -> there  takes 1 ns / rate
transition back: there -> here  takes exp(2 ns)
measure goes = rate(go)
run until 1 us
"""


# ---------------------------------------------------------------- what cannot be read


@pytest.mark.parametrize("command", ["run", "info", "flat", "draw", "why"])
def test_a_missing_net(call: Call, command: str) -> None:
    outcome = call(command, "no_such_thing")
    assert outcome.status == 2
    assert outcome.err.startswith("error[unknown-net]: there is no net `no_such_thing`")
    assert outcome.out == ""


def test_a_net_that_is_nearly_there(call: Call, write: Write) -> None:
    path = write(RING, "ring.net")
    outcome = call("run", path.replace("ring", "rnig"))
    assert outcome.status == 2
    assert "did you mean" in outcome.err
    assert "ring.net" in outcome.err
    assert "did you mean `patterns/mm1`?" in call("run", "nm1").err


def test_a_name_means_a_file_unless_the_library_has_it(
    call: Call, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ring").mkdir()
    for name in ("ring.net", "mm1.net"):
        write(RING, name)
    write("net: ring\nreplications: 2\n", "rings.yaml")
    assert call("run", "ring").err == ""
    assert petri.load("ring").net.measures[0].name == "goes"
    assert "goes" in call("sweep", "rings.yaml").out
    library = call("run", "mm1", "--until", "10")
    assert "note[library-net-meant]: `mm1` is the net of the library, not the file `mm1.net`" in library.err
    assert "goes" not in library.out
    assert "library-net-meant" not in call("run", "mm1", "--until", "10", "--quiet").err
    assert "goes" in call("run", "mm1.net", "--quiet").out


@pytest.mark.parametrize("command", ["check", "fmt"])
def test_a_missing_file(call: Call, command: str) -> None:
    outcome = call(command, "no_such_thing.net")
    assert outcome.status == 2
    assert "error[file-missing]" in outcome.out + outcome.err


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("run", "file-is-folder]: `.` is a folder, not a net"),
        ("check", "no-net-in-folder]: there is no net in the folder `.`"),
        ("fmt", "no-net-in-folder]: there is no net in the folder `.`"),
    ],
)
def test_a_folder(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, error: str) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = call(command, ".")
    assert outcome.status == 2
    assert f"error[{error}" in outcome.out + outcome.err


@pytest.mark.parametrize("command", ["run", "check", "fmt"])
def test_a_binary_file(call: Call, tmp_path: Path, command: str) -> None:
    path = tmp_path / "picture.net"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    outcome = call(command, str(path))
    assert outcome.status == 2
    assert "it looks like a PNG picture" in outcome.out + outcome.err


def test_a_net_of_another_program(call: Call, write: Write) -> None:
    outcome = call("run", write('*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n*Edges\n1 2\n'))
    assert outcome.status in (1, 2)
    assert "Pajek" in outcome.err


def test_an_unreadable_file(call: Call, tmp_path: Path) -> None:
    outcome = call("run", str(tmp_path / ("x" * 300)))
    assert outcome.status == 2
    assert outcome.err.startswith("error[")


# ---------------------------------------------------------------- what is wrong with a net


def test_errors_of_the_net_are_all_told(call: Call, write: Write) -> None:
    wrong = RING.replace("there ->", "their ->").replace("exp(2 ns)", "exp(2 nanos)")
    for command in ("run", "info", "check"):
        outcome = call(command, write(wrong))
        assert outcome.status == 1
        text = outcome.out + outcome.err
        assert "`their`" in text
        assert "`nanos`" in text
        assert "test.net:7:" in text


def test_a_unit_that_does_not_fit(call: Call, write: Write) -> None:
    outcome = call("run", write(RING.replace("exp(2 ns)", "exp(2 B)")))
    assert outcome.status == 1
    assert "Bytes" in outcome.err
    assert "Time" in outcome.err


# ---------------------------------------------------------------- parameters and options


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("rade=3", "did you mean `rate`?"),
        ("rate=11", "must be in 1..10"),
        ("rate=fast", "rate"),
        ("rate=3 ns", "rate"),
        ("rate=3 +", "rate"),
        ("rate", "`--set rate` has no value"),
        ("=3", "`--set =3` has no name"),
        ("rate=", "`--set rate=` has no value"),
    ],
)
def test_a_parameter_that_does_not_fit(call: Call, write: Write, setting: str, message: str) -> None:
    outcome = call("run", write(RING), "--set", setting)
    assert outcome.status == 2
    assert message in outcome.err
    assert outcome.out == ""


def test_a_parameter_that_is_set_twice(call: Call, write: Write) -> None:
    outcome = call("run", write(RING), "--set", "rate=3", "--set", "rate=4")
    assert outcome.status == 2
    assert "`rate` is set twice" in outcome.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--until", "20 parsec"], "there is no unit `parsec`"),
        (["--until", "20 B"], "Bytes"),
        (["--until", "-5 ns"], "5"),
        (["--until", "soon"], "soon"),
        (["--until", "10 ns", "--warmup", "20 ns"], "warm-up"),
        (["--unitl", "1 us"], "did you mean `--until`?"),
        (["--seed", "x"], "--seed"),
        (["--seed", "-1"], "--seed"),
        (["--replications", "0"], "--replications"),
        (["--replications", "1000000000"], "--replications"),
        (["--max-instant", "99999999999999999999"], "--max-instant"),
        (["--engine", "warp"], "--engine"),
        (["--max-tokens", "0"], "--max-tokens"),
        (["--trace", "trace.txt"], "the name must end in `.csv`"),
        (["--trace", "trace"], "the name must end in `.csv`"),
        (["extra"], "extra"),
    ],
)
def test_an_option_that_does_not_fit(call: Call, write: Write, options: list[str], message: str) -> None:
    outcome = call("run", write(RING), *options)
    assert outcome.status == 2
    assert message in outcome.err
    assert outcome.out == ""


def test_no_end_is_given(call: Call, write: Write) -> None:
    outcome = call("run", write(RING.replace("run until 1 us", "")))
    assert outcome.status == 2
    assert "does not specify when a run ends" in outcome.err


def test_files_that_cannot_be_written(call: Call, write: Write, tmp_path: Path) -> None:
    net = write(RING)
    nowhere = tmp_path / "nowhere"
    outcome = call("run", net, "--trace", str(nowhere / "trace.csv"))
    assert (outcome.status, outcome.out) == (2, "")
    assert "cannot be written: there is no such folder" in outcome.err
    outcome = call("draw", net, "-o", str(nowhere / "net.svg"))
    assert outcome.status == 2
    assert "cannot be written" in outcome.err
    outcome = call("draw", net, "-o", "net.gif")
    assert outcome.status == 2
    assert "must end in `.svg`, `.dot`, `.pdf` or `.png`" in outcome.err


@pytest.mark.parametrize(
    ("name", "hint"),
    [("rnu", "did you mean `pnsim run`?"), ("my.net", "pnsim run my.net"), ("xyzzy", "the commands are `run`")],
)
def test_a_command_that_does_not_exist(call: Call, name: str, hint: str) -> None:
    outcome = call(name)
    assert outcome.status == 2
    assert hint in outcome.err


def test_a_missing_argument(call: Call) -> None:
    outcome = call("run")
    assert outcome.status == 2
    assert "usage: pnsim run [OPTIONS] [NET]" in outcome.err


# ---------------------------------------------------------------- what goes wrong inside a running model


def test_a_loop_that_takes_no_time(call: Call, write: Write) -> None:
    net = write("net loop\nplace a = token\nplace b\ntransition t: a -> b\ntransition u: b -> a\nrun until 1\n")
    outcome = call("run", net, "--max-instant", "1000")
    assert outcome.status == 3
    assert "more than 1,000 firings at one instant" in outcome.err
    assert "`t` and `u`" in outcome.err
    assert "PARTIAL RESULTS" in outcome.out


def test_a_loop_of_one_transition(call: Call, write: Write) -> None:
    outcome = call("run", write("net loop\nplace a = token\ntransition t: a -> a\nrun until 1\n"), "--max-instant", "9")
    assert outcome.status == 3
    assert "the loop consists of `t`:" in outcome.err


def test_a_distribution_is_called_by_its_word(call: Call, write: Write) -> None:
    net = write(
        "net low\nplace a : int = 2\ntransition t: a(n) -> a(m) draw m ~ uniform(1..n - 2) takes 1\nrun until 9\n"
    )
    outcome = call("run", net)
    assert outcome.status == 3
    assert "`uniform` has a parameter outside its domain" in outcome.err
    assert "hint: it needs low <= high" in outcome.err


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("replications", ["1", "3"])
def test_a_rate_beyond_all_doubles(call: Call, write: Write, tmp_path: Path, replications: str) -> None:
    net = write(
        "net quick\nplace a = token\ntransition t: a -> a takes 0.5\nmeasure r = rate(t, 1e308 * 1.5)\nrun until 1\n"
    )
    outcome = call("run", net, "--quiet", "-n", replications, "--report", str(tmp_path / "r.html"))
    assert (outcome.status, outcome.err) == (0, "")
    assert "∞" in outcome.out


def test_an_overflow(call: Call, write: Write) -> None:
    net = write("net grow\nplace a : int = 1\ntransition t: a(n) -> a(n * 1000) takes 1\nrun until 100\n")
    outcome = call("run", net)
    assert outcome.status == 3
    assert "error[int-overflow]" in outcome.err
    assert "test.net:3:25" in outcome.err
    assert "at time 6, when transition `t` was about to fire" in outcome.err
    assert "PARTIAL RESULTS: stopped by an error in the model at time 6" in outcome.out


def test_an_initial_token_whose_key_has_no_value(call: Call, write: Write) -> None:
    net = write("net key\nplace q : int by 1 div value = 0\ntransition t: q(n) -> nothing\nrun until 10\n")
    for engine in ("reference", "auto"):
        outcome = call("run", net, "--engine", engine)
        assert outcome.status == 1
        assert "error[division-by-zero]" in outcome.err
        assert "test.net:2:18" in outcome.err


def test_too_many_tokens(call: Call, write: Write) -> None:
    net = write("net flood\nplace a = token\nplace b\ntransition t: a -> a, b takes 1\nrun until 1000\n")
    outcome = call("run", net, "--max-tokens", "50")
    assert outcome.status == 3
    assert "the net would hold more than 50 tokens" in outcome.err


def test_a_limit_of_firings(call: Call, write: Write) -> None:
    outcome = call("run", write(RING), "--max-firings", "20")
    assert outcome.status == 3
    assert "PARTIAL RESULTS: stopped by a limit" in outcome.out
    assert "stopped after 20 firings" in outcome.err


def test_a_dead_net_says_what_each_transition_lacks(call: Call, write: Write) -> None:
    net = write(
        """net dead
place left = token
place right = token
place odd : int = 3
transition l: left -> right takes 2
transition r: right, left, left -> nothing takes 2
transition o: odd(x) -> odd(x) when x == 4 takes 1
run until 20
"""
    )
    outcome = call("run", net)
    assert outcome.status == 0
    assert "The net died at 2: no transition can fire." in outcome.out
    story = outcome.out[outcome.out.index("The net died") :]
    assert "needs a token in left, which is empty" in story
    assert "its guard `x == 4` is false" in story


@pytest.mark.parametrize(
    ("name", "meant"),
    [("simulate", "run"), ("lint", "check"), ("trace", "run NET --trace trace.csv"), ("swep", "sweep")],
)
def test_a_command_of_another_name_is_suggested(call: Call, name: str, meant: str) -> None:
    outcome = call(name, "mm1")
    assert outcome.status == 2
    assert f"did you mean `pnsim {meant}`?" in outcome.err


def test_a_failed_expectation(call: Call, write: Write) -> None:
    net = write(RING.replace("measure goes = rate(go)", "measure goes = rate(go)  expect < 1 kHz"))
    outcome = call("run", net)
    assert outcome.status == 1
    assert re.search(r"✗ FAILED: measured \S+ \S+, expected < 1 k/s", outcome.out)
    assert "✗ the expectation FAILED" in outcome.out


# ---------------------------------------------------------------- faults of the program itself


def test_an_unexpected_error_is_one_line(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    from petri import library

    def fail() -> list[str]:
        raise ZeroDivisionError("of the program itself")

    monkeypatch.setattr(library, "net_names", fail)
    outcome = call("list")
    assert outcome.status == 3
    assert outcome.err.splitlines()[0] == "error[program-fault]: ZeroDivisionError: of the program itself"
    assert "PNSIM_DEBUG=1" in outcome.err


def test_an_interrupt_within_another_error_is_an_interrupt(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python before 3.12 makes a RuntimeError of a Ctrl-C that comes while a class is made."""
    from petri import library

    class Interrupting:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    def interrupted() -> list[str]:
        try:
            type("Any", (), {"x": Interrupting()})
        except KeyboardInterrupt as error:
            raise RuntimeError("Error calling __set_name__") from error
        return []

    monkeypatch.setattr(library, "net_names", interrupted)
    outcome = call("list")
    assert outcome.status == 130
    assert outcome.err.startswith("error[interrupted]")


def test_debugging_shows_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    from petri import library
    from pnsim.main import main

    def fail() -> list[str]:
        raise ZeroDivisionError

    monkeypatch.setattr(library, "net_names", fail)
    monkeypatch.setenv("PNSIM_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["list"])


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (MemoryError(), "not enough memory"),
        (OSError(errno.ENOMEM, "Cannot allocate memory", "nets"), "not enough memory"),
        (RecursionError(), "nested too deeply"),
    ],
)
def test_exhaustion_is_told_as_such(call: Call, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str) -> None:
    from petri import library

    def fail() -> list[str]:
        raise error

    monkeypatch.setattr(library, "net_names", fail)
    assert told in call("list").err


def test_no_memory_is_told_even_where_there_is_none_for_the_message(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from petri import library
    from pnsim.main import main

    def fail(*_: object) -> list[str]:
        raise MemoryError

    monkeypatch.setattr(library, "net_names", fail)
    monkeypatch.setattr("pnsim.terminal.failing.tell", fail)
    with pytest.raises(SystemExit) as ended:
        main(["list"])
    assert ended.value.code == 3
    assert capfd.readouterr().err == "error[out-of-memory]: there is not enough memory for this run\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run",), "`NET` is missing"),
        (("fmt",), "`FILE` is missing"),
        (("run", "mm1", "--json", "-"), "unexpected argument `-`"),
        (("run", "mm1", "--json=-"), "`--json` takes no value"),
        (("run", "mm1", "-n"), "`-n` needs a value after it"),
        (("run", "mm1", "--save-at", "3"), "`--save-at` needs 2 values after it"),
        (("run", "mm1", "-n", "0"), "`--replications` is 1 to 100,000, not `0`"),
        (("run", "mm1", "--seed", "-1"), "`--seed` is 0 or more, not `-1`"),
        (
            ("run", "mm1", "--max-firings", "9" * 19),
            f"`--max-firings` is at most 9,223,372,036,854,775,807, not `{'9' * 19}`",
        ),
        (("run", "mm1", "--max-firings", "0"), "`--max-firings` is 1 or more, not `0`"),
        (("run", "mm1", "--seed", "abc"), "`--seed` is a whole number, not `abc`"),
        (("run", "mm1", "--engine", "fast"), "`--engine` is `auto`, `native` or `reference`, not `fast`"),
        (("compare", "a", "b", "--level", "3"), "`--level` is 0.5 to 0.9999, not `3.0`"),
    ],
)
def test_a_wrong_command_line_is_told_in_the_words_of_the_others(
    call: Call, arguments: tuple[str, ...], message: str
) -> None:
    outcome = call(*arguments)
    assert outcome.status == 2
    assert outcome.err.startswith(f"error[usage]: {message}\n")


def test_the_help_says_the_bounds_of_numbers_in_words(call: Call) -> None:
    told = " ".join(call("run", "--help").out.split())
    assert "[1 to 100,000]" in told
    assert "[0 or more]" in told
    assert "[default: 1,000]" in told
    told += " ".join((call("compare", "--help").out + call("play", "--help").out).split())
    assert "[default: 0.95; 0.5 to 0.9999]" in told
    assert "[default: 10,000] [1 to 1,000,000]" in told
    assert "<=" not in told


@pytest.mark.parametrize("firing", ["0", "-3"])
def test_firings_are_numbered_from_1(call: Call, firing: str) -> None:
    outcome = call("why", "mm1", "serve", f"--firing={firing}")
    assert outcome.status == 2
    assert f"there is no firing {firing}: the first of a run is firing 1" in outcome.err


OVERFLOW = """net overflow
place street = token
place door
place line cap 3
place clerk = token
transition arrive: street -> street, door  takes exp(4)
transition enter: door -> line
transition lose: door -> nothing
transition serve: line, clerk -> clerk  takes exp(3)
run until 100
"""


def test_a_run_warns_of_a_choice_by_chance(call: Call, write: Write) -> None:
    net = write(OVERFLOW, "overflow.net")
    for command in ("run", "check"):
        outcome = call(command, net)
        assert outcome.status == 0
        assert "warning[choice-by-chance]" in outcome.err + outcome.out
    assert "warning" not in call("run", net, "-q").err
    meant = write(OVERFLOW.replace("-> nothing", "-> nothing  weight 1"), "meant.net")
    assert "warning" not in call("run", meant).err + call("check", meant).out


# ---------------------------------------------------------------- what other programs would understand


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("run", "mm1", "--load", "0.3"), "`--set load=0.3`"),
        (("run", "mm1", "--load=0.3"), "`--set load=0.3`"),
        (("run", "mm1", "load=0.3"), "`--set load=0.3`"),
        (("run", "mm1", "-p", "load=0.3"), "`--set load=0.3`"),
        (("run", "mm1", "--set", "load", "0.3"), "`--set load=0.3`"),
        (("run", "ixp2400", "--line", "5 Gbps"), "`--set line='5 Gbps'`"),
        (("sweep", "mm1", "load=0.3,0.5"), "`--grid load=0.3,0.5`"),
        (("sweep", "mm1", "--load", "0.1..0.9 step 0.1"), "`--grid load='0.1..0.9 step 0.1'`"),
        (("sweep", "mm1", "--grid", "load=0.1:0.9:0.1"), "write 0.1..0.9 step 0.1"),
        (("run", "mm1", "500"), "`--until '500'`"),
        (("why", "mm1", "serve", "3 ms"), "`--at '3 ms'`"),
        (("run", "mm1", "--util", "500"), "`--until`"),
        (("version",), "`pnsim -V`"),
        (("examples",), "`pnsim list`"),
        (("load.yaml",), "pnsim sweep load.yaml"),
    ],
)
def test_what_was_meant_is_told(call: Call, arguments: tuple[str, ...], hint: str) -> None:
    outcome = call(*arguments)
    assert outcome.status == 2
    assert any("hint:" in line and hint in line for line in outcome.err.splitlines()), outcome.err


@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [
        ("a.yaml", "net: mm1\ngrid: {load: [0.1, 0.2]}\n", "pnsim sweep "),
        ("a.json", '{"manifest": {}, "measures": []}', "pnsim report "),
        ("a.html", "<!DOCTYPE html>\n<html></html>", "browser"),
    ],
)
def test_other_files_of_this_program_are_no_nets(call: Call, write: Write, name: str, text: str, hint: str) -> None:
    path = write(text, name)
    for command in ("run", "check", "info"):
        outcome = call(command, path)
        assert outcome.status in (1, 2)
        assert f"`{path}` is " in outcome.err + outcome.out
        assert hint in outcome.err + outcome.out


def test_a_net_that_is_to_be_compared(call: Call, write: Write) -> None:
    path = write(RING, "ring.net")
    assert f"pnsim run {path} --json" in call("compare", path, path).err


def test_an_experiment_that_is_not_one() -> None:
    with pytest.raises(TypeError, match=r"write petri.Experiment\(net='mm1', grid={'load': \[0.3\]}\).run\("):
        petri.sweep("mm1", grid={"load": [0.3]})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="an experiment has it"):
        petri.sweep(petri.Experiment(net="mm1"), "x.db", until=5)
    with pytest.raises(TypeError, match="`store` is missing"):
        petri.Experiment(net="mm1").run()
