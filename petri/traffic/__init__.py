"""Recorded traffic: the rows of files as tokens of places (rule S6), read block by block.

A file is text with separated columns, Parquet, or a packet capture; what it is shows in its first bytes. Memory holds
one block of each file, whatever its length. The readers are imported when a file of their kind is opened.

    with_streams(net, {"trace": "my.pcap"})     the net with the files that a user names
    sealed(net)                                 the net with what is in its files as part of it
    Recordings(net)                             the rows for one replication
"""

from petri.traffic.attach import with_streams
from petri.traffic.identity import moved, sealed, verify
from petri.traffic.recordings import BLOCK, Recordings

__all__ = ["BLOCK", "Recordings", "moved", "sealed", "verify", "with_streams"]
