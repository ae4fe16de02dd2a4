"""Files of others as telemetry: logs, OTLP files, exports of other tools, TREC runs. All of it becomes OTLP.

from goldrank.collectors.importing.reading import read_file
"""
