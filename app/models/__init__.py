"""Table models over engine arrays: an index array is filtered and sorted, never the rows."""
