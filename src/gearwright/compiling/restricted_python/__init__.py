"""Restricted Python as machine code: translation, and the code that is called with a workspace."""
