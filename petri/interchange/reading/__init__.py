"""What readers share: the model of a foreign net, its names, expressions, times and colours, and XML within limits."""
