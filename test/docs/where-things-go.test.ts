// The tasks of docs/design/where-things-go.md, done as a newcomer does them: the blocks are applied to
// a copy of the source, which is compiled and started; each shell block prints the text block that
// follows it.

import { execFile, execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { testKey } from '../support/gateway.js'
import { endSigil, settingsFor, startSigil } from '../support/sigil-process.js'
import { mongoshScript } from '../support/tools.js'

t.setTimeout(300_000)

const page = readFileSync('docs/design/where-things-go.md', 'utf8')

interface Block {
  /** What is above it in the same task: the file that it is of. */
  readonly file: string
  readonly language: string
  /** Of a block that goes into a file which is there: below the first line with this text. */
  readonly after: string | undefined
  readonly text: string
}

function blocksOf(task: string): Block[] {
  const blocks: Block[] = []
  let file = ''
  const pattern = /(?:Create|In) `(?<file>[^`]+)`|```(?<head>.+)\n(?<text>[\s\S]*?)```\n/g
  for (const { groups = {} } of task.matchAll(pattern)) {
    if (groups.file !== undefined) file = groups.file
    const [language = '', after] = (groups.head ?? '').split(' after: ')
    if (groups.text !== undefined) blocks.push({ file, language, after, text: groups.text })
  }
  return blocks
}

/** Of the copy of the project in `folder`. */
function apply({ file, after, text }: Block, folder: string): void {
  const path = join(folder, file)
  if (after === undefined) {
    if (existsSync(path)) throw new Error(`${file} is there`)
    writeFileSync(path, text)
    return
  }
  const lines = readFileSync(path, 'utf8').split('\n')
  const at = lines.findIndex((line) => line.includes(after))
  if (at < 0) throw new Error(`${file} has no line with ${after}`)
  writeFileSync(path, lines.toSpliced(at + 1, 0, text.trimEnd()).join('\n'))
}

const tasks = page.split(/^## /m).filter((task) => task.startsWith('Add '))
const blocks = tasks.flatMap(blocksOf)

t.test('every path of the page is there', async (t) => {
  const made = blocks.filter((block) => block.after === undefined).map(({ file }) => file)
  for (const [, path = ''] of page.matchAll(/`((?:src|test)\/[^`]+)`/g)) {
    t.ok(made.includes(path) || existsSync(path.replace(/<group>.*/, '')), path)
  }
})

t.test('each task has code and a trial', async (t) => {
  t.equal(tasks.length, 4)
  for (const task of tasks) {
    const languages = blocksOf(task).map(({ language }) => language)
    t.match(languages.join(), /ts,.*sh,text$/, task.slice(0, 40))
  }
})

const isMissing = (() => {
  try {
    execFileSync('redis-cli', ['--version'])
    return false
  } catch (error) {
    if (process.env.CI === 'true') throw error
    return 'redis-cli is missing'
  }
})()

t.test('what the page adds works', { skip: isMissing }, async (t) => {
  mkdirSync('build/newcomer', { recursive: true })
  const folder = mkdtempSync(resolve('build/newcomer/copy-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  cpSync('src', join(folder, 'src'), { recursive: true })
  cpSync('package.json', join(folder, 'package.json'))
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const settings = readFileSync('tsconfig.json', 'utf8').replace(
    /"include": .*\]/,
    '"include": ["src"]',
  )
  writeFileSync(join(folder, 'tsconfig.json'), settings)
  for (const block of blocks) if (block.language === 'ts') apply(block, folder)
  execFileSync('npx', ['tsc', '-p', '.'], { cwd: folder, stdio: 'inherit' })

  const sigil = await startSigil(settingsFor(join(folder, 'data')), join(folder, 'build'))
  t.teardown(() => endSigil(sigil, 'SIGTERM'))
  const { wirePort, httpPort, redisPort } = sigil
  const wire = `mongodb://operator:${testKey}@127.0.0.1:${wirePort}/main`
  const clients = [
    `mongosh() { node '${await mongoshScript()}' --quiet '${wire}' "$@"; }`,
    `redis-cli() { command redis-cli -p ${redisPort} --user operator --pass ${testKey} --no-auth-warning "$@"; }`,
  ].join('\n')
  const env = { ...process.env, SIGIL_API_KEY: testKey, SIGIL_URL: `http://127.0.0.1:${httpPort}` }
  for (const [at, { language, text }] of blocks.entries()) {
    if (language !== 'sh') continue
    const script = `set -euo pipefail\n${clients}\n${text}`
    const run = await promisify(execFile)('bash', ['-c', script], { cwd: folder, env })
    t.equal(run.stdout.trim(), blocks[at + 1]?.text.trim(), text)
  }
})
