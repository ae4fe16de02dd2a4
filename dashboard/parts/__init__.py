"""Parts of pages: each shows one thing with Streamlit and offers what can be done with it.

from goldrank.dashboard.parts import verdict_box

verdict_box.show(view)
"""
