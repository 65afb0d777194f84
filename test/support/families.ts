// Every kind of random run that is compared with the reference server, by name.

import { hashSequence } from './hash-sequences.js'
import { keySequence } from './key-sequences.js'
import { listSequence } from './list-sequences.js'
import { mixedSequence } from './mixed-sequences.js'
import type { Sequence } from './reference-runs.js'
import { setSequence } from './set-sequences.js'
import { sortedSetSequence } from './sorted-set-sequences.js'
import { stringSequence } from './string-sequences.js'
import { wordSequence } from './word-sequences.js'

export const families: Readonly<Record<string, Sequence>> = {
  strings: stringSequence,
  hashes: hashSequence,
  lists: listSequence,
  sets: setSequence,
  'sorted sets': sortedSetSequence,
  keys: keySequence,
  mixed: mixedSequence,
  words: wordSequence,
}
