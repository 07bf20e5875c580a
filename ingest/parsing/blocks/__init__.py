"""What readers of basic blocks share: fields of text lines, counts by key, dependences, tables."""
