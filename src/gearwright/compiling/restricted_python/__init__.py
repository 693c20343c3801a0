"""Restricted Python as machine code: translation, and the compiled code that is called with a workspace."""
