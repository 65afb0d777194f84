// The options of SET and GETEX: conditions and expiry times, in any order and case. If an option is
// repeated, the last one counts. Options that exclude each other are a syntax error.

import { syntaxError } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { type ExpireUnit, unitOf } from '../keys/expire-time.js'

interface SetOptions {
  condition: 'nx' | 'xx' | undefined
  answersOld: boolean
  keepsTime: boolean
  /** Removes the expiry time: PERSIST. */
  persists: boolean
  unit: ExpireUnit | undefined
  /** Index of the expiry time. */
  time: number
}

/** Parses options from an index on. Throws "syntax error". */
export function readSetOptions(call: KeyValueCall, from: number): SetOptions {
  const options = noOptions()
  for (let i = from; i < call.count; i++) {
    if (call.is(i, 'nx') && options.condition !== 'xx') options.condition = 'nx'
    else if (call.is(i, 'xx') && options.condition !== 'nx') options.condition = 'xx'
    else if (call.is(i, 'get')) options.answersOld = true
    else if (call.is(i, 'keepttl') && options.unit === undefined) options.keepsTime = true
    else i = readTime(call, i, options)
  }
  return options
}

/** As readSetOptions, for GETEX. */
export function readGetexOptions(call: KeyValueCall, from: number): SetOptions {
  const options = noOptions()
  for (let i = from; i < call.count; i++) {
    if (call.is(i, 'persist') && options.unit === undefined) options.persists = true
    else i = readTime(call, i, options)
  }
  return options
}

function noOptions(): SetOptions {
  return {
    condition: undefined,
    answersOld: false,
    keepsTime: false,
    persists: false,
    unit: undefined,
    time: 0,
  }
}

/** Returns the index of the option's last word. */
function readTime(call: KeyValueCall, index: number, options: SetOptions): number {
  const unit = unitAt(call, index)
  const mayFollow = !options.keepsTime && !options.persists
  const isOnlyUnit = options.unit === undefined || options.unit === unit
  if (unit === undefined || !mayFollow || !isOnlyUnit || index + 1 >= call.count) {
    throw syntaxError()
  }
  options.unit = unit
  options.time = index + 1
  return index + 1
}

/** EX, PX, EXAT or PXAT. */
function unitAt(call: KeyValueCall, index: number): ExpireUnit | undefined {
  if (call.is(index, 'ex')) return unitOf.ex
  if (call.is(index, 'px')) return unitOf.px
  if (call.is(index, 'exat')) return unitOf.exat
  return call.is(index, 'pxat') ? unitOf.pxat : undefined
}
