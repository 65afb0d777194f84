// Checks a whole graph, part by part, because only a sweep shows that nothing is missing. What it
// sees of the chain is compared with what this browser saw before.

import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { counted, figure } from '../../lib/format.js'
import type { Seen } from '../../lib/memory/pins.js'
import { type GraphPlace, type Sweep, sweepGraph } from '../../lib/memory/routes.js'
import { meaningOf } from '../../lib/memory/verdict.js'
import { Failure } from '../states.js'

const problemsShown = 200

interface SweepPartProps {
  readonly place: GraphPlace
  readonly open: (id: string) => void
  readonly see: (seen: Seen) => void
}

export function SweepPart({ place, open, see }: SweepPartProps) {
  const answer = useSignal<Sweep | undefined>(undefined)
  const error = useSignal<Error | undefined>(undefined)
  const isRunning = useSignal(false)
  const stopping = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => stopping.current?.abort(), [])
  const start = () => {
    const aborting = new AbortController()
    stopping.current = aborting
    answer.value = undefined
    error.value = undefined
    isRunning.value = true
    sweepAll(place, aborting.signal, (next) => {
      answer.value = next
    })
      .then(
        ({ graphKey, chainSequence, root }) => see({ graphKey, sequence: chainSequence, root }),
        (failed: Error) => {
          if (!aborting.signal.aborted) error.value = failed
        },
      )
      .finally(() => {
        isRunning.value = false
      })
  }
  return (
    <section aria-label="The whole graph">
      <div class="head">
        <h2>The whole graph</h2>
        {isRunning.value ? (
          <button type="button" onClick={() => stopping.current?.abort()}>
            Stop
          </button>
        ) : (
          <button type="button" onClick={start}>
            Verify the whole graph
          </button>
        )}
      </div>
      {error.value !== undefined && <Failure error={error.value} retry={start} />}
      {error.value === undefined && answer.value === undefined && (
        <p class="faint">
          {isRunning.value
            ? 'Checking…'
            : 'Compares all memories, edges and anchors with the chain, to find what is missing.'}
        </p>
      )}
      {answer.value !== undefined && (
        <Outcome sweep={answer.value} isRunning={isRunning.value} open={open} />
      )}
    </section>
  )
}

/** Problems of all parts are gathered. */
async function sweepAll(
  place: GraphPlace,
  signal: AbortSignal,
  tell: (sweep: Sweep) => void,
): Promise<Sweep> {
  let problems: Sweep['problems'] = []
  let cursor = ''
  for (;;) {
    const part = await sweepGraph(place, cursor, signal)
    problems = [...problems, ...part.problems].slice(0, problemsShown)
    const sweep = { ...part, problems }
    tell(sweep)
    if (part.cursor === null) return sweep
    cursor = part.cursor
  }
}

interface OutcomeProps {
  readonly sweep: Sweep
  readonly isRunning: boolean
  readonly open: (id: string) => void
}

function Outcome({ sweep, isRunning, open }: OutcomeProps) {
  const { progress, problems, problemCount, problem, verified, complete } = sweep
  const figures = [
    counted(sweep.memories, 'anchored memorie').replace(/ie$/, 'y'),
    counted(sweep.anchors, 'anchor'),
    `${figure(sweep.unanchored)} not anchored yet`,
    `${figure(sweep.late)} anchored late`,
  ]
  const verdict = verified
    ? '✓ Verified: every root is on the chain, and nothing is missing.'
    : `✗ ${problem === null ? 'Not verified.' : meaningOf(problem)}`
  return (
    <div aria-live="polite">
      <progress aria-label="Progress of the check" value={progress.done} max={progress.of} />
      <p>
        {isRunning && 'Checking… '}
        {!isRunning && !complete && 'Stopped: this is a part of the graph. '}
        {(complete || problem !== null) && verdict}
      </p>
      <p class="faint">{figures.join(', ')}.</p>
      {problems.length > 0 && (
        <>
          <h3>
            {counted(problemCount, 'problem')}
            {problemCount > problems.length && `, of which ${problems.length} are listed`}
          </h3>
          <ul class="edges">
            {problems.map(({ id, problem: one }) => (
              <li key={`${id} ${one}`}>
                {/^(?:mem|ent)_/.test(id) ? (
                  <button type="button" class="quiet data" onClick={() => open(id)}>
                    {id}
                  </button>
                ) : (
                  <code>{id}</code>
                )}
                {meaningOf(one)}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
