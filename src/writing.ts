import type { FastifyInstance } from 'fastify'
import { Gauge, type Registry } from 'prom-client'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { type Hall, openHall } from '#cores/hall.ts'
import { socketIn } from '#cores/place.ts'
import { usesIn } from '#identity/last-use.ts'
import type { Counter } from '#limits/counter.ts'
import { takeFrom } from '#limits/shared.ts'
import { writeRequests } from '#upkeep/requests.ts'

/** What the process that writes lends to those that only read. */
interface Lent {
  storage: Storage
  server: FastifyInstance
  counter: Counter
  registry: Registry
}

/** Opens the hall in which those that only read hand over what they do not do themselves. */
export async function openWriting(
  dataDir: string,
  { storage, server, counter, registry }: Lent,
): Promise<Hall> {
  const keep = usesIn(storage)
  const hall = await openHall(socketIn(dataDir), server.routing, {
    take: (asked) => takeFrom(counter, asked),
    newest: (workspace_id) => storage.read({ ...NOBODY, workspace_id }, (tx) => tx.newestNotice()),
    ready: () => storage.ready(),
    async uses(uses) {
      await keep(uses)
      return null
    },
    async counts(counts) {
      await writeRequests(storage, { take: () => new Map(counts) })()
      return null
    },
  })
  new Gauge({
    name: 'docket_reading_processes',
    help: 'Processes that only read and are connected to this one, which writes',
    registers: [registry],
    collect() {
      this.set(hall.readers())
    },
  })
  return hall
}
