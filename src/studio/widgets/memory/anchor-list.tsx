// The anchors of a graph: lists of hashes whose roots are on the chain, or on their way to it. A
// user need not wait for the next one.

import { useSignal } from '@preact/signals'
import { counted, figure, visible } from '../../lib/format.js'
import type { Anchor } from '../../lib/memory/graph.js'
import { anchorGraph, type GraphPlace } from '../../lib/memory/routes.js'
import { useAction } from '../dialog.js'
import { Problem } from '../form.js'
import { OutsideAnchor } from '../outside-anchor.js'
import { Scroll } from '../scroll.js'
import { Empty } from '../states.js'
import { timeOf } from './badge.js'

/** The snapshot has no more. */
const anchorsMax = 100

interface AnchorListProps {
  readonly place: GraphPlace
  readonly anchors: readonly Anchor[]
  /** Addresses in an explorer, by transaction. */
  readonly explorers: ReadonlyMap<string, string>
  readonly reload: () => void
}

export function AnchorList({ place, anchors, explorers, reload }: AnchorListProps) {
  const told = useSignal('')
  const { problem, isBusy, start } = useAction(
    () => anchorGraph(place),
    (count) => {
      told.value =
        count === 0
          ? 'Nothing waits for an anchor.'
          : `With the next transaction: ${counted(count, 'record')}.`
      reload()
    },
  )
  return (
    <section aria-label="Anchors">
      <div class="head">
        <h2>Anchors</h2>
        <button type="button" disabled={isBusy.value} onClick={start}>
          Anchor now
        </button>
        <p class="faint" role="status">
          {told.value}
        </p>
      </div>
      {problem.value !== '' && <Problem text={problem.value} />}
      {anchors.length === 0 ? (
        <Empty>
          There are no anchors yet. They are made every ten minutes, or by “Anchor now”.
        </Empty>
      ) : (
        <Rows anchors={anchors} explorers={explorers} />
      )}
      {anchors.length >= anchorsMax && <p class="faint">The newest {anchorsMax} are listed.</p>}
    </section>
  )
}

function Rows({ anchors, explorers }: Pick<AnchorListProps, 'anchors' | 'explorers'>) {
  return (
    <Scroll name="Anchors, as a table">
      <table>
        <thead>
          <tr>
            <th scope="col" class="number">
              Number
            </th>
            <th scope="col" class="number">
              Records
            </th>
            <th scope="col">State</th>
            <th scope="col">Anchored</th>
            <th scope="col">Root</th>
            <th scope="col">Transaction</th>
          </tr>
        </thead>
        <tbody>
          {anchors.map(({ id, seq, count, status, anchoredAt, root, tx }) => {
            const explorer = tx === null ? undefined : explorers.get(tx)
            return (
              <tr key={id}>
                <td class="number">{figure(seq)}</td>
                <td class="number">{figure(count)}</td>
                <td>{visible(status)}</td>
                <td>{anchoredAt === null ? 'not yet' : timeOf(anchoredAt)}</td>
                <td title={root}>{shortHash(root)}</td>
                <td title={tx ?? ''}>
                  {explorer === undefined ? (
                    shortHash(tx)
                  ) : (
                    <OutsideAnchor address={explorer} text={shortHash(tx)} />
                  )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Scroll>
  )
}

function shortHash(hash: string | null): string {
  return hash === null ? 'none' : `${hash.slice(0, 10)}…${hash.slice(-6)}`
}
