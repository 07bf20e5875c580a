"""The commands of pwh: one module a topic. They parse, ask and print."""
