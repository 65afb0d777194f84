// The package as a user gets it: packed from a copy of the sources, installed into an empty folder
// with a plain npm, started by npx, and asked by four protocols; its entry and its types; and what
// `npm ci --omit=dev` runs. The packing is done in a copy, as it builds anew.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { MongoClient } from 'mongodb'
import pg from 'pg'
import { createClient } from 'redis'
import t, { type Test } from 'tap'
import { testKey } from '../support/gateway.js'
import { settingsFor } from '../support/sigil-process.js'
import { temporaryFolder } from '../support/stores.js'

t.setTimeout(600_000)

const run = promisify(execFile)
const sources = ['src', 'docs', 'LICENSE', 'README.md', 'CHANGELOG.md', 'NOTICE', 'SECURITY.md']
const builds = ['package.json', 'tsconfig.json', 'tsconfig.package.json', 'prepare.mjs']

/** Of a process that npm has not started. */
const { PATH = '', HOME = '' } = process.env
const env = { PATH, HOME, npm_config_audit: 'false', npm_config_fund: 'false' }

interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

async function registryIsMissing(): Promise<string | false> {
  const isThere = await run('npm', ['ping'], { env, timeout: 30_000 }).then(
    () => true,
    () => false,
  )
  if (!isThere && process.env.CI === 'true') throw new Error('no registry answers')
  return isThere ? false : 'no registry answers'
}

/** Packs a copy, as `npm publish` would. */
async function pack(folder: string): Promise<Packed> {
  const copy = join(folder, 'copy')
  mkdirSync(copy)
  for (const name of [...sources, ...builds]) cpSync(name, join(copy, name), { recursive: true })
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
  const given = { cwd: copy, env, maxBuffer: 16 * 1_024 * 1_024 }
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], given)
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [Packed]
  return packed
}

/** `npx sigil-db`, until it prints its addresses. */
async function start(cwd: string): Promise<{ child: ChildProcess; output: string }> {
  const settings = settingsFor(join(cwd, 'data'))
  const child = spawn('npx', ['sigil-db'], { cwd, env: { ...env, ...settings }, detached: true })
  let output = ''
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (/HTTP +\S+:\d+\/api/.test(output)) resolve()
    })
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${errors}`)))
  })
  return { child, output }
}

t.test('the packed package, in an empty folder', { skip: await registryIsMissing() }, async (t) => {
  const folder = await temporaryFolder(t)
  const packed = await pack(folder)
  holdsWhatItShould(t, packed, join(folder, 'copy'))
  const empty = join(folder, 'empty')
  mkdirSync(empty)
  const file = join(folder, packed.filename)
  await run('npm', ['install', '--prefer-offline', '--no-save', file], { cwd: empty, env })
  rmSync(join(folder, 'copy'), { recursive: true })
  await answersByFourProtocols(t, empty)
  await opensInside(t, empty)
  await hasTypes(t, empty)
})

function holdsWhatItShould(t: Test, { files, size }: Packed, copy: string): void {
  const paths = files.map(({ path }) => path)
  for (const name of ['NOTICE', 'LICENSE', 'CHANGELOG.md', 'docs/settings.md', 'README.md']) {
    t.ok(paths.includes(name), name)
  }
  const strange = paths.filter((path) => /\.map$|\.ts$|^(test|src|bench)\//.test(path))
  t.same(strange, ['build/types/src/gateway/embedded.d.ts'], 'neither sources nor their maps')
  const scripts = paths.filter((path) => path.endsWith('.js'))
  t.ok(scripts.includes('build/src/main.js'))
  t.ok(paths.includes('build/studio/index.html'), 'the page is in it')
  const mapped = scripts.filter((path) =>
    readFileSync(join(copy, path), 'utf8').includes('\n//# sourceMappingURL'),
  )
  t.same(mapped, [], 'no script names a map')
  t.ok(size < 2_500_000, `${size} bytes`)
}

async function answersByFourProtocols(t: Test, cwd: string): Promise<void> {
  const { child, output } = await start(cwd)
  try {
    const port = (pattern: RegExp) => Number(pattern.exec(output)?.[1])
    const http = `http://127.0.0.1:${port(/HTTP +\S+:(\d+)\//)}`
    const keys = { SIGIL_URL: http, SIGIL_API_KEY: testKey }
    const demo = await run('npx', ['sigil', 'demo'], { cwd, env: { ...env, ...keys } })
    t.match(demo.stdout, 'demo_books: 30 documents loaded')

    const wire = `mongodb://operator:${testKey}@127.0.0.1:${port(/wire +\S+:(\d+)\//)}/main`
    const client = await MongoClient.connect(wire)
    t.equal(await client.db().collection('demo_books').countDocuments({ genres: 'sea' }), 3)
    await client.close()

    const url = `redis://operator:${testKey}@127.0.0.1:${port(/redis:\/\/\S+:(\d+)/)}`
    const redis = createClient({ url })
    await redis.connect()
    t.equal(await redis.hGet('demo:shop', 'city'), 'Bergen')
    redis.destroy()

    const sqlPort = port(/postgresql:\/\/\S+?:(\d+)\//)
    const connectionString = `postgresql://operator:${testKey}@127.0.0.1:${sqlPort}/main`
    const sql = new pg.Client({ connectionString })
    await sql.connect()
    t.same((await sql.query('SELECT COUNT(*) AS n FROM demo_authors')).rows, [{ n: '16' }])
    await sql.end()

    t.match(await (await fetch(http)).text(), '<title>Sigil Studio</title>')
    const headers = { 'x-api-key': testKey }
    const found = await fetch(`${http}/api/v1/collections/demo_books/docs/emma`, { headers })
    t.match(await found.json(), { title: 'Emma', year: 1815 })
  } finally {
    const gone = once(child, 'close')
    // npx has a shell and Sigil below it: the group is this start and nothing else.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
    await gone
  }
}

async function opensInside(t: Test, cwd: string): Promise<void> {
  const script = `
    import { openSigil } from 'sigil-db'
    const none = { HTTP_PORT: '0', WIRE_PORT: '0', REDIS_PORT: '0', SQL_PORT: '0' }
    const sigil = await openSigil({ STORE: 'memory:', LOG_LEVEL: 'warn', ...none })
    const { status } = await fetch('http://127.0.0.1:' + sigil.ports.http + '/health')
    console.log(status, sigil.operatorKey.slice(0, 7), Object.values(sigil.ports).every((n) => n > 0))
    await sigil.close()
    const wrong = await openSigil({ STORE: 'nosuch:' }).catch((error) => error.message)
    console.log(wrong)`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
    cwd,
    env,
  })
  const [opened, wrong] = stdout.split('\n')
  t.equal(opened, '200 svc_op_ true')
  t.match(wrong, 'must be lmdb:<folder>, memory: or postgres://')
}

async function hasTypes(t: Test, cwd: string): Promise<void> {
  const program = `
import { openSigil, type Sigil } from 'sigil-db'
const sigil: Sigil = await openSigil({ STORE: 'memory:' })
const port: number = sigil.ports.sql
const key: string | undefined = sigil.operatorKey
await sigil.close()
`
  writeFileSync(join(cwd, 'program.mts'), program)
  const compiler = resolve('node_modules/typescript/bin/tsc')
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022']
  const given = [compiler, ...options, '--types', '', 'program.mts']
  const checked = await run(process.execPath, given, { cwd }).catch((error) => error)
  t.equal(checked.stdout, '', 'the types are whole without those of others')
}

t.test('without a compiler the build that is there is kept', async (t) => {
  const folder = await temporaryFolder(t)
  cpSync('prepare.mjs', join(folder, 'prepare.mjs'))
  const prepare = () => run(process.execPath, ['prepare.mjs'], { cwd: folder, env })
  await t.rejects(prepare(), { code: 1, stderr: /Run `npm ci` first/ })
  mkdirSync(join(folder, 'build/src'), { recursive: true })
  writeFileSync(join(folder, 'build/src/main.js'), '')
  t.match((await prepare()).stdout, /is used as it is/)
})

t.test('NOTICE names every dependency under the Mozilla licence', async (t) => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { license?: string; dev?: boolean }>
  }
  const used = Object.entries(packages).filter(([, { dev }]) => dev !== true)
  const mozilla = used.filter(([, { license }]) => license?.includes('MPL'))
  const names = new Set(mozilla.map(([path]) => path.replace(/^.*node_modules\//, '')))
  t.ok(names.size > 0)
  const notice = readFileSync('NOTICE', 'utf8').split('\n')
  t.same(
    notice.filter((line) => line.startsWith('@')),
    [...names].sort(),
  )
})
