// The command line as a user types it: what is not understood is an error that acts on nothing, help
// never acts, and names that are nearly right are suggested.

import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { shells } from '../../src/cli/completions.js'
import { startGateway } from '../support/live-gateway.js'
import { runSigil, settingsFor, startSigil } from '../support/sigil-process.js'
import { temporaryFolder } from '../support/stores.js'

t.setTimeout(240_000)

/** Each command, with what it needs. */
const commands = [
  ...['start', 'config', 'health', 'mcp', 'import', 'remember', 'backup', 'restore', 'check'],
  ...['spaces', 'spaces move', 'operator-key', 'verify', 'keys', 'keys recover', 'deploy'],
  'completion',
  'demo',
]

t.test('help acts on nothing', async (t) => {
  const folder = await temporaryFolder(t)
  const settings = settingsFor(join(folder, 'data'))
  for (const command of commands) {
    for (const flag of ['--help', '-h']) {
      const { code, output } = await runSigil([...command.split(' '), flag], settings)
      t.equal(code, 0, `${command} ${flag}`)
      t.match(output, `Usage: sigil ${command}`)
    }
    const { code, output } = await runSigil(['help', ...command.split(' ')], settings)
    t.same([code, output.startsWith('Usage: sigil ')], [0, true], `help ${command}`)
  }
  t.same(readdirSync(folder), [], 'no folder was made')
})

t.test('what a command does not take is an error, before it acts', async (t) => {
  const folder = await temporaryFolder(t)
  const settings = settingsFor(join(folder, 'data'))
  const groups = ['spaces', 'keys']
  for (const command of commands.filter((name) => !groups.includes(name))) {
    const words = command.split(' ')
    const unknown = await runSigil([...words, '--nosuch'], settings)
    t.match(unknown, { code: 2, errors: /^sigil: / }, command)
    if (command === 'verify') continue
    const further = await runSigil([...words, 'a', 'b'], settings)
    t.match(further, { code: 2, errors: /^sigil: / }, command)
  }
  const wrong: [line: string, errors: RegExp][] = [
    ['strat', /unknown command 'strat'\n\(Did you mean start\?\)/],
    ['strat --help', /^sigil: unknown command 'strat'\n\(Did you mean start\?\)/],
    ['strat x -h', /^sigil: unknown command 'strat'\n\(Did you mean start\?\)/],
    ['help strat', /^sigil: unknown command 'strat'\n\(Did you mean start\?\)/],
    ['spaces mvoe --help', /^sigil: unknown command 'mvoe'\n\(Did you mean move\?\)/],
    ['nosuch', /unknown command 'nosuch'/],
    ['--port 1', /unknown option '--port'/],
    ['start --port 1', /HTTP_PORT=8081/],
    ['config --jsno', /Did you mean --json/],
    ['backup --froce a', /Did you mean --force/],
    ['backup', /missing required argument 'file'[\s\S]*Usage/],
    ['import x', /required option '-c, --collection/],
    ['spaces', /Usage: sigil spaces/],
    ['spaces mov', /unknown command 'mov'/],
    ['spaces move --match x', /--match needs --keys/],
    ['verify --rpc u --export x', /cannot be used with/],
    ['verify --rpc u a b', /takes one file/],
    ['verify --export x y', /takes one id/],
    ['keys recover 0x1 --signature 0x', /--signature needs --index/],
    ['keys recover 0x1 --index 0 --signature 0x --private-key-file f', /cannot be used with/],
    ['completion nosuch', /no completions for 'nosuch'/],
  ]
  for (const [line, errors] of wrong) {
    t.match(await runSigil(line.split(' '), settings), { code: 2, errors }, line)
  }
  t.same(readdirSync(folder), [], 'no folder was made')
})

t.test('version and settings', async (t) => {
  for (const flag of ['-v', '--version']) {
    t.match(await runSigil([flag], {}), { code: 0, output: /^\d+\.\d+\.\d+\n$/ })
  }
  const { code, output } = await runSigil(['config', '--json'], {
    HTTP_PORT: '8081',
    API_KEY: 'hidden',
  })
  const shown = JSON.parse(output) as Record<string, string>
  t.same([code, shown.HTTP_PORT, shown.WIRE_PORT], [0, '8081', '27017'])
  t.equal(shown.API_KEY, '(set)', 'secrets are not shown')
})

t.test('a folder that is not there is an error', async (t) => {
  const folder = await temporaryFolder(t)
  const STORE = `lmdb:${join(folder, 'nosuch')}`
  const missing = { code: 1, errors: /there is no data folder/ }
  for (const line of [['check'], ['operator-key'], ['spaces', 'move']]) {
    t.match(await runSigil(line, { STORE }), missing, line.join(' '))
  }
  t.match(await runSigil(['check', join(folder, 'other')], {}), missing)
  t.same(readdirSync(folder), [])
})

t.test('a folder that cannot be made ends the start', async (t) => {
  const refused = { code: 1, errors: /cannot open the store in \/proc\/x/ }
  t.match(await runSigil(['start'], { STORE: 'lmdb:/proc/x' }), refused)
  t.match(await runSigil(['start'], { STORE: 'lmdb:/proc/x/y/z' }), { code: 1 })
  t.match(await runSigil(['start'], { STORE: 'lmdb:/dev/null/x' }), { code: 1 })
})

t.test('health asks the address that it is given', async (t) => {
  const { url } = await startGateway(t)
  const nowhere = { HTTP_PORT: '1' }
  t.match(await runSigil(['health'], nowhere), {
    ...{ code: 1, output: '' },
    errors: /^sigil: no Sigil answers at http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED.*\n$/,
  })
  t.match(await runSigil(['health'], { SIGIL_URL: 'http://localhost:1' }), {
    ...{ code: 1, output: '' },
    errors: /^sigil: no Sigil answers at http:\/\/localhost:1: .*ECONNREFUSED.*\n$/,
  })
  t.match(await runSigil(['health'], { ...nowhere, SIGIL_URL: url }), { code: 0, output: /"ok"/ })
  t.match(await runSigil(['health', '--url', url], nowhere), { code: 0, output: /"ok"/ })
  t.match(await runSigil(['health', '--url', 'nowhere'], nowhere), {
    code: 1,
    errors: /no address/,
  })
})

t.test('names that look like a setting are told, and log lines can be read', async (t) => {
  const folder = await temporaryFolder(t)
  const strange = { WALLET_STORGE: '1 MB', SIGIL_STORE: 'x', APIKEY: 'hidden', EDITOR: 'vi' }
  const swapped = { STOER: 'x', API_KYE: 'hidden', SIGIL_STOER: 'x' }
  const ours = { SIGIL_KEY: 'hidden', SIGIL_DATA: '/hidden' }
  const fitting = {
    ...{ SIGIL_URL: 'http://127.0.0.1:1', SIGIL_PINS: 'x', SIGIL_URI: 'x', SIGIL_PORT: 'tcp://x' },
    ...{ SIGIL_SERVICE_HOST: '10.0.0.1', SIGIL_PORT_8080_TCP_ADDR: '10.0.0.1' },
  }
  const sigil = await startSigil({
    ...settingsFor(join(folder, 'data')),
    ...strange,
    ...swapped,
    ...ours,
    ...fitting,
    LOG_FORMAT: 'text',
  })
  sigil.child.kill('SIGTERM')
  await new Promise((resolve) => sigil.child.once('exit', resolve))
  const errors = sigil.errors()
  t.match(errors, /WARN.*WALLET_STORGE is no setting and is ignored: did you mean WALLET_STORAGE\?/)
  t.match(errors, /SIGIL_STORE is no setting and is ignored: did you mean STORE\?/)
  t.match(errors, /APIKEY is no setting and is ignored: did you mean API_KEY\?/)
  t.match(errors, / STOER is no setting and is ignored: did you mean STORE\?/)
  t.match(errors, / API_KYE is no setting and is ignored: did you mean API_KEY\?/)
  t.match(errors, /SIGIL_STOER is no setting and is ignored: did you mean STORE\?/)
  for (const name of Object.keys(ours)) {
    t.match(errors, `${name} is no setting and is ignored: \`sigil config\` lists them`)
  }
  for (const name of Object.keys(fitting)) t.notMatch(errors, `${name} is`)
  t.notMatch(errors, /EDITOR|hidden/)
})

t.test('completions know the commands and their options', async (t) => {
  for (const shell of shells) {
    const { code, output } = await runSigil(['completion', shell], {})
    t.equal(code, 0)
    t.match(output, 'operator-key')
  }
  const { output } = await runSigil(['completion', 'bash'], {})
  const complete = (...words: readonly string[]) => {
    const list = words.map((word) => `'${word}'`).join(' ')
    const script = `${output}\nCOMP_WORDS=(sigil ${list})\nCOMP_CWORD=${words.length}\n_sigil\necho "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim()
  }
  t.equal(complete('op'), 'operator-key')
  t.equal(complete('demo', '--d'), '--database')
  t.equal(complete('import', '--c'), '--collection')
  t.equal(complete('spaces', ''), 'move --help')
  t.equal(complete('spaces', 'move', '--k'), '--keys')
  t.equal(complete('keys', 'recover', '--pr'), '--private-key-file')
})
