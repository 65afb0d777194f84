// The verdict on a memory: a badge with sign and word for lists, and the whole of it for the memory
// that is open.

import { figure } from '../../lib/format.js'
import {
  type BriefVerdict,
  badges,
  checksOf,
  meaningOf,
  standingOf,
  type Verdict,
} from '../../lib/memory/verdict.js'
import { CopyButton } from '../copy-button.js'
import { OutsideAnchor } from '../outside-anchor.js'

interface BadgeProps {
  readonly verdict: BriefVerdict | undefined
  /** The server is at it. */
  readonly isChecking?: boolean
}

export function Badge({ verdict, isChecking = false }: BadgeProps) {
  if (verdict === undefined) {
    return <span class="faint">{isChecking ? 'checking…' : 'not checked'}</span>
  }
  const standing = standingOf(verdict)
  const { sign, text } = badges[standing]
  return (
    <span class={`badge ${standing}`}>
      <span aria-hidden="true">{sign}</span> {text}
    </span>
  )
}

export function VerdictPart({ verdict }: { verdict: Verdict }) {
  const { problem, warnings, explorerUrl, txHash, root, computedHash } = verdict
  const hashes = [
    ['Computed hash', computedHash],
    ['Root', root],
    ['Transaction', txHash],
  ] as const
  return (
    <section aria-label="Proof">
      <h3>
        Proof <Badge verdict={verdict} />
      </h3>
      {problem !== null && <p>{meaningOf(problem)}</p>}
      <ul class="checks">
        {checksOf(verdict).map(({ name, text, holds, isOpen }) => (
          <li key={name} class={holds ? 'holds' : isOpen ? 'open' : 'broken'}>
            <span aria-hidden="true">{holds ? '✓' : isOpen ? '○' : '✗'}</span>
            <strong>{name}</strong>
            <span class="faint">
              {text} {!holds && (isOpen ? 'Not yet.' : 'No.')}
            </span>
          </li>
        ))}
      </ul>
      {warnings.length > 0 && <p>Noticed: {warnings.join(', ')}.</p>}
      {hashes.map(
        ([name, hash]) =>
          hash !== null &&
          hash !== '' && (
            <p key={name} class="hash">
              <span class="faint">{name}</span> <code>{hash}</code>
              <CopyButton name={name} text={hash} />
            </p>
          ),
      )}
      {verdict.anchoredAt !== null && <p>Anchored {timeOf(verdict.anchoredAt)}.</p>}
      {explorerUrl !== null && <OutsideAnchor address={explorerUrl} text="The transaction" />}
    </section>
  )
}

/** UTC, to the minute. */
export function timeOf(ms: number): string {
  if (Number.isNaN(new Date(ms).getTime())) return figure(ms)
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
