"""How much a series fluctuates (bmq-processor, section 4.4 and Appendix A)."""
