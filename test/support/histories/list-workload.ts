// Runs a list-append workload: some clients at the same time, each one transaction after the other,
// over few lists that are replaced when they have grown. At the end every list is read once more.

import type { HistoryTransaction, Level, Outcome, Step } from './history.js'

/** A step that is to be made: a read, or an append of a value. */
export interface PlannedStep {
  readonly list: string
  readonly value: number | undefined
}

export interface Ran {
  readonly level: Level
  readonly outcome: Outcome
  readonly steps: readonly Step[]
}

/** One connection of a frontend. */
export interface ListClient {
  /** One step as a plain command, more as a transaction of the frontend's own kind. */
  run(planned: readonly PlannedStep[]): Promise<Ran>
  close(): Promise<void>
}

export interface ListWorkload {
  readonly random: () => number
  /** Steps in all. */
  readonly steps: number
  readonly clients: readonly ListClient[]
  /** Called with the number of steps so far, between transactions of one client. */
  readonly onProgress?: (steps: number) => void
}

/** Lists at a time, and appends until the next takes its place. */
const listsAtOnce = 4
const appendsMax = 25
const stepsMax = 5
/** Tries of the last read of a list; a client waits for the server before each. */
const lastTriesMax = 1_000

class RunningLists {
  readonly history: HistoryTransaction[] = []
  private readonly active: { name: string; appends: number }[] = []
  private readonly names: string[] = []
  private place = 0
  private made = 0
  private nextValue = 1

  constructor(private readonly workload: ListWorkload) {
    for (let i = 0; i < listsAtOnce; i++) this.active.push(this.newList())
  }

  async run(): Promise<readonly HistoryTransaction[]> {
    const { clients, steps, onProgress } = this.workload
    const worker = async (client: ListClient) => {
      while (this.made < steps) {
        await this.runOne(client, this.plan())
        onProgress?.(this.made)
      }
    }
    await Promise.all(clients.map(worker))
    const [client] = clients
    for (const list of this.names) if (client !== undefined) await this.readLast(client, list)
    return this.history
  }

  /** Until it is answered: without it no read might have seen the appends of an unknown one. */
  private async readLast(client: ListClient, list: string): Promise<void> {
    for (let tries = 0; tries < lastTriesMax; tries++) {
      const outcome = await this.runOne(client, [{ list, value: undefined }])
      if (outcome === 'committed') return
    }
    throw new Error(`the last read of ${list} is not answered`)
  }

  private async runOne(client: ListClient, planned: readonly PlannedStep[]): Promise<Outcome> {
    const began = ++this.place
    this.made += planned.length
    const ran = await client.run(planned)
    this.history.push({ ...ran, began, ended: ++this.place })
    return ran.outcome
  }

  private plan(): PlannedStep[] {
    const { random } = this.workload
    const count = random() < 0.4 ? 1 : 2 + Math.floor(random() * (stepsMax - 1))
    return Array.from({ length: count }, () => {
      const at = Math.floor(random() * this.active.length)
      const list = this.active[at] ?? this.newList()
      if (random() < 0.5) return { list: list.name, value: undefined }
      if (++list.appends >= appendsMax) this.active[at] = this.newList()
      return { list: list.name, value: this.nextValue++ }
    })
  }

  private newList() {
    const name = `list${this.names.length}`
    this.names.push(name)
    return { name, appends: 0 }
  }
}

export function runLists(workload: ListWorkload): Promise<readonly HistoryTransaction[]> {
  return new RunningLists(workload).run()
}

/** Notes the steps of one transaction: an append before it is sent, a read when it is answered. */
export class Steps {
  readonly made: Step[] = []

  append(list: string, value: number): void {
    this.made.push({ kind: 'append', list, value })
  }

  read(list: string, values: readonly number[]): void {
    this.made.push({ kind: 'read', list, values })
  }

  /** A read that came with the append right before it, of the state before that. */
  readBefore(list: string, values: readonly number[]): void {
    this.made.splice(-1, 0, { kind: 'read', list, values })
  }

  forgetReads(): void {
    const appends = this.made.filter(({ kind }) => kind === 'append')
    this.made.splice(0, this.made.length, ...appends)
  }
}
