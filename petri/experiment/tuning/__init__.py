"""The best setting of a net's parameters: `tune` searches for it, and `calibrate` for that of measured figures."""

from petri.experiment.tuning.calibration import Calibration as Calibration
from petri.experiment.tuning.calibration import calibrate as calibrate
from petri.experiment.tuning.procedure import Tuned as Tuned
from petri.experiment.tuning.procedure import tune as tune
from petri.experiment.tuning.space import Tuning as Tuning
