"""Reports: what was found, rendered for machines, dashboards, reviews, browsers, terminals.

Only the model is imported here; each rendering brings its own libraries when it is asked for.
"""

from __future__ import annotations

from verify.model.change import Change as Change
from verify.reporting.as_json import load as load
from verify.reporting.changes import add_changes as add_changes
from verify.reporting.files import FORMATS as FORMATS
from verify.reporting.files import parts as parts
from verify.reporting.files import paths as paths
from verify.reporting.files import render as render
from verify.reporting.files import write as write
from verify.reporting.generated import BadReport as BadReport
from verify.reporting.generated import ForeignFile as ForeignFile
from verify.reporting.generated import UnwritableFolder as UnwritableFolder
from verify.reporting.generated import refuse_foreign as refuse_foreign
from verify.reporting.model import SCHEMA as SCHEMA
from verify.reporting.model import NotJudged as NotJudged
from verify.reporting.model import Report as Report
from verify.reporting.model import RowRung as RowRung
