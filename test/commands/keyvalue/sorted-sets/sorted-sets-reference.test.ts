// Random runs of commands on sorted sets beside a real server, at every bound between small and
// large and over every store: the same replies to the byte.

import t from 'tap'
import { referenceRunsAtBounds } from '../../../support/reference-runs.js'
import { sortedSetSequence } from '../../../support/sorted-set-sequences.js'

await referenceRunsAtBounds(t, sortedSetSequence)
