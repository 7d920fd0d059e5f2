import pg from 'pg'
import { conflict } from '#core/api-error.ts'
import { namedConnection, takeUrlParameters } from '../postgres/pool.ts'

/** A setting of our own shows whether the server has got the settings of the connection. */
const SETTINGS = {
  'docket.direct': 'on',
  statement_timeout: 0,
  lock_timeout: 0,
  idle_in_transaction_session_timeout: 0,
}

/**
 * Opens a dedicated connection without the time-outs of requests. Refuses a pooler, which would drop
 * the settings and the locks of the session.
 */
export async function connectForCopy(url: string, name: string): Promise<pg.Client> {
  const own = Object.entries(SETTINGS).map(([setting, value]) => `-c ${setting}=${value}`)
  const address = takeUrlParameters(url, 'options')
  const client = new pg.Client({
    ...namedConnection(address.url, name),
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    options: [address.taken.get('options') ?? '', ...own].join(' ').trim(),
  })
  // The pending query reports the error; without a listener the process would end.
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query("select current_setting('docket.direct', true) as direct")
    if (rows[0]?.direct === 'on') return client
  } catch (error) {
    await client.end().catch(() => {})
    if (isRefusedByPooler(error)) throw poolerAddress()
    throw error
  }
  await client.end()
  throw poolerAddress()
}

/** By default PgBouncer accepts no `options`. */
const isRefusedByPooler = (error: unknown): boolean =>
  error instanceof Error && /unsupported startup parameter/.test(error.message)

const poolerAddress = () =>
  conflict(
    'pooler_address',
    'This address leads to a connection pooler such as PgBouncer. Use the address of PostgreSQL itself; ' +
      'if Docket uses a pooler, it is the value of DOCKET_DATABASE_LISTEN_URL.',
  )
