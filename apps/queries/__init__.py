"""One module a topic, one function a question; shared by commands and pages."""
