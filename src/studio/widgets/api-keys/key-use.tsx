// How much one key is used: requests by day as a chart, and by operation as a table with bars, so
// that a key that is used otherwise than meant is seen.

import { useSignal } from '@preact/signals'
import type { ApiKey } from '../../lib/api-keys.js'
import { counted, figure, visible } from '../../lib/format.js'
import { type KeyUse, useOfKey } from '../../lib/key-use.js'
import { useLoad } from '../../lib/load.js'
import { DaysChart } from '../charts/days-chart.js'
import { Dialog } from '../dialog.js'
import { Scroll } from '../scroll.js'
import { Empty, Failure, Loading } from '../states.js'
import './key-use.css'

const spans = [7, 30, 90] as const
const rowsMax = 20

interface UseProps {
  readonly of: ApiKey
  readonly name: string
  readonly close: () => void
}

export function KeyUseDialog({ of: { hash, rateLimit }, name, close }: UseProps) {
  const days = useSignal<number>(spans[0])
  const { loaded, reload } = useLoad((signal) => useOfKey(hash, days.value, signal), [days.value])
  const { value, error } = loaded.value
  return (
    <Dialog title={`Use of ${name}`} close={close}>
      <label class="days">
        Days{' '}
        <select
          value={String(days.value)}
          onChange={({ currentTarget }) => {
            days.value = Number(currentTarget.value)
          }}
        >
          {spans.map((span) => (
            <option key={span}>{span}</option>
          ))}
        </select>
      </label>
      <p class="faint">
        {rateLimit === 0
          ? 'The key has no limit of its own.'
          : `At most ${counted(rateLimit, 'request')} a minute, on all protocols together.`}
      </p>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value?.totalRequests === 0 && <Empty>The key was not used in these days.</Empty>}
      {value !== undefined && value.totalRequests > 0 && <Figures use={value} />}
      <div class="actions">
        <button type="button" class="main" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

function Figures({ use: { totalRequests, byDay, byEndpoint } }: { use: KeyUse }) {
  const rows = Object.entries(byEndpoint).toSorted(([, one], [, other]) => other - one)
  const shown = rows.slice(0, rowsMax)
  return (
    <>
      <DaysChart title="Requests a day" days={byDay} />
      <Scroll name="Requests by operation">
        <table class="by-operation">
          <thead>
            <tr>
              <th scope="col">Operation</th>
              <th scope="col" class="number">
                Requests
              </th>
              <th scope="col">Share</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(([name, count]) => (
              <tr key={name}>
                <th scope="row">{visible(name)}</th>
                <td class="number">{figure(count)}</td>
                <td>
                  <meter min={0} max={totalRequests} value={count} aria-label={`Share of ${name}`}>
                    {Math.round((100 * count) / totalRequests)} %
                  </meter>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {rows.length > shown.length && (
        <p class="faint">
          {shown.length} of {counted(rows.length, 'operation')} are shown, most used first.
        </p>
      )}
    </>
  )
}
