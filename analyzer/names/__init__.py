"""What does a name mean? Scopes, bindings, modules, and which file an import means."""
