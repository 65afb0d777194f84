// Generated SELECT statements over generated tables, as texts that PostgreSQL and Sigil both take:
// each column of one type or NULL, and the order of NULL spelled out.

import fc from 'fast-check'

/** Of a row: NULL where undefined. */
export interface TableRow {
  readonly _id: number
  readonly a: number | undefined
  readonly b: number | undefined
  readonly f: number | undefined
  readonly s: string | undefined
  readonly k: boolean | undefined
  /** Days since 2024-01-01. */
  readonly d: number | undefined
}

const wholes = [-3, -1, 0, 1, 2, 3, 7]
/** Exact in binary, so that sums do not depend on their order. */
const halves = [-2.5, -0.5, 0, 0.25, 1, 1.5, 8]
const texts = ['', 'a', 'ab', 'b', 'A', 'a%', '_', 'Zoë', 'ab c']

function orNull<T>(values: readonly T[]): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...values) }, fc.constant(undefined))
}

export const tableRows: fc.Arbitrary<readonly TableRow[]> = fc
  .array(
    fc.record({
      ...{ a: orNull(wholes), b: orNull(wholes), f: orNull(halves), s: orNull(texts) },
      ...{ k: orNull([true, false]), d: orNull([0, 1, 31, 366]) },
    }),
    { maxLength: 9 },
  )
  .map((rows) => rows.map((row, i) => ({ _id: i + 1, ...row })))

type Words = fc.Arbitrary<string>

interface Typed {
  readonly whole: Words
  readonly half: Words
  readonly text: Words
  readonly truth: Words
  readonly time: Words
}

const comparison = fc.constantFrom('=', '<>', '<', '<=', '>', '>=')
const not = fc.constantFrom('', 'NOT ')

/** Expressions of each type over the columns of the tables, whose names stand before them. */
function typed(tables: readonly string[]): Typed {
  const column = (...names: readonly string[]): Words =>
    fc.constantFrom(...tables.flatMap((table) => names.map((name) => `${table}${name}`)))
  return fc.letrec<Record<keyof Typed, string>>((tie) => ({
    whole: deepening(
      fc.oneof(column('a', 'b', '_id'), fc.constantFrom('0', '1', '2', '-1', 'NULL::int')),
      ...wholeForms(tie('whole'), tie('text'), tie('truth')),
    ),
    half: deepening(
      fc.oneof(column('f'), fc.constantFrom('0.5::float8', '2::float8', 'NULL::float8')),
      ...halfForms(tie('half'), tie('whole'), tie('truth')),
    ),
    text: deepening(
      fc.oneof(column('s'), fc.constantFrom("'a'", "'b'", "''", "'ab'", 'NULL::text')),
      ...textForms(tie('text'), tie('whole'), tie('truth')),
    ),
    truth: deepening(
      fc.oneof(column('k'), comparisons(column('a', 'b'), fc.constantFrom('0', '1', '2'))),
      ...truthForms(tie('truth'), [tie('whole'), tie('half'), tie('text'), tie('time')]),
    ),
    time: deepening(
      fc.oneof(column('d'), fc.constantFrom("timestamptz '2024-01-02T00:00:00Z'")),
      ...timeForms(tie('time'), tie('truth')),
    ),
  }))
}

function deepening(leaf: Words, ...others: readonly Words[]): Words {
  const arbitraries = others.map((arbitrary) => ({ weight: 1, arbitrary }))
  const leaves = { weight: others.length, arbitrary: leaf }
  return fc.oneof({ maxDepth: 3, withCrossShrink: true }, leaves, ...arbitraries)
}

/** A template whose holes are filled: `(? + ?)`. */
function form(template: string, ...parts: readonly Words[]): Words {
  const pieces = template.split('?')
  return fc.tuple(...parts).map((words) => {
    return pieces.map((piece, i) => piece + (words[i] ?? '')).join('')
  })
}

function chosen(truth: Words, value: Words): readonly Words[] {
  return [
    form('coalesce(?, ?)', value, value),
    form('nullif(?, ?)', value, value),
    form('greatest(?, ?)', value, value),
    form('least(?, ?)', value, value),
    form('CASE WHEN ? THEN ? ELSE ? END', truth, value, value),
    form('CASE ? WHEN ? THEN ? END', value, value, value),
  ]
}

function wholeForms(whole: Words, text: Words, truth: Words): readonly Words[] {
  return [
    form('(? ? ?)', whole, fc.constantFrom('+', '-'), whole),
    form('(? * ?)', whole, fc.constantFrom('2', '-1', '3')),
    form('(? ? ?)', whole, fc.constantFrom('/', '%'), fc.constantFrom('2', '-3', '5')),
    form('abs(?)', whole),
    form('(- ?)', whole),
    form('length(?)', text),
    form('position(? IN ?)', text, text),
    ...chosen(truth, whole),
  ]
}

function halfForms(half: Words, whole: Words, truth: Words): readonly Words[] {
  return [
    form('(? ? ?)', half, fc.constantFrom('+', '-'), fc.oneof(half, whole)),
    form('(? ? ?)', half, fc.constantFrom('*', '/'), fc.constantFrom('2', '4', '-8')),
    form('abs(?)', half),
    form('?(?)', fc.constantFrom('floor', 'ceil', 'trunc'), half),
    form('(?)::float8', whole),
    ...chosen(truth, half),
  ]
}

function textForms(text: Words, whole: Words, truth: Words): readonly Words[] {
  return [
    form('(? || ?)', text, text),
    form('?(?)', fc.constantFrom('upper', 'lower', 'trim', 'reverse'), text),
    form('substr(?, ?, ?)', text, fc.constantFrom('1', '2', '3'), fc.constantFrom('0', '1', '2')),
    form('?(?, ?)', fc.constantFrom('left', 'right'), text, fc.constantFrom('1', '2', '-1')),
    form("replace(?, 'a', ?)", text, text),
    form('concat(?, ?)', text, text),
    form('(?)::text', fc.oneof(whole, truth)),
    ...chosen(truth, text),
  ]
}

function timeForms(time: Words, truth: Words): readonly Words[] {
  return [
    form(
      "(? ? interval '?')",
      time,
      fc.constantFrom('+', '-'),
      fc.constantFrom('1 day', '2 months'),
    ),
    form("date_trunc('?', ?)", fc.constantFrom('day', 'month', 'year'), time),
    ...chosen(truth, time),
  ]
}

function comparisons(left: Words, right: Words): Words {
  return form('(? ? ?)', left, comparison, right)
}

const patterns = fc.constantFrom("'a%'", "'%b'", "'_'", "'%'", "'a\\%'", "'%o_'", "'ab'")

function truthForms(truth: Words, values: readonly Words[]): readonly Words[] {
  const [whole = truth, , text = truth] = values
  const list = fc.array(whole, { minLength: 1, maxLength: 4 }).map((items) => items.join(', '))
  return [
    form('(? AND ?)', truth, truth),
    form('(? OR ?)', truth, truth),
    form('(NOT ?)', truth),
    ...values.map((value) => form('(? ? ?)', value, comparison, value)),
    ...values.map((value) => form('(? IS ?NULL)', value, not)),
    ...values.map((value) => form('(? IS ?DISTINCT FROM ?)', value, not, value)),
    form('(? ?BETWEEN ??  AND ?)', whole, not, fc.constantFrom('', 'SYMMETRIC '), whole, whole),
    form('(? ?IN (?))', whole, not, list),
    form('(? ?? ?)', text, not, fc.constantFrom('LIKE', 'ILIKE'), patterns),
    form('(? IS ??)', truth, not, fc.constantFrom('TRUE', 'FALSE', 'UNKNOWN')),
    form('(? = ANY (ARRAY[?]))', whole, list),
  ]
}

interface SelectText {
  readonly text: string
  /** The order of the rows is decided. */
  readonly isOrdered: boolean
}

interface From {
  readonly text: string
  readonly values: Typed
  /** Decide between rows that are equal else. */
  readonly ids: readonly string[]
}

/** The tables are `t` and `u`, of the same columns. */
const froms: fc.Arbitrary<From> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(plain(''), plain('t.')) },
  { weight: 2, arbitrary: joined() },
)

function plain(prefix: string): From {
  return { text: 't', values: typed([prefix]), ids: ['_id'] }
}

function joined(): fc.Arbitrary<From> {
  const values = typed(['t.', 'u.'])
  const ids = ['t._id', 'u._id']
  const equality = fc.constantFrom(
    ...['t.a = u.a', 't.s = u.s', 't.a = u._id', 'u.b = t.a + 1', 't.f = u.a', 't._id = u._id'],
  )
  const on = fc.oneof(equality, form('? AND ?', equality, values.truth), values.truth)
  const texts = fc.oneof(
    form('t ? JOIN u ON ?', fc.constantFrom('', 'INNER', 'LEFT'), on),
    fc.constantFrom('t CROSS JOIN u', 't, u'),
    form('t ? JOIN u USING (?)', fc.constantFrom('', 'LEFT'), fc.constantFrom('a', 's', '_id, k')),
  )
  return texts.map((text) => ({ text, values, ids }))
}

function anyOf(values: Typed): Words {
  const { whole, half, text, truth, time } = values
  return fc.oneof(whole, half, text, truth, time)
}

const direction = fc.constantFrom(
  ...['', ' DESC'].flatMap((d) => ['FIRST', 'LAST'].map((n) => `${d} NULLS ${n}`)),
)

/** In what order the results come, each once and in any direction. */
function orderOf(count: number): Words {
  const places = Array.from({ length: count }, (_, i) => String(i + 1))
  return fc
    .tuple(
      fc.shuffledSubarray(places, { minLength: count }),
      fc.array(direction, { minLength: count, maxLength: count }),
    )
    .map(([order, directions]) => order.map((at, i) => at + directions[i]).join(', '))
}

const window = fc.oneof(
  { weight: 2, arbitrary: fc.constant('') },
  fc
    .tuple(
      fc.constantFrom('', ' LIMIT 0', ' LIMIT 2', ' LIMIT 1 + 4'),
      fc.constantFrom('', ' OFFSET 1'),
    )
    .map((words) => words.join('')),
)

function where(truth: Words): Words {
  return fc.oneof(fc.constant(''), form(' WHERE ?', truth), form(' WHERE ?', truth))
}

/** Rows as they are. */
function plainSelect({ text, values, ids }: From): fc.Arbitrary<SelectText> {
  const items = fc.array(anyOf(values), { minLength: 1, maxLength: 4 })
  const order = form('??, ', anyColumnOf(values, ids), direction)
  const orders = fc.oneof(fc.constant(''), order, form('1?, ', direction))
  return fc
    .tuple(items, where(values.truth), fc.boolean(), orders, window)
    .map(([list, condition, isOrdered, by, cut]) => {
      const last = ids.map((id) => `${id} NULLS FIRST`).join(', ')
      const tail = isOrdered ? ` ORDER BY ${by}${last}${cut}` : ''
      return { text: `SELECT ${named(list)} FROM ${text}${condition}${tail}`, isOrdered }
    })
}

/** PostgreSQL takes no constant in ORDER BY: with a column beside it, it is none. */
function anyColumnOf({ whole, text }: Typed, [id = '']: readonly string[]): Words {
  return fc.oneof(form(`(? + ${id})`, whole), form(`(? || ${id}::text)`, text))
}

function distinctSelect({ text, values }: From): fc.Arbitrary<SelectText> {
  return fc.array(anyOf(values), { minLength: 1, maxLength: 3 }).chain((list) =>
    fc.tuple(where(values.truth), orderOf(list.length), window).map(([condition, order, cut]) => ({
      text: `SELECT DISTINCT ${named(list)} FROM ${text}${condition} ORDER BY ${order}${cut}`,
      isOrdered: true,
    })),
  )
}

/** Aggregates over all or over groups. */
function groupSelect({ text, values, ids }: From): fc.Arbitrary<SelectText> {
  const keys = fc.array(anyOf(values), { maxLength: 2 })
  const aggregates = fc.array(aggregateOf(values, ids), { minLength: 1, maxLength: 3 })
  return fc.tuple(keys, aggregates).chain(([group, folded]) => {
    const list = [...group, ...folded]
    const by = group.map((_, i) => i + 1).join(', ')
    const having = form(' HAVING count(*) ? ?', comparison, fc.constantFrom('1', '2'))
    return fc
      .tuple(where(values.truth), fc.oneof(fc.constant(''), having), orderOf(list.length), window)
      .map(([condition, limited, order, cut]) => {
        const grouping = by === '' ? '' : ` GROUP BY ${by}`
        const from = `FROM ${text}${condition}${grouping}${limited}`
        return { text: `SELECT ${named(list)} ${from} ORDER BY ${order}${cut}`, isOrdered: true }
      })
  })
}

function aggregateOf({ whole, half, text, truth, time }: Typed, ids: readonly string[]): Words {
  const once = fc.constantFrom('', 'DISTINCT ')
  const filter = fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    form(' FILTER (WHERE ?)', truth),
  )
  const order = ids.map((id) => `${id} NULLS FIRST`).join(', ')
  return fc.oneof(
    form('count(*)?', filter),
    form('count(??)?', once, fc.oneof(whole, text, time), filter),
    form('?(??)?', fc.constantFrom('sum', 'avg'), once, fc.oneof(whole, half), filter),
    form('?(??)?', fc.constantFrom('min', 'max'), once, fc.oneof(whole, half, text, time), filter),
    form('?(?)?', fc.constantFrom('bool_and', 'bool_or'), truth, filter),
    form(`string_agg(?, '-' ORDER BY ${order})?`, text, filter),
  )
}

function named(list: readonly string[]): string {
  return list.map((item, i) => `${item} AS c${i}`).join(', ')
}

export const selects: fc.Arbitrary<SelectText> = froms.chain((from) =>
  fc.oneof(
    { weight: 3, arbitrary: plainSelect(from) },
    { weight: 1, arbitrary: distinctSelect(from) },
    { weight: 2, arbitrary: groupSelect(from) },
  ),
)
