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

PNPRO = """<?xml version="1.0" encoding="UTF-8"?>
<project name="shop" version="121">
  <gspn name="Shop">
    <nodes>
      <constant consttype="INTEGER" name="N" value="5"/>
      <constant consttype="REAL" name="mu" value="2"/>
      <constant consttype="REAL" name="unused" value="7"/>
      <template name="K" type="INTEGER" last-binding="2"/>
      <text-box name="b">Two kinds of work</text-box>
      <place name="out" marking="N"/>
      <place name="queue"/>
      <place name="busy"/>
      <transition name="arrive" type="EXP" delay="#out * 0.5" nservers="1"/>
      <transition name="begin" type="IMM" priority="2" weight="3.0"/>
      <transition name="lose" type="IMM"/>
      <transition name="serve" type="EXP" delay="mu"/>
      <transition name="check" type="GEN" delay="Uniform[1, 3]"/>
      <transition name="slow" type="EXP" delay="#queue - 1" nservers="K"/>
    </nodes>
    <edges>
      <arc kind="INPUT" tail="out" head="arrive"/>
      <arc kind="OUTPUT" tail="arrive" head="queue"/>
      <arc kind="INPUT" tail="queue" head="begin" mult="2"/>
      <arc kind="INHIBITOR" tail="busy" head="begin" mult="K"/>
      <arc kind="OUTPUT" tail="begin" head="busy"/>
      <arc kind="INPUT" tail="queue" head="lose" mult="N"/>
      <arc kind="OUTPUT" tail="lose" head="out" mult="N"/>
      <arc kind="INPUT" tail="busy" head="serve"/>
      <arc kind="OUTPUT" tail="serve" head="out" mult="2"/>
      <arc kind="INPUT" tail="busy" head="check"/>
      <arc kind="OUTPUT" tail="check" head="out" mult="2"/>
      <arc kind="INPUT" tail="busy" head="slow"/>
      <arc kind="OUTPUT" tail="slow" head="busy"/>
    </edges>
  </gspn>
  <gspn name="Ring">
    <nodes>
      <color-class name="P" definition="circular p{1..3} is all"/>
      <color-class name="C" definition="{red, green} is warm + {blue} is cold"/>
      <color-class name="PC" definition="P * C"/>
      <constant name="S" domain="P" value="&lt;All&gt;"/>
      <color-var name="x" domain="P"/>
      <color-var name="y" domain="P"/>
      <color-var name="c" domain="C"/>
      <place name="at" domain="PC" marking="&lt;p1, warm&gt; + 2&lt;p2, blue&gt;"/>
      <place name="free" domain="P" marking="S"/>
      <transition name="move" type="EXP" delay="4.0" guard="x != p3 &amp;&amp; d(c) = warm"/>
      <transition name="swap" type="IMM" guard="x &lt;&gt; y"/>
    </nodes>
    <edges>
      <arc kind="INPUT" tail="at" head="move" mult="&lt;x, c&gt;"/>
      <arc kind="INPUT" tail="free" head="move" mult="&lt;x++&gt;"/>
      <arc kind="OUTPUT" tail="move" head="at" mult="&lt;x++, blue&gt;"/>
      <arc kind="OUTPUT" tail="move" head="free" mult="&lt;All - x&gt;"/>
      <arc kind="INPUT" tail="free" head="swap" mult="&lt;x&gt; + &lt;y&gt;"/>
      <arc kind="INHIBITOR" tail="at" head="swap" mult="&lt;x, red&gt;"/>
      <arc kind="OUTPUT" tail="swap" head="free" mult="2&lt;x&gt;"/>
    </edges>
  </gspn>
</project>
"""
