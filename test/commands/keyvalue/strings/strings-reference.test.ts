// Random runs of string and bit commands beside a real server, at every bound between small and
// large and over every store: the same replies to the byte.

import t from 'tap'
import { referenceRunsAtBounds } from '../../../support/reference-runs.js'
import { stringSequence } from '../../../support/string-sequences.js'

await referenceRunsAtBounds(t, stringSequence)
