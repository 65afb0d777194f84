// The first screen: three steps to a first query from one's own language. Each is done by a click,
// or is a line to copy, and shows when it is done.

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { visibleLines } from '../lib/format.js'
import { useLoad } from '../lib/load.js'
import { usePoll } from '../lib/poll.js'
import { linkTo } from '../lib/route.js'
import { me } from '../lib/session.js'
import { firstQuery, type Start, starts } from '../lib/start/first-query.js'
import { type FirstSteps, findSteps } from '../lib/start/first-steps.js'
import { firstKey, loadSample } from '../lib/start/sample.js'
import { CopyButton } from '../widgets/copy-button.js'
import { useAction } from '../widgets/dialog.js'
import { Problem } from '../widgets/form.js'
import { Failure, Loading } from '../widgets/states.js'
import { UnlockButton } from '../widgets/unlock.js'
import './start.css'

const everyMs = 5_000
/** A service user of the key step, whom the lines of the query step name. */
const serviceUser = 'app'

export function StartPage() {
  const address = me.value?.address ?? null
  const database = me.value?.database ?? ''
  const { loaded, reload } = useLoad(
    (signal) => findSteps({ address, database }, signal),
    [address, database],
  )
  usePoll(reload, everyMs)
  const { value, error } = loaded.value
  return (
    <>
      <div class="head">
        <h1>Start</h1>
      </div>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {error === undefined && value === undefined && <Loading />}
      {value !== undefined && (
        <ol class="steps">
          <SampleStep steps={value} address={address} reload={reload} />
          {address === null ? <UserStep steps={value} /> : <KeyStep steps={value} />}
          <QueryStep steps={value} address={address} />
        </ol>
      )}
    </>
  )
}

interface StepProps {
  readonly title: string
  /** Undefined: the page cannot know. */
  readonly isDone: boolean | undefined
  readonly children: ComponentChildren
}

function Step({ title, isDone, children }: StepProps) {
  return (
    <li>
      <div class="head">
        <h2>{title}</h2>
        {isDone !== undefined && (
          <p class={isDone ? 'done' : 'faint'} role="status">
            {isDone ? 'done' : 'to do'}
          </p>
        )}
      </div>
      {children}
    </li>
  )
}

interface SampleProps {
  readonly steps: FirstSteps
  readonly address: string | null
  readonly reload: () => void
}

function SampleStep({ steps, address, reload }: SampleProps) {
  const { problem, isBusy, start } = useAction(() => loadSample(address), reload)
  const { value } = me
  const isLocked = address === null && value?.expiresAt !== null && value?.unlockedUntil === null
  return (
    <Step title="Sample data" isDone={steps.hasCollections}>
      <p>
        A small bookshop: authors and books as documents, and three keys. All of it loads with{' '}
        <code>sigil demo</code>.
      </p>
      <div class="actions">
        {isLocked ? (
          <>
            <UnlockButton class="main" />
            <p class="faint">This session only reads. Unlock changes, then load the data.</p>
          </>
        ) : (
          <button
            type="button"
            class={steps.hasCollections ? '' : 'main'}
            disabled={isBusy.value}
            onClick={start}
          >
            {isBusy.value ? 'Loading…' : 'Load the sample data'}
          </button>
        )}
        {steps.hasCollections && <a href={linkTo(['collections'])}>See the collections</a>}
      </div>
      {problem.value !== '' && <Problem text={problem.value} />}
    </Step>
  )
}

function KeyStep({ steps }: { steps: FirstSteps }) {
  return (
    <Step title="A key" isDone={steps.hasKeys}>
      <p>Programs sign in with a key of your wallet. You can end it at any time.</p>
      <div class="actions">
        <a href={linkTo(['api-keys'])}>{steps.hasKeys ? 'See your keys' : 'Make a key'}</a>
      </div>
    </Step>
  )
}

function UserStep({ steps: { server } }: { steps: FirstSteps }) {
  const { host, ports, database } = server
  const at = `mongodb://operator@${host}:${ports.wire}/${database}?authSource=admin`
  const user = `{ user: "${serviceUser}", pwd: passwordPrompt(), roles: ["readWrite"] }`
  const line = `mongosh ${JSON.stringify(at)} -p --eval 'db.createUser(${user})'`
  return (
    <Step title="A key" isDone={undefined}>
      <p>
        A program of yours signs in as a service user, with a name and a password. mongosh asks for
        the operator's key first, then for the new password.
      </p>
      {ports.wire === undefined ? (
        <p class="state">The document protocol is switched off.</p>
      ) : (
        <Lines name="the line that makes a service user" text={line} />
      )}
    </Step>
  )
}

function QueryStep({ steps, address }: { steps: FirstSteps; address: string | null }) {
  const start = useSignal<Start>('mongosh')
  const isUser = address === null && start.value !== 'curl'
  const shown = firstQuery(start.value, {
    server: steps.server,
    caller: {
      user: address ?? serviceUser,
      secret: isUser ? 'SIGIL_PASSWORD' : 'SIGIL_API_KEY',
    },
    sample: { collection: steps.collection, key: firstKey },
  })
  return (
    <Step title="A first query" isDone={steps.isUsed}>
      <fieldset class="choices">
        <legend>Language</legend>
        {starts.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === start.value}
            onClick={() => {
              start.value = one
            }}
          >
            {one}
          </button>
        ))}
      </fieldset>
      {shown === undefined ? (
        <p class="state">
          The protocol of {start.value} is switched off. See{' '}
          <a href={linkTo(['operations'])}>Operations</a>.
        </p>
      ) : (
        <>
          <Lines name="the address" text={shown.setup} />
          <Lines name="the first query" text={shown.query} />
          {shown.note !== undefined && <p class="faint">{shown.note}</p>}
        </>
      )}
    </Step>
  )
}

/** Lines to copy. */
function Lines({ name, text }: { name: string; text: string }) {
  return (
    <div class="lines">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: for the keyboard, as it scrolls. */}
      <section tabIndex={0} aria-label={`What is copied as ${name}`}>
        <pre>{visibleLines(text)}</pre>
      </section>
      <CopyButton name={name} text={text} />
    </div>
  )
}
