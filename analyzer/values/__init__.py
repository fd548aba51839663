"""What may an expression hold, where does it come from, and where does it go?"""
