"""The workspaces and the parts of the window around them."""
