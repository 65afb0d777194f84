// Random runs of string and bit commands on a real server and on Sigil: the same replies to the
// letter.

import t from 'tap'
import { peerRuns, peerRunsAtBounds } from '../../support/peer-runs.js'
import { stringReply, stringSequence } from '../../support/string-sequences.js'

await peerRuns(t, { sequence: stringSequence, normal: stringReply })
await peerRunsAtBounds(t, { sequence: stringSequence, normal: stringReply })
