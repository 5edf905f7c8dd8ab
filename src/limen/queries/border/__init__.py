"""Border queries (BMQ-Processor): enter, exit and cross."""
