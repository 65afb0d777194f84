// The order of one connection's commands. Pipelined commands are gathered: consecutive reads share
// a read program, a write and the commands after it share a write program. A blocking command that
// finds nothing there waits, and so do the commands behind it. A lane that waits for a reply takes
// no new commands, so replies need no sorting. (docs/design/transactions.md, rule 5)

import { batchCommandsMax } from '../../../base/limits/key-value.js'
import type { Arguments } from '../arguments.js'
import type { KeyValueBus } from '../bus.js'
import type { Command } from '../command.js'
import type { RunningCall } from '../running-call.js'
import type { KeyValueSession } from './session.js'

/** Commands of one connection that share a program while other programs wait. */
const batchCommandsShared = 16

export interface LaneOwner {
  /** A reply, in the order of the commands. */
  deliver(call: RunningCall): void
  /** After the reply to what made the client listen: what was pushed since may follow. */
  joined(): void
  /** The lane has stopped waiting and can take more commands. */
  resumed(): void
}

function isWriting({ command }: RunningCall): boolean {
  return command.access === 'write'
}

/** The batch of an idle lane. */
const empty: RunningCall[] = []

export class Lane {
  /** Whether it waits for a reply; it takes no commands meanwhile. */
  isBusy = false
  /** A gathered command may block, and what is gathered behind it is not counted as held. */
  mayBlock = false
  private batch = empty
  private isWrite = false
  /** A command that waits until the earlier ones are answered. */
  private next: RunningCall | undefined
  /** Commands that have not run, because the client must read earlier replies first. */
  private deferred: readonly RunningCall[] | undefined

  constructor(
    private readonly bus: KeyValueBus,
    private readonly session: KeyValueSession,
    private readonly owner: LaneOwner,
  ) {}

  /** Whether commands are deferred; call `goOn` when their replies may be made. */
  get hasDeferred(): boolean {
    return this.deferred !== undefined
  }

  /** Whether gathered commands wait for `flush`. */
  get isGathering(): boolean {
    return this.batch.length > 0
  }

  /** Runs the deferred commands. */
  goOn(): void {
    const { deferred } = this
    if (deferred === undefined || this.session.closed) return
    this.deferred = undefined
    this.isBusy = false
    this.runDeferred(deferred)
    this.placeNext()
  }

  private runDeferred(calls: readonly RunningCall[]): void {
    for (const call of calls) call.isDeferred = false
    const { pause } = this.bus.services
    if (calls.some((call) => pause.holds(call))) this.afterPause(() => this.runDeferred(calls))
    else this.runBatch(calls, calls.some(isWriting))
  }

  /** Takes a command, if not busy; `command` is the result of looking up its first word. */
  submit(command: Command | undefined, args: Arguments): void {
    this.place(this.bus.open(command, args, this.session))
  }

  /** Runs the gathered commands: the client has sent no more for now. */
  flush(): void {
    const { batch, isWrite } = this
    if (batch.length === 0) return
    this.batch = empty
    this.isWrite = false
    this.mayBlock = false
    this.runBatch(batch, isWrite)
  }

  private runBatch(batch: readonly RunningCall[], isWrite: boolean): void {
    this.session.replyBytes = 0
    if (isWrite) this.bus.writing++
    const running = this.bus.run(batch, isWrite)
    if (running === undefined) this.deliver(batch)
    else this.wait(running, batch, isWrite)
  }

  private place(call: RunningCall): void {
    if (call.isRefused) {
      if (this.batch.length > 0) this.batch.push(call)
      else this.answer(call)
      return
    }
    if (this.bus.services.pause.isActive && this.bus.services.pause.holds(call)) {
      this.hold(call)
      return
    }
    const { command } = call
    switch (command.row.grain) {
      case 'read':
        if (this.isWrite && !command.isFast) this.after(call)
        else this.gather(call)
        break
      case 'write':
      case 'blocking':
        if (!this.isWrite) this.flush()
        if (this.isBusy) this.next = call
        else {
          this.isWrite = true
          this.gather(call)
        }
        break
      default:
        this.after(call)
    }
  }

  private gather(call: RunningCall): void {
    if (this.batch === empty) this.batch = [call]
    else this.batch.push(call)
    if (call.command.row.grain === 'blocking') this.mayBlock = true
    const most = this.bus.writing > 0 ? batchCommandsShared : batchCommandsMax
    if (this.batch.length >= most) this.flush()
  }

  /** Runs a command after all earlier ones. */
  private after(call: RunningCall): void {
    this.flush()
    if (this.isBusy) {
      this.next = call
      return
    }
    if (call.command.row.grain === 'read') {
      this.gather(call)
      return
    }
    this.session.replyBytes = 0
    const running = this.bus.runAlone(call)
    if (running === undefined) this.answer(call)
    else this.wait(running, [call], false)
  }

  /** Holds a command while clients are paused, and so everything after it. */
  private hold(call: RunningCall): void {
    this.flush()
    if (this.isBusy) {
      this.next = call
      return
    }
    call.args = call.args.detach()
    this.afterPause(() => this.place(call))
  }

  private afterPause(goOn: () => void): void {
    const { session, bus } = this
    this.isBusy = true
    session.block()
    bus.services.pause.over().then(() => {
      session.isBlocked = false
      this.isBusy = false
      if (session.closed) return
      goOn()
      this.placeNext()
      if (!this.isBusy || this.hasDeferred) this.owner.resumed()
    })
  }

  private wait(running: Promise<void>, calls: readonly RunningCall[], isWrite: boolean): void {
    this.isBusy = true
    running.then(() => {
      if (isWrite) this.bus.writing--
      this.isBusy = false
      this.deliver(calls)
      this.placeNext()
      // The owner handles deferred commands itself.
      if (!this.isBusy || this.hasDeferred) this.owner.resumed()
    })
  }

  private placeNext(): void {
    const { next } = this
    if (this.isBusy || next === undefined || this.session.closed) return
    this.next = undefined
    this.place(next)
  }

  private deliver(calls: readonly RunningCall[]): void {
    for (let i = 0; i < calls.length; i++) {
      const call = calls[i] as RunningCall
      if (call.isDeferred) {
        this.isBusy = true
        if (call.isUnanswered) this.block(call, calls.slice(i + 1))
        else this.deferred = calls.slice(i)
        return
      }
      this.answer(call)
    }
  }

  private answer(call: RunningCall): void {
    this.owner.deliver(call)
    if (!this.session.isJoining) return
    this.session.isJoining = false
    this.owner.joined()
  }

  /** Waits for the reply of a blocking command, with the commands behind it. */
  private block(call: RunningCall, behind: readonly RunningCall[]): void {
    const { session, bus } = this
    session.replyBytes = 0
    for (const later of behind) later.args = later.args.detach()
    if (this.next !== undefined) this.next.args = this.next.args.detach()
    // The replies before it leave now.
    this.owner.resumed()
    bus.block(call).then(() => {
      this.isBusy = false
      this.answer(call)
      if (session.closed) return
      if (behind.length > 0) this.runDeferred(behind)
      this.placeNext()
      // Also where what comes behind it waits again: its reply leaves.
      this.owner.resumed()
    })
  }
}
