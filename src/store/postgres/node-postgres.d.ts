// Types of node-postgres, which comes without: as much of it as the store and the tests use. They
// stand here because the published package is built from src alone.

declare module 'pg' {
  import type { Writable } from 'node:stream'

  export interface Field {
    readonly name: string
    readonly dataTypeID: number
    readonly format: string
  }
  export interface Result {
    readonly rows: readonly Readonly<Record<string, unknown>>[]
    readonly rowCount: number | null
    readonly command: string
    readonly fields: readonly Field[]
  }
  export interface Options {
    readonly connectionString?: string
    readonly host?: string
    readonly port?: number
    readonly user?: string
    readonly password?: string
    readonly database?: string
    readonly max?: number
    readonly application_name?: string
    readonly connectionTimeoutMillis?: number
    readonly keepAlive?: boolean
    readonly pipeline?: boolean
    readonly types?: { getTypeParser(type: number): (text: string) => unknown }
    readonly ssl?: { readonly ca?: Buffer; readonly rejectUnauthorized?: boolean }
  }
  export interface QueryConfig {
    readonly text: string
    readonly values?: readonly unknown[]
    readonly name?: string
    readonly rowMode?: 'array'
    readonly binary?: boolean
  }
  export interface Described {
    readonly fields: readonly Field[]
  }
  export interface DataRow {
    readonly fields: readonly (string | null)[]
  }
  /** What sends the messages of PostgreSQL's protocol. */
  export interface Connection {
    readonly stream: Writable
    bind(message: {
      readonly portal: string
      readonly statement: string
      readonly values: readonly (Buffer | string | null)[]
      readonly binary: boolean
    }): void
    execute(message: { readonly portal: string; readonly rows: number }): void
    sync(): void
  }
  /** A query under way; a class of one's own may extend it. */
  export class Query {
    constructor(text: string, values: readonly (Buffer | string | null)[])
    name: string
    readonly values: readonly (Buffer | string | null)[]
    hasBeenParsed(connection: Connection): boolean
    submit(connection: Connection): Error | null
    handleRowDescription(message: Described): void
    handleDataRow(message: DataRow): void
    handleCommandComplete(): void
    handleReadyForQuery(): void
    handleError(error: Error): void
  }
  interface Notification {
    readonly processId: number
    readonly channel: string
    readonly payload?: string
  }
  export class Client {
    constructor(options: Options)
    /** Process id of the server's side. */
    readonly processID: number | null
    readonly connection: Connection
    connect(): Promise<void>
    query(query: Query): void
    query(query: string | QueryConfig, values?: readonly unknown[]): Promise<Result>
    end(): Promise<void>
    on(event: 'notice' | 'error', listener: (thrown: Error) => void): this
    on(event: 'end', listener: () => void): this
    on(event: 'notification', listener: (told: Notification) => void): this
  }
  export class Pool {
    constructor(options: Options)
    query(query: string | QueryConfig, values?: readonly unknown[]): Promise<Result>
    end(): Promise<void>
    on(event: 'error', listener: (thrown: Error) => void): this
  }
}
