// The short way to the routes of documents, which are asked most: one look at the path, and the
// answer goes to the socket as it is. The framework makes four objects and as many promises for
// each request on its way to the same handler; whatever is not plainly one of these is its own.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../../base/clock.js'
import type { Awaitable } from '../../../store/store.js'
import { noteUnsent, repliesOf, type SocketReplies } from '../core/replies.js'
import type { HttpExchange } from '../core/request.js'
import { type Answer, isLarge, writeAnswer } from '../core/respond.js'
import type { AnyRoute } from '../core/route.js'

/** How long an answer waits for those of other requests that came with it, to be written with. */
const answerDelayMsMax = 1
/** Requests that are answered together: more of them live long enough to cost the collector. */
const answersTogether = 16

/** Undefined: the route has written its answer. */
export type Handle = (exchange: HttpExchange) => Awaitable<Answer | undefined>

interface Operation {
  readonly handle: Handle
  readonly mutates: boolean
}

const prefix = '/api/v1/collections/'
const template = `${prefix}:name/`

/** As the framework takes them without a look at more: others it may refuse. */
const plainHost = /^[a-z0-9._-]+(?::[1-6]?\d{4})?$/

/** Nothing that is encoded, and no dot, which a path may be shortened by. */
const plainName = /^[\w-]+$/

/**
 * `POST /api/v1/collections/<name>/<operation>`, nothing in it encoded and without a query. What
 * has come in one turn of the loop is answered behind it: bodies that came with their heads are
 * here by then, and answers are written one after the other, so that a client of many connections
 * is woken for many of them at once.
 */
export class DirectRoutes {
  private readonly operations = new Map<string, Operation>()
  private asked: DirectExchange[] = []
  private ready: DirectExchange[] = []
  /** When the first of `ready` was; monotonic. */
  private readySinceMs = 0
  private isAnswering = false

  constructor(
    private readonly clock: Clock,
    private readonly refuse: (exchange: HttpExchange, thrown: unknown) => Answer,
  ) {}

  /** Takes the route if it is one of these: its body is always read whole. */
  add(route: AnyRoute, handle: Handle): void {
    const { method, path, fields, mutates = false } = route
    if (method !== 'POST' || fields === undefined || !path.startsWith(template)) return
    const operation = path.slice(template.length)
    if (/^\w+$/.test(operation)) this.operations.set(operation, { handle, mutates })
  }

  /** Answers the request, soon; false if it is not for here. */
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
    // Writes of this turn of the loop are committed at its end: they must not be late for that.
    // By the next tick the parser has gone on to the body.
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

  /** Behind others of its connection: once what was answered before is mostly taken. */
  private answerInTurn(exchange: DirectExchange): void {
    const replies = repliesOf(exchange.incoming)
    exchange.replies = replies
    if (replies === undefined) this.answer(exchange)
    else replies.run(() => this.answer(exchange))
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
      // What a commit answers comes in one go, too.
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
  /** Of its socket, where it came behind others. */
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
