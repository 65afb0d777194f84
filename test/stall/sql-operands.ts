// What each SQL function and operator is given, so that a case reaches its loop: kinds of its
// arguments in order, each of which has operands by the kind of the hostile value.

import type { HostileKind } from './cases.js'

const textKinds: readonly HostileKind[] = ['text', 'almostText', 'words', 'wideText', 'digits']
const listKinds: readonly HostileKind[] = [
  ...(['numbers', 'equalNumbers', 'equalTexts', 'almostTexts', 'objects', 'pairs'] as const),
  'nested',
]

/** A signature has the arguments of a call; those after `?` may be left out. */
export const functionSignatures: Readonly<Record<string, string>> = {
  ...named('lower upper initcap length char_length character_length octet_length', 'text'),
  ...named('reverse ascii quote_ident quote_literal', 'text'),
  ...named('substring substr', 'text count ? count'),
  ...named('left right repeat', 'text count'),
  ...named('lpad rpad', 'text count ? text'),
  ...named('btrim trim ltrim rtrim', 'text ? text'),
  ...named('position strpos starts_with', 'text text'),
  ...named('replace', 'text text text'),
  ...named('split_part', 'text text small'),
  ...named('chr', 'count'),
  ...named('string_to_array', 'text text ? text'),
  ...named('array_to_string', 'list text ? text'),
  ...named('array_upper array_lower array_length', 'list small'),
  ...named('cardinality', 'list'),
  ...named('parse_ident', 'text'),
  ...named('jsonb_array_length json_array_length jsonb_typeof json_typeof', 'json'),
  ...named('to_jsonb to_json row_to_json', 'any'),
  ...named('abs sign floor ceil ceiling sqrt exp ln log log10', 'number'),
  ...named('round trunc', 'number ? count'),
  ...named('mod power pow', 'number number'),
  ...named('extract date_part', 'field time'),
  ...named('date_trunc', 'field time ? zone'),
  ...named('timezone', 'zone time'),
  ...named('to_timestamp', 'number'),
  ...named('make_date', 'count count count'),
  ...named('current_timestamp localtimestamp', '? small'),
  ...named('now transaction_timestamp statement_timestamp clock_timestamp current_date', ''),
  ...named('coalesce greatest least concat nullif', 'any any'),
  ...named('concat_ws', 'text any any'),
}

/** Sides of an operator. */
export const operatorSides: Readonly<Record<string, readonly string[]>> = {
  ...sides('= < <> IS_DISTINCT_FROM', 'any any'),
  ...sides('||', 'text text', 'json json', 'list list'),
  ...sides('LIKE ILIKE ~ ~* !~', 'text pattern'),
  ...sides('+ * / % - ^', 'number number'),
  ...sides('-> ->>', 'json key', 'json small'),
  ...sides('@> <@', 'json json', 'list list'),
  ...sides('#>', 'json keys'),
  ...sides('AND OR', 'bool bool'),
}

const operands: Readonly<Record<string, (kind: HostileKind) => readonly string[]>> = {
  any: () => ['v', 'w', 'n', "'a'"],
  bool: () => ['v = w', 'v < w', 'v IS NULL'],
  count: () => ['5', '1000000', '2000000000', '-3', '0'],
  field: () => ["'year'", "'week'", "'microseconds'", 'n'],
  json: (kind) =>
    textKinds.includes(kind)
      ? ['to_jsonb(v)', 'to_jsonb(w)', `CAST('["' || n || '"]' AS jsonb)`]
      : ['v', 'w', 'to_jsonb(v)'],
  key: () => ["'f9'", "'a'", 'n'],
  keys: () => ["'{a,0,a}'", "'{f9}'", 'n'],
  list: (kind) =>
    listKinds.includes(kind) ? ['v', 'w'] : [`string_to_array(CAST(n AS text), 'b')`],
  number: (kind) =>
    kind === 'digits'
      ? ['CAST(left(v, 100000) AS numeric)', 'CAST(v AS numeric)', '5', '1e300', '0.000001']
      : ['length(CAST(n AS text))', '5', '1e300', '0.000001', '-2.5'],
  pattern: () => ["'a%b%c%'", "'(a|aa)+$'", "'%'", 'n'],
  small: () => ['1', '100000', '-1'],
  text: (kind) =>
    textKinds.includes(kind) ? ['v', 'n', "'a'", 'w', "''"] : ['CAST(v AS text)', "'a'", "','"],
  time: () => ['now()', "CAST('2024-02-29 12:00:00' AS timestamp)"],
  zone: () => ["'UTC'", 'n'],
}

/** Functions whose arguments words separate. */
const separators: Readonly<Record<string, string>> = { position: ' IN ', extract: ' FROM ' }

/** Calls of one function: its first argument in each of its forms, the others in turn. */
export function callsOf(name: string, kind: HostileKind): string[] {
  const signature = functionSignatures[name] ?? ''
  const [least = '', more = ''] = signature.split('?')
  const required = least.split(' ').filter(Boolean)
  const optional = more.split(' ').filter(Boolean)
  const counts = [required.length, required.length + optional.length]
  const calls = [...new Set(counts)].flatMap((count) =>
    combined([...required, ...optional].slice(0, count), kind),
  )
  return calls.map((args) => `${name}(${args.join(separators[name] ?? ', ')})`)
}

export function operationsOf(name: string, kind: HostileKind): string[] {
  const operator = name.replaceAll('_', ' ')
  return (operatorSides[name] ?? []).flatMap((given) =>
    combined(given.split(' '), kind).map(([a, b]) => `(${a}) ${operator} (${b})`),
  )
}

/** Each operand of each place at least once, beside a large first one where there is one. */
function combined(kinds: readonly string[], kind: HostileKind): string[][] {
  const places = kinds.map((one) => (operands[one] as (kind: HostileKind) => string[])(kind))
  const longest = Math.max(0, ...places.map((place) => place.length))
  const made = new Map<string, string[]>()
  for (let first = 0; first < Math.min(2, places[0]?.length ?? 1); first++) {
    for (let i = 0; i < Math.max(1, longest); i++) {
      const args = places.map((place, at) => {
        const from = at === 0 ? first : i + at - 1
        return place[from % place.length] as string
      })
      made.set(args.join(), args)
    }
  }
  return [...made.values()]
}

function named(names: string, signature: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, signature]))
}

function sides(names: string, ...given: string[]): Record<string, readonly string[]> {
  return Object.fromEntries(names.split(' ').map((name) => [name, given]))
}
