// Channels of the caller's own space: messages as they are published, and a message of one's own. A
// hidden tab listens to nothing, and the page says what it may have missed.

import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ApiError } from '../lib/api.js'
import { counted, visible } from '../lib/format.js'
import { runCommand, wordText } from '../lib/keyspace.js'
import { listen } from '../lib/live/events.js'
import { type KeptMessage, type Message, MessageList, watchPath } from '../lib/message-list.js'
import { linkTo, route } from '../lib/route.js'
import { DataField } from '../widgets/data-field.js'
import { useAction } from '../widgets/dialog.js'
import { Form } from '../widgets/form.js'
import { Scroll } from '../widgets/scroll.js'
import { Empty, Failure } from '../widgets/states.js'
import './channels.css'

const shownCharsMax = 2_000
/** Messages that come closely together are drawn at once. */
const drawMs = 200
const againMs = 3_000

export function ChannelsPage() {
  const names = route.value.query.get('names') ?? ''
  return (
    <>
      <div class="head">
        <h1>Channels</h1>
      </div>
      <WatchBar key={names} names={names} />
      <Publisher />
      {watchPath(names) === undefined ? (
        <Empty>
          Name channels to watch, such as <code>news</code>, or patterns, such as{' '}
          <code>news.*</code>. Messages are kept nowhere: earlier ones cannot be shown.
        </Empty>
      ) : (
        <Watched key={names} path={watchPath(names) ?? ''} />
      )}
    </>
  )
}

function WatchBar({ names }: { names: string }) {
  const typed = useSignal(names)
  const go = (given: string) => {
    location.hash = linkTo(['channels'], { names: given })
  }
  return (
    <Form class="filter" send={() => go(typed.value.trim())}>
      <DataField
        label="Channels and patterns, separated by commas"
        typed={typed}
        placeholder="news, orders.*"
        shortcut="/"
      />
      <button type="submit" class="main">
        Watch
      </button>
      <button type="button" disabled={names === ''} onClick={() => go('')}>
        Stop
      </button>
    </Form>
  )
}

function Publisher() {
  const channel = useSignal('')
  const message = useSignal('')
  const told = useSignal('')
  const { problem, isBusy, start } = useAction(
    () => runCommand(0, ['PUBLISH', channel.value, message.value]),
    (count) => {
      told.value = `Received by ${counted(Number(count), 'subscriber')}.`
    },
  )
  return (
    <Form
      class="filter publisher"
      send={() => {
        told.value = ''
        start()
      }}
    >
      <DataField label="Channel" typed={channel} placeholder="news" />
      <DataField label="Message" typed={message} />
      <button type="submit" disabled={isBusy.value || channel.value === ''}>
        Publish
      </button>
      <p class={problem.value === '' ? 'faint' : 'problem'} role="status">
        {problem.value === '' ? told.value : problem.value}
      </p>
    </Form>
  )
}

type State = 'opening' | 'live' | 'paused' | 'hidden' | 'broken'

const stateTexts: Readonly<Record<State, string>> = {
  opening: 'opening…',
  live: 'live',
  paused: 'paused: messages of this time are not kept',
  hidden: 'paused while the tab was hidden',
  broken: 'not connected: messages of this time are not kept',
}

function Watched({ path }: { path: string }) {
  const isPaused = useSignal(false)
  const { list, state, problem, clear } = useMessages(path, isPaused)
  const { kept, total, missing } = list.value
  return (
    <section aria-label="Messages">
      <div class="head">
        <p class={state.value === 'live' ? 'live' : 'faint'} role="status">
          {stateTexts[state.value]}
        </p>
        <button
          type="button"
          aria-pressed={isPaused.value}
          onClick={() => {
            isPaused.value = !isPaused.value
          }}
        >
          Pause
        </button>
        <button type="button" disabled={total === 0} onClick={clear}>
          Clear
        </button>
        <p class="faint">
          {counted(total, 'message')}. {missing}
        </p>
      </div>
      {problem.value !== undefined && <Failure error={problem.value} />}
      {kept.length === 0 ? (
        <Empty>No message has come yet.</Empty>
      ) : (
        <Scroll name="Messages as a table">
          <Messages rows={kept} />
        </Scroll>
      )}
    </section>
  )
}

function Messages({ rows }: { rows: readonly KeptMessage[] }) {
  return (
    <table class="messages">
      <thead>
        <tr>
          <th scope="col">Time (UTC)</th>
          <th scope="col">Channel</th>
          <th scope="col">By pattern</th>
          <th scope="col">Message</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ number, at, channel, pattern, message }) => (
          <tr key={number}>
            <td>{new Date(at).toISOString().slice(11, 19)}</td>
            <td>{visible(wordText(channel))}</td>
            <td>{pattern === undefined ? '' : visible(wordText(pattern))}</td>
            <td>{shortened(wordText(message))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function shortened(text: string): string {
  if (text.length <= shownCharsMax) return visible(text)
  return `${visible(text.slice(0, shownCharsMax))}… (${counted(text.length, 'character')})`
}

/** A plain copy of what the list holds, for a signal. */
function drawn({ kept, total, missing }: MessageList) {
  return { kept, total, missing }
}

function useMessages(path: string, isPaused: Signal<boolean>) {
  const messages = useSignal(new MessageList()).value
  const list = useSignal(drawn(messages))
  const state = useSignal<State>('opening')
  const problem = useSignal<Error | undefined>(undefined)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const draw = () => {
      timer = undefined
      list.value = drawn(messages)
    }
    let ending = new AbortController()
    const start = () => {
      ending = new AbortController()
      void follow(path, {
        signal: ending.signal,
        to: (next, error) => {
          state.value = next
          problem.value = error
        },
        told: (message) => {
          messages.add(message, performance.timeOrigin + performance.now())
          timer ??= setTimeout(draw, drawMs)
        },
      })
    }
    const turn = () => {
      ending.abort()
      if (isPaused.value) state.value = 'paused'
      else if (document.hidden) state.value = 'hidden'
      else start()
    }
    turn()
    document.addEventListener('visibilitychange', turn)
    return () => {
      document.removeEventListener('visibilitychange', turn)
      ending.abort()
      clearTimeout(timer)
    }
  }, [path, isPaused.value])
  const clear = () => {
    messages.clear()
    list.value = drawn(messages)
  }
  return { list, state, problem, clear }
}

interface Following {
  readonly signal: AbortSignal
  readonly to: (state: State, problem?: Error) => void
  readonly told: (message: Message) => void
}

/** Opens the stream again while it breaks; after a refusal it stays closed. */
async function follow(path: string, { signal, to, told }: Following): Promise<void> {
  while (!signal.aborted) {
    to('opening')
    let problem: Error | undefined
    const listener = {
      opened: () => to('live'),
      told: (data: string) => {
        const event = JSON.parse(data) as Message & { readonly event?: string }
        if (event.event === undefined) told(event)
      },
    }
    await listen(path, listener, signal).catch((error: Error) => {
      problem = error
    })
    if (signal.aborted) return
    to('broken', problem)
    if (problem instanceof ApiError && problem.status >= 400) return
    await new Promise((resolve) => setTimeout(resolve, againMs))
  }
}
