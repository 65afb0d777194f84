// Server-sent events as the one wrapper reads them: EventSource sends no token of the operator.
// Source: HTML, server-sent events.

import { ask } from '../api.js'

interface Listener {
  readonly opened: () => void
  /** With the lines of `data` of one event. */
  readonly told: (data: string) => void
}

/** Resolves when the server ends the stream; rejects if it is refused, breaks or is aborted. */
export async function listen(
  path: string,
  { opened, told }: Listener,
  signal: AbortSignal,
): Promise<void> {
  const { body } = await ask('GET', path, { signal, headers: { accept: 'text/event-stream' } })
  opened()
  const reader = body?.pipeThrough(new TextDecoderStream() as never).getReader()
  let rest = ''
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
    if (done) return
    const parts = `${rest}${String(value)}`.split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const data = dataOf(part)
      if (data !== '') told(data)
    }
  }
}

/** Comments, which keep a stream open, have none. */
function dataOf(event: string): string {
  const lines = event.split('\n').filter((line) => line.startsWith('data:'))
  return lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n')
}
