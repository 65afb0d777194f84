// A reader can follow what a comment cites: pages of this repository are there, with the
// headings and rules that are named, and links between pages lead somewhere.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { pageProblems, type Repository, sourceProblems } from './support/citations.js'

const root = process.cwd()

/** Folders of the repository with comments in them. */
const commented = ['src', 'test', 'bench', 'contracts']
/** What quotes wrong citations. */
const quotes = new Set(['test/citations.test.ts', 'test/support/citations.ts'])

const repository: Repository = (path) => {
  const full = join(root, path)
  if (!existsSync(full)) return undefined
  return statSync(full).isDirectory() ? '' : readFileSync(full, 'utf8')
}

function filesOf(folder: string, ending: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => `${folder}/${name}`)
}

t.test('what comments cite is there', async (t) => {
  const paths = commented.flatMap((folder) => filesOf(folder, /\.(?:ts|sol)$/))
  t.ok(paths.length > 500)
  for (const path of paths) {
    if (quotes.has(path)) continue
    const problems = sourceProblems({ path, text: repository(path) ?? '' }, repository)
    for (const problem of problems) t.fail(problem)
  }
})

t.test('what pages cite and link to is there', async (t) => {
  const own = readdirSync(root).filter((name) => /^[A-Z]+\.md$/.test(name))
  const paths = [...own, ...filesOf('docs', /\.md$/)]
  t.ok(paths.length > 20)
  for (const path of paths) {
    const problems = pageProblems({ path, text: repository(path) ?? '' }, repository)
    for (const problem of problems) t.fail(problem)
  }
})

const sample = `# Rules
## 1. Budget
## 2. Grains: three of them
**Bold words.** A text, see rule 2.
`

const small: Repository = (path) =>
  new Map([
    ['docs/rules.md', sample],
    ['src/a.ts', ''],
  ]).get(path)

t.test('what is cited wrongly is found', async (t) => {
  const cited = (text: string) => sourceProblems({ path: 'src/a.ts', text }, small).length
  t.equal(cited('// Told (docs/rules.md).\nconst a = 1'), 0)
  t.equal(cited('/** Told. (docs/rules.md, rules 1 and 2) */'), 0)
  t.equal(cited('// Told. (docs/rules.md,\n// "Bold words"; docs/rules.md, "Rules")'), 0)
  t.equal(cited('const a = 1 // docs/rules.md, rule 2, and src/a.ts'), 0)
  t.equal(cited('// Told. (docs/rule.md)'), 1, 'a page that is not there')
  t.equal(cited('const a = 1 // (DRAFT.md)'), 1, 'behind code')
  t.equal(cited('// Told. (docs/rules.md, rules 1 to 3)'), 1, 'a rule that is not there')
  t.equal(cited('/**\n * Told. (docs/rules.md,\n * "Bold")\n */'), 1, 'half a heading')
  t.equal(cited('// Told. (docs/rules.md, "Rules" and "Laws")'), 1, 'one of two headings')
  t.equal(cited('// As src/b.ts does.'), 1, 'a file that is not there')
  t.equal(cited('// Told. (rule 1)'), 1, 'a rule of no page')
  for (const sheet of ['facts: storage 9, rule 2', 'facts/storage.md 9', 'facts: memory A2']) {
    t.ok(cited(`// Told. (${sheet})`) > 0, sheet)
  }
  t.ok(cited('// Told. (DESIGN.md, "Rooms")') > 0)
  t.ok(cited('// Routes of the API document.') > 0)
  t.equal(cited('// Routes of the OpenAPI document.'), 0)
})

t.test('links that lead nowhere are found', async (t) => {
  const linked = (text: string) => pageProblems({ path: 'docs/b.md', text }, small).length
  t.equal(linked('[a](rules.md#2-grains-three-of-them) [b](../src/a.ts) [c](https://d.example)'), 0)
  t.equal(linked('# Own words\n[here](#own-words)\n```\n[no](link.md)\n```\n'), 0)
  t.equal(linked('[a](rule.md)'), 1, 'a page that is not there')
  t.equal(linked('[a](rules.md#2-grains)'), 1, 'half an anchor')
  t.equal(linked('[a](#elsewhere)'), 1, 'an anchor of its own')
  t.equal(linked('See docs/rules.md,\nrule 3.'), 1, 'a rule over the end of a line')
  t.equal(linked('## 1. One\nSee rule 2.'), 1, 'a rule of its own')
})
