"""The packs that come with us, and packs in general: loaded, put together, compiled."""
