// Random SQL, token by token: expressions and statements of the grammar with parentheses where they
// may be needed or not, then written with random blanks, comments and cases; and what is left of
// them when tokens are lost, doubled, swapped and drawn by chance.

type Random = () => number

const names = `a c d k _id a1 k$2 value name type data text year zone key first nulls filter0 é
  "a" "a""b" "Mixed Case" "select" "größe" price status timestamp date`
  .split(/\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/)
  .filter((one) => one !== '')
/** Behind a dot, where every word is a name. */
const labels = [...names, 'order', 'select', 'from', 'end', 'table']
const operators = `= = <> != < <= > >= + - * / % ^ || -> ->> #> #>> @> <@ ~ ~* !~ !~* & | # << >>
  ~~ !~~ ~~* && @@ -|- ^@`.split(/\s+/)
const functions = `lower upper length abs round concat now count sum avg min max coalesce nullif
  greatest least left right array_agg pg_catalog.lower date_trunc`.split(/\s+/)
const types = `int integer int4 bigint smallint text varchar(10) char char(3) numeric numeric(5,2)
  decimal float float(3) float8 boolean timestamptz timestamp jsonb json date uuid interval
  time bpchar pg_catalog.int4 pg_catalog.bpchar int[] text[3] real`.split(/\s+/)
const longTypes = [
  ['double', 'precision'],
  ['character', 'varying', '(', '3', ')'],
  ['timestamp', 'with', 'time', 'zone'],
  ['timestamp', '(', '3', ')', 'without', 'time', 'zone'],
  ['time', 'with', 'time', 'zone'],
  ['int', 'array'],
]
const literalTypes =
  `date timestamptz jsonb int text numeric(5,2) interval char char(3) bpchar`.split(/\s+/)
const strings = [
  ...["''", "'x'", "'it''s'", "'\\'", "'a%_!'", "'--'", "'/*'", "'é😀'", "'2024-01-02'"],
  ...["e'\\n\\x41\\u00e9\\\\'", "E'it\\'s'", "E'\\101'", '$$a$$', "$t$it's $$$t$", "'a'\n'b'"],
]
const numbers =
  `0 1 2 42 007 2147483647 2147483648 9223372036854775807 9223372036854775808 1.5 .5 1.
  1.10 0.1 1e3 1E-7 12.5e+2 123456789.123456789123456789 0x1F 0b101 0o17 1_000 0.000
  12345678901234567890.5 1e30`.split(/\s+/)
const mixed = `( ) [ ] , . and or not is null true false unknown distinct from between symmetric in
  like ilike escape any all some case when then else end cast as array :: - + isnull notnull at time
  zone filter where order by asc desc extract position substring trim for leading both a = 1 'x' $1
  current_timestamp current_date *`.split(/\s+/)

export class Sql {
  private tokens: string[] = []
  /** Whether words stay where they are keywords, and may have any case. */
  private isWhole = true

  constructor(private readonly random: Random) {}

  /** The text of an expression of at most `depth` levels. */
  expressionText(depth: number): string {
    return this.written(() => this.expression(this.upTo(depth - 1) + 1))
  }

  /** An expression of which a token or two were changed. */
  damagedText(depth: number): string {
    return this.written(() => {
      this.isWhole = false
      this.expression(depth)
      for (let changes = this.chance(0.3) ? 2 : 1; changes > 0; changes--) this.damage()
    })
  }

  /** Tokens by chance. */
  chanceText(): string {
    return this.written(() => {
      for (let i = this.upTo(6); i >= 0; i--) this.put(this.of(mixed))
    })
  }

  statementText(): string {
    return this.written(() => {
      this.isWhole = !this.chance(0.2)
      const makes = [this.select, this.select, this.insert, this.update, this.remove, this.index]
      this.of(makes).call(this)
      if (!this.isWhole) this.damage()
    })
  }

  private written(make: () => void): string {
    this.tokens = []
    this.isWhole = true
    make()
    return this.joined()
  }

  private upTo(max: number): number {
    return Math.floor(this.random() * (max + 1))
  }

  private chance(share: number): boolean {
    return this.random() < share
  }

  private of<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T
  }

  private put(...tokens: readonly string[]): void {
    for (const token of tokens) this.tokens.push(token)
  }

  /** Keywords, in any case. */
  private word(words: string): void {
    for (const word of words.split(' ')) this.put(this.cased(word))
  }

  private cased(word: string): string {
    if (!this.isWhole) return word
    const way = this.random()
    if (way < 0.6) return word
    return way < 0.9 ? word.toUpperCase() : word[0]?.toUpperCase() + word.slice(1)
  }

  private damage(): void {
    const { tokens } = this
    const at = this.upTo(tokens.length - 1)
    const way = this.random()
    if (way < 0.35) tokens.splice(at, 1)
    else if (way < 0.55) tokens.splice(at, 0, this.of(mixed))
    else if (way < 0.75) tokens[at] = this.of(mixed)
    else if (way < 0.9) {
      const other = this.upTo(tokens.length - 1)
      const [a = '', b = ''] = [tokens[at], tokens[other]]
      tokens[at] = b
      tokens[other] = a
    } else tokens.splice(at, 0, tokens[at] ?? '')
  }

  /** With something between the tokens, or nothing where that is the same. */
  private joined(): string {
    let text = ''
    for (const token of this.tokens) {
      const touches = /[\w$"'é]$/.test(text) === /^[\w$"'é.]/.test(token)
      if (touches || this.chance(0.5)) text += this.blank(text)
      text += token
    }
    return text
  }

  private blank(before: string): string {
    // libpg-query alone: a comment behind these hides from it what they are joined with.
    if (this.chance(0.85) || /(?:not|nulls|with|without|')$/i.test(before)) return ' '
    return this.of(['\n', '\t', '  ', ' /* a /* b */ */ ', ' -- c\n', '\r\n', '/**/'])
  }

  private expression(depth: number): void {
    const inParentheses = this.chance(0.3)
    if (inParentheses) this.put('(')
    if (depth <= 0 || this.chance(0.1)) this.operand()
    else this.operation(depth - 1)
    if (inParentheses) this.put(')')
  }

  private operation(depth: number): void {
    const way = this.upTo(25)
    if (way < 6) this.infix(depth, () => this.put(this.of(operators)))
    else if (way < 9) this.infix(depth, () => this.word(this.of(['and', 'or'])))
    else if (way === 9) this.prefix(depth, () => this.word('not'))
    else if (way === 10) this.prefix(depth, () => this.put(this.of(['-', '+'])))
    else if (way < 13) this.test(depth)
    else if (way === 13) this.between(depth)
    else if (way === 14) this.listed(depth)
    else if (way === 15) this.like(depth)
    else if (way === 16) this.quantified(depth)
    else if (way === 17) this.caseOf(depth)
    else if (way === 18) this.cast(depth)
    else if (way < 21) this.special(depth)
    else if (way < 23) this.call(depth)
    else if (way === 23) this.array(depth)
    else if (way === 24) this.subscript(depth)
    else this.infix(depth, () => this.word('at time zone'))
  }

  private infix(depth: number, operator: () => void): void {
    this.expression(depth)
    operator()
    this.expression(depth)
  }

  private prefix(depth: number, operator: () => void): void {
    operator()
    this.expression(depth)
  }

  private test(depth: number): void {
    this.expression(depth)
    const way = this.random()
    if (way < 0.2) this.word(this.of(['isnull', 'notnull', 'at local']))
    else {
      this.word(this.chance(0.5) ? 'is' : 'is not')
      this.word(this.of(['null', 'null', 'true', 'false', 'unknown', 'distinct from']))
      if (this.tokens.at(-1)?.toLowerCase() === 'from') this.expression(depth)
    }
  }

  private between(depth: number): void {
    this.expression(depth)
    if (this.chance(0.3)) this.word('not')
    this.word(this.of(['between', 'between', 'between symmetric', 'between asymmetric']))
    this.expression(depth)
    this.word('and')
    this.expression(depth)
  }

  private listed(depth: number): void {
    this.expression(depth)
    this.word(this.chance(0.3) ? 'not in' : 'in')
    this.put('(')
    this.list(depth, 1)
    this.put(')')
  }

  private list(depth: number, least: number): void {
    this.times(this.upTo(2) + least, () => this.expression(depth))
  }

  private like(depth: number): void {
    this.expression(depth)
    if (this.chance(0.3)) this.word('not')
    this.word(this.of(['like', 'ilike']))
    this.expression(depth)
    if (!this.chance(0.4)) return
    this.word('escape')
    this.expression(Math.min(depth, 1))
  }

  private quantified(depth: number): void {
    this.expression(depth)
    this.put(this.of(operators))
    this.word(this.of(['any', 'all', 'some']))
    this.put('(')
    this.expression(depth)
    this.put(')')
  }

  private caseOf(depth: number): void {
    this.word('case')
    if (this.chance(0.3)) this.expression(depth)
    for (let i = this.upTo(1); i >= 0; i--) {
      this.word('when')
      this.expression(depth)
      this.word('then')
      this.expression(depth)
    }
    if (this.chance(0.5)) {
      this.word('else')
      this.expression(depth)
    }
    this.word('end')
  }

  private cast(depth: number): void {
    if (this.chance(0.6)) {
      this.expression(depth)
      this.put('::')
      this.type()
    } else {
      this.word('cast')
      this.put('(')
      this.expression(depth)
      this.word('as')
      this.type()
      this.put(')')
    }
  }

  private type(): void {
    if (this.chance(0.8)) this.word(this.of(types))
    else this.put(...this.of(longTypes))
  }

  private special(depth: number): void {
    const [open, ...between] = this.of([
      ['extract(year from', ')'],
      ["extract('day' from", ')'],
      ['position(', 'in', ')'],
      ['substring(', 'from', 'for', ')'],
      ['substring(', 'for', 'from', ')'],
      ['substring(', 'from', ')'],
      ['substring(', 'for', ')'],
      ['substring(', ',', ',', ')'],
      ['trim(', ')'],
      ['trim(both from', ')'],
      ['trim(leading', 'from', ')'],
      ['trim(', 'from', ')'],
      ['trim(trailing', 'from', ',', ')'],
      ['trim(', ',', ')'],
      ['coalesce(', ',', ')'],
      ['nullif(', ',', ')'],
      ['greatest(', ')'],
    ])
    this.word(open ?? '')
    for (const next of between) {
      this.expression(depth)
      this.word(next)
    }
  }

  private call(depth: number): void {
    this.word(this.of(functions))
    this.put('(')
    const way = this.random()
    if (way < 0.15) this.put('*')
    else if (way < 0.9) {
      if (this.chance(0.2)) this.word(this.of(['distinct', 'all']))
      this.list(depth, 1)
      if (this.chance(0.15)) this.orderBy(depth)
    }
    this.put(')')
    if (!this.chance(0.15)) return
    this.word('filter')
    this.put('(')
    this.word('where')
    this.expression(depth)
    this.put(')')
  }

  private orderBy(depth: number): void {
    this.word('order by')
    for (let i = this.upTo(1); i >= 0; i--) {
      this.expression(depth)
      if (this.chance(0.5)) this.word(this.of(['asc', 'desc']))
      if (this.chance(0.4)) this.word(this.of(['nulls first', 'nulls last']))
      if (i > 0) this.put(',')
    }
  }

  private array(depth: number): void {
    this.word('array')
    this.elements(depth)
  }

  private elements(depth: number): void {
    this.put('[')
    const isNested = this.chance(0.1)
    this.times(this.upTo(2), () => {
      if (isNested !== this.chance(0.02)) this.elements(depth - 1)
      else this.expression(depth)
    })
    this.put(']')
  }

  private subscript(depth: number): void {
    if (this.chance(0.5)) this.column()
    else this.expression(depth)
    this.put('[')
    this.expression(depth)
    this.put(']')
    if (this.chance(0.3)) this.put('.', this.of(labels))
  }

  private column(): void {
    this.put(this.of(names))
    while (this.chance(0.25)) {
      if (this.chance(0.3)) this.put('[', String(this.upTo(9)), ']')
      else this.put('.', this.of(labels))
    }
  }

  private operand(): void {
    const way = this.random()
    if (way < 0.4) this.column()
    else if (way < 0.65) this.put(this.of(numbers))
    else if (way < 0.8) this.put(this.of(strings))
    else if (way < 0.88) this.word(this.of(['null', 'true', 'false', 'current_timestamp']))
    else if (way < 0.94) this.put(this.of(['$1', '$2', '$17']))
    else {
      this.word(this.of(literalTypes))
      this.put(this.of(strings))
    }
  }

  private table(): void {
    this.put(this.of(['t', 'users', '"my table"', 'public.t', 'information_schema.tables']))
  }

  private aliased(): void {
    this.table()
    if (this.chance(0.4)) this.word('as')
    else if (this.chance(0.6)) return
    this.put(this.of(['u', 'a1', '"T"']))
  }

  private results(): void {
    for (let i = this.upTo(2); i >= 0; i--) {
      if (this.chance(0.15)) this.put('*')
      else if (this.chance(0.1)) this.put('t', '.', '*')
      else this.expression(2)
      if (this.chance(0.2)) {
        this.word('as')
        this.put(this.of(labels))
      } else if (this.chance(0.1)) this.put(this.of(['total', '"Total"', 'a1']))
      if (i > 0) this.put(',')
    }
  }

  private where(): void {
    if (!this.chance(0.6)) return
    this.word('where')
    this.expression(3)
  }

  private select(): void {
    this.word('select')
    if (this.chance(0.2)) this.word(this.of(['distinct', 'all']))
    this.results()
    if (this.chance(0.8)) this.from()
    this.where()
    if (this.chance(0.2)) {
      this.word('group by')
      this.list(1, 1)
      if (this.chance(0.5)) {
        this.word('having')
        this.expression(2)
      }
    }
    if (this.chance(0.3)) this.orderBy(1)
    if (this.chance(0.4)) this.window()
  }

  private from(): void {
    this.word('from')
    this.aliased()
    for (let joins = this.chance(0.3) ? this.upTo(2) : 0; joins > 0; joins--) {
      const way = this.of(['join', 'inner join', 'left join', 'left outer join', 'cross join', ','])
      if (way === ',') this.put(way)
      else this.word(way)
      this.aliased()
      if (way === ',' || way === 'cross join') continue
      if (this.chance(0.3)) {
        this.word('using')
        this.put('(', 'a', ',', 'c', ')')
      } else {
        this.word('on')
        this.expression(2)
      }
    }
  }

  private window(): void {
    const parts = [
      this.of([
        ['limit', '10'],
        ['limit', 'all'],
        ['limit', '$1'],
        ['limit', '2', '+', '3'],
      ]),
      this.of([
        ['offset', '5'],
        ['offset', '5', 'rows'],
        ['offset', '$2'],
      ]),
    ]
    if (this.chance(0.2)) parts[0] = ['fetch', 'first', '5', 'rows', 'only']
    else if (this.chance(0.1)) parts[0] = ['fetch', 'next', 'row', 'only']
    if (this.chance(0.5)) parts.reverse()
    for (const part of parts.slice(this.upTo(1))) this.word(part.join(' '))
  }

  private target(): void {
    this.put(this.of(['a', 'c', 'k', '"Mixed"', 'status']))
    if (this.chance(0.2)) this.put('.', this.of(labels))
    if (this.chance(0.05)) this.put('[', '0', ']')
  }

  private assigned(): void {
    if (this.chance(0.1)) this.word('default')
    else this.expression(2)
  }

  private insert(): void {
    this.word('insert into')
    this.table()
    if (this.chance(0.2)) this.put('as', 'u')
    const width = this.upTo(2) + 1
    const hasNoRows = this.chance(0.05)
    if (!hasNoRows && this.chance(0.9)) {
      this.put('(')
      this.times(width, () => this.target())
      this.put(')')
    }
    if (hasNoRows) this.word('default values')
    else {
      this.word('values')
      this.times(this.upTo(2) + 1, () => {
        this.put('(')
        this.times(width, () => this.assigned())
        this.put(')')
      })
    }
    if (this.chance(0.3)) this.conflict()
    this.returning()
  }

  private times(count: number, make: () => void): void {
    for (let i = 0; i < count; i++) {
      if (i > 0) this.put(',')
      make()
    }
  }

  private conflict(): void {
    this.word('on conflict')
    const isNothing = this.chance(0.4)
    if (!isNothing || this.chance(0.8)) this.put('(', 'a', ',', 'c', ')')
    this.word(isNothing ? 'do nothing' : 'do update')
    if (isNothing) return
    this.set()
    this.where()
  }

  private set(): void {
    this.word('set')
    this.times(this.upTo(2) + 1, () => {
      this.target()
      this.put('=')
      this.assigned()
    })
  }

  private returning(): void {
    if (!this.chance(0.3)) return
    this.word('returning')
    this.results()
  }

  private update(): void {
    this.word('update')
    this.aliased()
    this.set()
    this.where()
    this.returning()
  }

  private remove(): void {
    this.word('delete from')
    this.aliased()
    this.where()
    this.returning()
  }

  private index(): void {
    this.word(this.chance(0.4) ? 'create unique index' : 'create index')
    const isNamed = this.chance(0.7)
    if (isNamed && this.chance(0.3)) this.word('if not exists')
    if (isNamed) this.put(this.of(['i', '"My index"', 'a1']))
    this.word('on')
    this.table()
    if (this.chance(0.2)) this.word('using btree')
    this.put('(')
    this.times(this.upTo(1) + 1, () => {
      if (this.chance(0.3)) this.put('(', '(', 'a', '.', 'c', ')', ')')
      else this.put(this.of(['a', '"B c"', 'status']))
      if (this.chance(0.4)) this.word(this.of(['asc', 'desc']))
    })
    this.put(')')
    this.where()
  }
}
