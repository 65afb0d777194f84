// Who is signed in and until when, and how access ends: here, or everywhere. The operator also sees
// the sessions of other browsers, since each has all rights.

import { useSignal } from '@preact/signals'
import { askJson, operatorToken } from '../lib/api.js'
import { useLoad } from '../lib/load.js'
import { me, signOut } from '../lib/session.js'
import { Actions, Dialog, useAction } from './dialog.js'
import { Scroll } from './scroll.js'
import { Failure, Loading } from './states.js'

export function SessionDialog({ close }: { close: () => void }) {
  const { problem, isBusy, start } = useAction(() => signOut(true), close)
  const { value } = me
  const isOperator = operatorToken.get() !== null
  return (
    <Dialog title="Session" close={close}>
      <dl class="facts">
        <div>
          <dt>Signed in as</dt>
          <dd class="data wide">{value?.address ?? 'the operator'}</dd>
        </div>
        <div>
          <dt>Until (UTC)</dt>
          <dd class="data">{timeText(value?.expiresAt ?? null)}</dd>
        </div>
      </dl>
      {isOperator && <OperatorSessions />}
      <p>{isOperator ? ofOperator : ofWallet}</p>
      <Actions problem={problem.value}>
        <button type="button" class="bad" disabled={isBusy.value} onClick={start}>
          Sign out everywhere
        </button>
        <button type="button" onClick={close}>
          Close
        </button>
      </Actions>
    </Dialog>
  )
}

const ofOperator =
  "Sign out everywhere ends all sessions of the operator's page. The key still works."
const ofWallet =
  'Sign out everywhere ends the sessions of this wallet in all browsers. API keys still work.'

function timeText(time: string | null): string {
  return time === null ? 'no end' : time.slice(0, 16).replace('T', ' ')
}

interface OperatorSession {
  readonly id: string
  readonly startedAt: string
  readonly expiresAt: string
  readonly from: string
  readonly isOwn: boolean
}

/** A session that is not one's own may be another person's: it can be ended alone. */
function OperatorSessions() {
  const problem = useSignal<Error | undefined>(undefined)
  const { loaded, reload } = useLoad(async (signal) => {
    const path = '/api/v1/studio/sessions'
    return (await askJson<{ sessions: OperatorSession[] }>('GET', path, undefined, { signal }))
      .sessions
  }, [])
  const end = (id: string) => {
    problem.value = undefined
    askJson('POST', `/api/v1/studio/sessions/${id}/end`, {}).then(reload, (failed: Error) => {
      problem.value = failed
    })
  }
  const { value, error } = loaded.value
  const failed = problem.value ?? error
  if (failed !== undefined) return <Failure error={failed} retry={reload} />
  if (value === undefined) return <Loading />
  return (
    <Scroll name="Sessions of the operator">
      <table>
        <thead>
          <tr>
            <th scope="col">Since (UTC)</th>
            <th scope="col">From</th>
            <th scope="col">Action</th>
          </tr>
        </thead>
        <tbody>
          {value.map(({ id, startedAt, from, isOwn }) => (
            <tr key={id}>
              <td>{timeText(startedAt)}</td>
              <td>{from}</td>
              <td class="commands">
                {isOwn ? (
                  'this tab'
                ) : (
                  <button
                    type="button"
                    aria-label={`End the session since ${startedAt}`}
                    onClick={() => end(id)}
                  >
                    End
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
