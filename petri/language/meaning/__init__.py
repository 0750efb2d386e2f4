"""The data types of meaning: types, units and dimensions, scopes, checked expressions and templates.

Nothing here reports errors or makes decisions; `checking` fills these types in, and `flattening` reads them.
"""
