// Random runs of commands on hashes beside a real server, at every bound between small and large
// and over every store: the same replies to the byte.

import t from 'tap'
import { hashSequence } from '../../../support/hash-sequences.js'
import { referenceRunsAtBounds } from '../../../support/reference-runs.js'

await referenceRunsAtBounds(t, hashSequence)
