// The settings table: each row carries its default, its check and its documentation. Environment
// first, then `sigil.json`, then the default; `sigil config` prints the table, and docs/settings.md
// is generated from it.

import { readFileSync } from 'node:fs'
import { fail } from './errors.js'
import { nearestName } from './nearest-name.js'
import {
  address,
  choice,
  duration,
  ether,
  flag,
  list,
  optional,
  port,
  quota,
  rate,
  type SettingRow,
  secret,
  secretList,
  size,
  text,
  topology,
  whole,
} from './setting-kinds.js'

type Source = Readonly<Record<string, string | undefined>>

export const settingRows = {
  HOST: text('127.0.0.1', 'Address that every listener binds.'),
  HTTP_PORT: port(8080, 'HTTP'),
  WIRE_PORT: port(27017, 'the document wire (mongosh, drivers)'),
  REDIS_PORT: port(6379, 'the key-value protocol (redis-cli, Redis clients)'),
  SQL_PORT: port(5432, 'the PostgreSQL protocol (psql, PostgreSQL clients)'),
  STORE: address(
    'lmdb:./data',
    'Where documents are stored: `lmdb:<folder>`, `memory:` without a disk, or ' +
      '`postgres://user@host/database` for many gateways (docs/scale.md).',
  ),
  SPILL_DIR: optional(
    'Folder for temporary files of sorts and groups that exceed their memory. Gateways of one ' +
      'machine may share it. Without it: `spill` in the data folder; other stores have none.',
  ),
  DURABILITY: choice(
    ['interval', 'commit', 'none'],
    'interval',
    'What an acknowledged write survives. With every value it survives a crash of Sigil, ' +
      'and a power cut never damages the store. With `commit`, a write is synced before its ' +
      'reply and survives a power cut. With `interval`, a power cut may lose about the last ' +
      '100 ms of acknowledged writes. With `none`, it may lose what the system has not yet ' +
      'written.',
  ),
  TOPOLOGY: topology(
    'router',
    'What hello says that the server is. With `router`, drivers retry writes, run ' +
      'transactions and open change streams, with a URI without options. ' +
      '`replica-set:<name>` is for URIs with `replicaSet=<name>`. With `standalone`, drivers ' +
      'do none of the three.',
  ),
  PUBLIC_WIRE_ADDRESS: optional(
    'Name and port at which drivers reach the document wire, `db.example.com:27017`. With ' +
      '`TOPOLOGY=replica-set:<name>`, hello names it as the only member.',
  ),
  CHANGES: choice(
    ['watched', 'all'],
    'watched',
    'What the change log records: what is watched, or all collections.',
  ),
  CHANGE_RETENTION: duration(
    '24h',
    'Greatest age of records of the change log, such as `90m` or `7d`. What no change stream ' +
      'has watched for this time is no longer recorded.',
  ),
  CHANGE_BYTES: size(
    '1 GiB',
    'Size of the change log. Beyond it the oldest records are removed: streams behind end (286).',
  ),
  MEMORY_BUDGET: size(
    '256 MB',
    'Bytes that the server holds for clients: requests and replies in flight, cursors, ' +
      'running queries, statements and portals. One owner may hold half of it. Beyond it, ' +
      'sockets are paused, idle cursors closed and queries refused.',
  ),
  DATABASE: text('main', 'Database of the HTTP routes and of printed URIs.'),
  API_KEY: secret("The operator's key; replaces the one made at first start."),
  OPERATOR_KEY_FILE: optional(
    'File that the first start writes the new operator key to, instead of printing it.',
  ),
  AUTH_MODE: choice(
    ['required', 'off'],
    'required',
    '`off` treats every request as the operator. Loopback only, with a warning at each start.',
  ),
  DEFAULT_PRIVACY: choice(
    ['private', 'public', 'shared'],
    'private',
    'Privacy mode of new collections.',
  ),
  SHARED_SPACES: choice(
    ['own', 'shared', 'public', 'private', 'auto'],
    'own',
    'Where keys, channels and graphs of a wallet are if a request names no space; fixed at ' +
      'the first start. `own`: in its home. `shared`, `public` and `private`: in DATABASE, ' +
      'one space for all, with that mode. `auto` is `shared` under WHITELIST=enforce, ' +
      'otherwise `own`.',
  ),
  ADMIN_ADDRESSES: list(
    'Wallets, separated by commas, that manage the whitelist and the protocols and read ' +
      'the metrics and the audit, like the operator. They have no access to the data of ' +
      'others.',
  ),
  ANONYMOUS: choice(
    ['none', 'read'],
    'none',
    'What a client without a sign-in may do: `read` opens collections in mode `public`.',
  ),
  CLAIM_UNOWNED: choice(
    ['auto', 'first', 'operators'],
    'auto',
    'Which wallet may own a collection made by the operator. `first`: the first wallet ' +
      'that sets its privacy mode. `operators`: the wallet that the operator names. `auto` ' +
      'is `first` on loopback without proxies, otherwise `operators`.',
  ),
  USERS: choice(
    ['auto', 'on', 'off'],
    'auto',
    'Whether service users (createUser) can exist and sign in. `auto` is `on` on loopback, ' +
      'otherwise `off`.',
  ),
  WHITELIST: choice(
    ['off', 'enforce'],
    'off',
    'Whether only wallets on the whitelist may sign in and use keys. Required if HOST is ' +
      'not loopback.',
  ),
  SESSION_KEYS: secret(
    'Keys for session cookies, `<name>:<64 hexadecimal digits>` separated by commas. The ' +
      'first one seals, all of them open. Without the setting, a key is made and kept in the ' +
      'data folder.',
  ),
  PUBLIC_URL: optional('URL at which browsers reach Sigil, such as https://db.example.org.'),
  GATEWAY_URL: optional(
    'URL at which other gateways of the same PostgreSQL reach the HTTP port of this one, such as ' +
      '`http://10.0.0.5:8080`. Without it: HOST and HTTP_PORT; the name of the machine, where ' +
      'HOST is every address.',
  ),
  ALLOWED_HOSTS: list('Further accepted values of the Host header, separated by commas.'),
  ALLOWED_ORIGINS: list(
    "Origins, separated by commas, whose pages may call the HTTP routes with a wallet's " +
      'key, such as `https://app.example.com`. Exact, without `*`. Refused with ' +
      'AUTH_MODE=off.',
  ),
  TRUSTED_PROXIES: list(
    'Addresses of proxies, separated by commas, whose X-Forwarded-For and -Proto are used.',
  ),
  ALLOW_INSECURE: flag(
    'Opens listeners on a network without TLS. Recorded logins can be replayed.',
  ),
  STUDIO: choice(['on', 'off'], 'on', 'Whether `/` serves Sigil Studio, the page for browsers.'),
  TLS_CERT: optional('Certificate chain (PEM file) for every listener.'),
  TLS_KEY: optional('Private key (PEM file) of TLS_CERT.'),
  KEY_MODE: choice(
    ['live', 'test'],
    'live',
    "Which kind of wallets' keys is made and accepted: `svc_live_…` or `svc_test_…`.",
  ),
  CHAIN_RPC_URL: secretList(
    'JSON-RPC URLs of a real chain, separated by commas. Without any, the local chain is ' +
      'used. https only, except on loopback.',
  ),
  CHAIN_ID: whole(
    0,
    0,
    Number.MAX_SAFE_INTEGER,
    'Id of the chain; required with CHAIN_RPC_URL. 0 is 31337, the local chain.',
  ),
  CHAIN_QUORUM: whole(
    1,
    1,
    8,
    'How many of the URLs must give the same answer. With 1, a single lying endpoint can ' +
      'impersonate any wallet; the others are only a fallback.',
  ),
  CHAIN_DEPLOY_BLOCK: whole(
    0,
    0,
    Number.MAX_SAFE_INTEGER,
    'Block in which AUTH_CONTRACT_ADDRESS was deployed. Its events are read from that block on.',
  ),
  CHAIN_CONFIRMATIONS: whole(
    3,
    1,
    1_000,
    'Blocks after which an anchor counts, including its own. The local chain needs one.',
  ),
  CHAIN_PRIVATE_KEY: secret(
    'Key of the account that deploys the contracts, owns them and anchors memories. ' +
      'Anchors of other accounts are ignored.',
  ),
  AUTH_CONTRACT_ADDRESS: optional('The key registry on the chain; `sigil deploy` prints it.'),
  ANCHOR_CONTRACT_ADDRESS: optional(
    'The anchor contract on the chain, verified at the start; `sigil deploy` prints it.',
  ),
  AUTH_GAS_STATION_PRIVATE_KEY: secret(
    'Key of the account that pays for requests signed by wallets. Without it, wallets pay.',
  ),
  SPONSOR_DAILY_BUDGET: ether('0.05', 'Ether a day (UTC) that the gas station may spend.'),
  ANCHOR_DAILY_BUDGET: ether(
    '0.05',
    'Ether a day (UTC) that anchoring memories on a real chain may cost.',
  ),
  EXPLORER_TX_URL: optional(
    'Page of a transaction on the chain, with {tx} for its hash. Well-known chains need none.',
  ),
  RATE_LIMITS: choice(
    ['on', 'off'],
    'on',
    'Whether the limits of HTTP requests below apply. They never apply to the operator.',
  ),
  RATE_ADDRESS: rate('100/10s', 'HTTP requests of an address without a known key.'),
  RATE_KEY: rate('1000/10s', "HTTP requests with one wallet's key, from any address."),
  RATE_NONCE: rate('10/60s', 'Sign-ins that an address may start.'),
  RATE_VERIFY: rate('5/60s', 'Sign-ins that an address may finish.'),
  RATE_ME: rate('30/60s', 'Requests of an address to /api/v1/auth/me.'),
  RATE_LOGOUT: rate('10/60s', 'Sign-outs of an address.'),
  RATE_CHAIN: rate(
    '6000/60s',
    'Requests of an address to /chain, which wallets and other Sigils poll.',
  ),
  WALLET_STORAGE: size(
    '1 GiB',
    'Bytes that the collections, graphs and keys of one wallet may take, with their index ' +
      'entries. 0 B: no bound. The WALLET_ bounds do not apply to the operator.',
  ),
  WALLET_COLLECTIONS: quota(100, 'Collections that one wallet may own.'),
  HOMES_MAX: quota(100_000, 'Wallets that may have a home.'),
  HOMES_PER_HOUR: quota(100, 'Homes of wallets that one address may create in an hour.'),
  WALLET_GRAPHS: quota(20, 'Graphs of memories that one wallet may own.'),
  WALLET_CONNECTIONS: quota(500, 'Connections of one wallet, of all protocols with connections.'),
  WALLET_CURSORS: quota(1_000, 'Cursors that one wallet may have open.'),
  WALLET_SUBSCRIPTIONS: quota(10_000, 'Channels and patterns that one wallet may subscribe to.'),
  WALLET_COMMAND_MS: quota(30_000, "Milliseconds that a wallet's command may take."),
  METRICS_TOKEN: secret(
    'Bearer token for `/metrics`, `/api/v1/metrics` and `/ready` only. These routes need ' +
      'no authentication on loopback. Over a network without a token, only administrators ' +
      'may read them.',
  ),
  TEST_COMMANDS: flag(
    'Adds configureFailPoint, with which tests of drivers make commands fail. Loopback ' +
      'only, never in production, with a warning at each start.',
  ),
  SLOW_COMMAND_MS: whole(
    100,
    0,
    3_600_000,
    'Commands that take longer, in milliseconds, are logged with their shape, never their ' +
      'values.',
  ),
  LOG_LEVEL: choice(
    ['debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'Least severe log line on standard error.',
  ),
  LOG_FORMAT: choice(
    ['auto', 'json', 'text'],
    'auto',
    'Form of log lines: `json`, one object per line; `text`, readable. `auto` is `text` if ' +
      'standard error is a terminal, otherwise `json`.',
  ),
} as const

type Rows = typeof settingRows
export type SettingName = keyof Rows
export type Settings = { readonly [K in SettingName]: ReturnType<Rows[K]['parse']> } & {
  /** Names of settings that were set explicitly. */
  readonly explicit: ReadonlySet<SettingName>
  /** Those of them that `sigil.json` set, not the environment. */
  readonly fromFile: ReadonlySet<SettingName>
}

/**
 * Reads every setting. `<NAME>_FILE` may name a file that holds a secret. Throws InvalidOptions
 * with the name of the setting.
 */
export function readSettings(environment: Source, file: Source = {}): Settings {
  const explicit = new Set<SettingName>()
  const fromFile = new Set<SettingName>()
  const values: Record<string, unknown> = { explicit, fromFile }
  for (const [name, row] of Object.entries(settingRows) as [SettingName, SettingRow<unknown>][]) {
    const own = lookUp(name, row.secret, environment)
    const given = own ?? lookUp(name, row.secret, file)
    if (given !== undefined) explicit.add(name)
    if (own === undefined && given !== undefined) fromFile.add(name)
    try {
      values[name] = row.parse(given)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw fail('InvalidOptions', `setting ${name}${row.secret ? '' : `=${given}`}: ${reason}`)
    }
  }
  refuseUnknown(file)
  return values as Settings
}

export function defaultPort(name: SettingName & `${string}_PORT`): number {
  return Number(settingRows[name].shows)
}

/** `sigil.json` of the working directory: names to strings, numbers or booleans. */
export function readSettingsFile(path: string): Source {
  let content: string
  try {
    content = readFileSync(path, 'utf8')
  } catch {
    return {}
  }
  let parsed: unknown
  try {
    parsed = JSON.parse(content)
  } catch (error) {
    throw fail('InvalidOptions', `${path}: ${error instanceof Error ? error.message : error}`)
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw fail('InvalidOptions', `${path}: must hold one object`)
  }
  const entries = Object.entries(parsed).map(([name, value]) => [name, String(value)])
  return Object.fromEntries(entries) as Source
}

/** The table as Markdown; with `settings`, their values, secrets hidden. */
export function printSettings(settings?: Settings): string {
  const head = settings === undefined ? 'Default' : 'Value'
  const lines = [`| Setting | ${head} | Meaning |`, '|---|---|---|']
  for (const [name, row] of Object.entries(settingRows) as [SettingName, SettingRow<unknown>][]) {
    const shown = settings === undefined ? row.shows : inForce(settings, name, row)
    const also = row.secret ? ` Also as ${name}_FILE.` : ''
    lines.push(`| \`${name}\` | ${shown === '' ? '' : `\`${shown}\``} | ${row.doc}${also} |`)
  }
  return `${lines.join('\n')}\n`
}

/** The current settings as one JSON object of names and texts, secrets hidden. */
export function settingsAsJson(settings: Settings): string {
  const rows = Object.entries(settingRows) as [SettingName, SettingRow<unknown>][]
  const shown = rows.map(([name, row]) => [name, inForce(settings, name, row)])
  return `${JSON.stringify(Object.fromEntries(shown), null, 2)}\n`
}

interface ShownSetting {
  readonly name: string
  readonly value: string
  readonly source: 'default' | 'environment' | 'sigil.json'
  readonly isSecret: boolean
  readonly doc: string
}

/** The settings in force and where each comes from, secrets hidden. */
export function shownSettings(settings: Settings): readonly ShownSetting[] {
  const rows = Object.entries(settingRows) as [SettingName, SettingRow<unknown>][]
  return rows.map(([name, row]) => ({
    name,
    value: inForce(settings, name, row),
    source: settings.fromFile.has(name)
      ? 'sigil.json'
      : settings.explicit.has(name)
        ? 'environment'
        : 'default',
    isSecret: row.secret,
    doc: row.doc,
  }))
}

function inForce(settings: Settings, name: SettingName, row: SettingRow<unknown>): string {
  const value = settings[name]
  if (!settings.explicit.has(name)) return row.secret && row.shown === undefined ? '' : row.shows
  const { secret, shown = secret ? () => '(set)' : (text) => text } = row
  return shown(String(value))
}

function lookUp(name: string, isSecret: boolean, source: Source): string | undefined {
  const given = source[name]
  if (given !== undefined && given !== '') return given
  const path = isSecret ? source[`${name}_FILE`] : undefined
  if (path === undefined || path === '') return undefined
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw fail('InvalidOptions', `setting ${name}_FILE: ${reason}`)
  }
}

function refuseUnknown(file: Source): void {
  for (const name of Object.keys(file)) {
    const known = name in settingRows || name.replace(/_FILE$/, '') in settingRows
    if (known) continue
    const nearest = nearestName(name, Object.keys(settingRows))
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
    throw fail('InvalidOptions', `sigil.json: unknown setting ${name}${hint}`)
  }
}
