// The protocols of the server: whether each is open, a line to connect, and its switch for those
// who may use it.

import { type Signal, useSignal } from '@preact/signals'
import { askJson } from '../lib/api.js'
import { useLoad } from '../lib/load.js'
import { me } from '../lib/session.js'
import { CopyButton } from '../widgets/copy-button.js'
import { Confirm } from '../widgets/dialog.js'
import { Empty, Failure, Loading } from '../widgets/states.js'

interface Protocol {
  readonly name: string
  readonly enabled: boolean
  readonly port: number | null
}

export function Protocols() {
  const { loaded, reload } = useLoad(async (signal) => {
    const path = '/api/v1/protocols'
    return (await askJson<{ protocols: Protocol[] }>('GET', path, undefined, { signal })).protocols
  }, [])
  const closing = useSignal<string | undefined>(undefined)
  const problem = useSignal<Error | undefined>(undefined)
  const { value, error } = loaded.value
  const isAdministrator = me.value?.administrator === true
  const closed = () => {
    closing.value = undefined
    reload()
  }
  const open = (name: string) => {
    problem.value = undefined
    askJson('POST', `/api/v1/protocols/${name}/enable`, {}).then(reload, (failed: Error) => {
      problem.value = failed
    })
  }
  return (
    <section aria-label="Protocols">
      <h2>Protocols</h2>
      {problem.value !== undefined && <Failure error={problem.value} />}
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value?.length === 0 && <Empty>No protocol beside HTTP is open.</Empty>}
      {value !== undefined && value.length > 0 && (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Protocol</th>
                <th scope="col">State</th>
                <th scope="col">Line to connect, with a key in SIGIL_API_KEY</th>
                <th scope="col">Actions</th>
              </tr>
            </thead>
            <tbody>
              {value.map((one) => (
                <ProtocolRow
                  key={one.name}
                  protocol={one}
                  {...(isAdministrator ? { open, closing } : {})}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {closing.value !== undefined && <Closing of={closing.value} close={closed} />}
      {!isAdministrator && (
        <p class="faint">The operator and administrators switch protocols on and off.</p>
      )}
    </section>
  )
}

function Closing({ of, close }: { of: string; close: () => void }) {
  return (
    <Confirm
      title="Switch off"
      text="Its connections are closed at once. It stays off, over restarts too."
      name={of}
      run={() => askJson('POST', `/api/v1/protocols/${of}/disable`, {})}
      close={close}
    />
  )
}

interface ProtocolRowProps {
  readonly protocol: Protocol
  /** Missing for callers who may not switch. */
  readonly open?: (name: string) => void
  readonly closing?: Signal<string | undefined>
}

/** Those that can be switched; this page needs HTTP itself. */
const switched: ReadonlySet<string> = new Set(['wire', 'redis', 'sql'])

function ProtocolRow({ protocol: { name, enabled, port }, open, closing }: ProtocolRowProps) {
  const line = enabled && port !== null ? connectLine(name, port) : ''
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{enabled ? 'open' : 'off'}</td>
      <td>{line}</td>
      <td class="commands">
        {line !== '' && <CopyButton name={`the line of ${name}`} text={line} />}
        {closing !== undefined && switched.has(name) && (
          <button
            type="button"
            class={enabled ? 'bad' : ''}
            aria-label={`Switch ${enabled ? 'off' : 'on'} ${name}`}
            onClick={() => {
              if (enabled) closing.value = name
              else open?.(name)
            }}
          >
            {enabled ? 'Switch off' : 'Switch on'}
          </button>
        )}
      </td>
    </tr>
  )
}

/** For a shell; the page knows no key. */
function connectLine(name: string, port: number): string {
  const isSafe = location.protocol === 'https:'
  const place = `${me.value?.address ?? 'operator'}:$SIGIL_API_KEY@${location.hostname}:${port}`
  if (name === 'wire') return `mongosh "mongodb://${place}/${isSafe ? '?tls=true' : ''}"`
  if (name === 'redis') return `redis-cli -u "${isSafe ? 'rediss' : 'redis'}://${place}"`
  if (name === 'sql') return `psql "postgresql://${place}/${isSafe ? '?sslmode=require' : ''}"`
  return ''
}
