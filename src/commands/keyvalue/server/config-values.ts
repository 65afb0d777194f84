// Values of CONFIG SET, checked as Redis does and returned as CONFIG GET prints them. An invalid
// value gets Redis' error text.

import { Slice } from '../../../base/bytes/slice.js'
import { badEventClass } from '../../../bus/keyvalue/clients/notifications.js'
import type { OutputBounds } from '../../../bus/keyvalue/settings.js'
import { parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import type { Option } from './config-options.js'

/** The stored text of a value, or the reason why it is invalid. */
type Checked = { readonly text: string } | { readonly problem: string }

/** `current` is the present value: buffer limits are set class by class. */
export function checkValue({ kind }: Option, value: string, current: string): Checked {
  switch (kind.kind) {
    case 'flag': {
      const text = value.toLowerCase()
      if (text === 'yes' || text === 'no') return { text }
      return { problem: "argument must be 'yes' or 'no'" }
    }
    case 'integer': {
      const number = integerOf(value)
      if (number === undefined) return { problem: "argument couldn't be parsed into an integer" }
      return within(number, kind.min, kind.max)
    }
    case 'memory': {
      const bytes = memoryOf(value)
      if (bytes === undefined) return { problem: 'argument must be a memory value' }
      return within(bytes, kind.min, kind.max)
    }
    case 'share':
      return checkShare(value, kind.max)
    case 'choice': {
      const text = value.toLowerCase()
      if (kind.choices.includes(text)) return { text }
      return { problem: `argument(s) must be one of the following: ${kind.choices.join(', ')}` }
    }
    case 'save':
      return checkSave(value)
    case 'buffers':
      return checkBuffers(value, current)
    case 'events':
      return eventLetters.test(value) ? { text: value } : { problem: badEventClass }
    default:
      return kind satisfies never
  }
}

function within(number: bigint, min: bigint, max: bigint): Checked {
  if (number >= min && number <= max) return { text: String(number) }
  return { problem: `argument must be between ${min} and ${max} inclusive` }
}

function integerOf(text: string): bigint | undefined {
  const { bytes, start, end } = Slice.ofText(text)
  const number = parseInt64(bytes, start, end)
  return number === undefined ? undefined : BigInt(number)
}

const eventLetters = /^[Ag$lshzxeKEtmdn]*$/

const units: Readonly<Record<string, bigint>> = {
  '': 1n,
  b: 1n,
  k: 1000n,
  kb: 1024n,
  m: 1000n ** 2n,
  mb: 1024n ** 2n,
  g: 1000n ** 3n,
  gb: 1024n ** 3n,
}

/** `10`, `10mb`; an empty text is 0, as in Redis. Undefined if it is no size. */
function memoryOf(text: string): bigint | undefined {
  const [, digits, unit = ''] = /^(\d{0,19})([a-z]*)$/i.exec(text) ?? []
  const factor = units[unit.toLowerCase()]
  return digits === undefined || factor === undefined ? undefined : BigInt(digits) * factor
}

/** Redis stores a percentage as a negative number, so its bounds begin at -100. */
function checkShare(value: string, max: bigint): Checked {
  const [, percents] = /^(\d{1,18})%$/.exec(value) ?? []
  if (percents !== undefined) {
    const share = BigInt(percents)
    if (share <= 100n) return { text: share === 0n ? '0' : `${share}%` }
    return { problem: 'percentage argument must be less or equal to 100' }
  }
  const bytes = memoryOf(value)
  if (bytes === undefined) return { problem: 'argument must be a memory or percent value' }
  return within(bytes, -100n, max)
}

/** Checks pairs of seconds and changes. */
function checkSave(value: string): Checked {
  const words = value.split(' ').filter((word) => word !== '')
  const isGood = words.length % 2 === 0 && words.every((word) => /^\d+$/.test(word))
  return isGood ? { text: words.join(' ') } : { problem: 'Invalid save parameters' }
}

const classes: readonly string[] = ['normal', 'slave', 'pubsub']

/** Checks groups of four: class, hard limit, soft limit, seconds of the soft limit. */
function checkBuffers(value: string, current: string): Checked {
  const words = value.split(' ')
  if (words.length % 4 !== 0) {
    return { problem: 'Wrong number of arguments in buffer limit configuration.' }
  }
  const limits = current.split(' ')
  for (let i = 0; i < words.length; i += 4) {
    const [name = '', ...sizes] = words.slice(i, i + 4)
    const known = name.toLowerCase() === 'replica' ? 'slave' : name.toLowerCase()
    const place = classes.indexOf(known)
    if (place < 0) {
      return { problem: 'Invalid client class specified in buffer limit configuration.' }
    }
    const numbers = sizes.map(memoryOf)
    if (numbers.includes(undefined)) {
      const text = 'Error in hard, soft or soft_seconds setting in buffer limit configuration.'
      return { problem: text }
    }
    limits.splice(place * 4, 4, classes[place] ?? '', ...numbers.map(String))
  }
  return { text: limits.join(' ') }
}

/** The bounds of one class, from the limits as CONFIG GET prints them. */
export function outputBoundsOf(limits: string, name: 'normal' | 'pubsub'): OutputBounds {
  const words = limits.split(' ')
  const at = words.indexOf(name)
  const [bytesMax = 0, backlogBytesMax = 0, seconds = 0] = words.slice(at + 1, at + 4).map(Number)
  return { bytesMax, backlogBytesMax, backlogMs: seconds * 1_000 }
}
