// The examples of all pages, one after the other on one server, as a newcomer goes through them: the
// README first, then docs/tour.md, the other pages and the guides. What a block needs beside the page (a
// document to replace, an id to verify) is made here; a block that is not run stands below with the
// reason. In the guides, each block must print the text block that follows it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Wallet } from 'ethers'
import t from 'tap'
import { testKey } from '../support/gateway.js'
import { endSigil, type SigilProcess, settingsFor, startSigil } from '../support/sigil-process.js'
import { mongoshScript } from '../support/tools.js'

/** Pages and first words of blocks that are not run. */
const notRun: readonly (readonly [page: string, start: RegExp, why: string])[] = [
  ['docs/chain.md', /^/, 'needs a real chain; sigil deploy has tests of its own'],
  ['docs/users.md', /^/, 'asks for passwords at a terminal; test/clients/service-users runs them'],
  ['docs/keys.md', /^/, 'one program over three blocks; test/end-to-end/keys-recover runs it'],
  ['docs/memory.md', /^claude /, 'is of a client that is not installed'],
  ['docs/memory.md', /^npx sigil verify --export/, 'needs a node; test/cli/verify runs it'],
  ['docs/rights.md', /^sigil spaces/, 'needs a stopped Sigil; test/cli/spaces runs it'],
]

/** What stands before the first block of a page, for shells. */
const before: Readonly<Record<string, string>> = {
  'docs/http.md': [
    'C=$SIGIL_URL/api/v1/collections/people K="x-api-key: $SIGIL_API_KEY"',
    'cd "$FOLDER"',
  ].join('\n'),
  'docs/key-value.md': [
    'members=$(seq -s, 2500)',
    'curl -s $SIGIL_URL/api/v1/redis -H "x-api-key: $SIGIL_API_KEY"' +
      ` -H 'content-type: application/json' -d "{\\"command\\": [\\"SADD\\", \\"big\\", $members]}"`,
  ].join('\n'),
  'docs/memory.md': [
    'cd "$FOLDER"; npx() { shift; node "$ROOT/build/src/main.js" "$@"; }',
    `echo '{"text": "Grace wrote a compiler."}' > memories.ndjson`,
  ].join('\n'),
  'docs/rights.md': [
    'KEY=$WALLET_KEY',
    'curl -s $SIGIL_URL/api/v1/collections/books/insertOne -H "Authorization: Bearer $KEY"' +
      ` -H 'content-type: application/json' -d '{"document": {}}'`,
    'curl -s $SIGIL_URL/api/v1/redis -H "x-api-key: $SIGIL_API_KEY"' +
      ` -H 'content-type: application/json' -d '{"command": ["SET", "greeting", "hello"]}'`,
    'curl -s $SIGIL_URL/api/v1/collections/kv0/privacy -H "x-api-key: $SIGIL_API_KEY"' +
      ` -H 'content-type: application/json' -d '{"mode": "shared"}'`,
  ].join('\n'),
}

const mongosh = await mongoshScript()
/** The installed mongosh; in the guides also Sigil without npx, which takes half a second each time. */
const npx = (more: string) =>
  `npx() { case "$1" in mongosh) shift; node '${mongosh}' "$@" ;; ${more}*) command npx "$@" ;; esac; }`
const npxGuides = npx('sigil) shift; node "$ROOT/build/src/main.js" "$@" ;; ')
const between = '--- next block ---'

const newestMemory =
  'curl -s "$SIGIL_URL/api/recall?q=ada" -H "$K" | grep -o "mem_[0-9A-Za-z]*" | sed -n 1p'

async function isMissing(program: string): Promise<string | false> {
  const child = spawn(program, ['--version'], { stdio: 'ignore' })
  const isThere = await once(child, 'close').then(
    ([code]) => code === 0,
    () => false,
  )
  if (!isThere && process.env.CI === 'true') throw new Error(`${program} is missing`)
  return isThere ? false : `${program} is missing`
}

const skip = (await isMissing('redis-cli')) || (await isMissing('psql'))

interface Block {
  readonly page: string
  readonly language: string
  readonly text: string
  /** Of the block of text right behind it. */
  readonly prints: string | undefined
}

function blocksOf(page: string): Block[] {
  const pattern = /```(sh|js)\n(.*?)```\n(?:```text\n(.*?)```)?/gs
  const found = readFileSync(page, 'utf8').matchAll(pattern)
  return [...found].map(([, language = '', text = '', prints]) => ({
    page,
    language,
    text,
    prints,
  }))
}

const tour = 'docs/tour.md'
const pagesIn = (folder: string) =>
  readdirSync(folder)
    .sort()
    .map((name) => `${folder}/${name}`)
const others = pagesIn('docs').filter((page) => page !== tour)
const pages = ['README.md', tour, ...others, ...pagesIn('docs/guides')]
const isGuide = (page: string) => page.startsWith('docs/guides/')
const all = pages.filter((page) => page.endsWith('.md')).flatMap(blocksOf)

t.test('what is not run is there', async (t) => {
  for (const [page, start, why] of notRun) {
    const isThere = all.some((block) => block.page === page && start.test(block.text))
    t.ok(isThere, `${page}: ${why}`)
  }
})

t.test('every example works behind the others', { skip, timeout: 600_000 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-examples-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const sigil = await startSigil(settingsFor(join(folder, 'data')))
  t.teardown(() => endSigil(sigil, 'SIGTERM'))
  const run = new Examples(sigil, folder)
  for (const page of new Set(all.map((block) => block.page))) {
    const blocks = all.filter(
      (block) =>
        block.page === page &&
        !notRun.some(([name, start]) => name === page && start.test(block.text)) &&
        // The README's way to start and to install is what got us here.
        !/^(npm|git|node build|export SIGIL_API_KEY=svc)/.test(block.text),
    )
    if (blocks.length === 0) continue
    const { code, output, errors } = await run.page(page, blocks)
    t.equal(code, 0, `${page}: ${errors.slice(-2_000)}`)
    t.notMatch(output, /"ok":0|"error":\{/, page)
    if (!isGuide(page)) continue
    const printed = output.split(`${between}\n`)
    for (const [at, { prints, text }] of blocks.entries()) {
      if (prints !== undefined) t.equal(printed[at]?.trim(), prints.trim(), `${page}: ${text}`)
    }
  }
})

/** One shell a page: what a block sets is there for the next. */
class Examples {
  private readonly wallet = Wallet.createRandom()
  private walletKey = ''

  constructor(
    private readonly sigil: SigilProcess,
    private readonly folder: string,
  ) {}

  async page(page: string, blocks: readonly Block[]) {
    const shells = blocks.map((block) => this.shell(block))
    const script = isGuide(page)
      ? `${npxGuides}\n${shells.join(`\necho '${between}'\n`)}`
      : [npx(''), before[page] ?? '', ...shells].join('\n')
    const end = page === tour ? '\necho "WALLET_KEY=$WALLET_KEY WALLET=$WALLET"' : ''
    const done = await this.bash(this.here(script) + end)
    const [, key = '', address = ''] = /WALLET_KEY=(\S+) WALLET=(\S+)/.exec(done.output) ?? []
    if (key !== '') Object.assign(this, { walletKey: key, address })
    // The tour ends with what another wallet may not do.
    return page === tour ? { ...done, output: done.output.replace(/^.*"ok":0.*$/m, '') } : done
  }

  private address = ''

  private shell({ page, language, text }: Block): string {
    if (language === 'sh') return text
    const quoted = `'${text.replaceAll("'", `'"'"'`)}'`
    if (page === 'docs/key-value.md') {
      return `npx mongosh --quiet "mongodb://operator:$SIGIL_API_KEY@127.0.0.1:27017/main" --eval ${quoted}`
    }
    return `node --input-type=module -e ${quoted}`
  }

  /** The ports of this Sigil, and what the pages leave out. */
  private here(script: string): string {
    const { wirePort, httpPort, redisPort, sqlPort } = this.sigil
    return script
      .replaceAll(/(127\.0\.0\.1|localhost):27017/g, `127.0.0.1:${wirePort}`)
      .replaceAll(/(127\.0\.0\.1|localhost):6379/g, `127.0.0.1:${redisPort}`)
      .replaceAll(/(127\.0\.0\.1|localhost):5432/g, `127.0.0.1:${sqlPort}`)
      .replaceAll(/(127\.0\.0\.1|localhost):8080/g, `127.0.0.1:${httpPort}`)
      .replaceAll('0x…~main', '$WALLET~main')
      .replaceAll('lmdb:./restored', 'lmdb:$FOLDER/restored')
      .replaceAll(/sigil-[\d-]+\.backup/g, (name) => `$FOLDER/${name}`)
      .replaceAll('"0x…"', `"${this.wallet.address}"`)
      .replaceAll("mem_…'", `'"$(${newestMemory})"`)
  }

  private async bash(script: string) {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
      env: {
        ...process.env,
        SIGIL_API_KEY: testKey,
        SIGIL_URL: `http://127.0.0.1:${this.sigil.httpPort}`,
        FOLDER: this.folder,
        ROOT: process.cwd(),
        WALLET: this.address,
        WALLET_KEY: this.walletKey,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    let errors = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, output, errors }
  }
}
