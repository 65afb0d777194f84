// Who a gateway is: a number, and an epoch that grows when the number changes hands. Each commit
// counts on in its gateway's row, so it is found out whether a commit took effect whose answer was
// lost: the epoch is raised, which ends or fences the old connection, and the row is read.
// For the engine, a gateway is its `life`: from taking a number until the heartbeat has stopped.

import { randomBytes } from 'node:crypto'
import { Fenced } from './failures.js'
import type { Link } from './link.js'
import type { Row, Statement } from './statement.js'

/** A gateway that does not renew its row for this long may be replaced. */
const expiresAfter = "interval '30 seconds'"
/** How long the last commits of ended epochs are remembered. */
const rememberedFor = "interval '1 day'"

const count: Statement = {
  name: 'count_on',
  // Dividing by zero makes the transaction fail if the row has changed hands.
  text: `WITH mine AS (
      UPDATE gateways SET grp = $3::bigint
      WHERE no = $1::bigint AND epoch = $2::bigint AND grp = $3::bigint - 1 RETURNING 1)
    SELECT 1 / count(*) FROM mine`,
}
const beat: Statement = {
  name: 'beat',
  text: `UPDATE heartbeats SET until = clock_timestamp() + ${expiresAfter}, address = $3::text
    WHERE no = $1::bigint AND life = $2::text AND until > clock_timestamp() RETURNING 1`,
}
/** What has expired ends for good, also if the database's clock is set back. */
const bury: Statement = {
  name: 'bury',
  text: `UPDATE heartbeats SET until = '-infinity'
    WHERE life = $1::text AND until < clock_timestamp() AND until > '-infinity'`,
}
const lives: Statement = {
  name: 'lives',
  text: `SELECT 1 FROM heartbeats WHERE life = $1::text AND until > '-infinity'`,
}

const address: Statement = {
  name: 'address',
  text: `SELECT address FROM heartbeats
    WHERE no = $1::bigint AND until > clock_timestamp() AND address <> ''`,
}

/** More than gateways draw in the time whose commits a crash may lose. */
const lostDraws = 4_096

export class GatewayRow {
  private constructor(
    readonly no: number,
    readonly epoch: number,
    /** Number of the last commit. */
    private group: number,
    /** Stays while the epoch grows because connections are lost. */
    readonly life: string,
  ) {}

  /** Takes a number that no other gateway has. */
  static async claim(link: Link): Promise<GatewayRow> {
    return inTransaction(link, async () => {
      await link.command('LOCK TABLE heartbeats IN EXCLUSIVE MODE')
      const [free] = await link.command(
        'SELECT no FROM heartbeats WHERE until < clock_timestamp() ORDER BY no LIMIT 1',
      )
      if (free !== undefined) {
        const no = Number(free[0])
        const [row] = await raise(link, no)
        const epoch = Number(row?.[0])
        const life = lifeOf(no, epoch)
        await link.command(
          `UPDATE heartbeats SET life = '${life}', until = clock_timestamp() + ${expiresAfter},
           address = '' WHERE no = ${no}`,
        )
        return new GatewayRow(no, epoch, Number(row?.[1]), life)
      }
      const [made] = await link.command(
        'INSERT INTO gateways SELECT coalesce(max(no), 0) + 1, 1, 0 FROM gateways RETURNING no',
      )
      const no = Number(made?.[0])
      const life = lifeOf(no, 1)
      await link.command(
        `INSERT INTO heartbeats (no, until, life)
         VALUES (${no}, clock_timestamp() + ${expiresAfter}, '${life}')`,
      )
      return new GatewayRow(no, 1, 0, life)
    })
  }

  /** Part of a transaction that changes something; the number of the commit. */
  countOn(link: Link): Promise<readonly Row[]> {
    return link.run(count, [this.no, this.epoch, this.group + 1])
  }

  /** The commit took effect. */
  counted(): void {
    this.group++
  }

  /**
   * Continues on a new connection, when the old one is lost. `hasCommitted` says whether the
   * transaction that had counted on took effect. Throws Fenced if that cannot be known any more.
   */
  async recover(link: Link, before: number): Promise<{ row: GatewayRow; hasCommitted: boolean }> {
    // The old backend may still hold locks: PostgreSQL may not know yet that its client is gone.
    await link.command(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE pid = ${before} AND application_name = '${writerName}' AND pid <> pg_backend_pid()`,
    )
    // A crash may have lost the last commits; no version that clients know is drawn again.
    await link.command(`SELECT max(nextval('versions')) FROM generate_series(1, ${lostDraws})`)
    const found = await inTransaction(link, async () => {
      const [row] = await raise(link, this.no, this.epoch)
      return row
    })
    if (found !== undefined) {
      const group = Number(found[1])
      const row = new GatewayRow(this.no, Number(found[0]), group, this.life)
      return { row, hasCommitted: group === this.group + 1 }
    }
    const [past] = await link.command(
      `SELECT grp FROM ended WHERE no = ${this.no} AND epoch = ${this.epoch}`,
    )
    if (past === undefined) throw new Fenced('the outcome of a commit is not known any more')
    const hasCommitted = Number(past[0]) === this.group + 1
    return { row: await GatewayRow.claim(link), hasCommitted }
  }

  /** False if the heartbeat has stopped for too long: this life is over. */
  async beat(link: Link, servesAt: string): Promise<boolean> {
    return (await link.run(beat, [this.no, this.life, servesAt])).length > 0
  }

  /** The number is free from now on. */
  async end(link: Link): Promise<void> {
    await link.command(
      `UPDATE heartbeats SET until = '-infinity' WHERE no = ${this.no} AND life = '${this.life}'`,
    )
  }
}

/** Whether the gateway with this life has ended. */
export async function isOver(link: Link, life: string): Promise<boolean> {
  await link.run(bury, [life])
  return (await link.run(lives, [life])).length === 0
}

/** Where the gateway with this number serves HTTP; undefined if there is none. */
export async function addressOf(link: Link, no: number): Promise<string | undefined> {
  const [row] = await link.run(address, [no])
  return row === undefined ? undefined : String(row[0])
}

/** Random too: a store that was copied from elsewhere names no gateway of this one. */
function lifeOf(no: number, epoch: number): string {
  return `${no}.${epoch}.${randomBytes(8).toString('hex')}`
}

/** The application name of the connection that writes. */
export const writerName = 'sigil writes'

/** Waits for a transaction that has counted on; then none of the old epoch can any more. */
async function raise(link: Link, no: number, epoch?: number): Promise<readonly Row[]> {
  const ofEpoch = epoch === undefined ? '' : `AND epoch = ${epoch}`
  const rows = await link.command(
    `UPDATE gateways SET epoch = epoch + 1 WHERE no = ${no} ${ofEpoch} RETURNING epoch, grp`,
  )
  const [row] = rows
  if (row !== undefined) {
    await link.command(
      `INSERT INTO ended (no, epoch, grp) VALUES (${no}, ${Number(row[0]) - 1}, ${Number(row[1])})`,
    )
    await link.command(`DELETE FROM ended WHERE at < now() - ${rememberedFor}`)
  }
  return rows
}

async function inTransaction<T>(link: Link, work: () => Promise<T>): Promise<T> {
  await link.command('BEGIN')
  try {
    const result = await work()
    await link.command('COMMIT')
    return result
  } catch (error) {
    await link.command('ROLLBACK').catch(() => undefined)
    throw error
  }
}
