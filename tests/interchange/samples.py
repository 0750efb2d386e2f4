"""Small files of other tools, written for the tests."""

from __future__ import annotations

PNML = """<?xml version="1.0" encoding="UTF-8"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
  <net id="n1" type="http://www.pnml.org/version-2009/grammar/ptnet">
    <name><text>two cooks</text></name>
    <page id="g1">
      <place id="p1"><name><text>dishes to do</text></name><initialMarking><text>4</text></initialMarking>
        <graphics><position x="1" y="2"/></graphics></place>
      <place id="p2"><name><text>cook</text></name><initialMarking><text>2</text></initialMarking></place>
      <page id="g2">
        <place id="p3"><name><text>done</text></name></place>
        <referencePlace id="r1" ref="p1"/>
        <transition id="t1"><name><text>take</text></name></transition>
      </page>
      <arc id="a1" source="r1" target="t1"><inscription><text>2</text></inscription></arc>
      <arc id="a2" source="p2" target="t1"/>
      <arc id="a3" source="t1" target="p2"/>
      <arc id="a4" source="t1" target="p3"><inscription><text>2</text></inscription></arc>
    </page>
  </net>
</pnml>
"""
