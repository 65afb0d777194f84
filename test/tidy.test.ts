// Holds the layers, the size and the habits that ARCHITECTURE.md describes. A message names the
// rule and what to do instead; the numbers here only go down.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize, relative } from 'node:path'
import t from 'tap'

import { codes } from '../src/base/errors.js'
import { hasFacts } from '../src/commands/sql/typing/function-facts.js'

const root = process.cwd()

/** What serves clients: the programs of the command line and the composition may import all of it. */
const served = [
  'listeners',
  'bus',
  'memory',
  'commands',
  'identity',
  'chain',
  'engine',
  'store',
  'query',
  'value',
  'protocol',
]

/** Rooms under src and what each may import; `base` is free to all. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  base: [],
  value: [],
  protocol: ['value'],
  query: ['value'],
  store: [],
  chain: ['store'],
  engine: ['query', 'store', 'value'],
  identity: ['chain', 'engine', 'store', 'value', 'protocol/scram', 'protocol/siwe'],
  memory: ['engine', 'chain', 'identity', 'query', 'store', 'value'],
  bus: ['identity', 'chain', 'engine', 'store', 'value', 'query'],
  commands: [
    'bus',
    'memory',
    'identity',
    'chain',
    'engine',
    'store',
    'query',
    'value',
    'protocol/scram',
    'protocol/sql',
  ],
  listeners: [
    'bus',
    'memory',
    'commands',
    'identity',
    'chain',
    'engine',
    'store',
    'query',
    'value',
    'protocol',
  ],
  // The page: it knows the server by its routes alone.
  studio: [],
  cli: served,
  gateway: served,
}

const filesMax = 25
const linesMax = 500
const functionLinesMax = 70
const columnsMax = 100

/** The table of codes, and what `npm run contracts` prints, exempt from the length of a file. */
const tables = new Set(['src/base/errors.ts'])
/** The columns of serverStatus, which are named like commands. */
const listers = new Set(['src/bus/policy/meters.ts'])
const generated = 'src/chain/artifacts/'

/** What package.json and index.html name: the program, what `import` gives, and the page. */
const entries = new Set([
  'src/main.ts',
  'src/gateway/embedded.ts',
  'src/studio/main.tsx',
  'src/studio/vite.config.ts',
])

/** Folders of test for what is no single room of src, and its files that stand loose. */
const acrossRooms =
  'authorization clients contracts docs end-to-end fuzz golden record specs stall support'.split(
    ' ',
  )
const loose = new Set(
  'citations.test.ts rotation.test.ts tidy.test.ts in-turn.test.ts suite.ts nodes.ts in-turn.ts'.split(
    ' ',
  ),
)

const banned: readonly [pattern: RegExp, instead: string, exempt: RegExp][] = [
  [/\bDate\.now\(/, 'take a Clock', /^src\/base\/clock\.ts$/],
  [/\bnew Date\(\)/, 'take a Clock', /^$/],
  [/\bMath\.random\(/, 'take a Random', /^$/],
  // Programs of Node that the Studio shows print.
  [/\bconsole\./, 'take a Log', /^src\/studio\/lib\/show-as\/(?:drivers|show)\.ts$/],
  [/:\s*any\b|\bas any\b|<any>/, 'use unknown and narrow it', /^$/],
  [/@ts-ignore|@ts-expect-error/, 'fix the type', /^$/],
  [/\b(?:TODO|FIXME|XXX|HACK)\b/, 'do it, or note it on the issue', /^$/],
  [/\bprocess\.exit\(/, 'return an exit code', /^src\/main\.ts$/],
  [/JSON\.parse\(JSON\.stringify/, 'copy what is needed', /^$/],
  [/\.\.\.\{/, 'write the properties themselves', /^$/],
]

interface Source {
  readonly path: string
  readonly text: string
  readonly lines: readonly string[]
}

function sources(folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => {
      const path = `${folder}/${name}`
      const text = readFileSync(join(root, path), 'utf8')
      return { path, text, lines: text.split('\n') }
    })
}

/** Paths of the files that a file imports, types and what it loads later included. */
function importsOf({ path, text }: Source): string[] {
  const pattern = /^(?:import|export)[^'"]*?from '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gms
  return [...text.matchAll(pattern)].map(([, named, loaded = '']) =>
    sourceOf(path, named ?? loaded),
  )
}

/** The source that a file means by the name of what is built from it. */
function sourceOf(from: string, name: string): string {
  const path = normalize(join(dirname(from), name)).replace(/\.js$/, '.ts')
  return existsSync(join(root, `${path}x`)) ? `${path}x` : path
}

/** The files that a file starts as worker threads. */
function threadsOf({ path, text }: Source): string[] {
  const pattern = /new URL\('(\.[^']+)\.js', import\.meta\.url\)/g
  return [...text.matchAll(pattern)].map(
    ([, name]) => `${normalize(join(dirname(path), name ?? ''))}.ts`,
  )
}

function roomOf(path: string): string {
  return relative('src', path).split('/')[0] ?? ''
}

const src = sources('src')
const test = sources('test')
const bench = sources('bench')

t.test('every import respects the table of rooms', async (t) => {
  for (const source of src) {
    const room = roomOf(source.path)
    if (source.path === 'src/main.ts') continue
    const allowed = rooms[room]
    t.ok(allowed !== undefined, `${source.path}: no such room in the table`)
    for (const path of importsOf(source)) {
      const other = roomOf(path)
      const good =
        other === room ||
        other === 'base' ||
        (allowed ?? []).some((name) => path.startsWith(`src/${name}/`))
      t.ok(good, `${source.path} imports ${path}: ${room} may not know ${other}`)
    }
  }
})

t.test('folders stay small, and no file stands outside of the rooms', async (t) => {
  const sizes = new Map<string, number>()
  for (const { path } of src) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1)
  for (const [folder, size] of sizes) {
    t.ok(size <= filesMax, `${folder}: ${size} files; split it by subject`)
  }
  for (const { path } of src) {
    t.ok(dirname(path) !== 'src' || path === 'src/main.ts', `${path}: it belongs in a room`)
  }
})

t.test('tests stand where what they test does', async (t) => {
  const known = new Set([...Object.keys(rooms), ...acrossRooms])
  for (const path of test.map((one) => relative('test', one.path))) {
    const isKnown = path.includes('/') ? known.has(path.split('/')[0] ?? '') : loose.has(path)
    t.ok(isKnown, `test/${path}: it belongs to a room of src, or to a folder that tidy names`)
  }
  const folders = new Set(
    readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((n) => `src/${n}`),
  )
  for (const { path } of test) {
    const place = `src/${relative('test', path)}`
    const room = roomOf(place)
    if (!path.endsWith('.test.ts') || rooms[room] === undefined) continue
    t.ok(folders.has(dirname(place)), `${path}: src has no folder of this name`)
    const source = place.replace(/\.test\.ts$/, '.ts')
    const named = src.filter(
      (one) => roomOf(one.path) === room && basename(one.path) === basename(source),
    )
    const isBeside = named.length === 0 || named.some((one) => one.path === source)
    t.ok(isBeside, `${path}: what has its name is ${named.map((one) => one.path).join(', ')}`)
  }
})

t.test('no circle of imports is left, types included', async (t) => {
  const graph = new Map(
    src.map((source) => [source.path, importsOf(source).filter((path) => path.startsWith('src/'))]),
  )
  const told = new Set<string>()
  for (const path of graph.keys()) {
    const circle = told.has(path) ? undefined : circleOf(graph, path)
    for (const one of circle ?? []) told.add(one)
    if (circle !== undefined) t.fail(`a circle of imports: ${[path, ...circle].join(' -> ')}`)
  }
  const sample = { a: ['b', 'c'], b: ['d'], c: ['d'], d: ['e', 'f'], e: ['d', 'b'], f: [] }
  const circles = Object.keys(sample).map((one) => circleOf(new Map(Object.entries(sample)), one))
  t.strictSame(circles, [undefined, ['d', 'e', 'b'], undefined, ['e', 'd'], ['d', 'e'], undefined])
})

t.test('every file is imported by another, or is an entry point', async (t) => {
  const used = new Set([...src, ...test, ...bench].flatMap(importsOf))
  for (const thread of src.flatMap(threadsOf)) used.add(thread)
  for (const source of src) {
    const isKnown = entries.has(source.path) || source.path.endsWith('.d.ts')
    t.ok(isKnown || used.has(source.path), `${source.path}: imported nowhere`)
  }
})

t.test('every export has an importer in src, or is used in its file and tested', async (t) => {
  const bySrc = usesOf(src)
  const byTests = usesOf([...test, ...bench])
  const byPages = usesOf(test.filter(({ path }) => path.startsWith('test/docs/')))
  for (const source of src) {
    // load-gateway.ts loads gateway.ts for the entry points.
    if (entries.has(source.path) || source.path === 'src/gateway/gateway.ts') continue
    if (source.path.startsWith(generated)) continue
    for (const name of exportsOf(source)) {
      const key = `${source.path}#${name}`
      const isUsedHere = source.text.split(new RegExp(`\\b${name}\\b`)).length > 2
      const isTested = byTests.has(key) && (isUsedHere || byPages.has(key))
      t.ok(bySrc.has(key) || isTested, `${key}: unexport it, or move it to the tests`)
    }
  }
})

t.test('every file begins with two to six lines of comment that say why it is there', async (t) => {
  for (const source of [...src, ...bench]) {
    const first = source.lines[0]?.startsWith('#!') ? 1 : 0
    let count = 0
    while (source.lines[first + count]?.startsWith('//')) count++
    t.ok(count >= 2 && count <= 6, `${source.path}: ${count} lines of header comment`)
  }
})

t.test('lines, functions and files stay short', async (t) => {
  for (const source of src) {
    const { length } = source.lines
    const exempt = tables.has(source.path) || source.path.startsWith(generated)
    t.ok(length <= linesMax || exempt, `${source.path}: ${length} lines`)
    for (const [index, line] of source.lines.entries()) {
      // A script's first line cannot be broken.
      const isFirst = index === 0 && line.startsWith('#!')
      if (line.length > columnsMax && !isFirst)
        t.fail(`${source.path}:${index + 1}: ${line.length} columns`)
    }
    for (const { name, length } of functionsOf(source)) {
      if (length > functionLinesMax) t.fail(`${source.path}: ${name} has ${length} lines`)
    }
  }
})

t.test('nothing banned is used', async (t) => {
  for (const source of src) {
    for (const [index, line] of source.lines.entries()) {
      if (/^\s*(?:\/\/|\/?\*)/.test(line)) continue
      for (const [pattern, instead, exempt] of banned) {
        const found = pattern.test(line) && !exempt.test(source.path)
        if (found) t.fail(`${source.path}:${index + 1}: ${line.trim()}: ${instead}`)
      }
    }
  }
  t.pass('looked')
})

t.test('what depends on the name of a stage or command stands on its row', async (t) => {
  const namesIn = (folder: string): string[] =>
    src.filter(({ path }) => path.startsWith(folder)).flatMap(named)
  const stages = new Set(namesIn('src/query/stages/').filter((name) => name.startsWith('$')))
  const commands = new Set(namesIn('src/commands/'))
  for (const { path, text } of src) {
    if (/^src\/(?:query\/stages|studio)\//.test(path)) continue
    const names = path.startsWith('src/bus/') && !listers.has(path) ? commands : stages
    const found = [
      ...text.matchAll(/'(\$?\w+)'(?:,|:\s*case|\s*(?:\|\||&&)[^|&;{]*[!=]==)\s*(?='(\$?\w+)')/g),
    ]
    const listed = found.filter(([, one, next]) => names.has(one ?? '') && names.has(next ?? ''))
    t.same(
      listed.map(([all]) => all),
      [],
      `${path}: a fact of a row is told by a list of names`,
    )
  }
})

t.test('what depends on the code of an error stands in the table of codes', async (t) => {
  for (const { path, text } of src) {
    const sets = text.matchAll(/new Set(?:<\w+>)?\(\[\s*'(\w+)',/g)
    const listed = [...sets].filter(([, name]) => Object.hasOwn(codes, name ?? ''))
    t.same(
      listed.map(([all]) => all),
      [],
      `${path}: a set of codes is a column of src/base/errors.ts`,
    )
  }
})

t.test('what depends on the name of an SQL function stands in its facts', async (t) => {
  const table = 'src/commands/sql/typing/function-facts.ts'
  for (const { path, text } of src) {
    if (!/^src\/(?:commands|listeners)\/sql\//.test(path) || path === table) continue
    const found = text.matchAll(/\bname [!=]== '(\w+)'|'(\w+)',\s*(?='\w+')/g)
    const told = [...found].filter(([, compared, listed]) => hasFacts(compared ?? listed ?? ''))
    t.same(
      told.map(([all]) => all),
      [],
      `${path}: a fact of an SQL function is told by its name`,
    )
  }
})

t.test('programs wait for nothing: async stands in jobs and tasks only', async (t) => {
  for (const source of src) {
    const guarded = /^src\/(?:engine|commands)\//.test(source.path)
    if (!guarded || /-(?:job|task)\.ts$/.test(source.path)) continue
    const found = source.lines.findIndex((line) =>
      /(?<!')\b(?:async|await)\b(?!')/.test(stripComment(line)),
    )
    t.equal(found, -1, `${source.path}:${found + 1}: async belongs in *-job.ts or *-task.ts`)
  }
})

t.test('every read of a transaction is asked for with yield*', async (t) => {
  const read = /\btx\.(?:get|getMany|getVersioned|scan|scanOwn|scanFetch|count|pause)\(/
  for (const source of src) {
    if (!/^src\/(?:engine|commands|identity|bus)\//.test(source.path)) continue
    for (const [index, line] of source.lines.entries()) {
      if (!read.test(stripComment(line))) continue
      const good = /(?:yield\*|return) (?:\w+\.)*tx\.|yield\*$/.test(line)
      t.ok(good, `${source.path}:${index + 1}: ${line.trim()}`)
    }
  }
})

/** The shortest way over imports from a file to itself, without its start; if there is one. */
function circleOf(
  graph: ReadonlyMap<string, readonly string[]>,
  start: string,
): string[] | undefined {
  const cameFrom = new Map<string, string>()
  const reached = [start]
  for (const path of reached) {
    for (const next of graph.get(path) ?? []) {
      if (cameFrom.has(next)) continue
      cameFrom.set(next, path)
      reached.push(next)
    }
    if (cameFrom.has(start)) break
  }
  if (!cameFrom.has(start)) return undefined
  const circle = [start]
  for (let at = cameFrom.get(start) ?? start; at !== start; at = cameFrom.get(at) ?? start) {
    circle.unshift(at)
  }
  return circle
}

function exportsOf({ text }: Source): string[] {
  const pattern =
    /^export (?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type) (\w+)/gm
  return [...text.matchAll(pattern)].map(([, name = '']) => name)
}

/** What files import of each other, as `path#name`, including what they load later. */
function usesOf(files: readonly Source[]): Set<string> {
  const uses = new Set<string>()
  const add = (from: Source, to: string, names: Iterable<string>) => {
    const path = sourceOf(from.path, to)
    for (const name of names) uses.add(`${path}#${name}`)
  }
  for (const file of files) {
    const named = /^(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)'/gms
    for (const [, names = '', to = ''] of file.text.matchAll(named)) {
      add(file, to, names.match(/(?:(?<=^|,)\s*(?:type )?)\w+/g)?.map(lastWord) ?? [])
    }
    for (const [, to = ''] of file.text.matchAll(/\bimport\('(\.[^']+)'\)/g)) {
      add(file, to, new Set(file.text.match(/\w+/g)))
    }
  }
  return uses
}

/** The names that rows of a file give themselves. */
function named({ text }: Source): string[] {
  return [...text.matchAll(/\bname: '(\$?\w+)'/g)].map(([, name]) => name ?? '')
}

function lastWord(text: string): string {
  return text.split(/\s/).at(-1) ?? ''
}

function stripComment(line: string): string {
  return line.replace(/(?:^|\s)(?:\/\/|\*).*$/, '')
}

/** Top-level functions and methods, by the indentation that the formatter guarantees. */
function functionsOf(source: Source): { name: string; length: number }[] {
  const found: { name: string; length: number }[] = []
  const head = /^( {0,2})(?:(?:export|async|private|static) )*(?:function\*? |\*)?(\w+)(?:<.*>)?\(/
  for (const [index, line] of source.lines.entries()) {
    const match = head.exec(line)
    if (match === null || /^\s*(?:if|for|while|switch)\b/.test(line)) continue
    const [, indent = '', name = ''] = match
    const after = (ends: readonly string[], from: number): number =>
      source.lines.findIndex((other, at) => at > from && ends.some((end) => other.startsWith(end)))
    // A head that does not fit on its line ends where its parenthesis does.
    const isWhole = line.split('(').length === line.split(')').length
    const open = isWhole ? index : after([`${indent})`], index)
    if (!source.lines[open]?.endsWith('{')) continue
    const end = after([`${indent}}`], open)
    if (end > 0) found.push({ name, length: end - index + 1 })
  }
  return found
}
