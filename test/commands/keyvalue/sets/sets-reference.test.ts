// Random runs of commands on sets beside a real server, at every bound between small and large and
// over every store: the same replies to the byte.

import t from 'tap'
import { referenceRunsAtBounds } from '../../../support/reference-runs.js'
import { setSequence } from '../../../support/set-sequences.js'

await referenceRunsAtBounds(t, setSequence)
