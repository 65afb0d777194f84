// One tab's part in the stream of changes that all tabs of a caller share. The tab that holds the
// lock leads: it reads the stream for all namespaces that tabs watch, and tells them by a channel.
// A browser without locks (a page that is not secure) has a stream in each tab.

import { listen } from './events.js'

const againMs = 3_000
/** Changes within this time are one, so a busy collection is asked for four times a second. */
const gatherMs = 250
/** Tabs that open together are in one stream. */
const settleMs = 100

interface Listener {
  readonly changed: () => void
  readonly opened: (isOpen: boolean) => void
}

type Message =
  | { readonly what: 'watch'; readonly tab: string; readonly namespace: string }
  | { readonly what: 'leave'; readonly tab: string }
  | { readonly what: 'who' }
  | { readonly what: 'changed'; readonly namespace: string }
  | { readonly what: 'open'; readonly isOpen: boolean }

export class LiveFeed {
  private readonly tab = [...crypto.getRandomValues(new Uint32Array(4))].join('-')
  private readonly channel: BroadcastChannel
  private readonly ending = new AbortController()
  private stream: AbortController | undefined
  /** What each tab watches, for the one that leads. */
  private readonly watched = new Map<string, string>()
  private isLeading = false
  private isOpen = false
  /** The namespaces of the stream, as JSON. */
  private followed = '[]'
  private settling: ReturnType<typeof setTimeout> | undefined
  private gathering: ReturnType<typeof setTimeout> | undefined
  private readonly waiting = new Set<string>()

  constructor(
    name: string,
    private readonly namespace: string,
    private readonly listener: Listener,
  ) {
    this.channel = new BroadcastChannel(name)
    this.channel.onmessage = ({ data }: MessageEvent<Message>) => this.hear(data)
    this.say({ what: 'watch', tab: this.tab, namespace })
    const { signal } = this.ending
    const { locks } = navigator as Partial<Pick<Navigator, 'locks'>>
    if (locks === undefined) {
      this.lead()
      return
    }
    const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    locks
      .request(name, { signal }, async () => {
        this.lead()
        await ended
      })
      .catch(() => {
        // The tab has ended before its turn came.
      })
  }

  end(): void {
    if (this.isLeading) this.say({ what: 'open', isOpen: false })
    this.say({ what: 'leave', tab: this.tab })
    this.ending.abort()
    this.stream?.abort()
    clearTimeout(this.settling)
    clearTimeout(this.gathering)
    this.channel.close()
  }

  private say(message: Message): void {
    this.channel.postMessage(message)
  }

  private hear(message: Message): void {
    switch (message.what) {
      case 'changed':
        if (message.namespace === this.namespace) this.listener.changed()
        return
      case 'open':
        this.listener.opened(message.isOpen)
        return
      case 'who':
        this.say({ what: 'watch', tab: this.tab, namespace: this.namespace })
        return
      case 'watch':
        if (!this.isLeading) return
        this.watched.set(message.tab, message.namespace)
        this.say({ what: 'open', isOpen: this.isOpen })
        this.settle()
        return
      case 'leave':
        if (this.watched.delete(message.tab)) this.settle()
    }
  }

  private lead(): void {
    if (this.ending.signal.aborted) return
    this.isLeading = true
    this.watched.set(this.tab, this.namespace)
    this.say({ what: 'who' })
    this.settle()
  }

  private settle(): void {
    clearTimeout(this.settling)
    this.settling = setTimeout(() => this.restart(), settleMs)
  }

  /** Only for other namespaces. */
  private restart(): void {
    const namespaces = [...new Set(this.watched.values())].toSorted()
    const followed = JSON.stringify(namespaces)
    if (followed === this.followed) return
    // What changes between the two streams is asked for.
    for (const known of JSON.parse(this.followed) as string[]) this.gather(known)
    this.followed = followed
    this.stream?.abort()
    this.stream = new AbortController()
    void this.follow(followed, this.stream.signal)
  }

  private async follow(of: string, signal: AbortSignal): Promise<void> {
    const pipeline = JSON.stringify([{ $project: { ns: 1 } }])
    const path = `/api/v1/changes?${new URLSearchParams({ of, pipeline })}`
    while (!signal.aborted) {
      try {
        await listen(
          path,
          { opened: () => this.opened(true), told: (data) => this.told(data) },
          signal,
        )
      } catch {
        // A stream that breaks is opened again; the sign says that nothing is live meanwhile.
      }
      if (signal.aborted) return
      this.opened(false)
      await new Promise((resolve) => setTimeout(resolve, againMs))
      if (signal.aborted) return
      for (const namespace of this.watched.values()) this.gather(namespace)
    }
  }

  private opened(isOpen: boolean): void {
    this.isOpen = isOpen
    this.listener.opened(isOpen)
    this.say({ what: 'open', isOpen })
  }

  private told(data: string): void {
    const { ns } = JSON.parse(data) as { readonly ns?: { readonly db: string; coll?: string } }
    if (ns?.coll !== undefined) this.gather(`${ns.db}.${ns.coll}`)
  }

  private gather(namespace: string): void {
    this.waiting.add(namespace)
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined
      for (const one of this.waiting) {
        if (one === this.namespace) this.listener.changed()
        this.say({ what: 'changed', namespace: one })
      }
      this.waiting.clear()
    }, gatherMs)
  }
}
