// A session of the SQL port by a user's password, with the client that people use.

import pg from 'pg'

interface SqlLogin {
  readonly user: string
  readonly password: string
  readonly database: string
}

export class SqlSession {
  private constructor(private readonly client: pg.Client) {}

  static async open(port: number, login: SqlLogin): Promise<SqlSession> {
    const client = new pg.Client({ ...login, host: '127.0.0.1', port })
    client.on('error', () => {})
    await client.connect()
    return new SqlSession(client)
  }

  /** The rows of a statement. */
  async rows(statement: string): Promise<readonly unknown[]> {
    return (await this.client.query(statement)).rows
  }

  /** The SQLSTATE that a statement ends with; `00000` where it succeeds. */
  async stateOf(statement: string): Promise<string> {
    try {
      await this.client.query(statement)
      return '00000'
    } catch (error) {
      if (error instanceof Error && 'code' in error) return String(error.code)
      throw error
    }
  }

  close(): Promise<void> {
    return this.client.end()
  }
}
