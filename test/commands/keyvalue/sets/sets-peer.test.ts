// Random runs of commands on sets beside a real server, at every bound between small and large and
// over every store: the same replies to the byte.

import t from 'tap'
import { peerRunsAtBounds } from '../../../support/peer-runs.js'
import { setSequence } from '../../../support/set-sequences.js'

await peerRunsAtBounds(t, setSequence)
