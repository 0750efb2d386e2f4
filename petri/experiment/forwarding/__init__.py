"""What a network device forwards: the tests of RFC 2544, as `pnsim rfc2544` and `petri.rfc2544` run them."""
