import type { FastifyInstance } from 'fastify'
import type { DatabaseEngine } from '#core/transaction.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import type { HistoryDocket } from './history-world.ts'

/** A Docket with a database and a time of its own: background jobs would change other tests' records. */
export async function openHistoryDocket(engine: DatabaseEngine): Promise<HistoryDocket> {
  const clock = createTestClock()
  const docket = await openFreshDocket(engine, {}, { clock })
  return { ...docket, clock, servers: [docket.server], port: await listen(docket.server) }
}

/** The same with two servers on one PostgreSQL, each with connections and caches of its own. */
export async function openHistoryDocketPair(): Promise<HistoryDocket> {
  const docket = await openHistoryDocket('postgres')
  const env = { DOCKET_DATABASE_URL: docket.config.databaseUrl ?? '', SECOND: '1' }
  const { server } = await openTestDocket('postgres', env, { clock: docket.clock })
  return { ...docket, servers: [docket.server, server] }
}

async function listen(server: FastifyInstance): Promise<number> {
  return Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port)
}
