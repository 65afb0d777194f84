// A fast path for the document routes, the most used ones: it checks the path once and writes the
// response directly to the socket. The framework would make four objects and as many promises
// before the same handler. Any request that does not plainly match goes to the framework.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../../base/clock.js'
import type { Awaitable } from '../../../store/store.js'
import { noteUnsent, repliesOf, type SocketReplies } from '../core/replies.js'
import type { HttpExchange } from '../core/request.js'
import { type Answer, isLarge, writeAnswer } from '../core/respond.js'
import type { AnyRoute } from '../core/route.js'

/** How long a response waits for others of the same turn, to be written together. */
const answerDelayMsMax = 1
/** Requests answered together: larger batches live long enough to burden the collector. */
const answersTogether = 16

/** Undefined: the route has written its response. */
export type Handle = (exchange: HttpExchange) => Awaitable<Answer | undefined>

interface Operation {
  readonly handle: Handle
  readonly mutates: boolean
}

const prefix = '/api/v1/collections/'
const template = `${prefix}:name/`

/** Hosts that the framework accepts without a further check. */
const plainHost = /^[a-z0-9._-]+(?::[1-6]?\d{4})?$/

/** No encoding, and no dot, which path normalisation could remove. */
const plainName = /^[\w-]+$/

/**
 * `POST /api/v1/collections/<name>/<operation>`, unencoded and without a query. Requests of one
 * turn of the event loop are answered after it. By then their bodies have arrived, and responses
 * are written one after the other, so that a client of many connections wakes up once for many.
 */
export class DirectRoutes {
  private readonly operations = new Map<string, Operation>()
  private asked: DirectExchange[] = []
  private ready: DirectExchange[] = []
  /** Time of the first entry of `ready`; monotonic. */
  private readySinceMs = 0
  private isAnswering = false

  constructor(
    private readonly clock: Clock,
    private readonly refuse: (exchange: HttpExchange, thrown: unknown) => Answer,
  ) {}

  /** Adds the route if it qualifies: its body is always read whole. */
  add(route: AnyRoute, handle: Handle): void {
    const { method, path, fields, mutates = false } = route
    if (method !== 'POST' || fields === undefined || !path.startsWith(template)) return
    const operation = path.slice(template.length)
    if (/^\w+$/.test(operation)) this.operations.set(operation, { handle, mutates })
  }

  /** Answers the request soon; false if it does not match. */
  take(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const { url = '' } = incoming
    if (incoming.method !== 'POST' || !url.startsWith(prefix)) return false
    const end = url.indexOf('/', prefix.length)
    const operation = end < 0 ? undefined : this.operations.get(url.slice(end + 1))
    if (operation === undefined || !plainHost.test(incoming.headers.host ?? '')) return false
    const name = url.slice(prefix.length, end)
    if (!plainName.test(name)) return false
    const { handle, mutates } = operation
    const asked = this.asked.push(new DirectExchange(incoming, outgoing, name, handle))
    // Writes of this turn are committed at its end, so they must start before it. By the next tick
    // the parser has reached the body.
    if (mutates || asked === answersTogether) process.nextTick(this.answerAsked)
    else if (asked === 1) setImmediate(this.answerAsked)
    return true
  }

  private readonly answerAsked = (): void => {
    const { asked } = this
    this.asked = []
    this.isAnswering = true
    for (const exchange of asked) {
      if (exchange.outgoing.socket === null) this.answerInTurn(exchange)
      else this.answer(exchange)
      if (this.ready.length > 1 && this.clock.elapsed() - this.readySinceMs > answerDelayMsMax) {
        this.writeReady()
      }
    }
    this.isAnswering = false
    this.writeReady()
  }

  /** A pipelined request runs once the replies before it are mostly read. */
  private answerInTurn(exchange: DirectExchange): void {
    const replies = repliesOf(exchange.incoming)
    exchange.replies = replies
    if (replies === undefined) this.answer(exchange)
    else replies.run(exchange.outgoing, () => this.answer(exchange))
  }

  private answer(exchange: DirectExchange): void {
    try {
      const answer = exchange.handle(exchange)
      if (answer instanceof Promise) this.answerLater(exchange, answer)
      else if (answer !== undefined) this.answered(exchange, answer)
      else exchange.replies?.done()
    } catch (thrown) {
      this.answered(exchange, this.refuse(exchange, thrown))
    }
  }

  private answerLater(exchange: DirectExchange, answer: Promise<Answer | undefined>): void {
    answer.then(
      (late) => {
        if (late !== undefined) this.answered(exchange, late)
        else exchange.replies?.done()
      },
      (thrown) => this.answered(exchange, this.refuse(exchange, thrown)),
    )
  }

  private answered(exchange: DirectExchange, answer: Answer): void {
    exchange.answer = answer
    const { replies } = exchange
    if (replies !== undefined || isLarge(answer)) {
      this.write(exchange, answer)
      noteUnsent(exchange.outgoing)
      replies?.done()
      return
    }
    if (this.ready.length === 0) {
      this.readySinceMs = this.clock.elapsed()
      // The replies of one commit come together, too.
      if (!this.isAnswering) process.nextTick(this.writeReady)
    }
    this.ready.push(exchange)
  }

  private readonly writeReady = (): void => {
    const { ready } = this
    this.ready = []
    for (const exchange of ready) {
      const { answer } = exchange
      if (answer !== undefined) this.write(exchange, answer)
    }
  }

  private write(exchange: DirectExchange, answer: Answer): void {
    const { outgoing } = exchange
    try {
      writeAnswer(outgoing, answer)
    } catch (thrown) {
      writeAnswer(outgoing, this.refuse(exchange, thrown))
    }
  }
}

class DirectExchange implements HttpExchange {
  readonly isDeferred = true
  answer: Answer | undefined = undefined
  /** Of its socket, for a pipelined request. */
  replies: SocketReplies | undefined = undefined

  constructor(
    readonly incoming: IncomingMessage,
    readonly outgoing: ServerResponse,
    private readonly collection: string,
    readonly handle: Handle,
  ) {}

  param(name: string): string | undefined {
    return name === 'name' ? this.collection : undefined
  }

  query(): undefined {}
}
