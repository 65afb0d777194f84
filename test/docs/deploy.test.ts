// The files of docs/deploy against what they name: settings that exist and that the server accepts
// together, series and labels of the metrics, probes that answer, and rules that Prometheus' own
// tool understands and that fire.

import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { readSettings, settingsAsJson } from '../../src/base/settings.js'
import { metricSeries } from '../../src/listeners/http/operations/metrics-series.js'
import { makeCertificate } from '../support/certificate.js'
import { testKey } from '../support/gateway.js'
import { startGateway } from '../support/live-gateway.js'
import { temporaryFolder } from '../support/stores.js'
import { commandNames } from './metrics.js'

const run = promisify(execFile)
const textOf = (name: string) => readFileSync(`docs/deploy/${name}`, 'utf8')

type Environment = Readonly<Record<string, string>>

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly ports: readonly { readonly containerPort: number }[]
  readonly livenessProbe: { readonly httpGet: { readonly path: string } }
}

interface Resource {
  readonly kind: string
  readonly spec: {
    readonly ports?: readonly { readonly port: number }[]
    readonly replicas?: number
    readonly template?: { readonly spec: { readonly containers: readonly [Container] } }
  }
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
}

interface Panel {
  readonly title: string
  readonly targets: readonly { readonly expr: string }[]
}

const compose = parse(textOf('compose.yaml')) as {
  readonly services: Record<string, { environment: Environment; ports: string[] }>
}
const resources = parseAllDocuments(textOf('kubernetes.yaml')).map((document) => {
  return document.toJS() as Resource
})
const container = resources.flatMap(({ spec }) => spec.template?.spec.containers ?? [])[0]
const { rules } = (parse(textOf('alerts.yml')) as { groups: [{ rules: Rule[] }] }).groups[0]
const { panels } = JSON.parse(textOf('grafana-dashboard.json')) as { panels: Panel[] }
const shown = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })))

const environments: Readonly<Record<string, Environment>> = {
  'compose.yaml': compose.services.sigil?.environment ?? {},
  'compose-gateways.yaml': parse(textOf('compose-gateways.yaml')).services.gateway1.environment,
  'kubernetes.yaml': Object.fromEntries(
    (container?.env ?? []).map(({ name, value }) => [name, value]),
  ),
  'sigil.service': Object.fromEntries(
    [...textOf('sigil.service').matchAll(/^Environment=(\w+)=(.*)$/gm)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  ),
}

const settingNames = Object.keys(JSON.parse(settingsAsJson(readSettings({}))) as object)

t.test('each setting exists, and the server accepts them together', async (t) => {
  const folder = await temporaryFolder(t)
  const { cert, key } = makeCertificate()
  const contents: Readonly<Record<string, string | Buffer>> = {
    TLS_CERT: cert,
    TLS_KEY: key,
    API_KEY_FILE: `${testKey}\n`,
    METRICS_TOKEN_FILE: `${'5'.repeat(64)}\n`,
  }
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, name), content)
  for (const [file, given] of Object.entries(environments)) {
    const names = Object.keys(given)
    t.ok(names.length > 4, file)
    const unknown = names.filter((name) => !settingNames.includes(name.replace(/_FILE$/, '')))
    t.same(unknown, [], file)
    // The files of this machine, and a store in memory; the rest as it is written there.
    const files = names.filter((name) => name in contents).map((name) => [name, join(folder, name)])
    const store = { STORE: 'memory:', ...Object.fromEntries(files) }
    const environment: Record<string, string> = { ...given, ...store }
    const gateway = await startGateway(t, environment)
    if (given.TLS_CERT === undefined) continue
    const headers = { authorization: `Bearer ${'5'.repeat(64)}` }
    t.equal(await statusOf(gateway.ports.http, '/metrics', headers), 200, `${file}: metrics`)
    t.equal(await statusOf(gateway.ports.http, '/metrics', {}), 401)
    const path = container?.livenessProbe.httpGet.path ?? ''
    t.equal(await statusOf(gateway.ports.http, path, { host: '10.0.0.7:8080' }), 200, 'the probe')
  }
})

/** As a probe asks: the certificate is not looked at. */
function statusOf(port: number, path: string, headers: Environment): Promise<number | undefined> {
  const options = {
    host: '127.0.0.1',
    port,
    path,
    headers,
    rejectUnauthorized: false,
    agent: false,
  }
  return new Promise((resolve, reject) => {
    const asked = request(options, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    asked.once('error', reject).end()
  })
}

t.test('ports, the number of pods and the files of the image are right', async (t) => {
  const ports = ['HTTP_PORT', 'WIRE_PORT', 'REDIS_PORT', 'SQL_PORT'] as const
  const defaults = ports.map((name) => readSettings({})[name])
  t.same(
    compose.services.sigil?.ports.map((port) => Number(port.split(':')[0])),
    defaults,
  )
  t.same(
    container?.ports.map(({ containerPort }) => containerPort),
    defaults,
  )
  const service = resources.find(({ kind }) => kind === 'Service')
  t.same(
    service?.spec.ports?.map(({ port }) => port),
    defaults,
  )
  const set = resources.find(({ kind }) => kind === 'StatefulSet')
  t.equal(set?.spec.replicas, 1, 'a folder has one process')
  t.match(textOf('Caddyfile'), `127.0.0.1:${defaults[0]}`)

  const kept = readFileSync('.dockerignore', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1))
  const copied = [...readFileSync('Dockerfile', 'utf8').matchAll(/^COPY (?!--)(.*) \S+$/gm)]
  t.same(new Set(copied.flatMap(([, names = '']) => names.split(' '))), new Set(kept))
})

/** Series that an expression names, with the labels that it selects or groups by. */
function seriesOf(expr: string): string[] {
  const words = expr.replaceAll(/"[^"]*"/g, '').match(/\b(?:svc|process|nodejs)_\w+/g)
  return words ?? []
}

t.test('every series and label that is named exists', async (t) => {
  const known = new Map(
    metricSeries.flatMap(({ name, type, labels }) => {
      const names = type === 'summary' ? [name, `${name}_sum`, `${name}_count`] : [name]
      return names.map((each) => [each, labels] as const)
    }),
  )
  const all = [...shown, ...rules.map(({ alert, expr }) => ({ title: alert, expr }))]
  t.ok(all.length > 30)
  for (const { title, expr } of all) {
    const named = seriesOf(expr)
    t.ok(named.length > 0 || title === 'SigilDown', `${title} names a series`)
    for (const name of named) t.ok(known.has(name), `${title}: ${name}`)
    const labels = Object.assign({}, ...named.map((name) => known.get(name)))
    for (const [, label = '', value = ''] of expr.matchAll(/(\w+)="([^"]*)"/g)) {
      if (label === 'job') continue
      const values = labels[label] === 'commands' ? commandNames() : labels[label]
      t.ok((values as string[] | undefined)?.includes(value), `${title}: ${label}="${value}"`)
    }
    for (const [, label = ''] of expr.matchAll(/by \((\w+)\)/g)) {
      t.ok(label in labels, `${title}: by ${label}`)
    }
  }
})

const hasPromtool = await run('promtool', ['--version']).then(
  () => true,
  () => process.env.CI === 'true',
)
const skip = hasPromtool ? false : 'promtool is not installed: apt-get install prometheus'

t.test('Prometheus understands each expression, and each alert fires', { skip }, async (t) => {
  const folder = await temporaryFolder(t)
  const asRules = shown.map(({ expr }, at) => ({
    record: `shown:${at}`,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
  }))
  // JSON is YAML, too.
  const dashboard = join(folder, 'dashboard.json')
  writeFileSync(dashboard, JSON.stringify({ groups: [{ name: 'shown', rules: asRules }] }))
  await t.resolves(run('promtool', ['check', 'rules', dashboard]))

  const series: Readonly<Record<string, readonly [series: string, values: string]>> = {
    SigilDown: ['up{job="sigil"}', '0x60'],
    SigilRestarts: ['process_start_time_seconds{job="sigil"}', '0+60x60'],
    SigilRefusesWrites: ['svc_store_refusing', '1x60'],
    SigilInternalErrors: ['svc_errors_total{code="1"}', '0+1x60'],
    SigilCheckpointLag: ['svc_store_checkpoint_lag_seconds', '100x60'],
    SigilSlowDisk: ['svc_store_fsync_seconds', '1x60'],
    SigilSlowCommands: ['svc_request_duration_ms{quantile="0.99"}', '900x60'],
    SigilErrorRate: ['svc_errors_total{code="26"}', '0+600x60'],
    SigilFailedLogins: ['svc_errors_total{code="18"}', '0+600x60'],
    SigilMemory: ['process_resident_memory_bytes{job="sigil"}', '3000000000x60'],
    SigilChainDown: ['svc_chain_up', '0x60'],
    SigilAnchorFailures: ['svc_anchor_failures_total', '0+1x60'],
  }
  t.same(
    rules.map(({ alert }) => alert),
    Object.keys(series),
  )
  // What an expression gives that is not empty has a firing alert in `ALERTS`.
  const tests = Object.entries(series).map(([alert, [name, values]]) => ({
    interval: '1m',
    input_series: [
      { series: name, values },
      { series: 'svc_requests_total{command="find"}', values: '0+1000x60' },
    ],
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertstate="firing",alertname="${alert}"})`,
        eval_time: '40m',
        exp_samples: [{ labels: '{}', value: 1 }],
      },
    ],
  }))
  const alerts = join(process.cwd(), 'docs/deploy/alerts.yml')
  const cases = join(folder, 'cases.json')
  writeFileSync(cases, JSON.stringify({ rule_files: [alerts], tests }))
  const tested = await run('promtool', ['test', 'rules', cases]).catch((error) => error)
  t.match(tested, { stdout: /SUCCESS/ }, String(tested.stderr))
})
