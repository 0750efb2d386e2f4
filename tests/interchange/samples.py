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

TIMES = """<?xml version="1.0"?>
<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet">
<toolspecific tool="StochasticPetriNet" version="0.2"><property key="timeUnit">hours</property>
<property key="executionPolicy">race (age memory)</property></toolspecific><page id="g">
<place id="wait"><initialMarking><text>1</text></initialMarking></place><place id="chosen"/><place id="done"/>
<transition id="come"><toolspecific tool="StochasticPetriNet" version="0.2">
<property key="distributionType">EXPONENTIAL</property><property key="distributionParameters">0.25</property>
</toolspecific></transition>
<transition id="now"><toolspecific tool="StochasticPetriNet" version="0.2">
<property key="distributionType">IMMEDIATE</property><property key="priority">1</property>
<property key="weight">4.0</property></toolspecific></transition>
<transition id="back"><toolspecific tool="StochasticPetriNet" version="0.2">
<property key="distributionType">UNIFORM</property><property key="distributionParameters">2.0;4.0</property>
</toolspecific></transition>
<transition id="soon"><delay><interval closure="closed"><cn>1</cn><cn>3</cn></interval></delay></transition>
<arc id="1" source="wait" target="come"/><arc id="2" source="come" target="chosen"/>
<arc id="3" source="chosen" target="now"/><arc id="4" source="now" target="done"/>
<arc id="5" source="done" target="back"/><arc id="6" source="back" target="wait"/>
<arc id="7" source="done" target="soon"/>
</page><finalmarkings><marking><place idref="done"><text>1</text></place></marking></finalmarkings></net></pnml>
"""

TAPAAL = """<?xml version="1.0"?>
<pnml xmlns="http://www.informatik.hu-berlin.de/top/pnml/ptNetb">
<shared-place initialMarking="1" invariant="&lt; inf" name="tool"/>
<constant name="most" value="5"/>
<net active="true" id="shop" type="P/T net">
<place id="idle" name="idle" initialMarking="3" invariant="&lt; inf" positionX="10" positionY="10"/>
<place id="busy" name="busy" initialMarking="0" invariant="&lt;= most" positionX="90" positionY="10"/>
<place id="tool" name="tool" invariant="&lt; inf" initialMarking="1"/>
<transition id="begin" name="begin" urgent="false" infiniteServer="false" player="0" priority="0"/>
<transition id="finish" name="finish" urgent="false" infiniteServer="false" player="0" priority="0"/>
<arc id="I0" inscription="[0,inf)" source="idle" target="begin" type="timed" weight="2"/>
<arc id="I1" inscription="[0,inf)" source="tool" target="begin" type="timed" weight="1"/>
<arc id="O0" inscription="1" source="begin" target="busy" type="normal" weight="1"/>
<arc id="I2" inscription="[4,inf)" source="busy" target="finish" type="timed" weight="1"/>
<arc id="O1" inscription="1" source="finish" target="idle" type="normal" weight="2"/>
</net>
<net active="true" id="store" type="P/T net">
<place id="tool" name="tool" invariant="&lt; inf" initialMarking="1"/>
<place id="full" name="full" invariant="&lt; inf" initialMarking="1"/>
<transition id="mend" name="mend" urgent="false"/>
<arc id="I0" inscription="[0,inf)" source="full" target="mend" type="tapnInhibitor" weight="2"/>
<arc id="O0" inscription="1" source="mend" target="tool" type="normal" weight="1"/>
</net>
<query name="q" active="true">EF tool = 0</query><feature isGame="false" isTimed="true"/>
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
      <transition name="begin" type="IMM" priority="2" weight="3.0 * #queue"/>
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

TINA = """# a timeout
net {Stop and wait}
tr send [0,0] idle -> sent*2 {the channel}
tr arrive [1,3] sent -> idle
tr lose {the channel}?2 idle?-1 sent -> {the channel}
tr late [5,w[ sent*2 idle?-3 -> idle
pl idle (1)
pl sent : data (2K)
"""

PIPE = """<?xml version="1.0" encoding="iso-8859-1"?>
<pnml><net id="Net-One" type="P/T net">
<labels x="1" y="2"><text>Two
  machines</text></labels>
<place id="P0"><name><value>up (ok)</value></name><initialMarking><value>Default,2</value></initialMarking></place>
<place id="P1"><name><value>down</value></name><initialMarking><value>0</value></initialMarking></place>
<transition id="T0"><name><value>fail</value></name><rate><value>0.25</value></rate><timed><value>true</value></timed>
  <infiniteServer><value>true</value></infiniteServer></transition>
<transition id="T1"><name><value>mend</value></name><rate><value>3.0</value></rate><timed><value>false</value></timed>
  <priority><value>2</value></priority></transition>
<arc id="a" source="P0" target="T0"><inscription><value>Default,1</value></inscription><type value="normal"/></arc>
<arc id="b" source="T0" target="P1"><inscription><value>1</value></inscription></arc>
<arc id="c" source="P1" target="T1"><inscription><value>2</value></inscription></arc>
<arc id="d" source="T1" target="P0"><inscription><value>2</value></inscription></arc>
<arc id="e" source="P0" target="T1"><inscription><value>1</value></inscription><type value="inhibitor"/></arc>
</net></pnml>
"""

GOSPN = """/* A queue that fails */
place Pbuf
place Pup (init = n)   // servers
place Pdown
exp Tarrival (guard = #Pbuf < K + 1, rate = lambda)
exp Tserve (rate = rate.serve)
gen Tmend (dist = det(2 * hour), policy = prs)
imm Tfail (priority = 10, weight = 1 - cover, guard = full)
iarc Pbuf to Tserve
arc Tarrival to Pbuf
arc Pup to Tfail
arc Tfail to Pdown
arc Pbuf to Tfail (multi = #Pbuf)
arc Pdown to Tmend
harc Pbuf to Tmend (multi = K)
arc Tmend to Pup
rate.serve = ifelse(#Pbuf < 2, #Pbuf * mu, 2 * mu)
full = #Pbuf == K || #Pdown == 1
K = 5
lambda = 0.1
mu = 1.0
hour = 3600
cover = 0.9
reward length #Pbuf
reward broken ifelse(#Pdown >= 1, 1, 0)
reward whole ifelse(#Pdown == 0, 1, 0)
reward work ifelse(?Tserve, 1, 0)
reward lost ifelse(full && ?Tserve, mu, 0)
"""

ORIS = """<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<tpn-editor><tpn-entities>
<joint uuid="j1"/>
<place uuid="p1"><properties><property id="0.default.name" name="wait"/>
  <property id="default.marking" marking="2"/></properties></place>
<place uuid="p2"><properties><property id="0.default.name" name="free"/>
  <property id="default.marking" marking="1"/></properties></place>
<transition uuid="t1"><properties><property id="0.default.name" name="serve"/>
  <property id="transition.stochastic" lambda="2 * 3" property-data-type="3.type.exponential"/>
  </properties></transition>
<transition uuid="t2"><properties><property id="0.default.name" name="refill"/>
  <property id="10.default.enablingFunction" enabling-function="free == 1"/>
  <property id="11.default.markingUpdate" marking-update="wait = 3"/>
  <property id="transition.stochastic" priority="0" weight="0.5" property-data-type="0.type.immediate"/>
  </properties></transition>
<transition uuid="t3"><properties><property id="0.default.name" name="rest"/>
  <property id="transition.stochastic" value="0.5" priority="0" weight="1" property-data-type="2.type.deterministic"/>
  </properties></transition>
<note uuid="n1"><properties/>served by one</note>
<arc from="p1" to="j1"/>
<arc from="j1" to="t1"/>
<inhibitor-arc from="p1" to="t2"/>
<arc from="p2" to="t3"/>
<arc from="t3" to="p2"/>
</tpn-entities></tpn-editor>
"""

PRISM = """// two lines and a server
ctmc
// ------------------
const int c = 3; // places to wait
const double lambda = 2;
const double mu;
formula full = q1 + q2 >= 2 * c;
// those who wait
module line1
  q1 : [0..c] init 1;
  [] q1 < c & !full -> lambda : (q1'=q1+1);
  [take1] q1 > 0 -> q1 : (q1'=q1-1);
endmodule
module line2 = line1 [ q1=q2, take1=take2, q2=q1 ] endmodule
module server
  s : [0..2];
  up : bool init true;
  [take1] s=0 & up -> 1 : (s'=1);
  [take2] s=0 & up -> 1 : (s'=2);
  [done] s>0 -> mu * s : (s'=0) + 0.5 : (s'=max(s-1, 0)) & (up'=!up);
  // it comes back
  [] !up -> 4 : (up'=true);
endmodule
module board
  shown : [0..2*c];
  [] shown + q2 <= 2 * c -> 1 : (shown'=shown+q2);
  [] shown > 0 -> 1 : (shown'=0);
  [] shown < 2 * c & shown < 1 -> 3 : (shown'=shown+1);
  lamp : [0..1];
  [take2] lamp=0 -> 1 : (lamp'=1);
  [] lamp>0 & shown < 2 -> 2 : (lamp'=0);
  [] shown > 2 -> 1 : (lamp'=0);
  [done] lamp=1 -> 1 : (lamp'=1);
endmodule
label "idle" = s=0;
label "long" = q1 > 1 & !(q2 < 2);
label "dark" = lamp=0 & q1 > 1;
rewards "waiting"
  true : q1;
endrewards
rewards "work"
  s>0 : 1;
endrewards
rewards "cost"
  [take1] true : 2;
  q1 > 1 : 0.5 * q1;
endrewards
rewards "both"
  s=1 & q1 > 1 : 1;
endrewards
"""

PNPRO_PLAIN = """<project name="p" version="121"><gspn name="Plain"><nodes>
<place name="a" marking="3"/><place name="b"/><place name="c"/>
<transition name="go" type="EXP" delay="0.7"/>
<transition name="two" type="EXP" delay="3.0" nservers="2"/>
<transition name="now" type="IMM" priority="2" weight="0.3"/>
<transition name="wait" type="GEN" delay="I[2.5]"/>
</nodes><edges>
<arc kind="INPUT" tail="a" head="go" mult="2"/><arc kind="OUTPUT" tail="go" head="b" mult="2"/>
<arc kind="INPUT" tail="b" head="two"/><arc kind="OUTPUT" tail="two" head="c"/>
<arc kind="INPUT" tail="c" head="now" mult="2"/><arc kind="INHIBITOR" tail="b" head="now"/>
<arc kind="OUTPUT" tail="now" head="a" mult="2"/>
<arc kind="INPUT" tail="c" head="wait"/><arc kind="OUTPUT" tail="wait" head="c"/>
</edges></gspn></project>
"""
