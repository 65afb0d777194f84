// The grammar of requests once more, over a whole stream and with regular expressions: slow, short,
// and made in another way than the parser that is compared with it. Lines are shorter than their
// bound here.

import {
  anonymousRespArgumentsMax,
  anonymousRespBulkBytesMax,
  respArgumentsMax,
  respBulkBytesMax,
} from '../../src/base/limits/key-value.js'
import type { Heard } from '../protocol/resp/requests.js'

/** What a server hears in a stream, one character a byte. */
export function modelOf(stream: string, authenticated: boolean): Heard {
  const commands: string[][] = []
  let rest = stream
  while (rest !== '') {
    const step = rest.startsWith('*') ? arrayOf(rest, authenticated) : lineOf(rest)
    if (step === undefined) break
    if (typeof step === 'string') return { commands, error: `Protocol error: ${step}` }
    if (step.words.length > 0) commands.push(step.words)
    rest = rest.slice(step.length)
  }
  return { commands }
}

interface Step {
  readonly words: string[]
  readonly length: number
}

function arrayOf(stream: string, authenticated: boolean): Step | string | undefined {
  const header = /^\*([^\r\0]*)\r[\s\S]/.exec(stream)
  if (header === null) return undefined
  const count = integerOf(header[1])
  if (count === undefined || count > respArgumentsMax) return 'invalid multibulk length'
  if (!authenticated && count > anonymousRespArgumentsMax) return 'unauthenticated multibulk length'
  const words: string[] = []
  let at = header[0].length
  while (words.length < count) {
    const line = /^([^\r\0]*)\r[\s\S]/.exec(stream.slice(at))
    if (line === null) return undefined
    const first = stream[at] ?? ''
    if (first !== '$') return `expected '$', got '${first.replace(/[\r\n]/, ' ')}'`
    const length = integerOf(line[1]?.slice(1))
    if (length === undefined || length < 0 || length > respBulkBytesMax)
      return 'invalid bulk length'
    if (!authenticated && length > anonymousRespBulkBytesMax) return 'unauthenticated bulk length'
    at += line[0].length
    if (at + Number(length) + 2 > stream.length) return undefined
    words.push(stream.slice(at, at + Number(length)))
    at += Number(length) + 2
  }
  return { words, length: at }
}

function integerOf(text = ''): bigint | undefined {
  if (!/^(?:0|-?[1-9]\d*)$/.test(text)) return undefined
  const value = BigInt(text)
  return value >= -(2n ** 63n) && value < 2n ** 63n ? value : undefined
}

function lineOf(stream: string): Step | string | undefined {
  const line = /^([^\n\0]*)\n/.exec(stream)
  if (line === null) return undefined
  const words: string[] = []
  let rest = (line[1] ?? '').replace(/\r$/, '')
  for (;;) {
    rest = rest.replace(/^[ \t\v\f\r]+/, '')
    if (rest === '') return { words, length: line[0].length }
    const plain = /^[^ \t\r"']*/.exec(rest)?.[0] ?? ''
    rest = rest.slice(plain.length)
    const quoted = /^"((?:\\[\s\S]|[^"\\])*)"(?=[ \t\v\f\r]|$)/.exec(rest)
    const literal = /^'((?:\\'|[^'\\]|\\(?!'))*)'(?=[ \t\v\f\r]|$)/.exec(rest)
    if (/^["']/.test(rest) && quoted === null && literal === null) {
      return 'unbalanced quotes in request'
    }
    rest = rest.slice((quoted ?? literal)?.[0].length ?? 0)
    words.push(plain + unescaped(quoted?.[1] ?? '') + (literal?.[1] ?? '').replaceAll("\\'", "'"))
  }
}

function unescaped(text: string): string {
  const letters: Readonly<Record<string, string>> = {
    n: '\n',
    r: '\r',
    t: '\t',
    b: '\b',
    a: '\x07',
  }
  return text.replace(
    /\\x([0-9a-fA-F]{2})|\\([\s\S])/g,
    (_, code: string | undefined, letter = '') =>
      code === undefined
        ? (letters[letter] ?? letter)
        : String.fromCharCode(Number.parseInt(code, 16)),
  )
}
