"""From a name to a member of a family, and to the extra that brings it."""
