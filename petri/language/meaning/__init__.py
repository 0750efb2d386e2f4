"""What the names of a net stand for, as data: types, units and dimensions, scopes, checked expressions and templates.

Nothing here reports or decides; `checking` fills these in, and `flattening` reads them.
"""
