// What stands out in a text without knowing anything: addresses, links, names in code, runs of
// capitalised words. Fixed rules, so that the same text always gives the same, and each find says
// by which rule. (docs/memory.md, "What is kept")

import { stopWords } from '../text/stop-words.js'

/** An entity that a rule has found. */
export interface Find {
  readonly name: string
  /** Undefined where a rule cannot tell: whatever the graph knows it as. */
  readonly kind?: string | undefined
  readonly rule: string
}

interface Rule {
  readonly rule: string
  readonly kind: string
  readonly pattern: RegExp
  /** What of a match is the name; undefined: the match is none. */
  readonly nameOf?: (match: string) => string | undefined
}

const trailing = /[.,;:!?'")\]}]+$/
/** Where a name of hosts begins, and no part of a label: each run of labels is tried once. */
const labelStart = '(?<!\\w-{0,62})(?=\\w)'
const dotted = '[A-Za-z0-9-]{1,63}(?:\\.[A-Za-z0-9-]{1,63}){0,8}'

/** In this order: what one has taken, the next do not see. */
const rules: readonly Rule[] = [
  {
    rule: 'code',
    kind: 'code',
    pattern: /`[^`\n]{1,120}`/g,
    nameOf: (match) => match.slice(1, -1).trim() || undefined,
  },
  {
    rule: 'url',
    kind: 'url',
    pattern: /\bhttps?:\/\/[^\s<>"`\ue000]{1,240}/gi,
    nameOf: (match) => match.replace(trailing, ''),
  },
  {
    rule: 'email',
    kind: 'email',
    pattern: new RegExp(`[\\w.%+-]{1,64}@${dotted}\\.[a-z]{2,24}\\b`, 'gi'),
  },
  { rule: 'hash', kind: 'hash', pattern: /\b0x[0-9a-f]{64}\b/gi },
  { rule: 'address', kind: 'address', pattern: /\b0x[0-9a-f]{40}\b/gi },
  { rule: 'ens', kind: 'ens', pattern: new RegExp(`${labelStart}${dotted}\\.eth\\b`, 'gi') },
  { rule: 'handle', kind: 'handle', pattern: /(?<![\w@./])@\w{2,39}/g },
  {
    rule: 'tag',
    kind: 'tag',
    pattern: /(?<![\w&#/])#(?=[\p{N}_]{0,63}\p{L})[\p{L}\p{N}_]{1,64}/gu,
  },
  {
    rule: 'path',
    kind: 'path',
    pattern: /(?<![\w./:~])(?:[A-Za-z]:|~|\.{1,2})?(?:[/\\][\w.@+-]{1,100}){2,20}/g,
    nameOf: (match) => match.replace(trailing, ''),
  },
  {
    rule: 'date',
    kind: 'date',
    pattern:
      /\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T[\d:.]{4,15}(?:Z|[+-]\d{2}:?\d{2})?)?/g,
  },
  {
    rule: 'version',
    kind: 'version',
    pattern: /(?<![\w.])v?\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[\w.]{1,40})?(?![\w])/g,
  },
  {
    rule: 'host',
    kind: 'host',
    pattern: new RegExp(
      `${labelStart}(?:[a-z0-9-]{1,63}\\.){1,8}(?:com|org|net|io|dev|app|ai|edu|gov|local)\\b`,
      'gi',
    ),
  },
  {
    rule: 'identifier',
    kind: 'identifier',
    pattern: /\b[A-Za-z][A-Za-z0-9]{0,60}(?:_[A-Za-z0-9]{1,60}){1,8}\b/g,
  },
  {
    rule: 'identifier',
    kind: 'identifier',
    pattern: /\b[A-Za-z][a-z0-9]{1,60}(?:[A-Z][a-z0-9]{1,60}){1,8}\b/g,
  },
]

/** Takes the place of what a rule has found: part of no word, and end of every run. */
const taken = '\ue000'
const hostOfUrl = /^https?:\/\/(?:[^/?#@]*@)?([^/?#:]+)/i

/** By rule, then in the order of the text. */
export function findPatterns(text: string): Find[] {
  const finds: Find[] = []
  let rest = text
  for (const { rule, kind, pattern, nameOf } of rules) {
    rest = rest.replace(pattern, (match) => {
      const name = nameOf === undefined ? match : nameOf(match)
      if (name === undefined || name === '') return match
      finds.push({ name, kind, rule })
      if (rule === 'url') finds.push(...hostOf(name))
      return taken.repeat(match.length)
    })
  }
  for (const name of capitalisedRuns(rest)) finds.push({ name, rule: 'capitals' })
  return finds
}

function hostOf(url: string): Find[] {
  const host = hostOfUrl.exec(url)?.[1]
  return host === undefined ? [] : [{ name: host.toLowerCase(), kind: 'host', rule: 'host' }]
}

const capitalised = "\\p{Lu}[\\p{L}\\p{N}'’-]{0,60}"
const run = new RegExp(`(?<![\\p{L}\\p{N}'’-])${capitalised}(?: ${capitalised}){0,5}`, 'gu')
const beforeSentence = /(?:^|[.!?:;\n\u2026]["'”’)]*\s*|^\s*["'“‘(-]+\s*)$/u

/**
 * Names as English writes them. The first word of a sentence is capitalised whatever it is: alone
 * it is no name, with others it is unless it is one of the words that sentences begin with.
 */
function capitalisedRuns(text: string): string[] {
  const names: string[] = []
  for (const { 0: match, index } of text.matchAll(run)) {
    const words = match.split(' ').map((word) => word.replace(/['’]s?$/, ''))
    const isFirst = beforeSentence.test(text.slice(Math.max(0, index - 8), index))
    while (words.length > 0 && isCommon(words[0])) words.shift()
    while (words.length > 0 && isCommon(words.at(-1))) words.pop()
    if (isFirst && words.length === 1) continue
    const name = words.join(' ')
    if (name.length > 1) names.push(name)
  }
  return names
}

function isCommon(word = ''): boolean {
  return stopWords.has(word.toLowerCase()) || word === 'I'
}
