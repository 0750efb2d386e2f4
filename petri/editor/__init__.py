"""What an editor asks about a net while it is being written: `pnsim lsp` answers over the Language Server Protocol.

`names` finds what each name of a checked net denotes. The modules beside it each answer one kind of question from that,
and `server` speaks the protocol. Only `server` and what it imports needs pygls, of the extra `pnsim[lsp]`.
"""
