// What accounts hold and may hold: a wallet sees its own, the operator all of them, a page at a
// time. (docs/operations.md, "Quotas of a wallet")

import { useSignal } from '@preact/signals'
import { askJson } from '../lib/api.js'
import { figure, sizeText, visible } from '../lib/format.js'
import { useLoad } from '../lib/load.js'
import { Scroll } from '../widgets/scroll.js'
import { Empty, Failure, Loading } from '../widgets/states.js'

interface Usage {
  readonly account: string
  readonly storageBytes: number
  readonly deletingBytes: number
  readonly collections: number
  readonly graphs: number
  readonly connections: number
  readonly subscriptions: number
}

type Limited = 'storageBytes' | 'collections' | 'graphs' | 'connections' | 'subscriptions'
type Limits = Partial<Readonly<Record<Limited, number>>>

interface Answer {
  readonly usage?: Usage
  readonly accounts?: readonly Usage[]
  readonly next?: string | null
  readonly limits: Limits
}

const figures: readonly { readonly name: Limited; readonly title: string }[] = [
  { name: 'storageBytes', title: 'Storage' },
  { name: 'collections', title: 'Collections' },
  { name: 'graphs', title: 'Graphs' },
  { name: 'connections', title: 'Connections' },
  { name: 'subscriptions', title: 'Channels' },
]

export function Quotas() {
  const after = useSignal('')
  const { loaded, reload } = useLoad(
    (signal) => {
      const query = after.value === '' ? '' : `?after=${encodeURIComponent(after.value)}`
      return askJson<Answer>('GET', `/api/v1/usage${query}`, undefined, { signal })
    },
    [after.value],
  )
  const { value, error } = loaded.value
  if (error !== undefined) return <Failure error={error} retry={reload} />
  if (value === undefined) return <Loading />
  const { usage, accounts, next, limits } = value
  if (usage !== undefined) return <Own usage={usage} limits={limits} />
  if (accounts === undefined || (accounts.length === 0 && after.value === '')) {
    return <Empty>No wallet and no service user has stored anything yet.</Empty>
  }
  return (
    <>
      <Accounts accounts={accounts} limits={limits} />
      <div class="actions">
        {after.value !== '' && (
          <button
            type="button"
            onClick={() => {
              after.value = ''
            }}
          >
            First accounts
          </button>
        )}
        {typeof next === 'string' && (
          <button
            type="button"
            onClick={() => {
              after.value = next
            }}
          >
            More accounts
          </button>
        )}
      </div>
    </>
  )
}

function Own({ usage, limits }: { usage: Usage; limits: Limits }) {
  const { deletingBytes } = usage
  return (
    <>
      <dl class="facts">
        {figures.map(({ name, title }) => {
          const limit = limits[name] ?? 0
          return (
            <div key={name}>
              <dt>{title}</dt>
              <dd>
                {shown(name, usage[name])}
                {limit > 0 && ` of ${shown(name, limit)}`}
                {limit > 0 && (
                  <meter
                    aria-label={`${title}, the part in use`}
                    max={limit}
                    high={limit * 0.9}
                    value={usage[name]}
                  />
                )}
              </dd>
            </div>
          )
        })}
      </dl>
      {deletingBytes > 0 && <p class="faint">Being deleted: {sizeText(deletingBytes)}.</p>}
    </>
  )
}

function Accounts({ accounts, limits }: { accounts: readonly Usage[]; limits: Limits }) {
  return (
    <Scroll name="Quotas, as a table">
      <table>
        <thead>
          <tr>
            <th scope="col">Account</th>
            {figures.map(({ name, title }) => (
              <th key={name} scope="col" class="number">
                {title}
                {(limits[name] ?? 0) > 0 && (
                  <span class="faint"> of {shown(name, limits[name] ?? 0)}</span>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {accounts.map((usage) => (
            <tr key={usage.account}>
              <th scope="row">{visible(usage.account)}</th>
              {figures.map(({ name }) => (
                <td key={name} class="number">
                  {shown(name, usage[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

function shown(name: Limited, value: number): string {
  return name === 'storageBytes' ? sizeText(value) : figure(value)
}
