// Finds entities in a text by fixed patterns: addresses, links, names in code, runs of capitalised
// words. The same text always gives the same finds, and each find names its rule.
// (docs/memory.md, "What is kept")

import { englishNames } from '../names/english-names.js'
import { germanNames } from '../names/german-names.js'
import { isGerman, tokensOf } from '../names/tokens.js'

/** An entity that a rule has found. */
export interface Find {
  readonly name: string
  /** Undefined if the rule cannot tell: then the kind that the graph has for it. */
  readonly kind?: string | undefined
  readonly rule: string
}

interface Rule {
  readonly rule: string
  readonly kind: string
  readonly pattern: RegExp
  /** The name in a match; undefined: the match is none. */
  readonly nameOf?: (match: string) => string | undefined
}

const trailing = /[.,;:!?'")\]}]+$/
/** The start of a host name, not inside a label: each run of labels is tried once. */
const labelStart = '(?<!\\w-{0,62})(?=\\w)'
const dotted = '[A-Za-z0-9-]{1,63}(?:\\.[A-Za-z0-9-]{1,63}){0,8}'

const fileEndings =
  'ts|tsx|js|py|rs|go|java|c|h|sh|sql|md|txt|csv|json|ya?ml|toml|pdf|docx?|xlsx?|png|jpe?g|' +
  'zip|env|log|conf|ini|html|css'
const numberStart = '(?<![\\p{L}\\p{N}_-])'
const numberPart = '[A-Z][A-Z0-9]{0,11}'
const serialNumber = '(?=[A-Z0-9]{0,16}\\d)[A-Z][A-Z0-9]{4,15}'
/** A number of an airline, a tax office or a standard: "LH 441", "5J 561". */
const spacedNumber = '(?:[A-Z]{2,3}|[1-9][A-Z]) \\d{3,4}'
const numberEnd = '(?![\\p{L}\\p{N}_-])'

const machines =
  'host|server|srv|node|web|db|app|api|vm|worker|runner|backup|cache|proxy|gateway|nas|prod|' +
  'staging|stage|switch|router|shard'

/** In this order: a rule does not see what an earlier one took. */
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
  {
    rule: 'hash',
    kind: 'hash',
    pattern: /(?<![\w./:@#-])(?=[a-f]{0,38}\d)(?=\d{0,38}[a-f])[0-9a-f]{7,40}(?![\w./:@-]*\w)/g,
  },
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
    rule: 'path',
    kind: 'path',
    pattern: new RegExp(
      `(?<![\\w./:~-])(?:[\\w@+-]{1,60}/){0,8}[\\w.@+-]{1,60}\\.(?:${fileEndings})\\b(?![\\w/])`,
      'g',
    ),
    nameOf: (match) => (/^[A-Z]\w+\.js$/.test(match) ? undefined : match),
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
    rule: 'number',
    kind: 'number',
    pattern: new RegExp(
      `${numberStart}(?=[A-Z0-9/-]{0,60}\\d)${numberPart}(?:[-/][A-Z0-9]{1,12}){1,4}${numberEnd}`,
      'gu',
    ),
    nameOf: (match) => (/^(?:Q[1-4]|H[12]|KW)[-/]/.test(match) ? undefined : match),
  },
  {
    rule: 'identifier',
    kind: 'identifier',
    pattern: /(?<![\w.-])[a-z]{2,20}(?:(?:-[a-z]{2,20}){1,4}-\d{1,4}|-0\d{1,2})(?![\w-])/g,
  },
  {
    rule: 'identifier',
    kind: 'identifier',
    pattern: new RegExp(`(?<![\\w.-])(?:${machines})-?\\d{1,4}(?![\\w-])`, 'g'),
  },
  {
    rule: 'number',
    kind: 'number',
    pattern: /(?<![\w./-])\d{4}\/(?!(?:19|20)\d\d\b)\d{3,6}(?![\w/-])/g,
  },
  {
    rule: 'number',
    kind: 'number',
    pattern: new RegExp(`${numberStart}(?:${serialNumber}|${spacedNumber})${numberEnd}`, 'gu'),
    nameOf: (match) =>
      /^(?:EUR|USD|GBP|CHF|UTC|KW|CA|NR|[1-9][DGK]) /.test(match) ? undefined : match,
  },
  {
    rule: 'identifier',
    kind: 'identifier',
    pattern:
      /\b(?!(?:Mc|Mac|De|Di|La|Le)[A-Z])[A-Za-z][a-z0-9]{1,60}(?:[A-Z][a-z0-9]{1,60}){1,8}\b/g,
  },
]

/** Replaces a found text: it is part of no word and ends every run. */
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
  rest = titlesOf(rest, (name) => finds.push({ name, rule: 'quotation' }))
  const names = new Set(capitalisedNames(rest))
  for (const name of names) finds.push({ name, rule: 'capitals' })
  return finds
}

function hostOf(url: string): Find[] {
  const host = hostOfUrl.exec(url)?.[1]
  return host === undefined ? [] : [{ name: host.toLowerCase(), kind: 'host', rule: 'host' }]
}

/** The title of a work in quotation marks: most of its words are capitalised. */
const quoted = /["“„«]([^"”“»\n]{3,80})["”“»]/gu

function titlesOf(text: string, take: (title: string) => void): string {
  return text.replace(quoted, (match, inner: string) => {
    const words = inner.split(' ')
    const capitals = words.filter((word) => /^\p{Lu}/u.test(word)).length
    const isTitle = words.length > 1 && /^\p{Lu}/u.test(inner) && 2 * capitals > words.length
    if (!isTitle || /[.!?,;]$/.test(inner)) return match
    take(inner)
    return taken.repeat(match.length)
  })
}

function* capitalisedNames(text: string): Generator<string> {
  const tokens = tokensOf(text)
  const names = isGerman(tokens) ? germanNames(tokens) : englishNames(tokens)
  for (const run of names) {
    const first = run[0]
    const last = run.at(-1)
    if (first !== undefined && last !== undefined) yield text.slice(first.start, last.end)
  }
}
