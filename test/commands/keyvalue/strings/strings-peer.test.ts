// Random runs of string and bit commands beside a real server, at every bound between small and
// large and over every store: the same replies to the byte.

import t from 'tap'
import { peerRunsAtBounds } from '../../../support/peer-runs.js'
import { stringSequence } from '../../../support/string-sequences.js'

await peerRunsAtBounds(t, stringSequence)
