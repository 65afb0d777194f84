// The command line as a tree of commands, parsed by Commander: names, options, help, completions
// and suggestions come from this table. Each program loads its own code, because loading all of
// Sigil takes half a second. Nothing runs before the whole line is parsed.

import { Command, CommanderError, Option } from 'commander'
import type { Settings } from '../base/settings.js'
import { completions, shells } from './completions.js'
import type { RecoverOptions } from './keys.js'
import type { VerifyOptions } from './verify.js'

/** Parts of the process that the programs use. */
interface CommandLineParts {
  readonly version: string
  /** The current settings; `folder` replaces STORE. Throws InvalidOptions. */
  readonly settings: (folder?: string) => Settings
  readonly start: (settings: Settings) => Promise<number>
  readonly showSettings: (settings: Settings, asJson: boolean) => number
}

/** Exit code of an invalid command line. */
const usageCode = 2

interface UrlOption {
  readonly url: string
}

interface DatabaseOption {
  readonly database?: string
}

type Run = () => Promise<number>

/** Runs the line, without the program's name; resolves with the exit code. */
export async function runCommandLine(
  args: readonly string[],
  parts: CommandLineParts,
): Promise<number> {
  let chosen: Run | undefined
  const line = commandLine(parts, (run) => {
    chosen = run
  })
  try {
    const words = args.length === 0 ? ['start'] : untilUnknown(line, args)
    await line.parseAsync([...words], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? 0 : usageCode
  }
  return chosen === undefined ? 0 : chosen()
}

/**
 * The words up to a command that does not exist, else all words. Commander would find a help flag
 * behind such a command and show the general help as if it were known.
 */
function untilUnknown(line: Command, args: readonly string[]): readonly string[] {
  const words = args[0] === 'help' && args.length > 1 ? args.slice(1) : args
  let command = line
  for (const [at, word] of words.entries()) {
    if (word.startsWith('-') || command.commands.length === 0) break
    const next = command.commands.find((one) => one.name() === word)
    if (next === undefined) return word === 'help' ? args : words.slice(0, at + 1)
    command = next
  }
  return args
}

function commandLine(parts: CommandLineParts, choose: (run: Run) => void): Command {
  const line = new Command('sigil')
    .description('A database gateway: documents, keys, SQL, HTTP and memory over one store.')
    .version(parts.version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help; never acts')
    .helpCommand('help [command]', 'show the help of a command')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'sigil:')) })
    .showHelpAfterError()
    .exitOverride()
    .usage('[command] [options]')
    .addHelpText(
      'after',
      '\nWithout a command: start. Settings are environment variables or sigil.json.',
    )
  addServing(line, parts, choose)
  addLoading(line, parts, choose)
  addFolders(line, parts, choose)
  addProofs(line, choose)
  addKeys(line, parts, choose)
  line
    .command('completion')
    .description('print completions for a shell')
    .argument('<shell>', shells.join(', '))
    .action((shell: string, _options, command: Command) => {
      const script = completions(line, shell)
      if (script === undefined) command.error(`sigil: no completions for '${shell}'`)
      else choose(async () => print(script))
    })
  return line
}

function addServing(line: Command, parts: CommandLineParts, choose: (run: Run) => void): void {
  line
    .command('start')
    .description('serve (the default)')
    .addHelpText(
      'after',
      '\nSettings are environment variables or lines of sigil.json, for example:\n' +
        '  HTTP_PORT=8081 STORE=lmdb:./data sigil start\n`sigil config` prints all of them.',
    )
    .action(() => choose(() => parts.start(parts.settings())))
  line
    .command('config')
    .description('print the settings in force, with their documentation')
    .option('--json', 'as JSON, without documentation')
    .action(({ json = false }: { json?: boolean }) =>
      choose(async () => parts.showSettings(parts.settings(), json)),
    )
  line
    .command('health')
    .description('ask a running Sigil for its health')
    .addOption(new Option('--url <url>', 'its URL; default: from the settings').env('SIGIL_URL'))
    .action(({ url }: { url?: string }) =>
      choose(async () => (await import('./health.js')).runHealth(url ?? parts.settings())),
    )
  asClient(line.command('studio'))
    .description("print a one-time address that signs the operator in to a running Sigil's page")
    .action((given: UrlOption) =>
      choose(async () => (await import('./operator-key.js')).runStudio(given)),
    )
  asClient(line.command('mcp'))
    .description('serve the graph memory of a running Sigil to an MCP client, over stdio')
    .option('-d, --database <name>', "the space of the graph; default: the key's own")
    .action((given: UrlOption & DatabaseOption) =>
      choose(async () => (await import('./mcp.js')).runMcp(given, parts.version)),
    )
}

function addLoading(line: Command, parts: CommandLineParts, choose: (run: Run) => void): void {
  asClient(line.command('import'))
    .description('load a file of documents into a running Sigil')
    .argument('<file>', 'one JSON object per line, or one array of objects; - is standard input')
    .requiredOption('-c, --collection <name>', 'collection for the documents')
    .option('-d, --database <name>', "its database; default: the server's own")
    .action((file: string, given: UrlOption & DatabaseOption & { collection: string }) =>
      choose(async () => (await import('./import.js')).runImport(file, given)),
    )
  asClient(line.command('demo'))
    .description('load sample data into a running Sigil: documents, keys and memories')
    .option('-d, --database <name>', "its database; else the server's own")
    .addHelpText(
      'after',
      '\nMakes the collections demo_authors, demo_books and demo_orders, keys that begin with' +
        '\ndemo: and the graph demo. Run again, it adds only what is missing.',
    )
    .action((given: UrlOption & DatabaseOption) =>
      choose(async () => (await import('./demo.js')).runDemo(given)),
    )
  asClient(line.command('remember'))
    .description('load a file of memories into a graph of a running Sigil')
    .argument('<file>', 'one JSON object per line, as for POST /api/memories; - is standard input')
    .option('-g, --graph <name>', 'graph for the memories', 'default')
    .option('-d, --database <name>', "the space of the graph; default: the key's own")
    .addHelpText('after', '\nA second run continues, because stored memories are recognized.')
    .action((file: string, given: UrlOption & DatabaseOption & { graph: string }) =>
      choose(async () => (await import('./remember.js')).runRemember(file, given)),
    )
  asClient(line.command('backup'))
    .description('write one state of a running Sigil to a file; needs the operator key')
    .argument('<file>', 'file to write')
    .option('--rate <MB/s>', 'highest rate (default: 50)')
    .option('--force', 'replace an existing file', false)
    .action((file: string, given: UrlOption & { rate?: string; force: boolean }) =>
      choose(async () => (await import('./backup.js')).runBackup(file, given)),
    )
  line
    .command('restore')
    .description('make a store out of a backup; Sigil must be stopped')
    .argument('<file>', 'a backup')
    .addHelpText(
      'after',
      '\nMakes the data folder, or the tables in PostgreSQL, of the setting STORE. They must be' +
        '\nabsent or empty. They are a store after the whole backup is verified.',
    )
    .action((file: string) =>
      choose(async () => (await import('./restore.js')).runRestore(parts.settings(), file)),
    )
}

function addFolders(line: Command, parts: CommandLineParts, choose: (run: Run) => void): void {
  line
    .command('copy')
    .description('copy a data folder into PostgreSQL, or back; Sigil must be stopped')
    .requiredOption('--from <store>', 'lmdb:<folder> or postgres://user@host/database')
    .requiredOption('--to <store>', 'the other kind; it must be empty')
    .addHelpText(
      'after',
      '\nCompares both ends after the copy. Run an interrupted copy again: it continues. The' +
        '\npassword of PostgreSQL is read from PGPASSWORD or ~/.pgpass.',
    )
    .action((given: { from: string; to: string }) =>
      choose(async () => (await import('./copy.js')).runCopy(given)),
    )
  line
    .command('check')
    .description('verify a data folder; Sigil must be stopped')
    .argument('[folder]', 'the data folder; default: that of the setting STORE')
    .action((folder: string | undefined) =>
      choose(async () => (await import('./check.js')).runCheck(parts.settings(folder))),
    )
  line
    .command('spaces')
    .description('give wallets of an older folder homes of their own; Sigil must be stopped')
    .command('move')
    .description('move graphs of wallets from DATABASE into their homes')
    .option('--keys <wallet>', 'also give it the keys of the shared databases')
    .option('--match <pattern>', 'only keys whose names match')
    .addHelpText(
      'after',
      '\nGives each wallet a space of its own from now on. Keys of a shared database do not show' +
        '\ntheir owner. Without --keys they stay there with their mode, for users whose names end' +
        '\nwith ~DATABASE. Run an interrupted move again.',
    )
    .action((given: { keys?: string; match?: string }, command: Command) => {
      if (given.match !== undefined && given.keys === undefined) {
        command.error('sigil: --match needs --keys')
      }
      choose(async () => (await import('./spaces.js')).runSpaces(parts.settings(), given))
    })
  line
    .command('operator-key')
    .description('make a new operator key and end the old one; Sigil must be stopped')
    .action(() =>
      choose(async () => (await import('./operator-key.js')).runOperatorKey(parts.settings())),
    )
}

function addProofs(line: Command, choose: (run: Run) => void): void {
  asClient(line.command('verify'))
    .description('verify memories and graphs of a running Sigil, or exported evidence without it')
    .argument('[ids...]', 'memories; without ids, sweep the graph; with --rpc, a file of evidence')
    .option('-g, --graph <name>', 'graph to verify', 'default')
    .option('-d, --database <name>', "the space of the graph; default: the key's own")
    .option('--export <id>', 'write the proof of a memory to standard output')
    .addOption(
      new Option('--rpc <url>', 'check exported evidence against a node').conflicts('export'),
    )
    .option('--account <address>', 'with --rpc: the account that must have anchored it')
    .option('--contract <address>', 'with --rpc: the contract')
    .option('--repin', 'accept a new graph key or an earlier sequence', false)
    .addHelpText(
      'after',
      '\nOnly a sweep shows that nothing is missing. The key of each graph and its highest' +
        '\nsequence are stored in SIGIL_PINS, by default sigil/pins.json in XDG_CONFIG_HOME' +
        '\n(~/.config). A changed key, or a sequence that goes back, causes a warning.',
    )
    .action((ids: string[], given: VerifyOptions, command: Command) => {
      if (given.rpc !== undefined && ids.length !== 1) {
        command.error('sigil: --rpc takes one file of evidence')
      }
      if (given.export !== undefined && ids.length > 0) {
        command.error('sigil: --export takes one id and no others')
      }
      choose(async () => (await import('./verify.js')).runVerify(ids, given))
    })
}

function addKeys(line: Command, parts: CommandLineParts, choose: (run: Run) => void): void {
  const recover = line.command('keys').description('on-chain keys of wallets')
  asClient(recover.command('recover'))
    .description('derive the active on-chain keys of a wallet again')
    .argument('<wallet>', 'address of the wallet')
    .option('--index <n>', 'only the key of this index')
    .addOption(
      new Option('--signature <hex>', 'signature of the text of that key').conflicts(
        'privateKeyFile',
      ),
    )
    .option('--private-key-file <file>', 'sign with the private key in this file')
    .addHelpText(
      'after',
      '\nWithout a signature or a file, prints the text that the wallet must sign for each key' +
        '\n(personal_sign). A key is printed if its hash is registered on the chain.',
    )
    .action((wallet: string, given: RecoverOptions, command: Command) => {
      if (given.signature !== undefined && given.index === undefined) {
        command.error('sigil: --signature needs --index')
      }
      choose(async () => (await import('./keys.js')).runRecover(wallet, given))
    })
  line
    .command('deploy')
    .description('deploy the contracts to the chain of CHAIN_RPC_URL')
    .action(() => choose(async () => (await import('./deploy.js')).runDeploy(parts.settings())))
}

/** A program that talks to a running Sigil. Keys are never options: other users could read them. */
function asClient(command: Command): Command {
  return command
    .addOption(
      new Option('--url <url>', 'address of the running Sigil')
        .env('SIGIL_URL')
        .default('http://127.0.0.1:8080'),
    )
    .addHelpText('after', '\nThe key is read from the environment: SIGIL_API_KEY.')
}

export function print(text: string): number {
  process.stdout.write(text)
  return 0
}
