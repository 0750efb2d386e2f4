"""Recorded traffic: the rows of files as tokens of places (rule S6), read block by block.

A file is text with separated columns, Parquet, or a packet capture; its first bytes determine which. Memory holds one
block of each file, whatever its length. The readers are imported when a file of their kind is opened.

    with_streams(net, {"trace": "my.pcap"})     the net with the user's files
    sealed(net)                                 the net with the digests of its files
    Recordings(net)                             the rows for one replication
"""

from petri.traffic.attach import with_streams
from petri.traffic.identity import moved, sealed, verify
from petri.traffic.recordings import BLOCK, Recordings

__all__ = ["BLOCK", "Recordings", "moved", "sealed", "verify", "with_streams"]
