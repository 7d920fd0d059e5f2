import { unavailable } from '#core/refusal.ts'
import { migrateStore } from '#storage/open.ts'
import { command } from './command.ts'

const PATIENCE_MS = 5_000

const migrate = command({
  name: 'migrate',
  summary: 'Bring the database to the version of this Docket, as a start would',
  options: {},
  run: ({ config }) => migrateStore(config),
})

const health = command({
  name: 'health',
  summary: 'Ask the server whether it is ready',
  options: {},
  async run({ config: { baseUrl } }) {
    try {
      const reply = await fetch(`${baseUrl}/readyz`, {
        redirect: 'error',
        signal: AbortSignal.timeout(PATIENCE_MS),
      })
      const body: unknown = await reply.json()
      if (typeof body === 'object' && body !== null && 'status' in body) return body
      throw new Error('It does not answer as Docket does')
    } catch (error) {
      throw unavailable(`No Docket can be reached at ${baseUrl}.`, error)
    }
  },
  failed: (printed) => !('status' in printed && printed.status === 'ready'),
})

export const serverCommands = [migrate, health]
