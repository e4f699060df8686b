# SPDX-License-Identifier: Apache-2.0
"""The generator for FuseSoC: a ``.core`` file of a user asks for a core by its options, and gets it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tests.built import slow
from tests.external import needs

from modeloom.cli import fusesoc_generator as script
from modeloom.cli.fusesoc_generator import Refused, arguments

FUSESOC = Path(sys.executable).with_name("fusesoc")
ROOT = Path(__file__).parents[2]

PARAMETERS = {
    "mode": "heh-brw", "sector": 32, "direction": "encrypt", "cipher_arch": "sequential", "cipher-stages": 1, "name": "mine",
    "overlap": True,
}  # fmt: skip

MESSAGES = {
    "mode": "gcm", "key-bits": 128, "cipher_arch": "multistream", "streams": 1, "mul-stages": 0, "key_slots": 1, "name": "mine",
}  # fmt: skip

USER = """\
CAPI=2:
name: test:test:user:0
filesets:
  rtl:
    files: [user.v]
    file_type: verilogSource
    depend: ["modeloom:modeloom:generator"]
generate:
  cipher:
    generator: modeloom
    parameters: {parameters}
targets:
  sim:
    filesets: [rtl]
    generate: [cipher]
    flow: sim
    flow_options: {{tool: icarus}}
    toplevel: user
"""

BENCH = """\
module user;
  reg aclk = 0;
  reg aresetn = 0;
  wire zeroizing;
  always #5 aclk = !aclk;
  mine core (.aclk(aclk), .aresetn(aresetn), .zeroize(1'b0), .zeroizing(zeroizing));
  initial begin
    repeat (4) @(posedge aclk);
    aresetn <= 1;
    repeat (200) @(posedge aclk);
    if (zeroizing !== 0) $fatal(1, "the core does not end its erasure");
    $display("user: ok");
    $finish;
  end
endmodule
"""


def test_arguments():
    given = {"mode": "xts", "sector": [512, 4096], "key_bits": 256, "exact": True, "overlap": False, "front": "registers"}
    assert arguments(given, "/there") == [
        "xts", "--sector", "512,4096", "--key-bits", "256", "--exact", "--no-overlap", "--front", "registers",
    ]  # fmt: skip
    assert arguments({"mode": "mine.py:Mine"}, "/there") == ["/there/mine.py:Mine"]


@pytest.mark.parametrize("given", [{}, {"mode": 3}, {"mode": "xts", "output": "there"}, {"mode": "xts", "json": True}])
def test_what_is_refused(given):
    with pytest.raises(Refused):
        arguments(given, ".")


def test_without_modeloom_or_pyyaml(tmp_path, monkeypatch, capsys):
    """Each is one line that says what to install."""
    asked = tmp_path / "asked.yml"
    asked.write_text(yaml.safe_dump({"parameters": {"mode": "xts"}, "files_root": "."}))
    monkeypatch.setenv("PATH", str(tmp_path))
    for missing in ("modeloom", "yaml"):
        monkeypatch.setattr(script.importlib.util, "find_spec", lambda name, missing=missing: None if name == missing else True)
        assert script.main([str(asked)]) == 2
        assert capsys.readouterr().err.count("pip install") == 1
    asked.write_text("nothing")
    monkeypatch.undo()
    assert script.main([str(asked)]) == script.main([]) == 2


def test_the_library_is_written_and_written_again(run, tmp_path):
    for _ in range(2):
        result = run("generator", str(tmp_path / "library"))
        assert (result.status, result.err) == (0, "")
    assert sorted(path.name for path in (tmp_path / "library").iterdir()) == ["modeloom_generator.core", "modeloom_generator.py"]
    told = json.loads(run("generator", str(tmp_path / "library"), "--json").out)
    assert told["schema"] == "modeloom-generator-1" and sorted(told["files"]) == ["modeloom_generator.core", "modeloom_generator.py"]


def fusesoc(tmp_path: Path, run, parameters: dict) -> subprocess.CompletedProcess[str]:
    """Runs a user's core that asks for one."""
    run("generator", str(tmp_path / "library"))
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "user.v").write_text(BENCH)
    (tmp_path / "user" / "user.core").write_text(USER.format(parameters=yaml.safe_dump(parameters, default_flow_style=True).strip()))
    roots = ["--cores-root", tmp_path / "library", "--cores-root", tmp_path / "user"]
    command = [FUSESOC, *roots, "run", "--build-root", tmp_path / "work", "--target", "sim", "test:test:user"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "src"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    return subprocess.run(
        list(map(str, command)), cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )


@slow
@needs("iverilog")
@pytest.mark.parametrize(
    ("parameters", "port"), [(PARAMETERS, "s_axis_tdata"), (MESSAGES, "m_axis_status_tdata")], ids=["sectors", "messages"]
)
def test_fusesoc_runs_a_core_that_asks_for_another(run, tmp_path, parameters, port):
    done = fusesoc(tmp_path, run, parameters)
    assert done.returncode == 0 and "user: ok" in done.stdout, done.stdout[-2000:]
    (verilog,) = (tmp_path / "work").rglob("mine.v")
    head = re.search(r"^module mine \(.*?\);", verilog.read_text(), re.M | re.S)
    assert head and port in head[0]
    # The bench of the generated core is not that of the user.
    assert not [path for path in tmp_path.rglob("*.scr") if "mine_tb" in path.read_text()]


def test_fusesoc_fails_with_modeloom(run, tmp_path):
    done = fusesoc(tmp_path, run, {**PARAMETERS, "sector": 15})
    assert done.returncode != 0 and "modeloom: " in done.stdout and "Failed to run generator" in done.stdout
