"""What must not change while the house is rebuilt, and `make gate`, which says what did."""
