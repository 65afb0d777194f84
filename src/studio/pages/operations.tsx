// The server at work: its health, its protocols with lines to connect, the last hour, slow
// commands, quotas, and the commands that run, which can be ended. Each part has its own answer for
// a caller who may not see it.

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { askJson } from '../lib/api.js'
import { counted, visible } from '../lib/format.js'
import { type History, joined, perSecond } from '../lib/history.js'
import { useLoad } from '../lib/load.js'
import { usePoll } from '../lib/poll.js'
import { HourChart } from '../widgets/charts/hour-chart.js'
import { OperationsTabs } from '../widgets/operations-tabs.js'
import { Empty, Failure, Loading } from '../widgets/states.js'
import { Protocols } from './protocols.js'
import { Quotas } from './quotas.js'
import './operations.css'

/** The step of the server's own figures. */
const everyMs = 5_000

export function OperationsPage() {
  return (
    <>
      <div class="head">
        <h1>Operations</h1>
      </div>
      <OperationsTabs />
      <Health />
      <Protocols />
      <LastHour />
      <Part title="Commands at work">
        <AtWork />
      </Part>
      <Part title="Slow commands">
        <SlowCommands />
      </Part>
      <Part title="Quotas">
        <Quotas />
      </Part>
    </>
  )
}

/** A part that asks for nothing while it is closed. */
function Part({ title, children }: { title: string; children: ComponentChildren }) {
  const isOpen = useSignal(false)
  const toggle = (event: Event) => {
    isOpen.value = (event.currentTarget as HTMLDetailsElement).open
  }
  return (
    <section aria-label={title}>
      <details class="part" onToggle={toggle}>
        <summary>
          <h2>{title}</h2>
        </summary>
        {isOpen.value && children}
      </details>
    </section>
  )
}

interface HealthAnswer {
  readonly status: string
  /** Seconds. */
  readonly uptime: number
  readonly version: string
  readonly storage: { readonly type: string; readonly connected: boolean }
  readonly chain?: { readonly mode: string; readonly ok: boolean | null }
}

function Health() {
  const { loaded, reload } = useLoad(
    (signal) => askJson<HealthAnswer>('GET', '/health', undefined, { signal }),
    [],
  )
  usePoll(reload, everyMs)
  const { value, error } = loaded.value
  if (error !== undefined) return <Failure error={error} retry={reload} />
  if (value === undefined) return <Loading />
  const { chain, storage } = value
  const facts: readonly (readonly [string, string])[] = [
    ['Health', value.status],
    ['Up for', duration(value.uptime)],
    ['Version', value.version],
    ['Storage', `${storage.type}${storage.connected ? '' : ', not connected'}`],
    ...(chain === undefined
      ? []
      : [['Chain', `${chain.mode}${chain.ok === false ? ', not reachable' : ''}`] as const]),
  ]
  return (
    <dl class="facts">
      {facts.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}

function duration(seconds: number): string {
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor((seconds % 86_400) / 3_600)]
  const minutes = Math.floor((seconds % 3_600) / 60)
  if (days > 0) return `${days} d ${hours} h`
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min` : `${Math.floor(seconds)} s`
}

function LastHour() {
  const kept = useRef<History | undefined>(undefined)
  const { loaded, reload } = useLoad(async (signal) => {
    const since = kept.current?.at.at(-1)
    const path = `/api/v1/metrics/history${since === undefined ? '' : `?since=${since}`}`
    const next = await askJson<History>('GET', path, undefined, { signal })
    kept.current = joined(kept.current, next)
    return kept.current
  }, [])
  usePoll(reload, everyMs)
  const { value, error } = loaded.value
  return (
    <section aria-label="The last hour">
      <h2>The last hour</h2>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value?.at.length === 0 && (
        <Empty>The first figures come some seconds after the start.</Empty>
      )}
      {value !== undefined && value.at.length > 0 && <Charts history={value} />}
    </section>
  )
}

function Charts({ history }: { history: History }) {
  const { at, requests, errors, p50, p95, p99 } = history
  return (
    <div class="charts">
      <HourChart
        title="Requests"
        unit="/s"
        at={at}
        lines={[{ name: 'all protocols', values: perSecond(history, requests) }]}
      />
      <HourChart
        title="Errors"
        unit="/s"
        at={at}
        lines={[{ name: 'all protocols', values: perSecond(history, errors) }]}
      />
      <HourChart
        title="Latency"
        unit="ms"
        at={at}
        lines={[
          { name: 'p50', values: p50 },
          { name: 'p95', values: p95 },
          { name: 'p99', values: p99 },
        ]}
      />
    </div>
  )
}

interface Operation {
  readonly opid?: number | string
  readonly desc?: string
  readonly active?: boolean
  readonly ns?: string
  readonly client?: string
  readonly microsecs_running?: number
  readonly command?: Readonly<Record<string, unknown>>
  readonly effectiveUsers?: readonly { readonly user: string }[]
}

function AtWork() {
  const problem = useSignal<Error | undefined>(undefined)
  const { loaded, reload } = useLoad(async (signal) => {
    const path = '/api/v1/operations'
    const answer = await askJson<{ operations: Operation[] }>('GET', path, undefined, { signal })
    // The question itself is no news, and neither are drivers that watch the server.
    return answer.operations.filter(
      ({ command = {} }) => !['currentOp', 'hello', 'isMaster'].some((name) => name in command),
    )
  }, [])
  usePoll(reload, everyMs)
  const kill = (id: number | string) => {
    problem.value = undefined
    const path = `/api/v1/operations/${encodeURIComponent(String(id))}/kill`
    askJson('POST', path, {}).then(reload, (failed: Error) => {
      problem.value = failed
    })
  }
  const { value, error } = loaded.value
  const working = value?.filter(({ active }) => active === true) ?? []
  const idle = (value?.length ?? 0) - working.length
  return (
    <>
      {problem.value !== undefined && <Failure error={problem.value} />}
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value !== undefined && working.length === 0 && <Empty>No command is running.</Empty>}
      {working.length > 0 && <Operations rows={working} kill={kill} />}
      {value !== undefined && <p class="faint">{counted(idle, 'idle connection')}</p>}
    </>
  )
}

interface OperationsProps {
  readonly rows: readonly Operation[]
  readonly kill: (id: number | string) => void
}

function Operations({ rows, kill }: OperationsProps) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Command</th>
            <th scope="col">On</th>
            <th scope="col">By</th>
            <th scope="col">From</th>
            <th scope="col" class="number">
              Running
            </th>
            <th scope="col">Action</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ opid, command = {}, ns = '', client = '', ...row }) => (
            <tr key={opid}>
              <th scope="row">{visible(Object.keys(command)[0] ?? row.desc ?? '')}</th>
              <td>{visible(ns)}</td>
              <td>{visible(row.effectiveUsers?.[0]?.user ?? '')}</td>
              <td>{visible(client)}</td>
              <td class="number">{Math.round((row.microsecs_running ?? 0) / 1_000)} ms</td>
              <td class="commands">
                {opid !== undefined && (
                  <button
                    type="button"
                    class="bad"
                    aria-label={`Kill ${opid}`}
                    onClick={() => kill(opid)}
                  >
                    Kill
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface SlowCommand {
  readonly at: string
  readonly ms: number
  readonly command: string
  readonly ns: string
  readonly protocol: string
  readonly shape: string
}

function SlowCommands() {
  const { loaded, reload } = useLoad(async (signal) => {
    const path = '/api/v1/metrics/slow'
    return (await askJson<{ commands: SlowCommand[] }>('GET', path, undefined, { signal })).commands
  }, [])
  usePoll(reload, everyMs)
  const { value, error } = loaded.value
  return (
    <>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value?.length === 0 && <Empty>No command was slow since the start (SLOW_COMMAND_MS).</Empty>}
      {value !== undefined && value.length > 0 && (
        <>
          <SlowTable rows={value} />
          <p class="faint">
            The last {value.length}, at most 128. Those of key-value commands are in SLOWLOG.
          </p>
        </>
      )}
    </>
  )
}

function SlowTable({ rows }: { rows: readonly SlowCommand[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: for the keyboard, as it scrolls.
    <section class="scroll" tabIndex={0} aria-label="Slow commands, as a table">
      <table>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col" class="number">
              Took
            </th>
            <th scope="col">Command</th>
            <th scope="col">On</th>
            <th scope="col">By way of</th>
            <th scope="col">Shape</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={`${row.at} ${index}`}>
              <td>{row.at.slice(0, 19).replace('T', ' ')}</td>
              <td class="number">{row.ms} ms</td>
              <td>{visible(row.command)}</td>
              <td>{visible(row.ns)}</td>
              <td>{row.protocol}</td>
              <td>{visible(row.shape)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
