"""What pages show, as rows and texts: pure functions from the model, without streamlit.

from goldrank.dashboard.frames.stage_lists import stage_lists

lists = stage_lists(view.recorded, view.diagnosis)
"""
