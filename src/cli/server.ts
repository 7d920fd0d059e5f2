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

/** A server that goes on after the command line has been read; it reads the word itself. */
const running = (name: 'serve' | 'work', summary: string) =>
  command({
    name,
    summary,
    options: {},
    async run() {
      await import('../main.ts')
      return undefined
    },
  })

const serve = running('serve', 'Serve requests, and leave deliveries and housekeeping to others')
const work = running('work', 'Deliver events and keep house, and serve no requests')

export const serverCommands = [serve, work, migrate, health]
