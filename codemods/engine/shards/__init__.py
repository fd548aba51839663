"""Which hunks go together into one change, and whose are they?"""
